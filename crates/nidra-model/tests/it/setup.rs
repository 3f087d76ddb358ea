//! Conversations, memories, and an engine at a server.

use crate::server::Server;
use crate::talk::talk;
use jiff::ZonedDateTime;
use nidra_core::settings::{BudgetSettings, ModelSettings, ProviderChoice};
use nidra_core::text::redact::Scope;
use nidra_core::{
    Conversation, Engine as _, EngineError, EngineInput, EntryId, EntryView, Kind, MemoryView, Outcome,
    TopicView, Unwatched,
};
use nidra_model::budget::Budget;
use nidra_model::budget::Totals;
use nidra_model::ledger::MemoryLedger;
use nidra_model::price::{Price, Prices};
use nidra_model::privacy::LocalOnly;
use nidra_model::provider::in_flight::Slots;
use nidra_model::provider::{Endpoint, Http, Transport};
use nidra_model::{CallOptions, ModelEngine, ModelOptions, Summary};
use nidra_rules::RulesEngine;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// A memory of topic files with one entry each.
pub(crate) fn memory(entries: &[(&str, &str)]) -> MemoryView {
    let topics = entries.iter().map(|(path, text)| TopicView {
        path: (*path).to_owned(),
        name: path.trim_end_matches(".md").to_owned(),
        description: (*text).to_owned(),
        kind: Some(Kind::Project),
        pinned: false,
        editable: true,
        modified: None,
        entries: vec![EntryView {
            id: EntryId::of(path, text),
            range: 0..text.len(),
            text: (*text).to_owned(),
            headings: Vec::new(),
            bullet: true,
            active: true,
        }],
    });
    MemoryView { topics: topics.collect(), index: Vec::new() }
}

/// How an engine is set up.
pub(crate) struct Setup {
    pub(crate) settings: ModelSettings,
    pub(crate) budget: BudgetSettings,
    pub(crate) memory: MemoryView,
    pub(crate) private: BTreeSet<EntryId>,
    pub(crate) pretend_remote: bool,
    pub(crate) dry_run: bool,
    pub(crate) price: (Price, bool),
    pub(crate) slots: Option<Slots>,
    pub(crate) transport: Option<Box<dyn Transport>>,
}

/// What came of a run.
pub(crate) struct Ran {
    pub(crate) outcome: Result<Outcome, EngineError>,
    pub(crate) summary: Summary,
    pub(crate) ledger: MemoryLedger,
    pub(crate) pauses: Vec<Duration>,
}

impl Setup {
    pub(crate) fn anthropic(server: &Server) -> Self {
        Self::new(server, ProviderChoice::Anthropic)
    }

    pub(crate) fn openai(server: &Server) -> Self {
        Self::new(server, ProviderChoice::Openai)
    }

    fn new(server: &Server, provider: ProviderChoice) -> Self {
        let settings = ModelSettings {
            provider,
            base_url: Some(server.url()),
            name: Some("claude-haiku-4-5".to_owned()),
            timeout_seconds: 2,
            ..ModelSettings::default()
        };
        Self {
            settings,
            budget: BudgetSettings::default(),
            memory: MemoryView::default(),
            private: BTreeSet::new(),
            pretend_remote: false,
            dry_run: false,
            price: Prices::with(None).unwrap().of("claude-haiku-4-5"),
            slots: None,
            transport: None,
        }
    }

    pub(crate) fn endpoint(&self) -> Endpoint {
        let variables = |name: &str| (name == "ANTHROPIC_API_KEY").then(|| "the-key".to_owned());
        let mut endpoint = Endpoint::resolve(&self.settings, &variables, None).unwrap();
        endpoint.local &= !self.pretend_remote;
        endpoint
    }

    pub(crate) fn run(&self, conversations: &[Conversation]) -> Ran {
        let endpoint = self.endpoint();
        let http = Http::new(None).unwrap();
        let ledger = MemoryLedger::default();
        let pauses = RefCell::new(Vec::new());
        let pause = |time: Duration| pauses.borrow_mut().push(time);
        let local_only = LocalOnly::of(&self.settings, &PathBuf::from("/home/dev/app"));
        let now = now();
        let engine = ModelEngine::new(ModelOptions {
            calls: CallOptions {
                endpoint: &endpoint,
                transport: self.transport.as_deref().unwrap_or(&http),
                ledger: &ledger,
                slots: self.slots.as_ref(),
                settings: &self.settings,
                budget: Budget::from(&self.budget),
                price: self.price.0,
                now: now.timestamp(),
                pause: &pause,
            },
            price_known: self.price.1,
            local_only: &local_only,
            private_entries: self.private.clone(),
            scope: Scope::Secrets,
            dry_run: self.dry_run.then(Totals::default),
        });
        let outcome =
            engine.dream(EngineInput { conversations, memory: &self.memory, now: &now, watcher: &Unwatched });
        let summary = engine.summary();
        drop(engine);
        Ran { outcome, summary, ledger, pauses: pauses.into_inner() }
    }

    /// What the rules alone say.
    pub(crate) fn rules(&self, conversations: &[Conversation]) -> Outcome {
        let now = now();
        RulesEngine
            .dream(EngineInput { conversations, memory: &self.memory, now: &now, watcher: &Unwatched })
            .unwrap()
    }
}

fn now() -> ZonedDateTime {
    "2026-11-30T20:00:00+00:00[UTC]".parse().unwrap()
}

/// A session with facts that the rules take.
pub(crate) fn rules_talk(session: &str) -> Conversation {
    talk(
        session,
        &[
            "From now on always use pnpm in this repository, never npm or yarn.",
            "We decided to host staging at Hetzner, remember that.",
            "以后提交信息一律用中文写，不要用英文前缀。",
        ],
    )
}

/// An answer with these operations.
pub(crate) fn answer(batch: &str, operations: &[serde_json::Value]) -> String {
    serde_json::json!({ "batch": batch, "operations": operations }).to_string()
}
