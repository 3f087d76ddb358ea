//! Logistic regression by plain descent: it starts from zero and uses no chance, so every run gives the same.

/// How far a round goes.
const STEP: f64 = 0.5;

/// How a learning goes.
pub(crate) struct Learning {
    /// Rounds.
    pub(crate) rounds: usize,
    /// How much a weight costs.
    pub(crate) penalty: f64,
    /// How much more an example that holds counts than one that does not.
    pub(crate) rare: f64,
}

/// What was learnt.
pub(crate) struct Weights {
    /// What an example weighs without any signal.
    pub(crate) bias: f64,
    /// What each signal weighs.
    pub(crate) signals: Vec<f64>,
}

impl Weights {
    /// The logarithm of the odds that an example holds.
    pub(crate) fn sum(&self, signals: &[f64]) -> f64 {
        self.bias + self.signals.iter().zip(signals).map(|(weight, signal)| weight * signal).sum::<f64>()
    }

    /// How likely it is that an example holds.
    pub(crate) fn probability(&self, signals: &[f64]) -> f64 {
        1.0 / (1.0 + (-self.sum(signals)).exp())
    }
}

impl Learning {
    /// Learns from examples: their signals, and whether they hold.
    pub(crate) fn learn(&self, examples: &[(&[f64], bool)]) -> Weights {
        let count = examples.first().map_or(0, |(signals, _)| signals.len());
        let factor = |holds: bool| if holds { self.rare } else { 1.0 };
        let total: f64 = examples.iter().map(|(_, holds)| factor(*holds)).sum();
        let mut weights = Weights { bias: 0.0, signals: vec![0.0; count] };
        let mut speed = vec![0.0; count + 1];
        for _ in 0..self.rounds {
            let mut slope = vec![0.0; count + 1];
            for (signals, holds) in examples {
                let wanted = if *holds { 1.0 } else { 0.0 };
                let error = (weights.probability(signals) - wanted) * factor(*holds) / total;
                for (slope, signal) in slope.iter_mut().zip(*signals) {
                    *slope += error * signal;
                }
                slope[count] += error;
            }
            for (at, speed) in speed.iter_mut().enumerate() {
                let weight = if at == count { &mut weights.bias } else { &mut weights.signals[at] };
                let cost = if at == count { 0.0 } else { self.penalty * *weight };
                *speed = 0.9 * *speed - STEP * (slope[at] + cost);
                *weight += *speed;
            }
        }
        weights
    }
}
