//! Uniting what a transcript holds more than once, before it goes to the sink.
//!
//! Clients write an answer several times while it grows, and repeat history with new identifiers when
//! a session is resumed. Turns therefore wait in a queue of bounded size; a longer copy of a waiting
//! turn takes its place, any other copy is dropped. Of a turn that has left the queue only a hash
//! remains: exact copies are still dropped then, a longer one is delivered as its own turn.

use nidra_core::{Content, Turn};
use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{Hash, Hasher};

/// Bytes of waiting turns at most, roughly.
const CAPACITY: usize = 1024 * 1024;
/// What a turn weighs besides its text.
const OVERHEAD: usize = 512;

/// What makes two turns copies of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Identity {
    /// The same key: copies, whatever they say.
    Key(u64),
    /// A text block of a message. With an index: the block with this index. Without: the block whose
    /// text begins like this one, or the other way round.
    Block {
        /// The message.
        message: u64,
        /// The block's index in it.
        index: Option<u64>,
    },
}

/// A stable hash of some parts.
pub(crate) fn key(parts: &[&str]) -> u64 {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    hasher.finish()
}

struct Waiting {
    turn: Turn,
    weight: usize,
    identity: Identity,
}

/// The turns that wait.
pub(crate) struct Queue<'s> {
    sink: &'s mut dyn FnMut(Turn),
    waiting: VecDeque<Waiting>,
    /// The number of the first waiting turn.
    first: u64,
    weight: usize,
    /// The numbers of waiting turns by key or message.
    open: HashMap<u64, Vec<u64>>,
    /// Hashes of what was delivered.
    delivered: HashSet<u64>,
    count: u64,
}

impl<'s> Queue<'s> {
    /// Makes an empty queue in front of a sink.
    pub(crate) fn new(sink: &'s mut dyn FnMut(Turn)) -> Self {
        Self {
            sink,
            waiting: VecDeque::new(),
            first: 0,
            weight: 0,
            open: HashMap::new(),
            delivered: HashSet::new(),
            count: 0,
        }
    }

    /// Adds a turn, or unites it with its copy.
    pub(crate) fn push(&mut self, turn: Turn, identity: Identity) {
        let group = group(identity);
        let weight = weight(&turn.content);
        let copy = self
            .open
            .get(&group)
            .into_iter()
            .flatten()
            .copied()
            .find(|&number| self.at(number).is_some_and(|waiting| is_copy(waiting, &turn, identity)));
        if let Some(number) = copy {
            self.replace(number, turn, weight);
            return;
        }
        if self.delivered.contains(&fingerprint(identity, &turn.content)) {
            return;
        }
        self.open.entry(group).or_default().push(self.first + self.waiting.len() as u64);
        self.waiting.push_back(Waiting { turn, weight, identity });
        self.weight += weight;
        while self.weight > CAPACITY {
            self.deliver();
        }
    }

    /// Delivers all that waits; returns how many turns went to the sink in all.
    pub(crate) fn finish(mut self) -> u64 {
        while !self.waiting.is_empty() {
            self.deliver();
        }
        self.count
    }

    fn at(&self, number: u64) -> Option<&Waiting> {
        let index = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.waiting.get(index)
    }

    /// Puts the longer of two copies into the place of the first, which keeps its time.
    fn replace(&mut self, number: u64, turn: Turn, weight: usize) {
        let index = usize::try_from(number - self.first).unwrap_or(usize::MAX);
        let Some(waiting) = self.waiting.get_mut(index) else { return };
        if weight > waiting.weight {
            self.weight += weight - waiting.weight;
            let at = waiting.turn.at.or(turn.at);
            waiting.turn = Turn { at, ..turn };
            waiting.weight = weight;
        }
    }

    fn deliver(&mut self) {
        let Some(waiting) = self.waiting.pop_front() else { return };
        let group = group(waiting.identity);
        if let Some(numbers) = self.open.get_mut(&group) {
            numbers.retain(|&number| number != self.first);
            if numbers.is_empty() {
                self.open.remove(&group);
            }
        }
        self.delivered.insert(fingerprint(waiting.identity, &waiting.turn.content));
        self.first += 1;
        self.weight -= waiting.weight;
        self.count += 1;
        (self.sink)(waiting.turn);
    }
}

fn group(identity: Identity) -> u64 {
    match identity {
        Identity::Key(key) => key,
        Identity::Block { message, .. } => message,
    }
}

fn is_copy(waiting: &Waiting, turn: &Turn, identity: Identity) -> bool {
    match (waiting.identity, identity) {
        (Identity::Key(left), Identity::Key(right)) => left == right,
        (
            Identity::Block { message: left, index: Some(first) },
            Identity::Block { message: right, index: Some(second) },
        ) => left == right && first == second,
        (Identity::Block { message: left, .. }, Identity::Block { message: right, .. }) => {
            let (old, new) = (waiting.turn.text().unwrap_or_default(), turn.text().unwrap_or_default());
            left == right && (old.starts_with(new) || new.starts_with(old))
        }
        _ => false,
    }
}

/// What is remembered of a delivered turn: its key, or its message and words.
fn fingerprint(identity: Identity, content: &Content) -> u64 {
    match identity {
        Identity::Key(key) => key,
        Identity::Block { message, .. } => {
            let mut hasher = DefaultHasher::new();
            message.hash(&mut hasher);
            if let Content::Text(text) = content {
                text.hash(&mut hasher);
            }
            hasher.finish()
        }
    }
}

fn weight(content: &Content) -> usize {
    OVERHEAD
        + match content {
            Content::Text(text) | Content::ToolResult { text, .. } => text.len(),
            Content::ToolCall { input, .. } => value_weight(input),
            Content::Interrupted => 0,
        }
}

fn value_weight(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::String(text) => text.len() + 32,
        serde_json::Value::Array(list) => list.iter().map(value_weight).sum::<usize>() + 32,
        serde_json::Value::Object(map) => {
            map.iter().map(|(name, value)| name.len() + 64 + value_weight(value)).sum()
        }
        serde_json::Value::Null | serde_json::Value::Bool(_) | serde_json::Value::Number(_) => 32,
    }
}
