//! The index as the client counts it when it loads it, and what falls off its end.
//!
//! The client trims the text, leaves out a leading front matter block and HTML comments, and then takes
//! 200 lines and 25,000 UTF-16 units; bytes are counted only because people look at them.

use crate::document::lines::{Line, split};
use crate::front_matter;
use nidra_core::settings::MemorySettings;

/// How full the index may get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexLimits {
    /// Lines at most.
    pub lines: usize,
    /// UTF-16 units at most.
    pub units: usize,
    /// UTF-16 units of a line that nidra writes at most.
    pub line_units: usize,
}

impl Default for IndexLimits {
    fn default() -> Self {
        Self::from(&MemorySettings::default())
    }
}

impl From<&MemorySettings> for IndexLimits {
    fn from(settings: &MemorySettings) -> Self {
        let size = |value: u32| usize::try_from(value).unwrap_or(usize::MAX);
        Self {
            lines: size(settings.max_index_lines),
            units: size(settings.max_index_units),
            line_units: size(settings.max_line_units),
        }
    }
}

/// How full the index is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexUse {
    /// Lines as the client counts them.
    pub lines: usize,
    /// UTF-16 units as the client counts them.
    pub units: usize,
    /// The file's size in bytes.
    pub bytes: usize,
}

impl IndexUse {
    /// Whether everything is loaded.
    pub fn fits(&self, limits: &IndexLimits) -> bool {
        self.lines <= limits.lines && self.units <= limits.units
    }

    /// The share of the fuller of both limits, in percent.
    pub fn percent(&self, limits: &IndexLimits) -> usize {
        let share =
            |used: usize, limit: usize| used.saturating_mul(100).checked_div(limit).unwrap_or(usize::MAX);
        share(self.lines, limits.lines).max(share(self.units, limits.units))
    }
}

/// Counts an index as the client does.
pub fn measure(bytes: &[u8]) -> IndexUse {
    let loaded = loaded_lines(bytes);
    let units: usize = loaded.iter().map(|(_, text)| units(text)).sum();
    IndexUse { lines: loaded.len(), units: units + loaded.len().saturating_sub(1), bytes: bytes.len() }
}

/// The lines (by number from 0) that the client cuts off, because they stand beyond a limit.
pub fn cut_lines(bytes: &[u8], limits: &IndexLimits) -> Vec<usize> {
    let mut used = 0;
    let mut cut = Vec::new();
    for (count, (number, text)) in loaded_lines(bytes).into_iter().enumerate() {
        used += units(&text) + usize::from(count > 0);
        // Once a line is cut, everything behind it is.
        if count >= limits.lines || used > limits.units || !cut.is_empty() {
            cut.push(number);
        }
    }
    cut
}

fn units(text: &str) -> usize {
    nidra_core::text::width::utf16_len(text)
}

/// What the client loads, line by line, each with the number of the line that it starts on.
fn loaded_lines(bytes: &[u8]) -> Vec<(usize, String)> {
    let lines = split(bytes);
    let from = front_matter::read(bytes, &lines, 0).map_or(0, |head| head.lines.end);
    let mut out = without_comments(bytes, &lines, from);
    while out.last().is_some_and(|(_, text)| text.trim().is_empty()) {
        out.pop();
    }
    let blank = out.iter().take_while(|(_, text)| text.trim().is_empty()).count();
    out.drain(..blank);
    if let Some((_, first)) = out.first_mut() {
        first.trim_start().to_owned().clone_into(first);
    }
    if let Some((_, last)) = out.last_mut() {
        last.trim_end().to_owned().clone_into(last);
    }
    out
}

/// Takes out closed HTML comments; a comment over several lines joins what stands before and behind it.
fn without_comments(bytes: &[u8], lines: &[Line], from: usize) -> Vec<(usize, String)> {
    let texts: Vec<String> = lines.iter().skip(from).map(|line| line.text(bytes).into_owned()).collect();
    let last_close = texts.iter().rposition(|text| text.contains("-->"));
    let mut out: Vec<(usize, String)> = Vec::new();
    let mut open = false;
    for (offset, text) in texts.iter().enumerate() {
        let mut kept = String::new();
        let mut rest = text.as_str();
        let continued = open;
        loop {
            if open {
                let Some(end) = rest.find("-->") else { break };
                rest = &rest[end + 3..];
                open = false;
            } else if let Some(start) = rest.find("<!--") {
                let behind = &rest[start + 4..];
                let closes = behind.contains("-->") || last_close.is_some_and(|line| line > offset);
                if !closes {
                    kept.push_str(rest);
                    break;
                }
                kept.push_str(&rest[..start]);
                rest = behind;
                open = true;
            } else {
                kept.push_str(rest);
                break;
            }
        }
        match out.last_mut() {
            Some((_, before)) if continued => before.push_str(&kept),
            _ => out.push((from + offset, kept)),
        }
    }
    out
}

#[cfg(test)]
#[path = "limits_tests.rs"]
mod tests;
