//! The files of a checkout that no rule ignores.

use super::relative;
use ignore::WalkBuilder;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use nidra_rules::drift::is_dependency_folder;
use std::path::Path;

/// What a walk found.
pub(super) struct Tree {
    /// Files, relative to the root, in order.
    pub files: Vec<String>,
    /// Folders that hold files, the outermost first.
    pub folders: Vec<String>,
    /// Nothing was left out for the sake of the bound.
    pub whole: bool,
    rules: Gitignore,
    root: std::path::PathBuf,
}

impl Tree {
    /// Walks a checkout. Rules outside of it do not count: they differ from machine to machine.
    pub(super) fn walk(root: &Path, most: usize) -> Self {
        let walk = WalkBuilder::new(root)
            .hidden(false)
            .parents(false)
            .git_global(false)
            .require_git(false)
            .follow_links(false)
            .same_file_system(true)
            .filter_entry(|entry| {
                let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
                !(folder && entry.file_name().to_str().is_some_and(is_dependency_folder))
            })
            .build();
        let (mut files, mut whole) = (Vec::new(), true);
        for entry in walk {
            // What may not be read could hold anything.
            let Ok(entry) = entry else {
                whole = false;
                continue;
            };
            if entry.file_type().is_some_and(|kind| kind.is_dir()) {
                continue;
            }
            if files.len() >= most {
                whole = false;
                break;
            }
            files.extend(relative(root, entry.path()));
        }
        files.sort_unstable();
        let mut folders: Vec<String> =
            files.iter().filter_map(|path| Some(path.rsplit_once('/')?.0.to_owned())).collect();
        folders.dedup();
        folders.sort_by_cached_key(|folder| super::depth(folder));
        let mut rules = GitignoreBuilder::new(root);
        let _unread = rules.add(root.join(".gitignore"));
        let rules = rules.build().unwrap_or_else(|_| Gitignore::empty());
        Self { files, folders, whole, rules, root: root.to_owned() }
    }

    /// Whether the rules at the root ignore a path, be it a file or a folder.
    pub(super) fn ignores(&self, path: &str) -> bool {
        let path = super::below(&self.root, path);
        [false, true]
            .into_iter()
            .any(|folder| self.rules.matched_path_or_any_parents(&path, folder).is_ignore())
    }
}
