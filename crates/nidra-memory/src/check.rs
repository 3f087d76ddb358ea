//! What is out of step or out of shape in a memory directory, named by file and line.
//!
//! Findings are reports: nothing here mends anything, and a finding is never a reason to delete.

use crate::directory::{Lookup, MemoryDirectory};
use crate::document::Document;
use crate::document::lines::mixed;
use crate::front_matter::CLIENT_LINES;
use crate::index::link::Pointer;
use crate::index::{INDEX_NAME, Index};
use crate::limits::{IndexLimits, cut_lines, measure};
use nidra_core::text::redact;
use nidra_core::text::width::utf16_len;
use std::collections::{BTreeMap, BTreeSet};

/// Percent of a limit from which the index counts as nearly full.
pub const WARN_PERCENT: usize = 80;
/// UTF-16 units of an index line from which the client itself warns.
const CLIENT_LINE_UNITS: usize = 200;
/// Topic files that the client lists at most.
const CLIENT_FILES: usize = 200;
/// Bytes of the index that the client's documentation names.
const DOCUMENTED_BYTES: usize = 25_000;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// It will become a fault, or it costs something already.
    Warning,
    /// Something is lost, unseen or cannot be kept.
    Error,
}

impl Severity {
    /// The name used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// What kind of thing was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// The index links to a topic file that is not there.
    DanglingLink,
    /// The index links into a folder that is not part of memory.
    ForeignLink,
    /// No line of the index points to a topic file.
    OrphanedTopic,
    /// Two lines of the index point to one topic file.
    DuplicateLink,
    /// A line of the index is not loaded.
    CutLine,
    /// The index is over a limit, or how much room is left.
    IndexFill,
    /// A line of the index is longer than the client advises.
    LongLine,
    /// The index says something, but links to nothing.
    FreeFormIndex,
    /// Front matter that a strict parser refuses.
    BrokenFrontMatter,
    /// A value that a strict parser reads shorter.
    LossyValue,
    /// A second front matter block behind the first.
    DoubleFrontMatter,
    /// A front matter block that does not stand at the file's start.
    DisplacedFrontMatter,
    /// A front matter block longer than the client reads.
    LongFrontMatter,
    /// An unresolved merge conflict.
    ConflictMarker,
    /// A copy that a sync tool left.
    ConflictCopy,
    /// The repository is in the middle of a merge.
    Merging,
    /// Both kinds of line end in one file.
    MixedEndings,
    /// A byte order mark.
    ByteOrderMark,
    /// Bytes that are no UTF-8.
    InvalidUtf8,
    /// NUL bytes.
    Nul,
    /// A file or link that could not be read.
    Unreadable,
    /// More topic files than the client lists.
    TooManyTopics,
    /// Something that looks like a secret.
    Secret,
    /// Two entries that say the same words.
    DuplicateEntry,
}

impl FindingKind {
    /// The name used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DanglingLink => "dangling-link",
            Self::ForeignLink => "foreign-link",
            Self::OrphanedTopic => "orphaned-topic",
            Self::DuplicateLink => "duplicate-link",
            Self::CutLine => "cut-line",
            Self::IndexFill => "index-fill",
            Self::LongLine => "long-line",
            Self::FreeFormIndex => "free-form-index",
            Self::BrokenFrontMatter => "broken-front-matter",
            Self::LossyValue => "lossy-value",
            Self::DoubleFrontMatter => "double-front-matter",
            Self::DisplacedFrontMatter => "displaced-front-matter",
            Self::LongFrontMatter => "long-front-matter",
            Self::ConflictMarker => "conflict-marker",
            Self::ConflictCopy => "conflict-copy",
            Self::Merging => "merging",
            Self::MixedEndings => "mixed-endings",
            Self::ByteOrderMark => "byte-order-mark",
            Self::InvalidUtf8 => "invalid-utf8",
            Self::Nul => "nul",
            Self::Unreadable => "unreadable",
            Self::TooManyTopics => "too-many-topics",
            Self::Secret => "secret",
            Self::DuplicateEntry => "duplicate-entry",
        }
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The file, relative to the memory directory.
    pub path: String,
    /// The line, from 1, where it stands in one.
    pub line: Option<u64>,
    /// What kind of thing it is.
    pub kind: FindingKind,
    /// How much it matters.
    pub severity: Severity,
    /// What is the matter, as a sentence fragment.
    pub message: String,
}

/// Looks through a memory directory. Findings are ordered by file, line and kind.
pub fn check(memory: &MemoryDirectory, limits: &IndexLimits) -> Vec<Finding> {
    let mut report = Report { found: Vec::new() };
    let documents: Vec<(&str, Document)> =
        memory.topics().map(|(path, file)| (path, Document::parse(&file.bytes, false))).collect();
    index_links(memory, &documents, &mut report);
    index_fill(memory, limits, &mut report);
    for (path, document) in &documents {
        topic(path, document, &mut report);
    }
    duplicates(&documents, &mut report);
    secrets(memory, &mut report);
    if documents.len() > CLIENT_FILES {
        let message = format!("{} topic files, and the client lists {CLIENT_FILES} at most", documents.len());
        report.add(INDEX_NAME, None, FindingKind::TooManyTopics, Severity::Warning, message);
    }
    if let Some(mark) = &memory.merging {
        report.add(
            INDEX_NAME,
            None,
            FindingKind::Merging,
            Severity::Error,
            format!(
                "the repository is in the middle of a merge ({mark}); nothing is edited until it is finished"
            ),
        );
    }
    for diagnostic in &memory.diagnostics {
        let path = diagnostic.path.strip_prefix(&memory.root).unwrap_or(&diagnostic.path);
        let path = path.to_string_lossy().replace('\\', "/");
        let copy = diagnostic.message.contains("conflict copy");
        let (kind, severity) = if copy {
            (FindingKind::ConflictCopy, Severity::Warning)
        } else {
            (FindingKind::Unreadable, Severity::Error)
        };
        report.add(&path, diagnostic.line, kind, severity, diagnostic.message.clone());
    }
    report.found.sort_by(|left, right| {
        (&left.path, left.line, left.kind, &left.message).cmp(&(
            &right.path,
            right.line,
            right.kind,
            &right.message,
        ))
    });
    report.found
}

struct Report {
    found: Vec<Finding>,
}

impl Report {
    fn add(&mut self, path: &str, line: Option<u64>, kind: FindingKind, severity: Severity, message: String) {
        self.found.push(Finding { path: path.to_owned(), line, kind, severity, message });
    }
}

/// A line number from 0 as people count.
fn counted(line: usize) -> Option<u64> {
    u64::try_from(line).ok().map(|line| line + 1)
}

/// Entries that stand twice, word for word.
fn duplicates(documents: &[(&str, Document)], report: &mut Report) {
    let mut first: BTreeMap<&str, &str> = BTreeMap::new();
    for (path, document) in documents {
        for entry in document.entries.iter().filter(|entry| entry.active && !entry.text.is_empty()) {
            if let Some(earlier) = first.get(entry.text.as_str()) {
                let shown = nidra_core::text::width::shorten(&entry.text, 80);
                let message = format!("{earlier} says the same: {shown}");
                report.add(path, None, FindingKind::DuplicateEntry, Severity::Note, message);
            } else {
                first.insert(&entry.text, path);
            }
        }
    }
}

/// What looks like a secret, in any file; the words themselves are not repeated.
fn secrets(memory: &MemoryDirectory, report: &mut Report) {
    for (path, file) in &memory.files {
        let text = String::from_utf8_lossy(&file.bytes);
        for found in redact::find(&text) {
            let line = text.get(..found.range.start).map(|before| before.matches('\n').count());
            let message =
                format!("it looks like a secret ({}); agents load it into every session", found.rule);
            report.add(path, line.and_then(counted), FindingKind::Secret, Severity::Error, message);
        }
    }
}

fn index_links(memory: &MemoryDirectory, documents: &[(&str, Document)], report: &mut Report) {
    let path = memory.index_path();
    let index = Index::parse(memory.index_bytes());
    let lookup = Lookup::new(memory, documents);
    let mut pointed: BTreeSet<String> = BTreeSet::new();
    let mut first_line: BTreeMap<String, usize> = BTreeMap::new();
    for (number, entry) in index.entries.iter().enumerate() {
        for link in &entry.links {
            let Some(target) = lookup.target(link) else { continue };
            pointed.insert(target.clone());
            if link.pointer != Pointer::Link {
                continue;
            }
            if lookup.path(&link.target).is_none() {
                dangling(memory, path, number, &target, report);
            } else if !entry.item {
                // Prose and tables may cite a file as often as they like.
            } else if let Some(first) = first_line.get(&target) {
                let message = format!("a second line for {target} (the first is line {})", first + 1);
                report.add(path, counted(number), FindingKind::DuplicateLink, Severity::Warning, message);
            } else {
                first_line.insert(target, number);
            }
        }
    }
    for (topic, _) in documents {
        if !pointed.contains(*topic) {
            let message = format!("no line of {INDEX_NAME} points to it, so no session hears of it");
            report.add(topic, None, FindingKind::OrphanedTopic, Severity::Warning, message);
        }
    }
    if let Some(line) = index.conflict {
        let message = "an unresolved merge conflict; the file is not edited".to_owned();
        report.add(path, counted(line), FindingKind::ConflictMarker, Severity::Error, message);
    }
    if index.is_free_form() {
        let message = "a free-form index: it links to no topic file; it is kept as it is".to_owned();
        report.add(path, None, FindingKind::FreeFormIndex, Severity::Note, message);
    }
    bytes(path, &index.bytes, index.has_mixed_endings(), report);
}

fn dangling(memory: &MemoryDirectory, index: &str, line: usize, target: &str, report: &mut Report) {
    let left_alone = memory.others.iter().find(|(other, _)| {
        target == other.as_str()
            || target.strip_prefix(other.as_str()).is_some_and(|rest| rest.starts_with('/'))
    });
    let folder = target.rsplit_once('/').map(|(folder, _)| folder);
    let folder_exists = folder.is_none_or(|folder| {
        memory.files.keys().any(|path| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
    });
    let (kind, severity, message) = match (left_alone, folder) {
        (Some((other, reason)), _) => (
            FindingKind::ForeignLink,
            Severity::Note,
            format!("{target} is not part of memory: {other} is left alone ({reason})"),
        ),
        (None, Some(folder)) if !folder_exists => (
            FindingKind::ForeignLink,
            Severity::Note,
            format!("{target} lies in the folder {folder}, which is not here"),
        ),
        (None, _) => (FindingKind::DanglingLink, Severity::Error, format!("there is no file {target}")),
    };
    report.add(index, counted(line), kind, severity, message);
}

fn index_fill(memory: &MemoryDirectory, limits: &IndexLimits, report: &mut Report) {
    let path = memory.index_path();
    let index = memory.index_bytes();
    let used = measure(index);
    let parsed = Index::parse(index);
    let percent = used.percent(limits);
    let fill = format!(
        "{} of {} lines, {} of {} units, {} bytes",
        used.lines, limits.lines, used.units, limits.units, used.bytes
    );
    if !used.fits(limits) {
        let message = format!("over the limit: {fill}");
        report.add(path, None, FindingKind::IndexFill, Severity::Error, message);
    } else if percent >= WARN_PERCENT {
        let lines = limits.lines - used.lines;
        let units = limits.units - used.units;
        let message = format!("{percent} % full: {fill}; room for {lines} lines and {units} units");
        report.add(path, None, FindingKind::IndexFill, Severity::Warning, message);
    } else if used.bytes > DOCUMENTED_BYTES {
        let message = format!("{fill}: clients count units, but other tools may count bytes");
        report.add(path, None, FindingKind::IndexFill, Severity::Note, message);
    }
    for number in cut_lines(index, limits) {
        let text = parsed.entries.get(number).map_or("", |entry| entry.text.trim());
        if text.is_empty() {
            continue;
        }
        let shown = nidra_core::text::width::shorten(text, limits.line_units);
        let message = format!("not loaded by the client: {shown}");
        report.add(path, counted(number), FindingKind::CutLine, Severity::Error, message);
    }
    for (number, entry) in parsed.entries.iter().enumerate().filter(|(_, entry)| !entry.hidden) {
        let units = utf16_len(&entry.text);
        if units > limits.line_units {
            let severity = if units > CLIENT_LINE_UNITS { Severity::Warning } else { Severity::Note };
            let message = format!("{units} units; the client advises {} at most", limits.line_units);
            report.add(path, counted(number), FindingKind::LongLine, severity, message);
        }
    }
}

fn topic(path: &str, document: &Document, report: &mut Report) {
    for head in &document.heads {
        for problem in &head.problems {
            let message = format!("needs repair: {}; the file is not edited until then", problem.message);
            report.add(path, counted(problem.line), FindingKind::BrokenFrontMatter, Severity::Error, message);
        }
        for lossy in &head.lossy {
            report.add(
                path,
                counted(lossy.line),
                FindingKind::LossyValue,
                Severity::Warning,
                format!("put the value in quotes: {}", lossy.message),
            );
        }
    }
    if let Some(head) = document.heads.first()
        && head.lines.len() > CLIENT_LINES
    {
        let message = format!("{} lines of front matter; the client reads {CLIENT_LINES}", head.lines.len());
        report.add(path, counted(head.lines.start), FindingKind::LongFrontMatter, Severity::Warning, message);
    }
    if let Some(second) = document.heads.get(1) {
        let message =
            "a second front matter block; the one with a name or description counts here".to_owned();
        report.add(
            path,
            counted(second.lines.start),
            FindingKind::DoubleFrontMatter,
            Severity::Warning,
            message,
        );
    }
    if let Some(line) = document.displaced_head {
        let message = "front matter counts only on the first line of a file".to_owned();
        report.add(path, counted(line), FindingKind::DisplacedFrontMatter, Severity::Warning, message);
    }
    if let Some(line) = document.conflict {
        let message = "an unresolved merge conflict; the file is not edited".to_owned();
        report.add(path, counted(line), FindingKind::ConflictMarker, Severity::Error, message);
    }
    bytes(path, &document.bytes, mixed(&document.lines), report);
}

/// The number of line ends before a byte.
fn lines_before(bytes: &[u8], offset: usize) -> usize {
    crate::document::lines::split(bytes).iter().take_while(|line| line.next() <= offset).count()
}

/// What the bytes alone show.
fn bytes(path: &str, bytes: &[u8], mixed_endings: bool, report: &mut Report) {
    let line_of = |offset: usize| counted(lines_before(bytes, offset));
    if let Err(error) = std::str::from_utf8(bytes) {
        let message = format!("not valid UTF-8 at byte {}; the file is not edited", error.valid_up_to());
        report.add(path, line_of(error.valid_up_to()), FindingKind::InvalidUtf8, Severity::Error, message);
    }
    if let Some(offset) = bytes.iter().position(|byte| *byte == 0) {
        let message = format!("a NUL byte at byte {offset}");
        report.add(path, line_of(offset), FindingKind::Nul, Severity::Warning, message);
    }
    if bytes.starts_with(crate::document::lines::BYTE_ORDER_MARK) {
        let message = "starts with a byte order mark, which is kept".to_owned();
        report.add(path, Some(1), FindingKind::ByteOrderMark, Severity::Note, message);
    }
    if mixed_endings {
        let message = "both kinds of line end; each line keeps its own".to_owned();
        report.add(path, None, FindingKind::MixedEndings, Severity::Note, message);
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
