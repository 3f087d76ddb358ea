//! Reports as a person reads them on a terminal. Pure: values in, text out.

use crate::printer::style::{self, paint};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use nidra_core::text::width::{display_width, shorten};
use nidra_core::text::wording::counted;
use nidra_core::{Evidence, Speaker};
use nidra_dream::gate::Gate;
use nidra_dream::report::{FileReport, OperationReport, RunReport, RunState};
use nidra_sessions::daily_log;
use std::fmt::Write as _;

/// Longest quotation in a report, in UTF-16 units.
const QUOTE_UNITS: usize = 300;

/// Gates as a table: open or closed, value, need, next possible time.
pub fn gates(gates: &[Gate], zone: &TimeZone) -> String {
    let mut text = String::new();
    let width = gates.iter().map(|gate| display_width(&gate.value)).max().unwrap_or(0);
    for gate in gates {
        let (mark, word) = if gate.open { (style::GOOD, "open  ") } else { (style::WARN, "closed") };
        let pad = " ".repeat(width.saturating_sub(display_width(&gate.value)));
        let _ = write!(
            text,
            "  {} {:<9} {}{pad}  needs {}",
            paint(mark, word),
            gate.name.as_str(),
            gate.value,
            gate.need
        );
        if let Some(next) = gate.next {
            let _ = write!(text, ", opens {}", moment(next, zone));
        }
        text.push('\n');
    }
    text
}

/// A moment with its offset, in the user's zone.
pub fn moment(at: Timestamp, zone: &TimeZone) -> String {
    at.to_zoned_datetime(zone.clone()).strftime("%Y-%m-%d %H:%M %:z").to_string()
}

/// A unified difference in colours.
pub fn difference(diff: &str) -> String {
    let mut text = String::new();
    for line in diff.lines() {
        let painted = match line.as_bytes() {
            [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => paint(style::HEAD, line),
            [b'@', ..] => paint(style::DIM, line),
            [b'+', ..] => paint(style::GOOD, line),
            [b'-', ..] => paint(style::BAD, line),
            _ => line.to_owned(),
        };
        let _ = writeln!(text, "  {painted}");
    }
    text
}

/// The differences of all files of a run.
pub fn files(files: &[FileReport]) -> String {
    files.iter().map(|file| difference(&file.diff)).collect::<Vec<_>>().join("\n")
}

/// Operations with their reasons and the words that they rest on.
pub fn operations(operations: &[OperationReport], zone: &TimeZone) -> String {
    let mut text = String::new();
    for operation in operations {
        let _ = writeln!(text, "  {} {}", paint(style::HEAD, operation.id.as_str()), operation.what);
        let _ = writeln!(text, "      why: {} ({})", operation.reason, operation.rank.as_str());
        for evidence in &operation.evidence {
            let _ = writeln!(text, "      {}", quotation(evidence, zone));
        }
    }
    text
}

/// Who said what, when and where.
fn quotation(evidence: &Evidence, zone: &TimeZone) -> String {
    let session = evidence.source.session.as_str();
    // The beginning of a session's identifier is enough; a daily log is named whole.
    let source = match session.strip_prefix(daily_log::SESSION) {
        Some(log) => format!("log {log}"),
        None => format!("session {}", session.chars().take(8).collect::<String>()),
    };
    let place = paint(style::DIM, &format!("({source}, byte {})", evidence.source.offset));
    format!("{} {place}", spoken(evidence, zone))
}

/// A session by its name; a daily log by its own.
pub fn source(session: &str) -> String {
    match session.strip_prefix(daily_log::SESSION) {
        Some(log) => format!("log {log}"),
        None => format!("session {session}"),
    }
}

/// Who said what, and when.
pub fn spoken(evidence: &Evidence, zone: &TimeZone) -> String {
    let who = match evidence.speaker {
        Speaker::Human => "you",
        Speaker::Agent => "agent",
        Speaker::Tool => "tool",
        Speaker::Subagent => "sub-agent",
        Speaker::Injected => "client",
        Speaker::Summary => "digest",
    };
    let when = evidence.at.map(|at| format!(" {}", moment(at, zone))).unwrap_or_default();
    let quote = shorten(&evidence.quote.split_whitespace().collect::<Vec<_>>().join(" "), QUOTE_UNITS);
    format!("{who}{when}: “{quote}”")
}

/// The end of a run in one line.
pub fn ending(report: &RunReport) -> String {
    match &report.state {
        RunState::Applied => {
            let run = report.run.as_ref().map(|run| format!(" Run {run}.")).unwrap_or_default();
            let left = match (&report.left, report.refused.len()) {
                (None, _) => String::new(),
                (Some(plan), 0) => format!(" The rest waits as plan {plan}."),
                (Some(plan), refused) => format!(
                    " Not all of it: {} could not be applied now, for the reasons above, and waits as plan {plan}.",
                    counted(refused, "operation")
                ),
            };
            let applied = counted(report.applied.len(), "operation");
            match report.files.len() {
                0 => format!("{applied} done; no file of memory changed.{run}{left}"),
                files => format!("Memory changed: {applied} in {}.{run}{left}", counted(files, "file")),
            }
        }
        RunState::Planned => format!(
            "Nothing was written. A dream would apply {} in {}.",
            counted(report.applied.len(), "operation"),
            counted(report.files.len(), "file")
        ),
        RunState::Proposed => format!(
            "Nothing was changed; waiting for your word: {}.",
            match report.questions.len() {
                0 => counted(report.proposed.len(), "operation"),
                questions => format!(
                    "{} and {}",
                    counted(report.proposed.len(), "operation"),
                    counted(questions, "question")
                ),
            }
        ),
        RunState::NothingToDo { reason } => format!("Nothing to do: {reason}."),
        RunState::Skipped { gate } => {
            format!(
                "Not now: the {} gate is closed ({}; needs {}).",
                gate.name.as_str(),
                gate.value,
                gate.need
            )
        }
        RunState::Refused { reason } => format!("Refused: {reason}."),
    }
}

/// A whole report.
pub fn report(report: &RunReport, zone: &TimeZone, dry_run: bool) -> String {
    let mut text = String::new();
    if !report.applied.is_empty() {
        let head = if dry_run { "Would change" } else { "Changed" };
        let _ = writeln!(text, "{}\n{}", paint(style::HEAD, head), operations(&report.applied, zone));
    }
    if !report.proposed.is_empty() {
        let head = if dry_run { "Would wait for your word" } else { "Waits for your word" };
        let _ = writeln!(text, "{}", paint(style::HEAD, head));
        for proposed in &report.proposed {
            text.push_str(&operations(std::slice::from_ref(&proposed.operation), zone));
            let _ = writeln!(text, "      waits because {}", proposed.waits_because);
        }
        if let Some(plan) = &report.plan {
            let _ = writeln!(text, "  `nidra apply {plan}` applies, `nidra review --drop {plan}` drops it.");
        }
        text.push('\n');
    }
    for question in &report.questions {
        let _ = writeln!(text, "{}", paint(style::HEAD, "Memory says two things of which only one can hold"));
        text.push_str(&operations(&question.answers, zone));
        if let Some(plan) = &question.plan {
            let _ = writeln!(
                text,
                "  `nidra review --keep-first {plan}`, `--keep-second {plan}` or `--keep-both {plan}` answers it."
            );
        }
        text.push('\n');
    }
    if !report.recurrences.is_empty() {
        let _ = writeln!(text, "{}", paint(style::HEAD, "Said again"));
        for recurrence in &report.recurrences {
            let _ = writeln!(text, "  {}: {}", recurrence.path, recurrence.text);
            for evidence in &recurrence.evidence {
                let _ = writeln!(text, "      {}", quotation(evidence, zone));
            }
        }
        text.push('\n');
    }
    if !report.drift.is_empty() {
        let _ = writeln!(text, "{}", paint(style::HEAD, "The checkout does not bear out"));
        for entry in &report.drift {
            let findings = entry.findings.join("; ");
            let _ = writeln!(text, "  {}:{} {}: {}", entry.path, entry.line, entry.verdict, entry.text);
            let _ = writeln!(text, "      {findings}");
        }
        text.push('\n');
    }
    if !report.refused.is_empty() {
        let _ = writeln!(text, "{}", paint(style::HEAD, "Refused"));
        for refusal in &report.refused {
            let _ = writeln!(text, "  {} {}: {}", refusal.operation, refusal.what, refusal.reason);
        }
        text.push('\n');
    }
    for conflict in &report.conflicts {
        let _ = writeln!(text, "{} changed meanwhile; its text won.", paint(style::WARN, conflict));
    }
    text
}

/// Something odd that was met while reading, as one line.
pub fn diagnostic(diagnostic: &nidra_core::error::Diagnostic) -> String {
    let line = diagnostic.line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{}{line}: {}", diagnostic.path.display(), diagnostic.message)
}
