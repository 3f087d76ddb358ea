use super::*;
use nidra_core::{Affect, AgentKind, EntryId, Evidence, PlanHash, SessionId, Source, Speaker, TrustRank};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn project() -> ProjectId {
    ProjectId::new("p")
}

fn open() -> (tempfile::TempDir, Store) {
    let home = tempfile::tempdir().unwrap();
    let mut store = Store::open(home.path()).unwrap();
    store
        .put_project(&project(), Path::new("/家/app"), Path::new("/m"), time("2026-11-01T00:00:00Z"))
        .unwrap();
    (home, store)
}

fn record(id: &str, started: &str) -> RunRecord {
    RunRecord::begin(RunId::new(id), project(), time(started), "rules", "manual")
}

#[test]
fn a_state_directory_is_for_the_user_alone() {
    use std::os::unix::fs::MetadataExt as _;
    let base = tempfile::tempdir().unwrap();
    let home = base.path().join("deep/state");
    let mut store = Store::open(&home).unwrap();
    store.put_project(&project(), Path::new("/a"), Path::new("/m"), time("2026-11-01T00:00:00Z")).unwrap();
    assert_eq!(std::fs::metadata(&home).unwrap().mode() & 0o777, 0o700);
    for name in std::fs::read_dir(&home).unwrap() {
        let name = name.unwrap();
        assert_eq!(name.metadata().unwrap().mode() & 0o777, 0o600, "{name:?}");
    }
}

#[test]
fn many_processes_may_open_a_new_database_at_once() {
    let home = tempfile::tempdir().unwrap();
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let home = home.path().to_owned();
            std::thread::spawn(move || Store::open(&home).map(|store| store.format()))
        })
        .collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap().unwrap().unwrap(), present_format());
    }
}

#[test]
fn an_older_format_is_brought_up_to_date_by_a_change_and_read_without_one() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join(DATABASE_NAME);
    let old = Connection::open(&path).unwrap();
    old.execute_batch(MIGRATIONS[0]).unwrap();
    old.execute_batch("INSERT INTO project VALUES ('p', '/家/app', '/m', 0); PRAGMA user_version = 1")
        .unwrap();
    drop(old);
    let before = std::fs::read(&path).unwrap();
    let reading = Store::open_to_read(home.path()).unwrap();
    assert_eq!(reading.projects().unwrap()[0].root, Path::new("/家/app"));
    assert_eq!(reading.format().unwrap(), present_format());
    drop(reading);
    assert_eq!(std::fs::read(&path).unwrap(), before, "a look changes nothing");
    let mut store = Store::open(home.path()).unwrap();
    assert_eq!(store.format().unwrap(), present_format());
    store.note_repository(&ProjectId::new("p"), "r").unwrap();
    assert_eq!(store.projects().unwrap()[0].repository.as_deref(), Some("r"));
}

#[test]
fn what_was_counted_in_rounds_before_they_were_one_row_is_counted_on() {
    let home = tempfile::tempdir().unwrap();
    let old = Connection::open(home.path().join(DATABASE_NAME)).unwrap();
    for migration in &MIGRATIONS[..7] {
        old.execute_batch(migration).unwrap();
    }
    old.execute_batch(
        "INSERT INTO working_round VALUES ('p', 9, 0);
         INSERT INTO task VALUES ('p', 'open', 'g', 'n', 'open', 4, 0, 0, NULL, NULL),
                                 ('p', 'shut', 'g', 'n', 'closed', 2, 0, 0, 0, NULL),
                                 ('q', 'other', 'g', 'n', 'open', 0, 0, 0, NULL, NULL);
         INSERT INTO task_decision (project, task, number, question, asked, rounds, decided)
         VALUES ('p', 'open', 1, 'a?', 0, 3, NULL), ('p', 'open', 2, 'b?', 0, 1, 0), ('p', 'shut', 1, 'c?', 0, 2, NULL);
         PRAGMA user_version = 7",
    )
    .unwrap();
    drop(old);
    let mut store = Store::open(home.path()).unwrap();
    let counts = |store: &Store, project: &str, id: &str| {
        let task = store.task(&ProjectId::new(project), id).unwrap().unwrap();
        (task.stale, task.decisions.iter().map(|decision| decision.rounds).collect::<Vec<_>>())
    };
    assert_eq!(counts(&store, "p", "open"), (4, vec![3, 1]));
    for project in ["p", "q"] {
        store.age_tasks(&ProjectId::new(project), time("2026-11-30T12:00:00Z")).unwrap();
    }
    assert_eq!(counts(&store, "p", "open"), (5, vec![4, 1]));
    assert_eq!(counts(&store, "p", "shut"), (2, vec![2]));
    assert_eq!(counts(&store, "q", "other"), (1, vec![]));
}

#[test]
fn projects_keep_odd_paths_and_their_first_day() {
    let (_home, mut store) = open();
    let odd = Path::new(OsStr::from_bytes(b"/x/\xff\xfe"));
    let other = ProjectId::new("q");
    store.put_project(&other, odd, odd, time("2026-11-02T00:00:00Z")).unwrap();
    store.put_project(&other, odd, Path::new("/moved"), time("2026-11-09T00:00:00Z")).unwrap();
    let found = store.project(&other).unwrap().unwrap();
    assert_eq!(found.root, odd);
    assert_eq!(found.memory_directory, Path::new("/moved"));
    assert_eq!(found.first_seen, time("2026-11-02T00:00:00Z"));
    assert_eq!(store.projects().unwrap().len(), 2);
    assert_eq!(store.project(&ProjectId::new("r")).unwrap(), None);
}

#[test]
fn runs_come_back_as_they_were_put_newest_first() {
    let (_home, mut store) = open();
    let mut run = record("b", "2026-11-30T12:00:00.123456Z");
    run.state = RunState::Refused;
    run.finished = Some(time("2026-11-30T12:01:00Z"));
    run.plan_hash = Some(PlanHash::new("h"));
    run.counts = serde_json::json!({ "found": 7 });
    run.report = serde_json::json!({ "说": ["理由"] });
    run.error = Some("the guard refused".into());
    run.snapshot = Some(crate::objects::ObjectId::of(b"x"));
    store.put_run(&record("a", "2026-11-29T12:00:00Z")).unwrap();
    store.put_run(&record("b", "2026-11-30T12:00:00Z")).unwrap();
    store.put_run(&run).unwrap();
    assert_eq!(store.run(&RunId::new("b")).unwrap().unwrap(), run);
    let ids: Vec<RunId> = store.runs(&project(), 10).unwrap().into_iter().map(|run| run.id).collect();
    assert_eq!(ids, [RunId::new("b"), RunId::new("a")]);
    assert_eq!(store.runs(&project(), 1).unwrap().len(), 1);
    assert_eq!(store.running(&project()).unwrap(), [RunId::new("a")]);
}

#[test]
fn runs_are_found_by_state_and_by_parts_of_their_name() {
    let (_home, mut store) = open();
    let mut put = |id: &str, day: u8, state: RunState, undoes: Option<&str>| {
        let mut run = record(id, &format!("2026-11-{day:02}T12:00:00Z"));
        run.state = state;
        run.undoes = undoes.map(RunId::new);
        store.put_run(&run).unwrap();
    };
    put("20261101-ab12", 1, RunState::Applied, None);
    put("20261102-cd34", 2, RunState::Undone, None);
    put("20261103-ef12", 3, RunState::Applied, Some("20261102-cd34"));
    put("20261104-%_x9", 4, RunState::Nothing, None);
    let names =
        |runs: Vec<RunRecord>| runs.into_iter().map(|run| run.id.as_str().to_owned()).collect::<Vec<_>>();
    assert_eq!(names(store.undone_runs(&project(), 9).unwrap()), ["20261102-cd34"]);
    assert_eq!(store.last_applied(&project()).unwrap().unwrap().id.as_str(), "20261101-ab12");
    let called = |part| names(store.runs_called(&project(), part, 2).unwrap());
    assert_eq!(called("12"), ["20261103-ef12", "20261101-ab12"]);
    assert_eq!(called("202611"), ["20261104-%_x9", "20261103-ef12"]);
    assert_eq!(called("20261102-cd34"), ["20261102-cd34"]);
    assert!(called("20261102-cd34-longer").is_empty());
    assert!(called("%").is_empty());
    assert!(called("CD34").is_empty());
    assert!(names(store.runs_called(&ProjectId::new("other"), "12", 2).unwrap()).is_empty());
}

#[test]
fn a_committed_run_is_never_turned_into_an_interrupted_one() {
    let (_home, mut store) = open();
    let mut run = record("a", "2026-11-29T12:00:00Z");
    run.state = RunState::Applied;
    store.record_commit(&run, &[], &RunEffects::default()).unwrap();
    store.interrupt_run(&project(), &run.id, time("2026-11-30T00:00:00Z"), "x").unwrap();
    assert_eq!(store.run(&run.id).unwrap().unwrap().state, RunState::Applied);
    // A report that is completed later keeps what an undo needs.
    let before = store.before_run(&run.id).unwrap();
    store.put_run(&run).unwrap();
    assert_eq!(store.before_run(&run.id).unwrap(), before);
}

#[test]
fn a_failed_transaction_leaves_nothing() {
    let (_home, mut store) = open();
    let run = record("a", "2026-11-29T12:00:00Z");
    let cursor = CursorRecord {
        path: Path::new("/t.jsonl").into(),
        offset: u64::MAX,
        line: 7,
        fingerprint: "f".into(),
    };
    let effects = RunEffects {
        cursors: std::slice::from_ref(&cursor),
        last_success: Some(time("2026-11-29T12:00:00Z")),
        ..RunEffects::default()
    };
    // An offset that no column holds.
    assert!(store.record_commit(&run, &[], &effects).is_err());
    assert_eq!(store.run(&run.id).unwrap(), None);
    assert_eq!(store.schedule(&project()).unwrap(), Schedule::default());
    assert!(store.cursors(&project()).unwrap().is_empty());
}

#[test]
fn schedules_sessions_and_plans_come_back() {
    let (_home, mut store) = open();
    let at = time("2026-11-30T12:00:00Z");
    store.note_attempt(&project(), at).unwrap();
    store.note_scan(&project(), at).unwrap();
    store.hold(&project(), Some(at)).unwrap();
    let expected =
        Schedule { last_attempt: Some(at), last_scan: Some(at), hold_until: Some(at), ..Schedule::default() };
    assert_eq!(store.schedule(&project()).unwrap(), expected);
    store.hold(&project(), None).unwrap();
    assert_eq!(store.schedule(&project()).unwrap().hold_until, None);

    let session = SessionRecord {
        session: SessionId::new("s"),
        state: "failed".into(),
        reason: Some("读不了".into()),
        path: Some(Path::new(OsStr::from_bytes(b"/\xff.jsonl")).to_owned()),
        last_activity: Some(at),
        tries: 3,
    };
    store.put_session(&project(), &session).unwrap();
    assert_eq!(store.sessions(&project()).unwrap()[&session.session], session);

    let plan = PlanRecord {
        hash: PlanHash::new("h"),
        base: "tree".into(),
        created: at,
        state: PlanState::Open,
        body: serde_json::json!({ "operations": [] }),
    };
    store.put_plan(&project(), &plan).unwrap();
    assert_eq!(store.plan(&project(), &plan.hash).unwrap().unwrap(), plan);
    assert_eq!(store.plans(&project(), Some(PlanState::Rejected)).unwrap(), []);
    store.put_plan(&project(), &PlanRecord { state: PlanState::Rejected, ..plan.clone() }).unwrap();
    assert_eq!(store.plans(&project(), Some(PlanState::Rejected)).unwrap().len(), 1);
}

fn evidence(quote: &str) -> Evidence {
    Evidence {
        source: Source {
            agent: AgentKind::ClaudeCode,
            session: SessionId::new("s"),
            stream: None,
            record: "r".into(),
            path: Path::new("/t.jsonl").into(),
            offset: 0,
            length: 5,
        },
        speaker: Speaker::Human,
        at: None,
        quote: quote.into(),
    }
}

#[test]
fn sources_of_an_entry_are_kept_for_each_run_newest_first() {
    let (_home, mut store) = open();
    let entry = EntryId::of("a.md", "用 pnpm");
    let source =
        |rank, quote: &str| EntrySource::stating(entry.clone(), "a.md".into(), vec![evidence(quote)], rank);
    let (first, second) =
        (source(TrustRank::AgentInferred, "maybe pnpm"), source(TrustRank::HumanVerbatim, "用 pnpm"));
    for (run, source) in [("a", &first), ("b", &second)] {
        let effects = RunEffects { provenance: vec![source], ..RunEffects::default() };
        store.record_commit(&record(run, "2026-11-29T12:00:00Z"), &[], &effects).unwrap();
    }
    assert_eq!(store.sources_of(&project(), &entry).unwrap(), [second, first]);
    assert_eq!(store.sources(&project()).unwrap().len(), 1);
    assert_eq!(store.sources_of(&project(), &EntryId::of("b.md", "x")).unwrap(), []);
}

#[test]
fn what_a_run_did_to_an_entry_and_what_the_person_felt_are_kept() {
    let (_home, mut store) = open();
    let entry = EntryId::of("a.md", "用 pnpm");
    let affect = Affect { frustration: true, praise: false, emphasis: true };
    let again = EntrySource {
        relation: Relation::Repeats,
        predecessor: Some(EntryId::of("a.md", "用 npm")),
        affect,
        ..EntrySource::stating(
            entry.clone(),
            "a.md".into(),
            vec![evidence("又来了！！")],
            TrustRank::HumanVerbatim,
        )
    };
    let effects = RunEffects { provenance: vec![&again], ..RunEffects::default() };
    store.record_commit(&record("a", "2026-11-29T12:00:00Z"), &[], &effects).unwrap();
    let recorded = store.recorded_sources(&project()).unwrap().remove(&entry).unwrap();
    assert_eq!(recorded.len(), 1);
    assert_eq!((&recorded[0].run, recorded[0].started), (&RunId::new("a"), time("2026-11-29T12:00:00Z")));
    assert_eq!(recorded[0].source, again);
}

#[test]
fn tombstones_stand_until_their_run_is_undone() {
    let (_home, mut store) = open();
    let tombstone = Tombstone {
        entry: EntryId::of("a.md", "用 pnpm"),
        path: "a.md".into(),
        text: "用 pnpm".into(),
        evidence: vec![evidence("用 pnpm")],
    };
    let effects = RunEffects { tombstones: vec![&tombstone], ..RunEffects::default() };
    store.record_commit(&record("a", "2026-11-29T12:00:00Z"), &[], &effects).unwrap();
    assert_eq!(store.tombstones(&project()).unwrap(), [tombstone]);
    let undo = record("b", "2026-11-30T12:00:00Z");
    store.record_undo(&undo, &RunId::new("a"), &[], &UndoEffects::default()).unwrap();
    assert_eq!(store.tombstones(&project()).unwrap(), []);
}

#[test]
fn times_of_a_clock_that_ran_ahead_are_corrected_one_by_one() {
    let (_home, mut store) = open();
    let (ahead, right) = (time("2036-01-01T00:00:00Z"), time("2026-11-30T12:00:00Z"));
    store.hold(&project(), Some(ahead)).unwrap();
    store.correct_schedule(&project(), None, Some(right)).unwrap();
    assert_eq!(store.schedule(&project()).unwrap().hold_until, Some(right));
    store.correct_schedule(&project(), Some(right), None).unwrap();
    let schedule = store.schedule(&project()).unwrap();
    assert_eq!((schedule.last_success, schedule.hold_until), (Some(right), Some(right)));
}
