//! A memory as a team could have it after four months, in English and Chinese: entries with the words that they rest on,
//! dreams that brought and took them, what is stale, what contradicts, what waits.

use jiff::{SignedDuration, Timestamp};
use nidra_core::text::redact::Scope;
use nidra_core::{
    AgentKind, Change, EntryId, Evidence, Kind, Operation, OperationId, ProjectId, RunId, SessionId, Source,
    Speaker, Target, TrustRank,
};
use nidra_dream::drift::{Drift, EntryDrift};
use nidra_dream::kept::{KeptPlan, Origin};
use nidra_dream::standing::Sources;
use nidra_dream::usage::Uses;
use nidra_map::Map;
use nidra_map::gather::{Known, gather};
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::store::{
    DecisionPoint, EntrySource, PlanRecord, RecordedSource, Relation, RunRecord, RunState, TaskRecord,
    TaskState,
};
use nidra_rules::drift::{AnchorKind, Judgement, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// The present of the scene.
pub(crate) const NOW: &str = "2026-11-30T20:00:00Z";

/// Topic, kind, the dream that brought it, in how many sessions it was said, and its words. What stands behind `|` is what
/// the person said; else the words are said to be the agent's or a tool's.
const HELD: &str = include_str!("scene.tsv");

/// What left: topic, the dream that brought it, the dream that took it, how, why, its words, and what took its place.
const LEFT: &str = include_str!("left.tsv");

/// The times of the dreams.
fn dreams() -> Vec<Timestamp> {
    let last: Timestamp = "2026-11-29T23:40:00Z".parse().unwrap();
    let before = [112, 103, 97, 88, 79, 71, 62, 54, 45, 36, 27, 19, 11, 4, 0];
    before.iter().map(|days| last - SignedDuration::from_hours(days * 24 + days % 5)).collect()
}

fn run(number: usize) -> RunId {
    RunId::new(format!("2026-dream-{number:02}"))
}

fn evidence(words: &str, speaker: Speaker, at: Timestamp, number: usize) -> Evidence {
    Evidence {
        source: Source {
            agent: AgentKind::ClaudeCode,
            session: SessionId::new(format!("{:08x}-4f1e", number.wrapping_mul(2_654_435_761) & 0xffff_ffff)),
            stream: None,
            record: format!("r{number:04}"),
            path: Arc::from(Path::new("/home/dev/.claude/projects/harbour/session.jsonl")),
            offset: 0,
            length: 0,
        },
        speaker,
        at: Some(at),
        quote: words.to_owned(),
    }
}

fn source(
    entry: &EntryId,
    path: &str,
    quotes: Vec<Evidence>,
    brought: usize,
    rank: TrustRank,
) -> RecordedSource {
    RecordedSource {
        run: run(brought),
        started: dreams()[brought.saturating_sub(1)],
        source: EntrySource::stating(entry.clone(), path.to_owned(), quotes, rank),
    }
}

/// The map of the scene.
pub(crate) fn scene() -> Map {
    let dreams = dreams();
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut sources: Sources = BTreeMap::new();
    let mut index = String::new();
    for (number, line) in HELD.lines().enumerate() {
        let [path, kind, brought, sessions, words] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let (text, quote) = words.split_once('|').map_or((words, None), |(text, quote)| (text, Some(quote)));
        let file = files.entry(path.to_owned()).or_insert_with(|| {
            let name = path.trim_end_matches(".md");
            index.push_str(&format!("- [{name}]({path}) — {text}\n"));
            format!("---\nname: {name}\ndescription: {name}\nmetadata:\n  type: {kind}\n---\n\n")
        });
        file.push_str(&format!("- {text}\n"));
        let brought: usize = brought.parse().unwrap();
        if brought == 0 {
            continue;
        }
        let entry = EntryId::of(path, text);
        let told: usize = sessions.parse().unwrap();
        let (speaker, rank) = match quote {
            Some(_) => (Speaker::Human, TrustRank::HumanVerbatim),
            None if number % 3 == 0 => (Speaker::Tool, TrustRank::Observed),
            None => (Speaker::Agent, TrustRank::HumanConfirmed),
        };
        for again in 0..told {
            let dream = (brought + again * 2).min(dreams.len());
            let at = dreams[dream - 1] - SignedDuration::from_hours(3 + i64::try_from(number % 40).unwrap());
            let told_first = quote.unwrap_or(text);
            let words = match (again, text.is_ascii()) {
                (0, _) => told_first.to_owned(),
                (_, true) => format!("as I said before: {told_first}"),
                (_, false) => format!("还是那句话，{told_first}"),
            };
            let mut recorded =
                source(&entry, path, vec![evidence(&words, speaker, at, number * 7 + again)], dream, rank);
            if again > 0 {
                recorded.source.relation = Relation::Repeats;
            }
            sources.entry(entry.clone()).or_default().insert(0, recorded);
        }
    }
    for (number, line) in LEFT.lines().enumerate() {
        let [path, brought, took, verb, reason, text, new] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let (brought, took): (usize, usize) = (brought.parse().unwrap(), took.parse().unwrap());
        let day = dreams[took - 1].to_string();
        let archive =
            files.entry(format!("archive/{path}")).or_insert_with(|| format!("# Archive of {path}\n"));
        archive.push_str(&format!(
            "\n## {}: {verb}\n\nReason: {reason} (run {}, op-1)\n\n```text\n- {text}\n```\n",
            &day[..10],
            run(took)
        ));
        if new != "-" {
            archive.push_str(&format!("\nReplaced by: {new}\n"));
        }
        let old = EntryId::of(path, text);
        let at = dreams[brought - 1] - SignedDuration::from_hours(5);
        let quotes = vec![evidence(text, Speaker::Human, at, 900 + number)];
        sources.insert(old.clone(), vec![source(&old, path, quotes, brought, TrustRank::HumanVerbatim)]);
        if let Some(successor) = sources.get_mut(&EntryId::of(path, new)) {
            for recorded in successor.iter_mut().filter(|one| one.source.relation == Relation::States) {
                recorded.source.relation = Relation::Replaces;
                recorded.source.predecessor = Some(old.clone());
            }
        }
    }
    files.insert("MEMORY.md".to_owned(), index);
    let memory =
        MemoryDirectory::from_files(files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())));
    let project = ProjectId::new("harbour");
    let runs: Vec<RunRecord> = dreams
        .iter()
        .enumerate()
        .map(|(number, at)| RunRecord {
            state: RunState::Applied,
            ..RunRecord::begin(run(number + 1), project.clone(), *at, "rules", "manual")
        })
        .collect();
    let plans = plans(&dreams);
    let known = Known {
        project: &project,
        name: "harbour",
        memory: &memory,
        sources: &sources,
        uses: &Uses::new(),
        drift: &drift(),
        runs: &runs,
        plans: &plans,
        tasks: &tasks(&dreams),
        hidden: &BTreeSet::new(),
        scope: Scope::Secrets,
    };
    gather(&[known], "harbour", NOW.parse().unwrap())
}

/// Entries that the checkout does not bear out.
fn drift() -> Drift {
    let entry = |path: &str, text: &str, verdict, kind, anchor: &str, hint: &str| EntryDrift {
        path: path.to_owned(),
        line: 8,
        entry: Some(EntryId::of(path, text)),
        text: text.to_owned(),
        verdict,
        judgements: vec![Judgement {
            kind,
            anchor: anchor.to_owned(),
            verdict,
            hint: Some(hint.to_owned()),
            moved_to: None,
        }],
    };
    Drift {
        entries: vec![
            entry(
                "tests.md",
                "Integration tests start with `just it`, they need Docker.",
                Verdict::Stale,
                AnchorKind::Script,
                "just it",
                "the justfile has no such recipe; it has `integration`",
            ),
            entry(
                "billing.md",
                "Rounding lives in `src/billing/round.rs`, nothing else may round.",
                Verdict::Moved,
                AnchorKind::Path,
                "src/billing/round.rs",
                "it is src/money/round.rs now",
            ),
            entry(
                "退款.md",
                "退款服务的超时写在 `config/refund.yaml`。",
                Verdict::Stale,
                AnchorKind::Path,
                "config/refund.yaml",
                "the file is gone",
            ),
        ],
        ..Drift::default()
    }
}

fn target(path: &str, text: &str) -> Target {
    Target { path: path.to_owned(), entry: EntryId::of(path, text), text: text.to_owned() }
}

fn operation(change: Change, reason: &str) -> Operation {
    Operation {
        id: OperationId::new("op-1"),
        change,
        kind: Kind::Project,
        rank: TrustRank::Observed,
        reason: reason.to_owned(),
        evidence: Vec::new(),
    }
}

/// A question and a change that wait.
fn plans(dreams: &[Timestamp]) -> Vec<(PlanRecord, KeptPlan)> {
    let because = |reason: &str| vec![reason.to_owned()];
    let archive =
        |path: &str, text: &str| operation(Change::Archive { target: target(path, text) }, "the other holds");
    let question = KeptPlan::new(
        Origin::Question,
        "rules",
        vec![
            archive("deploy.md", "Deploys to production happen on Tuesday and Thursday only."),
            archive("deploy.md", "Deploys to production happen on any day before noon."),
        ],
        vec![String::new(), String::new()],
    );
    let stale = KeptPlan::new(
        Origin::Proposal,
        "rules",
        vec![archive("tests.md", "Integration tests start with `just it`, they need Docker.")],
        because("leaving memory for drift needs your word"),
    );
    let rule = KeptPlan::new(
        Origin::Proposal,
        "rules",
        vec![operation(
            Change::Supersede {
                target: target("退款.md", "退款超过五千元要财务审批。"),
                text: "退款超过三千元要财务审批。".to_owned(),
                hook: None,
            },
            "说的是新的数额",
        )],
        because("a rule of yours changes only with your word"),
    );
    [(question, 1), (stale, 0), (rule, 0)]
        .into_iter()
        .map(|(kept, back)| (kept.opened("base", dreams[dreams.len() - 1 - back]), kept))
        .collect()
}

fn tasks(dreams: &[Timestamp]) -> Vec<TaskRecord> {
    let task = |id: &str, goal: &str, next: &str, question: Option<&str>, link: &EntryId| TaskRecord {
        id: id.to_owned(),
        goal: goal.to_owned(),
        next_step: next.to_owned(),
        state: TaskState::Open,
        stale: 1,
        created: dreams[10],
        changed: dreams[12],
        closed: None,
        outcome: None,
        decisions: question
            .map(|question| DecisionPoint {
                number: 1,
                question: question.to_owned(),
                asked: dreams[12],
                rounds: 1,
                choice: None,
                reason: None,
                alternatives: Vec::new(),
                decided: None,
            })
            .into_iter()
            .collect(),
        links: vec![link.as_str().to_owned()],
    };
    vec![
        task(
            "berth-events",
            "Move berth events from polling to Kafka",
            "measure the lag with the October dump",
            Some("keep the poller as a fallback?"),
            &EntryId::of("events.md", "Berth events come from polling the port authority every 90 seconds."),
        ),
        task(
            "对账",
            "把每日对账脚本改成增量",
            "先核对十一月的差额",
            None,
            &EntryId::of("退款.md", "对账脚本每天六点跑，差额超过一元就告警。"),
        ),
    ]
}
