//! The other processes: this binary again, told by the environment what to do.

use crate::support::{World, changes, new_run, new_tree, now, old_tree, project};
use nidra_core::RunId;
use nidra_memory::atomic::{FaultFileSystem, FileSystem, Moment, RealFileSystem};
use nidra_memory::commit::commit;
use nidra_memory::lease::{Lease, LeaseError, LeaseOptions};
use nidra_memory::recover::recover;
use nidra_memory::undo::{UndoRequest, undo};
use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

const TASK: &str = "NIDRA_TEST_TASK";
const PLACE: &str = "NIDRA_TEST_PLACE";
const NUMBER: &str = "NIDRA_TEST_NUMBER";

/// How a child says that the lease was busy.
pub(crate) const BUSY: i32 = 4;

/// Starts this binary with a task.
pub(crate) fn start(task: &str, place: &Path, number: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child::entry", "--nocapture", "--test-threads=1"])
        .env(TASK, task)
        .env(PLACE, place)
        .env(NUMBER, number.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Not a test of its own: where children begin.
#[test]
#[expect(clippy::exit, reason = "a child tells its parent by its exit code")]
fn entry() {
    let Some(task) = std::env::var_os(TASK) else { return };
    let place = std::env::var_os(PLACE).unwrap();
    let number: u64 = std::env::var_os(NUMBER).unwrap().to_str().unwrap().parse().unwrap();
    let world = World::at(Path::new(&place));
    match task.to_str().unwrap() {
        "commit" => run_dying(&world, number, Moment::Before, false),
        "commit-half" => run_dying(&world, number, Moment::Half, false),
        "undo" => run_dying(&world, number, Moment::Before, true),
        "undo-half" => run_dying(&world, number, Moment::Half, true),
        "recover" => recover_dying(&world, number),
        "loop" => commit_for_ever(&world),
        "count" => count_up(&world, number),
        "once" => std::process::exit(run_once(&world, number)),
        other => panic!("unknown task {other:?}"),
    }
    std::process::exit(0);
}

fn dying(number: u64, moment: Moment) -> Arc<dyn FileSystem> {
    Arc::new(FaultFileSystem::new(number, u64::MAX, moment, || {
        let own = rustix::process::getpid();
        let _ = rustix::process::kill_process(own, rustix::process::Signal::KILL);
        std::thread::sleep(Duration::from_secs(60));
        unreachable!("a killed process goes on")
    }))
}

/// A whole run from lease to release, or its undo, that dies at one operation.
fn run_dying(world: &World, number: u64, moment: Moment, undoing: bool) {
    let files = dying(number, moment);
    let mut store = world.store();
    let lease = Lease::acquire(&world.root(), &LeaseOptions { files: Arc::clone(&files), ..world.options() })
        .unwrap();
    recover(&mut store, &lease, &*files, &project()).unwrap();
    if undoing {
        let request = UndoRequest {
            target: RunId::new("r1"),
            run: RunId::new("u1"),
            trigger: "manual".into(),
            now: crate::support::now(),
            hold_until: None,
        };
        undo(&mut store, &lease, &*files, &request).unwrap();
    } else {
        store.put_run(&new_run("r1", 100).record).unwrap();
        commit(&mut store, &lease, &*files, &new_run("r1", 100), &changes(&old_tree(), &new_tree())).unwrap();
    }
    drop(lease);
}

fn recover_dying(world: &World, number: u64) {
    let files = dying(number, Moment::Before);
    let lease = Lease::acquire(&world.root(), &LeaseOptions { files: Arc::clone(&files), ..world.options() })
        .unwrap();
    recover(&mut world.store(), &lease, &*files, &project()).unwrap();
}

/// Commits to and fro until someone kills it.
fn commit_for_ever(world: &World) {
    let mut store = world.store();
    for number in 0.. {
        let lease = world.lease();
        recover(&mut store, &lease, &RealFileSystem, &project()).unwrap();
        let tree = world.tree();
        let wanted = if tree.contains_key("old.md") { new_tree() } else { old_tree() };
        let mut run = new_run(&format!("loop-{}-{number}", std::process::id()), 100 + number);
        run.seen_records.clear();
        run.provenance.clear();
        commit(&mut store, &lease, &RealFileSystem, &run, &changes(&tree, &wanted)).unwrap();
    }
}

/// Adds one to a number in a file, often, under the lease and in a way that loses updates without it.
fn count_up(world: &World, times: u64) {
    let path = world.base.join("number");
    for _ in 0..times {
        let options = LeaseOptions {
            wait: Duration::from_secs(120),
            honour_client: false,
            ..LeaseOptions::new("count")
        };
        let _lease = Lease::acquire(&world.root(), &options).unwrap();
        let number: u64 = std::fs::read_to_string(&path).unwrap().parse().unwrap();
        std::thread::sleep(Duration::from_micros(200));
        std::fs::write(&path, (number + 1).to_string()).unwrap();
    }
}

/// One run that holds the lease for a while; what a command line would exit with.
fn run_once(world: &World, number: u64) -> i32 {
    let lease = match Lease::acquire(
        &world.root(),
        &LeaseOptions { clock: Arc::new(now), ..LeaseOptions::new("dream") },
    ) {
        Ok(lease) => lease,
        Err(LeaseError::Busy { .. }) => return BUSY,
        Err(error) => panic!("{error}"),
    };
    std::thread::sleep(Duration::from_millis(1500));
    let run = new_run(&format!("once-{number}"), 100);
    commit(&mut world.store(), &lease, &RealFileSystem, &run, &changes(&old_tree(), &new_tree())).unwrap();
    0
}

/// Counts what was tried, for whoever asks for a report: a line of JSON each in the file that the environment names.
pub(crate) fn proof(kind: &str, count: u64) {
    let Some(path) = std::env::var_os("NIDRA_PROOF_REPORT") else { return };
    let mut file = std::fs::File::options().create(true).append(true).open(path).unwrap();
    // One write, as other tests append at the same time.
    file.write_all(format!("{{\"kind\":\"{kind}\",\"count\":{count}}}\n").as_bytes()).unwrap();
}

/// A setting of a test run from the environment.
pub(crate) fn setting(name: &str, default: u64) -> u64 {
    std::env::var_os(name).and_then(|text: OsString| text.to_str()?.parse().ok()).unwrap_or(default)
}
