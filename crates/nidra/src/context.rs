//! What a command works on, resolved once and in one visible place: environment, settings, moment, project, memory.

use crate::cli::Global;
use crate::client::install::ClientPaths;
use crate::config::{self, ConfigFiles, Configuration, Environment, parse_time};
use crate::error::{CliError, ErrorKind};
use crate::printer::Printer;
use crate::spool;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};
use nidra_core::error::chain;
use nidra_core::{SessionId, Settings};
use nidra_dream::gate::Switches;
use nidra_dream::gather::{self, Criteria, Selection, SessionKnowledge};
use nidra_dream::history::{History, Look};
use nidra_memory::lease::{self, BusyHolder, LeaseError};
use nidra_memory::owner::Owner;
use nidra_memory::store::{Durability, Store, StoreError};
use nidra_sessions::claude::{self, ClaudeEnvironment, MemoryLocation};
use nidra_sessions::{ClaudeCode, DailyLogs, Project, Reader, project};
use std::path::{Path, PathBuf};

/// What a command works on.
#[derive(Debug)]
pub struct Context {
    /// The environment.
    pub environment: Environment,
    /// Where words go.
    pub printer: Printer,
    /// The present moment in the user's zone.
    pub now: ZonedDateTime,
    /// nidra's state directory.
    pub state: PathBuf,
    /// The client's configuration directory.
    pub client: PathBuf,
    /// The settings with their origins.
    pub configuration: Configuration,
    /// The settings files.
    pub files: ConfigFiles,
    /// The project.
    pub project: Project,
    /// Where the client keeps its memory.
    pub location: MemoryLocation,
    /// The memory directory.
    pub memory: PathBuf,
    /// What decided on the memory directory.
    pub memory_because: String,
    /// Why the settings of the checkout are not in force.
    pub project_settings_fault: Option<String>,
}

impl Context {
    /// Resolves the context of the project at `--project`, else of the current directory.
    pub fn resolve(global: &Global, environment: Environment) -> Result<Self, CliError> {
        let directory = match &global.project {
            Some(path) => std::path::absolute(path)
                .map_err(|error| CliError::failed(format!("cannot resolve {}", path.display()), error))?,
            None => std::env::current_dir()
                .map_err(|error| CliError::failed("cannot find the current directory", error))?,
        };
        let context = Self::of(global, environment, &directory)?;
        // A folder may be gone while the client still has its sessions; a mistyped one was never anything.
        let known = directory.is_dir() || context.memory.parent().is_some_and(Path::is_dir);
        if !known {
            return Err(CliError::usage(format!("there is no directory {}", directory.display()))
                .hint("--project takes the folder of a project, or one that was a project of the client's"));
        }
        Ok(context)
    }

    /// Resolves the context of the project that this directory belongs to.
    pub fn of(global: &Global, environment: Environment, directory: &Path) -> Result<Self, CliError> {
        let printer = Printer { json: global.json, quiet: global.quiet };
        let now = moment(global, &environment)?;
        let state = environment.state_directory().map_err(usage)?;
        let client = environment.claude_config().map_err(usage)?;
        let home = environment.home();
        let checkout = project::identify_with_home(directory, true, home.as_deref()).checkout;
        let files = ConfigFiles::standard(&environment, Some(&checkout)).map_err(usage)?;
        let (configuration, project_settings_fault) = load(&files, &environment)?;
        let settings = &configuration.settings;
        let project =
            project::identify_with_home(directory, settings.memory.share_worktrees, home.as_deref());
        let location = claude::memory_directory(&project, &client_environment(&environment), &client);
        let (memory, memory_because) = match &settings.memory.directory {
            Some(directory) => (directory.clone(), "memory.directory names it".to_owned()),
            None => (location.directory.clone(), location.because.clone()),
        };
        Ok(Self {
            environment,
            printer,
            now,
            state,
            client,
            configuration,
            files,
            project,
            location,
            memory,
            memory_because,
            project_settings_fault,
        })
    }

    /// Refuses to go on while nidra is switched off in the environment.
    pub fn demand_on(&self) -> Result<(), CliError> {
        if self.environment.disabled() {
            return Err(CliError::new(ErrorKind::Off, "nidra is off by NIDRA_DISABLED"));
        }
        Ok(())
    }

    /// Refuses to go on while the settings of the checkout cannot be used: what they would have set is not known.
    pub fn demand_settings(&self) -> Result<(), CliError> {
        match &self.project_settings_fault {
            None => Ok(()),
            Some(fault) => Err(CliError::usage(fault.clone())
                .hint("mend the place that is named; `nidra config` lists all settings")),
        }
    }

    /// Tells the user that the settings of the checkout are not in force, where that is so.
    pub fn warn_of_settings(&self) {
        if let Some(fault) = &self.project_settings_fault {
            self.printer.warn(&format!("warning: {fault}; nothing of this file is in force"));
        }
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.configuration.settings
    }

    /// The user's zone.
    pub fn zone(&self) -> TimeZone {
        self.now.time_zone().clone()
    }

    /// The reader of the client's transcripts.
    pub fn reader(&self) -> ClaudeCode {
        ClaudeCode { config: self.client.clone(), own: vec![self.state.clone()] }
    }

    /// The reader of what a dream reads: the sessions, or the daily logs in the memory directory.
    pub fn reader_of(&self, logs: bool) -> Box<dyn Reader> {
        if !logs {
            return Box::new(self.reader());
        }
        Box::new(DailyLogs {
            memory: self.memory.clone(),
            project: self.project.checkout.clone(),
            zone: self.zone(),
        })
    }

    /// What can switch dreaming off.
    pub fn switches(&self) -> Switches {
        Switches {
            disabled: self.environment.disabled(),
            enabled: self.settings().dream.enabled,
            // A memory directory of the user's own choice does not depend on the client's.
            auto_memory: self.location.enabled || self.settings().memory.directory.is_some(),
            assistant_mode: self.location.assistant,
            remote_mode: self.location.remote,
        }
    }

    /// Where the client's settings and nidra's record of its hooks in them stand.
    pub fn client_paths(&self) -> ClientPaths {
        ClientPaths { config: self.client.clone(), state: self.state.clone() }
    }

    /// Where hooks leave their notes.
    pub fn spool(&self) -> PathBuf {
        self.state.join("spool")
    }

    /// Opens the state database to change it.
    pub fn store(&self) -> Result<Store, CliError> {
        self.store_with(Durability::Full)
    }

    /// Opens the state database to change what is under way: an answer comes at once and does not wait for the disk.
    pub fn store_of_work(&self) -> Result<Store, CliError> {
        self.store_with(Durability::Recent)
    }

    fn store_with(&self, durability: Durability) -> Result<Store, CliError> {
        Store::open_with(&self.state, durability).map_err(|error| {
            CliError::failed(format!("cannot use the state directory {}", self.state.display()), error)
                .hint("set NIDRA_HOME to a directory that you can write, or mend the permissions of this one")
        })
    }

    /// Opens the state database to read it; a missing one is empty and stays missing.
    pub fn store_to_read(&self) -> Result<Store, CliError> {
        Store::open_to_read(&self.state).map_err(|error| {
            CliError::failed(format!("cannot read the state directory {}", self.state.display()), error)
        })
    }

    /// Makes the project known to the database, which a run of it needs.
    pub fn know_project(&self, store: &mut Store) -> Result<(), CliError> {
        store.put_project(&self.project.id, &self.project.root, &self.memory, self.now.timestamp()).map_err(
            |error| {
                CliError::failed(format!("cannot use the state directory {}", self.state.display()), error)
            },
        )
    }

    /// Refuses a memory directory that a checkout names and that leads out of it through a link: a cloned repository
    /// must not be able to point nidra at the user's other files.
    pub fn guard_memory(&self) -> Result<(), CliError> {
        if !self.memory.starts_with(&self.project.checkout) {
            return Ok(());
        }
        nidra_memory::directory::resolve_within(&self.memory, &self.project.checkout).map(drop).map_err(|error| {
            CliError::new(ErrorKind::Refused, error.to_string())
                .hint("name the directory itself with memory.directory in your own settings if you want it there")
        })
    }

    /// The sessions of the project as a dream would choose them now.
    ///
    /// # Errors
    /// When the state database cannot be read.
    pub fn selection(&self, history: &History, store: &Store) -> Result<Selection, StoreError> {
        let knowledge = self.knowledge();
        let home = self.environment.home();
        let look = Look::new(history, store, &self.project.id);
        let criteria = Criteria {
            project: &self.project,
            home: home.as_deref(),
            share_worktrees: self.settings().memory.share_worktrees,
            now: self.now.timestamp(),
            settings: &self.settings().sessions,
            scope: self.settings().redact.scope(),
            knowledge: &knowledge,
        };
        let reader = self.reader_of(self.location.assistant);
        let selection = gather::select(reader.as_ref(), &look, criteria);
        look.finish().map(|()| selection)
    }

    /// Who holds the memory directory right now; a missing directory is held by nobody.
    ///
    /// # Errors
    /// When a lock file cannot be read.
    pub fn holder(&self) -> Result<Option<BusyHolder>, LeaseError> {
        if !self.memory.is_dir() {
            return Ok(None);
        }
        lease::busy(&self.memory, &Owner::current(), self.now.timestamp())
    }

    /// What hooks and the client's registry say about sessions; nothing is changed.
    pub fn knowledge(&self) -> SessionKnowledge {
        let mut knowledge = SessionKnowledge::default();
        for note in spool::peek(&self.spool(), Some(self.project.id.as_str())) {
            let session = SessionId::new(note.session);
            // The last word counts: a session that was resumed after its end goes on.
            if note.event == "SessionEnd" {
                knowledge.ended.insert(session, note.at);
            } else {
                knowledge.ended.remove(&session);
            }
        }
        for live in claude::live_sessions(&self.client) {
            if !live.alive {
                // The client never took its record back, so it crashed or was killed: that session has ended.
                knowledge.ended.insert(live.session, self.now.timestamp());
            } else if live.busy == Some(true) && !knowledge.ended.contains_key(&live.session) {
                knowledge.running.insert(live.session);
            }
        }
        knowledge
    }
}

/// Loads the settings. Those of a checkout may come from a stranger; a fault in them must not keep the user from
/// looking at memory or taking something back, so it is kept aside.
fn load(files: &ConfigFiles, environment: &Environment) -> Result<(Configuration, Option<String>), CliError> {
    match config::load(files, environment, &[]) {
        Ok(configuration) => Ok((configuration, None)),
        Err(fault) => {
            let own = ConfigFiles { project: None, ..files.clone() };
            let fault = usage(fault).message;
            config::load(&own, environment, &[]).map(|configuration| (configuration, Some(fault))).map_err(
                |error| usage(error).hint("mend the place that is named; nothing was read or written"),
            )
        }
    }
}

/// A mistake in settings or environment, with its causes.
pub fn usage(error: impl std::error::Error + 'static) -> CliError {
    CliError::usage(chain(&error))
}

#[expect(clippy::disallowed_methods, reason = "the command layer is where the clock of the system is read")]
fn moment(global: &Global, environment: &Environment) -> Result<ZonedDateTime, CliError> {
    let zone = environment.time_zone();
    if let Some(text) = &global.as_of {
        return parse_time(text, &zone).ok_or_else(|| {
            CliError::usage(format!("--as-of {text:?} is no time up to 9999-12-30"))
                .hint("write 2026-11-30T20:00:00Z")
        });
    }
    let set = environment.now().map_err(usage)?;
    Ok(set.unwrap_or_else(|| Timestamp::now().to_zoned_datetime(zone)))
}

/// The part of the environment that the client itself would look at.
pub fn client_environment(environment: &Environment) -> ClaudeEnvironment {
    ClaudeEnvironment {
        home: environment.home(),
        memory_path_override: environment.text("CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"),
        remote_memory_directory: environment.text("CLAUDE_CODE_REMOTE_MEMORY_DIR"),
        disable_auto_memory: environment.text("CLAUDE_CODE_DISABLE_AUTO_MEMORY"),
        remote: environment.text("CLAUDE_CODE_REMOTE"),
        assistant: None,
        managed_settings: Some(PathBuf::from("/etc/claude-code/managed-settings.json")),
    }
}
