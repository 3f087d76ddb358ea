//! What was denied to a program, by its complaints, so that a hint fits it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The words of the system for what was denied, in the forms that shells and languages give them.
const DENIED: [&str; 2] = ["ermission denied", "peration not permitted"];
/// Words of a complaint about a connection.
const CONNECTION: [&str; 5] = ["connect", "socket", "bind(", "sendto", "dial "];
/// Folders of programs that a complaint names without them.
const FOLDERS: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

/// What was denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Denied {
    /// A program that it wanted to start.
    Program,
    /// A file.
    File,
    /// A connection.
    Connection,
}

impl Denied {
    /// What the user may want to do about it.
    pub(super) fn hint(self) -> &'static str {
        match self {
            Self::Program => {
                "it was kept from starting a program; `agent.programs` names those that it may start beside its own"
            }
            Self::File => {
                "it was kept from a file; it reads the staging copy, its own program and the libraries of the system, and \
                 writes the copy of memory, its home and its folder for passing files alone"
            }
            Self::Connection => {
                "it was kept from a connection; the port of its provider alone is open (`model.base_url`)"
            }
        }
    }
}

/// What the complaints of a program name as denied; of several kinds the one that a setting can open.
pub(super) fn denied(complaints: &str) -> Option<Denied> {
    let lines = complaints.lines().filter(|line| DENIED.iter().any(|words| line.contains(words)));
    lines.map(kind).min()
}

fn kind(line: &str) -> Denied {
    let words = |line: &str| -> Vec<String> {
        line.split(|letter: char| letter.is_whitespace() || "'\"`:,;()[]‘’“”".contains(letter))
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let paths: Vec<PathBuf> =
        words(line).into_iter().filter(|word| word.starts_with('/')).map(PathBuf::from).collect();
    // A shell names a connection as a file that there is not.
    if paths.iter().any(|path| path.starts_with("/dev/tcp") || path.starts_with("/dev/udp")) {
        return Denied::Connection;
    }
    if !paths.is_empty() {
        // The program that complains stands first in its line, and what it complains of last.
        return if paths.last().is_some_and(|path| is_program(path)) {
            Denied::Program
        } else {
            Denied::File
        };
    }
    let lower = line.to_lowercase();
    if CONNECTION.iter().any(|word| lower.contains(word)) {
        return Denied::Connection;
    }
    // A shell names what it may not start as it was called: `sh: 1: git: Permission denied`.
    let before = DENIED.iter().find_map(|denied| line.split(denied).next()).unwrap_or(line);
    let named = before.trim_end_matches(['P', 'p', 'O', 'o']).trim_end_matches([':', ' ']);
    let named = named.rsplit([':', ' ']).next().unwrap_or_default().trim_matches(['\'', '"', '`', '‘', '’']);
    let plain = !named.is_empty() && !named.contains('/');
    let is_program = plain && FOLDERS.iter().any(|folder| is_program(&Path::new(folder).join(named)));
    if is_program { Denied::Program } else { Denied::File }
}

/// Whether a path is a file that anybody may run.
fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_denied_is_told_apart() {
        for (complaint, expected) in [
            ("bash: line 1: /usr/bin/env: Permission denied", Some(Denied::Program)),
            ("sh: 1: env: Permission denied", Some(Denied::Program)),
            ("PermissionError: [Errno 13] Permission denied: '/usr/bin/env'", Some(Denied::Program)),
            ("cat: /etc/passwd: Permission denied", Some(Denied::File)),
            ("/bin/cat: /etc/passwd: Permission denied", Some(Denied::File)),
            ("bash: line 3: /home/me/out: Permission denied", Some(Denied::File)),
            ("cat: notes.md: Permission denied", Some(Denied::File)),
            ("chmod: changing permissions of 'x': Operation not permitted", Some(Denied::File)),
            ("curl: (7) connect to 192.0.2.1 port 80 failed: Permission denied", Some(Denied::Connection)),
            ("bash: line 1: /dev/tcp/192.0.2.1/80: Permission denied", Some(Denied::Connection)),
            ("cat: /nowhere: No such file or directory", None),
        ] {
            assert_eq!(denied(complaint), expected, "{complaint}");
        }
        let both = "cat: /etc/passwd: Permission denied\nsh: 1: env: Permission denied\n";
        assert_eq!(denied(both), Some(Denied::Program));
    }
}
