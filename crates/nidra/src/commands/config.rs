//! `nidra config`: shows settings with their origins, or changes one in the user's file.

use crate::cli::{ConfigArgs, Global};
use crate::commands::model::Judge;
use crate::commands::print_json;
use crate::config::{self, Place, Problem};
use crate::context::{Context, usage};
use crate::error::CliError;
use std::process::ExitCode;

/// `nidra config`
pub fn run(global: &Global, context: &Context, args: &ConfigArgs) -> Result<ExitCode, CliError> {
    if let (Some(key), Some(value)) = (&args.key, &args.value) {
        let before = config::set(&context.files.user, key, value, context.environment.home().as_deref())
            .map_err(|error| usage(error).hint("`nidra config` lists all settings"))?;
        if context.printer.json {
            let value = serde_json::json!({ "key": key, "value": value, "before": before, "file": context.files.user.display().to_string() });
            print_json(context, &value)?;
        }
        let before = before.map(|before| format!(" (was {before})")).unwrap_or_default();
        context.printer.say(&format!("{key} = {value}{before} in {}", context.files.user.display()));
        warn_of_engine(global, context, key);
        return Ok(ExitCode::SUCCESS);
    }
    let explanations = match &args.key {
        Some(key) => vec![
            context
                .configuration
                .explain(key)
                .map_err(|kind| Problem { place: Place::Command("nidra config"), kind })
                .map_err(|problem| {
                    CliError::usage(problem.to_string()).hint("`nidra config` lists all settings")
                })?,
        ],
        None => context.configuration.explain_all(),
    };
    if context.printer.json {
        let values: Vec<_> = explanations
            .iter()
            .map(|explanation| {
                serde_json::json!({
                    "key": explanation.key.path, "value": explanation.value, "origin": explanation.origin.to_string(),
                })
            })
            .collect();
        print_json(context, &values)?;
        return Ok(ExitCode::SUCCESS);
    }
    for explanation in explanations {
        let value = explanation.value.as_deref().unwrap_or("(unset)");
        context.printer.data(&format!("{} = {value}  # {}", explanation.key.path, explanation.origin));
        for (origin, value) in &explanation.overridden {
            context.printer.data(&format!("    over {value}  # {origin}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Says that the engine cannot be asked as things are set up now, to whoever just set something of it.
fn warn_of_engine(global: &Global, context: &Context, key: &str) {
    if key != "dream.engine" && !key.starts_with("model.") && !key.starts_with("agent.") {
        return;
    }
    let now = Context::of(global, context.environment.clone(), &context.project.checkout);
    let outlook = now.and_then(|now| now.store_to_read().and_then(|store| Judge::outlook(&now, &store)));
    if let Err(error) = outlook {
        context.printer.warn(&format!(
            "warning: as things are set up the engine of dreams cannot be asked: {}",
            error.one_line()
        ));
    }
}
