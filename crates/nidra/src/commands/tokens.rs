//! `nidra tokens`: how many tokens texts come to, without a tokenizer.

use crate::cli::TokensArgs;
use crate::commands::{print_json, working};
use crate::context::Context;
use crate::error::CliError;
use nidra_core::text::token::{Family, Features};
use serde_json::{Map, Value, json};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// `nidra tokens`
pub fn run(context: &Context, args: &TokensArgs) -> Result<ExitCode, CliError> {
    if let Some(model) = args.model.as_deref().filter(|model| Family::known(model).is_none()) {
        context.printer.warn(&format!(
            "warning: the tokenizer of {model:?} is not known, so it counts as {}",
            Family::of_model(model)
        ));
    }
    let family = args.model.as_deref().map_or_else(|| working::family(context), Family::of_model);
    let standard = [PathBuf::from("-")];
    let files = if args.files.is_empty() { &standard[..] } else { &args.files };
    let mut answers = Vec::new();
    let mut sum = 0;
    for file in files {
        let text = read(file)?;
        let features = Features::of(&text);
        let tokens = features.tokens(family);
        sum += tokens;
        if context.printer.json {
            let families: Map<String, Value> = Family::ALL
                .into_iter()
                .map(|family| (family.as_str().to_owned(), features.tokens(family).into()))
                .collect();
            answers.push(json!({
                "file": file.display().to_string(), "bytes": text.len(), "characters": text.chars().count(),
                "family": family.as_str(), "tokens": tokens, "margin": family.margin(), "families": families,
            }));
        } else if files.len() == 1 {
            context.printer.data(&tokens.to_string());
        } else {
            context.printer.data(&format!("{tokens:>9}  {}", file.display()));
        }
    }
    if context.printer.json {
        print_json(context, &answers)?;
    } else if files.len() > 1 {
        context.printer.data(&format!("{sum:>9}  in all"));
    }
    context.printer.say(&format!(
        "An estimate for {family}; one text in a hundred is off by more than {:.0} %.",
        family.margin() * 100.0
    ));
    Ok(ExitCode::SUCCESS)
}

/// The text of a file or of standard input; bytes that are no text count as one sign each.
pub(super) fn read(file: &Path) -> Result<String, CliError> {
    let bytes = if file == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(file)
    };
    match bytes {
        Ok(bytes) => Ok(String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())),
        Err(error) => Err(CliError::failed(format!("cannot read {}", file.display()), error)),
    }
}
