//! New topic files and new lines of the index.

use super::{Files, Work, entry, name};
use crate::directory::role::Role;
use crate::document::Document;
use crate::document::entries::Mark;
use crate::front_matter::write::{NewHead, render};
use crate::index::edit as index_edit;
use nidra_core::{NewTopic, Operation};

impl Work<'_> {
    /// A new topic file and its line in the index.
    pub(super) fn create(
        &self,
        operation: &Operation,
        topic: &NewTopic,
        entries: &[String],
        hook: &str,
    ) -> Result<Files, String> {
        let taken = |path: &str| self.files.contains_key(path);
        let stem = name::stem(topic, self.memory, &taken)?;
        let path = format!("{stem}.md");
        let (body, expected) = body(entries);
        if expected.is_empty() {
            return Err("it says nothing".to_owned());
        }
        let head = render(&NewHead {
            name: &stem,
            description: &topic.description,
            kind: topic.kind,
            origin_session: operation.evidence.first().map(|evidence| evidence.source.session.as_str()),
            modified: self.context.now.timestamp(),
        });
        let bytes = format!("{head}{body}").into_bytes();
        let parsed = Document::parse(&bytes, false);
        let as_meant = parsed.obstacle().is_none()
            && parsed.heads.len() == 1
            && parsed.entries.iter().all(|entry| entry.active)
            && parsed.entries.iter().map(|entry| entry.text.as_str()).eq(expected.iter().map(String::as_str));
        if !as_meant {
            return Err("its words would read as something else in a file".to_owned());
        }
        let line = index_edit::line(&path, &topic.title, hook, self.context.limits.line_units);
        Ok(vec![self.index_with(&line)?, (path, Some(bytes))])
    }

    /// A line in the index for a topic file that has none.
    pub(super) fn relink(&self, path: &str, title: &str, hook: &str) -> Result<Files, String> {
        if let Some(fault) = name::path_fault(path) {
            return Err(fault);
        }
        let path = self.memory.resolve(path);
        let is_topic = self.memory.files.get(path).is_some_and(|file| file.role == Role::Topic);
        if self.bytes(path).is_none() || !(is_topic || self.files.contains_key(path)) {
            return Err(format!("there is no topic file {path}"));
        }
        if !index_edit::lines_with(&self.index(), self.points_to(path)).is_empty() {
            return Err(format!("the index has a line for {path} already"));
        }
        let line = index_edit::line(path, title, hook, self.context.limits.line_units);
        Ok(vec![self.index_with(&line)?])
    }
}

/// The body of a new file, and the words of its entries as they will be read.
fn body(entries: &[String]) -> (String, Vec<String>) {
    let mut out = String::new();
    let mut expected = Vec::new();
    let mut after_bullet = false;
    for text in entries {
        let text: String = text
            .replace("\r\n", "\n")
            .replace('\r', "\n")
            .chars()
            .filter(|letter| (!letter.is_control() || matches!(letter, '\n' | '\t')) && *letter != '\u{feff}')
            .collect();
        let (block, is_bullet, words) = block(text.trim());
        if words.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push_str(if after_bullet && is_bullet { "\n" } else { "\n\n" });
        }
        out.push_str(&block);
        expected.push(words);
        after_bullet = is_bullet;
    }
    out.push('\n');
    (out, expected)
}

/// One entry in Markdown: as it is where it reads as one entry, else as a bullet on one line.
fn block(text: &str) -> (String, bool, String) {
    let parsed = Document::parse(text.as_bytes(), false);
    if let [only] = parsed.entries.as_slice()
        && only.active
        && only.lines == (0..parsed.lines.len())
        && only.mark != Mark::TableRow
        && parsed.obstacle().is_none()
        && !parsed.tail.open_fence
    {
        return (text.to_owned(), only.mark != Mark::Paragraph, only.text.clone());
    }
    let words = entry::words(text);
    if !words.contains(char::is_alphanumeric) {
        // A rule or a lone mark: it says nothing, and as a bullet it would be a rule again.
        return (String::new(), false, String::new());
    }
    (format!("- {words}"), true, words)
}
