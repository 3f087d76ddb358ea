//! A disk that is really full, for the memory and for the state.

use crate::support::{Home, PNPM, not_tested, proof};
use crate::tree;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A small file system in memory, gone with the value.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(place: PathBuf, kilobytes: u32) -> Option<Self> {
        fs::create_dir_all(&place).unwrap();
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", &format!("size={kilobytes}k"), "tmpfs"])
            .arg(&place)
            .stderr(Stdio::null());
        if mount.status().is_ok_and(|status| status.success()) {
            return Some(Self(place));
        }
        not_tested("a full disk; mounting a small file system needs the rights of root");
        None
    }

    /// Fills the disk up to some free kilobytes.
    fn fill(&self, free: u64) -> Ballast {
        let ballast = self.0.join("ballast.bin");
        let mut file = fs::File::create(&ballast).unwrap();
        while file.write_all(&[0; 4096]).is_ok() {}
        let length = file.metadata().unwrap().len();
        file.set_len(length.saturating_sub(free * 1024)).unwrap();
        Ballast(ballast)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(&self.0).status());
    }
}

/// What fills a disk, gone with the value.
struct Ballast(PathBuf);

impl Drop for Ballast {
    fn drop(&mut self) {
        drop(fs::remove_file(&self.0));
        // The space comes back a moment later.
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

/// Dreams with ever more room: it fails by name with memory as it was, or it is done; in the end it is done.
fn with_ever_more_room(
    home: &Home,
    disk: &SmallDisk,
    memory: &Path,
    named: &Path,
    steps: impl Iterator<Item = u64>,
) -> (u64, u64) {
    let before = tree::memory(memory);
    let (mut failed, mut done) = (0, 0);
    for free in steps {
        let ballast = disk.fill(free);
        let said = home.nidra(&["dream"]);
        drop(ballast);
        match said.status.code() {
            Some(1) => {
                failed += 1;
                said.names(&["error:", named.to_str().unwrap(), "hint:"]);
                assert_eq!(tree::memory(memory), before, "{free} KiB free: {said:?}");
            }
            Some(0) => {
                done += 1;
                break;
            }
            _ => panic!("{free} KiB free: {said:?}"),
        }
    }
    proof("full-disk", failed);
    (failed, done)
}

#[test]
fn pub_dur_02_a_full_disk_below_memory_leaves_it_as_it_was_and_says_so() {
    let mut home = Home::with_sessions(3);
    let Some(disk) = SmallDisk::mount(home.root.join("small"), 256) else { return };
    let memory = disk.0.join("memory");
    fs::create_dir(&memory).unwrap();
    fs::write(memory.join("MEMORY.md"), "- [Dev server](dev.md) — port 8080\n").unwrap();
    fs::write(
        memory.join("dev.md"),
        "---\nname: dev\ndescription: d\ntype: project\n---\n\nThe API listens on port 8080.\n",
    )
    .unwrap();
    home.variables = vec![("NIDRA_MEMORY_DIRECTORY".to_owned(), memory.to_str().unwrap().to_owned())];
    let (failed, done) = with_ever_more_room(&home, &disk, &memory, &memory, (0..200).step_by(4));
    assert!(failed > 0 && done == 1, "{failed} failed, {done} done");
    assert!(tree::words(&memory).contains(PNPM.1));
    home.expect(0, &["undo"]);
    assert!(!tree::words(&memory).contains(PNPM.1));
}

#[test]
fn pub_dur_02_a_full_disk_below_the_state_leaves_memory_as_it_was_and_says_so() {
    let mut home = Home::with_sessions(3);
    let Some(disk) = SmallDisk::mount(home.root.join("small"), 1024) else { return };
    home.remember("MEMORY.md", "- [Dev server](dev.md) — port 8080\n");
    home.remember(
        "dev.md",
        "---\nname: dev\ndescription: d\ntype: project\n---\n\nThe API listens on port 8080.\n",
    );
    home.state = disk.0.join("state");
    let memory = home.memory();
    let (failed, done) = with_ever_more_room(&home, &disk, &memory, &home.state, (0..900).step_by(24));
    assert!(failed > 0 && done == 1, "{failed} failed, {done} done");
    assert!(tree::words(&memory).contains(PNPM.1));
    // What was stored on the way serves to take it back.
    home.expect(0, &["undo"]);
    assert!(!tree::words(&memory).contains(PNPM.1));
}
