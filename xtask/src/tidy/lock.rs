//! Dependencies: how many, which never, and why each.

use super::tree::Tree;
use std::collections::BTreeSet;

/// Packages in the lock file, ours included. Raise it in a commit that says what the new ones bring.
const MAX_PACKAGES: usize = 220;

/// Packages that must not come in, not even through another one: the first two need a C build of their own
/// cryptography, the third is no longer kept.
const BANNED: [&str; 3] = ["aws-lc-sys", "openssl-sys", "serde_yaml"];

/// Too many packages, or a banned one.
pub(crate) fn over_budget(tree: &Tree) -> Vec<String> {
    let Some(lock) = tree.text("Cargo.lock") else { return vec!["Cargo.lock is missing".to_owned()] };
    let names: Vec<&str> =
        lock.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')).collect();
    let mut found = Vec::new();
    if names.len() > MAX_PACKAGES {
        found.push(format!("Cargo.lock has {} packages, {MAX_PACKAGES} at most", names.len()));
    }
    found.extend(
        names.iter().filter(|name| BANNED.contains(name)).map(|name| format!("{name} must not come in")),
    );
    found
}

/// Dependencies of the workspace that `docs/dependencies.md` does not speak of.
pub(crate) fn unexplained(tree: &Tree) -> Vec<String> {
    let Some(page) = tree.text("docs/dependencies.md") else {
        return vec!["docs/dependencies.md is missing".to_owned()];
    };
    dependencies(tree.text("Cargo.toml").unwrap_or_default())
        .into_iter()
        .filter(|name| !page.contains(&format!("`{name}`")))
        .map(|name| format!("docs/dependencies.md does not speak of `{name}`"))
        .collect()
}

/// The names in `[workspace.dependencies]`, without the workspace's own crates.
fn dependencies(manifest: &str) -> BTreeSet<&str> {
    manifest
        .lines()
        .skip_while(|line| *line != "[workspace.dependencies]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter(|line| !line.starts_with('#') && !line.contains("path ="))
        .filter_map(|line| line.split(['=', '.']).next())
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budget_and_bans_hold() {
        let lock = format!(
            "{}[[package]]\nname = \"serde_yaml\"\n",
            "[[package]]\nname = \"a\"\n".repeat(MAX_PACKAGES)
        );
        let tree = Tree::from([("Cargo.lock", lock.as_str())]);
        assert_eq!(
            over_budget(&tree),
            ["Cargo.lock has 221 packages, 220 at most", "serde_yaml must not come in"]
        );
    }

    #[test]
    fn every_dependency_needs_its_line() {
        let manifest = "[workspace.dependencies]\nown = { path = \"crates/own\" }\n\nserde = { version = \"1\" }\ntoml = \"1\"\n\n[profile.dev]\nx = 1\n";
        let tree = Tree::from([("Cargo.toml", manifest), ("docs/dependencies.md", "| `serde` | reads |")]);
        assert_eq!(unexplained(&tree), ["docs/dependencies.md does not speak of `toml`"]);
    }
}
