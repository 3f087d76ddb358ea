//! Replacing one file in a way that loses nothing which someone else writes at the same moment.
//!
//! New bytes and old file change places in one step, so what was really there can be looked at afterwards:
//! were it not what the caller saw, the two change places again. The displaced file stays beside its place
//! until the caller has looked a last time, because a program that opened it before may still write to it.

use super::{
    AtomicError, FileSystem, Permissions, Status, TEMPORARY_PREFIX, read_if_present, write_temporary_at,
};
use nidra_core::error::PathError;
use std::io;
use std::path::{Path, PathBuf};

/// A file that was replaced or removed and still stands beside its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Displaced {
    /// Where the file stood.
    pub place: PathBuf,
    /// Where it stands now.
    pub aside: PathBuf,
    /// What it held when it was displaced.
    pub before: Vec<u8>,
    /// What its place holds since; `None` when nothing stands there.
    pub after: Option<Vec<u8>>,
}

impl Displaced {
    /// What someone wrote to the file after it was displaced; `None` when nobody did.
    pub fn late_text(&self, files: &dyn FileSystem) -> Result<Option<Vec<u8>>, PathError> {
        Ok(read_if_present(files, &self.aside)?.filter(|bytes| *bytes != self.before))
    }

    /// Removes the file for good. The caller has looked for late text before.
    pub fn discard(&self, files: &dyn FileSystem) -> Result<(), PathError> {
        remove_if_present(files, &self.aside)
    }
}

/// Where a file stands while it is displaced, and where its replacement stands until then. The name follows
/// from the place, so that recovery finds what a crash left.
pub fn aside(place: &Path) -> PathBuf {
    let name = place.file_name().unwrap_or_default();
    let hash = blake3::hash(name.as_encoded_bytes()).to_hex();
    place.with_file_name(format!("{TEMPORARY_PREFIX}was-{}", &hash[..24]))
}

/// Makes the file at `place` hold `after`, provided that it holds `before` until the last moment; `None`
/// stands for no file. Directories above it must exist, and the change is durable on return.
///
/// Mode and owner of a replaced file stay. A file that is marked read-only is refused.
pub fn replace(
    files: &dyn FileSystem,
    place: &Path,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
) -> Result<(), AtomicError> {
    let displaced = swap(files, place, before, after)?;
    if let Some(displaced) = displaced {
        if displaced.late_text(files)?.is_some() {
            put_back(files, &displaced)?;
            return Err(AtomicError::Conflict { path: place.to_owned() });
        }
        displaced.discard(files)?;
    }
    Ok(files.sync_directory(place.parent().unwrap_or(place))?)
}

/// Like [`replace`], but the old file is kept beside its place, and the caller makes the change durable by
/// syncing the directory.
pub fn swap(
    files: &dyn FileSystem,
    place: &Path,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
) -> Result<Option<Displaced>, AtomicError> {
    let conflict = || AtomicError::Conflict { path: place.to_owned() };
    if read_if_present(files, place)?.as_deref() != before {
        return Err(conflict());
    }
    let status = files.status(place)?;
    if let Some(status) = &status
        && status.mode & 0o222 == 0
    {
        let cause = io::Error::new(io::ErrorKind::PermissionDenied, "the file is marked read-only");
        return Err(PathError::wrap("write", place)(cause).into());
    }
    match (before, after) {
        (None, None) => Ok(None),
        (None, Some(after)) => create(files, place, after).map(|()| None),
        (Some(before), None) => take_away(files, place, before).map(Some),
        (Some(before), Some(after)) => overlay(files, place, status.as_ref(), before, after),
    }
}

/// Makes the displaced file stand at its place again, with whatever it holds by now, provided that the place
/// still holds the bytes that displaced it; says whether it does.
pub fn put_back(files: &dyn FileSystem, displaced: &Displaced) -> Result<bool, AtomicError> {
    let Displaced { place, aside, after, .. } = displaced;
    let directory = place.parent().unwrap_or(place);
    if files.status(aside)?.is_none() || read_if_present(files, place)? != *after {
        return Ok(false);
    }
    let done = match after {
        Some(after) => exchange_checked(files, aside, place, after)?,
        None => match files.rename_new(aside, place) {
            Err(error) if error.source.kind() == io::ErrorKind::AlreadyExists => false,
            other => {
                other?;
                true
            }
        },
    };
    files.sync_directory(directory)?;
    if done {
        remove_if_present(files, aside)?;
    }
    Ok(done)
}

fn create(files: &dyn FileSystem, place: &Path, after: &[u8]) -> Result<(), AtomicError> {
    let temporary = prepare(files, place, after, Permissions::Usual)?;
    match files.rename_new(&temporary, place) {
        Ok(()) => Ok(()),
        Err(error) => {
            let _ = files.remove(&temporary);
            if error.source.kind() == io::ErrorKind::AlreadyExists {
                return Err(AtomicError::Conflict { path: place.to_owned() });
            }
            Err(error.into())
        }
    }
}

fn take_away(files: &dyn FileSystem, place: &Path, before: &[u8]) -> Result<Displaced, AtomicError> {
    let conflict = || AtomicError::Conflict { path: place.to_owned() };
    let aside = aside(place);
    remove_if_present(files, &aside)?;
    match files.rename(place, &aside) {
        Err(error) if error.source.kind() == io::ErrorKind::NotFound => return Err(conflict()),
        other => other?,
    }
    if holds(files, &aside, before) {
        return Ok(Displaced { place: place.to_owned(), aside, before: before.to_vec(), after: None });
    }
    match files.rename_new(&aside, place) {
        // Whoever wrote there again meanwhile replaced what stands aside.
        Err(error) if error.source.kind() == io::ErrorKind::AlreadyExists => {
            remove_if_present(files, &aside)?;
        }
        other => other?,
    }
    Err(conflict())
}

fn overlay(
    files: &dyn FileSystem,
    place: &Path,
    status: Option<&Status>,
    before: &[u8],
    after: &[u8],
) -> Result<Option<Displaced>, AtomicError> {
    let conflict = || AtomicError::Conflict { path: place.to_owned() };
    let permissions = status.map_or(Permissions::Usual, Permissions::Like);
    let aside = prepare(files, place, after, permissions)?;
    let drop_temporary = || {
        // The leftover has no name that anyone reads; the next run sweeps it if this fails too.
        let _ = files.remove(&aside);
    };
    // Read again: writing and syncing the new bytes may have taken long.
    match read_if_present(files, place) {
        Ok(live) if live.as_deref() == Some(before) => {}
        Ok(_) => {
            drop_temporary();
            return Err(conflict());
        }
        Err(error) => {
            drop_temporary();
            return Err(error.into());
        }
    }
    match files.exchange(&aside, place) {
        Ok(()) => {}
        Err(error) if error.source.kind() == io::ErrorKind::Unsupported => {
            // Check and rename is the best there is here.
            if let Err(error) = files.rename(&aside, place) {
                drop_temporary();
                return Err(error.into());
            }
            return Ok(None);
        }
        Err(error) => {
            // Where the answer was lost on the way, the old file may stand aside already.
            if !holds(files, place, after) {
                drop_temporary();
            } else if put_back(files, &kept(place, &aside, before, after)).is_err() {
                return Err(error.into());
            }
            if error.source.kind() == io::ErrorKind::NotFound {
                return Err(conflict());
            }
            return Err(error.into());
        }
    }
    let displaced = kept(place, &aside, before, after);
    if holds(files, &aside, before) {
        return Ok(Some(displaced));
    }
    put_back(files, &displaced)?;
    remove_if_present(files, &aside)?;
    Err(conflict())
}

fn kept(place: &Path, aside: &Path, before: &[u8], after: &[u8]) -> Displaced {
    Displaced {
        place: place.to_owned(),
        aside: aside.to_owned(),
        before: before.to_vec(),
        after: Some(after.to_vec()),
    }
}

/// Swaps and looks at what came out of `place`: were it not `expected`, someone replaced it meanwhile, and
/// theirs goes back.
fn exchange_checked(
    files: &dyn FileSystem,
    aside: &Path,
    place: &Path,
    expected: &[u8],
) -> Result<bool, AtomicError> {
    match files.exchange(aside, place) {
        // It was taken away meanwhile, by whoever knows why.
        Err(error) if error.source.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) if error.source.kind() == io::ErrorKind::Unsupported => {
            files.rename(aside, place)?;
            return Ok(true);
        }
        other => other?,
    }
    if holds(files, aside, expected) {
        return Ok(true);
    }
    files.exchange(aside, place)?;
    Ok(false)
}

fn holds(files: &dyn FileSystem, path: &Path, bytes: &[u8]) -> bool {
    matches!(read_if_present(files, path), Ok(Some(found)) if found == bytes)
}

/// Writes the new bytes beside their place, in place of an earlier run's leftover.
fn prepare(
    files: &dyn FileSystem,
    place: &Path,
    bytes: &[u8],
    permissions: Permissions<'_>,
) -> Result<PathBuf, PathError> {
    let aside = aside(place);
    remove_if_present(files, &aside)?;
    write_temporary_at(files, &aside, bytes, permissions)?;
    Ok(aside)
}

fn remove_if_present(files: &dyn FileSystem, path: &Path) -> Result<(), PathError> {
    // Looked at first, so that the usual case costs no failing operation.
    if files.status(path)?.is_none() {
        return Ok(());
    }
    match files.remove(path) {
        Err(error) if error.source.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
