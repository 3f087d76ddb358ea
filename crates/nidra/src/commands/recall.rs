//! `nidra recall`: what memory and past turns know. Nothing is changed but the index, which is a cache.

use crate::cli::RecallArgs;
use crate::commands::{entries, print_json};
use crate::config::parse_time;
use crate::context::Context;
use crate::error::CliError;
use crate::printer::style::{self, paint};
use crate::render;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use nidra_core::text::date;
use nidra_core::text::redact;
use nidra_core::text::width;
use nidra_dream::hand::suppression::Suppression;
use nidra_memory::store::DATABASE_NAME;
use nidra_recall::analyze::Analyzer;
use nidra_recall::answer::{self, Hit};
use nidra_recall::entries::{EntryIndex, fingerprint};
use nidra_recall::index::{Index, IndexError, Sources};
use nidra_recall::known::{self, Known};
use nidra_recall::manifest::Manifest;
use nidra_recall::question::Question;
use nidra_recall::rank::Weights;
use nidra_recall::turns::{self, Searching};
use nidra_sessions::{ClaudeCode, Reader as _, Transcript, project};
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::BufRead as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Columns of the words of a hit that a person is shown.
const SHOWN_COLUMNS: usize = 320;
/// Bytes of a turn in JSON; the record is named, so the rest can be read there.
const JSON_BYTES: usize = 4_000;
/// The folder of the index in the state directory.
const FOLDER: &str = "recall";

/// A line of `--batch`.
#[derive(Debug, serde::Deserialize)]
struct Asked {
    id: serde_json::Value,
    q: String,
}

/// `nidra recall`
pub fn run(context: &Context, args: &RecallArgs) -> Result<ExitCode, CliError> {
    let mut asking = Asking::open(context, args)?;
    if args.batch {
        return asking.batch();
    }
    let question = args.question.join(" ");
    let hits = asking.ask(&question)?;
    if context.printer.json {
        print_json(context, &hits)?;
        return Ok(ExitCode::SUCCESS);
    }
    if hits.is_empty() {
        let places = if args.sessions { "Memory and past sessions hold" } else { "Memory holds" };
        let more = if args.sessions { "" } else { " `--sessions` searches past turns as well." };
        context.printer.say(&format!("{places} nothing about this.{more}"));
    }
    for (number, hit) in hits.iter().enumerate() {
        context.printer.data(shown(number + 1, hit, &context.zone()).trim_end());
    }
    Ok(ExitCode::SUCCESS)
}

/// All that questions are asked of.
struct Asking<'a> {
    context: &'a Context,
    args: &'a RecallArgs,
    analyzer: Analyzer,
    memory: EntryIndex,
    past: Option<Past>,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    zone: TimeZone,
}

/// The index of past turns.
struct Past {
    index: Index,
    reader: ClaudeCode,
    transcripts: Vec<Transcript>,
}

impl<'a> Asking<'a> {
    fn open(context: &'a Context, args: &'a RecallArgs) -> Result<Self, CliError> {
        let since = args.since.as_deref().map(|text| time(context, text, "--since")).transpose()?;
        let until = args.until.as_deref().map(|text| time(context, text, "--until")).transpose()?;
        let memory = memory(context)?;
        let past = if args.sessions { Some(past(context, args.all_projects)?) } else { None };
        Ok(Self {
            context,
            args,
            analyzer: Analyzer::default(),
            memory,
            past,
            since,
            until,
            zone: context.zone(),
        })
    }

    fn ask(&mut self, text: &str) -> Result<Vec<Hit>, CliError> {
        let question = Question::read(text, &self.context.now, &mut self.analyzer);
        let weights = Weights::default();
        let damaged = |error| {
            CliError::failed("cannot search", error)
                .hint(format!("remove {}; it is made anew", self.context.state.join(FOLDER).display()))
        };
        let mut known =
            known::find(&self.memory, &question, &weights, &mut self.analyzer).map_err(damaged)?;
        known.retain(|one| {
            let said = one.entry.said;
            self.since.is_none_or(|since| said.is_some_and(|said| said >= since))
                && self.until.is_none_or(|until| said.is_some_and(|said| said < until))
        });
        self.leave_out_forgotten(&mut known)?;
        let mut found = Vec::new();
        if let Some(past) = &self.past {
            let searching = Searching {
                index: &past.index,
                reader: &past.reader,
                transcripts: &past.transcripts,
                scope: self.context.settings().redact.scope(),
                weights,
                zone: &self.zone,
                since: self.since,
                until: self.until,
            };
            let limit = usize::from(self.args.limit);
            found = turns::find(searching, &question, &mut self.analyzer, limit).map_err(damaged)?;
        }
        let mut hits = answer::fuse(known, found, usize::from(self.args.limit));
        for hit in &mut hits {
            if hit.kind == "entry" {
                hit.text = redact::redact_in(&hit.text, self.context.settings().redact.scope());
            }
            let end = width::cut_bytes(&hit.text, JSON_BYTES).len();
            hit.text.truncate(end);
        }
        Ok(hits)
    }

    /// Leaves out what the user asked to be forgotten: its words lie in the archive, and are no answer.
    fn leave_out_forgotten(&self, known: &mut Vec<Known>) -> Result<(), CliError> {
        if known.iter().all(|one| one.entry.active) {
            return Ok(());
        }
        let store = self.context.store_to_read()?;
        let suppression = Suppression::load(&store, &self.context.project.id).map_err(|error| {
            CliError::failed(
                format!("cannot read the state directory {}", self.context.state.display()),
                error,
            )
        })?;
        known.retain(|one| one.entry.active || suppression.said_by(&one.entry.text).is_empty());
        Ok(())
    }

    /// Answers one question a line, each as soon as it is read.
    fn batch(&mut self) -> Result<ExitCode, CliError> {
        for (number, line) in std::io::stdin().lock().lines().enumerate() {
            let line = line.map_err(|error| CliError::failed("cannot read standard input", error))?;
            if line.trim().is_empty() {
                continue;
            }
            let asked: Asked = serde_json::from_str(&line).map_err(|error| {
                CliError::usage(format!("line {} of standard input is no question: {error}", number + 1))
                    .hint(r#"write {"id": 1, "q": "which port does staging use?"}"#)
            })?;
            let hits = self.ask(&asked.q)?;
            let answer = serde_json::json!({ "id": asked.id, "hits": hits });
            self.context.printer.data(&answer.to_string());
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The index of memory's entries.
fn memory(context: &Context) -> Result<EntryIndex, CliError> {
    let database = context.state.join(DATABASE_NAME);
    let log = context.state.join(format!("{DATABASE_NAME}-wal"));
    let fingerprint = fingerprint(&context.memory, &[&database, &log]);
    let directory = folder(context, context.project.id.as_str());
    EntryIndex::up_to_date(&directory, &fingerprint, || entries::load(context, true).map_err(Fault))
        .map_err(|Fault(error)| error)
}

/// A failure on the way to the entries.
struct Fault(CliError);

impl From<IndexError> for Fault {
    fn from(error: IndexError) -> Self {
        Self(CliError::failed("cannot search memory", error))
    }
}

fn folder(context: &Context, name: &str) -> PathBuf {
    context.state.join(FOLDER).join(name)
}

/// The index of past turns, brought up to date.
fn past(context: &Context, all: bool) -> Result<Past, CliError> {
    let directory = folder(context, if all { "all" } else { context.project.id.as_str() });
    let reader = context.reader();
    let before = Manifest::load(&directory);
    let discovery = reader.discover(&|path| before.known(path));
    let settings = &context.settings().sessions;
    let home = context.environment.home();
    let share = context.settings().memory.share_worktrees;
    let asked: RefCell<HashMap<PathBuf, bool>> = RefCell::default();
    let accept = |directory: &Path| {
        if all {
            return true;
        }
        if let Some(known) = asked.borrow().get(directory) {
            return *known;
        }
        let mine = project::identify_with_home(directory, share, home.as_deref()).id == context.project.id;
        asked.borrow_mut().insert(directory.to_owned(), mine);
        mine
    };
    let transcripts: Vec<Transcript> = discovery
        .transcripts
        .iter()
        .filter(|transcript| !transcript.own)
        .filter(|transcript| settings.include_headless || transcript.headless != Some(true))
        .filter(|transcript| {
            transcript.directory.as_deref().is_some_and(|directory| {
                !settings.exclude.iter().any(|path| directory.starts_with(path)) && accept(directory)
            })
        })
        .cloned()
        .collect();
    let sources = Sources {
        reader: &reader,
        transcripts: &transcripts,
        found: &discovery.transcripts,
        accept: &accept,
        scope: context.settings().redact.scope(),
        now: context.now.timestamp(),
    };
    let index = Index::up_to_date_from(&directory, before, sources).map_err(|error| {
        CliError::failed("cannot search past sessions", error)
            .hint(format!("remove {} if it is damaged; it is made anew", directory.display()))
    })?;
    let printer = context.printer;
    if index.update.busy {
        printer.say("Another process is bringing the index up to date, so what is newest may be missing.");
    }
    if index.update.in_memory {
        printer.say(&format!(
            "{} cannot be written, so the index is made for this question only.",
            directory.display()
        ));
    }
    if index.update.rebuilt {
        printer.say("The index was damaged and has been made anew.");
    }
    Ok(Past { index, reader, transcripts })
}

/// A time on the command line: a moment, a day, or a day in words.
pub(super) fn time(context: &Context, text: &str, option: &str) -> Result<Timestamp, CliError> {
    let zone = context.zone();
    if let Some(time) = parse_time(text, &zone) {
        return Ok(time.timestamp());
    }
    let mention = date::find(text, &context.now).into_iter().next();
    let start = mention.and_then(|mention| mention.start.to_zoned_datetime(zone).ok());
    start.map(|start| start.timestamp()).ok_or_else(|| {
        CliError::usage(format!("{option} {text:?} is no time"))
            .hint("write 2026-11-30, 2026-11-30T20:00:00Z, \"last monday\" or 上周一")
    })
}

/// A hit as a person reads it.
fn shown(number: usize, hit: &Hit, zone: &TimeZone) -> String {
    let when = hit.at.map(|at| render::moment(at, zone)).unwrap_or_default();
    let head = if hit.kind == "entry" {
        let rank = hit.rank.map(|rank| format!(", {rank}")).unwrap_or_default();
        let held = if hit.current { "" } else { ", left memory" };
        format!("{}{rank}{held}", hit.path.as_deref().unwrap_or("memory"))
    } else {
        let session = hit.session.as_deref().unwrap_or_default();
        let held = if hit.current { "" } else { ", replaced by newer words" };
        format!("{} in session {session}{held}", hit.speaker.unwrap_or("somebody"))
    };
    let words = hit.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = width::shorten_columns(&words, SHOWN_COLUMNS);
    let why = format!("{} ({})", hit.reasons.join(", "), hit.shared.join(" "));
    format!(
        "{number:>2}. {}\n    {}\n    {}",
        paint(style::HEAD, &words),
        paint(style::DIM, format!("{head}  {when}").trim_end()),
        paint(style::DIM, &why)
    )
}
