//! What holds for every memory, not only for the ones that somebody thought of.

use crate::support::{append, context, create, rewrite, staged, target};
use nidra_core::Change;
use nidra_memory::check::check;
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::document::{Document, lines};
use nidra_memory::index::Index;
use nidra_memory::limits::{IndexLimits, cut_lines, measure};
use proptest::prelude::*;

/// Bytes that look like memory, with everything in them that has gone wrong somewhere.
fn mess() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"---\n".to_vec()),
        Just(b"---\r\nname: x\r\n---\r\n".to_vec()),
        Just("description: 2026-08-14 #1 \u{201c}a\u{201d}: b\n".as_bytes().to_vec()),
        Just(b"metadata: \n  node_type: memory\n  modified: x\n".to_vec()),
        Just(b"- [A](a.md) \xe2\x80\x94 hook\n".to_vec()),
        Just(b"- bullet\n  goes on\n\n".to_vec()),
        Just(b"## History\n".to_vec()),
        Just(b"```\n<<<<<<< x\n".to_vec()),
        Just(b"<!-- a\n".to_vec()),
        Just(b"-->".to_vec()),
        Just(b"| a | b |\n|---|---|\n".to_vec()),
        Just("记忆 🎉 e\u{301}\r\n".as_bytes().to_vec()),
        Just(b"\xef\xbb\xbf".to_vec()),
        Just(b"[[[`](((\\".to_vec()),
        proptest::collection::vec(any::<u8>(), 0..12),
        "[ -~\n]{0,20}".prop_map(String::into_bytes),
        "\\PC{0,12}\n".prop_map(String::into_bytes),
    ];
    proptest::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

/// A topic of plain bullets and paragraphs with one of both line endings.
fn topic() -> impl Strategy<Value = (String, Vec<String>)> {
    let word = prop_oneof!["[a-z]{1,6}", "[用不要端口记忆]{1,4}", "[A-Z][0-9]{1,3}", Just("🎉".to_owned())];
    let words = proptest::collection::vec(word, 1..6).prop_map(|words| words.join(" "));
    let head = prop_oneof![
        Just(""),
        Just("---\nname: n\n---\n"),
        Just("---\nname: n\nmetadata: \n  node_type: memory\n---\n\n# T\n\n"),
    ];
    (proptest::collection::vec((words, any::<bool>()), 1..8), head, any::<bool>(), any::<bool>()).prop_map(
        |(entries, head, windows, torn)| {
            let mut text = head.to_owned();
            let mut kept = Vec::new();
            for (number, (words, bullet)) in entries.into_iter().enumerate() {
                let words = format!("{words} {number}");
                let (before, behind) = if bullet { ("- ", "\n") } else { ("\n", "\n\n") };
                text.extend([before, words.as_str(), behind]);
                kept.push(words);
            }
            let text = if windows { text.replace('\n', "\r\n") } else { text };
            (if torn { text.trim_end().to_owned() } else { text }, kept)
        },
    )
}

fn after(staged: &nidra_memory::stage::Staged, path: &str) -> Option<Vec<u8>> {
    staged.changes.files.iter().find(|change| change.path == path).and_then(|change| change.after.clone())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_survive_reading_and_staging_nothing(index in mess(), topic in mess(), archive in mess()) {
        let files = [("MEMORY.md", index.as_slice()), ("a.md", topic.as_slice()), ("archive/a.md", archive.as_slice())];
        let memory = MemoryDirectory::from_files(files);
        for (path, bytes) in files {
            prop_assert_eq!(memory.files[path].bytes.as_slice(), bytes);
            let parsed = Document::parse(bytes, false);
            prop_assert_eq!(parsed.bytes.as_slice(), bytes);
            let mut again = if parsed.has_byte_order_mark() { lines::BYTE_ORDER_MARK.to_vec() } else { Vec::new() };
            for line in &parsed.lines {
                again.extend_from_slice(&bytes[line.start..line.next()]);
            }
            prop_assert_eq!(again.as_slice(), bytes, "the lines cover every byte");
        }
        let _ = check(&memory, &IndexLimits::default());
        let _ = cut_lines(&index, &IndexLimits { lines: 3, units: 40, line_units: 20 });
        let view = memory.view();
        prop_assert!(staged(&memory, []).changes.is_empty());
        for entry in &view.topics[0].entries {
            prop_assert!(entry.range.end <= topic.len());
        }
    }

    #[test]
    fn whatever_is_staged_on_a_mess_can_be_read_again(index in mess(), topic in mess(), text in "\\PC{0,20}|[a-z \n#`|-]{0,20}") {
        let memory = MemoryDirectory::from_files([("MEMORY.md", index.as_slice()), ("a.md", topic.as_slice())]);
        let mut changes = vec![
            create(&text, &text, &text, &[&text, "second"], &text),
            Change::Append { path: "a.md".to_owned(), text: text.clone(), hook: Some(text.clone()) },
            Change::Retitle { path: "a.md".to_owned(), description: Some(text.clone()), hook: Some(text.clone()) },
        ];
        for entry in &memory.view().topics[0].entries {
            changes.push(Change::Supersede { target: target("a.md", &entry.text), text: format!("{text} x"), hook: None });
            changes.push(Change::Archive { target: target("a.md", &entry.text) });
        }
        let staged = staged(&memory, changes);
        prop_assert_eq!(staged.index, measure(&after(&staged, "MEMORY.md").unwrap_or(index)));
        for change in &staged.changes.files {
            if let Some(bytes) = &change.after {
                let archived = change.path.starts_with("archive/");
                let obstacle = match change.path.as_str() {
                    "MEMORY.md" => Index::parse(bytes).obstacle(),
                    _ => Document::parse(bytes, archived).obstacle(),
                };
                prop_assert!(archived || obstacle.is_none(), "{}: {:?}", change.path, obstacle);
            } else {
                let whole = change.before.as_ref().unwrap();
                let kept = after(&staged, &format!("archive/{}", change.path)).unwrap();
                prop_assert!(kept.len() > whole.len() / 2, "what goes is in the archive");
            }
        }
    }

    #[test]
    fn a_rewrite_changes_only_its_own_range((text, entries) in topic(), pick in any::<prop::sample::Index>(), new in "[a-z用]{1,8}( [A-Z]{1,4})?") {
        let memory = MemoryDirectory::from_files([("a.md", text.as_bytes())]);
        let old = pick.get(&entries);
        let range = memory.view().topics[0].entries.iter().find(|entry| &entry.text == old).unwrap().range.clone();
        let staged = staged(&memory, [rewrite("a.md", old, &new)]);
        prop_assert_eq!(&staged.refused, &[]);
        let bytes = after(&staged, "a.md").unwrap();
        let changed = String::from_utf8(bytes).unwrap();
        // The client's stamp is the only other thing that may be new.
        let ending = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let stamp = format!("  modified: 2026-05-18T07:00:00.000Z{ending}");
        let unstamped = changed.replacen(&stamp, "", 1);
        prop_assert!(unstamped.starts_with(&text[..range.start]));
        prop_assert!(unstamped.ends_with(&text[range.end..]));
        let middle = &unstamped[range.start..unstamped.len() - (text.len() - range.end)];
        prop_assert_eq!(middle.trim_start_matches("- "), new.as_str());
    }

    #[test]
    fn an_append_keeps_every_byte_before_and_behind((text, entries) in topic()) {
        let memory = MemoryDirectory::from_files([("a.md", text.as_bytes())]);
        let staged = staged(&memory, [append("a.md", "new words 新")]);
        prop_assert_eq!(&staged.refused, &[]);
        let changed = String::from_utf8(after(&staged, "a.md").unwrap()).unwrap();
        let view = MemoryDirectory::from_files([("a.md", changed.as_bytes())]).view();
        let mut expected = entries;
        expected.push("new words 新".to_owned());
        prop_assert_eq!(view.topics[0].entries.iter().map(|entry| entry.text.clone()).collect::<Vec<_>>(), expected);
        let mixed = |text: &str| text.replace("\r\n", "").contains('\n') && text.contains("\r\n");
        prop_assert!(!mixed(&changed), "the endings stay of one kind");
        let unstamped: Vec<&str> = changed.lines().filter(|line| !line.contains("modified: 2026")).collect();
        let old: Vec<&str> = text.lines().collect();
        let is_subsequence = old.iter().try_fold(unstamped.iter(), |mut rest, line| rest.any(|new| new == line).then_some(rest));
        prop_assert!(is_subsequence.is_some());
    }

    #[test]
    fn an_index_line_is_one_line_within_the_limit(title in "\\PC{0,200}", hook in "(\\PC|\n){0,300}") {
        let memory = MemoryDirectory::from_files([]);
        let staged = staged(&memory, [create("topic", &title, "d", &["words"], &hook)]);
        prop_assert_eq!(&staged.refused, &[]);
        let line = String::from_utf8(after(&staged, "MEMORY.md").unwrap()).unwrap();
        prop_assert_eq!(line.matches('\n').count(), 1);
        prop_assert!(line.trim_end().encode_utf16().count() <= context().limits.line_units, "{}", line);
        let view = MemoryDirectory::from_files([("MEMORY.md", line.as_bytes()), ("topic.md", b"x".as_slice())]).view();
        prop_assert_eq!(&view.index[0].targets, &["topic.md".to_owned()]);
    }
}
