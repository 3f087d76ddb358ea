use super::*;
use crate::drift::Drift;
use crate::review::{Verdict as Judged, judge_forgetting};
use crate::standing::weigh;
use crate::usage::Uses;
use jiff::{SignedDuration, Timestamp};
use nidra_core::settings::ReviewPolicy;
use nidra_core::{Affect, EntryView, MemoryView, RunId, TopicView};
use nidra_memory::store::{EntrySource, RecordedSource, Relation};
use proptest::prelude::*;

const NOW: &str = "2026-11-30T12:00:00Z";

#[derive(Clone, Debug)]
struct Made {
    kind: Option<Kind>,
    pinned: bool,
    days: i64,
    source: Option<(TrustRank, Relation)>,
    chinese: bool,
}

fn any_made() -> impl Strategy<Value = Made> {
    let kinds =
        vec![None, Some(Kind::User), Some(Kind::Feedback), Some(Kind::Project), Some(Kind::Reference)];
    let ranks = vec![
        TrustRank::Document,
        TrustRank::AgentInferred,
        TrustRank::Observed,
        TrustRank::HumanConfirmed,
        TrustRank::HumanVerbatim,
    ];
    let relations = vec![Relation::States, Relation::Rewrites, Relation::Replaces, Relation::Repeats];
    let source = (proptest::sample::select(ranks), proptest::sample::select(relations));
    (
        proptest::sample::select(kinds),
        any::<bool>(),
        0_i64..4_000,
        proptest::option::of(source),
        any::<bool>(),
    )
        .prop_map(|(kind, pinned, days, source, chinese)| Made { kind, pinned, days, source, chinese })
}

fn world(made: &[Made], now: Timestamp) -> (MemoryView, Sources) {
    let mut memory = MemoryView::default();
    let mut sources = Sources::new();
    for (number, one) in made.iter().enumerate() {
        let path = format!("{number}.md");
        let text = if one.chinese {
            format!("第{number}条：构建要跑半小时。")
        } else {
            format!("Fact {number} stands here.")
        };
        let id = EntryId::of(&path, &text);
        let then = now.checked_sub(SignedDuration::from_hours(24 * one.days)).unwrap();
        if let Some((rank, relation)) = one.source {
            let source = EntrySource {
                relation,
                affect: Affect::default(),
                ..EntrySource::stating(id.clone(), path.clone(), Vec::new(), rank)
            };
            let recorded = RecordedSource { run: RunId::new("r"), started: then, source };
            sources.insert(id.clone(), vec![recorded]);
        }
        memory.topics.push(TopicView {
            path: path.clone(),
            name: path.clone(),
            description: String::new(),
            kind: one.kind,
            pinned: one.pinned,
            editable: true,
            modified: Some(then),
            entries: vec![EntryView {
                id,
                range: 0..text.len(),
                text,
                headings: Vec::new(),
                bullet: false,
                active: true,
            }],
        });
    }
    (memory, sources)
}

proptest! {
    #[test]
    fn nothing_pinned_or_of_the_user_is_ever_archived_without_the_users_word(
        made in proptest::collection::vec(any_made(), 0..12),
        policy in proptest::sample::select(vec![ReviewPolicy::All, ReviewPolicy::Risky, ReviewPolicy::Auto]),
        consent: bool,
        min_score in 0.0..1.0_f64,
        max_entries in 1_u32..6,
        min_age_days in 0.0..500.0_f64,
    ) {
        let now: Timestamp = NOW.parse().unwrap();
        let (memory, sources) = world(&made, now);
        let settings = ForgetSettings { enabled: true, max_entries, min_score, min_age_days };
        let weighed = weigh(&memory, &sources, &Uses::new(), &Drift::default(), now);
        let leaving = forgotten(&weighed, &sources, &settings, &Offers::default(), &BTreeSet::new(), &TimeZone::UTC);
        for one in leaving {
            let target = one.operation.change.target().unwrap();
            let number: usize = target.path.trim_end_matches(".md").parse().unwrap();
            prop_assert!(!made[number].pinned, "pinned topics are not even offered");
            let rank = |_: &EntryId| made[number].source.map(|(rank, _)| rank);
            let judged = judge_forgetting(&one, &memory, policy, consent, &rank);
            let is_own = made[number].source.is_some_and(|(_, relation)| relation != Relation::Repeats);
            let may_go = is_own && matches!(made[number].kind, Some(Kind::Project | Kind::Reference));
            if judged == Judged::Apply {
                prop_assert!(may_go, "{:?}", made[number]);
                prop_assert!(consent || policy == ReviewPolicy::Auto);
            } else {
                prop_assert!(matches!(judged, Judged::Propose(_)));
            }
        }
    }

    #[test]
    fn what_was_decided_on_is_not_brought_up_again_however_much_time_passes(
        made in proptest::collection::vec(any_made(), 0..8), later in 0_i64..4_000,
    ) {
        let now: Timestamp = NOW.parse().unwrap();
        let (memory, sources) = world(&made, now);
        let settings = ForgetSettings { enabled: true, max_entries: 1, min_score: 1.0, min_age_days: 0.0 };
        let all = |moment, offers: &Offers| {
            let weighed = weigh(&memory, &sources, &Uses::new(), &Drift::default(), moment);
            forgotten(&weighed, &sources, &settings, offers, &BTreeSet::new(), &TimeZone::UTC)
        };
        let first = all(now, &Offers::default());
        let offers = Offers::of(first.iter().map(|one| {
            (one.operation.change.target().unwrap().entry.clone(), one.operation.reason.clone())
        }));
        let moment = now.checked_add(SignedDuration::from_hours(24 * later)).unwrap();
        let again = all(moment, &offers);
        prop_assert!(again.is_empty(), "{again:?}");
    }
}
