//! The steps of a long task: a line and a time for each, and one sum at the end in the test runner's own form.

use anyhow::Result;
use std::time::{Duration, Instant};

/// How many tests passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Tests that passed.
    pub(crate) passed: u64,
    /// Tests that failed.
    pub(crate) failed: u64,
    /// Tests that the runner left out.
    pub(crate) skipped: u64,
}

impl Counts {
    /// A single check.
    pub(crate) fn one(passed: bool) -> Self {
        Self { passed: u64::from(passed), failed: u64::from(!passed), skipped: 0 }
    }

    /// Adds what a line of a test runner says: the summary of `cargo nextest`, or the result of `cargo test`.
    pub(crate) fn read_line(&mut self, line: &str) {
        let line = line.trim_start();
        let nextest = line
            .strip_prefix("Summary [")
            .and_then(|rest| rest.split_once("tests run:").or_else(|| rest.split_once("test run:")));
        let Some((_, numbers)) = nextest.or_else(|| line.strip_prefix("test result:").map(|rest| ("", rest)))
        else {
            return;
        };
        // "3 passed (1 slow), 1 failed, 2 skipped" and "ok. 3 passed; 1 failed; 2 ignored; …".
        for part in numbers.split([',', ';', '.']) {
            let mut words = part.split_whitespace();
            let (Some(Ok(number)), Some(kind)) = (words.next().map(str::parse::<u64>), words.next()) else {
                continue;
            };
            match kind {
                "passed" => self.passed += number,
                "failed" | "timed" | "exec" => self.failed += number,
                "skipped" | "ignored" => self.skipped += number,
                _ => {}
            }
        }
    }

    const fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// The report of a task, printed as it grows.
pub(crate) struct Report {
    started: Instant,
    steps: Vec<(&'static str, Duration, bool)>,
    counts: Counts,
}

impl Report {
    /// An empty report.
    pub(crate) fn new() -> Self {
        Self { started: Instant::now(), steps: Vec::new(), counts: Counts::default() }
    }

    /// Runs a step that is one check: `Ok(false)` means that it failed and has said why.
    pub(crate) fn check(&mut self, name: &'static str, step: impl FnOnce() -> Result<bool>) -> bool {
        self.step(name, || step().map(|passed| (passed, Counts::one(passed))))
    }

    /// Runs a step that counts its own tests.
    pub(crate) fn tests(
        &mut self,
        name: &'static str,
        step: impl FnOnce() -> Result<(bool, Counts)>,
    ) -> bool {
        self.step(name, step)
    }

    fn step(&mut self, name: &'static str, step: impl FnOnce() -> Result<(bool, Counts)>) -> bool {
        println!("\n==> {name}");
        let started = Instant::now();
        let (passed, mut counts) = step().unwrap_or_else(|error| {
            println!("error: {error:#}");
            (false, Counts::one(false))
        });
        // A build that broke before its first test has no failed test to show for it.
        if !passed && counts.failed == 0 {
            counts.failed = 1;
        }
        let elapsed = started.elapsed();
        println!("<== {name}: {} in {:.1} s", if passed { "ok" } else { "FAILED" }, elapsed.as_secs_f64());
        self.steps.push((name, elapsed, passed));
        self.counts.add(counts);
        passed
    }

    /// Says that a step was left out, and why.
    pub(crate) fn leave_out(&mut self, name: &'static str, why: &str) {
        println!("\n==> {name}: LEFT OUT ({why})");
        self.counts.skipped += 1;
    }

    /// Prints every step's time and the sum; returns whether all passed.
    pub(crate) fn finish(self) -> bool {
        println!("\nSteps");
        for (name, elapsed, passed) in &self.steps {
            println!(
                "{:>8.1} s  {}  {name}",
                elapsed.as_secs_f64(),
                if *passed { "ok    " } else { "FAILED" }
            );
        }
        let Counts { passed, failed, skipped } = self.counts;
        println!(
            "\n     Summary [{:>8.3}s] {} tests run: {passed} passed, {failed} failed, {skipped} skipped",
            self.started.elapsed().as_secs_f64(),
            passed + failed,
        );
        failed == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Counts {
        let mut counts = Counts::default();
        counts.read_line(line);
        counts
    }

    #[test]
    fn both_runners_are_understood() {
        let counts = read(
            "     Summary [   4.102s] 12 tests run: 10 passed (1 slow), 1 failed, 1 timed out, 3 skipped",
        );
        assert_eq!(counts, Counts { passed: 10, failed: 2, skipped: 3 });
        let one = read("     Summary [   0.010s] 1 test run: 1 passed, 0 skipped");
        assert_eq!(one, Counts { passed: 1, failed: 0, skipped: 0 });
        let counts = read(
            "test result: FAILED. 7 passed; 2 failed; 1 ignored; 0 measured; 4 filtered out; finished in 1.20s",
        );
        assert_eq!(counts, Counts { passed: 7, failed: 2, skipped: 1 });
        assert_eq!(read("test it::reads_a_summary ... ok"), Counts::default());
    }

    #[test]
    fn a_failed_step_counts_even_without_a_failed_test() {
        let mut report = Report::new();
        assert!(!report.tests("build", || Ok((false, Counts::default()))));
        assert!(!report.finish());
    }
}
