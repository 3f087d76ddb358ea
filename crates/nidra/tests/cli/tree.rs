//! What stands on disk, to be compared: nothing may change that is not meant to.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The bytes of a file, shown as text when they are not what they should be.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Bytes(Vec<u8>);

impl std::fmt::Debug for Bytes {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:?}", String::from_utf8_lossy(&self.0))
    }
}

impl std::ops::Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// Everything below a folder: for each name its bytes (a link's target, nothing for a folder) and its time.
pub(crate) type Exact = BTreeMap<PathBuf, (Bytes, SystemTime)>;

/// Every byte and every time stamp below a folder, the folder itself included. Empty where there is none.
pub(crate) fn exact(root: &Path) -> Exact {
    let mut found = Exact::new();
    walk(root, &mut found);
    found
}

/// Asserts that a folder is in every byte and time stamp what it was.
#[track_caller]
pub(crate) fn assert_same(root: &Path, before: &Exact) {
    let after = exact(root);
    let changed: Vec<&PathBuf> = after
        .iter()
        .filter(|(path, state)| before.get(*path) != Some(*state))
        .map(|(path, _)| path)
        .chain(before.keys().filter(|path| !after.contains_key(*path)))
        .collect();
    assert!(changed.is_empty(), "changed: {changed:?}");
}

/// Every file below a folder with its bytes, by relative path.
pub(crate) fn files(root: &Path) -> BTreeMap<String, Bytes> {
    exact(root)
        .into_iter()
        .filter(|(path, _)| fs::symlink_metadata(path).is_ok_and(|metadata| !metadata.is_dir()))
        .map(|(path, (bytes, _))| {
            (path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned(), bytes)
        })
        .collect()
}

/// The files of a memory directory without the two locks, which are no memory.
pub(crate) fn memory(root: &Path) -> BTreeMap<String, Bytes> {
    let locks = [".nidra.lock", ".nidra.guard", ".consolidate-lock"];
    files(root).into_iter().filter(|(name, _)| !locks.contains(&name.as_str())).collect()
}

/// All words of a memory directory.
pub(crate) fn words(root: &Path) -> String {
    memory(root)
        .values()
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

fn walk(path: &Path, found: &mut Exact) {
    let Ok(metadata) = fs::symlink_metadata(path) else { return };
    let bytes = if metadata.is_symlink() {
        fs::read_link(path).unwrap().into_os_string().into_encoded_bytes()
    } else if metadata.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            walk(&entry.unwrap().path(), found);
        }
        Vec::new()
    } else {
        fs::read(path).unwrap_or_default()
    };
    found.insert(path.to_owned(), (Bytes(bytes), metadata.modified().unwrap()));
}

/// Texts with the identifiers of runs in them made alike, so that memories of several runs can be compared.
pub(crate) fn without_runs(memory: &BTreeMap<String, Bytes>) -> BTreeMap<String, Bytes> {
    memory.iter().map(|(name, bytes)| (name.clone(), Bytes(without_run(bytes)))).collect()
}

/// `20261201-200000-1a2b` becomes `RUN`.
fn without_run(bytes: &[u8]) -> Vec<u8> {
    let is_run = |window: &[u8]| {
        window.iter().enumerate().all(|(position, byte)| match position {
            8 | 15 => *byte == b'-',
            0..16 => byte.is_ascii_digit(),
            _ => byte.is_ascii_hexdigit(),
        })
    };
    let mut text = Vec::new();
    let mut rest = bytes;
    while let Some(byte) = rest.first() {
        if rest.len() >= 20 && is_run(&rest[..20]) {
            text.extend_from_slice(b"RUN");
            rest = &rest[20..];
        } else {
            text.push(*byte);
            rest = &rest[1..];
        }
    }
    text
}
