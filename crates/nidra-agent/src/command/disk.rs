//! What an agent takes on the disk while it works: however deep its folders lie, and whether a file still has a name.

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, fstat, open, openat, statat};
use std::collections::BTreeSet;
use std::ffi::CString;
use std::fs;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

/// Bytes that a file or folder takes besides what is in it.
const BLOCK: u64 = 4 * 1024;
/// The unit in which the system counts what a file takes.
const UNIT: u64 = 512;
/// How the system marks a file that has no name any more.
const REMOVED: &str = " (deleted)";

/// A file or folder, whatever its name.
type Identity = (u64, u64);

/// A folder on the way down, with the folders in it that are still to be looked at.
struct Level {
    identity: Identity,
    folders: Vec<CString>,
}

/// The bytes that all below a folder takes on the disk. What goes away meanwhile takes none.
///
/// It goes down and up by handles, of which it holds two: paths have a longest length, and handles a highest number.
pub(super) fn below(folder: &Path) -> u64 {
    let Ok(mut here) = open(folder, folder_flags(), Mode::empty()) else { return 0 };
    let (mut bytes, top) = level(&here);
    let mut levels = vec![top];
    while let Some(last) = levels.last_mut() {
        if let Some(name) = last.folders.pop() {
            let Some(folder) = enter(&here, &name) else { continue };
            let (more, level) = level(&folder);
            bytes = bytes.saturating_add(more);
            levels.push(level);
            here = folder;
        } else {
            levels.pop();
            let Some(above) = levels.last() else { break };
            let parent = openat(&here, "..", folder_flags(), Mode::empty());
            // Whoever moves a folder while it is looked at leads us elsewhere; the next look counts the rest.
            let Some(parent) = parent.ok().filter(|parent| identity(parent) == Some(above.identity)) else {
                break;
            };
            here = parent;
        }
    }
    bytes
}

fn folder_flags() -> OFlags {
    OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC
}

fn identity(folder: &OwnedFd) -> Option<Identity> {
    fstat(folder).ok().map(|stat| (stat.st_dev, stat.st_ino))
}

/// Opens a folder in another one, also one that was made so that nobody may read it.
fn enter(parent: &OwnedFd, name: &CString) -> Option<OwnedFd> {
    if let Ok(folder) = openat(parent, name, folder_flags(), Mode::empty()) {
        return Some(folder);
    }
    // By a handle on the folder itself: whatever takes its name meanwhile keeps its permissions.
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = openat(parent, name, flags, Mode::empty()).ok()?;
    let itself = Path::new("/proc/self/fd").join(handle.as_raw_fd().to_string());
    fs::set_permissions(itself, fs::Permissions::from_mode(0o700)).ok()?;
    openat(&handle, ".", folder_flags(), Mode::empty()).ok()
}

/// What lies in a folder: the bytes of its files, and its folders.
fn level(folder: &OwnedFd) -> (u64, Level) {
    let mut level = Level { identity: identity(folder).unwrap_or_default(), folders: Vec::new() };
    let mut bytes: u64 = 0;
    for entry in Dir::read_from(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        let Ok(stat) = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
        bytes = bytes.saturating_add(BLOCK);
        if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
            level.folders.push(name.to_owned());
        } else {
            bytes = bytes.saturating_add(blocks(stat.st_blocks));
        }
    }
    (bytes, level)
}

fn blocks(count: i64) -> u64 {
    u64::try_from(count).unwrap_or_default().saturating_mul(UNIT)
}

/// The bytes that processes still hold of files below a folder whose names are gone: by a handle, or in their memory.
pub(super) fn held(processes: &[u32], folder: &Path) -> u64 {
    let is_removed = |path: &str| path.ends_with(REMOVED) && Path::new(path).starts_with(folder);
    let mut seen = BTreeSet::new();
    let mut bytes: u64 = 0;
    for process in processes {
        let process = Path::new("/proc").join(process.to_string());
        for entry in fs::read_dir(process.join("fd")).into_iter().flatten().flatten() {
            let path = entry.path();
            if fs::read_link(&path).is_ok_and(|target| is_removed(&target.to_string_lossy()))
                && let Ok(metadata) = fs::metadata(&path)
                && seen.insert(metadata.ino())
            {
                bytes = bytes.saturating_add(metadata.blocks().saturating_mul(UNIT));
            }
        }
    }
    for process in processes {
        let maps = Path::new("/proc").join(process.to_string()).join("maps");
        for line in
            fs::read_to_string(maps).unwrap_or_default().lines().filter(|line| line.ends_with(REMOVED))
        {
            let Some((range, inode, path)) = mapping(line) else { continue };
            if is_removed(path) && seen.insert(inode) {
                bytes = bytes.saturating_add(range);
            }
        }
    }
    bytes
}

/// A line of a process's list of what is mapped: how long it is, the number of the file, and its path.
fn mapping(line: &str) -> Option<(u64, u64, &str)> {
    let path = line.get(line.find('/')?..)?;
    let mut fields = line.split_whitespace();
    let (from, to) = fields.next()?.split_once('-')?;
    let inode = fields.nth(3)?.parse().ok()?;
    let length = u64::from_str_radix(to, 16).ok()?.checked_sub(u64::from_str_radix(from, 16).ok()?)?;
    Some((length, inode, path))
}
