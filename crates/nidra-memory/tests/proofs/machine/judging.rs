//! What must hold after each operation of a history.

use super::{Machine, TRANSCRIPT, project};
use crate::model::{Plan, Step, Tree, marks};
use crate::user::PATHS;
use nidra_memory::commit::{CommitError, Committed};
use nidra_memory::store::RunState;
use nidra_memory::undo::{UndoError, UndoReport};
use std::collections::BTreeMap;
use std::path::Path;

impl Machine<'_> {
    /// The files that a run left out, as far as the database tells.
    pub(super) fn left_out(&mut self, plan: &Plan, before: &Tree) -> Vec<String> {
        let written = self.store().file_changes(&plan.id).unwrap();
        let paths = plan.changes.files.iter().filter(|change| {
            before.get(&change.path) != change.after.as_ref()
                && !written.iter().any(|written| written.path == change.path)
        });
        paths.map(|change| change.path.clone()).collect()
    }

    pub(super) fn judge_disturbed(
        &mut self,
        plan: &Plan,
        result: Option<&Result<Committed, CommitError>>,
        applied: bool,
        before: &Tree,
        after: &Tree,
    ) {
        self.counts.add("runs with edits inside");
        let edited = self.user.lock().unwrap().edited.clone();
        for path in PATHS {
            if edited.contains(path) {
                continue;
            }
            let (old, new) = (before.get(path), after.get(path));
            let marks = marks(&plan.changes, path);
            if applied && !marks.is_empty() {
                let left_out = match result {
                    Some(Ok(committed)) => committed.conflicts.clone(),
                    Some(Err(_)) | None => self.left_out(plan, before),
                };
                let text = String::from_utf8_lossy(new.map_or(&[][..], Vec::as_slice)).into_owned();
                let present = marks.iter().all(|mark| text.contains(mark.as_str()));
                assert!(
                    present || left_out.iter().any(|left| left == path),
                    "{path} lacks what {} says",
                    plan.id
                );
            }
            if !applied || !plan.changes.files.iter().any(|change| change.path == path) {
                assert_eq!(old, new, "{path} changed without a reason");
            }
        }
    }

    pub(super) fn judge_undo(
        &mut self,
        files: &BTreeMap<String, Option<Step>>,
        result: Option<&Result<UndoReport, UndoError>>,
        done: bool,
        before: &Tree,
        after: &Tree,
    ) {
        for path in PATHS {
            let (old, new) = (before.get(path), after.get(path));
            let Some(step) = files.get(path).filter(|_| done) else {
                assert_eq!(old, new, "{path} changed without a reason");
                continue;
            };
            if let Some(step) = step
                && old == step.after.as_ref()
            {
                assert_eq!(new, step.before.as_ref(), "{path} does not hold what it held before the run");
                self.counts.add("files restored to the byte");
            }
            if let Some(Ok(report)) = result
                && report.kept.iter().any(|kept| kept == path)
            {
                assert_eq!(old, new, "{path} was kept and changed");
            }
        }
    }

    pub(super) fn check_state(&mut self) {
        let (cursor, seen, success) = (self.model.cursor, self.model.seen(), self.model.success);
        let cursors = self.store().cursors(&project()).unwrap();
        assert_eq!(cursors.get(Path::new(TRANSCRIPT)).map(|cursor| cursor.offset), cursor, "the cursor");
        assert_eq!(self.store().seen_count(&project()).unwrap(), seen, "the records that were read");
        let schedule = self.store().schedule(&project()).unwrap();
        assert_eq!(schedule.last_success, success, "the last success");
    }

    /// At the end of a history all of its runs are looked at once more.
    pub(super) fn check_history(&mut self) {
        for run in self.model.runs.clone() {
            let expected = if run.undone { RunState::Undone } else { RunState::Applied };
            assert_eq!(self.state(&run.id), Some(expected), "{}", run.id);
        }
        for id in self.model.failed.clone() {
            assert_ne!(self.state(&id), Some(RunState::Applied), "{id}");
        }
        assert!(self.store().check().unwrap().is_empty());
    }
}
