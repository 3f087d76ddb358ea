//! Notes that hooks leave: "session X changed". One line of JSON each, appended with a single write.
//!
//! Writing takes milliseconds and needs no database; a lost note is no loss, since sessions are found by scanning
//! as well. Reading takes a file away from the writers before it looks inside, and never fails on a damaged line.

use jiff::Timestamp;
use nidra_core::error::{Diagnostic, PathError};
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// The format that this version writes.
const VERSION: u32 = 1;
/// Bytes of a line at most: what a single append puts down in one piece.
const MAX_LINE_BYTES: usize = 4096;
/// Bytes of a file before it is set aside; the one set aside earlier is dropped then.
const MAX_FILE_BYTES: u64 = 1024 * 1024;
/// The file of sessions whose project is not known.
const UNKNOWN: &str = "unknown";

/// What a hook saw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpoolNote {
    version: u32,
    /// When.
    pub at: Timestamp,
    /// The client's name of the event.
    pub event: String,
    /// The session.
    pub session: String,
    /// Its transcript, which may not exist yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<PathBuf>,
    /// The working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// Why the session started or ended, in the client's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl SpoolNote {
    /// A note with nothing but the event and its session.
    pub fn new(at: Timestamp, event: &str, session: &str) -> Self {
        Self {
            version: VERSION,
            at,
            event: event.to_owned(),
            session: session.to_owned(),
            transcript: None,
            cwd: None,
            reason: None,
        }
    }

    /// The same note with the transcript.
    #[must_use]
    pub fn transcript(mut self, path: Option<&Path>) -> Self {
        self.transcript = path.map(Path::to_owned);
        self
    }

    /// The same note with the working directory.
    #[must_use]
    pub fn directory(mut self, path: Option<&Path>) -> Self {
        self.cwd = path.map(Path::to_owned);
        self
    }

    /// The same note with the reason.
    #[must_use]
    pub fn reason(mut self, reason: Option<&str>) -> Self {
        self.reason = reason.map(str::to_owned);
        self
    }
}

/// A note that could not be left.
#[derive(Debug, thiserror::Error)]
pub enum SpoolError {
    /// A file operation failed.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The note cannot be written as text.
    #[error("the note cannot be written as JSON")]
    Text(#[source] serde_json::Error),
    /// The note has more bytes than a line may have, even without its paths.
    #[error("the note has {length} bytes, and {MAX_LINE_BYTES} are the most")]
    TooLong {
        /// Its length.
        length: usize,
    },
}

/// Notes that were taken away from the writers, but not yet dealt with.
#[derive(Debug, Default)]
pub struct Drained {
    /// The notes in the order in which they were left.
    pub notes: Vec<SpoolNote>,
    /// Lines that could not be understood.
    pub diagnostics: Vec<Diagnostic>,
    taken: Vec<(PathBuf, u64)>,
}

/// Leaves a note for a project (`None`: unknown) in the spool directory, which is made when it is missing.
pub fn append(spool: &Path, project: Option<&str>, note: &SpoolNote) -> Result<(), SpoolError> {
    let line = line(note)?;
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(spool)
        .map_err(PathError::wrap("create", spool))?;
    let path = spool.join(format!("{}.jsonl", file_stem(project)));
    if fs::metadata(&path).is_ok_and(|metadata| metadata.len() + line.len() as u64 > MAX_FILE_BYTES) {
        let aside = path.with_extension("old");
        match fs::rename(&path, &aside) {
            // Another hook set it aside at the same moment.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            outcome => outcome.map_err(PathError::wrap("rename", &path))?,
        }
    }
    let mut file = File::options()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(&path)
        .map_err(PathError::wrap("open", &path))?;
    let written = file.write(&line).map_err(PathError::wrap("write", &path))?;
    if written < line.len() {
        let source = io::Error::from(io::ErrorKind::WriteZero);
        return Err(PathError { action: "write", path, source }.into());
    }
    Ok(())
}

/// Takes the notes of a project (`None`: those of unknown projects). They come again with the next call unless
/// [`Drained::finish`] is called.
pub fn drain(spool: &Path, project: Option<&str>) -> Result<Drained, SpoolError> {
    let stem = file_stem(project);
    let mut drained = Drained::default();
    let mut taken = taken_files(spool, &stem)?;
    let next = taken.last().map_or(0, |(number, _)| number + 1);
    for (number, extension) in (next..).zip(["old", "jsonl"]) {
        let path = spool.join(format!("{stem}.{extension}"));
        let aside = spool.join(format!("{stem}.{number}.taken"));
        match fs::rename(&path, &aside) {
            Ok(()) => taken.push((number, aside)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(PathError::wrap("rename", &path)(error).into()),
        }
    }
    for (_, path) in taken {
        let bytes = match fs::read(&path) {
            // Another run dealt with it at the same moment.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            outcome => outcome.map_err(PathError::wrap("read", &path))?,
        };
        drained.read(&path, &bytes);
        drained.taken.push((path, bytes.len() as u64));
    }
    Ok(drained)
}

/// The notes of a project as they lie there, taken or not; nothing is changed, and what cannot be read is left out.
pub fn peek(spool: &Path, project: Option<&str>) -> Vec<SpoolNote> {
    let stem = file_stem(project);
    let taken = taken_files(spool, &stem).unwrap_or_default().into_iter().map(|(_, path)| path);
    let waiting = ["old", "jsonl"].map(|extension| spool.join(format!("{stem}.{extension}")));
    let mut drained = Drained::default();
    for path in taken.chain(waiting) {
        if let Ok(bytes) = fs::read(&path) {
            drained.read(&path, &bytes);
        }
    }
    drained.notes
}

/// The projects for which notes wait; `None` stands for the unknown ones.
pub fn waiting(spool: &Path) -> Result<Vec<Option<String>>, SpoolError> {
    let mut stems: Vec<String> = file_names(spool)?
        .into_iter()
        .filter_map(|name| name.split_once('.').map(|(stem, _)| stem.to_owned()))
        .collect();
    stems.sort_unstable();
    stems.dedup();
    Ok(stems.into_iter().map(|stem| (stem != UNKNOWN).then_some(stem)).collect())
}

impl Drained {
    /// Drops the notes: they were dealt with.
    pub fn finish(self) -> Result<(), SpoolError> {
        for (path, length) in self.taken {
            // A hook that had opened the file before it was taken may have added to it; then it stays for next time.
            if fs::metadata(&path).is_ok_and(|metadata| metadata.len() > length) {
                continue;
            }
            match fs::remove_file(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                outcome => outcome.map_err(PathError::wrap("remove", &path))?,
            }
        }
        Ok(())
    }

    fn read(&mut self, path: &Path, bytes: &[u8]) {
        let mut offset = 0;
        for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
            let start = offset;
            offset += line.len() as u64 + 1;
            if line.trim_ascii().is_empty() {
                continue;
            }
            match serde_json::from_slice::<SpoolNote>(line) {
                Ok(note) if note.version <= VERSION => self.notes.push(note),
                Ok(note) => {
                    self.note(path, number, start, format!("a note of the newer format {}", note.version));
                }
                Err(error) => self.note(path, number, start, format!("a line that is no note: {error}")),
            }
        }
    }

    fn note(&mut self, path: &Path, line: u64, offset: u64, message: String) {
        self.diagnostics.push(Diagnostic {
            path: path.to_owned(),
            line: Some(line),
            offset: Some(offset),
            message,
        });
    }
}

/// The line of a note. Too long a note loses its working directory first, then its transcript.
fn line(note: &SpoolNote) -> Result<Vec<u8>, SpoolError> {
    let mut note = note.clone();
    loop {
        // The newline in front keeps a line that was torn before this one from taking this one with it.
        let mut line = vec![b'\n'];
        serde_json::to_writer(&mut line, &note).map_err(SpoolError::Text)?;
        line.push(b'\n');
        if line.len() <= MAX_LINE_BYTES {
            return Ok(line);
        }
        if note.cwd.take().is_none() && note.transcript.take().is_none() {
            return Err(SpoolError::TooLong { length: line.len() });
        }
    }
}

/// The name of a project's file without extension: never more than one path component.
fn file_stem(project: Option<&str>) -> String {
    let safe = |id: &&str| {
        !id.is_empty()
            && id.len() <= 128
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    project.filter(safe).unwrap_or(UNKNOWN).to_owned()
}

fn taken_files(spool: &Path, stem: &str) -> Result<Vec<(u64, PathBuf)>, SpoolError> {
    let number =
        |name: &str| name.strip_prefix(stem)?.strip_prefix('.')?.strip_suffix(".taken")?.parse().ok();
    let mut taken: Vec<(u64, PathBuf)> = file_names(spool)?
        .into_iter()
        .filter_map(|name| number(&name).map(|number| (number, spool.join(&name))))
        .collect();
    taken.sort_unstable();
    Ok(taken)
}

fn file_names(spool: &Path) -> Result<Vec<String>, SpoolError> {
    let entries = match fs::read_dir(spool) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        outcome => outcome.map_err(PathError::wrap("list", spool))?,
    };
    entries
        .map(|entry| {
            Ok(entry.map_err(PathError::wrap("list", spool))?.file_name().to_string_lossy().into_owned())
        })
        .collect()
}

#[cfg(test)]
#[path = "spool_tests.rs"]
mod tests;
