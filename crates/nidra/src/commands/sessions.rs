//! `nidra sessions`: the sessions of this project and what became of each.

use crate::cli::SessionsArgs;
use crate::commands::print_json;
use crate::context::Context;
use crate::error::CliError;
use crate::render;
use nidra_core::SessionId;
use nidra_core::text::wording::counted;
use nidra_dream::history::History;
use nidra_dream::report::RETRY;
use std::collections::BTreeMap;
use std::process::ExitCode;

/// A session as it is listed.
#[derive(Debug, serde::Serialize)]
struct Listed {
    session: String,
    state: String,
    reason: Option<String>,
}

/// `nidra sessions`
pub fn run(context: &Context, args: &SessionsArgs) -> Result<ExitCode, CliError> {
    match &args.retry {
        None => list(context),
        Some(session) => retry(context, session),
    }
}

/// Lets the next dream try again what failed before.
fn retry(context: &Context, session: &str) -> Result<ExitCode, CliError> {
    let mut store = context.store()?;
    let session = (!session.is_empty()).then(|| SessionId::new(session));
    let retried = store.retry_sessions(&context.project.id, session.as_ref()).map_err(|error| {
        CliError::failed(format!("cannot change the state directory {}", context.state.display()), error)
    })?;
    if let (Some(session), true) = (&session, retried.is_empty()) {
        return Err(CliError::usage(format!("no session {session} of this project failed"))
            .hint("`nidra sessions` lists them"));
    }
    if context.printer.json {
        print_json(context, &retried)?;
    } else if retried.is_empty() {
        context.printer.say("No session failed, so there is none to try again.");
    } else {
        let sessions = counted(retried.len(), "session");
        context.printer.say(&format!("{sessions} will be tried again; `nidra dream` does it now"));
    }
    Ok(ExitCode::SUCCESS)
}

fn list(context: &Context) -> Result<ExitCode, CliError> {
    let failed = |error| {
        CliError::failed(format!("cannot read the state directory {}", context.state.display()), error)
    };
    let store = context.store_to_read()?;
    let history = History::load(&store, &context.project.id).map_err(failed)?;
    let known = store.sessions(&context.project.id).map_err(failed)?;
    let selection = context.selection(&history, &store).map_err(failed)?;
    let mut listed: BTreeMap<String, Listed> = known
        .into_iter()
        .map(|(session, record)| {
            let session = session.as_str().to_owned();
            (session.clone(), Listed { session, state: record.state, reason: record.reason })
        })
        .collect();
    for left in selection.left {
        // What an earlier run recorded says more than "no new bytes".
        if left.reason.as_deref() == Some("no new bytes") && listed.contains_key(&left.session) {
            continue;
        }
        listed.insert(
            left.session.clone(),
            Listed { session: left.session, state: left.state, reason: left.reason },
        );
    }
    for files in &selection.read {
        let session = files.session.as_str().to_owned();
        let before = listed.get(&session);
        // A session that failed waits as well; why it failed says more than when it was written.
        if before.is_some_and(|before| before.state.starts_with(RETRY)) {
            continue;
        }
        let seen = before.is_some();
        let reason = if seen { "has new turns" } else { "not read yet" };
        let streams = files.transcripts.iter().filter(|transcript| transcript.stream.is_some()).count();
        let children = if streams > 0 { format!(", {streams} sub-agents") } else { String::new() };
        let when = render::moment(files.modified, &context.zone());
        let reason = Some(format!("{reason}, last written {when}{children}"));
        listed.insert(session.clone(), Listed { session, state: "waiting".to_owned(), reason });
    }
    let listed: Vec<Listed> = listed.into_values().collect();
    if context.printer.json {
        print_json(context, &listed)?;
        return Ok(ExitCode::SUCCESS);
    }
    for diagnostic in &selection.diagnostics {
        context.printer.warn(&render::diagnostic(diagnostic));
    }
    if listed.is_empty() {
        context.printer.say(&format!(
            "No session of {} below {}.",
            context.project.root.display(),
            context.client.join("projects").display()
        ));
    }
    for line in listed {
        let reason = line.reason.map(|reason| format!("  {reason}")).unwrap_or_default();
        context.printer.data(&format!("{}  {:<10}{reason}", SessionId::new(line.session), line.state));
    }
    Ok(ExitCode::SUCCESS)
}
