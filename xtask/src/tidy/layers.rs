//! The order of the crates: each may use those listed for it and no other of ours.

use cargo_metadata::{DependencyKind, Metadata};
use std::collections::BTreeSet;

/// The crates and what each may depend on, from the bottom up.
const ORDER: [(&str, &[&str]); 14] = [
    ("nidra-core", &[]),
    ("nidra-sessions", &["nidra-core"]),
    ("nidra-memory", &["nidra-core"]),
    ("nidra-rules", &["nidra-core"]),
    ("nidra-vectors", &[]),
    ("nidra-graph", &["nidra-core", "nidra-vectors"]),
    ("nidra-model", &["nidra-core", "nidra-rules"]),
    ("nidra-agent", &["nidra-core", "nidra-memory", "nidra-model", "nidra-rules"]),
    ("nidra-dream", &["nidra-core", "nidra-memory", "nidra-rules", "nidra-sessions"]),
    ("nidra-working", &["nidra-core", "nidra-memory", "nidra-rules", "nidra-sessions"]),
    ("nidra-recall", &["nidra-core", "nidra-memory", "nidra-sessions", "nidra-vectors"]),
    ("nidra-map", &["nidra-core", "nidra-dream", "nidra-graph", "nidra-memory", "nidra-rules"]),
    (
        "nidra",
        &[
            "nidra-agent",
            "nidra-core",
            "nidra-dream",
            "nidra-graph",
            "nidra-map",
            "nidra-memory",
            "nidra-model",
            "nidra-recall",
            "nidra-rules",
            "nidra-sessions",
            "nidra-working",
        ],
    ),
    ("xtask", &[]),
];

/// A dependency between two crates of the workspace.
struct Edge {
    from: String,
    to: String,
    kind: &'static str,
}

/// Dependencies that run against the order, and crates that have no place in it.
pub(crate) fn out_of_order(metadata: &Metadata) -> Vec<String> {
    let packages = metadata.workspace_packages();
    let names: BTreeSet<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    let mut edges = Vec::new();
    for package in &packages {
        for dependency in
            package.dependencies.iter().filter(|dependency| names.contains(dependency.name.as_str()))
        {
            let kind = match dependency.kind {
                DependencyKind::Development => "tests",
                DependencyKind::Build => "build script",
                _ => "code",
            };
            edges.push(Edge { from: package.name.to_string(), to: dependency.name.clone(), kind });
        }
    }
    breaches(&names, &edges)
}

fn breaches(names: &BTreeSet<&str>, edges: &[Edge]) -> Vec<String> {
    let allowed = |name: &str| ORDER.iter().find(|(known, _)| *known == name).map(|(_, below)| *below);
    let strangers = names
        .iter()
        .filter(|name| allowed(name).is_none())
        .map(|name| format!("{name} has no place in the order"));
    let wrong = edges
        .iter()
        .filter(|edge| allowed(&edge.from).is_some_and(|below| !below.contains(&edge.to.as_str())))
        .map(|edge| format!("{} must not depend on {} (its {} does)", edge.from, edge.to, edge.kind));
    strangers.chain(wrong).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(from: &str, to: &str) -> Edge {
        Edge { from: from.to_owned(), to: to.to_owned(), kind: "code" }
    }

    #[test]
    fn breaches_are_named() {
        let names = BTreeSet::from(["nidra-core", "nidra-rules", "nidra-dream", "nidra-extra"]);
        let edges = [edge("nidra-dream", "nidra-rules"), edge("nidra-core", "nidra-rules")];
        let found = breaches(&names, &edges);
        assert_eq!(
            found,
            [
                "nidra-extra has no place in the order",
                "nidra-core must not depend on nidra-rules (its code does)",
            ]
        );
    }
}
