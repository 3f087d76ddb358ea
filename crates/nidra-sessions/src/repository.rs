//! What a repository is known by wherever it lies: where it is pulled from, else the first line of its own log.
//!
//! Git is not started; what it left in `.git` is read.

use crate::plain_file;
use std::path::{Path, PathBuf};

/// Bytes of a configuration or a log that are read.
const LIMIT: u64 = 64 * 1024;

/// A hash that stays the same when the repository at this root moves or is cloned again; `None` where there is no
/// repository, or nothing in it to know it by.
pub fn identity(root: &Path) -> Option<String> {
    let git = directories(root).map(|git| git.common).or_else(|| is_bare(root).then(|| root.to_owned()))?;
    let origin = read(&git.join("config")).and_then(|config| origin(&config)).map(|url| address(&url));
    let known_by = origin.or_else(|| {
        let log = read(&git.join("logs/HEAD"))?;
        log.lines().next().filter(|line| !line.is_empty()).map(str::to_owned)
    })?;
    Some(blake3::hash(known_by.as_bytes()).to_hex()[..16].to_owned())
}

/// Where git keeps what it knows of a checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitDirectories {
    /// What belongs to this work tree alone: `HEAD`.
    pub own: PathBuf,
    /// What all work trees share: configuration, branches.
    pub common: PathBuf,
}

/// Finds git's directories of the checkout with this root; `None` where it is no repository's work tree.
pub fn directories(root: &Path) -> Option<GitDirectories> {
    let dot_git = root.join(".git");
    let own = if dot_git.is_dir() {
        dot_git
    } else {
        let pointer = read(&dot_git)?;
        root.join(pointer.lines().next()?.strip_prefix("gitdir:")?.trim())
    };
    let common = read(&own.join("commondir")).map_or_else(|| own.clone(), |common| own.join(common.trim()));
    own.is_dir().then_some(GitDirectories { own, common })
}

/// The branch that is checked out in the work tree with this root; `None` for a commit alone, and where there is no
/// repository.
pub fn branch(root: &Path) -> Option<String> {
    let head = read(&directories(root)?.own.join("HEAD"))?;
    head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
}

/// Whether a directory is a bare repository.
fn is_bare(root: &Path) -> bool {
    root.join("HEAD").is_file() && root.join("objects").is_dir()
}

/// The address of the remote named `origin` in a configuration.
fn origin(config: &str) -> Option<String> {
    let mut inside = false;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line.replace(' ', "") == r#"[remote"origin"]"#;
        } else if inside
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("url")
        {
            return Some(value.trim().trim_matches('"').to_owned()).filter(|url| !url.is_empty());
        }
    }
    None
}

/// An address without what differs between ways to reach the same place: scheme, user, password, `.git`.
fn address(url: &str) -> String {
    let url = url.split_once("://").map_or(url, |(_, rest)| rest);
    let first = url.split('/').next().unwrap_or_default();
    let url = first.rfind('@').map_or(url, |user| &url[user + 1..]);
    let (host, path) = url.split_once(['/', ':']).unwrap_or(("", url));
    let host = host.to_ascii_lowercase();
    // A port stands between host and path.
    let path =
        path.split_once('/').filter(|(port, _)| port.parse::<u16>().is_ok()).map_or(path, |(_, path)| path);
    let path = path.trim_matches('/');
    format!("{host}/{}", path.strip_suffix(".git").unwrap_or(path))
}

fn read(path: &Path) -> Option<String> {
    plain_file::text(path, LIMIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_branch_is_read_without_git() {
        let checkout = tempfile::tempdir().unwrap();
        assert_eq!(branch(checkout.path()), None);
        fs::create_dir(checkout.path().join(".git")).unwrap();
        fs::write(checkout.path().join(".git/HEAD"), "ref: refs/heads/fix/退款-timeout\n").unwrap();
        assert_eq!(branch(checkout.path()).unwrap(), "fix/退款-timeout");
        fs::write(checkout.path().join(".git/HEAD"), "3f786850e387550fdab836ed7e6dc881de23001b\n").unwrap();
        assert_eq!(branch(checkout.path()), None);
    }

    #[test]
    fn all_ways_to_one_place_are_one_address() {
        for url in [
            "https://git.example.test/team/app.git",
            "https://someone:word@git.example.test/team/app",
            "git@git.example.test:team/app.git",
            "ssh://git@GIT.example.test:2222/team/app.git/",
        ] {
            assert_eq!(address(url), "git.example.test/team/app", "{url}");
        }
        assert_ne!(
            address("https://git.example.test/team/app2"),
            address("https://git.example.test/team/app")
        );
    }

    #[test]
    fn a_repository_without_a_remote_is_known_by_its_first_log_line() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(identity(folder.path()), None);
        let git = folder.path().join(".git");
        fs::create_dir_all(git.join("logs")).unwrap();
        fs::write(git.join("config"), "[core]\n\tbare = false\n").unwrap();
        assert_eq!(identity(folder.path()), None);
        fs::write(git.join("logs/HEAD"), "0000 1111 A <a@example.test> 1 +0000\tcommit (initial): x\n")
            .unwrap();
        let first = identity(folder.path());
        assert!(first.is_some());
        fs::write(git.join("config"), "[remote \"origin\"]\n\turl = git@git.example.test:team/app.git\n")
            .unwrap();
        assert_ne!(identity(folder.path()), first);
    }
}
