//! What a hook of the client's does: a pure function of the call and a few cheap facts.
//!
//! A hook never holds the client up and never fails it: it prints at most one line, leaves at most one note, and at
//! most says that a dream may be started elsewhere.

use crate::spool::SpoolNote;
use jiff::Timestamp;
use serde_json::json;
use std::path::Path;

/// UTF-16 units of a message at most. The client takes 10,000, but a start of a session is no place for a report.
const MAX_MESSAGE_UNITS: usize = 300;
/// The same without the name in front of it.
const MAX_LINE_UNITS: usize = MAX_MESSAGE_UNITS - "nidra: ".len();
/// What stands between the line about a dream and the one about a rest.
const SEPARATOR: &str = "; ";

/// What the client told the hook, as far as it matters here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HookCall<'a> {
    /// `hook_event_name`.
    pub event: &'a str,
    /// `session_id`.
    pub session: &'a str,
    /// `transcript_path`; at the start of a session the file does not exist yet.
    pub transcript: Option<&'a Path>,
    /// `cwd`.
    pub directory: Option<&'a Path>,
    /// `source` of a `SessionStart`.
    pub source: Option<&'a str>,
    /// `reason` of a `SessionEnd`.
    pub reason: Option<&'a str>,
}

/// What is known without opening a database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HookFacts<'a> {
    /// `NIDRA_DISABLED`, or dreaming is off for this project: nothing is noted, printed or started.
    pub off: bool,
    /// The client was started by nidra itself (`NIDRA_RUN`).
    pub own_run: bool,
    /// The switch, time and throttle gates are open.
    pub gates_open: bool,
    /// One line about the last dream of this project that the user has not seen yet.
    pub last_report: Option<&'a str>,
    /// One line that a rest is due, which the agent has not seen yet.
    pub rest: Option<&'a str>,
    /// Entries of memory that matter for what is at hand; for the agent alone.
    pub memories: Option<&'a str>,
}

/// What the hook has to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookDecision {
    /// JSON for standard output; `None` prints nothing.
    pub output: Option<String>,
    /// The note for the spool.
    pub note: Option<SpoolNote>,
    /// Start a dream elsewhere, which evaluates the dear gates by itself.
    pub start: bool,
    /// The report was shown, so it is not shown again.
    pub report_shown: bool,
    /// The line about a rest was shown, so it is not shown again.
    pub rest_shown: bool,
}

/// Decides what a hook does.
pub fn decide(call: &HookCall<'_>, facts: &HookFacts<'_>, now: Timestamp) -> HookDecision {
    if facts.off || facts.own_run {
        return HookDecision::default();
    }
    let note = SpoolNote::new(now, call.event, call.session)
        .transcript(call.transcript)
        .directory(call.directory)
        .reason(call.reason.or(call.source));
    match call.event {
        "SessionStart" => {
            // After a compaction the same session goes on; its start was long ago.
            let report = facts.last_report.filter(|_| call.source != Some("compact"));
            // What the agent is to read stands at the end of the line about a rest, so the report gives way.
            let rest = one_line(facts.rest.unwrap_or_default(), MAX_LINE_UNITS);
            let room = MAX_LINE_UNITS.saturating_sub(rest.encode_utf16().count() + SEPARATOR.len());
            let lines = [one_line(report.unwrap_or_default(), room), rest];
            let line = lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join(SEPARATOR);
            let output = output("SessionStart", &line, facts.memories);
            let shown = !line.is_empty();
            HookDecision {
                report_shown: shown && report.is_some(),
                rest_shown: shown && facts.rest.is_some(),
                output,
                note: Some(note),
                start: false,
            }
        }
        // Nothing is noted; the client calls it for those who want to be told within a session.
        "UserPromptSubmit" => {
            let line = one_line(facts.rest.unwrap_or_default(), MAX_LINE_UNITS);
            let output = output("UserPromptSubmit", &line, facts.memories);
            HookDecision { rest_shown: !line.is_empty(), output, ..HookDecision::default() }
        }
        "Stop" | "SessionEnd" => {
            HookDecision { note: Some(note), start: facts.gates_open, ..HookDecision::default() }
        }
        // An event that this version does not listen to: somebody wired it by hand, or a newer init did.
        _ => HookDecision::default(),
    }
}

/// What a hook of this event prints: a line for the user and the agent, and entries of memory for the agent alone. `None`
/// where there is neither.
fn output(event: &str, line: &str, memories: Option<&str>) -> Option<String> {
    let line = (!line.is_empty()).then(|| format!("nidra: {line}"));
    let context: Vec<&str> = line.as_deref().into_iter().chain(memories).collect();
    if context.is_empty() {
        return None;
    }
    let mut output = json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": context.join("\n\n") } });
    if let Some(line) = &line {
        output["systemMessage"] = json!(line);
    }
    Some(output.to_string())
}

/// A text on one line, without control characters, cut with an ellipsis to so many UTF-16 units.
fn one_line(text: &str, max_units: usize) -> String {
    let words = text.split(|letter: char| letter.is_whitespace() || letter.is_control());
    let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    if line.encode_utf16().count() <= max_units {
        return line;
    }
    let mut cut = String::new();
    let mut units = 1;
    for letter in line.chars() {
        units += letter.len_utf16();
        if units > max_units {
            break;
        }
        cut.push(letter);
    }
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn call(event: &str) -> HookCall<'_> {
        HookCall {
            event,
            session: "33333333-3333-4333-8333-333333333333",
            transcript: Some(Path::new("/home/dev/.claude/projects/-x/3.jsonl")),
            directory: Some(Path::new("/home/dev/项目")),
            source: None,
            reason: None,
        }
    }

    const OPEN: HookFacts<'_> = HookFacts {
        off: false,
        own_run: false,
        gates_open: true,
        last_report: Some("改进了 3 条记忆"),
        rest: None,
        memories: None,
    };

    #[test]
    fn a_session_starts_with_one_line_about_the_last_dream() {
        let decision = decide(&call("SessionStart"), &OPEN, Timestamp::UNIX_EPOCH);
        let output: Value = serde_json::from_str(&decision.output.unwrap()).unwrap();
        assert_eq!(output["systemMessage"], "nidra: 改进了 3 条记忆");
        assert_eq!(output["hookSpecificOutput"]["hookEventName"], "SessionStart");
        assert_eq!(output["hookSpecificOutput"]["additionalContext"], "nidra: 改进了 3 条记忆");
        assert!(decision.report_shown && !decision.start && decision.note.is_some());
    }

    #[test]
    fn nothing_is_shown_without_a_report_or_after_a_compaction() {
        for (source, report) in [(Some("compact"), Some("x")), (None, None), (Some("startup"), Some(" \n"))] {
            let call = HookCall { source, ..call("SessionStart") };
            let decision = decide(&call, &HookFacts { last_report: report, ..OPEN }, Timestamp::UNIX_EPOCH);
            assert_eq!((decision.output, decision.report_shown), (None, false), "{source:?} {report:?}");
        }
    }

    #[test]
    fn the_end_of_a_turn_or_session_prints_nothing_and_may_start_a_dream() {
        for event in ["Stop", "SessionEnd"] {
            let open = decide(&call(event), &OPEN, Timestamp::UNIX_EPOCH);
            assert_eq!((open.output.is_none(), open.note.is_some(), open.start), (true, true, true));
            let closed =
                decide(&call(event), &HookFacts { gates_open: false, ..OPEN }, Timestamp::UNIX_EPOCH);
            assert_eq!((closed.output.is_none(), closed.note.is_some(), closed.start), (true, true, false));
        }
    }

    #[test]
    fn pub_trg_07_off_means_off() {
        for facts in [HookFacts { off: true, ..OPEN }, HookFacts { own_run: true, ..OPEN }] {
            for event in ["SessionStart", "Stop", "SessionEnd"] {
                assert_eq!(decide(&call(event), &facts, Timestamp::UNIX_EPOCH), HookDecision::default());
            }
        }
    }

    #[test]
    fn a_rest_that_is_due_is_told_at_a_start_and_within_a_session() {
        let due = HookFacts { last_report: None, rest: Some("a rest is due"), ..OPEN };
        for event in ["SessionStart", "UserPromptSubmit"] {
            let decision = decide(&call(event), &due, Timestamp::UNIX_EPOCH);
            let output: Value = serde_json::from_str(&decision.output.unwrap()).unwrap();
            assert_eq!(output["hookSpecificOutput"]["hookEventName"], event);
            assert_eq!(output["hookSpecificOutput"]["additionalContext"], "nidra: a rest is due");
            assert!(decision.rest_shown && !decision.report_shown && !decision.start);
        }
        let both =
            decide(&call("SessionStart"), &HookFacts { rest: Some("r"), ..OPEN }, Timestamp::UNIX_EPOCH);
        assert!(both.output.unwrap().contains("改进了 3 条记忆; r") && both.report_shown && both.rest_shown);
        let (long, path) = ("一个很长的报告 ".repeat(100), "read /a/long/way/to/context.md");
        let facts = HookFacts { last_report: Some(&long), rest: Some(path), ..OPEN };
        let told = decide(&call("SessionStart"), &facts, Timestamp::UNIX_EPOCH).output.unwrap();
        assert!(told.contains(path) && told.contains("…; read"), "{told}");
        assert_eq!(decide(&call("UserPromptSubmit"), &OPEN, Timestamp::UNIX_EPOCH), HookDecision::default());
    }

    #[test]
    fn memories_are_for_the_agent_alone() {
        let facts = HookFacts { last_report: None, memories: Some("- one\n- two"), ..OPEN };
        for event in ["SessionStart", "UserPromptSubmit"] {
            let decision = decide(&call(event), &facts, Timestamp::UNIX_EPOCH);
            let output: Value = serde_json::from_str(&decision.output.unwrap()).unwrap();
            assert_eq!(output["hookSpecificOutput"]["additionalContext"], "- one\n- two");
            assert!(output.get("systemMessage").is_none() && !decision.rest_shown && !decision.report_shown);
        }
    }

    #[test]
    fn an_event_that_nobody_asked_for_does_nothing() {
        assert_eq!(decide(&call("PreToolUse"), &OPEN, Timestamp::UNIX_EPOCH), HookDecision::default());
    }

    #[test]
    fn a_report_cannot_steer_the_terminal_and_stays_short() {
        let report = format!("a\u{1b}[31m\r\n\tb {}", "😀".repeat(400));
        let facts = HookFacts { last_report: Some(&report), ..OPEN };
        let decision = decide(&call("SessionStart"), &facts, Timestamp::UNIX_EPOCH);
        let output: Value = serde_json::from_str(&decision.output.unwrap()).unwrap();
        let message = output["systemMessage"].as_str().unwrap();
        assert!(message.starts_with("nidra: a [31m b 😀") && message.ends_with('…'));
        assert!(message.encode_utf16().count() <= 300);
        assert!(!message.contains(char::is_control));
    }
}
