//! Which tools a project was set up with, by the files that only they leave and by the names in manifests.

use super::{Facts, key};
use crate::drift::files::{base, ending};
use std::collections::BTreeMap;

/// Files that show a tool.
const FILES: &[(&str, &str)] = &[
    ("yarn.lock", "yarn"),
    (".yarnrc.yml", "yarn"),
    ("pnpm-lock.yaml", "pnpm"),
    ("pnpm-workspace.yaml", "pnpm"),
    ("package-lock.json", "npm"),
    ("npm-shrinkwrap.json", "npm"),
    ("bun.lock", "bun"),
    ("bun.lockb", "bun"),
    ("uv.lock", "uv"),
    ("poetry.lock", "poetry"),
    ("Pipfile", "pipenv"),
    ("Pipfile.lock", "pipenv"),
    ("pdm.lock", "pdm"),
    ("environment.yml", "conda"),
    ("environment.yaml", "conda"),
    ("conda-lock.yml", "conda"),
    ("pixi.lock", "pixi"),
    ("pom.xml", "maven"),
    ("mvnw", "maven"),
    ("build.gradle", "gradle"),
    ("build.gradle.kts", "gradle"),
    ("gradlew", "gradle"),
    ("build.sbt", "sbt"),
    ("WORKSPACE.bazel", "bazel"),
    ("MODULE.bazel", "bazel"),
    (".travis.yml", "travis"),
    (".gitlab-ci.yml", "gitlab"),
    ("Jenkinsfile", "jenkins"),
    ("azure-pipelines.yml", "azurepipelines"),
    ("bitbucket-pipelines.yml", "bitbucket"),
    ("turbo.json", "turbo"),
    ("nx.json", "nx"),
    ("lerna.json", "lerna"),
    ("pytest.ini", "pytest"),
    ("ruff.toml", "ruff"),
    (".flake8", "flake8"),
    (".pylintrc", "pylint"),
    (".pre-commit-config.yaml", "precommit"),
    ("lefthook.yml", "lefthook"),
    (".lefthook.yml", "lefthook"),
    ("biome.json", "biome"),
    ("biome.jsonc", "biome"),
    ("dprint.json", "dprint"),
    ("tslint.json", "tslint"),
    (".rubocop.yml", "rubocop"),
    ("Gemfile", "bundler"),
    ("composer.json", "composer"),
    ("deno.json", "deno"),
    ("angular.json", "angular"),
    ("phpunit.xml", "phpunit"),
    ("fly.toml", "fly"),
    ("vercel.json", "vercel"),
    ("netlify.toml", "netlify"),
    ("render.yaml", "render"),
    ("Chart.yaml", "helm"),
    ("kustomization.yaml", "kustomize"),
    ("pubspec.yaml", "flutter"),
    (".mocharc.json", "mocha"),
    (".mocharc.yml", "mocha"),
    ("schema.prisma", "prisma"),
    ("alembic.ini", "alembic"),
    ("flyway.conf", "flyway"),
    (".nvmrc", "nvm"),
    (".tool-versions", "asdf"),
    (".fvmrc", "fvm"),
    ("colcon.meta", "colcon"),
    ("CMakeLists.txt", "cmake"),
    ("platformio.ini", "platformio"),
    ("dvc.yaml", "dvc"),
];

/// Endings of files that only one tool reads.
const ENDINGS: &[(&str, &str)] = &[
    ("nsi", "nsis"),
    ("iss", "innosetup"),
    ("wxs", "wix"),
    ("uvprojx", "keil"),
    ("uvproj", "keil"),
    ("ewp", "iar"),
];

/// Folders that only one tool reads, and names under which it is set up.
const PLACES: &[(&str, &str)] = &[
    ("flux", "flux"),
    ("flux-system", "flux"),
    ("argocd", "argocd"),
    ("argo-cd", "argocd"),
    ("dolphinscheduler", "dolphinscheduler"),
];

/// Finds the tools.
pub(super) fn read(files: &[String], texts: &BTreeMap<String, String>, facts: &mut Facts) {
    let known: BTreeMap<&str, &str> = FILES.iter().copied().collect();
    for path in files {
        let name = base(path);
        let mut show = |tool: &str| {
            facts.tools.entry(tool.to_owned()).or_insert_with(|| path.clone());
        };
        if let Some(tool) = known.get(name) {
            show(tool);
        }
        // `jest.config.js`, `.eslintrc.json`, `.prettierrc`.
        if let Some((tool, _)) = name.split_once(".config.") {
            show(&key(tool));
        }
        if let Some(rest) = name.strip_prefix('.')
            && let Some((tool, tail)) = rest.split_once("rc")
            && (tail.is_empty() || tail.starts_with('.'))
            && tool.len() > 2
        {
            show(&key(tool));
        }
        if path.starts_with(".github/workflows/") {
            show("githubactions");
        }
        if path.starts_with(".circleci/") {
            show("circleci");
        }
        if path.starts_with(".husky/") {
            show("husky");
        }
        for (_, tool) in ENDINGS.iter().filter(|(end, _)| ending(name).as_deref() == Some(end)) {
            show(tool);
        }
        let settings = matches!(ending(name).as_deref(), Some("yaml" | "yml"));
        for part in path.split('/').filter(|_| settings).map(|part| part.split('.').next().unwrap_or(part)) {
            for (_, tool) in PLACES.iter().filter(|(place, _)| *place == part) {
                show(tool);
            }
        }
    }
    for (name, declared) in &facts.declared {
        for one in declared {
            // In `@playwright/test` the scope is the name of the tool.
            let name = match one.name.strip_prefix('@').and_then(|name| name.split_once('/')) {
                Some((scope, _)) => {
                    facts.tools.entry(format!("{}{name}", key(scope))).or_insert_with(|| one.file.clone());
                    key(scope)
                }
                None => name.clone(),
            };
            facts.tools.entry(name).or_insert_with(|| one.file.clone());
        }
    }
    for (path, text) in texts {
        if base(path) == "pyproject.toml"
            && let Ok(table) = toml::from_str::<toml::Table>(text)
            && let Some(tools) = table.get("tool").and_then(toml::Value::as_table)
        {
            tools.keys().for_each(|tool| {
                facts.tools.entry(key(tool)).or_insert_with(|| path.clone());
            });
        }
        let shown = match base(path) {
            ".gitattributes" if text.contains("filter=lfs") => Some("gitlfs"),
            "package.xml" if text.contains("ament_") => Some("colcon"),
            "package.xml" if text.contains(">catkin<") => Some("catkin"),
            name if name.starts_with("electron-builder.") && text.contains("nsis") => Some("nsis"),
            _ => None,
        };
        if let Some(tool) = shown {
            facts.tools.entry(tool.to_owned()).or_insert_with(|| path.clone());
        }
        // What workflows and images run is spoken of, as in scripts.
        if path.starts_with(".github/") || path.contains("ci.y") || base(path).starts_with("Dockerfile") {
            facts.spoken.extend(super::tasks::words(text));
        }
    }
}
