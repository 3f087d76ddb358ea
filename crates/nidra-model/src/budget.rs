//! What a run may spend: tokens, calls, money and time, for the run itself, the day and the project.

use nidra_core::settings::BudgetSettings;
use serde::{Deserialize, Serialize};
use std::fmt;

/// An amount of money in millionths of a US dollar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Money(pub u64);

impl Money {
    /// Dollars; what is no amount counts as nothing, and what is too much as the most there is.
    pub fn dollars(amount: f64) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the conversion saturates, and nothing is negative"
        )]
        Self((amount.max(0.0) * 1e6).round() as u64)
    }

    /// The amount in dollars.
    pub fn as_dollars(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "${:.4}", self.as_dollars())
    }
}

/// What was spent, or would be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spent {
    /// Tokens of questions and answers.
    pub tokens: u64,
    /// Calls, tries again included.
    pub requests: u64,
    /// Money.
    pub cost: Money,
    /// Milliseconds of calls.
    pub milliseconds: u64,
}

impl Spent {
    /// Both together; what does not fit the numbers stays at the most there is.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            requests: self.requests.saturating_add(other.requests),
            cost: Money(self.cost.0.saturating_add(other.cost.0)),
            milliseconds: self.milliseconds.saturating_add(other.milliseconds),
        }
    }

    /// What this has beyond the other.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            requests: self.requests.saturating_sub(other.requests),
            cost: Money(self.cost.0.saturating_sub(other.cost.0)),
            milliseconds: self.milliseconds.saturating_sub(other.milliseconds),
        }
    }
}

/// What may be spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Tokens.
    pub tokens: u64,
    /// Calls.
    pub requests: u64,
    /// Money.
    pub cost: Money,
    /// Milliseconds of calls.
    pub milliseconds: u64,
}

impl From<Limits> for Spent {
    /// All of it spent.
    fn from(limits: Limits) -> Self {
        Self {
            tokens: limits.tokens,
            requests: limits.requests,
            cost: limits.cost,
            milliseconds: limits.milliseconds,
        }
    }
}

/// What other runs spent before, as the ledger has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// This calendar day, all projects.
    pub day: Spent,
    /// This project in the last thirty days.
    pub project: Spent,
}

/// The limits of a run, its day and its project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// This run.
    pub run: Limits,
    /// This calendar day, all projects; the run counts.
    pub day: Limits,
    /// This project in thirty days; the run counts.
    pub project: Limits,
}

impl From<&BudgetSettings> for Budget {
    fn from(settings: &BudgetSettings) -> Self {
        let limits = |tokens: u32, requests: u32, cost: f64, seconds: u32| Limits {
            tokens: tokens.into(),
            requests: requests.into(),
            cost: Money::dollars(cost),
            milliseconds: u64::from(seconds) * 1_000,
        };
        let s = settings;
        Self {
            run: limits(s.run_tokens, s.run_requests, s.run_cost, s.run_seconds),
            day: limits(s.day_tokens, s.day_requests, s.day_cost, s.day_seconds),
            project: limits(s.project_tokens, s.project_requests, s.project_cost, s.project_seconds),
        }
    }
}

impl Budget {
    /// What a run may come to at most, with what was spent before.
    pub fn left(&self, totals: &Totals) -> Spent {
        let scopes =
            [(&self.run, Spent::default()), (&self.day, totals.day), (&self.project, totals.project)];
        let left = scopes.map(|(limits, spent)| Spent::from(*limits).minus(spent));
        left.into_iter().fold(Spent::from(self.run), |least, scope| Spent {
            tokens: least.tokens.min(scope.tokens),
            requests: least.requests.min(scope.requests),
            cost: least.cost.min(scope.cost),
            milliseconds: least.milliseconds.min(scope.milliseconds),
        })
    }

    /// Whether the next call may be made, when it costs no more than `next`.
    ///
    /// # Errors
    /// The limit that the call would pass, by the name of its setting.
    pub fn admit(&self, run: &Spent, totals: &Totals, next: &Spent) -> Result<(), String> {
        let scopes = [
            ("run", &self.run, run, ""),
            ("day", &self.day, &totals.day, "; the count begins anew with the next day"),
            ("project", &self.project, &totals.project, "; what is older than thirty days does not count"),
        ];
        for (scope, limits, spent, opens) in scopes {
            let sum = spent.plus(*next);
            let may = |sum: &dyn fmt::Display| format!("with the next call it may come to {sum}");
            let passed = if sum.tokens > limits.tokens {
                Some(("tokens", limits.tokens.to_string(), may(&sum.tokens)))
            } else if sum.requests > limits.requests {
                Some(("requests", limits.requests.to_string(), may(&sum.requests)))
            } else if sum.cost > limits.cost {
                Some(("cost", limits.cost.to_string(), may(&sum.cost)))
            } else if spent.milliseconds >= limits.milliseconds {
                // How long the next call takes is not known; its own time limit bounds it.
                let seconds = |milliseconds: u64| (milliseconds / 1_000).to_string();
                let used = format!("{} are used", seconds(spent.milliseconds));
                Some(("seconds", seconds(limits.milliseconds), used))
            } else {
                None
            };
            if let Some((what, limit, sum)) = passed {
                return Err(format!("`budget.{scope}_{what}` is {limit}, and {sum}{opens}"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(tokens: u64) -> Spent {
        Spent { tokens, requests: 1, ..Spent::default() }
    }

    #[test]
    fn pub_cost_02_a_call_that_would_pass_a_limit_is_not_made() {
        let budget = Budget::from(&BudgetSettings { run_tokens: 1_000, ..BudgetSettings::default() });
        let none = Totals::default();
        assert_eq!(budget.admit(&Spent::default(), &none, &tokens(600)), Ok(()));
        let refused = budget.admit(&tokens(600), &none, &tokens(600)).unwrap_err();
        assert!(refused.starts_with("`budget.run_tokens` is 1000"), "{refused}");
    }

    #[test]
    fn every_limit_of_every_scope_is_looked_at() {
        let settings = BudgetSettings::default();
        let budget = Budget::from(&settings);
        let all = [
            Spent { tokens: u64::MAX, ..Spent::default() },
            Spent { requests: u64::MAX, ..Spent::default() },
            Spent { cost: Money(u64::MAX), ..Spent::default() },
            Spent { milliseconds: u64::MAX, ..Spent::default() },
        ];
        for (spent, what) in all.into_iter().zip(["tokens", "requests", "cost", "seconds"]) {
            let (run, none) = (Spent::default(), Totals::default());
            let message = |run: &Spent, totals: &Totals| budget.admit(run, totals, &tokens(1)).unwrap_err();
            assert!(message(&spent, &none).starts_with(&format!("`budget.run_{what}` ")));
            let day = Totals { day: spent, ..none };
            assert!(message(&run, &day).starts_with(&format!("`budget.day_{what}` ")));
            let project = Totals { project: spent, ..none };
            assert!(message(&run, &project).starts_with(&format!("`budget.project_{what}` ")));
        }
    }

    #[test]
    fn odd_amounts_of_money_are_harmless() {
        assert_eq!(Money::dollars(f64::NAN), Money(0));
        assert_eq!(Money::dollars(-1.0), Money(0));
        assert_eq!(Money::dollars(f64::INFINITY), Money(u64::MAX));
        assert_eq!(Money::dollars(0.25).to_string(), "$0.2500");
    }
}
