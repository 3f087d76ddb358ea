//! Pinning: the marker of the memory files' own format, set and taken out by the user's command.

use crate::lookup::{self, Found, Place, find, places};
use crate::report::{RunReport, RunState, file_report};
use crate::steps::new_run;
use jiff::ZonedDateTime;
use nidra_memory::atomic::RealFileSystem;
use nidra_memory::commit::{CommitError, NewRun, commit};
use nidra_memory::directory::{MemoryDirectory, MemoryError};
use nidra_memory::lease::Lease;
use nidra_memory::pin::{Pin, PinError, set_pin};
use nidra_memory::store::{RunRecord, Store, StoreError};
use nidra_sessions::Project;
use std::path::Path;

/// What pinning needs.
pub struct Pinning<'a> {
    /// The project.
    pub project: &'a Project,
    /// Its memory directory.
    pub memory_root: &'a Path,
    /// The moment, in the user's zone.
    pub now: &'a ZonedDateTime,
    /// The topic or an entry in it, as the user names it.
    pub asked: &'a str,
    /// What becomes of it.
    pub pin: Pin,
}

/// Nothing was pinned; memory is as it was.
#[derive(Debug, thiserror::Error)]
pub enum PinningError {
    /// The name fits several topics.
    #[error("{} entries match {asked:?}; name one by its identifier", several.len())]
    Several {
        /// What was asked for.
        asked: String,
        /// The entries.
        several: Vec<Place>,
    },
    /// The name fits none.
    #[error("no topic or entry matches {asked:?}")]
    None {
        /// What was asked for.
        asked: String,
        /// The entries that come nearest.
        nearest: Vec<Place>,
    },
    /// The topic cannot be changed.
    #[error(transparent)]
    Pin(#[from] PinError),
    /// Memory could not be read.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The state directory could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Memory could not be written.
    #[error(transparent)]
    Commit(#[from] CommitError),
}

/// What pinning came to.
#[derive(Debug)]
pub struct Pinned {
    /// The topic file.
    pub topic: String,
    /// The entries that it holds.
    pub entries: usize,
    /// The run; it has none when the topic was so already.
    pub report: RunReport,
}

/// Sets or takes out the pin of a topic.
///
/// # Errors
/// When nothing was changed.
pub fn pin(request: &Pinning<'_>, store: &mut Store, lease: &Lease) -> Result<Pinned, PinningError> {
    let memory = MemoryDirectory::load(request.memory_root)?;
    let topic = topic(request.asked, &memory)?;
    let view = memory.view();
    let entries = view.topic(&topic).map_or(0, |topic| topic.entries.len());
    let engine = if request.pin == Pin::Set { "pin" } else { "unpin" };
    let now = request.now.timestamp();
    let mut report = RunReport::commanded(now, engine, request.memory_root, request.project);
    let changes = set_pin(&memory, &topic, request.pin)?;
    if changes.is_empty() {
        return Ok(Pinned { topic, entries, report });
    }
    let run = new_run(store, &request.project.id, request.now)?;
    report.run = Some(run.clone());
    report.state = RunState::Applied;
    report.files = changes.files.iter().map(file_report).collect();
    report.index = memory.index_use().into();
    let mut new = NewRun::new(RunRecord::begin(run, request.project.id.clone(), now, engine, "manual"));
    new.record.report = serde_json::to_value(&report).unwrap_or_default();
    new.record.counts = serde_json::json!({ "files": report.files.len() });
    report.conflicts = commit(store, lease, &RealFileSystem, &new, &changes)?.conflicts;
    Ok(Pinned { topic, entries, report })
}

/// The topic that is meant: by its file, by its name, or by an entry in it.
fn topic(asked: &str, memory: &MemoryDirectory) -> Result<String, PinningError> {
    let asked = asked.trim();
    let view = memory.view();
    let inside = lookup::inside(asked, memory);
    let file = memory.resolve(inside);
    let named = |topic: &&nidra_core::TopicView| {
        topic.path == file || topic.path.trim_end_matches(".md") == inside || topic.name == asked
    };
    let found: Vec<_> = view.topics.iter().filter(named).collect();
    if let [one] = found.as_slice() {
        return Ok(one.path.clone());
    }
    let places = places(memory);
    match find(asked, &places, memory) {
        Found::One(place) => Ok(place.topic),
        Found::Several(several) => match several.first() {
            // Several entries of one topic name that topic.
            Some(first) if several.iter().all(|place| place.topic == first.topic) => Ok(first.topic.clone()),
            _ => Err(PinningError::Several { asked: asked.to_owned(), several }),
        },
        Found::None(nearest) => Err(PinningError::None { asked: asked.to_owned(), nearest }),
    }
}
