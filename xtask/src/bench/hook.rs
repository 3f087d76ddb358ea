//! What a hook costs while no dream is due: it runs at every session's end, so it must cost next to nothing.

use super::{Measure, in_turn, prepared, time};
use crate::workspace::Workspace;
use anyhow::{Context, Result};
use serde_json::json;
use std::{
    fs::{self, File},
    path::Path,
    time::Duration,
};

/// Pairs of runs in a round, one of each program in turn.
const PAIRS: usize = 100;
/// Rounds; the lowest ratio counts, since only disturbance makes a round worse.
const ROUNDS: usize = 9;
/// A hook takes at most this many times as long as a program that does nothing. The aim is 2, and 1.6 is what a quiet
/// machine shows; a busy one adds to both in other proportions.
const LIMIT: f64 = 2.5;

/// Runs the hook and an empty program in turn and compares their medians.
pub(super) fn measure(workspace: &Workspace) -> Result<Measure> {
    let hook = workspace.release_program("nidra");
    let empty = workspace.release_program("examples/empty");
    let folder = tempfile::tempdir().context("a temporary directory")?;
    let project = folder.path().join("project");
    let transcripts = folder.path().join(".claude/projects/project");
    fs::create_dir_all(&project)?;
    fs::create_dir_all(&transcripts)?;
    let session = "00000000-0000-4000-8000-000000000001";
    let transcript = transcripts.join(format!("{session}.jsonl"));
    fs::write(&transcript, "")?;
    let payload = folder.path().join("payload.json");
    let words = json!({
        "session_id": session, "transcript_path": transcript, "cwd": project,
        "hook_event_name": "SessionEnd", "reason": "other",
    });
    fs::write(&payload, words.to_string())?;

    let run = |program: &Path| -> Result<Duration> {
        let mut command = prepared(program, folder.path(), &project);
        time(command.args(["hook", "claude-code"]).stdin(File::open(&payload)?))
    };
    // The first runs load the programs and create the state.
    for _ in 0..10 {
        run(&hook)?;
        run(&empty)?;
    }
    let (hook, empty) = in_turn(ROUNDS, PAIRS, || run(&hook), || run(&empty))?;
    Ok(Measure::ratio("hook / empty program", LIMIT, ("hook", hook), ("empty", empty)))
}
