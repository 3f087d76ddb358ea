//! Nothing is ever written outside of the memory directory, whatever an engine names.

use crate::support::{Script, World, add, operation, turn, walk};
use nidra_core::{Change, Kind, Speaker};
use nidra_dream::pipeline::Trigger;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn pub_sec_06_names_that_lead_elsewhere_lead_nowhere() {
    let world = World::new();
    world.topic("dev", "project", &["The API listens on port 8080 here.".to_owned()]);
    world.session("Machine m5 joins them next week.", "Noted.");
    let long = "n".repeat(300);
    let names = [
        "../x",
        "/tmp/x-of-nidra-test",
        "~/x",
        "a/../../x",
        "C:\\x",
        "con",
        "MEMORY",
        "MEMORY.md/x",
        "nul\0name",
        &long,
        ".hidden",
        "archive/x",
        "Zoë",
        "Zoe!",
        "东京",
        "",
    ];
    let owned: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let engine = Script::new(move |input| {
        let said = turn(&input, Speaker::Human);
        let quote = said.text().unwrap();
        let mut wishes = Vec::new();
        for (number, name) in owned.iter().enumerate() {
            wishes.push(add(&input, name, &format!("Machine m{number} joins them next week.")));
            let text = format!("Machine k{number} joins them next week.");
            wishes.push(operation(
                Change::Append { path: name.clone(), text, hook: None },
                Kind::Project,
                said,
                quote,
            ));
            let (title, hook) = ("title".to_owned(), "a hook of some words".to_owned());
            wishes.push(operation(
                Change::Relink { path: name.clone(), title, hook },
                Kind::Project,
                said,
                quote,
            ));
        }
        Ok(wishes)
    });
    let mut before = BTreeMap::new();
    walk(&world.root, &world.root, &mut before);
    let report = world.run(&engine, Trigger::Manual, true, &mut |_| {}).unwrap();
    let mut after = BTreeMap::new();
    walk(&world.root, &world.root, &mut after);
    // Outside of memory and state not a byte.
    let outside = |files: &BTreeMap<String, String>| -> BTreeMap<String, String> {
        files
            .iter()
            .filter(|(name, _)| !name.starts_with("memory/") && !name.starts_with("state/"))
            .map(|(name, text)| (name.clone(), text.clone()))
            .collect()
    };
    assert_eq!(outside(&after), outside(&before));
    assert!(!std::path::Path::new("/tmp/x-of-nidra-test.md").exists());
    // Inside, plain names only; no name is another's on a system that does not tell cases apart.
    let files = world.files();
    let mut folded = BTreeSet::new();
    for name in files.keys() {
        assert!(folded.insert(name.to_lowercase()), "{name}");
        let stem = name.strip_suffix(".md").unwrap();
        assert!(
            name == "MEMORY.md" || stem.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'),
            "{name}"
        );
        assert!(!["con", "nul", "aux", "prn"].contains(&stem) && name.len() <= 120, "{name}");
    }
    // What was not done is named.
    assert!(report.refused.len() >= 2 * names.len(), "{:?}", report.refused);
    assert_eq!(files["dev.md"].matches("joins").count(), 0);
}

#[test]
fn pub_fmt_05_names_that_fold_to_one_get_files_of_their_own() {
    let world = World::new();
    world.session("Zoë and Zoe are two different machines.", "Noted.");
    let engine = Script::new(|input| {
        Ok(vec![
            add(&input, "Zoë", "The machine Zoë is in the north hall."),
            add(&input, "Zoe!", "The machine Zoe is in the south hall."),
        ])
    });
    world.dream(&engine).unwrap();
    let files = world.files();
    let with = |words: &str| {
        files.iter().filter(|(name, text)| *name != "MEMORY.md" && text.contains(words)).count()
    };
    assert_eq!((with("north hall"), with("south hall")), (1, 1), "{files:?}");
    assert_eq!(world.index().lines().filter(|line| line.starts_with("- [")).count(), 2, "{}", world.index());
}
