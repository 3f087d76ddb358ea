//! Rules of the tree that no other tool checks. Each rule is a function from the tree to what it found.

mod commands;
mod layers;
mod lock;
mod mounted;
mod promises;
mod source;
mod tree;

use crate::workspace::Workspace;
use anyhow::Result;
use std::path::Path;
use tree::Tree;

/// A rule: the name it is reported under, and what finds its breaches.
type Rule = (&'static str, fn(&Tree) -> Vec<String>);

/// The rules over the files alone.
const RULES: [Rule; 10] = [
    ("every source file is reached by a `mod`", mounted::forgotten_files),
    ("every source file opens with `//!`", source::without_module_documentation),
    ("no source file is longer than its limit", source::too_long),
    ("nothing is unfinished or silenced", source::unfinished),
    ("no place of one machine is named", source::named_places),
    ("both licences lie at the root", source::missing_licences),
    ("every crate takes the workspace's lints", source::without_lints),
    ("the lock file keeps its budget", lock::over_budget),
    ("every dependency is explained", lock::unexplained),
    ("every promise is held by a test", promises::without_a_test),
];

/// Checks all rules but the one that needs the program; returns whether all hold.
pub(crate) fn run(workspace: &Workspace) -> Result<bool> {
    let tree = Tree::read(workspace.root())?;
    let mut clean = report("crates depend in their order", &layers::out_of_order(workspace.metadata()));
    for (name, rule) in RULES {
        clean &= report(name, &rule(&tree));
    }
    Ok(clean)
}

/// Checks that every command which a document names is one that the program has.
pub(crate) fn commands_in_documents(workspace: &Workspace, program: &Path) -> Result<bool> {
    let tree = Tree::read(workspace.root())?;
    Ok(report("every command in the documents exists", &commands::unknown(&tree, program)?))
}

fn report(rule: &str, found: &[String]) -> bool {
    println!("{}  {rule}", if found.is_empty() { "ok    " } else { "FAILED" });
    for line in found {
        println!("        {line}");
    }
    found.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_tidy() {
        let workspace = Workspace::find().unwrap();
        assert!(run(&workspace).unwrap(), "the rules that failed are printed above");
    }
}
