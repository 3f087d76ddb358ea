//! What an index line says of a fact: title, file name and the words behind the link.
//!
//! Clients load only the index, so the line must state the fact itself within its limit.

use crate::lexicon::{self, Cue};
use crate::phrase;
use crate::sentence::is_identifier;
use crate::signals;
use crate::terms;
use nidra_core::Kind;
use nidra_core::text::language::is_han;
use nidra_core::text::width::{shorten, utf16_len};
use std::collections::BTreeSet;

/// How many UTF-16 units an index line may have.
pub(crate) const LINE_UNITS: usize = 150;

/// Title, file name and hook of a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    /// The title in the index.
    pub(crate) title: String,
    /// The wish for the file's name.
    pub(crate) slug: String,
    /// The words behind the link.
    pub(crate) hook: String,
    /// The description of the front matter.
    pub(crate) description: String,
}

/// Labels a fact. `context` may lend words to the title when the fact itself has too few.
pub(crate) fn label(text: &str, kind: Kind, context: &str) -> Label {
    let plain = phrase::plain(text);
    let title = title(text, context);
    // The file's name says what the line has no room for; it takes room itself, so it is chosen after a first cut.
    let wide = LINE_UNITS.saturating_sub(utf16_len(&format!("- [{title}]() — ")) + SLUG + 5);
    let first = compress_beside(&plain, wide, &title);
    let slug = slug(&missing(&plain, &first, &title), &title, &plain, kind);
    let room = LINE_UNITS.saturating_sub(utf16_len(&format!("- [{title}]({slug}-2.md) — ")));
    Label { hook: compress_beside(&plain, room, &title), description: compress(&plain, 110), title, slug }
}

/// A file's name is no longer than this.
const SLUG: usize = 22;

/// Telling words that neither the title nor the words behind the link have.
fn missing(text: &str, hook: &str, title: &str) -> String {
    let said = format!("{hook} {title}").to_lowercase();
    let words: Vec<String> = telling(text)
        .into_iter()
        .filter(|word| word.is_ascii() && !said.contains(&word.to_lowercase()))
        .take(3)
        .collect();
    words.join(" ")
}

/// The length of a text as the client counts it.
pub(crate) fn units(text: &str) -> usize {
    utf16_len(text)
}

/// How much room the words behind an existing link have.
pub(crate) fn room(title: &str, path: &str) -> usize {
    LINE_UNITS.saturating_sub(utf16_len(&format!("- [{title}]({path}) — ")))
}

/// The part of a text that says most within the limit: whole clauses in their order.
pub(crate) fn compress(text: &str, limit: usize) -> String {
    compress_beside(text, limit, "")
}

/// The same beside a title, whose words need not be said twice.
fn compress_beside(text: &str, limit: usize, title: &str) -> String {
    let named = terms::terms(title);
    let text = text.trim();
    let trimmed = text.trim_end_matches(['.', '。']);
    if utf16_len(trimmed) <= limit {
        return trimmed.to_owned();
    }
    let clauses = clauses(trimmed);
    let mut ranked: Vec<(usize, f64)> = clauses
        .iter()
        .enumerate()
        .map(|(index, clause)| {
            let cues = lexicon::cues(clause);
            let rule = [
                Cue::Standing,
                Cue::Prohibition,
                Cue::Obligation,
                Cue::Owner,
                Cue::Change,
                Cue::Decision,
                Cue::Place,
            ]
            .iter()
            .filter(|cue| cues.has(**cue))
            .count();
            let values = signals::values(clause) as f64 + if clause.contains("://") { 1.0 } else { 0.0 };
            let about = terms::terms(clause);
            let again = terms::shared(&about, &named);
            let words = 0.25 * (about.len() - again) as f64 + 0.08 * again as f64;
            let first = if index == 0 { 0.8 } else { 0.0 };
            let idle = cues.any(&[Cue::Praise, Cue::Frustration, Cue::Chat]) && rule == 0;
            let points = index > 0
                && [
                    "that ", "which ", "and ", "so ", "it ", "this ", "because ", "those ", "he ", "she ",
                    "they ",
                ]
                .iter()
                .any(|head| clause.starts_with(head));
            let whole = if points { 0.5 } else { 1.0 };
            let worth =
                whole * (0.6 * rule as f64 + 1.1 * values + words + first) * if idle { 0.6 } else { 1.0 };
            (index, worth / (utf16_len(clause) as f64).max(8.0).powf(0.55))
        })
        .collect();
    ranked.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    let mut chosen: BTreeSet<usize> = BTreeSet::new();
    for (index, _) in ranked {
        let mut wish = chosen.clone();
        wish.insert(index);
        if utf16_len(joined(&clauses, &wish).trim()) <= limit {
            chosen = wish;
        }
    }
    if chosen.is_empty() {
        return shorten(trimmed, limit);
    }
    sentence_case(joined(&clauses, &chosen).trim())
}

/// A capital behind each full stop, unless a name of the machine's world stands there.
fn sentence_case(text: &str) -> String {
    let mut parts = text.split(". ");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(". ");
        out.push_str(&phrase::capitalised(part));
    }
    out
}

fn joined(clauses: &[String], chosen: &BTreeSet<usize>) -> String {
    let text: String = chosen.iter().filter_map(|index| clauses.get(*index)).map(String::as_str).collect();
    text.trim_end_matches(|c: char| {
        c.is_whitespace() || matches!(c, ',' | '，' | ';' | '；' | '.' | '。' | ':' | '：' | '、')
    })
    .to_owned()
}

/// The clauses of a text, each with the mark and space behind it.
fn clauses(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut current = String::new();
    let mut code = false;
    for (index, character) in characters.iter().enumerate() {
        current.push(*character);
        if matches!(character, '`' | '"') {
            code = !code;
        }
        let next = characters.get(index + 1);
        let ends = match character {
            '，' | '。' | '；' | '！' | '：' => !code,
            ',' | '.' | ';' | '!' | ':' => !code && next.is_some_and(|c| c.is_whitespace()),
            _ => false,
        };
        if ends {
            let mut clause = std::mem::take(&mut current);
            if next.is_some_and(|c| c.is_whitespace()) {
                clause.push(' ');
            }
            found.push(clause.trim_start().to_owned());
        }
    }
    if !current.trim().is_empty() {
        found.push(current.trim_start().to_owned());
    }
    found
}

/// The title of a fact; where its words give none, telling words of it or of what stood around it.
fn title(text: &str, context: &str) -> String {
    let limit = 30;
    if let Some(title) = crate::title::of(text) {
        return title;
    }
    let mut words = telling(text);
    if words.is_empty() {
        words = telling(context);
    }
    let mut title = String::new();
    for word in words.into_iter().take(3) {
        let wish = if title.is_empty() { word.clone() } else { format!("{title} {word}") };
        if utf16_len(&wish) <= limit {
            title = wish;
        }
    }
    if title.is_empty() {
        let clause = clauses(text).into_iter().next().unwrap_or_else(|| text.to_owned());
        title = shorten(clause.trim_end_matches(|c: char| !c.is_alphanumeric()), 20);
    }
    phrase::capitalised(&title.replace(['[', ']', '\n', '`', '(', ')'], ""))
}

/// Telling words of a text in their spelling: names and exact things first, then other content words; for Chinese the first clause.
fn telling(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut others = Vec::new();
    for word in text.split(|c: char| terms::is_separator(c) || c == '=') {
        let word = word.trim_matches(|c: char| {
            matches!(c, '.' | ':' | '\'' | '<' | '>' | '*' | '~' | '-' | '[' | ']' | '{' | '}' | '…' | '/')
        });
        if word.chars().count() < 3
            || !word.chars().any(char::is_alphabetic)
            || utf16_len(word) > 24
            || word.contains("://")
        {
            continue;
        }
        if word.contains(['\'', '\u{2019}']) || terms::terms(word).is_empty() {
            continue;
        }
        if is_identifier(word) {
            names.push(word.to_owned());
        } else if word.chars().count() >= 4 {
            others.push(word.to_owned());
        }
    }
    let han = text.chars().filter(|c| is_han(*c)).count();
    if han >= 6 {
        let clause: String = clauses(text)
            .first()
            .map(|clause| clause.trim_end_matches(|c: char| !c.is_alphanumeric()).to_owned())
            .unwrap_or_default();
        if utf16_len(&clause) <= 16 && utf16_len(&clause) >= 3 {
            let rest: Vec<String> =
                names.into_iter().filter(|name| !clause.contains(name.as_str())).collect();
            let mut found = vec![clause];
            found.extend(rest);
            return found;
        }
    }
    names.extend(others);
    names
}

/// A file name of ASCII letters from words or title or text; where there are none, the kind with a hash.
fn slug(words: &str, title: &str, text: &str, kind: Kind) -> String {
    let make = |source: &str| -> String {
        let mut slug = String::new();
        for word in source.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
            let wish = if slug.is_empty() {
                word.to_ascii_lowercase()
            } else {
                format!("{slug}-{}", word.to_ascii_lowercase())
            };
            if wish.len() <= SLUG {
                slug = wish;
            }
        }
        slug
    };
    let telling_words = make(words);
    let slug = if telling_words.len() >= 5 { telling_words } else { make(title) };
    if slug.len() >= 3 && slug != "memory" {
        return slug;
    }
    let hash = nidra_core::EntryId::of("slug", text);
    let names = make(
        &telling(text).iter().filter(|word| word.is_ascii()).take(2).cloned().collect::<Vec<_>>().join(" "),
    );
    if names.len() >= 3 && names != "memory" {
        names
    } else {
        format!("{}-{}", kind.as_str(), &hash.as_str()[..6])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_fact_keeps_its_exact_things() {
        let text = "The nightly import is started by hand on mondays, honestly nobody remembers how that came about or whether it was ever discussed with anyone at all, it reads /srv/in/orders.csv, never the copy";
        let hook = compress(text, 100);
        assert!(utf16_len(&hook) <= 100);
        assert!(hook.contains("/srv/in/orders.csv"), "{hook}");
    }

    #[test]
    fn the_line_fits() {
        for text in [
            "导出的报表一律用 UTF-8 带 BOM，财务的旧系统只认这个格式，别的编码打开全是乱码，上个月因为这个返工了三次，客户也投诉过，所以不要改，改之前找小唐确认，确认之后再发版，发版窗口照旧",
            "Use tabs.",
        ] {
            let label = label(text, Kind::Feedback, "");
            assert!(
                utf16_len(&format!("- [{}]({}.md) — {}", label.title, label.slug, label.hook)) <= LINE_UNITS
            );
            assert!(label.slug.is_ascii() && !label.slug.is_empty());
        }
    }
}
