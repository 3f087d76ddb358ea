use super::*;
use crate::claude::{Record, Scanned, is_wanted_key, scan};
use crate::json::Limit;
use proptest::prelude::*;

/// The texts of all blocks of the records in these bytes, read with a buffer of this size.
fn texts(bytes: &[u8], buffer: usize) -> Vec<(u64, u64, u64, Vec<String>)> {
    let mut lines = Lines::new(bytes, buffer, is_wanted_key);
    let mut found = Vec::new();
    while let Some(raw) = lines.next().unwrap() {
        let mut texts = Vec::new();
        let mut record = Record::default();
        if let Ok(Scanned::Whole { .. }) = scan(raw.line, 0, false, &mut record) {
            let spans = record.uuid.iter().chain(record.message.iter().flat_map(|message| {
                message
                    .text
                    .iter()
                    .chain(message.blocks.iter().flat_map(|block| block.text.iter().chain(&block.answer)))
            }));
            for limit in [Limit::SPEECH, Limit::RESULT] {
                texts.extend(spans.clone().map(|span| raw.line.decode(span.clone(), limit)));
            }
        }
        found.push((raw.offset, raw.length, raw.number, texts));
    }
    found
}

/// A text that does not fill a screen when a case fails.
#[derive(Clone)]
struct Text(String);

impl std::fmt::Debug for Text {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let start: String = self.0.chars().take(40).collect();
        write!(formatter, "{start:?} ({} bytes)", self.0.len())
    }
}

fn long_text() -> impl Strategy<Value = Text> {
    let part = prop_oneof!["[a-z ]{1,30}", r#"[\\\\"\n\t]{1,5}"#, "[中文😀é]{1,10}", "\\PC{1,20}"];
    (part, prop::sample::select(vec![1_usize, 10, 3000])).prop_map(|(part, times)| Text(part.repeat(times)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_condensed_line_says_the_same_as_the_line(parts in prop::collection::vec(long_text(), 1..5), buffer in 64..5000_usize) {
        let parts: Vec<String> = parts.into_iter().map(|text| text.0).collect();
        let blocks: Vec<_> = parts
            .iter()
            .map(|text| serde_json::json!({"type": "tool_result", "content": [{"type": "text", "text": text}]}))
            .collect();
        let mut bytes = Vec::new();
        for content in [serde_json::json!(parts.concat()), serde_json::json!(blocks)] {
            let record = serde_json::json!({
                "type": "user",
                "toolUseResult": {"lines": parts, "nested": [{"uuid": "not this"}, 1, null]},
                "message": {"role": "user", "content": content},
                "uuid": "this",
            });
            bytes.extend(record.to_string().bytes());
            bytes.push(b'\n');
        }
        // Without the texts themselves in a failure: they are long.
        prop_assert!(texts(&bytes, buffer) == texts(&bytes, 16 * 1024 * 1024));
    }
}

#[test]
fn values_that_no_one_reads_are_left_out_of_a_long_line() {
    let filler = "[[{\"a\":\"}\"}],".repeat(2_000_000);
    let line = format!(r#"{{"uuid":"u","toolUseResult":{filler}0,"type":"user"}}"#);
    let mut lines = Lines::new(line.as_bytes(), 1024, is_wanted_key);
    let raw = lines.next().unwrap().unwrap();
    assert!(!raw.overflowed && raw.line.bytes.len() < 100);
    assert_eq!(raw.length, line.len() as u64);
}

#[test]
fn a_line_that_stays_too_long_is_given_up() {
    let line = format!(r#"{{"message":{{"content":[{}]}}}}"#, "1,".repeat(4_000_000));
    let bytes = format!("{line}\n{{}}\n");
    let mut lines = Lines::new(bytes.as_bytes(), 1024, is_wanted_key);
    assert!(lines.next().unwrap().unwrap().overflowed);
    assert_eq!(lines.next().unwrap().unwrap().line.bytes, b"{}");
}
