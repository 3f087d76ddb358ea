//! Runs the tests that hold the promises of `docs/guarantees.md`, and says for each promise whether it holds here.

pub(crate) mod document;
mod results;

use crate::{command, workspace::Workspace};
use anyhow::{Context, Result};
use document::Promise;
use results::{Results, Tally};
use std::{collections::BTreeSet, fs, process::Command};

/// Where the tests leave their counters.
const REPORT: &str = "NIDRA_PROOF_REPORT";

/// What the counters count, in words; another kind goes by its own name.
const KINDS: [(&str, &str); 7] = [
    ("fault", "injected faults"),
    ("full-disk", "full disks"),
    ("kill", "kills"),
    ("race", "race rounds"),
    ("operation", "operations of random histories"),
    ("edit", "edits by others in the middle of a write"),
    ("input", "fuzzed inputs"),
];

/// Runs the tests and prints what they came to; returns whether every promise holds.
pub(crate) fn run(workspace: &Workspace) -> Result<bool> {
    let text = fs::read_to_string(workspace.root().join(document::PATH))
        .with_context(|| format!("cannot read {}", document::PATH))?;
    let promises = document::parse(&text);
    let report = tempfile::NamedTempFile::new().context("no file for the counters can be made")?;
    let mut results = Results::default();
    let mut lines = Vec::new();
    println!("running the tests of {} promises", promises.len());
    let mut command = tests(workspace, &promises);
    let passed = command::run_lines(command.env(REPORT, report.path()), |line| {
        results.read_line(line);
        lines.push(line.to_owned());
    })?;
    if !passed {
        for line in lines.iter().filter(|line| !line.trim_start().starts_with("PASS ")) {
            println!("{line}");
        }
    }
    let counters =
        results::counted(&fs::read_to_string(report.path()).context("the counters cannot be read")?);
    Ok(tell(&promises, &results, counters) && passed)
}

/// The run of all tests that a promise names, and of all that stand for a case.
fn tests(workspace: &Workspace, promises: &[Promise]) -> Command {
    let mut cargo = command::cargo(workspace.root());
    if command::find("cargo-nextest").is_none() {
        cargo.args(["test", "--locked", "--no-fail-fast", "--workspace", "--lib", "--bins", "--tests"]);
        return cargo;
    }
    let names: BTreeSet<&str> =
        promises.iter().flat_map(|promise| &promise.tests).map(String::as_str).collect();
    let names = names.into_iter().collect::<Vec<_>>().join("|");
    let filter = format!("test(/(^|::)({names})$/) + test(/(^|::)pub_[a-z]+_[0-9]/) - binary(real_client)");
    cargo.args(["nextest", "run", "--locked", "--workspace", "--status-level=all", "--color=never", "-E"]);
    cargo.arg(filter);
    cargo
}

fn tell(promises: &[Promise], results: &Results, counters: std::collections::BTreeMap<String, u64>) -> bool {
    let mut holds = true;
    println!("\nPromises");
    for promise in promises {
        let tallies: Vec<(&str, Tally)> =
            promise.tests.iter().map(|name| (name.as_str(), results.named(name))).collect();
        let sum = tallies.iter().fold(Tally::default(), |sum, (_, tally)| Tally {
            run: sum.run + tally.run,
            passed: sum.passed + tally.passed,
        });
        let missing: Vec<&str> =
            tallies.iter().filter(|(_, tally)| tally.run == 0).map(|(name, _)| *name).collect();
        let kept = sum.holds() && missing.is_empty();
        holds &= kept;
        println!("{}  {:>3} of {:>3} tests  {}", word(kept), sum.passed, sum.run, promise.title);
        for name in missing {
            println!("        {name} did not run");
        }
    }
    println!("\nFaults that users of other tools met");
    for case in results.cases() {
        let tally = results.tally(|name| results::cases(name).contains(&case));
        holds &= tally.holds();
        println!("{}  {:>3} of {:>3} tests  {case}", word(tally.holds()), tally.passed, tally.run);
    }
    println!("\nTried");
    for (kind, count) in counters {
        let words = KINDS.iter().find(|(name, _)| *name == kind).map_or(kind.as_str(), |(_, words)| *words);
        println!("{count:>10}  {words}");
    }
    let failed = results.failed();
    if failed.is_empty() {
        println!("\n0 losses in {} tests", results.len());
    } else {
        println!("\n{} of {} tests failed", failed.len(), results.len());
        for test in failed {
            println!("        {test}");
        }
    }
    holds
}

fn word(holds: bool) -> &'static str {
    if holds { "ok    " } else { "FAILED" }
}
