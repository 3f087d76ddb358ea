//! Sessions as the client writes them, and questions about them.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};
use nidra_core::text::redact::Scope;
use nidra_recall::analyze::Analyzer;
use nidra_recall::index::{Index, IndexError, Sources};
use nidra_recall::question::Question;
use nidra_recall::rank::Weights;
use nidra_recall::turns::{self, Found, Searching};
use nidra_sessions::{ClaudeCode, Reader as _, Transcript};
use serde_json::json;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;

/// A home with sessions of one project.
pub(crate) struct Home {
    pub(crate) folder: tempfile::TempDir,
}

/// Who speaks.
#[derive(Clone, Copy)]
pub(crate) enum By {
    Human,
    Agent,
}

impl Home {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("client/projects/-work-shop")).unwrap();
        Self { folder }
    }

    pub(crate) fn index_folder(&self) -> PathBuf {
        self.folder.path().join("index")
    }

    pub(crate) fn session_file(&self, session: u32) -> PathBuf {
        self.folder.path().join(format!("client/projects/-work-shop/{}.jsonl", id(session)))
    }

    /// Adds turns to a session: each with the minute of 2026-05-04 at which it is said.
    pub(crate) fn say(&self, session: u32, turns: &[(u32, By, &str)]) {
        let path = self.session_file(session);
        let before = fs::read_to_string(&path).map_or(0, |text| text.lines().count());
        let mut file = OpenOptions::new().create(true).append(true).open(&path).unwrap();
        for (number, (minute, by, text)) in turns.iter().enumerate() {
            let (kind, content) = match by {
                By::Human => ("user", json!(text)),
                By::Agent => ("assistant", json!([{ "type": "text", "text": text }])),
            };
            let record = format!("{session:08x}-0000-4000-8000-{:012x}", before + number);
            let line = json!({
                "parentUuid": null, "isSidechain": false, "userType": "external", "cwd": "/work/shop",
                "sessionId": id(session), "version": "2.1.300", "type": kind, "uuid": record,
                "timestamp": format!("2026-05-04T{:02}:{:02}:00.000Z", minute / 60, minute % 60),
                "message": { "role": kind, "content": content, "id": format!("msg_{record}") },
            });
            writeln!(file, "{line}").unwrap();
        }
    }

    pub(crate) fn reader(&self) -> ClaudeCode {
        ClaudeCode { config: self.folder.path().join("client"), own: Vec::new() }
    }

    pub(crate) fn transcripts(&self) -> Vec<Transcript> {
        self.reader().discover(&|_| None).transcripts
    }

    pub(crate) fn try_index(&self) -> Result<Index, IndexError> {
        let (reader, transcripts) = (self.reader(), self.transcripts());
        let sources = Sources {
            reader: &reader,
            transcripts: &transcripts,
            found: &transcripts,
            accept: &|_| true,
            scope: Scope::Secrets,
            now: now().timestamp(),
        };
        Index::up_to_date(&self.index_folder(), sources)
    }

    pub(crate) fn index(&self) -> Index {
        self.try_index().unwrap()
    }

    /// The hits of a question in an index that is up to date.
    pub(crate) fn ask(&self, text: &str) -> Vec<Found> {
        self.ask_since(text, None)
    }

    pub(crate) fn ask_since(&self, text: &str, since: Option<Timestamp>) -> Vec<Found> {
        let (reader, transcripts, index) = (self.reader(), self.transcripts(), self.index());
        let mut analyzer = Analyzer::default();
        let question = Question::read(text, &now(), &mut analyzer);
        let searching = Searching {
            index: &index,
            reader: &reader,
            transcripts: &transcripts,
            scope: Scope::Secrets,
            weights: Weights::default(),
            zone: &TimeZone::UTC,
            since,
            until: None,
        };
        turns::find(searching, &question, &mut analyzer, 10).unwrap()
    }
}

pub(crate) fn now() -> ZonedDateTime {
    "2026-05-06T12:00:00[UTC]".parse().unwrap()
}

fn id(session: u32) -> String {
    format!("{session:08x}-1111-4111-8111-111111111111")
}
