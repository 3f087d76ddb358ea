//! What an agent's program left: its code, what it said, and what it says that it spent.

use super::invocation::AgentProgram;
use super::supervise::{ENDED, NOT_STARTED};
use crate::driver::{End, Worked};
use nidra_core::text::{redact, width};
use nidra_model::budget::{Money, Spent};
use serde_json::Value;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::ExitStatus;

/// Bytes of what a program said that are read.
const MAX_SAID: u64 = 4 * 1024 * 1024;
/// The code with which a shell ends whose program may not be started.
const NOT_ALLOWED: i32 = 126;
/// Characters of it that are shown when it failed.
const SHOWN: usize = 200;

/// The beginning of a file, as text.
pub(super) fn beginning(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_SAID).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What a run of a program came to.
pub(super) fn read(program: AgentProgram, status: ExitStatus, said: &str, complaints: &str) -> Worked {
    let mut worked = match program {
        AgentProgram::Claude => claude(said),
        AgentProgram::Codex => codex(said),
        AgentProgram::Other => Worked { said: said.trim().to_owned(), ..Worked::default() },
    };
    worked.end = match status.code() {
        Some(0) => worked.end,
        Some(ENDED) => End::Stopped("it took longer than it may (`agent.timeout_seconds`)".to_owned()),
        Some(NOT_STARTED) => End::Unavailable(shown(complaints)),
        code => {
            let words = [complaints, &worked.said, said].into_iter().find(|words| !words.trim().is_empty());
            let words = shown(words.unwrap_or("it says nothing"));
            let how = code.map_or_else(
                || format!("was ended by signal {}", status.signal().unwrap_or_default()),
                |code| format!("ended with code {code}"),
            );
            End::Failed(format!("the agent {how}: {words}"))
        }
    };
    let started = status.code() != Some(NOT_STARTED);
    let kept_back =
        started && (status.code() == Some(NOT_ALLOWED) || complaints.contains("ermission denied"));
    worked.advice = kept_back.then_some(
        "it was kept from something that it tried; `agent.programs` names the programs that it may start beside its own",
    );
    worked
}

/// How many times the tokens of its budget a run may have taken at most; what passes that is no count, and would use up the
/// budgets of the days to come.
const ABSURD: u64 = 10;

/// The tokens that a run counts: those that it reports, else those that were estimated.
pub(super) fn usage(worked: &Worked, estimate: &Spent, budget: u64) -> u64 {
    let most = budget.max(estimate.tokens).saturating_mul(ABSURD);
    most.min(reported(worked, estimate))
}

fn reported(worked: &Worked, estimate: &Spent) -> u64 {
    match (&worked.end, worked.spent.tokens) {
        (End::Unavailable(_) | End::Spent(_), 0) => 0,
        (_, 0) => estimate.tokens,
        (_, tokens) => tokens,
    }
}

fn shown(words: &str) -> String {
    let line: String = words.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    width::shorten(&redact::redact(line.trim()), SHOWN)
}

/// The one line of JSON that `claude -p --output-format json` ends with.
fn claude(said: &str) -> Worked {
    let last = said.lines().rev().find_map(|line| serde_json::from_str::<Value>(line).ok());
    let Some(result) = last else { return Worked { said: said.trim().to_owned(), ..Worked::default() } };
    let count = |place: &str| result.pointer(place).and_then(Value::as_u64).unwrap_or_default();
    let tokens = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"]
        .iter()
        .fold(0, |sum: u64, name| sum.saturating_add(count(&format!("/usage/{name}"))));
    let mut worked = Worked {
        turns: count("/num_turns"),
        said: result["result"].as_str().unwrap_or_default().to_owned(),
        ..Worked::default()
    };
    worked.spent.tokens = tokens;
    worked.spent.cost = Money::dollars(result["total_cost_usd"].as_f64().unwrap_or_default());
    for denial in result["permission_denials"].as_array().into_iter().flatten() {
        if denial.is_object() {
            *worked.refused.entry("tool-denied").or_default() += 1;
        }
    }
    if result["is_error"] == true {
        worked.end = End::Failed(format!("the agent reports a fault: {}", shown(&worked.said)));
    }
    worked
}

/// The lines of JSON of `codex exec --json`.
fn codex(said: &str) -> Worked {
    let mut worked = Worked::default();
    for event in said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        match event["type"].as_str() {
            Some("turn.completed") => {
                worked.turns += 1;
                for name in ["input_tokens", "output_tokens"] {
                    let count = event["usage"][name].as_u64().unwrap_or_default();
                    worked.spent.tokens = worked.spent.tokens.saturating_add(count);
                }
            }
            Some("item.completed") => {
                let item = &event["item"];
                match item["type"].as_str() {
                    Some("agent_message") => {
                        item["text"].as_str().unwrap_or_default().clone_into(&mut worked.said);
                    }
                    Some(kind) => *worked.actions.entry(action(kind)).or_default() += 1,
                    None => {}
                }
            }
            Some("turn.failed") => {
                let words = event["error"]["message"].as_str().unwrap_or("it does not say which");
                worked.end = End::Failed(format!("the agent reports a fault: {}", shown(words)));
            }
            _ => {}
        }
    }
    worked
}

/// The name of an action as the program gives it, where it is one.
fn action(kind: &str) -> String {
    let plain = kind.len() <= 40 && kind.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
    if plain { kind.to_owned() } else { "other".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reports_of_both_programs_are_read() {
        let said = "warning: something\n{\"type\":\"result\",\"is_error\":false,\"num_turns\":3,\"result\":\"Done.\",\
                    \"total_cost_usd\":0.25,\"usage\":{\"input_tokens\":10,\"cache_read_input_tokens\":5,\"output_tokens\":7},\
                    \"permission_denials\":[{\"tool_name\":\"Bash\"}]}\n";
        let worked = read(AgentProgram::Claude, ExitStatus::from_raw(0), said, "");
        assert_eq!((worked.turns, worked.spent.tokens, worked.said.as_str()), (3, 22, "Done."));
        assert_eq!((worked.end, worked.refused["tool-denied"]), (End::Done, 1));
        let said = "{\"type\":\"item.completed\",\"item\":{\"type\":\"command_execution\"}}\n\
                    {\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"Good.\"}}\n\
                    {\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":8,\"output_tokens\":2}}\n";
        let worked = read(AgentProgram::Codex, ExitStatus::from_raw(0), said, "");
        assert_eq!((worked.spent.tokens, worked.said.as_str()), (10, "Good."));
        assert_eq!(worked.actions["command_execution"], 1);
        let late = read(AgentProgram::Other, ExitStatus::from_raw(ENDED << 8), "", "");
        assert!(matches!(late.end, End::Stopped(reason) if reason.contains("agent.timeout_seconds")));
    }
}
