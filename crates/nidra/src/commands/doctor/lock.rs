//! The locks of the memory directory: who holds it, and what dead, hanging or failed runs left in the client's lock.

use super::Examined;
use crate::context::Context;
use crate::render;
use jiff::{SignedDuration, Timestamp};
use nidra_memory::atomic::RealFileSystem;
use nidra_memory::lease::BusyHolder;
use nidra_memory::lock_file::{ClientLock, ClientLockState, FreeReason, PriorLock};
use nidra_memory::owner::SystemProcesses;

/// How long a run may hold the memory directory before that is worth a word. A dream with a slow model takes minutes.
const LONG: SignedDuration = SignedDuration::from_hours(1);
/// How much later than the last dream that nidra knows the client's lock may be: clocks of file systems are coarse.
const MARGIN: SignedDuration = SignedDuration::from_mins(1);

/// Whether a run is in the way of the next one.
pub(super) fn busy(context: &Context) -> Examined {
    let now = context.now.timestamp();
    match context.holder() {
        Ok(None) => Examined::fine("lock", "free"),
        Ok(Some(BusyHolder::Nidra(Some(holder)))) if now.duration_since(holder.heartbeat) > LONG => {
            Examined::note(
                "lock",
                format!("held by nidra {} (process {}) for hours", holder.purpose, holder.owner.pid),
                "`nidra stop` ends it; memory stays whole",
            )
        }
        Ok(Some(holder)) => Examined::note(
            "lock",
            format!("held by {holder}"),
            "wait until it has ended; a dead holder frees it at once",
        ),
        Err(error) => {
            Examined::fault("lock", error.to_string(), "mend the permissions of the memory directory")
        }
    }
}

/// What the client's own lock file says that is not so. None of it stops nidra, whose lock the kernel frees; the client
/// can take it for a dream that runs or was just done.
pub(super) fn left(context: &Context) -> Option<Examined> {
    if !context.memory.is_dir() {
        return None;
    }
    let lock = ClientLock::of(&context.memory);
    let now = context.now.timestamp();
    let (state, prior) = lock.inspect(&RealFileSystem, now, std::process::id(), &SystemProcesses).ok()?;
    let PriorLock { file: Some(file) } = prior else { return None };
    let ClientLockState::Free(reason) = state else { return None };
    let zone = context.zone();
    let when = render::moment(file.modified, &zone);
    let advice = "the next dream puts it right; nothing has to be removed";
    match reason {
        FreeReason::FutureTime => Some(Examined::note(
            "lock file",
            format!(
                "{} lies in the future ({when}), so the client may wait until then",
                lock.path().display()
            ),
            advice,
        )),
        FreeReason::Stale | FreeReason::DeadHolder | FreeReason::ReusedPid
            if since_last_dream(context, file.modified).is_some_and(|late| late > MARGIN) =>
        {
            let pid = file.body.lines().next().unwrap_or_default().trim().to_owned();
            Some(Examined::note(
                "lock file",
                format!(
                    "process {pid} took {} at {when} and ended without giving its time back; no dream of nidra's ended then",
                    lock.path().display()
                ),
                "if it was the client's own dream, all is well; else the time stamp was not rolled back and the client \
                 waits a day too long: the next dream puts it right",
            ))
        }
        FreeReason::Garbage => {
            Some(Examined::note("lock file", format!("{} names no process", lock.path().display()), advice))
        }
        FreeReason::Absent
        | FreeReason::Empty
        | FreeReason::Own
        | FreeReason::Stale
        | FreeReason::DeadHolder
        | FreeReason::ReusedPid => None,
    }
}

/// How much later the lock was taken than nidra's last dream ended; from the epoch where there was none.
fn since_last_dream(context: &Context, taken: Timestamp) -> Option<SignedDuration> {
    let store = context.store_to_read().ok()?;
    let history = nidra_dream::history::History::load(&store, &context.project.id).ok()?;
    Some(taken.duration_since(history.schedule.last_success.unwrap_or(Timestamp::UNIX_EPOCH)))
}
