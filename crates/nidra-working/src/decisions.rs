//! Decisions: from what memory says, from where it comes from, and from tasks; reversals are linked both ways.

use jiff::Timestamp;
use nidra_core::EntryId;
use nidra_memory::archived::archived;
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::store::{RecordedSource, Relation, TakenDecision};
use nidra_rules::density;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// A decision.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Decision {
    /// What it is known by: an entry of memory, or `TASK#NUMBER`.
    pub id: String,
    /// What was decided.
    pub text: String,
    /// Why, where anybody said so.
    pub reason: Option<String>,
    /// What it was decided against.
    pub alternatives: Vec<String>,
    /// When it was said, else when it came into memory.
    pub at: Option<Timestamp>,
    /// Where it stands: a file of memory, or `task NAME`.
    pub place: String,
    /// Whose words it rests on, with session and record.
    pub sources: Vec<DecisionSource>,
    /// Whether it holds.
    pub holds: bool,
    /// The decision that it took the place of.
    pub reverses: Option<String>,
    /// The decision that took its place, and its words.
    pub reversed_by: Option<String>,
}

/// Words that a decision rests on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DecisionSource {
    /// Who said it, by rank of trust.
    pub rank: String,
    /// The session.
    pub session: String,
    /// The record in its transcript.
    pub record: String,
    /// The words.
    pub quote: String,
}

/// All decisions, the newest first.
pub fn collect(
    memory: &MemoryDirectory,
    sources: &BTreeMap<EntryId, Vec<RecordedSource>>,
    taken: &[TakenDecision],
) -> Vec<Decision> {
    let mut found = Vec::new();
    let predecessor = |entry: &EntryId| {
        let recorded = sources.get(entry)?;
        recorded
            .iter()
            .filter(|recorded| recorded.source.relation == Relation::Replaces)
            .find_map(|recorded| recorded.source.predecessor.clone())
    };
    let left = archived(memory);
    let mut followers: HashMap<EntryId, (String, String)> = HashMap::new();
    for topic in memory.view().topics {
        for entry in topic.entries {
            let before = predecessor(&entry.id);
            if let Some(before) = &before {
                followers.insert(before.clone(), (entry.id.as_str().to_owned(), entry.text.clone()));
            }
            let Some(decided) = density::decision(&entry.text).or_else(|| {
                before.as_ref().map(|_| density::Decided { reason: None, alternatives: Vec::new() })
            }) else {
                continue;
            };
            let mut decision = Decision {
                id: entry.id.as_str().to_owned(),
                text: entry.text.trim().to_owned(),
                reason: decided.reason,
                alternatives: decided.alternatives,
                at: None,
                place: topic.path.clone(),
                sources: Vec::new(),
                holds: true,
                reverses: before.map(|before| before.as_str().to_owned()),
                reversed_by: None,
            };
            ground(&mut decision, sources.get(&entry.id));
            found.push(decision);
        }
    }
    for entry in left {
        let follower = followers.get(&entry.entry);
        let Some(decided) = density::decision(&entry.text)
            .or_else(|| follower.map(|_| density::Decided { reason: None, alternatives: Vec::new() }))
        else {
            continue;
        };
        let mut decision = Decision {
            id: entry.entry.as_str().to_owned(),
            text: entry.text.trim().to_owned(),
            reason: decided.reason,
            alternatives: decided.alternatives,
            at: None,
            place: entry.path.clone(),
            sources: Vec::new(),
            holds: false,
            reverses: predecessor(&entry.entry).map(|before| before.as_str().to_owned()),
            reversed_by: follower.map(|(id, text)| format!("{id}: {text}")).or(entry.replaced_by.clone()),
        };
        ground(&mut decision, sources.get(&entry.entry));
        found.push(decision);
    }
    for TakenDecision { task, decision } in taken {
        found.push(Decision {
            id: format!("{task}#{}", decision.number),
            text: match &decision.choice {
                Some(choice) if *choice != decision.question => {
                    format!("{} → {choice}", decision.question)
                }
                _ => decision.question.clone(),
            },
            reason: decision.reason.clone(),
            alternatives: decision.alternatives.clone(),
            at: decision.decided,
            place: format!("task {task}"),
            sources: Vec::new(),
            holds: true,
            reverses: None,
            reversed_by: None,
        });
    }
    found.sort_by(|one, two| two.at.cmp(&one.at).then_with(|| one.id.cmp(&two.id)));
    found
}

/// Adds when it was said and by whom; a reason that only the words of the talk give is taken from there.
fn ground(decision: &mut Decision, recorded: Option<&Vec<RecordedSource>>) {
    for recorded in recorded.into_iter().flatten() {
        for evidence in &recorded.source.evidence {
            decision.at = decision.at.max(evidence.at.or(Some(recorded.started)));
            if decision.reason.is_none() {
                decision.reason = density::decision(&evidence.quote).and_then(|decided| decided.reason);
            }
            decision.sources.push(DecisionSource {
                rank: recorded.source.rank.as_str().to_owned(),
                session: evidence.source.session.as_str().to_owned(),
                record: evidence.source.record.clone(),
                quote: evidence.quote.clone(),
            });
        }
    }
}
