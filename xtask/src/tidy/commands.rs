//! Commands that a document names but the program does not have.

use super::tree::Tree;
use anyhow::{Context, Result};
use std::{
    collections::BTreeMap,
    path::Path,
    process::{Command, Stdio},
};

/// Asks the program for the help of every command that the documents name.
pub(crate) fn unknown(tree: &Tree, program: &Path) -> Result<Vec<String>> {
    let mut named: BTreeMap<&str, &str> = BTreeMap::new();
    for (path, text) in tree.documents() {
        for command in named_commands(text) {
            named.entry(command).or_insert(path);
        }
    }
    let mut found = Vec::new();
    for (name, path) in named {
        let status = Command::new(program)
            .args([name, "--help"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .with_context(|| format!("cannot start {}", program.display()))?;
        if !status.success() {
            found.push(format!("{path} names `nidra {name}`, which ends with {status}"));
        }
    }
    Ok(found)
}

/// The word after `nidra` wherever code names the program: in a span, or at the start of a line of a block.
fn named_commands(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let start = line.trim_start();
        let marks = ["```", "~~~"].into_iter().find(|marks| start.starts_with(marks));
        if let Some(marks) = marks
            && fence.is_none_or(|open| open == marks)
        {
            fence = if fence.is_some() { None } else { Some(marks) };
            continue;
        }
        if fence.is_some() {
            let typed = start.strip_prefix("$ ").unwrap_or(start);
            found.extend(command_of(typed));
            continue;
        }
        // Every second piece between backticks is code.
        found.extend(line.split('`').skip(1).step_by(2).filter_map(command_of));
    }
    found
}

/// The command in `nidra COMMAND …`; options and placeholders in capitals are none.
fn command_of(code: &str) -> Option<&str> {
    let word = code.strip_prefix("nidra ")?.split_whitespace().next()?;
    let plain = word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    (plain && !word.starts_with('-')).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_found_in_spans_and_blocks() {
        let text = "Run `nidra try` or `nidra undo RUN`; nidra sleeps. `nidra --help`, `nidra COMMAND`.\n\
                    ```sh\n$ nidra init\nnidra dream --yes # then\n# nidra nothing\n```\n`nidra log --json`";
        assert_eq!(named_commands(text), ["try", "undo", "init", "dream", "log"]);
    }
}
