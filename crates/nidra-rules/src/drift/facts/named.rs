//! Versions that stand beside a name outside the lists of dependencies: `nomad_version: 1.9.5`, `find_package(Qt6 6.8)`,
//! `deploymentTarget: {iOS: "17.0"}`.

use super::{Facts, Leaf};
use crate::drift::clause::pattern;
use crate::drift::files::{base, ending};
use crate::drift::version::numbers;
use regex::Regex;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A package that `CMake` looks for, with the version that it needs.
static FOUND: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?i)\bfind_package\s*\(\s*([a-z]\w*)\s+([0-9][0-9.]*)"));
/// A source that `CMake` fetches at a tag.
static FETCHED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"(?i)\bFetchContent_Declare\s*\(\s*([a-z]\w*)[^)]*?\bGIT_TAG\s+v?([0-9][0-9.]*)")
});
/// A variable of `CMake` that holds the standard of a language or the oldest system.
static VARIABLE: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r#"(?i)\bset\s*\(\s*(\w+?)_(STANDARD|DEPLOYMENT_TARGET)\s+"?([0-9][0-9.]*)"#));
/// The version of `CMake` that a project needs.
static CMAKE: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?i)\bcmake_minimum_required\s*\(\s*VERSION\s+([0-9][0-9.]*)"));
/// A folder of an installed package: `/opt/Qt/6.8.1/gcc_64`.
static INSTALLED: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"[/\\]([A-Za-z][A-Za-z+]*)[/\\-](\d+\.\d+(?:\.\d+)*)\b"));
/// A framework that a project of .NET is built for.
static FRAMEWORK: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"\b(net|netcoreapp|netstandard)(\d+(?:\.\d+)?)\b"));
/// The same, as older projects write it.
static OLD_FRAMEWORK: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"<TargetFrameworkVersion>v(\d+(?:\.\d+)+)<"));
/// A package of a project of .NET.
static PACKAGE: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r#"\bInclude="([\w.-]+)"\s+Version="([0-9][\w.-]*)""#));
/// A version that a build of gradle gives a name.
static GRADLE: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r#"\b(\w+?)[._]?[vV]ersion\s*=\s*['"]([0-9][\w.-]*)['"]"#));
/// The versions of Android that a build names.
static ANDROID: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"\b(min|target|compile)Sdk(?:Version)?\b[\s=(]*(\d+)"));
/// The oldest system that a build for Apple's devices supports.
static APPLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\.(ios|macos|tvos|watchos|visionos)\(\.v(\d+(?:_\d+)?)\)|platform\s+:(ios|osx|tvos|watchos),\s*['\x22]([0-9.]+)|",
        r"\b(iphoneos|macosx|tvos|watchos|xros)_deployment_target\s*=\s*([0-9.]+)"
    ))
});
/// A whole file that says a name and a version.
static WHOLE: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"^\s*([A-Za-z][\w+-]*)[ :]\s*v?(\d+\.[\w.]+)\s*$"));
/// Words in front of `version` that name nothing by themselves.
const NAMELESS: &[&str] = &[
    "api",
    "app",
    "application",
    "base",
    "build",
    "chart",
    "cmake",
    "code",
    "config",
    "data",
    "doc",
    "engine",
    "file",
    "format",
    "image",
    "lib",
    "library",
    "lock",
    "lockfile",
    "manifest",
    "module",
    "package",
    "plugin",
    "product",
    "project",
    "release",
    "schema",
    "semantic",
    "server",
    "spec",
    "stack",
    "system",
    "target",
    "template",
    "this",
    "tool",
    "tools",
];
/// Keys whose value is the name of the thing that a `version` beside it belongs to.
const NAMING: &[&str] = &["name", "package", "engine", "product", "tool", "chart", "platform"];

/// Reads what a file says that is no list of keys and values.
pub(super) fn read(path: &str, text: &str, facts: &mut Facts) {
    let name = base(path);
    let end = ending(name);
    if name == "CMakeLists.txt" || end.as_deref() == Some("cmake") {
        cmake(path, text, facts);
    } else if name.starts_with("CMakePresets") || name.starts_with("CMakeUserPresets") {
        pairs(&INSTALLED, path, text, facts);
    } else if matches!(end.as_deref(), Some("csproj" | "fsproj" | "vbproj" | "props")) {
        dotnet(path, text, facts);
    } else if matches!(end.as_deref(), Some("gradle" | "kts")) {
        for found in GRADLE.iter().flat_map(|pattern| pattern.captures_iter(text)) {
            if !NAMELESS.contains(&found[1].to_ascii_lowercase().as_str()) {
                facts.declare(&found[1], Some(&found[2]), path);
            }
        }
        for found in ANDROID.iter().flat_map(|pattern| pattern.captures_iter(text)) {
            let level = if &found[1] == "min" { "minimum" } else { &found[1] };
            facts.declare(&format!("{level} sdk"), Some(&found[2]), path);
        }
    } else if matches!(name, "Package.swift" | "Podfile" | "project.pbxproj") {
        for found in APPLE.iter().flat_map(|pattern| pattern.captures_iter(text)) {
            let mut groups = found.iter().skip(1).flatten();
            if let (Some(system), Some(version)) = (groups.next(), groups.next()) {
                oldest(system.as_str(), &version.as_str().replace('_', "."), path, facts);
            }
        }
    } else if name == "ProjectVersion.txt" {
        let editor = text.lines().find_map(|line| line.strip_prefix("m_EditorVersion:"));
        if let Some(version) = editor {
            facts.declare("unity", Some(version), path);
        }
    } else if name == "renv.lock" {
        let lock: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
        facts.declare("R", lock["R"]["Version"].as_str(), path);
    } else if name == "VERSION" {
        pairs(&WHOLE, path, text, facts);
    } else if let Some(tool) = name.strip_prefix('.').and_then(|name| name.strip_suffix("-version")) {
        // `.nvmrc` and its like are read as manifests; this is the form that all of them share.
        if !["node", "python", "java", "ruby"].contains(&tool) {
            facts.declare(tool, text.split_whitespace().next(), path);
        }
    }
}

/// Reads the versions among keys and values.
pub(super) fn of_leaves(leaves: &[Leaf], facts: &mut Facts) {
    // What a `version` belongs to stands beside it: the last name among the same keys.
    let mut beside: BTreeMap<(&str, &[String]), &str> = BTreeMap::new();
    let mut demands: Vec<(String, String, &str)> = Vec::new();
    for leaf in leaves {
        let Some((key, above)) = leaf.keys.split_last() else { continue };
        let own = is_own(&leaf.file, above);
        // At the top a name is that of what the file itself describes, whose version moves on with each release.
        let foreign = !above.is_empty() || ["engine", "product", "tool"].contains(&key.as_str());
        if foreign && NAMING.contains(&key.as_str()) {
            beside.insert((&leaf.file, above), &leaf.value);
        }
        let parts: Vec<String> = parts(key);
        let platform = above.iter().any(|key| key.eq_ignore_ascii_case("deploymentTarget"));
        let said =
            beside.get(&(leaf.file.as_str(), above)).map(|name| name.rsplit('/').next().unwrap_or(name));
        let name = match parts.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            _ if platform => Some(minimum(key)),
            ["deployment", "target"] | ["minimum", "system", "version"] => {
                let system = if above.last().is_some_and(|key| key == "mac") { Some("macos") } else { said };
                system.map(minimum)
            }
            ["version" | "revision" | "rev"] | ["engine", "version"] if !own => said.map(str::to_owned),
            ["require" | "required" | "default", name @ .., "version"] | [name @ .., "version"]
                if !name.is_empty() && !name.iter().all(|word| NAMELESS.contains(word)) =>
            {
                Some(name.join(" "))
            }
            _ => None,
        };
        let Some(name) = name.filter(|_| number(&leaf.value)) else { continue };
        let bounded = leaf.value.starts_with(['<', '>', '!', '~', '^']);
        match demands.last_mut().filter(|last| bounded && last.0 == name && last.2 == leaf.file) {
            // `[">=1.10", "<1.11"]`: both bounds hold at once.
            Some(last) => last.1 = format!("{},{}", last.1, leaf.value),
            None => demands.push((name, leaf.value.clone(), &leaf.file)),
        }
    }
    for (name, demand, file) in demands {
        // A manifest may have said so in its own way.
        let known = facts.versions(&super::key(&name));
        if !known.iter().any(|declared| declared.file == file && declared.demand.as_deref() == Some(&demand))
        {
            facts.declare(&name, Some(&demand), file);
        }
    }
}

/// Whether the keys above a version are those of the package that the file itself describes.
fn is_own(file: &str, above: &[String]) -> bool {
    let describes =
        ["Chart.yaml", "Chart.yml", "pubspec.yaml", "composer.json", "package.json", "galaxy.yml"]
            .contains(&base(file));
    let package = ["package", "project", "poetry", "metadata", "info"];
    (describes && above.is_empty()) || above.last().is_some_and(|key| package.contains(&key.as_str()))
}

fn cmake(path: &str, text: &str, facts: &mut Facts) {
    for (packages, bound) in [(&FOUND, ">="), (&FETCHED, "")] {
        for found in packages.iter().flat_map(|pattern| pattern.captures_iter(text)) {
            let demand = format!("{bound}{}", &found[2]);
            facts.declare(&found[1], Some(&demand), path);
            // `Qt6` is what CMake calls Qt.
            let bare = found[1].trim_end_matches(|c: char| c.is_ascii_digit());
            if bare.len() < found[1].len() {
                facts.declare(bare, Some(&demand), path);
            }
        }
    }
    for found in VARIABLE.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        match (&found[1], &found[2]) {
            ("CMAKE_CXX", "STANDARD") => facts.declare("C++", Some(&found[3]), path),
            ("CMAKE_OSX", "DEPLOYMENT_TARGET") => oldest("macos", &found[3], path, facts),
            _ => {}
        }
    }
    for found in CMAKE.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        facts.declare("cmake", Some(&format!(">={}", &found[1])), path);
    }
}

fn dotnet(path: &str, text: &str, facts: &mut Facts) {
    let targets = text.lines().filter(|line| line.contains("<TargetFramework"));
    for found in
        targets.flat_map(|line| FRAMEWORK.iter().flat_map(move |pattern| pattern.captures_iter(line)))
    {
        let version = &found[2];
        match &found[1] {
            // `net48` is the framework, `net8.0` what took its place: each is the answer to a question about the other.
            "net" => {
                let digits: Vec<String> = version.chars().map(String::from).collect();
                let version = if version.contains('.') { version.to_owned() } else { digits.join(".") };
                for name in ["NET", "dotnet", "NET Framework"] {
                    facts.declare(name, Some(&version), path);
                }
            }
            name => facts.declare(name, Some(version), path),
        }
    }
    for found in OLD_FRAMEWORK.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        facts.declare("NET Framework", Some(&found[1]), path);
    }
    pairs(&PACKAGE, path, text, facts);
}

/// Declares the first group of each match with the version in the second.
fn pairs(names: &LazyLock<Option<Regex>>, path: &str, text: &str, facts: &mut Facts) {
    for found in names.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        facts.declare(&found[1], Some(&found[2]), path);
    }
}

/// The oldest version of a system that is supported.
fn oldest(system: &str, version: &str, path: &str, facts: &mut Facts) {
    facts.declare(&minimum(system), Some(version), path);
}

fn minimum(system: &str) -> String {
    let system = system.to_ascii_lowercase();
    let system = match system.as_str() {
        "iphoneos" => "ios",
        "macosx" | "osx" => "macos",
        "xros" => "visionos",
        other => other,
    };
    format!("minimum {system}")
}

/// Whether a value is a version, perhaps with a bound.
fn number(value: &str) -> bool {
    numbers(value.trim_start_matches(['<', '>', '=', '~', '^', '!', ' '])).is_some()
}

/// The words of a key in small letters.
fn parts(key: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut before = ' ';
    for character in key.chars() {
        let hump = character.is_ascii_uppercase() && before.is_ascii_lowercase();
        if hump || !character.is_alphanumeric() {
            found.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(last) = found.last_mut()
        {
            last.extend(character.to_lowercase());
        }
        before = character;
    }
    found.retain(|word| !word.is_empty());
    found
}
