//! `nidra try`: a dream over the sample projects in a scratch folder, shown step by step.

use crate::cli::{Global, TryArgs};
use crate::commands::dream::{Request, execute, projects_with_sessions};
use crate::commands::model::Asked;
use crate::config::Environment;
use crate::context::Context;
use crate::error::CliError;
use crate::printer::Printer;
use crate::printer::style::{self, paint};
use crate::render;
use crate::sample::{self, LaidOut, Sample};
use nidra_dream::pipeline::{Mode, Trigger};
use nidra_sessions::ClaudeCode;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// `nidra try`
pub fn run(global: &Global, environment: &Environment, args: &TryArgs) -> Result<ExitCode, CliError> {
    let printer = Printer { json: false, quiet: global.quiet };
    let scratch = Scratch::make(args.keep.as_deref())?;
    printer.data(&format!(
        "nidra dreams over two sample projects in {}. Nothing outside of it is written.",
        scratch.path().display()
    ));
    for sample in sample::shipped().map_err(|error| CliError::failed("the samples cannot be read", error))? {
        dream_over(global, printer, &sample, scratch.path())?;
    }
    real_sessions(printer, environment);
    if args.keep.is_some() {
        printer.data(&format!("\nThe scratch folder stays: {}", scratch.path().display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// The scratch folder: the user's to keep, or gone at the end.
enum Scratch {
    Kept(PathBuf),
    Temporary(tempfile::TempDir),
}

impl Scratch {
    fn make(keep: Option<&Path>) -> Result<Self, CliError> {
        let Some(path) = keep else {
            let directory = tempfile::Builder::new()
                .prefix("nidra-try-")
                .tempdir()
                .map_err(|error| CliError::failed("cannot create a scratch folder", error))?;
            return Ok(Self::Temporary(directory));
        };
        let failed =
            |error| CliError::failed(format!("cannot create the scratch folder {}", path.display()), error);
        fs::create_dir_all(path).map_err(failed)?;
        if fs::read_dir(path).map_err(failed)?.next().is_some() {
            return Err(CliError::usage(format!("{} is not empty", path.display()))
                .hint("name a folder that does not exist yet"));
        }
        Ok(Self::Kept(fs::canonicalize(path).map_err(failed)?))
    }

    fn path(&self) -> &Path {
        match self {
            Self::Kept(path) => path,
            Self::Temporary(directory) => directory.path(),
        }
    }
}

fn dream_over(global: &Global, printer: Printer, sample: &Sample, scratch: &Path) -> Result<(), CliError> {
    let root = fs::canonicalize(scratch)
        .map_err(|error| CliError::failed(format!("cannot use {}", scratch.display()), error))?;
    let laid_out =
        sample.lay_out(&root).map_err(|error| CliError::failed("the sample cannot be laid out", error))?;
    let LaidOut { checkout, memory, now } = &laid_out;
    let environment = Environment::from_variables([
        ("HOME", root.join("home").into_os_string()),
        ("NIDRA_HOME", root.join("state").into_os_string()),
        ("NIDRA_CONFIG", root.join("config.toml").into_os_string()),
        ("CLAUDE_CONFIG_DIR", root.join("home/.claude").into_os_string()),
        ("NIDRA_NOW", now.timestamp().to_string().into()),
        ("TZ", now.time_zone().iana_name().unwrap_or("UTC").into()),
    ]);
    let global = Global { project: None, as_of: None, json: false, ..global.clone() };
    let context = Context::of(&global, environment, checkout)?;
    let zone = context.zone();

    printer.data(&format!("\n{}", paint(style::HEAD, &format!("━━ {} ━━", sample.project))));
    printer.data(&format!("\n{}", paint(style::HEAD, "1. Memory before")));
    print_index(printer, memory);

    printer.data(&format!("\n{}", paint(style::HEAD, "2. The dream")));
    let request = Request {
        mode: Mode::Apply,
        trigger: Trigger::Automatic,
        consent: false,
        engine: Asked::rules(),
        logs: false,
    };
    let report = execute(&context, &request)?;
    printer.data(render::gates(&report.gates, &zone).trim_end());
    printer.data(&format!("  {}", render::ending(&report)));

    printer.data(&format!("\n{}", paint(style::HEAD, "3. What it learnt, and from which words")));
    printer.data(render::report(&report, &zone, false).trim_end());

    printer.data(&format!("\n{}", paint(style::HEAD, "4. What changed in memory")));
    let (index, topics): (Vec<_>, Vec<_>) =
        report.files.into_iter().partition(|file| file.path == "MEMORY.md");
    printer.data(render::files(&index).trim_end());
    if let Some((first, rest)) = topics.split_first() {
        printer.data(&format!("\n{}", render::difference(&first.diff).trim_end()));
        let rest: Vec<&str> = rest.iter().map(|file| file.path.as_str()).collect();
        printer.data(&format!("  and likewise {}", rest.join(", ")));
    }

    printer.data(&format!("\n{}", paint(style::HEAD, "5. What the next session loads (MEMORY.md)")));
    print_index(printer, memory);
    Ok(())
}

fn print_index(printer: Printer, memory: &Path) {
    match fs::read_to_string(memory.join("MEMORY.md")) {
        Ok(text) => text.lines().for_each(|line| printer.data(&format!("  {line}"))),
        Err(_) => printer.data("  (none)"),
    }
}

/// Where real sessions lie on this machine, how to preview a dream on them. Only looks.
fn real_sessions(printer: Printer, environment: &Environment) {
    let Ok(config) = environment.claude_config() else {
        return;
    };
    let reader =
        ClaudeCode { config: config.clone(), own: environment.state_directory().into_iter().collect() };
    let projects = projects_with_sessions(&reader, environment.home().as_deref());
    printer.data(&format!("\n{}", paint(style::HEAD, "Your own sessions")));
    if projects.is_empty() {
        printer.data(&format!("  No sessions of Claude Code were found below {}.", config.display()));
        return;
    }
    for (path, count) in projects.iter().take(5) {
        let shown = path.display().to_string();
        printer.data(&format!("  {count} sessions of {shown}; preview a dream, which writes nothing:"));
        printer.data(&format!("      nidra dream --dry-run --project '{}'", shown.replace('\'', r"'\''")));
    }
    if projects.len() > 5 {
        printer.data(&format!("  and {} more projects", projects.len() - 5));
    }
}
