//! What a whole dream over transcripts costs: in time against only reading them, and in memory.

use super::Measure;
use crate::workspace::Workspace;
use anyhow::{Context, Result, ensure};
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

/// A dream takes at most this many times as long as reading the same transcripts.
const LIMIT: f64 = 20.0;
/// Memory held while dreaming, in mebibytes.
const MEMORY_LIMIT: f64 = 256.0;
/// The rounds, of which the quickest counts: only disturbance makes one slower.
const ROUNDS: usize = 3;
/// How often the memory that a dream holds is looked at.
const LOOK: Duration = Duration::from_millis(5);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// What the kernel's counts of processor time are in.
const TICKS_PER_SECOND: f64 = 100.0;
/// The checkout that the transcripts of the corpus are from.
const CHECKOUT: &str = "/home/dev/rich";

/// Dreams over all transcripts below a folder, with nothing known and nothing written. Only Linux counts what a child
/// took; elsewhere there are no measures.
pub(super) fn measure(workspace: &Workspace, folder: &Path, reading: Duration) -> Result<Vec<Measure>> {
    if !cfg!(target_os = "linux") {
        return Ok(Vec::new());
    }
    let_end(folder)?;
    let mut quickest = Duration::MAX;
    let mut peak = 0;
    for _ in 0..ROUNDS {
        let (time, memory) = dream(workspace, folder)?;
        quickest = quickest.min(time);
        peak = peak.max(memory);
    }
    Ok(vec![
        Measure::ratio("dream / reading the transcripts", LIMIT, ("dream", quickest), ("read", reading)),
        Measure {
            name: "peak memory of the dream, MiB",
            value: peak as f64 / 1024.0,
            limit: MEMORY_LIMIT,
            detail: "nothing known, all read".to_owned(),
        },
    ])
}

/// Makes the sessions look as if they had ended long ago; a running one is not read.
fn let_end(folder: &Path) -> Result<()> {
    for project in fs::read_dir(folder.join("projects"))? {
        for transcript in fs::read_dir(project?.path())? {
            let file = fs::File::options().append(true).open(transcript?.path())?;
            file.set_modified(file.metadata()?.modified()? - DAY)?;
        }
    }
    Ok(())
}

/// The processor time of one dream, and the most memory that it held, in kibibytes.
fn dream(workspace: &Workspace, folder: &Path) -> Result<(Duration, u64)> {
    let home = tempfile::tempdir().context("a temporary directory")?;
    // A file takes any length; nobody reads a pipe while the process runs.
    let said = home.path().join("report.json");
    let before = children()?;
    let mut child = Command::new(workspace.release_program("nidra"))
        .env_clear()
        .env("HOME", home.path())
        .env("NIDRA_HOME", home.path().join("state"))
        .env("CLAUDE_CONFIG_DIR", folder)
        .env("NIDRA_DREAM_MAX_SESSIONS", "1000")
        .args(["dream", "--dry-run", "--engine", "rules", "--json", "--project", CHECKOUT])
        .stdin(Stdio::null())
        .stdout(fs::File::create(&said)?)
        .stderr(Stdio::null())
        .spawn()
        .context("cannot start a dream")?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    let ended = loop {
        let held = fs::read_to_string(&status).ok().and_then(|status| {
            let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
            line.split_whitespace().next()?.parse().ok()
        });
        peak = peak.max(held.unwrap_or(0));
        if let Some(ended) = child.try_wait()? {
            break ended;
        }
        thread::sleep(LOOK);
    };
    let report = fs::read_to_string(&said)?;
    // 3: something was proposed.
    ensure!(matches!(ended.code(), Some(0 | 3)), "the dream ended with {ended}: {report}");
    ensure!(report.contains("human-verbatim"), "the dream found nothing: {report}");
    Ok((children()?.saturating_sub(before), peak))
}

/// The processor time of all children that have ended.
fn children() -> Result<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").context("cannot read /proc/self/stat")?;
    // The name of the program, in brackets, may hold blanks.
    let fields: Vec<&str> = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
    let ticks =
        |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).context("a short stat");
    Ok(Duration::from_secs_f64((ticks(13)? + ticks(14)?) / TICKS_PER_SECOND))
}
