//! `nidra review`: the plans and proposals that wait for the user's word.

use crate::cli::{ApplyArgs, ReviewArgs};
use crate::commands::print_json;
use crate::context::Context;
use crate::error::CliError;
use crate::printer::style::{self, paint};
use crate::render;
use nidra_core::{Change, Operation};
use nidra_dream::kept::{self, KeptPlan, Origin};
use nidra_dream::question;
use nidra_dream::report::OperationReport;
use nidra_memory::store::{PlanRecord, PlanState, Store};
use std::process::ExitCode;

/// The name for every plan that waits.
pub const ALL: &str = "all";

/// `nidra review`
pub fn run(context: &Context, args: &ReviewArgs) -> Result<ExitCode, CliError> {
    let answers = [
        (&args.keep_first, Some(question::ANSWERS[1])),
        (&args.keep_second, Some(question::ANSWERS[0])),
        (&args.keep_both, None),
    ];
    for (plan, goes) in answers.into_iter().filter_map(|(plan, goes)| Some((plan.as_ref()?, goes))) {
        let record = find(context, &context.store_to_read()?, plan)?;
        if !is_question(&record) {
            return Err(CliError::usage(format!("plan {} asks no question", record.hash)).hint(format!(
                "`nidra apply {0}` applies, `nidra review --drop {0}` drops it",
                record.hash
            )));
        }
        if let Some(goes) = goes {
            let args = ApplyArgs { plan: record.hash.to_string(), only: vec![goes.to_owned()], words: None };
            return super::apply::run(context, &args);
        }
    }
    if let Some(name) = args.drop.as_ref().or(args.keep_both.as_ref()) {
        return drop(context, name);
    }
    let store = context.store_to_read()?;
    let plans = match &args.plan {
        None => open(context, &store)?,
        Some(name) => {
            let found = find(context, &store, name).map_err(|error| {
                error.hint("`nidra apply PLAN` accepts one, `nidra review --drop PLAN` rejects it")
            })?;
            if found.state != PlanState::Open {
                context.printer.say(&format!(
                    "Plan {} is {} and waits no more.",
                    found.hash,
                    found.state.as_str()
                ));
            }
            vec![found]
        }
    };
    if context.printer.json {
        let plans: Vec<_> = plans
            .iter()
            .map(|record| {
                serde_json::json!({
                    "plan": record.hash, "created": record.created, "state": record.state, "body": record.body,
                })
            })
            .collect();
        print_json(context, &plans)?;
        return Ok(ExitCode::SUCCESS);
    }
    if plans.is_empty() {
        context.printer.say("Nothing waits for your word.");
    }
    for record in plans {
        let zone = context.zone();
        context.printer.data(&format!(
            "{}  made {}",
            paint(style::HEAD, record.hash.as_str()),
            render::moment(record.created, &zone)
        ));
        let asks = is_question(&record);
        if asks {
            context.printer.data("  Memory says two things of which only one can hold.");
        }
        match kept::read(&record) {
            Ok(plan) => {
                let parts = if record.state == PlanState::Open {
                    Vec::new()
                } else {
                    kept::load(&store, &context.project.id)
                        .map_err(|error| CliError::failed("cannot read the state directory", error))?
                };
                for (operation, because) in plan.operations().iter().zip(&plan.waits_because) {
                    let change = &operation.change;
                    let shown = OperationReport::from(operation);
                    context.printer.data(render::operations(std::slice::from_ref(&shown), &zone).trim_end());
                    let fate = match record.state {
                        PlanState::Open => format!("waits because {because}"),
                        state => fate(operation, &plan, state, &parts, because),
                    };
                    context.printer.data(&format!("      {fate}"));
                    if let Some(difference) = outside(context, change) {
                        context.printer.data(render::difference(&difference).trim_end());
                    }
                }
            }
            Err(error) => context.printer.warn(&format!("  cannot be applied: {error}")),
        }
        if record.state != PlanState::Open {
            continue;
        }
        if asks {
            context.printer.say(&format!(
                "  `nidra review --keep-first {0}`, `--keep-second {0}` or `--keep-both {0}` answers it.",
                record.hash
            ));
            continue;
        }
        context
            .printer
            .say(&format!("  `nidra apply {0}` applies, `nidra review --drop {0}` drops it.", record.hash));
    }
    Ok(ExitCode::SUCCESS)
}

/// What became of an operation of a plan that waits no more: what was not done of it waits, or waited, as a smaller plan.
fn fate(
    operation: &Operation,
    plan: &KeptPlan,
    state: PlanState,
    all: &[(PlanRecord, KeptPlan)],
    because: &str,
) -> String {
    let parts = all.iter().filter(|(_, part)| {
        part.operations().len() < plan.operations().len()
            && part.operations().contains(operation)
            && part.operations().iter().all(|one| plan.operations().contains(one))
    });
    match parts.min_by_key(|(_, part)| part.operations().len()) {
        Some((record, _)) if record.state == PlanState::Open => {
            format!("waits as plan {}: {because}", record.hash)
        }
        Some((record, _)) => format!("is {}, as plan {}", record.state.as_str(), record.hash),
        None => format!("is {}", state.as_str()),
    }
}

/// Drops a plan, or all that wait.
fn drop(context: &Context, name: &str) -> Result<ExitCode, CliError> {
    let mut store = context.store()?;
    let records = if name == ALL { open(context, &store)? } else { vec![find(context, &store, name)?] };
    let mut dropped = Vec::new();
    for record in records {
        let hash = record.hash.clone();
        if record.state != PlanState::Open {
            let state = record.state.as_str();
            return Err(CliError::usage(format!("plan {hash} is {state}, not open"))
                .hint("`nidra undo` takes back what was applied, and its plan waits again then"));
        }
        store
            .put_plan(&context.project.id, &PlanRecord { state: PlanState::Rejected, ..record })
            .map_err(|error| CliError::failed("cannot use the state directory", error))?;
        context.printer.say(&format!("Plan {hash} is dropped."));
        dropped.push(hash);
    }
    if context.printer.json {
        let value = if name == ALL { serde_json::json!(dropped) } else { serde_json::json!(dropped.first()) };
        print_json(context, &serde_json::json!({ "dropped": value }))?;
    } else if dropped.is_empty() {
        context.printer.say("Nothing waits for your word.");
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether a plan asks which of two statements holds.
pub fn is_question(record: &PlanRecord) -> bool {
    serde_json::from_value::<KeptPlan>(record.body.clone()).is_ok_and(|plan| plan.origin == Origin::Question)
}

/// What accepting a proposal would do to the file that it is for.
fn outside(context: &Context, change: &Change) -> Option<String> {
    let Change::Propose { destination, text } = change else { return None };
    let settings = &context.settings().propose;
    let preview = nidra_dream::outside::preview(&context.project.checkout, settings, destination, text);
    Some(preview.unwrap_or_else(|error| format!("      cannot be accepted as it is: {error}\n")))
}

/// The open plans, newest first.
pub fn open(context: &Context, store: &Store) -> Result<Vec<PlanRecord>, CliError> {
    store
        .plans(&context.project.id, Some(PlanState::Open))
        .map_err(|error| CliError::failed("cannot read the state directory", error))
}

/// Finds a plan by its hash or its first characters, whatever became of it.
pub fn find(context: &Context, store: &Store, name: &str) -> Result<PlanRecord, CliError> {
    let plans = store
        .plans(&context.project.id, None)
        .map_err(|error| CliError::failed("cannot read the state directory", error))?;
    let hint = "`nidra review` lists what waits";
    if name.is_empty() {
        return Err(CliError::usage("the plan's name is empty").hint(hint));
    }
    let mut found = plans.into_iter().filter(|plan| plan.hash.as_str().starts_with(name));
    match (found.next(), found.next()) {
        (Some(plan), None) => Ok(plan),
        (Some(_), Some(_)) => Err(CliError::usage(format!("several plans begin with {name}")).hint(hint)),
        (None, _) => Err(CliError::usage(format!("no plan is called {name}")).hint(hint)),
    }
}
