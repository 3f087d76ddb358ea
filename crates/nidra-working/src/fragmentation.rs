//! How scattered the work is: a pure function of tasks, topics and the talk.
//!
//! Two judgements stand beside each other. The simple rule compares four counts with a threshold each; the index weighs
//! every signal that is known. A soft trigger suggests a rest and can be put off. The hard one, the use of tokens,
//! cannot: a window that is full is compacted by the agent itself, without asking what is worth keeping.

use nidra_core::settings::WorkingSettings;
use nidra_memory::store::{TaskRecord, TaskState, TopicRecord, TopicState};
use serde::Serialize;

/// What the judgement rests on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts<'a> {
    /// Tasks; closed ones count nothing.
    pub tasks: &'a [TaskRecord],
    /// Topics; paused and done ones count nothing.
    pub topics: &'a [TopicRecord],
    /// Tokens that the session holds; `None` where no session is known.
    pub tokens: Option<u64>,
    /// Turns of the person in the session.
    pub turns: Option<u32>,
    /// Dullness of the talk, from 0 to 1.
    pub dullness: Option<f64>,
}

/// A signal that was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Signal {
    /// Tasks with a next step that nobody took for some rounds.
    Backlog,
    /// Topics that are active or pending.
    Topics,
    /// Tasks with a decision that has been open for some rounds.
    Decisions,
    /// Tokens in use.
    Tokens,
    /// Turns of the session.
    Turns,
    /// Repetition, failing again, length without content.
    Dullness,
}

impl Signal {
    /// The name used in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Backlog => "backlog",
            Self::Topics => "topics",
            Self::Decisions => "decisions",
            Self::Tokens => "tokens",
            Self::Turns => "turns",
            Self::Dullness => "dullness",
        }
    }

    /// How much it counts in the index.
    fn weight(self) -> f64 {
        match self {
            Self::Backlog => 0.22,
            Self::Topics => 0.16,
            Self::Decisions => 0.20,
            Self::Tokens => 0.24,
            Self::Turns => 0.08,
            Self::Dullness => 0.10,
        }
    }
}

/// A signal with its value and what it is made of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measure {
    /// The signal.
    pub signal: Signal,
    /// Its value; `None` where nothing is known of it.
    pub value: Option<f64>,
    /// The value from which it triggers; for tokens and turns it has to be passed.
    pub threshold: f64,
    /// Whether the value triggers.
    pub reached: bool,
    /// How much it counts in the index.
    pub weight: f64,
    /// The tasks or topics behind the number, in words.
    pub items: Vec<String>,
}

/// Whether a rest is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trigger {
    /// It is not.
    None,
    /// It would do good.
    Soft,
    /// It cannot be put off.
    Hard,
}

impl Trigger {
    /// The name used in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Soft => "soft",
            Self::Hard => "hard",
        }
    }
}

/// How scattered the work is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fragmentation {
    /// Every signal.
    pub measures: Vec<Measure>,
    /// The weighted index of the signals that are known, from 0 to 1.
    pub index: f64,
    /// The index from which a rest is due.
    pub max_index: f64,
    /// Whether a rest is due.
    pub trigger: Trigger,
    /// Why, each in a few words.
    pub reasons: Vec<String>,
}

/// Measures how scattered the work is.
pub fn measure(facts: &Facts<'_>, settings: &WorkingSettings) -> Fragmentation {
    let open = || facts.tasks.iter().filter(|task| task.state == TaskState::Open);
    let backlog: Vec<String> = open()
        .filter(|task| !task.next_step.trim().is_empty() && task.stale >= settings.stale_rounds)
        .map(|task| format!("{} (stale {}): {}", task.id, task.stale, task.next_step))
        .collect();
    let topics: Vec<String> = facts
        .topics
        .iter()
        .filter(|topic| matches!(topic.state, TopicState::Active | TopicState::Pending))
        .map(|topic| format!("{} ({})", topic.name, topic.state.as_str()))
        .collect();
    let undecided: Vec<String> = open()
        .filter_map(|task| {
            let late = task.open_decisions().find(|decision| decision.rounds >= settings.decision_rounds)?;
            Some(format!("{} (open {} rounds): {}", task.id, late.rounds, late.question))
        })
        .collect();
    let counted = |signal, items: Vec<String>, threshold: u32| {
        let value = items.len() as f64;
        let threshold = f64::from(threshold);
        Measure {
            signal,
            value: Some(value),
            threshold,
            reached: value >= threshold,
            weight: signal.weight(),
            items,
        }
    };
    let above = |signal, value: Option<f64>, threshold: f64| Measure {
        signal,
        value,
        threshold,
        reached: value.is_some_and(|value| value > threshold),
        weight: signal.weight(),
        items: Vec::new(),
    };
    let measures = vec![
        counted(Signal::Backlog, backlog, settings.max_backlog),
        counted(Signal::Topics, topics, settings.max_topics),
        counted(Signal::Decisions, undecided, settings.max_undecided),
        above(Signal::Tokens, facts.tokens.map(|tokens| tokens as f64), f64::from(settings.max_tokens)),
        above(Signal::Turns, facts.turns.map(f64::from), f64::from(settings.max_turns)),
        above(Signal::Dullness, facts.dullness, settings.max_dullness),
    ];
    judge(measures, settings)
}

fn judge(measures: Vec<Measure>, settings: &WorkingSettings) -> Fragmentation {
    let (mut sum, mut weights) = (0.0, 0.0);
    for measure in &measures {
        if let Some(value) = measure.value {
            // What is beyond its threshold counts in full and no more: one bad signal does not hide the others.
            sum += measure.weight * (value / measure.threshold.max(f64::EPSILON)).min(1.0);
            weights += measure.weight;
        }
    }
    let index = if weights > 0.0 { sum / weights } else { 0.0 };
    let (mut hard, mut soft, mut reasons) = (false, false, Vec::new());
    for measure in measures.iter().filter(|measure| measure.reached) {
        let value = measure.value.unwrap_or_default();
        reasons.push(format!("{} {} of {}", measure.signal.as_str(), shown(value), shown(measure.threshold)));
        match measure.signal {
            Signal::Tokens => hard = true,
            Signal::Backlog | Signal::Topics | Signal::Decisions => soft = true,
            // They say that a rest would do good in `check --now`; alone they do not make one due.
            Signal::Turns | Signal::Dullness => {}
        }
    }
    if index >= settings.max_index {
        soft = true;
        reasons.push(format!("index {index:.2} of {:.2}", settings.max_index));
    }
    let trigger = match (hard, soft) {
        (true, _) => Trigger::Hard,
        (false, true) => Trigger::Soft,
        (false, false) => Trigger::None,
    };
    if trigger == Trigger::None {
        reasons.clear();
    }
    Fragmentation { measures, index, max_index: settings.max_index, trigger, reasons }
}

/// A number without a fraction that says nothing.
pub fn shown(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

#[cfg(test)]
#[path = "fragmentation_tests.rs"]
mod tests;
