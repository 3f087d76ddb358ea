//! Replacing one file in a way that loses nothing which someone else writes at the same moment.
//!
//! New bytes and old file change places in one step, so what was really there can be looked at afterwards:
//! were it not what the caller saw, the two change places again. The displaced file stays beside its place
//! until the caller has looked a last time, because a program that opened it before may still write to it.

use super::{AtomicError, FileSystem, Permissions, TEMPORARY_PREFIX, read_if_present, write_temporary};
use crate::merge::{Merged, merge_appending};
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
fn aside(place: &Path) -> PathBuf {
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
    if let Some(displaced) = swap(files, place, before, after)? {
        if displaced.late_text(files)?.is_some() && put_back(files, &displaced)? {
            return Err(AtomicError::Conflict { path: place.to_owned() });
        }
        settle(files, &displaced)?;
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
    prepare(files, place, before, after)?.swap(files)
}

/// A replacement whose new bytes lie ready and durable beside their place.
#[derive(Clone, Debug)]
pub struct Prepared {
    place: PathBuf,
    before: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
    aside: PathBuf,
}

/// Writes the new bytes of a file beside their place. What is prepared is swapped or abandoned.
pub fn prepare(
    files: &dyn FileSystem,
    place: &Path,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
) -> Result<Prepared, AtomicError> {
    if read_if_present(files, place)?.as_deref() != before {
        return Err(AtomicError::Conflict { path: place.to_owned() });
    }
    let status = files.status(place)?;
    if let Some(status) = &status
        && status.mode & 0o222 == 0
    {
        let cause = io::Error::new(io::ErrorKind::PermissionDenied, "the file is marked read-only");
        return Err(PathError::wrap("write", place)(cause).into());
    }
    if let Some(after) = after {
        write_aside(files, place, after, status.as_ref().map_or(Permissions::Usual, Permissions::Like))?;
    }
    Ok(Prepared {
        place: place.to_owned(),
        before: before.map(<[u8]>::to_vec),
        after: after.map(<[u8]>::to_vec),
        aside: aside(place),
    })
}

impl Prepared {
    /// Where the file stands.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Lets new and old bytes change places, provided that the place still holds the old ones. The caller makes
    /// it durable by syncing the directory. Nothing is left beside the place on failure, unless it is someone's.
    pub fn swap(self, files: &dyn FileSystem) -> Result<Option<Displaced>, AtomicError> {
        match (&self.before, &self.after) {
            (None, None) => Ok(None),
            (None, Some(_)) => self.create(files).map(|()| None),
            (Some(before), None) => self.take_away(files, before).map(Some),
            (Some(before), Some(after)) => self.overlay(files, before, after),
        }
    }

    /// Removes the new bytes again, before they were swapped.
    pub fn abandon(&self, files: &dyn FileSystem) {
        // The leftover has no name that anyone reads; the next run sweeps it if this fails.
        if self.after.is_some() {
            let _ = remove_if_present(files, &self.aside);
        }
    }

    fn conflict(&self) -> AtomicError {
        AtomicError::Conflict { path: self.place.clone() }
    }

    fn displaced(&self, before: &[u8]) -> Displaced {
        Displaced {
            place: self.place.clone(),
            aside: self.aside.clone(),
            before: before.to_vec(),
            after: self.after.clone(),
        }
    }

    fn create(&self, files: &dyn FileSystem) -> Result<(), AtomicError> {
        let Err(error) = files.rename_new(&self.aside, &self.place) else { return Ok(()) };
        self.abandon(files);
        Err(if error.source.kind() == io::ErrorKind::AlreadyExists { self.conflict() } else { error.into() })
    }

    fn take_away(&self, files: &dyn FileSystem, before: &[u8]) -> Result<Displaced, AtomicError> {
        remove_if_present(files, &self.aside)?;
        match files.rename(&self.place, &self.aside) {
            Err(error) if error.source.kind() == io::ErrorKind::NotFound => return Err(self.conflict()),
            other => other?,
        }
        let displaced = self.displaced(before);
        if !holds(files, &self.aside, before) && put_back(files, &displaced)? {
            return Err(self.conflict());
        }
        Ok(displaced)
    }

    fn overlay(
        &self,
        files: &dyn FileSystem,
        before: &[u8],
        after: &[u8],
    ) -> Result<Option<Displaced>, AtomicError> {
        // Read again: writing and syncing the new bytes may have taken long.
        match read_if_present(files, &self.place) {
            Ok(live) if live.as_deref() == Some(before) => {}
            other => {
                self.abandon(files);
                return Err(other.map_or_else(AtomicError::from, |_| self.conflict()));
            }
        }
        let displaced = self.displaced(before);
        match files.exchange(&self.aside, &self.place) {
            Ok(()) => {}
            Err(error) if error.source.kind() == io::ErrorKind::Unsupported => {
                // Check and rename is the best there is here.
                if let Err(error) = files.rename(&self.aside, &self.place) {
                    self.abandon(files);
                    return Err(error.into());
                }
                return Ok(None);
            }
            Err(error) => {
                // Where the answer was lost on the way, the old file may stand aside already.
                if holds(files, &self.aside, after) {
                    self.abandon(files);
                } else {
                    let _ = put_back(files, &displaced);
                }
                let gone = error.source.kind() == io::ErrorKind::NotFound;
                return Err(if gone { self.conflict() } else { error.into() });
            }
        }
        if !holds(files, &self.aside, before) && put_back(files, &displaced)? {
            return Err(self.conflict());
        }
        // Where it holds something else and its place does too, the caller brings the two together.
        Ok(Some(displaced))
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
    if done && let Some(after) = after {
        // What displaced it is displaced itself now, and someone may have opened that as well.
        let live = read_if_present(files, place)?;
        let out =
            Displaced { place: place.clone(), aside: aside.clone(), before: after.clone(), after: live };
        settle_beside(files, &out, false)?;
    }
    Ok(done)
}

/// What became of a displaced file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    /// Nobody had written to it; it is gone.
    Unchanged,
    /// What was written to it late stands at its place together with what stood there.
    Merged,
    /// It stands at its place again, with what was written to it late.
    PutBack,
    /// What was written to it late and what stands at its place cannot be brought together, so it stands
    /// beside it under this name.
    Kept(PathBuf),
}

/// Looks a last time whether someone wrote to a displaced file, brings that text to its place, and removes
/// the file.
pub fn settle(files: &dyn FileSystem, displaced: &Displaced) -> Result<Settled, AtomicError> {
    settle_beside(files, displaced, true)
}

/// Like [`settle`]; `may_return` says whether the displaced file may come to its place again.
fn settle_beside(
    files: &dyn FileSystem,
    displaced: &Displaced,
    may_return: bool,
) -> Result<Settled, AtomicError> {
    let mut displaced = displaced.clone();
    let mut settled = Settled::Unchanged;
    for _ in 0..SETTLE_TRIES {
        let Some(late) = displaced.late_text(files)? else {
            displaced.discard(files)?;
            return Ok(settled);
        };
        let live = read_if_present(files, &displaced.place)?;
        match merge_appending(Some(&displaced.before), live.as_deref(), Some(&late)) {
            Merged::Clean(merged) if merged == live => displaced.before = late,
            Merged::Clean(Some(merged)) if live.is_some() => {
                if bring(files, &displaced, live.as_deref(), &merged)? {
                    // From here on only what comes later still is missing.
                    displaced.before = late;
                    settled = Settled::Merged;
                }
            }
            Merged::Clean(_) | Merged::Conflict => {
                if may_return && live == displaced.after && put_back(files, &displaced)? {
                    return Ok(Settled::PutBack);
                }
                return keep(files, &displaced).map(Settled::Kept);
            }
        }
    }
    keep(files, &displaced).map(Settled::Kept)
}

/// Makes a place hold the merged text while the displaced file stands under another name, as the usual one is
/// needed for that; says whether it worked before the place changed again.
fn bring(
    files: &dyn FileSystem,
    displaced: &Displaced,
    live: Option<&[u8]>,
    merged: &[u8],
) -> Result<bool, AtomicError> {
    let Displaced { place, aside, .. } = displaced;
    let late = late_place(place);
    if *aside != late {
        files.rename(aside, &late)?;
    }
    let replaced = replace_or_give_way(files, place, live, merged);
    if *aside != late {
        files.rename(&late, aside)?;
    }
    replaced
}

fn replace_or_give_way(
    files: &dyn FileSystem,
    place: &Path,
    live: Option<&[u8]>,
    merged: &[u8],
) -> Result<bool, AtomicError> {
    let displaced = match swap(files, place, live, Some(merged)) {
        Ok(displaced) => displaced,
        Err(AtomicError::Conflict { .. }) => return Ok(false),
        Err(error) => return Err(error),
    };
    if let Some(displaced) = displaced {
        if displaced.late_text(files)?.is_some() {
            if put_back(files, &displaced)? {
                return Ok(false);
            }
            keep(files, &displaced)?;
        }
        displaced.discard(files)?;
    }
    files.sync_directory(place.parent().unwrap_or(place))?;
    Ok(true)
}

/// Puts back what an interrupted replacement left beside its place, with whatever someone wrote to it since.
/// `before` and `after` are the two states that the run knows of. Says whether the place holds `before`
/// again because of this.
pub fn rescue(
    files: &dyn FileSystem,
    place: &Path,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
) -> Result<bool, AtomicError> {
    let mut restored = false;
    for aside in [late_place(place), aside(place)] {
        let Some(text) = read_if_present(files, &aside)? else { continue };
        if Some(text.as_slice()) == after {
            continue;
        }
        let live = read_if_present(files, place)?;
        let untouched = Some(text.as_slice()) == before;
        if untouched && live.as_deref() != after {
            continue;
        }
        let base = if live.as_deref() == before { after } else { before };
        let known = live.as_deref() == before || live.as_deref() == after;
        let place = place.to_owned();
        let displaced = Displaced { place, aside, before: base.unwrap_or_default().to_vec(), after: live };
        if known && put_back(files, &displaced)? {
            restored |= untouched;
        } else {
            // What stands there is someone's own text, so it stays.
            settle_beside(files, &displaced, false)?;
        }
    }
    Ok(restored)
}

/// Brings what someone wrote to a displaced file to its place after a crash of a run that counts. What the file
/// held before and after the run is asked for only when there is such a file.
pub fn settle_left<E: From<AtomicError>>(
    files: &dyn FileSystem,
    place: &Path,
    mut states: impl FnMut() -> Result<(Option<Vec<u8>>, Option<Vec<u8>>), E>,
) -> Result<(), E> {
    for aside in [late_place(place), aside(place)] {
        if files.status(&aside).map_err(AtomicError::from)?.is_none() {
            continue;
        }
        let (Some(before), after) = states()? else { continue };
        settle(files, &Displaced { place: place.to_owned(), aside, before, after })?;
    }
    Ok(())
}

/// How often late text is brought to its place again when that changes at the same time.
const SETTLE_TRIES: u32 = 5;

/// How many names are tried for a text that stands beside its place.
const KEPT_NAMES: u32 = 1000;

fn late_place(place: &Path) -> PathBuf {
    let name = place.file_name().unwrap_or_default();
    let hash = blake3::hash(name.as_encoded_bytes()).to_hex();
    place.with_file_name(format!("{TEMPORARY_PREFIX}late-{}", &hash[..24]))
}

/// Gives a displaced file a name that stays.
fn keep(files: &dyn FileSystem, displaced: &Displaced) -> Result<PathBuf, AtomicError> {
    let mut number = 1;
    loop {
        let mut name = displaced.place.file_name().unwrap_or_default().to_owned();
        name.push(format!(".kept-{number}"));
        let kept = displaced.place.with_file_name(name);
        match files.rename_new(&displaced.aside, &kept) {
            Err(error) if error.source.kind() == io::ErrorKind::AlreadyExists && number < KEPT_NAMES => {
                number += 1;
            }
            Err(error) => return Err(error.into()),
            Ok(()) => return Ok(kept),
        }
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

/// Writes the new bytes beside their place, in place of an earlier run's leftover. Under that name they never
/// stand by half: recovery would take a half for someone's text.
fn write_aside(
    files: &dyn FileSystem,
    place: &Path,
    bytes: &[u8],
    permissions: Permissions<'_>,
) -> Result<(), PathError> {
    let temporary = write_temporary(files, place.parent().unwrap_or(place), bytes, permissions)?;
    files.rename(&temporary, &aside(place)).inspect_err(|_| {
        let _ = files.remove(&temporary);
    })
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
