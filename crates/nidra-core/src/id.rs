//! Identifiers, one type each, so that they cannot be swapped. Their text is shared: every turn names its session.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

macro_rules! identifier {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Wraps the text of an identifier.
            pub fn new(text: impl Into<Arc<str>>) -> Self {
                Self(text.into())
            }

            /// The identifier as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

identifier! {
    /// A session, by the identifier that its agent gave it.
    SessionId
}
identifier! {
    /// A project: a hash of its canonical root, so that two projects never share one.
    ProjectId
}
identifier! {
    /// A run of the engine over one memory directory.
    RunId
}
identifier! {
    /// An operation inside a plan: `op-1`, `op-2` …
    OperationId
}
identifier! {
    /// An entry of memory: a hash of its file's path and its text.
    EntryId
}
identifier! {
    /// The hash of a plan in its canonical form; `apply` is bound to it.
    PlanHash
}

impl EntryId {
    /// The identifier of the entry with this text in this file: 16 hexadecimal digits of a BLAKE3 hash.
    pub fn of(path: &str, text: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(path.as_bytes());
        hasher.update(b"\0");
        hasher.update(text.trim().as_bytes());
        Self::new(&hasher.finalize().to_hex()[..16])
    }
}
