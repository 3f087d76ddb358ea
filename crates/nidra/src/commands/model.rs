//! The engine that a dream uses, and what a model needs: its endpoint, its key, its prices, the ledger of its calls.

use crate::cli::{EngineArgs, EngineName};
use crate::commands::agent::Agent;
use crate::commands::model_ledger::{StoreLedger, spent_before};
use crate::commands::unready::Unready;
use crate::context::Context;
use crate::error::CliError;
use nidra_agent::{AgentEngine, Driver};
use nidra_core::settings::EngineChoice;
use nidra_core::{Engine, EntryId, ProjectId, Settings};
use nidra_dream::pipeline::Mode;
use nidra_memory::store::Store;
use nidra_model::budget::Budget;
use nidra_model::ledger::{Ledger, MemoryLedger};
use nidra_model::price::{Price, Prices};
use nidra_model::privacy::LocalOnly;
use nidra_model::provider::endpoint::SetupError;
use nidra_model::provider::in_flight::Slots;
use nidra_model::provider::{Endpoint, Http, Recorder, Replay, Transport};
use nidra_model::{CallOptions, ModelEngine, ModelOptions, Pause};
use nidra_rules::RulesEngine;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Bytes of a key file at most.
const MAX_KEY_BYTES: u64 = 16 * 1024;

/// Which engine is asked for.
#[derive(Clone, Debug)]
pub struct Asked {
    engine: EngineChoice,
    record: Option<PathBuf>,
    offline: bool,
}

impl Asked {
    /// What the command line asks for, else the settings.
    pub fn of(settings: &Settings, args: &EngineArgs) -> Self {
        let engine = match args.engine {
            Some(EngineName::Rules) => EngineChoice::Rules,
            Some(EngineName::Model) => EngineChoice::Model,
            Some(EngineName::Agent) => EngineChoice::Agent,
            None => settings.dream.engine,
        };
        Self { engine, record: args.record.clone(), offline: args.offline }
    }

    /// A model, whatever the settings say.
    pub fn model() -> Self {
        Self { engine: EngineChoice::Model, record: None, offline: false }
    }

    /// The rules, whatever the settings say.
    pub fn rules() -> Self {
        Self { engine: EngineChoice::Rules, record: None, offline: false }
    }

    /// Whether answers come from a recording and nothing is sent.
    pub fn replays(&self) -> bool {
        self.record.is_some() && self.offline
    }

    /// What a dream would use that nobody asked for by hand.
    pub fn by_settings(settings: &Settings) -> Self {
        Self { engine: settings.dream.engine, record: None, offline: false }
    }

    /// Whether the rules alone are asked for.
    pub fn is_rules(&self) -> bool {
        self.engine == EngineChoice::Rules
    }

    /// An exchange can be kept only where there is one.
    fn demand_exchanges(&self, has_exchanges: bool, who: &str) -> Result<(), CliError> {
        if self.record.is_none() || has_exchanges {
            return Ok(());
        }
        Err(CliError::usage(format!("--record keeps what is asked of a model, and {who}"))
            .hint("add `--engine model`, or leave --record out"))
    }
}

/// What the chosen engine works with.
pub enum Judge {
    /// Nothing: the rules judge alone.
    Rules,
    /// A model.
    Model(Box<Model>),
    /// An agent.
    Agent(Box<Agent>),
    /// One that cannot be asked, in a run that nobody watches.
    Unready(Unready),
}

/// What calls of a model need.
pub struct Calls {
    /// Where the model is.
    pub endpoint: Endpoint,
    transport: Box<dyn Transport>,
    ledger: Box<dyn Ledger>,
    slots: Slots,
    prices: Prices,
}

impl Calls {
    /// What tokens cost, and whether that is known.
    pub fn price(&self) -> (Price, bool) {
        self.prices.of(&self.endpoint.model)
    }

    /// What a caller of one run is made with.
    pub fn options<'a>(&'a self, context: &'a Context, pause: Pause<'a>) -> CallOptions<'a> {
        let settings = context.settings();
        CallOptions {
            endpoint: &self.endpoint,
            transport: self.transport.as_ref(),
            ledger: self.ledger.as_ref(),
            slots: Some(&self.slots),
            settings: &settings.model,
            budget: Budget::from(&settings.budget),
            price: self.price().0,
            now: context.now.timestamp(),
            pause,
        }
    }
}

/// What the engine with a model works with.
pub struct Model {
    calls: Calls,
    local_only: LocalOnly,
    private_entries: BTreeSet<EntryId>,
}

/// The engine of a run.
pub enum Chosen<'a> {
    /// The rules.
    Rules,
    /// The rules and a model.
    Model(Box<ModelEngine<'a>>),
    /// The rules and an agent.
    Agent(Box<AgentEngine<'a>>),
    /// One that cannot be asked.
    Unready(&'a Unready),
}

impl Chosen<'_> {
    /// The engine.
    pub fn engine(&self) -> &dyn Engine {
        match self {
            Self::Rules => &RulesEngine,
            Self::Model(engine) => engine.as_ref(),
            Self::Agent(engine) => engine.as_ref(),
            Self::Unready(engine) => *engine,
        }
    }

    /// What the run came to, in sentences; none where the rules judge alone.
    pub fn summary(&self) -> Vec<String> {
        match self {
            Self::Rules => Vec::new(),
            Self::Model(engine) => engine.summary().lines(),
            Self::Agent(engine) => engine.summary().lines(),
            Self::Unready(engine) => engine.summary(),
        }
    }
}

impl Judge {
    /// Finds out what the engine needs. The rules need nothing, and nothing is looked for then. A provider that is not on
    /// this machine is not even asked when nothing of the project may leave it.
    ///
    /// # Errors
    /// When a model is asked for and cannot be, as things are set up.
    pub fn prepare(context: &Context, store: &Store, asked: &Asked, mode: Mode) -> Result<Self, CliError> {
        if asked.is_rules() {
            asked.demand_exchanges(false, "the rules ask none")?;
            return Ok(Self::Rules);
        }
        let settings = &context.settings().model;
        let key = settings.key_file.as_deref().map(read_key).transpose()?;
        let local_only = LocalOnly::of(settings, &context.project.root);
        let private_entries = private_entries(context, store, &local_only)?;
        if asked.engine == EngineChoice::Agent && !context.settings().agent.command.is_empty() {
            asked.demand_exchanges(false, "an agent's program asks by itself")?;
            let key = context.environment.text("NIDRA_MODEL_KEY").or(key);
            let agent = Agent::of_program(context, key.as_deref(), ledger(context, mode)?, private_entries)?;
            return Ok(if local_only.is_everything() && !agent.is_local() {
                stays(context)
            } else {
                Self::Agent(Box::new(agent))
            });
        }
        let variables = |name: &str| context.environment.text(name);
        let unusable = |error: SetupError| {
            CliError::usage(error.to_string())
                .hint("`--engine rules` needs no model; `nidra config` lists the settings")
        };
        let endpoint = Endpoint::locate(settings, &variables, key.as_deref()).map_err(unusable)?;
        if local_only.is_everything() && !endpoint.local {
            return Ok(stays(context));
        }
        // A preview sends nothing and needs no key, nor does an answer from a recording.
        if let Some(error) = endpoint.missing_key().filter(|_| mode != Mode::DryRun && !asked.replays()) {
            return Err(unusable(error));
        }
        let prices = prices(settings.prices.as_deref())?;
        let transport = transport(context, asked, &endpoint, mode)?;
        let ledger = if asked.replays() { no_ledger() } else { ledger(context, mode)? };
        let slots = Slots::new(&context.state.join("in-flight"), settings.max_in_flight);
        let calls = Calls { endpoint, transport, ledger, slots, prices };
        if asked.engine == EngineChoice::Agent {
            return Ok(Self::Agent(Box::new(Agent::with_tools(context, calls, private_entries)?)));
        }
        Ok(Self::Model(Box::new(Model { calls, local_only, private_entries })))
    }

    /// As [`Self::prepare`], for a run that nobody watches: what keeps the engine from being asked is said when there is
    /// something to judge, and recorded.
    ///
    /// # Errors
    /// None of the engine's.
    pub fn prepare_unwatched(context: &Context, store: &Store, asked: &Asked, mode: Mode) -> Self {
        Self::prepare(context, store, asked, mode).unwrap_or_else(|error| {
            let on_failure = context.settings().model.on_failure;
            Self::Unready(Unready::new(asked.engine, error.one_line(), on_failure))
        })
    }

    /// What a run by the settings would ask, in words; an error where that cannot be asked as things are set up.
    ///
    /// # Errors
    /// As [`Self::prepare`].
    pub fn outlook(context: &Context, store: &Store) -> Result<String, CliError> {
        let asked = Asked::by_settings(context.settings());
        let judge = Self::prepare(context, store, &asked, Mode::DryRun)?;
        let endpoint = match &judge {
            Self::Rules | Self::Unready(_) => return Ok("the rules alone".to_owned()),
            Self::Model(model) => &model.calls.endpoint,
            Self::Agent(agent) => match agent.endpoint() {
                Some(endpoint) => endpoint,
                None => return Ok(format!("the rules and the agent {}", agent.name())),
            },
        };
        if let Some(error) = endpoint.missing_key() {
            return Err(CliError::usage(error.to_string()));
        }
        let with = if asked.engine == EngineChoice::Agent { ", with nidra's tools" } else { "" };
        Ok(format!("the rules and {} at {}{with}", endpoint.model, endpoint.host))
    }

    /// What lets an agent work; `None` where there is none.
    pub fn driver<'a>(&'a self, context: &'a Context, pause: Pause<'a>) -> Option<Box<dyn Driver + 'a>> {
        match self {
            Self::Rules | Self::Model(_) | Self::Unready(_) => None,
            Self::Agent(agent) => Some(agent.driver(context, pause)),
        }
    }

    /// Where the model is; `None` where none is asked.
    pub fn endpoint(&self) -> Option<&Endpoint> {
        if let Self::Model(model) = self { Some(&model.calls.endpoint) } else { None }
    }

    /// The engine of the run.
    pub fn engine<'a>(
        &'a self,
        context: &'a Context,
        driver: Option<&'a dyn Driver>,
        mode: Mode,
        pause: Pause<'a>,
    ) -> Chosen<'a> {
        match (self, driver) {
            (Self::Model(model), _) => Chosen::Model(Box::new(ModelEngine::new(ModelOptions {
                calls: model.calls.options(context, pause),
                price_known: model.calls.price().1,
                local_only: &model.local_only,
                private_entries: model.private_entries.clone(),
                scope: context.settings().redact.scope(),
                dry_run: (mode == Mode::DryRun).then(|| spent_before(context)),
            }))),
            (Self::Agent(agent), Some(driver)) => {
                Chosen::Agent(Box::new(agent.engine(context, driver, mode)))
            }
            (Self::Unready(engine), _) => Chosen::Unready(engine),
            (Self::Rules, _) | (Self::Agent(_), None) => Chosen::Rules,
        }
    }
}

/// Nothing may leave, so nobody is asked.
fn stays(context: &Context) -> Judge {
    context.printer.say("Nothing of this project may leave this machine, so the rules alone judge it.");
    Judge::Rules
}

/// Where calls are written down; a run that only shows what it would do writes nothing.
fn ledger(context: &Context, mode: Mode) -> Result<Box<dyn Ledger>, CliError> {
    Ok(match mode {
        Mode::DryRun => no_ledger(),
        Mode::Apply | Mode::Plan => Box::new(StoreLedger::open(context)?),
    })
}

/// A ledger for what is not sent.
fn no_ledger() -> Box<dyn Ledger> {
    Box::new(MemoryLedger::default())
}

fn read_key(path: &Path) -> Result<String, CliError> {
    let fault = |what: String| {
        CliError::usage(format!("the key file {} {what}", path.display()))
            .hint("write the key into a file that only you can read (chmod 600), or set NIDRA_MODEL_KEY")
    };
    let metadata = std::fs::metadata(path).map_err(|error| fault(format!("cannot be read: {error}")))?;
    if !metadata.is_file() {
        return Err(fault("is no file".to_owned()));
    }
    if metadata.permissions().mode() & 0o077 != 0 {
        return Err(fault("can be read by others".to_owned()));
    }
    if metadata.len() > MAX_KEY_BYTES {
        return Err(fault(format!("has more than {MAX_KEY_BYTES} bytes")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| fault(format!("cannot be read: {error}")))?;
    match text.lines().next().map(str::trim).filter(|key| !key.is_empty()) {
        Some(key) if key.chars().all(|letter| letter.is_ascii_graphic()) => Ok(key.to_owned()),
        Some(_) => Err(fault("holds something else than a key in its first line".to_owned())),
        None => Err(fault("is empty".to_owned())),
    }
}

/// Reads a file of the user's; a pipe would be waited for.
fn read_table(path: &Path) -> std::io::Result<String> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("it is no file"));
    }
    std::fs::read_to_string(path)
}

fn prices(path: Option<&Path>) -> Result<Prices, CliError> {
    let own = path.map(read_table).transpose().map_err(|error| {
        let path = path.unwrap_or(Path::new("")).display();
        CliError::usage(format!("the table of prices {path} cannot be read: {error}"))
            .hint("mend the path, or unset model.prices")
    })?;
    Prices::with(own.as_deref()).map_err(|error| {
        CliError::usage(nidra_core::error::chain(&error)).hint("mend the file that model.prices names")
    })
}

fn transport(
    context: &Context,
    asked: &Asked,
    endpoint: &Endpoint,
    mode: Mode,
) -> Result<Box<dyn Transport>, CliError> {
    let failed = |error: nidra_model::provider::CallError| CliError::usage(error.to_string());
    if let Some(folder) = asked.record.as_ref().filter(|_| asked.replays()) {
        return Ok(Box::new(Replay::new(folder)));
    }
    let names = ["HTTPS_PROXY", "https_proxy"];
    let proxy = names.into_iter().find_map(|name| context.environment.text(name)).filter(|_| !endpoint.local);
    let http = Http::new(proxy.as_deref()).map_err(failed)?;
    // A preview sends nothing, so there is nothing to keep.
    match asked.record.as_ref().filter(|_| mode != Mode::DryRun) {
        Some(folder) => Ok(Box::new(Recorder::new(http, folder).map_err(failed)?)),
        None => Ok(Box::new(http)),
    }
}

/// The entries of memory that rest on a session that stays on this machine.
fn private_entries(
    context: &Context,
    store: &Store,
    local_only: &LocalOnly,
) -> Result<BTreeSet<EntryId>, CliError> {
    private_entries_of(&context.project.id, store, local_only)
}

/// The entries of a project's memory that rest on a session that stays on this machine.
pub(super) fn private_entries_of(
    project: &ProjectId,
    store: &Store,
    local_only: &LocalOnly,
) -> Result<BTreeSet<EntryId>, CliError> {
    if local_only.is_empty() {
        return Ok(BTreeSet::new());
    }
    let failed = |error| CliError::failed("cannot read where the entries of memory come from", error);
    let sources = store.sources(project).map_err(failed)?;
    let transcripts = store.transcripts().map_err(failed)?;
    let directories: BTreeMap<&Path, &Path> =
        transcripts.iter().map(|one| (one.path.as_path(), one.directory.as_path())).collect();
    let private = sources.into_iter().filter(|(_, sources)| {
        let mut evidence = sources.iter().flat_map(|source| &source.evidence);
        evidence.any(|one| {
            let directory = directories.get(one.source.path.as_ref()).copied();
            local_only.holds(Some(&one.source.session), directory)
        })
    });
    Ok(private.map(|(entry, _)| entry).collect())
}
