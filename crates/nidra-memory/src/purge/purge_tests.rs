use super::markdown::{Cleaned, clean};
use super::*;
use nidra_core::text::fingerprint::FingerprintKey;

const FACT: &str = "The vault hint of the shop is zebra-quartz-9913.";
const CHINESE: &str = "蓝鲸项目的机房门禁口令提示是银杏树下的石凳。";

fn matcher() -> Matcher {
    let work = Work {
        entries: Vec::new(),
        statements: vec![FACT.to_owned(), CHINESE.to_owned()],
        tokens: vec!["zebra-quartz-9913".to_owned(), "vault-hint.md".to_owned()],
        done: false,
    };
    Matcher::new(&work, &FingerprintKey::new([3; 32]))
}

fn text(cleaned: Cleaned) -> String {
    match cleaned {
        Cleaned::Changed(bytes) => String::from_utf8(bytes).unwrap(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn records_lose_the_sentences_that_say_or_quote_it_and_keep_the_others() {
    let matcher = matcher();
    assert_eq!(
        matcher
            .clean("Deploys run at nine. The vault hint of the shop is zebra-quartz-9913. Ask Ines.")
            .unwrap(),
        "Deploys run at nine. [purged] Ask Ines."
    );
    let cut = matcher.clean("+- The vault hint of the shop is ze…\n-- old\n").unwrap();
    assert!(!cut.contains("vault hint") && cut.ends_with("[purged]\n-- old\n"), "{cut}");
    assert!(!matcher.clean("记录：蓝鲸项目的机房门禁口令提示。").unwrap().contains("门禁"));
    for other in ["The vault door of the bank is open.", "机房的空调在三楼。", "hint: use the shop's printer"]
    {
        assert_eq!(matcher.clean(other), None, "{other}");
    }
    let mut value =
        serde_json::json!({ "a": [FACT, "else"], "path": "vault-hint.md", "b": { "vault-hint.md": 1 } });
    assert!(matcher.clean_json(&mut value));
    assert_eq!(value, serde_json::json!({ "a": ["[purged]", "else"], "path": "[purged]", "b": {} }));
}

#[test]
fn a_topic_loses_the_entry_and_whatever_summed_it_up() {
    let file = format!(
        "---\r\nname: shop\r\ndescription: {FACT}\r\ntype: project\r\n---\r\n\r\n# Shop\r\n\r\n- {FACT}\r\n- The worker \
         listens on 4310.\r\n"
    );
    let cleaned = text(clean("shop.md", file.as_bytes(), &matcher()));
    assert_eq!(
        cleaned,
        "---\r\nname: shop\r\ndescription: The worker listens on 4310.\r\ntype: project\r\n---\r\n\r\n# Shop\r\n\r\n- The \
         worker listens on 4310.\r\n"
    );
    let alone = format!("---\nname: vault\n---\n\n{FACT}\n");
    assert_eq!(clean("vault-hint.md", alone.as_bytes(), &matcher()), Cleaned::Gone);
    let other = "---\nname: other\n---\n\n- The vault hint of the bank is in the safe.\n";
    assert_eq!(
        clean("other.md", other.as_bytes(), &matcher()),
        Cleaned::Same,
        "another value is another fact"
    );
}

#[test]
fn an_index_keeps_its_pointers_and_an_archive_its_other_items() {
    let index = format!(
        "- [Vault](vault-hint.md) — {FACT}\n- [Shop](shop.md) — {FACT}\n- [Ports](ports.md) — 4310\n\nMy own prose.\n"
    );
    assert_eq!(
        text(clean("MEMORY.md", index.as_bytes(), &matcher())),
        "- [shop](shop.md)\n- [Ports](ports.md) — 4310\n\nMy own prose.\n"
    );
    let archive = format!(
        "# Archive of shop.md\n\n## 2026-05-13: superseded\n\nReason: moved (run r1, op-5)\n\n```text\n- It was in the \
         cellar.\n```\n\nReplaced by: {FACT}\n\n## 2026-06-01: archived\n\nReason: old (run r2, op-1)\n\n```text\n- \
         {CHINESE}\n```\n"
    );
    let cleaned = text(clean("archive/shop.md", archive.as_bytes(), &matcher()));
    assert!(
        cleaned.contains("It was in the cellar.") && cleaned.contains("Replaced by: [purged]"),
        "{cleaned}"
    );
    assert!(!cleaned.contains("蓝鲸") && !cleaned.contains("2026-06-01"), "{cleaned}");
}

#[test]
fn words_of_everything_are_not_what_a_short_statement_takes_along() {
    for (statement, kept) in [
        ("What time is it?", "all sessions were read before"),
        ("What is the project?", "the project is read"),
        ("Tabs.", "use tabs in Makefiles"),
    ] {
        let work = Work { statements: vec![statement.to_owned()], ..Work::default() };
        let matcher = Matcher::new(&work, &FingerprintKey::new([3; 32]));
        let mut value =
            serde_json::json!({ "time": "time", "project": kept, "event": "gate", "text": statement });
        assert!(matcher.clean_json(&mut value), "{statement}");
        assert_eq!(
            value,
            serde_json::json!({ "time": "time", "project": kept, "event": "gate", "text": "[purged]" })
        );
    }
}
