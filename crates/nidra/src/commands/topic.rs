//! `nidra topic`: what is being talked about, one topic at a time.

use crate::cli::{TopicArgs, TopicVerb};
use crate::commands::print_json;
use crate::commands::working::{answer, demand_on, export, name, state_fault};
use crate::context::Context;
use crate::error::CliError;
use crate::printer::style::{self, paint};
use crate::render;
use nidra_memory::store::{TopicOutcome, TopicState};
use serde_json::json;
use std::process::ExitCode;

/// `nidra topic`
pub fn run(context: &Context, args: &TopicArgs) -> Result<ExitCode, CliError> {
    if let TopicVerb::List { all } = args.verb {
        return list(context, all);
    }
    demand_on(context)?;
    let mut store = context.store()?;
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
    export(context, &mut store)?;
    let mut words = format!("{} is {}.", topic.name, topic.state.as_str());
    if let Some(paused) = &paused {
        words = format!("{words} {paused} is paused.");
    }
    answer(context, &json!({ "topic": topic, "paused": paused }), &words)
}

fn list(context: &Context, all: bool) -> Result<ExitCode, CliError> {
    let store = context.store_to_read()?;
    let topics = store.topics(&context.project.id, all).map_err(state_fault(context))?;
    if context.printer.json {
        print_json(context, &topics)?;
        return Ok(ExitCode::SUCCESS);
    }
    if topics.is_empty() {
        context.printer.say("No topics here. `nidra topic mark NAME` notes one.");
    }
    for topic in &topics {
        let style = if topic.state == TopicState::Active { style::GOOD } else { style::DIM };
        context.printer.data(&format!(
            "{}  {}  since {}",
            paint(style, &format!("{:<7}", topic.state.as_str())),
            topic.name,
            render::moment(topic.changed, &context.zone())
        ));
    }
    Ok(ExitCode::SUCCESS)
}
