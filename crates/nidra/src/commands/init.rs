//! `nidra init` and `nidra uninstall`: nidra's hooks in the client's settings, in and out again.

use crate::cli::{Global, InitArgs};
use crate::client::install::{self, ClientPaths, InstallError, UninstallAction};
use crate::client::plan::Action;
use crate::config::{self, ConfigFiles, Environment};
use crate::error::CliError;
use crate::printer::Printer;
use crate::render;
use nidra_dream::{outside, team};
use nidra_memory::shared_file::SharedFileError;
use nidra_memory::store::Store;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// `nidra init`
pub fn install(global: &Global, environment: &Environment, args: &InitArgs) -> Result<ExitCode, CliError> {
    let printer = Printer { json: global.json, quiet: global.quiet };
    let paths = paths(environment)?;
    let program =
        std::env::current_exe().map_err(|error| CliError::failed("cannot find this program", error))?;
    let prompts = listens_to_prompts(environment)?;
    let outcome = if args.dry_run {
        install::preview(&paths, &program, prompts)
    } else {
        install::install(&paths, &program, prompts)
    };
    let report = outcome.map_err(failure)?;
    if printer.json {
        let value = serde_json::json!({
            "settings": report.settings.display().to_string(), "action": action(report.action), "dry_run": args.dry_run,
            "difference": report.difference,
            "notices": report.notices.iter().map(ToString::to_string).collect::<Vec<_>>(),
        });
        printer.json(&value).map_err(|error| CliError::failed("cannot write JSON", error))?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.dry_run && !report.difference.is_empty() {
        printer.data(render::difference(&report.difference).trim_end());
    }
    for notice in &report.notices {
        printer.warn(&format!("note: {notice}"));
    }
    if args.dry_run {
        printer.say(&preview(report.action, &report.settings.display().to_string()));
    } else {
        printer.say(&format!("{}: {}", action(report.action), report.settings.display()));
        printer.say("Work as before. `nidra status` shows what nidra waits for; `nidra uninstall` takes the hooks out again.");
    }
    Ok(ExitCode::SUCCESS)
}

/// `nidra uninstall`
pub fn uninstall(global: &Global, environment: &Environment, args: &InitArgs) -> Result<ExitCode, CliError> {
    let printer = Printer { json: global.json, quiet: global.quiet };
    let paths = paths(environment)?;
    if args.dry_run {
        let report = install::preview_uninstall(&paths).map_err(failure)?;
        let blocks = blocks(printer, &paths, outside::with_blocks, outside::has_block)?;
        if printer.json {
            let value = serde_json::json!({ "settings": report.settings.display().to_string(), "dry_run": true, "difference": report.difference, "blocks": names(&blocks) });
            printer.json(&value).map_err(|error| CliError::failed("cannot write JSON", error))?;
        } else if report.difference.is_empty() {
            printer.say(&format!("Nothing to take out of {}.", report.settings.display()));
        } else {
            printer.data(render::difference(&report.difference).trim_end());
        }
        for file in blocks.iter().filter(|_| !printer.json) {
            printer.say(&format!("{}: nidra's block would be taken out.", file.display()));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let report = install::uninstall(&paths).map_err(failure)?;
    let blocks = blocks(printer, &paths, outside::remove_all, outside::remove_block)?;
    let words = match report.action {
        UninstallAction::NotInstalled => "no hook of nidra was there",
        UninstallAction::Restored => "restored, byte for byte as before",
        UninstallAction::Removed => "nidra's hooks were taken out; your later changes stayed",
        UninstallAction::FileRemoved => "removed; nidra had made the file",
    };
    if printer.json {
        let value = serde_json::json!({ "settings": report.settings.display().to_string(), "outcome": words, "difference": report.difference, "blocks": names(&blocks) });
        printer.json(&value).map_err(|error| CliError::failed("cannot write JSON", error))?;
        return Ok(ExitCode::SUCCESS);
    }
    printer.say(&format!("{}: {words}.", report.settings.display()));
    for file in &blocks {
        printer.say(&format!("{}: nidra's block was taken out.", file.display()));
    }
    printer.say(&format!(
        "Memory stays as it is. nidra's state is in {}; delete it if you want.",
        paths.state.display()
    ));
    Ok(ExitCode::SUCCESS)
}

/// What is done with the files of one project that hold a block: those it is about.
type OfBlocks = fn(&Path) -> Result<Vec<String>, SharedFileError>;
/// What is done with one file of a team: whether it is about it.
type OfBlock = fn(&Path) -> Result<bool, SharedFileError>;

/// The files that hold a block of nidra's, of every project that nidra knows and of teams, when `what` and `of_team` were
/// done with them.
fn blocks(
    printer: Printer,
    paths: &ClientPaths,
    what: OfBlocks,
    of_team: OfBlock,
) -> Result<Vec<PathBuf>, CliError> {
    let failed =
        |error| CliError::failed(format!("cannot read the state directory {}", paths.state.display()), error);
    let store = Store::open_to_read(&paths.state).map_err(failed)?;
    let stays = |error| printer.warn(&format!("warning: a block of nidra's stays: {error}"));
    let mut found = Vec::new();
    for project in store.projects().map_err(failed)?.into_iter().filter(|project| project.root.is_dir()) {
        match what(&project.root) {
            Ok(files) => found.extend(files.into_iter().map(|file| project.root.join(file))),
            Err(error) => stays(error),
        }
    }
    for file in team::written(&store).map_err(failed)?.into_iter().filter(|file| file.exists()) {
        match of_team(&file) {
            Ok(true) => found.push(file),
            Ok(false) => {}
            Err(error) => stays(error),
        }
    }
    Ok(found)
}

fn names(files: &[PathBuf]) -> Vec<String> {
    files.iter().map(|file| file.display().to_string()).collect()
}

/// Whether the user's settings want an agent to be told of memory at its first prompt. Settings that cannot be used do not
/// keep the hooks from being put in; `nidra status` names their fault.
fn listens_to_prompts(environment: &Environment) -> Result<bool, CliError> {
    let files =
        ConfigFiles::standard(environment, None).map_err(|error| CliError::usage(error.to_string()))?;
    let loaded = config::load(&files, environment, &[]);
    Ok(loaded.is_ok_and(|configuration| configuration.settings.recall.disclose_tokens > 0))
}

fn paths(environment: &Environment) -> Result<ClientPaths, CliError> {
    Ok(ClientPaths {
        config: environment.claude_config().map_err(|error| CliError::usage(error.to_string()))?,
        state: environment.state_directory().map_err(|error| CliError::usage(error.to_string()))?,
    })
}

fn action(action: Action) -> &'static str {
    match action {
        Action::Created => "created with nidra's hooks",
        Action::Added => "nidra's hooks added",
        Action::Updated => "nidra's hooks updated",
        Action::Unchanged => "already installed",
        Action::Removed => "nidra's hooks removed",
    }
}

/// What `init` would do, as a sentence.
fn preview(action: Action, settings: &str) -> String {
    let would = match action {
        Action::Created => format!("{settings} would be created with nidra's hooks"),
        Action::Added => format!("nidra's hooks would be added to {settings}"),
        Action::Updated => format!("nidra's hooks in {settings} would be updated"),
        Action::Unchanged => format!("nidra's hooks are in {settings} already"),
        Action::Removed => format!("nidra's hooks would be taken out of {settings}"),
    };
    format!("Nothing was written; {would}.")
}

fn failure(error: InstallError) -> CliError {
    match error {
        InstallError::Settings { .. } => CliError::usage(error.to_string()),
        error => CliError::failed("the client's settings were not changed", error),
    }
}
