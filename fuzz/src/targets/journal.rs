//! A journal that an interrupted run left, whole or damaged: recovery gives back old bytes or leaves what is there, and
//! touches nothing else.

use super::scratch;
use jiff::Timestamp;
use nidra_core::ProjectId;
use nidra_memory::atomic::RealFileSystem;
use nidra_memory::lease::{Lease, LeaseOptions};
use nidra_memory::objects::Objects;
use nidra_memory::recover::recover;
use nidra_memory::store::Store;
use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

const OLD: &str = "- use npm\n";
const NEW: &str = "- 用 pnpm\n";
const LOG: &str = "- 10:00 a daily log\n";
const FILES: [&str; 3] = ["MEMORY.md", "a.md", "archive/a.md"];

/// What all inputs share: a database and a lease are dear to make, and none of them is what is fuzzed.
struct World {
    folder: tempfile::TempDir,
    store: Store,
    lease: Lease,
    old: String,
    new: String,
}

thread_local! {
    static WORLD: RefCell<Option<World>> = const { RefCell::new(None) };
}

/// The first byte says which files hold the run's bytes. In the rest, `@OLD@`, `@NEW@` and `@ROOT@` stand for the names
/// of the two contents and for the memory directory.
pub(super) fn run(data: &[u8]) {
    let Some((mask, text)) = data.split_first() else { return };
    // Taken out while it is used, so that a panic leaves none behind for the next input.
    let mut world = WORLD.take().unwrap_or_else(World::new);
    world.try_one(*mask, text);
    WORLD.set(Some(world));
}

impl World {
    fn new() -> Self {
        let folder = scratch();
        let root = folder.path().join("memory");
        fs::create_dir_all(root.join("archive")).expect("folders can be made");
        let mut store = Store::open(&folder.path().join("state")).expect("a state directory can be made");
        let project = ProjectId::new("project-1");
        store
            .put_project(&project, Path::new("/home/u/app"), &root, Timestamp::UNIX_EPOCH)
            .expect("a project can be recorded");
        let objects = Objects::new(store.home(), &RealFileSystem);
        let put =
            |text: &str| objects.put(text.as_bytes()).expect("contents can be stored").as_str().to_owned();
        let (old, new) = (put(OLD), put(NEW));
        let lease = Lease::acquire(&root, &LeaseOptions::new("fuzz")).expect("the lease is free");
        Self { folder, store, lease, old, new }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("memory")
    }

    fn try_one(&mut self, mask: u8, text: &[u8]) {
        let root = self.root();
        for (number, name) in FILES.iter().enumerate() {
            let bytes = if mask >> number & 1 == 1 { NEW } else { OLD };
            super::write(&root.join(name), bytes.as_bytes());
        }
        super::write(&root.join("logs/2026-11-29.md"), LOG.as_bytes());
        let outside = self.folder.path().join("outside");
        super::write(&outside.join("file.md"), NEW.as_bytes());
        fs::create_dir_all(outside.join("empty")).expect("folders can be made");
        let journals = self.store.home().join("journal");
        if journals.exists() {
            fs::remove_dir_all(&journals).expect("earlier journals can be removed");
        }
        let text = replaced(text, b"@OLD@", self.old.as_bytes());
        let text = replaced(&text, b"@NEW@", self.new.as_bytes());
        let text = replaced(&text, b"@ROOT@", self.lease.memory_root().as_os_str().as_encoded_bytes());
        super::write(&journals.join("run-1.json"), &text);

        let project = ProjectId::new("project-1");
        let first = recover(&mut self.store, &self.lease, &RealFileSystem, &project);
        for (number, name) in FILES.iter().enumerate() {
            let created = mask >> number & 1 == 1;
            match fs::read(root.join(name)) {
                Ok(bytes) => assert!(
                    bytes == OLD.as_bytes() || (created && bytes == NEW.as_bytes()),
                    "{name} holds neither the old nor the run's bytes"
                ),
                Err(_) => assert!(created, "{name} is gone, and no run wrote it"),
            }
        }
        let same = |path: &Path, text: &str| fs::read(path).is_ok_and(|bytes| bytes == text.as_bytes());
        assert!(same(&root.join("logs/2026-11-29.md"), LOG), "a daily log was touched");
        assert!(same(&outside.join("file.md"), NEW), "a file outside of memory was touched");
        assert!(outside.join("empty").is_dir(), "a folder outside of memory was removed");
        let second = recover(&mut self.store, &self.lease, &RealFileSystem, &project);
        assert_eq!(second.is_ok(), first.is_ok(), "{first:?}, then {second:?}");
        assert!(
            second.is_err() || second.is_ok_and(|report| report.is_empty()),
            "recovery does not come to an end"
        );
    }
}

fn replaced(text: &[u8], mark: &[u8], with: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.windows(mark.len()).position(|window| window == mark) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(with);
        rest = &rest[at + mark.len()..];
    }
    out.extend_from_slice(rest);
    out
}
