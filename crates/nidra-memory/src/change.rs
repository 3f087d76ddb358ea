//! What a run wants changed in a memory directory, as whole files before and after.
//!
//! These are values: whoever makes them has read the directory, and only `commit` writes them. Nothing
//! here may touch a file.

/// The files that change, each with its bytes before and after.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeSet {
    /// The changes, one per path. A path never stands twice.
    pub files: Vec<FileChange>,
}

impl ChangeSet {
    /// Whether nothing changes at all.
    pub fn is_empty(&self) -> bool {
        self.files.iter().all(FileChange::is_noop)
    }
}

/// One file's bytes before and after a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileChange {
    /// The path relative to the memory directory, with `/` between its parts.
    pub path: String,
    /// The bytes that the change was planned on; `None` when there was no file.
    pub before: Option<Vec<u8>>,
    /// The bytes that the file shall hold; `None` when it shall be gone.
    pub after: Option<Vec<u8>>,
}

impl FileChange {
    /// Whether the file stays as it is.
    pub fn is_noop(&self) -> bool {
        self.before == self.after
    }
}
