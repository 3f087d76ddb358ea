//! REM sleep: every record stays and says the least that matters; what room is left goes to the densest words.

use super::transcript::{Body, Role, Script};
use super::{Change, Knowledge, Level, micro};
use crate::talk;
use nidra_core::text::similarity::containment;
use nidra_core::text::width;
use nidra_rules::density::{self, WORTH_KEEPING};

/// What is left of words of little worth, which says that something was said and what about: columns of words, and of a
/// string in a call. A session of many short turns has to get by with less.
const LEAST: [(usize, usize); 4] = [(28, 16), (18, 12), (8, 8), (1, 4)];
/// Where words of little worth come down to less than this, those of agent and tools compete by their density alone.
const ENOUGH: usize = 18;
/// The share of the room that is kept for words of worth, where less of the others can make it.
const FOR_THE_DENSEST: f64 = 0.3;
/// Columns of words that have some worth.
const GIST: usize = 160;
/// Columns of what the agent or a tool said that is worth keeping.
const FOUND: usize = 300;
/// Characters of what a person ruled or decided.
const RULED: usize = 320;
/// How much of a passage stands in memory when memory says it, from 0 to 1.
const IN_MEMORY: f64 = 0.9;

/// A body with the ways to say it, the shortest first; the last one is the whole.
struct Choice {
    body: Body,
    value: f64,
    ways: [String; 3],
    costs: [usize; 3],
}

pub(super) fn run(script: &mut Script, before: usize, knowledge: &Knowledge<'_>, changes: &mut Vec<Change>) {
    let tail = script.tail(micro::TAIL);
    let values = values(script, knowledge);
    // What stands apart counts a little more together.
    let limit = Level::Session.share().unwrap_or(1.0) * before as f64 * 0.985;
    let (mut left, mut choices) = (0.0, Vec::new());
    let whole = script.clone();
    for (words, asked) in LEAST {
        *script = whole.clone();
        (left, choices) = offer(script, tail, &values, (words, asked), knowledge);
        left += limit;
        if left >= limit * FOR_THE_DENSEST {
            break;
        }
    }
    // The densest first; of words that are worth alike the shorter.
    let mut order: Vec<usize> = (0..choices.len()).collect();
    order.sort_by(|one, two| match (choices.get(*one), choices.get(*two)) {
        (Some(one), Some(two)) => two.value.total_cmp(&one.value).then(one.costs[2].cmp(&two.costs[2])),
        _ => std::cmp::Ordering::Equal,
    });
    let mut chosen = vec![0; choices.len()];
    for at in order {
        let (Some(choice), Some(chosen)) = (choices.get(at), chosen.get_mut(at)) else { continue };
        let gain = |way: usize| {
            choice.costs.get(way).map_or(f64::MAX, |cost| cost.saturating_sub(choice.costs[0]) as f64)
        };
        // A longer way has to say more than the shorter one.
        if let Some(way) = [2, 1].into_iter().find(|way| gain(*way) > 0.0 && gain(*way) <= left) {
            *chosen = way;
            left -= gain(way);
        }
    }
    for (choice, way) in choices.into_iter().zip(chosen) {
        let (Some(words), Some(&after)) = (choice.ways.get(way), choice.costs.get(way)) else { continue };
        if *words == choice.body.text || after >= choice.costs[2] {
            continue;
        }
        script.replace(&choice.body, words);
        changes.push(Change {
            record: script.name(choice.body.line),
            what: "shortened".to_owned(),
            why: format!("density {:.2}", choice.value),
            before: choice.costs[2],
            after,
        });
    }
}

/// Cuts the calls before the last turns, and gives what the rest costs at least (as a negative number) with the ways to say
/// what can be said at more length.
fn offer(
    script: &mut Script,
    tail: usize,
    values: &[f64],
    (words, asked): (usize, usize),
    knowledge: &Knowledge<'_>,
) -> (f64, Vec<Choice>) {
    for body in script.bodies() {
        if body.role == Role::Call && body.line < tail {
            script.cut_input(&body, asked);
        }
    }
    let mut left = 0.0;
    let mut choices = Vec::new();
    for (body, &value) in script.bodies().into_iter().zip(values) {
        let full = knowledge.tokens(&body.text);
        let is_output = body.role == Role::Result;
        if body.line >= tail && !is_output || body.role == Role::Call {
            left -= full as f64;
            continue;
        }
        let least = least(&body, value, words, knowledge);
        // A thought or what the client put in is whole or named, never retold.
        let gist = match body.role {
            Role::Thought | Role::Injected => least.clone(),
            _ => density::digest(&body.text, GIST, knowledge.now),
        };
        let ways = [least, gist, body.text.clone()];
        let costs = [knowledge.tokens(&ways[0]), knowledge.tokens(&ways[1]), full];
        left -= costs[0].min(full) as f64;
        choices.push(Choice { body, value, ways, costs });
    }
    (left, choices)
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
fn least(body: &Body, value: f64, words: usize, knowledge: &Knowledge<'_>) -> String {
    let text = body.text.as_str();
    match body.role {
        Role::Human if value >= WORTH_KEEPING => {
            let known = knowledge.memory.iter().find(|(_, entry)| containment(text, entry) >= IN_MEMORY);
            // A long message is kept by its best sentences, of which a rule is one.
            known.map_or_else(
                || density::digest(text, RULED, knowledge.now),
                |(path, entry)| format!("[memory {path}] {entry}"),
            )
        }
        Role::Agent | Role::Result if value >= WORTH_KEEPING && words >= ENOUGH => {
            density::digest(text, FOUND, knowledge.now)
        }
        Role::Human | Role::Agent => columns(text, words),
        Role::Thought => "(thought)".to_owned(),
        Role::Injected => "(put in)".to_owned(),
        Role::Result => {
            let fault = |line: &&str| line.to_lowercase().contains("error") || line.contains("错误");
            let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            let line = if body.error { text.lines().find(fault).unwrap_or(first) } else { first };
            columns(line, words)
        }
        Role::Call => text.to_owned(),
    }
}

/// The beginning of a text on one line; a wide letter takes two columns, and as many tokens.
fn columns(text: &str, limit: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    width::shorten_columns(&line, limit)
}
