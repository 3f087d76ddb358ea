//! The pin of a topic: `pinned: true` in its front matter, as values.

use crate::change::{ChangeSet, FileChange};
use crate::directory::MemoryDirectory;
use crate::directory::role::Role;
use crate::document::Document;
use crate::front_matter::FrontMatter;
use crate::front_matter::write::set_pinned;

/// What becomes of a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pin {
    /// It is set.
    Set,
    /// It is taken out.
    TakenOut,
}

/// A topic cannot be pinned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PinError {
    /// There is none of this name.
    #[error("there is no topic file {0}")]
    Missing(String),
    /// It cannot be edited safely.
    #[error("{path} cannot be edited: {obstacle}")]
    Obstacle {
        /// The file.
        path: String,
        /// Why.
        obstacle: String,
    },
    /// The result would not read as it is meant.
    #[error("{0} would read otherwise afterwards; change `pinned` in its front matter by hand")]
    Unsure(String),
}

/// The change that sets or takes out the pin of a topic; empty when it is so already. No other byte changes.
///
/// # Errors
/// When the topic is not there or cannot be edited safely.
pub fn set_pin(memory: &MemoryDirectory, path: &str, pin: Pin) -> Result<ChangeSet, PinError> {
    let path = memory.resolve(path).to_owned();
    let file = memory
        .files
        .get(&path)
        .filter(|file| file.role == Role::Topic)
        .ok_or_else(|| PinError::Missing(path.clone()))?;
    let document = Document::parse(&file.bytes, false);
    if let Some(obstacle) = memory.obstacle(&document) {
        return Err(PinError::Obstacle { path, obstacle });
    }
    let is_pinned = |document: &Document| document.heads.iter().any(FrontMatter::pinned);
    let wanted = pin == Pin::Set;
    if is_pinned(&document) == wanted {
        return Ok(ChangeSet::default());
    }
    let after = set_pinned(&document, wanted);
    let changed = Document::parse(&after, false);
    let entries = |document: &Document| -> Vec<String> {
        document.entries.iter().map(|entry| entry.text.clone()).collect()
    };
    if is_pinned(&changed) != wanted
        || changed.obstacle().is_some()
        || entries(&changed) != entries(&document)
    {
        return Err(PinError::Unsure(path));
    }
    let change = FileChange { path, before: Some(file.bytes.clone()), after: Some(after) };
    Ok(ChangeSet { files: vec![change] })
}
