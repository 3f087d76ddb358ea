//! Real processes: a child that outlives its starter. The test program plays all parts; which one comes by variable.

use nidra::config::Environment;
use nidra::detach::{Launch, detach, start};
use rustix::process::{Pid, Signal, getpgid, getsid, kill_process, kill_process_group, test_kill_process};
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const FOLDER: &str = "NIDRA_TEST_FOLDER";

fn arguments(part: &str) -> Vec<OsString> {
    [part, "--exact", "--nocapture", "--test-threads=1"].map(OsString::from).into()
}

/// Starts the part of the starter in a process group of its own, as the client starts a hook.
fn starter(folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(arguments("detach::part_of_the_starter"))
        .env(FOLDER, folder)
        .env("CLAUDECODE", "1")
        .env("CLAUDE_CODE_MESSAGING_TOKEN", "x")
        .env("CLAUDE_CONFIG_DIR", "/c")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap()
}

fn wait_for(what: impl Fn() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(20);
    while Instant::now() < end {
        if what() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

fn alive(pid: Pid) -> bool {
    test_kill_process(pid).is_ok()
}

/// The child, ended when the test ends.
struct Sleeper(Pid);

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _gone = kill_process(self.0, Signal::KILL);
    }
}

/// The identifier that the starter wrote: `started PID`.
fn sleeper(line: &str) -> Sleeper {
    let number = line.rsplit("started ").next().unwrap().trim();
    Sleeper(Pid::from_raw(number.parse().unwrap()).unwrap())
}

#[test]
fn part_of_the_starter() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    // A handle that is not marked to close: the kind that a careless parent hands down.
    let careless = fs::File::open("/dev/zero").unwrap();
    rustix::io::fcntl_setfd(&careless, rustix::io::FdFlags::empty()).unwrap();
    let environment = Environment::from_process();
    let program = std::env::current_exe().unwrap();
    let launch = Launch {
        program: &program,
        arguments: &arguments("detach::part_of_the_child"),
        directory: Path::new(&folder),
        environment: environment.variables(),
        kept: &[],
    };
    let began = Instant::now();
    let started = start(&launch).unwrap();
    assert!(began.elapsed() < Duration::from_secs(5));
    fs::write(Path::new(&folder).join("ready"), started.ready.to_string()).unwrap();
    println!("started {}", started.process);
    if Path::new(&folder).join("stay").exists() {
        std::thread::sleep(Duration::from_secs(30));
    }
}

#[test]
fn part_of_the_child() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    if std::env::var_os("NIDRA_RUN").is_none() {
        return;
    }
    detach().unwrap();
    let folder = Path::new(&folder);
    let handles: Vec<String> = fs::read_dir("/proc/self/fd")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter_map(|path| {
            Some(format!("{} {}", path.file_name()?.to_str()?, fs::read_link(&path).ok()?.display()))
        })
        .collect();
    let names: Vec<String> =
        std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    let own = rustix::process::getpid().as_raw_nonzero();
    let session = getsid(None).unwrap().as_raw_nonzero();
    let directory = std::env::current_dir().unwrap();
    fs::write(folder.join("handles"), handles.join("\n")).unwrap();
    fs::write(folder.join("names"), names.join("\n")).unwrap();
    fs::write(folder.join("identity"), format!("{own} {session} {}", directory.display())).unwrap();
    println!("nobody hears this");
    std::thread::sleep(Duration::from_secs(30));
}

#[test]
fn pub_trg_06_the_child_survives_the_kill_of_its_starter_s_group() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("stay"), "").unwrap();
    let mut starter = starter(folder.path());
    let mut line = String::new();
    let mut output = BufReader::new(starter.stdout.take().unwrap());
    while !line.contains("started ") {
        line.clear();
        assert_ne!(output.read_line(&mut line).unwrap(), 0);
    }
    let child = sleeper(&line);
    let group = Pid::from_child(&starter);
    assert_eq!(getpgid(Some(group)).unwrap(), group);
    kill_process_group(group, Signal::KILL).unwrap();
    assert!(!starter.wait().unwrap().success());
    assert!(wait_for(|| folder.path().join("identity").exists()));
    assert!(alive(child.0));
    assert_eq!(fs::read_to_string(folder.path().join("ready")).unwrap(), "true");
    assert_eq!(getsid(Some(child.0)).unwrap(), child.0);
    assert_eq!(getpgid(Some(child.0)).unwrap(), child.0);
}

#[test]
fn pub_trg_06_a_client_that_reads_the_hook_s_output_is_not_kept_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let mut starter = starter(folder.path());
    let began = Instant::now();
    let mut text = String::new();
    // Ends only when the last handle on the other side is closed.
    starter.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert!(starter.wait().unwrap().success(), "{text}");
    let line = text.lines().find(|line| line.contains("started ")).unwrap();
    let child = sleeper(line);
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    assert!(alive(child.0));
}

#[test]
fn the_child_inherits_no_handle_and_nothing_of_the_client_s_session() {
    let folder = tempfile::tempdir().unwrap();
    let mut starter = starter(folder.path());
    let mut text = String::new();
    starter.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    starter.wait().unwrap();
    let _child = sleeper(text.lines().find(|line| line.contains("started ")).unwrap());
    assert!(wait_for(|| folder.path().join("identity").exists()));
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let handles = read("handles");
    for standard in ["0 /dev/null", "1 /dev/null", "2 /dev/null"] {
        assert!(handles.lines().any(|line| line == standard), "{handles}");
    }
    assert!(!handles.contains("/dev/zero") && !handles.contains("pipe:"), "{handles}");
    let names = read("names");
    assert!(
        names.lines().any(|name| name == "CLAUDE_CONFIG_DIR")
            && names.lines().any(|name| name == "NIDRA_RUN")
    );
    assert!(!names.contains("CLAUDECODE") && !names.contains("MESSAGING"), "{names}");
    assert!(read("identity").ends_with(&folder.path().display().to_string()));
}

#[test]
fn a_program_that_is_missing_or_ends_at_once_is_an_error() {
    let environment = Environment::from_process();
    let launch = |program| Launch {
        program,
        arguments: &[],
        directory: Path::new("/"),
        environment: environment.variables(),
        kept: &[],
    };
    let missing = start(&launch(Path::new("/nonexistent/nidra"))).unwrap_err().to_string();
    assert_eq!(missing, "cannot start /nonexistent/nidra");
    let ended = start(&launch(Path::new("/bin/true"))).unwrap_err().to_string();
    assert_eq!(ended, "/bin/true ended at once");
}
