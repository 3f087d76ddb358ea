//! The client's own lock, `.consolidate-lock`, spoken so that its dream and ours exclude each other.
//!
//! The body holds the holder's process number in its first line, a newer mode adds the time of the last
//! consolidation in milliseconds; the modification time says when memory was last consolidated. The file
//! says nothing about nidra's own schedule, and it is never followed as a link.

use crate::atomic::{self, FileKind, FileSystem, Permissions, TEMPORARY_PREFIX};
use crate::owner::ProcessTable;
use jiff::{SignedDuration, Timestamp};
use nidra_core::error::PathError;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// The file's name inside a memory directory.
pub const CLIENT_LOCK_NAME: &str = ".consolidate-lock";

/// How long the client respects a holder.
pub const CLIENT_STALE_AFTER: SignedDuration = SignedDuration::from_hours(1);

/// How exact the start of a process is known.
const START_MARGIN: SignedDuration = SignedDuration::from_secs(2);

/// The largest part of a lock file that is kept for putting it back, in bytes; real ones have a few dozen.
const LARGEST_BODY: usize = 256;

/// Whether the client's lock is in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientLockState {
    /// A living process holds it.
    Held {
        /// That process.
        pid: u32,
    },
    /// It is free.
    Free(FreeReason),
}

/// Why the client's lock is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreeReason {
    /// There is no lock file.
    Absent,
    /// The body is empty: a failed dream gave it back.
    Empty,
    /// The body does not begin with a process number.
    Garbage,
    /// It is this very process.
    Own,
    /// It is an hour old or older.
    Stale,
    /// Its time lies an hour or more in the future, so it says nothing.
    FutureTime,
    /// The holder does not run.
    DeadHolder,
    /// The holder's number belongs to a process that started after the lock was taken.
    ReusedPid,
}

/// What became of a lock that this process took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It is still this process's.
    Not,
    /// A living process took it.
    By(u32),
    /// It is gone, empty or names nobody who lives; someone may be about to write there.
    ByNobody,
}

/// Judges a lock file's body and modification time.
pub fn classify(
    body: &[u8],
    modified: Timestamp,
    now: Timestamp,
    own_pid: u32,
    processes: &dyn ProcessTable,
) -> ClientLockState {
    let body = body.trim_ascii();
    if body.is_empty() {
        return ClientLockState::Free(FreeReason::Empty);
    }
    let Some(pid) = parse_pid(body) else { return ClientLockState::Free(FreeReason::Garbage) };
    if pid == own_pid {
        return ClientLockState::Free(FreeReason::Own);
    }
    let age = now.duration_since(modified);
    if age >= CLIENT_STALE_AFTER {
        return ClientLockState::Free(FreeReason::Stale);
    }
    if age <= -CLIENT_STALE_AFTER {
        return ClientLockState::Free(FreeReason::FutureTime);
    }
    let Some(process) = processes.find(pid) else { return ClientLockState::Free(FreeReason::DeadHolder) };
    if process.started.is_some_and(|started| started.duration_since(modified) > START_MARGIN) {
        return ClientLockState::Free(FreeReason::ReusedPid);
    }
    ClientLockState::Held { pid }
}

/// The process number in the first line of a body.
fn parse_pid(body: &[u8]) -> Option<u32> {
    let line = body.split(|&byte| byte == b'\n').next()?.trim_ascii();
    let digits = !line.is_empty() && line.iter().all(u8::is_ascii_digit);
    let pid: u32 = std::str::from_utf8(line).ok().filter(|_| digits)?.parse().ok()?;
    (pid > 0).then_some(pid)
}

/// Whether a body is in the mode that holds the last consolidation in a second line.
fn has_time_line(body: &[u8]) -> bool {
    let mut lines = body.split(|&byte| byte == b'\n');
    lines.next();
    lines
        .next()
        .map(<[u8]>::trim_ascii)
        .is_some_and(|line| !line.is_empty() && line.iter().all(u8::is_ascii_digit))
}

/// What the lock file was before a run took it, kept in the run's owner record so that even a crash can
/// be put right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriorLock {
    /// The body and modification time; `None` when there was no file.
    pub file: Option<PriorFile>,
}

/// The body and modification time of a lock file before a run took it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriorFile {
    /// The body; bytes that are not UTF-8 are replaced, and an overlong body is cut.
    pub body: String,
    /// The modification time: when memory was last consolidated.
    pub modified: Timestamp,
}

/// The client's lock could not be taken or given back.
#[derive(Debug, thiserror::Error)]
pub enum ClientLockError {
    /// The client, or another process that speaks its protocol, dreams.
    #[error("process {pid} holds {}", path.display())]
    Held {
        /// The holder.
        pid: u32,
        /// The lock file.
        path: PathBuf,
    },
    /// Another process took it at the same moment.
    #[error("another process took {} at the same moment", path.display())]
    Race {
        /// The lock file.
        path: PathBuf,
    },
    /// Something else than a regular file stands in its place.
    #[error("{} is not a regular file; remove it to dream here", path.display())]
    NoFile {
        /// The lock file.
        path: PathBuf,
    },
    /// The system refused.
    #[error(transparent)]
    Io(#[from] PathError),
}

/// The lock file of one memory directory.
#[derive(Clone, Debug)]
pub struct ClientLock {
    path: PathBuf,
}

impl ClientLock {
    /// The lock file of this memory directory.
    pub fn of(memory_root: &Path) -> Self {
        Self { path: memory_root.join(CLIENT_LOCK_NAME) }
    }

    /// Where it stands.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// When it says that memory was last consolidated; `None` without a file.
    pub fn last_consolidated(&self, files: &dyn FileSystem) -> Result<Option<Timestamp>, ClientLockError> {
        Ok(self.read(files)?.map(|(_, modified)| modified))
    }

    /// Judges the file as it is, and says what to put back later.
    pub fn inspect(
        &self,
        files: &dyn FileSystem,
        now: Timestamp,
        own_pid: u32,
        processes: &dyn ProcessTable,
    ) -> Result<(ClientLockState, PriorLock), ClientLockError> {
        let Some((body, modified)) = self.read(files)? else {
            return Ok((ClientLockState::Free(FreeReason::Absent), PriorLock { file: None }));
        };
        let state = classify(&body, modified, now, own_pid, processes);
        Ok((state, PriorLock { file: Some(prior_file(&body, modified)) }))
    }

    /// Takes the lock for this process and verifies that it got it. The caller has inspected it before.
    pub fn take(
        &self,
        files: &dyn FileSystem,
        prior: &PriorLock,
        now: Timestamp,
        own_pid: u32,
    ) -> Result<(), ClientLockError> {
        self.write(files, prior.file.as_ref(), &held_body(prior, own_pid), now)?;
        match self.read(files)? {
            Some((body, _)) if parse_pid(body.trim_ascii()) == Some(own_pid) => Ok(()),
            Some((body, _)) => Err(match parse_pid(body.trim_ascii()) {
                Some(pid) => ClientLockError::Held { pid, path: self.path.clone() },
                None => ClientLockError::Race { path: self.path.clone() },
            }),
            None => Err(ClientLockError::Race { path: self.path.clone() }),
        }
    }

    /// Who stands in the lock although `own_pid` took it: the look of whoever wrote there was before that, the
    /// write after it.
    pub fn taken_by(
        &self,
        files: &dyn FileSystem,
        now: Timestamp,
        own_pid: u32,
        processes: &dyn ProcessTable,
    ) -> Result<Taken, ClientLockError> {
        let Some((body, modified)) = self.read(files)? else { return Ok(Taken::ByNobody) };
        Ok(match classify(&body, modified, now, own_pid, processes) {
            ClientLockState::Held { pid } => Taken::By(pid),
            ClientLockState::Free(FreeReason::Own) => Taken::Not,
            ClientLockState::Free(_) => Taken::ByNobody,
        })
    }

    /// Says that the run goes on, so that the client does not take its lock for stale. Nothing happens when
    /// the file no longer names `own_pid`.
    pub fn refresh(
        &self,
        files: &dyn FileSystem,
        now: Timestamp,
        own_pid: u32,
    ) -> Result<(), ClientLockError> {
        match self.read(files)? {
            Some((body, _)) if parse_pid(body.trim_ascii()) == Some(own_pid) => {
                Ok(files.set_modified(&self.path, now)?)
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Says that memory was consolidated at `time`; the body keeps the holder as the client's own does.
    /// Nothing happens when the file no longer names `own_pid`.
    pub fn succeed(
        &self,
        files: &dyn FileSystem,
        time: Timestamp,
        own_pid: u32,
    ) -> Result<(), ClientLockError> {
        let Some((body, modified)) = self.read(files)? else { return Ok(()) };
        if parse_pid(body.trim_ascii()) != Some(own_pid) {
            return Ok(());
        }
        let present = prior_file(&body, modified);
        let body = if has_time_line(&body) {
            format!("{own_pid}\n{}", time.as_millisecond()).into_bytes()
        } else {
            own_pid.to_string().into_bytes()
        };
        unless_taken(self.write(files, Some(&present), &body, time))
    }

    /// Puts back what was before a run that did not succeed: the earlier time with an empty body, or no
    /// file where there was none. Nothing happens when the file no longer names `holder`.
    pub fn give_back(
        &self,
        files: &dyn FileSystem,
        prior: &PriorLock,
        holder: u32,
    ) -> Result<(), ClientLockError> {
        let Some((body, modified)) = self.read(files)? else { return Ok(()) };
        if parse_pid(body.trim_ascii()) != Some(holder) {
            return Ok(());
        }
        let present = prior_file(&body, modified);
        let Some(file) = &prior.file else { return self.remove(files, &present) };
        // The newer mode keeps the last consolidation in the body, so emptying it would lose that.
        let body = if has_time_line(file.body.as_bytes()) { file.body.as_bytes() } else { b"" };
        unless_taken(self.write(files, Some(&present), body, file.modified))
    }

    /// Removes the file unless someone writes it at the same moment.
    fn remove(&self, files: &dyn FileSystem, present: &PriorFile) -> Result<(), ClientLockError> {
        // Away first and looked at then: what a client wrote in between goes back.
        let aside = self.path.with_file_name(format!("{}lock-{}", TEMPORARY_PREFIX, std::process::id()));
        match files.rename(&self.path, &aside) {
            Err(error) if error.source.kind() == io::ErrorKind::NotFound => return Ok(()),
            other => other?,
        }
        if !is_still(files, &aside, present) {
            match files.rename_new(&aside, &self.path) {
                Err(error) if error.source.kind() == io::ErrorKind::AlreadyExists => {}
                other => return Ok(other?),
            }
        }
        Ok(files.remove(&aside)?)
    }

    fn read(&self, files: &dyn FileSystem) -> Result<Option<(Vec<u8>, Timestamp)>, ClientLockError> {
        let Some(status) = files.status(&self.path)? else { return Ok(None) };
        if status.kind != FileKind::File {
            return Err(ClientLockError::NoFile { path: self.path.clone() });
        }
        Ok(atomic::read_if_present(files, &self.path)?.map(|body| (body, status.modified)))
    }

    /// Publishes body and time in one step, so that the client never sees one without the other, provided that
    /// the file is what `expected` says until the last moment; `None` stands for no file.
    fn write(
        &self,
        files: &dyn FileSystem,
        expected: Option<&PriorFile>,
        body: &[u8],
        modified: Timestamp,
    ) -> Result<(), ClientLockError> {
        let status = files.status(&self.path)?;
        if status.as_ref().is_some_and(|status| status.kind != FileKind::File) {
            return Err(ClientLockError::NoFile { path: self.path.clone() });
        }
        let directory = self.path.parent().unwrap_or(&self.path);
        let permissions = status.as_ref().map_or(Permissions::Usual, Permissions::Like);
        let temporary = atomic::write_temporary(files, directory, body, permissions)?;
        let published =
            files.set_modified(&temporary, modified).map_err(ClientLockError::from).and_then(|()| {
                match expected {
                    Some(expected) => self.overlay(files, &temporary, expected, body),
                    None => Ok(files.rename_new(&temporary, &self.path)?),
                }
            });
        if let Err(error) = published {
            let _ = files.remove(&temporary);
            return Err(match error {
                ClientLockError::Io(error) if error.source.kind() == io::ErrorKind::AlreadyExists => {
                    ClientLockError::Race { path: self.path.clone() }
                }
                error => error,
            });
        }
        // Not synced: nobody holds a lock any more after a power failure.
        Ok(())
    }

    fn overlay(
        &self,
        files: &dyn FileSystem,
        temporary: &Path,
        expected: &PriorFile,
        body: &[u8],
    ) -> Result<(), ClientLockError> {
        let race = || ClientLockError::Race { path: self.path.clone() };
        if !is_still(files, &self.path, expected) {
            return Err(race());
        }
        match files.exchange(temporary, &self.path) {
            Err(error) if error.source.kind() == io::ErrorKind::NotFound => return Err(race()),
            Err(error) if error.source.kind() == io::ErrorKind::Unsupported => {
                return Ok(files.rename(temporary, &self.path)?);
            }
            other => other?,
        }
        if is_still(files, temporary, expected) {
            return Ok(files.remove(temporary)?);
        }
        // Someone was faster, and may have looked again already: theirs stands, unless a third came between.
        files.exchange(temporary, &self.path)?;
        if !matches!(atomic::read_if_present(files, temporary), Ok(Some(found)) if found == body) {
            files.exchange(temporary, &self.path)?;
        }
        Err(race())
    }
}

fn is_still(files: &dyn FileSystem, path: &Path, expected: &PriorFile) -> bool {
    let (status, body) = (files.status(path), atomic::read_if_present(files, path));
    matches!((status, body), (Ok(Some(status)), Ok(Some(body))) if prior_file(&body, status.modified) == *expected)
}

/// What is kept of a lock file for putting it back.
fn prior_file(body: &[u8], modified: Timestamp) -> PriorFile {
    let kept = &body[..body.len().min(LARGEST_BODY)];
    PriorFile { body: String::from_utf8_lossy(kept).into_owned(), modified }
}

/// To say something about a lock that another process took is no longer this one's to do.
fn unless_taken(written: Result<(), ClientLockError>) -> Result<(), ClientLockError> {
    match written {
        Err(ClientLockError::Race { .. }) => Ok(()),
        other => other,
    }
}

fn held_body(prior: &PriorLock, own_pid: u32) -> Vec<u8> {
    let time_line = prior.file.as_ref().filter(|file| has_time_line(file.body.as_bytes()));
    match time_line.and_then(|file| file.body.split('\n').nth(1)) {
        Some(line) => format!("{own_pid}\n{}", line.trim()).into_bytes(),
        None => own_pid.to_string().into_bytes(),
    }
}

#[cfg(test)]
#[path = "lock_file_tests.rs"]
mod tests;
