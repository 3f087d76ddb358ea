//! Reading a memory directory: everything is bounded, and nothing outside the root is read.

use super::role::{self, Role, Verdict};
use super::{FileState, MemoryDirectory, MemoryError};
use crate::index::INDEX_NAME;
use nidra_core::error::{Diagnostic, PathError};
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Bytes of one file that are read at most.
pub const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;
/// Folders inside each other at most.
const MAX_DEPTH: usize = 12;
/// Names at most.
const MAX_NAMES: usize = 20_000;

/// Reads a memory directory. One that does not exist is empty.
pub(super) fn load(root: &Path) -> Result<MemoryDirectory, MemoryError> {
    let mut memory = MemoryDirectory { root: root.to_owned(), ..MemoryDirectory::default() };
    match fs::symlink_metadata(root) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(memory),
        Err(error) => return Err(PathError::wrap("read", root)(error).into()),
        Ok(_) => {}
    }
    let real = fs::canonicalize(root).map_err(PathError::wrap("resolve", root))?;
    if !real.is_dir() {
        return Err(MemoryError::NotADirectory { path: root.to_owned() });
    }
    memory.merging = ["MERGE_HEAD", "rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD"]
        .iter()
        .find(|name| real.join(".git").join(name).exists())
        .map(|name| format!(".git/{name}"));
    let mut walk = Walk { real, memory, links: Vec::new(), names: 0 };
    walk.folder("", 0)?;
    walk.follow_links()?;
    Ok(walk.memory)
}

/// Checks that a directory that a project names for its memory does not leave that project through a link.
///
/// # Errors
/// When it resolves to a place outside; the error names both paths.
pub fn resolve_within(directory: &Path, project: &Path) -> Result<PathBuf, MemoryError> {
    let outer = fs::canonicalize(project).map_err(PathError::wrap("resolve", project))?;
    // The directory may not exist yet: then the nearest folder above it decides.
    let mut existing = directory;
    while fs::symlink_metadata(existing).is_err() {
        match existing.parent() {
            Some(parent) => existing = parent,
            None => break,
        }
    }
    let inner = fs::canonicalize(existing).map_err(PathError::wrap("resolve", existing))?;
    if inner.starts_with(&outer) {
        Ok(inner.join(directory.strip_prefix(existing).unwrap_or(Path::new(""))))
    } else {
        Err(MemoryError::LinkLeaves { path: directory.to_owned(), target: inner, root: outer })
    }
}

struct Walk {
    real: PathBuf,
    memory: MemoryDirectory,
    links: Vec<String>,
    names: usize,
}

impl Walk {
    fn report(&mut self, relative: &str, message: impl Into<String>) {
        self.memory.diagnostics.push(Diagnostic {
            path: self.memory.root.join(relative),
            line: None,
            offset: None,
            message: message.into(),
        });
    }

    fn ignore(&mut self, relative: &str, reason: impl Into<String>) {
        self.memory.others.insert(relative.to_owned(), reason.into());
    }

    fn folder(&mut self, relative: &str, depth: usize) -> Result<(), MemoryError> {
        let path = self.real.join(relative);
        let listing = match fs::read_dir(&path) {
            Ok(listing) => listing,
            Err(error) if relative.is_empty() => return Err(PathError::wrap("list", &path)(error).into()),
            Err(error) => {
                self.report(
                    relative,
                    format!("the folder cannot be listed ({error}); grant read access to it"),
                );
                self.ignore(relative, "a folder that cannot be listed");
                return Ok(());
            }
        };
        let mut names = Vec::new();
        for entry in listing {
            let entry = entry.map_err(PathError::wrap("list", &path))?;
            match entry.file_name().into_string() {
                Ok(name) => names.push(name),
                Err(name) => {
                    self.report(
                        relative,
                        format!("the name {} is not valid Unicode; the file is left alone", name.display()),
                    );
                    self.ignore(
                        &child_of(relative, &name.to_string_lossy()),
                        "a name that is not valid Unicode",
                    );
                }
            }
        }
        // The order that the system lists in must not show anywhere.
        names.sort_unstable();
        for name in names {
            self.names += 1;
            if self.names > MAX_NAMES {
                self.report(relative, format!("more than {MAX_NAMES} names; the rest is not read"));
                return Ok(());
            }
            self.name(&child_of(relative, &name), depth)?;
        }
        Ok(())
    }

    fn name(&mut self, relative: &str, depth: usize) -> Result<(), MemoryError> {
        let path = self.real.join(relative);
        let metadata = match fs::symlink_metadata(&path) {
            Ok(metadata) => metadata,
            // It went away between listing and reading.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => {
                self.report(relative, format!("it cannot be read ({error}); grant read access to it"));
                self.ignore(relative, "cannot be read");
                return Ok(());
            }
        };
        if metadata.is_dir() {
            match role::folder(relative) {
                Some(Verdict::Ignore(reason) | Verdict::Report(reason)) => self.ignore(relative, reason),
                Some(Verdict::Read(_)) | None if depth + 1 >= MAX_DEPTH => {
                    self.report(
                        relative,
                        format!("folders lie deeper than {MAX_DEPTH} levels; it is not read"),
                    );
                    self.ignore(relative, "too deep");
                }
                Some(Verdict::Read(_)) | None => self.folder(relative, depth + 1)?,
            }
            return Ok(());
        }
        let role = match role::file(relative) {
            Verdict::Ignore(reason) => {
                self.ignore(relative, reason);
                return Ok(());
            }
            Verdict::Report(reason) => {
                self.ignore(relative, reason);
                self.report(relative, reason);
                return Ok(());
            }
            Verdict::Read(role) => role,
        };
        if metadata.is_symlink() {
            self.links.push(relative.to_owned());
            return Ok(());
        }
        self.read(relative, &path, role)
    }

    fn read(&mut self, relative: &str, path: &Path, role: Role) -> Result<(), MemoryError> {
        match read_bounded(path) {
            Ok(bytes) => {
                self.memory.files.insert(relative.to_owned(), FileState { bytes, role });
                Ok(())
            }
            Err(error) if role == Role::Index => Err(error),
            Err(error) => {
                self.report(relative, error.to_string());
                self.ignore(relative, error.to_string());
                Ok(())
            }
        }
    }

    /// Links come last, so that it is known what they may point to.
    fn follow_links(&mut self) -> Result<(), MemoryError> {
        for relative in std::mem::take(&mut self.links) {
            let path = self.real.join(&relative);
            let target = match fs::canonicalize(&path) {
                Ok(target) => target,
                Err(error) => {
                    let message = format!("the link cannot be followed ({error}); mend or remove it");
                    if relative == INDEX_NAME {
                        return Err(PathError::wrap("follow the link", &path)(error).into());
                    }
                    self.report(&relative, message);
                    self.ignore(&relative, "a link to nothing");
                    continue;
                }
            };
            let inside = target.strip_prefix(&self.real).ok().map(Path::to_path_buf);
            let Some(inside) = inside else {
                let error = MemoryError::LinkLeaves { path, target, root: self.real.clone() };
                if relative == INDEX_NAME {
                    return Err(error);
                }
                self.report(&relative, error.to_string());
                self.ignore(&relative, "a link that leaves the memory directory");
                continue;
            };
            let parts: Option<Vec<&str>> = inside.iter().map(|part| part.to_str()).collect();
            let inside = parts.unwrap_or_default().join("/");
            if relative == INDEX_NAME && !inside.is_empty() {
                // The index may live elsewhere inside; the link stays a link.
                self.memory.others.remove(&inside);
                self.read(&inside, &target, Role::Index)?;
            }
            if self.memory.files.contains_key(&inside) {
                self.memory.aliases.insert(relative, inside);
            } else {
                self.report(
                    &relative,
                    format!("the link points to `{inside}`, which is no memory file; left alone"),
                );
                self.ignore(&relative, "a link to something that is no memory file");
            }
        }
        Ok(())
    }
}

/// The path of a name in a folder of the directory.
fn child_of(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Reads a regular file of bounded size.
fn read_bounded(path: &Path) -> Result<Vec<u8>, MemoryError> {
    let metadata = fs::symlink_metadata(path).map_err(PathError::wrap("read", path))?;
    // Opening a pipe would wait for its other end.
    if !metadata.is_file() {
        return Err(MemoryError::NotAFile { path: path.to_owned() });
    }
    if metadata.len() > MAX_FILE_BYTES {
        return Err(MemoryError::TooLarge { path: path.to_owned(), bytes: metadata.len() });
    }
    let file = fs::File::open(path).map_err(PathError::wrap("open", path))?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(PathError::wrap("read", path))?;
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if length > MAX_FILE_BYTES {
        return Err(MemoryError::TooLarge { path: path.to_owned(), bytes: length });
    }
    Ok(bytes)
}
