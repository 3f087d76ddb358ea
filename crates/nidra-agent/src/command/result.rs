//! What an agent's program left: its code, what it said, and what it says that it spent.

use super::denied::{Denied, denied};
use super::invocation::AgentProgram;
use super::supervise::{ENDED, NOT_STARTED};
use crate::driver::{End, Worked};
use nidra_core::text::steering::within_line;
use nidra_core::text::{redact, width};
use nidra_model::budget::{Money, Spent};
use nidra_model::price::Usage;
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

/// What a run of a program came to, and the tokens that it counts, where it does.
pub(super) fn read(
    program: AgentProgram,
    status: ExitStatus,
    said: &str,
    complaints: &str,
) -> (Worked, Option<Usage>) {
    let (mut worked, counted) = match program {
        AgentProgram::Claude => claude(said),
        AgentProgram::Codex => codex(said),
        AgentProgram::Other => other(said),
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
    worked.advice = match status.code() {
        Some(NOT_STARTED) => None,
        Some(NOT_ALLOWED) => Some(Denied::Program.hint()),
        _ => denied(complaints).map(Denied::hint),
    };
    (worked, counted.filter(|usage| usage.total() > 0))
}

/// The tokens of a run as they count: those that it reports, as far as its own budget goes, else those that were estimated.
/// More would use up the budgets of the days to come by a single line of a program.
pub(super) fn usage(end: &End, counted: Option<Usage>, estimate: &Spent, budget: u64) -> Usage {
    let most = budget.max(estimate.tokens);
    match (end, counted) {
        (_, Some(usage)) if usage.total() <= most => usage,
        (_, Some(_)) => Usage { input: most, ..Usage::default() },
        (End::Unavailable(_) | End::Spent(_), None) => Usage::default(),
        (_, None) => Usage { input: estimate.tokens, ..Usage::default() },
    }
}

fn shown(words: &str) -> String {
    width::shorten(&redact::redact(within_line(words).trim()), SHOWN)
}

/// The counts of tokens in an object, by the names that programs give them; `None` where it has none of them.
fn tokens(usage: &Value) -> Option<Usage> {
    let count = |names: &[&str]| names.iter().find_map(|name| usage[*name].as_u64());
    let (input, output) =
        (count(&["input_tokens", "prompt_tokens"]), count(&["output_tokens", "completion_tokens"]));
    (input.is_some() || output.is_some()).then(|| Usage {
        input: input.unwrap_or_default(),
        cache_write: count(&["cache_creation_input_tokens"]).unwrap_or_default(),
        cache_read: count(&["cache_read_input_tokens"]).unwrap_or_default(),
        output: output.unwrap_or_default(),
    })
}

/// Any other agent: its words, unless it reports in one of the forms that are known.
fn other(said: &str) -> (Worked, Option<Usage>) {
    let objects = || said.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    if objects().any(|event| event["type"] == "turn.completed") {
        return codex(said);
    }
    if objects().next().is_some_and(|report| tokens(&report["usage"]).is_some()) {
        let (mut worked, counted) = claude(said);
        if worked.said.is_empty() {
            worked.said = words_before_report(said);
        }
        return (worked, counted);
    }
    (Worked { said: said.trim().to_owned(), ..Worked::default() }, None)
}

/// What an agent says before the line of its report.
fn words_before_report(said: &str) -> String {
    let lines = said.lines().filter(|line| serde_json::from_str::<Value>(line).is_err());
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// The one line of JSON that `claude -p --output-format json` ends with.
fn claude(said: &str) -> (Worked, Option<Usage>) {
    let last = said.lines().rev().find_map(|line| serde_json::from_str::<Value>(line).ok());
    let Some(result) = last else {
        return (Worked { said: said.trim().to_owned(), ..Worked::default() }, None);
    };
    let mut worked = Worked {
        turns: result["num_turns"].as_u64().unwrap_or_default(),
        said: result["result"].as_str().unwrap_or_default().to_owned(),
        ..Worked::default()
    };
    worked.spent.cost = Money::dollars(result["total_cost_usd"].as_f64().unwrap_or_default());
    for denial in result["permission_denials"].as_array().into_iter().flatten() {
        if denial.is_object() {
            *worked.refused.entry("tool-denied").or_default() += 1;
        }
    }
    if result["is_error"] == true {
        worked.end = End::Failed(format!("the agent reports a fault: {}", shown(&worked.said)));
    }
    (worked, tokens(&result["usage"]))
}

/// The lines of JSON of `codex exec --json`.
fn codex(said: &str) -> (Worked, Option<Usage>) {
    let mut worked = Worked::default();
    let mut counted: Option<Usage> = None;
    for event in said.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        match event["type"].as_str() {
            Some("turn.completed") => {
                worked.turns += 1;
                if let Some(more) = tokens(&event["usage"]) {
                    let sum = counted.unwrap_or_default();
                    counted = Some(Usage {
                        input: sum.input.saturating_add(more.input),
                        output: sum.output.saturating_add(more.output),
                        ..sum
                    });
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
    (worked, counted)
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
        let (worked, counted) = read(AgentProgram::Claude, ExitStatus::from_raw(0), said, "");
        let counted = counted.unwrap();
        assert_eq!((worked.turns, counted.total(), worked.said.as_str()), (3, 22, "Done."));
        assert_eq!((counted.input, counted.cache_read, counted.output), (10, 5, 7));
        assert_eq!((worked.end, worked.refused["tool-denied"]), (End::Done, 1));
        let said = "{\"type\":\"item.completed\",\"item\":{\"type\":\"command_execution\"}}\n\
                    {\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"Good.\"}}\n\
                    {\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":8,\"output_tokens\":2}}\n";
        let (worked, counted) = read(AgentProgram::Codex, ExitStatus::from_raw(0), said, "");
        assert_eq!((counted.unwrap().total(), worked.said.as_str()), (10, "Good."));
        assert_eq!(worked.actions["command_execution"], 1);
        let (late, counted) = read(AgentProgram::Other, ExitStatus::from_raw(ENDED << 8), "", "");
        assert_eq!(counted, None);
        assert!(matches!(late.end, End::Stopped(reason) if reason.contains("agent.timeout_seconds")));
    }

    #[test]
    fn any_other_agent_that_counts_in_a_known_form_is_believed() {
        let of = |said: &str| read(AgentProgram::Other, ExitStatus::from_raw(0), said, "");
        let (worked, counted) =
            of("All noted.\n{\"usage\":{\"prompt_tokens\":70,\"completion_tokens\":8}}\n");
        assert_eq!((worked.said.as_str(), counted.unwrap().total()), ("All noted.", 78));
        let (_, counted) =
            of("{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":8,\"output_tokens\":2}}\n");
        assert_eq!(counted.unwrap().total(), 10);
        let (worked, counted) = of("{\"done\": true}");
        assert_eq!((worked.said.as_str(), counted), ("{\"done\": true}", None));
    }

    #[test]
    fn what_a_run_may_not_take_counts_as_the_most_that_it_may() {
        let estimate = Spent { tokens: 50, ..Spent::default() };
        let absurd = Usage { input: u64::MAX, ..Usage::default() };
        assert_eq!(usage(&End::Done, Some(absurd), &estimate, 100).total(), 100);
        assert_eq!(usage(&End::Done, None, &estimate, 100).total(), 50);
        assert_eq!(usage(&End::Unavailable(String::new()), None, &estimate, 100).total(), 0);
    }
}
