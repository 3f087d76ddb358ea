//! What stands on disk, to be compared: nothing may change that is not meant to.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Everything below a folder: for each name its bytes (a link's target, nothing for a folder) and its time.
pub(crate) type Exact = BTreeMap<PathBuf, (Vec<u8>, SystemTime)>;

/// Every byte and every time stamp below a folder, the folder itself included. Empty where there is none.
pub(crate) fn exact(root: &Path) -> Exact {
    let mut found = Exact::new();
    walk(root, &mut found);
    found
}

/// Every file below a folder with its bytes, by relative path.
pub(crate) fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    exact(root)
        .into_iter()
        .filter(|(path, _)| fs::symlink_metadata(path).is_ok_and(|metadata| !metadata.is_dir()))
        .map(|(path, (bytes, _))| {
            (path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned(), bytes)
        })
        .collect()
}

/// The files of a memory directory without the two locks, which are no memory.
pub(crate) fn memory(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let locks = [".nidra.lock", ".nidra.guard", ".consolidate-lock"];
    files(root).into_iter().filter(|(name, _)| !locks.contains(&name.as_str())).collect()
}

/// All words of a memory directory.
pub(crate) fn words(root: &Path) -> String {
    memory(root).values().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect::<Vec<_>>().join("\n")
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
    found.insert(path.to_owned(), (bytes, metadata.modified().unwrap()));
}
