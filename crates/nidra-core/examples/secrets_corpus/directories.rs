//! Ordinary text that lies on the machine.

use super::ordinary::Alarms;
use std::path::{Path, PathBuf};

/// Files of source and documents below a directory, in order, up to so many bytes.
pub(crate) fn directory(root: &Path, endings: &[&str], limit: usize) -> Alarms {
    let mut alarms = Alarms::default();
    let mut waiting = vec![root.to_owned()];
    while let Some(directory) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(&directory) else { continue };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort_unstable();
        for path in paths {
            if path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                waiting.push(path);
                continue;
            }
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if !endings.iter().any(|ending| name.ends_with(ending)) {
                continue;
            }
            if let Ok(text) = std::fs::read_to_string(&path) {
                alarms.read(&path.to_string_lossy(), &text);
            }
            if alarms.bytes >= limit {
                return alarms;
            }
        }
    }
    alarms
}
