//! Death of the process at every operation, and at any moment.

use crate::child::{proof, setting, start};
use crate::support::{
    State, Tree, World, changes, dangling, new_run, new_tree, now, old_tree, project, time, without_leftovers,
};
use nidra_core::RunId;
use nidra_memory::atomic::RealFileSystem;
use nidra_memory::commit::commit;
use nidra_memory::store::RunState;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

fn committed(world: &World, id: &str) -> bool {
    let run = world.store().run(&RunId::new(id)).unwrap();
    run.is_some_and(|run| run.state == RunState::Applied)
}

/// The files alone: a directory that became empty stays.
fn files_of(mut tree: Tree) -> Tree {
    tree.retain(|_, bytes| bytes.is_some());
    tree
}

/// Each file is whole, and the index links to nothing that is missing.
fn assert_whole(world: &World, what: &str) {
    let (old, new) = (old_tree(), new_tree());
    for (path, bytes) in without_leftovers(world.tree()) {
        let known = old.get(&path) == Some(&bytes) || new.get(&path) == Some(&bytes);
        assert!(known, "{what}: {path} holds neither the old nor the new bytes");
    }
    assert_eq!(dangling(world), [""; 0], "{what}");
}

#[test]
fn death_at_each_operation_of_a_run_leaves_all_of_it_or_nothing() {
    for task in ["commit", "commit-half"] {
        let mut reached_end = false;
        for number in 0..400 {
            let what = format!("{task} {number}");
            let world = World::new();
            let earlier = time("2026-11-28T06:00:00Z");
            world.set_client_time(earlier);
            let before = world.snapshot_of_state();
            let status = start(task, &world.base, number).wait().unwrap();
            assert!(status.success() || status.code().is_none(), "{what}: {status}");
            assert_whole(&world, &what);

            let report = world.recover();
            let applied = committed(&world, "r1");
            assert_eq!(world.tree(), if applied { new_tree() } else { old_tree() }, "{what}: {report:?}");
            let state = world.snapshot_of_state();
            if applied {
                assert_eq!(state.schedule.last_success, new_run("r1", 100).last_success, "{what}");
            } else {
                assert_eq!(world.client_time(), Some(earlier), "{what}");
                assert_eq!(state.consumed(), before, "{what}");
                // The next run goes on at once, from where the last one stood.
                let mut store = world.store();
                let run = new_run("r2", 100);
                commit(&mut store, &world.lease(), &RealFileSystem, &run, &changes(&old_tree(), &new_tree()))
                    .unwrap();
                assert_eq!(world.tree(), new_tree(), "{what}");
            }
            if status.success() {
                assert!(applied && report.is_empty(), "{what}: {report:?}");
                proof("kill", number);
                reached_end = true;
                break;
            }
        }
        assert!(reached_end, "{task} never ran through");
    }
}

#[test]
fn death_at_each_operation_of_an_undo_leaves_all_of_it_or_nothing() {
    for task in ["undo", "undo-half"] {
        let mut reached_end = false;
        for number in 0..400 {
            let what = format!("{task} {number}");
            let world = World::new();
            let before: State = world.snapshot_of_state();
            commit(
                &mut world.store(),
                &world.lease(),
                &RealFileSystem,
                &new_run("r1", 100),
                &changes(&old_tree(), &new_tree()),
            )
            .unwrap();
            let after = world.snapshot_of_state();
            let status = start(task, &world.base, number).wait().unwrap();
            assert!(status.success() || status.code().is_none(), "{what}: {status}");
            assert_whole(&world, &what);
            world.recover();
            if committed(&world, "u1") {
                assert_eq!(world.tree(), old_tree(), "{what}");
                assert_eq!(world.snapshot_of_state().consumed(), before, "{what}");
            } else {
                assert_eq!(world.tree(), new_tree(), "{what}");
                assert_eq!(world.snapshot_of_state().consumed(), after, "{what}");
            }
            if status.success() {
                assert!(committed(&world, "u1"), "{what}");
                proof("kill", number);
                reached_end = true;
                break;
            }
        }
        assert!(reached_end, "{task} never ran through");
    }
}

#[test]
fn death_at_each_operation_of_a_recovery_is_recovered_from() {
    // A run that died in the middle of its files.
    let middle = 60;
    for number in 0..200 {
        let world = World::new();
        let died = start("commit", &world.base, middle).wait().unwrap();
        assert!(!died.success(), "the run has fewer operations than this test thinks");
        let status = start("recover", &world.base, number).wait().unwrap();
        assert_whole(&world, &format!("recover {number}"));
        world.recover();
        assert_eq!(world.tree(), old_tree(), "recover {number}");
        if status.success() {
            proof("kill", number);
            return;
        }
    }
    panic!("recovery never ran through");
}

#[test]
fn pub_lck_02_a_killed_run_is_told_of_and_does_not_count() {
    let world = World::new();
    let mut store = world.store();
    store.put_run(&new_run("r1", 100).record).unwrap();
    store.note_attempt(&project(), now()).unwrap();
    let report = world.recover();
    assert_eq!(report.interrupted, [RunId::new("r1")]);
    let schedule = store.schedule(&project()).unwrap();
    assert_eq!(schedule.last_success, None);
    assert_eq!(schedule.interrupted_run, Some(RunId::new("r1")));
    assert_eq!(store.run(&RunId::new("r1")).unwrap().unwrap().state, RunState::Interrupted);
}

#[test]
fn pub_dur_01_a_kill_at_any_moment_leaves_whole_files() {
    let world = World::new();
    let stop = Arc::new(AtomicBool::new(false));
    let reader = {
        let (stop, path) = (Arc::clone(&stop), world.root().join("MEMORY.md"));
        let (old, new) = (old_tree()["MEMORY.md"].clone().unwrap(), new_tree()["MEMORY.md"].clone().unwrap());
        std::thread::spawn(move || {
            let mut reads = 0_u64;
            while !stop.load(Ordering::SeqCst) {
                let found = std::fs::read(&path).unwrap();
                assert!(found == old || found == new, "a reader saw {found:?}");
                reads += 1;
                std::thread::sleep(Duration::from_micros(300));
            }
            reads
        })
    };
    let kills = setting("NIDRA_TEST_KILLS", 500);
    let mut random: u64 = 0x9e37_79b9_7f4a_7c15;
    for round in 0..kills {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut child = start("loop", &world.base, 0);
        std::thread::sleep(Duration::from_millis(8 + (random >> 33) % 90));
        child.kill().unwrap();
        let status = child.wait().unwrap();
        assert_eq!(status.code(), None, "round {round}: the child failed by itself");
        assert_whole(&world, &format!("round {round}"));
        world.recover();
        let tree = files_of(world.tree());
        assert!(tree == files_of(old_tree()) || tree == files_of(new_tree()), "round {round}: {tree:?}");
        // The number of committed runs says which of the two it has to be.
        let runs = world.store().runs(&project(), u32::MAX).unwrap();
        let applied = runs.iter().filter(|run| run.state == RunState::Applied).count();
        assert_eq!(tree == files_of(new_tree()), applied % 2 == 1, "round {round}: after {applied} runs");
    }
    stop.store(true, Ordering::SeqCst);
    assert!(reader.join().unwrap() > 0);
    proof("kill", kills);
}
