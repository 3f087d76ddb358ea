//! Many slow file operations at once. Most of a write's time is the wait for the disk, and a file system brings
//! what is synced at the same moment to the disk in one go.
//!
//! Only operations that do not depend on each other's order may be done this way.

use super::FileSystem;
use nidra_core::error::PathError;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Below this many, threads cost more than they save.
const FEWEST: usize = 8;

/// How many threads wait for the disk at once.
const THREADS: usize = 4;

/// Does the same for each item, many at once, and returns the answers in the order of the items. All are done,
/// whatever becomes of the others.
pub fn together<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    if items.len() < FEWEST {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return done };
            done.push((index, work(item)));
        }
    };
    let mut answers: Vec<(usize, R)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(worker)).collect();
        let joined = threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        joined.collect()
    });
    answers.sort_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

/// Makes what changed in these directories durable.
pub fn sync_directories(files: &dyn FileSystem, directories: &BTreeSet<PathBuf>) -> Result<(), PathError> {
    let directories: Vec<&PathBuf> = directories.iter().collect();
    together(&directories, |directory| files.sync_directory(directory)).into_iter().collect()
}
