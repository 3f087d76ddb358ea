//! Estimates tokens without a tokenizer.
//!
//! Budgets need a number that is right within a few hundredths, for text of any kind, on any machine, at once. One walk
//! over the bytes counts runs by their script ([`Features`]), words and Han characters also by whether they are common
//! ([`vocabulary`]); a price for each kind of run, fitted to a family of tokenizers, makes tokens of them. The counts are
//! whole numbers, so the estimate is the same everywhere. `cargo run -p nidra-core --example tokens` measures the error
//! against real tokenizers.

mod features;
pub mod vocabulary;

pub use features::{Features, KINDS, Kind};

use std::fmt;

/// An estimate of the number of tokens of a text, for the family that most models of today come near.
pub fn estimate(text: &str) -> usize {
    Features::of(text).tokens(Family::default())
}

/// Tokenizers with the same vocabulary, or so near to it that one set of prices serves them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// OpenAI's vocabulary of 100,000.
    Cl100k,
    /// OpenAI's vocabulary of 200,000; what is not known counts as this one.
    #[default]
    O200k,
    /// Claude from version 3 to 4.6.
    Claude3,
    /// Claude from version 4.7.
    Claude47,
    /// Gemma, and Gemini, which is said to share its vocabulary.
    Gemma,
}

impl Family {
    /// All families.
    pub const ALL: [Self; 5] = [Self::Cl100k, Self::O200k, Self::Claude3, Self::Claude47, Self::Gemma];

    /// The name used in settings and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cl100k => "cl100k",
            Self::O200k => "o200k",
            Self::Claude3 => "claude-3",
            Self::Claude47 => "claude-4.7",
            Self::Gemma => "gemma",
        }
    }

    /// The family with this name, else the one of the model with this name; models that are not known count as
    /// [`Family::O200k`].
    pub fn of_model(name: &str) -> Self {
        Self::known(name).unwrap_or_default()
    }

    /// The family with this name, else the one of the model with this name; `None` for one that is not known.
    pub fn known(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        if let Some(family) = Self::ALL.into_iter().find(|family| family.as_str() == name) {
            return Some(family);
        }
        let has = |word: &str| name.contains(word);
        if has("claude") || has("opus") || has("sonnet") || has("haiku") || has("fable") {
            // A name without a version is the newest model of that name.
            let is_new = version(&name).is_none_or(|version| version >= (4, 7));
            return Some(if is_new { Self::Claude47 } else { Self::Claude3 });
        }
        if has("gemma") || has("gemini") {
            return Some(Self::Gemma);
        }
        let older = ["gpt-3.5", "gpt-35", "text-embedding", "davinci-002"].iter().any(|model| has(model));
        let four = has("gpt-4") && !has("gpt-4o") && !has("gpt-4.1") && !has("gpt-4.5");
        if older || four {
            return Some(Self::Cl100k);
        }
        let of_openai = has("gpt") || has("codex") || {
            let mut letters = name.chars();
            letters.next() == Some('o') && letters.next().is_some_and(|letter| letter.is_ascii_digit())
        };
        of_openai.then_some(Self::O200k)
    }

    /// What a budget adds to an estimate so that one in a hundred texts passes it: the error of the worst texts.
    pub fn margin(self) -> f64 {
        match self {
            Self::Claude47 => 0.25,
            Self::Cl100k | Self::O200k | Self::Claude3 | Self::Gemma => 0.15,
        }
    }

    /// What one run of each [`Kind`] costs, in tokens.
    fn prices(self) -> &'static [f64; KINDS] {
        // Fitted by `training/tokens`, least squares of the relative error on prose, code, data, transcripts, Chinese and
        // mixed text, each counting alike; kana, hangul and letters of other scripts on texts of their own. What those
        // texts hardly have, endless runs and noise, is priced by what tokenizers make of such texts.
        match self {
            Self::Cl100k => &[
                0.95, 0.75, 2.18, 1.19, 1.03, 1.56, 0.83, 0.2, 0.11, 0.32, 1.42, 0.84, 0.72, 2.55, 5.19,
                0.78, 1.07, 1.37, 0.51, 1.04, 2.34, 0.5, 0.45, 0.5, 0.5, 2.8, 2.4,
            ],
            Self::O200k => &[
                0.95, 0.75, 2.13, 1.2, 1.08, 1.43, 0.84, 0.21, 0.11, 0.31, 1.54, 0.82, 0.65, 1.1, 2.72, 0.77,
                0.79, 0.85, 0.31, 1.05, 0.5, 0.5, 0.45, 0.5, 0.5, 1.8, 2.2,
            ],
            Self::Claude3 => &[
                1.04, 1.16, 2.95, 2.02, 0.88, 2.32, 0.95, 0.24, 0.09, 0.86, 0.66, 1.14, 1.03, 1.41, 1.26,
                1.22, 0.91, 1.46, 0.44, 1.06, 0.3, 0.6, 0.5, 1.0, 1.0, 2.8, 2.5,
            ],
            Self::Claude47 => &[
                1.42, 1.68, 4.15, 4.42, 0.69, 2.05, 1.03, 0.59, 0.27, 1.02, 1.61, 0.97, 0.96, 1.49, 1.98,
                1.36, 0.91, 1.46, 0.45, 0.91, 0.3, 0.8, 0.4, 1.0, 1.0, 2.8, 2.5,
            ],
            Self::Gemma => &[
                0.99, 0.96, 2.07, 1.46, 1.9, 0.88, 1.02, 0.05, 0.09, 0.85, 0.92, 1.05, 0.57, 0.9, 1.58, 0.82,
                0.47, 0.76, 0.28, 1.32, 0.25, 0.5, 0.6, 0.5, 1.0, 1.4, 2.2,
            ],
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The first version in the name of a model: one or two numbers of at most two digits, so that a date is none.
fn version(name: &str) -> Option<(u32, u32)> {
    let numbers: Vec<Option<u32>> = name
        .split(['-', '.', '_', '@', '/', ':', ' '])
        .map(|part| part.parse().ok().filter(|_| part.len() <= 2))
        .collect();
    let at = numbers.iter().position(Option::is_some)?;
    Some((numbers.get(at).copied().flatten()?, numbers.get(at + 1).copied().flatten().unwrap_or(0)))
}

impl Features {
    /// The tokens that a family makes of the text.
    pub fn tokens(&self, family: Family) -> usize {
        whole(self.counts().iter().zip(family.prices()).map(|(number, price)| *number as f64 * price).sum())
    }
}

/// The nearest whole number; the text of a machine never comes near the limits of the types.
fn whole(total: f64) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a count of tokens is small and not negative"
    )]
    let whole = total.round().max(0.0) as usize;
    whole
}

#[cfg(test)]
mod tests;
