//! An engine that cannot be asked as things are set up, for a run that nobody watches: it fails when there is something
//! to judge, and not before, and leaves a record of why.

use nidra_core::settings::{EngineChoice, FailureChoice};
use nidra_core::text::wording::ended;
use nidra_core::{Engine, EngineError, EngineInput, Outcome};
use nidra_model::unavailable;
use nidra_rules::RulesEngine;

/// An engine that cannot be asked.
#[derive(Clone, Debug)]
pub struct Unready {
    engine: EngineChoice,
    reason: String,
    on_failure: FailureChoice,
}

impl Unready {
    /// The engine that was chosen, and why it cannot be asked.
    pub fn new(engine: EngineChoice, reason: String, on_failure: FailureChoice) -> Self {
        Self { engine, reason, on_failure }
    }

    /// What came of it, in sentences.
    pub fn summary(&self) -> Vec<String> {
        match self.on_failure {
            FailureChoice::Wait => Vec::new(),
            FailureChoice::Rules => vec![
                ended(&format!("The {} could not be asked: {}", self.name(), self.reason)),
                "So the rules alone judged (`model.on_failure = \"rules\"`).".to_owned(),
            ],
        }
    }
}

impl Engine for Unready {
    fn name(&self) -> &'static str {
        self.engine.as_str()
    }

    fn dream(&self, input: EngineInput<'_>) -> Result<Outcome, EngineError> {
        match self.on_failure {
            FailureChoice::Wait => Err(unavailable(&self.reason)),
            FailureChoice::Rules => RulesEngine.dream(input),
        }
    }
}
