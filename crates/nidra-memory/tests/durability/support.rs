//! A project with a memory directory and a run over it.

use jiff::{SignedDuration, Timestamp};
use nidra_core::{
    AgentKind, EntryId, Evidence, PlanHash, ProjectId, RunId, SessionId, Source, Speaker, TrustRank,
};
use nidra_memory::atomic::{FileSystem, RealFileSystem};
use nidra_memory::commit::NewRun;
use nidra_memory::lease::{Lease, LeaseOptions};
use nidra_memory::recover::{RecoverReport, recover};
use nidra_memory::store::{
    CursorRecord, EntrySource, PlanRecord, PlanState, RunRecord, Schedule, SessionRecord, Store,
};
use nidra_memory::{ChangeSet, FileChange};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) const PROJECT: &str = "project-1";

/// Files by path; directories have no bytes.
pub(crate) type Tree = BTreeMap<String, Option<Vec<u8>>>;

pub(crate) fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub(crate) fn now() -> Timestamp {
    time("2026-11-30T12:00:00Z")
}

pub(crate) fn project() -> ProjectId {
    ProjectId::new(PROJECT)
}

/// A memory directory and a state directory, side by side.
pub(crate) struct World {
    _keep: Option<tempfile::TempDir>,
    pub(crate) base: PathBuf,
}

impl World {
    /// A project that has dreamt before.
    pub(crate) fn new() -> Self {
        // In memory where there is such a place: each test syncs hundreds of files.
        let directory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let base = directory.path().to_owned();
        let world = Self { _keep: Some(directory), base };
        world.fill();
        world
    }

    /// The project in a directory that another process or mount has.
    pub(crate) fn at(base: &Path) -> Self {
        Self { _keep: None, base: base.to_owned() }
    }

    pub(crate) fn fill(&self) {
        fs::create_dir_all(self.root()).unwrap();
        for (path, bytes) in old_tree() {
            let path = self.root().join(path);
            match bytes {
                Some(bytes) => fs::write(path, bytes).unwrap(),
                None => fs::create_dir_all(path).unwrap(),
            }
        }
        let mut store = self.store();
        store
            .put_project(&project(), Path::new("/home/u/app"), &self.root(), time("2026-11-01T00:00:00Z"))
            .unwrap();
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.base.join("memory")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.base.join("state")
    }

    pub(crate) fn store(&self) -> Store {
        Store::open(&self.state()).unwrap()
    }

    #[expect(clippy::unused_self, reason = "it reads as what belongs to this world")]
    pub(crate) fn options(&self) -> LeaseOptions {
        LeaseOptions {
            clock: Arc::new(now),
            client_settle: std::time::Duration::ZERO,
            ..LeaseOptions::new("dream")
        }
    }

    pub(crate) fn lease(&self) -> Lease {
        Lease::acquire(&self.root(), &self.options()).unwrap()
    }

    pub(crate) fn recover(&self) -> RecoverReport {
        let report = recover(&mut self.store(), &self.lease(), &RealFileSystem, &project()).unwrap();
        let again = recover(&mut self.store(), &self.lease(), &RealFileSystem, &project()).unwrap();
        assert!(again.is_empty(), "a second recovery found something: {again:?}");
        report
    }

    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.root().join(path), bytes).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    /// Everything in the memory directory but the lock files.
    pub(crate) fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        collect(&self.root(), "", &mut tree);
        tree
    }

    pub(crate) fn snapshot_of_state(&self) -> State {
        let store = self.store();
        let project = project();
        State {
            cursors: store.cursors(&project).unwrap(),
            seen: store.seen_count(&project).unwrap(),
            sessions: store.sessions(&project).unwrap(),
            sources: store.sources(&project).unwrap(),
            plans: store.plans(&project, None).unwrap(),
            schedule: store.schedule(&project).unwrap(),
        }
    }

    /// When the client's lock says that memory was last consolidated.
    pub(crate) fn client_time(&self) -> Option<Timestamp> {
        let status = RealFileSystem.status(&self.root().join(".consolidate-lock")).unwrap();
        status.map(|status| status.modified)
    }

    pub(crate) fn set_client_time(&self, time: Timestamp) {
        let path = self.root().join(".consolidate-lock");
        fs::write(&path, "").unwrap();
        RealFileSystem.set_modified(&path, time).unwrap();
    }
}

/// What the database says about consumed input.
#[derive(Debug, PartialEq)]
pub(crate) struct State {
    pub(crate) cursors: BTreeMap<PathBuf, CursorRecord>,
    pub(crate) seen: u64,
    pub(crate) sessions: BTreeMap<SessionId, SessionRecord>,
    pub(crate) sources: BTreeMap<EntryId, Vec<EntrySource>>,
    pub(crate) plans: Vec<PlanRecord>,
    pub(crate) schedule: Schedule,
}

impl State {
    /// The state without what a failed run may note as well.
    pub(crate) fn consumed(mut self) -> Self {
        self.schedule.interrupted_run = None;
        self
    }
}

fn collect(directory: &Path, prefix: &str, tree: &mut Tree) {
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if matches!(name.as_str(), ".nidra.lock" | ".nidra.guard" | ".consolidate-lock") {
            continue;
        }
        let path = format!("{prefix}{name}");
        if entry.file_type().unwrap().is_dir() {
            tree.insert(path.clone(), None);
            collect(&entry.path(), &format!("{path}/"), tree);
        } else {
            tree.insert(path, Some(fs::read(entry.path()).unwrap()));
        }
    }
}

pub(crate) fn without_leftovers(mut tree: Tree) -> Tree {
    tree.retain(|path, _| !path.rsplit('/').next().unwrap().starts_with(".nidra-tmp-"));
    tree
}

#[expect(clippy::unnecessary_wraps, reason = "it is the value of a tree")]
fn file(bytes: &[u8]) -> Option<Vec<u8>> {
    Some(bytes.to_vec())
}

/// Memory before the run.
pub(crate) fn old_tree() -> Tree {
    Tree::from([
        (
            "MEMORY.md".into(),
            file("- [反馈](feedback.md) — 用 npm\n- [Old](old.md) — gone soon\n".as_bytes()),
        ),
        (
            "feedback.md".into(),
            file("---\nname: feedback\n---\n\n- 用 npm 装依赖\n- Answer in Chinese\n".as_bytes()),
        ),
        ("logs".into(), None),
        ("logs/2026-11-29.md".into(), file(b"- 10:00 a daily log\n")),
        ("odd.md".into(), file(b"\xff\xfe\0 no text\r\n")),
        ("old.md".into(), file(b"an old fact\n")),
    ])
}

/// Memory after the run: a file more, a file less, an archive in a new folder, the index in step.
pub(crate) fn new_tree() -> Tree {
    let mut tree = old_tree();
    tree.insert(
        "MEMORY.md".into(),
        file("- [反馈](feedback.md) — 用 pnpm\n- [Deploy](deploy.md) — make release\n".as_bytes()),
    );
    tree.insert(
        "feedback.md".into(),
        file("---\nname: feedback\n---\n\n- 用 pnpm 装依赖\n- Answer in Chinese\n".as_bytes()),
    );
    tree.insert("deploy.md".into(), file(b"Deploy with `make release`.\n"));
    tree.insert("archive".into(), None);
    tree.insert("archive/2026-11.md".into(), file("- 2026-11-30 old.md: an old fact\n".as_bytes()));
    tree.remove("old.md");
    tree
}

/// The changes from one tree to another.
pub(crate) fn changes(before: &Tree, after: &Tree) -> ChangeSet {
    let mut files = Vec::new();
    let paths: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for path in paths {
        let (before, after) = (before.get(path).cloned().flatten(), after.get(path).cloned().flatten());
        if before != after {
            files.push(FileChange { path: path.clone(), before, after });
        }
    }
    ChangeSet { files }
}

pub(crate) fn run_record(id: &str) -> RunRecord {
    RunRecord::begin(RunId::new(id), project(), now(), "rules", "manual")
}

/// A run that consumed a session up to `offset`.
pub(crate) fn new_run(id: &str, offset: u64) -> NewRun {
    let path = PathBuf::from("/home/u/.claude/projects/-app/s1.jsonl");
    let mut record = run_record(id);
    record.plan_hash = Some(PlanHash::new(format!("plan-{id}")));
    record.counts = serde_json::json!({ "accepted": 3 });
    NewRun {
        cursors: vec![CursorRecord {
            path: path.clone(),
            offset,
            line: offset / 10,
            fingerprint: format!("print-{offset}"),
        }],
        seen_records: vec![format!("record-{id}-1"), format!("record-{id}-2"), "shared".into()],
        sessions: vec![SessionRecord {
            session: SessionId::new("s1"),
            state: format!("consumed-{offset}"),
            reason: None,
            path: Some(path.clone()),
            last_activity: Some(now()),
            tries: 0,
        }],
        provenance: vec![EntrySource::stating(
            EntryId::of("deploy.md", "Deploy with `make release`."),
            "deploy.md".into(),
            vec![Evidence {
                source: Source {
                    agent: AgentKind::ClaudeCode,
                    session: SessionId::new("s1"),
                    stream: None,
                    record: format!("record-{id}-1"),
                    path: path.into(),
                    offset: 10,
                    length: 20,
                },
                speaker: Speaker::Human,
                at: Some(now()),
                quote: "我们用 make release 发布".into(),
            }],
            TrustRank::HumanVerbatim,
        )],
        tombstones: Vec::new(),
        plans: vec![PlanRecord {
            hash: PlanHash::new(format!("proposal-{id}")),
            base: "base".into(),
            created: now(),
            state: PlanState::Open,
            body: serde_json::json!({ "operations": [] }),
        }],
        last_success: Some(now() + SignedDuration::from_secs(i64::try_from(offset).unwrap())),
        transcript_folders: Some(vec![PathBuf::from("/home/u/.claude/projects/-app")]),
        unread: None,
        ..NewRun::new(record)
    }
}

/// The files that the index links to and that do not exist.
pub(crate) fn dangling(world: &World) -> Vec<String> {
    let index = world.read("MEMORY.md");
    let targets =
        index.lines().filter_map(|line| line.split_once("](")?.1.split_once(')').map(|(target, _)| target));
    targets.filter(|target| !world.root().join(target).exists()).map(str::to_owned).collect()
}
