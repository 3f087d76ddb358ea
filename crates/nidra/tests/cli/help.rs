//! Every command that is named anywhere exists and explains itself.

use crate::support::Home;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The commands that `--help` lists.
fn commands(home: &Home) -> BTreeSet<String> {
    let help = home.expect(0, &["--help"]).out;
    let list = help.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    let is_name = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    list.lines()
        .filter(is_name)
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_command_of_the_help_answers_for_itself() {
    let home = Home::new();
    let commands = commands(&home);
    for expected in [
        "try",
        "init",
        "status",
        "dream",
        "plan",
        "apply",
        "review",
        "log",
        "show",
        "diff",
        "undo",
        "uninstall",
    ] {
        assert!(commands.contains(expected), "{expected} {commands:?}");
    }
    for command in &commands {
        if command == "help" {
            continue;
        }
        let said = home.expect(0, &[command, "--help"]);
        assert!(said.out.contains("Usage: nidra") && said.out.contains(command.as_str()), "{said:?}");
        let long = home.expect(0, &["help", command]);
        assert_eq!(long.out, said.out);
    }
    home.expect(0, &["hook", "--help"]);
    let version = home.expect(0, &["--version"]).out;
    assert_eq!(version.trim(), concat!("nidra ", env!("CARGO_PKG_VERSION")));
    assert!(!home.state.exists());
}

#[test]
fn the_exit_codes_are_documented() {
    let help = Home::new().expect(0, &["--help"]).out;
    let end = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in ["0 done", "1 failed", "2 usage", "3 refused", "4 another dream", "5 switched off"] {
        assert!(end.contains(words), "{words}: {end}");
    }
}

/// Markdown pages for users: the README and everything below `docs`.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = Vec::new();
    let mut folders = vec![root.join("docs")];
    for name in
        ["README.md", "README.zh-CN.md", "README.zh.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"]
    {
        pages.extend(Some(root.join(name)).filter(|page| page.exists()));
    }
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else if entry.path().extension().is_some_and(|extension| extension == "md") {
                pages.push(entry.path());
            }
        }
    }
    pages
}

/// Command lines in code spans and code blocks: what follows `nidra` up to the end of the line or span.
fn command_lines(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
            continue;
        }
        let pieces: Vec<&str> =
            if in_block { vec![line] } else { line.split('`').skip(1).step_by(2).collect() };
        for piece in pieces {
            let piece = piece.trim_start().trim_start_matches("$ ").trim_start();
            let Some(rest) = piece.strip_prefix("nidra ") else { continue };
            let end = rest.find(['#', '|', ';', '&', '>']).unwrap_or(rest.len());
            found.push(rest[..end].split_whitespace().map(str::to_owned).collect());
        }
    }
    found
}

#[test]
fn every_command_line_in_the_documentation_exists() {
    let home = Home::new();
    let commands = commands(&home);
    let mut checked = 0;
    for page in pages() {
        for line in command_lines(&fs::read_to_string(&page).unwrap()) {
            let Some(command) = line.iter().find(|word| !word.starts_with('-')) else { continue };
            // Prose such as "`nidra is` …" is no command line: a command is a lower-case word.
            if !command.bytes().all(|byte| byte.is_ascii_lowercase()) {
                continue;
            }
            assert!(
                commands.contains(command) || command == "hook",
                "{}: nidra {}",
                page.display(),
                line.join(" ")
            );
            let mut help = home.expect(0, &[command, "--help"]).out;
            // A verb has options of its own.
            let verb = line.iter().skip_while(|word| *word != command).nth(1);
            if let Some(verb) = verb.filter(|verb| help.contains(&format!("\n  {verb} "))) {
                help = home.expect(0, &[command, verb, "--help"]).out;
            }
            for flag in line.iter().filter(|word| word.starts_with("--")) {
                let flag =
                    flag.split(['=', ']']).next().unwrap_or_default().trim_end_matches([',', '.', ']']);
                assert!(
                    help.contains(flag) || flag == "--version",
                    "{}: {command} has no {flag}",
                    page.display()
                );
            }
            checked += 1;
        }
    }
    eprintln!("{checked} command lines checked");
}

#[test]
fn the_manual_and_the_completions_know_every_command() {
    let home = Home::new();
    let man = home.expect(0, &["man"]).out;
    for command in commands(&home) {
        assert!(man.contains(&command) || command == "help", "{command}");
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = home.expect(0, &["completions", shell]).out;
        assert!(script.contains("nidra") && script.contains("dream"), "{shell}");
    }
    assert!(!home.state.exists());
}
