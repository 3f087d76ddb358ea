//! A project with sessions and memory, and engines that say what a test tells them to.

use jiff::{SignedDuration, Timestamp, ZonedDateTime, tz::TimeZone};
use nidra_core::{
    Change, Engine, EngineError, EngineInput, EntryView, Evidence, Kind, NewTopic, Operation, OperationId,
    Outcome, Settings, Speaker, Target, TopicView, TrustRank, Turn, Unwatched,
};
use nidra_dream::event::Event;
use nidra_dream::gate::Switches;
use nidra_dream::gather::SessionKnowledge;
use nidra_dream::pipeline::{self, Dream, DreamError, Mode, Trigger};
use nidra_dream::report::RunReport;
use nidra_memory::atomic::RealFileSystem;
use nidra_memory::lease::{Lease, LeaseOptions};
use nidra_memory::store::Store;
use nidra_memory::undo::{UndoRequest, undo};
use nidra_sessions::{ClaudeCode, project};
use serde_json::json;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::{self, File, FileTimes};
use std::path::{Path, PathBuf};

pub(crate) struct World {
    _folder: tempfile::TempDir,
    pub(crate) root: PathBuf,
    pub(crate) memory: PathBuf,
    pub(crate) settings: Settings,
    pub(crate) now: Timestamp,
    sessions: Cell<u32>,
}

/// An engine that does what a function says, and counts how often it was asked.
pub(crate) struct Script<F> {
    play: F,
    pub(crate) calls: Cell<u32>,
}

impl<F: Fn(EngineInput<'_>) -> Result<Vec<Operation>, EngineError>> Script<F> {
    pub(crate) fn new(play: F) -> Self {
        Self { play, calls: Cell::new(0) }
    }
}

impl<F: Fn(EngineInput<'_>) -> Result<Vec<Operation>, EngineError>> Engine for Script<F> {
    fn name(&self) -> &'static str {
        "script"
    }

    fn dream(&self, input: EngineInput<'_>) -> Result<Outcome, EngineError> {
        self.calls.set(self.calls.get() + 1);
        Ok(Outcome { operations: (self.play)(input)?, ..Outcome::default() })
    }
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("work/.git")).unwrap();
        fs::write(root.join("work/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        Self {
            _folder: folder,
            memory: root.join("memory"),
            settings: Settings::default(),
            now: "2026-11-30T12:00:00Z".parse().unwrap(),
            sessions: Cell::new(0),
            root,
        }
    }

    /// A session in which a person types these words and the agent answers.
    pub(crate) fn session(&self, words: &str, answer: &str) -> PathBuf {
        let number = self.sessions.get() + 1;
        self.sessions.set(number);
        let id = format!("{number:08}-1111-4222-8333-444455556666");
        let at = self.now.checked_sub(SignedDuration::from_hours(3)).unwrap();
        let record = |position: u32, kind: &str, message: serde_json::Value| {
            json!({
                "parentUuid": null, "isSidechain": false, "type": kind, "message": message, "uuid": format!("{id}-{position}"),
                "timestamp": at.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string(), "userType": "external", "entrypoint": "cli",
                "cwd": self.root.join("work"), "sessionId": id, "version": "2.1.332", "gitBranch": "main",
                "origin": { "kind": "human" },
            })
        };
        let user = record(1, "user", json!({ "role": "user", "content": words }));
        let text = json!([{ "type": "text", "text": answer }]);
        let agent = record(2, "assistant", json!({ "id": "m", "role": "assistant", "content": text }));
        let path = self.root.join("claude/projects/-work").join(format!("{id}.jsonl"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("{user}\n{agent}\n")).unwrap();
        let times = FileTimes::new().set_modified(at.try_into().unwrap());
        File::options().write(true).open(&path).unwrap().set_times(times).unwrap();
        path
    }

    /// Puts a topic with these entries into memory, and its line into the index.
    pub(crate) fn topic(&self, name: &str, kind: &str, entries: &[String]) {
        fs::create_dir_all(&self.memory).unwrap();
        let body = entries.join("\n\n");
        let text = format!(
            "---\nname: {name}\ndescription: about {name}\nmetadata:\n  node_type: memory\n  type: {kind}\n---\n\n{body}\n"
        );
        fs::write(self.memory.join(format!("{name}.md")), text).unwrap();
        let index = self.memory.join("MEMORY.md");
        let lines = fs::read_to_string(&index).unwrap_or_default();
        fs::write(&index, format!("{lines}- [{name}]({name}.md) — about {name}\n")).unwrap();
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.root.join("state")
    }

    pub(crate) fn store(&self) -> Store {
        Store::open(&self.state()).unwrap()
    }

    pub(crate) fn zoned(&self) -> ZonedDateTime {
        self.now.to_zoned_datetime(TimeZone::UTC)
    }

    /// Dreams as a person who asks for it.
    pub(crate) fn dream(&self, engine: &dyn Engine) -> Result<RunReport, DreamError> {
        self.run(engine, Trigger::Manual, false, &mut |_| {})
    }

    pub(crate) fn run(
        &self,
        engine: &dyn Engine,
        trigger: Trigger,
        consent: bool,
        events: &mut dyn FnMut(&Event),
    ) -> Result<RunReport, DreamError> {
        self.start(engine, trigger, consent, Mode::Apply, events)
    }

    /// Dreams as a person who asks for it, as far as this.
    pub(crate) fn go(&self, engine: &dyn Engine, mode: Mode) -> Result<RunReport, DreamError> {
        self.start(engine, Trigger::Manual, false, mode, &mut |_| {})
    }

    fn start(
        &self,
        engine: &dyn Engine,
        trigger: Trigger,
        consent: bool,
        mode: Mode,
        events: &mut dyn FnMut(&Event),
    ) -> Result<RunReport, DreamError> {
        let now = self.zoned();
        let project = project::identify(&self.root.join("work"), true);
        let reader = ClaudeCode { config: self.root.join("claude"), own: vec![self.state()] };
        let knowledge = SessionKnowledge::default();
        let dream = Dream {
            project: &project,
            home: None,
            memory_root: &self.memory,
            state_home: &self.state(),
            settings: &self.settings,
            switches: Switches {
                disabled: false,
                enabled: true,
                auto_memory: true,
                assistant_mode: false,
                remote_mode: false,
            },
            now: &now,
            reader: &reader,
            engine,
            knowledge: &knowledge,
            trigger,
            consent,
            mode,
            watcher: &Unwatched,
        };
        pipeline::dream(&dream, &mut self.store(), events)
    }

    /// Takes a run back.
    pub(crate) fn undo(&self, report: &RunReport) {
        let mut store = self.store();
        let lease = Lease::acquire(&self.memory, &LeaseOptions::new("undo")).unwrap();
        let project = project::identify(&self.root.join("work"), true);
        let request = UndoRequest {
            target: report.run.clone().unwrap(),
            run: nidra_dream::new_run(&store, &project.id, &self.zoned()).unwrap(),
            trigger: "manual".to_owned(),
            now: self.now,
            hold_until: None,
        };
        undo(&mut store, &lease, &RealFileSystem, &request).unwrap();
    }

    /// The files of memory without the locks.
    pub(crate) fn files(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        walk(&self.memory, &self.memory, &mut found);
        found
            .retain(|name, _| ![".nidra.lock", ".nidra.guard", ".consolidate-lock"].contains(&name.as_str()));
        found
    }

    /// The index.
    pub(crate) fn index(&self) -> String {
        fs::read_to_string(self.memory.join("MEMORY.md")).unwrap_or_default()
    }

    pub(crate) fn hours_pass(&mut self, hours: i64) {
        self.now = self.now.checked_add(SignedDuration::from_hours(hours)).unwrap();
    }
}

/// Every file below a folder with its text.
pub(crate) fn walk(root: &Path, folder: &Path, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(root, &path, found);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            found.insert(name, String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned());
        }
    }
}

/// An operation that rests on these words of this turn.
pub(crate) fn operation(change: Change, kind: Kind, turn: &Turn, quote: &str) -> Operation {
    Operation {
        id: OperationId::new("op"),
        change,
        kind,
        rank: TrustRank::HumanVerbatim,
        reason: "a test says so".to_owned(),
        evidence: vec![Evidence {
            source: turn.source.clone(),
            speaker: turn.speaker,
            at: turn.at,
            quote: quote.to_owned(),
        }],
    }
}

/// The first turn of this speaker in the first conversation.
pub(crate) fn turn<'a>(input: &EngineInput<'a>, speaker: Speaker) -> &'a Turn {
    let turns = input.conversations.iter().flat_map(|conversation| &conversation.turns);
    turns.into_iter().find(|turn| turn.speaker == speaker && turn.text().is_some()).unwrap()
}

/// A new topic with one entry.
pub(crate) fn create(slug: &str, kind: Kind, entry: &str) -> Change {
    Change::Create {
        topic: NewTopic {
            slug: slug.to_owned(),
            title: slug.to_owned(),
            description: entry.to_owned(),
            kind,
        },
        entries: vec![entry.to_owned()],
        hook: entry.to_owned(),
    }
}

/// Adds a new topic that rests on the first words of a person.
pub(crate) fn add(input: &EngineInput<'_>, slug: &str, entry: &str) -> Operation {
    let turn = turn(input, Speaker::Human);
    operation(create(slug, Kind::Project, entry), Kind::Project, turn, turn.text().unwrap())
}

/// All entries of memory with their topics.
pub(crate) fn entries<'a>(input: &EngineInput<'a>) -> Vec<(&'a TopicView, &'a EntryView)> {
    input
        .memory
        .topics
        .iter()
        .flat_map(|topic| topic.entries.iter().map(move |entry| (topic, entry)))
        .collect()
}

/// Names an entry as a target.
pub(crate) fn target(topic: &TopicView, entry: &EntryView) -> Target {
    Target { path: topic.path.clone(), entry: entry.id.clone(), text: entry.text.clone() }
}

/// Wants an entry to leave memory.
pub(crate) fn archive(input: &EngineInput<'_>, topic: &TopicView, entry: &EntryView) -> Operation {
    let turn = turn(input, Speaker::Human);
    operation(
        Change::Archive { target: target(topic, entry) },
        topic.kind.unwrap_or(Kind::Project),
        turn,
        turn.text().unwrap(),
    )
}
