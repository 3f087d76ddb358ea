use super::*;

fn decode(raw: &[u8]) -> String {
    Line { bytes: raw, cuts: &[] }.decode(0..raw.len(), Limit::SPEECH)
}

#[test]
fn decodes_every_escape() {
    assert_eq!(decode(br#"a\n\t\r\"\\\/\b\f\u4e2d"#), "a\n\t\r\"\\/\u{8}\u{c}中");
    assert_eq!(decode(br"\ud83d\ude00"), "😀");
}

#[test]
fn repairs_what_is_no_text() {
    assert_eq!(decode(br"x\ud83dy"), "x\u{fffd}y", "a high half alone");
    assert_eq!(decode(br"x\udc88y"), "x\u{fffd}y", "a low half alone");
    assert_eq!(decode(br"\ud83d\ud83d\ude00"), "\u{fffd}😀", "a half before a pair");
    assert_eq!(decode(b"a\xffb"), "a\u{fffd}b", "no UTF-8");
    assert_eq!(decode(br"\q\u12"), r"\q\u12", "no escapes at all");
    assert_eq!(decode(b"\\\xe4\xb8\xad"), "\\中", "a backslash before a character of several bytes");
    assert_eq!(decode(b"raw \x0b \x0c \t stay"), "raw \u{b} \u{c} \t stay");
}

#[test]
fn cuts_with_an_explicit_mark() {
    let limit = Limit { head: 8, tail: 4 };
    let text = b"12345678 the middle 90ab";
    let cut = Line { bytes: text, cuts: &[] }.decode(0..text.len(), limit);
    // The tail starts behind a blank within its last bytes, or a little later where there is none.
    assert!(cut.starts_with("12345678…["), "{cut}");
    assert!(cut.contains(" bytes cut]"), "{cut}");

    let limit = Limit { head: 8, tail: 0 };
    let cut = Line { bytes: text, cuts: &[] }.decode(0..text.len(), limit);
    assert_eq!(cut, "12345678…[16 bytes cut]");
}

#[test]
fn never_cuts_inside_a_character_or_an_escape() {
    let raw = "中文中文".as_bytes();
    let cut = Line { bytes: raw, cuts: &[] }.decode(0..raw.len(), Limit { head: 4, tail: 0 });
    assert_eq!(cut, "中…[9 bytes cut]");

    let raw = br"abc\u4e2d\u6587";
    let cut = Line { bytes: raw, cuts: &[] }.decode(0..raw.len(), Limit { head: 5, tail: 0 });
    assert_eq!(cut, "abc…[10 bytes cut]");

    let raw = "head \\n middle middle 中文 tail".as_bytes();
    let cut = Line { bytes: raw, cuts: &[] }.decode(0..raw.len(), Limit { head: 4, tail: 8 });
    assert!(cut.starts_with("head…[") && cut.ends_with("tail"), "{cut}");
}

#[test]
fn a_cut_made_while_reading_counts_into_the_same_mark() {
    // Eleven bytes were left out of the line at position 6.
    let line = Line { bytes: b"aaaaaabb tail", cuts: &[Cut { at: 6, bytes: 11 }] };
    let cut = line.decode(0..13, Limit { head: 4, tail: 5 });
    assert_eq!(cut, "aaaa…[16 bytes cut]tail", "2 + 11 + 2 before the blank and the blank itself");
}
