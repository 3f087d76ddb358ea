//! The user's editor and a live agent, which write all the time while runs commit.
//!
//! What is guaranteed, and checked here: whatever a program writes within [`LONGEST_GAP`] of opening the file
//! stands in the file afterwards. A program that opens a file before a run, and writes to it without
//! opening it again after the run has ended, writes to the file that was replaced; nothing can see that.

use crate::child::Worker;
use crate::random::{Random, seed, setting};
use nidra_core::{ProjectId, RunId};
use nidra_memory::atomic::RealFileSystem;
use nidra_memory::commit::{CommitError, ConflictPolicy, NewRun, commit};
use nidra_memory::lease::{Lease, LeaseOptions};
use nidra_memory::recover::recover;
use nidra_memory::store::{RunRecord, Store};
use nidra_memory::{ChangeSet, FileChange};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{Seek as _, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

/// The longest time between opening and writing that counts.
const LONGEST_GAP: Duration = Duration::from_millis(1);

/// How the editors write, each to a file of its own.
const STYLES: [&str; 5] = ["append", "rename", "truncate", "overwrite", "agent"];

/// Writes one file over and over for some milliseconds; answers with the lines that must be in it.
pub(crate) fn write_often(base: &Path, style: &str, random: &mut Random) -> String {
    let place = base.join("memory").join(format!("{style}.md"));
    let until = Instant::now() + Duration::from_millis(5 + random.below(20));
    let mut lines: Vec<String> = Vec::new();
    let mut late = 0;
    let longest_pause = [400, 4000][random.index(2)];
    while Instant::now() < until {
        let line = format!("{style} {:x} 写下", random.next());
        let opened = Instant::now();
        match style {
            "append" => {
                let mut file = OpenOptions::new().append(true).create(true).open(&place).unwrap();
                file.write_all(format!("{line}\n").as_bytes()).unwrap();
                if opened.elapsed() > LONGEST_GAP {
                    late += 1;
                } else {
                    lines.push(line);
                }
            }
            // An agent reads what is there and adds to it, as its edit tool does.
            "agent" => {
                let text = fs::read_to_string(&place).unwrap_or_default();
                let beside = place.with_extension("swp");
                fs::write(&beside, format!("{line}\n{text}")).unwrap();
                fs::rename(&beside, &place).unwrap();
                lines = vec![line];
            }
            // An editor writes what it holds, whatever is there.
            _ => {
                lines.push(line);
                let first = lines.len().saturating_sub(4);
                lines.drain(..first);
                let text = lines.join("\n") + "\n";
                match style {
                    "rename" => {
                        let beside = place.with_extension("swp");
                        fs::write(&beside, text).unwrap();
                        fs::rename(&beside, &place).unwrap();
                    }
                    "truncate" => fs::write(&place, text).unwrap(),
                    _ => {
                        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&place);
                        let mut file = file.unwrap();
                        file.rewind().unwrap();
                        file.write_all(text.as_bytes()).unwrap();
                        file.set_len(text.len() as u64).unwrap();
                    }
                }
                if style != "rename" && opened.elapsed() > LONGEST_GAP {
                    late += 1;
                    lines.clear();
                }
            }
        }
        std::thread::sleep(Duration::from_micros(random.below(longest_pause)));
    }
    format!("{late}|{}", lines.join("|"))
}

/// Adds a line to some files, at either end, and takes away a line of an earlier run.
fn plan(memory: &Path, number: u64, random: &mut Random) -> ChangeSet {
    let mut places = Random::new(random.next());
    let change = |style: &&str| {
        let path = format!("{style}.md");
        let before = fs::read(memory.join(&path)).ok();
        let text = String::from_utf8_lossy(before.as_deref().unwrap_or_default()).into_owned();
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        if lines.len() > 6
            && let Some(at) = lines.iter().position(|line| line.starts_with("run "))
        {
            lines.remove(at);
        }
        let own = format!("run {number} by the dream\n");
        let at = [0, lines.len(), lines.len() / 2][places.index(3)];
        lines.insert(at, &own);
        FileChange { path, before, after: Some(lines.concat().into_bytes()) }
    };
    let chosen: Vec<&&str> = STYLES.iter().filter(|_| random.percent(40)).collect();
    ChangeSet { files: chosen.into_iter().map(change).collect() }
}

#[test]
fn what_editors_and_agents_write_during_commits_is_there_afterwards() {
    let directory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let (base, memory) = (directory.path(), directory.path().join("memory"));
    fs::create_dir(&memory).unwrap();
    let seed = seed();
    let mut random = Random::new(seed);
    let mut store = Store::open(&base.join("state")).unwrap();
    let (project, options) = (ProjectId::new("project"), LeaseOptions::new("proof"));
    let options = LeaseOptions { client_settle: Duration::ZERO, ..options };
    store.put_project(&project, Path::new("/home/u/app"), &memory, (options.clock)()).unwrap();
    let mut workers: Vec<Worker> =
        (0..5).map(|number| Worker::start("edit", base, seed.wrapping_add(number))).collect();
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    let begin = Instant::now();
    let mut number = 0;
    for round in 0..setting("NIDRA_PROOF_EDITS", 150) {
        for (worker, style) in workers.iter_mut().zip(STYLES) {
            worker.tell(style);
        }
        let until = Instant::now() + Duration::from_millis(20);
        while Instant::now() < until {
            number += 1;
            let changes = plan(&memory, number, &mut random);
            let lease = Lease::acquire(&memory, &options).unwrap();
            recover(&mut store, &lease, &RealFileSystem, &project).unwrap();
            let id = RunId::new(format!("run-{number}"));
            let record = RunRecord::begin(id, project.clone(), lease.now(), "rules", "manual");
            let new = NewRun { on_conflict: ConflictPolicy::SkipFile, ..NewRun::new(record) };
            let result = commit(&mut store, &lease, &RealFileSystem, &new, &changes);
            let what = match result {
                Ok(committed) if committed.warnings.is_empty() => "runs",
                Ok(_) => "runs with text that came late",
                Err(CommitError::Conflict { .. }) => "runs that gave way",
                Err(error) => panic!("round {round} (seed {seed}): {}", error.chain()),
            };
            *counts.entry(what).or_default() += 1;
        }
        for (worker, style) in workers.iter_mut().zip(STYLES) {
            let answer = worker.hear();
            let mut parts = answer.split('|');
            *counts.entry("writes that stood still too long").or_default() +=
                parts.next().unwrap().parse::<u64>().unwrap();
            let text = fs::read_to_string(memory.join(format!("{style}.md"))).unwrap_or_default();
            for line in parts.filter(|line| !line.is_empty()) {
                assert!(text.contains(line), "round {round} (seed {seed}): {line:?} is lost from {text:?}");
                *counts.entry("lines found").or_default() += 1;
            }
        }
    }
    let kept = fs::read_dir(&memory)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().contains(".kept-"));
    println!(
        "seed {seed}, {:.1} s: {counts:?}; {} texts stand beside their files",
        begin.elapsed().as_secs_f64(),
        kept.count()
    );
}
