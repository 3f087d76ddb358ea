//! `nidra check`: what is odd in the memory directory; changes nothing.

use crate::commands::print_json;
use crate::context::Context;
use crate::error::CliError;
use nidra_dream::report::counted;
use nidra_memory::check::check;
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::limits::IndexLimits;
use std::process::ExitCode;

/// `nidra check`
pub fn run(context: &Context) -> Result<ExitCode, CliError> {
    let memory = MemoryDirectory::load(&context.memory).map_err(|error| {
        CliError::failed(format!("cannot read the memory directory {}", context.memory.display()), error)
            .hint("mend the cause, or name another directory with memory.directory")
    })?;
    let limits = IndexLimits::from(&context.settings().memory);
    let findings = check(&memory, &limits);
    if context.printer.json {
        let findings: Vec<_> = findings
            .iter()
            .map(|finding| {
                serde_json::json!({
                    "path": finding.path, "line": finding.line, "kind": finding.kind.as_str(),
                    "severity": finding.severity.as_str(), "message": finding.message,
                })
            })
            .collect();
        print_json(context, &findings)?;
    } else {
        for finding in &findings {
            let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
            context.printer.data(&format!("{}{line}: {}", finding.path, finding.message));
        }
        let index = memory.index_use();
        context.printer.say(&format!(
            "{}. Index: {} of {} lines, {} of {} UTF-16 units ({} bytes).",
            counted(findings.len(), "finding"),
            index.lines,
            limits.lines,
            index.units,
            limits.units,
            index.bytes
        ));
    }
    Ok(ExitCode::SUCCESS)
}
