//! The model that dreams ask: its address, its key, and whether it answers.

use super::Examined;
use crate::cli::DoctorArgs;
use crate::commands::model::{Asked, Chosen, Judge};
use crate::context::Context;
use crate::interrupt::Interrupt;
use crate::narrator::Narrator;
use nidra_core::settings::EngineChoice;
use nidra_dream::pipeline::Mode;
use nidra_model::{AnswerFault, diagnosis};

const WHAT: &str = "model";

/// Looks at the model where dreams use one, or where the user asks for it.
pub(super) fn examine(context: &Context, args: &DoctorArgs) -> Vec<Examined> {
    let unused = match context.settings().dream.engine {
        EngineChoice::Rules => Some("none is asked; the rules judge alone"),
        EngineChoice::Agent if !context.settings().agent.command.is_empty() => {
            return vec![Examined::fine(WHAT, "the agent's program asks one of its own")];
        }
        EngineChoice::Model | EngineChoice::Agent => None,
    };
    if let Some(why) = unused.filter(|_| !args.ask) {
        return vec![Examined::fine(WHAT, why)];
    }
    look(context, args).unwrap_or_else(|fault| vec![fault])
}

fn look(context: &Context, args: &DoctorArgs) -> Result<Vec<Examined>, Examined> {
    let fault = |error: crate::error::CliError| {
        let cause = error.source.as_ref().map(|source| format!(": {source}")).unwrap_or_default();
        Examined::fault(WHAT, format!("{}{cause}", error.message), error.hints.join("; "))
    };
    let store = context.store().map_err(fault)?;
    let judge = Judge::prepare(context, &store, &Asked::model(), Mode::Apply).map_err(fault)?;
    let Some(endpoint) = judge.endpoint() else {
        return Ok(vec![Examined::fine(
            WHAT,
            "nothing of this project may leave this machine; the rules judge alone",
        )]);
    };
    let variables = |name: &str| context.environment.text(name);
    let mut found: Vec<Examined> = diagnosis::of_setup(endpoint, &variables)
        .into_iter()
        .map(|one| Examined::note(WHAT, one.message, one.advice))
        .collect();
    let place = format!("{} at {}", endpoint.model, endpoint.url);
    if !args.ask && !endpoint.local {
        found.push(Examined::fine(WHAT, format!("{place}, not asked; `nidra doctor --ask` does")));
        return Ok(found);
    }
    let interrupt = Interrupt::default();
    let narrator = Narrator::new(context, Mode::DryRun, interrupt);
    let pause = |time| narrator.wait(time);
    let Chosen::Model(engine) = judge.engine(context, None, Mode::Apply, &pause) else { return Ok(found) };
    found.push(match engine.probe(&nidra_core::Unwatched) {
        Ok(None) => Examined::fine(WHAT, format!("{place} answers")),
        // A small question leaves little room for thoughts; a dream leaves more.
        Ok(Some(fault @ (AnswerFault::CutOff | AnswerFault::Empty))) => Examined::note(
            WHAT,
            format!("{place} answers, but {}", fault.meaning()),
            diagnosis::answer_advice(fault),
        ),
        Ok(Some(fault)) => Examined::fault(
            WHAT,
            format!("{place} answers, but a dream could not use it: {}", fault.meaning()),
            diagnosis::answer_advice(fault),
        ),
        Err(no) => {
            let advice = no.fault.map_or_else(
                || "`nidra config` lists the limits".to_owned(),
                |fault| diagnosis::advice(fault, endpoint),
            );
            Examined::fault(WHAT, no.message, advice)
        }
    });
    Ok(found)
}
