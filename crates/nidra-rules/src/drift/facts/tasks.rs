//! Scripts, targets and recipes.

use super::Facts;
use crate::drift::command::Runner;
use crate::drift::files::base;

/// Reads the tasks of one file.
pub(super) fn read(path: &str, text: &str, facts: &mut Facts) {
    match base(path) {
        "package.json" => package(path, text, facts),
        "Makefile" | "GNUmakefile" | "makefile" => make(path, text, facts),
        "justfile" | "Justfile" | ".justfile" => just(path, text, facts),
        "Taskfile.yml" | "Taskfile.yaml" => {
            facts.open_tasks(Runner::Task, path, text.contains("includes:"));
            for leaf in super::yaml::leaves(text) {
                if let [tasks, name, ..] = leaf.0.as_slice()
                    && tasks == "tasks"
                {
                    facts.task(Runner::Task, name, path);
                }
            }
        }
        "Cargo.toml" => cargo(path, text, facts),
        "config.toml" if path.ends_with(".cargo/config.toml") => {
            let aliases = toml::from_str::<toml::Table>(text).ok();
            for name in
                aliases.iter().filter_map(|table| table.get("alias")?.as_table()).flat_map(toml::Table::keys)
            {
                facts.task(Runner::Cargo, name, path);
            }
        }
        "pyproject.toml" => python(path, text, facts),
        _ => {}
    }
}

fn package(path: &str, text: &str, facts: &mut Facts) {
    let Ok(value) = serde_json::from_str::<serde_json::Value>(text) else { return };
    facts.open_tasks(Runner::Package, path, false);
    for (name, command) in value["scripts"].as_object().into_iter().flatten() {
        facts.task(Runner::Package, name, path);
        facts.recipe(Runner::Package, name, command.as_str().unwrap_or_default());
        facts.spoken.extend(words(command.as_str().unwrap_or_default()));
    }
}

fn make(path: &str, text: &str, facts: &mut Facts) {
    let mut open = false;
    let mut current: Vec<&str> = Vec::new();
    for line in text.lines() {
        if line.starts_with(['\t', ' ', '#']) {
            facts.spoken.extend(words(line));
            for target in current.iter().filter(|_| line.starts_with('\t')) {
                facts.recipe(Runner::Make, target, line);
            }
            continue;
        }
        open |= ["include ", "-include ", "sinclude "].iter().any(|start| line.starts_with(start));
        let Some((targets, rest)) = line.split_once(':') else { continue };
        if targets.contains('=') || rest.starts_with('=') {
            continue;
        }
        facts.spoken.extend(words(rest));
        current = targets.split_whitespace().collect();
        for target in targets.split_whitespace() {
            open |= target.contains(['%', '$']);
            if !target.starts_with('.') {
                facts.task(Runner::Make, target, path);
            }
        }
    }
    facts.open_tasks(Runner::Make, path, open);
}

fn just(path: &str, text: &str, facts: &mut Facts) {
    let mut open = false;
    let mut current = None;
    for line in text.lines() {
        if line.starts_with([' ', '\t', '#', '[']) {
            facts.spoken.extend(words(line));
            if let Some(name) = current.filter(|_| line.starts_with([' ', '\t'])) {
                facts.recipe(Runner::Just, name, line);
            }
            continue;
        }
        open |= ["import ", "import? ", "mod ", "mod? "].iter().any(|start| line.starts_with(start));
        if let Some(alias) = line.strip_prefix("alias ") {
            facts.task(Runner::Just, alias.split([':', ' ']).next().unwrap_or_default(), path);
            continue;
        }
        let Some((head, rest)) = line.split_once(':') else { continue };
        if rest.starts_with('=') {
            continue;
        }
        if let Some(name) = head.split_whitespace().next() {
            current = Some(name.trim_start_matches('@'));
            facts.task(Runner::Just, name.trim_start_matches('@'), path);
        }
    }
    facts.open_tasks(Runner::Just, path, open);
}

fn cargo(path: &str, text: &str, facts: &mut Facts) {
    let Ok(table) = toml::from_str::<toml::Table>(text) else { return };
    facts.open_tasks(Runner::Cargo, path, true);
    for runner in [Runner::CargoBinary, Runner::CargoPackage] {
        facts.open_tasks(runner, path, false);
        let name = table.get("package").and_then(|package| package.get("name")).and_then(toml::Value::as_str);
        if let Some(name) = name {
            facts.task(runner, name, path);
        }
    }
    let binaries = table.get("bin").and_then(toml::Value::as_array);
    for name in binaries.into_iter().flatten().filter_map(|bin| bin.get("name")?.as_str()) {
        facts.task(Runner::CargoBinary, name, path);
    }
    // A package of the registry can be named as well, for `cargo update -p`.
    for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
        for name in table.get(section).and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::keys)
        {
            facts.task(Runner::CargoPackage, name, path);
        }
    }
}

/// Binaries that cargo finds by their place.
pub(super) fn cargo_binaries(files: &[String], facts: &mut Facts) {
    if facts.tasks(Runner::CargoBinary).is_none() {
        return;
    }
    for path in files {
        let Some((_, below)) = path.split_once("src/bin/") else { continue };
        let name = below.split('/').next().unwrap_or_default().trim_end_matches(".rs");
        facts.task(Runner::CargoBinary, name, path);
    }
}

fn python(path: &str, text: &str, facts: &mut Facts) {
    let Ok(table) = toml::from_str::<toml::Table>(text) else { return };
    facts.open_tasks(Runner::Python, path, true);
    let project = table.get("project").and_then(|project| project.get("scripts"));
    let poetry =
        table.get("tool").and_then(|tool| tool.get("poetry")).and_then(|poetry| poetry.get("scripts"));
    for name in
        [project, poetry].into_iter().flatten().filter_map(toml::Value::as_table).flat_map(toml::Table::keys)
    {
        facts.task(Runner::Python, name, path);
    }
}

/// The words of a command, in small letters.
pub(super) fn words(command: &str) -> impl Iterator<Item = String> + '_ {
    command
        .split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | '.'))
        .filter(|word| word.len() > 1 && !word.starts_with('-'))
        .map(str::to_ascii_lowercase)
}
