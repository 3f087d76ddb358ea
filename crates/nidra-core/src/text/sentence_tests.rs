//! Cases for the sentence splitter.

use super::*;
use proptest::prelude::*;

fn split_texts(text: &str) -> Vec<&str> {
    sentences(text).into_iter().map(|sentence| sentence.text).collect()
}

#[test]
fn splits_at_terminators_only() {
    let cases: &[(&str, &[&str])] = &[
        ("Use pnpm. Never npm.", &["Use pnpm.", "Never npm."]),
        ("use pnpm. don't use npm", &["use pnpm.", "don't use npm"]),
        ("用 pnpm。不要用 npm！好吗？好", &["用 pnpm。", "不要用 npm！", "好吗？", "好"]),
        ("先编译；再测试。", &["先编译；", "再测试。"]),
        ("It takes 1.5 seconds on v2.10.3. Fine.", &["It takes 1.5 seconds on v2.10.3.", "Fine."]),
        ("Edit main.rs. Then src/lib.rs.", &["Edit main.rs.", "Then src/lib.rs."]),
        ("See https://a.example/x.html?a=b. Then go.", &["See https://a.example/x.html?a=b.", "Then go."]),
        (
            "Use tools, e.g. Vite, i.e. no webpack, vs. others etc. and more.",
            &["Use tools, e.g. Vite, i.e. no webpack, vs. others etc. and more."],
        ),
        ("Lint, format, etc. Then push.", &["Lint, format, etc.", "Then push."]),
        ("Run `a. b! c?` first. Then stop.", &["Run `a. b! c?` first.", "Then stop."]),
        ("他说「好。行！」然后走了。完", &["他说「好。行！」然后走了。", "完"]),
        ("他说“用 tabs。不要空格。”就这样。", &["他说“用 tabs。不要空格。”就这样。"]),
        ("He said “Stop. Now.” and left. Done.", &["He said “Stop. Now.” and left.", "Done."]),
        ("He said \"Stop.\" Then he left.", &["He said \"Stop.\"", "Then he left."]),
        ("Really?! Yes!", &["Really?!", "Yes!"]),
        ("wait... what now", &["wait... what now"]),
        ("Hmm... Use the other one", &["Hmm...", "Use the other one"]),
        ("等等……不对。", &["等等……不对。"]),
        ("if a != b { println!(\"x\") } else { c? }", &["if a != b { println!(\"x\") } else { c? }"]),
        ("Donald E. Knuth wrote it. Good.", &["Donald E. Knuth wrote it.", "Good."]),
        ("Take plan B. Then ship.", &["Take plan B.", "Then ship."]),
        ("See no. 5. Go.", &["See no. 5.", "Go."]),
        ("Should we? no. Use the old one", &["Should we?", "no.", "Use the old one"]),
        ("Put it in .env and run ls . src now", &["Put it in .env and run ls . src now"]),
        ("改成 3.5。再看 config.yaml。", &["改成 3.5。", "再看 config.yaml。"]),
        ("It works.然后部署", &["It works.", "然后部署"]),
        (
            "It says \"not resolved\". Root cause is DNS.",
            &["It says \"not resolved\".", "Root cause is DNS."],
        ),
        ("Run `make`. Then push.", &["Run `make`.", "Then push."]),
        ("(It works.) Ship it.", &["(It works.)", "Ship it."]),
        ("An \"open quote. Next one.", &["An \"open quote.", "Next one."]),
        ("", &[]),
        (" \r\n\r\n ", &[]),
        ("👍", &["👍"]),
    ];
    for (text, expected) in cases {
        assert_eq!(&split_texts(text), expected, "{text}");
    }
}

#[test]
fn lines_items_quotes_and_tables() {
    let text = "\u{feff}# Title here\n\nfirst line\nsecond line\n- one. two\n* [ ] task\n2. numbered\n3、第三\n（4）第四\n> quoted words\n> > deeper\n| a | b. c |\n|---|---|\n---\nend";
    let found: Vec<_> = sentences(text).into_iter().map(|s| (s.text, s.item, s.quoted)).collect();
    assert_eq!(
        found,
        [
            ("Title here", false, false),
            ("first line", false, false),
            ("second line", false, false),
            ("one.", true, false),
            ("two", true, false),
            ("task", true, false),
            ("numbered", true, false),
            ("第三", true, false),
            ("第四", true, false),
            ("quoted words", false, true),
            ("deeper", false, true),
            ("| a | b. c |", true, false),
            ("end", false, false),
        ]
    );
}

#[test]
fn wrapped_prose_is_joined_and_short_lines_are_not() {
    let wrapped = "this line is long enough that an editor must have wrapped it here\nand it goes on. Next.";
    assert_eq!(
        split_texts(wrapped),
        ["this line is long enough that an editor must have wrapped it here\nand it goes on.", "Next."]
    );
    assert_eq!(split_texts("short line\nand another"), ["short line", "and another"]);
    let capital = "this line is long enough that an editor must have wrapped it here\nAnother starts.";
    assert_eq!(split_texts(capital).len(), 2);
    let bullets = "this line is long enough that an editor must have wrapped it here\n- item";
    assert_eq!(split_texts(bullets).len(), 2);
}

#[test]
fn fenced_code_is_left_out() {
    let text = "Before.\n```sh\nrm -rf x. y\n```\nAfter.\n~~~\nopen";
    assert_eq!(split_texts(text), ["Before.", "After."]);
}

proptest! {
    #[test]
    fn ranges_are_exact_and_in_order(text in any::<String>()) {
        check(&text)?;
    }

    #[test]
    fn ranges_are_exact_in_markup(text in "[ab。.!?？“”「」\"`>#|\\- \n\r…1中，;；(]{0,120}") {
        check(&text)?;
    }
}

fn check(text: &str) -> Result<(), TestCaseError> {
    let mut last = 0;
    for sentence in sentences(text) {
        prop_assert!(sentence.range.start >= last);
        prop_assert_eq!(&text[sentence.range.clone()], sentence.text);
        prop_assert!(!sentence.text.trim().is_empty());
        last = sentence.range.end;
    }
    Ok(())
}
