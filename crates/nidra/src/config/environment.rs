//! Everything that nidra reads from its environment: one place that touches the process, one value that the rest
//! is given, and one table that documents each variable.

use super::key::KEYS;
use super::zone;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ZonedDateTime};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// A variable, for the reference page and `--help`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub meaning: &'static str,
    /// Whose it is.
    pub owner: VariableOwner,
}

/// Whose a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableOwner {
    /// nidra's own.
    Nidra,
    /// Claude Code's.
    Client,
    /// Of the clients of a provider of models.
    Provider,
    /// The system's.
    System,
}

const fn variable(owner: VariableOwner, name: &'static str, meaning: &'static str) -> Variable {
    Variable { name, meaning, owner }
}

/// All variables that are read, except those that set a key of the configuration ([`super::Key::variable`]).
pub const VARIABLES: &[Variable] = &[
    variable(
        VariableOwner::Nidra,
        "NIDRA_DISABLED",
        "Switches everything off: no reading, no counting, no writing. Any value but 0, false, no and off.",
    ),
    variable(
        VariableOwner::Nidra,
        "NIDRA_HOME",
        "The state directory, absolute; by default nidra in the platform's state directory.",
    ),
    variable(
        VariableOwner::Nidra,
        "NIDRA_CONFIG",
        "The user's settings file, absolute; by default nidra/config.toml in the platform's configuration directory.",
    ),
    variable(
        VariableOwner::Nidra,
        "NIDRA_NOW",
        "The time that counts as now: an instant (2026-11-30T20:00:00Z), or a date or date and time in the zone of TZ.",
    ),
    variable(
        VariableOwner::Nidra,
        "NIDRA_RUN",
        "Set by nidra in everything that it starts, so that hooks below it leave its own runs alone.",
    ),
    variable(
        VariableOwner::Nidra,
        "NIDRA_MODEL_KEY",
        "The key of the model's provider, before those of the providers' own variables and `model.key_file`.",
    ),
    variable(
        VariableOwner::Provider,
        "ANTHROPIC_BASE_URL",
        "The address of a provider that speaks Anthropic's protocol, where model.base_url names none.",
    ),
    variable(VariableOwner::Provider, "ANTHROPIC_API_KEY", "The key of such a provider."),
    variable(
        VariableOwner::Provider,
        "ANTHROPIC_AUTH_TOKEN",
        "A token for such a provider, sent as `Authorization: Bearer` where there is no key.",
    ),
    variable(
        VariableOwner::Provider,
        "ANTHROPIC_MODEL",
        "The model of such a provider, where model.name names none.",
    ),
    variable(
        VariableOwner::Provider,
        "OPENAI_BASE_URL",
        "The address of a provider that speaks OpenAI's protocol, where model.base_url names none.",
    ),
    variable(VariableOwner::Provider, "OPENAI_API_KEY", "The key of such a provider."),
    variable(
        VariableOwner::Provider,
        "OPENAI_MODEL",
        "The model of such a provider, where model.name names none.",
    ),
    variable(
        VariableOwner::System,
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "The address of a collector, to whose /v1/logs `nidra events --otlp` sends.",
    ),
    variable(
        VariableOwner::System,
        "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT",
        "The whole address for log records, before the other.",
    ),
    variable(
        VariableOwner::System,
        "OTEL_EXPORTER_OTLP_HEADERS",
        "Headers for the collector: name=value, parted by commas.",
    ),
    variable(VariableOwner::System, "HTTPS_PROXY", "The proxy to a provider that is not on this machine."),
    variable(
        VariableOwner::Client,
        "CLAUDE_CONFIG_DIR",
        "The client's configuration directory; by default ~/.claude.",
    ),
    variable(
        VariableOwner::Client,
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY",
        "1 switches the client's memory off, and dreaming with it; 0 switches it on over the client's settings.",
    ),
    variable(
        VariableOwner::Client,
        "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE",
        "The memory directory, absolute, over every other choice of the client's.",
    ),
    variable(
        VariableOwner::Client,
        "CLAUDE_CODE_REMOTE_MEMORY_DIR",
        "Where the client keeps projects in remote mode.",
    ),
    variable(VariableOwner::Client, "CLAUDE_CODE_REMOTE", "The client runs remotely; no dream runs there."),
    variable(
        VariableOwner::Client,
        "CLAUDE_MEMORY_STORES",
        "The client's shared memories; nidra only passes it on to what it starts.",
    ),
    variable(
        VariableOwner::Client,
        "CLAUDE_CODE_AUTO_DREAM_MIN_HOURS",
        "Sets dream.min_hours where NIDRA_DREAM_MIN_HOURS does not.",
    ),
    variable(
        VariableOwner::Client,
        "CLAUDE_CODE_AUTO_DREAM_MIN_SESSIONS",
        "Sets dream.min_sessions where NIDRA_DREAM_MIN_SESSIONS does not.",
    ),
    variable(VariableOwner::System, "HOME", "The home directory; by default the one of the user's account."),
    variable(
        VariableOwner::System,
        "XDG_CONFIG_HOME",
        "The platform's configuration directory; by default ~/.config.",
    ),
    variable(
        VariableOwner::System,
        "XDG_STATE_HOME",
        "The platform's state directory; by default ~/.local/state.",
    ),
    variable(VariableOwner::System, "TZ", "The time zone in which dates are understood and written."),
    variable(
        VariableOwner::System,
        "TZDIR",
        "The directory of the files of time zones; by default the platform's.",
    ),
    variable(VariableOwner::System, "NO_COLOR", "Any value but the empty one switches colours off."),
];

/// How the names of variables begin that the tests of nidra itself look at.
const DEVELOPMENT: &[&str] = &["NIDRA_TEST_", "NIDRA_PROOF_", "NIDRA_FUZZ_"];

/// Whether a name has the form of a setting: one of its tables stands in front.
fn sets_a_key(name: &str) -> bool {
    KEYS.iter().any(|key| {
        let (table, _) = key.parts();
        name.strip_prefix("NIDRA_")
            .and_then(|rest| rest.strip_prefix(table.to_ascii_uppercase().as_str()))
            .is_some_and(|rest| rest.starts_with('_'))
    })
}

/// The environment as a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    variables: Vec<(OsString, OsString)>,
    account_home: Option<PathBuf>,
}

/// A variable without which, or with which, nothing can be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvironmentError {
    /// There is no home directory to put things below.
    #[error("there is no home directory; set HOME or {instead}")]
    NoHome {
        /// The variable that helps as well.
        instead: &'static str,
    },
    /// A directory that depends on where the program was started.
    #[error("{name} is {value:?}, which is not an absolute path")]
    Relative {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: PathBuf,
    },
    /// A time that cannot be read.
    #[error(
        "{name} is {value:?}, which is no time up to 9999-12-30; write 2026-11-30, 2026-11-30T20:00 or 2026-11-30T20:00:00Z"
    )]
    Time {
        /// The variable or flag.
        name: &'static str,
        /// Its value.
        value: String,
    },
}

impl Environment {
    /// Reads the environment of this process. Nothing else of nidra's does.
    pub fn from_process() -> Self {
        let account_home = etcetera::home_dir().ok();
        Self { variables: std::env::vars_os().collect(), account_home }
    }

    /// An environment of these variables alone.
    pub fn from_variables<N: Into<OsString>, V: Into<OsString>>(
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self { variables, account_home: None }
    }

    /// All variables as they were found; what a started program is given is made from them.
    pub fn variables(&self) -> &[(OsString, OsString)] {
        &self.variables
    }

    /// A variable that is set and not empty.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        let found = self.variables.iter().rev().find(|(found, _)| found == name);
        found.map(|(_, value)| value.as_os_str()).filter(|value| !value.is_empty())
    }

    /// A variable as text, with what is not text replaced.
    pub fn text(&self, name: &str) -> Option<String> {
        self.get(name).map(|value| value.to_string_lossy().into_owned())
    }

    /// Whether a switch is on: any value but 0, false, no and off. `None` when it is not set.
    pub fn switch(&self, name: &str) -> Option<bool> {
        let value = self.text(name)?.trim().to_ascii_lowercase();
        Some(!matches!(value.as_str(), "0" | "false" | "no" | "off"))
    }

    /// `NIDRA_DISABLED` is set.
    pub fn disabled(&self) -> bool {
        self.switch("NIDRA_DISABLED").unwrap_or(false)
    }

    /// This process was started, directly or not, by a run of nidra's.
    pub fn own_run(&self) -> bool {
        self.switch(crate::detach::RUN_VARIABLE).unwrap_or(false)
    }

    /// Colours are not wanted.
    pub fn no_color(&self) -> bool {
        self.get("NO_COLOR").is_some()
    }

    /// The home directory.
    pub fn home(&self) -> Option<PathBuf> {
        let home = self.get("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        home.or_else(|| self.account_home.clone())
    }

    /// nidra's state directory.
    pub fn state_directory(&self) -> Result<PathBuf, EnvironmentError> {
        match self.absolute("NIDRA_HOME")? {
            Some(directory) => Ok(directory),
            None => Ok(self.platform("XDG_STATE_HOME", ".local/state", "NIDRA_HOME")?.join("nidra")),
        }
    }

    /// The user's settings file.
    pub fn user_config(&self) -> Result<PathBuf, EnvironmentError> {
        match self.absolute("NIDRA_CONFIG")? {
            Some(file) => Ok(file),
            None => {
                Ok(self.platform("XDG_CONFIG_HOME", ".config", "NIDRA_CONFIG")?.join("nidra/config.toml"))
            }
        }
    }

    /// The client's configuration directory.
    pub fn claude_config(&self) -> Result<PathBuf, EnvironmentError> {
        if let Some(directory) = self.absolute("CLAUDE_CONFIG_DIR")? {
            return Ok(directory);
        }
        let home = self.home().ok_or(EnvironmentError::NoHome { instead: "CLAUDE_CONFIG_DIR" })?;
        Ok(home.join(".claude"))
    }

    /// The time zone: that of `TZ`, else the system's.
    pub fn time_zone(&self) -> TimeZone {
        // Where other files are named, the library knows how to find the right one in them.
        let usual = self.get("TZDIR").is_none();
        let named = self.text("TZ").map(|name| {
            let name = name.trim_start_matches(':');
            let file = usual.then(|| zone::named(name)).flatten();
            file.or_else(|| TimeZone::get(name).or_else(|_| TimeZone::posix(name)).ok())
        });
        match named {
            None => usual.then(zone::local).flatten(),
            Some(named) => named,
        }
        .unwrap_or_else(TimeZone::system)
    }

    /// The time that `NIDRA_NOW` sets; `None` when the clock decides.
    pub fn now(&self) -> Result<Option<ZonedDateTime>, EnvironmentError> {
        let Some(text) = self.text("NIDRA_NOW") else { return Ok(None) };
        match parse_time(&text, &self.time_zone()) {
            Some(now) => Ok(Some(now)),
            None => Err(EnvironmentError::Time { name: "NIDRA_NOW", value: text }),
        }
    }

    /// The variables that set keys of the configuration, and those that look like it but set none.
    pub(crate) fn settings(&self) -> (Vec<(&'static super::Key, String, String)>, Vec<String>) {
        // Few variables are nidra's own, and there are many settings: no name is made that nobody set.
        let own: Vec<&str> = self.own().collect();
        let mut set = Vec::new();
        for key in KEYS {
            let own = own.iter().copied().find(|name| key.is_variable(name));
            let names = key.client_variable.into_iter().chain(own);
            set.extend(names.filter_map(|name| Some((key, name.to_owned(), self.text(name)?))));
        }
        (set, self.unknown().filter(|name| sets_a_key(name)).map(str::to_owned).collect())
    }

    /// The variables that look like nidra's own and mean nothing to it, apart from those that look like a setting, which
    /// are faults: each with the nearest that it knows.
    pub(crate) fn strangers(&self) -> Vec<(String, Option<String>)> {
        self.unknown()
            .filter(|name| !sets_a_key(name))
            .map(|name| (name.to_owned(), super::key::suggest_variable(name)))
            .collect()
    }

    /// The variables that look like nidra's own and are not empty.
    fn own(&self) -> impl Iterator<Item = &str> {
        self.variables
            .iter()
            .filter_map(|(name, value)| name.to_str().filter(|_| !value.is_empty()))
            .filter(|name| name.starts_with("NIDRA_"))
    }

    fn unknown(&self) -> impl Iterator<Item = &str> {
        self.own()
            .filter(|name| !DEVELOPMENT.iter().any(|start| name.starts_with(start)))
            .filter(|name| VARIABLES.iter().all(|variable| variable.name != *name))
            .filter(|name| KEYS.iter().all(|key| !key.is_variable(name)))
    }

    fn absolute(&self, name: &'static str) -> Result<Option<PathBuf>, EnvironmentError> {
        match self.get(name).map(Path::new) {
            None => Ok(None),
            Some(path) if path.is_absolute() => Ok(Some(path.to_owned())),
            Some(path) => Err(EnvironmentError::Relative { name, value: path.to_owned() }),
        }
    }

    /// A base directory by the rules of XDG, which has relative values ignored.
    fn platform(
        &self,
        name: &str,
        below_home: &str,
        instead: &'static str,
    ) -> Result<PathBuf, EnvironmentError> {
        let set = self.get(name).map(PathBuf::from).filter(|path| path.is_absolute());
        set.or_else(|| Some(self.home()?.join(below_home))).ok_or(EnvironmentError::NoHome { instead })
    }
}

/// The first year that a time may have: no agent wrote anything before, so an earlier one is a slip of the pen.
const FIRST_YEAR: i16 = 1970;

/// Reads a time as a person writes it: an instant with its offset, or a date or a date and time in this zone.
pub fn parse_time(text: &str, zone: &TimeZone) -> Option<ZonedDateTime> {
    let text = text.trim();
    let time = if let Ok(instant) = text.parse::<Timestamp>() {
        instant.to_zoned_datetime(zone.clone())
    } else {
        let civil = text
            .parse::<DateTime>()
            .or_else(|_| text.parse::<Date>().map(|date| date.at(0, 0, 0, 0)))
            .ok()?;
        civil.to_zoned_datetime(zone.clone()).ok()?
    };
    (time.year() >= FIRST_YEAR).then_some(time)
}

#[cfg(test)]
#[path = "environment_tests.rs"]
mod tests;
