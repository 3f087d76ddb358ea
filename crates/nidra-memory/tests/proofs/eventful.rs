//! A file system on which something happens at chosen operations: the user edits a file, or the process dies.
//! Reading counts as an operation too, so that events come between a look and the write that relies on it.

use crate::user::{Style, User};
use jiff::Timestamp;
use nidra_core::error::PathError;
use nidra_memory::atomic::{FileSystem, Moment, Permissions, RealFileSystem, Status, TEMPORARY_PREFIX};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// When something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// Before the operation with this number.
    At(u64),
    /// So many operations after the one that replaces or takes away a memory file, counted from 0; with 0
    /// right before that one itself.
    Swap(u64, u64),
}

/// What happens.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// The user edits a file; without a path the one that is being replaced.
    Edit(Option<String>, Style),
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
    swaps: u64,
    dead: bool,
    events: Vec<(When, Event)>,
}

impl Eventful {
    pub(crate) fn new(user: &Arc<Mutex<User>>, events: Vec<(When, Event)>) -> Self {
        Self { state: Mutex::new(State { count: 0, swaps: 0, dead: false, events }), user: Arc::clone(user) }
    }

    /// What still has to happen before this operation; a death comes last. `swapped` is the memory file that
    /// it replaces or takes away, and `last` says that it follows a last look at a file which is to go.
    fn step(&self, swapped: Option<&Path>, last: bool) -> Option<Moment> {
        let due: Vec<Event> = {
            let mut state = self.state.lock().unwrap();
            if state.dead {
                return Some(Moment::Before);
            }
            let number = state.count;
            state.count += 1;
            let swapped = swapped.and_then(|place| self.user.lock().unwrap().known(place));
            if let Some(path) = swapped {
                let swap = state.swaps;
                state.swaps += 1;
                for (when, event) in &mut state.events {
                    if let When::Swap(of, after) = *when
                        && of == swap
                    {
                        *when = When::At(number + after);
                        if let Event::Edit(file @ None, _) = event {
                            *file = Some(path.clone());
                        }
                    }
                }
            }
            let due = state.events.iter().filter(|(when, _)| *when == When::At(number));
            due.map(|(_, event)| event.clone()).collect()
        };
        let mut death = None;
        for event in due {
            match event {
                // Nobody can see what is written after the last look.
                Event::Edit(_, Style::WriteOpened) if last => self.user.lock().unwrap().forget(),
                Event::Edit(path, style) => self.user.lock().unwrap().edit(&path.unwrap_or_default(), style),
                Event::Die(moment) => death = Some(moment),
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

    fn look<T>(&self, last: bool, operation: impl FnOnce() -> Result<T, PathError>) -> Result<T, PathError> {
        if self.step(None, last).is_some() { Err(self.die()) } else { operation() }
    }

    fn change<T>(
        &self,
        swapped: Option<&Path>,
        last: bool,
        half: impl FnOnce(),
        operation: impl FnOnce() -> Result<T, PathError>,
    ) -> Result<T, PathError> {
        let dead = self.state.lock().unwrap().dead;
        match self.step(swapped, last) {
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

/// Whether a path is one that a replaced file stands at.
fn is_aside(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.strip_prefix(TEMPORARY_PREFIX)
        .is_some_and(|rest| rest.starts_with("was-") || rest.starts_with("late-"))
}

impl FileSystem for Eventful {
    fn read(&self, path: &Path) -> Result<Vec<u8>, PathError> {
        self.look(false, || RealFileSystem.read(path))
    }
    fn status(&self, path: &Path) -> Result<Option<Status>, PathError> {
        self.look(is_aside(path), || RealFileSystem.status(path))
    }
    fn list(&self, directory: &Path) -> Result<Vec<OsString>, PathError> {
        self.look(false, || RealFileSystem.list(directory))
    }
    fn canonical(&self, path: &Path) -> Result<PathBuf, PathError> {
        self.look(false, || RealFileSystem.canonical(path))
    }
    fn link_target(&self, path: &Path) -> Result<PathBuf, PathError> {
        self.look(false, || RealFileSystem.link_target(path))
    }
    fn create_directory(&self, path: &Path, private: bool) -> Result<(), PathError> {
        self.change(None, false, || {}, || RealFileSystem.create_directory(path, private))
    }
    fn write_new(&self, path: &Path, bytes: &[u8], permissions: Permissions<'_>) -> Result<(), PathError> {
        let half = || {
            let _ = RealFileSystem.write_new(path, &bytes[..bytes.len() / 2], permissions);
        };
        self.change(None, false, half, || RealFileSystem.write_new(path, bytes, permissions))
    }
    fn open_lock(&self, path: &Path) -> Result<File, PathError> {
        self.change(None, false, || {}, || RealFileSystem.open_lock(path))
    }
    fn overwrite(&self, file: &File, path: &Path, bytes: &[u8]) -> Result<(), PathError> {
        let half = || {
            let _ = RealFileSystem.overwrite(file, path, &bytes[..bytes.len() / 2]);
        };
        self.change(None, false, half, || RealFileSystem.overwrite(file, path, bytes))
    }
    fn rename(&self, from: &Path, to: &Path) -> Result<(), PathError> {
        let swapped = is_aside(to).then_some(from);
        self.change(swapped, false, || {}, || RealFileSystem.rename(from, to))
    }
    fn rename_new(&self, from: &Path, to: &Path) -> Result<(), PathError> {
        // By half: the link is made and the old name is still there.
        let half = || {
            let _ = std::fs::hard_link(from, to);
        };
        self.change(None, false, half, || RealFileSystem.rename_new(from, to))
    }
    fn exchange(&self, one: &Path, other: &Path) -> Result<(), PathError> {
        self.change(Some(other), false, || {}, || RealFileSystem.exchange(one, other))
    }
    fn remove(&self, path: &Path) -> Result<(), PathError> {
        self.change(None, is_aside(path), || {}, || RealFileSystem.remove(path))
    }
    fn remove_directory(&self, path: &Path) -> Result<(), PathError> {
        self.change(None, false, || {}, || RealFileSystem.remove_directory(path))
    }
    fn sync_directory(&self, directory: &Path) -> Result<(), PathError> {
        // Nothing can be lost from a file system in memory by a power failure.
        self.change(
            None,
            false,
            || {},
            || if directory.exists() { Ok(()) } else { RealFileSystem.sync_directory(directory) },
        )
    }
    fn set_modified(&self, path: &Path, time: Timestamp) -> Result<(), PathError> {
        self.change(None, false, || {}, || RealFileSystem.set_modified(path, time))
    }
}
