//! `nidra check --drift`: memory against the checkout, said and never changed.

use crate::support::Home;
use crate::tree::{assert_same, exact};
use serde_json::Value;
use std::fs;

fn home() -> Home {
    let home = Home::new();
    for (path, text) in [
        ("src/a.rs", "pub fn settle() {}\n"),
        ("tools/one/main.rs", ""),
        ("tools/two/main.rs", ""),
        ("web/retry.ts", "export const x = 1;\n"),
        ("package.json", "{\"scripts\": {\"check\": \"tsc\"}, \"engines\": {\"node\": \">=22\"}}"),
    ] {
        let path = home.work.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    home
}

fn topic(entries: &[&str]) -> String {
    format!("---\nname: notes\ndescription: notes\ntype: project\n---\n\n{}\n", entries.join("\n\n"))
}

fn verdicts(answer: &Value) -> Vec<(&str, &str)> {
    let entries = answer["entries"].as_array().unwrap();
    entries
        .iter()
        .map(|entry| (entry["text"].as_str().unwrap(), entry["verdict"].as_str().unwrap()))
        .collect()
}

#[test]
fn pub_tru_06_bare_names_lines_and_code_get_their_verdict() {
    let home = home();
    home.remember("MEMORY.md", "- [notes](notes.md) — notes\n");
    let entries = [
        "Slash commands are covered by `slash_test.rs`.",
        "参数在 `main.rs` 里解析。",
        "The guard stands in `src/a.rs:186`.",
        "Each test calls `fn foo()`.",
        "Retries are in `web/net/retry.ts`.",
    ];
    home.remember("notes.md", &topic(&entries));
    let (memory, work) = (exact(&home.memory()), exact(&home.work));
    let answer = home.json(&["check", "--drift"]);
    let expected = ["stale", "ambiguous", "fresh", "not-checkable", "moved"];
    assert_eq!(verdicts(&answer), entries.into_iter().zip(expected).collect::<Vec<_>>());
    let moved =
        answer["findings"].as_array().unwrap().iter().find(|finding| finding["verdict"] == "moved").unwrap();
    assert_eq!(moved["moved_to"], "web/retry.ts");
    assert_eq!((moved["path"].as_str(), moved["line"].as_u64()), (Some("notes.md"), Some(15)));
    assert_eq!(answer["read"]["whole_tree"], true);

    // A finding does not change the exit code, and nothing is changed.
    let said = home.expect(0, &["check", "--drift"]);
    assert!(said.out.contains("notes.md:7: stale slash_test.rs"), "{said:?}");
    assert!(said.out.contains("notes.md:15: moved web/net/retry.ts: it is web/retry.ts now"), "{said:?}");
    assert!(!said.out.contains("src/a.rs"), "{said:?}");
    assert_same(&home.memory(), &memory);
    assert_same(&home.work, &work);
    assert!(!home.state.exists());
}

#[test]
fn pub_del_04_places_outside_the_project_are_not_checkable() {
    let home = home();
    home.remember("MEMORY.md", "- [notes](notes.md) — notes\n");
    home.remember(
        "notes.md",
        &topic(&[
            "Reads ~/.config/tool/a.toml and /opt/x/bin; the types are in lantern/src/lib.rs.",
            "配置在 ~/.config/tool/a.toml，工具在 /opt/x/bin，类型在 lantern 仓库的 src/lib.rs。",
            "We meet on Tuesdays.",
        ]),
    );
    let answer = home.json(&["check", "--drift"]);
    assert!(verdicts(&answer).iter().all(|(_, verdict)| *verdict == "not-checkable"), "{answer:#}");
    assert_eq!(home.expect(0, &["check", "--drift"]).out, "");
}

#[test]
fn lines_of_the_index_that_say_something_themselves_are_held_too() {
    let home = home();
    home.remember("MEMORY.md", "# Notes\n\n- Node 20 is what runs here.\n- 检查用 `pnpm run lint`。\n");
    let answer = home.json(&["check", "--drift"]);
    assert_eq!(
        verdicts(&answer),
        [("- Node 20 is what runs here.", "stale"), ("- 检查用 `pnpm run lint`。", "stale"),]
    );
    home.expect(2, &["check", "--drift", "--fix"]);
}
