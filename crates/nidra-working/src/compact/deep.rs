//! Deep sleep: a digest of what was ruled, decided, found and left open, with the last turns behind it.

use super::session::values;
use super::stated::{self, Stated};
use super::transcript::{Role, Script};
use super::{Change, Knowledge, Level, shortened};
use crate::talk;
use nidra_core::EntryId;
use nidra_core::text::similarity::containment;
use nidra_rules::density;
use std::fmt::Write as _;

/// Characters of a line of the digest.
const LINE: usize = 220;
/// How much of a line stands in another that says it already, from 0 to 1.
const SAID: f64 = 0.75;
/// Entries of memory that are named as related.
const RELATED: usize = 4;
/// Characters of words in the last turns.
const TAIL: usize = 400;
/// The share of the digest that everything but the densest passages may take.
const STATED: f64 = 0.95;

/// The lines of a digest, by section.
#[derive(Default)]
struct Digest {
    stated: Vec<String>,
    said: Vec<(usize, String)>,
    open: Vec<String>,
    related: Vec<String>,
}

/// A statement as a line of the digest.
struct Line {
    place: usize,
    words: String,
    /// Its tokens, and those of its mark and end.
    cost: f64,
    /// What it is worth for each of its tokens.
    worth: f64,
}

impl Line {
    fn new((place, stated): (usize, Stated), knowledge: &Knowledge<'_>) -> Self {
        let tokens = knowledge.tokens(&stated.words) as f64;
        let (cost, worth) = (tokens + 2.0, stated.worth(tokens) / (tokens + 2.0));
        Self { place, words: stated.words, cost, worth }
    }
}

pub(super) fn run(script: &mut Script, before: usize, knowledge: &Knowledge<'_>, changes: &mut Vec<Change>) {
    let tail = script.tail(1);
    let limit = Level::Deep.share().unwrap_or(1.0) * before as f64;
    // The last turns: a person's words whole, the rest to their gist.
    for body in script.bodies().into_iter().filter(|body| body.line >= tail) {
        match body.role {
            Role::Call => script.cut_input(&body, 80),
            Role::Thought => script.replace(&body, "(thought)"),
            Role::Agent => script.replace(&body, &shortened(&body.text, TAIL)),
            Role::Result => script.replace(&body, &shortened(&body.text, TAIL / 4)),
            Role::Human | Role::Injected => {}
        }
    }
    let mut bodies = script.bodies();
    let tail_tokens: usize =
        bodies.iter().filter(|body| body.line >= tail).map(|body| knowledge.tokens(&body.text)).sum();
    let room = (limit - tail_tokens as f64 - 40.0).max(knowledge.floor as f64);
    let (conversation, places) = talk::of_script(script);
    let values = values(&conversation, places, knowledge);
    let mut digest = Digest::default();
    for task in knowledge.open_tasks() {
        let mut line = format!("{}: {}; next: {}", task.id, task.goal, task.next_step);
        for decision in task.open_decisions() {
            let _ = write!(line, "; to decide: {}", decision.question);
        }
        digest.open.push(line);
    }
    let mut used: f64 = digest.open.iter().map(|line| knowledge.tokens(line) as f64 + 2.0).sum();
    let mut lines: Vec<Line> = stated::of(conversation, knowledge)
        .into_iter()
        .enumerate()
        .map(|one| Line::new(one, knowledge))
        .collect();
    // What is likely to be asked for and says it in few words comes first; what fits stays in the order of the talk.
    lines.sort_by(|one, two| two.worth.total_cmp(&one.worth).then(one.place.cmp(&two.place)));
    lines.retain(|line| {
        let fits = used + line.cost <= room * STATED;
        used += if fits { line.cost } else { 0.0 };
        fits
    });
    lines.sort_by_key(|line| line.place);
    digest.stated.extend(lines.into_iter().map(|line| line.words));
    let mut ranked: Vec<(usize, f64)> = values.iter().copied().enumerate().collect();
    ranked.sort_by(|one, two| two.1.total_cmp(&one.1).then(one.0.cmp(&two.0)));
    for (at, value) in ranked {
        let Some(body) = bodies.get_mut(at).filter(|body| body.line < tail) else { continue };
        if !matches!(body.role, Role::Human | Role::Agent | Role::Result) || value < 0.05 {
            continue;
        }
        let line = density::digest(&body.text, LINE, knowledge.now);
        let known = digest.stated.iter().chain(digest.said.iter().map(|(_, line)| line));
        let before = knowledge.tokens(&body.text);
        let cost = knowledge.tokens(&line) as f64 + 2.0;
        if line.is_empty() || known.into_iter().any(|known| containment(&line, known) >= SAID) {
            continue;
        }
        if used + cost > room {
            continue;
        }
        used += cost;
        changes.push(Change {
            record: script.name(body.line),
            what: "kept".to_owned(),
            why: format!("density {value:.2}"),
            before,
            after: knowledge.tokens(&line),
        });
        digest.said.push((body.line, line));
    }
    digest.said.sort();
    related(&mut digest, knowledge, room - used);
    let text = digest.render();
    let name = |what: &str| uuid(&EntryId::of(what, &text), &EntryId::of(&text, what));
    let after = knowledge.tokens(&text) + tail_tokens;
    *script = script.with_digest(&text, tail, &name("boundary"), &name("summary"), (before, after));
}

impl Digest {
    fn render(&self) -> String {
        let mut text = String::from("Summary of the session so far.\n");
        let mut section = |name: &str, lines: &mut dyn Iterator<Item = &String>| {
            let lines: Vec<_> = lines.collect();
            if !lines.is_empty() {
                let _ = writeln!(text, "\n## {name}");
                for line in lines {
                    let _ = writeln!(text, "- {line}");
                }
            }
        };
        section("Rules, decisions, findings", &mut self.stated.iter());
        section("Said", &mut self.said.iter().map(|(_, line)| line));
        section("Open", &mut self.open.iter());
        section("See also in memory", &mut self.related.iter());
        text
    }
}

/// Entries of memory that have to do with what was said.
fn related(digest: &mut Digest, knowledge: &Knowledge<'_>, mut room: f64) {
    let said = digest.stated.join("\n");
    let mut found: Vec<(f64, String)> = knowledge
        .memory
        .iter()
        .map(|(path, entry)| (containment(entry, &said), format!("{path}: {}", shortened(entry, 80))))
        .filter(|(value, _)| *value > 0.3)
        .collect();
    found.sort_by(|one, two| two.0.total_cmp(&one.0).then(one.1.cmp(&two.1)));
    for (_, line) in found.into_iter().take(RELATED) {
        let cost = knowledge.tokens(&line) as f64 + 2.0;
        if cost <= room {
            room -= cost;
            digest.related.push(line);
        }
    }
}

/// A name in the form that the client gives its records, made of the content alone.
fn uuid(one: &EntryId, two: &EntryId) -> String {
    let digits = format!("{}{}", one.as_str(), two.as_str());
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or("0");
    format!("{}-{}-4{}-8{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
}
