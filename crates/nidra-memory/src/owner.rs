//! Who holds a lease, and whether that process still runs.
//!
//! This reads the process table and the host's identity; it never signals a process and never writes.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;

/// The ticks per second in which Linux states the start of a process, on every architecture it runs on.
const TICKS_PER_SECOND: u64 = 100;

/// A process on a host, in a form that a reused process number cannot imitate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The host's name.
    pub host: String,
    /// The identity of this boot of the kernel, where the system gives one; equal in all containers on it.
    #[serde(default)]
    pub boot_id: Option<String>,
    /// The process number.
    pub pid: u32,
    /// When the process started, where the system says so.
    #[serde(default)]
    pub process_start: Option<Timestamp>,
}

impl Owner {
    /// Describes the calling process.
    pub fn current() -> Self {
        let pid = std::process::id();
        Self {
            host: rustix::system::uname().nodename().to_string_lossy().into_owned(),
            boot_id: read_boot_id(),
            pid,
            process_start: SystemProcesses.find(pid).and_then(|process| process.started),
        }
    }

    /// Whether `other` lives where this process does, so that the kernel's locks tell of its death.
    ///
    /// The same boot is the same kernel, whatever containers call their host; the same host under
    /// another boot was restarted since, so its processes are gone.
    pub fn is_local_to(&self, other: &Self) -> bool {
        (self.boot_id.is_some() && self.boot_id == other.boot_id) || self.host == other.host
    }
}

/// The number of the user for whom this process acts.
pub fn current_user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// What the process table knows of a running process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Process {
    /// When it started, to about a second; `None` where the system does not say.
    pub started: Option<Timestamp>,
}

/// A look into the process table; a value in tests.
pub trait ProcessTable {
    /// The process with this number; `None` when there is none or only its zombie.
    fn find(&self, pid: u32) -> Option<Process>;
}

/// The system's own process table.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemProcesses;

impl ProcessTable for SystemProcesses {
    fn find(&self, pid: u32) -> Option<Process> {
        if let Some(found) = read_process(pid) {
            return found.running.then_some(Process { started: found.started });
        }
        let number = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw)?;
        match rustix::process::test_kill_process(number) {
            // A process that we may not signal runs all the same.
            Ok(()) | Err(rustix::io::Errno::PERM) => Some(Process { started: None }),
            Err(_) => None,
        }
    }
}

/// A process table with fixed content, for tests of whatever asks one.
impl ProcessTable for BTreeMap<u32, Process> {
    fn find(&self, pid: u32) -> Option<Process> {
        self.get(&pid).copied()
    }
}

struct ProcessStatus {
    running: bool,
    started: Option<Timestamp>,
}

/// Reads `/proc/PID/stat`; `None` where there is no such file.
fn read_process(pid: u32) -> Option<ProcessStatus> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The command's name stands in brackets and may hold anything, so only the last bracket counts.
    let end = stat.iter().rposition(|&byte| byte == b')')?;
    let rest = String::from_utf8_lossy(stat.get(end + 1..)?).into_owned();
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    // The state is field 3 and the start is field 22, so 18 lie between them.
    let ticks: Option<u64> = fields.nth(18).and_then(|text| text.parse().ok());
    let started = ticks.and_then(|ticks| {
        let since_boot = SignedDuration::from_millis(i64::try_from(ticks * 1000 / TICKS_PER_SECOND).ok()?);
        boot_time()?.checked_add(since_boot).ok()
    });
    Some(ProcessStatus { running: !matches!(state, "Z" | "X" | "x"), started })
}

/// When the kernel booted, to a second.
fn boot_time() -> Option<Timestamp> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let seconds = stat.lines().find_map(|line| line.strip_prefix("btime "))?;
    Timestamp::from_second(seconds.trim().parse().ok()?).ok()
}

fn read_boot_id() -> Option<String> {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_process_runs_and_an_impossible_one_does_not() {
        assert!(SystemProcesses.find(std::process::id()).is_some());
        assert_eq!(SystemProcesses.find(u32::MAX), None);
        assert_eq!(SystemProcesses.find(0), None);
    }

    #[test]
    fn a_child_is_dead_once_it_ended_even_before_it_is_reaped() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = child.id();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while SystemProcesses.find(pid).is_some() {
            assert!(std::time::Instant::now() < deadline, "the child never ended");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        child.wait().unwrap();
        assert_eq!(SystemProcesses.find(pid), None);
    }

    #[test]
    fn containers_on_one_kernel_are_local_to_each_other() {
        let owner = |host: &str, boot: Option<&str>| Owner {
            host: host.into(),
            boot_id: boot.map(str::to_owned),
            pid: 1,
            process_start: None,
        };
        let here = owner("one", Some("b"));
        assert!(here.is_local_to(&owner("two", Some("b"))), "another container");
        assert!(!here.is_local_to(&owner("two", Some("c"))), "another machine");
        assert!(here.is_local_to(&owner("one", Some("d"))), "before a reboot");
        assert!(!owner("three", None).is_local_to(&owner("four", None)), "nothing known");
    }
}
