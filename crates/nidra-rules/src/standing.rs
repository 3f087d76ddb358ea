//! Memory as it stands while a dream goes on, session by session, and the operations that lead there.
//!
//! A dream over ten sessions must leave what ten dreams over one each leave. So every session meets memory with all that
//! the sessions before it changed, and a statement that a later session turns never reaches memory with its old words.

use crate::new_topic;
use nidra_core::{
    Change, Dropped, EntryId, EntryView, Evidence, IndexLine, MemoryView, Operation, OperationId, Outcome,
    Recurrence, TopicView,
};
use std::collections::{BTreeMap, BTreeSet};

/// Where a statement of this dream comes from: an operation, and which of its entries.
#[derive(Clone, Copy)]
struct Origin {
    operation: usize,
    entry: usize,
}

/// Memory with what the dream changed so far.
pub(crate) struct Standing {
    view: MemoryView,
    /// The operations; `None` where a later session took one back.
    operations: Vec<Option<Operation>>,
    origins: BTreeMap<EntryId, Origin>,
    /// New topics whose words were changed since.
    changed: BTreeSet<usize>,
    /// What stands behind the link of a topic by now.
    hooks: BTreeMap<String, String>,
    dropped: Vec<Dropped>,
    recurrences: Vec<Recurrence>,
}

impl Standing {
    /// Memory before the dream.
    pub(crate) fn new(memory: &MemoryView) -> Self {
        Self {
            view: memory.clone(),
            operations: Vec::new(),
            origins: BTreeMap::new(),
            changed: BTreeSet::new(),
            hooks: BTreeMap::new(),
            dropped: Vec::new(),
            recurrences: Vec::new(),
        }
    }

    /// Memory by now.
    pub(crate) fn view(&self) -> &MemoryView {
        &self.view
    }

    /// Takes what one more session changes.
    pub(crate) fn take(&mut self, outcome: Outcome) {
        self.dropped.extend(outcome.dropped);
        for recurrence in outcome.recurrences {
            match self.origins.get(&recurrence.entry).copied() {
                Some(origin) => self.strengthen(origin, recurrence.evidence),
                None => self.recurrences.push(recurrence),
            }
        }
        for operation in outcome.operations {
            self.operation(operation);
        }
    }

    /// The operations of the whole dream.
    pub(crate) fn finish(mut self) -> Outcome {
        let mut slugs: BTreeSet<String> = self.slugs();
        for at in std::mem::take(&mut self.changed) {
            let Some(Operation { change: Change::Create { topic, entries, hook }, .. }) =
                self.operations.get_mut(at).and_then(Option::as_mut)
            else {
                continue;
            };
            slugs.remove(&topic.slug);
            *hook = new_topic::relabel(topic, entries, |slug| slugs.contains(slug));
            slugs.insert(topic.slug.clone());
        }
        let mut operations: Vec<Operation> = self.operations.into_iter().flatten().collect();
        for (at, operation) in operations.iter_mut().enumerate() {
            operation.id = OperationId::new(format!("op-{}", at + 1));
            let path = operation.change.path().map(str::to_owned);
            if let Some(line) = path.and_then(|path| self.hooks.get(&path))
                && let Change::Supersede { hook, .. } | Change::Retitle { hook, .. } = &mut operation.change
                && hook.is_some()
            {
                *hook = Some(line.clone());
            }
        }
        Outcome { operations, dropped: self.dropped, recurrences: self.recurrences }
    }

    fn slugs(&self) -> BTreeSet<String> {
        self.view.topics.iter().map(|topic| topic.path.trim_end_matches(".md").to_owned()).collect()
    }

    /// More words for a statement of this dream.
    fn strengthen(&mut self, origin: Origin, evidence: Vec<Evidence>) {
        let Some(operation) = self.operations.get_mut(origin.operation).and_then(Option::as_mut) else {
            return;
        };
        for one in evidence {
            if !operation.evidence.iter().any(|other| other.source.record == one.source.record) {
                operation.evidence.push(one);
            }
        }
    }

    fn operation(&mut self, operation: Operation) {
        match operation.change.clone() {
            Change::Create { topic, entries, hook } => {
                let path = format!("{}.md", topic.slug);
                let views = entries.iter().map(|text| entry(&path, text)).collect::<Vec<_>>();
                for (at, view) in views.iter().enumerate() {
                    let origin = Origin { operation: self.operations.len(), entry: at };
                    self.origins.insert(view.id.clone(), origin);
                }
                self.view.index.push(IndexLine {
                    text: format!("- [{}]({path}) — {hook}", topic.title),
                    targets: vec![path.clone()],
                });
                self.view.topics.push(TopicView {
                    path,
                    name: topic.title,
                    description: topic.description,
                    kind: Some(topic.kind),
                    pinned: false,
                    editable: true,
                    modified: None,
                    entries: views,
                });
                self.operations.push(Some(operation));
            }
            Change::Supersede { target, text, hook } => {
                let fresh = EntryId::of(&target.path, &text);
                self.replace(&target.path, &target.entry, Some((&fresh, &text)));
                self.rehook(&target.path, hook);
                let origin = self.origins.remove(&target.entry);
                let origin = if let Some(origin) = origin {
                    self.turn(origin, operation, &text);
                    origin
                } else {
                    self.operations.push(Some(operation));
                    Origin { operation: self.operations.len() - 1, entry: 0 }
                };
                self.origins.insert(fresh, origin);
            }
            Change::Archive { target } => {
                self.replace(&target.path, &target.entry, None);
                match self.origins.remove(&target.entry) {
                    Some(origin) => self.take_back(origin, operation),
                    None => self.operations.push(Some(operation)),
                }
            }
            Change::Retitle { ref path, ref hook, .. } => {
                self.rehook(path, hook.clone());
                if !self.is_new(path) {
                    self.operations.push(Some(operation));
                }
            }
            // These rules make no others.
            _ => self.operations.push(Some(operation)),
        }
    }

    /// A later session says otherwise what this dream was about to write.
    fn turn(&mut self, origin: Origin, later: Operation, text: &str) {
        let Some(earlier) = self.operations.get_mut(origin.operation).and_then(Option::as_mut) else {
            return;
        };
        let old = match &mut earlier.change {
            Change::Create { entries, .. } => {
                self.changed.insert(origin.operation);
                entries.get_mut(origin.entry).map(|entry| std::mem::replace(entry, text.to_owned()))
            }
            Change::Supersede { text: words, .. } => Some(std::mem::replace(words, text.to_owned())),
            _ => None,
        };
        let reason = format!("said otherwise later: {}", later.reason);
        let evidence = earlier.evidence.clone();
        earlier.evidence.extend(later.evidence);
        earlier.rank = later.rank;
        earlier.reason = later.reason;
        self.dropped.extend(old.map(|text| Dropped { text, reason, evidence }));
    }

    /// A later session takes back what this dream was about to write.
    fn take_back(&mut self, origin: Origin, later: Operation) {
        let place = origin.operation;
        let Some(earlier) = self.operations.get_mut(place).and_then(Option::take) else { return };
        let mut dropped = |text: String, evidence| {
            self.dropped.push(Dropped { text, reason: later.reason.clone(), evidence });
        };
        match earlier.change.clone() {
            Change::Create { topic, mut entries, hook } if entries.len() > 1 => {
                if origin.entry < entries.len() {
                    dropped(entries.remove(origin.entry), earlier.evidence.clone());
                }
                for other in self.origins.values_mut() {
                    if other.operation == place && other.entry > origin.entry {
                        other.entry -= 1;
                    }
                }
                self.changed.insert(place);
                let change = Change::Create { topic, entries, hook };
                self.operations[place] = Some(Operation { change, ..earlier });
            }
            Change::Create { topic, entries, .. } => {
                let path = format!("{}.md", topic.slug);
                self.view.topics.retain(|topic| topic.path != path);
                self.view.index.retain(|line| !line.targets.contains(&path));
                for text in entries {
                    dropped(text, earlier.evidence.clone());
                }
            }
            // The statement that stood there before this dream goes, too: it was no longer so.
            Change::Supersede { target, text, .. } => {
                dropped(text, earlier.evidence.clone());
                let evidence = earlier.evidence.into_iter().chain(later.evidence).collect();
                let change = Change::Archive { target };
                self.operations[place] = Some(Operation { change, evidence, ..later });
            }
            // Statements come from no others.
            _ => {}
        }
    }

    fn is_new(&self, path: &str) -> bool {
        self.operations.iter().flatten().any(|operation| {
            matches!(&operation.change, Change::Create { topic, .. } if path.strip_suffix(".md") == Some(&topic.slug))
        })
    }

    /// Puts other words in the place of an entry, or none.
    fn replace(&mut self, path: &str, id: &EntryId, fresh: Option<(&EntryId, &str)>) {
        let Some(topic) = self.view.topics.iter_mut().find(|topic| topic.path == path) else { return };
        match fresh {
            Some((fresh, text)) => {
                for entry in topic.entries.iter_mut().filter(|entry| entry.id == *id) {
                    entry.id = fresh.clone();
                    text.clone_into(&mut entry.text);
                }
            }
            None => topic.entries.retain(|entry| entry.id != *id),
        }
    }

    /// Sets the words behind the link of a topic.
    fn rehook(&mut self, path: &str, hook: Option<String>) {
        let Some(hook) = hook else { return };
        let link = format!("]({path})");
        for line in &mut self.view.index {
            if let Some(at) = line.text.find(&link) {
                line.text = format!("{} — {hook}", &line.text[..at + link.len()]);
            }
        }
        self.hooks.insert(path.to_owned(), hook);
    }
}

fn entry(path: &str, text: &str) -> EntryView {
    EntryView {
        id: EntryId::of(path, text),
        range: 0..0,
        text: text.to_owned(),
        headings: Vec::new(),
        bullet: false,
        active: true,
    }
}
