//! `nidra apply`: applies a kept plan, bound to its hash.

use crate::cli::ApplyArgs;
use crate::commands::undo::lease_to_change;
use crate::commands::{print_json, review};
use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use crate::render;
use nidra_core::OperationId;
use nidra_dream::apply::{Application, ApplyError, apply};
use nidra_dream::report::RunReport;
use nidra_memory::store::Store;
use std::process::ExitCode;

/// `nidra apply`
pub fn run(context: &Context, args: &ApplyArgs) -> Result<ExitCode, CliError> {
    context.demand_on()?;
    if args.plan == review::ALL {
        let store = context.store()?;
        return all(context, &store, args);
    }
    let report = run_one(context, args)?;
    if context.printer.json {
        print_json(context, &report)?;
    } else {
        say(context, &report);
    }
    Ok(code(&report).into())
}

/// Who asked for all of it learns that not all of it was done.
fn code(report: &RunReport) -> u8 {
    if report.refused.is_empty() { 0 } else { ErrorKind::Refused.exit_code() }
}

fn say(context: &Context, report: &RunReport) {
    context.printer.data(render::report(report, &context.zone(), false).trim_end());
    context.printer.say(&render::ending(report));
}

/// Applies a plan.
fn run_one(context: &Context, args: &ApplyArgs) -> Result<RunReport, CliError> {
    let mut store = context.store()?;
    let record = review::find(context, &store, &args.plan)?;
    let lease = lease_to_change(context, &mut store, "apply")?;
    let only: Vec<OperationId> = args.only.iter().map(|id| OperationId::new(id.as_str())).collect();
    let application = Application {
        project: &context.project,
        memory_root: &context.memory,
        settings: context.settings(),
        now: &context.now,
        only: &only,
        words: args.words.as_deref(),
    };
    apply(&application, &mut store, &lease, &record).map_err(|error| failure(context, error))
}

/// Every plan that waits and asks no question, one after the other; one that fails never keeps the others waiting.
fn all(context: &Context, store: &Store, args: &ApplyArgs) -> Result<ExitCode, CliError> {
    if !args.only.is_empty() || args.words.is_some() {
        return Err(CliError::usage("--only and --words are for one plan; name it"));
    }
    let plans = review::open(context, store)?;
    let plans: Vec<_> = plans.into_iter().filter(|record| !review::is_question(record)).collect();
    if plans.is_empty() {
        context.printer.say("Nothing waits for your word.");
    }
    let mut worst = 0;
    let mut answers = Vec::new();
    for record in plans {
        let args = ApplyArgs { plan: record.hash.to_string(), only: Vec::new(), words: None };
        match run_one(context, &args) {
            Ok(report) => {
                worst = worst.max(code(&report));
                if !context.printer.json {
                    say(context, &report);
                }
                answers.push(serde_json::to_value(&report).unwrap_or_default());
            }
            Err(error) => {
                worst = worst.max(error.kind.exit_code());
                let mut answer = error.to_json();
                if let Some(fields) = answer.as_object_mut() {
                    fields.insert("plan".to_owned(), serde_json::json!(record.hash));
                }
                answers.push(answer);
                if !context.printer.json {
                    context.printer.warn(&error.render());
                }
            }
        }
    }
    // One document, however many plans there are.
    if context.printer.json {
        print_json(context, &answers)?;
    }
    Ok(worst.into())
}

fn failure(context: &Context, error: ApplyError) -> CliError {
    match error {
        ApplyError::NotOpen { .. } | ApplyError::NoSuchOperation { .. } | ApplyError::Words => {
            CliError::usage(error.to_string()).hint("`nidra review` lists what waits")
        }
        error @ ApplyError::Question(_) => CliError::usage(error.to_string())
            .hint("`nidra review --keep-first PLAN`, `--keep-second PLAN` or `--keep-both PLAN` answers it"),
        ApplyError::Nothing(report) => {
            let mut end = CliError::new(ErrorKind::Refused, "nothing of the plan fits memory as it is now")
                .hint("`nidra plan` makes a new one");
            for refusal in report.refused {
                end = end.hint(format!("{} {}: {}", refusal.operation, refusal.what, refusal.reason));
            }
            end
        }
        ApplyError::Refused(reason) => CliError::new(ErrorKind::Refused, reason),
        error => CliError::failed(
            format!("the plan was not applied; {} is as it was", context.memory.display()),
            error,
        ),
    }
}
