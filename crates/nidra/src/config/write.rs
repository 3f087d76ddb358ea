//! Changing one setting in the user's file, with every other byte left as it is.

use super::key;
use super::layer::{self, Place, Problem, ProblemKind};
use super::load::{ConfigError, read_text, unknown};
use crate::client::replace;
use nidra_core::error::PathError;
use std::io;
use std::path::Path;
use toml_edit::{DocumentMut, Item, Table};

/// Sets a setting in the user's file, which is made when it is missing. The value is text as on the command line.
/// Returns what stood there before, as TOML.
///
/// A file that has faults is not written: the change could not be told from them.
pub fn set(file: &Path, path: &str, value: &str, home: Option<&Path>) -> Result<Option<String>, ConfigError> {
    let invalid = |kind| ConfigError::Invalid(vec![Problem { place: Place::Command("nidra config"), kind }]);
    let key = key::find(path).ok_or_else(|| invalid(unknown(path)))?;
    let fault = || invalid(ProblemKind::Value { path: key.path, wanted: key.form.wanted() });
    // The user's own spelling goes into the file, so that `~/` stays what it is.
    let value = key.form.parse(value, home).map(|full| spelling(value, full)).ok_or_else(fault)?;
    edit(file, home, |text, assignments| {
        let before = assignments.iter().find(|assignment| assignment.key == key);
        match before {
            Some(before) => {
                let stood = text.get(before.span.clone()).unwrap_or_default().to_owned();
                let mut text = text.to_owned();
                text.replace_range(before.span.clone(), &value.to_string());
                Ok((text, Some(stood)))
            }
            None => Ok((insert(text, key.parts(), &value)?, None)),
        }
    })
}

/// Takes a setting out of the user's file. Returns what stood there, as TOML.
pub fn unset(file: &Path, path: &str, home: Option<&Path>) -> Result<Option<String>, ConfigError> {
    let place = || Place::Command("nidra config");
    let key = key::find(path)
        .ok_or_else(|| ConfigError::Invalid(vec![Problem { place: place(), kind: unknown(path) }]))?;
    edit(file, home, |text, assignments| {
        let Some(before) = assignments.iter().find(|assignment| assignment.key == key) else {
            return Ok((text.to_owned(), None));
        };
        let stood = text.get(before.span.clone()).unwrap_or_default().to_owned();
        let (table, name) = key.parts();
        let removed = with_document(text, |document| {
            if let Some(table) = document.get_mut(table).and_then(Item::as_table_like_mut) {
                table.remove(name);
            }
        })?;
        Ok((removed, Some(stood)))
    })
}

type Edited = Result<(String, Option<String>), toml_edit::TomlError>;

fn edit(
    file: &Path,
    home: Option<&Path>,
    change: impl FnOnce(&str, &[layer::Assignment]) -> Edited,
) -> Result<Option<String>, ConfigError> {
    let file = replace::target(file)?;
    let before = read_text(&file)?;
    let text = before.as_deref().unwrap_or_default();
    let (assignments, problems) = layer::read(&file, text, home);
    if !problems.is_empty() {
        return Err(ConfigError::Invalid(problems));
    }
    let (after, stood) = change(text, &assignments)
        .map_err(|error| PathError::wrap("edit", &file)(io::Error::other(error)))?;
    let (_, problems) = layer::read(&file, &after, home);
    if !problems.is_empty() {
        return Err(ConfigError::Invalid(problems));
    }
    if after != text {
        replace::create_directories(file.parent().unwrap_or(Path::new("/")))?;
        replace::replace(&file, before.as_deref().map(str::as_bytes), after.as_bytes())?;
    }
    Ok(stood)
}

/// The value as the user wrote it where that is a path, else in its one form.
fn spelling(text: &str, full: toml::Value) -> toml::Value {
    match full {
        toml::Value::String(_) => toml::Value::String(text.trim().to_owned()),
        other => other,
    }
}

fn insert(
    text: &str,
    (table, name): (&str, &str),
    value: &toml::Value,
) -> Result<String, toml_edit::TomlError> {
    let value: toml_edit::Value = value.to_string().parse()?;
    with_document(text, |document| {
        let table = document.entry(table).or_insert_with(|| Item::Table(Table::new()));
        if let Some(table) = table.as_table_like_mut() {
            table.insert(name, Item::Value(value));
        }
    })
}

/// Edits a text as a document. The line ends that the document model loses are put back.
fn with_document(text: &str, change: impl FnOnce(&mut DocumentMut)) -> Result<String, toml_edit::TomlError> {
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    let mut document: DocumentMut = body.parse()?;
    change(&mut document);
    let edited = document.to_string().replace("\r\n", "\n");
    let edited = if body.contains("\r\n") { edited.replace('\n', "\r\n") } else { edited };
    Ok(format!("{mark}{edited}"))
}
