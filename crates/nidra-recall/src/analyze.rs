//! Text made into terms: words and their stems, the parts of identifiers and the identifiers whole, pairs of Chinese
//! characters.
//!
//! The same analysis makes the index and reads the question, so both sides always meet. A change here changes what
//! stands in an index; [`VERSION`] makes older ones be built anew.

use crate::words::is_stop_word;
use frostem::{Algorithm, Stemmer};
use nidra_core::text::language::is_han;

/// The version of the analysis.
pub const VERSION: u32 = 2;

/// Bytes of a term at most; what is longer is data, not a word.
const MAX_TERM: usize = 48;
/// Hexadecimal runs of this length are identities: searched whole, never in parts.
const IDENTITY: usize = 20;
/// Stems that are remembered.
const REMEMBERED: usize = 1 << 15;

/// A term as the index knows it: a hash of its normal form. The index therefore holds no word in the clear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(pub u64);

impl Term {
    /// The term of a normal form.
    pub fn of(normal: &str) -> Self {
        Self::of_bytes(normal.bytes())
    }

    fn of_bytes(bytes: impl Iterator<Item = u8>) -> Self {
        // FNV-1a with a final mix: short words need no more, and the value must never change with a library.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in bytes {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        Self(hash ^ (hash >> 29))
    }
}

/// What a term was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A word or a part of an identifier, by its stem.
    Word,
    /// An identifier, path, number or version, whole.
    Whole,
    /// Chinese characters.
    Characters,
}

/// A term with the words that it was made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spotted {
    /// The term.
    pub term: Term,
    /// Its normal form.
    pub normal: String,
    /// What it was made of.
    pub form: Form,
}

/// Makes terms of text. It remembers stems, so one of them should serve for many texts.
pub struct Analyzer {
    stemmer: Stemmer,
    remembered: Vec<(u64, Term)>,
    lower: String,
}

impl std::fmt::Debug for Analyzer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Analyzer").finish_non_exhaustive()
    }
}

impl Default for Analyzer {
    fn default() -> Self {
        Self {
            stemmer: Stemmer::new(Algorithm::English),
            remembered: vec![(0, Term(0)); REMEMBERED],
            lower: String::with_capacity(MAX_TERM),
        }
    }
}

impl Analyzer {
    /// Hands the terms of a text to `sink`, in their order, repetitions included, stop words left out.
    pub fn terms(&mut self, text: &str, sink: &mut impl FnMut(Term)) {
        pieces(text, &mut |piece| self.piece(&piece, &mut *sink));
    }

    /// The terms of a text with the words that they were made of.
    pub fn spotted(&mut self, text: &str) -> Vec<Spotted> {
        let mut found = Vec::new();
        pieces(text, &mut |piece| {
            let form = match &piece {
                Piece::Word(_) => Form::Word,
                Piece::Whole(_) => Form::Whole,
                Piece::Characters(_) => Form::Characters,
            };
            let normal = match &piece {
                Piece::Word(word) => {
                    self.lower(word);
                    if is_stop_word(&self.lower) {
                        return;
                    }
                    self.stem(&self.lower)
                }
                Piece::Whole(whole) => {
                    self.lower(whole);
                    self.lower.clone()
                }
                Piece::Characters(pair) => (*pair).to_owned(),
            };
            found.push(Spotted { term: Term::of(&normal), normal, form });
        });
        found
    }

    /// The stem of a word in lower case.
    pub fn stem(&self, lower: &str) -> String {
        if lower.len() < 3 || !lower.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return lower.to_owned();
        }
        self.stemmer.stem(lower).into_owned()
    }

    fn piece(&mut self, piece: &Piece<'_>, sink: &mut impl FnMut(Term)) {
        match piece {
            Piece::Characters(pair) => sink(Term::of(pair)),
            Piece::Whole(whole) => {
                self.lower(whole);
                sink(Term::of(&self.lower));
            }
            Piece::Word(word) => {
                let raw = if word.is_ascii() {
                    Term::of_bytes(word.bytes().map(|byte| byte.to_ascii_lowercase()))
                } else {
                    self.lower(word);
                    Term::of(&self.lower)
                };
                let slot = usize::try_from(raw.0 % REMEMBERED as u64).unwrap_or_default();
                if self.remembered[slot].0 != raw.0 {
                    self.lower(word);
                    // A stop word is remembered as the term zero, which no word has.
                    let term =
                        if is_stop_word(&self.lower) { Term(0) } else { Term::of(&self.stem(&self.lower)) };
                    self.remembered[slot] = (raw.0, term);
                }
                let term = self.remembered[slot].1;
                if term.0 != 0 {
                    sink(term);
                }
            }
        }
    }

    fn lower(&mut self, word: &str) {
        self.lower.clear();
        if word.is_ascii() {
            self.lower.push_str(word);
            self.lower.make_ascii_lowercase();
        } else {
            self.lower.extend(word.chars().map(narrow).flat_map(char::to_lowercase));
        }
    }
}

/// A stretch of text that becomes one term.
enum Piece<'t> {
    Word(&'t str),
    Whole(&'t str),
    Characters(&'t str),
}

/// The classes of characters that decide where terms end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Underscore,
    /// Joins two parts when letters or digits stand on both sides.
    Joint,
    Apostrophe,
    Han,
    Other,
}

fn class(c: char) -> Class {
    match c {
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Digit,
        '_' => Class::Underscore,
        '.' | '-' | '/' | ':' | '@' | '#' | '+' => Class::Joint,
        '\'' | '\u{2019}' => Class::Apostrophe,
        c if c.is_ascii() => Class::Other,
        '\u{3041}'..='\u{30ff}' => Class::Han,
        c if is_han(c) => Class::Han,
        c if c.is_numeric() => Class::Digit,
        c if c.is_uppercase() => Class::Upper,
        c if c.is_alphabetic() => Class::Lower,
        _ => Class::Other,
    }
}

/// A full-width letter or digit as its usual form.
fn narrow(c: char) -> char {
    match c {
        '\u{ff10}'..='\u{ff19}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' => {
            char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c)
        }
        _ => c,
    }
}

fn is_part(class: Class) -> bool {
    matches!(class, Class::Lower | Class::Upper | Class::Digit | Class::Underscore)
}

/// Cuts a text into pieces. Plain words in small letters are most of any text and take the short way.
fn pieces<'t>(text: &'t str, sink: &mut impl FnMut(Piece<'t>)) {
    let bytes = text.as_bytes();
    let ends =
        |at: usize| bytes.get(at).is_none_or(|byte| byte.is_ascii() && !is_part(class(char::from(*byte))));
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if byte.is_ascii_lowercase() {
            let length = bytes[at..].iter().take_while(|byte| byte.is_ascii_lowercase()).count();
            let end = at + length;
            let joined = bytes
                .get(end)
                .is_some_and(|byte| matches!(class(char::from(*byte)), Class::Joint | Class::Apostrophe));
            if ends(end) && (!joined || ends(end + 1)) {
                if length <= MAX_TERM {
                    sink(Piece::Word(&text[at..end]));
                }
                at = end;
                continue;
            }
        } else if byte.is_ascii() && !is_part(class(char::from(*byte))) {
            at += 1;
            continue;
        }
        at += any_piece(&text[at..], sink);
    }
}

/// Cuts the piece at the start of a text; returns how many bytes were looked at.
fn any_piece<'t>(text: &'t str, sink: &mut impl FnMut(Piece<'t>)) -> usize {
    let mut characters = text.char_indices().peekable();
    let Some((start, first)) = characters.next() else { return 1 };
    let mut end = start + first.len_utf8();
    match class(first) {
        Class::Han => {
            let mut before = start;
            let mut pairs = 0;
            while let Some(&(at, next)) = characters.peek().filter(|(_, next)| class(*next) == Class::Han) {
                end = at + next.len_utf8();
                sink(Piece::Characters(&text[before..end]));
                pairs += 1;
                before = at;
                characters.next();
            }
            if pairs == 0 {
                sink(Piece::Characters(&text[start..end]));
            }
        }
        first_class if is_part(first_class) => {
            let mut clitic = None;
            while let Some(&(at, next)) = characters.peek() {
                let next_class = class(next);
                let behind = at + next.len_utf8();
                let goes_on = is_part(next_class)
                    || (matches!(next_class, Class::Joint | Class::Apostrophe)
                        && text[behind..].chars().next().is_some_and(|c| is_part(class(c))));
                if !goes_on {
                    break;
                }
                if next_class == Class::Apostrophe && clitic.is_none() {
                    clitic = Some(at);
                }
                end = behind;
                characters.next();
            }
            // What stands behind an apostrophe is grammar: Ann's, don't.
            compound(&text[start..clitic.unwrap_or(end)], sink);
        }
        _ => {}
    }
    end
}

/// A run of letters, digits and joints: its parts, and itself when it has several.
fn compound<'t>(run: &'t str, sink: &mut impl FnMut(Piece<'t>)) {
    let run = run.trim_matches('_');
    if run.is_empty() {
        return;
    }
    if run.len() >= IDENTITY && run.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-') {
        sink(Piece::Whole(&run[..run.len().min(MAX_TERM)]));
        return;
    }
    if run.bytes().all(|byte| byte.is_ascii_lowercase()) {
        if run.len() <= MAX_TERM {
            sink(Piece::Word(run));
        }
        return;
    }
    let mut parts = 0;
    let mut start = 0;
    let mut before = Class::Other;
    let mut ahead = run.char_indices().peekable();
    while let Some((at, c)) = ahead.next() {
        let now = class(c);
        let next = ahead.peek().map(|(_, c)| class(*c));
        // getUser, HTTPServer, utf8: a part begins at a capital behind a small letter, at the last capital before a
        // small letter, and where digits and letters meet.
        let boundary = match (before, now) {
            (Class::Lower, Class::Upper | Class::Digit)
            | (Class::Upper, Class::Digit)
            | (Class::Digit, Class::Lower | Class::Upper) => true,
            (Class::Upper, Class::Upper) => next == Some(Class::Lower),
            _ => !is_part(now) || now == Class::Underscore,
        };
        if boundary {
            parts += part(&run[start..at], sink);
            start = if is_part(now) && now != Class::Underscore { at } else { at + c.len_utf8() };
        }
        before = now;
    }
    parts += part(&run[start..], sink);
    if parts > 1 && run.len() <= MAX_TERM {
        sink(Piece::Whole(run));
    }
    // A file is asked for by its name alone.
    if let Some((_, name)) = run.rsplit_once('/')
        && name.contains(['.', '_', '-'])
        && name.len() <= MAX_TERM
    {
        sink(Piece::Whole(name));
    }
}

fn part<'t>(part: &'t str, sink: &mut impl FnMut(Piece<'t>)) -> usize {
    if part.is_empty() {
        return 0;
    }
    if part.len() <= MAX_TERM {
        sink(Piece::Word(part));
    }
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normals(text: &str) -> Vec<String> {
        Analyzer::default().spotted(text).into_iter().map(|spotted| spotted.normal).collect()
    }

    #[test]
    fn words_are_stemmed_and_small_words_left_out() {
        assert_eq!(normals("The tests are running"), ["test", "run"]);
        assert_eq!(normals("Ann's parser doesn't panic"), ["ann", "parser", "panic"]);
    }

    #[test]
    fn identifiers_are_known_whole_and_in_parts() {
        assert_eq!(normals("getUserName"), ["get", "user", "name", "getusername"]);
        assert_eq!(normals("parse_HTTPServer"), ["pars", "http", "server", "parse_httpserver"]);
        assert_eq!(normals("src/main.rs"), ["src", "main", "rs", "src/main.rs", "main.rs"]);
        assert_eq!(normals("E0308"), ["e", "0308", "e0308"]);
        assert_eq!(normals("Use v3.11."), ["use", "v", "3", "11", "v3.11"]);
        let id = "3f9a2b7c-1d4e-4f60-8a9b-0c1d2e3f4a5b";
        assert_eq!(normals(id), [id], "an identity has no parts");
    }

    #[test]
    fn chinese_is_pairs_beside_latin_words() {
        assert_eq!(normals("用pnpm装依赖"), ["用", "pnpm", "装依", "依赖"]);
        assert_eq!(normals("端口是８０８０"), ["端口", "口是", "8080"]);
    }

    #[test]
    fn hashing_and_spelling_agree() {
        let text = "Deploy staging_v2 via deployRelease() on Fridays; 部署在周五 HTTP2 isn't E11000 用 A";
        let mut hashed = Vec::new();
        let mut analyzer = Analyzer::default();
        analyzer.terms(text, &mut |term| hashed.push(term));
        let spelled: Vec<Term> = analyzer.spotted(text).into_iter().map(|spotted| spotted.term).collect();
        assert_eq!(hashed, spelled);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_the_same_both_ways(text in ".{0,80}") {
            let mut analyzer = Analyzer::default();
            let mut hashed = Vec::new();
            analyzer.terms(&text, &mut |term| hashed.push(term));
            let spelled: Vec<Term> = analyzer.spotted(&text).into_iter().map(|spotted| spotted.term).collect();
            proptest::prop_assert_eq!(hashed, spelled);
        }
    }
}
