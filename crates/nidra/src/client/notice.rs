//! Settings of the client that keep nidra's hooks or the memory itself from working. They are the user's and are
//! never changed; they are only named, with the line where they stand.

use super::document::{Child, Node, Value};
use super::plan::line_at;
use std::fmt;

/// Something in the client's settings that the user should know about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The line, counted from 1.
    pub line: usize,
    /// What it is.
    pub kind: NoticeKind,
}

/// What a notice is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    /// `disableAllHooks` is true: no hook runs.
    AllHooksDisabled,
    /// `allowManagedHooksOnly` is true: hooks of this file do not run.
    ManagedHooksOnly,
    /// `autoMemoryEnabled` is false: the client does not load the memory.
    AutoMemoryOff,
    /// `env` switches the memory off.
    AutoMemoryOffByVariable,
    /// `autoMemoryDirectory` names another place for the memory, and nidra follows it.
    MemoryDirectory(String),
    /// A rule of `permissions.deny` forbids the client to write; it does not bind nidra.
    WritesDenied(String),
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.kind {
            NoticeKind::AllHooksDisabled => {
                f.write_str("`disableAllHooks` is on, so the client runs no hook")
            }
            NoticeKind::ManagedHooksOnly => {
                f.write_str("`allowManagedHooksOnly` is on, so the client runs no hook of this file")
            }
            NoticeKind::AutoMemoryOff => {
                f.write_str("`autoMemoryEnabled` is off, so the client does not read the memory")
            }
            NoticeKind::AutoMemoryOffByVariable => f.write_str(
                "`env.CLAUDE_CODE_DISABLE_AUTO_MEMORY` is set, so the client does not read the memory",
            ),
            NoticeKind::MemoryDirectory(place) => {
                write!(f, "`autoMemoryDirectory` names {place:?}, and nidra keeps the memory there")
            }
            NoticeKind::WritesDenied(rule) => write!(
                f,
                "`permissions.deny` holds {rule:?}; it binds the client, while nidra writes the memory by itself"
            ),
        }
    }
}

/// What in these settings the user should know about, in the order of the lines.
pub(crate) fn notices(text: &str, root: &Node) -> Vec<Notice> {
    let mut found = Vec::new();
    let mut add = |child: &Child, kind| found.push(Notice { line: line_at(text, child.span.start), kind });
    let switch =
        |name: &str, value: bool| root.member(name).filter(|child| child.node.value == Value::Boolean(value));
    if let Some(child) = switch("disableAllHooks", true) {
        add(child, NoticeKind::AllHooksDisabled);
    }
    if let Some(child) = switch("allowManagedHooksOnly", true) {
        add(child, NoticeKind::ManagedHooksOnly);
    }
    if let Some(child) = switch("autoMemoryEnabled", false) {
        add(child, NoticeKind::AutoMemoryOff);
    }
    if let Some(child) = root.member("autoMemoryDirectory")
        && let Some(place) = child.node.text()
    {
        add(child, NoticeKind::MemoryDirectory(place.to_owned()));
    }
    if let Some(child) = root.member("env").and_then(|env| env.node.member("CLAUDE_CODE_DISABLE_AUTO_MEMORY"))
        && child.node.text().is_some_and(|value| matches!(value.trim(), "1" | "true"))
    {
        add(child, NoticeKind::AutoMemoryOffByVariable);
    }
    let denied = root.member("permissions").and_then(|permissions| permissions.node.member("deny"));
    for rule in denied.map(|deny| deny.node.children()).unwrap_or_default() {
        if let Some(name) = rule.node.text()
            && ["Edit", "Write", "MultiEdit"].iter().any(|tool| names_tool(name, tool))
        {
            add(rule, NoticeKind::WritesDenied(name.to_owned()));
        }
    }
    found.sort_by_key(|notice| notice.line);
    found
}

/// Whether a rule is about all uses of a tool or about its uses on memory files.
fn names_tool(rule: &str, tool: &str) -> bool {
    let Some(rest) = rule.trim().strip_prefix(tool) else { return false };
    let memory =
        |inner: &str| inner.contains("memory") || inner.contains(".claude") || matches!(inner, "*" | "**");
    rest.is_empty() || rest.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).is_some_and(memory)
}
