//! Errors of the system at every operation.

use crate::child::proof;
use crate::support::{World, changes, dangling, new_run, new_tree, old_tree, without_leftovers};
use nidra_core::RunId;
use nidra_memory::atomic::{FaultFileSystem, Moment, RealFileSystem};
use nidra_memory::commit::{CommitError, commit};
use nidra_memory::store::RunState;
use nidra_memory::undo::{UndoError, UndoRequest, undo};
use std::io;

const NO_SPACE: i32 = 28;

/// Every combination of a first failing operation, how long it goes on and how far the operation gets.
pub(crate) fn each_fault(mut test: impl FnMut(&FaultFileSystem, &str) -> bool) {
    let mut injected = 0;
    for moment in [Moment::Before, Moment::Half, Moment::After] {
        for length in [1, u64::MAX] {
            let reached = (0..400).any(|from| {
                let files =
                    FaultFileSystem::new(from, length, moment, || io::Error::from_raw_os_error(NO_SPACE));
                let what = format!("operation {from}, {length} long, {moment:?}");
                let beyond = test(&files, &what);
                assert_eq!(beyond, files.count() <= from, "{what}");
                injected += u64::from(!beyond);
                beyond
            });
            assert!(reached, "the operations never came to an end");
        }
    }
    proof("fault", injected);
}

#[test]
fn pub_dur_02_an_error_at_each_operation_of_a_commit_leaves_all_or_nothing() {
    each_fault(|files, what| {
        let world = World::new();
        let before = world.snapshot_of_state();
        let lease = world.lease();
        let result = commit(
            &mut world.store(),
            &lease,
            files,
            &new_run("r1", 100),
            &changes(&old_tree(), &new_tree()),
        );
        drop(lease);
        assert_eq!(dangling(&world), [""; 0], "{what}");
        let state = world.store().run(&RunId::new("r1")).unwrap().unwrap().state;
        let beyond = match &result {
            Ok(committed) => {
                assert_eq!(state, RunState::Applied, "{what}");
                assert_eq!(without_leftovers(world.tree()), new_tree(), "{what}");
                committed.warnings.is_empty()
            }
            Err(error) => {
                assert_ne!(state, RunState::Applied, "{what}");
                assert_eq!(world.snapshot_of_state(), before, "{what}");
                if let CommitError::Failed { .. } = error {
                    assert_eq!(without_leftovers(world.tree()), old_tree(), "{what}: {}", error.chain());
                    assert_eq!(state, RunState::Failed, "{what}");
                }
                assert!(error.chain().contains("os error"), "{what}: {}", error.chain());
                assert!(error.chain().contains(world.base.to_str().unwrap()), "{what}: {}", error.chain());
                false
            }
        };
        world.recover();
        let tree = if result.is_ok() { new_tree() } else { old_tree() };
        assert_eq!(world.tree(), tree, "{what}");
        commit(
            &mut world.store(),
            &world.lease(),
            &RealFileSystem,
            &new_run("r2", 200),
            &changes(&tree, &new_tree()),
        )
        .unwrap();
        assert_eq!(world.tree(), new_tree(), "{what}");
        beyond
    });
}

#[test]
fn an_error_at_each_operation_of_an_undo_leaves_all_or_nothing() {
    each_fault(|files, what| {
        let world = World::new();
        let before = world.snapshot_of_state();
        commit(
            &mut world.store(),
            &world.lease(),
            &RealFileSystem,
            &new_run("r1", 100),
            &changes(&old_tree(), &new_tree()),
        )
        .unwrap();
        let after = world.snapshot_of_state();
        let request = UndoRequest {
            target: RunId::new("r1"),
            run: RunId::new("u1"),
            trigger: "manual".into(),
            now: crate::support::now(),
            hold_until: None,
        };
        let lease = world.lease();
        let result = undo(&mut world.store(), &lease, files, &request);
        drop(lease);
        assert_eq!(dangling(&world), [""; 0], "{what}");
        if let Err(UndoError::Commit(CommitError::Failed { .. })) = &result {
            assert_eq!(without_leftovers(world.tree()), new_tree(), "{what}");
        }
        world.recover();
        if result.is_ok() {
            assert_eq!(world.tree(), old_tree(), "{what}");
            assert_eq!(world.snapshot_of_state(), before, "{what}");
        } else {
            assert_eq!(world.tree(), new_tree(), "{what}");
            assert_eq!(world.snapshot_of_state().consumed(), after, "{what}");
            let again = UndoRequest { run: RunId::new("u2"), ..request };
            undo(&mut world.store(), &world.lease(), &RealFileSystem, &again).unwrap();
            assert_eq!(world.tree(), old_tree(), "{what}");
        }
        result.is_ok_and(|report| report.warnings.is_empty())
    });
}
