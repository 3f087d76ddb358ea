use super::*;
use proptest::prelude::*;

/// The definition: a backslash takes the byte behind it along.
fn by_definition(text: &[u8], escaped: bool) -> Option<usize> {
    let mut escaped = escaped;
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at),
            _ => {}
        }
    }
    None
}

#[test]
fn a_short_string_ends_at_its_first_quote() {
    assert_eq!(end_of_short_string(br#"user","uuid":"1"#), Some(4));
    assert_eq!(end_of_short_string(br#"","type":"user"#), Some(0));
    assert_eq!(end_of_short_string(br#"0123456789abcdef01234567","#), None, "its last bytes are no word");
    assert_eq!(end_of_short_string(br#"say \"yes\" or no","x":1"#), None, "an escaped quote");
    assert_eq!(end_of_short_string(&[b'x'; 1000]), None, "a long string");
}

#[test]
fn the_end_is_found_across_the_borders_of_blocks() {
    for length in 0..300 {
        for run in 0..6 {
            let mut text = vec![b'x'; length];
            text.extend(std::iter::repeat_n(b'\\', run));
            text.extend_from_slice(br#"" behind", and more"#);
            for escaped in [false, true] {
                assert_eq!(end_of_string(&text, escaped), by_definition(&text, escaped), "{length} {run}");
            }
        }
    }
}

proptest! {
    #[test]
    fn any_text_ends_where_the_definition_says(text in "[x\"\\\\]{0,12}(x{0,200}[x\"\\\\]{0,3}){0,6}", escaped: bool) {
        let text = text.as_bytes();
        prop_assert_eq!(end_of_string(text, escaped), by_definition(text, escaped));
        if let Some(end) = end_of_short_string(text) {
            prop_assert_eq!(Some(end), by_definition(text, false));
        }
    }
}
