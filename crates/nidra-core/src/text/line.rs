//! Words of others where each has its line: in messages, in logs and on a terminal.

/// Words for one line that is told: what would move the cursor, begin a line or turn the letters round is seen as its
/// escape.
pub fn shown(text: &str) -> String {
    let moves = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        if moves(letter) { line.extend(letter.escape_default()) } else { line.push(letter) }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_begin_a_line_is_seen() {
        assert_eq!(shown("memory/a.md"), "memory/a.md");
        assert_eq!(shown("a\nb\r\u{1b}[2J\u{202e}端口"), "a\\nb\\r\\u{1b}[2J\\u{202e}端口");
    }
}
