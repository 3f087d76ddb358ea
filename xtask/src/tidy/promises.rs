//! Promises that no test holds: a document that names tests must name ones that there are.

use super::tree::Tree;
use crate::guarantees::document;
use std::collections::BTreeSet;

/// Promises without a test, and tests that are named and not there.
pub(crate) fn without_a_test(tree: &Tree) -> Vec<String> {
    let Some(text) = tree.text(document::PATH) else { return vec![format!("{} is missing", document::PATH)] };
    let known: BTreeSet<&str> = tree.sources().flat_map(|(_, text)| tests(text)).collect();
    let mut found = Vec::new();
    for promise in document::parse(text) {
        if promise.tests.is_empty() {
            found.push(format!("nothing holds \"{}\"", promise.title));
        }
        let missing = promise.tests.iter().filter(|name| !known.contains(name.as_str()));
        found.extend(missing.map(|name| format!("there is no test `{name}` (\"{}\")", promise.title)));
    }
    found
}

/// The names of the tests in a file: the functions behind `#[test]`, other attributes in between or not.
fn tests(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut waiting = false;
    for line in text.lines().map(str::trim_start) {
        if line.starts_with("#[test]") {
            waiting = true;
        } else if let Some(rest) = line.strip_prefix("fn ").filter(|_| waiting) {
            names.extend(rest.split('(').next());
            waiting = false;
        } else if waiting && !line.starts_with(['#', '/']) {
            waiting = false;
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaches_are_named() {
        let tree = Tree::from([
            ("docs/guarantees.md", "## One\n\nTests: `there`, `gone`, `helper`\n\n## Two\n\nWords.\n"),
            ("crates/a/tests/it.rs", "#[test]\n#[cfg(unix)]\nfn there() {}\n\nfn helper() {}\n"),
        ]);
        assert_eq!(
            without_a_test(&tree),
            [
                "there is no test `gone` (\"One\")",
                "there is no test `helper` (\"One\")",
                "nothing holds \"Two\""
            ]
        );
    }
}
