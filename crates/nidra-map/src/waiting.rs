//! What is not done yet: open tasks, changes that wait for the user's word, and statements that exclude each other.

use crate::OpenLoop;
use crate::gather::Known;
use nidra_core::text::redact::{Scope, redact_in};
use nidra_core::{Change, EntryId, Operation};
use nidra_dream::kept::Origin;
use nidra_memory::store::{PlanState, TaskState};
use std::collections::HashMap;

/// Where entries are on the map.
pub(crate) struct Places<'a> {
    pub(crate) at: &'a HashMap<&'a EntryId, usize>,
    pub(crate) scope: Scope,
}

/// What waits in a project.
#[derive(Default)]
pub(crate) struct Waiting {
    pub(crate) loops: Vec<OpenLoop>,
    /// Two entries and the plan that asks which one holds.
    pub(crate) contradictions: Vec<(usize, usize, String)>,
    /// Entries and the plan in which a change of each waits.
    pub(crate) changes: Vec<(usize, String)>,
}

/// Collects what waits: questions first, then plans, then tasks.
pub(crate) fn of(project: &Known<'_>, number: usize, places: &Places<'_>) -> Waiting {
    let mut waiting = Waiting::default();
    let open = || project.plans.iter().filter(|(record, _)| record.state == PlanState::Open);
    for (record, kept) in open().filter(|(_, kept)| kept.origin == Origin::Question) {
        let plan = record.hash.as_str().to_owned();
        let entries: Vec<usize> =
            kept.operations().iter().filter_map(|operation| places.target(operation)).collect();
        if let [left, right] = entries.as_slice() {
            waiting.contradictions.push((*left, *right, plan.clone()));
        }
        let words: Vec<String> = kept
            .operations()
            .iter()
            .filter_map(|one| one.change.target())
            .map(|one| one.text.clone())
            .collect();
        waiting.loops.push(OpenLoop {
            kind: "question",
            project: number,
            name: plan,
            text: redact_in(&words.join(" ⟷ "), places.scope),
            detail: "both cannot be true; keep one of them, or both".to_owned(),
            at: record.created,
            entries,
        });
    }
    for (record, kept) in open().filter(|(_, kept)| kept.origin != Origin::Question) {
        for (operation, because) in kept.operations().iter().zip(&kept.waits_because) {
            let target = places.target(operation);
            let plan = record.hash.as_str().to_owned();
            waiting.changes.extend(target.map(|entry| (entry, plan.clone())));
            waiting.loops.push(OpenLoop {
                kind: "plan",
                project: number,
                name: plan,
                text: redact_in(&words(&operation.change), places.scope),
                detail: redact_in(because, places.scope),
                at: record.created,
                entries: target.into_iter().collect(),
            });
        }
    }
    for task in project.tasks.iter().filter(|task| task.state == TaskState::Open) {
        let named = |link: &String| {
            places.at.iter().find(|(entry, _)| entry.as_str().starts_with(link.as_str())).map(|(_, at)| *at)
        };
        let questions: Vec<&str> = task.open_decisions().map(|decision| decision.question.as_str()).collect();
        let to_decide = match questions.as_slice() {
            [] => String::new(),
            questions => format!("; to decide: {}", questions.join("; ")),
        };
        waiting.loops.push(OpenLoop {
            kind: "task",
            project: number,
            name: redact_in(&task.id, places.scope),
            text: redact_in(&task.goal, places.scope),
            detail: redact_in(&format!("next: {}{to_decide}", task.next_step), places.scope),
            at: task.changed,
            entries: task.links.iter().filter_map(named).collect(),
        });
    }
    waiting
}

impl Places<'_> {
    fn target(&self, operation: &Operation) -> Option<usize> {
        self.at.get(&operation.change.target()?.entry).copied()
    }
}

/// What a change would do, in a line.
fn words(change: &Change) -> String {
    match change {
        Change::Create { entries, .. } => format!("new: {}", entries.join(" ")),
        Change::Append { text, .. } => format!("new: {text}"),
        Change::Rewrite { target, text, .. } | Change::Supersede { target, text, .. } => {
            format!("{} → {text}", target.text)
        }
        Change::Archive { target } => format!("to the archive: {}", target.text),
        Change::Retitle { path, description, hook } => {
            let told = description.as_ref().or(hook.as_ref());
            format!("{path} says of itself: {}", told.map_or("", String::as_str))
        }
        Change::Relink { path, hook, .. } => format!("{path} gets a line in the index: {hook}"),
        Change::Unlink { line } => format!("leaves the index: {line}"),
        Change::Propose { destination, text } => format!("for {destination}: {text}"),
    }
}
