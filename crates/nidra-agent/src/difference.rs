//! What an agent changed in its copy of memory, read as operations. Each rests on what a person said in the sessions, or
//! it is declined; moving words about, renaming files and tidying up say nothing new and are declined as well.

mod astray;

use crate::said::Said;
use crate::staging::Left;
use crate::stray::Stray;
use crate::vocabulary::Vocabulary;
use astray::INACTIVE;
use nidra_core::text::redact::{self, Scope};
use nidra_core::text::similarity::Bag;
use nidra_core::text::width;
use nidra_core::{
    Change, EntryId, EntryView, Evidence, IndexLine, Kind, MemoryView, NewTopic, Operation, OperationId,
    Outcome, Target, TopicView, TrustRank,
};
use nidra_model::ground;
use nidra_model::spoken::folded;
use nidra_rules::title;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The room of an index line behind its link.
const HOOK: usize = 110;
/// The room of a title.
const TITLE: usize = 50;

/// The room of the name of a file in a report.
const PLACE: usize = 60;
/// The room of the words of a declined change.
const ABOUT: usize = 200;

/// From this similarity on two statements that rest on the same words say the same.
const ALIKE: f64 = 0.5;

/// What stands for the name of a file that the agent made, where nobody said a word of the name: it may hold anything.
const NEW_FILE: &str = "a new file";

/// A change of an agent's that the plan did not take on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeclinedChange {
    /// The file of the copy in which it stands; of the name of a new one the words that are known.
    pub file: String,
    /// What it was about: its words that a person said or that stand in memory, with `…` for any other.
    pub about: String,
    /// Why not.
    pub reason: &'static str,
}

/// What became of the changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Difference {
    /// Those that rest on something.
    pub(crate) operations: Vec<Operation>,
    /// How many of each kind there are.
    pub(crate) taken: BTreeMap<&'static str, u64>,
    /// How many were declined, by the reason.
    pub(crate) declined: BTreeMap<&'static str, u64>,
    /// In which files, by the reason.
    pub(crate) declined_in: BTreeMap<&'static str, BTreeSet<String>>,
    /// Each of them.
    pub(crate) refusals: Vec<DeclinedChange>,
    /// Places in which words of a person's stand that are kept nowhere else.
    pub(crate) astray: BTreeSet<String>,
}

/// Reads what changed between two states of the copy. The rules' plan is the floor: what it changes is left to it, and
/// what it keeps is not kept twice.
pub(crate) fn operations(
    before: &MemoryView,
    left: &Left,
    said: &Said,
    rules: &Outcome,
    scope: Scope,
) -> Difference {
    let after = &left.memory;
    let names = left.strays.iter().flat_map(Stray::words);
    let touched = rules.operations.iter().filter_map(|operation| operation.change.target());
    let mut reader = Reader {
        said,
        rules,
        scope,
        touched: touched.map(|target| target.entry.clone()).collect(),
        kept: rules.operations.iter().flat_map(|one| one.change.statements()).map(str::to_owned).collect(),
        known: words(before),
        left: words(after),
        vocabulary: Vocabulary::of(before, said.words().chain(names)),
        difference: Difference::default(),
    };
    for topic in &before.topics {
        reader.topic(topic, after.topic(&topic.path), (&before.index, &after.index));
    }
    for topic in after.topics.iter().filter(|topic| before.topic(&topic.path).is_none()) {
        reader.new_topic(topic);
    }
    reader.index(before, after);
    for stray in &left.strays {
        reader.stray(stray);
    }
    reader.difference
}

/// The words of all entries that are stated as true.
fn words(memory: &MemoryView) -> Vec<String> {
    memory.entries().map(|(_, entry)| folded(&entry.text)).collect()
}

struct Reader<'a> {
    said: &'a Said,
    /// The plan that is the floor.
    rules: &'a Outcome,
    scope: Scope,
    /// Entries that some operation changes; each is changed once.
    touched: BTreeSet<EntryId>,
    /// What is stated by the rules' plan, and by the operations so far.
    kept: Vec<String>,
    known: Vec<String>,
    left: Vec<String>,
    /// The words of the agent's that may be repeated.
    vocabulary: Vocabulary,
    difference: Difference,
}

type Judged = Result<(Change, Vec<Evidence>, &'static str), &'static str>;

impl Reader<'_> {
    fn topic(&mut self, old: &TopicView, new: Option<&TopicView>, index: (&[IndexLine], &[IndexLine])) {
        let kind = old.kind.unwrap_or(Kind::Project);
        let active = |topic: &TopicView| -> Vec<EntryView> {
            topic.entries.iter().filter(|entry| entry.active).cloned().collect()
        };
        let mut removed = active(old);
        let mut added = new.map(active).unwrap_or_default();
        // What stands in both is as it was, however often.
        removed.retain(|entry| match added.iter().position(|other| other.text == entry.text) {
            Some(place) => {
                added.remove(place);
                false
            }
            None => true,
        });
        for entry in removed {
            let new = take_nearest(&entry, &mut added);
            let (judged, words) = match &new {
                Some(new) => (self.changed(&old.path, &entry, &new.text), &new.text),
                None => (self.gone(&old.path, &entry), &entry.text),
            };
            self.settle(judged, kind, &old.path, words);
        }
        for entry in added {
            let judged = self.added(&entry.text).map(|evidence| {
                let change = Change::Append { path: old.path.clone(), text: entry.text.clone(), hook: None };
                (change, evidence, "the agent found it worth keeping")
            });
            self.settle(judged, kind, &old.path, &entry.text);
        }
        if let Some(new) = new {
            let known = |entry: &&EntryView| old.entries.iter().any(|other| other.text == entry.text);
            for entry in new.entries.iter().filter(|entry| !entry.active && !known(entry)) {
                self.decline_astray(INACTIVE, &old.path, &entry.text);
            }
            self.told(old, new, index);
        }
    }

    /// An entry's words became others.
    fn changed(&mut self, path: &str, entry: &EntryView, text: &str) -> Judged {
        if self.touched.contains(&entry.id) {
            return Err("the rules change this entry already");
        }
        if folded(text) == folded(&entry.text) {
            return Err("it says nothing new");
        }
        self.news(text)?;
        let target = target(path, entry);
        if !ground::loses(&entry.text, text) && ground::says_the_same(&entry.text, text) {
            let evidence = self.said.ground(text, &entry.text)?;
            self.touched.insert(entry.id.clone());
            let change = Change::Rewrite { target, text: text.to_owned(), hook: None };
            return Ok((change, evidence, "the agent put what was said into the entry"));
        }
        if ground::says_the_same(text, &entry.text) {
            return Err("it leaves something out");
        }
        let evidence = self.said.ground(text, "")?;
        self.touched.insert(entry.id.clone());
        let hook = Some(width::shorten(text, HOOK));
        let change = Change::Supersede { target, text: text.to_owned(), hook };
        Ok((change, evidence, "the agent saw that it changed"))
    }

    /// An entry is there no more.
    fn gone(&mut self, path: &str, entry: &EntryView) -> Judged {
        if self.left.contains(&folded(&entry.text)) {
            return Err("moving an entry says nothing new");
        }
        if self.touched.contains(&entry.id) {
            return Err("the rules change this entry already");
        }
        let evidence = self.said.ends(&entry.text).ok_or("no person said that it is over")?;
        self.touched.insert(entry.id.clone());
        let change = Change::Archive { target: target(path, entry) };
        Ok((change, vec![evidence], "the person said that it is over, as the agent sees it"))
    }

    /// A new statement, wherever it stands.
    fn added(&self, text: &str) -> Result<Vec<Evidence>, &'static str> {
        self.news(text)?;
        let evidence = self.said.ground(text, "")?;
        let words = evidence.iter().map(|one| one.quote.as_str()).collect::<Vec<_>>().join("\n");
        if ground::is_own(text, &words)
            && self.rules.operations.iter().any(|kept| tells(kept, text, &evidence))
        {
            return Err("the rules keep it in the words of whoever said it");
        }
        Ok(evidence)
    }

    /// Whether a statement says what neither memory nor the plan says.
    fn news(&self, text: &str) -> Result<(), &'static str> {
        if self.known.contains(&folded(text)) {
            return Err("moving an entry says nothing new");
        }
        if self.kept.iter().any(|kept| ground::says_the_same(text, kept)) {
            return Err("it is kept already");
        }
        if self.known.iter().any(|known| ground::says_the_same(text, known)) {
            return Err("memory says so already");
        }
        Ok(())
    }

    /// A file that there was not.
    fn new_topic(&mut self, topic: &TopicView) {
        let kind = topic.kind.unwrap_or(Kind::Project);
        let place = self.place(&topic.path);
        let mut entries = Vec::new();
        let mut grounds: Vec<Evidence> = Vec::new();
        if topic.entries.is_empty() {
            self.decline("it states nothing", &place, &topic.description);
        }
        for entry in &topic.entries {
            if !entry.active {
                self.decline_astray(INACTIVE, &place, &entry.text);
                continue;
            }
            match self.added(&entry.text) {
                Ok(evidence) => {
                    self.kept.push(entry.text.clone());
                    entries.push(entry.text.clone());
                    grounds.extend(
                        evidence.into_iter().filter(|one| !grounds.contains(one)).collect::<Vec<_>>(),
                    );
                }
                Err(reason) => self.decline(reason, &place, &entry.text),
            }
        }
        let Some(first) = entries.first().cloned() else { return };
        let whole = entries.join("\n");
        let fits = |text: &&str, room: usize| {
            let plain = !text.is_empty() && !text.contains(['[', ']', '\n']);
            plain
                && text.chars().count() <= room
                && ground::fault(text, &whole).is_none()
                && ground::is_cut_from(text, &whole)
        };
        let title = Some(topic.name.as_str()).filter(|name| fits(name, TITLE));
        let title = title.map(str::to_owned).or_else(|| title::of(&first));
        let title = title.unwrap_or_else(|| width::shorten(&first, TITLE));
        let description = Some(topic.description.as_str()).filter(|text| fits(text, HOOK));
        let description = description.map_or_else(|| width::shorten(&first, HOOK), str::to_owned);
        let change = Change::Create {
            topic: NewTopic {
                slug: slug(&topic.path, &first, self.scope),
                title,
                description: description.clone(),
                kind,
            },
            entries,
            hook: description,
        };
        self.settle(Ok((change, grounds, "the agent found it worth keeping")), kind, &place, &first);
    }

    /// The name of a new file as far as its words are known.
    fn place(&self, path: &str) -> String {
        let name = redact::redact_in(path, self.scope);
        let (stem, end) = name.strip_suffix(".md").map_or((name.as_str(), ""), |stem| (stem, ".md"));
        let stem = self.vocabulary.shown(stem);
        if stem.is_empty() || !redact::is_clean_path(path, self.scope) {
            return NEW_FILE.to_owned();
        }
        format!("{}{end}", width::shorten(&stem, PLACE))
    }

    /// What the head of a file and its line in the index say of it. Both have to rest on an entry of the file.
    fn told(&mut self, old: &TopicView, new: &TopicView, index: (&[IndexLine], &[IndexLine])) {
        let hook = |lines: &[IndexLine]| {
            let line = lines.iter().find(|line| line.targets == [old.path.clone()])?;
            Some(
                line.text
                    .split_once("](")?
                    .1
                    .split_once(')')?
                    .1
                    .trim_matches(&[' ', '—', '-', ':'][..])
                    .to_owned(),
            )
        };
        let changed = |old: &str, new: &str| (!new.is_empty() && old != new).then(|| new.to_owned());
        let description = changed(&old.description, &new.description);
        let hook = match (hook(index.0), hook(index.1)) {
            (Some(old), Some(new)) => changed(&old, &new),
            _ => None,
        };
        let rests = |text: &String| {
            let plain = !text.contains(['\n', '[', ']']) && text.chars().count() <= HOOK;
            let stands =
                |words: &str| ground::fault(text, words).is_none() && ground::is_cut_from(text, words);
            plain && old.entries.iter().any(|entry| stands(&entry.text))
        };
        let asked = description.clone().or_else(|| hook.clone());
        let (description, hook) = (description.filter(rests), hook.filter(rests));
        if description.is_none() && hook.is_none() {
            if let Some(words) = asked {
                self.decline("what the index says does not stand in the file", &old.path, &words);
            }
            return;
        }
        let change = Change::Retitle { path: old.path.clone(), description, hook };
        let reason = "the agent says better what the file holds";
        self.settle(Ok((change, Vec::new(), reason)), old.kind.unwrap_or(Kind::Project), &old.path, "");
    }

    fn settle(&mut self, judged: Judged, kind: Kind, path: &str, about: &str) {
        let (change, evidence, reason) = match judged {
            Ok(judged) => judged,
            Err(reason) => return self.decline(reason, path, about),
        };
        let mut words: Vec<&str> = evidence.iter().map(|one| one.quote.as_str()).collect();
        // A rewritten entry may repeat itself.
        words.extend(match &change {
            Change::Rewrite { target, .. } => Some(target.text.as_str()),
            _ => None,
        });
        let words = words.join("\n");
        // That something is over, or what it gave way to, is the agent's reading, whatever was said.
        let own = matches!(change, Change::Archive { .. } | Change::Supersede { .. })
            || change.statements().into_iter().any(|text| ground::is_own(text, &words));
        *self.difference.taken.entry(change.name()).or_default() += 1;
        self.kept.extend(change.statements().into_iter().map(str::to_owned));
        self.difference.operations.push(Operation {
            id: OperationId::new(format!("agent-{}", self.difference.operations.len() + 1)),
            change,
            kind,
            // With a word that nobody said the statement is the agent's.
            rank: if own { TrustRank::AgentInferred } else { TrustRank::HumanVerbatim },
            reason: reason.to_owned(),
            evidence,
        });
    }

    fn decline(&mut self, reason: &'static str, path: &str, about: &str) {
        let about = self.vocabulary.shown(&redact::redact_in(about, self.scope));
        let about = width::shorten(&about, ABOUT);
        self.difference.refusals.push(DeclinedChange { file: path.to_owned(), about, reason });
        self.difference.declined_in.entry(reason).or_default().insert(path.to_owned());
        *self.difference.declined.entry(reason).or_default() += 1;
    }
}

/// Whether an operation rests on all that a statement rests on, and says much the same.
fn tells(operation: &Operation, text: &str, evidence: &[Evidence]) -> bool {
    let rests = |one: &Evidence| {
        operation.evidence.iter().any(|other| {
            other.source == one.source
                && (ground::quotes(&one.quote, &other.quote) || ground::quotes(&other.quote, &one.quote))
        })
    };
    let own = Bag::new(text);
    evidence.iter().all(rests)
        && operation.change.statements().into_iter().any(|kept| own.similarity(&Bag::new(kept)) >= ALIKE)
}

/// Takes the added entry out that is most likely the new form of a removed one.
fn take_nearest(old: &EntryView, added: &mut Vec<EntryView>) -> Option<EntryView> {
    let own = Bag::new(&old.text);
    let nearness = |entry: &EntryView| own.similarity(&Bag::new(&entry.text));
    let best = (0..added.len()).max_by(|left, right| {
        let of = |place: usize| added.get(place).map(nearness).unwrap_or_default();
        of(*left).total_cmp(&of(*right)).then(right.cmp(left))
    })?;
    let fits = added.get(best).is_some_and(|entry| ground::same_thing(&old.text, &entry.text));
    fits.then(|| added.remove(best))
}

fn target(path: &str, entry: &EntryView) -> Target {
    Target { path: path.to_owned(), entry: entry.id.clone(), text: entry.text.clone() }
}

/// The name of a new file: the agent's where it is a plain one without a secret, else one made of the words.
fn slug(path: &str, text: &str, scope: Scope) -> String {
    let stem = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".md");
    let words = |text: &str| -> Vec<String> {
        text.to_ascii_lowercase()
            .split(|letter: char| !letter.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .take(6)
            .map(str::to_owned)
            .collect()
    };
    let secret = redact::has_placeholder(path) || !redact::is_clean_path(path, scope);
    let own = if secret { Vec::new() } else { words(stem) };
    let name = if own.is_empty() { words(text) } else { own };
    if name.is_empty() { "note".to_owned() } else { name.join("-") }
}
