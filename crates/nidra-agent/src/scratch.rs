//! What an agent left of a scratch folder, whatever it made of it: names without a way in, and folders deeper than any path.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

/// Gives a folder back to us, whatever was made of its permissions: what cannot be listed or read can neither be taken on
/// nor removed.
pub(crate) fn open_up(folder: &Path) {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        allow(&folder, 0o700);
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(metadata) = fs::symlink_metadata(entry.path()) else { continue };
            if metadata.is_dir() {
                folders.push(entry.path());
            } else if metadata.is_file() && metadata.nlink() == 1 && metadata.mode() & 0o600 != 0o600 {
                // A file with a second name may be one outside of the folder.
                allow(&entry.path(), 0o600);
            }
        }
    }
}

/// Removes all that is in a folder. Whoever wrote in it must have ended.
///
/// Every folder is moved to the top before it is looked into, so that no path grows long and nothing goes down step by step
/// with a handle for each.
///
/// # Errors
/// When something cannot be removed; the rest is gone.
pub(crate) fn empty(folder: &Path) -> io::Result<()> {
    allow(folder, 0o700);
    let pit = tempfile::tempdir_in(folder)?;
    let mut failed = None;
    let mut number = 0_u64;
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path == pit.path() {
                continue;
            }
            let removed = match fs::symlink_metadata(&path) {
                Ok(metadata) if metadata.is_dir() => {
                    // A folder that moves has its way back rewritten.
                    allow(&path, 0o700);
                    number += 1;
                    let place = pit.path().join(number.to_string());
                    fs::rename(&path, &place).map(|()| open.push(place))
                }
                _ => fs::remove_file(&path),
            };
            failed = removed.err().or(failed);
        }
    }
    pit.close()?;
    failed.map_or(Ok(()), Err)
}

/// What cannot be changed is left to whoever reads or removes it, who then says so.
fn allow(path: &Path, mode: u32) {
    let _same = fs::set_permissions(path, fs::Permissions::from_mode(mode));
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{Mode, OFlags, mkdirat, openat};

    /// Makes folders in each other, deeper than a path can name and than handles can follow.
    fn dig(folder: &Path, depth: usize) {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut here = rustix::fs::open(folder, flags, Mode::empty()).unwrap();
        for at in 0..depth {
            mkdirat(&here, "deeper", Mode::RWXU).unwrap();
            let next = openat(&here, "deeper", flags, Mode::empty()).unwrap();
            let file = OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC;
            openat(&next, format!("file-{at}"), file, Mode::RUSR).unwrap();
            here = next;
        }
    }

    #[test]
    fn folders_deeper_than_a_path_are_removed_and_what_links_lead_to_is_not() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("kept"), "kept").unwrap();
        let folder = tempfile::tempdir().unwrap();
        dig(folder.path(), 3_000);
        fs::create_dir_all(folder.path().join("closed/within")).unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.path().join("closed/link")).unwrap();
        fs::write(folder.path().join("closed/within/1"), "").unwrap();
        allow(&folder.path().join("closed"), 0);
        empty(folder.path()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert_eq!(fs::read_to_string(outside.path().join("kept")).unwrap(), "kept");
    }
}
