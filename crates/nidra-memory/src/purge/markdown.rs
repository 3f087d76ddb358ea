//! Files of memory without what is purged: the entries that state it, and whatever summed them up.

use super::{Matcher, PURGED};
use crate::directory::role::Role;
use crate::document::Document;
use crate::document::entries::{heading, is_fence};
use crate::document::lines::split;
use crate::front_matter::write::{Edit, apply, set_description};
use crate::index::Index;
use nidra_core::text::width::shorten;

/// UTF-16 units of a description that follows another entry.
const DESCRIPTION_UNITS: usize = 150;

/// What becomes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cleaned {
    /// It says nothing of it.
    Same,
    /// It has these bytes then.
    Changed(Vec<u8>),
    /// Nothing of it is left.
    Gone,
}

/// What a path inside of a memory directory stands for.
pub fn role(path: &str) -> Option<Role> {
    let is_markdown =
        std::path::Path::new(path).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
    if !is_markdown {
        None
    } else if path == crate::index::INDEX_NAME {
        Some(Role::Index)
    } else if crate::directory::role::in_archive(path) {
        Some(Role::Archive)
    } else if path.starts_with("logs/") || path.starts_with("sessions/") {
        None
    } else {
        Some(Role::Topic)
    }
}

/// A file without what is purged; `path` says what it is.
pub fn clean(path: &str, bytes: &[u8], matcher: &Matcher) -> Cleaned {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return if matcher.has_token(&String::from_utf8_lossy(bytes)) {
            Cleaned::Gone
        } else {
            Cleaned::Same
        };
    };
    let cleaned = match role(path) {
        Some(Role::Topic) => topic(bytes, matcher),
        Some(Role::Index) => index(bytes, matcher),
        Some(Role::Archive) => archive(bytes, matcher),
        None => matcher.clean(text).map(String::into_bytes),
    };
    match cleaned {
        None => Cleaned::Same,
        Some(bytes) if bytes.iter().all(u8::is_ascii_whitespace) && role(path) != Some(Role::Index) => {
            Cleaned::Gone
        }
        Some(bytes) => Cleaned::Changed(bytes),
    }
}

fn topic(bytes: &[u8], matcher: &Matcher) -> Option<Vec<u8>> {
    let document = Document::parse(bytes, false);
    let mut gone = vec![false; document.lines.len()];
    let mut rest: Vec<&str> = Vec::new();
    let mut of_entries = vec![false; document.lines.len()];
    for entry in &document.entries {
        let leaves = matcher.states(&entry.text);
        for line in entry.lines.clone() {
            gone[line] |= leaves;
            of_entries[line] = true;
        }
        if !leaves {
            rest.push(&entry.text);
        }
    }
    let had_entries = !document.entries.is_empty();
    if had_entries && rest.is_empty() {
        return Some(Vec::new());
    }
    for (number, line) in document.lines.iter().enumerate() {
        if !of_entries[number] && matcher.states(&line.text(bytes)) {
            gone[number] = true;
        }
    }
    let description = document
        .head()
        .and_then(|head| head.field(None, "description"))
        .filter(|field| matcher.states(&field.value));
    let replaced = description.and_then(|_| {
        let first = rest.first()?;
        set_description(&document, &shorten(first, DESCRIPTION_UNITS))
    });
    if !gone.contains(&true) && replaced.is_none() {
        return None;
    }
    // The description is one line of the head; what stands there then says nothing of it.
    if let Some(field) = description.filter(|_| replaced.is_some()) {
        for flag in gone.iter_mut().take(field.next_line).skip(field.line) {
            *flag = false;
        }
    }
    let lines = document.lines.iter().zip(&gone).filter(|(_, gone)| **gone);
    let gone = lines.map(|(line, _)| Edit { range: line.start..line.next(), text: String::new() });
    Some(apply(bytes, gone.chain(replaced).collect()))
}

fn index(bytes: &[u8], matcher: &Matcher) -> Option<Vec<u8>> {
    let index = Index::parse(bytes);
    let lines = split(bytes);
    let mut out = Vec::with_capacity(bytes.len());
    out.extend_from_slice(
        bytes.get(..lines.first().map_or(bytes.len(), |line| line.start)).unwrap_or_default(),
    );
    let mut changed = false;
    for (number, line) in lines.iter().enumerate() {
        let text = line.text(bytes);
        let hook = text.split_once(" — ").map_or("", |(_, hook)| hook);
        if !matcher.states(&text) && !matcher.states(hook) {
            out.extend_from_slice(bytes.get(line.start..line.next()).unwrap_or_default());
            continue;
        }
        changed = true;
        // A line that leads to a file which stays goes on leading there.
        let link = index.entries.get(number).and_then(|entry| entry.links.first());
        let pointer = link.map(|link| format!("- [{}]({})", stem(&link.target), link.target));
        if let Some(pointer) = pointer.filter(|pointer| !matcher.states(pointer)) {
            out.extend_from_slice(pointer.as_bytes());
            out.extend_from_slice(line.ending.as_str().as_bytes());
        }
    }
    changed.then_some(out)
}

fn stem(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path).trim_end_matches(".md")
}

/// An archive without the items whose words state it; what else says it is blanked. Without an item nothing is left.
fn archive(bytes: &[u8], matcher: &Matcher) -> Option<Vec<u8>> {
    let lines = split(bytes);
    // Which item each line belongs to, and whether it stands inside of the old words.
    let mut of = vec![(0_usize, false); lines.len()];
    let mut fence: Option<String> = None;
    let mut item = 0;
    for (number, line) in lines.iter().enumerate() {
        let text = line.text(bytes);
        match &fence {
            Some(mark) if text.trim() == mark => {
                fence = None;
                of[number] = (item, false);
            }
            Some(_) => of[number] = (item, true),
            None => {
                if is_fence(&text) {
                    fence =
                        Some(text.trim().chars().take_while(|letter| matches!(letter, '`' | '~')).collect());
                } else if matches!(heading(&text), Some((2, _))) {
                    item += 1;
                }
                of[number] = (item, false);
            }
        }
    }
    let mut told = vec![false; item + 1];
    for (item, told) in told.iter_mut().enumerate() {
        let mut words = Vec::new();
        for (number, line) in lines.iter().enumerate() {
            if of[number] == (item, true) {
                words.extend_from_slice(bytes.get(line.start..line.next()).unwrap_or_default());
            }
        }
        let document = Document::parse(&words, true);
        *told = document.entries.iter().any(|entry| matcher.states(&entry.text))
            || String::from_utf8_lossy(&words).lines().any(|line| matcher.states(line));
    }
    let mut out =
        bytes.get(..lines.first().map_or(bytes.len(), |line| line.start)).unwrap_or_default().to_vec();
    let (mut changed, mut left) = (false, false);
    for (number, line) in lines.iter().enumerate() {
        let text = line.text(bytes);
        let (item, inside) = of[number];
        if told[item] && (item > 0 || inside) {
            changed = true;
        } else if !inside && matcher.states(&text) {
            changed = true;
            let label = ["# Archive of ", "Reason: ", "Replaced by: "]
                .into_iter()
                .find(|label| text.starts_with(label));
            out.extend_from_slice(
                format!("{}{PURGED}{}", label.unwrap_or_default(), line.ending.as_str()).as_bytes(),
            );
        } else {
            left |= !text.trim().is_empty() && !text.starts_with("# Archive of ");
            out.extend_from_slice(bytes.get(line.start..line.next()).unwrap_or_default());
        }
    }
    changed.then(|| if left { out } else { Vec::new() })
}
