//! The lease: at most one run per memory directory, across processes and hosts.
//!
//! The kernel's lock on `.nidra.lock` says that the holder lives; the record inside says who it is, when
//! it last said so, and its token. A second lock, the guard, is held while the record changes and while a
//! run writes, so that nobody can take over between the check of a token and the write that relies on
//! it. Neither file is ever unlinked, and nothing here is part of the schedule: taking, losing or breaking
//! a lease never changes when the last run succeeded.
//!
//! Who may take it: anyone when it was given back or when its local holder died; anyone when a holder on
//! another host, or one that hangs, has been silent for the time to live. A holder that beats is never
//! robbed.
//!
//! The lock file may vanish under a holder, as when someone empties the directory by hand. So the holder
//! locks the directory itself as well, and a run checks before it writes that its record still stands there.
//!
//! The client's own protocol looks at its lock, writes to it and looks again, which two processes can do in
//! turn and both believe. So a run waits until a client that looked before must have written, and looks
//! again before each write to memory: nothing is written once the lock names a living client. What cannot
//! be kept out is a client that is stopped between its look and its write for longer than the whole run.

mod error;
mod kernel;
mod look;
mod options;
mod record;

pub use error::{BusyHolder, LeaseError};
pub use look::{busy, current_holder};
pub use options::{Clock, DEFAULT_CLIENT_SETTLE, DEFAULT_TIME_TO_LIVE, LeaseOptions, system_clock};
pub use record::{Holder, OwnerRecord};

use crate::lock_file::{ClientLock, ClientLockError, ClientLockState, PriorLock, Taken};
use jiff::Timestamp;
use kernel::{Lockable, POLL, is_at, lock_directory, modified, read_record, try_lock, wait_for};
use nidra_core::error::PathError;
use record::RECORD_VERSION;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The name of the lease file inside a memory directory.
pub const LOCK_NAME: &str = ".nidra.lock";

/// The name of the guard's file inside a memory directory.
pub const GUARD_NAME: &str = ".nidra.guard";

/// How long to wait for the guard, which others hold for the moment of a write only.
const GUARD_WAIT: Duration = Duration::from_secs(2);

/// The right to change one memory directory. Dropping it gives it back, on every way out.
pub struct Lease {
    root: PathBuf,
    options: LeaseOptions,
    token: u64,
    /// Locked for as long as the lease lives, unless it was taken over from a holder that hangs.
    life: Lockable,
    /// The directory itself, locked where that works.
    _anchor: Option<Lockable>,
    /// When the client's lock was taken.
    taken: Instant,
    guard: Guard,
    /// How many fences stand.
    fences: Mutex<u32>,
    prior: PriorLock,
    interrupted: Option<Holder>,
    outcome: Mutex<Outcome>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Open,
    Succeeded,
    Released,
}

#[derive(Debug)]
enum Guard {
    /// Locked for the moment of a write.
    Momentary(Lockable),
    /// Locked for as long as the lease lives.
    Held { _file: Lockable },
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease").field("root", &self.root).field("token", &self.token).finish_non_exhaustive()
    }
}

/// Keeps everyone else from taking a lease over while a run writes.
#[derive(Debug)]
pub struct Fence<'a> {
    lease: &'a Lease,
}

impl Fence<'_> {
    /// Checks again that the lease is still this run's.
    pub fn verify(&self) -> Result<(), LeaseError> {
        self.lease.verify()
    }
}

impl Drop for Fence<'_> {
    fn drop(&mut self) {
        let mut fences = lock(&self.lease.fences);
        *fences = fences.saturating_sub(1);
        if let Guard::Momentary(file) = &self.lease.guard
            && *fences == 0
        {
            // Closing the file frees it too, so a failure only delays others.
            let _ = file.unlock();
        }
    }
}

impl Lease {
    /// Takes the lease on a memory directory, which must exist, and with it the client's lock.
    ///
    /// # Errors
    /// [`LeaseError::Busy`] when someone else holds either of them.
    pub fn acquire(memory_root: &Path, options: &LeaseOptions) -> Result<Self, LeaseError> {
        let root = options.files.canonical(memory_root)?;
        let mut waited = Duration::ZERO;
        loop {
            match Self::try_acquire(&root, options) {
                Err(LeaseError::Busy { .. }) if waited < options.wait => {
                    std::thread::sleep(POLL);
                    waited += POLL;
                }
                other => return other,
            }
        }
    }

    fn try_acquire(root: &Path, options: &LeaseOptions) -> Result<Self, LeaseError> {
        let files = &*options.files;
        let life_path = root.join(LOCK_NAME);
        let guard_path = root.join(GUARD_NAME);
        let busy = |record: Option<OwnerRecord>| LeaseError::Busy {
            directory: root.to_owned(),
            holder: BusyHolder::Nidra(record.and_then(|record| record.holder).map(Box::new)),
        };
        let life_file = Lockable::new(files.open_lock(&life_path)?);
        let guard_file = Lockable::new(files.open_lock(&guard_path)?);
        let alive = !try_lock(&life_file, &life_path)?;
        let now = (options.clock)();
        let old = |time: Timestamp| now.duration_since(time).abs() >= options.time_to_live;
        let silent = |record: Option<&OwnerRecord>| match record {
            Some(record) => record.holder.as_ref().is_none_or(|holder| old(holder.heartbeat)),
            // Nobody knows who lives there; the file says when it was last written.
            None => !alive || modified(&life_file).is_none_or(old),
        };
        let anchor = if alive { None } else { lock_directory(root)? };
        // Another stands in the lock file's place by now, or its holder lives on without it.
        if !alive && (anchor.is_none() || !is_at(&life_file, &life_path)) {
            return Err(busy(None));
        }
        if alive && !silent(read_record(&life_file, &life_path)?.as_ref()) {
            return Err(busy(read_record(&life_file, &life_path)?));
        }
        // The guard is held for moments by a holder that writes, and for long by one that took over.
        let guarded = wait_for(&guard_file, &guard_path, if alive { Duration::ZERO } else { GUARD_WAIT })?;
        let record = read_record(&life_file, &life_path)?;
        if !guarded {
            return Err(busy(record));
        }
        let previous = record.as_ref().and_then(|record| record.holder.clone());
        if let Some(holder) = &previous {
            // With the kernel's lock in hand a local holder is dead; one elsewhere may live unseen.
            let dead = !alive && options.owner.is_local_to(&holder.owner);
            if !dead && !silent(record.as_ref()) {
                return Err(busy(record));
            }
        }

        let client = ClientLock::of(root);
        let mut prior = PriorLock { file: None };
        if options.honour_client {
            if let Some(crashed) =
                previous.as_ref().and_then(|holder| Some((holder, holder.client.as_ref()?)))
            {
                client.give_back(files, crashed.1, crashed.0.owner.pid).map_err(LeaseError::Client)?;
            }
            let (state, found) = client
                .inspect(files, now, options.owner.pid, &*options.processes)
                .map_err(LeaseError::Client)?;
            if let ClientLockState::Held { pid } = state {
                let holder = BusyHolder::Client { pid: Some(pid) };
                return Err(LeaseError::Busy { directory: root.to_owned(), holder });
            }
            prior = found;
        }

        let earlier = record.map_or(0, |record| record.token);
        // From the clock, so that tokens grow even past a lease file that was lost or torn.
        let token = u64::try_from(now.as_microsecond()).unwrap_or_default().max(earlier.saturating_add(1));
        let guard = if alive { Guard::Held { _file: guard_file } } else { Guard::Momentary(guard_file) };
        let mut lease = Self {
            root: root.to_owned(),
            options: options.clone(),
            token,
            life: life_file,
            _anchor: anchor.and_then(|anchor| anchor.directory),
            taken: Instant::now(),
            guard,
            fences: Mutex::new(0),
            prior,
            interrupted: previous,
            outcome: Mutex::new(Outcome::Open),
        };
        lease.write_record(Some(now))?;
        if options.honour_client {
            // The record already says what was before, so a crash from here on can be put right.
            match client.take(files, &lease.prior, now, options.owner.pid) {
                // Only from here on a client that looks is refused.
                Ok(()) => lease.taken = Instant::now(),
                Err(ClientLockError::Held { pid, .. }) => {
                    let holder = BusyHolder::Client { pid: Some(pid) };
                    return Err(LeaseError::Busy { directory: root.to_owned(), holder });
                }
                Err(ClientLockError::Race { .. }) => {
                    let holder = BusyHolder::Client { pid: None };
                    return Err(LeaseError::Busy { directory: root.to_owned(), holder });
                }
                Err(error) => return Err(LeaseError::Client(error)),
            }
        }
        if let Guard::Momentary(file) = &lease.guard {
            file.unlock().map_err(PathError::wrap("unlock", &guard_path))?;
        }
        Ok(lease)
    }

    /// The memory directory, with all links resolved.
    pub fn memory_root(&self) -> &Path {
        &self.root
    }

    /// The fencing token: it grows with every holder.
    pub fn token(&self) -> u64 {
        self.token
    }

    /// The time by the lease's clock.
    pub fn now(&self) -> Timestamp {
        (self.options.clock)()
    }

    /// The holder before this one when it ended without giving the lease back.
    pub fn interrupted(&self) -> Option<&Holder> {
        self.interrupted.as_ref()
    }

    /// Whether this lease was taken over from a holder that hangs.
    pub fn took_over(&self) -> bool {
        matches!(self.guard, Guard::Held { .. })
    }

    /// Says that this run lives; to be called more often than the time to live.
    ///
    /// # Errors
    /// [`LeaseError::Lost`] when another run took over.
    pub fn beat(&self) -> Result<(), LeaseError> {
        let _fence = self.fence_alone()?;
        self.refuse_client()?;
        self.write_record(Some(self.now()))?;
        if self.options.honour_client && self.outcome() == Outcome::Open {
            ClientLock::of(&self.root)
                .refresh(&*self.options.files, self.now(), self.options.owner.pid)
                .map_err(LeaseError::Client)?;
        }
        Ok(())
    }

    /// Checks that the lease is still this run's.
    ///
    /// # Errors
    /// [`LeaseError::Lost`] when another run took over, [`LeaseError::Gone`] when the directory is no longer there.
    pub fn verify(&self) -> Result<(), LeaseError> {
        let path = self.root.join(LOCK_NAME);
        let lost = || LeaseError::Lost { directory: self.root.clone() };
        // By path and not by the open file: a directory that was replaced under a run is no longer its own.
        let bytes = match self.options.files.read(&path) {
            Err(error) if error.source.kind() == io::ErrorKind::NotFound => {
                let is_there = self.options.files.status(&self.root)?.is_some();
                return Err(if is_there {
                    lost()
                } else {
                    LeaseError::Gone { directory: self.root.clone() }
                });
            }
            other => other?,
        };
        let record = OwnerRecord::parse(&bytes).ok_or_else(lost)?;
        let mine = record.token == self.token
            && record.holder.is_some_and(|holder| {
                holder.owner.pid == self.options.owner.pid && holder.owner.host == self.options.owner.host
            });
        if mine { Ok(()) } else { Err(lost()) }
    }

    /// Checks that the lease is still this run's and keeps it so until the fence is dropped. To be called
    /// before anything is written to memory.
    ///
    /// # Errors
    /// [`LeaseError::Lost`] when another run took over, [`LeaseError::Busy`] when one is just about to or
    /// when the client took its lock.
    pub fn fence(&self) -> Result<Fence<'_>, LeaseError> {
        if self.options.honour_client {
            std::thread::sleep(self.options.client_settle.saturating_sub(self.taken.elapsed()));
        }
        let fence = self.fence_alone()?;
        self.refuse_client()?;
        Ok(fence)
    }

    /// Fails when a living client took its lock although this run holds it.
    fn refuse_client(&self) -> Result<(), LeaseError> {
        if !self.options.honour_client {
            return Ok(());
        }
        let LeaseOptions { files, owner, processes, client_settle, .. } = &self.options;
        let look = || {
            let lock = ClientLock::of(&self.root);
            lock.taken_by(&**files, self.now(), owner.pid, &**processes).map_err(LeaseError::Client)
        };
        let mut taken = look()?;
        if taken == Taken::ByNobody {
            // A client empties the file before it writes to it.
            std::thread::sleep(*client_settle);
            taken = look()?;
        }
        match taken {
            Taken::By(pid) => Err(LeaseError::Busy {
                directory: self.root.clone(),
                holder: BusyHolder::Client { pid: Some(pid) },
            }),
            Taken::Not | Taken::ByNobody => Ok(()),
        }
    }

    /// The fence between runs of nidra alone.
    fn fence_alone(&self) -> Result<Fence<'_>, LeaseError> {
        {
            let mut fences = lock(&self.fences);
            if let Guard::Momentary(file) = &self.guard
                && *fences == 0
            {
                let path = self.root.join(GUARD_NAME);
                if !try_lock(file, &path)? {
                    // Whoever took over keeps the guard, so waiting for it would be in vain.
                    self.verify()?;
                    if !wait_for(file, &path, GUARD_WAIT)? {
                        self.verify()?;
                        let holder = BusyHolder::Nidra(None);
                        return Err(LeaseError::Busy { directory: self.root.clone(), holder });
                    }
                }
            }
            *fences += 1;
        }
        let fence = Fence { lease: self };
        self.verify()?;
        Ok(fence)
    }

    /// Tells the client that memory was consolidated at `time`. Without this call, giving the lease back
    /// puts the client's lock back as it was.
    ///
    /// # Errors
    /// When the client's lock cannot be written; the run itself is as good as it was.
    pub fn succeed(&self, time: Timestamp) -> Result<(), LeaseError> {
        if !self.options.honour_client {
            self.set_outcome(Outcome::Succeeded);
            return Ok(());
        }
        let _fence = self.fence_alone()?;
        self.set_outcome(Outcome::Succeeded);
        // First the record: whoever finds it after a crash must no longer turn the time back.
        self.write_record(Some(self.now()))?;
        ClientLock::of(&self.root)
            .succeed(&*self.options.files, time, self.options.owner.pid)
            .map_err(LeaseError::Client)
    }

    /// Gives the lease back and reports what went wrong doing so; dropping does the same silently.
    ///
    /// # Errors
    /// When the record or the client's lock cannot be written; the lease is free all the same.
    pub fn release(self) -> Result<(), LeaseError> {
        self.give_back()
    }

    fn give_back(&self) -> Result<(), LeaseError> {
        let outcome = self.outcome();
        if outcome == Outcome::Released {
            return Ok(());
        }
        self.set_outcome(Outcome::Released);
        // A holder that was superseded may not touch what is now another's.
        let _fence = match self.fence_alone() {
            Ok(fence) => fence,
            Err(LeaseError::Lost { .. } | LeaseError::Gone { .. }) => return Ok(()),
            Err(error) => return Err(error),
        };
        let client = if outcome == Outcome::Open && self.options.honour_client {
            ClientLock::of(&self.root)
                .give_back(&*self.options.files, &self.prior, self.options.owner.pid)
                .map_err(LeaseError::Client)
        } else {
            Ok(())
        };
        // Only a record that is empty says that nothing is left to put right.
        client.and_then(|()| self.write_record(None))
    }

    fn outcome(&self) -> Outcome {
        *lock(&self.outcome)
    }

    fn set_outcome(&self, outcome: Outcome) {
        *lock(&self.outcome) = outcome;
    }

    fn write_record(&self, heartbeat: Option<Timestamp>) -> Result<(), LeaseError> {
        let client =
            (self.options.honour_client && self.outcome() == Outcome::Open).then(|| self.prior.clone());
        let record = OwnerRecord {
            version: RECORD_VERSION,
            token: self.token,
            holder: heartbeat.map(|heartbeat| Holder {
                owner: self.options.owner.clone(),
                heartbeat,
                purpose: self.options.purpose.clone(),
                client,
            }),
        };
        let bytes = record.render().map_err(LeaseError::Record)?;
        Ok(self.options.files.overwrite(&self.life, &self.root.join(LOCK_NAME), &bytes)?)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // The kernel's lock goes with the files; what the record still says is put right by the next holder.
        let _ = self.give_back();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
#[path = "lease_tests.rs"]
mod tests;
