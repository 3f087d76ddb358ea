//! Running what was allowed: each program by its own name and arguments, without a shell, within bounds.

use super::{Allowed, Refused, Root};
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::Read;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// Where programs are looked for; never where a variable says.
const FOLDERS: [&str; 2] = ["/usr/bin", "/bin"];
/// Bytes of each program's complaints that are kept.
const MAX_COMPLAINTS: usize = 2 * 1024;

/// How long a line may run, and how much it may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The time of the whole line.
    pub time: Duration,
    /// Bytes of its output.
    pub bytes: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { time: Duration::from_secs(10), bytes: 32 * 1024 }
    }
}

/// What a line came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// What it said, as far as the bounds go.
    pub text: String,
    /// What its programs complained about.
    pub complaints: String,
    /// The code that the last program ended with; `None` when it was ended.
    pub code: Option<i32>,
    /// It said more than is kept.
    pub cut: bool,
    /// It took too long and was ended.
    pub late: bool,
}

/// Runs a pipeline.
pub(super) fn run(pipeline: &[Allowed], root: &Root, bounds: &Bounds) -> Result<Output, Refused> {
    let mut started = Started::default();
    let (sender, complaints) = mpsc::channel();
    let mut previous: Option<ChildStdout> = None;
    for command in pipeline {
        let mut child = started.start(command, previous.take(), root)?;
        previous = child.stdout.take();
        if let Some(stderr) = child.stderr.take() {
            let sender = sender.clone();
            thread::spawn(move || {
                let (bytes, _) = read(stderr, MAX_COMPLAINTS);
                // The receiver may have given up.
                let _unheard = sender.send(bytes);
            });
        }
        started.children.push(child);
    }
    drop(sender);
    let end = Instant::now() + bounds.time;
    let (said, words) = mpsc::channel();
    if let Some(stdout) = previous {
        let limit = bounds.bytes;
        thread::spawn(move || {
            let _unheard = said.send(read(stdout, limit));
        });
    }
    let mut output = Output::default();
    match words.recv_timeout(bounds.time) {
        Ok((bytes, cut)) => {
            output.text = String::from_utf8_lossy(&bytes).into_owned();
            output.cut = cut;
        }
        Err(_) => output.late = true,
    }
    output.code = started.end(if output.cut || output.late { Instant::now() } else { end });
    for bytes in complaints.iter().take(pipeline.len()) {
        output.complaints.push_str(&String::from_utf8_lossy(&bytes));
    }
    Ok(output)
}

/// Reads at most so many bytes, and whether there were more.
fn read(from: impl Read, limit: usize) -> (Vec<u8>, bool) {
    let mut bytes = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX);
    // What a broken pipe held up to then counts.
    let _ended = from.take(most.saturating_add(1)).read_to_end(&mut bytes);
    let cut = bytes.len() > limit;
    bytes.truncate(limit);
    (bytes, cut)
}

/// The programs of a line, in a process group of their own; they end with the value at the latest.
#[derive(Default)]
struct Started {
    group: Option<Pid>,
    children: Vec<Child>,
}

impl Started {
    fn start(
        &mut self,
        command: &Allowed,
        input: Option<ChildStdout>,
        root: &Root,
    ) -> Result<Child, Refused> {
        let program = program(command.program)
            .ok_or_else(|| Refused::new(format!("{} is not installed", command.program)))?;
        let group = self.group.map_or(0, |group| group.as_raw_nonzero().get());
        let child = Command::new(program)
            .args(&command.arguments)
            .env_clear()
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC")
            .current_dir(root.path())
            .stdin(input.map_or_else(Stdio::null, Stdio::from))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(group)
            .spawn()
            .map_err(|error| Refused::new(format!("{} cannot be started: {error}", command.program)))?;
        if self.group.is_none() {
            self.group = Pid::from_raw(i32::try_from(child.id()).unwrap_or_default());
        }
        Ok(child)
    }

    /// Waits for all until then, ends those that are left, and gives the code of the last.
    fn end(&mut self, until: Instant) -> Option<i32> {
        loop {
            let running = self.children.iter_mut().any(|child| matches!(child.try_wait(), Ok(None)));
            if !running {
                break;
            }
            if Instant::now() >= until {
                self.kill();
                break;
            }
            thread::sleep(Duration::from_millis(2));
        }
        let codes = self.children.iter_mut().map(|child| child.wait().ok().and_then(|status| status.code()));
        let code = codes.last().flatten();
        self.children.clear();
        code
    }

    fn kill(&self) {
        if let Some(group) = self.group {
            // They may have ended by themselves.
            let _gone = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if !self.children.is_empty() {
            self.kill();
            for child in &mut self.children {
                let _ended = child.wait();
            }
        }
    }
}

fn program(name: &str) -> Option<PathBuf> {
    FOLDERS.iter().map(|folder| PathBuf::from(folder).join(name)).find(|path| path.is_file())
}
