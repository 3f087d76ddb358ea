//! A statement recognised without its words: enough to see that another says the same, not enough to read it.
//!
//! A fingerprint holds keyed hashes of the statement's terms, cut so short that several words share each, and the order of
//! its words by still shorter ones. What is judged is what [`super::similarity`] judges, in both languages, and in addition
//! what that measure cannot see: that another value stands in the same place, or that one of two statements denies the
//! other. Whoever has the key can test a guess; nobody can read a sentence out of it.

mod units;

use super::similarity;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use units::Unit;

/// Bits of a term's hash that are kept.
const TERM_BITS: u32 = 12;
/// How alike two statements are at least that are one.
const SAME: f64 = 0.8;
/// How much of a statement stands in another one that tells it among other things.
const TOLD: f64 = 0.9;
/// The weight of a statement below which it is not looked for inside of others: `use pnpm` stands in many.
const MIN_TOLD_WEIGHT: f64 = 3.0;
/// The share of a statement that a shorter one keeps when it is still that statement.
const CORE: f64 = 0.6;

/// The secret by which terms are hashed.
#[derive(Clone, PartialEq, Eq)]
pub struct FingerprintKey([u8; 32]);

impl FingerprintKey {
    /// A key of these bytes.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    fn hash(&self, domain: &str, term: &str, bits: u32) -> u16 {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(domain.as_bytes());
        hasher.update(b"\0");
        hasher.update(term.as_bytes());
        let digest = hasher.finalize();
        let bytes = digest.as_bytes();
        u16::from_le_bytes([bytes[0], bytes[1]]) & ((1_u16 << bits) - 1)
    }
}

impl std::fmt::Debug for FingerprintKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FingerprintKey(..)")
    }
}

/// A statement by the hashes of its terms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The hash of each term with its weight in tenths.
    terms: BTreeMap<u16, u8>,
    /// Its words in their order.
    units: Vec<Unit>,
}

impl Fingerprint {
    /// The fingerprint of a statement.
    pub fn new(text: &str, key: &FingerprintKey) -> Self {
        let text = units::without_insistence(text);
        let mut terms: BTreeMap<u16, u8> = BTreeMap::new();
        let mut add = |term: &str, weight: f64| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "weights are between 0.4 and 2.5"
            )]
            let tenths = (weight * 10.0).round().clamp(0.0, 255.0) as u8;
            let known = terms.entry(key.hash("term", term, TERM_BITS)).or_default();
            *known = tenths.max(*known);
        };
        for term in similarity::terms(&text) {
            add(&term, similarity::weight(&term));
        }
        if terms.is_empty() && !text.trim().is_empty() {
            // A text without terms, such as a single sign, is the sign.
            let sign = text.trim();
            terms.insert(key.hash("sign", sign, TERM_BITS), 10);
        }
        Self { terms, units: units::read(&text, key) }
    }

    /// Whether the statement has nothing to be recognised by.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether another text says this statement: in these words or nearly these, alone or among others. Another value in
    /// the same place, or the statement denied, is something else.
    pub fn is_said_by(&self, other: &Self) -> bool {
        if self.is_empty() || other.is_empty() {
            return false;
        }
        let common = self.common(other);
        let (own, theirs) = (self.weight(), other.weight());
        let alike = 2.0 * common / (own + theirs) >= SAME
            || own >= MIN_TOLD_WEIGHT && common / own >= TOLD
            || common / theirs >= TOLD && theirs >= CORE * own;
        alike && !units::differ(&self.units, &other.units)
    }

    /// How much of the statement stands in another text, from 0 to 1.
    pub fn containment(&self, other: &Self) -> f64 {
        if self.is_empty() { 0.0 } else { self.common(other) / self.weight() }
    }

    fn weight(&self) -> f64 {
        self.terms.values().map(|tenths| f64::from(*tenths) / 10.0).sum()
    }

    fn common(&self, other: &Self) -> f64 {
        self.terms
            .iter()
            .filter_map(|(hash, tenths)| Some((*tenths).min(*other.terms.get(hash)?)))
            .map(|tenths| f64::from(tenths) / 10.0)
            .sum()
    }
}

/// Many statements, prepared so that a text is compared with those alone that share enough of its terms.
#[derive(Clone, Debug, Default)]
pub struct FingerprintSet {
    prints: Vec<Fingerprint>,
    /// The statements with each term.
    with: HashMap<u16, Vec<usize>>,
}

impl FingerprintSet {
    /// The statements of the set that a text says, by their numbers.
    pub fn said_by(&self, said: &Fingerprint) -> Vec<usize> {
        let mut common: BTreeMap<usize, f64> = BTreeMap::new();
        for (hash, tenths) in &said.terms {
            for number in self.with.get(hash).into_iter().flatten() {
                *common.entry(*number).or_default() += f64::from(*tenths) / 10.0;
            }
        }
        let theirs = said.weight();
        common
            .into_iter()
            .filter(|(number, common)| {
                // What shares less than this of the lighter one is alike by none of the measures.
                self.prints.get(*number).is_some_and(|print| {
                    *common + f64::EPSILON >= SAME * print.weight().min(theirs) && print.is_said_by(said)
                })
            })
            .map(|(number, _)| number)
            .collect()
    }
}

impl FromIterator<Fingerprint> for FingerprintSet {
    fn from_iter<T: IntoIterator<Item = Fingerprint>>(prints: T) -> Self {
        let mut set = Self::default();
        for (number, print) in prints.into_iter().enumerate() {
            for hash in print.terms.keys() {
                set.with.entry(*hash).or_default().push(number);
            }
            set.prints.push(print);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_finds_what_each_of_its_statements_finds_alone() {
        let key = FingerprintKey::new([5; 32]);
        let texts: Vec<String> = (0..60)
            .map(|number| match number % 3 {
                0 => format!("Host h{number} of the shop listens on port {}.", 4000 + number),
                1 => format!(
                    "The {} team reviews releases on Mondays.",
                    ["red", "green", "blue"][number / 3 % 3]
                ),
                _ => format!("{}号机房的备份在每周三晚上做。", number / 3),
            })
            .collect();
        let prints: Vec<Fingerprint> = texts.iter().map(|text| Fingerprint::new(text, &key)).collect();
        let set: FingerprintSet = prints.iter().cloned().collect();
        for text in
            texts.iter().map(String::as_str).chain(["Host h3 listens on 4003", "nothing of it", "备份"])
        {
            let said = Fingerprint::new(text, &key);
            let alone: Vec<usize> =
                (0..prints.len()).filter(|number| prints[*number].is_said_by(&said)).collect();
            assert_eq!(set.said_by(&said), alone, "{text}");
        }
    }

    fn same(forgotten: &str, said: &str) -> bool {
        let key = FingerprintKey::new([7; 32]);
        Fingerprint::new(forgotten, &key).is_said_by(&Fingerprint::new(said, &key))
    }

    #[test]
    fn the_same_statement_in_nearly_the_same_words_is_recognised_in_both_languages() {
        for (forgotten, said) in [
            ("Use pnpm in this repository.", "Always use pnpm in this repository!"),
            ("This repo uses pnpm for installs.", "For installs, use pnpm in this repo."),
            ("The staging server listens on port 4310.", "the staging server is listening on port 4310"),
            (
                "Deploys are frozen on Fridays after 15:00.",
                "Remember: deploys are frozen on Fridays after 15:00, and ask Ines about exceptions.",
            ),
            ("提交信息一律用中文写。", "以后提交信息都用中文写"),
            ("测试环境在 staging-7 上。", "我们的测试环境在 staging-7。"),
            ("資料庫放在上海機房", "资料库放在上海机房。"),
        ] {
            assert!(same(forgotten, said), "{forgotten} / {said}");
        }
    }

    #[test]
    fn another_value_in_the_same_place_is_news() {
        for (forgotten, said) in [
            (
                "The staging server of the payments service listens on port 4310 behind nginx.",
                "The staging server of the payments service listens on port 4400 behind nginx.",
            ),
            (
                "From now on always use pnpm in this repository, never npm or yarn.",
                "From now on always use yarn in this repository, never npm or pnpm.",
            ),
            (
                "Release notes are written by Ines every second Monday.",
                "Release notes are written by Marek every second Monday.",
            ),
            ("支付服务的测试数据库在上海机房三号机。", "支付服务的测试数据库在北京机房三号机。"),
            ("发布前在 staging-7 上跑完整的回归测试。", "发布前在 staging-9 上跑完整的回归测试。"),
        ] {
            assert!(!same(forgotten, said), "{forgotten} / {said}");
        }
    }

    #[test]
    fn a_statement_denied_is_another_one() {
        for (forgotten, said) in [
            ("Squash commits before merging into main.", "Never squash commits before merging into main."),
            ("合并到主干之前先压缩提交。", "合并到主干之前不要压缩提交。"),
        ] {
            assert!(!same(forgotten, said), "{forgotten} / {said}");
        }
    }

    #[test]
    fn short_statements_are_not_found_in_every_longer_one() {
        assert!(!same("Use pnpm.", "The build script checks that pnpm is there before CI starts."));
        assert!(!same("Staging runs on port 3001.", "The worker reads jobs from Redis."));
        assert!(!same("", "") && !same("", "x") && !same("x", ""));
    }

    #[test]
    fn no_word_stands_in_the_stored_form() {
        let key = FingerprintKey::new([9; 32]);
        let text = "The vault hint is zebra-quartz-9913, ask 周敏.";
        let stored = serde_json::to_string(&Fingerprint::new(text, &key)).unwrap();
        for word in ["vault", "hint", "zebra", "quartz", "9913", "周敏", "ask"] {
            assert!(!stored.contains(word), "{word} in {stored}");
        }
        let back: Fingerprint = serde_json::from_str(&stored).unwrap();
        assert_eq!(back, Fingerprint::new(text, &key));
        assert_ne!(back, Fingerprint::new(text, &FingerprintKey::new([8; 32])), "the key matters");
    }
}
