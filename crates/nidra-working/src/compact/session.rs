//! REM sleep: every record stays and says the least that matters; what room is left goes to the densest words.

use super::transcript::{Body, Role, Script};
use super::{Change, Knowledge, Level, micro, shortened};
use crate::talk;
use nidra_core::text::similarity::containment;
use nidra_rules::density::{self, WORTH_KEEPING};

/// Characters of a person's words of little worth.
const SAID: usize = 100;
/// Characters of the agent's words.
const TOLD: usize = 100;
/// Characters of what a tool gave.
const GAVE: usize = 60;
/// Characters of a string in a call.
const ASKED: usize = 60;
/// How much of a passage stands in memory when memory says it, from 0 to 1.
const IN_MEMORY: f64 = 0.9;

/// A body with the least that it may say.
struct Choice {
    body: Body,
    value: f64,
    least: String,
    cost: usize,
    gain: usize,
}

pub(super) fn run(script: &mut Script, before: usize, knowledge: &Knowledge<'_>, changes: &mut Vec<Change>) {
    let tail = script.tail(micro::TAIL);
    let mut inputs: Vec<Body> = Vec::new();
    for body in script.bodies().into_iter().filter(|body| body.role == Role::Call && body.line < tail) {
        inputs.push(body);
    }
    for body in &inputs {
        script.cut_input(body, ASKED);
    }
    let values = values(script, knowledge);
    let bodies: Vec<Body> = script.bodies();
    let limit = Level::Session.share().unwrap_or(1.0) * before as f64;
    let mut left = limit;
    let mut choices = Vec::new();
    for (body, value) in bodies.into_iter().zip(values) {
        let full = knowledge.tokens(&body.text);
        if body.line >= tail || body.role == Role::Call {
            left -= full as f64;
            continue;
        }
        let least = least(&body, value, knowledge);
        let cost = knowledge.tokens(&least);
        left -= cost as f64;
        choices.push(Choice { gain: full.saturating_sub(cost), body, value, least, cost });
    }
    // The densest first; of words that are worth alike the shorter.
    let mut order: Vec<usize> = (0..choices.len()).collect();
    order.sort_by(|one, two| match (choices.get(*one), choices.get(*two)) {
        (Some(one), Some(two)) => two.value.total_cmp(&one.value).then(one.gain.cmp(&two.gain)),
        _ => std::cmp::Ordering::Equal,
    });
    let mut whole = vec![false; choices.len()];
    for at in order {
        let Some(choice) = choices.get(at) else { continue };
        if choice.gain as f64 <= left
            && let Some(whole) = whole.get_mut(at)
        {
            *whole = true;
            left -= choice.gain as f64;
        }
    }
    for (choice, whole) in choices.into_iter().zip(whole) {
        if whole || choice.gain == 0 {
            continue;
        }
        script.replace(&choice.body, &choice.least);
        changes.push(Change {
            record: script.name(choice.body.line),
            what: "shortened".to_owned(),
            why: format!("density {:.2}", choice.value),
            before: choice.cost + choice.gain,
            after: choice.cost,
        });
    }
}

/// The worth of each body, in the order of the bodies.
pub(super) fn values(script: &Script, knowledge: &Knowledge<'_>) -> Vec<f64> {
    let (conversation, places) = talk::of_script(script);
    let weighed = density::weigh(&conversation, knowledge.now);
    places
        .into_iter()
        .map(|place| place.and_then(|place| weighed.get(place)).map_or(0.0, |one| one.value))
        .collect()
}

/// The least that a body may say.
fn least(body: &Body, value: f64, knowledge: &Knowledge<'_>) -> String {
    let text = body.text.as_str();
    match body.role {
        Role::Human if value >= WORTH_KEEPING => {
            let known = knowledge.memory.iter().find(|(_, entry)| containment(text, entry) >= IN_MEMORY);
            known.map_or_else(|| text.to_owned(), |(path, entry)| format!("[memory {path}] {entry}"))
        }
        Role::Agent if value >= WORTH_KEEPING => density::digest(text, 3 * TOLD, knowledge.now),
        Role::Human => shortened(text, SAID),
        Role::Agent => shortened(&density::digest(text, TOLD, knowledge.now), TOLD),
        Role::Thought => "(thought)".to_owned(),
        Role::Injected => "(put in by the client)".to_owned(),
        Role::Result if value >= WORTH_KEEPING => density::digest(text, 3 * TOLD, knowledge.now),
        Role::Result => {
            let fault = |line: &&str| line.to_lowercase().contains("error") || line.contains("错误");
            let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            let line = if body.error { text.lines().find(fault).unwrap_or(first) } else { first };
            shortened(line, GAVE)
        }
        Role::Call => text.to_owned(),
    }
}
