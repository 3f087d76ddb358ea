//! How many calls are in flight on this machine: each takes a slot, a file that the kernel locks. A process that dies
//! frees its slot at once, so nothing has to be cleared up.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The pause between two looks for a free slot.
const PAUSE: Duration = Duration::from_millis(50);

/// The slots of this machine.
#[derive(Clone, Debug)]
pub struct Slots {
    directory: PathBuf,
    count: u32,
}

/// A slot that is taken until the value goes away.
#[derive(Debug)]
pub struct Slot {
    _file: File,
}

impl Slots {
    /// So many slots, as files of this directory; at least one.
    pub fn new(directory: &Path, count: u32) -> Self {
        Self { directory: directory.to_owned(), count: count.max(1) }
    }

    /// Takes a slot; waits for one as long as this. `None` when there was none.
    ///
    /// # Errors
    /// When the files cannot be used.
    pub fn take(&self, patience: Duration) -> io::Result<Option<Slot>> {
        fs::create_dir_all(&self.directory)?;
        let begin = Instant::now();
        loop {
            for number in 0..self.count {
                let path = self.directory.join(format!("slot-{number}"));
                let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
                match file.try_lock() {
                    Ok(()) => return Ok(Some(Slot { _file: file })),
                    Err(TryLockError::WouldBlock) => {}
                    Err(TryLockError::Error(error)) => return Err(error),
                }
            }
            if begin.elapsed() >= patience {
                return Ok(None);
            }
            std::thread::sleep(PAUSE.min(patience));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_free_again_when_its_holder_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let slots = Slots::new(&folder.path().join("in-flight"), 2);
        let first = slots.take(Duration::ZERO).unwrap().unwrap();
        let _second = slots.take(Duration::ZERO).unwrap().unwrap();
        assert!(slots.take(Duration::from_millis(80)).unwrap().is_none());
        drop(first);
        assert!(slots.take(Duration::ZERO).unwrap().is_some());
    }
}
