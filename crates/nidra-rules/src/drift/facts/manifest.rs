//! Dependencies and versions, as manifests declare them.

use super::{Facts, Leaf};
use crate::drift::clause::pattern;
use crate::drift::files::{base, ending};
use regex::Regex;
use std::sync::LazyLock;

/// A requirement of pip: a name, extras, a demand.
static REQUIREMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"^([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?\s*((?:[<>=!~]=?=?\s*[\w.*]+,?\s*)*)")
});
/// A property of a pom whose name ends in `version`.
static PROPERTY: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"<([\w.-]+?)[.-]?(?:[vV]ersion|release)>\s*([0-9][\w.-]*)\s*</"));
/// An artifact of a pom, with its version when that is written out.
static ARTIFACT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"<artifactId>\s*([\w.-]+)\s*</artifactId>(?:\s*<version>\s*([0-9][\w.-]*)\s*</version>)?")
});
/// A dependency of gradle in one string, and a plugin with its version.
static GRADLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r#"['"]([\w.-]+):([\w.-]+)(?::([0-9][\w.-]*))?['"]|id\s*\(?['"]([\w.-]+)['"]\)?\s*version\s*['"]([0-9][\w.-]*)['"]"#,
    )
});
/// The Java version that gradle is told.
static GRADLE_JAVA: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?:JavaLanguageVersion\.of\(|jvmToolchain\(|JavaVersion\.VERSION_|sourceCompatibility\s*=\s*['\x22]?)(\d+)",
    )
});
/// A line of `go.mod`.
static GO: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?m)^\s*(?:require\s+)?([\w.-]+\.[\w.-]+/[\w./-]+)\s+v([0-9][\w.+-]*)"));
/// The version of the language in `go.mod`.
static GO_LANGUAGE: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"(?m)^go\s+([0-9.]+)"));
/// The version of terraform and of its providers.
static TERRAFORM: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r#"required_version\s*=\s*"([^"]+)""#));
/// The image that a Dockerfile starts from.
static FROM: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"(?im)^FROM\s+(?:--\S+\s+)?(\S+)"));

/// Reads the dependencies and versions of one file.
pub(super) fn read(path: &str, text: &str, facts: &mut Facts) {
    let name = base(path);
    let first = || text.split_whitespace().next();
    match name {
        "package.json" => package(path, text, facts),
        "Cargo.toml" | "pyproject.toml" | "rust-toolchain.toml" | "mise.toml" | ".mise.toml" | "Pipfile" => {
            if let Ok(table) = toml::from_str::<toml::Table>(text) {
                tables(path, &table, facts);
            }
        }
        "libs.versions.toml" => {
            if let Some(table) = toml::from_str::<toml::Table>(text)
                .ok()
                .as_ref()
                .and_then(|table| table.get("versions")?.as_table())
            {
                entries(path, table, facts);
            }
        }
        "go.mod" => {
            for found in captures(&GO, text) {
                // `/v5` at the end is the version of the module once more. Such a client is seldom as old as what it
                // speaks to, so it shows the tool and no version of it.
                let major = |part: &str| {
                    part.strip_prefix('v').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
                };
                match found[0].rsplit_once('/').filter(|(_, last)| major(last)) {
                    Some((name, _)) => facts.declare(name, None, path),
                    None => facts.declare(&found[0], found.get(1).map(String::as_str), path),
                }
            }
            for found in captures(&GO_LANGUAGE, text) {
                facts.declare("go", found.first().map(String::as_str), path);
            }
        }
        "pom.xml" => {
            for found in captures(&PROPERTY, text).into_iter().chain(captures(&ARTIFACT, text)) {
                let name = if found[0] == "maven.compiler" { "java" } else { &found[0] };
                facts.declare(name, found.get(1).map(String::as_str), path);
            }
        }
        "build.gradle" | "build.gradle.kts" => gradle(path, text, facts),
        "pubspec.yaml" => pubspec(path, text, facts),
        "pnpm-workspace.yaml" => {
            for (keys, value) in super::yaml::leaves(text) {
                if keys.len() > 1 && keys[0].starts_with("catalog") {
                    facts.declare(&keys[keys.len() - 1], Some(&value), path);
                }
            }
        }
        ".nvmrc" | ".node-version" => facts.declare("node", first(), path),
        ".python-version" => facts.declare("python", first(), path),
        ".java-version" => facts.declare("java", first(), path),
        ".ruby-version" => facts.declare("ruby", first(), path),
        "rust-toolchain" => facts.declare("rust", first(), path),
        ".fvmrc" => {
            let value = serde_json::from_str::<serde_json::Value>(text).unwrap_or_default();
            facts.declare("flutter", value["flutter"].as_str(), path);
        }
        ".tool-versions" => {
            for line in text.lines() {
                if let Some((tool, version)) = line.split_once(' ') {
                    facts.declare(tool, Some(version), path);
                }
            }
        }
        _ if name.starts_with("requirements") && ending(name).as_deref() == Some("txt") => {
            for line in text.lines() {
                requirement(path, line, facts);
            }
        }
        _ if ending(name).as_deref() == Some("tf") => {
            for found in captures(&TERRAFORM, text) {
                facts.declare("terraform", found.first().map(String::as_str), path);
            }
        }
        _ if name.starts_with("Dockerfile") || name == "Containerfile" => {
            for found in captures(&FROM, text) {
                image(path, &found[0], facts);
            }
        }
        _ => {}
    }
}

/// The groups of all matches, those that took part.
fn captures(pattern: &LazyLock<Option<Regex>>, text: &str) -> Vec<Vec<String>> {
    let Some(pattern) = pattern.as_ref() else { return Vec::new() };
    pattern
        .captures_iter(text)
        .map(|found| found.iter().skip(1).flatten().map(|group| group.as_str().trim().to_owned()).collect())
        .filter(|groups: &Vec<String>| !groups.is_empty())
        .collect()
}

fn package(path: &str, text: &str, facts: &mut Facts) {
    let Ok(value) = serde_json::from_str::<serde_json::Value>(text) else { return };
    for section in [
        "dependencies",
        "devDependencies",
        "peerDependencies",
        "optionalDependencies",
        "engines",
        "catalog",
        "volta",
    ] {
        for (name, demand) in value[section].as_object().into_iter().flatten() {
            // A demand that stands in another place is declared there.
            let demand = demand
                .as_str()
                .filter(|demand| demand.contains(|c: char| c.is_ascii_digit()) && !demand.contains(':'));
            facts.declare(name, demand, path);
            // The core of a family of packages has the version of the family: `@codemirror/state`.
            if let Some((scope, part @ ("core" | "state" | "view"))) =
                name.strip_prefix('@').and_then(|name| name.split_once('/'))
            {
                facts.declare(&format!("{scope}{part}"), demand, path);
            }
        }
    }
    if let Some((manager, version)) = value["packageManager"].as_str().and_then(|text| text.split_once('@')) {
        facts.declare(manager, version.split('+').next(), path);
    }
}

fn tables(path: &str, table: &toml::Table, facts: &mut Facts) {
    let at = |keys: &[&str]| keys.iter().try_fold(table, |table, key| table.get(*key)?.as_table());
    for keys in [
        &["dependencies"][..],
        &["dev-dependencies"],
        &["build-dependencies"],
        &["workspace", "dependencies"],
        &["tool", "poetry", "dependencies"],
        &["tool", "poetry", "dev-dependencies"],
        &["tools"],
        &["packages"],
        &["dev-packages"],
    ] {
        if let Some(table) = at(keys) {
            entries(path, table, facts);
        }
    }
    for group in at(&["tool", "poetry", "group"]).into_iter().flat_map(|groups| groups.values()) {
        if let Some(table) = group.get("dependencies").and_then(toml::Value::as_table) {
            entries(path, table, facts);
        }
    }
    for target in at(&["target"]).into_iter().flat_map(|targets| targets.values()) {
        if let Some(table) = target.get("dependencies").and_then(toml::Value::as_table) {
            entries(path, table, facts);
        }
    }
    let text = |keys: &[&str], name: &str| at(keys)?.get(name)?.as_str().map(str::to_owned);
    let rust = text(&["package"], "rust-version").or_else(|| text(&["workspace", "package"], "rust-version"));
    for (tool, version) in [
        ("python", text(&["project"], "requires-python")),
        ("rust", rust.clone()),
        ("msrv", rust),
        ("rust", text(&["toolchain"], "channel")),
        ("edition", text(&["package"], "edition").or_else(|| text(&["workspace", "package"], "edition"))),
    ] {
        if version.is_some() {
            facts.declare(tool, version.as_deref(), path);
        }
    }
    let project = at(&["project"]);
    let listed = project.and_then(|project| project.get("dependencies")).into_iter();
    let optional = project
        .and_then(|project| project.get("optional-dependencies")?.as_table())
        .into_iter()
        .flat_map(|table| table.values());
    let groups = at(&["dependency-groups"]).into_iter().flat_map(|groups| groups.values());
    for line in listed
        .chain(optional)
        .chain(groups)
        .filter_map(toml::Value::as_array)
        .flatten()
        .filter_map(toml::Value::as_str)
    {
        requirement(path, line, facts);
    }
}

/// The entries of a table of dependencies: a version, or a table with one.
fn entries(path: &str, table: &toml::Table, facts: &mut Facts) {
    for (name, value) in table {
        let demand = value.as_str().or_else(|| value.get("version").and_then(toml::Value::as_str));
        facts.declare(name, demand.filter(|demand| *demand != "*"), path);
    }
}

fn requirement(path: &str, line: &str, facts: &mut Facts) {
    let line = line.split(['#', ';']).next().unwrap_or_default().trim();
    let Some(found) = REQUIREMENT.as_ref().and_then(|pattern| pattern.captures(line)) else { return };
    if let Some(name) = found.get(1) {
        facts.declare(name.as_str(), found.get(2).map(|demand| demand.as_str()), path);
    }
}

fn gradle(path: &str, text: &str, facts: &mut Facts) {
    for found in GRADLE.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let group = |number: usize| found.get(number).map(|group| group.as_str());
        if let Some(name) = group(2).or(group(4)) {
            facts.declare(name, group(3).or(group(5)), path);
        }
        // The group names what people call it: `org.springframework.boot`.
        if let Some(owner) = group(1) {
            facts.declare(owner, None, path);
        }
    }
    for found in captures(&GRADLE_JAVA, text) {
        facts.declare("java", found.first().map(String::as_str), path);
    }
}

fn pubspec(path: &str, text: &str, facts: &mut Facts) {
    for (keys, value) in super::yaml::leaves(text) {
        let versioned = value.contains(|c: char| c.is_ascii_digit()).then_some(value.as_str());
        match keys.as_slice() {
            [section, name, ..] if section.ends_with("dependencies") => facts.declare(name, versioned, path),
            [section, tool] if section == "environment" => {
                facts.declare(if tool == "sdk" { "dart" } else { tool }, versioned, path);
            }
            _ => {}
        }
    }
}

/// Images that settings name: `image: "postgres:16"`.
pub(super) fn images(leaves: &[Leaf], facts: &mut Facts) {
    for leaf in leaves.iter().filter(|leaf| leaf.keys.last().is_some_and(|key| key == "image")) {
        image(&leaf.file, &leaf.value, facts);
    }
}

fn image(path: &str, text: &str, facts: &mut Facts) {
    let name = text.split('@').next().unwrap_or_default();
    let last = name.rsplit('/').next().unwrap_or_default();
    let (name, tag) = last.split_once(':').map_or((last, None), |(name, tag)| (name, Some(tag)));
    if !name.is_empty() && !name.contains(['$', '{']) {
        facts.declare(name, tag.filter(|tag| tag.starts_with(|c: char| c.is_ascii_digit())), path);
    }
}
