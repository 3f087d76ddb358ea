//! Letters that steer where they are shown: they move a cursor, begin a line, or turn the order of the others round.
//! Words from elsewhere could hide with them what stands there, or look like a message of another's.

/// Whether a letter steers: a control character, an end of a line, or a mark of direction
/// (Unicode's `Bidi_Control`).
pub fn is_steering(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Words as they can stand within a line: a blank for each letter that steers.
pub fn within_line(words: &str) -> String {
    words.chars().map(|letter| if is_steering(letter) { ' ' } else { letter }).collect()
}

/// Words for one line where what steers is of interest: each letter that steers is seen as its escape.
pub fn shown(words: &str) -> String {
    let mut line = String::with_capacity(words.len());
    for letter in words.chars() {
        if is_steering(letter) { line.extend(letter.escape_default()) } else { line.push(letter) }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_steer_are_told_from_those_that_are_read() {
        // The twelve characters with the property `Bidi_Control` of the Unicode Character Database.
        let bidi =
            [0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069];
        let lines = [0x0a, 0x0b, 0x0c, 0x0d, 0x1b, 0x85, 0x9b, 0x2028, 0x2029];
        for code in bidi.into_iter().chain(lines) {
            assert!(char::from_u32(code).is_some_and(is_steering), "U+{code:04X}");
        }
        assert!(!"Aé端 口，👩\u{200d}💻 \u{a0}".contains(is_steering));
        assert_eq!(within_line(" a\nb\u{202e}c\u{2028}端口\r"), " a b c 端口 ");
    }

    #[test]
    fn what_steers_is_seen_as_its_escape() {
        assert_eq!(shown("memory/a.md"), "memory/a.md");
        assert_eq!(shown("a\nb\r\u{1b}[2J\u{202e}端口"), "a\\nb\\r\\u{1b}[2J\\u{202e}端口");
    }
}
