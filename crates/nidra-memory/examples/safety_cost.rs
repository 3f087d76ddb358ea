//! Measures what safety costs: a whole run that changes 20 files of a memory of 110, against writing and syncing
//! the same 20 files plainly. Prints JSON; the ratio of the medians shall stay below 3.
//!
//! `safety_cost [DIRECTORY] [ROUNDS]`: the directory to work in (its file system decides), and how often.

#![expect(clippy::print_stdout, reason = "the measurement is what this program is for")]

use nidra_core::{ProjectId, RunId};
use nidra_memory::atomic::RealFileSystem;
use nidra_memory::commit::{NewRun, commit};
use nidra_memory::lease::{Lease, LeaseOptions};
use nidra_memory::recover::recover;
use nidra_memory::store::{CursorRecord, RunRecord, Store};
use nidra_memory::{ChangeSet, FileChange};
use std::error::Error;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const FILES: usize = 110;
const CHANGED: usize = 20;
const LIMIT: f64 = 3.0;

fn name(number: usize) -> String {
    if number == 0 { "MEMORY.md".to_owned() } else { format!("topic-{number:03}.md") }
}

/// About two kilobytes that differ with each round.
fn text(number: usize, round: usize) -> Vec<u8> {
    let line = |index: usize| format!("- fact {index} of topic {number}, as it stands in round {round}\n");
    (0..40).map(line).collect::<String>().into_bytes()
}

/// Writes and syncs the files in place, as a program without any care would.
fn plain(directory: &Path, files: &[FileChange]) -> Result<Duration, Box<dyn Error>> {
    let begin = Instant::now();
    for change in files {
        let mut file = File::create(directory.join(&change.path))?;
        file.write_all(change.after.as_deref().unwrap_or_default())?;
        file.sync_all()?;
    }
    Ok(begin.elapsed())
}

struct Cost {
    /// From the lease to its return, without the wait for a client that may be about to write.
    whole: Duration,
    /// The commit alone.
    commit: Duration,
}

fn run(
    store: &mut Store,
    memory: &Path,
    round: usize,
    files: Vec<FileChange>,
) -> Result<Cost, Box<dyn Error>> {
    let project = ProjectId::new("cost");
    let begin = Instant::now();
    let options = LeaseOptions { client_settle: Duration::ZERO, ..LeaseOptions::new("dream") };
    let lease = Lease::acquire(memory, &options)?;
    recover(store, &lease, &RealFileSystem, &project)?;
    let now = lease.now();
    let record =
        RunRecord::begin(RunId::new(format!("run-{round}")), project.clone(), now, "rules", "manual");
    store.put_run(&record)?;
    let mut new = NewRun::new(record);
    new.last_success = Some(now);
    new.seen_records = (0..200).map(|number| format!("record-{round}-{number}")).collect();
    new.cursors = vec![CursorRecord {
        path: PathBuf::from("/home/u/session.jsonl"),
        offset: round as u64,
        line: 1,
        fingerprint: "print".into(),
    }];
    let start = Instant::now();
    let committed = commit(store, &lease, &RealFileSystem, &new, &ChangeSet { files })?;
    let commit = start.elapsed();
    if committed.written.len() != CHANGED || !committed.warnings.is_empty() {
        return Err(format!("the run did not do what it should: {committed:?}").into());
    }
    lease.release()?;
    Ok(Cost { whole: begin.elapsed(), commit })
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times.get(times.len() / 2).map_or(0.0, Duration::as_secs_f64) * 1000.0
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let place = arguments.next().map_or_else(std::env::temp_dir, PathBuf::from);
    let rounds: usize = arguments.next().and_then(|text| text.to_str()?.parse().ok()).unwrap_or(21);
    let directory = tempfile::tempdir_in(place)?;
    let (memory, bare) = (directory.path().join("memory"), directory.path().join("plain"));
    fs::create_dir_all(&memory)?;
    fs::create_dir_all(&bare)?;
    for number in 0..FILES {
        fs::write(memory.join(name(number)), text(number, 0))?;
        fs::write(bare.join(name(number)), text(number, 0))?;
    }
    let mut store = Store::open(&directory.path().join("state"))?;
    store.put_project(
        &ProjectId::new("cost"),
        Path::new("/home/u/app"),
        &memory,
        LeaseOptions::new("dream").clock.as_ref()(),
    )?;

    let (mut first, mut plains, mut wholes, mut commits) = (0.0, Vec::new(), Vec::new(), Vec::new());
    for round in 1..=rounds + 1 {
        let change = |number: usize| FileChange {
            path: name(number),
            before: Some(text(number, round - 1)),
            after: Some(text(number, round)),
        };
        let files: Vec<FileChange> = (0..CHANGED).map(change).collect();
        let bare_time = plain(&bare, &files)?;
        let cost = run(&mut store, &memory, round, files)?;
        if round == 1 {
            // The first run has the whole memory to take into its first snapshot.
            first = cost.whole.as_secs_f64() * 1000.0;
            continue;
        }
        plains.push(bare_time);
        wholes.push(cost.whole);
        commits.push(cost.commit);
    }
    let (bare, whole, commit) = (median(plains), median(wholes), median(commits));
    let answer = serde_json::json!({
        "files": FILES,
        "changed": CHANGED,
        "rounds": rounds,
        "plain_ms": bare,
        "run_ms": whole,
        "commit_ms": commit,
        "first_run_ms": first,
        "ratio": whole / bare,
        "limit": LIMIT,
        "within": whole / bare <= LIMIT,
    });
    println!("{answer:#}");
    Ok(())
}
