//! What tokens cost, as a table that comes with the program and that the user can change.

use crate::budget::Money;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The table that comes with the program.
const EMBEDDED: &str = include_str!("prices.toml");

/// What a million tokens of a model cost, in US dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Tokens of questions.
    pub input: f64,
    /// Tokens of answers.
    pub output: f64,
    /// Tokens of questions that the provider keeps for the next one; as other tokens when unset.
    pub cache_write: Option<f64>,
    /// Tokens of questions that the provider had kept; as other tokens when unset.
    pub cache_read: Option<f64>,
}

/// The tokens of a call, as the provider counts them or as they are estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the question that were neither kept nor had been.
    pub input: u64,
    /// Tokens of the question that the provider keeps for the next one.
    pub cache_write: u64,
    /// Tokens of the question that the provider had kept.
    pub cache_read: u64,
    /// Tokens of the answer.
    pub output: u64,
}

impl Usage {
    /// All tokens.
    pub fn total(self) -> u64 {
        self.question().saturating_add(self.output)
    }

    /// The tokens of the question.
    pub fn question(self) -> u64 {
        self.input.saturating_add(self.cache_write).saturating_add(self.cache_read)
    }
}

impl Price {
    /// What these tokens cost.
    pub fn of(&self, usage: Usage) -> Money {
        let part = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
        Money::dollars(
            part(usage.input, self.input)
                + part(usage.output, self.output)
                + part(usage.cache_write, self.cache_write.unwrap_or(self.input))
                + part(usage.cache_read, self.cache_read.unwrap_or(self.input)),
        )
    }

    fn is_sound(&self) -> bool {
        let all = [Some(self.input), Some(self.output), self.cache_write, self.cache_read];
        all.into_iter().flatten().all(|price| price.is_finite() && price >= 0.0)
    }
}

/// Prices by the beginning of a model's identifier.
#[derive(Clone, Debug, PartialEq)]
pub struct Prices {
    models: BTreeMap<String, Price>,
}

/// A table of prices that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PriceError {
    /// It is not TOML, or has another form.
    #[error("the table of prices cannot be read; see `prices.toml` in the documentation for its form")]
    Form(#[from] toml::de::Error),
    /// A price is no amount of money.
    #[error("the price of `{0}` is no amount of money; write dollars for a million tokens")]
    Amount(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    models: BTreeMap<String, Price>,
}

impl Prices {
    /// The table that comes with the program, with the rows of the user's own over it.
    ///
    /// # Errors
    /// When the user's table cannot be used; a budget is never counted by half a table.
    pub fn with(own: Option<&str>) -> Result<Self, PriceError> {
        let mut models = BTreeMap::new();
        for text in [Some(EMBEDDED), own].into_iter().flatten() {
            models.extend(toml::from_str::<Table>(text)?.models);
        }
        match models.iter().find(|(_, price)| !price.is_sound()) {
            Some((model, _)) => Err(PriceError::Amount(model.clone())),
            None => Ok(Self { models }),
        }
    }

    /// What a model costs, and whether that is known: the row whose name is the longest beginning of the model's, else
    /// the dearest of all.
    pub fn of(&self, model: &str) -> (Price, bool) {
        // Gateways put the maker in front: `anthropic/claude-…`.
        let name = model.rsplit('/').next().unwrap_or(model);
        let fits = self.models.iter().filter(|(start, _)| name.starts_with(start.as_str()));
        if let Some((_, price)) = fits.max_by_key(|(start, _)| start.len()) {
            return (*price, true);
        }
        let dearest = self.models.values().max_by(|left, right| left.output.total_cmp(&right.output));
        (dearest.copied().unwrap_or_default(), false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_beginning_counts_and_a_stranger_is_the_dearest() {
        let prices = Prices::with(None).unwrap();
        let (mini, known) = prices.of("gpt-4o-mini-2024-07-18");
        assert!(known && mini.output < 1.0, "{mini:?}");
        assert!(prices.of("anthropic/claude-sonnet-4-5").1);
        let (stranger, known) = prices.of("somebody-s-model");
        assert!(!known && stranger.output >= 75.0, "{stranger:?}");
    }

    #[test]
    fn a_table_of_ones_own_replaces_rows_and_adds_some() {
        let own = "[models.\"gpt-4o\"]\ninput = 1\noutput = 2\n[models.mine]\ninput = 0.5\noutput = 1.0\n";
        let prices = Prices::with(Some(own)).unwrap();
        let usage = Usage { input: 1_000_000, output: 1_000_000, ..Usage::default() };
        assert_eq!(prices.of("gpt-4o").0.of(usage), Money::dollars(3.0));
        assert_eq!(prices.of("mine-7b").0.of(usage), Money::dollars(1.5));
        assert!(Prices::with(Some("[models.x]\ninput = -1\noutput = 0\n")).is_err());
        assert!(Prices::with(Some("models = 3")).is_err());
    }
}
