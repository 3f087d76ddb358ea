//! What is fuzzed: everything that nidra reads and did not write, or wrote and somebody may have damaged.
//!
//! Each target takes any bytes, says what must hold for all of them, and panics where it does not. None of them touches
//! anything outside a folder of its own that goes when it is done.

mod gate;
mod hook;
mod journal;
mod memory;
mod settings;
mod spool;
mod transcript;

use std::path::Path;

/// What stands between the parts of an input that consists of several files, in a line of its own.
const SEPARATOR: &[u8] = b"%%%\n";

/// Runs one input through a target.
pub(crate) fn run(target: &str, data: &[u8]) {
    match target {
        "gate" => gate::run(data),
        "hook" => hook::run(data),
        "journal" => journal::run(data),
        "memory" => memory::run(data),
        "settings" => settings::run(data),
        "spool" => spool::run(data),
        "transcript" => transcript::run(data),
        other => panic!("there is no target {other:?}"),
    }
}

/// A folder of its own, in memory where there is such a place.
fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder can be made")
}

/// The parts of an input; those that it does not have are empty.
fn parts<const N: usize>(data: &[u8]) -> [&[u8]; N] {
    let mut rest = Some(data);
    std::array::from_fn(|number| {
        let Some(whole) = rest.take() else { return [].as_slice() };
        let found = whole.windows(SEPARATOR.len()).position(|window| window == SEPARATOR);
        match found {
            Some(at) if number + 1 < N => {
                rest = Some(&whole[at + SEPARATOR.len()..]);
                &whole[..at]
            }
            Some(_) | None => whole,
        }
    })
}

/// Writes a file whose folders may not be there yet.
fn write(path: &Path, bytes: &[u8]) {
    std::fs::create_dir_all(path.parent().expect("it stands in a folder")).expect("folders can be made");
    std::fs::write(path, bytes).expect("a file can be written");
}
