//! One settings file read as a list of assignments, each with its line. Every fault in it is found, not just the
//! first, and none is passed over in silence.

use super::key::{self, Key, Suggestion};
use nidra_core::text::steering::is_steering;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Value;
use toml_edit::{Document, Item, TableLike};

/// A fault in the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where: a file with its line, a variable or a flag.
    pub place: Place,
    /// What is wrong.
    pub kind: ProblemKind,
}

/// Where something was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a file, at this line counted from 1.
    File(PathBuf, usize),
    /// By a variable.
    Variable(String),
    /// By the command that the user just gave.
    Command(&'static str),
    /// By a flag.
    Flag(String),
}

/// What is wrong with a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// The file is not TOML.
    Syntax(String),
    /// There is no such setting.
    Unknown {
        /// Its path.
        path: String,
        /// What may have been meant.
        suggestion: Option<Suggestion>,
    },
    /// There is no such variable.
    UnknownVariable {
        /// What may have been meant.
        suggestion: Option<String>,
    },
    /// The value has the wrong type or is out of bounds.
    Value {
        /// The setting.
        path: &'static str,
        /// What it has to be.
        wanted: String,
    },
    /// A single value stands where a table of settings belongs.
    NotATable(String),
    /// A project may not set this.
    Refused {
        /// The setting.
        path: &'static str,
        /// Why.
        why: &'static str,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path, line) => write!(f, "{}:{line}", path.display()),
            Self::Variable(name) => write!(f, "variable {name}"),
            Self::Command(name) => f.write_str(name),
            Self::Flag(name) => write!(f, "flag {name}"),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.place)?;
        match &self.kind {
            ProblemKind::Syntax(message) => f.write_str(&printable(message)),
            ProblemKind::Unknown { path, suggestion } => {
                write!(f, "there is no setting `{}`", printable(path))?;
                match suggestion {
                    Some(Suggestion::Misplaced(right)) => {
                        let table = right.split('.').next().unwrap_or_default();
                        write!(f, "; it belongs in the table [{table}], as `{right}`")
                    }
                    Some(Suggestion::Near(near)) => write!(f, "; did you mean `{near}`?"),
                    None => Ok(()),
                }
            }
            ProblemKind::UnknownVariable { suggestion: Some(near) } => {
                write!(f, "it sets nothing; did you mean {near}?")
            }
            ProblemKind::UnknownVariable { suggestion: None } => f.write_str("it sets nothing"),
            ProblemKind::Value { path, wanted } => write!(f, "`{path}` has to be {wanted}"),
            ProblemKind::NotATable(path) => {
                write!(f, "`{}` is a table of settings, not a setting", printable(path))
            }
            ProblemKind::Refused { path, why } => {
                write!(f, "`{path}` is refused here: {why}; put it into your own settings if you want it")
            }
        }
    }
}

/// Words of a file that may come from a stranger's repository, without what could steer a terminal.
fn printable(text: &str) -> String {
    text.chars()
        .map(|letter| if is_steering(letter) { char::REPLACEMENT_CHARACTER } else { letter })
        .collect()
}

/// A setting that a file makes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Assignment {
    pub(crate) key: &'static Key,
    pub(crate) value: Value,
    /// Counted from 1.
    pub(crate) line: usize,
    /// Where the value stands, in bytes.
    pub(crate) span: Range<usize>,
}

/// Reads a file's text. Faults and assignments come in the order of the text.
pub(crate) fn read(path: &Path, text: &str, home: Option<&Path>) -> (Vec<Assignment>, Vec<Problem>) {
    let mut reader = Reader { path, text, home, assignments: Vec::new(), problems: Vec::new() };
    match Document::parse(text) {
        Ok(document) => reader.table(document.as_table(), ""),
        Err(error) => {
            let message = error.message().lines().collect::<Vec<_>>().join(", ");
            reader.problem(error.span().as_ref(), ProblemKind::Syntax(message));
        }
    }
    reader.assignments.sort_by_key(|assignment| assignment.line);
    (reader.assignments, reader.problems)
}

struct Reader<'a> {
    path: &'a Path,
    text: &'a str,
    home: Option<&'a Path>,
    assignments: Vec<Assignment>,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn line(&self, span: Option<&Range<usize>>) -> usize {
        let start = span.map_or(0, |span| span.start);
        1 + self.text.bytes().take(start).filter(|byte| *byte == b'\n').count()
    }

    fn problem(&mut self, span: Option<&Range<usize>>, kind: ProblemKind) {
        let place = Place::File(self.path.to_owned(), self.line(span));
        self.problems.push(Problem { place, kind });
    }

    fn table(&mut self, table: &dyn TableLike, outer: &str) {
        for (name, item) in table.iter() {
            let path = if outer.is_empty() { name.to_owned() } else { format!("{outer}.{name}") };
            let span = table.key(name).and_then(toml_edit::Key::span).or_else(|| item.span());
            if key::is_table(&path) {
                match item.as_table_like() {
                    Some(inner) => self.table(inner, &path),
                    None => self.problem(span.as_ref(), ProblemKind::NotATable(path)),
                }
            } else if let Some(key) = key::find(&path) {
                self.setting(key, item, span.as_ref());
            } else if let Some(inner) = item.as_table_like().filter(|inner| !inner.is_empty()) {
                // Each key inside is named, so that the right one in a wrong table is told from a wrong one.
                self.table(inner, &path);
            } else {
                let suggestion = key::suggest(&path);
                self.problem(span.as_ref(), ProblemKind::Unknown { path, suggestion });
            }
        }
    }

    fn setting(&mut self, key: &'static Key, item: &Item, span: Option<&Range<usize>>) {
        let accepted = item.as_value().and_then(plain).and_then(|value| key.form.accept(&value, self.home));
        match accepted {
            Some(value) => {
                let line = self.line(span);
                let span = item.span().unwrap_or_default();
                self.assignments.push(Assignment { key, value, line, span });
            }
            None => {
                self.problem(span, ProblemKind::Value { path: key.path, wanted: key.form.wanted() });
            }
        }
    }
}

/// A value without its formatting; `None` for the kinds that no setting has.
fn plain(value: &toml_edit::Value) -> Option<Value> {
    match value {
        toml_edit::Value::String(text) => Some(Value::String(text.value().clone())),
        toml_edit::Value::Integer(number) => Some(Value::Integer(*number.value())),
        toml_edit::Value::Float(number) => Some(Value::Float(*number.value())),
        toml_edit::Value::Boolean(switch) => Some(Value::Boolean(*switch.value())),
        toml_edit::Value::Array(items) => items.iter().map(plain).collect::<Option<_>>().map(Value::Array),
        toml_edit::Value::Datetime(_) | toml_edit::Value::InlineTable(_) => None,
    }
}
