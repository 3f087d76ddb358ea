//! Random histories of runs, undos, crashes and edits against the model.

mod judging;

use crate::eventful::{Died, Event, Eventful, When};
use crate::model::{Model, Plan, change_set, judge_commit, tree};
use crate::random::{Random, proof, seed, setting};
use crate::user::{PATHS, Style, User};
use jiff::{SignedDuration, Timestamp};
use nidra_core::{ProjectId, RunId, SessionId};
use nidra_memory::atomic::{FileSystem, Moment, RealFileSystem, TEMPORARY_PREFIX};
use nidra_memory::commit::{Committed, ConflictPolicy, NewRun, commit};
use nidra_memory::lease::{Lease, LeaseOptions};
use nidra_memory::owner::Owner;
use nidra_memory::recover::recover;
use nidra_memory::store::{CursorRecord, RunRecord, RunState, SessionRecord, Store};
use nidra_memory::undo::{UndoRequest, undo};
use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const TRANSCRIPT: &str = "/home/u/.claude/projects/-app/s1.jsonl";

/// How many operations one history has; then a new one begins, with a seed of its own.
const HISTORY: u64 = 250;

/// How often each thing happened.
#[derive(Debug, Default)]
pub(crate) struct Counts(Mutex<BTreeMap<&'static str, u64>>);

impl Counts {
    fn add(&self, what: &'static str) {
        self.add_many(what, 1);
    }

    fn add_many(&self, what: &'static str, number: u64) {
        *self.0.lock().unwrap().entry(what).or_default() += number;
    }
}

/// One memory directory with its history.
struct Machine<'a> {
    directory: tempfile::TempDir,
    random: Random,
    user: Arc<Mutex<User>>,
    model: Model,
    store: Option<Store>,
    owner: Owner,
    seconds: Arc<AtomicI64>,
    number: u64,
    counts: &'a Counts,
}

/// How a step that could die ended.
enum Ended<T> {
    Told(T),
    Died,
}

impl<'a> Machine<'a> {
    fn new(seed: u64, owner: &Owner, counts: &'a Counts) -> Self {
        let directory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let root = directory.path().join("memory");
        fs::create_dir_all(&root).unwrap();
        let mut random = Random::new(seed);
        let user = User::new(&root, Random::new(random.next()));
        let mut machine = Self {
            directory,
            random,
            user: Arc::new(Mutex::new(user)),
            model: Model::default(),
            store: None,
            owner: owner.clone(),
            seconds: Arc::default(),
            number: 0,
            counts,
        };
        let root = machine.root();
        machine.store().put_project(&project(), Path::new("/home/u/app"), &root, start()).unwrap();
        machine
    }

    fn root(&self) -> PathBuf {
        self.directory.path().join("memory")
    }

    fn store(&mut self) -> &mut Store {
        let home = self.directory.path().join("state");
        self.store.get_or_insert_with(|| Store::open(&home).unwrap())
    }

    fn now(&self) -> Timestamp {
        start() + SignedDuration::from_secs(self.seconds.fetch_add(1, Ordering::Relaxed))
    }

    fn options(&mut self, files: Arc<dyn FileSystem>) -> LeaseOptions {
        let seconds = Arc::clone(&self.seconds);
        LeaseOptions {
            clock: Arc::new(move || start() + SignedDuration::from_secs(seconds.load(Ordering::Relaxed))),
            owner: self.owner.clone(),
            honour_client: self.random.percent(50),
            client_settle: Duration::ZERO,
            purpose: "proof".into(),
            files,
            time_to_live: SignedDuration::from_hours(1),
            wait: Duration::ZERO,
            processes: Arc::new(nidra_memory::owner::SystemProcesses),
        }
    }

    /// Events for a run: edits, a death, both or none.
    fn events(&mut self) -> (Vec<(When, Event)>, bool) {
        let mut events = Vec::new();
        let mut edited = false;
        if self.random.percent(30) {
            edited = true;
            for _ in 0..=self.random.below(3) {
                let styles =
                    [Style::Rename, Style::Truncate, Style::Append, Style::Delete, Style::OpenToAppend];
                let style = styles[self.random.index(styles.len())];
                let when = self.moment();
                let any = PATHS[self.random.index(PATHS.len())].to_owned();
                let path = matches!(when, When::At(_)).then_some(any);
                events.push((when, Event::Edit(path, style)));
                if style == Style::OpenToAppend {
                    let longest = [4, 30][self.random.index(2)];
                    let wait = 1 + self.random.below(longest);
                    let then = match when {
                        When::At(at) => When::At(at + wait),
                        When::Swap(swap, after) => When::Swap(swap, after + wait),
                    };
                    events.push((then, Event::Edit(Some(String::new()), Style::WriteOpened)));
                }
            }
        }
        if self.random.percent(30) {
            let moments = [Moment::Before, Moment::Half, Moment::After];
            let moment = moments[self.random.index(3)];
            events.push((self.moment(), Event::Die(moment)));
        }
        (events, edited)
    }

    /// A moment of a run: any, or one around the replacement of a file.
    fn moment(&mut self) -> When {
        if self.random.percent(50) {
            let longest = [1, 12, 40][self.random.index(3)];
            return When::Swap(self.random.below(3), self.random.below(longest));
        }
        // A whole run has about two hundred operations when it changes four files.
        let length = [40, 120, 220][self.random.index(3)];
        When::At(self.random.below(length))
    }

    /// Does something with a file system on which events happen; a death ends the store too.
    fn perform<T>(
        &mut self,
        events: Vec<(When, Event)>,
        action: impl FnOnce(&mut Store, &dyn FileSystem, &LeaseOptions) -> T,
    ) -> Ended<T> {
        let files = Arc::new(Eventful::new(&self.user, events));
        let options = self.options(Arc::clone(&files) as Arc<dyn FileSystem>);
        self.store();
        let mut store = self.store.take().unwrap();
        let result = catch_unwind(AssertUnwindSafe(|| action(&mut store, &*files, &options)));
        self.user.lock().unwrap().close();
        match result {
            Ok(value) => {
                self.store = Some(store);
                Ended::Told(value)
            }
            Err(panic) if panic.is::<Died>() => Ended::Died,
            Err(panic) => resume_unwind(panic),
        }
    }

    fn recover(&mut self) {
        // Recovery dies as well, now and then.
        for _ in 0..3 {
            if !self.random.percent(25) {
                break;
            }
            let at = self.random.below(90);
            let moment = [Moment::Before, Moment::Half, Moment::After][self.random.index(3)];
            let events = vec![(When::At(at), Event::Die(moment))];
            self.perform(events, |store, files, options| {
                let root = options_root(store);
                let lease = Lease::acquire(&root, options).unwrap();
                recover(store, &lease, files, &project()).unwrap();
            });
            self.counts.add("recoveries that may die");
        }
        let options = self.options(Arc::new(RealFileSystem));
        let root = self.root();
        let lease = Lease::acquire(&root, &options).unwrap();
        recover(self.store(), &lease, &RealFileSystem, &project()).unwrap();
        let again = recover(self.store(), &lease, &RealFileSystem, &project()).unwrap();
        assert!(again.is_empty(), "a second recovery found something: {again:?}");
        drop(lease);
        let left: Vec<PathBuf> = leftovers(&root);
        assert!(left.is_empty(), "left behind: {left:?}");
    }

    fn state(&mut self, id: &RunId) -> Option<RunState> {
        self.store().run(id).unwrap().map(|run| run.state)
    }

    fn run(&mut self) {
        self.number += 1;
        let base = tree(&self.root());
        let id = RunId::new(format!("run-{}", self.number));
        let changes = change_set(&mut self.random, self.number, &base);
        if self.random.percent(25) {
            // The plan took its time, and the user did not wait.
            for _ in 0..=self.random.below(3) {
                self.user.lock().unwrap().edit_something();
            }
        }
        let now = self.now();
        let plan = Plan {
            id,
            changes,
            cursor: self.model.cursor.unwrap_or(0) + 1 + self.random.below(1000),
            seen: self.random.below(4),
            success: self.random.percent(80).then_some(now),
        };
        let new = new_run(&plan, now, self.random.percent(50));
        let announced = self.random.percent(50);
        let (events, disturbed) = self.events();
        let before = tree(&self.root());
        self.user.lock().unwrap().edited.clear();
        let changes = plan.changes.clone();
        let ended: Ended<Result<_, String>> = self.perform(events, |store, files, options| {
            let root = options_root(store);
            let lease = Lease::acquire(&root, options).map_err(|error| error.to_string())?;
            recover(store, &lease, files, &project()).map_err(|error| format!("{error:?}"))?;
            if announced {
                store.put_run(&new.record).unwrap();
            }
            Ok(commit(store, &lease, files, &new, &changes))
        });
        let (mut result, died) = match ended {
            Ended::Told(Ok(result)) => (Some(result), false),
            Ended::Told(Err(error)) => panic!("the run could not begin: {error}"),
            Ended::Died => (None, true),
        };
        if died {
            self.counts.add("runs that died");
            self.recover();
        }
        let applied = self.state(&plan.id) == Some(RunState::Applied);
        if !died {
            let told = result.as_ref().is_some_and(Result::is_ok);
            assert_eq!(told, applied, "the answer and the record of {} differ: {result:?}", plan.id);
        } else if !disturbed {
            // Nobody else wrote, so what died either came to its end or did nothing.
            result = applied
                .then(|| Ok(Committed { conflicts: self.left_out(&plan, &before), ..Default::default() }));
        }
        let after = tree(&self.root());
        if disturbed {
            self.judge_disturbed(&plan, result.as_ref(), applied, &before, &after);
        } else {
            let committed = result.as_ref().and_then(|result| result.as_ref().ok());
            if let Some(wrong) = judge_commit(&plan.changes, committed, &before, &after) {
                panic!("{} ({}): {wrong}", plan.id, if died { "died" } else { "whole" });
            }
        }
        if applied {
            self.counts.add("runs applied");
            let changes = self.store().file_changes(&plan.id).unwrap();
            let written: Vec<String> = changes.into_iter().map(|change| change.path).collect();
            let edited = self.user.lock().unwrap().edited.clone();
            self.model.apply(&plan, &before, &after, &written, &edited);
        } else {
            self.counts.add("runs that did not happen");
            self.model.failed.push(plan.id);
        }
    }

    fn undo(&mut self) {
        let open: Vec<usize> =
            (0..self.model.runs.len()).filter(|index| !self.model.runs[*index].undone).collect();
        if open.is_empty() {
            return;
        }
        let newest = self.random.percent(60);
        let index = if newest { open[open.len() - 1] } else { open[self.random.index(open.len())] };
        let target = self.model.runs[index].clone();
        self.number += 1;
        let request = UndoRequest {
            target: target.id.clone(),
            run: RunId::new(format!("undo-{}", self.number)),
            trigger: "manual".into(),
            now: self.now(),
            hold_until: None,
        };
        let (events, disturbed) = self.events();
        let before = tree(&self.root());
        self.user.lock().unwrap().edited.clear();
        let asked = request.clone();
        let ended = self.perform(events, |store, files, options| {
            let root = options_root(store);
            let lease = Lease::acquire(&root, options).unwrap();
            recover(store, &lease, files, &project()).unwrap();
            undo(store, &lease, files, &asked)
        });
        let (result, died) = match ended {
            Ended::Told(result) => (Some(result), false),
            Ended::Died => (None, true),
        };
        if died {
            self.counts.add("undos that died");
            self.recover();
        }
        let done = self.state(&request.run) == Some(RunState::Applied);
        let expected = if done { RunState::Undone } else { RunState::Applied };
        assert_eq!(self.state(&target.id), Some(expected), "{} after {}", target.id, request.run);
        if let Some(result) = &result {
            assert_eq!(
                result.is_ok(),
                done,
                "the answer and the record of {} differ: {result:?}",
                request.run
            );
        }
        let after = tree(&self.root());
        if !disturbed {
            self.judge_undo(&target.files, result.as_ref(), done, &before, &after);
        }
        if done {
            self.counts.add("undos");
            self.model.undo(index);
        } else {
            self.counts.add("undos that did not happen");
            self.model.failed.push(request.run);
        }
    }

    fn step(&mut self) {
        match self.random.below(100) {
            0..40 => {
                self.user.lock().unwrap().edit_something();
                self.counts.add("edits between runs");
            }
            40..80 => self.run(),
            80..96 => self.undo(),
            _ => {
                self.store = None;
                self.recover();
                self.counts.add("restarts");
            }
        }
        let missing = self.user.lock().unwrap().missing();
        assert!(missing.is_empty(), "words of the user are lost: {missing:?}");
        self.check_state();
    }
}

fn project() -> ProjectId {
    ProjectId::new("project")
}

fn start() -> Timestamp {
    "2026-11-30T12:00:00Z".parse().unwrap()
}

/// The memory directory beside a store.
fn options_root(store: &Store) -> PathBuf {
    store.home().with_file_name("memory")
}

fn leftovers(directory: &Path) -> Vec<PathBuf> {
    let mut left = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            left.extend(leftovers(&path));
        } else if path.file_name().unwrap().to_str().unwrap().starts_with(TEMPORARY_PREFIX) {
            left.push(path);
        }
    }
    left
}

fn new_run(plan: &Plan, now: Timestamp, skip: bool) -> NewRun {
    let record = RunRecord::begin(plan.id.clone(), project(), now, "rules", "manual");
    NewRun {
        cursors: vec![CursorRecord {
            path: TRANSCRIPT.into(),
            offset: plan.cursor,
            line: plan.cursor / 10,
            fingerprint: format!("print-{}", plan.cursor),
        }],
        seen_records: (0..plan.seen).map(|number| format!("{}-record-{number}", plan.id)).collect(),
        sessions: vec![SessionRecord {
            session: SessionId::new("s1"),
            state: format!("consumed-{}", plan.cursor),
            reason: None,
            path: Some(TRANSCRIPT.into()),
            last_activity: Some(now),
            tries: 0,
        }],
        last_success: plan.success,
        on_conflict: if skip { ConflictPolicy::SkipFile } else { ConflictPolicy::Refuse },
        ..NewRun::new(record)
    }
}

/// One history; a failure names the seed and the operation.
pub(crate) fn history(seed: u64, operations: u64, owner: &Owner, counts: &Counts) {
    let mut machine = Machine::new(seed, owner, counts);
    for number in 0..operations {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| machine.step())) {
            let said = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            panic!("operation {number} of the history that NIDRA_PROOF_HISTORY={seed} repeats: {said}");
        }
    }
    machine.check_history();
    counts.add_many("words beside their file", machine.user.lock().unwrap().beside);
}

#[test]
fn nothing_is_lost_in_any_history() {
    let owner = Owner::current();
    let counts = Counts::default();
    let only = setting("NIDRA_PROOF_HISTORY", 0);
    if only != 0 {
        history(only, HISTORY, &owner, &counts);
        return;
    }
    let (seed, operations) = (seed(), setting("NIDRA_PROOF_OPERATIONS", 10_000));
    let histories = operations.div_ceil(HISTORY);
    let begin = Instant::now();
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= histories {
                        return;
                    }
                    let own = Random::new(seed.wrapping_add(number)).next() >> 16;
                    history(own, HISTORY.min(operations - number * HISTORY), &owner, &counts);
                }
            });
        }
    });
    proof("operation", operations);
    println!(
        "{operations} operations from seed {seed} in {:.1} s: {:?}",
        begin.elapsed().as_secs_f64(),
        counts.0.lock().unwrap()
    );
}
