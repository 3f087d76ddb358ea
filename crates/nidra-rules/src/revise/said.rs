//! What a person said in one go, with what stood before it, as far as it may revise a statement.

use super::another;
use super::value::{self, Value};
use super::word;
use crate::dialogue::Dialogue;
use crate::hearsay;
use crate::lexicon::{self, Cue, Cues};
use crate::moment;
use crate::quoted;
use crate::sentence::{self, Act, Line};
use crate::signals;
use crate::terms;
use jiff::ZonedDateTime;
use nidra_core::text::date;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What a person said in one go, as far as it may revise something.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    /// The statements, one per line.
    pub(crate) text: String,
    pub(crate) values: Vec<Value>,
    pub(crate) terms: BTreeSet<String>,
    /// The agent's words and commands before, and the person's words before.
    pub(crate) around_lower: String,
    /// The same as they stand there.
    pub(crate) around: String,
    /// The person's own words before, as far as they stand in `around`.
    pub(crate) own_before: String,
    /// The end of the agent's words before: what an answer answers.
    pub(crate) asked: String,
    /// The statements in small letters.
    pub(crate) lower: String,
    pub(crate) around_values: Vec<Value>,
    pub(crate) around_terms: BTreeSet<String>,
    pub(crate) cues: Cues,
    /// What the words around each value say of it, by the value's place.
    pub(crate) marks: BTreeMap<usize, Mark>,
    /// The things that it speaks of.
    pub(super) things: BTreeSet<String>,
    /// Where its dates stand.
    pub(crate) dates: Vec<Range<usize>>,
    /// The names that it puts in the place of others.
    pub(crate) successors: Vec<String>,
    /// When it was said.
    pub(crate) moment: ZonedDateTime,
    /// What a single sentence weighs as something to keep.
    pub(crate) worth: f64,
}

/// What the words around a value say of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mark {
    /// It is over or not so.
    pub(crate) gone: bool,
    /// It holds as before.
    pub(crate) kept: bool,
    /// How firmly it is said to hold now, from 0 to 2.
    pub(crate) strength: u8,
}

impl Said {
    /// What the words around one of its values say of it.
    pub(crate) fn mark(&self, value: &Value) -> Mark {
        self.marks.get(&value.range.start).copied().unwrap_or_default()
    }
}

/// Whether a sentence says nothing of what holds here: another's words or things, what is over or forbidden, what was
/// pasted.
pub(crate) fn sets_nothing(line: &Line) -> bool {
    hearsay::is_foreign(&line.text)
        || hearsay::is_of_others(&line.text)
        || hearsay::holds_not(&line.text) && !line.cues.any(&[Cue::Change, Cue::Decision])
        || quoted::is_machine_text(&line.text)
}

/// Reads what a person said for revisions; `None` when nothing in it can revise anything.
pub(crate) fn said(dialogue: &Dialogue<'_>, index: usize, lines: &[Line]) -> Option<Said> {
    let utterance = dialogue.utterances.get(index)?;
    let mut text = String::new();
    let mut cues = Cues::default();
    for (at, line) in lines.iter().enumerate() {
        if lines.get(at + 1).is_some_and(|next| moment::limits(&next.text)) {
            continue;
        }
        let speaks = matches!(line.act, Act::Statement | Act::Task)
            || line.act == Act::Filler && !value::find(&line.text).is_empty();
        let passing = line.cues.has(Cue::Ephemeral)
            && !is_set_back(&line.text)
            && !line.cues.any(&[Cue::Standing, Cue::Change, Cue::Explicit])
            || line.cues.has(Cue::Speculation)
                && !line.cues.any(&[Cue::Change, Cue::Decision, Cue::Standing]);
        if !speaks || passing || sets_nothing(line) {
            continue;
        }
        cues = cues.union(line.cues).union(line.opening);
        text.push_str(line.text.trim());
        text.push('\n');
    }
    let turns = cues.any(&[
        Cue::Change,
        Cue::Removal,
        Cue::Denial,
        Cue::Decision,
        Cue::Owner,
        Cue::Place,
        Cue::Standing,
        Cue::Obligation,
        Cue::Prohibition,
    ]) || TURNS.iter().any(|mark| text.to_lowercase().contains(mark));
    if text.trim().is_empty() || !turns || text.chars().count() > 1200 {
        return None;
    }
    Some(Said::of(text, cues, around(dialogue, index), own_before(dialogue, index), &utterance.said))
}

/// Reads one sentence of what a person said, with what was said right before it.
pub(crate) fn sentence(dialogue: &Dialogue<'_>, index: usize, lines: &[Line], at: usize) -> Option<Said> {
    let (utterance, line) = (dialogue.utterances.get(index)?, lines.get(at)?);
    let mut before = around(dialogue, index);
    let mut own = own_before(dialogue, index);
    for line in &lines[at.saturating_sub(2)..at] {
        for text in [&mut before, &mut own] {
            text.push('\n');
            text.push_str(&line.text);
        }
    }
    let text = format!("{}\n", line.text.trim());
    let worth = signals::sentence(line, lines.len(), utterance).value;
    let said = Said::of(text, line.cues.union(line.opening), before, own, &utterance.said);
    Some(Said { worth, asked: asked(dialogue, index), ..said })
}

impl Said {
    /// Reads a text with what was said before it.
    pub(crate) fn of(
        text: String,
        cues: Cues,
        around: String,
        own_before: String,
        moment: &ZonedDateTime,
    ) -> Self {
        let values = value::find(&text);
        let marks = values
            .iter()
            .map(|value| {
                let range = &value.range;
                let mark = Mark {
                    gone: word::is_gone(&text, range),
                    kept: word::is_kept(&text, range),
                    strength: word::strength(&text, range),
                };
                (range.start, mark)
            })
            .collect();
        Self {
            marks,
            dates: date::find(&text, moment).into_iter().map(|mention| mention.range).collect(),
            // A Latin name and a Chinese one are looked for apart.
            successors: ["-", "某人"]
                .iter()
                .filter_map(|old| word::successor(&text, old, &|_| false))
                .collect(),
            terms: terms::terms(&value::blank(&text)),
            values,
            // The values within a command count too: the host that it reached, the branch that it took.
            around_values: value::find(&around)
                .into_iter()
                .chain(value::find(&around.replace('`', " ")))
                .collect(),
            things: another::things(&text),
            around_terms: terms::terms(&around),
            around_lower: around.to_lowercase(),
            around,
            own_before,
            lower: text.to_lowercase(),
            cues,
            moment: moment.clone(),
            worth: 0.0,
            asked: String::new(),
            text,
        }
    }
}

/// Whether the only passing words are `back to 5`, which sets a value.
fn is_set_back(text: &str) -> bool {
    lexicon::count(Cue::Ephemeral, text) == 1
        && lexicon::locate(Cue::Ephemeral, text)
            .is_some_and(|place| text[place].to_lowercase().starts_with("back to"))
}

/// Words that turn one value into another and are too short for a cue of their own.
const TURNS: &[&str] = &[
    " to ",
    "now",
    "not ",
    "instead",
    "改",
    "换",
    "提到",
    "降",
    "升",
    "调",
    "不用",
    "迁",
    "现在",
    "到",
    "放宽",
    "收紧",
    "延长",
    "缩短",
    "翻倍",
    " then",
    " out",
    "after all",
    "删",
    "扔",
    "拆",
];

/// The last sentences of the agent since the person spoke before.
fn asked(dialogue: &Dialogue<'_>, index: usize) -> String {
    let before = dialogue.utterances.get(index).and_then(|utterance| utterance.before);
    let sentences = before.map_or_else(Vec::new, |before| sentence::split(before.text));
    sentences[sentences.len().saturating_sub(2)..].join("\n")
}

/// The agent's words and commands since the person spoke before, and those words.
fn around(dialogue: &Dialogue<'_>, index: usize) -> String {
    let Some(utterance) = dialogue.utterances.get(index) else { return String::new() };
    let earlier = index.checked_sub(1).and_then(|at| dialogue.utterances.get(at));
    let mut text = String::new();
    if let Some(before) = &utterance.before {
        text.extend(before.text.chars().take(500));
        text.push('\n');
    }
    let from = earlier.map_or(0, |earlier| earlier.place);
    let calls: Vec<_> =
        dialogue.calls.iter().filter(|call| call.place > from && call.place < utterance.place).collect();
    for call in calls.iter().rev().take(3) {
        if let Some(command) = call.field("command").filter(|command| command.len() < 200) {
            text.extend(["`", command.replace('`', "").as_str(), "`\n"]);
        }
        // What went wrong is what the person answers.
        if call.failed {
            text.extend(call.result.chars().take(200));
            text.push('\n');
        }
    }
    text.push_str(&own_before(dialogue, index));
    text
}

/// The beginning of what the person said before, in one conversation.
pub(crate) fn own_before(dialogue: &Dialogue<'_>, index: usize) -> String {
    let opens = dialogue.utterances.get(index).is_none_or(|utterance| utterance.opens);
    let earlier = index.checked_sub(1).filter(|_| !opens).and_then(|at| dialogue.utterances.get(at));
    earlier.map_or_else(String::new, |earlier| earlier.own.chars().take(240).collect())
}
