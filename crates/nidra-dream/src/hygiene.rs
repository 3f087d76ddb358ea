//! Keeps lock files out of version control: a memory directory inside a work tree gets a `.gitignore` that names them.
//!
//! Memory files may be committed; locks never. A `.gitignore` that is there already is the user's and stays.

use nidra_core::error::PathError;
use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

/// The names that stay out of version control.
const IGNORED: &str = "# Locks of dreams; memory itself may be committed.\n.consolidate-lock\n.nidra.lock\n.nidra.guard\n.nidra-tmp-*\n.gitignore\n";

/// Hides the lock files of this memory directory, if it lies in a work tree and hides nothing yet.
///
/// # Errors
/// When the file cannot be written.
pub fn ignore_locks(memory_root: &Path) -> Result<(), PathError> {
    if !memory_root.ancestors().any(|folder| folder.join(".git").exists()) {
        return Ok(());
    }
    let path = memory_root.join(".gitignore");
    match File::create_new(&path).and_then(|mut file| file.write_all(IGNORED.as_bytes())) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(PathError::wrap("write", &path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_are_hidden_in_a_work_tree_only_and_a_users_file_stays() {
        let root = tempfile::tempdir().unwrap();
        let outside = root.path().join("outside");
        let inside = root.path().join("repo/notes/memory");
        std::fs::create_dir_all(&outside).unwrap();
        std::fs::create_dir_all(&inside).unwrap();
        std::fs::create_dir_all(root.path().join("repo/.git")).unwrap();
        ignore_locks(&outside).unwrap();
        assert!(!outside.join(".gitignore").exists());
        ignore_locks(&inside).unwrap();
        assert!(std::fs::read_to_string(inside.join(".gitignore")).unwrap().contains(".consolidate-lock"));
        std::fs::write(inside.join(".gitignore"), "mine").unwrap();
        ignore_locks(&inside).unwrap();
        assert_eq!(std::fs::read_to_string(inside.join(".gitignore")).unwrap(), "mine");
    }
}
