//! A file system on which something happens at chosen operations: the user edits a file, or the process dies.
//! Reading counts as an operation too, so that events come between a look and the write that relies on it.

use crate::user::{Style, User};
use jiff::Timestamp;
use nidra_core::error::PathError;
use nidra_memory::atomic::{FileSystem, Moment, Permissions, RealFileSystem, Status};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// What happens.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// The user edits a file.
    Edit(String, Style),
    /// The process dies.
    Die(Moment),
}

/// What a death unwinds with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Died;

#[derive(Debug)]
pub(crate) struct Eventful {
    state: Mutex<State>,
    user: Arc<Mutex<User>>,
}

#[derive(Debug)]
struct State {
    count: u64,
    dead: bool,
    events: Vec<(u64, Event)>,
}

impl Eventful {
    /// Events by the number of the operation before which they happen.
    pub(crate) fn new(user: &Arc<Mutex<User>>, events: Vec<(u64, Event)>) -> Self {
        Self { state: Mutex::new(State { count: 0, dead: false, events }), user: Arc::clone(user) }
    }

    /// What still has to happen at this operation; a death comes last.
    fn step(&self) -> Option<Moment> {
        let (edits, death) = {
            let mut state = self.state.lock().unwrap();
            if state.dead {
                return Some(Moment::Before);
            }
            let number = state.count;
            state.count += 1;
            let due: Vec<Event> =
                state.events.iter().filter(|(at, _)| *at == number).map(|(_, event)| event.clone()).collect();
            let death = due.iter().find_map(|event| match event {
                Event::Die(moment) => Some(*moment),
                Event::Edit(..) => None,
            });
            (due, death)
        };
        for event in edits {
            if let Event::Edit(path, style) = event {
                self.user.lock().unwrap().edit(&path, style);
            }
        }
        death
    }

    fn die(&self) -> PathError {
        let dead = std::mem::replace(&mut self.state.lock().unwrap().dead, true);
        if !dead {
            // Not a panic: nobody has to hear of it.
            std::panic::resume_unwind(Box::new(Died));
        }
        PathError::wrap("use", Path::new("nothing"))(io::Error::other("the process is dead"))
    }

    fn look<T>(&self, operation: impl FnOnce() -> Result<T, PathError>) -> Result<T, PathError> {
        if self.step().is_some() { Err(self.die()) } else { operation() }
    }

    fn change<T>(
        &self,
        half: impl FnOnce(),
        operation: impl FnOnce() -> Result<T, PathError>,
    ) -> Result<T, PathError> {
        let dead = self.state.lock().unwrap().dead;
        match self.step() {
            None => return operation(),
            Some(_) if dead => {}
            Some(Moment::Before) => {}
            Some(Moment::Half) => half(),
            Some(Moment::After) => {
                let _ = operation();
            }
        }
        Err(self.die())
    }
}

impl FileSystem for Eventful {
    fn read(&self, path: &Path) -> Result<Vec<u8>, PathError> {
        self.look(|| RealFileSystem.read(path))
    }
    fn status(&self, path: &Path) -> Result<Option<Status>, PathError> {
        self.look(|| RealFileSystem.status(path))
    }
    fn list(&self, directory: &Path) -> Result<Vec<OsString>, PathError> {
        self.look(|| RealFileSystem.list(directory))
    }
    fn canonical(&self, path: &Path) -> Result<PathBuf, PathError> {
        self.look(|| RealFileSystem.canonical(path))
    }
    fn link_target(&self, path: &Path) -> Result<PathBuf, PathError> {
        self.look(|| RealFileSystem.link_target(path))
    }
    fn create_directory(&self, path: &Path, private: bool) -> Result<(), PathError> {
        self.change(|| {}, || RealFileSystem.create_directory(path, private))
    }
    fn write_new(&self, path: &Path, bytes: &[u8], permissions: Permissions<'_>) -> Result<(), PathError> {
        let half = || {
            let _ = RealFileSystem.write_new(path, &bytes[..bytes.len() / 2], permissions);
        };
        self.change(half, || RealFileSystem.write_new(path, bytes, permissions))
    }
    fn open_lock(&self, path: &Path) -> Result<File, PathError> {
        self.change(|| {}, || RealFileSystem.open_lock(path))
    }
    fn overwrite(&self, file: &File, path: &Path, bytes: &[u8]) -> Result<(), PathError> {
        let half = || {
            let _ = RealFileSystem.overwrite(file, path, &bytes[..bytes.len() / 2]);
        };
        self.change(half, || RealFileSystem.overwrite(file, path, bytes))
    }
    fn rename(&self, from: &Path, to: &Path) -> Result<(), PathError> {
        self.change(|| {}, || RealFileSystem.rename(from, to))
    }
    fn rename_new(&self, from: &Path, to: &Path) -> Result<(), PathError> {
        // By half: the link is made and the old name is still there.
        let half = || {
            let _ = std::fs::hard_link(from, to);
        };
        self.change(half, || RealFileSystem.rename_new(from, to))
    }
    fn exchange(&self, one: &Path, other: &Path) -> Result<(), PathError> {
        self.change(|| {}, || RealFileSystem.exchange(one, other))
    }
    fn remove(&self, path: &Path) -> Result<(), PathError> {
        self.change(|| {}, || RealFileSystem.remove(path))
    }
    fn remove_directory(&self, path: &Path) -> Result<(), PathError> {
        self.change(|| {}, || RealFileSystem.remove_directory(path))
    }
    fn sync_directory(&self, directory: &Path) -> Result<(), PathError> {
        // Nothing can be lost from a file system in memory by a power failure.
        self.change(
            || {},
            || if directory.exists() { Ok(()) } else { RealFileSystem.sync_directory(directory) },
        )
    }
    fn set_modified(&self, path: &Path, time: Timestamp) -> Result<(), PathError> {
        self.change(|| {}, || RealFileSystem.set_modified(path, time))
    }
}
