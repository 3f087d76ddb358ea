//! What of a model's answer the plan takes on. The rules' plan is the floor: what it would store is stored, whatever a
//! weak model says, and each thing that comes on top is checked against the words that were shown.

use crate::answer::{Proposal, Verb};
use crate::ground;
use crate::material::{Candidate, Item, Known, Material};
use crate::spoken::folded;
use nidra_core::text::form;
use nidra_core::text::redact::Scope;
use nidra_core::text::width;
use nidra_core::{
    Change, Dropped, EntryId, Kind, NewTopic, Operation, OperationId, Outcome, Recurrence, Target, TrustRank,
};
use nidra_rules::title;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// What a model said of an item, in names that hold for a whole run.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    pub(crate) proposal: Proposal,
    pub(crate) other: Option<Other>,
}

/// What an operation names beside its item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Other {
    /// An entry of memory.
    Entry(EntryId),
    /// Another item, by its key.
    Item(String),
}

/// How the merged plan came about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Merged {
    pub(crate) outcome: Outcome,
    pub(crate) taken: BTreeMap<&'static str, u64>,
    pub(crate) declined: BTreeMap<&'static str, u64>,
    pub(crate) refusals: Vec<Declined>,
}

/// A proposal that the plan did not take on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Declined {
    /// What was proposed: `create`, `append`, `archive` …
    pub proposal: &'static str,
    /// The words that it was about, which somebody said; none of the model's.
    pub about: String,
    /// Why not.
    pub reason: &'static str,
}

/// The room of an index line behind its link; what is longer is cut by a later step, not in the middle of a word here.
const HOOK: usize = 110;
const TITLE: usize = 50;

/// Merges verdicts into the rules' plan.
pub(crate) fn merge(
    rules: Outcome,
    material: &Material,
    verdicts: &BTreeMap<String, Verdict>,
    may_drop: bool,
) -> Merged {
    let touched = rules.operations.iter().filter_map(|operation| operation.change.target());
    let mut merging = Merging {
        touched: touched.map(|target| target.entry.clone()).collect(),
        merged: Merged { outcome: rules, ..Merged::default() },
        material,
        may_drop,
        gone: BTreeSet::new(),
        gone_keys: BTreeSet::new(),
    };
    for item in &material.items {
        if let Some(verdict) = verdicts.get(&item.key) {
            merging.judge(item, verdict);
        }
    }
    merging.finish()
}

struct Merging<'a> {
    merged: Merged,
    material: &'a Material,
    may_drop: bool,
    /// The entries that some operation changes; each is changed once.
    touched: BTreeSet<EntryId>,
    /// The places of operations that fall away.
    gone: BTreeSet<usize>,
    gone_keys: BTreeSet<String>,
}

/// What became of a proposal: the name under which it is counted.
type Judged = Result<Option<&'static str>, &'static str>;

impl Merging<'_> {
    fn judge(&mut self, item: &Item, verdict: &Verdict) {
        let judged = match (verdict.proposal.verb, &item.candidate) {
            (Verb::Keep, _) | (Verb::Drop, None) => Ok(None),
            (Verb::Drop, Some(candidate)) => self.drop_candidate(item, candidate, verdict),
            (Verb::Create | Verb::Append, Some(candidate)) => self.reword(item, candidate, verdict),
            (Verb::Create | Verb::Append, None) => self.add(item, verdict),
            (Verb::Supersede, Some(candidate)) => self.replace(item, candidate, verdict),
            (Verb::Supersede, None) => self.supersede(item, verdict),
            (Verb::Archive, _) => self.archive(item, verdict),
        };
        match judged {
            Ok(Some(taken)) => *self.merged.taken.entry(taken).or_default() += 1,
            Ok(None) => {}
            Err(reason) => {
                *self.merged.declined.entry(reason).or_default() += 1;
                // The words of the item, never those of the model: nothing that was refused is kept.
                let about = item.quotes.first().map(|quote| quote.quote.clone()).unwrap_or_default();
                let proposal = verdict.proposal.verb.as_str();
                self.merged.refusals.push(Declined { proposal, about: about.clone(), reason });
                self.merged.outcome.dropped.push(Dropped {
                    text: about,
                    reason: format!("the model's `{proposal}` was declined: {reason}"),
                    evidence: item.quotes.clone(),
                });
            }
        }
    }

    /// The entry that a verdict names, if it was shown and nothing else changes it.
    fn target(&self, verdict: &Verdict) -> Result<&Known, &'static str> {
        let Some(Other::Entry(entry)) = &verdict.other else { return Err("it names no entry") };
        if self.touched.contains(entry) {
            return Err("another operation changes that entry");
        }
        self.material
            .entries
            .iter()
            .find(|known| known.entry == *entry)
            .ok_or("it names an entry that was not shown")
    }

    fn drop_candidate(&mut self, item: &Item, candidate: &Candidate, verdict: &Verdict) -> Judged {
        let adds = matches!(candidate.change, "create" | "append");
        let same = match &verdict.other {
            Some(Other::Entry(entry)) => {
                let known = self.material.entries.iter().find(|known| known.entry == *entry);
                known
                    .filter(|known| ground::says_the_same(&candidate.text, &known.text))
                    .map(|known| Some(known.clone()))
            }
            Some(Other::Item(key)) if !self.gone_keys.contains(key) && *key != item.key => {
                let other = self.material.items.iter().find(|other| other.key == *key);
                let text = other.and_then(|other| other.candidate.as_ref()).map(|other| other.text.as_str());
                text.filter(|text| ground::says_the_same(&candidate.text, text)).map(|_| None)
            }
            _ => None,
        };
        let weak = self.may_drop && candidate.rank < TrustRank::HumanConfirmed;
        match same {
            Some(known) if adds => {
                self.merged.outcome.recurrences.extend(known.map(|known| Recurrence {
                    path: known.path,
                    entry: known.entry,
                    rank: candidate.rank,
                    evidence: item.quotes.clone(),
                }));
            }
            _ if weak => {}
            _ => return Err("what the rules found stands"),
        }
        self.gone.insert(candidate.place);
        self.gone_keys.insert(item.key.clone());
        let operation = self.merged.outcome.operations.get(candidate.place);
        let evidence = operation.map(|operation| operation.evidence.clone()).unwrap_or_default();
        let (text, reason) =
            (candidate.text.clone(), "the model found nothing lasting or new in it".to_owned());
        self.merged.outcome.dropped.push(Dropped { text, reason, evidence });
        Ok(Some("drop"))
    }

    /// A new wording of what the rules would add; it says the same.
    fn reword(&mut self, item: &Item, candidate: &Candidate, verdict: &Verdict) -> Judged {
        let Some(text) = verdict.proposal.text.as_deref().filter(|text| *text != candidate.text) else {
            return Ok(None);
        };
        if let Some(fault) = ground::fault(text, &item.words()) {
            return Err(fault);
        }
        // What the guard would refuse may not take the place of what it would not.
        if let Some(fault) = form::fault(text, Scope::Secrets) {
            return Err(fault);
        }
        if ground::loses(&candidate.text, text) {
            return Err("its wording leaves something out");
        }
        if ground::is_own(text, &format!("{}\n{}", item.words(), candidate.text)) {
            return Err("its wording says something else than was said");
        }
        match self.merged.outcome.operations.get_mut(candidate.place).map(|operation| &mut operation.change) {
            Some(Change::Create { entries, hook, .. }) if entries.len() == 1 => {
                *entries = vec![text.to_owned()];
                *hook = width::shorten(text, HOOK);
                Ok(Some("reword"))
            }
            _ => Err("only what is new is worded anew"),
        }
    }

    /// A sentence that the rules did not take.
    fn add(&mut self, item: &Item, verdict: &Verdict) -> Judged {
        let text = statement(item, verdict)?;
        // A weak model copies whatever it is shown. The rules did not take these very words; what makes them worth
        // keeping shows in how they are said.
        let told = |text: &str| folded(text).trim_end_matches(['.', '。', '!', '！']).to_lowercase();
        if told(&text) == told(&item.words()) {
            return Err("it copies a sentence that the rules did not take");
        }
        let kind = verdict.proposal.kind.unwrap_or(Kind::Project);
        let near = match (&verdict.other, verdict.proposal.verb) {
            (Some(Other::Entry(entry)), Verb::Append) => {
                self.material.entries.iter().find(|known| known.entry == *entry)
            }
            _ => None,
        };
        let change = match near.filter(|known| ground::same_thing(&known.text, &text)) {
            Some(known) => Change::Append { path: known.path.clone(), text, hook: None },
            None => create(&text, verdict.proposal.title.as_deref(), kind, item),
        };
        self.push(item, change, kind, "the model found it worth keeping");
        Ok(Some(verdict.proposal.verb.as_str()))
    }

    /// The rules add what is true now, the model names the entry that it replaces: both are done, so that the new fact
    /// does not have to wait for what becomes of the old one.
    fn replace(&mut self, item: &Item, candidate: &Candidate, verdict: &Verdict) -> Judged {
        let target = self.target(verdict)?.clone();
        if candidate.change != "create" || !item.is_human() {
            return Err("only what a person said anew replaces an entry");
        }
        demand_news(&target, &candidate.text)?;
        self.archived(
            item,
            &target,
            candidate.kind,
            "replaced by what the person said, as the model sees it",
        );
        Ok(Some("supersede"))
    }

    fn supersede(&mut self, item: &Item, verdict: &Verdict) -> Judged {
        let text = statement(item, verdict)?;
        let target = self.target(verdict)?.clone();
        demand_news(&target, &text)?;
        let kind = verdict.proposal.kind.unwrap_or(Kind::Project);
        let change = create(&text, verdict.proposal.title.as_deref(), kind, item);
        self.push(item, change, kind, "the model saw that it changed");
        self.archived(item, &target, kind, "the model saw that it changed");
        Ok(Some("supersede"))
    }

    fn archive(&mut self, item: &Item, verdict: &Verdict) -> Judged {
        let target = self.target(verdict)?.clone();
        let words: Vec<&str> = item.quotes.iter().map(|evidence| evidence.quote.as_str()).collect();
        let words = words.join("\n");
        if !item.is_human() || !ground::ends_something(&words) {
            return Err("no person said that it is over");
        }
        if !ground::same_thing(&target.text, &words) {
            return Err("the two do not speak of one thing");
        }
        let kind = verdict.proposal.kind.unwrap_or(Kind::Project);
        self.archived(item, &target, kind, "the person said that it is over, as the model sees it");
        Ok(Some("archive"))
    }

    fn archived(&mut self, item: &Item, target: &Known, kind: Kind, reason: &str) {
        self.touched.insert(target.entry.clone());
        self.push(item, Change::Archive { target: aim(target) }, kind, reason);
    }

    fn push(&mut self, item: &Item, change: Change, kind: Kind, reason: &str) {
        let words = item.words();
        // That something is over is the model's reading, whatever was said.
        let own = matches!(change, Change::Archive { .. })
            || change.statements().into_iter().any(|text| ground::is_own(text, &words));
        // What the rules rest on is quoted in full there; what is shown may be cut.
        let place = item.candidate.as_ref().map(|candidate| candidate.place);
        let known = place.and_then(|place| self.merged.outcome.operations.get(place));
        let evidence = known.map_or_else(|| item.quotes.clone(), |operation| operation.evidence.clone());
        self.merged.outcome.operations.push(Operation {
            id: OperationId::new("op"),
            change,
            kind,
            // Then the statement is the model's, and what the person said is its ground.
            rank: if own { TrustRank::AgentInferred } else { TrustRank::HumanVerbatim },
            reason: reason.to_owned(),
            evidence,
        });
    }

    fn finish(mut self) -> Merged {
        let gone = std::mem::take(&mut self.gone);
        let operations = std::mem::take(&mut self.merged.outcome.operations);
        let left = operations.into_iter().enumerate().filter(|(place, _)| !gone.contains(place));
        self.merged.outcome.operations = left
            .enumerate()
            .map(|(at, (_, operation))| Operation {
                id: OperationId::new(format!("op-{}", at + 1)),
                ..operation
            })
            .collect();
        self.merged
    }
}

/// The words of a new statement, when they rest on what was shown.
fn statement(item: &Item, verdict: &Verdict) -> Result<String, &'static str> {
    let words = item.words();
    let quoted = verdict.proposal.quote.as_deref().is_some_and(|quote| ground::quotes(quote, &words));
    if !item.is_human() {
        return Err("no person said it");
    }
    if !quoted {
        return Err("it quotes words that were not said");
    }
    let text = verdict.proposal.text.as_deref().unwrap_or(&words).trim().to_owned();
    match ground::fault(&text, &words) {
        Some(fault) => Err(fault),
        None => Ok(text),
    }
}

/// Refuses what does not say something new of what an entry is about.
fn demand_news(known: &Known, text: &str) -> Result<(), &'static str> {
    if !ground::same_thing(&known.text, text) {
        return Err("the two do not speak of one thing");
    }
    if ground::says_the_same(text, &known.text) {
        return Err("the two say the same");
    }
    Ok(())
}

fn aim(known: &Known) -> Target {
    Target { path: known.path.clone(), entry: known.entry.clone(), text: known.text.clone() }
}

fn create(text: &str, title: Option<&str>, kind: Kind, item: &Item) -> Change {
    let fits = |title: &&str| {
        let short = title.chars().count() <= TITLE && !title.contains(['[', ']', '\n']);
        let words = format!("{text}\n{}", item.words());
        short && ground::fault(title, &words).is_none() && ground::is_cut_from(title, &words)
    };
    let title = title.filter(fits).map(str::to_owned).or_else(|| title::of(text));
    let title = title.unwrap_or_else(|| width::shorten(text, TITLE));
    let words: Vec<String> = title
        .to_ascii_lowercase()
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(6)
        .map(str::to_owned)
        .collect();
    // A name in another script says little as ASCII; its key tells it from others.
    let slug = if words.len() < 2 {
        format!("note-{}", item.key.get(..8).unwrap_or_default())
    } else {
        words.join("-")
    };
    Change::Create {
        topic: NewTopic { slug, title, description: width::shorten(text, HOOK), kind },
        entries: vec![text.to_owned()],
        hook: width::shorten(text, HOOK),
    }
}
