//! Changes of existing topic files.

use super::{Files, NO_CHANGE, Pins, Work, archive, edited, entry, name, told};
use crate::directory::role::Role;
use crate::document::Document;
use crate::front_matter::FrontMatter;
use crate::front_matter::write::{Edit, apply, set_description, set_modified};
use crate::index::edit as index_edit;
use nidra_core::text::similarity::containment;
use nidra_core::text::width::shorten;
use nidra_core::{Operation, Target};

/// Share of a description's terms that an entry holds when the description is that entry's.
const TOLD: f64 = 0.9;
/// UTF-16 units of a description that follows its entry.
const DESCRIPTION_UNITS: usize = 150;

impl Work<'_> {
    /// The topic that a path means, if it may be changed.
    fn topic(&self, path: &str) -> Result<(String, Document), String> {
        if let Some(fault) = name::path_fault(path) {
            return Err(fault);
        }
        let path = self.memory.resolve(path).to_owned();
        let Some(bytes) = self.bytes(&path) else {
            return Err(match self.memory.others.get(&path) {
                Some(reason) => format!("{path} is left alone: {reason}"),
                None => format!("there is no topic file {path}"),
            });
        };
        if self.memory.files.get(&path).is_some_and(|file| file.role != Role::Topic) {
            return Err(format!("{path} is no topic file"));
        }
        let document = Document::parse(bytes, false);
        if let Some(obstacle) = self.memory.obstacle(&document) {
            return Err(format!("{path} cannot be edited: {obstacle}"));
        }
        if self.context.pins == Pins::Hold && document.heads.iter().any(FrontMatter::pinned) {
            return Err(format!("{path} is pinned"));
        }
        Ok((path, document))
    }

    fn stamp(&self, document: &Document) -> Option<Edit> {
        set_modified(document, self.context.now.timestamp())
    }

    /// A new entry at the end of a topic.
    pub(super) fn append(
        &mut self,
        operation: &Operation,
        path: &str,
        text: &str,
        hook: Option<&str>,
    ) -> Result<Files, String> {
        let (path, document) = self.topic(path)?;
        let words = entry::without_controls(&entry::words(text), "");
        if words.is_empty() {
            return Err("it says nothing".to_owned());
        }
        if document.entries.iter().any(|entry| entry.active && entry.text == words) {
            return Err(format!("{path} says so already"));
        }
        let edit = entry::append(&document, &words)?;
        let after = edited(&document, [Some(edit), self.stamp(&document)]);
        let mut files = self.index_with_hook(operation, &path, hook);
        files.push((path, Some(after)));
        Ok(files)
    }

    /// Other words for an entry.
    pub(super) fn rewrite(
        &mut self,
        operation: &Operation,
        target: &Target,
        text: &str,
        hook: Option<&str>,
    ) -> Result<Files, String> {
        let (path, document) = self.topic(&target.path)?;
        let number = entry::find(&document, &target.text, false)?;
        let words = entry::without_controls(&entry::words(text), &document.entries[number].text);
        if words.is_empty() {
            return Err("it says nothing".to_owned());
        }
        if words == document.entries[number].text {
            return Err(NO_CHANGE.to_owned());
        }
        let edit = entry::reword(&document, number, &words)?;
        let description = description(&document, &document.entries[number].text, &words, hook);
        let after = edited(&document, [Some(edit), description, self.stamp(&document)]);
        let mut files = self.index_with_hook(operation, &path, hook);
        files.push((path, Some(after)));
        Ok(files)
    }

    /// What is true now in place of an entry; the old words go to the archive.
    pub(super) fn supersede(
        &mut self,
        operation: &Operation,
        target: &Target,
        text: &str,
        hook: Option<&str>,
    ) -> Result<Files, String> {
        let (path, document) = self.topic(&target.path)?;
        let number = entry::find(&document, &target.text, false)?;
        let old = &document.entries[number];
        let words = entry::without_controls(&entry::words(text), &old.text);
        if words.is_empty() {
            return Err("it says nothing".to_owned());
        }
        if words == old.text {
            return Err(NO_CHANGE.to_owned());
        }
        let stated_elsewhere = document
            .entries
            .iter()
            .enumerate()
            .any(|(other, entry)| other != number && entry.active && entry.text == words);
        let edit = if stated_elsewhere {
            entry::remove(&document, number)?
        } else {
            entry::reword(&document, number, &words).or_else(|_| entry::replace(&document, number, &words))?
        };
        let raw = String::from_utf8_lossy(&document.bytes[old.range.clone()]).into_owned();
        let item = archive::Item { operation, verb: "superseded", old: &raw, new: Some(&words) };
        let archived = self.archived(&path, &item)?;
        let description = description(&document, &old.text, &words, hook);
        let after = edited(&document, [Some(edit), description, self.stamp(&document)]);
        let mut files = self.index_with_hook(operation, &path, hook);
        files.push(archived);
        files.push((path, Some(after)));
        Ok(files)
    }

    /// An entry that leaves active memory. A topic whose last entry it was goes with it, whole.
    pub(super) fn archive(&mut self, operation: &Operation, target: &Target) -> Result<Files, String> {
        let (path, document) = self.topic(&target.path)?;
        let number = entry::find(&document, &target.text, true)?;
        let edit = entry::remove(&document, number)?;
        // What summed the entry up goes with it: the line of the index, which is all that a session loads, above all.
        let gone = document.entries[number].text.as_str();
        let rest: Vec<&str> = document
            .entries
            .iter()
            .enumerate()
            .filter(|(other, entry)| *other != number && entry.active)
            .map(|(_, entry)| entry.text.as_str())
            .collect();
        let description = document
            .head()
            .and_then(|head| told::without(head.get("description")?, gone, &rest))
            .and_then(|text| set_description(&document, &shorten(&text, DESCRIPTION_UNITS)));
        let hook = self.hook_of(&path).and_then(|hook| told::without(&hook, gone, &rest));
        let after = edited(&document, [Some(edit), description, self.stamp(&document)]);
        if Document::parse(&after, false).entries.is_empty() {
            match self.without_topic(&path) {
                Ok(index) => {
                    let whole = String::from_utf8_lossy(&document.bytes).into_owned();
                    let item =
                        archive::Item { operation, verb: "archived with its file", old: &whole, new: None };
                    let mut files = vec![self.archived(&path, &item)?];
                    files.extend(index);
                    files.push((path, None));
                    return Ok(files);
                }
                Err(note) => self.notes.push((operation.id.clone(), note)),
            }
        }
        let raw =
            String::from_utf8_lossy(&document.bytes[document.entries[number].range.clone()]).into_owned();
        let item = archive::Item { operation, verb: "archived", old: &raw, new: None };
        let mut files = self.index_with_hook(operation, &path, hook.as_deref());
        files.push(self.archived(&path, &item)?);
        files.push((path, Some(after)));
        Ok(files)
    }

    /// What the topic's own line of the index says behind the link.
    fn hook_of(&self, path: &str) -> Option<String> {
        let index = self.index();
        let number = index_edit::own_line(&index, self.points_to(path))?;
        index_edit::hook(&index, number).map(str::to_owned)
    }

    /// The index without the lines of a topic; refused when one of them says more than that.
    fn without_topic(&self, path: &str) -> Result<Files, String> {
        let stays = format!("{path} stays without entries");
        let mut index = self.editable_index().map_err(|obstacle| format!("{stays}: {obstacle}"))?;
        let before = index.bytes.clone();
        while let Some(number) = index_edit::own_line(&index, self.points_to(path)) {
            let Some(edit) = index_edit::remove(&index, number) else { break };
            index = crate::index::Index::parse(&apply(&index.bytes, vec![edit]));
        }
        if !index_edit::lines_with(&index, self.points_to(path)).is_empty() {
            return Err(format!("{stays}: the index points to it from a line that says more"));
        }
        if index.bytes == before {
            return Ok(Vec::new());
        }
        Ok(vec![(self.memory.index_path().to_owned(), Some(index.bytes))])
    }

    /// The index without a line; its words go to the archive.
    pub(super) fn unlink(&self, operation: &Operation, line: &str) -> Result<Files, String> {
        let index = self.editable_index()?;
        // Of lines that say the same the last goes, so that the one that was first stays where it is.
        let number = index.entries.iter().rposition(|entry| entry.text == line);
        let number = number.ok_or_else(|| "the index has no such line".to_owned())?;
        let edit =
            index_edit::remove(&index, number).ok_or_else(|| "the line cannot be taken out".to_owned())?;
        let after = apply(&index.bytes, vec![edit]);
        let item = archive::Item { operation, verb: "taken out of the index", old: line, new: None };
        let index = self.memory.index_path().to_owned();
        Ok(vec![self.archived(&index, &item)?, (index, Some(after))])
    }

    /// The archive file of a topic with one more item.
    fn archived(&self, topic: &str, item: &archive::Item<'_>) -> Result<(String, Option<Vec<u8>>), String> {
        let stem = topic.trim_end_matches(".md");
        let suffixes =
            || (1..100).map(|number| if number == 1 { String::new() } else { format!("-{number}") });
        // The folder may be something that is left alone: a file, or a link that leads elsewhere.
        let path = suffixes()
            .flat_map(|folder| suffixes().map(move |file| format!("archive{folder}/{stem}{file}.md")))
            .find(|path| self.can_archive_to(path))
            .ok_or_else(|| "there is no place in the archive for its old words".to_owned())?;
        let after = archive::append(self.bytes(&path), topic, item, self.context);
        Ok((path, Some(after)))
    }

    /// Whether an archive file can take one more item: it is not there yet, or it is text.
    fn can_archive_to(&self, path: &str) -> bool {
        let mut above = path;
        loop {
            if self.memory.others.contains_key(above) || self.memory.aliases.contains_key(above) {
                return false;
            }
            match above.rsplit_once('/') {
                Some((folder, _)) => above = folder,
                None => break,
            }
        }
        self.bytes(path).is_none_or(|bytes| {
            let document = Document::parse(bytes, true);
            document.conflict.is_none() && !document.tail.open_fence && std::str::from_utf8(bytes).is_ok()
        })
    }

    /// Another description, another hook, or both.
    pub(super) fn retitle(
        &mut self,
        operation: &Operation,
        path: &str,
        description: Option<&str>,
        hook: Option<&str>,
    ) -> Result<Files, String> {
        let (path, document) = self.topic(path)?;
        let edit = description
            .filter(|text| !text.trim().is_empty())
            .and_then(|text| set_description(&document, text));
        if description.is_some() && document.heads.is_empty() {
            let note = format!("{path} has no front matter; its description is left out");
            if hook.is_none() {
                return Err(note);
            }
            self.notes.push((operation.id.clone(), note));
        }
        let mut files = self.index_with_hook(operation, &path, hook);
        if edit.is_some() {
            let after = edited(&document, [edit, self.stamp(&document)]);
            if let Some(obstacle) = Document::parse(&after, false).obstacle() {
                return Err(obstacle);
            }
            files.push((path, Some(after)));
        }
        if files.is_empty() {
            return Err(NO_CHANGE.to_owned());
        }
        Ok(files)
    }
}

/// Where the description of a topic says nothing but the old words of an entry, it says the new ones from now on; a
/// description that says more is left alone.
fn description(document: &Document, old: &str, new: &str, hook: Option<&str>) -> Option<Edit> {
    let present = document.head()?.get("description")?;
    let told = containment(present, old);
    (told >= TOLD)
        .then(|| set_description(document, &shorten(hook.unwrap_or(new), DESCRIPTION_UNITS)))
        .flatten()
}
