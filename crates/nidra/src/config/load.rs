//! All layers put together: defaults < managed < user < project < environment < flags, each value with its origin.

use super::Environment;
use super::environment::EnvironmentError;
use super::key::{self, KEYS, Key};
use super::layer::{self, Place, Problem, ProblemKind};
use crate::client::replace;
use nidra_core::Settings;
use nidra_core::error::PathError;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Where a site's administrator puts settings for everybody.
pub const MANAGED_FILE: &str = "/etc/nidra/config.toml";
/// The file of a project, at the root of its checkout.
pub const PROJECT_FILE: &str = ".nidra.toml";
/// Bytes of a settings file at most.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// The files that settings come from; a file that does not exist sets nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFiles {
    /// The administrator's.
    pub managed: PathBuf,
    /// The user's.
    pub user: PathBuf,
    /// The project's; it comes from a repository, so it is not trusted.
    pub project: Option<PathBuf>,
}

impl ConfigFiles {
    /// The files at their usual places. `checkout` is the root of the project's work tree.
    pub fn standard(environment: &Environment, checkout: Option<&Path>) -> Result<Self, EnvironmentError> {
        let project = checkout.map(|checkout| checkout.join(PROJECT_FILE));
        Ok(Self { managed: PathBuf::from(MANAGED_FILE), user: environment.user_config()?, project })
    }
}

/// A setting made on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// The flag as the user knows it: `--min-hours`.
    pub name: String,
    /// The setting's path.
    pub key: String,
    /// The value as text.
    pub value: String,
}

/// A file of settings that is not the default or the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// The administrator's file.
    Managed,
    /// The user's file.
    User,
    /// The project's file.
    Project,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// A file.
    File {
        /// Whose.
        layer: Layer,
        /// Which.
        path: PathBuf,
        /// At this line, counted from 1.
        line: usize,
    },
    /// A variable.
    Variable(String),
    /// A flag.
    Flag(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { layer, path, line } => {
                let whose = match layer {
                    Layer::Managed => "managed",
                    Layer::User => "user",
                    Layer::Project => "project",
                };
                write!(f, "{whose} ({}:{line})", path.display())
            }
            Self::Variable(name) => write!(f, "environment ({name})"),
            Self::Flag(name) => write!(f, "flag ({name})"),
        }
    }
}

/// Settings that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Something is wrong in them; every fault is named.
    #[error("{}", list(.0))]
    Invalid(Vec<Problem>),
    /// A file cannot be read or written.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A file cannot be replaced.
    #[error(transparent)]
    Replace(#[from] replace::ReplaceError),
    /// The values do not fit together.
    #[error("the settings do not fit together")]
    Settings(#[source] toml::de::Error),
    /// The defaults cannot be shown as text.
    #[error("the default settings cannot be written")]
    Defaults(#[source] toml::ser::Error),
}

fn list(problems: &[Problem]) -> String {
    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n")
}

/// The settings with the origin of each.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// The values that count.
    pub settings: Settings,
    /// For each path that anybody set, by whom and to what, weakest first.
    assigned: BTreeMap<&'static str, Vec<(Origin, Value)>>,
}

/// A setting, its value and who set it.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The setting.
    pub key: &'static Key,
    /// Its value as TOML; `None` when it is unset.
    pub value: Option<String>,
    /// Who set it.
    pub origin: Origin,
    /// What others had set, strongest first.
    pub overridden: Vec<(Origin, String)>,
}

/// Reads all layers. Every fault in any of them is an error; nothing is dropped in silence.
pub fn load(
    files: &ConfigFiles,
    environment: &Environment,
    flags: &[Flag],
) -> Result<Configuration, ConfigError> {
    let mut loader = Loader::new(environment.home());
    loader.file(Layer::Managed, &files.managed)?;
    loader.file(Layer::User, &files.user)?;
    if let Some(project) = &files.project {
        loader.file(Layer::Project, project)?;
    }
    loader.environment(environment);
    loader.flags(flags);
    loader.finish()
}

/// A settings file's text; `None` when there is no such file.
pub(crate) fn read_text(path: &Path) -> Result<Option<String>, ConfigError> {
    let fault = |message: String| PathError {
        action: "read",
        path: path.to_owned(),
        source: io::Error::other(message),
    };
    if std::fs::metadata(path).is_ok_and(|metadata| metadata.len() > MAX_FILE_BYTES) {
        return Err(fault(format!("it has more than {MAX_FILE_BYTES} bytes")).into());
    }
    let Some(bytes) = replace::read(path)? else { return Ok(None) };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => {
            let valid = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
            let line = valid.split(|byte| *byte == b'\n').count();
            Err(fault(format!("line {line} is not valid UTF-8")).into())
        }
    }
}

struct Loader {
    home: Option<PathBuf>,
    assigned: BTreeMap<&'static str, Vec<(Origin, Value)>>,
    problems: Vec<Problem>,
}

impl Loader {
    fn new(home: Option<PathBuf>) -> Self {
        Self { home, assigned: BTreeMap::new(), problems: Vec::new() }
    }

    fn assign(&mut self, key: &'static Key, origin: Origin, value: Value) {
        self.assigned.entry(key.path).or_default().push((origin, value));
    }

    fn file(&mut self, layer: Layer, path: &Path) -> Result<(), ConfigError> {
        let Some(text) = read_text(path)? else { return Ok(()) };
        let (assignments, problems) = layer::read(path, &text, self.home.as_deref());
        self.problems.extend(problems);
        for assignment in assignments {
            let key = assignment.key;
            let set = self.assigned.get(key.path).and_then(|values| values.last()).map(|(_, value)| value);
            let refusal = match layer {
                Layer::Project => {
                    let default = if set.is_none() { default(&defaults()?, key) } else { None };
                    key.project.refusal(key.form, set.or(default.as_ref()), &assignment.value)
                }
                Layer::Managed | Layer::User => None,
            };
            if let Some(why) = refusal {
                let place = Place::File(path.to_owned(), assignment.line);
                self.problems.push(Problem { place, kind: ProblemKind::Refused { path: key.path, why } });
            } else {
                let origin = Origin::File { layer, path: path.to_owned(), line: assignment.line };
                self.assign(key, origin, assignment.value);
            }
        }
        Ok(())
    }

    fn environment(&mut self, environment: &Environment) {
        let (set, unknown) = environment.settings();
        for (key, name, text) in set {
            self.text(key, Place::Variable(name.clone()), Origin::Variable(name), &text);
        }
        for name in unknown {
            let suggestion = key::suggest_variable(&name);
            let kind = ProblemKind::UnknownVariable { suggestion };
            self.problems.push(Problem { place: Place::Variable(name), kind });
        }
    }

    fn flags(&mut self, flags: &[Flag]) {
        for flag in flags {
            let place = Place::Flag(flag.name.clone());
            match key::find(&flag.key) {
                Some(key) => self.text(key, place, Origin::Flag(flag.name.clone()), &flag.value),
                None => self.problems.push(Problem { place, kind: unknown(&flag.key) }),
            }
        }
    }

    fn text(&mut self, key: &'static Key, place: Place, origin: Origin, text: &str) {
        if let Some(value) = key.form.parse(text, self.home.as_deref()) {
            self.assign(key, origin, value);
        } else {
            let kind = ProblemKind::Value { path: key.path, wanted: key.form.wanted() };
            self.problems.push(Problem { place, kind });
        }
    }

    fn finish(self) -> Result<Configuration, ConfigError> {
        if !self.problems.is_empty() {
            return Err(ConfigError::Invalid(self.problems));
        }
        // Most commands run where nobody set anything: turning all settings into text and back takes a tenth of them.
        if self.assigned.is_empty() {
            return Ok(Configuration { settings: Settings::default(), assigned: self.assigned });
        }
        let mut settings = defaults()?;
        for (path, values) in &self.assigned {
            let (Some(key), Some((_, value))) = (key::find(path), values.last()) else { continue };
            let (table, name) = key.parts();
            let table = settings.entry(table).or_insert_with(|| Value::Table(Table::new()));
            if let Some(table) = table.as_table_mut() {
                table.insert(name.to_owned(), value.clone());
            }
        }
        let settings = Value::Table(settings).try_into().map_err(ConfigError::Settings)?;
        Ok(Configuration { settings, assigned: self.assigned })
    }
}

/// The settings that hold where nobody set any.
fn defaults() -> Result<Table, ConfigError> {
    Table::try_from(Settings::default()).map_err(ConfigError::Defaults)
}

/// The value of a setting that nobody set; `None` where it has none.
fn default(defaults: &Table, key: &Key) -> Option<Value> {
    let (table, name) = key.parts();
    defaults.get(table)?.get(name).cloned()
}

pub(crate) fn unknown(path: &str) -> ProblemKind {
    ProblemKind::Unknown { path: path.to_owned(), suggestion: key::suggest(path) }
}

impl Configuration {
    /// Says which value a setting has and who set it. An unknown path is a fault with a near match.
    pub fn explain(&self, path: &str) -> Result<Explanation, ProblemKind> {
        let key = key::find(path).ok_or_else(|| unknown(path))?;
        Ok(self.explain_key(key, &defaults().unwrap_or_default()))
    }

    fn explain_key(&self, key: &'static Key, defaults: &Table) -> Explanation {
        let assigned = self.assigned.get(key.path).map(Vec::as_slice).unwrap_or_default();
        let unset = default(defaults, key).map(|value| (Origin::Default, value.to_string()));
        let mut strongest_first =
            assigned.iter().rev().map(|(origin, value)| (origin.clone(), value.to_string())).chain(unset);
        let (origin, value) = match strongest_first.next() {
            Some((origin, value)) => (origin, Some(value)),
            None => (Origin::Default, None),
        };
        Explanation { key, value, origin, overridden: strongest_first.collect() }
    }

    /// Explains every setting, ordered as in `config.toml`.
    pub fn explain_all(&self) -> Vec<Explanation> {
        let defaults = defaults().unwrap_or_default();
        KEYS.iter().map(|key| self.explain_key(key, &defaults)).collect()
    }

    /// The value of a setting as TOML; `None` when it is unset.
    pub fn get(&self, path: &str) -> Result<Option<String>, ProblemKind> {
        self.explain(path).map(|explanation| explanation.value)
    }
}
