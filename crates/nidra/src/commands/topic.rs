//! `nidra topic`: what is being talked about, one topic at a time.

use crate::cli::{TopicArgs, TopicVerb};
use crate::commands::print_json;
use crate::commands::working::{
    SHOWN, answer, demand_on, export, name, say_more, shown_at_most, state_fault,
};
use crate::context::Context;
use crate::error::CliError;
use crate::printer::style::{self, paint};
use crate::render;
use nidra_memory::store::{TopicOutcome, TopicRecord, TopicState};
use serde_json::json;
use std::process::ExitCode;

/// `nidra topic`
pub fn run(context: &Context, args: &TopicArgs) -> Result<ExitCode, CliError> {
    if let TopicVerb::List { all, limit } = args.verb {
        return list(context, all, limit);
    }
    demand_on(context)?;
    let mut store = context.store_of_work()?;
    let (project, now) = (&context.project.id, context.now.timestamp());
    let fault = state_fault(context);
    let outcome = match &args.verb {
        TopicVerb::Mark { name: topic } => {
            let topic = store.mark_topic(project, &name(topic)?, now).map_err(&fault)?;
            TopicOutcome::Changed(topic, None)
        }
        TopicVerb::Switch { name: topic } => {
            store.switch_topic(project, &name(topic)?, now).map_err(&fault)?
        }
        TopicVerb::Done { name: topic } => {
            let topic = topic.as_deref().map(name).transpose()?;
            store.set_topic(project, topic.as_deref(), TopicState::Done, now).map_err(&fault)?
        }
        TopicVerb::Pause { name: topic } => {
            let topic = topic.as_deref().map(name).transpose()?;
            store.set_topic(project, topic.as_deref(), TopicState::Paused, now).map_err(&fault)?
        }
        TopicVerb::List { .. } => TopicOutcome::Unknown,
    };
    let TopicOutcome::Changed(topic, paused) = outcome else {
        return Err(CliError::usage("there is no such topic, or none is active")
            .hint("`nidra topic list` lists them; `nidra topic mark NAME` notes one"));
    };
    export(context, &store);
    store.leave();
    let mut words = format!("{} is {}.", topic.name, topic.state.as_str());
    if let Some(paused) = &paused {
        words = format!("{words} {paused} is paused.");
    }
    answer(context, &json!({ "topic": topic, "paused": paused }), &words)
}

fn list(context: &Context, all: bool, limit: Option<usize>) -> Result<ExitCode, CliError> {
    let store = context.store_to_read()?;
    let mut topics = store.topics(&context.project.id, all).map_err(state_fault(context))?;
    store.leave();
    if context.printer.json {
        topics.truncate(limit.map_or(usize::MAX, shown_at_most));
        print_json(context, &topics)?;
        return Ok(ExitCode::SUCCESS);
    }
    if topics.is_empty() {
        context.printer.say("No topics here. `nidra topic mark NAME` notes one.");
        return Ok(ExitCode::SUCCESS);
    }
    let most = shown_at_most(limit.unwrap_or(SHOWN));
    let line = |topic: &TopicRecord| {
        let style = if topic.state == TopicState::Active { style::GOOD } else { style::DIM };
        format!(
            "{}  {}  since {}",
            paint(style, &format!("{:<7}", topic.state.as_str())),
            topic.name,
            render::moment(topic.changed, &context.zone())
        )
    };
    let lines: Vec<String> = topics.iter().take(most).map(line).collect();
    context.printer.data(&lines.join("\n"));
    if topics.len() > most {
        let option = if all { " --all" } else { "" };
        say_more(context, Some(topics.len() - most), &format!("nidra topic list{option} --limit 0"));
    }
    Ok(ExitCode::SUCCESS)
}
