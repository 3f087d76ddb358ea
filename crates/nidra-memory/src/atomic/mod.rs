//! Replacing single files so that a reader or a crash sees the old bytes or the new ones, whole.
//!
//! A file is replaced only while it still holds the bytes that the caller saw. Nothing here truncates a
//! file in place, and nothing leaves the directory that it was given.

mod displaced;
mod fault;
mod file_system;
mod together;

pub use displaced::{
    Displaced, Prepared, Settled, prepare, put_back, replace, rescue, settle, settle_left, swap,
};
pub use fault::{FaultFileSystem, Moment};
pub use file_system::{FileKind, FileSystem, Permissions, RealFileSystem, Status};
pub use together::{sync_directories, together};

use nidra_core::error::PathError;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// How the names of unfinished files begin.
pub const TEMPORARY_PREFIX: &str = ".nidra-tmp-";

/// Names tried for an unfinished file before giving up; only leftovers of a process with the same number
/// can be in the way.
const NAME_TRIES: u32 = 10_000;

static NEXT_NAME: AtomicU64 = AtomicU64::new(0);

/// A file could not be replaced.
#[derive(Debug, thiserror::Error)]
pub enum AtomicError {
    /// The file no longer holds the bytes that the caller saw.
    #[error("{} changed in the meantime", path.display())]
    Conflict {
        /// The file.
        path: PathBuf,
    },
    /// The path is not one that may be written.
    #[error("{path} is no place for a memory file: {reason}")]
    Refused {
        /// The path as it was given.
        path: String,
        /// Why not.
        reason: &'static str,
    },
    /// The system refused.
    #[error(transparent)]
    Io(#[from] PathError),
}

/// Finds the place of a relative path below a root: links inside the root are followed, one that leaves
/// it is refused. Neither the file nor its directories need to exist.
pub fn resolve(files: &dyn FileSystem, root: &Path, relative: &str) -> Result<PathBuf, AtomicError> {
    let refused = |reason| AtomicError::Refused { path: relative.to_owned(), reason };
    if relative.is_empty() || relative.contains(['\0', '\\']) {
        return Err(refused("it is empty or holds a character that no path may hold"));
    }
    let parts: Vec<&str> = relative.split('/').collect();
    if parts.iter().any(|part| matches!(*part, "" | "." | "..")) {
        return Err(refused("it is absolute or holds an empty, `.` or `..` part"));
    }
    let root = files.canonical(root)?;
    let mut place = root.clone();
    for (index, part) in parts.iter().enumerate() {
        place.push(part);
        let Some(status) = files.status(&place)? else { continue };
        let kind = if status.kind == FileKind::Link {
            place = files.canonical(&place)?;
            if !place.starts_with(&root) {
                return Err(refused("a link on it leaves the memory directory"));
            }
            files.status(&place)?.map(|status| status.kind)
        } else {
            Some(status.kind)
        };
        let wanted = if index + 1 == parts.len() { FileKind::File } else { FileKind::Directory };
        if kind != Some(wanted) {
            return Err(refused("something else than a file in directories stands there"));
        }
    }
    Ok(place)
}

/// Reads a file; `None` when there is none.
pub fn read_if_present(files: &dyn FileSystem, path: &Path) -> Result<Option<Vec<u8>>, PathError> {
    match files.read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error)
            if matches!(error.source.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Writes a file of the state directory, whatever it held before.
pub fn write(files: &dyn FileSystem, path: &Path, bytes: &[u8]) -> Result<(), PathError> {
    write_with(files, path, bytes, Permissions::Private)
}

/// The same for a file whose permissions are another's to say.
pub fn write_with(
    files: &dyn FileSystem,
    path: &Path,
    bytes: &[u8],
    permissions: Permissions<'_>,
) -> Result<(), PathError> {
    replace_by(files, path, &|temporary| files.write_new(temporary, bytes, permissions))?;
    files.sync_directory(path.parent().unwrap_or(path))
}

/// Writes a file that is made anew again and again, without waiting for the disk. Readers see the old bytes or the new
/// ones, whole; a power failure may leave the file empty, so whoever reads it must take that for nothing.
pub fn write_soon(files: &dyn FileSystem, path: &Path, bytes: &[u8]) -> Result<(), PathError> {
    let make = |temporary: &Path| files.write_new_soon(temporary, bytes, Permissions::Private);
    let temporary = make_temporary(files, path.parent().unwrap_or(path), &make)?;
    // Where a rename takes the place of a file, some file systems hand its bytes to the disk first. Two names that change
    // places spare that; where there is no other file, or no such step, a rename it is.
    if files.exchange(&temporary, path).is_err() {
        return put_in_place(files, &temporary, path);
    }
    files.remove(&temporary).inspect_err(|_| {
        // What stood there is no file: it goes back to its place.
        if files.exchange(&temporary, path).is_ok() {
            let _ = files.remove(&temporary);
        }
    })
}

/// Makes an unfinished file and puts it in the place of another.
fn replace_by(
    files: &dyn FileSystem,
    path: &Path,
    make: &dyn Fn(&Path) -> Result<(), PathError>,
) -> Result<(), PathError> {
    let temporary = make_temporary(files, path.parent().unwrap_or(path), make)?;
    put_in_place(files, &temporary, path)
}

fn put_in_place(files: &dyn FileSystem, temporary: &Path, path: &Path) -> Result<(), PathError> {
    files.rename(temporary, path).inspect_err(|_| {
        let _ = files.remove(temporary);
    })
}

/// Writes an unfinished file with a name of its own and returns its path.
pub fn write_temporary(
    files: &dyn FileSystem,
    directory: &Path,
    bytes: &[u8],
    permissions: Permissions<'_>,
) -> Result<PathBuf, PathError> {
    make_temporary(files, directory, &|path| files.write_new(path, bytes, permissions))
}

fn make_temporary(
    files: &dyn FileSystem,
    directory: &Path,
    make: &dyn Fn(&Path) -> Result<(), PathError>,
) -> Result<PathBuf, PathError> {
    let mut tries = 0;
    loop {
        let number = NEXT_NAME.fetch_add(1, Ordering::Relaxed);
        let path = directory.join(format!("{TEMPORARY_PREFIX}{}-{number}", std::process::id()));
        match make(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.source.kind() == io::ErrorKind::AlreadyExists && tries < NAME_TRIES => {
                tries += 1;
            }
            Err(error) => {
                if error.source.kind() != io::ErrorKind::AlreadyExists {
                    let _ = files.remove(&path);
                }
                return Err(error);
            }
        }
    }
}

/// Creates a directory and those above it that are missing; returns the ones it created, outermost first.
pub fn create_directories(
    files: &dyn FileSystem,
    directory: &Path,
    private: bool,
) -> Result<Vec<PathBuf>, PathError> {
    create_all_directories(files, &BTreeSet::from([directory.to_owned()]), private)
}

/// Creates several directories and those above them that are missing; returns the ones it created, outermost
/// first.
pub fn create_all_directories(
    files: &dyn FileSystem,
    directories: &BTreeSet<PathBuf>,
    private: bool,
) -> Result<Vec<PathBuf>, PathError> {
    // Ordered by path, so that each comes before those below it.
    let mut missing = BTreeSet::new();
    for directory in directories {
        let mut next = Some(directory.as_path());
        while let Some(path) = next {
            // Here links are followed: the state directory may stand behind one.
            if path.as_os_str().is_empty() || path.is_dir() || !missing.insert(path.to_owned()) {
                break;
            }
            next = path.parent();
        }
    }
    let (mut created, mut changed) = (Vec::new(), BTreeSet::new());
    for path in missing {
        match files.create_directory(&path, private) {
            Ok(()) => {
                changed.extend(path.parent().map(Path::to_owned));
                created.push(path);
            }
            // Another process was faster, and may not have made it durable yet.
            Err(error) if error.source.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {
                changed.extend(path.parent().map(Path::to_owned));
            }
            Err(error) => return Err(error),
        }
    }
    sync_directories(files, &changed)?;
    Ok(created)
}

/// Which directories a sweep looks into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sweep {
    /// The directory alone.
    Flat,
    /// The directory and all below it but `.git`.
    Deep,
}

/// Removes unfinished files in a directory for which `dead` says so, and returns them. Links are not followed.
pub fn sweep(
    files: &dyn FileSystem,
    directory: &Path,
    depth: Sweep,
    dead: &dyn Fn(&str, &Status) -> bool,
) -> Result<Vec<PathBuf>, PathError> {
    let mut swept = Vec::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(directory) = waiting.pop() {
        for name in files.list(&directory)? {
            let unfinished = name.to_str().filter(|name| name.starts_with(TEMPORARY_PREFIX));
            if unfinished.is_none() && depth == Sweep::Flat {
                continue;
            }
            let path = directory.join(&name);
            let Some(status) = files.status(&path)? else { continue };
            match (status.kind, unfinished) {
                (FileKind::Directory, _) if depth == Sweep::Deep && name != ".git" => waiting.push(path),
                (FileKind::File, Some(name)) if dead(name, &status) => {
                    files.remove(&path)?;
                    swept.push(path);
                }
                (FileKind::File | FileKind::Directory | FileKind::Link | FileKind::Other, _) => {}
            }
        }
    }
    Ok(swept)
}

/// The number of the process that an unfinished file belongs to.
pub fn temporary_owner(name: &str) -> Option<u32> {
    name.strip_prefix(TEMPORARY_PREFIX)?.split('-').next()?.parse().ok()
}

#[cfg(test)]
#[path = "atomic_tests.rs"]
mod tests;
