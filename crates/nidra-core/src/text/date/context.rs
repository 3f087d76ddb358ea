//! What stands around an expression: whether it is a name, a habit, already settled, past or future.

use super::super::language::is_han;
use super::super::markup::is_wide_punctuation;
use jiff::ZonedDateTime;
use jiff::civil::Date;
use std::ops::Range;

/// How far the clause around an expression is read, in bytes.
const CLAUSE_LIMIT: usize = 240;

/// An expression with its surroundings.
pub(super) struct Context<'t> {
    pub(super) text: &'t str,
    pub(super) range: Range<usize>,
    pub(super) said: &'t ZonedDateTime,
    pub(super) today: Date,
}

impl Context<'_> {
    /// The sentence in front of the expression, lower case.
    pub(super) fn before(&self) -> String {
        let mut floor = self.range.start.saturating_sub(CLAUSE_LIMIT);
        while !self.text.is_char_boundary(floor) {
            floor += 1;
        }
        let before = &self.text[floor..self.range.start];
        let mut start = 0;
        let mut characters = before.char_indices().peekable();
        while let Some((at, c)) = characters.next() {
            let spaced = characters.peek().is_some_and(|(_, next)| next.is_whitespace());
            if matches!(c, '\n' | '。' | '！' | '？' | '；') || matches!(c, '.' | '!' | '?' | ';') && spaced
            {
                start = at + c.len_utf8();
            }
        }
        before[start..].to_lowercase()
    }

    /// The sentence behind the expression, lower case.
    pub(super) fn after(&self) -> String {
        let mut ceiling = (self.range.end + CLAUSE_LIMIT).min(self.text.len());
        while !self.text.is_char_boundary(ceiling) {
            ceiling -= 1;
        }
        let after = &self.text[self.range.end..ceiling];
        let mut end = after.len();
        let mut characters = after.char_indices().peekable();
        while let Some((at, c)) = characters.next() {
            let spaced = characters.peek().is_none_or(|(_, next)| next.is_whitespace());
            if matches!(c, '\n' | '。' | '！' | '？' | '；') || matches!(c, '.' | '!' | '?' | ';') && spaced
            {
                end = at;
                break;
            }
        }
        after[..end].to_lowercase()
    }

    /// The last word in front of the expression, lower case.
    pub(super) fn word_before(&self) -> String {
        let before = self.before();
        before
            .trim_end()
            .rsplit(|c: char| !c.is_alphanumeric() && c != '\'')
            .next()
            .unwrap_or_default()
            .to_owned()
    }

    /// Whether the sentence speaks of something that happens again and again.
    pub(super) fn is_habit(&self) -> bool {
        let before = self.before();
        let after = self.after();
        let words = |text: &str, list: &[&str]| {
            text.split(|c: char| !c.is_alphanumeric() && c != '\'').any(|word| list.contains(&word))
        };
        let english = words(
            &before,
            &[
                "every",
                "each",
                "always",
                "usually",
                "weekly",
                "daily",
                "monthly",
                "per",
                "whenever",
                "never",
                "normally",
                "typically",
                "any",
                "generally",
                "once",
            ],
        ) || words(&after, &["always", "usually", "weekly"]);
        let chinese = ["每", "逢", "通常", "平时", "总是", "一律", "从来", "固定", "一般"]
            .iter()
            .any(|mark| before.contains(mark));
        english || chinese
    }

    /// Whether the sentence tells of the past: `Some(true)`, of what comes: `Some(false)`, or neither.
    pub(super) fn is_past(&self) -> Option<bool> {
        let around = format!("{} {}", self.before(), self.after());
        let mut past = around.contains('了') || around.contains('过') || around.contains("已经");
        let mut weak = false;
        let mut participle = false;
        let mut future = ["将", "会", "要", "准备", "打算", "计划"].iter().any(|mark| around.contains(mark));
        for word in around.split(|c: char| !c.is_ascii_alphanumeric() && c != '\'') {
            future |= matches!(
                word,
                "will"
                    | "shall"
                    | "going"
                    | "must"
                    | "should"
                    | "need"
                    | "needs"
                    | "let's"
                    | "lets"
                    | "due"
                    | "plan"
                    | "gonna"
                    | "wait"
                    | "until"
                    | "till"
                    | "deadline"
                    | "tomorrow"
                    | "starts"
                    | "want"
                    | "please"
            ) || word.ends_with("'ll");
            weak |= matches!(word, "is" | "are" | "can");
            past |= matches!(
                word,
                "was"
                    | "were"
                    | "wasn't"
                    | "weren't"
                    | "didn't"
                    | "did"
                    | "had"
                    | "went"
                    | "got"
                    | "broke"
                    | "met"
                    | "said"
                    | "told"
                    | "made"
                    | "wrote"
                    | "saw"
                    | "found"
                    | "shipped"
                    | "since"
                    | "came"
                    | "left"
                    | "lost"
                    | "ran"
                    | "gave"
                    | "began"
                    | "built"
                    | "sent"
                    | "kept"
                    | "held"
                    | "took"
                    | "done"
            );
            participle |=
                word.len() > 4 && word.ends_with("ed") && !matches!(word, "speed" | "scheduled" | "planned");
        }
        // `is closed` tells of now, `closed` of the past.
        past |= participle && !weak;
        match (past, future || weak && !past) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }
}

/// Whether a reading stands beside the expression already: ` (2026-05-21?)`.
pub(super) fn is_settled(after: &str) -> bool {
    let rest = after.strip_prefix(' ').unwrap_or(after);
    let Some(rest) = rest.strip_prefix(['(', '（']) else { return false };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    digits == 4
}

/// Whether the expression is part of a file name, an identifier, a call or a quoted name.
pub(super) fn is_name(text: &str, range: &Range<usize>) -> bool {
    let before = text[..range.start].chars().next_back();
    let after = &text[range.end..];
    let mut following = after.chars();
    let (next, second) = (following.next(), following.next());
    let joined_before = before
        .is_some_and(|c| matches!(c, '/' | '\\' | '_' | '-' | '.' | '@' | '#' | '$' | '&' | '=' | '{' | '<'));
    let joined_after = match next {
        Some('_' | '/' | '\\' | '(' | '=' | '@' | '{' | '}' | '<' | '>') => {
            // ` (2026-05-21?)` follows a blank, so an opening bracket here belongs to a call.
            !(next == Some('(') && second.is_some_and(|c| c.is_ascii_digit()))
        }
        Some('.' | ':' | '-') => second.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_' || c == ':'),
        _ => false,
    };
    // A word in quotation marks by itself is a name: the "Today" tab.
    let quoted = matches!(
        (before, next),
        (Some('"'), Some('"'))
            | (Some('\''), Some('\''))
            | (Some('“'), Some('”'))
            | (Some('「'), Some('」'))
            | (Some('‘'), Some('’'))
    );
    joined_before || joined_after || quoted
}

/// Whether nothing follows, or something that cannot belong to a name with the expression.
pub(super) fn ends_here(after: &str) -> bool {
    let trimmed = after.trim_start_matches([' ', '\t']);
    let Some(first) = trimmed.chars().next() else { return true };
    if matches!(first, '.' | ',' | ';' | '!' | '?' | ')' | ':' | '\n' | '\r' | '–' | '—')
        || is_wide_punctuation(first)
        || is_han(first)
    {
        return true;
    }
    let word: String =
        trimmed.chars().take_while(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    first.is_ascii_digit()
        || matches!(
            word.as_str(),
            "at" | "and"
                | "or"
                | "because"
                | "so"
                | "then"
                | "we"
                | "i"
                | "he"
                | "she"
                | "they"
                | "you"
                | "it"
                | "the"
                | "to"
                | "when"
                | "if"
                | "but"
                | "with"
                | "for"
                | "in"
                | "on"
                | "morning"
                | "afternoon"
                | "evening"
                | "night"
                | "noon"
                | "before"
                | "after"
                | "around"
                | "until"
                | "till"
                | "by"
                | "unless"
                | "while"
                | "as"
                | "is"
                | "was"
                | "already"
                | "my"
                | "our"
                | "please"
        )
}
