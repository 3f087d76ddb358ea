//! What recurs is strengthened, what little speaks for leaves, and what left does not come back by its old words.

use crate::support::{Script, World, add, operation, turn};
use nidra_core::settings::ReviewPolicy;
use nidra_core::{EngineError, EngineInput, Kind, Operation, Speaker, TrustRank};
use nidra_dream::pipeline::Trigger;
use nidra_dream::report::{RunReport, RunState};
use nidra_dream::standing::{self, Sources};
use nidra_memory::store::{PlanRecord, PlanState};
use nidra_sessions::project;
use std::fs;

type Played = Result<Vec<Operation>, EngineError>;

const INFERRED: &str = "The nightly job seems to copy the old reports.";
const CHINESE: &str = "夜里的任务好像会复制旧报表。";

/// A new topic that the agent only concluded.
fn inferred(input: &EngineInput<'_>, slug: &str, entry: &str) -> Operation {
    Operation { rank: TrustRank::AgentInferred, ..add(input, slug, entry) }
}

/// A world whose memory holds one entry that the agent only concluded.
fn with_inferred(entry: &str) -> World {
    let world = World::new();
    world.session(&format!("Look at it. {entry}"), "I see.");
    let first = world.dream(&Script::new(|input| Ok(vec![inferred(&input, "nightly", entry)]))).unwrap();
    assert_eq!(first.state, RunState::Applied, "{first:?}");
    world
}

fn silent() -> Script<impl Fn(EngineInput<'_>) -> Played> {
    Script::new(|_| Ok(Vec::new()))
}

/// Another session that says nothing of the matter, so that a dream has something to read.
fn next(world: &mut World, days: i64) -> RunReport {
    world.hours_pass(days * 24);
    world.session("What does the readme say?", "It says hello.");
    world.dream(&silent()).unwrap()
}

fn sources(world: &World) -> Sources {
    let project = project::identify(&world.root.join("work"), true);
    world.store().recorded_sources(&project.id).unwrap()
}

fn sessions(world: &World) -> usize {
    let sources = sources(world);
    let (entry, _) = sources.first_key_value().unwrap();
    standing::support(&standing::sources_of(&sources, entry)).unwrap().sessions
}

#[test]
fn what_is_said_again_is_a_source_more_and_changes_no_byte() {
    for words in ["Machine m5 joins them next week.", "机器 m5 下周加入集群。"] {
        let mut world = World::new();
        world.session(words, "Noted.");
        world.dream(&Script::new(|input| Ok(vec![add(&input, "fifth", words)]))).unwrap();
        let before = world.files();
        for number in 2..4 {
            world.hours_pass(30);
            world.session(&format!("ugh, how many times do I have to say it: {words}"), "Noted.");
            let engine = Script::new(|input| Ok(vec![add(&input, "fifth", words)]));
            let report = world.dream(&engine).unwrap();
            assert_eq!(report.recurrences.len(), 1, "{report:?}");
            let RunState::NothingToDo { reason } = &report.state else { panic!("{:?}", report.state) };
            assert!(reason.contains("1 entry of memory again"), "{reason}");
            assert_eq!(world.files(), before);
            assert_eq!(sessions(&world), number);
        }
        let sources = sources(&world);
        let (entry, _) = sources.first_key_value().unwrap();
        let support = standing::support(&standing::sources_of(&sources, entry)).unwrap();
        assert!(support.affect.frustration, "{support:?}");
    }
}

#[test]
fn one_session_counts_once_however_often_it_says_it() {
    let mut world = World::new();
    let words = "Machine m5 joins them next week.";
    let path = world.session(words, "Noted.");
    world.dream(&Script::new(|input| Ok(vec![add(&input, "fifth", words)]))).unwrap();
    // The same session goes on and says it again.
    world.hours_pass(30);
    let more = fs::read_to_string(&path).unwrap().replace("-1\"", "-3\"").replace("-2\"", "-4\"");
    fs::write(&path, fs::read_to_string(&path).unwrap() + &more).unwrap();
    let report = world.dream(&Script::new(|input| Ok(vec![add(&input, "fifth", words)]))).unwrap();
    assert_eq!(report.recurrences.len(), 1, "{report:?}");
    assert_eq!(sessions(&world), 1);
}

#[test]
fn the_agent_alone_strengthens_nothing_since_it_reads_memory() {
    let mut world = with_inferred(INFERRED);
    world.hours_pass(30);
    world.session("What do you know about the nightly job?", INFERRED);
    let engine = Script::new(|input| {
        let turn = turn(&input, Speaker::Agent);
        let change = crate::support::create("nightly", Kind::Project, INFERRED);
        let again = operation(change, Kind::Project, turn, INFERRED);
        Ok(vec![Operation { rank: TrustRank::AgentInferred, ..again }])
    });
    let report = world.dream(&engine).unwrap();
    assert_eq!(report.recurrences.len(), 0, "{report:?}");
    assert_eq!(sessions(&world), 1);
}

#[test]
fn what_little_speaks_for_is_archived_once_it_is_old_and_undo_brings_it_back() {
    for entry in [INFERRED, CHINESE] {
        let mut world = with_inferred(entry);
        world.settings.dream.review = ReviewPolicy::Auto;
        let (before, known) = (world.files(), sources(&world));
        let early = next(&mut world, 80);
        assert!(early.applied.is_empty() && early.proposed.is_empty(), "{early:?}");
        assert_eq!(world.files(), before);

        let late = next(&mut world, 400);
        let [applied] = late.applied.as_slice() else { panic!("{late:?}") };
        assert_eq!((applied.id.as_str(), applied.change.as_str()), ("forget-1", "archive"));
        for ground in ["The agent concluded it", "1 session says it", "last said on 2026-11-30"] {
            assert!(applied.reason.contains(ground), "{ground}: {}", applied.reason);
        }
        let files = world.files();
        assert!(!files.contains_key("nightly.md") && !world.index().contains("nightly"), "{files:?}");
        assert!(files["archive/nightly.md"].contains(entry));

        // The next night finds nothing to do.
        let again = next(&mut world, 2);
        assert!(again.applied.is_empty() && again.proposed.is_empty(), "{again:?}");
        assert_eq!(world.files(), files);

        world.undo(&late);
        assert_eq!(world.files(), before);
        assert_eq!(sources(&world), known);
        // It was taken back, so that it is not done again on the same grounds.
        let after = next(&mut world, 2);
        assert!(after.applied.is_empty() && after.proposed.is_empty(), "{after:?}");
        assert_eq!(world.files(), before);
    }
}

#[test]
fn it_is_offered_once_and_again_only_when_the_evidence_has_changed() {
    let mut world = with_inferred(INFERRED);
    let before = world.files();
    let offered = next(&mut world, 400);
    let [proposed] = offered.proposed.as_slice() else { panic!("{offered:?}") };
    assert_eq!(proposed.operation.id.as_str(), "forget-1");
    assert_eq!(world.files(), before);

    let project = project::identify(&world.root.join("work"), true);
    let plan = world.store().plan(&project.id, &offered.plan.unwrap()).unwrap().unwrap();
    world.store().put_plan(&project.id, &PlanRecord { state: PlanState::Rejected, ..plan }).unwrap();
    for _ in 0..3 {
        assert_eq!(next(&mut world, 40).proposed.len(), 0);
    }

    // Somebody says it again: it is young then, and offered anew when that is long ago.
    world.hours_pass(24);
    world.session(&format!("Yes, {INFERRED}"), "I see.");
    let heard = world.dream(&Script::new(|input| Ok(vec![inferred(&input, "nightly", INFERRED)]))).unwrap();
    assert_eq!((heard.recurrences.len(), heard.proposed.len()), (1, 0), "{heard:?}");
    assert_eq!(next(&mut world, 80).proposed.len(), 0);
    let anew = next(&mut world, 400);
    assert_eq!(anew.proposed.len(), 1, "{anew:?}");
    assert!(anew.proposed[0].operation.reason.contains("2 sessions say it"));
}

#[test]
fn what_is_the_users_or_about_the_user_waits_whatever_the_policy_and_the_consent() {
    let mut world = World::new();
    world.settings.dream.review = ReviewPolicy::Auto;
    world.topic("mine", "project", &["Somebody wrote this long ago.".to_owned()]);
    let path = world.memory.join("mine.md");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("  type:", "  modified: 2020-01-01T00:00:00Z\n  type:")).unwrap();
    world.session("I like short answers; never push to main; keep the old notes.", "Noted.");
    let kinds = [("taste", Kind::User), ("push", Kind::Feedback), ("notes", Kind::Project)];
    let engine = Script::new(|input| {
        let turn = turn(&input, Speaker::Human);
        let quote = turn.text().unwrap();
        let made = kinds.iter().map(|(name, kind)| {
            let entry = format!("The person said something about {name} here.");
            operation(crate::support::create(name, *kind, &entry), *kind, turn, quote)
        });
        Ok(made.collect())
    });
    world.dream(&engine).unwrap();
    let pinned = world.memory.join("notes.md");
    let text = fs::read_to_string(&pinned).unwrap();
    fs::write(&pinned, text.replacen("---\n", "---\npinned: true\n", 1)).unwrap();
    let before = world.files();

    world.settings.forget.min_score = 1.0;
    world.settings.forget.min_age_days = 0.0;
    world.hours_pass(24 * 900);
    world.session("What does the readme say?", "It says hello.");
    let report = world.run(&silent(), Trigger::Manual, true, &mut |_| {}).unwrap();
    assert_eq!(world.files(), before);
    assert!(report.applied.is_empty(), "{report:?}");
    let offered: Vec<&str> =
        report.proposed.iter().map(|proposed| proposed.operation.what.as_str()).collect();
    assert_eq!(offered.len(), 3, "{offered:?}");
    for path in ["mine.md", "taste.md", "push.md"] {
        assert!(offered.iter().any(|what| what.contains(path)), "{path}: {offered:?}");
    }
}

#[test]
fn old_words_do_not_bring_back_what_was_archived_and_new_ones_do() {
    let world = World::new();
    world.session(&format!("Look at it. {INFERRED}"), "I see.");
    let says = || Script::new(|input| Ok(vec![inferred(&input, "nightly", INFERRED)]));
    let first = world.dream(&says()).unwrap();
    let mut world = world;
    world.settings.dream.review = ReviewPolicy::Auto;
    assert_eq!(next(&mut world, 400).applied.len(), 1);

    // The first run is taken back, so its session is read again.
    world.undo(&first);
    let files = world.files();
    let again = world.dream(&says()).unwrap();
    assert!(again.applied.is_empty() && again.proposed.is_empty(), "{again:?}");
    assert!(again.refused.iter().any(|refusal| refusal.reason.contains("archived before")), "{again:?}");
    assert_eq!(world.files(), files);

    world.hours_pass(30);
    world.session(&format!("By the way: {INFERRED}"), "I see.");
    let back = world.dream(&says()).unwrap();
    assert_eq!(back.state, RunState::Applied, "{back:?}");
    assert!(world.files()["nightly.md"].contains(INFERRED));
}

#[test]
fn switched_off_nothing_is_forgotten() {
    let mut world = with_inferred(INFERRED);
    world.settings.dream.review = ReviewPolicy::Auto;
    world.settings.forget.enabled = false;
    world.settings.forget.max_entries = 1;
    let before = world.files();
    let report = next(&mut world, 4_000);
    assert!(report.applied.is_empty() && report.proposed.is_empty(), "{report:?}");
    assert_eq!(world.files(), before);
}

#[test]
fn beyond_the_budget_the_least_important_leave() {
    let mut world = World::new();
    world.settings.dream.review = ReviewPolicy::Auto;
    world.settings.forget.max_entries = 2;
    world.session("There are four machines, and here is what they do.", "Noted.");
    let engine = Script::new(|input| {
        let said = |name: &str| add(&input, name, &format!("The machine {name} builds the packages."));
        let shown = |name: &str| Operation { rank: TrustRank::Observed, ..said(name) };
        Ok(vec![said("alpha"), shown("beta"), said("gamma"), shown("delta")])
    });
    world.dream(&engine).unwrap();
    let report = next(&mut world, 100);
    assert_eq!(report.applied.len(), 2, "{report:?}");
    let files = world.files();
    assert!(files.contains_key("alpha.md") && files.contains_key("gamma.md"), "{:?}", files.keys());
    assert!(!files.contains_key("beta.md") && !files.contains_key("delta.md"), "{:?}", files.keys());
}

/// A world whose index is full with three topics that the agent concluded.
fn full(policy: ReviewPolicy) -> World {
    let mut world = World::new();
    world.settings.memory.max_index_lines = 3;
    world.settings.dream.review = ReviewPolicy::Auto;
    world.session("Look at the machines.", "I see.");
    let engine = Script::new(|input| {
        let names = ["alpha", "beta", "gamma"];
        let made = names.iter().zip([TrustRank::Observed, TrustRank::AgentInferred, TrustRank::Observed]);
        Ok(made
            .map(|(name, rank)| Operation {
                rank,
                ..add(&input, name, &format!("The machine {name} seems to build the packages."))
            })
            .collect())
    });
    world.dream(&engine).unwrap();
    world.settings.dream.review = policy;
    world.hours_pass(24 * 30);
    world.session("The machine delta signs the packages.", "Noted.");
    world
}

fn news() -> Script<impl Fn(EngineInput<'_>) -> Played> {
    Script::new(|input| Ok(vec![add(&input, "delta", "The machine delta signs the packages.")]))
}

#[test]
fn in_a_full_index_the_least_important_line_makes_way_and_its_topic_stays() {
    let mut world = full(ReviewPolicy::Auto);
    let report = world.dream(&news()).unwrap();
    assert!(report.proposed.is_empty() && report.refused.is_empty(), "{report:?}");
    let index = world.index();
    assert!(index.contains("delta.md") && !index.contains("beta.md"), "{index}");
    assert!(index.contains("alpha.md") && index.contains("gamma.md"), "{index}");
    let files = world.files();
    assert!(files["beta.md"].contains("The machine beta"));
    assert!(files["archive/MEMORY.md"].contains("beta.md"));

    // It stays out without anybody being asked, and gets a line again when there is room.
    let later = next(&mut world, 2);
    assert!(later.applied.is_empty() && later.proposed.is_empty(), "{later:?}");
    assert_eq!(world.files(), files);
    world.settings.memory.max_index_lines = 4;
    next(&mut world, 2);
    assert!(world.index().contains("beta.md"), "{}", world.index());
}

#[test]
fn under_the_default_policy_the_line_waits_together_with_the_news() {
    let world = full(ReviewPolicy::Risky);
    let before = world.files();
    let report = world.dream(&news()).unwrap();
    assert_eq!(world.files(), before);
    let ids: Vec<&str> = report.proposed.iter().map(|proposed| proposed.operation.id.as_str()).collect();
    assert_eq!(ids, ["demote-1", "op-1"], "what makes room comes first: {report:?}");
    assert!(report.proposed[0].operation.what.contains("beta.md"));
}

#[test]
fn words_of_others_never_make_way() {
    let mut world = World::new();
    world.settings.memory.max_index_lines = 1;
    world.settings.dream.review = ReviewPolicy::Auto;
    world.topic("mine", "project", &["Somebody wrote this long ago.".to_owned()]);
    world.session("The machine delta signs the packages.", "Noted.");
    let before = world.index();
    let report = world.dream(&news()).unwrap();
    assert_eq!(world.index(), before);
    assert!(report.proposed.iter().all(|one| !matches!(one.operation.change.as_str(), "unlink")));
    assert!(matches!(&report.proposed[..], [one] if one.waits_because.contains("index full")), "{report:?}");
}

#[test]
fn the_archive_alone_keeps_old_words_out_when_the_state_is_lost() {
    for words in ["Machine m5 joins them next week.", "机器 m5 下周加入集群。"] {
        let mut world = World::new();
        world.session(words, "Noted.");
        let learn = Script::new(|input| Ok(vec![add(&input, "fifth", words)]));
        world.dream(&learn).unwrap();
        world.hours_pass(48);
        world.session("It never came.", "I see.");
        let archive = Script::new(|input| {
            let (topic, entry) = crate::support::entries(&input)[0];
            Ok(vec![crate::support::archive(&input, topic, entry)])
        });
        world.run(&archive, Trigger::Manual, true, &mut |_| {}).unwrap();
        let before = world.files();
        fs::remove_dir_all(world.state()).unwrap();
        let report = world.dream(&learn).unwrap();
        assert!(report.refused[0].reason.contains("the archive says"), "{report:?}");
        assert_eq!(world.files(), before);
        // Said anew it comes back.
        world.hours_pass(48);
        fs::remove_dir_all(world.root.join("claude")).unwrap();
        world.session(words, "Noted.");
        assert_eq!(world.dream(&learn).unwrap().applied.len(), 1);
    }
}

#[test]
fn what_a_killed_run_left_in_memory_goes_with_the_next_run_even_without_its_state() {
    let world = with_inferred(INFERRED);
    let left = world.memory.join(".nidra-tmp-1-0");
    fs::write(&left, "half").unwrap();
    fs::remove_dir_all(world.root.join("claude")).unwrap();
    let report = world.dream(&silent()).unwrap();
    assert!(matches!(report.state, RunState::NothingToDo { .. }), "{report:?}");
    assert!(!left.exists());
}
