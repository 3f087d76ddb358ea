//! The events of runs as JSON, one a line, for `nidra events`, `nidra status` and whatever else wants to look on.
//!
//! A line says when by the clock of the system, since a run's own moment stands still; which project; and which process.

use crate::event_log;
use jiff::Timestamp;
use nidra_core::error::PathError;
use nidra_core::text::steering;
use nidra_core::text::wording::counted;
use nidra_core::{Progress, ProjectId};
use nidra_dream::event::Event;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// Letters of an agent's words that are kept.
const MAX_WORDS: usize = 400;
/// Bytes at the end of the file that are looked at for a run that goes on.
const TAIL: u64 = 512 * 1024;

/// Tokens that a run took so far. A kind that nobody counted is not known, which is another thing than none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Of questions, read anew.
    pub input_tokens: Option<u64>,
    /// Of questions, remembered by the provider.
    pub cache_read_tokens: Option<u64>,
    /// Of questions, written down by the provider.
    pub cache_write_tokens: Option<u64>,
    /// Of answers.
    pub output_tokens: Option<u64>,
    /// Beside these, at a guess: what was taken and nobody counted.
    #[serde(default)]
    pub estimated_tokens: u64,
}

impl Tokens {
    /// With those of one more answer.
    #[must_use]
    pub fn and(self, progress: &Progress) -> Self {
        let sum = |known: Option<u64>, more: &u64| Some(known.unwrap_or_default().saturating_add(*more));
        match progress {
            Progress::Answered {
                input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, ..
            } => Self {
                input_tokens: sum(self.input_tokens, input_tokens),
                cache_read_tokens: sum(self.cache_read_tokens, cache_read_tokens),
                cache_write_tokens: sum(self.cache_write_tokens, cache_write_tokens),
                output_tokens: sum(self.output_tokens, output_tokens),
                ..self
            },
            Progress::Uncounted { estimated_tokens, .. } => {
                Self { estimated_tokens: self.estimated_tokens.saturating_add(*estimated_tokens), ..self }
            }
            Progress::Asks { .. }
            | Progress::Replayed
            | Progress::Retries { .. }
            | Progress::Says { .. }
            | Progress::Uses { .. } => self,
        }
    }

    /// Those of questions.
    pub fn question(self) -> u64 {
        [self.input_tokens, self.cache_read_tokens, self.cache_write_tokens]
            .into_iter()
            .flatten()
            .fold(0, u64::saturating_add)
    }

    /// All of them, counted or not.
    pub fn total(self) -> u64 {
        let counted = self.question().saturating_add(self.output_tokens.unwrap_or_default());
        counted.saturating_add(self.estimated_tokens)
    }

    /// All of them in words, with what of it is a guess.
    pub fn in_words(self) -> String {
        let all = counted(self.total(), "token");
        match self.estimated_tokens {
            0 => all,
            guess if guess == self.total() => format!("{all} at a guess, since nobody counted them"),
            guess => format!("{all}, {guess} of them at a guess"),
        }
    }
}

/// One line of the stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// When, by the clock of the system.
    pub time: Timestamp,
    /// The moment of the run, where it is another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_time: Option<Timestamp>,
    /// The project.
    pub project: ProjectId,
    /// The process.
    pub process: u32,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
    /// What the run took so far, at its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
}

/// Where the stream stands.
pub fn path(state: &Path) -> PathBuf {
    state.join("logs/events.jsonl")
}

/// Adds an event.
///
/// # Errors
/// When the file cannot be written.
pub fn append(
    state: &Path,
    now: Timestamp,
    project: &ProjectId,
    event: &Event,
    tokens: Tokens,
) -> Result<(), PathError> {
    #[expect(clippy::disallowed_methods, reason = "elapsed time is measured by the clock of the system")]
    let time = Timestamp::now();
    let ended = matches!(event, Event::Completed { .. } | Event::Failed { .. } | Event::Stopped { .. });
    let line = Line {
        time,
        run_time: (time.duration_since(now).unsigned_abs().as_secs() > 3600).then_some(now),
        project: project.clone(),
        process: std::process::id(),
        event: shortened(event),
        tokens: (ended && tokens.total() > 0).then_some(tokens),
    };
    let text = serde_json::to_string(&line).unwrap_or_default();
    event_log::append_to(&path(state), &text)
}

fn shortened(event: &Event) -> Event {
    match event {
        Event::Progress(Progress::Says { text }) if text.chars().count() > MAX_WORDS => {
            let text = text.chars().take(MAX_WORDS).chain(['…']).collect();
            Event::Progress(Progress::Says { text })
        }
        other => other.clone(),
    }
}

/// What an engine does, for a person.
pub fn words(progress: &Progress) -> String {
    match progress {
        Progress::Asks { items: 0, estimated_tokens } => {
            format!("asks (about {})", counted(*estimated_tokens, "token"))
        }
        Progress::Asks { items, estimated_tokens } => {
            format!("asks about {} (about {})", counted(*items, "item"), counted(*estimated_tokens, "token"))
        }
        Progress::Retries { cause, seconds, tries_left } => {
            let cause = one_line(cause);
            let left = counted(*tries_left, "time");
            match seconds {
                0 => format!("gets no answer: {cause}"),
                seconds => format!("gets no answer: {cause}; asks again in {seconds} s, {left} at most"),
            }
        }
        Progress::Answered {
            input_tokens,
            cache_read_tokens,
            cache_write_tokens,
            output_tokens,
            milliseconds,
        } => {
            let question =
                input_tokens.saturating_add(*cache_read_tokens).saturating_add(*cache_write_tokens);
            let seconds = std::time::Duration::from_millis(*milliseconds).as_secs_f64();
            format!("was answered in {seconds:.1} s ({question} tokens in, {output_tokens} out)")
        }
        Progress::Uncounted { estimated_tokens, milliseconds } => {
            let seconds = std::time::Duration::from_millis(*milliseconds).as_secs_f64();
            format!(
                "took {seconds:.1} s and a number of tokens that nobody counted (about {})",
                counted(*estimated_tokens, "token")
            )
        }
        Progress::Replayed => "is answered from the recording".to_owned(),
        Progress::Says { text } => format!("says: {}", one_line(text)),
        Progress::Uses { tool, path, worked, reason } => {
            let path = path.as_deref().map(|path| format!(" {path}")).unwrap_or_default();
            let reason =
                reason.as_deref().map(|reason| format!(": {}", one_line(reason))).unwrap_or_default();
            let outcome = if *worked { String::new() } else { format!(", which did not work{reason}") };
            format!("uses {tool}{path}{outcome}")
        }
    }
}

/// Words of somebody else in one line, with what would move the cursor as its escape.
fn one_line(words: &str) -> String {
    steering::shown(&words.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Reads lines as far as they are whole; what is none is passed over. `from` is moved behind the last whole line; a file
/// that became shorter was set aside and is read from its beginning.
///
/// # Errors
/// When the file cannot be read. A missing one is empty.
pub fn read(path: &Path, from: &mut u64) -> Result<Vec<Line>, PathError> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(PathError::wrap("read", path)(error)),
    };
    let size = file.metadata().map_err(PathError::wrap("read", path))?.len();
    if size < *from {
        *from = 0;
    }
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(*from))
        .and_then(|_| file.read_to_end(&mut bytes))
        .map_err(PathError::wrap("read", path))?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    *from += u64::try_from(whole).unwrap_or_default();
    let lines = bytes.get(..whole).unwrap_or_default().split(|byte| *byte == b'\n');
    Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
}

/// The last lines of a process in a project, from its beginning where the file still holds that.
///
/// # Errors
/// When the file cannot be read.
pub fn of_process(state: &Path, project: &ProjectId, process: u32) -> Result<Vec<Line>, PathError> {
    let path = path(state);
    let size = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
    let lines = read(&path, &mut size.saturating_sub(TAIL))?;
    Ok(lines.into_iter().filter(|line| line.project == *project && line.process == process).collect())
}
