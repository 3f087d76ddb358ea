//! The review policy: which operations a run applies by itself, and which wait for the user's word.

use crate::forget::Forgotten;
use nidra_core::settings::ReviewPolicy;
use nidra_core::{Change, EntryId, Kind, MemoryView, Operation, Speaker, TrustRank};
use std::borrow::Cow;

/// Why a model's own wording waits.
const REWORDED: &str = "it is a model's wording and may say something else than the person did";

/// What happens to an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The run applies it.
    Apply,
    /// It waits for the user; the reason says why.
    Propose(&'static str),
    /// It is not done at all; the reason says why.
    Refuse(Cow<'static, str>),
}

/// Judges an operation.
///
/// `consent` is the user's word for this one run (`dream --yes`): what would be proposed inside the memory directory
/// is applied. `rank_of` gives the stored trust rank of an existing entry; an entry without one was written by a
/// person or another tool and counts as the human's own.
pub fn judge(
    operation: &Operation,
    memory: &MemoryView,
    policy: ReviewPolicy,
    consent: bool,
    rank_of: &dyn Fn(&EntryId) -> Option<TrustRank>,
) -> Verdict {
    if matches!(operation.change, Change::Propose { .. }) {
        return Verdict::Propose("it lies outside the memory directory");
    }
    let topic = operation.change.path().and_then(|path| memory.topic(path));
    if topic.is_some_and(|topic| topic.pinned) {
        // Refusing would lose what was said, because its session counts as read.
        return match operation.change {
            Change::Create { .. }
            | Change::Append { .. }
            | Change::Rewrite { .. }
            | Change::Supersede { .. } => {
                Verdict::Propose("its topic is pinned; it can be applied when `pinned` is taken out there")
            }
            _ => Verdict::Refuse("the topic is pinned".into()),
        };
    }
    let reworded = is_reworded(operation);
    if let Some(target) = operation.change.target() {
        let existing = rank_of(&target.entry).unwrap_or(TrustRank::HumanVerbatim);
        if operation.rank < TrustRank::Observed && existing >= TrustRank::Observed {
            let ends = matches!(operation.change, Change::Archive { .. } | Change::Supersede { .. });
            let is_said = operation.evidence.iter().any(|one| one.speaker == Speaker::Human);
            return if reworded {
                Verdict::Propose(REWORDED)
            } else if ends && is_said {
                Verdict::Propose("a model takes these words for the end of what you said before")
            } else {
                Verdict::Refuse("its ground is weaker than what it would change".into())
            };
        }
    }
    if consent {
        return Verdict::Apply;
    }
    if reworded && policy != ReviewPolicy::Auto {
        return Verdict::Propose(REWORDED);
    }
    match policy {
        ReviewPolicy::All => Verdict::Propose("review = \"all\" proposes everything"),
        ReviewPolicy::Auto => Verdict::Apply,
        ReviewPolicy::Risky => risky(operation, topic.and_then(|topic| topic.kind), rank_of),
    }
}

/// Whether a model put what a person said in words of its own.
fn is_reworded(operation: &Operation) -> bool {
    let said: Vec<_> = operation.evidence.iter().filter(|one| one.speaker == Speaker::Human).collect();
    let quotes = |text: &str| said.iter().any(|one| one.quote.contains(text.trim()));
    operation.rank < TrustRank::Observed
        && !said.is_empty()
        && !operation.change.statements().into_iter().all(quotes)
}

/// Judges the forgetting of an entry as [`judge`] does, except that what is the user's own or about the user waits for
/// the user's word on this very entry: neither a policy nor a consent for the whole run is enough.
pub fn judge_forgetting(
    forgotten: &Forgotten,
    memory: &MemoryView,
    policy: ReviewPolicy,
    consent: bool,
    rank_of: &dyn Fn(&EntryId) -> Option<TrustRank>,
) -> Verdict {
    if forgotten.needs_consent {
        return Verdict::Propose("what is yours or about you is never forgotten without your word");
    }
    judge(&forgotten.operation, memory, policy, consent, rank_of)
}

fn risky(
    operation: &Operation,
    kind: Option<Kind>,
    rank_of: &dyn Fn(&EntryId) -> Option<TrustRank>,
) -> Verdict {
    match &operation.change {
        Change::Create { .. } | Change::Append { .. } | Change::Relink { .. } | Change::Retitle { .. } => {
            Verdict::Apply
        }
        Change::Archive { .. } => Verdict::Propose("archiving needs the user's word"),
        Change::Unlink { .. } => Verdict::Propose("taking a line out of the index needs the user's word"),
        Change::Rewrite { .. } if matches!(kind, Some(Kind::User | Kind::Feedback)) => {
            Verdict::Propose("it touches an entry about the user or the user's rules")
        }
        Change::Rewrite { .. } => Verdict::Apply,
        Change::Supersede { target, .. } => {
            let existing = rank_of(&target.entry).unwrap_or(TrustRank::HumanVerbatim);
            if matches!(kind, Some(Kind::User | Kind::Feedback)) {
                Verdict::Propose("it touches an entry about the user or the user's rules")
            } else if existing >= TrustRank::HumanConfirmed {
                Verdict::Propose("it replaces what the human said")
            } else {
                Verdict::Apply
            }
        }
        Change::Propose { .. } => Verdict::Propose("it lies outside the memory directory"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nidra_core::{EntryView, NewTopic, OperationId, Target, TopicView};

    fn memory(kind: Kind, pinned: bool) -> MemoryView {
        let text = "Staging runs on port 3001.";
        MemoryView {
            topics: vec![TopicView {
                path: "ports.md".to_owned(),
                name: "ports".to_owned(),
                description: "ports".to_owned(),
                kind: Some(kind),
                pinned,
                editable: true,
                modified: None,
                entries: vec![EntryView {
                    id: EntryId::of("ports.md", text),
                    range: 0..text.len(),
                    text: text.to_owned(),
                    headings: Vec::new(),
                    bullet: true,
                    active: true,
                }],
            }],
            index: Vec::new(),
        }
    }

    fn operation(change: Change, rank: TrustRank) -> Operation {
        Operation {
            id: OperationId::new("op-1"),
            change,
            kind: Kind::Project,
            rank,
            reason: "said so".to_owned(),
            evidence: Vec::new(),
        }
    }

    fn target() -> Target {
        let text = "Staging runs on port 3001.";
        Target { path: "ports.md".to_owned(), entry: EntryId::of("ports.md", text), text: text.to_owned() }
    }

    fn supersede() -> Change {
        Change::Supersede { target: target(), text: "Staging runs on port 4310.".to_owned(), hook: None }
    }

    fn create() -> Change {
        Change::Create {
            topic: NewTopic {
                slug: "ports".to_owned(),
                title: "Ports".to_owned(),
                description: "ports".to_owned(),
                kind: Kind::Project,
            },
            entries: vec!["Staging runs on port 4310.".to_owned()],
            hook: "Staging runs on port 4310.".to_owned(),
        }
    }

    fn judged(
        change: Change,
        kind: Kind,
        policy: ReviewPolicy,
        consent: bool,
        rank: Option<TrustRank>,
    ) -> Verdict {
        judge(&operation(change, TrustRank::HumanVerbatim), &memory(kind, false), policy, consent, &|_| rank)
    }

    #[test]
    fn the_default_policy_adds_by_itself_and_asks_before_it_replaces_the_humans_words() {
        let risky = ReviewPolicy::Risky;
        assert_eq!(judged(create(), Kind::Project, risky, false, None), Verdict::Apply);
        assert!(matches!(judged(supersede(), Kind::Project, risky, false, None), Verdict::Propose(_)));
        assert_eq!(
            judged(supersede(), Kind::Project, risky, false, Some(TrustRank::Observed)),
            Verdict::Apply
        );
        assert!(matches!(
            judged(supersede(), Kind::Feedback, risky, false, Some(TrustRank::Observed)),
            Verdict::Propose(_)
        ));
        assert!(matches!(
            judged(
                Change::Archive { target: target() },
                Kind::Project,
                risky,
                false,
                Some(TrustRank::Observed)
            ),
            Verdict::Propose(_)
        ));
    }

    #[test]
    fn consent_applies_inside_memory_and_never_outside() {
        assert_eq!(judged(supersede(), Kind::Feedback, ReviewPolicy::All, true, None), Verdict::Apply);
        let outside = Change::Propose { destination: "CLAUDE.md".to_owned(), text: "Use pnpm.".to_owned() };
        assert!(matches!(
            judged(outside, Kind::Project, ReviewPolicy::Auto, true, None),
            Verdict::Propose(_)
        ));
    }

    #[test]
    fn pinned_topics_stay_in_every_case() {
        for policy in [ReviewPolicy::All, ReviewPolicy::Risky, ReviewPolicy::Auto] {
            let verdict = judge(
                &operation(supersede(), TrustRank::HumanVerbatim),
                &memory(Kind::Project, true),
                policy,
                true,
                &|_| None,
            );
            assert!(matches!(verdict, Verdict::Propose(_)), "what was said waits");
            let archiving = operation(Change::Archive { target: target() }, TrustRank::HumanVerbatim);
            let verdict = judge(&archiving, &memory(Kind::Project, true), policy, true, &|_| None);
            assert!(matches!(verdict, Verdict::Refuse(_)));
        }
    }

    #[test]
    fn weak_grounds_never_override_strong_ones() {
        let verdict = judge(
            &operation(supersede(), TrustRank::AgentInferred),
            &memory(Kind::Project, false),
            ReviewPolicy::Auto,
            true,
            &|_| Some(TrustRank::Observed),
        );
        assert!(matches!(verdict, Verdict::Refuse(_)));
    }
}
