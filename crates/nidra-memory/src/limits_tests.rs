//! Counting as the client counts.

use super::*;

#[test]
fn what_the_client_leaves_out_is_not_counted() {
    let used = |text: &str| {
        let used = measure(text.as_bytes());
        (used.lines, used.units)
    };
    assert_eq!(used(""), (0, 0));
    assert_eq!(used(" \n\n"), (0, 0));
    assert_eq!(used("a\nb"), (2, 3));
    assert_eq!(used("\n\n  a\nb\n\n\n"), (2, 3));
    assert_eq!(used("\u{feff}a\n"), (1, 1));
    assert_eq!(used("---\nname: x\n---\na\n"), (1, 1));
    assert_eq!(used("a<!-- note -->b\n"), (1, 2));
    assert_eq!(used("a\n<!-- one\ntwo\n-->b\nc\n"), (3, 5));
    assert_eq!(used("a <!-- never closed\nb\n"), (2, 21));
    // An emoji outside the basic plane takes two units, a Chinese character one.
    assert_eq!(used("🎉记\n"), (1, 3));
}

#[test]
fn what_is_cut_is_whole_lines_from_the_end() {
    let limits = IndexLimits { lines: 3, units: 10, line_units: 150 };
    assert_eq!(cut_lines(b"a\nb\nc\nd\ne\n", &limits), [3, 4]);
    assert_eq!(cut_lines("aaaa\n记记记记记\nb\nc\n".as_bytes(), &limits), [2, 3]);
    assert_eq!(cut_lines("aaaa\n记记记记记记\nb\nc\n".as_bytes(), &limits), [1, 2, 3]);
    assert_eq!(cut_lines(b"\n\na\n<!-- x -->\nb\nc\n", &limits), [5]);
}

#[test]
fn the_fuller_limit_decides() {
    let limits = IndexLimits { lines: 200, units: 1_000, line_units: 150 };
    assert_eq!(IndexUse { lines: 10, units: 900, bytes: 0 }.percent(&limits), 90);
    assert_eq!(IndexUse { lines: 190, units: 10, bytes: 0 }.percent(&limits), 95);
    assert!(IndexUse { lines: 200, units: 1_000, bytes: 9_999 }.fits(&limits));
    assert!(!IndexUse { lines: 201, units: 1, bytes: 0 }.fits(&limits));
}
