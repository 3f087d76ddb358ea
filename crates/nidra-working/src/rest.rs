//! The seven steps of a rest, as a value that can be stopped and taken up again: scan, extract, settle with memory, keep,
//! decide on tasks and topics, replace the context, tell the agent.
//!
//! What is here decides and renders; memory itself is brought up to date by a dream, which is one of the steps.

use crate::decisions::Decision;
use jiff::Timestamp;
use nidra_core::Conversation;
use nidra_core::settings::WorkingSettings;
use nidra_core::text::similarity::{containment, terms};
use nidra_memory::store::{TaskRecord, TaskState, TopicRecord, TopicState};
use nidra_rules::density::{WORTH_KEEPING, Weighed};
use nidra_rules::suggest::{Matter, Suggestion};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A step of a rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Look at session, tasks, topics and memory; nothing is written.
    Scan,
    /// Write decision log, task list and entity table as files that a person reads.
    Extract,
    /// Find what is said twice or differently from memory; a dream settles it with history.
    Settle,
    /// Keep what is worth it: the dream writes memory.
    Keep,
    /// Decide on each task and topic, by policy.
    Decide,
    /// Write the conclusions that take the place of the context.
    Replace,
    /// Take the trigger away and tell the agent.
    Tell,
}

impl Step {
    /// All steps in their order.
    pub const ALL: [Self; 7] =
        [Self::Scan, Self::Extract, Self::Settle, Self::Keep, Self::Decide, Self::Replace, Self::Tell];

    /// The name used in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Scan => "scan",
            Self::Extract => "extract",
            Self::Settle => "settle",
            Self::Keep => "keep",
            Self::Decide => "decide",
            Self::Replace => "replace",
            Self::Tell => "tell",
        }
    }
}

/// How far a rest came; stored after each step, so that a kill costs one step at most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// When it began; it names the folder of its files.
    pub begun: Timestamp,
    /// The steps that are done.
    pub done: Vec<Step>,
    /// What was applied to tasks and topics, so that it can be taken back.
    #[serde(default)]
    pub applied: Vec<Applied>,
}

/// A change of state that was applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Applied {
    /// `task` or `topic`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The state before.
    pub from: String,
    /// The state now.
    pub to: String,
}

/// What becomes of a task or topic.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// `task` or `topic`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// `advance`, `close`, `keep`; `done`, `pause`, `activate`, `keep`.
    pub verdict: &'static str,
    /// Why.
    pub reason: String,
    /// The evidence is the person's own words, so a policy may apply it.
    pub clear: bool,
}

/// How much of a task's name and goal a statement names to be about it, from 0 to 1.
const ABOUT: f64 = 0.5;
/// Turns in a row without a word about a topic after which it is put aside.
const SILENT: usize = 10;

/// Words with which people say that something is done.
const DONE: &[&str] = &[
    "done",
    "finished",
    "works now",
    "shipped",
    "merged",
    "is fixed",
    "搞定",
    "完成了",
    "做完了",
    "好了",
    "已合并",
    "上线了",
];

/// Decides on every open task and topic.
pub fn verdicts(
    conversation: &Conversation,
    tasks: &[TaskRecord],
    topics: &[TopicRecord],
    settings: &WorkingSettings,
) -> Vec<Verdict> {
    let said: Vec<&str> = conversation
        .turns
        .iter()
        .filter(|turn| turn.speaker == nidra_core::Speaker::Human)
        .filter_map(|turn| turn.text())
        .collect();
    let mut found = Vec::new();
    for task in tasks.iter().filter(|task| task.state == TaskState::Open) {
        let about = |text: &&&str| names(text, &task.id) || containment(&task.goal, text) >= ABOUT;
        let last = said.iter().rev().find(about);
        let told_done = last.filter(|text| {
            let text = text.to_lowercase();
            DONE.iter().any(|word| text.contains(word)) && !text.contains("not ") && !text.contains('没')
        });
        let step_said =
            !task.next_step.is_empty() && said.iter().any(|text| containment(&task.next_step, text) >= 0.8);
        let (verdict, reason, clear) = if let Some(text) = told_done {
            ("close", format!("the person said: {}", head(text)), names(text, &task.id))
        } else if step_said {
            ("advance", format!("the talk was about its next step: {}", task.next_step), false)
        } else if task.stale >= settings.stale_rounds * 2 && task.next_step.is_empty() {
            ("close", format!("no next step and {} rounds without any", task.stale), false)
        } else {
            ("keep", "nothing in the talk says otherwise".to_owned(), true)
        };
        found.push(Verdict { kind: "task", name: task.id.clone(), verdict, reason, clear });
    }
    let recent: Vec<&&str> = said.iter().rev().take(SILENT).collect();
    for topic in topics.iter().filter(|topic| topic.state != TopicState::Done) {
        let named = |text: &str| names(text, &topic.name);
        let told_done = said.iter().rev().find(|text| named(text)).filter(|text| {
            let text = text.to_lowercase();
            DONE.iter().any(|word| text.contains(word))
        });
        let spoken = recent.iter().any(|text| named(text));
        let (verdict, reason, clear) = match topic.state {
            _ if told_done.is_some() => {
                ("done", format!("the person said: {}", head(told_done.copied().unwrap_or_default())), true)
            }
            TopicState::Active if !spoken && said.len() >= SILENT => {
                ("pause", format!("not named in the last {SILENT} turns"), true)
            }
            TopicState::Paused | TopicState::Pending if spoken => {
                ("activate", "the last turns are about it".to_owned(), false)
            }
            _ => ("keep", "nothing in the talk says otherwise".to_owned(), true),
        };
        found.push(Verdict { kind: "topic", name: topic.name.clone(), verdict, reason, clear });
    }
    found
}

/// Whether a text names something by its name.
fn names(text: &str, name: &str) -> bool {
    let (text, name) = (text.to_lowercase(), name.to_lowercase());
    text.contains(&name) || containment(&name, &text) >= 1.0 && !terms(&name).is_empty()
}

/// A person, place, tool or value that was talked about, with how often and where first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entity {
    /// Its name.
    pub name: String,
    /// Turns that name it.
    pub turns: usize,
    /// What was first said of it.
    pub first: String,
}

/// The exact things that turns of worth name: identifiers, paths, addresses, values.
pub fn entities(conversation: &Conversation, weighed: &[Weighed]) -> Vec<Entity> {
    let mut found: BTreeMap<String, Entity> = BTreeMap::new();
    for one in weighed.iter().filter(|one| one.value >= WORTH_KEEPING / 2.0) {
        let Some(text) = conversation.turns.get(one.place).and_then(|turn| turn.text()) else { continue };
        let mut here: Vec<&str> = text
            .split(|letter: char| {
                letter.is_whitespace() || "，。；、：！？（）“”\"'()[],;!?".contains(letter)
            })
            .map(|word| word.trim_matches(['.', ':', '`', '*']))
            .filter(|word| is_exact(word))
            .collect();
        here.sort_unstable();
        here.dedup();
        for word in here {
            let entity = found.entry(word.to_owned()).or_insert_with(|| Entity {
                name: word.to_owned(),
                turns: 0,
                first: head(text),
            });
            entity.turns += 1;
        }
    }
    let mut entities: Vec<Entity> = found.into_values().collect();
    entities.sort_by(|one, two| two.turns.cmp(&one.turns).then_with(|| one.name.cmp(&two.name)));
    entities
}

/// Whether a word is a name that stands for one thing: with marks, digits or capitals inside.
fn is_exact(word: &str) -> bool {
    let inner = word.chars().skip(1);
    let marked =
        word.chars().any(|letter| "_/.:-@".contains(letter)) && word.chars().any(char::is_alphanumeric);
    let digit = word.chars().any(|letter| letter.is_ascii_digit()) && word.chars().any(char::is_alphabetic);
    let hump = inner.clone().any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    let length = word.chars().count();
    (2..=80).contains(&length) && word.is_ascii() && (marked && length >= 4 || digit || hump)
}

/// The files that a person reads: `decisions.md`, `tasks.md`, `entities.md`.
pub fn extracts(
    decisions: &[Decision],
    tasks: &[TaskRecord],
    suggestions: &[Suggestion],
    entities: &[Entity],
) -> Vec<(&'static str, String)> {
    let mut log = String::from("# Decisions\n\n");
    for decision in decisions {
        let at = decision.at.map_or_else(String::new, |at| at.strftime("%Y-%m-%d ").to_string());
        let why = decision.reason.as_ref().map(|why| format!(" — because {why}")).unwrap_or_default();
        let not = if decision.alternatives.is_empty() {
            String::new()
        } else {
            format!(" (not {})", decision.alternatives.join(", "))
        };
        let state = if decision.holds { "" } else { " ~~holds no more~~" };
        let _ = writeln!(log, "- {at}{}{why}{not}{state} [{}]", decision.text, decision.place);
    }
    let mut list = String::from("# Tasks\n\n");
    for task in tasks {
        let state = if task.state == TaskState::Open { ' ' } else { 'x' };
        let _ = writeln!(list, "- [{state}] {}: {}; next: {}", task.id, task.goal, task.next_step);
        for decision in task.open_decisions() {
            let _ = writeln!(list, "  - to decide: {}", decision.question);
        }
    }
    for (matter, heading) in
        [(Matter::Goal, "Goals"), (Matter::Step, "Steps"), (Matter::Decision, "Questions")]
    {
        let of: Vec<_> = suggestions.iter().filter(|suggestion| suggestion.matter == matter).collect();
        if !of.is_empty() {
            let _ = writeln!(list, "\n## {heading} that the talk suggests\n");
            for suggestion in of {
                let _ = writeln!(list, "- {}", suggestion.text);
            }
        }
    }
    let mut table = String::from("# Names and values\n\n| name | turns | first said |\n|---|---|---|\n");
    for entity in entities {
        let _ = writeln!(
            table,
            "| `{}` | {} | {} |",
            entity.name,
            entity.turns,
            entity.first.replace('|', "\\|")
        );
    }
    vec![("decisions.md", log), ("tasks.md", list), ("entities.md", table)]
}

fn head(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(100).collect()
}

#[cfg(test)]
#[path = "rest_tests.rs"]
mod tests;
