//! Tools that memory says the project uses.

use super::checkout::Checkout;
use super::clause::{Clauses, Mood, pattern};
use super::command::Runner;
use super::roles::{EVERYDAY, Role, Tool, all};
use super::{AnchorKind, Judgement, Verdict};
use nidra_core::text::language::is_han;
use nidra_core::text::markup::{covers, inline_code, urls};
use regex::Regex;
use std::sync::LazyLock;

/// Words about a person: what they use elsewhere is not what the project uses.
static PERSON: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?:he|she|they|his|her|their|user|knows|familiar|experience[d]?|background|learning|used to|prefers?|likes?|hates?)\b|",
        r"用户|他|她|熟悉|经验|以前|喜欢|学习"
    ))
});

/// A task that a sentence says to run.
static TASK: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"\b(make|just|npm run|pnpm run|yarn run|pnpm|yarn) ([\w][\w:.-]*[\w])"));
/// Judges the tools that a text names: the checkout may show them, or one that fills the same role instead.
pub(super) fn judge(text: &str, clauses: &Clauses<'_>, checkout: &Checkout) -> Vec<(usize, Judgement)> {
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    let addresses = urls(text);
    for role in all() {
        for tool in role.tools {
            let Some((at, name)) =
                stated(tool, text, &lower, clauses).filter(|(at, _)| !covers(&addresses, *at))
            else {
                continue;
            };
            let sentence = &text[clauses.sentence(at)];
            if let Some(judgement) = one(role, tool, &text[at..at + name.len()], sentence, checkout) {
                let person = PERSON.as_ref().is_some_and(|person| person.is_match(sentence));
                if !person || judgement.verdict == Verdict::Fresh {
                    found.push((at, judgement));
                }
            }
        }
    }
    found
}

/// Where a text says that a tool is in use.
fn stated(tool: &Tool, text: &str, lower: &str, clauses: &Clauses<'_>) -> Option<(usize, &'static str)> {
    let spans = inline_code(text);
    tool.said.iter().find_map(|name| {
        let at = lower.match_indices(name).map(|(at, _)| at).find(|at| {
            let before = lower[..*at].chars().next_back();
            let after = lower[*at + name.len()..].chars().next();
            let part = |c: Option<char>| {
                c.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/' | '@'))
            };
            let behind = lower[*at + name.len()..].chars().nth(1);
            let dotted = after == Some('.') && behind.is_some_and(|c| c.is_ascii_alphanumeric());
            let own = before != Some('.') && !part(before) && !part(after) && !dotted;
            let capital = text.as_bytes()[*at].is_ascii_uppercase() && *at != clauses.sentence(*at).start;
            // Among Chinese an ASCII word is a name.
            let beside = [
                lower[..*at].trim_end().chars().next_back(),
                lower[*at + name.len()..].trim_start().chars().next(),
            ];
            let chinese = beside.into_iter().flatten().any(is_han);
            let meant = !EVERYDAY.contains(name) || capital || chinese || covers(&spans, *at);
            own && meant && clauses.mood(*at) == Mood::Stated
        })?;
        Some((at, *name))
    })
}

fn one(role: &Role, tool: &Tool, said: &str, sentence: &str, checkout: &Checkout) -> Option<Judgement> {
    let kind = AnchorKind::Tool;
    if let Some(place) = shown(tool, checkout) {
        return Some(Judgement::new(kind, said, Verdict::Fresh, Some(format!("{place} shows it"))));
    }
    let facts = checkout.facts();
    // A command of several words is spoken of when all of them are.
    let spoken = |name: &&str| name.split(' ').all(|word| facts.spoken.contains(word));
    if tool.said.iter().any(spoken) || !checkout.reading().whole_tree {
        return None;
    }
    if let Some(hint) = told_by_recipe(role, tool, sentence, checkout) {
        return Some(Judgement::new(kind, said, Verdict::Stale, Some(hint)));
    }
    let (rival, place) = role
        .tools
        .iter()
        .filter(|other| *other != tool)
        .find_map(|other| Some((other.said.first()?, shown(other, checkout)?)))?;
    let hint = format!("nothing shows it; as {} {place} shows {rival}", role.name);
    Some(Judgement::new(kind, said, Verdict::Stale, Some(hint)))
}

/// What the task runs that a sentence names beside a tool, where that is another tool of the role.
fn told_by_recipe(role: &Role, tool: &Tool, sentence: &str, checkout: &Checkout) -> Option<String> {
    let rivals = || {
        let same = all().filter(|other| other.name == role.name);
        same.flat_map(|other| other.tools).filter(|other| *other != tool)
    };
    let found = TASK.iter().flat_map(|task| task.captures_iter(sentence));
    found.into_iter().find_map(|found| {
        let runner = match found.get(1)?.as_str() {
            "make" => Runner::Make,
            "just" => Runner::Just,
            _ => Runner::Package,
        };
        let recipe = checkout.facts().tasks(runner)?.recipe(found.get(2)?.as_str())?;
        let rival = recipe.lines().find_map(|line| {
            let head =
                line.trim_start_matches(['@', '-', ' ']).split_whitespace().next()?.to_ascii_lowercase();
            rivals()
                .find(|rival| rival.said.iter().chain(rival.shown).any(|name| *name == head))
                .map(|_| head)
        })?;
        Some(format!("{} runs {rival}", found.get(0).map_or("", |task| task.as_str())))
    })
}

/// The file that shows a tool.
fn shown<'c>(tool: &Tool, checkout: &'c Checkout) -> Option<&'c str> {
    let tools = &checkout.facts().tools;
    tool.shown.iter().find_map(|name| match name.strip_suffix('*') {
        None => tools.get(*name).map(String::as_str),
        Some(start) => tools
            .range(start.to_owned()..)
            .next()
            .filter(|(name, _)| name.starts_with(start))
            .map(|(_, place)| place.as_str()),
    })
}
