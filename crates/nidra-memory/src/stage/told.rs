//! What a line says beside the words of an entry: a line that repeats an entry must not go on saying it when the entry leaves.

use nidra_core::text::similarity::containment;

/// Share of a stretch's terms that an entry holds when the stretch says nothing but that entry.
const TOLD: f64 = 0.9;
/// What stands between the stretches of a line.
const BETWEEN: &[char] = &[',', ';', '，', '；', '、', '。', '·'];

/// A line without the stretches that only `gone` says; what none of `rest` says stays when `gone` does not say it either.
/// A line that said nothing else says the first of `rest`. `None` when the line stays as it is.
pub(super) fn without(line: &str, gone: &str, rest: &[&str]) -> Option<String> {
    let leaves = |stretch: &str| {
        containment(stretch, gone) >= TOLD && !rest.iter().any(|entry| containment(stretch, entry) >= TOLD)
    };
    if leaves(line) {
        return rest.first().map(|entry| (*entry).to_owned());
    }
    // A comma inside a number or a name is no end: a stretch ends before a blank, or between Chinese words.
    let mut kept = String::new();
    let mut left_out = false;
    for stretch in stretches(line) {
        if leaves(stretch.trim_end_matches(BETWEEN).trim()) {
            left_out = true;
        } else {
            kept.push_str(stretch);
        }
    }
    let kept = kept.trim().trim_end_matches(BETWEEN).trim_end();
    (left_out && !kept.is_empty()).then(|| kept.to_owned())
}

/// The stretches of a line, each with the mark behind it.
fn stretches(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    for (at, mark) in line.match_indices(BETWEEN) {
        let end = at + mark.len();
        if !mark.is_ascii() || line[end..].starts_with(' ') {
            found.push(&line[start..end]);
            start = end;
        }
    }
    found.push(&line[start..]);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_loses_what_only_the_entry_said() {
        let gone = "Migrations are run with goose.";
        let rest = ["The database is Postgres 16."];
        assert_eq!(without("Migrations are run with goose", gone, &rest), Some(rest[0].to_owned()));
        assert_eq!(
            without("Postgres 16, migrations with goose, see the wiki", gone, &rest),
            Some("Postgres 16, see the wiki".to_owned())
        );
        assert_eq!(without("database and migrations", gone, &rest), None);
        assert_eq!(without("Migrations are run with goose", gone, &[]), None);
        assert_eq!(
            without("编译用 Keil，串口 115200", "编译用 Keil。", &["串口 115200。"]),
            Some("串口 115200".to_owned())
        );
    }
}
