//! The daily logs of an agent that works as an assistant: Markdown that only ever grows, a day a file.
//!
//! Read are `logs/YYYY/MM/YYYY-MM-DD.md` and the form of one file per session, `logs/YYYY/MM/DD/NAME.md`, in which a line of
//! a person begins with `>`, one of the agent with `<`, and what it did with `.`. A line is a turn. One that carries no such
//! mark is a note of the agent's, whatever it says of the person: who wrote it decides how far it can be trusted.

use crate::cursor::Cursor;
use crate::outcome::{ReadError, ReadOutcome};
use crate::reader::Reader;
use crate::transcript::{Discovery, Known, Transcript};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use nidra_core::error::{Diagnostic, PathError};
use nidra_core::{AgentKind, Content, SessionId, Source, Speaker, Turn};
use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How the identifier of a log begins where one of a session stands.
pub const SESSION: &str = "log/";
/// What a log is called where sessions have their name.
const NOUN: &str = "daily log";

/// What the transcript of this name is called: a session, or a daily log.
pub fn noun_of(session: &str) -> &'static str {
    if session.starts_with(SESSION) { NOUN } else { "session" }
}

/// The folder of the logs in a memory directory.
pub const FOLDER: &str = "logs";
/// Bytes of a log that are read at once; a day's log is a few kilobytes, and what is left is read by the next dream.
const MAX_BYTES: u64 = 8 * 1024 * 1024;
/// Files of logs that are looked at: a day each for many years.
const MAX_FILES: usize = 20_000;

/// The file of a day's log, relative to the memory directory.
pub fn path_of(date: Date) -> PathBuf {
    PathBuf::from(format!("{FOLDER}/{:04}/{:02}/{date}.md", date.year(), date.month()))
}

/// The reader of the daily logs of one memory directory.
#[derive(Clone, Debug)]
pub struct DailyLogs {
    /// The memory directory.
    pub memory: PathBuf,
    /// The project that the logs belong to.
    pub project: PathBuf,
    /// The zone of the times in the logs.
    pub zone: TimeZone,
}

impl Reader for DailyLogs {
    fn agent(&self) -> AgentKind {
        AgentKind::DailyLog
    }

    fn noun(&self) -> &'static str {
        NOUN
    }

    fn discover(&self, _known: &dyn Fn(&Path) -> Option<Known>) -> Discovery {
        let mut found = Discovery::default();
        let root = self.memory.join(FOLDER);
        if !root.is_dir() {
            found.missing = Some(root);
            return found;
        }
        // Year, month and, in the form of one file per session, day.
        self.walk(&root, 3, &mut found);
        found.transcripts.sort_by(|left, right| left.path.cmp(&right.path));
        found
    }

    fn read(
        &self,
        transcript: &Transcript,
        from: &Cursor,
        accept: &dyn Fn(&Path) -> bool,
        sink: &mut dyn FnMut(Turn),
    ) -> Result<ReadOutcome, ReadError> {
        let path = transcript.path.as_path();
        let mut outcome = ReadOutcome { directories: vec![self.project.clone()], ..ReadOutcome::default() };
        let mut file =
            File::open(path).map_err(PathError::wrap("open", path)).map_err(ReadError::from_path_error)?;
        outcome.restarted = !from.matches(&mut file, path)?;
        let (offset, line) = if outcome.restarted { (0, 0) } else { (from.offset, from.line) };
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(offset))
            .and_then(|_| file.by_ref().take(MAX_BYTES).read_to_end(&mut bytes))
            .map_err(PathError::wrap("read", path))?;
        // A line without its end may still be written.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let mut place = Place { logs: self, transcript, path: Arc::from(path), at: date(path) };
        let mut end = offset;
        let mut number = line;
        for bytes in bytes.get(..whole).unwrap_or_default().split_inclusive(|byte| *byte == b'\n') {
            let text = String::from_utf8_lossy(bytes);
            if !accept(&self.project) {
                outcome.foreign += 1;
            } else if let Some(turn) = place.turn(&text, end, bytes.len()) {
                outcome.count("line");
                outcome.turns += 1;
                outcome.last_activity = turn.at.or(outcome.last_activity);
                sink(turn);
            }
            end += u64::try_from(bytes.len()).unwrap_or_default();
            number += 1;
        }
        outcome.cursor = Cursor::at(&mut file, path, end, number)?;
        Ok(outcome)
    }

    fn read_record(
        &self,
        transcript: &Transcript,
        offset: u64,
        length: u64,
        sink: &mut dyn FnMut(Turn),
    ) -> Result<(), ReadError> {
        let path = transcript.path.as_path();
        let mut bytes = Vec::new();
        let mut file =
            File::open(path).map_err(PathError::wrap("open", path)).map_err(ReadError::from_path_error)?;
        file.seek(SeekFrom::Start(offset))
            .and_then(|_| file.take(length.min(MAX_BYTES)).read_to_end(&mut bytes))
            .map_err(PathError::wrap("read", path))?;
        let mut place = Place { logs: self, transcript, path: Arc::from(path), at: date(path) };
        if let Some(turn) = place.turn(&String::from_utf8_lossy(&bytes), offset, bytes.len()) {
            sink(turn);
        }
        Ok(())
    }
}

impl DailyLogs {
    fn walk(&self, folder: &Path, depth: u32, found: &mut Discovery) {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                let message = format!("cannot be read: {error}");
                found.diagnostics.push(Diagnostic {
                    path: folder.to_owned(),
                    line: None,
                    offset: None,
                    message,
                });
                return;
            }
        };
        for entry in entries.flatten() {
            let path = entry.path();
            // Links are not followed: a log is a plain file in plain folders.
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && depth > 0 {
                self.walk(&path, depth - 1, found);
            } else if kind.is_file() && date(&path).is_some() && found.transcripts.len() < MAX_FILES {
                found.transcripts.extend(self.transcript(&path));
            }
        }
    }

    fn transcript(&self, path: &Path) -> Option<Transcript> {
        let metadata = fs::metadata(path).ok()?;
        let name = path.strip_prefix(self.memory.join(FOLDER)).ok()?.with_extension("");
        let modified = metadata.modified().ok().and_then(|time| Timestamp::try_from(time).ok());
        Some(Transcript {
            path: path.to_owned(),
            agent: AgentKind::DailyLog,
            session: SessionId::new(format!("{SESSION}{}", name.display())),
            stream: None,
            length: metadata.len(),
            modified: modified.unwrap_or_default(),
            inode: None,
            directory: Some(self.project.clone()),
            headless: None,
            own: false,
        })
    }
}

/// The day of a log by its path; `None` for a file that is none.
fn date(path: &Path) -> Option<Date> {
    if path.extension()? != "md" {
        return None;
    }
    let stem = path.file_stem()?.to_str()?;
    if let Ok(date) = stem.parse() {
        return Some(date);
    }
    let mut above = path.parent()?.components().rev().filter_map(|part| part.as_os_str().to_str());
    let (day, month, year) = (above.next()?, above.next()?, above.next()?);
    (day.len() == 2 && month.len() == 2 && year.len() == 4)
        .then(|| format!("{year}-{month}-{day}").parse().ok())
        .flatten()
}

/// Where the reading of a log stands.
struct Place<'a> {
    logs: &'a DailyLogs,
    transcript: &'a Transcript,
    path: Arc<Path>,
    at: Option<Date>,
}

impl Place<'_> {
    /// A line as a turn; `None` for one that says nothing.
    fn turn(&mut self, line: &str, offset: u64, length: usize) -> Option<Turn> {
        let (time, words) = time(bare(line.trim())?);
        let (speaker, words) = speaker(words);
        let words = words.trim();
        if words.is_empty() {
            return None;
        }
        let moment = DateTime::from_parts(self.at?, time.unwrap_or_else(|| Time::constant(12, 0, 0, 0)));
        Some(Turn {
            source: Source {
                agent: AgentKind::DailyLog,
                session: self.transcript.session.clone(),
                stream: None,
                // A record is known by its name alone, whatever was read beside it.
                record: format!("{}@{offset}", self.transcript.session),
                path: Arc::clone(&self.path),
                offset,
                length: u64::try_from(length).unwrap_or_default(),
            },
            at: moment.to_zoned_datetime(self.logs.zone.clone()).ok().map(|moment| moment.timestamp()),
            speaker,
            content: Content::Text(words.to_owned()),
        })
    }
}

/// A line without the marks of a list. Headings, rules and code fences say nothing.
fn bare(line: &str) -> Option<&str> {
    let bare = line.trim_start_matches(['-', '*', '+']).trim_start();
    let silent = line.starts_with('#') || line.starts_with("```") || line.starts_with("<!--");
    (!silent && !bare.is_empty()).then_some(bare)
}

/// Who wrote a line, and its words without the mark of that.
fn speaker(line: &str) -> (Speaker, &str) {
    let line = line.trim_start();
    if let Some(words) = line.strip_prefix('>') {
        (Speaker::Human, words)
    } else if let Some(words) = line.strip_prefix("< ") {
        (Speaker::Agent, words)
    } else if let Some(words) = line.strip_prefix(". ") {
        (Speaker::Tool, words)
    } else {
        (Speaker::Agent, line)
    }
}

/// The time of day at the beginning of a line: `14:05`, `[14:05]`, `14:05:30 –`.
fn time(words: &str) -> (Option<Time>, &str) {
    let bare = words.trim_start().trim_start_matches(['[', '(', '*']);
    let length = bare.find(|letter: char| !letter.is_ascii_digit() && letter != ':').unwrap_or(bare.len());
    let (digits, rest) = bare.split_at(length);
    let mut parts = digits.split(':').map(|part| part.parse::<i8>().ok());
    let (Some(Some(hour)), Some(Some(minute)), second) = (parts.next(), parts.next(), parts.next()) else {
        return (None, words);
    };
    match Time::new(hour, minute, second.flatten().unwrap_or(0), 0) {
        Ok(time) => (Some(time), rest.trim_start_matches([']', ')', '*', ' ', '-', '–', '—', ':', '|'])),
        Err(_) => (None, words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(logs: &DailyLogs, from: &Cursor) -> (Vec<(Speaker, String, String)>, Cursor) {
        let transcript = logs.discover(&|_| None).transcripts.remove(0);
        let mut turns = Vec::new();
        let outcome = logs
            .read(&transcript, from, &|_| true, &mut |turn| {
                let at = turn.at.map(|at| at.to_string()).unwrap_or_default();
                turns.push((turn.speaker, at, turn.text().unwrap_or_default().to_owned()));
            })
            .unwrap();
        (turns, outcome.cursor)
    }

    fn logs(folder: &Path) -> DailyLogs {
        DailyLogs { memory: folder.to_owned(), project: PathBuf::from("/work"), zone: TimeZone::UTC }
    }

    #[test]
    fn a_log_is_read_by_lines_and_only_its_new_ones() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(path_of("2026-11-30".parse().unwrap()));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text =
            "# 2026-11-30\n\n- 09:15 staging moved to port 4310\n- [10:00] > 以后都用 pnpm\n- half a li";
        fs::write(&path, text).unwrap();
        let logs = logs(folder.path());
        let (turns, cursor) = read(&logs, &Cursor::default());
        let agent =
            (Speaker::Agent, "2026-11-30T09:15:00Z".to_owned(), "staging moved to port 4310".to_owned());
        assert_eq!(turns.first(), Some(&agent));
        let human = (Speaker::Human, "2026-11-30T10:00:00Z".to_owned(), "以后都用 pnpm".to_owned());
        assert_eq!(turns.get(1), Some(&human));
        assert_eq!(turns.len(), 2, "{turns:?}");
        fs::write(&path, format!("{text}ne\r\n> and mine\r\n")).unwrap();
        let (turns, _) = read(&logs, &cursor);
        let words: Vec<_> = turns.iter().map(|(speaker, _, words)| (*speaker, words.as_str())).collect();
        assert_eq!(words, [(Speaker::Agent, "half a line"), (Speaker::Human, "and mine")]);
    }

    #[test]
    fn a_log_of_one_session_tells_who_speaks() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("logs/2026/11/30/a1b2-ports.md");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "> use pnpm\n< understood\n. Bash: pnpm install\n\n---\n").unwrap();
        fs::write(folder.path().join("logs/notes.md"), "no log\n").unwrap();
        let logs = logs(folder.path());
        assert_eq!(logs.discover(&|_| None).transcripts.len(), 1);
        let speakers: Vec<_> = read(&logs, &Cursor::default()).0.into_iter().map(|turn| turn.0).collect();
        assert_eq!(speakers, [Speaker::Human, Speaker::Agent, Speaker::Tool]);
    }

    #[test]
    fn a_time_of_day_is_read_in_its_common_forms() {
        for (words, hour, rest) in [
            ("14:05 built", Some(14), "built"),
            ("[14:05] built", Some(14), "built"),
            ("14:05:30 – built", Some(14), "built"),
            ("**14:05** built", Some(14), "built"),
            ("99:05 built", None, "99:05 built"),
            ("3 things", None, "3 things"),
        ] {
            let (time, left) = time(words);
            assert_eq!((time.map(Time::hour), left), (hour, rest), "{words}");
        }
    }
}
