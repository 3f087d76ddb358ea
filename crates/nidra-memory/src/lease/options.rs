//! What a lease depends on besides the directory; all of it can be set in tests.

use crate::atomic::{FileSystem, RealFileSystem};
use crate::owner::{Owner, ProcessTable, SystemProcesses};
use jiff::{SignedDuration, Timestamp};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How long a silent holder is respected unless the options say otherwise.
pub const DEFAULT_TIME_TO_LIVE: SignedDuration = SignedDuration::from_hours(1);

/// How long a write waits after the client's lock was taken, unless the options say otherwise: far longer than
/// the client takes between its look at the lock and its write to it.
pub const DEFAULT_CLIENT_SETTLE: Duration = Duration::from_millis(20);

/// Tells the time; a fixed or stepped one in tests.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The system's clock.
#[expect(
    clippy::disallowed_methods,
    reason = "the lease is the one place below the command layer that needs it"
)]
pub fn system_clock() -> Clock {
    Arc::new(Timestamp::now)
}

/// Everything a lease depends on besides the directory.
#[derive(Clone)]
pub struct LeaseOptions {
    /// What the holder is doing, for the message to others: `dream`, `undo` …
    pub purpose: String,
    /// How long a silent holder is respected.
    pub time_to_live: SignedDuration,
    /// How long to wait politely for a holder to finish.
    pub wait: Duration,
    /// Tells the time of heartbeats.
    pub clock: Clock,
    /// The calling process.
    pub owner: Owner,
    /// The processes on this host.
    pub processes: Arc<dyn ProcessTable + Send + Sync>,
    /// The files.
    pub files: Arc<dyn FileSystem>,
    /// Take the client's lock too; `false` only where the directory is not one that the client dreams in.
    pub honour_client: bool,
    /// How long the client may take between its look at its lock and its write: nothing is written before
    /// this has passed and the lock was looked at again.
    pub client_settle: Duration,
}

impl LeaseOptions {
    /// The options of a real run: this process, the system's clock, files and process table, no waiting.
    pub fn new(purpose: impl Into<String>) -> Self {
        Self {
            purpose: purpose.into(),
            time_to_live: DEFAULT_TIME_TO_LIVE,
            wait: Duration::ZERO,
            clock: system_clock(),
            owner: Owner::current(),
            processes: Arc::new(SystemProcesses),
            files: Arc::new(RealFileSystem),
            honour_client: true,
            client_settle: DEFAULT_CLIENT_SETTLE,
        }
    }
}

impl fmt::Debug for LeaseOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeaseOptions")
            .field("purpose", &self.purpose)
            .field("time_to_live", &self.time_to_live)
            .field("wait", &self.wait)
            .field("owner", &self.owner)
            .field("honour_client", &self.honour_client)
            .field("client_settle", &self.client_settle)
            .finish_non_exhaustive()
    }
}
