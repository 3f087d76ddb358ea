//! Samples of secrets, made at run time.
//!
//! No secret stands in the source: a rule keeps templates, and a template becomes text only here. `{alnum:36}` stands
//! for 36 random letters and digits; `«` and `»` stand around what must be removed. The random numbers come from a
//! seed, so a sample is the same on every machine.

use super::personal;
use std::ops::Range;

/// A text that holds secrets, and where they stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The text.
    pub text: String,
    /// Where the secrets stand in it, in bytes.
    pub secrets: Vec<Range<usize>>,
}

/// A source of samples.
#[derive(Clone, Debug)]
pub struct Generator {
    state: u64,
}

impl Generator {
    /// A source that gives the same samples for the same seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next random number below `limit`; 0 for a limit of 0.
    pub fn below(&mut self, limit: usize) -> usize {
        // SplitMix64: short, and random enough for letters.
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        let limit = u64::try_from(limit).unwrap_or(u64::MAX).max(1);
        usize::try_from(mixed % limit).unwrap_or_default()
    }

    /// One of these.
    pub fn pick<'t, T: ?Sized>(&mut self, choices: &[&'t T]) -> Option<&'t T> {
        let index = self.below(choices.len());
        choices.get(index).copied()
    }

    /// Random characters out of an alphabet of ASCII characters.
    pub fn characters(&mut self, alphabet: &str, length: usize) -> String {
        let alphabet = alphabet.as_bytes();
        (0..length)
            .filter_map(|_| alphabet.get(self.below(alphabet.len())).copied().map(char::from))
            .collect()
    }

    /// Fills the blanks of a template: `{hex:32}`, `{uuid}` … Other braces stay as they are.
    pub fn fill(&mut self, template: &str) -> String {
        let mut text = String::with_capacity(template.len() + 64);
        let mut rest = template;
        while let Some(open) = rest.find('{') {
            text.push_str(&rest[..open]);
            rest = &rest[open..];
            let blank = rest.find('}').and_then(|close| Some((close, self.blank(&rest[1..close])?)));
            if let Some((close, filled)) = blank {
                text.push_str(&filled);
                rest = &rest[close + 1..];
            } else {
                text.push('{');
                rest = &rest[1..];
            }
        }
        text.push_str(rest);
        text
    }

    /// Fills a template and takes its marks out.
    pub fn sample(&mut self, template: &str) -> Sample {
        let filled = self.fill(template);
        let mut sample = Sample { text: String::with_capacity(filled.len()), secrets: Vec::new() };
        let mut open = None;
        for character in filled.chars() {
            match character {
                '«' => open = Some(sample.text.len()),
                '»' => sample.secrets.extend(open.take().map(|start| start..sample.text.len())),
                _ => sample.text.push(character),
            }
        }
        sample
    }

    /// What fills a blank of this name; `None` for words that name no blank.
    fn blank(&mut self, name: &str) -> Option<String> {
        if name == "uuid" {
            let parts = [8, 4, 4, 4, 12].map(|length| self.characters(HEX, length));
            return Some(parts.join("-"));
        }
        if name == "card" {
            let head = format!("4{}", self.characters("0123456789", 14));
            let check = personal::card_check(head.as_bytes());
            return Some(format!("{head}{}", char::from(check)));
        }
        if name == "resident" {
            let head = format!("110105{}0{}", 1950 + self.below(60), self.characters("123456789", 1))
                + &format!("{:02}{}", 1 + self.below(28), self.characters("0123456789", 3));
            let check = personal::resident_check(head.as_bytes())?;
            return Some(format!("{head}{}", char::from(check)));
        }
        let (class, length) = name.split_once(':')?;
        let length = length.parse().ok()?;
        if class == "words" {
            let words = (0..length).filter_map(|_| WORDS.get(self.below(WORDS.len())));
            return Some(words.copied().collect::<Vec<_>>().join("-"));
        }
        let alphabet = ALPHABETS.iter().find(|(name, _)| *name == class)?.1;
        loop {
            let filled = self.characters(alphabet, length);
            // What an issuer gives has digits among its letters; short ones would miss them by chance.
            let digit = filled.bytes().any(|byte| byte.is_ascii_digit());
            let letter = filled.bytes().any(|byte| byte.is_ascii_alphabetic());
            if matches!(class, "digit" | "letter" | "mixed") || length < 8 || digit && letter {
                // Capitals stand inside of what a machine makes of letters alone, and more than once.
                let inner = filled.bytes().skip(1).filter(u8::is_ascii_uppercase).count();
                if class != "mixed" || (length / 3..=length * 2 / 3).contains(&inner) {
                    return Some(filled);
                }
            }
        }
    }
}

const HEX: &str = "0123456789abcdef";

/// The alphabets of issuers, by the name that templates use.
const ALPHABETS: &[(&str, &str)] = &[
    ("alnum", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"),
    ("base32", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
    ("base58", "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"),
    ("base64", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"),
    ("bech32", "023456789acdefghjklmnpqrstuvwxyz"),
    ("digit", "0123456789"),
    ("hex", HEX),
    ("letter", "abcdefghijklmnopqrstuvwxyz"),
    ("mixed", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
    ("lower", "abcdefghijklmnopqrstuvwxyz0123456789"),
    ("upper", "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"),
    ("url", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"),
];

/// What passphrases are made of.
const WORDS: &[&str] = &[
    "anchor", "basil", "cobalt", "dune", "ember", "fjord", "granite", "hazel", "iris", "jungle", "kettle",
    "lagoon", "marble", "nutmeg", "orchid", "pebble", "quartz", "raven", "saddle", "thistle", "umbrella",
    "violet", "willow", "zephyr",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_becomes_the_same_text_for_the_same_seed() {
        let template = "id={digit:4} «key_{alnum:12}» {\"a\": 1} {}";
        let sample = Generator::new(7).sample(template);
        assert_eq!(sample, Generator::new(7).sample(template));
        assert_ne!(sample, Generator::new(8).sample(template));
        let secret = &sample.text[sample.secrets[0].clone()];
        assert!(secret.starts_with("key_") && secret.len() == 16, "{secret}");
        assert!(sample.text.ends_with(" {\"a\": 1} {}"), "{}", sample.text);
    }

    #[test]
    fn every_alphabet_is_used_in_full() {
        for (name, alphabet) in ALPHABETS {
            let text = Generator::new(1).fill(&format!("{{{name}:4000}}"));
            assert!(alphabet.chars().all(|character| text.contains(character)), "{name}");
        }
    }
}
