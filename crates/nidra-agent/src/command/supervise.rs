//! The supervisor: a process of its own that starts the agent, and ends it with everything that it started.
//!
//! It stands between us and the agent so that orphans of the agent become its children, wherever they hide, and so that the
//! agent ends when we do: the supervisor's standard input is held open by us and by nobody else.

use super::confine::{ConfineError, Confinement};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How long the agent may take to end when it is asked to.
const GENTLE: Duration = Duration::from_secs(2);
/// How long what is left of it may take to end when it is made to.
const SWEEP: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(10);
/// What the supervisor says when it had to end the agent.
pub(super) const ENDED: i32 = 124;
/// What it says when the agent could not be started.
pub const NOT_STARTED: i32 = 125;

/// Starts an agent by this program's own `confined --enter SPEC`, waits for it, and ends what is left of it. The result is
/// the code that this process ends with.
///
/// # Errors
/// When the agent cannot be started.
pub fn supervise(helper: &Path, spec: &Path, confinement: &Confinement) -> Result<i32, ConfineError> {
    let failed = |source| ConfineError::Start { program: helper.display().to_string(), source };
    #[cfg(target_os = "linux")]
    {
        let own = rustix::process::getpid();
        rustix::process::set_child_subreaper(Some(own)).map_err(|error| failed(error.into()))?;
    }
    let mut agent = Command::new(helper)
        .args(["confined", "--enter"])
        .arg(spec)
        .stdin(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(failed)?;
    let abandoned = Arc::new(AtomicBool::new(false));
    let watching = Arc::clone(&abandoned);
    thread::spawn(move || {
        // Nothing is ever written to it, so its end is the end of whoever holds it.
        let _end = std::io::stdin().read_to_end(&mut Vec::new());
        watching.store(true, Ordering::SeqCst);
    });
    let end = Instant::now() + Duration::from_secs(confinement.seconds);
    let status = loop {
        if let Some(status) = agent.try_wait().map_err(failed)? {
            break Some(status);
        }
        if Instant::now() >= end || abandoned.load(Ordering::SeqCst) {
            break None;
        }
        thread::sleep(PAUSE);
    };
    if status.is_none() {
        stop(&mut agent);
    }
    sweep(&agent);
    Ok(status.map_or(ENDED, code))
}

fn code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default())
}

/// Asks the agent's group to end, then makes it.
fn stop(agent: &mut Child) {
    let Some(group) = pid(agent.id()) else { return };
    for (signal, time) in [(Signal::TERM, GENTLE), (Signal::KILL, SWEEP)] {
        // It may have ended by itself.
        let _gone = kill_process_group(group, signal);
        let end = Instant::now() + time;
        while Instant::now() < end {
            if matches!(agent.try_wait(), Ok(Some(_)) | Err(_)) {
                return;
            }
            thread::sleep(PAUSE);
        }
    }
}

/// Ends every process that descends from this one: those of the agent's group, and those that left it.
fn sweep(agent: &Child) {
    if let Some(group) = pid(agent.id()) {
        let _gone = kill_process_group(group, Signal::KILL);
    }
    end_descendants(&BTreeSet::new());
}

/// Ends the processes that descend from this one, but for some of its children and theirs.
fn end_descendants(spared: &BTreeSet<u32>) {
    let end = Instant::now() + SWEEP;
    while Instant::now() < end {
        let left = descendants(std::process::id(), spared);
        for process in left.iter().filter_map(|process| pid(*process)) {
            let _gone = kill_process(process, Signal::KILL);
            // Those whose parents are gone are ours to bury; of any other the system says that it is no child.
            let _living = waitpid(Some(process), WaitOptions::NOHANG);
        }
        if left.is_empty() {
            return;
        }
        thread::sleep(PAUSE);
    }
}

/// What ends an agent's processes when its supervisor is killed and cannot: as long as there is one, they become children
/// of this process, and they are ended when it goes.
pub(super) struct Heir {
    spared: BTreeSet<u32>,
}

impl Heir {
    /// Takes the place; what is a child now is spared.
    pub(super) fn new() -> Self {
        #[cfg(target_os = "linux")]
        let _without = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
        Self { spared: descendants(std::process::id(), &BTreeSet::new()).into_iter().collect() }
    }
}

impl Drop for Heir {
    fn drop(&mut self) {
        end_descendants(&self.spared);
        #[cfg(target_os = "linux")]
        let _same = rustix::process::set_child_subreaper(None);
    }
}

fn pid(process: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(process).ok()?)
}

/// The processes that descend from one, as far as the system lists them, without some and what descends from them.
pub(super) fn descendants(root: u32, without: &BTreeSet<u32>) -> Vec<u32> {
    let mut parents: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(process) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        // The name of a program may hold anything, so its end is looked for from behind.
        let parent = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse().ok());
        parents.entry(parent.unwrap_or_default()).or_default().push(process);
    }
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(process) = open.pop() {
        let mut children = parents.remove(&process).unwrap_or_default();
        children.retain(|child| !without.contains(child));
        found.extend(children.iter().copied());
        open.extend(children);
    }
    found
}
