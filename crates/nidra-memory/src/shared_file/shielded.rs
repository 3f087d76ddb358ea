//! Which lines of a Markdown file are code or a comment, so that nothing in them counts as nidra's.

/// What is left open at the end of a file: its first line, from 1, and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LeftOpen {
    pub(super) line: usize,
    pub(super) fault: &'static str,
}

/// What a line belongs to.
#[derive(Clone, Copy)]
enum Within {
    Fence {
        mark: u8,
        length: usize,
    },
    Comment,
    /// An element whose words are shown as they are, by its place in [`ELEMENTS`].
    Element(usize),
}

/// Elements in which nothing is Markdown.
const ELEMENTS: [&str; 4] = ["pre", "script", "style", "textarea"];

/// The lines that stand in a code block or comment with an end, by their place; and what has none.
///
/// What has no end shields nothing: it may have been opened by mistake above a block of nidra's.
pub(super) fn shielded<'a>(lines: impl Iterator<Item = &'a [u8]>) -> (Vec<bool>, Option<LeftOpen>) {
    let mut found = Vec::new();
    let mut open: Option<(usize, Within)> = None;
    for (number, line) in lines.enumerate() {
        found.push(false);
        match open {
            None => open = opened(line).map(|within| (number, within)),
            Some((from, within)) if is_end(line, within) => {
                if let Some(inside) = found.get_mut(from..) {
                    inside.fill(true);
                }
                open = None;
            }
            Some(_) => {}
        }
    }
    let left = open.map(|(number, within)| LeftOpen {
        line: number + 1,
        fault: match within {
            Within::Element(_) => "an element of HTML begins here and never ends, and would swallow nidra's block; write its end",
            Within::Fence { .. } => "a code block begins here and never ends, and would swallow nidra's block; write its last line",
            Within::Comment => "a comment begins here and never ends, and would swallow nidra's block; write its end",
        },
    });
    (found, left)
}

/// What a line opens that does not end on it.
fn opened(line: &[u8]) -> Option<Within> {
    let text = indented(line)?;
    if let Some((mark, length, rest)) = fence(text) {
        // Backticks behind the mark make it code within a line.
        return (mark == b'~' || !rest.contains(&b'`')).then_some(Within::Fence { mark, length });
    }
    if let Some(inside) = text.strip_prefix(b"<!--") {
        return (!holds(inside, "-->")).then_some(Within::Comment);
    }
    let lower = text.to_ascii_lowercase();
    let name = lower.strip_prefix(b"<")?;
    let (place, rest) = ELEMENTS
        .iter()
        .enumerate()
        .find_map(|(at, element)| Some((at, name.strip_prefix(element.as_bytes())?)))?;
    let whole = rest.first().is_none_or(|byte| matches!(byte, b'>' | b' ' | b'\t' | b'\r' | b'\n'));
    let within = Within::Element(place);
    (whole && !is_end(rest, within)).then_some(within)
}

fn is_end(line: &[u8], within: Within) -> bool {
    match within {
        Within::Comment => holds(line, "-->"),
        Within::Element(place) => {
            let name = ELEMENTS.get(place).copied().unwrap_or_default();
            holds(&line.to_ascii_lowercase(), &format!("</{name}>"))
        }
        Within::Fence { mark, length } => {
            indented(line).and_then(fence).is_some_and(|(other, count, rest)| {
                other == mark && count >= length && rest.trim_ascii().is_empty()
            })
        }
    }
}

/// A line without its indentation; `None` where it is indented as code is.
fn indented(line: &[u8]) -> Option<&[u8]> {
    let text = line.trim_ascii_start();
    (line.len() - text.len() <= 3).then_some(text)
}

/// The mark of a fence, its length, and what stands behind it.
fn fence(text: &[u8]) -> Option<(u8, usize, &[u8])> {
    let mark = *text.first().filter(|mark| matches!(mark, b'`' | b'~'))?;
    let length = text.iter().take_while(|byte| **byte == mark).count();
    Some((mark, length, text.get(length..)?)).filter(|_| length >= 3)
}

fn holds(text: &[u8], end: &str) -> bool {
    text.windows(end.len()).any(|part| part == end.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(text: &str) -> (String, Option<usize>) {
        let (found, left) = shielded(text.split_inclusive('\n').map(str::as_bytes));
        (found.into_iter().map(|inside| if inside { '#' } else { '.' }).collect(), left.map(|left| left.line))
    }

    #[test]
    fn code_and_comments_shield_their_lines_as_commonmark_has_it() {
        for (text, lines, open) in [
            ("a\n```\nb\n```\nc\n", ".###.", None),
            ("~~~md\n```\n~~~\n", "###", None),
            ("````\n```\n````\nd\n", "###.", None),
            ("```\na\n```rust\nb\n", "....", Some(1)),
            ("    ```\na\n", "..", None),
            ("```a`b\nc\n", "..", None),
            ("<!--\na\n-->\nb\n", "###.", None),
            ("<!-- one line -->\nb\n", "..", None),
            ("use `<!--` for it\nb\n", "..", None),
            ("标题\n\n<!-- 未完\n", "...", Some(3)),
            ("<pre>\na\n</pre>\nb\n", "###.", None),
            ("<PRE class=\"x\">a</PRE>\nb\n<prefix>\n", "...", None),
            ("<script>\n", ".", Some(1)),
            ("```\r\nx\r\n```\r\n", "###", None),
        ] {
            assert_eq!(look(text), (lines.to_owned(), open), "{text:?}");
        }
    }
}
