//! The measurement of the removal of secrets, in short; `examples/secrets_corpus` has it in full.

#[path = "../../examples/secrets_corpus/forms.rs"]
mod forms;
#[path = "../../examples/secrets_corpus/kinds.rs"]
mod kinds;
#[path = "../../examples/secrets_corpus/ordinary.rs"]
mod ordinary;
#[path = "../../examples/secrets_corpus/recall.rs"]
mod recall;

#[test]
fn secrets_of_all_kinds_are_found_in_all_forms() {
    let recall = recall::recall(1, 1);
    assert!(recall.kinds.len() >= 60 && recall.forms.len() >= 20);
    let low: Vec<String> = recall
        .kinds
        .iter()
        .filter(|(_, count)| count.share() < 0.9)
        .map(|(kind, count)| format!("{kind}: {} of {}", count.found, count.all))
        .collect();
    assert!(low.is_empty(), "{low:#?}");
    assert!(recall.total.share() >= 0.98, "{:.4}", recall.total.share());
    assert!(recall.wide.share() <= 0.01, "{:#?}", recall.widened);
}

#[test]
fn ordinary_lines_raise_no_alarm() {
    for alarms in [ordinary::harmless(1, 200_000), ordinary::chinese(1, 100_000)] {
        assert!(alarms.per_megabyte() < 10.0, "{:#?}", alarms.lines);
    }
}
