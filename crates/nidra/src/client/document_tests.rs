//! Tests of the settings parser; what is valid is decided by `serde_json` and jsonc-parser, not by this one.

use super::*;
use proptest::prelude::*;

fn names(text: &str) -> Vec<String> {
    parse(text).unwrap().unwrap().children().iter().map(|child| child.name.clone()).collect()
}

#[test]
fn reads_json_with_comments_trailing_commas_and_a_byte_order_mark() {
    let text = "\u{feff}// head\r\n{\r\n  /* a */ \"a\": [1, 2.5e-3,], // tail\r\n  \"中文\": {\"x\": null,},\r\n}\r\n";
    assert_eq!(names(text), ["a", "中文"]);
}

#[test]
fn holds_nothing() {
    for text in ["", " \r\n\t", "\u{feff}", "// only a comment", "/* a */ // b\n"] {
        assert_eq!(parse(text), Ok(None), "{text:?}");
    }
}

#[test]
fn resolves_escapes() {
    let node = parse(r#""\u0041\"\\\/\n\ud83d\ude00\ud83d.\ude00""#).unwrap().unwrap();
    assert_eq!(node.text(), Some("A\"\\/\n😀\u{fffd}.\u{fffd}"));
}

#[test]
fn of_two_members_of_one_name_the_last_counts() {
    let node = parse(r#"{"a": 1, "a": "two"}"#).unwrap().unwrap();
    assert_eq!(node.member("a").and_then(|child| child.node.text()), Some("two"));
}

#[test]
fn refuses_what_is_not_json() {
    let cases = [
        "{",
        "}",
        "[1 2]",
        "{\"a\" 1}",
        "{a: 1}",
        "{'a': 1}",
        "\"a",
        "\"\\x\"",
        "\"\u{1}\"",
        "01",
        "1.",
        ".5",
        "+1",
        "-",
        "1e",
        "NaN",
        "nulll",
        "{} {}",
        "/* open",
        "/",
        "[,]",
        "{\"a\":}",
        "\"\\u12g4\"",
        "{,}",
        "[1,,2]",
        "tru",
    ];
    for text in cases {
        assert!(parse(text).is_err(), "{text:?}");
    }
    assert!(parse(&"[".repeat(100_000)).is_err());
}

#[test]
fn says_where_commas_stand() {
    let text = "[1 /* , */ , 2]";
    let node = parse(text).unwrap().unwrap();
    assert_eq!(node.children()[0].comma, text.rfind(','));
    assert_eq!(node.children()[1].comma, None);
}

proptest! {
    #[test]
    fn never_panics(text in any::<String>()) {
        let _outcome = parse(&text);
    }

    #[test]
    fn agrees_with_another_parser_on_what_is_valid(text in r#"[\[\]{}:, \n"a0\-1.e/*tnul\\]{0,24}"#) {
        let strict = serde_json::from_str::<serde_json::Value>(&text).is_ok();
        if strict {
            prop_assert!(parse(&text).is_ok());
        }
        let options = jsonc_parser::ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let lenient = jsonc_parser::parse_to_ast(&text, &jsonc_parser::CollectOptions::default(), &options).is_ok();
        if parse(&text).is_ok() {
            prop_assert!(lenient);
        }
    }
}
