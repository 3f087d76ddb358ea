//! What the machine ought to be: a memory directory and its state in a few plain values.

use crate::random::Random;
use crate::user::{PATHS, words_in};
use jiff::Timestamp;
use nidra_core::RunId;
use nidra_memory::commit::Committed;
use nidra_memory::{ChangeSet, FileChange};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Memory files by path; what has no name that a run may write is not among them.
pub(crate) type Tree = BTreeMap<String, Vec<u8>>;

/// A run that was committed.
#[derive(Clone, Debug)]
pub(crate) struct AppliedRun {
    pub(crate) id: RunId,
    pub(crate) undone: bool,
    /// The files that it changed; `None` where someone edited one meanwhile, so that it held something in
    /// between that nobody saw.
    pub(crate) files: BTreeMap<String, Option<Step>>,
    pub(crate) cursor_before: Option<u64>,
    pub(crate) seen: u64,
    pub(crate) success_before: Option<Timestamp>,
    pub(crate) success: Option<Timestamp>,
}

/// What a file held before and after a run.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) before: Option<Vec<u8>>,
    pub(crate) after: Option<Vec<u8>>,
}

/// What the database ought to say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub(crate) runs: Vec<AppliedRun>,
    /// Runs that did not happen.
    pub(crate) failed: Vec<RunId>,
    pub(crate) cursor: Option<u64>,
    pub(crate) success: Option<Timestamp>,
}

impl Model {
    pub(crate) fn seen(&self) -> u64 {
        self.runs.iter().filter(|run| !run.undone).map(|run| run.seen).sum()
    }

    /// A run counts from now on.
    pub(crate) fn apply(
        &mut self,
        plan: &Plan,
        before: &Tree,
        after: &Tree,
        written: &[String],
        edited: &BTreeSet<String>,
    ) {
        let files = written.iter().map(|path| {
            let step = Step { before: before.get(path).cloned(), after: after.get(path).cloned() };
            (path.clone(), (!edited.contains(path)).then_some(step))
        });
        self.runs.push(AppliedRun {
            id: plan.id.clone(),
            undone: false,
            files: files.collect(),
            cursor_before: self.cursor,
            seen: plan.seen,
            success_before: self.success,
            success: plan.success,
        });
        self.cursor = Some(plan.cursor);
        self.success = plan.success.or(self.success);
    }

    /// A run is undone from now on: input that it read is open again, but never input that came after it.
    pub(crate) fn undo(&mut self, index: usize) {
        let run = &mut self.runs[index];
        run.undone = true;
        self.cursor = match (self.cursor, run.cursor_before) {
            (Some(now), Some(before)) => Some(now.min(before)),
            (None, _) | (_, None) => None,
        };
        if run.success.is_some() && self.success == run.success {
            self.success = run.success_before;
        }
    }
}

/// A run that is about to be.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) id: RunId,
    pub(crate) changes: ChangeSet,
    pub(crate) cursor: u64,
    pub(crate) seen: u64,
    pub(crate) success: Option<Timestamp>,
}

/// A change of one to four files that takes no word of the user away.
pub(crate) fn change_set(random: &mut Random, run: u64, base: &Tree) -> ChangeSet {
    let mut files = Vec::new();
    let mut line = 0;
    let mut fresh = || {
        line += 1;
        format!("- [r{run}-{line}] by the run, 由梦写下\n")
    };
    for path in PATHS {
        if !random.percent(35) || files.len() == 4 {
            continue;
        }
        let before = base.get(path).cloned();
        let text = String::from_utf8(before.clone().unwrap_or_default()).unwrap();
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        if let Some(last) = lines.last_mut()
            && !last.ends_with('\n')
        {
            last.push('\n');
        }
        let removable = !path.starts_with("archive/") && before.is_some() && words_in(&text).is_empty();
        if removable && random.percent(25) {
            files.push(FileChange { path: path.into(), before, after: None });
            continue;
        }
        if path.starts_with("archive/") {
            lines.push(fresh());
        } else {
            for _ in 0..=random.below(2) {
                let own: Vec<usize> =
                    (0..lines.len()).filter(|index| words_in(&lines[*index]).is_empty()).collect();
                match random.below(4) {
                    0 if !own.is_empty() => {
                        lines.remove(own[random.index(own.len())]);
                    }
                    1 if !own.is_empty() => lines[own[random.index(own.len())]] = fresh(),
                    _ => lines.insert(random.index(lines.len() + 1), fresh()),
                }
            }
        }
        let after = Some(lines.concat().into_bytes());
        if after != before {
            files.push(FileChange { path: path.into(), before, after });
        }
    }
    ChangeSet { files }
}

/// Everything in a memory directory that a run may write.
pub(crate) fn tree(root: &Path) -> Tree {
    PATHS.iter().filter_map(|path| Some(((*path).to_owned(), fs::read(root.join(path)).ok()?))).collect()
}

fn lines(text: Option<&Vec<u8>>) -> BTreeMap<String, i64> {
    let mut counts = BTreeMap::new();
    for line in String::from_utf8_lossy(text.map_or(&[][..], Vec::as_slice)).lines() {
        *counts.entry(line.to_owned()).or_insert(0) += 1;
    }
    counts
}

/// Whether the last line is whole: where it is not, lines cannot be told apart after a merge.
fn whole(text: Option<&Vec<u8>>) -> bool {
    text.is_none_or(|text| text.is_empty() || text.ends_with(b"\n"))
}

/// What is wrong with memory after a commit that nobody disturbed; `None` when all is well.
pub(crate) fn judge_commit(
    changes: &ChangeSet,
    result: Option<&Committed>,
    before: &Tree,
    after: &Tree,
) -> Option<String> {
    for path in PATHS {
        let (old, new) = (before.get(path), after.get(path));
        let change = changes.files.iter().find(|change| change.path == path);
        let (Some(change), Some(committed)) = (change, result) else {
            if old != new {
                return Some(format!("{path} changed without a reason"));
            }
            continue;
        };
        if committed.conflicts.iter().any(|conflict| conflict == path) {
            if old != new {
                return Some(format!("{path} was left out and changed"));
            }
        } else if old == change.before.as_ref() {
            if new != change.after.as_ref() {
                return Some(format!("{path} is not what the run makes of it"));
            }
        } else if [old, new, change.before.as_ref(), change.after.as_ref()].into_iter().all(whole) {
            let mut wanted = lines(old);
            for (line, count) in lines(change.after.as_ref()) {
                *wanted.entry(line).or_insert(0) += count;
            }
            for (line, count) in lines(change.before.as_ref()) {
                *wanted.entry(line).or_insert(0) -= count;
            }
            // What both took away is gone once.
            wanted.retain(|_, count| *count > 0);
            // Both may have come to the same text by themselves.
            if wanted != lines(new) && change.after.as_ref() != old {
                let text = |bytes: Option<&Vec<u8>>| {
                    bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default()
                };
                return Some(format!(
                    "{path} is not what both make of it; seen:\n{}planned:\n{}live:\n{}now:\n{}",
                    text(change.before.as_ref()),
                    text(change.after.as_ref()),
                    text(old),
                    text(new)
                ));
            }
        }
    }
    None
}

/// The marks of a run's own lines in a text.
pub(crate) fn marks(changes: &ChangeSet, path: &str) -> BTreeSet<String> {
    let Some(change) = changes.files.iter().find(|change| change.path == path) else {
        return BTreeSet::new();
    };
    let set = |bytes: Option<&Vec<u8>>| lines(bytes).into_keys().collect::<BTreeSet<String>>();
    set(change.after.as_ref()).difference(&set(change.before.as_ref())).cloned().collect()
}
