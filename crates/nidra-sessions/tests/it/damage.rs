//! Damage, size and duplicates inside one transcript.

use crate::build::{Log, read_bytes, read_from, read_path, transcript};
use nidra_core::{Content, Speaker};
use nidra_sessions::{Cursor, ReadError, claude};
use serde_json::json;
use std::fs;
use std::io::Write;

#[test]
fn pub_trx_01_a_line_cut_in_half_costs_only_itself() {
    let mut log = Log::new(1, "/w/p");
    for number in 1..=100 {
        if number == 40 {
            let line =
                log.record("file-history-snapshot", &json!({"snapshot": {"a": {"b": "c"}}, "more": "x"}));
            log.line(&line[..line.len() / 2]);
        } else {
            log.human(&format!("line {number}"));
        }
    }
    let read = log.read();
    assert_eq!(read.human().len(), 99);
    assert_eq!(read.outcome.counts["user"], 99);
    assert_eq!(read.outcome.malformed, 1);
    let [diagnostic] = read.outcome.diagnostics.as_slice() else { panic!("{:?}", read.outcome.diagnostics) };
    assert_eq!(diagnostic.line, Some(40));
    let start = log.bytes.split_inclusive(|&byte| byte == b'\n').take(39).map(<[u8]>::len).sum::<usize>();
    assert_eq!(diagnostic.offset, Some(start as u64));
}

#[test]
fn pub_trx_02_an_unfinished_tail_waits() {
    let folder = tempfile::tempdir().unwrap();
    let mut log = Log::new(1, "/w/p");
    log.human("first");
    let complete = log.bytes.len();
    log.human("第二句 is being written");
    for cut in [complete + 1, complete + 30, log.bytes.len() - 3] {
        let path = folder.path().join("t.jsonl");
        fs::write(&path, &log.bytes[..cut]).unwrap();
        let first = read_path(&path);
        assert_eq!(first.human(), ["first"]);
        assert_eq!(first.outcome.malformed, 0, "an unfinished tail is no damage");
        assert_eq!(first.outcome.cursor.offset, complete as u64);

        fs::write(&path, &log.bytes).unwrap();
        let second = read_from(&transcript(&path), &first.outcome.cursor);
        assert_eq!(second.human(), ["第二句 is being written"]);
        assert!(!second.outcome.restarted);
        let third = read_from(&transcript(&path), &second.outcome.cursor);
        assert!(third.turns.is_empty());
    }
}

#[test]
fn a_whole_last_record_without_a_line_feed_is_read() {
    let mut log = Log::new(1, "/w/p");
    log.human("first").human("last");
    log.bytes.pop();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.jsonl");
    fs::write(&path, &log.bytes).unwrap();
    let first = read_path(&path);
    assert_eq!(first.human(), ["first", "last"]);

    // The client goes on behind it, with or without the missing line feed.
    for glue in ["\n", ""] {
        let mut more = Log::new(1, "/w/p");
        more.human("x").human("x").human("more");
        let line = more.bytes.split_inclusive(|&byte| byte == b'\n').nth(2).unwrap();
        fs::write(&path, [log.bytes.as_slice(), glue.as_bytes(), line].concat()).unwrap();
        let second = read_from(&transcript(&path), &first.outcome.cursor);
        assert_eq!(second.human(), ["more"]);
        assert_eq!(second.outcome.malformed, 0);
    }
}

#[test]
fn pub_trx_03_zero_bytes_cost_only_themselves() {
    for ending in ["\n", ""] {
        let mut log = Log::new(1, "/w/p");
        log.human("before");
        log.bytes.extend(std::iter::repeat_n(0, 700));
        log.bytes.extend(ending.as_bytes());
        log.human("directly behind").human("after");
        let read = log.read();
        assert_eq!(read.human(), ["before", "directly behind", "after"]);
        assert_eq!(read.outcome.malformed, 1);
        assert_eq!(read.outcome.diagnostics[0].line, Some(2));
    }
}

#[test]
fn a_record_torn_by_zero_bytes_costs_only_itself() {
    let mut log = Log::new(1, "/w/p");
    let torn = log.record("user", &json!({"message": {"role": "user", "content": "torn"}}));
    log.bytes.extend(&torn.as_bytes()[..torn.len() / 2]);
    log.bytes.extend([0; 300]);
    log.human("behind the zeros");
    // A torn record with the next one glued to it, without zeros.
    log.bytes.extend(&torn.as_bytes()[..torn.len() - 20]);
    log.human("glued to it").human("last");
    let read = log.read();
    assert_eq!(read.human(), ["behind the zeros", "glued to it", "last"]);
    assert_eq!(read.outcome.malformed, 2);
}

#[test]
fn pub_trx_04_only_a_line_feed_ends_a_record() {
    let text = "a\u{2028}b\u{2029}c\u{85}d\u{b}e\u{c}f";
    let line =
        format!(r#"{{"type":"user","uuid":"u","cwd":"/w","message":{{"role":"user","content":"{text}"}}}}"#);
    let read = read_bytes(format!("{line}\r\n{}\n", line.replace("\"u\"", "\"v\"")).as_bytes());
    assert_eq!(
        read.human(),
        [text, text],
        "raw separators and controls stay; a carriage return is tolerated"
    );
    assert_eq!(read.outcome.malformed, 0);
}

#[test]
fn pub_trx_05_halves_of_surrogate_pairs_are_repaired() {
    let mut log = Log::new(1, "/w/p");
    for text in ["high", "low", "pair"] {
        log.human(text);
    }
    let bytes = String::from_utf8(log.bytes.clone()).unwrap();
    let bytes = bytes
        .replace("\"high\"", r#""a\ud83db""#)
        .replace("\"low\"", r#""a\udc88b""#)
        .replace("\"pair\"", r#""a\ud83d\ude00b""#);
    let read = read_bytes(bytes.as_bytes());
    assert_eq!(read.human(), ["a\u{fffd}b", "a\u{fffd}b", "a😀b"]);
    assert_eq!(read.outcome.malformed, 0);
}

#[test]
fn invalid_utf8_is_repaired() {
    let mut log = Log::new(1, "/w/p");
    log.human("abXYcd");
    let at = log.bytes.windows(2).position(|pair| pair == b"XY").unwrap();
    log.bytes[at] = 0xff;
    log.bytes[at + 1] = 0xe4;
    assert_eq!(log.read().human(), ["ab\u{fffd}\u{fffd}cd"]);
}

#[test]
fn a_byte_order_mark_and_blank_lines_are_tolerated() {
    let mut log = Log::new(1, "/w/p");
    log.bytes.extend("\u{feff}".as_bytes());
    log.human("first").line("").line("  \r").human("last");
    let read = log.read();
    assert_eq!(read.human(), ["first", "last"]);
    assert_eq!(read.outcome.malformed, 0);
}

#[test]
fn two_records_on_one_line_are_both_read() {
    let mut log = Log::new(1, "/w/p");
    let one = log.record("user", &json!({"message": {"role": "user", "content": "one"}}));
    let two = log.record("user", &json!({"message": {"role": "user", "content": "two }{\" three"}}));
    let title = log.record("last-prompt", &json!({"lastPrompt": "one", "padding": "x".repeat(5000)}));
    log.line(&format!("{one}{two}")).line(&format!("{title}{one}")).line(&format!("{title}{title}"));
    let read = log.read();
    assert_eq!(read.human(), ["one", "two }{\" three"], "the repeated record is one");
    assert_eq!(read.outcome.counts["user"], 3);
    assert_eq!(read.outcome.counts["last-prompt"], 3);
    assert_eq!(read.outcome.malformed, 0);
    let second = &read.turns[1].source;
    let place = usize::try_from(second.offset).unwrap();
    assert_eq!(&log.bytes[place..place + usize::try_from(second.length).unwrap()], two.as_bytes());
}

#[test]
fn unknown_kinds_are_counted_and_passed_over() {
    let mut log = Log::new(1, "/w/p");
    log.push("brand-new-kind", &json!({"message": {"role": "user", "content": "not speech"}}))
        .push("brand-new-kind", &json!({}))
        .human("speech")
        .line(r#"{"no":"kind"}"#);
    let read = log.read();
    assert_eq!(read.human(), ["speech"]);
    assert_eq!(read.outcome.counts["brand-new-kind"], 2);
    assert_eq!(read.outcome.counts["(none)"], 1);
    assert_eq!(read.outcome.malformed, 0);
}

#[test]
fn pub_trx_06_long_lines_are_cut_with_a_mark_and_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.jsonl");
    let mut log = Log::new(1, "/w/p");
    let line = log.record(
        "user",
        &json!({
            "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "MIDDLE"}]},
            "toolUseResult": {"stdout": "MIDDLE", "list": ["a", {"b": 1}]},
        }),
    );
    let filler = r"a line of output\n".repeat(1 << 17);
    let mut file = fs::File::create(&path).unwrap();
    file.write_all(line.replace("MIDDLE", &format!("START {filler} the outcome")).as_bytes()).unwrap();
    file.write_all(b"\n").unwrap();
    log.human("behind it");
    file.write_all(&log.bytes).unwrap();
    drop(file);

    let read = read_path(&path);
    assert_eq!(read.human(), ["behind it"]);
    let [(text, false, false)] = read.results()[..] else { panic!("one result") };
    assert!(text.starts_with("START a line of output\n") && text.ends_with(" the outcome"));
    assert!(text.contains("…[") && text.contains(" bytes cut]"));
    assert!(text.len() < 17 * 1024, "{}", text.len());
    assert_eq!(read.turns[0].source.length + 1, read.turns[1].source.offset);
}

#[test]
fn long_speech_keeps_its_head() {
    let mut log = Log::new(1, "/w/p");
    log.human(&"长".repeat(200_000)).agent("m", &"word ".repeat(100_000));
    let read = log.read();
    assert_eq!(read.turns.len(), 2);
    for turn in &read.turns {
        let text = turn.text().unwrap();
        assert!(text.len() <= 64 * 1024 + 40 && text.contains("…[") && text.ends_with(" bytes cut]"));
    }
    // 600,000 bytes; the head ends before the character that would go beyond 65,536 bytes.
    assert!(read.turns[0].text().unwrap().ends_with(&format!("…[{} bytes cut]", 600_000 - 65_535)));
}

#[test]
fn pub_trx_06_an_unreadable_file_is_not_a_missing_one() {
    let folder = tempfile::tempdir().unwrap();
    let missing = transcript(&folder.path().join("missing.jsonl"));
    assert!(matches!(claude::read(&missing, &Cursor::default(), &mut |_| {}), Err(ReadError::Gone { .. })));

    // A folder in the place of a file cannot be read by anyone.
    let directory = folder.path().join("folder.jsonl");
    fs::create_dir(&directory).unwrap();
    let error = claude::read(&transcript(&directory), &Cursor::default(), &mut |_| {}).unwrap_err();
    assert!(matches!(&error, ReadError::Io(_)), "{error:?}");
    assert!(error.to_string().contains("folder.jsonl"), "{error}");
}

#[test]
fn pub_trx_09_snapshots_of_one_answer_are_united() {
    let mut log = Log::new(1, "/w/p");
    log.agent("msg", "P").agent("msg", "Postgre").result("c", "ok").agent("msg", "PostgreSQL it is.");
    log.agent("msg", "Postgre");
    let read = log.read();
    assert_eq!(read.texts(Speaker::Agent), ["PostgreSQL it is."]);
    assert_eq!(read.turns[0].speaker, Speaker::Agent, "it stays where it began");
    assert_eq!(read.turns[0].source.record, "record-4", "and cites the record that holds it whole");
}

#[test]
fn pub_trx_09_replayed_history_is_read_once() {
    let mut log = Log::new(1, "/w/p");
    for _ in 0..3 {
        log.push("user", &json!({"promptId": "p1", "message": {"role": "user", "content": "用 pnpm"}}))
            .agent("m1", "Understood.")
            .call("c1", "Bash", &json!({"command": "ls"}))
            .result("c1", "a.txt");
    }
    let read = log.read();
    assert_eq!(read.turns.len(), 4, "{:#?}", read.turns);

    let mut log = Log::new(1, "/w/p");
    log.human("yes").agent("m1", "Done.").human("yes").agent("m2", "Done.");
    assert_eq!(log.read().turns.len(), 4, "the same words said twice are no replay");
}

#[test]
fn pub_trx_10_the_blocks_of_one_message_stay_together_in_order() {
    let mut log = Log::new(1, "/w/p");
    for block in [
        json!({"type": "thinking", "thinking": "a secret thought", "signature": ""}),
        json!({"type": "text", "text": "I look first."}),
        json!({"type": "tool_use", "id": "c", "name": "Read", "input": {"file_path": "/w/p/a"}}),
        json!({"type": "text", "text": "Then I write."}),
    ] {
        log.push("assistant", &json!({"message": {"id": "m", "role": "assistant", "content": [block]}}));
    }
    let read = log.read();
    assert_eq!(read.texts(Speaker::Agent), ["I look first.", "Then I write."]);
    assert!(matches!(&read.turns[1].content, Content::ToolCall { name, input, .. }
        if name == "Read" && input["file_path"] == "/w/p/a"));
    assert!(!read.everything().contains("secret thought"), "thinking is not delivered");
}

#[test]
fn blocks_of_one_record_are_told_apart_by_their_names() {
    let mut log = Log::new(1, "/w/p");
    let blocks = json!([{"type": "text", "text": "OK"}, {"type": "text", "text": "OK, done"}]);
    log.push("assistant", &json!({"message": {"id": "m", "role": "assistant", "content": blocks}}));
    let read = log.read();
    let names: Vec<&str> = read.turns.iter().map(|turn| turn.source.record.as_str()).collect();
    assert_eq!(names, ["record-1", "record-1#1"]);
}

#[test]
fn a_rewritten_transcript_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.jsonl");
    let mut log = Log::new(1, "/w/p");
    log.human("one").human("two").human("three");
    fs::write(&path, &log.bytes).unwrap();
    let first = read_path(&path);

    // The client drops the first line and goes on.
    let rest = log.bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    log.human("four");
    fs::write(&path, &log.bytes[rest..]).unwrap();
    let second = read_from(&transcript(&path), &first.outcome.cursor);
    assert!(second.outcome.restarted);
    assert_eq!(second.human(), ["two", "three", "four"]);

    fs::write(&path, &log.bytes[..rest]).unwrap();
    let shorter = read_from(&transcript(&path), &second.outcome.cursor);
    assert!(shorter.outcome.restarted, "a shorter file was rewritten too");
    assert_eq!(shorter.human(), ["one"]);
}

#[test]
fn line_numbers_are_those_of_the_file_behind_a_cursor_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.jsonl");
    let mut log = Log::new(1, "/w/p");
    log.human("one").human("two");
    fs::write(&path, &log.bytes).unwrap();
    let first = read_path(&path);
    log.human("three").line("{broken").human("five");
    fs::write(&path, &log.bytes).unwrap();
    let second = read_from(&transcript(&path), &first.outcome.cursor);
    assert_eq!(second.outcome.diagnostics[0].line, Some(4));
}

#[test]
fn activity_is_what_people_and_agents_did() {
    let mut log = Log::new(1, "/w/p");
    log.human("one").agent("m", "two");
    let last: jiff::Timestamp = "2026-11-30T10:00:02Z".parse().unwrap();
    log.push("cost-state", &json!({}))
        .push(
            "user",
            &json!({"isMeta": true, "message": {"role": "user", "content": "Continue from there."}}),
        )
        .push("assistant", &json!({"message": {"model": "<synthetic>", "role": "assistant", "content": []}}))
        .push(
            "assistant",
            &json!({"isApiErrorMessage": true, "message": {"role": "assistant", "content": []}}),
        );
    assert_eq!(log.read().outcome.last_activity, Some(last));
}
