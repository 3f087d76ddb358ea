//! What names of files and folders say by themselves.

/// Endings of files that a checkout holds.
const ENDINGS: &[&str] = &[
    "rs",
    "ts",
    "tsx",
    "js",
    "jsx",
    "mjs",
    "cjs",
    "mts",
    "cts",
    "py",
    "pyi",
    "ipynb",
    "go",
    "java",
    "kt",
    "kts",
    "scala",
    "swift",
    "mm",
    "hpp",
    "cc",
    "cpp",
    "cxx",
    "cs",
    "fs",
    "rb",
    "php",
    "pl",
    "lua",
    "ex",
    "exs",
    "erl",
    "hs",
    "ml",
    "clj",
    "dart",
    "jl",
    "zig",
    "nim",
    "sql",
    "proto",
    "graphql",
    "gql",
    "prisma",
    "sh",
    "bash",
    "zsh",
    "fish",
    "ps1",
    "bat",
    "cmd",
    "html",
    "htm",
    "css",
    "scss",
    "sass",
    "less",
    "vue",
    "svelte",
    "astro",
    "md",
    "mdx",
    "rst",
    "txt",
    "adoc",
    "json",
    "jsonc",
    "json5",
    "jsonl",
    "yaml",
    "yml",
    "toml",
    "ini",
    "cfg",
    "conf",
    "env",
    "properties",
    "xml",
    "gradle",
    "tf",
    "tfvars",
    "hcl",
    "lock",
    "csv",
    "tsv",
    "svg",
    "png",
    "jpg",
    "service",
    "dockerfile",
    "ld",
    "asm",
    "mk",
    "cmake",
    "nix",
    "bzl",
    "sum",
    "mod",
    "plist",
    "j2",
    "tmpl",
    "tpl",
    "hbs",
    "ejs",
    "erb",
    "snap",
    "feature",
    "gemspec",
    "template",
    "example",
    "sample",
    "arb",
    "wgsl",
    "glsl",
    "sol",
    "tex",
    "bib",
];
/// Endings of one letter; prose is full of such words, so they count in code and behind a folder only.
const SHORT_ENDINGS: &[&str] = &["c", "h", "m", "r", "s", "x", "v", "d"];
/// Endings of files with prose, which may speak of anything.
const PROSE: &[&str] =
    &["md", "mdx", "rst", "txt", "adoc", "tex", "bib", "csv", "tsv", "svg", "jsonl", "lock", "snap", "sum"];
/// Files that are known without an ending.
const NAMES: &[&str] = &[
    "Makefile",
    "GNUmakefile",
    "makefile",
    "Dockerfile",
    "Containerfile",
    "Justfile",
    "justfile",
    "Procfile",
    "Jenkinsfile",
    "Vagrantfile",
    "Rakefile",
    "Gemfile",
    "CODEOWNERS",
    "Pipfile",
    "Caddyfile",
    "Tiltfile",
    "Brewfile",
];
/// What is written like a file of JavaScript but names a library.
const LIBRARIES: &[&str] = &[
    "node",
    "next",
    "vue",
    "nuxt",
    "express",
    "react",
    "three",
    "d3",
    "chart",
    "nest",
    "p5",
    "backbone",
    "ember",
    "angular",
    "alpine",
    "discord",
    "socket",
    "moment",
    "day",
    "require",
    "video",
    "plotly",
    "tensorflow",
    "solid",
    "ag-grid",
    "pdf",
    "leaflet",
    "hapi",
    "koa",
    "knex",
    "lit",
    "preact",
    "ml5",
    "phaser",
    "babylon",
    "pixi",
    "mapbox",
    "deck",
];
/// Folders that hold what was installed or built.
const DEPENDENCY_FOLDERS: &[&str] = &[
    "node_modules",
    "bower_components",
    ".git",
    ".hg",
    ".svn",
    "__pycache__",
    ".venv",
    "venv",
    ".tox",
    ".nox",
    ".gradle",
    ".idea",
    ".next",
    ".nuxt",
    ".svelte-kit",
    ".dart_tool",
    "Pods",
    "DerivedData",
    ".terraform",
    ".cache",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".turbo",
    ".parcel-cache",
    ".yarn",
    ".pnpm-store",
    "site-packages",
    ".eggs",
    ".direnv",
    ".bundle",
];
/// Folders in which builds leave what they made; in some projects they hold sources.
const BUILD_FOLDERS: &[&str] =
    &["target", "dist", "build", "out", "coverage", "bin", "obj", "tmp", "logs", "log"];
/// Folders that stand at the root of many checkouts: a path that starts with one is meant from there.
const USUAL_FOLDERS: &[&str] = &[
    "src",
    "lib",
    "libs",
    "app",
    "apps",
    "packages",
    "crates",
    "cmd",
    "internal",
    "pkg",
    "test",
    "tests",
    "spec",
    "specs",
    "e2e",
    "docs",
    "doc",
    "config",
    "configs",
    "conf",
    "scripts",
    "script",
    "tools",
    "ci",
    "infra",
    "deploy",
    "deployment",
    "deployments",
    "ops",
    "migrations",
    "db",
    "database",
    "k8s",
    "kubernetes",
    "helm",
    "charts",
    "terraform",
    "ansible",
    "docker",
    "services",
    "service",
    "server",
    "client",
    "clients",
    "frontend",
    "backend",
    "web",
    "www",
    "api",
    "public",
    "assets",
    "static",
    "templates",
    "views",
    "examples",
    "include",
    "includes",
    "vendor",
    "data",
    "models",
    "notebooks",
    "benches",
    "benchmarks",
    "fixtures",
    "proto",
    "protos",
    "schema",
    "schemas",
    "sql",
    "ui",
    "core",
    "common",
    "shared",
    "utils",
    "modules",
    "plugins",
    "components",
    "pages",
    "routes",
    "hooks",
    "store",
    "styles",
    "types",
    "locales",
    "i18n",
    "resources",
    "main",
    "android",
    "ios",
    "mobile",
    "desktop",
    "firmware",
    "fw",
    "functions",
    "workers",
    "jobs",
    "tasks",
    "supabase",
    "prisma",
    ".github",
    ".gitlab",
    ".circleci",
    ".cargo",
    ".vscode",
    ".husky",
    ".claude",
    ".storybook",
    ".devcontainer",
    ".config",
];

/// The ending of a file name, in lower case; none for `.env` and names without a full stop.
pub(super) fn ending(name: &str) -> Option<String> {
    let (stem, ending) = name.rsplit_once('.')?;
    (!stem.is_empty() && !ending.is_empty()).then(|| ending.to_ascii_lowercase())
}

/// The last part of a path.
pub(super) fn base(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a name is that of a file. `strict` is for prose, where `e.g.` and `Node.js` look like one.
pub(super) fn is_file_name(name: &str, strict: bool) -> bool {
    if NAMES.contains(&name) || name.starts_with("Dockerfile.") {
        return true;
    }
    if name.starts_with('.') {
        return is_dot_file(name);
    }
    let Some(ending) = ending(name) else { return false };
    let stem = &name[..name.len() - ending.len() - 1];
    let well_formed = stem.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '[' | '('))
        && stem.chars().any(|c| c.is_ascii_alphabetic());
    let library = ending == "js" && LIBRARIES.contains(&stem.to_ascii_lowercase().as_str());
    well_formed
        && !library
        && (ENDINGS.contains(&ending.as_str()) || (!strict && SHORT_ENDINGS.contains(&ending.as_str())))
}

fn is_dot_file(name: &str) -> bool {
    let rest = &name[1..];
    let named = rest.starts_with("env") && !rest.starts_with("environ")
        || (rest.ends_with("rc") && rest.len() > 3)
        || rest.ends_with("ignore")
        || [
            "editorconfig",
            "gitattributes",
            "gitmodules",
            "tool-versions",
            "python-version",
            "node-version",
            "java-version",
            "ruby-version",
            "sdkmanrc",
            "envrc",
        ]
        .contains(&rest);
    named
        || (rest.starts_with(|c: char| c.is_ascii_alphabetic())
            && ending(rest).is_some_and(|ending| ENDINGS.contains(&ending.as_str())))
}

/// Whether a path starts with a folder that stands at the root of many checkouts.
pub(super) fn starts_usually(path: &str) -> bool {
    path.split('/').next().is_some_and(|first| USUAL_FOLDERS.contains(&first.to_ascii_lowercase().as_str()))
}

/// Whether a folder of this name holds what was installed, which nobody means by a name.
pub fn is_dependency_folder(name: &str) -> bool {
    DEPENDENCY_FOLDERS.contains(&name)
}

/// Whether a path leads into a folder with what was installed or built: that nothing is there says nothing.
pub(super) fn is_made(path: &str) -> bool {
    let mut folders = path.split('/').peekable();
    while let Some(folder) = folders.next() {
        if is_dependency_folder(folder) || (folders.peek().is_some() && BUILD_FOLDERS.contains(&folder)) {
            return true;
        }
    }
    false
}

/// Whether a file may hold source or settings, in which names are looked for; prose and data may speak of anything.
pub fn has_source(path: &str) -> bool {
    let name = base(path);
    match ending(name) {
        Some(ending) => {
            !PROSE.contains(&ending.as_str())
                && !["png", "jpg"].contains(&ending.as_str())
                && (ENDINGS.contains(&ending.as_str()) || SHORT_ENDINGS.contains(&ending.as_str()))
        }
        None => NAMES.contains(&name) || name.starts_with(".env"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_told_from_prose() {
        for name in
            ["slash_test.rs", "versions.tf", ".nvmrc", ".env.local", "Makefile", "vite.config.ts", ".fvmrc"]
        {
            assert!(is_file_name(name, true), "{name}");
        }
        for name in
            ["Node.js", "e.g", "example.com", "v1.4.2", ".rs", "etc.", "1.5", "memory.x", "obj.method"]
        {
            assert!(!is_file_name(name, true), "{name}");
        }
        assert!(is_file_name("memory.x", false));
    }

    #[test]
    fn what_was_built_is_known_by_its_folder() {
        assert!(is_made("node_modules/left/index.js") && is_made("target/debug/app"));
        assert!(!is_made("src/bin.rs") && !is_made("scripts/build"));
    }
}
