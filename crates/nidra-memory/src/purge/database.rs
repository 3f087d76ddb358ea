//! Rows without what is purged. Every text of every table is looked at, so that no table can be forgotten here.

use super::{Matcher, PURGED, Work, markdown};
use crate::store::{Store, StoreError};
use nidra_core::ProjectId;
use serde_json::Value;

/// Tables that hold no words: hashes, places in transcripts, times, figures; and the work itself.
const WITHOUT_WORDS: [&str; 9] = [
    "cursor",
    "entry_use",
    "forgetting_key",
    "forgotten",
    "model_call",
    "project",
    "purge",
    "seen_record",
    "transcript",
];

/// Removes the rows about the entries, cleans the texts of all others, and forgets the work itself.
pub(super) fn clean(
    store: &mut Store,
    project: &ProjectId,
    work: &Work,
    matcher: &Matcher,
) -> Result<usize, StoreError> {
    store.purge_rows(project, &work.entries, &WITHOUT_WORDS, &|text| cleaned(text, matcher))
}

/// A text of a column without what is purged; `None` when it says nothing of it.
fn cleaned(text: &str, matcher: &Matcher) -> Option<String> {
    let value = serde_json::from_str::<Value>(text).ok();
    if let Some(mut value @ (Value::Object(_) | Value::Array(_) | Value::String(_))) = value {
        return matcher.clean_json(&mut value).then(|| value.to_string());
    }
    let clean = matcher.clean(text)?;
    // A path is a path or nothing.
    let is_path = !text.contains(char::is_whitespace) && markdown::role(text).is_some();
    Some(if is_path { format!("{}.md", PURGED.trim_matches(['[', ']'])) } else { clean })
}
