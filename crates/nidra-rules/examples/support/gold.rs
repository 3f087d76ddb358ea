//! Scenario files with what is known of them.

use regex::{Regex, RegexBuilder};
use serde_json::Value;
use std::error::Error;
use std::path::PathBuf;

/// The scenario files that arguments name, by name; folders stand for all in them.
pub(crate) fn files(arguments: impl Iterator<Item = String>) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for argument in arguments {
        let path = PathBuf::from(argument);
        if path.is_dir() {
            for entry in std::fs::read_dir(path)? {
                files.push(entry?.path());
            }
        } else {
            files.push(path);
        }
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    Ok(files)
}

/// The expressions of a list.
pub(crate) fn patterns(list: &Value) -> Result<Vec<Regex>, Box<dyn Error>> {
    // What must not stand beside a value only matters where it is looked for in a whole file.
    let around = Regex::new(r"\(\?<?[!=](?:[^()]|\([^()]*\))*\)")?;
    let texts = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    Ok(texts
        .map(|text| RegexBuilder::new(&around.replace_all(text, "")).case_insensitive(true).build())
        .collect::<Result<_, _>>()?)
}
