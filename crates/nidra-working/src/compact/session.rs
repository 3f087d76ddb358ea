//! REM sleep: every record stays and says the least that matters; what room is left goes to the densest words.

use super::transcript::{Body, Role, Script};
use super::{Change, Knowledge, Level, micro, stated};
use crate::talk;
use nidra_core::Conversation;
use nidra_core::text::date;
use nidra_core::text::similarity::containment;
use nidra_core::text::width;
use nidra_rules::density::{self, WORTH_KEEPING};
use std::collections::HashMap;

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
/// The share of the room that is given out: what stands apart counts a little more together.
const APART: f64 = 0.985;
/// How much of a passage stands in memory when memory says it, from 0 to 1.
const IN_MEMORY: f64 = 0.9;

/// A body with the ways to say it, the shortest first; the last one is the whole.
struct Choice {
    body: Body,
    value: f64,
    /// What a dream would keep of it.
    stated: Option<String>,
    ways: [String; 3],
    costs: [usize; 3],
}

pub(super) fn run(script: &mut Script, before: usize, knowledge: &Knowledge<'_>, changes: &mut Vec<Change>) {
    let tail = script.tail(micro::TAIL);
    let (conversation, places) = talk::of_script(script);
    let values = values(&conversation, places, knowledge);
    let limit = Level::Session.share().unwrap_or(1.0) * before as f64 * APART;
    let mut stated: HashMap<usize, Vec<String>> = HashMap::new();
    for one in stated::of(conversation, knowledge) {
        if let Some(body) = one.body {
            stated.entry(body).or_default().push(one.words);
        }
    }
    date(script, knowledge);
    let mut choices: Vec<Choice> = script
        .bodies()
        .into_iter()
        .zip(values)
        .enumerate()
        .filter(|(_, (body, _))| is_shortened(body, tail))
        .map(|(number, (body, value))| Choice::new(body, value, stated.remove(&number), knowledge))
        .collect();
    let mut left = 0.0;
    for (words, asked) in LEAST {
        let whole = cut_calls(script, tail, asked, knowledge);
        let least: usize = choices.iter_mut().map(|choice| choice.come_down_to(words, knowledge)).sum();
        left = limit - (whole + least) as f64;
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

/// Writes dates for `today` and `next week`: what is left of a session is read when nobody knows any more when it was said.
fn date(script: &mut Script, knowledge: &Knowledge<'_>) {
    for body in script.bodies() {
        let at = script.moment(body.line);
        let Some(at) = at.filter(|_| matches!(body.role, Role::Human | Role::Agent)) else { continue };
        let dated = date::absolute(&body.text, &at.to_zoned_datetime(knowledge.now.time_zone().clone()));
        if dated != body.text {
            script.replace(&body, &dated);
        }
    }
}

/// Whether a body is shortened at all: calls are cut apart, and the last turns stay but for what tools gave.
fn is_shortened(body: &Body, tail: usize) -> bool {
    body.role == Role::Result || body.role != Role::Call && body.line < tail
}

/// Cuts the calls before the last turns, and gives the tokens of all that stays.
fn cut_calls(script: &mut Script, tail: usize, asked: usize, knowledge: &Knowledge<'_>) -> usize {
    for body in script.bodies() {
        if body.role == Role::Call && body.line < tail {
            script.cut_input(&body, asked);
        }
    }
    let stays = script.bodies().into_iter().filter(|body| !is_shortened(body, tail));
    stays.map(|body| knowledge.tokens(&body.text)).sum()
}

impl Choice {
    /// A body with its gist and its whole; what it says at least is not known yet.
    fn new(body: Body, value: f64, stated: Option<Vec<String>>, knowledge: &Knowledge<'_>) -> Self {
        let stated = stated.map(|stated| stated.join(" "));
        let gist = match body.role {
            Role::Thought | Role::Injected => String::new(),
            _ => density::digest(&body.text, GIST, knowledge.now),
        };
        let ways = [String::new(), gist, body.text.clone()];
        let costs = [0, knowledge.tokens(&ways[1]), knowledge.tokens(&ways[2])];
        Self { body, value, stated, ways, costs }
    }

    /// Sets what it says at least, and gives the tokens of that.
    fn come_down_to(&mut self, words: usize, knowledge: &Knowledge<'_>) -> usize {
        let least = match &self.stated {
            Some(stated) => stated.clone(),
            None => least(&self.body, self.value, words, knowledge),
        };
        self.costs[0] = knowledge.tokens(&least);
        // A thought or what the client put in is whole or named, never retold.
        if matches!(self.body.role, Role::Thought | Role::Injected) {
            self.ways[1].clone_from(&least);
            self.costs[1] = self.costs[0];
        }
        self.ways[0] = least;
        self.costs[0].min(self.costs[2])
    }
}

/// The worth of each body, in the order of the bodies; `places` says which turn of the talk each of them is.
pub(super) fn values(
    conversation: &Conversation,
    places: Vec<Option<usize>>,
    knowledge: &Knowledge<'_>,
) -> Vec<f64> {
    let weighed = density::weigh(conversation, knowledge.now);
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
