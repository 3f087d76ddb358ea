//! `nidra density`: which passages of a session or a text are worth keeping.

use crate::cli::DensityArgs;
use crate::commands::working::session_folders;
use crate::commands::{print_json, tokens};
use crate::context::Context;
use crate::error::CliError;
use crate::printer::style::{self, paint};
use nidra_core::text::width;
use nidra_rules::density::{Weighed, weigh};
use nidra_working::{live, talk};
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

/// Columns of the strip.
const STRIP: usize = 80;

/// `nidra density`
pub fn run(context: &Context, args: &DensityArgs) -> Result<ExitCode, CliError> {
    let path = args.file.clone().or_else(|| live::newest(&session_folders(context))).ok_or_else(|| {
        CliError::usage("there is no session here").hint("name a transcript or a text: `nidra density FILE`")
    })?;
    let conversation = read(&path)?;
    let mut weighed = weigh(&conversation, &context.now);
    weighed.retain(|one| !talk::words(&conversation, one.place).trim().is_empty());
    if context.printer.json {
        let passages: Vec<_> = weighed
            .iter()
            .map(|one| {
                let turn = conversation.turns.get(one.place);
                json!({
                    "place": one.place, "value": round(one.value), "reason": one.reason,
                    "speaker": turn.map(|turn| turn.speaker), "record": turn.map(|turn| &turn.source.record),
                    "text": talk::words(&conversation, one.place),
                })
            })
            .collect();
        print_json(context, &json!({ "file": path.display().to_string(), "passages": passages }))?;
        return Ok(ExitCode::SUCCESS);
    }
    context.printer.data(&strip(&weighed));
    let mut ranked: Vec<&Weighed> = weighed.iter().collect();
    ranked.sort_by(|one, two| two.value.total_cmp(&one.value).then(one.place.cmp(&two.place)));
    for one in ranked.into_iter().take(args.limit) {
        let words = talk::words(&conversation, one.place).split_whitespace().collect::<Vec<_>>().join(" ");
        let words = width::shorten_columns(&words, 90);
        context.printer.data(&format!("{:.2}  {:>5}  {words}", one.value, one.place));
        context.printer.data(&paint(style::DIM, &format!("             {}", one.reason)));
    }
    Ok(ExitCode::SUCCESS)
}

/// A transcript as a conversation, or a text paragraph by paragraph.
fn read(path: &Path) -> Result<nidra_core::Conversation, CliError> {
    if path.extension().is_some_and(|extension| extension == "jsonl") {
        return talk::read(path)
            .map_err(|error| CliError::failed(format!("cannot read {}", path.display()), error));
    }
    Ok(talk::of_text(&tokens::read(path)?))
}

/// The whole talk on one line: the darker, the more is worth keeping there.
fn strip(weighed: &[Weighed]) -> String {
    const SHADES: [(f64, &str); 4] = [(0.15, "·"), (0.35, "░"), (0.55, "▒"), (0.75, "▓")];
    let columns = weighed.len().min(STRIP);
    let mut text = String::new();
    for column in 0..columns {
        let (from, to) = (column * weighed.len() / columns, (column + 1) * weighed.len() / columns);
        let best = weighed.get(from..to).unwrap_or_default().iter().map(|one| one.value).fold(0.0, f64::max);
        let shade = SHADES.iter().find(|(limit, _)| best < *limit).map_or("█", |(_, shade)| shade);
        let style = if best >= 0.55 {
            style::GOOD
        } else if best >= 0.35 {
            style::WARN
        } else {
            style::DIM
        };
        text.push_str(&paint(style, shade));
    }
    text
}

fn round(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
