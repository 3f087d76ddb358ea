//! The user's own agent on its command line, held by us: the staging copy is its world, whatever its settings allow.

mod confine;
mod denied;
mod disk;
mod invocation;
mod result;
#[cfg(target_os = "linux")]
mod sockets;
mod supervise;

pub use confine::{ConfineError, Confinement, available, enter};
pub use invocation::{AgentProgram, Invocation, InvocationError};
use supervise::{Heir, descendants};
pub use supervise::{NOT_STARTED, supervise};

use crate::driver::{Driver, End, Task, Worked};
use crate::engine::ROUNDS;
use crate::staging::Staging;
use jiff::Timestamp;
use nidra_core::settings::ConfinementChoice;
use nidra_core::text::token;
use nidra_core::{Progress, Watcher};
use nidra_model::budget::{Budget, Money, Spent};
use nidra_model::ledger::{Call, Ended, Ledger, LedgerError, UNKNOWN_HOST};
use nidra_model::price::Usage;
use nidra_model::provider::Secret;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Bytes that an agent may leave on the disk at most, in all its folders.
const MAX_DISK: u64 = 512 * 1024 * 1024;
/// How often that is looked at.
const LOOK_AT_DISK: Duration = Duration::from_secs(1);
/// How long the supervisor may need beyond the agent's time to end what is left.
const GRACE: Duration = Duration::from_secs(20);

/// Everything that the driver needs.
pub struct CommandOptions<'a> {
    /// The agent.
    pub invocation: &'a Invocation,
    /// This program: it holds the agent by its hidden command `confined`.
    pub helper: &'a Path,
    /// What has to be enforced.
    pub confinement: ConfinementChoice,
    /// Folders whose programs it may run and read.
    pub programs: &'a [PathBuf],
    /// Variables that it gets: its key, its address, and those that the user names.
    pub variables: &'a [(OsString, OsString)],
    /// Where its provider is: host (`None` where the program knows that alone), port, and whether that is this machine.
    pub provider: (Option<&'a str>, u16, bool),
    /// How long it may work.
    pub time: Duration,
    /// Where the run of it is written down.
    pub ledger: &'a dyn Ledger,
    /// What may be spent.
    pub budget: Budget,
    /// The present moment.
    pub now: Timestamp,
}

/// Lets the user's agent work.
pub struct CommandDriver<'a> {
    options: CommandOptions<'a>,
}

impl<'a> CommandDriver<'a> {
    /// A driver for one run.
    pub fn new(options: CommandOptions<'a>) -> Self {
        Self { options }
    }

    fn confinement(&self, staging: &Staging) -> Confinement {
        let options = &self.options;
        let mut confinement = Confinement {
            level: options.confinement,
            argv: Vec::new(),
            directory: staging.root().path().to_owned(),
            read: vec![staging.root().path().to_owned()],
            execute: options.invocation.executables.clone(),
            write: vec![staging.memory()],
            scratch: vec![staging.beside("home"), staging.beside("tmp")],
            ports: vec![options.provider.1],
            lookups: !options.provider.2,
            seconds: options.time.as_secs(),
        };
        confinement.read.extend(options.invocation.readable.iter().cloned());
        confinement.read.extend(options.programs.iter().cloned());
        confinement.execute.extend(options.programs.iter().cloned());
        confinement
    }

    /// The environment of the agent: nothing of ours but what is named here.
    fn environment(&self, staging: &Staging) -> Vec<(OsString, OsString)> {
        let home = staging.beside("home");
        let mut variables: Vec<(OsString, OsString)> = [
            ("HOME", home.clone()),
            ("TMPDIR", staging.beside("tmp")),
            ("CLAUDE_CONFIG_DIR", home.join(".claude")),
            ("CODEX_HOME", home.join(".codex")),
            ("XDG_CONFIG_HOME", home.join(".config")),
        ]
        .map(|(name, value)| (name.into(), value.into()))
        .to_vec();
        for (name, value) in [
            ("LANG", "C.UTF-8"),
            ("TERM", "dumb"),
            ("NIDRA_RUN", "1"),
            ("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("DISABLE_TELEMETRY", "1"),
            ("DISABLE_ERROR_REPORTING", "1"),
        ] {
            variables.push((name.into(), value.into()));
        }
        let folders = ["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from);
        let path = std::env::join_paths(self.options.invocation.folder().into_iter().chain(folders));
        variables.push(("PATH".into(), path.unwrap_or_else(|_| "/usr/bin:/bin".into())));
        variables.extend(self.options.variables.iter().cloned());
        variables
    }

    /// What the run may cost: that is not known before, so it is taken from what the agent is shown.
    fn call(&self, staging: &Staging, prompt: &str) -> Call {
        let options = &self.options;
        let shown = words_below(staging.root().path()) + token::estimate(prompt);
        let tokens = u64::try_from(shown).unwrap_or(u64::MAX).saturating_mul(ROUNDS);
        Call {
            at: options.now,
            provider: "command",
            model: options.invocation.name.clone(),
            host: options.provider.0.unwrap_or(UNKNOWN_HOST).to_owned(),
            local: options.provider.2,
            request_hash: nidra_model::provider::hash_of(prompt.as_bytes()),
            request_bytes: u64::try_from(prompt.len()).unwrap_or(u64::MAX),
            items: u64::try_from(staging.before.topics.len()).unwrap_or(u64::MAX),
            estimate: Spent { tokens, requests: 1, ..Spent::default() },
        }
    }

    /// What the agent says without the keys that it was handed, whatever their shape.
    fn without_keys(&self, words: &str) -> String {
        let mut clean = words.to_owned();
        for (name, value) in self.options.variables {
            let name = name.to_string_lossy().to_ascii_uppercase();
            let is_key =
                ["KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL"].iter().any(|part| name.contains(part));
            let secret = Secret::new(value.to_string_lossy().trim());
            if is_key && !secret.is_word() {
                clean = secret.taken_out_of(&clean);
            }
        }
        clean
    }

    /// Starts the supervisor and waits for it.
    fn run(&self, staging: &Staging, prompt: &str, watcher: &dyn Watcher) -> io::Result<Ran> {
        let mut confinement = self.confinement(staging);
        confinement.argv = self.options.invocation.argv(prompt);
        let spec = staging.beside("confinement.json");
        fs::write(&spec, serde_json::to_vec(&confinement)?)?;
        // A pipe would wait for every process that inherited it.
        let said = staging.beside("said.txt");
        let output = File::create(&said)?;
        let complaints = File::create(staging.beside("complaints.txt"))?;
        let heir = Heir::new();
        let mut supervisor = Command::new(self.options.helper)
            .arg("confined")
            .arg(&spec)
            .env_clear()
            .envs(self.environment(staging))
            .current_dir(staging.root().path())
            // A key that ends us ends the supervisor with us otherwise, and nobody would end the agent's children.
            .process_group(0)
            // While this end is open we are there; when it closes, for whatever reason, the agent is ended.
            .stdin(Stdio::piped())
            .stdout(output)
            .stderr(complaints)
            .spawn()?;
        let mut holding = supervisor.stdin.take();
        let end = Instant::now() + self.options.time + GRACE;
        let held = |supervisor: &Child| {
            disk::held(&descendants(supervisor.id(), &BTreeSet::new()), staging.folder())
        };
        let mut looked = Instant::now();
        let mut too_much = false;
        let status = loop {
            if let Some(status) = supervisor.try_wait()? {
                break status;
            }
            if looked.elapsed() >= LOOK_AT_DISK {
                too_much = disk::below(staging.folder()).saturating_add(held(&supervisor)) > MAX_DISK;
                // To look costs the more the more there is; most of the time is for waiting.
                looked = Instant::now();
            }
            if watcher.stopped() || too_much {
                // The supervisor ends the agent when nobody holds it any more.
                holding = None;
            }
            if Instant::now() >= end {
                supervisor.kill()?;
                break supervisor.wait()?;
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        drop(holding);
        drop(heir);
        let said = result::beginning(&said)?;
        Ok(Ran { status, said, too_much })
    }
}

/// How a program ended.
struct Ran {
    status: ExitStatus,
    said: String,
    /// It was ended because it wrote more than it may.
    too_much: bool,
}

impl Driver for CommandDriver<'_> {
    fn drive(&self, staging: &Staging, task: &Task, watcher: &dyn Watcher) -> Worked {
        let unavailable = |reason: String| Worked { end: End::Unavailable(reason), ..Worked::default() };
        if let Err(error) = available(self.options.confinement) {
            return unavailable(format!("the agent is not started: {error}"));
        }
        let prompt = format!("{}\n\n{}", task.system, task.work);
        let call = self.call(staging, &prompt);
        let budget = &self.options.budget;
        let admit = |totals: &_| budget.admit(&Spent::default(), totals, &call.estimate);
        let ticket = match self.options.ledger.begin(&call, &admit) {
            Ok(ticket) => ticket,
            Err(LedgerError::Refused(limit)) => {
                return Worked { end: End::Spent(limit), ..Worked::default() };
            }
            Err(error @ LedgerError::Failed(_)) => return unavailable(error.to_string()),
        };
        watcher.tell(&Progress::Asks { items: 0, estimated_tokens: call.estimate.tokens });
        let began = Instant::now();
        let ran = self.run(staging, &prompt, watcher);
        let milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let (mut worked, counted) = match &ran {
            Ok(Ran { too_much: true, .. }) => {
                let reason = format!("it wrote more than {} MB", MAX_DISK / 1024 / 1024);
                (Worked { end: End::Failed(reason), ..Worked::default() }, None)
            }
            Ok(Ran { status, said, .. }) => {
                let complaints = result::beginning(&staging.beside("complaints.txt")).unwrap_or_default();
                let (said, complaints) = (self.without_keys(said), self.without_keys(&complaints));
                let (mut worked, counted) =
                    result::read(self.options.invocation.program, *status, &said, &complaints);
                // In a report of JSON it can stand in another form.
                worked.said = self.without_keys(&worked.said);
                (worked, counted)
            }
            Err(error) => (unavailable(format!("the agent cannot be started: {error}")), None),
        };
        let usage = result::usage(&worked.end, counted, &call.estimate, budget.run.tokens);
        // What it says of money is of no account where nobody is paid.
        let said = if self.options.provider.2 { Money::default() } else { worked.spent.cost };
        let cost = said.min(budget.run.cost);
        worked.overcounted_cost = Money(said.0 - cost.0);
        worked.spent = Spent { tokens: usage.total(), requests: 1, cost, milliseconds };
        // It reports none, or never came to that.
        worked.estimated_tokens = if counted.is_none() { usage.total() } else { 0 };
        let claimed = counted.map_or(0, Usage::total);
        worked.overcounted_tokens = claimed.saturating_sub(usage.total());
        match counted {
            Some(_) => watcher.tell(&Progress::Answered {
                input_tokens: usage.input,
                cache_read_tokens: usage.cache_read,
                cache_write_tokens: usage.cache_write,
                output_tokens: usage.output,
                milliseconds,
            }),
            None if usage.total() > 0 => {
                watcher.tell(&Progress::Uncounted { estimated_tokens: usage.total(), milliseconds });
            }
            None => {}
        }
        let ended = Ended {
            outcome: if matches!(worked.end, End::Done) { "answered" } else { "ended" },
            reply_hash: None,
            reply_bytes: ran.as_ref().map_or(0, |ran| u64::try_from(ran.said.len()).unwrap_or(u64::MAX)),
            usage,
            cost: worked.spent.cost,
            milliseconds,
        };
        if watcher.stopped() {
            worked.end = End::CalledOff("by the user".to_owned());
        }
        if let Err(error) = self.options.ledger.end(ticket, &ended) {
            worked.end = End::CalledOff(error.to_string());
        }
        worked
    }
}

/// The tokens of all files below a folder.
fn words_below(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => words_below(&entry.path()),
        Ok(kind) if kind.is_file() => {
            fs::read_to_string(entry.path()).map_or(0, |text| token::estimate(&text))
        }
        _ => 0,
    });
    sizes.sum()
}
