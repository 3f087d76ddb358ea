//! Who holds a memory directory, for those who only look. Nothing is taken and nothing is written.

use super::kernel::read_record;
use super::record::Holder;
use super::{BusyHolder, LOCK_NAME, LeaseError};
use crate::atomic::RealFileSystem;
use crate::lock_file::{ClientLock, ClientLockState};
use crate::owner::{Owner, ProcessTable as _, SystemProcesses};
use jiff::Timestamp;
use nidra_core::error::PathError;
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

/// Who is in the way of a run: one of nidra's, or the client's own dream. `None` when nobody is.
///
/// # Errors
/// When a lock file cannot be read.
pub fn busy(memory_root: &Path, owner: &Owner, now: Timestamp) -> Result<Option<BusyHolder>, LeaseError> {
    if let Some(holder) = current_holder(memory_root, owner)? {
        return Ok(Some(BusyHolder::Nidra(Some(Box::new(holder)))));
    }
    let lock = ClientLock::of(memory_root);
    let (state, _) =
        lock.inspect(&RealFileSystem, now, owner.pid, &SystemProcesses).map_err(LeaseError::Client)?;
    Ok(match state {
        ClientLockState::Held { pid } => Some(BusyHolder::Client { pid: Some(pid) }),
        ClientLockState::Free(_) => None,
    })
}

/// Who holds a memory directory right now, without taking it; `None` when nobody does.
///
/// A local holder that died counts as nobody.
pub fn current_holder(memory_root: &Path, owner: &Owner) -> Result<Option<Holder>, PathError> {
    let path = memory_root.join(LOCK_NAME);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(PathError::wrap("open the lock file", &path)(error)),
    };
    let Some(holder) = read_record(&file, &path)?.and_then(|record| record.holder) else { return Ok(None) };
    // The lock is tried only where the process is out of sight, as in another container: trying it is in
    // the way of a run that starts at this moment.
    let unseen = SystemProcesses.find(holder.owner.pid).is_none();
    if owner.is_local_to(&holder.owner) && unseen {
        match file.try_lock_shared() {
            Ok(()) => return Ok(None),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(PathError::wrap("lock", &path)(error)),
        }
    }
    Ok(Some(holder))
}
