//! Light sleep: results that came again, files that were read again or written since, and the middle of long outputs go.

use super::transcript::{Role, Script};
use super::{Change, Knowledge};
use std::collections::HashMap;

/// Tokens from which an output is bulky.
const BULKY: usize = 400;
/// Lines that stay at each end of a bulky output.
const ENDS: usize = 10;
/// Lines in the middle that stay since they tell of a fault.
const FAULTS: usize = 8;
/// Characters of a line that stay.
const LINE: usize = 240;
/// Turns of a person at the end whose results stay whole.
pub(super) const TAIL: usize = 2;

/// Words of a line that tells of a fault.
const MARKS: &[&str] =
    &["error", "fail", "panic", "warning", "exception", "denied", "错误", "失败", "异常", "警告"];

pub(super) fn run(script: &mut Script, knowledge: &Knowledge<'_>, changes: &mut Vec<Change>) {
    let tail = script.tail(TAIL);
    let calls = script.calls();
    let bodies = script.bodies();
    let mut last_touch: HashMap<&str, usize> = HashMap::new();
    for call in calls.values() {
        if let Some(file) = &call.file {
            let line = last_touch.entry(file).or_default();
            *line = (*line).max(call.line);
        }
    }
    let mut last_text: HashMap<&str, usize> = HashMap::new();
    for body in bodies.iter().filter(|body| body.role == Role::Result) {
        last_text.insert(&body.text, body.line);
    }
    for body in bodies.iter().filter(|body| body.role == Role::Result && body.line < tail) {
        let before = knowledge.tokens(&body.text);
        if before < 12 {
            continue;
        }
        let call = body.call.as_ref().and_then(|id| calls.get(id));
        let read = call
            .filter(|call| call.name.contains("Read") && !body.error)
            .and_then(|call| call.file.as_deref());
        let superseded = read.filter(|file| last_touch.get(file).is_some_and(|line| *line > body.line));
        let (words, why) = if let Some(file) = superseded {
            (format!("[{file} was read or written again later]"), "superseded")
        } else if last_text.get(body.text.as_str()).is_some_and(|line| *line > body.line) {
            ("[the same came again later]".to_owned(), "repeated")
        } else if before > BULKY {
            (middle_left_out(&body.text), "bulky")
        } else {
            continue;
        };
        let after = knowledge.tokens(&words);
        if after < before {
            script.replace(body, &words);
            changes.push(Change {
                record: script.name(body.line),
                what: "shortened".to_owned(),
                why: why.to_owned(),
                before,
                after,
            });
        }
    }
}

/// The ends of an output, and the lines between them that tell of faults.
fn middle_left_out(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let cut = |line: &str| -> String {
        if line.chars().count() <= LINE {
            return line.to_owned();
        }
        line.chars().take(LINE).chain(" …".chars()).collect()
    };
    if lines.len() <= 2 * ENDS {
        return lines.into_iter().map(cut).collect::<Vec<_>>().join("\n");
    }
    let (head, rest) = lines.split_at(ENDS);
    let (middle, end) = rest.split_at(rest.len() - ENDS);
    let tells_of_fault = |line: &&&str| {
        let line = line.to_lowercase();
        MARKS.iter().any(|mark| line.contains(mark))
    };
    let faults: Vec<&&str> = middle.iter().filter(tells_of_fault).take(FAULTS).collect();
    let left = middle.len() - faults.len();
    let kept = head.iter().map(|line| cut(line));
    let kept = kept.chain(std::iter::once(format!("[… {left} lines left out]")));
    kept.chain(faults.into_iter().map(|line| cut(line)))
        .chain(end.iter().map(|line| cut(line)))
        .collect::<Vec<_>>()
        .join("\n")
}
