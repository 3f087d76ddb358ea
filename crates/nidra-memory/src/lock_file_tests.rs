use super::*;
use crate::atomic::RealFileSystem;
use crate::owner::Process;
use std::collections::BTreeMap;
use std::fs;

const OWN: u32 = 4000;

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn now() -> Timestamp {
    time("2026-11-30T12:00:00Z")
}

fn minutes(count: i64) -> SignedDuration {
    SignedDuration::from_mins(count)
}

/// Process 77 has run since the morning, process 78 since a minute ago.
fn table() -> BTreeMap<u32, Process> {
    BTreeMap::from([
        (77, Process { started: Some(time("2026-11-30T08:00:00Z")) }),
        (78, Process { started: Some(now() - minutes(1)) }),
        (79, Process { started: None }),
    ])
}

fn judge(body: &[u8], age: SignedDuration) -> ClientLockState {
    classify(body, now() - age, now(), OWN, &table())
}

#[test]
fn a_living_holder_within_the_hour_holds() {
    let held = |pid| ClientLockState::Held { pid };
    assert_eq!(judge(b"77", minutes(5)), held(77));
    assert_eq!(judge(b"77\n", minutes(59)), held(77));
    assert_eq!(judge(b"77\n1796040000000", minutes(5)), held(77));
    assert_eq!(judge(b"77\r\n1796040000000\r\n", minutes(5)), held(77));
    // Where the system does not say when a process started, it counts as the holder.
    assert_eq!(judge(b"79", minutes(5)), held(79));
    // A clock that is a little off changes nothing.
    assert_eq!(judge(b"77", minutes(-10)), held(77));
}

#[test]
fn everything_else_is_free_and_says_why() {
    let free = |body: &[u8], age| match judge(body, age) {
        ClientLockState::Free(reason) => reason,
        ClientLockState::Held { pid } => panic!("held by {pid}"),
    };
    assert_eq!(free(b"77", minutes(60)), FreeReason::Stale);
    assert_eq!(free(b"77", minutes(60 * 24 * 30)), FreeReason::Stale);
    assert_eq!(free(b"77", minutes(-60)), FreeReason::FutureTime);
    assert_eq!(free(b"77", minutes(-60 * 24 * 365)), FreeReason::FutureTime);
    assert_eq!(free(b"78", minutes(5)), FreeReason::ReusedPid);
    assert_eq!(free(b"99", minutes(1)), FreeReason::DeadHolder);
    assert_eq!(free(b"99", minutes(60 * 24 * 3)), FreeReason::Stale);
    assert_eq!(free(b"4000", minutes(5)), FreeReason::Own);
    assert_eq!(free(b"", minutes(5)), FreeReason::Empty);
    assert_eq!(free(b" \n\n", minutes(5)), FreeReason::Empty);
    for garbage in [
        &b"7x"[..],
        b"-77",
        b"+77",
        b"0",
        b"0x4d",
        b"99999999999999999999",
        b"pid 77",
        b"\xff\xfe7\x007\x00",
        "七十七".as_bytes(),
        b"\0\0\0\0",
    ] {
        assert_eq!(free(garbage, minutes(5)), FreeReason::Garbage, "{garbage:?}");
    }
}

struct Place {
    _directory: tempfile::TempDir,
    lock: ClientLock,
}

fn place() -> Place {
    let directory = tempfile::tempdir().unwrap();
    let lock = ClientLock::of(directory.path());
    Place { _directory: directory, lock }
}

fn put(lock: &ClientLock, body: &[u8], modified: Timestamp) {
    fs::write(lock.path(), body).unwrap();
    RealFileSystem.set_modified(lock.path(), modified).unwrap();
}

fn modified(lock: &ClientLock) -> Timestamp {
    lock.last_consolidated(&RealFileSystem).unwrap().unwrap()
}

fn take(lock: &ClientLock) -> PriorLock {
    let (state, prior) = lock.inspect(&RealFileSystem, now(), OWN, &table()).unwrap();
    assert!(matches!(state, ClientLockState::Free(_)), "{state:?}");
    lock.take(&RealFileSystem, &prior, now(), OWN).unwrap();
    prior
}

#[test]
fn taking_writes_the_decimal_number_without_a_line_end() {
    let Place { _directory, lock } = place();
    take(&lock);
    assert_eq!(fs::read(lock.path()).unwrap(), b"4000");
    assert_eq!(modified(&lock), now());
}

#[test]
fn success_keeps_the_holder_and_sets_the_time() {
    let Place { _directory, lock } = place();
    put(&lock, b"99", time("2026-11-28T07:00:00Z"));
    take(&lock);
    lock.succeed(&RealFileSystem, time("2026-11-30T12:03:00Z"), OWN).unwrap();
    assert_eq!(fs::read(lock.path()).unwrap(), b"4000");
    assert_eq!(modified(&lock), time("2026-11-30T12:03:00Z"));
}

#[test]
fn giving_back_restores_the_earlier_time_with_an_empty_body() {
    let Place { _directory, lock } = place();
    put(&lock, b"99", time("2026-11-28T07:00:00.123456789Z"));
    let prior = take(&lock);
    lock.give_back(&RealFileSystem, &prior, OWN).unwrap();
    assert_eq!(fs::read(lock.path()).unwrap(), b"");
    assert_eq!(modified(&lock), time("2026-11-28T07:00:00.123456789Z"));
}

#[test]
fn giving_back_removes_a_file_that_was_not_there() {
    let Place { _directory, lock } = place();
    let prior = take(&lock);
    lock.give_back(&RealFileSystem, &prior, OWN).unwrap();
    assert!(!lock.path().exists());
    lock.give_back(&RealFileSystem, &prior, OWN).unwrap();
}

#[test]
fn what_another_process_took_is_left_alone() {
    let Place { _directory, lock } = place();
    let prior = take(&lock);
    put(&lock, b"77", now());
    lock.give_back(&RealFileSystem, &prior, OWN).unwrap();
    lock.succeed(&RealFileSystem, time("2026-11-30T13:00:00Z"), OWN).unwrap();
    assert_eq!(fs::read(lock.path()).unwrap(), b"77");
    assert_eq!(modified(&lock), now());
}

#[test]
fn the_mode_with_a_time_line_is_kept() {
    let Place { _directory, lock } = place();
    put(&lock, b"99\n1795000000000", time("2026-11-28T07:00:00Z"));
    let prior = take(&lock);
    assert_eq!(fs::read(lock.path()).unwrap(), b"4000\n1795000000000");
    lock.give_back(&RealFileSystem, &prior, OWN).unwrap();
    assert_eq!(fs::read(lock.path()).unwrap(), b"99\n1795000000000");
    assert_eq!(modified(&lock), time("2026-11-28T07:00:00Z"));
    take(&lock);
    // 2026-11-30T12:03:00Z
    lock.succeed(&RealFileSystem, time("2026-11-30T12:03:00Z"), OWN).unwrap();
    assert_eq!(fs::read(lock.path()).unwrap(), b"4000\n1796040180000");
}

#[test]
fn a_link_or_a_directory_in_its_place_is_refused_and_left_alone() {
    let Place { _directory, lock } = place();
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().join("target");
    fs::write(&target, "precious").unwrap();
    std::os::unix::fs::symlink(&target, lock.path()).unwrap();
    let error = lock.inspect(&RealFileSystem, now(), OWN, &table()).unwrap_err();
    assert!(matches!(error, ClientLockError::NoFile { .. }), "{error}");
    assert!(lock.take(&RealFileSystem, &PriorLock { file: None }, now(), OWN).is_err());
    assert_eq!(fs::read(&target).unwrap(), b"precious");
    fs::remove_file(lock.path()).unwrap();
    fs::create_dir(lock.path()).unwrap();
    assert!(matches!(
        lock.inspect(&RealFileSystem, now(), OWN, &table()),
        Err(ClientLockError::NoFile { .. })
    ));
}

#[test]
fn a_lock_that_appears_in_the_same_moment_is_not_overwritten() {
    let Place { _directory, lock } = place();
    let (_, prior) = lock.inspect(&RealFileSystem, now(), OWN, &table()).unwrap();
    put(&lock, b"77", now());
    let error = lock.take(&RealFileSystem, &prior, now(), OWN).unwrap_err();
    assert!(matches!(error, ClientLockError::Race { .. }), "{error}");
    assert_eq!(fs::read(lock.path()).unwrap(), b"77");
    assert_eq!(fs::read_dir(lock.path().parent().unwrap()).unwrap().count(), 1, "no leftovers");
}
