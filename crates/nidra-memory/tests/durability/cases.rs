//! Commits beside others: live sessions, editors, odd directories.

use crate::support::{World, changes, new_run, new_tree, now, old_tree, project};
use nidra_core::error::PathError;
use nidra_core::{ProjectId, RunId};
use nidra_memory::atomic::{FileSystem, Permissions, RealFileSystem, Status};
use nidra_memory::commit::{CommitError, ConflictPolicy, NewRun, commit};
use nidra_memory::objects::Objects;
use nidra_memory::store::{GateFile, GateRead, RunState, Store, StoreError};
use nidra_memory::{ChangeSet, FileChange};
use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

fn change(path: &str, before: Option<&str>, after: Option<&str>) -> FileChange {
    let bytes = |text: Option<&str>| text.map(|text| text.as_bytes().to_vec());
    FileChange { path: path.into(), before: bytes(before), after: bytes(after) }
}

fn set(files: Vec<FileChange>) -> ChangeSet {
    ChangeSet { files }
}

#[test]
fn a_commit_reports_what_it_did() {
    let world = World::new();
    let lease = world.lease();
    let mut store = world.store();
    let committed =
        commit(&mut store, &lease, &RealFileSystem, &new_run("r1", 100), &changes(&old_tree(), &new_tree()))
            .unwrap();
    assert_eq!(world.tree(), new_tree());
    // What is added comes before the index, what is removed after it.
    assert_eq!(committed.written, ["archive/2026-11.md", "deploy.md", "feedback.md", "MEMORY.md", "old.md"]);
    assert_eq!(committed.conflicts, [""; 0]);
    assert_eq!(committed.warnings, [""; 0]);
    drop(lease);
    let run = store.run(&RunId::new("r1")).unwrap().unwrap();
    assert_eq!(run.state, RunState::Applied);
    assert_eq!(run.finished, Some(now()));
    assert_eq!(run.counts, serde_json::json!({ "accepted": 3 }));
    assert_eq!(world.client_time(), new_run("r1", 100).last_success);
    let GateRead::Known(gate) = GateFile::read(&RealFileSystem, store.home(), &project()) else {
        panic!("no gate file")
    };
    assert_eq!(gate.last_success, new_run("r1", 100).last_success);
    assert_eq!(gate.memory_directory, world.root());
    assert!(store.check().unwrap().is_empty());
}

#[test]
fn pub_con_02_the_snapshot_holds_what_stood_there_before_the_first_write() {
    let world = World::new();
    world.write(
        "feedback.md",
        "---\nname: feedback\n---\n\n- 用 npm 装依赖\n- Answer in Chinese\n- and a line\n",
    );
    let lease = world.lease();
    let committed = commit(
        &mut world.store(),
        &lease,
        &RealFileSystem,
        &new_run("r1", 100),
        &set(vec![change("odd.md", None, None), change("notes.md", None, Some("new\n"))]),
    )
    .unwrap();
    let store = world.store();
    let objects = Objects::new(store.home(), &RealFileSystem);
    let manifest = objects.manifest(&committed.snapshot.unwrap()).unwrap();
    let mut found = old_tree();
    found.retain(|_, bytes| bytes.is_some());
    found.insert("feedback.md".into(), Some(world.read("feedback.md").into_bytes()));
    let stored = manifest
        .files
        .iter()
        .map(|file| (file.path.clone(), Some(objects.get(&file.object).unwrap())))
        .collect();
    assert_eq!(found, stored);
}

#[test]
fn pub_con_01_a_change_by_the_user_during_the_run_is_kept() {
    let base = "- one\n\n- two\n\n- three\n\n- four\n";
    let world = World::new();
    world.write(
        "feedback.md",
        "- one\n\n- two\n\n- three, as the user says\n\n- four\n\n- five by the user\n",
    );
    let plan = set(vec![change(
        "feedback.md",
        Some(base),
        Some("- one, by the run\n\n- two\n\n- three\n\n- four\n"),
    )]);
    let lease = world.lease();
    let committed = commit(&mut world.store(), &lease, &RealFileSystem, &new_run("r1", 100), &plan).unwrap();
    assert_eq!(committed.merged, ["feedback.md"]);
    assert_eq!(
        world.read("feedback.md"),
        "- one, by the run\n\n- two\n\n- three, as the user says\n\n- four\n\n- five by the user\n"
    );
}

#[test]
fn pub_con_01_a_change_of_the_same_place_is_refused_or_left_out() {
    let world = World::new();
    let before = world.snapshot_of_state();
    let live = world.read("feedback.md");
    let plan = set(vec![
        change("feedback.md", Some("- 用 yarn\n"), Some("- 用 pnpm\n")),
        change("fresh.md", None, Some("fresh\n")),
    ]);
    let lease = world.lease();
    let mut store = world.store();
    let error = commit(&mut store, &lease, &RealFileSystem, &new_run("r1", 100), &plan).unwrap_err();
    let CommitError::Conflict { paths } = &error else { panic!("{error}") };
    assert_eq!(paths, &["feedback.md"]);
    assert_eq!(world.tree(), old_tree());
    assert_eq!(world.snapshot_of_state(), before);

    let mut run = new_run("r2", 100);
    run.on_conflict = ConflictPolicy::SkipFile;
    run.provenance[0].path = "feedback.md".into();
    let committed = commit(&mut store, &lease, &RealFileSystem, &run, &plan).unwrap();
    assert_eq!(committed.conflicts, ["feedback.md"]);
    assert_eq!(committed.written, ["fresh.md"]);
    assert_eq!(world.read("feedback.md"), live);
    assert!(store.sources(&project()).unwrap().is_empty(), "provenance of what was not written");
}

#[test]
fn a_new_file_whose_name_was_taken_refuses_the_whole_run() {
    let world = World::new();
    world.write("deploy.md", "by the user\n");
    let mut run = new_run("r1", 100);
    run.on_conflict = ConflictPolicy::SkipFile;
    let lease = world.lease();
    let error = commit(&mut world.store(), &lease, &RealFileSystem, &run, &changes(&old_tree(), &new_tree()))
        .unwrap_err();
    assert!(matches!(error, CommitError::Conflict { .. }), "{error}");
    let mut expected = old_tree();
    expected.insert("deploy.md".into(), Some(b"by the user\n".to_vec()));
    assert_eq!(world.tree(), expected);
}

/// Changes a file at the last moment, once or always: right when its replacement lies ready.
#[derive(Debug)]
struct Meddler {
    victim: PathBuf,
    left: Mutex<u32>,
}

impl FileSystem for Meddler {
    fn write_new(&self, path: &Path, bytes: &[u8], permissions: Permissions<'_>) -> Result<(), PathError> {
        RealFileSystem.write_new(path, bytes, permissions)?;
        let mut left = self.left.lock().unwrap();
        let own = bytes.windows(10).any(|window| window == b"by the run");
        if own && path.parent() == self.victim.parent() && *left > 0 {
            *left -= 1;
            let mut text = fs::read_to_string(&self.victim).unwrap();
            text.insert_str(0, "by the user\n\n\n");
            fs::write(&self.victim, text).unwrap();
        }
        Ok(())
    }

    fn read(&self, path: &Path) -> Result<Vec<u8>, PathError> {
        RealFileSystem.read(path)
    }
    fn status(&self, path: &Path) -> Result<Option<Status>, PathError> {
        RealFileSystem.status(path)
    }
    fn list(&self, directory: &Path) -> Result<Vec<OsString>, PathError> {
        RealFileSystem.list(directory)
    }
    fn canonical(&self, path: &Path) -> Result<PathBuf, PathError> {
        RealFileSystem.canonical(path)
    }
    fn link_target(&self, path: &Path) -> Result<PathBuf, PathError> {
        RealFileSystem.link_target(path)
    }
    fn create_directory(&self, path: &Path, private: bool) -> Result<(), PathError> {
        RealFileSystem.create_directory(path, private)
    }
    fn open_lock(&self, path: &Path) -> Result<File, PathError> {
        RealFileSystem.open_lock(path)
    }
    fn overwrite(&self, file: &File, path: &Path, bytes: &[u8]) -> Result<(), PathError> {
        RealFileSystem.overwrite(file, path, bytes)
    }
    fn rename(&self, from: &Path, to: &Path) -> Result<(), PathError> {
        RealFileSystem.rename(from, to)
    }
    fn rename_new(&self, from: &Path, to: &Path) -> Result<(), PathError> {
        RealFileSystem.rename_new(from, to)
    }
    fn exchange(&self, one: &Path, other: &Path) -> Result<(), PathError> {
        RealFileSystem.exchange(one, other)
    }
    fn remove(&self, path: &Path) -> Result<(), PathError> {
        RealFileSystem.remove(path)
    }
    fn remove_directory(&self, path: &Path) -> Result<(), PathError> {
        RealFileSystem.remove_directory(path)
    }
    fn sync_directory(&self, directory: &Path) -> Result<(), PathError> {
        RealFileSystem.sync_directory(directory)
    }
    fn set_modified(&self, path: &Path, time: jiff::Timestamp) -> Result<(), PathError> {
        RealFileSystem.set_modified(path, time)
    }
}

#[test]
fn an_edit_at_the_last_moment_is_merged_or_refused_but_never_lost() {
    let base = "- one\n\n- two\n\n- three\n";
    for times in [1, 2, 1000] {
        let world = World::new();
        world.write("zz.md", base);
        let meddler =
            Meddler { victim: world.root().canonicalize().unwrap().join("zz.md"), left: Mutex::new(times) };
        let plan = set(vec![
            change("a-new.md", None, Some("new\n")),
            change("zz.md", Some(base), Some("- one\n\n- two\n\n- three, by the run\n")),
        ]);
        let lease = world.lease();
        let result = commit(&mut world.store(), &lease, &meddler, &new_run("r1", 100), &plan);
        let text = world.read("zz.md");
        assert!(text.starts_with("by the user\n"), "{text}");
        match result {
            Ok(committed) => {
                assert_eq!(committed.merged, ["zz.md"]);
                assert!(text.ends_with("- three, by the run\n"), "{text}");
                assert!(times < 1000);
            }
            Err(error) => {
                assert!(matches!(error, CommitError::Conflict { .. }), "{error}");
                assert!(text.ends_with("- three\n"), "{text}");
                assert!(!world.root().join("a-new.md").exists());
                assert!(times > 2);
            }
        }
    }
}

#[test]
fn pub_del_02_daily_logs_and_what_is_no_memory_file_are_never_written() {
    let world = World::new();
    let log = "- 10:00 a daily log\n";
    let lease = world.lease();
    for plan in [
        change("logs/2026-11-29.md", Some(log), None),
        change("logs/2026-11-29.md", Some(log), Some("")),
        change("Logs/x.md", None, Some("x")),
        change("../CLAUDE.md", None, Some("x")),
        change("/tmp/x.md", None, Some("x")),
        change(".nidra.lock", None, Some("x")),
        change(".hidden/x.md", None, Some("x")),
        change("script.sh", None, Some("x")),
        change("settings.json", None, Some("x")),
    ] {
        let path = plan.path.clone();
        let error =
            commit(&mut world.store(), &lease, &RealFileSystem, &new_run("r1", 100), &set(vec![plan]))
                .unwrap_err();
        assert!(matches!(error, CommitError::Refused { .. }), "{path}: {error}");
    }
    let twice = set(vec![change("a.md", None, Some("x")), change("a.md", None, Some("y"))]);
    let error = commit(&mut world.store(), &lease, &RealFileSystem, &new_run("r1", 100), &twice).unwrap_err();
    assert!(matches!(error, CommitError::Refused { .. }), "{error}");
    assert_eq!(world.tree(), old_tree());
}

#[test]
fn pub_dur_03_read_only_places_are_named_and_nothing_is_half_done() {
    let mut messages = Vec::new();
    for place in ["memory/feedback.md", "memory", "state/objects"] {
        let world = World::new();
        let path = world.base.join(place);
        let usual = if path.is_dir() { 0o755 } else { 0o644 };
        fs::create_dir_all(world.state().join("objects")).unwrap();
        let lease = world.lease();
        let mut store = world.store();
        fs::set_permissions(&path, fs::Permissions::from_mode(usual & 0o555)).unwrap();
        let run = new_run("r1", 100);
        let result = commit(&mut store, &lease, &RealFileSystem, &run, &changes(&old_tree(), &new_tree()));
        fs::set_permissions(&path, fs::Permissions::from_mode(usual)).unwrap();
        drop(lease);
        let message = result.unwrap_err().chain();
        assert!(message.contains(path.to_str().unwrap()), "{place}: {message}");
        assert_eq!(world.tree(), old_tree(), "{place}: {message}");
        assert!(store.cursors(&project()).unwrap().is_empty());
        // Without the parts that differ by the place of the test.
        messages.push(message.replace(world.base.to_str().unwrap(), ""));
        commit(
            &mut world.store(),
            &world.lease(),
            &RealFileSystem,
            &new_run("r2", 100),
            &changes(&old_tree(), &new_tree()),
        )
        .unwrap();
        assert_eq!(world.tree(), new_tree(), "{place}");
    }
    let world = World::new();
    fs::set_permissions(world.state(), fs::Permissions::from_mode(0o555)).unwrap();
    let error = Store::open(&world.state());
    fs::set_permissions(world.state(), fs::Permissions::from_mode(0o755)).unwrap();
    let message = error.unwrap_err().to_string();
    assert!(message.contains(world.state().to_str().unwrap()), "{message}");
    messages.push(message);
    messages.sort();
    messages.dedup();
    assert_eq!(messages.len(), 4, "{messages:?}");
}

#[test]
fn pub_dur_04_litter_of_editors_is_left_alone() {
    let world = World::new();
    let litter = [".x.md.swp", "x.md~", "x.tmp", "#x.md#", ".DS_Store", "4913"];
    for name in litter {
        world.write(name, "litter");
    }
    let before = world.tree();
    world.recover();
    assert_eq!(world.tree(), before);
    commit(
        &mut world.store(),
        &world.lease(),
        &RealFileSystem,
        &new_run("r1", 100),
        &changes(&old_tree(), &new_tree()),
    )
    .unwrap();
    for name in litter {
        assert_eq!(world.read(name), "litter");
    }
}

#[test]
fn a_run_without_changes_moves_its_cursors_and_writes_nothing() {
    let world = World::new();
    let before = world.tree();
    let lease = world.lease();
    let committed =
        commit(&mut world.store(), &lease, &RealFileSystem, &new_run("r1", 100), &ChangeSet::default())
            .unwrap();
    assert_eq!(committed.written, [""; 0]);
    assert_eq!(committed.snapshot, None);
    assert_eq!(world.tree(), before);
    assert_eq!(world.snapshot_of_state().cursors.len(), 1);
    assert!(!world.state().join("journal").exists());
}

#[test]
fn pub_lck_05_a_superseded_run_writes_nothing() {
    let world = World::new();
    let lease = world.lease();
    let mut later = world.options();
    later.clock = std::sync::Arc::new(|| now() + jiff::SignedDuration::from_hours(2));
    let successor = nidra_memory::lease::Lease::acquire(&world.root(), &later).unwrap();
    let error = commit(
        &mut world.store(),
        &lease,
        &RealFileSystem,
        &new_run("r1", 100),
        &changes(&old_tree(), &new_tree()),
    )
    .unwrap_err();
    assert!(matches!(error, CommitError::Lease(_)), "{error}");
    assert_eq!(world.tree(), old_tree());
    commit(
        &mut world.store(),
        &successor,
        &RealFileSystem,
        &new_run("r2", 100),
        &changes(&old_tree(), &new_tree()),
    )
    .unwrap();
    drop(lease);
    assert_eq!(world.tree(), new_tree());
}

#[test]
fn a_run_over_an_unknown_project_fails_before_it_counts() {
    let world = World::new();
    let mut run = NewRun::new(new_run("r1", 100).record);
    run.record.project = ProjectId::new("nobody");
    let lease = world.lease();
    let error = commit(&mut world.store(), &lease, &RealFileSystem, &run, &changes(&old_tree(), &new_tree()));
    assert!(matches!(error, Err(CommitError::Failed { .. })), "{error:?}");
    assert_eq!(world.tree(), old_tree());
}

#[test]
fn odd_databases_are_named_with_the_way_out() {
    let world = World::new();
    let path = world.store().path().to_owned();
    {
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.pragma_update(None, "user_version", 99).unwrap();
    }
    let error = Store::open(&world.state()).unwrap_err();
    assert!(matches!(error, StoreError::NewerFormat { found: 99, .. }), "{error}");
    assert!(error.to_string().contains("install a newer nidra"), "{error}");
    for name in ["nidra.db-wal", "nidra.db-shm"] {
        let _ = fs::remove_file(world.state().join(name));
    }
    fs::write(&path, "this is no database, and long enough to be read as one".repeat(100)).unwrap();
    let error = Store::open(&world.state()).unwrap_err();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("file"), "x").unwrap();
    let error = Store::open(&other.path().join("file")).unwrap_err();
    assert!(error.to_string().contains("file"), "{error}");
}

#[test]
fn an_odd_gate_file_counts_as_none_and_says_why() {
    let world = World::new();
    let store = world.store();
    assert_eq!(GateFile::read(&RealFileSystem, store.home(), &project()), GateRead::Absent);
    store.write_gate(&RealFileSystem, &project(), None, Some(7), None).unwrap();
    let path = GateFile::path(store.home(), &project());
    for odd in ["", "{", "[]", "{\"version\": 2}", "{\"version\": 1}", "\u{feff}{}"] {
        fs::write(&path, odd).unwrap();
        let read = GateFile::read(&RealFileSystem, store.home(), &project());
        assert!(matches!(read, GateRead::Unusable(_)), "{odd:?}: {read:?}");
    }
}
