//! A file system that fails on purpose, for exhaustive tests of everything that must survive a failure.
//!
//! It never hides an error: what it does not fail is done by the real file system.

use super::file_system::{FileSystem, Permissions, RealFileSystem, Status};
use jiff::Timestamp;
use nidra_core::error::PathError;
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// How much of the chosen operation happens before the fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Nothing.
    Before,
    /// A write stops in the middle and leaves its half; other operations have not happened.
    Half,
    /// All of it; only the answer is lost.
    After,
}

/// Fails mutating operations from a chosen one on; the rest is done on real files.
pub struct FaultFileSystem {
    count: AtomicU64,
    from: u64,
    length: u64,
    moment: Moment,
    fault: Box<dyn Fn() -> io::Error + Send + Sync>,
}

impl fmt::Debug for FaultFileSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FaultFileSystem")
            .field("count", &self.count)
            .field("from", &self.from)
            .field("length", &self.length)
            .field("moment", &self.moment)
            .finish_non_exhaustive()
    }
}

impl FaultFileSystem {
    /// Counts mutating operations and fails none.
    pub fn counting() -> Self {
        Self::new(u64::MAX, 0, Moment::Before, || io::ErrorKind::Other.into())
    }

    /// Fails `length` mutating operations, starting with number `from` (counted from 0). The closure makes
    /// the error; it may also end the process, which is then dead at exactly this operation.
    pub fn new(
        from: u64,
        length: u64,
        moment: Moment,
        fault: impl Fn() -> io::Error + Send + Sync + 'static,
    ) -> Self {
        Self { count: AtomicU64::new(0), from, length, moment, fault: Box::new(fault) }
    }

    /// How many mutating operations there were.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::SeqCst)
    }

    fn step<T>(
        &self,
        action: &'static str,
        path: &Path,
        half: impl FnOnce(),
        operation: impl FnOnce() -> Result<T, PathError>,
    ) -> Result<T, PathError> {
        let number = self.count.fetch_add(1, Ordering::SeqCst);
        if number < self.from || number - self.from >= self.length {
            return operation();
        }
        match self.moment {
            Moment::Before => {}
            Moment::Half => half(),
            Moment::After => {
                operation()?;
            }
        }
        Err(PathError::wrap(action, path)((self.fault)()))
    }
}

impl FileSystem for FaultFileSystem {
    fn read(&self, path: &Path) -> Result<Vec<u8>, PathError> {
        RealFileSystem.read(path)
    }

    fn status(&self, path: &Path) -> Result<Option<Status>, PathError> {
        RealFileSystem.status(path)
    }

    fn list(&self, directory: &Path) -> Result<Vec<OsString>, PathError> {
        RealFileSystem.list(directory)
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf, PathError> {
        RealFileSystem.canonical(path)
    }

    fn link_target(&self, path: &Path) -> Result<PathBuf, PathError> {
        RealFileSystem.link_target(path)
    }

    fn create_directory(&self, path: &Path, private: bool) -> Result<(), PathError> {
        self.step("create the directory", path, || {}, || RealFileSystem.create_directory(path, private))
    }

    fn write_new(&self, path: &Path, bytes: &[u8], permissions: Permissions<'_>) -> Result<(), PathError> {
        let half = || {
            let _ = RealFileSystem.write_new(path, &bytes[..bytes.len() / 2], permissions);
        };
        self.step("write", path, half, || RealFileSystem.write_new(path, bytes, permissions))
    }

    fn open_lock(&self, path: &Path) -> Result<File, PathError> {
        self.step("open the lock file", path, || {}, || RealFileSystem.open_lock(path))
    }

    fn overwrite(&self, file: &File, path: &Path, bytes: &[u8]) -> Result<(), PathError> {
        let half = || {
            let _ = RealFileSystem.overwrite(file, path, &bytes[..bytes.len() / 2]);
        };
        self.step("write", path, half, || RealFileSystem.overwrite(file, path, bytes))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), PathError> {
        self.step("replace", to, || {}, || RealFileSystem.rename(from, to))
    }

    fn rename_new(&self, from: &Path, to: &Path) -> Result<(), PathError> {
        self.step("create", to, || {}, || RealFileSystem.rename_new(from, to))
    }

    fn exchange(&self, one: &Path, other: &Path) -> Result<(), PathError> {
        self.step("replace", other, || {}, || RealFileSystem.exchange(one, other))
    }

    fn remove(&self, path: &Path) -> Result<(), PathError> {
        self.step("remove", path, || {}, || RealFileSystem.remove(path))
    }

    fn remove_directory(&self, path: &Path) -> Result<(), PathError> {
        self.step("remove the directory", path, || {}, || RealFileSystem.remove_directory(path))
    }

    fn sync_directory(&self, directory: &Path) -> Result<(), PathError> {
        self.step("sync the directory", directory, || {}, || RealFileSystem.sync_directory(directory))
    }

    fn set_modified(&self, path: &Path, time: Timestamp) -> Result<(), PathError> {
        self.step("set the time of", path, || {}, || RealFileSystem.set_modified(path, time))
    }
}
