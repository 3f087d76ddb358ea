//! Rules that hold for a file on its own.
//!
//! The words that are searched for are put together at run time, so that this file does not hold them.

use super::tree::Tree;

/// Lines of a file that a reader takes in.
const MAX_LINES: usize = 800;

/// Rust files whose first words do not say what they are for. The name of a `…_tests.rs` beside its file does.
pub(crate) fn without_module_documentation(tree: &Tree) -> Vec<String> {
    tree.sources()
        .filter(|(path, _)| !path.ends_with("_tests.rs"))
        .filter(|(_, text)| !text.trim_start().starts_with("//!"))
        .map(|(path, _)| format!("{path} does not open with `//!`"))
        .collect()
}

/// Rust files that have become several rooms.
pub(crate) fn too_long(tree: &Tree) -> Vec<String> {
    tree.sources()
        .map(|(path, text)| (path, text.lines().count()))
        .filter(|(_, lines)| *lines > MAX_LINES)
        .map(|(path, lines)| format!("{path} has {lines} lines, {MAX_LINES} at most"))
        .collect()
}

/// Code that waits to be written, prints for its author, or switches a test or a lint off.
pub(crate) fn unfinished(tree: &Tree) -> Vec<String> {
    let words = [
        joined(&["to", "do!("]),
        joined(&["unimple", "mented!("]),
        joined(&["db", "g!("]),
        joined(&["#[", "ignore"]),
        joined(&["#[", "allow("]),
        joined(&["#![", "allow("]),
    ];
    tree.sources().flat_map(|(path, text)| lines_with(path, text, &words)).collect()
}

/// Paths and hosts that mean something on one machine only, or to the tools that fetched something.
pub(crate) fn named_places(tree: &Tree) -> Vec<String> {
    let words = [
        joined(&["/wo", "rk/main"]),
        joined(&["/wo", "rk/shared"]),
        joined(&["/wo", "rk/steering"]),
        joined(&["/wo", "rk/."]),
        joined(&["/fa", "rm/"]),
        joined(&["crates", ".io"]),
        joined(&["py", "pi.org"]),
        joined(&["registry", ".npm", "js"]),
        joined(&["deb", ".debian"]),
    ];
    // Cargo writes its registry's name into the lock file itself.
    let files = tree.files().filter(|(path, _)| *path != "Cargo.lock");
    files.flat_map(|(path, text)| lines_with(path, text, &words)).collect()
}

/// The licence files that are not there.
pub(crate) fn missing_licences(tree: &Tree) -> Vec<String> {
    ["LICENSE-APACHE", "LICENSE-MIT"]
        .into_iter()
        .filter(|name| tree.text(name).is_none_or(|text| text.trim().is_empty()))
        .map(|name| format!("{name} is missing"))
        .collect()
}

/// Crates that leave the workspace's lints out.
pub(crate) fn without_lints(tree: &Tree) -> Vec<String> {
    tree.files()
        .filter(|(path, _)| path.ends_with("/Cargo.toml"))
        .filter(|(_, text)| !text.contains("[lints]\nworkspace = true"))
        .map(|(path, _)| format!("{path} has no `[lints] workspace = true`"))
        .collect()
}

fn lines_with(path: &str, text: &str, words: &[String]) -> Vec<String> {
    text.lines()
        .enumerate()
        .filter_map(|(index, line)| {
            let word = words.iter().find(|word| line.contains(word.as_str()))?;
            Some(format!("{path}:{} holds `{word}`", index + 1))
        })
        .collect()
}

fn joined(parts: &[&str]) -> String {
    parts.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_finds_its_breach() {
        let unfinished_line = format!("fn later() {{ {}) }}", joined(&["to", "do!("]));
        let place = format!("See {}/notes.", joined(&["/wo", "rk/main"]));
        let long = "//! Long.\n".repeat(MAX_LINES + 1);
        let tree = Tree::from([
            ("crates/a/Cargo.toml", "[package]\n"),
            ("crates/a/src/bare.rs", "fn bare() {}"),
            ("crates/a/src/later.rs", unfinished_line.as_str()),
            ("crates/a/src/long.rs", long.as_str()),
            ("docs/notes.md", place.as_str()),
            ("LICENSE-MIT", "MIT"),
        ]);
        assert_eq!(without_module_documentation(&tree).len(), 2);
        assert_eq!(too_long(&tree), ["crates/a/src/long.rs has 801 lines, 800 at most"]);
        assert_eq!(unfinished(&tree).len(), 1);
        assert_eq!(named_places(&tree).len(), 1);
        assert_eq!(missing_licences(&tree), ["LICENSE-APACHE is missing"]);
        assert_eq!(without_lints(&tree).len(), 1);
    }
}
