//! How alike two texts are.
//!
//! The measure is lexical: it sees the same words in another order, the same identifier written in
//! another way, and the same Chinese in other characters, but never judges meaning. A negation is a
//! term of its own, so `use tabs` and `do not use tabs` are near, not equal; whoever merges texts must
//! look at negation itself.

use super::language::is_han;
use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization;

mod words;

/// The index terms of a text: lower-case words and identifier parts, and pairs of neighbouring Han characters.
///
/// Terms come in the order of the text, repeated where the text repeats them. Common words without content are
/// left out; English endings are cut; traditional characters are read as simplified ones. An identifier, path or
/// version comes as a whole and in parts.
pub fn terms(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let normal: Vec<char> = text.nfkc().map(words::simplified).collect();
    let mut at = 0;
    while let Some(&c) = normal.get(at) {
        let end = if is_han(c) {
            run_end(&normal, at, is_han)
        } else if is_word(c) {
            token_end(&normal, at)
        } else {
            at += 1;
            continue;
        };
        let run = &normal[at..end];
        if is_han(c) {
            han_terms(run, &mut found);
        } else {
            token_terms(run, &mut found);
        }
        at = end;
    }
    found
}

/// How alike two texts are, from 0 to 1: the weighted overlap of their terms. It is symmetric, and 1 for texts
/// with the same terms.
pub fn similarity(left: &str, right: &str) -> f64 {
    Bag::new(left).similarity(&Bag::new(right))
}

/// How much of the small text stands in the big one, from 0 to 1, by the weight of its terms.
pub fn containment(small: &str, big: &str) -> f64 {
    Bag::new(small).containment(&Bag::new(big))
}

/// The terms of a text, prepared to be compared with many others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bag {
    terms: BTreeSet<String>,
    /// What is compared where a text has no terms: the normal form without blanks at its ends.
    plain: String,
}

impl Bag {
    /// Prepares a text.
    pub fn new(text: &str) -> Self {
        let terms: BTreeSet<String> = terms(text).into_iter().collect();
        let plain = if terms.is_empty() {
            text.trim().nfkc().flat_map(char::to_lowercase).collect()
        } else {
            String::new()
        };
        Self { terms, plain }
    }

    /// The distinct terms, ordered.
    pub fn terms(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().map(String::as_str)
    }

    /// Whether the text has no terms at all.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// How alike two texts are; see [`similarity()`].
    pub fn similarity(&self, other: &Self) -> f64 {
        if self.terms == other.terms {
            return f64::from(u8::from(self.plain == other.plain));
        }
        let total = self.weight() + other.weight();
        if total == 0.0 { 0.0 } else { (2.0 * self.common(other) / total).clamp(0.0, 1.0) }
    }

    /// How much of this text stands in the other; see [`containment`].
    pub fn containment(&self, other: &Self) -> f64 {
        if self.terms.is_empty() {
            return f64::from(u8::from(other.terms.is_empty() && self.plain == other.plain));
        }
        (self.common(other) / self.weight()).clamp(0.0, 1.0)
    }

    /// The weight of all terms.
    fn weight(&self) -> f64 {
        self.terms.iter().map(|term| weight(term)).sum()
    }

    /// The weight of the terms that both texts have.
    fn common(&self, other: &Self) -> f64 {
        self.terms.intersection(&other.terms).map(|term| weight(term)).sum()
    }
}

/// How much a term says about what a text is about: identifiers, paths and numbers most, common words least.
pub fn weight(term: &str) -> f64 {
    let mut characters = term.chars();
    if term.contains(['_', '/', '.', '-', ':', '@']) {
        2.5
    } else if term.chars().all(|c| c.is_ascii_digit()) {
        2.0
    } else if term.contains(|c: char| c.is_ascii_digit()) {
        2.5
    } else if characters.next().is_some_and(is_han) {
        if words::is_common_pair(term) { 0.4 } else { 1.0 }
    } else if words::is_common(term) {
        0.4
    } else {
        // Longer words are rarer words.
        if term.len() >= 7 { 1.5 } else { 1.2 }
    }
}

/// Whether the character belongs to a word outside of Chinese.
fn is_word(c: char) -> bool {
    (c.is_alphanumeric() || c == '_') && !is_han(c)
}

/// Where a run of characters of one class ends.
fn run_end(characters: &[char], start: usize, class: fn(char) -> bool) -> usize {
    characters[start..].iter().position(|&c| !class(c)).map_or(characters.len(), |length| start + length)
}

/// Where a token ends: words joined by single marks (`src/lib.rs`, `v1.2`, `a-b`, `std::fs`, `x@y`, `don't`).
fn token_end(characters: &[char], start: usize) -> usize {
    let mut end = run_end(characters, start, is_word);
    loop {
        let joint = match characters.get(end) {
            Some(':') if characters.get(end + 1) == Some(&':') => 2,
            Some('.' | '-' | '/' | '\\' | '@' | '\'' | '’') => 1,
            _ => return end,
        };
        if !characters.get(end + joint).is_some_and(|&c| is_word(c)) {
            return end;
        }
        end = run_end(characters, end + joint, is_word);
    }
}

/// The terms of a run of Han characters: pairs of neighbours, where no word without content stands between.
fn han_terms(run: &[char], found: &mut Vec<String>) {
    let mut piece: Vec<char> = Vec::new();
    let mut at = 0;
    while at < run.len() {
        let skip = words::stop_length(&run[at..]);
        if skip == 0 {
            piece.push(run[at]);
            at += 1;
        } else {
            pairs(&piece, found);
            piece.clear();
            at += skip;
        }
    }
    pairs(&piece, found);
}

/// Adds the pairs of a piece, or the single character that it is.
fn pairs(piece: &[char], found: &mut Vec<String>) {
    match piece {
        [] => {}
        [single] => found.push(single.to_string()),
        _ => found.extend(piece.windows(2).map(|pair| pair.iter().collect::<String>())),
    }
}

/// The terms of a token: the whole where it is compound, and its parts.
fn token_terms(token: &[char], found: &mut Vec<String>) {
    let whole: String =
        token.iter().map(|&c| if c == '’' { '\'' } else { c }).flat_map(char::to_lowercase).collect();
    if let Some(negation) = words::negation(&whole) {
        found.push(negation.to_owned());
        return;
    }
    let possessive = whole.strip_suffix("'s").map_or(token.len(), |rest| rest.chars().count());
    let token = &token[..possessive.min(token.len())];
    let mut parts: Vec<String> = Vec::new();
    let mut part = String::new();
    for (at, &c) in token.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| token.get(before)).copied();
        let after = token.get(at + 1).copied();
        let hump = c.is_uppercase()
            && (before.is_some_and(char::is_lowercase)
                || before.is_some_and(char::is_uppercase) && after.is_some_and(char::is_lowercase));
        if !c.is_alphanumeric() || hump {
            parts.extend(Some(std::mem::take(&mut part)).filter(|part| !part.is_empty()));
        }
        if c.is_alphanumeric() {
            part.extend(c.to_lowercase());
        }
    }
    parts.extend(Some(part).filter(|part| !part.is_empty()));
    if parts.len() > 1 {
        let joined: String =
            token.iter().map(|&c| if c == '\\' { '/' } else { c }).flat_map(char::to_lowercase).collect();
        // `camelCase` and `snake_case` of one name are one term.
        if joined.contains(['/', '.', '@', ':']) {
            found.push(joined);
        } else {
            found.push(parts.join("_"));
        }
    }
    let compound = parts.len() > 1;
    for part in parts {
        let stem = words::stem(&part);
        let lone_letter = stem.len() == 1 && stem.starts_with(|c: char| c.is_ascii_lowercase());
        let empty = words::is_stop(&part) || words::is_stop(&stem);
        if !(empty || lone_letter && compound) {
            found.push(stem);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn terms_of_english_chinese_and_code() {
        let cases: &[(&str, &[&str])] = &[
            ("The tests are running", &["test", "run"]),
            ("getUserName", &["get_user_name", "get", "user", "name"]),
            ("get_user_name", &["get_user_name", "get", "user", "name"]),
            ("src/lib.rs", &["src/lib.rs", "src", "lib", "rs"]),
            ("HTTPServer v1.2", &["http_server", "http", "server", "v1.2", "v1", "2"]),
            ("数据库", &["数据", "据库"]),
            ("資料庫", &["资料", "料库"]),
            ("我们的数据库", &["数据", "据库"]),
            ("ＡＢＣ１２３", &["abc123"]),
            ("don't use npm", &["not", "use", "npm"]),
            ("库", &["库"]),
        ];
        for (text, expected) in cases {
            assert_eq!(&terms(text), expected, "{text}");
        }
    }

    #[test]
    fn endings_meet() {
        for family in [
            &["cache", "caches", "cached", "caching"][..],
            &["use", "uses", "used", "using"],
            &["try", "tries", "tried", "trying"],
            &["commit", "commits", "committed", "committing"],
            &["match", "matches", "matched", "matching"],
            &["deploy", "deploys", "deployed", "deploying"],
            &["embed", "embeds", "embedded", "embedding"],
        ] {
            let stems: BTreeSet<String> = family.iter().map(|word| words::stem(word)).collect();
            assert_eq!(stems.len(), 1, "{stems:?}");
        }
        for word in ["string", "class", "status", "this", "speed", "process"] {
            assert_eq!(words::stem(word), word);
        }
    }

    #[test]
    fn nearer_texts_score_higher() {
        for (text, near, far) in [
            ("Use pnpm for this repo", "This repo uses pnpm", "Use the staging database for tests"),
            ("数据库用 PostgreSQL", "我们的数据库是 PostgreSQL", "前端用 React 写"),
            ("资料库在上海", "資料庫在上海", "资料在北京的库里"),
            ("the API listens on port 8080", "API port is 8080", "the API listens on port 9090"),
        ] {
            let (close, apart) = (similarity(text, near), similarity(text, far));
            assert!(close > apart && close > 0.5, "{text}: {close} against {apart}");
        }
    }

    #[test]
    fn containment_is_one_sided() {
        let (small, big) = ("retry uploads", "retry uploads three times before the worker gives up");
        assert!((containment(small, big) - 1.0).abs() < 1e-9);
        assert!(containment(big, small) < 0.6);
        assert!(similarity("", "").eq(&1.0) && similarity("👍", "👎").eq(&0.0));
    }

    proptest! {
        #[test]
        fn bounds_and_symmetry(left in any::<String>(), right in any::<String>()) {
            let there = similarity(&left, &right);
            prop_assert!((0.0..=1.0).contains(&there));
            prop_assert!((there - similarity(&right, &left)).abs() < 1e-12);
            prop_assert!((similarity(&left, &left) - 1.0).abs() < 1e-12);
        }
    }
}
