//! A folder that commands are held in, and what lies beside it.

use nidra_agent::shell::Root;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder with memory, and a secret beside it.
pub(crate) struct World {
    folder: TempDir,
    pub(crate) root: Root,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("inside");
        fs::create_dir_all(inside.join("memory/deep er")).unwrap();
        fs::create_dir_all(inside.join("sessions")).unwrap();
        let write = |name: &str, text: &str| fs::write(inside.join(name), text).unwrap();
        write("memory/MEMORY.md", "- [Ports](ports.md) — Staging listens on port 4310.\n");
        write("memory/ports.md", "Staging listens on port 4310.\n\nProduction listens on port 443.\n");
        write("memory/端口.md", "预发环境监听端口 4310。\n");
        write("memory/-exec", "a name that looks like a flag\n");
        write("memory/deep er/two words.md", "b\na\nb\n");
        write("memory/.hidden.md", "hidden\n");
        write("sessions/s1.txt", "person: staging listens on 4310 now\nagent: noted\n");
        fs::write(folder.path().join("secret.txt"), "the planted secret\n").unwrap();
        symlink("../memory/ports.md", inside.join("sessions/link")).unwrap();
        let root = Root::new(&inside).unwrap();
        Self { folder, root }
    }

    /// The folder that holds everything.
    pub(crate) fn outer(&self) -> &Path {
        self.folder.path()
    }

    /// Everything below the outer folder: kind, bytes and mode of each name.
    pub(crate) fn tree(&self) -> BTreeMap<PathBuf, String> {
        tree(self.outer())
    }
}

/// Kind, mode and bytes of each name below a folder.
pub(crate) fn tree(root: &Path) -> BTreeMap<PathBuf, String> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            let words = if metadata.is_dir() {
                folders.push(path.clone());
                "folder".to_owned()
            } else if metadata.is_symlink() {
                format!("link to {}", fs::read_link(&path).unwrap().display())
            } else {
                format!("{:?}", fs::read(&path).unwrap())
            };
            found.insert(path, format!("{:o} {words}", metadata.permissions().mode()));
        }
    }
    found
}
