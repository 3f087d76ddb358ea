use super::*;
use proptest::prelude::*;

fn facts() -> Facts {
    Facts {
        kind: Some(Kind::Project),
        pinned: false,
        support: Some(Support { rank: TrustRank::Observed, sessions: 1, affect: Affect::default() }),
        age_days: Some(30.0),
        exact_things: 1,
        verdict: Verdict::NotCheckable,
        links: 0,
        used: Used::default(),
    }
}

fn any_verdict() -> impl Strategy<Value = Verdict> {
    prop_oneof![
        Just(Verdict::Stale),
        Just(Verdict::Moved),
        Just(Verdict::Ambiguous),
        Just(Verdict::NotCheckable),
        Just(Verdict::Fresh)
    ]
}

fn any_rank() -> impl Strategy<Value = TrustRank> {
    prop_oneof![
        Just(TrustRank::Document),
        Just(TrustRank::AgentInferred),
        Just(TrustRank::Observed),
        Just(TrustRank::HumanConfirmed),
        Just(TrustRank::HumanVerbatim)
    ]
}

fn any_kind() -> impl Strategy<Value = Option<Kind>> {
    prop_oneof![
        Just(None),
        Just(Some(Kind::User)),
        Just(Some(Kind::Feedback)),
        Just(Some(Kind::Project)),
        Just(Some(Kind::Reference))
    ]
}

fn any_affect() -> impl Strategy<Value = Affect> {
    any::<(bool, bool, bool)>().prop_map(|(frustration, praise, emphasis)| Affect {
        frustration,
        praise,
        emphasis,
    })
}

fn any_facts() -> impl Strategy<Value = Facts> {
    let support = (any_rank(), 1_usize..9, any_affect()).prop_map(|(rank, sessions, affect)| Support {
        rank,
        sessions,
        affect,
    });
    (
        any_kind(),
        proptest::option::of(support),
        proptest::option::of(0.0..4_000.0_f64),
        0_usize..9,
        any_verdict(),
        0_usize..9,
    )
        .prop_map(|(kind, support, age_days, exact_things, verdict, links)| Facts {
            kind,
            pinned: false,
            support,
            age_days,
            exact_things,
            verdict,
            links,
            used: Used::default(),
        })
}

/// How good a verdict is for an entry, as the requirement has it: borne out, untold, moved, not borne out.
fn goodness(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Stale => 0,
        Verdict::Moved => 1,
        Verdict::NotCheckable | Verdict::Ambiguous => 2,
        Verdict::Fresh => 3,
    }
}

proptest! {
    #[test]
    fn a_score_lies_between_nothing_and_all_and_is_the_sum_of_its_signals(facts in any_facts()) {
        let score = score(&facts);
        prop_assert!((0.0..=1.0).contains(&score.total));
        let sum: f64 = score.signals.iter().map(Signal::contribution).sum();
        prop_assert!((sum - score.total).abs() < 1e-9);
        prop_assert!(score.signals.iter().all(|signal| (0.0..=1.0).contains(&signal.value)));
        prop_assert!(score.signals.iter().all(|signal| signal.sentence.ends_with('.')));
    }

    #[test]
    fn a_score_never_falls_with_better_trust_or_more_sessions_or_more_feeling(
        facts in any_facts(), ranks in (any_rank(), any_rank()), sessions in (1_usize..9, 1_usize..9),
        affects in (any_affect(), any_affect()),
    ) {
        let with = |rank, sessions, affect| {
            score(&Facts { support: Some(Support { rank, sessions, affect }), ..facts }).total
        };
        let (low, high) = (ranks.0.min(ranks.1), ranks.0.max(ranks.1));
        prop_assert!(with(low, 2, affects.0) <= with(high, 2, affects.0));
        let (few, many) = (sessions.0.min(sessions.1), sessions.0.max(sessions.1));
        prop_assert!(with(low, few, affects.0) <= with(low, many, affects.0));
        prop_assert!(with(low, few, affects.0) <= with(low, few, affects.0.union(affects.1)));
        // What nobody knows counts no less than anything that could be known.
        let unknown = score(&Facts { support: None, ..facts }).total;
        prop_assert!(with(high, many, affects.0) <= unknown);
    }

    #[test]
    fn a_score_never_falls_with_youth_names_links_pins_or_a_better_verdict(
        facts in any_facts(), ages in (0.0..4_000.0_f64, 0.0..4_000.0_f64), counts in (0_usize..9, 0_usize..9),
        verdicts in (any_verdict(), any_verdict()),
    ) {
        let grows = |low: Facts, high: Facts| score(&low).total <= score(&high).total;
        let (young, old) = (ages.0.min(ages.1), ages.0.max(ages.1));
        let aged = |age_days| Facts { age_days, ..facts };
        prop_assert!(grows(aged(Some(old)), aged(Some(young))) && grows(aged(Some(old)), aged(None)));
        let (few, many) = (counts.0.min(counts.1), counts.0.max(counts.1));
        let naming = |exact_things| Facts { exact_things, ..facts };
        prop_assert!(grows(naming(few), naming(many)));
        let linked = |links| Facts { links, ..facts };
        prop_assert!(grows(linked(few), linked(many)));
        let pinned = Facts { pinned: true, ..facts };
        prop_assert!(grows(facts, pinned));
        let judged = |verdict| Facts { verdict, ..facts };
        let is_worse = goodness(verdicts.0) <= goodness(verdicts.1);
        let (worse, better) = if is_worse { verdicts } else { (verdicts.1, verdicts.0) };
        prop_assert!(grows(judged(worse), judged(better)));
        let about = |kind| Facts { kind: Some(kind), ..facts };
        prop_assert!(grows(about(Kind::Project), about(Kind::Feedback)));
    }
}

#[test]
fn the_weights_sum_up_to_one_and_no_signal_stands_twice() {
    let sum: f64 = WEIGHTS.iter().map(|(_, weight)| weight).sum();
    assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    let names: std::collections::BTreeSet<_> = WEIGHTS.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names.len(), WEIGHTS.len());
}

#[test]
fn recency_halves_with_the_half_life() {
    let value = |days| {
        let score = score(&Facts { age_days: Some(days), ..facts() });
        score.signals.iter().find(|signal| signal.name == SignalName::Recency).unwrap().value
    };
    assert!((value(0.0) - 1.0).abs() < 1e-9);
    assert!((value(HALF_LIFE_DAYS) - 0.5).abs() < 1e-9);
    assert!((value(2.0 * HALF_LIFE_DAYS) - 0.25).abs() < 1e-9);
}

#[test]
fn what_is_pinned_counts_in_full() {
    let worst = Facts { age_days: Some(9_999.0), verdict: Verdict::Stale, exact_things: 0, ..facts() };
    assert!((score(&Facts { pinned: true, ..worst }).total - 1.0).abs() < 1e-9);
}

#[test]
fn exact_things_are_names_commands_and_values_in_both_languages() {
    for (text, count) in [
        ("Answers should be short and friendly.", 0),
        ("回答要简短。", 0),
        ("Staging runs on port 3001.", 1),
        ("测试用`cargo nextest run`跑，配置在src/main.rs里。", 2),
        ("Run `make lint` before `git push`.", 2),
        ("MAX_RETRIES is 5.", 2),
    ] {
        assert_eq!(exact_things(text), count, "{text}");
    }
}
