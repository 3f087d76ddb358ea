//! What the expressions of the engine need of their library is asked for, not lent by a dependency of the tests.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs" || ending == "cues") {
            found.push(path);
        }
    }
}

/// A test build unites the features of all dependencies, so an expression that compiles here may not compile in the
/// program that is shipped, and an expression that does not compile finds nothing.
#[test]
fn scripts_are_asked_for_where_expressions_name_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    sources(&root.join("src"), &mut found);
    let named = found.iter().any(|path| fs::read_to_string(path).is_ok_and(|text| text.contains(r"\p{Han}")));
    let workspace = fs::read_to_string(root.join("../../Cargo.toml")).expect("the workspace");
    let line =
        workspace.lines().find(|line| line.starts_with("regex = ")).expect("the library of expressions");
    assert!(!named || line.contains("\"unicode-script\""), "{line}");
    for feature in ["unicode-case", "unicode-perl"] {
        assert!(line.contains(feature), "{line}");
    }
}
