//! What `init` and `uninstall` change in a settings text. Pure: bytes in, bytes out.

use super::command::{Owner, owner};
use super::document::{self, Node, Value};
use super::edit::{self, Json};
use super::notice::{Notice, notices};
use std::collections::BTreeSet;

/// The events that nidra listens to, each with the seconds that its hook may take.
///
/// The client gives all `SessionEnd` hooks 1.5 seconds together unless a hook names more. nidra's returns within
/// milliseconds; the number only matters on a machine that is busy.
pub const EVENTS: [(&str, u32); 3] = [("SessionStart", 10), ("Stop", 10), ("SessionEnd", 10)];

/// What is listened to besides by those who want an agent to be told of memory at its first prompt.
pub(crate) const PROMPTS: (&str, u32) = ("UserPromptSubmit", 10);

/// The events to be put in.
fn events(prompts: bool) -> impl Iterator<Item = (&'static str, u32)> {
    EVENTS.into_iter().chain(prompts.then_some(PROMPTS))
}

/// A settings text that hooks cannot be put into; nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// It is not valid UTF-8.
    #[error("line {line}: the text is not valid UTF-8")]
    NotText {
        /// The line, counted from 1.
        line: usize,
    },
    /// It is not JSON.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1 in characters.
        column: usize,
        /// What was wrong.
        message: &'static str,
    },
    /// Something stands where hooks belong.
    #[error("line {line}: {place} is {found} where the client has {wanted}")]
    Unexpected {
        /// The line, counted from 1.
        line: usize,
        /// What it is about, such as `hooks.Stop`.
        place: String,
        /// What stands there.
        found: &'static str,
        /// What should.
        wanted: &'static str,
    },
}

/// What a plan does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Everything is as it should be; no byte changes.
    Unchanged,
    /// The file did not exist.
    Created,
    /// Hooks were added.
    Added,
    /// Hooks named another place of the program, or one was there that is not wanted any more.
    Updated,
    /// nidra's hooks were taken out.
    Removed,
}

/// The text as it will be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    /// All bytes of the new text.
    pub bytes: Vec<u8>,
    /// What was done.
    pub action: Action,
    /// Settings that keep the hooks or the memory from working.
    pub notices: Vec<Notice>,
}

/// The containers of hooks that a text has: the ones that `uninstall` leaves when they become empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Containers {
    hooks: bool,
    events: BTreeSet<String>,
}

/// Plans nidra's hooks into a settings text; `None` stands for a file that does not exist.
///
/// Only adds bytes, except where a hook of nidra's names another place of the program: there the command is
/// replaced. Hooks that a person adapted are left as they are and count as installed. `prompts` listens to prompts as well;
/// without it a hook of nidra's that does is taken out.
pub fn plan_install(bytes: Option<&[u8]>, command: &str, prompts: bool) -> Result<Edited, PlanError> {
    let Some(bytes) = bytes else {
        let text = edit::append_document("", &all_hooks_document(command, prompts));
        return Ok(Edited { bytes: text.into_bytes(), action: Action::Created, notices: Vec::new() });
    };
    let mut text = decode(bytes)?.to_owned();
    let Some(root) = parse(&text)? else {
        let text = edit::append_document(&text, &all_hooks_document(command, prompts));
        return Ok(Edited { bytes: text.into_bytes(), action: Action::Added, notices: Vec::new() });
    };
    let notices = notices(&text, &root);
    let mut action = Action::Unchanged;
    let hooks = hooks_of(&text, &root)?;
    if hooks.is_none() {
        text = edit::insert(&text, &root, &root, Some("hooks"), &all_hooks(command, prompts));
        action = Action::Added;
    }
    for (event, seconds) in events(prompts) {
        // Each step reads the text again: positions move with every edit.
        let Some(root) = parse(&text)? else { break };
        let Some(hooks) = hooks_of(&text, &root)? else { break };
        let groups = groups_of(&text, hooks, event)?;
        let ours: Vec<&Node> = groups.map(our_commands).unwrap_or_default();
        if ours.is_empty() {
            text = match groups {
                Some(groups) => edit::insert(&text, &root, groups, None, &group(command, seconds)),
                None => {
                    edit::insert(&text, &root, hooks, Some(event), &Json::List(vec![group(command, seconds)]))
                }
            };
            action = Action::Added;
            continue;
        }
        // From the last to the first, so that the spans of the others stay true.
        for node in ours.into_iter().rev() {
            let stands = node.text().unwrap_or_default();
            if stands != command && owner(stands) == Owner::Ours {
                let mut quoted = String::new();
                edit::quote(&mut quoted, command);
                text.replace_range(node.span.clone(), &quoted);
                action = if action == Action::Unchanged { Action::Updated } else { action };
            }
        }
    }
    let is_idle = |event: &str, entry: &Node| event == PROMPTS.0 && is_ours(entry);
    while !prompts && let Some(shorter) = remove_one(&text, &Containers::default(), &is_idle)? {
        text = shorter;
        action = if action == Action::Unchanged { Action::Updated } else { action };
    }
    Ok(Edited { bytes: text.into_bytes(), action, notices })
}

/// Plans nidra's hooks out of a settings text, with the containers that became empty and are not among `keep`.
pub(crate) fn plan_removal(bytes: &[u8], keep: &Containers) -> Result<Edited, PlanError> {
    let mut text = decode(bytes)?.to_owned();
    let mut action = Action::Unchanged;
    while let Some(shorter) = remove_one(&text, keep, &|_, entry| our_command(entry).is_some())? {
        text = shorter;
        action = Action::Removed;
    }
    Ok(Edited { bytes: text.into_bytes(), action, notices: Vec::new() })
}

/// The containers of hooks in a text; none where it cannot be read.
pub(crate) fn containers(bytes: &[u8]) -> Containers {
    let Some(Ok(Some(root))) = std::str::from_utf8(bytes).ok().map(document::parse) else {
        return Containers::default();
    };
    let hooks = root.member("hooks").map(|child| &child.node);
    let events = hooks.map(Node::children).unwrap_or_default();
    Containers { hooks: hooks.is_some(), events: events.iter().map(|event| event.name.clone()).collect() }
}

/// Whether an object without members and without comments is all that a text holds.
pub(crate) fn is_bare(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let letters: String =
        text.trim_start_matches('\u{feff}').chars().filter(|letter| !letter.is_whitespace()).collect();
    letters == "{}" || letters.is_empty()
}

/// The events for which a hook of nidra's stands in a text, and the command of the first.
pub(crate) fn installed_events(bytes: &[u8]) -> Result<(BTreeSet<String>, Option<String>), PlanError> {
    let text = decode(bytes)?;
    let mut events = BTreeSet::new();
    let mut command = None;
    if let Some(root) = parse(text)?
        && let Some(hooks) = root.member("hooks")
    {
        for event in hooks.node.children() {
            if let Some(first) = our_commands(&event.node).first() {
                events.insert(event.name.clone());
                command = command.or_else(|| first.text().map(str::to_owned));
            }
        }
    }
    Ok((events, command))
}

/// Settings in a text that keep the hooks or the memory from working.
pub(crate) fn notices_of(bytes: &[u8]) -> Result<Vec<Notice>, PlanError> {
    let text = decode(bytes)?;
    Ok(parse(text)?.map(|root| notices(text, &root)).unwrap_or_default())
}

/// Takes out one hook of those that `goes` names by event and entry, with the containers that this leaves empty; `None`
/// when nothing is left to take out.
fn remove_one(
    text: &str,
    keep: &Containers,
    goes: &dyn Fn(&str, &Node) -> bool,
) -> Result<Option<String>, PlanError> {
    let Some(root) = parse(text)? else { return Ok(None) };
    let Some(hooks) = root.member("hooks") else { return Ok(None) };
    for (event_index, event) in hooks.node.children().iter().enumerate() {
        for (group_index, group) in event.node.children().iter().enumerate() {
            let Some(entries) = group.node.member("hooks").map(|child| &child.node) else { continue };
            let found = entries.children().iter().position(|entry| goes(&event.name, &entry.node));
            let Some(index) = found else { continue };
            // A container goes with its last child, so that nothing empty has to be looked for afterwards.
            let shorter = if entries.children().len() > 1 {
                edit::remove(text, entries, index)
            } else if event.node.children().len() > 1 || keep.events.contains(&event.name) {
                edit::remove(text, &event.node, group_index)
            } else if hooks.node.children().len() > 1 || keep.hooks {
                edit::remove(text, &hooks.node, event_index)
            } else {
                let index = root.children().iter().rposition(|child| child.name == "hooks");
                edit::remove(text, &root, index.unwrap_or_default())
            };
            // Every step takes bytes away, so that this ends.
            return Ok(Some(shorter).filter(|shorter| shorter.len() < text.len()));
        }
    }
    Ok(None)
}

fn decode(bytes: &[u8]) -> Result<&str, PlanError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        PlanError::NotText { line: before.split(|byte| *byte == b'\n').count() }
    })
}

fn parse(text: &str) -> Result<Option<Node>, PlanError> {
    let root = document::parse(text).map_err(|error| {
        let before = text.get(..error.offset).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        PlanError::Syntax {
            line: line_at(text, error.offset),
            column: 1 + line.trim_start_matches('\u{feff}').chars().count(),
            message: error.message,
        }
    })?;
    match root {
        Some(root) if !matches!(root.value, Value::Object(_)) => {
            Err(unexpected(text, &root, "the whole of it", "an object"))
        }
        Some(_) | None => Ok(root),
    }
}

/// The line of a place, counted from 1.
pub(crate) fn line_at(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}

fn unexpected(text: &str, node: &Node, place: &str, wanted: &'static str) -> PlanError {
    PlanError::Unexpected {
        line: line_at(text, node.span.start),
        place: place.to_owned(),
        found: node.type_name(),
        wanted,
    }
}

fn hooks_of<'a>(text: &str, root: &'a Node) -> Result<Option<&'a Node>, PlanError> {
    match root.member("hooks").map(|child| &child.node) {
        Some(node) if !matches!(node.value, Value::Object(_)) => {
            Err(unexpected(text, node, "hooks", "an object"))
        }
        found => Ok(found),
    }
}

fn groups_of<'a>(text: &str, hooks: &'a Node, event: &str) -> Result<Option<&'a Node>, PlanError> {
    match hooks.member(event).map(|child| &child.node) {
        Some(node) if !matches!(node.value, Value::Array(_)) => {
            Err(unexpected(text, node, &format!("hooks.{event}"), "a list"))
        }
        found => Ok(found),
    }
}

/// The command strings of nidra's among the groups of one event.
fn our_commands(groups: &Node) -> Vec<&Node> {
    groups
        .children()
        .iter()
        .filter_map(|group| group.node.member("hooks"))
        .flat_map(|entries| entries.node.children())
        .filter_map(|entry| our_command(&entry.node))
        .collect()
}

fn our_command(entry: &Node) -> Option<&Node> {
    let command = &entry.member("command")?.node;
    (owner(command.text()?) != Owner::Foreign).then_some(command)
}

/// Whether an entry is a hook as nidra wrote it, adapted by nobody.
fn is_ours(entry: &Node) -> bool {
    our_command(entry).and_then(Node::text).is_some_and(|command| owner(command) == Owner::Ours)
}

fn group(command: &str, seconds: u32) -> Json {
    let entry = Json::Object(vec![
        ("type", Json::Text("command".to_owned())),
        ("command", Json::Text(command.to_owned())),
        ("timeout", Json::Number(seconds)),
    ]);
    Json::Object(vec![("hooks", Json::List(vec![entry]))])
}

fn all_hooks(command: &str, prompts: bool) -> Json {
    let hook = |(event, seconds)| (event, Json::List(vec![group(command, seconds)]));
    Json::Object(events(prompts).map(hook).collect())
}

fn all_hooks_document(command: &str, prompts: bool) -> Json {
    Json::Object(vec![("hooks", all_hooks(command, prompts))])
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
