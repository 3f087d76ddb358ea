//! What a question asks: its terms, the names in it, the time that it means, and the kind of answer that it wants.

mod cues;

use crate::analyze::{Analyzer, Form, Spotted, Term};
use crate::values::Sort;
use cues::{
    ADVICE, AGENT, ASKING, CHINESE_ASKING, COMMON, HISTORY, MANY, NOW, NUMBER, OVERVIEW, SPAN, TIME, VALUE,
};
use jiff::ZonedDateTime;
use jiff::civil::Date;
use nidra_core::text::date;
use std::collections::{BTreeMap, BTreeSet};

/// A question, understood.
#[derive(Clone, Debug)]
pub struct Question {
    /// Its words.
    pub text: String,
    /// Its terms, each once, with how much it counts.
    pub terms: Vec<Asked>,
    /// Terms that stand next to each other.
    pub pairs: BTreeSet<(Term, Term)>,
    /// Words that begin with a capital, in lower case: names, perhaps of who spoke.
    pub names: BTreeSet<String>,
    /// The days that it means.
    pub days: Option<(Date, Date)>,
    /// What it wants.
    pub wants: Wants,
}

/// A term of a question.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The term.
    pub term: Term,
    /// Its normal form.
    pub normal: String,
    /// What it was made of.
    pub form: Form,
    /// How much it counts; 1 is usual.
    pub weight: f32,
}

/// The kinds of answers that can be told from the words of a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a question can want several of these")]
pub struct Wants {
    /// A time.
    pub time: bool,
    /// A number.
    pub number: bool,
    /// How something was before, or how it changed: what was replaced is an answer as well.
    pub history: bool,
    /// Many turns: an order, an overview.
    pub overview: bool,
    /// How long something takes or has gone on.
    pub span: bool,
    /// What the agent said or did: its words are then the answer, not a person's.
    pub agent: bool,
    /// One value as it is now.
    pub value: bool,
    /// Something to be done or proposed: how the person wants things done belongs to the answer.
    pub advice: bool,
}

impl Wants {
    /// Whether a value of this kind can be the answer.
    pub fn takes(self, sort: Sort) -> bool {
        let time = matches!(sort, Sort::Day | Sort::Clock | Sort::Weekday);
        let number = matches!(sort, Sort::Count | Sort::Percent | Sort::Money | Sort::Score | Sort::Often);
        if self.span {
            // What lasts longer is often told by the day on which it ends.
            return matches!(sort, Sort::Span | Sort::Day);
        }
        match (self.time, self.number) {
            (true, false) => time,
            (false, true) => number || sort == Sort::Span,
            (true, true) | (false, false) => true,
        }
    }
}

impl Question {
    /// Reads a question that was asked at this moment.
    pub fn read(text: &str, now: &ZonedDateTime, analyzer: &mut Analyzer) -> Self {
        let spotted = analyzer.spotted(text);
        let lower = text.to_lowercase();
        let own = without_quotes(&lower);
        let has = |cues: &[&str]| cues.iter().any(|cue| contains_words(&own, cue));
        // "Have I ever …" wants all that was said; "how long have I …" wants a value.
        let history = (has(HISTORY) && !has(NOW)) || lower.trim_start().starts_with("have i ");
        let overview = has(OVERVIEW);
        // Who asks for an overview asks for nothing to be done, however politely.
        let (time, number, advice) = (has(TIME), has(NUMBER), has(ADVICE) && !overview);
        // What somebody would suggest is no value, but when one should come is; a sum "if" is only reckoned with.
        let asks = !advice || time || number;
        let value = has(VALUE)
            && asks
            && !history
            && !overview
            && !has(MANY)
            && !lower.trim_start().starts_with("if ");
        let wants =
            Wants { time, number, history, overview, span: has(SPAN), agent: has(AGENT), value, advice };
        let asking: BTreeSet<String> = ASKING.iter().map(|word| analyzer.stem(word)).collect();
        let common: BTreeSet<String> = COMMON.iter().map(|word| analyzer.stem(word)).collect();
        let mut terms: BTreeMap<Term, Asked> = BTreeMap::new();
        for Spotted { term, normal, form } in &spotted {
            let idle = match form {
                Form::Word => asking.contains(normal),
                Form::Characters => CHINESE_ASKING.contains(&normal.as_str()),
                Form::Whole => false,
            };
            let weight = match form {
                _ if idle => IDLE,
                Form::Word if common.contains(normal) => OF_EVERY_MATTER,
                // Who writes an identifier out means it.
                Form::Whole => WHOLE,
                Form::Word | Form::Characters => 1.0,
            };
            terms.entry(*term).or_insert_with(|| Asked {
                term: *term,
                normal: normal.clone(),
                form: *form,
                weight,
            });
        }
        // Two words there may be one word here: fail over, failover.
        for pair in words_of(text).windows(2) {
            let normal = analyzer.stem(&format!("{}{}", pair[0], pair[1]));
            let term = Term::of(&normal);
            terms.entry(term).or_insert(Asked { term, normal, form: Form::Word, weight: JOINED });
        }
        let pairs = spotted.windows(2).map(|pair| (pair[0].term, pair[1].term)).collect();
        Self {
            text: text.to_owned(),
            terms: terms.into_values().collect(),
            pairs,
            names: names(text),
            days: days(text, now),
            wants,
        }
    }
}

impl Question {
    /// Whether one of these terms, by their normal form, belongs to the matter of the question and not to its asking.
    pub fn is_about(&self, shared: &[String]) -> bool {
        self.terms.iter().any(|asked| asked.weight >= OF_EVERY_MATTER && shared.contains(&asked.normal))
    }
}

/// A question without the titles and names that it quotes: their words ask for nothing.
fn without_quotes(lower: &str) -> String {
    let mut own = String::with_capacity(lower.len());
    let mut rest = lower;
    while let Some(open) = rest.find(['"', '\u{201c}', '\u{2018}', '\'', '\u{300a}']) {
        let (before, quoted) = rest.split_at(open);
        own.push_str(before);
        let mark = quoted.chars().next().unwrap_or_default();
        let inner = &quoted[mark.len_utf8()..];
        let close = match mark {
            '\u{201c}' => '\u{201d}',
            '\u{2018}' => '\u{2019}',
            '\u{300a}' => '\u{300b}',
            mark => mark,
        };
        // An apostrophe within a word opens nothing, and what is not closed is no quotation.
        let opens = mark != '\'' || !before.chars().next_back().is_some_and(char::is_alphanumeric);
        let end = inner
            .match_indices(close)
            .map(|(at, _)| at)
            .find(|at| mark != '\'' || !inner[at + 1..].chars().next().is_some_and(char::is_alphanumeric));
        if let Some(end) = end.filter(|_| opens) {
            rest = &inner[end + close.len_utf8()..];
        } else {
            own.push(mark);
            rest = inner;
        }
    }
    own.push_str(rest);
    own
}

/// Whether a cue stands in a text as words, not inside of other words; Chinese has no such limits.
pub(crate) fn contains_words(lower: &str, cue: &str) -> bool {
    lower
        .match_indices(cue)
        .any(|(at, _)| !cue.is_ascii() || !lower[..at].chars().next_back().is_some_and(char::is_alphanumeric))
}

/// How much an identifier counts that is written out.
const WHOLE: f32 = 2.0;
/// How much a word of asking counts.
const IDLE: f32 = 0.2;
/// How much a word counts that belongs to every matter.
const OF_EVERY_MATTER: f32 = 0.6;
/// How much two words count that were put together.
const JOINED: f32 = 0.5;

/// The plain Latin words of a text in lower case.
fn words_of(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_ascii_alphabetic())
        .filter(|word| word.len() > 1)
        .map(str::to_ascii_lowercase)
        .collect()
}

/// Words that begin with a capital and do not begin the text.
fn names(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().next().is_some_and(char::is_uppercase) && word.chars().count() > 1)
        .map(str::to_lowercase)
        .collect()
}

/// The days that the question means, from the first to the last that it names.
fn days(text: &str, now: &ZonedDateTime) -> Option<(Date, Date)> {
    let found = date::find(text, now);
    let first = found.iter().map(|mention| mention.start).min()?;
    let last = found.iter().map(|mention| mention.end.unwrap_or(mention.start)).max()?;
    Some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wants(text: &str) -> Wants {
        let now = "2026-05-06T12:00:00[UTC]".parse().unwrap();
        Question::read(text, &now, &mut Analyzer::default()).wants
    }

    #[test]
    fn what_is_wanted_is_told_from_what_is_only_named() {
        assert!(wants("How long have I been using the tracker?").value, "a value, not a history");
        assert!(wants("Have I used the tracker?").history);
        assert!(
            wants("How many pages of 'A Short History of Time' have I read?").value,
            "a title asks for nothing"
        );
        assert!(!wants("What was the port before?").value);
        assert!(wants("Who from my previous team is currently on call?").value);
        assert!(!wants("If I work 8 hours a day, how many hours is that in a week?").value);
        let order = wants("Can you walk me through the order in which I raised these?");
        assert!(order.overview && !order.advice);
        assert!(wants("How did you suggest laying out the tables?").agent);
        assert!(!wants("How would you suggest laying out the tables?").agent);
    }

    #[test]
    fn how_long_takes_stretches_and_their_last_day_only() {
        let long = wants("How many days are planned for the audit?");
        assert!(long.takes(Sort::Span) && long.takes(Sort::Day) && !long.takes(Sort::Money));
        let when = wants("When is the audit?");
        assert!(when.takes(Sort::Clock) && when.takes(Sort::Weekday) && !when.takes(Sort::Span));
    }

    #[test]
    fn words_of_every_matter_count_less_and_are_still_words() {
        let now = "2026-05-06T12:00:00[UTC]".parse().unwrap();
        let question =
            Question::read("which manager do we use for dependencies", &now, &mut Analyzer::default());
        let weight =
            |normal: &str| question.terms.iter().find(|asked| asked.normal == normal).unwrap().weight;
        assert!(weight("use") < weight("manag") && question.is_about(&["use".to_owned()]));
    }
}
