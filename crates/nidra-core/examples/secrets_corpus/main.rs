//! Measures the removal of secrets: how many of a generated corpus are found, how often ordinary text raises an
//! alarm, and how fast text is read.
//!
//! ```sh
//! cargo run --release -p nidra-core --example secrets_corpus -- DIRECTORY...
//! ```
//!
//! Source and documents below the directories count as ordinary text. The run fails below the floors.

#![expect(clippy::print_stdout, reason = "a measurement prints its figures")]

mod directories;
mod forms;
mod hostile;
mod kinds;
mod ordinary;
mod recall;

use ordinary::Alarms;
use std::path::PathBuf;
use std::process::ExitCode;

/// At least this share of all secrets must be found.
const LEAST_RECALL: f64 = 0.98;

/// At least this share of each kind must be found.
const LEAST_OF_A_KIND: f64 = 0.9;

/// At most so many alarms per million bytes of code.
const MOST_ALARMS: f64 = 1.0;

/// Four times as much hostile text may take so many times as long; quadratic time would take sixteen.
const MOST_STEEP: f64 = 12.0;

/// Bytes that are read of each directory.
const LIMIT: usize = 30_000_000;

/// What the corpus is made from.
const SEED: u64 = 20_260_608;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let verbose = arguments.iter().any(|argument| argument == "--verbose");
    let directories: Vec<PathBuf> =
        arguments.iter().filter(|argument| !argument.starts_with("--")).map(PathBuf::from).collect();

    let recall = recall::recall(SEED, 4);
    let mut good = true;
    println!("secrets found, by kind (only those below 1)");
    for (kind, count) in &recall.kinds {
        if count.found < count.all {
            println!("  {:<40} {:.3}  ({} of {})", kind, count.share(), count.found, count.all);
        }
        good &= count.share() >= LEAST_OF_A_KIND;
    }
    println!("secrets found, by form (only those below 1)");
    for (form, count) in &recall.forms {
        if count.found < count.all {
            println!("  {:<40} {:.3}  ({} of {})", form, count.share(), count.found, count.all);
        }
    }
    if verbose {
        for (kind, form, text) in &recall.missed {
            println!("missed {kind} [{form}]: {text:?}");
        }
        for (kind, form, text) in &recall.widened {
            println!("too wide {kind} [{form}]: {text:?}");
        }
    }
    println!(
        "{} kinds in {} forms: {:.4} of {} secrets found; too much removed beside {:.4}",
        recall.kinds.len(),
        recall.forms.len(),
        recall.total.share(),
        recall.total.all,
        recall.wide.share(),
    );
    good &= recall.total.share() >= LEAST_RECALL;

    let endings = [
        ".rs",
        ".py",
        ".toml",
        ".lock",
        ".md",
        ".txt",
        ".html",
        ".rst",
        ".c",
        ".h",
        ".json",
        ".js",
        "copyright",
    ];
    let mut texts: Vec<(String, Alarms)> = vec![
        ("harmless lines".to_owned(), ordinary::harmless(7, 4_000_000)),
        ("Chinese prose".to_owned(), ordinary::chinese(7, 4_000_000)),
    ];
    for directory in &directories {
        texts.push((
            directory.to_string_lossy().into_owned(),
            directories::directory(directory, &endings, LIMIT),
        ));
    }
    for (name, alarms) in &texts {
        println!(
            "{name}: {} alarms in {:.1} MB, {:.2} per MB; {:.0} MB/s",
            alarms.total(),
            alarms.bytes as f64 / 1e6,
            alarms.per_megabyte(),
            alarms.bytes as f64 / 1e6 / alarms.time.as_secs_f64().max(1e-9),
        );
        let mut rules: Vec<(&&str, &usize)> = alarms.rules.iter().collect();
        rules.sort_unstable_by_key(|(_, count)| std::cmp::Reverse(**count));
        for (rule, count) in rules.iter().take(8) {
            println!("  {rule:<40} {count}");
        }
        if verbose {
            for (rule, place, line) in &alarms.lines {
                println!("alarm {rule} {place}: {line}");
            }
        }
        good &= alarms.per_megabyte() < MOST_ALARMS;
    }
    let (steep, ratio, slow, speed) = hostile::worst();
    println!(
        "hostile text: four times as much takes {ratio:.1} times as long at worst ({steep:?}); slowest {speed:.1} MB/s ({slow:?})"
    );
    good &= ratio < MOST_STEEP;
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
