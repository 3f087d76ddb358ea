//! Conversations, a memory directory, and an engine whose agent is played by a server.

use crate::server::Server;
use crate::world::tree;
use jiff::ZonedDateTime;
use nidra_agent::{AgentEngine, AgentOptions, AgentSummary, LoopLimits, Prompts, ToolLoop};
use nidra_core::settings::{BudgetSettings, FailureChoice, ModelSettings, ProviderChoice};
use nidra_core::text::redact::Scope;
use nidra_core::{Conversation, Engine as _, EngineError, EngineInput, EntryId, Outcome};
use nidra_core::{Progress, Watcher};
use nidra_memory::directory::MemoryDirectory;
use nidra_model::budget::Budget;
use nidra_model::ledger::{Admit, Call, Ended, Ledger, LedgerError, MemoryLedger, Ticket};
use nidra_model::price::Price;
use nidra_model::privacy::LocalOnly;
use nidra_model::provider::{Endpoint, Http};
use nidra_model::{CallOptions, Caller};
use nidra_rules::RulesEngine;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// A memory directory, a folder for staging copies, and how the engine is set up.
pub(crate) struct Setup {
    folder: TempDir,
    pub(crate) budget: BudgetSettings,
    pub(crate) limits: LoopLimits,
    pub(crate) on_failure: FailureChoice,
    pub(crate) private: BTreeSet<EntryId>,
    pub(crate) local_sessions: Vec<String>,
    pub(crate) pretend_remote: bool,
    pub(crate) openai: bool,
    pub(crate) scope: Scope,
    pub(crate) prompts: Prompts,
    /// Calls that the ledger can write down.
    pub(crate) ledger_room: usize,
}

/// A ledger on a disk that gets full.
struct Bounded<'a>(&'a MemoryLedger, usize);

impl Ledger for Bounded<'_> {
    fn begin(&self, call: &Call, admit: Admit<'_>) -> Result<Ticket, LedgerError> {
        if self.0.rows().len() >= self.1 {
            return Err(LedgerError::Failed("the disk is full".to_owned()));
        }
        self.0.begin(call, admit)
    }

    fn end(&self, ticket: Ticket, ended: &Ended) -> Result<(), LedgerError> {
        self.0.end(ticket, ended)
    }
}

/// Keeps what it is told.
#[derive(Debug, Default)]
struct Told(RefCell<Vec<Progress>>);

impl Watcher for Told {
    fn tell(&self, progress: &Progress) {
        self.0.borrow_mut().push(progress.clone());
    }

    fn stopped(&self) -> bool {
        false
    }
}

/// What a run came to.
pub(crate) struct Ran {
    pub(crate) outcome: Result<Outcome, EngineError>,
    pub(crate) rules: Outcome,
    pub(crate) summary: AgentSummary,
    pub(crate) calls: usize,
    pub(crate) told: Vec<Progress>,
}

impl Ran {
    /// What the agent added to the rules' plan: the name of each change with its words.
    pub(crate) fn added(&self) -> Vec<(String, String)> {
        let outcome = self.outcome.as_ref().unwrap();
        let rules = self.rules.operations.len();
        // The rules' plan is the floor: it stands there as it was.
        assert_eq!(outcome.operations[..rules], self.rules.operations[..]);
        let added = outcome.operations[rules..].iter();
        added.map(|one| (one.change.name().to_owned(), serde_json::to_string(&one.change).unwrap())).collect()
    }
}

impl Setup {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join("memory").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self {
            folder,
            budget: BudgetSettings::default(),
            limits: LoopLimits { turns: 30, input_tokens: 32_000, output_tokens: 2_000, temperature: None },
            on_failure: FailureChoice::Wait,
            private: BTreeSet::new(),
            local_sessions: Vec::new(),
            pretend_remote: false,
            openai: false,
            scope: Scope::Secrets,
            prompts: Prompts::default(),
            ledger_room: usize::MAX,
        }
    }

    pub(crate) fn memory(&self) -> PathBuf {
        self.folder.path().join("memory")
    }

    /// Everything beside the staging copies.
    pub(crate) fn tree(&self) -> BTreeMap<PathBuf, String> {
        tree(self.folder.path())
    }

    pub(crate) fn run(&self, server: &Server, conversations: &[Conversation]) -> Ran {
        let settings = ModelSettings {
            provider: if self.openai { ProviderChoice::Openai } else { ProviderChoice::Anthropic },
            base_url: Some(server.url()),
            name: Some("played".to_owned()),
            retries: 0,
            local_sessions: self.local_sessions.clone(),
            ..ModelSettings::default()
        };
        let mut endpoint = Endpoint::resolve(&settings, &|_| None, None).unwrap();
        endpoint.local = !self.pretend_remote;
        let transport = Http::new(None).unwrap();
        let ledger = MemoryLedger::default();
        let bounded = Bounded(&ledger, self.ledger_room);
        let now: ZonedDateTime = "2026-12-01T10:00:00+00:00[UTC]".parse().unwrap();
        let caller = Caller::new(CallOptions {
            endpoint: &endpoint,
            transport: &transport,
            ledger: &bounded,
            slots: None,
            settings: &settings,
            budget: Budget::from(&self.budget),
            price: Price::default(),
            now: now.timestamp(),
            pause: &|_| {},
        });
        let watcher = Told::default();
        let driver = ToolLoop::new(caller, self.limits, self.scope);
        let scratch = self.folder.path().join("scratch");
        let local_only = LocalOnly::of(&settings, self.folder.path());
        let memory = self.memory();
        let engine = AgentEngine::new(AgentOptions {
            driver: &driver,
            name: "played",
            host: Some("127.0.0.1"),
            price: None,
            program_cost: None,
            local: endpoint.local,
            memory: &memory,
            scratch: &scratch,
            prompts: &self.prompts,
            on_failure: self.on_failure,
            local_only: &local_only,
            private_entries: &self.private,
            scope: self.scope,
            budget: Budget::from(&self.budget),
            dry_run: None,
        });
        let view = MemoryDirectory::load(&memory).unwrap().view();
        let input = EngineInput { conversations, memory: &view, now: &now, watcher: &watcher };
        let outcome = engine.dream(input);
        let left = fs::read_dir(&scratch).map_or(0, Iterator::count);
        assert_eq!(left, 0, "the staging copy is gone");
        let _made = fs::remove_dir(&scratch);
        let rules = RulesEngine.dream(input).unwrap();
        let (summary, calls) = (engine.summary(), ledger.rows().len());
        let told = watcher.0.borrow().clone();
        Ran { outcome, rules, summary, calls, told }
    }
}
