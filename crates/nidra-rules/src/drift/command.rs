//! Scripts and targets that words say to run.

use super::anchor::Anchor;
use super::checkout::Checkout;
use super::clause::Mood;
use super::path::not_told;
use super::{Judgement, Verdict};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// What runs a script or target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Runner {
    /// A script of `package.json`.
    Package,
    /// A target of a Makefile.
    Make,
    /// A recipe of a justfile.
    Just,
    /// A task of a Taskfile.
    Task,
    /// A subcommand or alias of cargo.
    Cargo,
    /// A binary target of cargo.
    CargoBinary,
    /// A package of cargo.
    CargoPackage,
    /// A script of `pyproject.toml`.
    Python,
}

impl Runner {
    /// How it is called.
    fn call(self) -> &'static str {
        match self {
            Self::Package => "npm run",
            Self::Make => "make",
            Self::Just => "just",
            Self::Task => "task",
            Self::Cargo | Self::CargoBinary | Self::CargoPackage => "cargo",
            Self::Python => "run",
        }
    }
}

/// A script or target that is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// What runs it.
    pub runner: Runner,
    /// Its name; none for the runner's default.
    pub name: Option<String>,
    /// It can be nothing else; else it may be a program as well.
    pub certain: bool,
}

/// Commands of package managers that are no scripts.
const MANAGING: &[&str] = &[
    "add",
    "install",
    "i",
    "ci",
    "remove",
    "rm",
    "uninstall",
    "update",
    "up",
    "upgrade",
    "exec",
    "dlx",
    "x",
    "create",
    "init",
    "publish",
    "link",
    "unlink",
    "why",
    "list",
    "ls",
    "outdated",
    "audit",
    "store",
    "config",
    "workspace",
    "workspaces",
    "import",
    "dedupe",
    "patch",
    "pack",
    "prune",
    "cache",
    "info",
    "login",
    "version",
    "global",
    "node",
    "plugin",
    "set",
    "bin",
    "root",
    "fetch",
    "rebuild",
    "approve-builds",
    "deploy",
    "build-deps",
    "pm",
    "self-update",
];
/// Options of package managers that take a value.
const WITH_VALUE: &[&str] = &[
    "-w",
    "--workspace",
    "--prefix",
    "-C",
    "--filter",
    "-F",
    "--dir",
    "--cwd",
    "-f",
    "--file",
    "-p",
    "--package",
    "-j",
];
/// Commands of cargo itself.
const CARGO: &[&str] = &[
    "add",
    "bench",
    "build",
    "b",
    "check",
    "c",
    "clean",
    "clippy",
    "doc",
    "d",
    "fetch",
    "fix",
    "fmt",
    "generate-lockfile",
    "help",
    "info",
    "init",
    "install",
    "locate-project",
    "login",
    "metadata",
    "new",
    "owner",
    "package",
    "pkgid",
    "publish",
    "remove",
    "report",
    "run",
    "r",
    "rustc",
    "rustdoc",
    "search",
    "test",
    "t",
    "tree",
    "uninstall",
    "update",
    "vendor",
    "verify-project",
    "version",
    "yank",
    "miri",
];

static IN_PROSE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    super::clause::pattern(
        r"\b(?:(?:npm|pnpm|yarn|bun) run [\w:.-]+|(?:npm|pnpm|yarn) test\b|cargo xtask [\w-]+)",
    )
});

/// Commands in prose that cannot be read as words.
pub(super) fn in_prose(text: &str) -> Vec<(Range<usize>, Run)> {
    let found = IN_PROSE.iter().flat_map(|pattern| pattern.find_iter(text));
    found
        .flat_map(|found| {
            let words = found.as_str().trim_end_matches(['.', ':', '-']);
            let range = found.start()..found.start() + words.len();
            parse(words).into_iter().map(move |run| (range.clone(), run))
        })
        .collect()
}

/// What a line of shell runs, as far as a checkout can tell.
pub(super) fn parse(line: &str) -> Vec<Run> {
    line.split(['|', ';', '\n'])
        .flat_map(|part| part.split("&&"))
        .filter_map(|part| {
            let mut words = part.split_whitespace().skip_while(|word| {
                *word == "$" || *word == "sudo" || (word.contains('=') && !word.starts_with('-'))
            });
            let head = words.next()?;
            let arguments: Vec<&str> = words.collect();
            one(head, &arguments)
        })
        .collect()
}

fn one(head: &str, arguments: &[&str]) -> Option<Run> {
    let run = |runner, name: &str, certain| {
        let well_formed = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b":._-/".contains(&byte));
        (well_formed && name.bytes().any(|byte| byte.is_ascii_alphabetic())).then(|| Run {
            runner,
            name: Some(name.to_owned()),
            certain,
        })
    };
    let plain = operands(arguments);
    let first = plain.first().copied();
    match head {
        "npm" | "pnpm" | "yarn" | "bun" => match first? {
            "run" | "run-script" => run(Runner::Package, plain.get(1)?, true),
            name @ ("test" | "start") => run(Runner::Package, name, head != "bun"),
            "t" => run(Runner::Package, "test", true),
            _ if head == "npm" || head == "bun" => None,
            name if MANAGING.contains(&name) => None,
            name => run(Runner::Package, name, plain.len() == 1),
        },
        "make" | "gmake" => match first {
            Some(name) => {
                run(Runner::Make, name, !arguments.iter().any(|word| word.starts_with("-C") || *word == "-f"))
            }
            None => Some(Run { runner: Runner::Make, name: None, certain: true }),
        },
        "just" => run(Runner::Just, first?, true),
        "task" => run(Runner::Task, first?, true),
        "cargo" => {
            let after = |names: &[&str]| {
                let at = arguments.iter().position(|word| names.contains(word))?;
                arguments.get(at + 1).copied()
            };
            if let Some(binary) = after(&["--bin"]) {
                return run(Runner::CargoBinary, binary, true);
            }
            if let Some(package) = after(&["-p", "--package"]) {
                return run(Runner::CargoPackage, package, true);
            }
            let name = plain.iter().find(|word| !word.starts_with('+'))?;
            (!CARGO.contains(name)).then(|| run(Runner::Cargo, name, *name == "xtask")).flatten()
        }
        "poetry" | "uv" | "pdm" | "hatch" | "rye" if first == Some("run") => {
            run(Runner::Python, plain.get(1)?, false)
        }
        _ => None,
    }
}

/// The words of a command that are no options and no values of options.
fn operands<'t>(arguments: &[&'t str]) -> Vec<&'t str> {
    let mut found = Vec::new();
    let mut skip = false;
    for word in arguments {
        if std::mem::take(&mut skip) {
            continue;
        }
        if *word == "--" {
            break;
        }
        if word.starts_with('-') {
            skip = WITH_VALUE.contains(word);
        } else if !word.contains('=') {
            found.push(*word);
        }
    }
    found
}

/// Judges a script or target.
pub(super) fn judge(anchor: &Anchor, run: &Run, mood: Mood, checkout: &Checkout) -> Option<Judgement> {
    let facts = checkout.facts();
    let answer = |verdict, hint: Option<String>| {
        Some(Judgement::new(anchor.kind, anchor.text.as_str(), verdict, hint))
    };
    if mood == Mood::Elsewhere {
        return answer(Verdict::NotCheckable, Some("it is said of another place".to_owned()));
    }
    let Some(tasks) = facts.tasks(run.runner) else {
        // Without a file of that runner the words may speak of another place, unless a rival has a task of that name.
        let other = run.name.as_deref().and_then(|name| other_runner(run.runner, name, checkout));
        return match other.filter(|_| mood == Mood::Stated && run.certain) {
            Some(call) => Some(Judgement::moved(anchor.kind, anchor.text.as_str(), call)),
            None if run.certain => {
                answer(Verdict::NotCheckable, Some("the checkout has no file for it".to_owned()))
            }
            None => None,
        };
    };
    let Some(name) = run.name.as_deref() else { return answer(Verdict::Fresh, None) };
    if let Some(file) = tasks.get(name) {
        return answer(Verdict::Fresh, Some(format!("it is in {file}")));
    }
    if !run.certain || tasks.open {
        return facts.declares(name).then(|| answer(Verdict::Fresh, None)).flatten();
    }
    if let Some(reason) = not_told(mood, checkout) {
        return answer(Verdict::NotCheckable, Some(reason.to_owned()));
    }
    if facts.declares(name) {
        return answer(Verdict::Fresh, None);
    }
    match other_runner(run.runner, name, checkout) {
        Some(call) => Some(Judgement::moved(anchor.kind, anchor.text.as_str(), call)),
        None => answer(Verdict::Stale, Some(format!("{} has no {name}", tasks.shown()))),
    }
}

/// The call of a task of this name by another runner.
fn other_runner(runner: Runner, name: &str, checkout: &Checkout) -> Option<String> {
    [Runner::Package, Runner::Make, Runner::Just, Runner::Task]
        .into_iter()
        .filter(|other| {
            *other != runner && matches!(runner, Runner::Package | Runner::Make | Runner::Just | Runner::Task)
        })
        .find(|other| checkout.facts().tasks(*other).is_some_and(|tasks| tasks.get(name).is_some()))
        .map(|other| format!("{} {name}", other.call()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(line: &str) -> Vec<(Runner, String, bool)> {
        parse(line).into_iter().map(|run| (run.runner, run.name.unwrap_or_default(), run.certain)).collect()
    }

    #[test]
    fn scripts_and_targets_are_read_from_commands() {
        assert_eq!(
            names("pnpm --filter web run check:types"),
            [(Runner::Package, "check:types".to_owned(), true)]
        );
        assert_eq!(
            names("CI=1 yarn lint && make dist"),
            [(Runner::Package, "lint".to_owned(), true), (Runner::Make, "dist".to_owned(), true)]
        );
        assert_eq!(names("pnpm vitest run"), [(Runner::Package, "vitest".to_owned(), false)]);
        assert_eq!(
            names("cargo run --bin porter -- --fast"),
            [(Runner::CargoBinary, "porter".to_owned(), true)]
        );
        assert_eq!(names("pnpm install"), []);
        assert_eq!(names("cargo test"), []);
        assert_eq!(names("git push origin main"), []);
    }
}
