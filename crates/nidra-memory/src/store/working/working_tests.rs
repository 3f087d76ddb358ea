use super::super::{Durability, Store};
use super::*;
use nidra_core::ProjectId;

fn at(minute: u32) -> Timestamp {
    format!("2026-12-01T10:{minute:02}:00Z").parse().unwrap()
}

fn store() -> (tempfile::TempDir, Store, ProjectId) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    (folder, store, ProjectId::new("p"))
}

fn changed(outcome: TaskOutcome) -> TaskRecord {
    match outcome {
        TaskOutcome::Changed(task) => *task,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_task_lives_from_registration_to_its_end() {
    let (_folder, mut store, project) = store();
    let register = |store: &mut Store, goal: &str| {
        store.register_task(&project, "文档", goal, "outline", at(0)).unwrap()
    };
    assert!(matches!(register(&mut store, "write docs"), Registration::New(_)));
    assert!(matches!(register(&mut store, "write docs"), Registration::Same(_)));
    assert!(matches!(register(&mut store, "another"), Registration::Taken(_)));

    assert_eq!(store.age_tasks(&project, at(1)).unwrap(), Aged { round: 1, tasks: 1, decisions: 0 });
    assert_eq!(store.task(&project, "文档").unwrap().unwrap().stale, 1);
    let change = TaskChange { ask: Some("which tool?".to_owned()), ..TaskChange::default() };
    changed(store.change_task(&project, "文档", &change, at(2)).unwrap());
    assert_eq!(store.age_tasks(&project, at(3)).unwrap(), Aged { round: 2, tasks: 1, decisions: 1 });

    let change = TaskChange { advance: Some(Some("draft".to_owned())), ..TaskChange::default() };
    let task = changed(store.change_task(&project, "文档", &change, at(4)).unwrap());
    assert_eq!((task.stale, task.next_step.as_str(), task.decisions[0].rounds), (0, "draft", 1));

    let decide = Decide {
        choice: Some("mdbook".to_owned()),
        reason: Some("plain".to_owned()),
        alternatives: vec!["sphinx".to_owned()],
        number: None,
    };
    let change = TaskChange { decide: Some(decide), link: vec!["e1".to_owned()], ..TaskChange::default() };
    let task = changed(store.change_task(&project, "文档", &change, at(5)).unwrap());
    assert_eq!(task.open_decisions().count(), 0);
    assert_eq!(task.decisions[0].alternatives, ["sphinx"]);
    assert_eq!(task.links, ["e1"]);
    let undecidable = TaskChange { decide: Some(Decide::default()), ..TaskChange::default() };
    assert_eq!(store.change_task(&project, "文档", &undecidable, at(5)).unwrap(), TaskOutcome::NoDecision);

    let close = TaskChange { close: Some(Some("shipped".to_owned())), ..TaskChange::default() };
    let task = changed(store.change_task(&project, "文档", &close, at(6)).unwrap());
    assert_eq!((task.state, task.outcome.as_deref()), (TaskState::Closed, Some("shipped")));
    assert_eq!(store.change_task(&project, "文档", &close, at(6)).unwrap(), TaskOutcome::Closed);
    assert_eq!(store.change_task(&project, "none", &close, at(6)).unwrap(), TaskOutcome::Unknown);
    assert!(store.tasks(&project, TaskSelection::Open).unwrap().is_empty());
    assert_eq!(store.age_tasks(&project, at(7)).unwrap().tasks, 0);
    let reopen = TaskChange { reopen: true, ..TaskChange::default() };
    assert_eq!(changed(store.change_task(&project, "文档", &reopen, at(8)).unwrap()).state, TaskState::Open);
    let kinds: Vec<_> =
        store.task_events(&project, "文档").unwrap().into_iter().map(|event| event.kind).collect();
    assert_eq!(kinds, ["registered", "asked", "step", "decided", "closed", "reopened"]);
}

#[test]
fn rounds_count_for_what_is_open_and_rest_with_what_is_closed() {
    let (_folder, mut store, project) = store();
    let age = |store: &mut Store, rounds: u32| {
        for _ in 0..rounds {
            store.age_tasks(&project, at(1)).unwrap();
        }
    };
    let counts = |store: &Store| {
        let task = store.task(&project, "t").unwrap().unwrap();
        (task.stale, task.decisions.iter().map(|decision| decision.rounds).collect::<Vec<_>>())
    };
    let change = |store: &mut Store, change: TaskChange| {
        changed(store.change_task(&project, "t", &change, at(2)).unwrap());
    };
    let ask = |words: &str| TaskChange { ask: Some(words.to_owned()), ..TaskChange::default() };
    // Rounds before it are none of its own.
    age(&mut store, 2);
    store.register_task(&project, "t", "goal", "step", at(0)).unwrap();
    change(&mut store, ask("first?"));
    age(&mut store, 1);
    change(&mut store, ask("second?"));
    age(&mut store, 2);
    assert_eq!(counts(&store), (3, vec![3, 2]));
    let decide = Decide { number: Some(1), choice: Some("yes".to_owned()), ..Decide::default() };
    change(&mut store, TaskChange { decide: Some(decide), ..TaskChange::default() });
    age(&mut store, 1);
    assert_eq!(counts(&store), (4, vec![3, 3]));
    change(&mut store, TaskChange { close: Some(None), ..TaskChange::default() });
    age(&mut store, 5);
    assert_eq!(counts(&store), (4, vec![3, 3]));
    change(&mut store, TaskChange { reopen: true, ..TaskChange::default() });
    age(&mut store, 1);
    assert_eq!(counts(&store), (1, vec![3, 4]));
    assert_eq!(store.tasks_at_hand(&project).unwrap()[0].decisions[0].rounds, 4);
}

#[test]
fn one_topic_is_active_and_switching_pauses_the_old_one() {
    let (_folder, mut store, project) = store();
    let other = ProjectId::new("q");
    assert_eq!(store.mark_topic(&project, "login", at(0)).unwrap().state, TopicState::Active);
    assert_eq!(store.mark_topic(&project, "缓存", at(1)).unwrap().state, TopicState::Pending);
    store.mark_topic(&other, "elsewhere", at(1)).unwrap();
    let TopicOutcome::Changed(topic, paused) = store.switch_topic(&project, "缓存", at(2)).unwrap() else {
        panic!("it is there")
    };
    assert_eq!((topic.state, paused.as_deref()), (TopicState::Active, Some("login")));
    let states = |store: &Store| -> Vec<(String, TopicState)> {
        store.topics(&project, true).unwrap().into_iter().map(|topic| (topic.name, topic.state)).collect()
    };
    let named = |name: &str, state| (name.to_owned(), state);
    assert_eq!(states(&store), [named("缓存", TopicState::Active), named("login", TopicState::Paused)]);
    store.set_topic(&project, None, TopicState::Done, at(3)).unwrap();
    assert_eq!(states(&store), [named("login", TopicState::Paused), named("缓存", TopicState::Done)]);
    assert_eq!(store.set_topic(&project, None, TopicState::Done, at(4)).unwrap(), TopicOutcome::Unknown);
    assert_eq!(
        store.set_topic(&project, Some("x"), TopicState::Paused, at(4)).unwrap(),
        TopicOutcome::Unknown
    );
    assert_eq!(store.mark_topic(&project, "缓存", at(5)).unwrap().state, TopicState::Active);
    assert_eq!(store.topics(&other, false).unwrap().len(), 1);
}

#[test]
fn many_tasks_come_with_their_decisions_as_few_do() {
    let (_folder, mut store, project) = store();
    for number in 0..70 {
        let id = format!("t{number:02}");
        store.register_task(&project, &id, "goal", "step", at(0)).unwrap();
        let change = TaskChange { ask: Some(id.clone()), link: vec![id.clone()], ..TaskChange::default() };
        store.change_task(&project, &id, &change, at(1)).unwrap();
    }
    let tasks = store.tasks(&project, TaskSelection::All).unwrap();
    assert_eq!(tasks.len(), 70);
    for task in tasks {
        assert_eq!(
            (task.decisions[0].question.as_str(), task.links.as_slice()),
            (&*task.id, &[task.id.clone()][..])
        );
    }
}

/// What is read by the index of states must be what going through all tasks finds.
#[test]
fn what_is_at_hand_and_what_came_last_are_found_among_all() {
    let (_folder, mut store, project) = store();
    let minute =
        |number: usize| Timestamp::from_second(1_790_000_000 + 60 * i64::try_from(number).unwrap()).unwrap();
    for number in 0..60 {
        let id = format!("t{}", number * 37 % 60);
        store.register_task(&project, &id, "goal", "step", minute(number)).unwrap();
        let decided = |at: usize, store: &mut Store| {
            let decide = Decide { choice: Some(format!("way {at}")), ..Decide::default() };
            let change = TaskChange { decide: Some(decide), ..TaskChange::default() };
            changed(store.change_task(&project, &id, &change, minute(at)).unwrap());
        };
        // Some are decided at once, some later than tasks that came after them, some twice.
        if number % 2 == 0 {
            decided(number + number * 13 % 40, &mut store);
        }
        if number % 3 == 0 {
            decided(number + 50, &mut store);
        }
        let ask = TaskChange { ask: Some("which way?".to_owned()), ..TaskChange::default() };
        if number % 5 == 0 {
            changed(store.change_task(&project, &id, &ask, minute(number + 60)).unwrap());
        }
        let close = TaskChange { close: Some(None), ..TaskChange::default() };
        if number % 4 != 0 {
            changed(store.change_task(&project, &id, &close, minute(number + 100)).unwrap());
        }
    }
    let mut open = store.tasks(&project, TaskSelection::Open).unwrap();
    for task in &mut open {
        task.decisions.retain(|decision| decision.decided.is_none());
    }
    assert_eq!(open.len(), 15);
    assert_eq!(store.tasks_at_hand(&project).unwrap(), open);

    let mut closed = store.tasks(&project, TaskSelection::Closed).unwrap();
    closed.sort_by_key(|task| std::cmp::Reverse(task.changed));
    let since = closed[9].changed;
    let names = |tasks: Vec<TaskRecord>| tasks.into_iter().map(|task| task.id).collect::<Vec<_>>();
    assert_eq!(names(store.closed_since(&project, since).unwrap()), names(closed[..10].to_vec()));
    closed.truncate(7);
    for task in &mut closed {
        task.decisions.clear();
    }
    assert_eq!(store.closed_last(&project, 7).unwrap(), closed);

    let all = store.decisions_taken(&project).unwrap();
    let tasks = store.tasks(&project, TaskSelection::All).unwrap();
    let taken = tasks.iter().flat_map(|task| &task.decisions).filter(|decision| decision.decided.is_some());
    assert_eq!((all.len(), taken.count()), (50, 50));
    let mut newest = all;
    newest.sort_by(|one, two| {
        two.decision.decided.cmp(&one.decision.decided).then_with(|| one.task.cmp(&two.task))
    });
    for count in [0, 1, 2, 5, 20, 49, 50, 51] {
        let last = store.decisions_taken_last(&project, count).unwrap();
        assert_eq!(last, newest[..count.min(50)], "{count}");
    }
}

/// A process that ends without closing the database loses nothing, and does not wait for the disk.
#[test]
fn what_was_changed_stays_when_the_database_is_left_open() {
    let (folder, store, project) = store();
    drop(store);
    let log = || std::fs::metadata(folder.path().join("nidra.db-wal")).map_or(0, |log| log.len());
    let mut longest = 0;
    for number in 0..100 {
        let mut store = Store::open_with(folder.path(), Durability::Recent).unwrap();
        store.register_task(&project, &format!("t{number}"), "goal", "step", at(0)).unwrap();
        store.leave();
        longest = longest.max(log());
    }
    let seen = Store::open_to_read(folder.path()).unwrap();
    assert_eq!(seen.tasks_at_hand(&project).unwrap().len(), 100);
    assert!(longest > 0, "the log was brought in, which waits for the disk");
}

/// Changes that need not wait for the disk are there for every process at once, and for one that waits.
#[test]
fn what_does_not_wait_for_the_disk_is_seen_by_all() {
    let (folder, store, project) = store();
    drop(store);
    for number in 0..300 {
        let mut store = Store::open_with(folder.path(), Durability::Recent).unwrap();
        store.register_task(&project, &format!("t{number}"), "goal", "step", at(0)).unwrap();
        drop(store);
        if number % 50 == 0 {
            let seen = Store::open_to_read(folder.path()).unwrap();
            assert_eq!(seen.tasks_at_hand(&project).unwrap().len(), number + 1);
        }
    }
    let log = |name: &str| std::fs::metadata(folder.path().join(name)).map_or(0, |log| log.len());
    assert!(log("nidra.db-wal") > 0, "the log was brought in, which waits for the disk");
    assert!(log("nidra.db-wal") < 1024 * 1024, "the log grows without end");
    // Whoever waits for the disk brings all of it into the database.
    let mut whole = Store::open(folder.path()).unwrap();
    whole.mark_topic(&project, "x", at(1)).unwrap();
    drop(whole);
    assert_eq!(log("nidra.db-wal"), 0);
    let copy = tempfile::tempdir().unwrap();
    std::fs::copy(folder.path().join("nidra.db"), copy.path().join("nidra.db")).unwrap();
    let copied = Store::open_to_read(copy.path()).unwrap();
    assert_eq!(copied.tasks_at_hand(&project).unwrap().len(), 300);
}
