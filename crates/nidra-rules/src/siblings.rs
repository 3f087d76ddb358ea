//! Whether two statements of one form are about two things: `we use node 20 in CI` and `we use python 3.12 in CI` are both
//! true, and neither takes the other's place.
//!
//! Who corrects a statement says what is different and little else. Who says a whole sentence of the same form with two
//! differences speaks of something else: one difference is the thing, the other what is told of it.

use crate::lexicon::{self, Cue};
use crate::revise;
use crate::revise::value::{self, Form, Value};
use crate::terms;
use nidra_core::text::language::is_han;

/// Whether two statements are about two things of one kind.
pub(crate) fn are_siblings(older: &str, newer: &str) -> bool {
    let (old, new) = (Tokens::of(older), Tokens::of(newer));
    let kin = |word: &Word| {
        new.words.iter().any(|other| word.coded && other.coded && terms::alike(&word.text, &other.text))
    };
    let shared = old.words.iter().filter(|word| new.has(&word.text) || kin(word)).count();
    let longest = old.words.len().max(new.words.len());
    if shared == 0 || shared * 2 < longest {
        return false;
    }
    let measured = old.measures != new.measures && !old.measures.is_empty() && !new.measures.is_empty();
    let others = old.groups_beside(&new).min(new.groups_beside(&old));
    others + usize::from(measured) >= 2 && others >= 1
}

/// A word of a statement, or a name that is written like a value.
struct Word {
    text: String,
    /// It tells which thing is meant, rather than what is told of it.
    names: bool,
    /// It is an identifier, a host, a path.
    coded: bool,
}

/// The words of a statement in order, and what it measures.
struct Tokens {
    words: Vec<Word>,
    measures: Vec<String>,
}

impl Tokens {
    fn of(text: &str) -> Self {
        let values: Vec<Value> = value::find(text).into_iter().filter(is_measure).collect();
        let mut rest = text.to_owned();
        for value in &values {
            rest.replace_range(value.range.clone(), &" ".repeat(value.range.len()));
        }
        let (head, tail) = rest.split_at(values.last().map_or(text.len(), |value| value.range.start));
        let mut words = Vec::new();
        head.split(is_border).for_each(|part| add(&mut words, part));
        let before = words.len();
        tail.split(is_border).for_each(|part| add(&mut words, part));
        // What stands behind the value tells more of it, rather than what it is of.
        words[before..].iter_mut().for_each(|word| word.names &= word.coded);
        Self { words, measures: values.into_iter().map(|value| value.key).collect() }
    }

    fn has(&self, text: &str) -> bool {
        self.words.iter().any(|word| terms::same(&word.text, text))
    }

    /// How many groups of words side by side tell of a thing that the other statement does not name.
    fn groups_beside(&self, other: &Self) -> usize {
        let fresh = |word: &Word| word.names && !other.has(&word.text);
        let begins = |at: usize| {
            at.checked_sub(1)
                .map(|before| &self.words[before])
                .is_none_or(|before| !fresh(before) || before.coded != self.words[at].coded)
        };
        (0..self.words.len()).filter(|at| fresh(&self.words[*at]) && begins(*at)).count()
    }
}

fn is_measure(value: &Value) -> bool {
    !matches!(value.form, Form::Code(_) | Form::Host | Form::Url | Form::Path | Form::Command | Form::Port)
}

fn is_border(c: char) -> bool {
    c.is_whitespace() || ",;:()\"`「」“”，。、：；（）!?！？*".contains(c)
}

/// Adds the words of a part of a text, Latin and Chinese apart.
fn add(words: &mut Vec<Word>, part: &str) {
    let (mut latin, mut han) = (String::new(), Vec::new());
    for character in part.chars() {
        if is_han(character) {
            add_latin(words, &std::mem::take(&mut latin));
            han.push(character);
        } else {
            add_han(words, &std::mem::take(&mut han));
            latin.push(character);
        }
    }
    add_latin(words, &latin);
    add_han(words, &han);
}

fn add_latin(words: &mut Vec<Word>, word: &str) {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let word = word.strip_suffix("'s").unwrap_or(&word);
    if word.is_empty() || lexicon::is_stop_word(word) {
        return;
    }
    let names = !revise::is_attribute(word) && !is_turn(word);
    let coded = word.contains(['-', '_', '.', '/']) || word.bytes().any(|byte| byte.is_ascii_digit());
    words.push(Word { text: word.to_owned(), names, coded });
}

/// A run of Chinese names a thing where it begins; words are not parted, and behind that anything may be told.
fn add_han(words: &mut Vec<Word>, characters: &[char]) {
    let opens = words.iter().all(|word| !word.names);
    let pairs: Vec<String> = characters.windows(2).map(|pair| pair.iter().collect()).collect();
    let empty: Vec<bool> = pairs.iter().map(|pair| lexicon::is_stop_word(pair)).collect();
    let mut told = 0;
    for (at, pair) in pairs.iter().enumerate() {
        // A pair that shares a character with a word about nothing is none.
        if empty[at.saturating_sub(1)..(at + 2).min(empty.len())].contains(&true) {
            continue;
        }
        let names = opens && told < 2 && !revise::is_attribute(pair) && !is_turn(pair);
        told += 1;
        words.push(Word { text: pair.clone(), names, coded: false });
    }
}

/// Whether a word only says that something turned, or when.
fn is_turn(word: &str) -> bool {
    lexicon::cues(word).any(&[Cue::Change, Cue::Standing, Cue::Removal, Cue::Denial, Cue::Ephemeral])
}

#[cfg(test)]
mod tests {
    use super::are_siblings;

    #[test]
    fn two_differences_in_one_form_are_two_things() {
        for (older, newer) in [
            ("we use node 20 in CI", "we use python 3.12 in CI"),
            ("生产环境用 postgres 15", "生产环境用 redis 7"),
            ("never deploy service-a on fridays", "never deploy service-b on mondays"),
            ("Ask Dana before touching the payments module.", "ask Olaf before touching the invoices module"),
            ("The API listens on port 4100.", "the websocket server now listens on port 4700"),
            ("Backups run at 02:00 UTC every night.", "the reports run at 05:00 UTC every night"),
            ("staging runs on orchid-7.internal", "production runs on orchid-8.internal now"),
            (
                "column temp_c holds degrees celsius times 10",
                "column temp_f holds degrees fahrenheit times 100",
            ),
            ("订单库在 bucket-a", "会员库在 bucket-b"),
        ] {
            assert!(are_siblings(older, newer), "{older} | {newer}");
        }
    }

    #[test]
    fn one_difference_is_another_value_of_the_same() {
        for (older, newer) in [
            ("The API listens on port 4100.", "the API listens on port 4200 in development now"),
            ("Use zod for schemas.", "use valibot for schemas"),
            (
                "Network and firewall: Herr Pichlmair (city IT).",
                "the firewall and network are with Magistra Kofler",
            ),
            ("生产环境用 postgres 15", "生产环境用 postgres 17 了"),
            ("Full backup Sunday 02:00, kept for 8 weeks.", "full backup saturday 22:00, kept equally long"),
            ("功能分支从 develop 拉。", "都从 main 切"),
        ] {
            assert!(!are_siblings(older, newer), "{older} | {newer}");
        }
    }
}
