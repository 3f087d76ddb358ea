//! The engine with an agent: which agent, what it is told, and what holds it.

use crate::commands::model::Calls;
use crate::commands::model_ledger::spent_before;
use crate::context::Context;
use crate::error::CliError;
use nidra_agent::command::{AgentProgram, CommandDriver, CommandOptions, Invocation, available};
use nidra_agent::{AgentEngine, AgentOptions, Driver, LoopLimits, Prompts, ToolLoop};
use nidra_core::EntryId;
use nidra_core::settings::AgentSettings;
use nidra_dream::pipeline::Mode;
use nidra_model::budget::{Budget, Money};
use nidra_model::ledger::Ledger;
use nidra_model::privacy::LocalOnly;
use nidra_model::provider::Endpoint;
use nidra_model::provider::endpoint::{self, address, shown_address};
use nidra_model::{Caller, Pause};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Bytes of a prompt of the user's at most.
const MAX_PROMPT: u64 = 64 * 1024;
/// The folder of staging copies in the state directory.
const SCRATCH: &str = "agent";

/// An agent that is set up.
pub struct Agent {
    kind: Kind,
    prompts: Prompts,
    scratch: PathBuf,
    local_only: LocalOnly,
    private_entries: BTreeSet<EntryId>,
}

enum Kind {
    /// A model with tools of our own.
    Loop(Box<Calls>),
    /// A program of the user's.
    Program(Box<Program>),
}

struct Program {
    invocation: Invocation,
    helper: PathBuf,
    variables: Vec<(OsString, OsString)>,
    /// Where it asks; `None` where nobody said it, and the program alone knows.
    host: Option<String>,
    port: u16,
    local: bool,
    ledger: Box<dyn Ledger>,
}

impl Agent {
    /// A model with tools of our own.
    ///
    /// # Errors
    /// When the prompts of the user's cannot be read.
    pub fn with_tools(
        context: &Context,
        calls: Calls,
        private_entries: BTreeSet<EntryId>,
    ) -> Result<Self, CliError> {
        Self::new(context, Kind::Loop(Box::new(calls)), private_entries)
    }

    /// A program of the user's.
    ///
    /// # Errors
    /// When it cannot be called, or not be held as the settings ask.
    pub fn of_program(
        context: &Context,
        key: Option<&str>,
        ledger: Box<dyn Ledger>,
        private_entries: BTreeSet<EntryId>,
    ) -> Result<Self, CliError> {
        let settings = context.settings();
        available(settings.agent.confinement).map_err(|error| CliError::usage(error.to_string()))?;
        let folders: Vec<PathBuf> = context
            .environment
            .get("PATH")
            .map(|path| std::env::split_paths(path).collect())
            .unwrap_or_default();
        let base = settings.model.base_url.as_deref();
        let invocation =
            Invocation::of(&settings.agent.command, &folders, settings.model.name.as_deref(), base).map_err(
                |error| {
                    CliError::usage(error.to_string()).hint("`nidra config agent.command` shows what is set")
                },
            )?;
        let variables = variables(context, &invocation, key);
        let (host, port, local) = whereabouts(&invocation, base, &variables)?;
        let invocation = if local { invocation } else { invocation.with_budget(settings.budget.run_cost) };
        let helper = std::env::current_exe()
            .map_err(|error| CliError::failed("cannot find the program that this is", error))?;
        let program = Program { invocation, helper, variables, host, port, local, ledger };
        Self::new(context, Kind::Program(Box::new(program)), private_entries)
    }

    fn new(context: &Context, kind: Kind, private_entries: BTreeSet<EntryId>) -> Result<Self, CliError> {
        let settings = context.settings();
        Ok(Self {
            kind,
            prompts: prompts(context, &settings.agent)?,
            scratch: scratch(context),
            local_only: LocalOnly::of(&settings.model, &context.project.root),
            private_entries,
        })
    }

    /// Whether its provider is on this machine.
    pub fn is_local(&self) -> bool {
        match &self.kind {
            Kind::Loop(calls) => calls.endpoint.local,
            Kind::Program(program) => program.local,
        }
    }

    /// The name of the program, or of the model that works with nidra's tools.
    pub fn name(&self) -> &str {
        match &self.kind {
            Kind::Loop(calls) => &calls.endpoint.model,
            Kind::Program(program) => &program.invocation.name,
        }
    }

    /// Where its model is; `None` where a program asks by itself.
    pub fn endpoint(&self) -> Option<&Endpoint> {
        match &self.kind {
            Kind::Loop(calls) => Some(&calls.endpoint),
            Kind::Program(_) => None,
        }
    }

    /// What lets the agent work.
    pub fn driver<'a>(&'a self, context: &'a Context, pause: Pause<'a>) -> Box<dyn Driver + 'a> {
        let settings = context.settings();
        match &self.kind {
            Kind::Loop(calls) => {
                let limits = LoopLimits {
                    turns: settings.agent.max_turns,
                    input_tokens: settings.agent.max_input_tokens,
                    output_tokens: settings.model.max_output_tokens,
                    temperature: settings.model.temperature,
                };
                let caller = Caller::new(calls.options(context, pause));
                Box::new(ToolLoop::new(caller, limits, settings.redact.scope()))
            }
            Kind::Program(program) => Box::new(CommandDriver::new(CommandOptions {
                invocation: &program.invocation,
                helper: &program.helper,
                confinement: settings.agent.confinement,
                programs: &settings.agent.programs,
                variables: &program.variables,
                provider: (program.host.as_deref(), program.port, program.local),
                time: Duration::from_secs(
                    settings.agent.timeout_seconds.min(settings.budget.run_seconds).into(),
                ),
                ledger: program.ledger.as_ref(),
                budget: Budget::from(&settings.budget),
                now: context.now.timestamp(),
            })),
        }
    }

    /// The engine.
    pub fn engine<'a>(&'a self, context: &'a Context, driver: &'a dyn Driver, mode: Mode) -> AgentEngine<'a> {
        let settings = context.settings();
        let (host, price, program_cost) = match &self.kind {
            Kind::Loop(calls) => (Some(calls.endpoint.host.as_str()), Some(calls.price()), None),
            Kind::Program(program) => {
                let counts = program.invocation.counts() && !program.local;
                let cost = counts.then(|| Money::dollars(settings.budget.run_cost));
                (program.host.as_deref(), None, cost)
            }
        };
        AgentEngine::new(AgentOptions {
            driver,
            name: self.name(),
            host,
            local: self.is_local(),
            price,
            program_cost,
            memory: &context.memory,
            scratch: &self.scratch,
            prompts: &self.prompts,
            on_failure: settings.model.on_failure,
            local_only: &self.local_only,
            private_entries: &self.private_entries,
            scope: settings.redact.scope(),
            budget: Budget::from(&settings.budget),
            dry_run: (mode == Mode::DryRun).then(|| spent_before(context)),
        })
    }
}

/// The port of providers whose address is not known.
const USUAL_PORT: u16 = 443;

/// Where a program asks: the host as far as it is known, the port, and whether that is this machine. A program that is
/// called by a template asks where its address says, and without one nobody here knows.
fn whereabouts(
    invocation: &Invocation,
    base: Option<&str>,
    variables: &[(OsString, OsString)],
) -> Result<(Option<String>, u16, bool), CliError> {
    let given = ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"].into_iter().filter_map(|name| {
        let found = variables.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.to_string_lossy().into_owned())
    });
    let mut urls: Vec<String> = base.map(str::to_owned).into_iter().chain(given).collect();
    if urls.is_empty() {
        match invocation.program {
            AgentProgram::Codex => urls.push("https://api.openai.com".to_owned()),
            AgentProgram::Claude => urls.push("https://api.anthropic.com".to_owned()),
            AgentProgram::Other => return Ok((None, USUAL_PORT, false)),
        }
    }
    let found = urls.iter().map(|url| {
        address(url).ok_or_else(|| {
            CliError::usage(format!(
                "{:?} is no address of a provider; write http:// or https:// with a host, without user and query, and behind a colon a port from 1 to 65535",
                shown_address(url)
            ))
        })
    });
    let found = found.collect::<Result<Vec<_>, _>>()?;
    // What stays on this machine may go to none that could ask elsewhere.
    let local = found.iter().all(|(_, _, local)| *local);
    Ok(found
        .into_iter()
        .next()
        .map_or((None, USUAL_PORT, false), |(host, port, _)| (Some(host), port, local)))
}

/// Where staging copies are made.
fn scratch(context: &Context) -> PathBuf {
    context.state.join(SCRATCH)
}

/// Removes the staging copies that killed runs left.
pub fn clean(context: &Context) {
    nidra_agent::staging::clean(&scratch(context));
}

/// The variables that a program gets: the key and address of its provider, and those that the user names.
fn variables(context: &Context, invocation: &Invocation, key: Option<&str>) -> Vec<(OsString, OsString)> {
    const ANTHROPIC: &[&str] = &[
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_MODEL",
        "CLAUDE_CODE_OAUTH_TOKEN",
    ];
    const OPENAI: &[&str] = &["OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_API_KEY"];
    let settings = context.settings();
    let text = |name: &str| context.environment.text(name);
    let names = endpoint::names(&settings.model, &text);
    let of_template: Vec<&str> =
        [names.key, names.base_url, names.model].into_iter().chain(names.token).collect();
    // The programs that are known get their model as an argument.
    let (known, key_name, address_name, model_name): (&[&str], _, _, _) = match invocation.program {
        AgentProgram::Claude => (ANTHROPIC, "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", None),
        AgentProgram::Codex => (OPENAI, "OPENAI_API_KEY", "OPENAI_BASE_URL", None),
        AgentProgram::Other => (&of_template, names.key, names.base_url, Some(names.model)),
    };
    let handed = known.iter().copied().chain(settings.agent.variables.iter().map(String::as_str));
    let mut found: Vec<(OsString, OsString)> = handed
        .chain(["HTTPS_PROXY"])
        .filter_map(|name| Some((name.into(), context.environment.get(name)?.to_owned())))
        .collect();
    let own = [(key_name, key), (address_name, settings.model.base_url.as_deref())];
    let model = model_name.map(|name| (name, settings.model.name.as_deref()));
    for (name, value) in own.into_iter().chain(model) {
        if let Some(value) = value {
            found.retain(|(known, _)| known != name);
            found.push((name.into(), value.into()));
        }
    }
    found
}

/// The prompts, with those of the user's over them.
fn prompts(context: &Context, settings: &AgentSettings) -> Result<Prompts, CliError> {
    let mut prompts = Prompts::default();
    let Some(folder) = &settings.prompts else { return Ok(prompts) };
    let mut found = false;
    for name in Prompts::names() {
        let path = folder.join(format!("{name}.md"));
        let text = match std::fs::metadata(&path) {
            Ok(metadata) if metadata.len() > MAX_PROMPT => {
                Err(format!("it has more than {MAX_PROMPT} bytes"))
            }
            Ok(metadata) if !metadata.is_file() => Err("it is no file".to_owned()),
            Ok(_) => std::fs::read_to_string(&path).map_err(|error| error.to_string()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => Err(error.to_string()),
        };
        let text = text.map_err(|error| {
            CliError::usage(format!("the prompt {} cannot be read: {error}", path.display()))
                .hint("mend the file, or unset agent.prompts")
        })?;
        prompts.replace(name, text);
        found = true;
    }
    let names: Vec<String> = Prompts::names().map(|name| format!("{name}.md")).collect();
    if found {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_prompt = entry.path().extension().is_some_and(|extension| extension == "md");
            if is_prompt && !names.contains(&name) && !name.eq_ignore_ascii_case("README.md") {
                context.printer.warn(&format!(
                    "warning: {} is no prompt and is not used; prompts are named {}",
                    entry.path().display(),
                    names.join(", ")
                ));
            }
        }
        Ok(prompts)
    } else {
        Err(CliError::usage(format!(
            "agent.prompts is {}, which holds none of {}",
            folder.display(),
            names.join(", ")
        ))
        .hint("mend the path, or unset agent.prompts"))
    }
}
