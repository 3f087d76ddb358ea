//! Every check of the project, in one order: what costs little and fails often comes first.

use crate::{
    arguments::Arguments,
    bench::{self, Size},
    clients, command, prerequisites,
    report::{Counts, Report},
    tidy,
    workspace::Workspace,
};
use anyhow::Result;
use std::process::Command;

/// The integration tests that drive the real clients.
const REAL_CLIENT: [&str; 2] = ["agent", "real_client"];

/// The integration tests that drive a browser.
const BROWSER: [&str; 1] = ["browser"];

/// Runs every check. A failed step does not stop the next ones: one run shows all there is to mend.
pub(crate) fn all(workspace: &Workspace, arguments: &Arguments) -> bool {
    let mut report = Report::new();
    let root = workspace.root();
    report.check("prerequisites", || prerequisites::for_build().map(|()| true));
    lint_steps(workspace, &mut report);
    // All in one build and one run: each further selection of packages would make cargo unite other features
    // and compile the dependencies again.
    let mut names = workspace.integration_tests();
    if arguments.without_real_client {
        names.retain(|name| !REAL_CLIENT.contains(&name.as_str()));
        report.leave_out("tests with the real clients", "--without real-client");
    } else {
        report.check("fetch the real clients", || clients::fetch_all(workspace).map(|()| true));
    }
    if arguments.without_browser {
        names.retain(|name| !BROWSER.contains(&name.as_str()));
        report.leave_out("tests of pages in a browser", "--without browser");
    } else {
        report.check("the browser", || prerequisites::for_browser().map(|()| true));
    }
    report.tests("tests", || {
        let mut selection = vec!["--workspace".to_owned(), "--lib".to_owned(), "--bins".to_owned()];
        selection.extend(names.into_iter().flat_map(|name| ["--test".to_owned(), name]));
        run_tests(workspace, &selection)
    });
    report.tests("documentation tests", || {
        counted(command::cargo(root).args(["test", "--locked", "--workspace", "--doc", "--quiet"]))
    });
    let built = report.check("release build", || bench::build(workspace).map(|()| true));
    if built {
        report.check("commands in the documents", || {
            tidy::commands_in_documents(workspace, &workspace.release_program("nidra"))
        });
    }
    if built {
        report.check("measures", || bench::run(workspace, Size::Short));
    }
    report.finish()
}

/// Runs the checks that run no program of ours.
pub(crate) fn lint(workspace: &Workspace) -> bool {
    let mut report = Report::new();
    lint_steps(workspace, &mut report);
    report.finish()
}

fn lint_steps(workspace: &Workspace, report: &mut Report) {
    let root = workspace.root();
    report.check("format", || {
        command::run(command::cargo(root).args(["fmt", "--all", "--check"])).map(|()| true)
    });
    report.check("tidy", || tidy::run(workspace));
    report.check("clippy", || {
        command::run(
            command::cargo(root)
                .args(["clippy", "--locked", "--quiet", "--workspace", "--all-targets"])
                .args(["--", "--deny", "warnings"]),
        )
        .map(|()| true)
    });
    report.check("documentation", || {
        command::run(command::cargo(root).env("RUSTDOCFLAGS", "--deny warnings").args([
            "doc",
            "--locked",
            "--quiet",
            "--workspace",
            "--no-deps",
            "--document-private-items",
        ]))
        .map(|()| true)
    });
}

/// Runs the selected tests with `cargo nextest`, or with `cargo test` where that is not installed.
fn run_tests(workspace: &Workspace, selection: &[String]) -> Result<(bool, Counts)> {
    let mut cargo = command::cargo(workspace.root());
    if command::find("cargo-nextest").is_some() {
        cargo.args(["nextest", "run", "--locked", "--status-level=fail", "--no-tests=fail"]);
    } else {
        cargo.args(["test", "--locked", "--no-fail-fast", "--quiet"]);
    }
    counted(cargo.args(selection))
}

/// Runs a test runner and adds up what its summaries say.
fn counted(command: &mut Command) -> Result<(bool, Counts)> {
    let mut counts = Counts::default();
    let passed = command::run_watched(command, |line| counts.read_line(line))?;
    Ok((passed, counts))
}
