//! A home directory of its own for each test, and the program in it.

use crate::talk::{Talk, slug};
use serde_json::Value;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The present of the tests.
pub(crate) const NOW: &str = "2026-11-30T20:00:00Z";

/// A rule that a person gives, in the plainest words, and one word that only it holds.
pub(crate) const PNPM: (&str, &str) =
    ("From now on always use pnpm in this repository, never npm or yarn.", "pnpm");
/// The same in Chinese.
pub(crate) const COMMITS: (&str, &str) = ("以后提交信息一律用中文写，不要用英文前缀。", "提交信息");

/// A home directory with a project in it.
pub(crate) struct Home {
    _keeper: tempfile::TempDir,
    pub(crate) root: PathBuf,
    pub(crate) folder: PathBuf,
    pub(crate) state: PathBuf,
    pub(crate) claude: PathBuf,
    pub(crate) work: PathBuf,
    pub(crate) now: String,
    pub(crate) variables: Vec<(String, String)>,
}

/// What the program said.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) status: ExitStatus,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Home {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("cli").tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        Self::below(folder, &root)
    }

    /// A home at this place, which goes away with the folder.
    pub(crate) fn below(keeper: tempfile::TempDir, root: &Path) -> Self {
        let folder_of_user = root.join("home");
        let made = Self {
            _keeper: keeper,
            state: root.join("state"),
            claude: folder_of_user.join(".claude"),
            work: root.join("work/harbour"),
            root: root.to_owned(),
            folder: folder_of_user,
            now: NOW.to_owned(),
            variables: Vec::new(),
        };
        fs::create_dir_all(&made.folder).unwrap();
        checkout(&made.work);
        made
    }

    /// A home whose project has this many sessions, the first of which holds two rules.
    pub(crate) fn with_sessions(count: u32) -> Self {
        let home = Self::new();
        home.sessions(count);
        home
    }

    /// Writes sessions of the project: the first holds two rules, the others small talk.
    pub(crate) fn sessions(&self, count: u32) {
        for number in 1..=count {
            let talk = Talk::new(number, &self.work);
            let talk = if number == 1 {
                talk.human(PNPM.0).agent("Understood, pnpm it is.").human(COMMITS.0).agent("好的，记住了。")
            } else {
                talk.human("what does the readme say?").agent("It says hello.")
            };
            talk.write(self);
        }
    }

    /// The project's memory directory.
    pub(crate) fn memory(&self) -> PathBuf {
        self.memory_of(&self.work)
    }

    /// The client's memory directory of a checkout.
    pub(crate) fn memory_of(&self, checkout: &Path) -> PathBuf {
        self.claude.join("projects").join(slug(checkout)).join("memory")
    }

    /// Puts a file into the memory directory.
    pub(crate) fn remember(&self, name: &str, text: &str) {
        let path = self.memory().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes the user's settings file.
    pub(crate) fn configure(&self, text: &str) -> PathBuf {
        let path = self.folder.join(".config/nidra/config.toml");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Writes the client's settings file.
    pub(crate) fn client_settings(&self, text: &str) -> PathBuf {
        let path = self.claude.join("settings.json");
        fs::create_dir_all(&self.claude).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// The program with nothing of this process's environment.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nidra"));
        self.environment(&mut command);
        command.args(arguments).current_dir(&self.work).stdin(Stdio::null());
        command
    }

    /// Gives a program the environment of this home and nothing else.
    pub(crate) fn environment(&self, command: &mut Command) {
        command
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", &self.folder)
            .env("NIDRA_HOME", &self.state)
            .env("CLAUDE_CONFIG_DIR", &self.claude)
            .env("TZ", "Asia/Shanghai")
            .env("NIDRA_NOW", &self.now)
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
    }

    /// Runs the program in the project.
    pub(crate) fn nidra(&self, arguments: &[&str]) -> Said {
        said(&mut self.command(arguments), b"")
    }

    /// Runs the program and expects this exit code.
    pub(crate) fn expect(&self, code: i32, arguments: &[&str]) -> Said {
        let said = self.nidra(arguments);
        assert_eq!(said.status.code(), Some(code), "nidra {arguments:?}: {said:?}");
        said
    }

    /// Runs the program, expects success, and reads its answer as JSON.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let mut all = arguments.to_vec();
        all.push("--json");
        self.expect(0, &all).json()
    }

    /// A hook call of the client.
    pub(crate) fn hook(&self, payload: &[u8]) -> Said {
        said(&mut self.command(&["hook", "claude-code"]), payload)
    }

    /// The identifier of the last run that changed memory.
    pub(crate) fn last_run(&self) -> String {
        let runs = self.json(&["log"]);
        let applied = runs.as_array().unwrap().iter().find(|run| run["state"] == "applied");
        applied.expect("no run changed memory")["run"].as_str().unwrap().to_owned()
    }

    /// Lets time pass.
    pub(crate) fn wait_hours(&mut self, hours: i64) {
        self.now = later(&self.now, hours * 60);
    }

    /// Lets minutes pass.
    pub(crate) fn wait_minutes(&mut self, minutes: i64) {
        self.now = later(&self.now, minutes);
    }
}

fn later(moment: &str, minutes: i64) -> String {
    let moment: jiff::Timestamp = moment.parse().unwrap();
    moment.checked_add(jiff::SignedDuration::from_mins(minutes)).unwrap().to_string()
}

impl Said {
    /// Standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts that the error says these words.
    #[track_caller]
    pub(crate) fn names(&self, words: &[&str]) {
        for word in words {
            assert!(self.err.contains(word), "{word:?} is not in the message\n{self:?}");
        }
        assert!(!self.err.contains("panicked"), "{self:?}");
    }
}

/// Runs a command with this standard input.
pub(crate) fn said(command: &mut Command, input: &[u8]) -> Said {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A program that does not read its input breaks the pipe, which is its right.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Said { status: output.status, out: text(output.stdout), err: text(output.stderr) }
}

/// Makes a folder that git takes for a repository.
pub(crate) fn checkout(path: &Path) {
    fs::create_dir_all(path.join(".git/refs")).unwrap();
    fs::create_dir_all(path.join(".git/objects")).unwrap();
    fs::write(path.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
}

/// Waits until something is so, for a few seconds.
pub(crate) fn wait_for(mut what: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(15);
    while Instant::now() < end {
        if what() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

/// Whether this process may do everything, so that permissions mean nothing to it.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Says loudly what could not be tested here.
pub(crate) fn not_tested(what: &str) {
    eprintln!("\n==== NOT TESTED HERE: {what} ====\n");
}

/// Counts what was tried, for whoever asks for a report: a line of JSON each in the file that the environment names.
pub(crate) fn proof(kind: &str, count: u64) {
    let Some(path) = std::env::var_os("NIDRA_PROOF_REPORT") else { return };
    let mut file = fs::File::options().create(true).append(true).open(path).unwrap();
    // One write, as other tests append at the same time.
    file.write_all(format!("{{\"kind\":\"{kind}\",\"count\":{count}}}\n").as_bytes()).unwrap();
}
