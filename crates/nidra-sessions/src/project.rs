//! Which project a directory belongs to: one function that every part uses.
//!
//! The identity is a hash of the canonical root, so two projects never share one. No program is
//! started: the directories above are looked at, and what git left in `.git` is read. `/` and home
//! directories never become the root of what lies below them.

use crate::plain_file;
use nidra_core::ProjectId;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Bytes of a `.git` file or `commondir` that are read; real ones are one short line.
const POINTER: u64 = 16 * 1024;

/// A project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// Its identity.
    pub id: ProjectId,
    /// The canonical root: the main checkout of a repository, or the directory itself without one.
    pub root: PathBuf,
    /// The root of this work tree; the same as `root` in the main checkout.
    pub checkout: PathBuf,
}

/// Finds the project of a directory. With `share_worktrees`, all linked work trees of a repository are
/// one project; without, each is its own. The directory need not exist any more.
///
/// Where no home directory is known, `/root` and the directories right below `/home` and `/Users` (on
/// any drive) are taken for such.
pub fn identify(directory: &Path, share_worktrees: bool) -> Project {
    identify_with_home(directory, share_worktrees, None)
}

/// Like [`identify`], with the user's home directory, which never becomes the root of a directory below.
pub fn identify_with_home(directory: &Path, share_worktrees: bool, home: Option<&Path>) -> Project {
    let directory = canonical(directory);
    let home = home.map(canonical);
    // What is not absolute by now does not exist here; it must not be looked for where this process runs.
    for ancestor in directory.ancestors().take_while(|_| directory.is_absolute()) {
        let shared = ancestor != directory;
        if shared && (is_home(ancestor, home.as_deref()) || ancestor.parent().is_none()) {
            break;
        }
        let Some(main) = repository(ancestor) else { continue };
        let main_is_home = is_home(&main, home.as_deref()) || main.parent().is_none();
        let root = if share_worktrees && !main_is_home { main } else { ancestor.to_owned() };
        return Project { id: id(&root), root, checkout: ancestor.to_owned() };
    }
    Project { id: id(&directory), root: directory.clone(), checkout: directory }
}

/// The identity of a canonical root.
pub fn id(root: &Path) -> ProjectId {
    ProjectId::new(&blake3::hash(&comparison_key(root)).to_hex()[..16])
}

/// Whether two paths name the same place: `C:\x`, `c:/x` and `/mnt/c/x` do.
pub fn is_same(left: &Path, right: &Path) -> bool {
    comparison_key(left) == comparison_key(right)
}

/// Whether a directory is this one or lies below it, by whole components.
pub fn is_within(directory: &Path, ancestor: &Path) -> bool {
    let (directory, ancestor) = (comparison_key(directory), comparison_key(ancestor));
    let Some(rest) = directory.strip_prefix(ancestor.as_slice()) else { return false };
    rest.is_empty() || rest.starts_with(b"/") || ancestor.ends_with(b"/")
}

/// A path in the form in which paths are compared: on Windows drives with a lower-case drive letter and
/// slashes, wherever they are seen from; any other path byte for byte.
fn comparison_key(path: &Path) -> Vec<u8> {
    let bytes = path.as_os_str().as_encoded_bytes();
    let (drive, rest) = if let Some(windows) = windows_drive(bytes) {
        windows
    } else if let Some([drive, rest @ ..]) = bytes.strip_prefix(b"/mnt/")
        && drive.is_ascii_alphabetic()
        && matches!(rest.first(), None | Some(b'/'))
    {
        (*drive, rest)
    } else {
        return trimmed(bytes.to_vec());
    };
    let mut key = vec![drive.to_ascii_lowercase(), b':'];
    key.extend(rest.iter().map(|&byte| if byte == b'\\' { b'/' } else { byte }));
    trimmed(key)
}

/// The drive letter and the rest of a path in the form `C:\x`.
fn windows_drive(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let bytes = bytes.strip_prefix(br"\\?\").unwrap_or(bytes);
    let [drive, b':', rest @ ..] = bytes else { return None };
    (drive.is_ascii_alphabetic() && matches!(rest.first(), None | Some(b'\\' | b'/')))
        .then_some((*drive, rest))
}

/// Without the slashes at the end, of which a root keeps one.
fn trimmed(mut key: Vec<u8>) -> Vec<u8> {
    while key.len() > 1 && key.ends_with(b"/") {
        key.pop();
    }
    key
}

/// The canonical form of a path. Of what does not exist any more, the part that does is resolved and
/// the rest is kept as written.
pub fn canonical(path: &Path) -> PathBuf {
    if let Ok(canonical) = path.canonicalize() {
        return canonical;
    }
    // The working directory of a client on Windows, seen from the Linux side.
    if cfg!(unix)
        && windows_drive(path.as_os_str().as_encoded_bytes()).is_some()
        && let Some((drive, rest)) =
            path.to_str().and_then(|text| text.trim_start_matches(r"\\?\").split_once(':'))
        && let Ok(canonical) =
            Path::new(&format!("/mnt/{}{}", drive.to_ascii_lowercase(), rest.replace('\\', "/")))
                .canonicalize()
    {
        return canonical;
    }
    let lexical = without_dots(path);
    let mut missing: Vec<OsString> = Vec::new();
    let mut existing = lexical.as_path();
    while let (Some(parent), Some(name)) = (existing.parent(), existing.file_name()) {
        missing.push(name.to_owned());
        existing = parent;
        if existing.as_os_str().is_empty() {
            break;
        }
        if let Ok(mut canonical) = existing.canonicalize() {
            canonical.extend(missing.iter().rev());
            return canonical;
        }
    }
    lexical
}

fn without_dots(path: &Path) -> PathBuf {
    let mut lexical = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                lexical.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => lexical.push(component),
        }
    }
    lexical
}

fn is_home(path: &Path, home: Option<&Path>) -> bool {
    if let Some(home) = home {
        return path == home;
    }
    let parent = path.parent().map(comparison_key).unwrap_or_default();
    let parent = match parent.as_slice() {
        [_, b':', below @ ..] => below,
        whole => whole,
    };
    path == Path::new("/root") || parent == b"/home" || parent == b"/Users"
}

/// The main checkout of the repository whose work tree has its root here; `None` if none has.
fn repository(directory: &Path) -> Option<PathBuf> {
    let dot_git = directory.join(".git");
    let metadata = fs::metadata(&dot_git).ok()?;
    if metadata.is_dir() {
        // Git itself does not take an empty `.git` for a repository.
        return dot_git.join("HEAD").symlink_metadata().is_ok().then(|| directory.to_owned());
    }
    let pointer = read_line(&dot_git)?;
    let git_directory = directory.join(pointer.strip_prefix("gitdir:")?.trim());
    Some(main_checkout(&git_directory, &dot_git).unwrap_or_else(|| directory.to_owned()))
}

/// The main checkout that a linked work tree's git directory belongs to. A submodule has none.
fn main_checkout(git_directory: &Path, dot_git: &Path) -> Option<PathBuf> {
    let git_directory = git_directory.canonicalize().ok()?;
    let common = match read_line(&git_directory.join("commondir")) {
        Some(common) => git_directory.join(common.trim()),
        None => git_directory
            .ancestors()
            .nth(2)
            .filter(|_| {
                git_directory.parent().and_then(Path::file_name).is_some_and(|name| name == "worktrees")
            })?
            .to_owned(),
    };
    // A checkout could claim to be the work tree of someone else's repository; that repository knows
    // its own.
    if let Some(back) = read_line(&git_directory.join("gitdir")) {
        let back = git_directory.join(back.trim());
        if back.canonicalize().ok()? != dot_git.canonicalize().ok()? {
            return None;
        }
    }
    let common = common.canonicalize().ok()?;
    if common.file_name().is_some_and(|name| name == ".git") {
        return common.parent().map(Path::to_owned);
    }
    // A bare repository has no checkout: all its work trees share its own directory.
    Some(common)
}

fn read_line(path: &Path) -> Option<String> {
    let text = String::from_utf8(plain_file::beginning(path, POINTER)?).ok()?;
    Some(text.lines().next().unwrap_or_default().to_owned())
}
