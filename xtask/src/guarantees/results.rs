//! What a run of tests came to, read from the lines of the runner, and what the tests counted, read from their file.

use std::collections::{BTreeMap, BTreeSet};

/// The tests that ran, by their binary and path, and whether each passed.
#[derive(Debug, Default)]
pub(crate) struct Results {
    tests: BTreeMap<(String, String), bool>,
}

/// How many of some tests ran and passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Tests that ran.
    pub(crate) run: usize,
    /// Tests that passed.
    pub(crate) passed: usize,
}

impl Tally {
    /// Whether there were tests and all of them passed.
    pub(crate) const fn holds(self) -> bool {
        self.run > 0 && self.run == self.passed
    }
}

impl Results {
    /// Takes in a line of `cargo nextest` or `cargo test`; others say nothing.
    pub(crate) fn read_line(&mut self, line: &str) {
        let Some((binary, path, passed)) = nextest_line(line).or_else(|| cargo_line(line)) else { return };
        // A failed test is named twice; one name in two binaries is two tests.
        *self.tests.entry((binary.to_owned(), path.to_owned())).or_insert(true) &= passed;
    }

    /// The tests with this name, in whichever module and crate.
    pub(crate) fn named(&self, name: &str) -> Tally {
        self.tally(|test| test == name)
    }

    /// The tests whose names a rule takes.
    pub(crate) fn tally(&self, rule: impl Fn(&str) -> bool) -> Tally {
        let mut tally = Tally::default();
        for ((_, path), passed) in &self.tests {
            if rule(name_of(path)) {
                tally.run += 1;
                tally.passed += usize::from(*passed);
            }
        }
        tally
    }

    /// The cases that tests stand for, as `DEL-01`.
    pub(crate) fn cases(&self) -> BTreeSet<String> {
        self.tests.keys().flat_map(|(_, path)| cases(name_of(path))).collect()
    }

    /// The tests that failed, with their binaries.
    pub(crate) fn failed(&self) -> Vec<String> {
        let failed = self.tests.iter().filter(|(_, passed)| !**passed);
        failed.map(|((binary, path), _)| format!("{binary} {path}").trim().to_owned()).collect()
    }

    /// How many tests ran.
    pub(crate) fn len(&self) -> usize {
        self.tests.len()
    }
}

/// The cases that a test stands for: `pub_LETTERS_NUMBER`, and further ones as `_and_NUMBER`, `_and_LETTERS_NUMBER`,
/// `_to_NUMBER` or `_NUMBER` behind it.
pub(crate) fn cases(name: &str) -> Vec<String> {
    let mut words = name.split('_').peekable();
    let mut cases: Vec<(String, u32)> = Vec::new();
    if words.next() != Some("pub") {
        return Vec::new();
    }
    let mut family = words.next().unwrap_or_default().to_uppercase();
    let mut up_to = false;
    while let Some(word) = words.next() {
        match word {
            "and" => {
                // Letters before a number are another family.
                let next = words.peek().copied().unwrap_or_default();
                if next.chars().all(|letter| letter.is_ascii_lowercase()) {
                    family = words.next().unwrap_or_default().to_uppercase();
                }
            }
            "to" => up_to = true,
            number if number.len() == 2 && number.parse::<u32>().is_ok() => {
                let number = number.parse().unwrap_or_default();
                let from = cases.last().filter(|_| up_to).map_or(number, |(_, last)| last + 1);
                cases.extend((from..=number).map(|number| (family.clone(), number)));
                up_to = false;
            }
            _ => break,
        }
    }
    cases.into_iter().map(|(family, number)| format!("{family}-{number:02}")).collect()
}

fn name_of(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// `PASS [   0.004s] (1/9) nidra-memory::durability cases::a_commit`; a word other than PASS is a failure.
fn nextest_line(line: &str) -> Option<(&str, &str, bool)> {
    let (status, rest) = line.trim_start().split_once(" [")?;
    let status = status.trim_end();
    let passed = matches!(status, "PASS" | "LEAK");
    let failed =
        matches!(status, "FAIL" | "TIMEOUT" | "TERMINATED" | "LEAK-FAIL") || status.starts_with("SIG");
    if !passed && !failed {
        return None;
    }
    let (_, rest) = rest.split_once("s]")?;
    let mut words = rest.split_whitespace().rev();
    let (path, binary) = (words.next()?, words.next()?);
    Some((binary, path, passed))
}

/// `test cases::a_commit ... ok`.
fn cargo_line(line: &str) -> Option<(&str, &str, bool)> {
    let (path, outcome) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let outcome = outcome.trim_end();
    matches!(outcome, "ok" | "FAILED").then_some(("", path, outcome == "ok"))
}

/// Adds up what the tests counted: a line of JSON each, `{"kind":"fault","count":3}`. Lines of another form are
/// passed over, for a killed test may have torn its last one.
pub(crate) fn counted(report: &str) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for line in report.lines() {
        let Ok(value) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        if let (Some(kind), Some(count)) = (value["kind"].as_str(), value["count"].as_u64()) {
            *sums.entry(kind.to_owned()).or_default() += count;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_runners_are_read() {
        let mut results = Results::default();
        for line in [
            "        PASS [   0.004s] ( 1/12) nidra-memory::durability cases::pub_del_01_a",
            "        PASS [   1.204s] (  2/12) nidra::cli cases::pub_del_01_a",
            "        FAIL [   0.010s] ( 3/12) nidra-core text::b",
            "     TIMEOUT [ 300.010s] ( 4/12) nidra-core text::c",
            "     SIGKILL [   0.010s] ( 5/12) nidra-core text::d",
            "        FAIL [   0.010s] ( 3/12) nidra-core text::b",
            "        SLOW [> 60.000s] nidra::cli cases::slow",
            "     Summary [   4.102s] 12 tests run: 10 passed, 2 failed, 3 skipped",
            "test other::e ... ok",
            "test other::f ... FAILED",
            "test result: ok. 1 passed",
        ] {
            results.read_line(line);
        }
        assert_eq!(results.len(), 7);
        assert_eq!(results.named("pub_del_01_a"), Tally { run: 2, passed: 2 });
        assert!(
            !results.named("b").holds() && !results.named("nothing").holds() && results.named("e").holds()
        );
        assert_eq!(
            results.failed(),
            ["other::f", "nidra-core text::b", "nidra-core text::c", "nidra-core text::d"]
        );
        assert_eq!(results.cases().into_iter().collect::<Vec<_>>(), ["DEL-01"]);
    }

    #[test]
    fn cases_have_a_number() {
        assert_eq!(cases("pub_trx_02_an_unfinished_tail_waits"), ["TRX-02"]);
        assert_eq!(cases("pub_own_01_and_02_daily_logs"), ["OWN-01", "OWN-02"]);
        assert_eq!(cases("pub_prj_01_to_03_work_trees_and_folders"), ["PRJ-01", "PRJ-02", "PRJ-03"]);
        assert_eq!(cases("pub_lck_04_05_a_silent_holder"), ["LCK-04", "LCK-05"]);
        assert_eq!(cases("pub_del_06_and_con_03_what_was_not_seen"), ["DEL-06", "CON-03"]);
        assert!(cases("pub_lic_words").is_empty() && cases("published_01").is_empty());
    }

    #[test]
    fn counters_are_added_up_and_torn_lines_passed_over() {
        let sums = counted(
            "{\"kind\":\"fault\",\"count\":3}\n{\"kind\":\"kill\",\"count\":1}\n{\"kind\":\"fault\",\"count\":4}\n{\"ki",
        );
        assert_eq!(sums.into_iter().collect::<Vec<_>>(), [("fault".to_owned(), 7), ("kill".to_owned(), 1)]);
    }
}
