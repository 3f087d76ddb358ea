use super::*;
use crate::drift::Verdict;
use crate::importance::Used;
use crate::importance::{Facts, Support, score};
use nidra_core::{Affect, TrustRank};
use proptest::prelude::*;

fn facts(rank: TrustRank, age_days: f64) -> Facts {
    Facts {
        kind: Some(Kind::Project),
        pinned: false,
        support: Some(Support { rank, sessions: 1, affect: Affect::default() }),
        age_days: Some(age_days),
        exact_things: 1,
        verdict: Verdict::NotCheckable,
        links: 0,
        used: Used::default(),
    }
}

fn standing(facts: &Facts) -> Standing {
    Standing {
        score: score(facts),
        age_days: facts.age_days,
        kind: facts.kind,
        pinned: facts.pinned,
        own: facts.support.is_some(),
    }
}

fn step(facts: &Facts) -> Step {
    climb(&[standing(facts)], &ForgetSettings::default())[0]
}

#[test]
fn what_a_person_said_outlives_what_the_agent_concluded() {
    assert_eq!(step(&facts(TrustRank::HumanVerbatim, 3_000.0)), Step::Keep(Keeps::Important));
    assert_eq!(step(&facts(TrustRank::AgentInferred, 400.0)), Step::Archive(Cause::Score));
    assert_eq!(step(&facts(TrustRank::AgentInferred, 89.0)), Step::Keep(Keeps::Young));
}

#[test]
fn words_of_others_are_not_judged_low_because_nobody_knows_their_source() {
    let others = Facts { support: None, ..facts(TrustRank::Document, 3_000.0) };
    assert_eq!(step(&others), Step::Keep(Keeps::Important));
    assert_eq!(step(&Facts { age_days: None, ..others }), Step::Keep(Keeps::Young));
    assert!(standing(&others).needs_consent());
}

#[test]
fn over_the_budget_the_least_important_go_first_and_only_as_many_as_needed() {
    let settings = ForgetSettings { max_entries: 2, ..ForgetSettings::default() };
    let entries: Vec<Standing> = [
        facts(TrustRank::HumanVerbatim, 100.0),
        facts(TrustRank::Observed, 120.0),
        facts(TrustRank::HumanVerbatim, 10.0),
        facts(TrustRank::HumanConfirmed, 100.0),
    ]
    .iter()
    .map(standing)
    .collect();
    let steps = climb(&entries, &settings);
    assert_eq!(steps[0], Step::Keep(Keeps::Important));
    assert_eq!(steps[1], Step::Archive(Cause::Budget));
    assert_eq!(steps[2], Step::Keep(Keeps::Young));
    assert_eq!(steps[3], Step::Archive(Cause::Budget));
}

#[test]
fn switched_off_nothing_leaves() {
    let off = ForgetSettings { enabled: false, max_entries: 1, ..ForgetSettings::default() };
    let entries = vec![standing(&facts(TrustRank::Document, 9_000.0)); 5];
    assert!(climb(&entries, &off).iter().all(|step| *step == Step::Keep(Keeps::Off)));
    assert_eq!(entries[0].days_left(&off), None);
}

proptest! {
    #[test]
    fn nothing_pinned_or_young_ever_leaves(
        age in 0.0..4_000.0_f64, least in 0.0..1_000.0_f64, score_limit in 0.0..1.0_f64, budget in 1_u32..4, pinned: bool,
    ) {
        let settings = ForgetSettings { enabled: true, max_entries: budget, min_score: score_limit, min_age_days: least };
        let facts = Facts { pinned, ..facts(TrustRank::AgentInferred, age) };
        let steps = climb(&vec![standing(&facts); 6], &settings);
        if pinned || age < least {
            prop_assert!(steps.iter().all(|step| matches!(step, Step::Keep(_))));
        }
    }

    #[test]
    fn the_day_that_is_foretold_is_the_day_on_which_it_leaves(age in 0.0..2_000.0_f64, limit in 0.2..0.7_f64) {
        let settings = ForgetSettings { min_score: limit, ..ForgetSettings::default() };
        let now = facts(TrustRank::Observed, age);
        let later = |days: f64| climb(&[standing(&Facts { age_days: Some(age + days), ..now })], &settings)[0];
        match standing(&now).days_left(&settings) {
            None => prop_assert!(matches!(later(100_000.0), Step::Keep(_))),
            Some(days) => {
                prop_assert_eq!(later(days + 0.01), Step::Archive(Cause::Score));
                if days > 0.02 {
                    prop_assert!(matches!(later(days - 0.01), Step::Keep(_)));
                }
            }
        }
    }
}
