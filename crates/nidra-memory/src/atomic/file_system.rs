//! The few file operations that the crate mutates anything with, behind one trait, so that tests can
//! fail each of them in turn.
//!
//! No other module may create, write, rename or remove a file (SQLite's own files aside).

use jiff::Timestamp;
use nidra_core::error::PathError;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A pipe, socket or device.
    Other,
}

/// A path's own state; links are not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// What stands there.
    pub kind: FileKind,
    /// The permission bits.
    pub mode: u32,
    /// The owner's user number.
    pub user: u32,
    /// The owner's group number.
    pub group: u32,
    /// The size in bytes.
    pub length: u64,
    /// When it was last modified.
    pub modified: Timestamp,
}

/// The file operations of this crate.
///
/// Every error names the path. A path's last part is never followed when it is a link, except by
/// [`FileSystem::canonical`].
pub trait FileSystem: Send + Sync + fmt::Debug {
    /// Reads a regular file whole.
    fn read(&self, path: &Path) -> Result<Vec<u8>, PathError>;
    /// What stands at the path; `None` when nothing does.
    fn status(&self, path: &Path) -> Result<Option<Status>, PathError>;
    /// The names in a directory, sorted.
    fn list(&self, directory: &Path) -> Result<Vec<std::ffi::OsString>, PathError>;
    /// The path with all links resolved.
    fn canonical(&self, path: &Path) -> Result<PathBuf, PathError>;
    /// The target of a link, as written.
    fn link_target(&self, path: &Path) -> Result<PathBuf, PathError>;
    /// Creates a directory for the user alone (`private`) or with the usual permissions.
    fn create_directory(&self, path: &Path, private: bool) -> Result<(), PathError>;
    /// Creates a file that must not exist, writes it whole and syncs it. It gets the mode and owner of
    /// `like`; without one it is for the user alone (`private`) or has the usual permissions.
    fn write_new(&self, path: &Path, bytes: &[u8], permissions: Permissions<'_>) -> Result<(), PathError>;
    /// The same without waiting for the disk: a power failure may leave less of the file, or nothing.
    fn write_new_soon(
        &self,
        path: &Path,
        bytes: &[u8],
        permissions: Permissions<'_>,
    ) -> Result<(), PathError> {
        self.write_new(path, bytes, permissions)
    }
    /// Opens a lock file, creating it for the user alone. It is never followed as a link.
    fn open_lock(&self, path: &Path) -> Result<File, PathError>;
    /// Replaces the content of an open file in place and syncs it.
    fn overwrite(&self, file: &File, path: &Path, bytes: &[u8]) -> Result<(), PathError>;
    /// Renames; a file at `to` is replaced in one step.
    fn rename(&self, from: &Path, to: &Path) -> Result<(), PathError>;
    /// Renames; fails with [`io::ErrorKind::AlreadyExists`] when something stands at `to`.
    fn rename_new(&self, from: &Path, to: &Path) -> Result<(), PathError>;
    /// Swaps what stands at two paths in one step; fails with [`io::ErrorKind::Unsupported`] where the
    /// system or the file system cannot do that.
    fn exchange(&self, one: &Path, other: &Path) -> Result<(), PathError>;
    /// Removes a file or a link.
    fn remove(&self, path: &Path) -> Result<(), PathError>;
    /// Removes an empty directory.
    fn remove_directory(&self, path: &Path) -> Result<(), PathError>;
    /// Makes renames and removals inside a directory durable.
    fn sync_directory(&self, directory: &Path) -> Result<(), PathError>;
    /// Sets when a file was last modified.
    fn set_modified(&self, path: &Path, time: Timestamp) -> Result<(), PathError>;
}

/// The permissions of a new file.
#[derive(Clone, Copy, Debug)]
pub enum Permissions<'a> {
    /// For the user alone.
    Private,
    /// What the process gives new files.
    Usual,
    /// Those of the file that it will replace.
    Like(&'a Status),
}

/// How much memory is set aside for a file before it is read, in bytes, whatever it claims to hold.
const LARGEST_RESERVE: usize = 1024 * 1024;

/// The system's files.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealFileSystem;

impl FileSystem for RealFileSystem {
    fn read(&self, path: &Path) -> Result<Vec<u8>, PathError> {
        let attempt = || {
            // Without blocking, so that a pipe in a file's place cannot hang the run.
            let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
            let mut file =
                OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)?;
            let metadata = file.metadata()?;
            if !metadata.is_file() {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
            }
            // The length is known, so the standard library need not ask for it again.
            let length = usize::try_from(metadata.len()).unwrap_or_default().min(LARGEST_RESERVE);
            let mut bytes = Vec::with_capacity(length + 1);
            (&mut file).take(u64::MAX).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        attempt().map_err(PathError::wrap("read", path))
    }

    fn status(&self, path: &Path) -> Result<Option<Status>, PathError> {
        let metadata = match fs::symlink_metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(PathError::wrap("read the status of", path)(error)),
        };
        let kind = metadata.file_type();
        Ok(Some(Status {
            kind: if kind.is_file() {
                FileKind::File
            } else if kind.is_dir() {
                FileKind::Directory
            } else if kind.is_symlink() {
                FileKind::Link
            } else {
                FileKind::Other
            },
            mode: metadata.mode() & 0o7777,
            user: metadata.uid(),
            group: metadata.gid(),
            length: metadata.len(),
            modified: metadata
                .modified()
                .ok()
                .and_then(|time| Timestamp::try_from(time).ok())
                .unwrap_or_default(),
        }))
    }

    fn list(&self, directory: &Path) -> Result<Vec<std::ffi::OsString>, PathError> {
        let attempt = || {
            let mut names = fs::read_dir(directory)?
                .map(|entry| Ok(entry?.file_name()))
                .collect::<io::Result<Vec<_>>>()?;
            names.sort();
            Ok(names)
        };
        attempt().map_err(PathError::wrap("list", directory))
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf, PathError> {
        fs::canonicalize(path).map_err(PathError::wrap("resolve", path))
    }

    fn link_target(&self, path: &Path) -> Result<PathBuf, PathError> {
        fs::read_link(path).map_err(PathError::wrap("read the link", path))
    }

    fn create_directory(&self, path: &Path, private: bool) -> Result<(), PathError> {
        let attempt = || {
            refuse_marked_directory(path)?;
            fs::DirBuilder::new().mode(if private { 0o700 } else { 0o777 }).create(path)
        };
        attempt().map_err(PathError::wrap("create the directory", path))
    }

    fn write_new(&self, path: &Path, bytes: &[u8], permissions: Permissions<'_>) -> Result<(), PathError> {
        let written = write_new(path, bytes, permissions).and_then(|file| file.sync_all());
        written.map_err(PathError::wrap("write", path))
    }

    fn write_new_soon(
        &self,
        path: &Path,
        bytes: &[u8],
        permissions: Permissions<'_>,
    ) -> Result<(), PathError> {
        write_new(path, bytes, permissions).map(drop).map_err(PathError::wrap("write", path))
    }

    fn open_lock(&self, path: &Path) -> Result<File, PathError> {
        let attempt = || {
            let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
            if self.status(path).is_ok_and(|status| status.is_none()) {
                refuse_marked_directory(path)?;
            }
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .mode(0o600)
                .custom_flags(flags.bits().cast_signed())
                .open(path)?;
            if !file.metadata()?.is_file() {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
            }
            Ok(file)
        };
        attempt().map_err(PathError::wrap("open the lock file", path))
    }

    fn overwrite(&self, mut file: &File, path: &Path, bytes: &[u8]) -> Result<(), PathError> {
        let mut attempt = || {
            file.rewind()?;
            file.write_all(bytes)?;
            file.set_len(bytes.len() as u64)?;
            file.sync_data()
        };
        attempt().map_err(PathError::wrap("write", path))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), PathError> {
        fs::rename(from, to).map_err(PathError::wrap("replace", to))
    }

    fn rename_new(&self, from: &Path, to: &Path) -> Result<(), PathError> {
        // A hard link fails when its name is taken, on every system; a plain rename would replace it.
        match fs::hard_link(from, to) {
            Ok(()) => fs::remove_file(from).map_err(PathError::wrap("remove", from)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(PathError::wrap("create", to)(error))
            }
            Err(_) => {
                // No hard links here (FAT, some network mounts): check and rename is the best there is.
                if self.status(to)?.is_some() {
                    return Err(PathError::wrap("create", to)(io::ErrorKind::AlreadyExists.into()));
                }
                fs::rename(from, to).map_err(PathError::wrap("create", to))
            }
        }
    }

    fn exchange(&self, one: &Path, other: &Path) -> Result<(), PathError> {
        swap(one, other).map_err(PathError::wrap("replace", other))
    }

    fn remove(&self, path: &Path) -> Result<(), PathError> {
        fs::remove_file(path).map_err(PathError::wrap("remove", path))
    }

    fn remove_directory(&self, path: &Path) -> Result<(), PathError> {
        fs::remove_dir(path).map_err(PathError::wrap("remove the directory", path))
    }

    fn sync_directory(&self, directory: &Path) -> Result<(), PathError> {
        let attempt = || match File::open(directory)?.sync_all() {
            // Some network file systems cannot sync a directory; there is nothing better to do there.
            Err(error)
                if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) =>
            {
                Ok(())
            }
            other => other,
        };
        attempt().map_err(PathError::wrap("sync the directory", directory))
    }

    fn set_modified(&self, path: &Path, time: Timestamp) -> Result<(), PathError> {
        let since_epoch = |time: Timestamp| rustix::fs::Timespec {
            tv_sec: time.as_nanosecond().div_euclid(1_000_000_000).try_into().unwrap_or_default(),
            tv_nsec: time.as_nanosecond().rem_euclid(1_000_000_000).try_into().unwrap_or_default(),
        };
        let times = rustix::fs::Timestamps {
            last_access: rustix::fs::Timespec { tv_sec: 0, tv_nsec: rustix::fs::UTIME_OMIT },
            last_modification: since_epoch(time),
        };
        rustix::fs::utimensat(rustix::fs::CWD, path, &times, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)
            .map_err(|errno| PathError::wrap("set the time of", path)(errno.into()))
    }
}

/// Creates a file and writes it whole.
fn write_new(path: &Path, bytes: &[u8], permissions: Permissions<'_>) -> io::Result<File> {
    refuse_marked_directory(path)?;
    let mode = match permissions {
        Permissions::Usual => 0o666,
        Permissions::Private | Permissions::Like(_) => 0o600,
    };
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    file.write_all(bytes)?;
    if let Permissions::Like(status) = permissions {
        let owner = Some(rustix::fs::Uid::from_raw(status.user));
        let group = Some(rustix::fs::Gid::from_raw(status.group));
        // Only a privileged process may give files away; elsewhere they are the user's anyway.
        let _ = rustix::fs::fchown(&file, owner, group);
        file.set_permissions(fs::Permissions::from_mode(status.mode))?;
    }
    Ok(file)
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn swap(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).map_err(|errno| match errno {
        // Each file system says in its own way that it does not know of this.
        Errno::INVAL | Errno::NOSYS | Errno::NOTSUP => io::ErrorKind::Unsupported.into(),
        other => other.into(),
    })
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn swap(_one: &Path, _other: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Fails when the directory that the path stands in has no write permission for anybody. A privileged
/// process could write there; that somebody marked it read-only still counts.
fn refuse_marked_directory(path: &Path) -> io::Result<()> {
    let Some(directory) = path.parent() else { return Ok(()) };
    let mode = fs::metadata(directory)?.mode();
    if mode & 0o222 == 0 {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("the directory {} is marked read-only", directory.display()),
        ));
    }
    Ok(())
}
