//! The real client: where its binary lies and how it is driven headless.

use crate::model_server::ModelServer;
use serde_json::Value;
use std::{
    env,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

/// How long one headless session may take; it takes about a second on an idle machine.
const SESSION_LIMIT: Duration = Duration::from_secs(90);

/// One version of the client.
pub(crate) struct Client {
    /// The binary.
    program: PathBuf,
    /// Its version, as it says itself.
    pub(crate) version: &'static str,
}

/// A place to run clients in: a home of their own and a played model.
pub(crate) struct Stage<'a> {
    /// The home directory of the client; its configuration lies below it.
    pub(crate) home: &'a Path,
    /// The state directory of nidra.
    pub(crate) nidra_home: &'a Path,
    /// The model.
    pub(crate) model: &'a ModelServer,
}

/// One headless session to run.
pub(crate) struct Session<'a> {
    /// The working directory.
    pub(crate) directory: &'a Path,
    /// The session's id, chosen by the test.
    pub(crate) id: &'a str,
    /// Continue the session of this id instead of starting it.
    pub(crate) resume: bool,
    /// What the person says.
    pub(crate) prompt: &'a str,
}

impl Client {
    /// Finds the client of `version`; `None` only where the caller asked to leave the clients out.
    pub(crate) fn find(version: &'static str) -> Option<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folder =
            env::var_os("NIDRA_TEST_CLIENTS").map_or_else(|| root.join("target/clients"), PathBuf::from);
        let program = folder.join(version).join("claude");
        if program.is_file() {
            return Some(Self { program, version });
        }
        if env::var_os("NIDRA_TEST_WITHOUT_CLIENT").is_some_and(|value| value == "1") {
            eprintln!("NOT RUN: client {version} is absent and NIDRA_TEST_WITHOUT_CLIENT=1 leaves it out");
            return None;
        }
        panic!(
            "client {version} is absent ({}): run `cargo xtask clients`, or set NIDRA_TEST_WITHOUT_CLIENT=1 to leave \
             it out",
            program.display()
        );
    }

    /// Runs a session to its end and returns its result line.
    ///
    /// Panics when the client fails, or takes longer than the limit.
    pub(crate) fn run(&self, stage: &Stage<'_>, session: &Session<'_>) -> Value {
        let (mut child, output) = self.start(stage, session);
        let status = wait(&mut child, SESSION_LIMIT);
        let said = fs::read_to_string(&output).expect("the client's output");
        fs::remove_file(&output).expect("removing the client's output");
        let result: Value =
            said.lines().rev().find_map(|line| serde_json::from_str(line).ok()).unwrap_or_else(|| {
                panic!("client {} ended ({status:?}) without a result:\n{said}", self.version)
            });
        assert!(
            status.is_some_and(|status| status.success()) && result["is_error"] == false,
            "client {} failed ({status:?}):\n{said}",
            self.version
        );
        result
    }

    /// Starts a session and returns its process and the file that takes what it says.
    ///
    /// The output goes to a file: a pipe would wait for every process that inherited it.
    pub(crate) fn start(&self, stage: &Stage<'_>, session: &Session<'_>) -> (Child, PathBuf) {
        let output = stage.home.join(format!("said-{}.json", session.id));
        let said = File::create(&output).expect("a file for the client's output");
        let told = said.try_clone().expect("a second handle of the output");
        let child = Command::new(&self.program)
            .current_dir(session.directory)
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            .env("HOME", stage.home)
            .env("TMPDIR", stage.home)
            .env("LANG", "C.UTF-8")
            .env("TERM", "dumb")
            .env("NIDRA_HOME", stage.nidra_home)
            .env("ANTHROPIC_BASE_URL", stage.model.url())
            .env("ANTHROPIC_API_KEY", "played")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .env("DISABLE_TELEMETRY", "1")
            .env("DISABLE_ERROR_REPORTING", "1")
            .args(["-p", session.prompt, "--output-format", "json", "--allowedTools"])
            .arg("Bash,Read,Edit,Write,Agent,Task")
            .args([if session.resume { "--resume" } else { "--session-id" }, session.id])
            .stdin(Stdio::null())
            .stdout(said)
            .stderr(told)
            .spawn()
            .unwrap_or_else(|error| panic!("{} cannot be started: {error}", self.program.display()));
        (child, output)
    }
}

/// Waits for a process; past the limit it is killed and `None` returned.
fn wait(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let started = Instant::now();
    while started.elapsed() < limit {
        if let Some(status) = child.try_wait().expect("waiting for a child of ours") {
            return Some(status);
        }
        thread::sleep(Duration::from_millis(20));
    }
    child.kill().expect("killing a child of ours");
    child.wait().expect("waiting for a killed child");
    None
}
