//! Every fuzz target over its seeds and a fixed number of seeded mutations of them, so that each run of the tests does
//! the same; `fuzz/run.sh` goes on from there for as long as one likes.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "targets fail like tests, and say how much was tried"
)]

mod mutate;
#[path = "../../../../fuzz/src/targets/mod.rs"]
mod targets;

use mutate::Mutator;
use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Seconds to go on for instead of the fixed number of inputs.
const SECONDS: &str = "NIDRA_FUZZ_SECONDS";
/// The number that the mutations begin with.
const SEED: &str = "NIDRA_FUZZ_SEED";

fn setting(name: &str) -> Option<u64> {
    std::env::var_os(name).and_then(|text: OsString| text.to_str()?.parse().ok())
}

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Runs an input; one that breaks a promise is kept for a look.
fn run(target: &str, input: &[u8]) {
    if let Err(cause) = catch_unwind(AssertUnwindSafe(|| targets::run(target, input))) {
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{target}-{}", std::process::id()));
        fs::write(&path, input).unwrap();
        eprintln!("the input lies in {}", path.display());
        resume_unwind(cause);
    }
}

fn fuzz(target: &str, count: u64) {
    let seeds = seeds(target);
    assert!(seeds.len() > 1, "{target} has no seeds");
    let begin = Instant::now();
    let mut done = 0;
    for seed in &seeds {
        run(target, seed);
        done += 1;
    }
    run(target, b"");
    let mut mutator = Mutator::new(setting(SEED).unwrap_or(1), seeds);
    let seconds = setting(SECONDS).map(Duration::from_secs);
    while seconds.map_or(done < count, |seconds| begin.elapsed() < seconds) {
        run(target, &mutator.next());
        done += 1;
    }
    eprintln!("{target}: {done} inputs in {:.1} s", begin.elapsed().as_secs_f64());
    proof("input", done);
}

/// Counts what was tried, for `cargo xtask guarantees`.
fn proof(kind: &str, count: u64) {
    let Some(path) = std::env::var_os("NIDRA_PROOF_REPORT") else { return };
    let mut file = fs::File::options().create(true).append(true).open(path).unwrap();
    file.write_all(format!("{{\"kind\":\"{kind}\",\"count\":{count}}}\n").as_bytes()).unwrap();
}

#[test]
fn any_transcript_is_read_as_far_as_it_can_be_and_nothing_twice() {
    fuzz("transcript", 3000);
}

#[test]
fn any_memory_is_edited_only_where_an_operation_says_so() {
    fuzz("memory", 1500);
}

#[test]
fn any_settings_are_refused_by_name_or_come_back_byte_for_byte() {
    fuzz("settings", 1500);
}

#[test]
fn any_hook_input_gets_a_line_or_nothing() {
    fuzz("hook", 5000);
}

#[test]
fn any_journal_leaves_old_bytes_or_what_is_there() {
    fuzz("journal", 1000);
}

#[test]
fn any_gate_file_counts_or_is_passed_over() {
    fuzz("gate", 4000);
}

#[test]
fn any_bytes_between_notes_cost_no_note() {
    fuzz("spool", 2000);
}
