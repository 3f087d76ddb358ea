//! The map as one HTML page that needs nothing else.
//!
//! What memory says may come from anywhere, so the page treats it as hostile: it stands in a block of data in which no
//! markup can begin or end, the script puts it into the page as text alone, and a policy forbids the page to load, send or
//! run anything that is not in it.

use crate::Map;
use nidra_core::text::steering::within_line;
use std::fmt::Write as _;

const SHELL: &str = include_str!("../assets/map.html");
const STYLE: &str = include_str!("../assets/map.css");
/// The parts of the script, which is one function.
const SCRIPT: [&str; 5] = [
    include_str!("../assets/state.js"),
    include_str!("../assets/draw.js"),
    include_str!("../assets/panels.js"),
    include_str!("../assets/input.js"),
    include_str!("../assets/start.js"),
];

/// The page.
///
/// # Errors
/// When the map cannot be written as JSON.
pub fn page(map: &Map) -> Result<String, serde_json::Error> {
    let data = harmless(&serde_json::to_string(map)?);
    let script = format!("(() => {{\n\"use strict\";\n{}\n}})();", SCRIPT.join("\n"));
    // Whoever writes an entry cannot know the hash of a page that holds it, so no entry can name this number.
    let nonce = blake3::hash(data.as_bytes()).to_hex();
    let parts = [
        ("NONCE", nonce.as_str()),
        ("TITLE", &escaped(&map.title)),
        ("STYLE", STYLE),
        ("SCRIPT", &script),
        ("DATA", &data),
    ];
    Ok(filled(SHELL, &parts))
}

/// Puts the parts into the shell in one pass, so that a part which looks like a place is left as it is.
fn filled(shell: &str, parts: &[(&str, &str)]) -> String {
    let mut page = String::new();
    let mut rest = shell;
    while let Some((before, after)) = rest.split_once("{{") {
        page.push_str(before);
        let (name, behind) = after.split_once("}}").unwrap_or((after, ""));
        page.push_str(parts.iter().find(|(known, _)| *known == name).map_or("", |(_, part)| part));
        rest = behind;
    }
    page.push_str(rest);
    page
}

/// JSON in which no markup can begin and no line can end: inside strings, where alone these signs stand, each may be
/// written by its number.
fn harmless(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        if matches!(c, '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\u{7f}'..='\u{9f}') {
            let _ = write!(safe, "\\u{:04x}", u32::from(c));
        } else {
            safe.push(c);
        }
    }
    safe
}

/// Text as it stands in HTML.
fn escaped(text: &str) -> String {
    within_line(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Entry;

    const HOSTILE: &str = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)> {{SCRIPT}} \u{2028}\u{2029} &lt;";

    #[test]
    fn nothing_that_memory_says_becomes_markup() {
        let entry = Entry { text: HOSTILE.to_owned(), ..Entry::default() };
        let map = Map { title: HOSTILE.to_owned(), entries: vec![entry], ..Map::default() };
        let page = page(&map).unwrap();
        for mark in ["<script", "</script", "<style", "<!--"] {
            let own = format!("{SHELL}{STYLE}{}", SCRIPT.concat());
            assert_eq!(page.matches(mark).count(), own.matches(mark).count(), "{mark}");
        }
        assert!(!page.contains('\u{2028}') && !page.contains("<img"));
        // What was put away comes back as it was.
        let mark = "id=\"data\">";
        let start = page.find(mark).unwrap() + mark.len();
        let data = page[start..].split("</script>").next().unwrap();
        let value: serde_json::Value = serde_json::from_str(data).unwrap();
        assert_eq!(value["entries"][0]["text"], HOSTILE);
    }

    #[test]
    fn the_page_names_no_other_place() {
        let page = page(&Map::default()).unwrap();
        for word in [
            "http:",
            "https:",
            "//cdn",
            "url(",
            "@import",
            "fetch(",
            "XMLHttpRequest",
            "WebSocket",
            "import(",
        ] {
            assert!(!page.contains(word), "{word}");
        }
        assert!(page.contains("default-src 'none'"));
    }
}
