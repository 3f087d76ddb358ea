//! Files that no `mod` reaches are compiled by nobody: their tests never run.

use super::tree::Tree;
use std::collections::{BTreeMap, BTreeSet};

/// Rust files of the crates that no root of theirs reaches.
pub(crate) fn forgotten_files(tree: &Tree) -> Vec<String> {
    let sources: BTreeMap<&str, &str> = tree.sources().collect();
    let mut waiting: Vec<String> =
        sources.keys().filter(|path| is_root(path)).map(|&path| path.to_owned()).collect();
    let mut reached = BTreeSet::new();
    while let Some(path) = waiting.pop() {
        let Some(text) = sources.get(path.as_str()) else { continue };
        if !reached.insert(path.clone()) {
            continue;
        }
        waiting.extend(children(&path, text));
    }
    sources
        .keys()
        .filter(|path| !reached.contains(**path))
        .map(|path| format!("{path} is reached by no `mod`"))
        .collect()
}

/// Whether cargo starts a compilation at this file.
fn is_root(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let (["crates", _, inside @ ..] | ["xtask", inside @ ..]) = parts.as_slice() else { return true };
    match inside {
        ["build.rs"] | ["src", "lib.rs" | "main.rs"] | ["tests" | "examples" | "benches", _] => true,
        ["src", "bin", rest @ ..] | ["tests" | "examples" | "benches", rest @ ..] => {
            matches!(rest, [_] | [_, "main.rs"])
        }
        _ => false,
    }
}

/// The files that the `mod` lines of a file may mean; those that do not exist are harmless.
fn children(path: &str, text: &str) -> Vec<String> {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.strip_suffix(".rs").unwrap_or(file);
    let owns_folder = is_root(path) || stem == "mod";
    let below = if owns_folder { folder.to_owned() } else { format!("{folder}/{stem}") };
    let mut found = Vec::new();
    let mut mounted_at: Option<&str> = None;
    for line in text.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("#[path = \"") {
            mounted_at = rest.split('"').next();
            continue;
        }
        let Some(name) = module_name(line) else {
            if !line.starts_with('#') {
                mounted_at = None;
            }
            continue;
        };
        if let Some(mounted) = mounted_at.take() {
            found.push(normal(&format!("{folder}/{mounted}")));
        } else {
            found.push(format!("{below}/{name}.rs"));
            found.push(format!("{below}/{name}/mod.rs"));
        }
    }
    found
}

/// The name in a line such as `pub(crate) mod name;`.
fn module_name(line: &str) -> Option<&str> {
    let declaration = line.split("//").next().unwrap_or_default().trim_end().strip_suffix(';')?;
    let (before, name) = declaration
        .rsplit_once("mod ")
        .or_else(|| declaration.strip_prefix("mod ").map(|name| ("", name)))?;
    let visible = before.is_empty() || before.ends_with(' ');
    let plain = name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    (visible && plain).then_some(name)
}

/// A path without `.` and `..` parts.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forgotten_file_is_found() {
        let tree = Tree::from([
            (
                "crates/a/src/lib.rs",
                "//! A.\npub mod text;\n#[cfg(test)]\n#[path = \"lib_tests.rs\"]\nmod tests;\n",
            ),
            ("crates/a/src/lib_tests.rs", ""),
            ("crates/a/src/text/mod.rs", "mod date; // dates\n"),
            ("crates/a/src/text/date.rs", "mod parse;"),
            ("crates/a/src/text/date/parse.rs", ""),
            ("crates/a/src/text/lost.rs", ""),
            ("crates/a/tests/it/main.rs", "#[cfg(test)]\nmod reading;\n// mod dropped;\n"),
            ("crates/a/tests/it/reading.rs", ""),
            ("crates/a/tests/it/dropped.rs", ""),
            ("crates/a/examples/show.rs", ""),
            ("crates/a/build.rs", ""),
        ]);
        assert_eq!(
            forgotten_files(&tree),
            [
                "crates/a/src/text/lost.rs is reached by no `mod`",
                "crates/a/tests/it/dropped.rs is reached by no `mod`",
            ]
        );
    }
}
