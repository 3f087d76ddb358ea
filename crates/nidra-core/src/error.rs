//! Errors and diagnostics that several crates share.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A failed file operation: what was tried, on which path, and the cause.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}", path.display())]
pub struct PathError {
    /// What was tried, as a verb: `read`, `write`, `rename` …
    pub action: &'static str,
    /// The path that it was tried on.
    pub path: PathBuf,
    /// The cause as the system gave it.
    #[source]
    pub source: std::io::Error,
}

impl PathError {
    /// Pairs an input/output error with what was tried and where; made for `map_err`.
    pub fn wrap(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self { action, path, source }
    }
}

/// An error with all its causes in one line, each after a colon.
pub fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    std::iter::successors(Some(error), |error| error.source())
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}

/// Something odd that was met while reading; reading went on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The file.
    #[serde(serialize_with = "shown")]
    pub path: PathBuf,
    /// The line, counted from 1, where one is known.
    pub line: Option<u64>,
    /// The byte offset in the file, where one is known.
    pub offset: Option<u64>,
    /// What was odd, as a sentence fragment without a period.
    pub message: String,
}

/// A path as text, whatever bytes it holds: a name that is no UTF-8 must not keep a report from being written.
pub(crate) fn shown<S: serde::Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}
