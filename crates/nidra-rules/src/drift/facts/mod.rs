//! What the files that configure a project say: tasks, dependencies, versions, ports, keys, tools.

mod leaves;
mod manifest;
mod named;
mod signs;
mod tasks;
mod yaml;

pub(super) use leaves::{Leaf, words};

use super::command::Runner;
use super::files::{base, ending};
use std::collections::{BTreeMap, BTreeSet};

/// A dependency or tool with the version that a manifest demands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Declared {
    /// Its name as the manifest writes it.
    pub name: String,
    /// The version, as the manifest writes it.
    pub demand: Option<String>,
    /// The manifest.
    pub file: String,
}

/// A port that a file sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Port {
    /// The port.
    pub number: u32,
    /// The file.
    pub file: String,
    /// What it belongs to: folders, services, keys.
    pub owners: BTreeSet<String>,
}

/// The tasks of one runner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tasks {
    names: BTreeMap<String, String>,
    recipes: BTreeMap<String, String>,
    files: BTreeSet<String>,
    /// There can be more than the files say: they include others or make names from patterns.
    pub open: bool,
}

impl Tasks {
    /// The file that holds a task.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.names.get(name).map(String::as_str)
    }

    /// What a task runs, as far as its file says.
    pub(super) fn recipe(&self, name: &str) -> Option<&str> {
        self.recipes.get(name).map(String::as_str)
    }

    /// The files of the runner, for a person.
    pub(super) fn shown(&self) -> String {
        match self.files.len() {
            1 => self.files.first().cloned().unwrap_or_default(),
            count => format!("none of {count} files"),
        }
    }
}

/// Everything that the files say.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    tasks: BTreeMap<Runner, Tasks>,
    declared: BTreeMap<String, Vec<Declared>>,
    /// Ports with what they belong to.
    pub ports: Vec<Port>,
    /// Values by the key that holds them.
    leaves: BTreeMap<String, Vec<Leaf>>,
    /// Names of tools that the project was set up with, each with the file that shows it.
    pub tools: BTreeMap<String, String>,
    /// Words of the project's commands: a tool among them may be in use.
    pub spoken: BTreeSet<String>,
}

/// Whether a file configures a project, so that its words are worth reading. Samples of tests configure nothing.
pub fn holds_facts(path: &str) -> bool {
    let sample = path.split('/').any(|folder| {
        ["fixtures", "__fixtures__", "testdata", "snapshots", "__snapshots__", "test-data", "golden"]
            .contains(&folder)
    });
    let name = base(path);
    let locked = (ending(name).as_deref() == Some("lock") && name != "renv.lock")
        || ["package-lock.json", "pnpm-lock.yaml", "npm-shrinkwrap.json"].contains(&name);
    if sample || locked {
        return false;
    }
    let named = [
        "Makefile",
        "GNUmakefile",
        "makefile",
        "justfile",
        "Justfile",
        ".justfile",
        "Dockerfile",
        "Containerfile",
        "Procfile",
        "go.mod",
        "pom.xml",
        "Pipfile",
        ".nvmrc",
        ".node-version",
        ".python-version",
        ".java-version",
        ".ruby-version",
        ".tool-versions",
        "rust-toolchain",
        ".fvmrc",
        ".sdkmanrc",
        ".gitattributes",
        ".sqlfluff",
        "CMakeLists.txt",
        "Package.swift",
        "Podfile",
        "project.pbxproj",
        "ProjectVersion.txt",
        "VERSION",
        "package.xml",
        "renv.lock",
    ]
    .contains(&name);
    let settings = ending(name).is_some_and(|ending| {
        [
            "json",
            "yaml",
            "yml",
            "toml",
            "properties",
            "ini",
            "cfg",
            "conf",
            "tf",
            "tfvars",
            "env",
            "gradle",
            "kts",
            "cmake",
            "csproj",
            "fsproj",
            "vbproj",
            "props",
            "sbatch",
            "slurm",
        ]
        .contains(&ending.as_str())
    });
    named
        || settings
        || name.starts_with(".env")
        || (name.starts_with('.') && name.ends_with("-version"))
        || name.starts_with("Dockerfile.")
        || (name.starts_with("requirements") && ending(name).as_deref() == Some("txt"))
        || is_script_setting(name)
}

/// Settings that are written as a program: `vite.config.ts`.
fn is_script_setting(name: &str) -> bool {
    ["ts", "js", "mjs", "cjs", "mts", "cts"].iter().any(|ending| name.ends_with(&format!(".config.{ending}")))
}

/// A name without letter case, marks and scope, by which people and manifests mean the same.
pub(super) fn key(name: &str) -> String {
    let bare = name.rsplit('/').next().unwrap_or(name).replace("++", "pp");
    bare.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

impl Facts {
    /// Reads what the files say.
    pub(super) fn read(files: &[String], texts: &BTreeMap<String, String>) -> Self {
        let mut facts = Self::default();
        let mut found = Vec::new();
        for (path, text) in texts.iter().filter(|(path, _)| holds_facts(path)) {
            tasks::read(path, text, &mut facts);
            manifest::read(path, text, &mut facts);
            named::read(path, text, &mut facts);
            found.extend(leaves::read(path, text));
            leaves::ports_in_text(path, text, &mut facts.ports);
        }
        leaves::ports_of_leaves(&found, &mut facts.ports);
        manifest::images(&found, &mut facts);
        named::of_leaves(&found, &mut facts);
        for leaf in found {
            if let Some(key) = leaf.keys.last() {
                facts.leaves.entry(key.clone()).or_default().push(leaf);
            }
        }
        tasks::cargo_binaries(files, &mut facts);
        signs::read(files, texts, &mut facts);
        facts
    }

    /// The values by the key that holds them.
    pub(super) fn values(&self) -> impl Iterator<Item = (&str, &[Leaf])> {
        self.leaves.iter().map(|(key, leaves)| (key.as_str(), leaves.as_slice()))
    }

    /// The tasks of a runner; none when the checkout has no file of it.
    pub(super) fn tasks(&self, runner: Runner) -> Option<&Tasks> {
        self.tasks.get(&runner)
    }

    /// What manifests say of a dependency or tool.
    pub(super) fn versions(&self, name: &str) -> &[Declared] {
        self.declared.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether a manifest names a dependency.
    pub(super) fn declares(&self, name: &str) -> bool {
        // The last part of a scoped name says too little: `test` of `@playwright/test`.
        self.versions(&key(name))
            .iter()
            .any(|declared| declared.name == name || !declared.name.starts_with('@'))
    }

    /// Whether any manifest was read that lists dependencies.
    pub(super) fn has_dependencies(&self) -> bool {
        !self.declared.is_empty()
    }

    fn declare(&mut self, name: &str, demand: Option<&str>, file: &str) {
        let demand = demand.map(str::trim).filter(|demand| !demand.is_empty()).map(str::to_owned);
        let declared = Declared { name: name.to_owned(), demand, file: file.to_owned() };
        self.declared.entry(key(name)).or_default().push(declared);
    }

    fn task(&mut self, runner: Runner, name: &str, file: &str) {
        let tasks = self.tasks.entry(runner).or_default();
        tasks.names.entry(name.to_owned()).or_insert_with(|| file.to_owned());
        tasks.files.insert(file.to_owned());
    }

    fn recipe(&mut self, runner: Runner, name: &str, line: &str) {
        let recipe = self.tasks.entry(runner).or_default().recipes.entry(name.to_owned()).or_default();
        if !recipe.is_empty() {
            recipe.push('\n');
        }
        recipe.push_str(line.trim());
    }

    fn open_tasks(&mut self, runner: Runner, file: &str, open: bool) {
        let tasks = self.tasks.entry(runner).or_default();
        tasks.files.insert(file.to_owned());
        tasks.open |= open;
    }
}

#[cfg(test)]
#[path = "facts_tests.rs"]
mod tests;
