//! Measures with a limit.
//!
//! Each is a ratio of two times of one run on one machine, so that a slow machine changes neither its meaning nor
//! its limit. Memory is measured in bytes: its limit is a promise as it stands.

mod commands;
mod dream;
mod hook;
mod scan;

pub(crate) use commands::{AIM, measure as commands};

use crate::{command, workspace::Workspace};
use anyhow::{Context as _, Result, ensure};
use serde_json::json;
use std::{
    env,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// How much data the measures take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// A corpus that a check can afford.
    Short,
    /// The corpus that the limits were set on.
    Full,
}

/// One measured number and what it must not pass.
pub(crate) struct Measure {
    name: &'static str,
    value: f64,
    limit: f64,
    /// What was measured, in units, for the reader.
    detail: String,
}

impl Measure {
    /// The ratio of two times.
    fn ratio(
        name: &'static str,
        limit: f64,
        (what, time): (&str, Duration),
        (base, base_time): (&str, Duration),
    ) -> Self {
        let value = time.as_secs_f64() / base_time.as_secs_f64().max(f64::MIN_POSITIVE);
        let detail = format!("{what} {} / {base} {}", milliseconds(time), milliseconds(base_time));
        Self { name, value, limit, detail }
    }

    pub(crate) fn holds(&self) -> bool {
        self.value <= self.limit
    }
}

/// The packages and examples that tasks measure with.
const PACKAGES: [&str; 5] = ["nidra", "nidra-core", "nidra-memory", "nidra-rules", "nidra-sessions"];
const EXAMPLES: [&str; 6] = ["empty", "measure", "make_corpus", "tokens", "density", "year_of_work"];

/// Builds the program and all that measures it, in one go: with other packages cargo would unite other features and
/// compile the dependencies again.
pub(crate) fn build(workspace: &Workspace) -> Result<()> {
    let mut command = command::cargo(workspace.root());
    command.args(["build", "--locked", "--quiet", "--release", "--bin", "nidra"]);
    for package in PACKAGES {
        command.args(["--package", package]);
    }
    for example in EXAMPLES {
        command.args(["--example", example]);
    }
    command::run(&mut command)
}

/// Builds what is measured, measures, and prints a table and one line of JSON; returns whether all limits hold.
pub(crate) fn run(workspace: &Workspace, size: Size) -> Result<bool> {
    build(workspace)?;
    let mut measures = vec![hook::measure(workspace)?];
    measures.extend(commands::measure(workspace)?);
    measures.extend(scan::measure(workspace, size)?);
    print(&measures);
    let rows: Vec<_> = measures
        .iter()
        .map(|measure| json!({ "name": measure.name, "value": measure.value, "limit": measure.limit, "detail": measure.detail }))
        .collect();
    println!("{}", json!({ "measures": rows }));
    Ok(measures.iter().all(Measure::holds))
}

/// Prints each measure beside its limit.
pub(crate) fn print(measures: &[Measure]) {
    for measure in measures {
        let verdict = if measure.holds() { "ok    " } else { "FAILED" };
        println!(
            "{verdict}  {:<38} {:>7.2}  limit {:>6.2}  ({})",
            measure.name, measure.value, measure.limit, measure.detail
        );
    }
}

/// A program in a folder of the measurement, with nothing of the user's around it.
fn prepared(program: &Path, home: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(folder)
        .env_clear()
        .env("PATH", env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("NIDRA_HOME", home.join("state"))
        .stdin(Stdio::null());
    command
}

/// The time of one run from its start to its end.
fn time(command: &mut Command) -> Result<Duration> {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
    let elapsed = started.elapsed();
    ensure!(status.success(), "a timed program ended with {status}: {command:?}");
    Ok(elapsed)
}

/// Runs two programs in turn, and gives the medians of the round in which the first took least beside the second.
fn in_turn(
    rounds: usize,
    pairs: usize,
    mut own: impl FnMut() -> Result<Duration>,
    mut base: impl FnMut() -> Result<Duration>,
) -> Result<(Duration, Duration)> {
    let mut best: Option<(Duration, Duration)> = None;
    for _ in 0..rounds {
        let (mut owns, mut bases) = (Vec::with_capacity(pairs), Vec::with_capacity(pairs));
        for _ in 0..pairs {
            owns.push(own()?);
            bases.push(base()?);
        }
        let round = (median(&mut owns), median(&mut bases));
        let ratio = |(own, base): (Duration, Duration)| own.as_secs_f64() / base.as_secs_f64();
        if best.is_none_or(|best| ratio(round) < ratio(best)) {
            best = Some(round);
        }
    }
    best.context("a round of runs")
}

/// The middle of the times.
fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_compared_with_their_limit() {
        let (one, three) = (Duration::from_millis(1), Duration::from_millis(3));
        let measure = Measure::ratio("a", 2.0, ("slow", three), ("quick", one));
        assert!((measure.value - 3.0).abs() < 1e-9);
        assert!(!measure.holds());
        assert_eq!(measure.detail, "slow 3.00 ms / quick 1.00 ms");
        assert_eq!(median(&mut [three, one, one]), one);
    }
}
