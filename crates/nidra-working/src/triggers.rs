//! When a session should rest, measured from what it holds: its length, how full its window is, whether a task came to its
//! end, what could be linked with memory, and whether the agent has become dull.

use crate::dullness::{self, Dullness};
use crate::live::WindowUse;
use jiff::ZonedDateTime;
use nidra_core::settings::WorkingSettings;
use nidra_core::text::similarity::containment;
use nidra_core::{Content, Conversation, Speaker};
use nidra_memory::store::{TaskRecord, TaskState};
use nidra_rules::density::{self, WORTH_KEEPING};
use nidra_rules::suggest;
use serde::Serialize;

/// Statements that could be linked from which that is a reason.
const LINKS: usize = 3;
/// How much of a statement an entry of memory shares, from 0 to 1, to be worth a link.
const RELATED: f64 = 0.3;
/// How much it shares when it says the same.
const SAME: f64 = 0.9;
/// Turns at the end of a session in which praise means that something is done.
const LAST: usize = 4;

/// A question of the checklist with its answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// The question.
    pub question: &'static str,
    /// Whether it is so.
    pub yes: bool,
    /// The value that was measured.
    pub value: f64,
    /// The value above which, or from which, it is so.
    pub threshold: f64,
    /// What it rests on.
    pub evidence: Vec<String>,
}

/// The five questions answered, and what they come to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Checklist {
    /// The answers, in the order of the questions.
    pub answers: Vec<Answer>,
    /// Whether a rest would do good.
    pub rest: bool,
    /// How dull the talk is, part by part.
    pub dullness: Dullness,
}

/// Answers the questions for a session.
pub fn check(
    conversation: &Conversation,
    window: Option<&WindowUse>,
    tasks: &[TaskRecord],
    memory: &[(String, String)],
    settings: &WorkingSettings,
    now: &ZonedDateTime,
) -> Checklist {
    let dullness = dullness::measure(conversation);
    let answers = vec![
        length(conversation, settings),
        fullness(window, settings),
        finished(conversation, tasks),
        links(conversation, memory, now),
        Answer {
            question: "is the agent dull or repeating itself?",
            yes: dullness.value > settings.max_dullness,
            value: dullness.value,
            threshold: settings.max_dullness,
            evidence: dullness.evidence.clone(),
        },
    ];
    Checklist { rest: answers.iter().any(|answer| answer.yes), answers, dullness }
}

/// The turns of a person.
pub fn turns(conversation: &Conversation) -> usize {
    conversation
        .turns
        .iter()
        .filter(|turn| turn.speaker == Speaker::Human && matches!(turn.content, Content::Text(_)))
        .count()
}

fn length(conversation: &Conversation, settings: &WorkingSettings) -> Answer {
    let turns = turns(conversation);
    Answer {
        question: "is the conversation long?",
        yes: turns > settings.max_turns as usize,
        value: turns as f64,
        threshold: f64::from(settings.max_turns),
        evidence: vec![format!("{turns} turns of the person")],
    }
}

fn fullness(window: Option<&WindowUse>, settings: &WorkingSettings) -> Answer {
    let tokens = window.map_or(0, |window| window.tokens);
    let share = tokens as f64 / f64::from(settings.window_tokens);
    let how = if window.is_some_and(|window| window.counted) { "counted by the client" } else { "estimated" };
    Answer {
        question: "is the window nearly full?",
        yes: share > settings.max_window_share,
        value: share,
        threshold: settings.max_window_share,
        evidence: vec![format!("{tokens} of {} tokens, {how}", settings.window_tokens)],
    }
}

fn finished(conversation: &Conversation, tasks: &[TaskRecord]) -> Answer {
    let begin = conversation.turns.iter().find_map(|turn| turn.at);
    let mut evidence: Vec<String> = tasks
        .iter()
        .filter(|task| {
            task.state == TaskState::Closed && begin.is_some_and(|begin| task.closed >= Some(begin))
        })
        .map(|task| format!("the task {} was closed", task.id))
        .collect();
    let said = conversation.turns.iter().rev().filter(|turn| turn.speaker == Speaker::Human).take(LAST);
    let praised = said.filter_map(|turn| turn.text()).filter(|text| suggest::is_praise(text));
    evidence.extend(
        praised.map(|text| format!("the person said: {}", text.chars().take(80).collect::<String>())),
    );
    Answer {
        question: "did a task come to its end?",
        yes: !evidence.is_empty(),
        value: evidence.len() as f64,
        threshold: 1.0,
        evidence,
    }
}

fn links(conversation: &Conversation, memory: &[(String, String)], now: &ZonedDateTime) -> Answer {
    let mut evidence = Vec::new();
    for one in density::weigh(conversation, now).iter().filter(|one| one.value >= WORTH_KEEPING) {
        let Some(text) = conversation.turns.get(one.place).and_then(|turn| turn.text()) else { continue };
        let gist = density::digest(text, 160, now);
        let best = memory
            .iter()
            .map(|(path, entry)| (containment(&gist, entry).max(containment(entry, &gist)), path))
            .max_by(|one, two| one.0.total_cmp(&two.0));
        if let Some((share, path)) = best.filter(|(share, _)| (RELATED..SAME).contains(share)) {
            evidence.push(format!("{path} ({share:.2}): {gist}"));
        }
    }
    Answer {
        question: "are there points to link with memory?",
        yes: evidence.len() >= LINKS,
        value: evidence.len() as f64,
        threshold: LINKS as f64,
        evidence,
    }
}
