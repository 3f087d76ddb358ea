//! Programs, languages and libraries that people work with, by their names.

use crate::entity::{EntityKind, Places};
use std::collections::HashSet;
use std::sync::LazyLock;

/// Names that mean a tool wherever they stand as a word of their own. Names that are also common words are left out: they
/// are tools only in code.
const TOOLS: &[&str] = &[
    "airflow",
    "alembic",
    "angular",
    "ansible",
    "apache",
    "argocd",
    "astro",
    "aws",
    "azure",
    "bash",
    "bazel",
    "biome",
    "bigquery",
    "bun",
    "bundler",
    "caddy",
    "cargo",
    "cassandra",
    "celery",
    "circleci",
    "clang",
    "clickhouse",
    "cmake",
    "cocoapods",
    "conda",
    "confluence",
    "consul",
    "cypress",
    "dagster",
    "datadog",
    "dbt",
    "deno",
    "django",
    "docker",
    "dprint",
    "duckdb",
    "elasticsearch",
    "elixir",
    "esbuild",
    "eslint",
    "etcd",
    "fastapi",
    "fastlane",
    "figma",
    "firebase",
    "flask",
    "flink",
    "flutter",
    "flyway",
    "gcc",
    "gcp",
    "git",
    "github",
    "gitlab",
    "golang",
    "gradle",
    "grafana",
    "graphql",
    "grpc",
    "hadoop",
    "haproxy",
    "harbor",
    "heroku",
    "hetzner",
    "homebrew",
    "hugo",
    "influxdb",
    "istio",
    "jaeger",
    "java",
    "javascript",
    "jenkins",
    "jest",
    "jira",
    "jooq",
    "jotai",
    "junit",
    "kafka",
    "keycloak",
    "kibana",
    "kotlin",
    "kubectl",
    "kubernetes",
    "k8s",
    "k6",
    "laravel",
    "liquibase",
    "llvm",
    "loki",
    "lerna",
    "mariadb",
    "maven",
    "memcached",
    "minio",
    "mocha",
    "mongodb",
    "mysql",
    "mypy",
    "nats",
    "netlify",
    "nextjs",
    "nginx",
    "nodejs",
    "nuxt",
    "npm",
    "npx",
    "okta",
    "openapi",
    "opensearch",
    "opentelemetry",
    "oracle",
    "pagerduty",
    "pandas",
    "php",
    "pip",
    "pipenv",
    "playwright",
    "pnpm",
    "podman",
    "poetry",
    "postgres",
    "postgresql",
    "prettier",
    "prisma",
    "prometheus",
    "protobuf",
    "pulumi",
    "pydantic",
    "pytest",
    "python",
    "pytorch",
    "rabbitmq",
    "rails",
    "redis",
    "redux",
    "rsync",
    "ruby",
    "ruff",
    "rust",
    "rustc",
    "rustfmt",
    "s3",
    "sass",
    "scala",
    "selenium",
    "sentry",
    "shellcheck",
    "snowflake",
    "sqlalchemy",
    "sqlite",
    "sqlx",
    "stripe",
    "supabase",
    "svelte",
    "systemd",
    "tailwind",
    "tensorflow",
    "terraform",
    "tmux",
    "tokio",
    "traefik",
    "turborepo",
    "twilio",
    "typeorm",
    "typescript",
    "ubuntu",
    "debian",
    "uvicorn",
    "vercel",
    "vite",
    "vitest",
    "vscode",
    "vuex",
    "webpack",
    "yarn",
    "zookeeper",
    "zustand",
    "钉钉",
    "飞书",
    "企业微信",
    "禅道",
];

/// Several spellings of one tool.
const SAME: &[(&str, &str)] =
    &[("postgresql", "postgres"), ("k8s", "kubernetes"), ("golang", "go"), ("nextjs", "next.js")];

/// First words of commands that say nothing about what is worked with.
const SHELL: &[&str] = &[
    "cd",
    "ls",
    "cat",
    "echo",
    "rm",
    "cp",
    "mv",
    "mkdir",
    "export",
    "source",
    "sudo",
    "grep",
    "sed",
    "awk",
    "find",
    "if",
    "for",
    "let",
    "const",
    "var",
    "fn",
    "def",
    "return",
    "import",
    "use",
    "from",
    "select",
    "the",
    "a",
    "to",
    "time",
    "kill",
    "test",
    "env",
    "set",
    "git",
    "feat:",
    "fix:",
    "chore:",
    "docs:",
    "refactor:",
];

static KNOWN: LazyLock<HashSet<&'static str>> = LazyLock::new(|| TOOLS.iter().copied().collect());

/// Tools in a text.
pub(crate) fn find(places: &mut Places<'_>) {
    let text = places.text;
    let mut start = None;
    // A word ends where its alphabet ends: `用pnpm安装` names pnpm.
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if c.is_ascii_alphanumeric() {
            start.get_or_insert(at);
        } else if let Some(from) = start.take() {
            take(places, from, at);
        }
    }
    for word in TOOLS.iter().filter(|word| !word.is_ascii()) {
        for (at, found) in text.match_indices(word) {
            places.take(EntityKind::Tool, at..at + found.len(), found.to_owned());
        }
    }
    let code: Vec<_> = places.code().collect();
    for (range, words) in code {
        let Some((first, rest)) = words.split_once(' ') else { continue };
        let plain =
            first.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        let command =
            plain && first.len() > 1 && !SHELL.contains(&first) && !rest.starts_with(['=', ':', '(']);
        if command {
            places.take(EntityKind::Tool, range.start..range.start + first.len(), key(first));
        }
    }
}

fn take(places: &mut Places<'_>, from: usize, to: usize) {
    let Some(word) = places.text.get(from..to) else { return };
    let lower = word.to_ascii_lowercase();
    if KNOWN.contains(lower.as_str()) {
        places.take(EntityKind::Tool, from..to, key(&lower));
    }
}

fn key(word: &str) -> String {
    SAME.iter().find(|(other, _)| *other == word).map_or(word, |(_, one)| one).to_owned()
}
