use super::*;

fn facts(texts: &[(&str, &str)]) -> Facts {
    let texts: BTreeMap<String, String> =
        texts.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let files: Vec<String> = texts.keys().cloned().collect();
    Facts::read(&files, &texts)
}

fn demand(facts: &Facts, name: &str) -> Vec<String> {
    facts.versions(name).iter().filter_map(|declared| declared.demand.clone()).collect()
}

#[test]
fn manifests_of_many_languages_are_read() {
    let facts = facts(&[
        (
            "package.json",
            r#"{"packageManager":"pnpm@10.8.0","engines":{"node":">=22"},"devDependencies":{"@types/x":"1.0.0","vitest":"^3.1.1"}}"#,
        ),
        (
            "Cargo.toml",
            "[package]\nname = \"porter\"\nrust-version = \"1.89\"\n[dependencies]\nserde = { version = \"1.0\" }\n",
        ),
        (
            "pyproject.toml",
            "[project]\nrequires-python = \">=3.12\"\ndependencies = [\"torch==2.6.0\", \"uvicorn[standard]>=0.30\"]\n",
        ),
        ("requirements.txt", "requests==2.32.3  # http\n-r other.txt\n"),
        ("go.mod", "module example.com/x\n\ngo 1.24\n\nrequire (\n\tgithub.com/gin-gonic/gin v1.10.0\n)\n"),
        (
            "pom.xml",
            "<properties><java.version>21</java.version></properties><artifactId>mybatis</artifactId><version>3.5.16</version>",
        ),
        (
            "build.gradle.kts",
            "implementation(\"com.squareup.okhttp3:okhttp:4.12.0\")\nkotlin { jvmToolchain(17) }",
        ),
        ("pubspec.yaml", "environment:\n  sdk: ^3.8.0\ndependencies:\n  go_router: ^15.1.2\n"),
        ("main.tf", "terraform {\n  required_version = \"~> 1.9.0\"\n}\n"),
        ("compose.yaml", "services:\n  db: {image: \"docker.io/library/mysql:8.4\"}\n"),
        (".nvmrc", "v22.3.0\n"),
    ]);
    for (name, expected) in [
        ("pnpm", vec!["10.8.0"]),
        ("node", vec!["v22.3.0", ">=22"]),
        ("vitest", vec!["^3.1.1"]),
        ("rust", vec!["1.89"]),
        ("serde", vec!["1.0"]),
        ("python", vec![">=3.12"]),
        ("torch", vec!["==2.6.0"]),
        ("uvicorn", vec![">=0.30"]),
        ("requests", vec!["==2.32.3"]),
        ("go", vec!["1.24"]),
        ("gin", vec!["1.10.0"]),
        ("java", vec!["17", "21"]),
        ("mybatis", vec!["3.5.16"]),
        ("okhttp", vec!["4.12.0"]),
        ("gorouter", vec!["^15.1.2"]),
        ("terraform", vec!["~> 1.9.0"]),
        ("mysql", vec!["8.4"]),
    ] {
        assert_eq!(demand(&facts, name), expected, "{name}");
    }
}

#[test]
fn tasks_are_found_with_their_runner() {
    let facts = facts(&[
        ("package.json", r#"{"scripts":{"check:types":"tsc"}}"#),
        ("Makefile", "VERSION := 1\n.PHONY: dist\ndist: build\n\tuv run python x.py\nbuild:\n\ttrue\n"),
        ("justfile", "alias d := deploy\nmode := \"x\"\nship env='prod':\n    echo hi\n"),
        (".cargo/config.toml", "[alias]\nxtask = \"run --package xtask --\"\n"),
        ("tool/Cargo.toml", "[package]\nname = \"tool\"\n[[bin]]\nname = \"porter\"\n"),
    ]);
    let has = |runner, name: &str| facts.tasks(runner).is_some_and(|tasks| tasks.get(name).is_some());
    assert!(has(Runner::Package, "check:types"));
    assert!(has(Runner::Make, "dist") && has(Runner::Make, "build") && !has(Runner::Make, "VERSION"));
    assert!(has(Runner::Just, "ship") && has(Runner::Just, "d") && !has(Runner::Just, "mode"));
    assert!(
        has(Runner::Cargo, "xtask")
            && has(Runner::CargoBinary, "porter")
            && has(Runner::CargoPackage, "tool")
    );
    assert!(facts.spoken.contains("uv"));
}

#[test]
fn ports_know_whom_they_belong_to() {
    let facts = facts(&[
        ("apps/admin/vite.config.ts", "export default { server: { port: 4310 } }"),
        (
            "docker-compose.yml",
            "services:\n  board:\n    image: grafana/grafana:11\n    ports: [\"127.0.0.1:3001:3000\"]\n",
        ),
        ("services/billing/.env.example", "HTTP_PORT=8085\n"),
        ("Procfile", "web: serve --port 5000\n"),
    ]);
    let owners = |number: u32| -> Vec<&str> {
        facts
            .ports
            .iter()
            .filter(|port| port.number == number)
            .flat_map(|port| port.owners.iter().map(String::as_str))
            .collect()
    };
    assert_eq!(owners(4310), ["admin"]);
    assert_eq!(owners(3001), ["board", "grafana"]);
    assert_eq!(owners(3000), ["board", "grafana"]);
    assert!(owners(8085).contains(&"billing"));
    assert!(facts.ports.iter().any(|port| port.number == 5000));
}

#[test]
fn damaged_files_say_nothing_and_break_nothing() {
    let broken = "{\"a\": [1, {<<<<<<< \u{0}\n[[[\n:\n=\n\t- - {";
    for name in [
        "package.json",
        "Cargo.toml",
        "pyproject.toml",
        "a.yaml",
        "go.mod",
        "pom.xml",
        "Makefile",
        "justfile",
        "x.tf",
        ".env",
    ] {
        facts(&[(name, broken)]);
    }
}
