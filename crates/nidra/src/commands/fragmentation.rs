//! `nidra fragmentation`: how scattered the work is, number by number.

use crate::cli::FragmentationArgs;
use crate::commands::print_json;
use crate::commands::working::judgement;
use crate::context::Context;
use crate::error::CliError;
use crate::printer::style::{self, paint};
use nidra_working::fragmentation::{Fragmentation, Trigger, shown};
use std::process::ExitCode;

/// `nidra fragmentation`
pub fn run(context: &Context, args: &FragmentationArgs) -> Result<ExitCode, CliError> {
    let store = context.store_to_read()?;
    let found = judgement(context, &store, args.tokens)?;
    store.leave();
    if context.printer.json {
        print_json(context, &found)?;
        return Ok(ExitCode::SUCCESS);
    }
    print(context, &found);
    Ok(ExitCode::SUCCESS)
}

/// Prints every signal with its value, its threshold and what is behind it.
pub(super) fn print(context: &Context, found: &Fragmentation) {
    let mut lines = Vec::new();
    for measure in &found.measures {
        let value = measure.value.map_or_else(|| "-".to_owned(), shown);
        let style = match (measure.reached, measure.value) {
            (true, _) => style::BAD,
            (false, Some(_)) => style::GOOD,
            (false, None) => style::DIM,
        };
        lines.push(format!(
            "{:<10} {} of {}",
            measure.signal.as_str(),
            paint(style, &format!("{value:>6}")),
            shown(measure.threshold)
        ));
        lines.extend(measure.items.iter().map(|item| format!("             {item}")));
    }
    lines.push(format!("{:<10} {:>6.2} of {}", "index", found.index, shown(found.max_index)));
    lines.push(match found.trigger {
        Trigger::None => paint(style::GOOD, "No rest is due."),
        Trigger::Soft => paint(style::WARN, "A rest would do good: `nidra rest`."),
        Trigger::Hard => paint(style::BAD, "A rest is due and cannot be put off: `nidra rest`."),
    });
    context.printer.data(&lines.join("\n"));
}
