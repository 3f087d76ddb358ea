//! What agents used of memory, as the sessions show that a run reads: files of memory that they read, the index that their
//! client loaded, and questions that `nidra recall` answered. A count, and never evidence of anything.

use jiff::Timestamp;
use nidra_core::{Content, Conversation, EntryId, MemoryView, Speaker, TopicView};
use nidra_memory::store::EntryUse;
use nidra_rules::importance::Used;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

/// How often entries were used, by entry.
pub type Uses = BTreeMap<EntryId, EntryUse>;

/// Inputs of tools by which a file is named.
const FILE_INPUTS: [&str; 4] = ["file_path", "path", "absolute_path", "filename"];
/// Parts of the names of tools that write.
const WRITES: [&str; 5] = ["write", "edit", "create", "replace", "delete"];
/// Bytes of an index line at least that is looked for in what a client loaded.
const MIN_LINE: usize = 12;

/// How often the entries of memory were used in these sessions: loaded and recalled count once for each of them.
pub(crate) fn count(conversations: &[Conversation], memory: &MemoryView, root: &Path) -> Vec<EntryUse> {
    let mut uses = Uses::new();
    for conversation in conversations {
        let mut session = Session { memory, root, recalls: HashSet::new(), seen: BTreeSet::new() };
        for turn in &conversation.turns {
            let Some(at) = turn.at else { continue };
            for (entry, how) in session.turn(turn.speaker, &turn.content) {
                note(&mut uses, entry, how, at);
            }
        }
    }
    uses.into_values().collect()
}

/// How an entry was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum How {
    Loaded,
    Recalled,
}

fn note(uses: &mut Uses, entry: EntryId, how: How, at: Timestamp) {
    let count = uses.entry(entry.clone()).or_insert(EntryUse { entry, loaded: 0, recalled: 0, last: at });
    match how {
        How::Loaded => count.loaded += 1,
        How::Recalled => count.recalled += 1,
    }
    count.last = count.last.max(at);
}

struct Session<'a> {
    memory: &'a MemoryView,
    root: &'a Path,
    /// Calls of tools whose results answer a question to memory.
    recalls: HashSet<String>,
    seen: BTreeSet<(EntryId, How)>,
}

impl Session<'_> {
    /// What a turn shows for the first time in this session.
    fn turn(&mut self, speaker: Speaker, content: &Content) -> Vec<(EntryId, How)> {
        let found: Vec<(EntryId, How)> = match content {
            Content::ToolCall { id, name, input } => {
                if is_recall(name, input) {
                    self.recalls.insert(id.clone());
                }
                self.read(name, input)
            }
            Content::ToolResult { id, text, error: false, .. } if self.recalls.contains(id) => {
                let text = fold(text);
                self.entries(|_| true)
                    .filter(|(_, words)| text.contains(&fold(words)))
                    .map(|(entry, _)| (entry, How::Recalled))
                    .collect()
            }
            Content::Text(text) if speaker == Speaker::Injected => self.loaded(text),
            Content::ToolResult { .. } | Content::Text(_) | Content::Interrupted => Vec::new(),
        };
        found.into_iter().filter(|one| self.seen.insert(one.clone())).collect()
    }

    /// The entries of the topic file that a tool read.
    fn read(&self, name: &str, input: &Value) -> Vec<(EntryId, How)> {
        let name = name.to_lowercase();
        if WRITES.iter().any(|writes| name.contains(writes)) {
            return Vec::new();
        }
        let paths = FILE_INPUTS.iter().filter_map(|input_name| input.get(input_name)?.as_str());
        let inside: Vec<&Path> =
            paths.filter_map(|path| Path::new(path).strip_prefix(self.root).ok()).collect();
        let is_read = |topic: &TopicView| inside.iter().any(|path| *path == Path::new(&topic.path));
        self.entries(is_read).map(|(entry, _)| (entry, How::Loaded)).collect()
    }

    /// The entries of the topics whose lines of the index stand in what the client loaded.
    fn loaded(&self, text: &str) -> Vec<(EntryId, How)> {
        if !text.contains("](") {
            return Vec::new();
        }
        let lines: HashSet<&str> = text.lines().map(str::trim).collect();
        let targets: BTreeSet<&str> = self
            .memory
            .index
            .iter()
            .filter(|line| line.text.len() >= MIN_LINE && lines.contains(line.text.trim()))
            .flat_map(|line| line.targets.iter().map(String::as_str))
            .collect();
        self.entries(|topic| targets.contains(topic.path.as_str()))
            .map(|(entry, _)| (entry, How::Loaded))
            .collect()
    }

    /// The active entries of some topics with their words.
    fn entries(&self, of: impl Fn(&TopicView) -> bool) -> impl Iterator<Item = (EntryId, &str)> {
        self.memory
            .entries()
            .filter(move |(topic, _)| of(topic))
            .map(|(_, entry)| (entry.id.clone(), entry.text.as_str()))
    }
}

/// Whether a tool asks memory a question.
fn is_recall(name: &str, input: &Value) -> bool {
    let asks = |command: &str| {
        let words: Vec<&str> =
            command.split(|letter: char| letter.is_whitespace() || letter == '/').collect();
        words.windows(2).any(|pair| pair == ["nidra", "recall"])
    };
    let command = input.get("command").and_then(Value::as_str);
    command.is_some_and(asks) || name.contains("nidra") && name.contains("recall")
}

fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// How often an entry and what it was in other words were used.
pub(crate) fn used<'a>(uses: &Uses, entries: impl Iterator<Item = &'a EntryId>, now: Timestamp) -> Used {
    let mut sum = Used::default();
    for one in entries.filter_map(|entry| uses.get(entry)) {
        sum.loaded += usize::try_from(one.loaded).unwrap_or(usize::MAX);
        sum.recalled += usize::try_from(one.recalled).unwrap_or(usize::MAX);
        let days = crate::standing::days_between(one.last, now);
        sum.last_days = Some(sum.last_days.map_or(days, |known| known.min(days)));
    }
    sum
}
