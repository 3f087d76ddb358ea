use super::*;
use crate::atomic::{FileSystem, RealFileSystem};
use crate::owner::Owner;
use jiff::SignedDuration;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

const START: &str = "2026-11-30T12:00:00Z";

/// A memory directory and a clock that is set by hand.
struct World {
    directory: tempfile::TempDir,
    seconds: Arc<AtomicI64>,
}

impl World {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap(), seconds: Arc::default() }
    }

    fn root(&self) -> &Path {
        self.directory.path()
    }

    fn advance(&self, duration: SignedDuration) {
        self.seconds.fetch_add(duration.as_secs(), Ordering::SeqCst);
    }

    fn options(&self) -> LeaseOptions {
        let seconds = Arc::clone(&self.seconds);
        let start: Timestamp = START.parse().unwrap();
        LeaseOptions {
            clock: Arc::new(move || start + SignedDuration::from_secs(seconds.load(Ordering::SeqCst))),
            ..LeaseOptions::new("dream")
        }
    }

    fn acquire(&self) -> Result<Lease, LeaseError> {
        Lease::acquire(self.root(), &self.options())
    }

    fn foreign(&self) -> LeaseOptions {
        LeaseOptions {
            owner: Owner {
                host: "elsewhere".into(),
                boot_id: Some("other".into()),
                pid: 5,
                process_start: None,
            },
            ..self.options()
        }
    }

    fn record(&self) -> OwnerRecord {
        OwnerRecord::parse(&fs::read(self.root().join(LOCK_NAME)).unwrap()).unwrap()
    }
}

fn hour() -> SignedDuration {
    SignedDuration::from_hours(1)
}

/// Leaves the record of a holder that ended without a word.
fn crash(lease: Lease) {
    let record = fs::read(lease.root.join(LOCK_NAME)).unwrap();
    let client = fs::read(lease.root.join(".consolidate-lock")).ok();
    let (record_path, client_path) = (lease.root.join(LOCK_NAME), lease.root.join(".consolidate-lock"));
    drop(lease);
    fs::write(record_path, record).unwrap();
    if let Some(client) = client {
        fs::write(client_path, client).unwrap();
    }
}

#[test]
fn the_second_is_busy_and_names_the_first() {
    let world = World::new();
    let first = world.acquire().unwrap();
    let error = world.acquire().unwrap_err();
    let LeaseError::Busy { holder: BusyHolder::Nidra(Some(holder)), .. } = &error else { panic!("{error}") };
    assert_eq!(holder.owner.pid, std::process::id());
    assert_eq!(holder.purpose, "dream");
    assert!(error.to_string().contains(&std::process::id().to_string()), "{error}");
    drop(first);
    world.acquire().unwrap();
}

#[test]
fn pub_lck_03_every_way_out_releases() {
    let world = World::new();
    world.acquire().unwrap().release().unwrap();
    let lease = world.acquire().unwrap();
    lease.succeed(lease.now()).unwrap();
    drop(lease);
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _lease = world.acquire().unwrap();
        panic!("on purpose");
    }));
    assert!(panicked.is_err());
    let lease = world.acquire().unwrap();
    assert_eq!(lease.interrupted(), None);
    drop(lease);
    assert_eq!(world.record().holder, None);
}

#[test]
fn tokens_grow_even_past_a_torn_record() {
    let world = World::new();
    let first = world.acquire().unwrap().token();
    let second = world.acquire().unwrap().token();
    assert!(second > first);
    fs::write(world.root().join(LOCK_NAME), "{\"version\":1,\"tok").unwrap();
    world.advance(SignedDuration::from_secs(1));
    let third = world.acquire().unwrap().token();
    assert!(third > second);
}

#[test]
fn pub_lck_01_a_dead_local_holder_is_free_at_once_and_is_told_of() {
    let world = World::new();
    crash(world.acquire().unwrap());
    let lease = world.acquire().unwrap();
    assert_eq!(lease.interrupted().unwrap().purpose, "dream");
    assert!(!lease.took_over());
}

#[test]
fn a_foreign_holder_is_respected_while_it_beats_and_free_after_its_silence() {
    let world = World::new();
    crash(Lease::acquire(world.root(), &world.foreign()).unwrap());
    world.advance(hour() - SignedDuration::from_secs(1));
    assert!(matches!(world.acquire(), Err(LeaseError::Busy { .. })));
    world.advance(SignedDuration::from_secs(1));
    let lease = world.acquire().unwrap();
    assert_eq!(lease.interrupted().unwrap().owner.host, "elsewhere");
}

#[test]
fn a_heartbeat_far_in_the_future_does_not_block_for_ever() {
    let world = World::new();
    world.advance(SignedDuration::from_hours(24 * 365));
    crash(Lease::acquire(world.root(), &world.foreign()).unwrap());
    world.advance(SignedDuration::from_hours(-24 * 365));
    world.acquire().unwrap();
}

#[test]
fn pub_lck_04_a_beating_holder_is_never_robbed() {
    let world = World::new();
    let holder = world.acquire().unwrap();
    for _ in 0..20 {
        world.advance(SignedDuration::from_mins(30));
        holder.beat().unwrap();
        let mut polite = world.options();
        polite.wait = Duration::from_millis(20);
        assert!(matches!(Lease::acquire(world.root(), &polite), Err(LeaseError::Busy { .. })));
        holder.verify().unwrap();
    }
}

#[test]
fn pub_lck_04_05_a_silent_holder_is_superseded_and_can_neither_write_nor_release() {
    let world = World::new();
    let old = world.acquire().unwrap();
    world.advance(hour());
    let new = world.acquire().unwrap();
    assert!(new.took_over());
    assert!(new.token() > old.token());
    assert!(matches!(old.verify(), Err(LeaseError::Lost { .. })));
    assert!(matches!(old.fence(), Err(LeaseError::Lost { .. } | LeaseError::Busy { .. })));
    assert!(old.beat().is_err());
    assert!(old.succeed(old.now()).is_err());
    new.verify().unwrap();
    drop(old);
    // The late release freed nothing.
    new.verify().unwrap();
    new.fence().unwrap();
    assert!(matches!(world.acquire(), Err(LeaseError::Busy { .. })));
    new.beat().unwrap();
    drop(new);
    let next = world.acquire().unwrap();
    assert!(!next.took_over());
    assert_eq!(next.interrupted(), None);
}

#[test]
fn nobody_takes_over_while_a_fence_stands() {
    let world = World::new();
    let holder = world.acquire().unwrap();
    let fence = holder.fence().unwrap();
    let inner = holder.fence().unwrap();
    drop(inner);
    world.advance(hour() + hour());
    assert!(matches!(world.acquire(), Err(LeaseError::Busy { .. })));
    fence.verify().unwrap();
    drop(fence);
    assert!(world.acquire().unwrap().took_over());
}

#[test]
fn waiting_politely_gets_the_lease_once_it_is_free() {
    let world = World::new();
    let holder = world.acquire().unwrap();
    let mut patient = world.options();
    patient.wait = Duration::from_secs(20);
    let root = world.root().to_owned();
    let waiter = std::thread::spawn(move || Lease::acquire(&root, &patient).map(|lease| lease.token()));
    std::thread::sleep(Duration::from_millis(50));
    drop(holder);
    waiter.join().unwrap().unwrap();
}

#[test]
fn the_client_excludes_us_and_we_exclude_the_client() {
    let world = World::new();
    let mut client = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let path = world.root().join(".consolidate-lock");
    let options = LeaseOptions { clock: system_clock(), ..world.options() };
    // The client's lock is younger than the client, so its process is no reused one.
    std::thread::sleep(Duration::from_millis(10));
    fs::write(&path, client.id().to_string()).unwrap();
    let error = Lease::acquire(world.root(), &options).unwrap_err();
    let LeaseError::Busy { holder: BusyHolder::Client { pid }, .. } = &error else { panic!("{error}") };
    assert_eq!(*pid, Some(client.id()));
    assert_eq!(fs::read(&path).unwrap(), client.id().to_string().as_bytes());
    client.kill().unwrap();
    client.wait().unwrap();
    let lease = Lease::acquire(world.root(), &options).unwrap();
    assert_eq!(fs::read(&path).unwrap(), std::process::id().to_string().as_bytes());
    drop(lease);
}

#[test]
fn without_success_the_clients_time_is_as_before() {
    let world = World::new();
    let path = world.root().join(".consolidate-lock");
    fs::write(&path, "4194999").unwrap();
    let earlier: Timestamp = "2026-11-28T06:00:00Z".parse().unwrap();
    RealFileSystem.set_modified(&path, earlier).unwrap();
    drop(world.acquire().unwrap());
    assert_eq!(fs::read(&path).unwrap(), b"");
    assert_eq!(RealFileSystem.status(&path).unwrap().unwrap().modified, earlier);
}

#[test]
fn pub_lck_02_a_crash_after_the_lock_turns_the_clients_time_back_at_the_next_run() {
    let world = World::new();
    let path = world.root().join(".consolidate-lock");
    fs::write(&path, "4194999").unwrap();
    let earlier: Timestamp = "2026-11-28T06:00:00Z".parse().unwrap();
    RealFileSystem.set_modified(&path, earlier).unwrap();
    crash(world.acquire().unwrap());
    fs::write(&path, std::process::id().to_string()).unwrap();
    world.advance(SignedDuration::from_mins(5));
    let lease = world.acquire().unwrap();
    assert!(lease.interrupted().is_some());
    drop(lease);
    assert_eq!(RealFileSystem.status(&path).unwrap().unwrap().modified, earlier);
}

#[test]
fn success_is_told_to_the_client_and_survives_a_crash_after_it() {
    let world = World::new();
    let path = world.root().join(".consolidate-lock");
    let lease = world.acquire().unwrap();
    let success: Timestamp = "2026-11-30T12:00:07Z".parse().unwrap();
    lease.succeed(success).unwrap();
    crash(lease);
    RealFileSystem.set_modified(&path, success).unwrap();
    drop(world.acquire().unwrap());
    assert_eq!(RealFileSystem.status(&path).unwrap().unwrap().modified, success);
}

#[test]
fn locks_are_private_are_never_unlinked_and_never_followed() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let world = World::new();
    let lease = world.acquire().unwrap();
    let path = world.root().join(LOCK_NAME);
    let before = fs::metadata(&path).unwrap();
    assert_eq!(before.permissions().mode() & 0o777, 0o600);
    drop(lease);
    drop(world.acquire().unwrap());
    assert_eq!(fs::metadata(&path).unwrap().ino(), before.ino());

    let other = World::new();
    let precious = other.root().join("precious");
    fs::write(&precious, "text").unwrap();
    std::os::unix::fs::symlink(&precious, other.root().join(LOCK_NAME)).unwrap();
    let error = other.acquire().unwrap_err();
    assert!(error.to_string().contains(LOCK_NAME), "{error}");
    assert_eq!(fs::read(&precious).unwrap(), b"text");
}

#[test]
fn who_holds_it_can_be_asked_without_taking_it() {
    let world = World::new();
    let owner = Owner::current();
    assert_eq!(current_holder(world.root(), &owner).unwrap(), None);
    let lease = world.acquire().unwrap();
    assert_eq!(current_holder(world.root(), &owner).unwrap().unwrap().purpose, "dream");
    drop(lease);
    assert_eq!(current_holder(world.root(), &owner).unwrap(), None);
}

#[test]
fn a_read_only_directory_is_named() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    fs::set_permissions(world.root(), fs::Permissions::from_mode(0o555)).unwrap();
    let error = world.acquire().unwrap_err();
    fs::set_permissions(world.root(), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(matches!(error, LeaseError::Io(_)), "{error}");
    assert!(error.to_string().contains(&world.root().display().to_string()), "{error}");
}
