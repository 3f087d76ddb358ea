//! The kernel's locks that a lease stands on.
//!
//! Each is given back by word and not only by closing its file: a process that another thread is just about to
//! start holds copies of all open files for a moment, and with them the locks.

use super::record::OwnerRecord;
use jiff::Timestamp;
use nidra_core::error::PathError;
use std::fs::{File, TryLockError};
use std::ops::Deref;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::Duration;

/// The pause between two looks at a lock that is held.
pub(super) const POLL: Duration = Duration::from_millis(10);

/// The largest lease file that is read, in bytes.
const LARGEST_RECORD: usize = 64 * 1024;

/// A file that may be locked, and no longer is when this is dropped.
#[derive(Debug)]
pub(super) struct Lockable(File);

impl Lockable {
    pub(super) fn new(file: File) -> Self {
        Self(file)
    }
}

impl Deref for Lockable {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl Drop for Lockable {
    fn drop(&mut self) {
        // Closing the file frees the lock too, unless a copy of it is open.
        let _ = self.0.unlock();
    }
}

pub(super) fn read_record(file: &File, path: &Path) -> Result<Option<OwnerRecord>, PathError> {
    let mut bytes = vec![0; LARGEST_RECORD];
    let mut length = 0;
    while length < bytes.len() {
        let read =
            file.read_at(&mut bytes[length..], length as u64).map_err(PathError::wrap("read", path))?;
        if read == 0 {
            break;
        }
        length += read;
    }
    Ok(OwnerRecord::parse(&bytes[..length]))
}

pub(super) fn try_lock(file: &File, path: &Path) -> Result<bool, PathError> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(PathError::wrap("lock", path)(error)),
    }
}

/// A directory that is locked, or that cannot be locked at all.
pub(super) struct Anchor {
    pub(super) directory: Option<Lockable>,
}

/// Locks the directory itself; `None` when someone else has it locked.
pub(super) fn lock_directory(root: &Path) -> Result<Option<Anchor>, PathError> {
    let directory = File::open(root).map_err(PathError::wrap("open", root))?;
    Ok(match directory.try_lock() {
        Ok(()) => Some(Anchor { directory: Some(Lockable::new(directory)) }),
        Err(TryLockError::WouldBlock) => None,
        // Some network file systems lock files only; there the lock file alone has to do.
        Err(TryLockError::Error(_)) => Some(Anchor { directory: None }),
    })
}

/// Whether an open file is the one that stands at a path.
pub(super) fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), std::fs::symlink_metadata(path)) {
        (Ok(open), Ok(present)) => (open.dev(), open.ino()) == (present.dev(), present.ino()),
        (Ok(_) | Err(_), Ok(_) | Err(_)) => false,
    }
}

pub(super) fn modified(file: &File) -> Option<Timestamp> {
    file.metadata().ok()?.modified().ok()?.try_into().ok()
}

pub(super) fn wait_for(file: &File, path: &Path, at_most: Duration) -> Result<bool, PathError> {
    let mut waited = Duration::ZERO;
    loop {
        if try_lock(file, path)? {
            return Ok(true);
        }
        if waited >= at_most {
            return Ok(false);
        }
        std::thread::sleep(POLL);
        waited += POLL;
    }
}
