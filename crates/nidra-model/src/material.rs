//! What a model is shown: the candidates of the rules, the sentences that nearly were some, and what memory says of the
//! same. Nothing else of a conversation leaves.

use crate::spoken::{Spoken, folded};
use nidra_core::text::redact::{self, Scope};
use nidra_core::text::similarity::Bag;
use nidra_core::text::{token, width};
use nidra_core::{
    Change, Conversation, EngineInput, EntryId, Evidence, Kind, Operation, Outcome, Speaker, TrustRank,
};
use nidra_rules::worth;
use std::collections::BTreeSet;

/// Characters of a piece of evidence at most; what is longer is a digest or a paste.
const MAX_WORDS: usize = 600;
/// What a sentence has to be worth by the rules' own weights so that the model is asked; they take it from 1.5 on.
const NEARLY: f64 = 0.9;
/// Sentences of one conversation at most that the rules did not take, the best first.
const MAX_HEARD: usize = 40;
/// Pieces of evidence of one item at most.
const MAX_QUOTES: usize = 4;
/// From this share of common terms on an entry is shown.
const RELATED: f64 = 0.12;

/// Something that the model judges.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    /// Its name in the question: `c1`, `h1`.
    pub(crate) name: String,
    /// What it is known by in every question of a run.
    pub(crate) key: String,
    /// The words that it rests on, as they are shown.
    pub(crate) quotes: Vec<Evidence>,
    /// What the rules would do; `None` for a sentence that they did not take.
    pub(crate) candidate: Option<Candidate>,
}

/// What the rules would do.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// The place of the operation in the rules' plan.
    pub(crate) place: usize,
    /// The words that would be stored.
    pub(crate) text: String,
    /// What it is about.
    pub(crate) kind: Kind,
    /// The name of the change.
    pub(crate) change: &'static str,
    /// The words that it would replace.
    pub(crate) replaces: Option<String>,
    /// How far it can be trusted.
    pub(crate) rank: TrustRank,
}

/// An entry of memory that is shown.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// Its name in the question: `e1`.
    pub(crate) name: String,
    /// The topic file.
    pub(crate) path: String,
    /// The entry.
    pub(crate) entry: EntryId,
    /// Its words.
    pub(crate) text: String,
}

/// All that a run shows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Material {
    pub(crate) items: Vec<Item>,
    pub(crate) entries: Vec<Known>,
}

impl Item {
    /// All its words.
    pub(crate) fn words(&self) -> String {
        let quotes = self.quotes.iter().map(|evidence| evidence.quote.as_str());
        let candidate = self.candidate.as_ref().map(|candidate| candidate.text.as_str());
        quotes.chain(candidate).collect::<Vec<_>>().join("\n")
    }

    /// Whether a person said all of its words.
    pub(crate) fn is_human(&self) -> bool {
        !self.quotes.is_empty() && self.quotes.iter().all(|evidence| evidence.speaker == Speaker::Human)
    }
}

/// How much may be shown, and what never is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds<'a> {
    pub(crate) scope: Scope,
    /// Tokens of entries of memory at most.
    pub(crate) memory_tokens: usize,
    /// Entries that must not leave this machine.
    pub(crate) private: &'a BTreeSet<EntryId>,
}

impl Material {
    /// Chooses what is shown.
    pub(crate) fn collect(input: EngineInput<'_>, rules: &Outcome, bounds: Bounds<'_>) -> Self {
        let mut items: Vec<Item> = Vec::new();
        let number = |items: &[Item], letter: char| {
            format!("{letter}{}", items.iter().filter(|item| item.name.starts_with(letter)).count() + 1)
        };
        for (place, operation) in rules.operations.iter().enumerate() {
            // What rests on an entry that stays here holds some of its words.
            let stays =
                operation.change.target().is_some_and(|target| bounds.private.contains(&target.entry));
            if let Some(mut item) = candidate(place, operation, bounds.scope).filter(|_| !stays) {
                item.name = number(&items, 'c');
                items.push(item);
            }
        }
        let mut keys: BTreeSet<String> = items.iter().map(|item| item.key.clone()).collect();
        for conversation in input.conversations {
            for mut item in heard(conversation, input, rules, bounds.scope) {
                if keys.insert(item.key.clone()) {
                    item.name = number(&items, 'h');
                    items.push(item);
                }
            }
        }
        let entries = related(input, rules, &items, bounds);
        Self { items, entries }
    }
}

fn key(parts: &[&str]) -> String {
    blake3::hash(parts.join("\0").as_bytes()).to_hex().get(..24).unwrap_or_default().to_owned()
}

fn candidate(place: usize, operation: &Operation, scope: Scope) -> Option<Item> {
    let text = match &operation.change {
        Change::Create { entries, .. } => entries.join(" "),
        Change::Append { text, .. } | Change::Rewrite { text, .. } | Change::Supersede { text, .. } => {
            text.clone()
        }
        Change::Archive { target } => target.text.clone(),
        Change::Retitle { .. } | Change::Relink { .. } | Change::Unlink { .. } | Change::Propose { .. } => {
            return None;
        }
    };
    let shown = |text: &str| width::shorten(&redact::redact_in(text, scope), MAX_WORDS);
    let quotes: Vec<Evidence> = operation
        .evidence
        .iter()
        .take(MAX_QUOTES)
        .map(|evidence| Evidence { quote: shown(&evidence.quote), ..evidence.clone() })
        .collect();
    let replaces = operation.change.target().map(|target| shown(&target.text));
    let change = operation.change.name();
    let records: Vec<&str> = quotes.iter().map(|evidence| evidence.source.record.as_str()).collect();
    let parts = [&["c", change, text.as_str(), replaces.as_deref().unwrap_or_default()], records.as_slice()];
    Some(Item {
        name: String::new(),
        key: key(&parts.concat()),
        quotes,
        candidate: Some(Candidate {
            place,
            text: shown(&text),
            kind: operation.kind,
            change,
            replaces,
            rank: operation.rank,
        }),
    })
}

/// The sentences of a person that the rules nearly took, in the order in which they were said.
fn heard(conversation: &Conversation, input: EngineInput<'_>, rules: &Outcome, scope: Scope) -> Vec<Item> {
    let alone = EngineInput { conversations: std::slice::from_ref(conversation), ..input };
    let mut near: Vec<(usize, worth::Example)> = worth::examples(&alone)
        .into_iter()
        .enumerate()
        .filter(|(_, example)| example.by_hand >= NEARLY && example.sentence.chars().count() <= MAX_WORDS)
        .collect();
    near.sort_by(|(_, left), (_, right)| right.by_hand.total_cmp(&left.by_hand));
    near.truncate(MAX_HEARD);
    near.sort_by_key(|(place, _)| *place);
    let taken: Vec<String> = rules
        .operations
        .iter()
        .flat_map(|operation| &operation.evidence)
        .chain(rules.dropped.iter().flat_map(|dropped| &dropped.evidence))
        .chain(rules.recurrences.iter().flat_map(|recurrence| &recurrence.evidence))
        .map(|evidence| folded(&evidence.quote))
        .collect();
    let spoken = Spoken::of(conversation, scope);
    near.into_iter()
        .filter_map(|(_, example)| {
            let evidence = spoken.quote(&example.sentence)?;
            let words = folded(&evidence.quote);
            if taken.iter().any(|quote| quote.contains(&words)) {
                return None;
            }
            Some(Item {
                name: String::new(),
                key: key(&["h", &evidence.source.record, &evidence.quote]),
                quotes: vec![evidence],
                candidate: None,
            })
        })
        .collect()
}

/// The entries that the items are about, in the order of memory, those nearest to an item as far as there is room.
fn related(input: EngineInput<'_>, rules: &Outcome, items: &[Item], bounds: Bounds<'_>) -> Vec<Known> {
    let targets: BTreeSet<&EntryId> = rules
        .operations
        .iter()
        .filter_map(|operation| operation.change.target().map(|target| &target.entry))
        .collect();
    let terms: Vec<Bag> = items.iter().map(|item| Bag::new(&item.words())).collect();
    let mut near: Vec<(f64, usize, Known)> = Vec::new();
    for (place, (topic, entry)) in input.memory.entries().enumerate() {
        // What holds a secret is shown to nobody, and what is not shown cannot be changed.
        let clean = redact::find_in(&entry.text, bounds.scope).is_empty()
            && redact::is_clean_path(&topic.path, bounds.scope);
        let short = entry.text.chars().count() <= MAX_WORDS;
        if topic.pinned || !topic.editable || !clean || !short || bounds.private.contains(&entry.id) {
            continue;
        }
        let own = Bag::new(&entry.text);
        let nearness = if targets.contains(&entry.id) {
            f64::INFINITY
        } else {
            terms.iter().map(|item| own.similarity(item)).fold(0.0, f64::max)
        };
        if nearness >= RELATED {
            let known = Known {
                name: String::new(),
                path: topic.path.clone(),
                entry: entry.id.clone(),
                text: entry.text.clone(),
            };
            near.push((nearness, place, known));
        }
    }
    near.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    let mut left = bounds.memory_tokens;
    near.retain(|(_, _, known)| {
        let tokens = token::estimate(&known.text) + token::estimate(&known.path) + 12;
        let fits = tokens <= left;
        left -= if fits { tokens } else { 0 };
        fits
    });
    near.sort_by_key(|(_, place, _)| *place);
    near.into_iter()
        .enumerate()
        .map(|(at, (_, _, known))| Known { name: format!("e{}", at + 1), ..known })
        .collect()
}
