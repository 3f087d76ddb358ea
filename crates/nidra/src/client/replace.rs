//! Replacing a file of the user's as a whole: atomically, through links, with its mode and owner kept, and only
//! while it still holds what the change was made from. It never leaves a half-written file behind.

use nidra_core::error::PathError;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Links behind links at most, as the kernel has it.
const MAX_LINKS: usize = 40;

/// A file that was not replaced; it is as it was.
#[derive(Debug, thiserror::Error)]
pub enum ReplaceError {
    /// Somebody wrote the file while the change was prepared.
    #[error("{} was changed by another program in the meantime; run the command again", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A file operation failed.
    #[error(transparent)]
    Path(#[from] PathError),
}

/// The file that a path leads to, through links, whether it exists or not.
pub(crate) fn target(path: &Path) -> Result<PathBuf, PathError> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(link) => path = path.parent().unwrap_or(Path::new("/")).join(link),
            // Not a link, or nothing there.
            Err(_) => return Ok(path),
        }
    }
    let source = io::Error::other("too many links lead on from it");
    Err(PathError { action: "follow", path, source })
}

/// The bytes of a regular file; `None` when there is none. Anything else in its place is an error.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, PathError> {
    match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            let source = io::Error::other("it is not a regular file");
            Err(PathError { action: "read", path: path.to_owned(), source })
        }
        Ok(_) => fs::read(path).map(Some).map_err(PathError::wrap("read", path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(PathError { action: "read", path: path.to_owned(), source: error }),
    }
}

/// Makes a directory with its parents, for the user alone; returns the ones that did not exist, outermost first.
pub(crate) fn create_directories(path: &Path) -> Result<Vec<PathBuf>, PathError> {
    let missing: Vec<&Path> = path.ancestors().take_while(|ancestor| !ancestor.exists()).collect();
    let mut created = Vec::new();
    for directory in missing.into_iter().rev().filter(|directory| !directory.as_os_str().is_empty()) {
        match fs::DirBuilder::new().mode(0o700).create(directory) {
            Ok(()) => created.push(directory.to_owned()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && directory.is_dir() => {}
            Err(source) => return Err(PathError { action: "create", path: directory.to_owned(), source }),
        }
    }
    Ok(created)
}

/// Puts new bytes in the place of a file that holds `expected` (`None`: that does not exist).
///
/// An existing file keeps its mode and owner; a new one is for the user alone. The path must not be a link
/// (see [`target`]); its directory must exist.
pub(crate) fn replace(path: &Path, expected: Option<&[u8]>, bytes: &[u8]) -> Result<(), ReplaceError> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    let mut fresh = tempfile::Builder::new()
        .prefix(".nidra-")
        .tempfile_in(directory)
        .map_err(PathError::wrap("write in", directory))?;
    fresh.write_all(bytes).map_err(PathError::wrap("write", fresh.path()))?;
    if expected.is_some() {
        let metadata = fs::metadata(path).map_err(PathError::wrap("read", path))?;
        let own = fresh.as_file().metadata().map_err(PathError::wrap("read", fresh.path()))?;
        if (metadata.uid(), metadata.gid()) != (own.uid(), own.gid()) {
            std::os::unix::fs::fchown(fresh.as_file(), Some(metadata.uid()), Some(metadata.gid()))
                .map_err(PathError::wrap("keep the owner of", path))?;
        }
        // After the owner, which clears bits of the mode.
        let mode = fs::Permissions::from_mode(metadata.mode() & 0o7777);
        fresh.as_file().set_permissions(mode).map_err(PathError::wrap("keep the mode of", path))?;
    }
    fresh.as_file().sync_all().map_err(PathError::wrap("write", fresh.path()))?;
    if read(path)?.as_deref() != expected {
        return Err(ReplaceError::Changed { path: path.to_owned() });
    }
    let persisted = match expected {
        Some(_) => fresh.persist(path).map(drop).map_err(|error| error.error),
        None => fresh.persist_noclobber(path).map(drop).map_err(|error| error.error),
    };
    match persisted {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(ReplaceError::Changed { path: path.to_owned() });
        }
        outcome => outcome.map_err(PathError::wrap("write", path))?,
    }
    sync_directory(directory)
}

/// Removes a file that still holds `expected`.
pub(crate) fn remove(path: &Path, expected: &[u8]) -> Result<(), ReplaceError> {
    if read(path)?.as_deref() != Some(expected) {
        return Err(ReplaceError::Changed { path: path.to_owned() });
    }
    fs::remove_file(path).map_err(PathError::wrap("remove", path))?;
    sync_directory(path.parent().unwrap_or(Path::new("/")))
}

fn sync_directory(directory: &Path) -> Result<(), ReplaceError> {
    let synced = File::open(directory).and_then(|directory| directory.sync_all());
    Ok(synced.map_err(PathError::wrap("write", directory))?)
}
