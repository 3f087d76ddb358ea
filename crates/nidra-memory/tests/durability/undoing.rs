//! Undo, with and without later changes.

use crate::support::{World, changes, new_run, new_tree, now, old_tree, project};
use jiff::SignedDuration;
use nidra_core::RunId;
use nidra_memory::ChangeSet;
use nidra_memory::atomic::RealFileSystem;
use nidra_memory::commit::{NewRun, commit};
use nidra_memory::store::{GateFile, GateRead, RunState};
use nidra_memory::undo::{UndoError, UndoReport, UndoRequest, undo};

fn run(world: &World, run: &NewRun, changes: &ChangeSet) {
    commit(&mut world.store(), &world.lease(), &RealFileSystem, run, changes).unwrap();
}

fn request(target: &str, run: &str) -> UndoRequest {
    UndoRequest {
        target: RunId::new(target),
        run: RunId::new(run),
        trigger: "manual".into(),
        now: now(),
        hold_until: Some(now() + SignedDuration::from_hours(24)),
    }
}

fn take_back(world: &World, target: &str, run: &str) -> Result<UndoReport, UndoError> {
    undo(&mut world.store(), &world.lease(), &RealFileSystem, &request(target, run))
}

#[test]
fn pub_del_05_undo_gives_back_memory_and_state_byte_for_byte() {
    let world = World::new();
    let before = world.snapshot_of_state();
    run(&world, &new_run("r1", 100), &changes(&old_tree(), &new_tree()));
    assert_ne!(world.tree(), old_tree());
    let report = take_back(&world, "r1", "u1").unwrap();
    assert_eq!(report.kept, [""; 0]);
    assert_eq!(report.merged, [""; 0]);
    assert_eq!(report.warnings, [""; 0]);
    assert_eq!(world.tree(), old_tree());
    let mut state = world.snapshot_of_state();
    assert_eq!(state.schedule.hold_until, request("r1", "u1").hold_until);
    state.schedule.hold_until = None;
    assert_eq!(state, before);
    let store = world.store();
    let undone = store.run(&RunId::new("r1")).unwrap().unwrap();
    assert_eq!((undone.state, undone.undone_by), (RunState::Undone, Some(RunId::new("u1"))));
    let undoing = store.run(&RunId::new("u1")).unwrap().unwrap();
    assert_eq!((undoing.state, undoing.undoes), (RunState::Applied, Some(RunId::new("r1"))));
    let GateRead::Known(gate) = GateFile::read(&RealFileSystem, store.home(), &project()) else {
        panic!("no gate file")
    };
    assert_eq!(gate.hold_until, request("r1", "u1").hold_until);
    assert_eq!(gate.transcript_folders, new_run("r1", 100).transcript_folders.unwrap());
}

#[test]
fn pub_cur_04_run_undo_and_run_again_come_to_the_same() {
    let world = World::new();
    run(&world, &new_run("r1", 100), &changes(&old_tree(), &new_tree()));
    let (tree, first) = (world.tree(), world.snapshot_of_state());
    take_back(&world, "r1", "u1").unwrap();
    let mut again = new_run("r1", 100);
    again.record.id = RunId::new("r2");
    run(&world, &again, &changes(&old_tree(), &new_tree()));
    assert_eq!(world.tree(), tree);
    let mut third = world.snapshot_of_state();
    third.schedule.hold_until = None;
    assert_eq!(third, first);
}

#[test]
fn what_was_edited_since_is_merged_and_the_live_text_wins() {
    let world = World::new();
    let mut old = old_tree();
    let long = |first: &str, last: &str| Some(format!("{first}\n\n一\n\n二\n\n三\n\n{last}\n").into_bytes());
    old.insert("long.md".into(), long("first", "last"));
    world.write("long.md", old["long.md"].clone().unwrap());
    let mut new = old.clone();
    new.insert("long.md".into(), long("first", "last, by the run"));
    new.insert("feedback.md".into(), Some(b"- by the run\n".to_vec()));
    new.insert("fresh.md".into(), Some(b"fresh\n".to_vec()));
    run(&world, &new_run("r1", 100), &changes(&old, &new));
    world.write("long.md", long("first, by the user", "last, by the run").unwrap());
    world.write("feedback.md", "- by the user\n");
    world.write("fresh.md", "fresh\nand more by the user\n");
    let report = take_back(&world, "r1", "u1").unwrap();
    assert_eq!(report.merged, ["long.md"]);
    assert_eq!(report.kept, ["fresh.md", "feedback.md"]);
    assert_eq!(world.read("long.md").into_bytes(), long("first, by the user", "last").unwrap());
    assert_eq!(world.read("feedback.md"), "- by the user\n");
    assert_eq!(world.read("fresh.md"), "fresh\nand more by the user\n");
}

#[test]
fn an_older_run_is_undone_below_a_newer_one() {
    let world = World::new();
    let before = world.snapshot_of_state();
    let mut second_tree = new_tree();
    second_tree.insert("second.md".into(), Some("第二次\n".as_bytes().to_vec()));
    run(&world, &new_run("r1", 100), &changes(&old_tree(), &new_tree()));
    run(&world, &new_run("r2", 200), &changes(&new_tree(), &second_tree));
    take_back(&world, "r1", "u1").unwrap();
    let mut expected = old_tree();
    expected.insert("second.md".into(), second_tree["second.md"].clone());
    assert_eq!(world.tree(), expected);
    let store = world.store();
    // What the newer run consumed stays consumed; the older run's share is open again from the start.
    assert!(store.cursors(&project()).unwrap().is_empty());
    let records = ["record-r1-1", "record-r2-1"];
    let seen = store.seen_among(&project(), records).unwrap();
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["record-r2-1"]);
    assert_eq!(store.schedule(&project()).unwrap().last_success, new_run("r2", 200).last_success);
    // Undoing the newer one later must not turn the cursor forward over what is open.
    take_back(&world, "r2", "u2").unwrap();
    assert_eq!(world.tree(), old_tree());
    assert!(world.store().cursors(&project()).unwrap().is_empty());
    assert_eq!(world.snapshot_of_state().seen, before.seen);
}

#[test]
fn what_cannot_be_undone_says_why() {
    let world = World::new();
    assert!(matches!(take_back(&world, "nothing", "u0"), Err(UndoError::Unknown { .. })));
    run(&world, &new_run("r1", 100), &changes(&old_tree(), &new_tree()));
    take_back(&world, "r1", "u1").unwrap();
    let error = take_back(&world, "r1", "u2").unwrap_err();
    assert!(matches!(error, UndoError::AlreadyUndone { .. }), "{error}");
    assert_eq!(error.to_string(), "run r1 was undone already, by run u1");
    assert!(matches!(take_back(&world, "u1", "u3"), Err(UndoError::IsUndo { .. })));
    let mut failed = new_run("r9", 1).record;
    failed.state = RunState::Failed;
    world.store().put_run(&failed).unwrap();
    assert!(matches!(take_back(&world, "r9", "u4"), Err(UndoError::NotApplied { .. })));
    assert_eq!(world.tree(), old_tree());
}

#[test]
fn a_damaged_snapshot_stops_an_undo_before_its_first_write() {
    let world = World::new();
    run(&world, &new_run("r1", 100), &changes(&old_tree(), &new_tree()));
    let change = world.store().file_changes(&RunId::new("r1")).unwrap().pop().unwrap();
    let id = change.before.unwrap();
    let (folder, name) = id.as_str().split_at(2);
    std::fs::write(world.state().join("objects").join(folder).join(name), "damage").unwrap();
    assert!(matches!(take_back(&world, "r1", "u1"), Err(UndoError::Snapshot { .. })));
    assert_eq!(world.tree(), new_tree());
}

#[test]
fn undoing_a_later_run_does_not_skip_what_an_earlier_undo_opened() {
    let world = World::new();
    for (id, offset) in [("r1", 100), ("r2", 200), ("r3", 300)] {
        run(&world, &new_run(id, offset), &ChangeSet::default());
    }
    let offset = || {
        let cursors = world.store().cursors(&project()).unwrap();
        cursors.into_values().map(|cursor| cursor.offset).collect::<Vec<_>>()
    };
    assert_eq!(offset(), [300]);
    take_back(&world, "r2", "u2").unwrap();
    assert_eq!(offset(), [100]);
    take_back(&world, "r3", "u3").unwrap();
    assert_eq!(offset(), [100]);
}
