//! Tests of reading what a model answered.

use super::*;
use proptest::prelude::*;

fn asked() -> Asked {
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Asked { batch: "b-1".to_owned(), items: set(&["c1", "c2", "h1"]), entries: set(&["e1", "e2"]) }
}

fn read_text(text: &str) -> Result<Vec<Proposal>, AnswerFault> {
    read(&Reply { text: text.to_owned(), ..Reply::default() }, &asked())
}

const GOOD: &str = r#"{"batch":"b-1","operations":[{"op":"keep","item":"c1","entry":null,"text":null}]}"#;

#[test]
fn what_is_harmless_around_an_answer_is_taken_away() {
    let plain = read_text(GOOD).unwrap();
    assert_eq!(plain.len(), 1);
    let trailing = GOOD.replace("null}]}", "null,},]}");
    let call = format!(r#"{{"name":"report","arguments":{GOOD}}}"#);
    let quoted = format!(r#"{{"name":"report","arguments":{}}}"#, serde_json::to_string(GOOD).unwrap());
    for text in [
        format!("```json\n{GOOD}\n```"),
        format!("Here is what I found {{see below}}:\n\n{GOOD}\n\nAnything else?"),
        format!("\u{feff}  {GOOD}"),
        trailing,
        call,
        quoted,
        format!("He said \"use {{braces}}\". {GOOD}"),
    ] {
        assert_eq!(read_text(&text), Ok(plain.clone()), "{text}");
    }
}

#[test]
fn pub_out_01_and_02_every_bad_answer_has_its_name() {
    let third = &GOOD[..GOOD.len() / 2];
    for (text, fault) in [
        ("", AnswerFault::Empty),
        ("  \n", AnswerFault::Empty),
        (third, AnswerFault::CutOff),
        ("I'm sorry, but I can’t help with that.", AnswerFault::Refusal),
        ("抱歉，我无法处理这个请求。", AnswerFault::Refusal),
        ("Error: rate limit exceeded, try again", AnswerFault::ErrorText),
        (r#"{"error":{"message":"overloaded"}}"#, AnswerFault::ErrorText),
        ("Could you tell me which project this is about?", AnswerFault::NoForm),
        ("{}", AnswerFault::Malformed),
        (r#"{"facts":["a"]}"#, AnswerFault::Malformed),
        (r#"{"batch":"b-1"}"#, AnswerFault::Malformed),
        (r#"{"batch":"b-1","operations":{}}"#, AnswerFault::Malformed),
        (r#"{"batch":"b-1","operations":[],"more":1}"#, AnswerFault::Malformed),
        (r#"{"batch":"b-1","operations":[{"op":"keep"}]}"#, AnswerFault::Malformed),
        (r#"{"batch":"b-1","batch":"b-1","operations":[]}"#, AnswerFault::DuplicateKeys),
        (
            r#"{"batch":"b-1","operations":[{"op":"keep","op":"drop","item":"c1"}]}"#,
            AnswerFault::DuplicateKeys,
        ),
        (r#"{"batch":"b-2","operations":[]}"#, AnswerFault::AnotherQuestion),
        (r#"{"batch":"b-1","operations":[{"op":"shell","item":"c1"}]}"#, AnswerFault::UnknownOperation),
        (r#"{"batch":"b-1","operations":[{"op":"keep","item":"c9"}]}"#, AnswerFault::UnknownIdentifier),
        (r#"{"batch":"b-1","operations":[{"op":"keep","item":"e1"}]}"#, AnswerFault::UnknownIdentifier),
        (
            r#"{"batch":"b-1","operations":[{"op":"archive","item":"c1","entry":"e9"}]}"#,
            AnswerFault::UnknownIdentifier,
        ),
        (
            r#"{"batch":"b-1","operations":[{"op":"create","item":"c1","kind":"secret"}]}"#,
            AnswerFault::Malformed,
        ),
    ] {
        assert_eq!(read_text(text), Err(fault), "{text}");
    }
    assert_eq!(read_text(&format!("{GOOD}\n{GOOD}")), Err(AnswerFault::Several));
}

#[test]
fn an_answer_is_whole_when_the_limit_cut_only_the_empty_lines_behind_it() {
    let cut = |text: String| read(&Reply { text, stop: Stop::CutOff, ..Reply::default() }, &asked());
    let lines = "\n".repeat(500);
    let whole = read(&Reply { text: GOOD.to_owned(), ..Reply::default() }, &asked()).unwrap();
    assert_eq!(cut(format!("{GOOD}{lines}")).unwrap(), whole);
    assert_eq!(cut(format!("```json\n{GOOD}\n```{lines}")).unwrap(), whole);
    for at in (1..GOOD.len()).filter(|at| GOOD.is_char_boundary(*at)) {
        assert!(cut(format!("{}{lines}", &GOOD[..at])).is_err(), "{at}");
    }
}

#[test]
fn pub_out_01_an_answer_that_the_limit_cut_is_not_used_even_if_it_is_whole() {
    let reply = Reply { text: GOOD.to_owned(), stop: Stop::CutOff, ..Reply::default() };
    assert_eq!(read(&reply, &asked()), Err(AnswerFault::CutOff));
}

#[test]
fn an_answer_with_more_operations_than_there_are_things_is_a_loop() {
    let one = r#"{"op":"keep","item":"c1"}"#;
    let many = format!(r#"{{"batch":"b-1","operations":[{}]}}"#, [one; 6].join(","));
    assert_eq!(read_text(&many), Err(AnswerFault::Malformed));
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in ".{0,200}") {
        let _read = read_text(&text);
    }

    #[test]
    fn a_good_answer_that_was_changed_somewhere_is_used_or_refused(at in 0..GOOD.len(), letter in any::<char>()) {
        let mut text = GOOD.to_owned();
        text.replace_range(at..=at, &letter.to_string());
        if let Ok(proposals) = read_text(&text) {
            prop_assert!(proposals.iter().all(|proposal| asked().items.contains(&proposal.item)));
        }
    }
}
