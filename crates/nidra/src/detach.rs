//! Starting a program that outlives whoever started it: its own session, no inherited handles, a clean environment.
//!
//! The client may kill a hook's process group at any time. The child is put into a group of its own before it runs
//! its first instruction, and [`detach`] then gives it a session of its own; the starter waits until that has
//! happened. Nothing here decides whether to start, and nothing is read back from the child but one byte.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// How long the starter waits for the child at most.
const READY_TIMEOUT: Duration = Duration::from_millis(500);
/// The byte by which the child says that it is on its own.
const READY: u8 = 0x06;
/// The first handle that is not one of the three standard ones.
const FIRST_HANDLE: i32 = 3;
/// How much the child yields to other processes.
const NICENESS: i32 = 10;

/// The variable that tells nidra, and every hook below it, that this is a run of nidra's own.
pub const RUN_VARIABLE: &str = "NIDRA_RUN";

/// Variables of the client that say where memory is and when to dream; all others of the client's stay behind.
pub const KEPT_VARIABLES: [&str; 8] = [
    "CLAUDE_CODE_AUTO_DREAM_MIN_HOURS",
    "CLAUDE_CODE_AUTO_DREAM_MIN_SESSIONS",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY",
    "CLAUDE_CODE_REMOTE",
    "CLAUDE_CODE_REMOTE_MEMORY_DIR",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE",
    "CLAUDE_MEMORY_STORES",
];

/// Variables of the client that say where its model is and open the door to it; they go along only when nidra is set to
/// ask a model.
pub const MODEL_VARIABLES: [&str; 4] =
    ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL"];

/// A program to start.
#[derive(Clone, Debug)]
pub struct Launch<'a> {
    /// The program; an absolute path.
    pub program: &'a Path,
    /// Its arguments; the program has to call [`detach`] first when it sees them.
    pub arguments: &'a [OsString],
    /// Its working directory: the state directory, so that it keeps no mount of the user's busy.
    pub directory: &'a Path,
    /// The environment of the starter; see [`child_environment`].
    pub environment: &'a [(OsString, OsString)],
    /// Variables of the client's that go along all the same.
    pub kept: &'a [&'a str],
}

/// A program that was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Started {
    /// Its process identifier.
    pub process: u32,
    /// It said in time that it has a session of its own. If not, it still has a process group of its own.
    pub ready: bool,
}

/// A program that was not started, or that could not leave its starter's session.
#[derive(Debug, thiserror::Error)]
pub enum DetachError {
    /// The program cannot be run.
    #[error("cannot start {}", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// The cause as the system gave it.
        #[source]
        source: io::Error,
    },
    /// The program ended before it was on its own.
    #[error("{} ended at once", program.display())]
    Ended {
        /// The program.
        program: PathBuf,
    },
    /// The ready signal failed.
    #[error("cannot wait for the started program")]
    Wait(#[source] io::Error),
    /// The child cannot let go of its standard handles.
    #[error("cannot let go of the standard handles")]
    Handles(#[source] io::Error),
}

/// Starts a program on its own and returns as soon as it is, in half a second at most.
///
/// It inherits no handle: every one but the standard three is marked close-on-exec in the starter, and those are
/// `/dev/null` but for the pipe of the ready signal, which the child closes.
pub fn start(launch: &Launch<'_>) -> Result<Started, DetachError> {
    close_fds::set_fds_cloexec(FIRST_HANDLE, &[]);
    let failed = |source| DetachError::Start { program: launch.program.to_owned(), source };
    let mut child = Command::new(launch.program)
        .args(launch.arguments)
        .env_clear()
        .envs(child_environment(launch.environment, launch.kept))
        .current_dir(launch.directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(failed)?;
    let signal =
        child.stdout.take().ok_or_else(|| failed(io::Error::other("no pipe for its ready signal")))?;
    let ready = match wait_ready(signal).map_err(DetachError::Wait)? {
        Signal::Ready => true,
        Signal::Late => false,
        Signal::Ended => return Err(DetachError::Ended { program: launch.program.to_owned() }),
    };
    Ok(Started { process: child.id(), ready })
}

/// Makes this process independent of its starter. The first act of a program that [`start`] started.
pub fn detach() -> Result<(), DetachError> {
    let own = rustix::process::getpid();
    if rustix::process::getpgrp() == own
        && let Ok(group) = rustix::process::getpgid(rustix::process::getppid())
    {
        // The leader of a group cannot begin a session, so it steps into its starter's group for one instant. Where
        // the starter is gone already this fails, and the process stays in the group that it has for itself.
        let _stays_leader = rustix::process::setpgid(None, Some(group));
    }
    if rustix::process::setsid().is_err() && rustix::process::getpgrp() != own {
        // Back into a group of its own: at least no signal to the starter's group reaches it.
        let _stays_grouped = rustix::process::setpgid(None, None);
    }
    // Work that nobody waits for gives way to work that somebody does.
    let _unchanged = rustix::process::nice(NICENESS);
    let mut output = io::stdout();
    // The starter may have given up waiting; then nobody reads this, and that is all right.
    let _unheard = output.write_all(&[READY]).and_then(|()| output.flush());
    let null = File::options().read(true).write(true).open("/dev/null").map_err(DetachError::Handles)?;
    let handles = [
        rustix::stdio::dup2_stdin(&null),
        rustix::stdio::dup2_stdout(&null),
        rustix::stdio::dup2_stderr(&null),
    ];
    handles.into_iter().collect::<Result<(), _>>().map_err(|error| DetachError::Handles(error.into()))
}

/// The environment of a program that runs on its own: without the client's session, its keys and its sockets, and
/// with the mark by which hooks below it know a run of nidra's.
pub fn child_environment(variables: &[(OsString, OsString)], also: &[&str]) -> Vec<(OsString, OsString)> {
    let belongs = |name: &OsStr| belongs_to_client(name) && !also.iter().any(|kept| name == OsStr::new(kept));
    let mut kept: Vec<(OsString, OsString)> = variables
        .iter()
        .filter(|(name, _)| !belongs(name) && name != OsStr::new(RUN_VARIABLE))
        .cloned()
        .collect();
    kept.push((RUN_VARIABLE.into(), "1".into()));
    kept
}

fn belongs_to_client(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    let of_client = bytes.starts_with(b"CLAUDE") || bytes.starts_with(b"ANTHROPIC");
    of_client && !KEPT_VARIABLES.iter().any(|kept| name == OsStr::new(kept))
}

enum Signal {
    Ready,
    Late,
    Ended,
}

fn wait_ready(mut signal: ChildStdout) -> io::Result<Signal> {
    let end = Instant::now() + READY_TIMEOUT;
    let mut bytes = [0; 256];
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let timeout = Timespec { tv_sec: 0, tv_nsec: i64::from(left.subsec_nanos()) };
        match poll(&mut [PollFd::new(&signal, PollFlags::IN)], Some(&timeout)) {
            Ok(0) => return Ok(Signal::Late),
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        let count = signal.read(&mut bytes)?;
        let read = bytes.get(..count).unwrap_or_default();
        if read.contains(&READY) {
            return Ok(Signal::Ready);
        }
        if read.is_empty() {
            return Ok(Signal::Ended);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_s_session_stays_behind() {
        let pairs = [
            ("PATH", "/bin"),
            ("CLAUDECODE", "1"),
            ("CLAUDE_CODE_SESSION_ID", "x"),
            ("CLAUDE_CODE_MESSAGING_TOKEN", "x"),
            ("CLAUDE_ENV_FILE", "/x"),
            ("ANTHROPIC_API_KEY", "x"),
            ("CLAUDE_CONFIG_DIR", "/c"),
            ("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "0"),
            ("CLAUDE_CODE_AUTO_DREAM_MIN_HOURS", "3"),
            ("NIDRA_RUN", "old"),
        ];
        let variables: Vec<_> =
            pairs.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect();
        let names = |also: &[&str]| -> Vec<_> {
            child_environment(&variables, also).into_iter().map(|(name, _)| name).collect()
        };
        let expected = [
            "PATH",
            "CLAUDE_CONFIG_DIR",
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY",
            "CLAUDE_CODE_AUTO_DREAM_MIN_HOURS",
            "NIDRA_RUN",
        ];
        assert_eq!(names(&[]), expected);
        // Only a run that asks a model gets the key.
        let mut with_model = expected.to_vec();
        with_model.insert(1, "ANTHROPIC_API_KEY");
        assert_eq!(names(&MODEL_VARIABLES), with_model);
    }
}
