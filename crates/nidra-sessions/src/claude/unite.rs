//! Uniting what a transcript holds more than once, before it goes to the sink.
//!
//! Clients write an answer several times while it grows, and repeat history with new identifiers when
//! a session is resumed. Turns therefore wait in a queue of bounded size; a longer copy of a waiting
//! turn takes its place, any other copy is dropped. Of a turn that has left the queue only a hash
//! remains: exact copies are still dropped then, a longer one is delivered as its own turn.

use nidra_core::{Content, Turn};
use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{BuildHasherDefault, Hash, Hasher};

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

/// The hasher of keys that are hashes themselves.
#[derive(Default)]
pub(crate) struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

/// A set of hashes.
pub(crate) type Keys = HashSet<u64, BuildHasherDefault<Hashed>>;

struct Waiting {
    turn: Turn,
    weight: usize,
    identity: Identity,
    /// The number of the next waiting turn with this key or message.
    next: Option<u64>,
}

/// The numbers of the first and the last waiting turn with a key or message.
struct Chain {
    first: u64,
    last: u64,
}

/// The turns that wait.
pub(crate) struct Queue<'s> {
    sink: &'s mut dyn FnMut(Turn),
    waiting: VecDeque<Waiting>,
    /// The number of the first waiting turn.
    first: u64,
    weight: usize,
    /// The waiting turns by key or message.
    open: HashMap<u64, Chain, BuildHasherDefault<Hashed>>,
    /// Hashes of what was delivered.
    delivered: Keys,
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
            open: HashMap::default(),
            delivered: Keys::default(),
            count: 0,
        }
    }

    /// Adds a turn, or unites it with its copy.
    pub(crate) fn push(&mut self, turn: Turn, identity: Identity) {
        let group = group(identity);
        let weight = weight(&turn.content);
        if let Some(number) = self.copy_of(group, &turn, identity) {
            self.replace(number, turn, weight);
            return;
        }
        if self.delivered.contains(&fingerprint(identity, &turn.content)) {
            return;
        }
        self.append(group, Waiting { turn, weight, identity, next: None });
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

    /// The number of the first waiting turn of which this one is a copy.
    fn copy_of(&self, group: u64, turn: &Turn, identity: Identity) -> Option<u64> {
        let mut number = self.open.get(&group)?.first;
        loop {
            let waiting = self.at(number)?;
            if is_copy(waiting, turn, identity) {
                return Some(number);
            }
            number = waiting.next?;
        }
    }

    /// Puts a turn at the end of the queue and of the chain of its key or message.
    fn append(&mut self, group: u64, waiting: Waiting) {
        let number = self.first + self.waiting.len() as u64;
        let chain = self.open.entry(group).or_insert(Chain { first: number, last: number });
        let last = std::mem::replace(&mut chain.last, number);
        self.waiting.push_back(waiting);
        if last != number
            && let Some(before) = self.index(last).and_then(|index| self.waiting.get_mut(index))
        {
            before.next = Some(number);
        }
    }

    fn index(&self, number: u64) -> Option<usize> {
        usize::try_from(number.checked_sub(self.first)?).ok()
    }

    fn at(&self, number: u64) -> Option<&Waiting> {
        self.waiting.get(self.index(number)?)
    }

    /// Puts the longer of two copies into the place of the first, which keeps its time.
    fn replace(&mut self, number: u64, turn: Turn, weight: usize) {
        let Some(waiting) = self.index(number).and_then(|index| self.waiting.get_mut(index)) else { return };
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
        // The first of the queue is the first of its chain as well.
        match (waiting.next, self.open.get_mut(&group)) {
            (Some(next), Some(chain)) => chain.first = next,
            (None, _) | (_, None) => {
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
