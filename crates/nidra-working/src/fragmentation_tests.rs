use super::*;
use jiff::Timestamp;
use nidra_memory::store::DecisionPoint;

fn task(id: &str, next_step: &str, stale: u32) -> TaskRecord {
    TaskRecord {
        id: id.to_owned(),
        goal: "goal".to_owned(),
        next_step: next_step.to_owned(),
        state: TaskState::Open,
        stale,
        created: Timestamp::UNIX_EPOCH,
        changed: Timestamp::UNIX_EPOCH,
        closed: None,
        outcome: None,
        decisions: Vec::new(),
        links: Vec::new(),
    }
}

fn undecided(id: &str, rounds: u32) -> TaskRecord {
    let decision = DecisionPoint {
        number: 1,
        question: "which way".to_owned(),
        asked: Timestamp::UNIX_EPOCH,
        rounds,
        choice: None,
        reason: None,
        alternatives: Vec::new(),
        decided: None,
    };
    TaskRecord { decisions: vec![decision], ..task(id, "", 0) }
}

fn topic(name: &str, state: TopicState) -> TopicRecord {
    TopicRecord {
        name: name.to_owned(),
        state,
        created: Timestamp::UNIX_EPOCH,
        changed: Timestamp::UNIX_EPOCH,
    }
}

fn trigger(facts: Facts<'_>) -> Trigger {
    measure(&facts, &WorkingSettings::default()).trigger
}

/// The thresholds of the specification, one below and at each.
#[test]
fn each_threshold_triggers_at_its_value_and_not_before() {
    let stale: Vec<_> = (0..3).map(|n| task(&format!("t{n}"), "go on", 3)).collect();
    assert_eq!(trigger(Facts { tasks: &stale[..2], ..Facts::default() }), Trigger::None);
    assert_eq!(trigger(Facts { tasks: &stale, ..Facts::default() }), Trigger::Soft);

    let younger: Vec<_> = (0..5).map(|n| task(&format!("t{n}"), "go on", 2)).collect();
    assert_eq!(trigger(Facts { tasks: &younger, ..Facts::default() }), Trigger::None);
    let stepless: Vec<_> = (0..5).map(|n| task(&format!("t{n}"), " ", 9)).collect();
    assert_eq!(trigger(Facts { tasks: &stepless, ..Facts::default() }), Trigger::None);

    let topics = [
        topic("a", TopicState::Active),
        topic("b", TopicState::Pending),
        topic("c", TopicState::Paused),
        topic("d", TopicState::Done),
        topic("e", TopicState::Pending),
    ];
    assert_eq!(trigger(Facts { topics: &topics[..4], ..Facts::default() }), Trigger::None);
    assert_eq!(trigger(Facts { topics: &topics, ..Facts::default() }), Trigger::Soft);

    let late = [undecided("a", 2), undecided("b", 7)];
    assert_eq!(trigger(Facts { tasks: &late[..1], ..Facts::default() }), Trigger::None);
    assert_eq!(trigger(Facts { tasks: &late, ..Facts::default() }), Trigger::Soft);
    let early = [undecided("a", 1), undecided("b", 1)];
    assert_eq!(trigger(Facts { tasks: &early, ..Facts::default() }), Trigger::None);

    assert_eq!(trigger(Facts { tokens: Some(70_000), ..Facts::default() }), Trigger::None);
    assert_eq!(trigger(Facts { tokens: Some(70_001), ..Facts::default() }), Trigger::Hard);
}

#[test]
fn numbers_name_what_is_behind_them() {
    let tasks = [task("docs", "write the page", 4), undecided("cache", 3)];
    let found = measure(&Facts { tasks: &tasks, ..Facts::default() }, &WorkingSettings::default());
    let of = |signal| found.measures.iter().find(|measure| measure.signal == signal).unwrap();
    assert_eq!(of(Signal::Backlog).items, ["docs (stale 4): write the page"]);
    assert_eq!(of(Signal::Decisions).items, ["cache (open 3 rounds): which way"]);
    assert_eq!(of(Signal::Tokens).value, None);
    assert!(!of(Signal::Tokens).reached);
}

#[test]
fn the_index_weighs_all_signals_and_triggers_where_no_single_one_does() {
    let tasks = [task("a", "x", 5), task("b", "x", 5), undecided("c", 4)];
    let topics = [topic("a", TopicState::Active), topic("b", TopicState::Pending)];
    let facts =
        Facts { tasks: &tasks, topics: &topics, tokens: Some(69_000), turns: Some(20), dullness: Some(0.6) };
    let found = measure(&facts, &WorkingSettings { max_index: 0.7, ..WorkingSettings::default() });
    // 0.22 * 2/3 + 0.16 * 2/3 + 0.20 * 1/2 + 0.24 * 69/70 + 0.08 + 0.10, of weights that sum to one.
    assert!((found.index - 0.769_9).abs() < 0.001, "{}", found.index);
    assert!(found.measures.iter().all(|measure| !measure.reached));
    assert_eq!(found.trigger, Trigger::Soft);
    assert!(found.reasons[0].starts_with("index 0.77"));
    assert!(measure(&Facts::default(), &WorkingSettings::default()).index.abs() < 1e-9);
}
