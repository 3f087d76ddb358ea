//! What leaves active memory, written down: when, why, in which run, the old words, and what replaced them.

use super::StageContext;
use crate::document::lines::{Ending, ending_near, split};
use crate::front_matter::write::single_line;
use nidra_core::Operation;

/// One thing that leaves active memory.
pub(super) struct Item<'a> {
    /// The operation that asks for it.
    pub(super) operation: &'a Operation,
    /// What happens to it: `superseded`, `archived`.
    pub(super) verb: &'a str,
    /// The old words, byte for byte.
    pub(super) old: &'a str,
    /// What is true now.
    pub(super) new: Option<&'a str>,
}

/// The archive file with one more item at its end.
pub(super) fn append(
    existing: Option<&[u8]>,
    topic: &str,
    item: &Item<'_>,
    context: &StageContext,
) -> Vec<u8> {
    let mut out = existing.unwrap_or_default().to_vec();
    let lines = split(&out);
    let ending = ending_near(&lines, lines.len().saturating_sub(1)).as_str();
    let torn = lines.last().is_some_and(|line| line.ending == Ending::None);
    if torn {
        out.extend_from_slice(ending.as_bytes());
    }
    let fence = "`".repeat(longest_run(item.old, '`').max(2) + 1);
    let title = if lines.is_empty() { format!("# Archive of {topic}\n") } else { String::new() };
    let text = format!(
        "{title}\n## {}: {}\n\nReason: {} (run {}, {})\n\n",
        context.now.date(),
        item.verb,
        single_line(&item.operation.reason),
        context.run,
        item.operation.id
    );
    let text = text.replace('\n', ending);
    out.extend_from_slice(text.as_bytes());
    out.extend_from_slice(format!("{fence}text{ending}").as_bytes());
    out.extend_from_slice(item.old.as_bytes());
    if !item.old.ends_with('\n') {
        out.extend_from_slice(ending.as_bytes());
    }
    out.extend_from_slice(format!("{fence}{ending}").as_bytes());
    if let Some(new) = item.new {
        out.extend_from_slice(format!("{ending}Replaced by: {}{ending}", single_line(new)).as_bytes());
    }
    out
}

fn longest_run(text: &str, mark: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for letter in text.chars() {
        run = if letter == mark { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
