//! Tests of the plan. The layouts are those of the client's own writer (`JSON.stringify(…, null, 2)`) and of people;
//! what a text means is decided by jsonc-parser.

use super::super::notice::NoticeKind;
use super::*;
use proptest::prelude::*;
use serde_json::{Value as Meaning, json};

const COMMAND: &str = "\"/opt/nidra/bin/nidra\" hook claude-code";

fn installed(before: &str) -> String {
    String::from_utf8(plan_install(Some(before.as_bytes()), COMMAND, false).unwrap().bytes).unwrap()
}

fn removed(text: &str, original: &str) -> String {
    String::from_utf8(plan_removal(text.as_bytes(), &containers(original.as_bytes())).unwrap().bytes).unwrap()
}

fn meaning(text: &str) -> Meaning {
    let options = jsonc_parser::ParseOptions::default();
    let value: Option<Meaning> =
        jsonc_parser::parse_to_serde_value(text.trim_start_matches('\u{feff}'), &options).unwrap();
    value.unwrap_or_else(|| json!({}))
}

fn our_group() -> Meaning {
    json!({"hooks": [{"type": "command", "command": COMMAND, "timeout": 10}]})
}

fn all_ours() -> Meaning {
    json!({"SessionStart": [our_group()], "Stop": [our_group()], "SessionEnd": [our_group()]})
}

#[test]
fn a_missing_file_becomes_one_as_the_client_writes_it() {
    let edited = plan_install(None, COMMAND, false).unwrap();
    assert_eq!(edited.action, Action::Created);
    let text = String::from_utf8(edited.bytes).unwrap();
    assert_eq!(meaning(&text), json!({"hooks": all_ours()}));
    let start = "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n";
    assert!(text.starts_with(start), "{text}");
    assert!(text.ends_with("\n    ]\n  }\n}\n"), "{text}");
}

#[test]
fn only_bytes_are_added_and_in_the_style_of_the_file() {
    // Each with a piece that the result must hold, so that a change of style is seen.
    let cases: [(&str, &str); 13] = [
        ("{}", "{\n  \"hooks\": {\n    \"SessionStart\": ["),
        ("{}\n", "  }\n}\n"),
        ("{\r\n\t\"model\": \"opus\"\r\n}", "\"opus\",\r\n\t\"hooks\": {\r\n\t\t\"SessionStart\": [\r\n"),
        ("\u{feff}{\n    \"a\": 1\n}\n", "\u{feff}{\n    \"a\": 1,\n    \"hooks\": {\n        \"Sess"),
        ("{\"a\":1}", "{\"a\":1,\"hooks\":{\"SessionStart\":[{\"hooks\":[{\"type\":\"command\","),
        ("{\"a\": 1}", "{\"a\": 1, \"hooks\": {\"SessionStart\": [{\"hooks\": [{\"type\": \"command\", "),
        ("{\n  \"a\": 1, // one\n}\n", "\"a\": 1, // one\n  \"hooks\": {"),
        ("{\n  \"a\": 1 // one\n}\n", "\"a\": 1, // one\n  \"hooks\": {"),
        ("{\n  \"a\": 1 /* x */ // one\r\n}\n", "\"a\": 1, /* x */ // one\n  \"hooks\": {"),
        ("{\n  // nothing yet\n}\n", "  // nothing yet\n  \"hooks\": {"),
        ("{\n  \"名\": \"\\u4e2d\\ud83d\\ude00\"\n}", "\"\\u4e2d\\ud83d\\ude00\",\n"),
        ("// mine\n", "// mine\n{\n  \"hooks\": {"),
        ("{ \"a\": {\n    \"b\": 1 } }", "{ \"a\": {\n    \"b\": 1 },\n    \"hooks\": {"),
    ];
    for (before, piece) in cases {
        let after = installed(before);
        assert!(after.contains(piece), "{before:?} gave {after}");
        check(before, &after);
    }
}

#[test]
fn hooks_of_others_stay_and_ours_come_last() {
    let before = r#"{
  "hooks": {
    "Stop": [
      { "hooks": [ { "type": "command", "command": "say done" } ] }
    ],
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [{ "type": "command", "command": "guard.sh", "timeout": 5 }]
      }
    ]
  },
  "model": "opus"
}
"#;
    let after = installed(before);
    check(before, &after);
    let stop = &meaning(&after)["hooks"]["Stop"];
    assert_eq!(stop[0]["hooks"][0]["command"], "say done");
    assert_eq!(stop[1], our_group());
    assert_eq!(removed(&after, before), before);
}

#[test]
fn empty_containers_of_the_user_s_stay_when_ours_go() {
    for before in ["{\n  \"hooks\": {}\n}\n", "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n"] {
        let after = installed(before);
        check(before, &after);
        assert_eq!(removed(&after, before), before);
    }
}

#[test]
fn a_moved_program_is_updated_in_place() {
    let before = installed("{\n  \"a\": 1\n}\n");
    let moved = "\"/new place/nidra\" hook claude-code";
    let edited = plan_install(Some(before.as_bytes()), moved, false).unwrap();
    assert_eq!(edited.action, Action::Updated);
    let expected = before.replace("\\\"/opt/nidra/bin/nidra\\\"", "\\\"/new place/nidra\\\"");
    assert_eq!(String::from_utf8(edited.bytes).unwrap(), expected);
}

#[test]
fn a_hook_that_a_person_adapted_is_left_alone() {
    let text = installed("{}").replace("\"\\\"/opt/nidra/bin/nidra\\\" hook", "\"NIDRA_HOME=/x nidra hook");
    let edited = plan_install(Some(text.as_bytes()), COMMAND, false).unwrap();
    assert_eq!((edited.action, edited.bytes), (Action::Unchanged, text.clone().into_bytes()));
    assert_eq!(meaning(&removed(&text, "{}")), json!({}));
}

#[test]
fn a_hook_at_prompts_goes_when_it_is_not_wanted_any_more() {
    for before in
        ["{}", r#"{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "lint"}]}]}}"#]
    {
        let with = plan_install(Some(before.as_bytes()), COMMAND, true).unwrap().bytes;
        let edited = plan_install(Some(&with), COMMAND, false).unwrap();
        assert_eq!(edited.action, Action::Updated);
        assert_eq!(
            meaning(std::str::from_utf8(&edited.bytes).unwrap()),
            meaning(&installed(before)),
            "{before}"
        );
    }
    let adapted = r#"{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "X=1 nidra hook claude-code"}]}]}}"#;
    assert!(installed(adapted).contains("X=1 nidra hook claude-code"));
}

#[test]
fn a_missing_event_is_added_again() {
    let mut half = meaning(&installed("{}"));
    half["hooks"].as_object_mut().unwrap().remove("Stop");
    let edited = plan_install(Some(half.to_string().as_bytes()), COMMAND, false).unwrap();
    assert_eq!(edited.action, Action::Added);
    assert_eq!(meaning(std::str::from_utf8(&edited.bytes).unwrap())["hooks"], all_ours());
}

#[test]
fn edits_of_the_user_s_survive_the_removal() {
    let before = "{\n  \"a\": 1\n}\n";
    let edited = installed(before).replace("\"a\": 1,", "\"a\": 2, // two\n  \"b\": [1, 2],").replace(
        "\"SessionEnd\": [\n",
        "\"SessionEnd\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"mine\" }] },\n",
    );
    let expected = "{\n  \"a\": 2, // two\n  \"b\": [1, 2],\n  \"hooks\": {\n    \"SessionEnd\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"mine\" }] }\n    ]\n  }\n}\n";
    assert_eq!(removed(&edited, before), expected);
}

#[test]
fn faults_name_their_line_and_change_nothing() {
    let cases: [(&[u8], &str); 9] = [
        (b"{\n  \"a\": 1\n  \"b\": 2\n}", "line 3, column 3: expected , or }"),
        (b"{\n  \"a\": \"\xff\"\n}", "line 2: the text is not valid UTF-8"),
        (b"[]", "line 1: the whole of it is a list where the client has an object"),
        (b"{\"a\":1,\n\"hooks\": []}", "line 2: hooks is a list where the client has an object"),
        (b"{\n\n\"hooks\": null}", "line 3: hooks is null where the client has an object"),
        (
            b"{\"hooks\": {\"Stop\":\n \"say done\"}}",
            "line 2: hooks.Stop is a string where the client has a list",
        ),
        (b"{\"a\": tru}", "line 1, column 7: expected a value"),
        (b"{\"a\": 1} x", "line 1, column 10: something stands behind the end of the document"),
        ("{\"名\" 1}".as_bytes(), "line 1, column 6: expected :"),
    ];
    for (before, message) in cases {
        assert_eq!(plan_install(Some(before), COMMAND, false).unwrap_err().to_string(), message);
    }
}

#[test]
fn settings_that_defeat_the_hooks_are_named() {
    let text = "{\n  \"disableAllHooks\": true,\n  \"permissions\": {\n    \"deny\": [\"Read(./.env)\", \"Write\", \"Edit(~/.claude/**)\", \"Edit(src/**)\"]\n  },\n  \"autoMemoryEnabled\": false,\n  \"env\": {\"CLAUDE_CODE_DISABLE_AUTO_MEMORY\": \"1\"},\n  \"autoMemoryDirectory\": \"~/m\"\n}\n";
    let notices = plan_install(Some(text.as_bytes()), COMMAND, false).unwrap().notices;
    let expected = [
        (2, NoticeKind::AllHooksDisabled),
        (4, NoticeKind::WritesDenied("Write".to_owned())),
        (4, NoticeKind::WritesDenied("Edit(~/.claude/**)".to_owned())),
        (6, NoticeKind::AutoMemoryOff),
        (7, NoticeKind::AutoMemoryOffByVariable),
        (8, NoticeKind::MemoryDirectory("~/m".to_owned())),
    ];
    let found: Vec<_> = notices.into_iter().map(|notice| (notice.line, notice.kind)).collect();
    assert_eq!(found, expected);
}

/// What holds for every text that hooks are put into.
fn check(before: &str, after: &str) {
    let mut rest = after.bytes();
    assert!(
        before.bytes().all(|byte| rest.any(|other| other == byte)),
        "bytes were lost: {before:?}\n{after}"
    );
    let again = plan_install(Some(after.as_bytes()), COMMAND, false).unwrap();
    assert_eq!(again.action, Action::Unchanged, "{after}");
    assert_eq!(again.bytes, after.as_bytes());
    let mut expected = meaning(before);
    let hooks = expected.as_object_mut().unwrap().entry("hooks").or_insert_with(|| json!({}));
    for event in ["SessionStart", "Stop", "SessionEnd"] {
        let groups = hooks.as_object_mut().unwrap().entry(event).or_insert_with(|| json!([]));
        groups.as_array_mut().unwrap().push(our_group());
    }
    assert_eq!(meaning(after), expected, "{before:?}\n{after}");
    assert_eq!(meaning(&removed(after, before)), meaning(before), "{before:?}\n{after}");
}

/// White space and comments as people put them between the parts of a document.
fn trivia() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "",
        "",
        "",
        " ",
        "\n",
        "\n  ",
        "\r\n\t",
        "  \n\n    ",
        " // note ,}\n",
        "/* 注 */",
        "\n/* a\n b */\n",
        "\r\n// x\r\n",
    ])
    .prop_map(str::to_owned)
}

fn text() -> impl Strategy<Value = String> {
    r"[a-z中😀 /*,{}\[\]:]{0,6}".prop_map(|text| Meaning::from(text).to_string())
}

fn container(open: char, close: char, items: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    (prop::collection::vec((trivia(), items, trivia()), 0..4), any::<bool>(), trivia()).prop_map(
        move |(items, trailing, end)| {
            let count = items.len();
            let mut out = String::from(open);
            for (index, (before, item, behind)) in items.into_iter().enumerate() {
                let comma = if index + 1 < count || trailing { "," } else { "" };
                out.extend([before.as_str(), item.as_str(), behind.as_str(), comma]);
            }
            out.push_str(&end);
            out.push(close);
            out
        },
    )
}

fn member(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    // A prefix keeps these names apart from `hooks`.
    (text(), trivia(), trivia(), value)
        .prop_map(|(name, a, b, value)| format!("\"k{}{a}:{b}{value}", name.strip_prefix('"').unwrap()))
}

fn value() -> impl Strategy<Value = String> {
    let leaf =
        prop_oneof![text(), Just("null".to_owned()), Just("-1.5e3".to_owned()), Just("true".to_owned())];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![container('[', ']', inner.clone()), container('{', '}', member(inner))]
    })
}

fn hooks() -> impl Strategy<Value = String> {
    let command = prop::sample::select(vec!["say done", "guard.sh", "\\\"/bin/other\\\" hook claude-code"])
        .prop_map(|command| format!("{{\"type\": \"command\", \"command\": \"{command}\"}}"));
    let group = container('[', ']', command)
        .prop_map(|entries| format!("{{\"matcher\": \"*\",\n \"hooks\": {entries}}}"));
    let events = ["Stop", "SessionEnd", "SessionStart", "PreToolUse"];
    let event = (
        prop::sample::subsequence(events.to_vec(), 0..=4),
        prop::collection::vec(container('[', ']', group), 4),
        trivia(),
    );
    event.prop_map(|(events, groups, gap)| {
        let members: Vec<String> = events
            .iter()
            .zip(groups)
            .map(|(event, groups)| format!("{gap}\"{event}\": {groups}{gap}"))
            .collect();
        format!("{{{}}}", members.join(","))
    })
}

fn document() -> impl Strategy<Value = String> {
    let plain = container('{', '}', member(value()));
    let hooked = (trivia(), hooks(), trivia(), member(value()))
        .prop_map(|(a, hooks, b, other)| format!("{{{other},{a}\"hooks\":{hooks}{b}}}"));
    let body = prop_oneof![plain, hooked, trivia()];
    (any::<bool>(), trivia(), body, trivia())
        .prop_map(|(mark, a, body, b)| format!("{}{a}{body}{b}", if mark { "\u{feff}" } else { "" }))
}

proptest! {
    #[test]
    fn any_settings_take_the_hooks_and_give_them_back(before in document()) {
        let after = installed(&before);
        check(&before, &after);
    }

    #[test]
    fn settings_as_the_client_writes_them_come_back_byte_for_byte(
        names in prop::collection::btree_set("[a-z]{1,5}", 0..4),
        events in prop::sample::subsequence(vec!["Stop", "PreToolUse", "SessionEnd"], 0..=3),
    ) {
        let mut root = serde_json::Map::new();
        for name in names {
            root.insert(name, json!({"x": [1, "二"], "y": {}}));
        }
        let group = json!({"hooks": [{"type": "command", "command": "x"}]});
        let hooks: serde_json::Map<_, _> = events.iter().map(|event| ((*event).to_owned(), json!([group]))).collect();
        if !hooks.is_empty() {
            root.insert("hooks".to_owned(), hooks.into());
        }
        let before = serde_json::to_string_pretty(&root).unwrap();
        prop_assume!(before != "{}");
        let after = installed(&before);
        check(&before, &after);
        prop_assert_eq!(removed(&after, &before), before);
    }

    #[test]
    fn any_bytes_are_taken_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _outcome = plan_install(Some(&bytes), COMMAND, false);
        let _outcome = plan_removal(&bytes, &Containers::default());
    }
}
