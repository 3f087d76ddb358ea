//! `nidra check`: what is odd in the memory directory, and a plan for what can be mended without loss.

use crate::cli::CheckArgs;
use crate::commands::{checklist, drift, print_json};
use crate::context::Context;
use crate::error::CliError;
use crate::printer::style::{self, paint};
use nidra_core::text::wording::counted;
use nidra_dream::guard;
use nidra_dream::kept::{KeptPlan, Origin};
use nidra_memory::check::{Finding, Severity, check};
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::limits::IndexLimits;
use nidra_memory::repair::repairs;
use std::process::ExitCode;

/// `nidra check`
pub fn run(context: &Context, args: &CheckArgs) -> Result<ExitCode, CliError> {
    if args.now {
        return checklist::run(context);
    }
    let memory = MemoryDirectory::load(&context.memory).map_err(|error| {
        CliError::failed(format!("cannot read the memory directory {}", context.memory.display()), error)
            .hint("mend the cause, or name another directory with memory.directory")
    })?;
    if args.drift {
        return drift::run(context, &memory);
    }
    let limits = IndexLimits::from(&context.settings().memory);
    let findings = check(&memory, &limits);
    let plan = if args.fix { keep_repairs(context, &memory, &limits)? } else { None };
    if context.printer.json {
        let findings: Vec<_> = findings.iter().map(as_json).collect();
        let plan = plan.as_ref().map(KeptPlan::hash);
        print_json(context, &serde_json::json!({ "findings": findings, "plan": plan }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let printer = context.printer;
    for finding in &findings {
        let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
        let style = match finding.severity {
            Severity::Note => style::DIM,
            Severity::Warning => style::WARN,
            Severity::Error => style::BAD,
        };
        printer.data(&format!("{}{line}: {}", finding.path, paint(style, &finding.message)));
    }
    let index = memory.index_use();
    printer.say(&format!(
        "{}. Index: {} of {} lines, {} of {} UTF-16 units ({} bytes).",
        counted(findings.len(), "finding"),
        index.lines,
        limits.lines,
        index.units,
        limits.units,
        index.bytes
    ));
    match (&plan, args.fix) {
        (Some(plan), _) => {
            for operation in plan.operations() {
                printer.data(&format!(
                    "  {} {}: {}",
                    operation.id,
                    guard::describe(&operation.change),
                    operation.reason
                ));
            }
            printer.say(&format!(
                "`nidra apply {0}` mends this, `nidra review --drop {0}` drops it.",
                plan.hash()
            ));
        }
        (None, true) => printer.say("Nothing can be mended without your judgement."),
        (None, false) => {}
    }
    Ok(ExitCode::SUCCESS)
}

fn as_json(finding: &Finding) -> serde_json::Value {
    serde_json::json!({
        "path": finding.path, "line": finding.line, "kind": finding.kind.as_str(),
        "severity": finding.severity.as_str(), "message": finding.message,
    })
}

/// Keeps what can be mended as a plan; nothing in memory changes before the user applies it.
fn keep_repairs(
    context: &Context,
    memory: &MemoryDirectory,
    limits: &IndexLimits,
) -> Result<Option<KeptPlan>, CliError> {
    let operations = repairs(memory, limits);
    if operations.is_empty() {
        return Ok(None);
    }
    let because = "`nidra check` changes nothing by itself";
    let waits_because = operations.iter().map(|_| because.to_owned()).collect();
    let plan = KeptPlan::new(Origin::Proposal, "check", operations, waits_because);
    let failed = |error| {
        CliError::failed(format!("cannot use the state directory {}", context.state.display()), error)
    };
    let mut store = context.store()?;
    let (project, now) = (&context.project, context.now.timestamp());
    store.put_project(&project.id, &project.root, &context.memory, now).map_err(failed)?;
    store.put_plan(&project.id, &plan.opened(&memory.tree_hash(), now)).map_err(failed)?;
    Ok(Some(plan))
}
