//! A memory of thousands of entries, made of parts, so that it has communities, links and rare things as a grown one has.

use jiff::{SignedDuration, Timestamp};
use nidra_core::text::redact::Scope;
use nidra_core::{AgentKind, EntryId, Evidence, ProjectId, RunId, SessionId, Source, Speaker, TrustRank};
use nidra_dream::drift::Drift;
use nidra_dream::standing::Sources;
use nidra_dream::usage::Uses;
use nidra_map::Map;
use nidra_map::gather::{Known, gather};
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::store::{EntrySource, RecordedSource, RunRecord, RunState};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

const SUBJECTS: [&str; 24] = [
    "billing-api",
    "the tariff engine",
    "berth",
    "退款服务",
    "the vessel feed",
    "对账脚本",
    "staging",
    "the release",
    "invoices",
    "the replica",
    "泊位事件",
    "pilot orders",
    "crane bookings",
    "the gate camera",
    "海关申报",
    "demurrage",
    "container yard",
    "weather feed",
    "tug dispatch",
    "夜间构建",
    "the audit log",
    "port dues",
    "shore power",
    "waste receipts",
];
const STATEMENTS: [&str; 20] = [
    "keeps its settings in `config/{n}.toml`",
    "is owned by Mara and checked on Mondays",
    "fails with E{n} when the clock is off",
    "was moved in HARB-{n}",
    "must not run twice a day",
    "waits {n} seconds before it tries again",
    "的超时是 {n} 毫秒",
    "出错时先看 HARB-{n}",
    "answers on port {n}",
    "writes to the bucket harbour-{n}",
    "needs a review by two people",
    "is tested with data from `fixtures/{n}.csv`",
    "的日志保留 {n} 天",
    "reads `limit_{n}` at start",
    "is slow above {n} rows",
    "was decided in the meeting of week {n}",
    "每周一由陈静确认",
    "sends its report as PDF",
    "has no tests for leap years",
    "在 v{n} 之后改名",
];

/// A memory with this many entries.
pub(crate) fn memory(count: usize) -> Map {
    let now: Timestamp = "2026-11-30T20:00:00Z".parse().unwrap();
    let runs: Vec<RunRecord> = (0..60)
        .map(|number| RunRecord {
            state: RunState::Applied,
            ..RunRecord::begin(
                RunId::new(format!("run-{number:03}")),
                ProjectId::new("large"),
                now - SignedDuration::from_hours(24 * (180 - 3 * number)),
                "rules",
                "manual",
            )
        })
        .collect();
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut sources: Sources = BTreeMap::new();
    for number in 0..count {
        let (subject, statement) = (SUBJECTS[number * 7 % 24], STATEMENTS[number * 11 % 20]);
        let text = format!(
            "{subject} {} {}.",
            number / 480,
            statement.replace("{n}", &(100 + number / 2).to_string())
        );
        let path = format!("{}-{}.md", subject.replace(' ', "-"), number % 400 / 12);
        let file = files.entry(path.clone()).or_insert_with(|| {
            format!("---\nname: {path}\ndescription: {subject}\nmetadata:\n  type: project\n---\n\n")
        });
        file.push_str(&format!("- {text}\n"));
        let run = &runs[number % runs.len()];
        let entry = EntryId::of(&path, &text);
        let quote = Evidence {
            source: Source {
                agent: AgentKind::ClaudeCode,
                session: SessionId::new(format!("session-{}", number / 9)),
                stream: None,
                record: format!("record-{number}"),
                path: Arc::from(Path::new("/nowhere.jsonl")),
                offset: 0,
                length: 0,
            },
            speaker: Speaker::Human,
            at: Some(run.started),
            quote: format!("remember that {text}"),
        };
        let stated = EntrySource::stating(entry.clone(), path, vec![quote], TrustRank::HumanVerbatim);
        sources.insert(
            entry,
            vec![RecordedSource { run: run.id.clone(), started: run.started, source: stated }],
        );
    }
    let memory =
        MemoryDirectory::from_files(files.iter().map(|(path, text)| (path.as_str(), text.as_bytes())));
    let known = Known {
        project: &ProjectId::new("large"),
        name: "large",
        memory: &memory,
        sources: &sources,
        uses: &Uses::new(),
        drift: &Drift::default(),
        runs: &runs,
        plans: &[],
        tasks: &[],
        hidden: &BTreeSet::new(),
        scope: Scope::Secrets,
    };
    gather(&[known], "large", now)
}
