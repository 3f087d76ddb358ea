//! A real disk that is full.

use crate::child::proof;
use crate::support::{World, changes, new_run, new_tree, old_tree, without_leftovers};
use nidra_memory::atomic::RealFileSystem;
use nidra_memory::commit::commit;
use nidra_memory::lease::Lease;
use nidra_memory::store::Store;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A small file system in memory, gone with the value.
struct SmallDisk {
    directory: tempfile::TempDir,
}

impl SmallDisk {
    fn mount(kilobytes: u32) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let status = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={kilobytes}k"), "tmpfs"])
            .arg(directory.path())
            .stderr(std::process::Stdio::null())
            .status();
        status.is_ok_and(|status| status.success()).then_some(Self { directory })
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Fills the disk up to some free kilobytes.
    fn fill(&self, free: u64) -> PathBuf {
        let ballast = self.path().join("ballast");
        let mut file = fs::File::create(&ballast).unwrap();
        while file.write_all(&[0; 1024]).is_ok() {}
        let length = file.metadata().unwrap().len();
        file.set_len(length.saturating_sub(free * 1024)).unwrap();
        ballast
    }
}

impl SmallDisk {
    /// Removes what fills the disk and waits until the space is really there.
    fn empty(&self, ballast: &Path) {
        fs::remove_file(ballast).unwrap();
        let probe = self.path().join("probe");
        for _ in 0..200 {
            let fits = fs::write(&probe, vec![0; 512 * 1024]).is_ok();
            fs::remove_file(&probe).unwrap();
            if fits {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("the disk stays full");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.path()).status();
    }
}

#[test]
fn pub_dur_02_a_full_disk_leaves_all_or_nothing_and_says_so() {
    let Some(disk) = SmallDisk::mount(1024) else {
        eprintln!("==== NOT TESTED: a really full disk. Mounting a tmpfs needs the rights of root. ====");
        return;
    };
    let (mut failed, mut done) = (0, 0);
    for free in (0..=448).step_by(16) {
        let world = World::at(&disk.path().join(format!("world-{free}")));
        world.fill();
        let ballast = disk.fill(free);
        let before = Store::open(&world.state()).is_ok().then(|| world.snapshot_of_state());
        let result = Lease::acquire(&world.root(), &world.options())
            .map_err(|error| error.to_string())
            .and_then(|lease| {
                let mut store = Store::open(&world.state()).map_err(|error| error.to_string())?;
                commit(
                    &mut store,
                    &lease,
                    &RealFileSystem,
                    &new_run("r1", 100),
                    &changes(&old_tree(), &new_tree()),
                )
                .map_err(|error| error.chain())
            });
        let tree = without_leftovers(world.tree());
        disk.empty(&ballast);
        world.recover();
        match result {
            Ok(_) => {
                done += 1;
                assert_eq!(tree, new_tree(), "{free} KiB free");
                assert_eq!(world.tree(), new_tree(), "{free} KiB free");
            }
            Err(message) => {
                failed += 1;
                assert!(
                    message.contains(disk.path().to_str().unwrap()) || message.contains("busy"),
                    "{message}"
                );
                assert_eq!(world.tree(), old_tree(), "{free} KiB free: {message}");
                if let Some(before) = before {
                    assert_eq!(world.snapshot_of_state().consumed(), before, "{free} KiB free");
                }
                let lease = world.lease();
                let run = new_run("r2", 100);
                commit(&mut world.store(), &lease, &RealFileSystem, &run, &changes(&old_tree(), &new_tree()))
                    .unwrap();
                assert_eq!(world.tree(), new_tree(), "{free} KiB free");
            }
        }
        fs::remove_dir_all(&world.base).unwrap();
    }
    proof("full-disk", failed);
    assert!(failed > 2, "the disk was never full");
    assert!(done > 2, "the disk was always full");
}
