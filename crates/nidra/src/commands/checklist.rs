//! `nidra check --now`: the questions whether a rest would do good, answered from data.

use crate::commands::print_json;
use crate::commands::working::{family, memory_entries, session_folders, state_fault};
use crate::context::Context;
use crate::error::CliError;
use crate::printer::style::{self, paint};
use nidra_core::Conversation;
use nidra_working::fragmentation::shown;
use nidra_working::{live, talk, triggers};
use std::process::ExitCode;

/// `nidra check --now`
pub fn run(context: &Context) -> Result<ExitCode, CliError> {
    let path = live::newest(&session_folders(context));
    let conversation = match &path {
        Some(path) => talk::read(path)
            .map_err(|error| CliError::failed(format!("cannot read {}", path.display()), error))?,
        None => Conversation::default(),
    };
    let window = path.as_deref().and_then(|path| live::window_use(path, family(context)));
    let store = context.store_to_read()?;
    // A task that was closed before the talk began is none of its matters.
    let tasks = match conversation.turns.iter().find_map(|turn| turn.at) {
        Some(begin) => store.closed_since(&context.project.id, begin).map_err(state_fault(context))?,
        None => Vec::new(),
    };
    store.leave();
    let memory = memory_entries(context);
    let working = &context.settings().working;
    let found = triggers::check(&conversation, window.as_ref(), &tasks, &memory, working, &context.now);
    if context.printer.json {
        print_json(context, &found)?;
        return Ok(ExitCode::SUCCESS);
    }
    for answer in &found.answers {
        let word = if answer.yes { paint(style::WARN, "yes") } else { paint(style::GOOD, "no ") };
        context.printer.data(&format!(
            "{word}  {}  {} of {}",
            answer.question,
            shown(answer.value),
            shown(answer.threshold)
        ));
        for line in answer.evidence.iter().take(5) {
            context.printer.data(&paint(style::DIM, &format!("       {line}")));
        }
    }
    let words = if found.rest { "A rest would do good: `nidra rest`." } else { "No rest is needed." };
    context.printer.say(words);
    Ok(ExitCode::SUCCESS)
}
