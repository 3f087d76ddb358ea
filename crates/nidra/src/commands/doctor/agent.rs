//! The agent that works in a copy of memory: whether it can be called, and held.

use super::Examined;
use crate::context::Context;
use nidra_agent::command::{Invocation, available};
use nidra_core::settings::EngineChoice;
use std::path::PathBuf;

/// The agent, where one is asked for: whether it can be called, and held as the settings ask.
pub(super) fn examine(context: &Context) -> Option<Examined> {
    let settings = &context.settings().agent;
    let asked = context.settings().dream.engine == EngineChoice::Agent || !settings.command.is_empty();
    if !asked || settings.command.is_empty() {
        return asked
            .then(|| Examined::fine("agent", "a model with nidra's own tools works in a copy of memory"));
    }
    let advice = "leave agent.command empty for a model with nidra's own tools, or use another engine";
    if let Err(error) = available(settings.confinement) {
        return Some(Examined::fault("agent", error.to_string(), advice));
    }
    let path = context.environment.get("PATH");
    let folders: Vec<PathBuf> = path.map(|path| std::env::split_paths(path).collect()).unwrap_or_default();
    Some(match Invocation::of(&settings.command, &folders, None, None) {
        Ok(invocation) => {
            let argv = invocation.argv("");
            let program = argv.first().map_or("", String::as_str);
            Examined::fine("agent", format!("{program} can be held to a copy of memory"))
        }
        Err(error) => Examined::fault("agent", error.to_string(), advice),
    })
}
