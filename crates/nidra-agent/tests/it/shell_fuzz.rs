//! Lines made at random out of harmless and harmful pieces. What is allowed really runs; nothing may change, nothing may
//! be left running, and the secret beside the folder may not be said.

use crate::world::World;
use nidra_agent::shell::{self, Bounds};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::Cell;
use std::fs;
use std::time::Duration;

const COMMANDS: &[&str] = &[
    "ls", "find", "grep", "cat", "stat", "wc", "head", "tail", "sort", "uniq", "cut", "tr", "du", "diff",
    "comm", "nl", "basename", "dirname", "echo", "pwd", "rm", "sh", "tee", "touch", "sed", "xargs", "env",
    "git",
];
const WORDS: &[&str] = &[
    "memory",
    "memory/ports.md",
    "memory/端口.md",
    "'memory/deep er'",
    "sessions/link",
    "memory/*",
    "*",
    ".",
    "..",
    "../secret.txt",
    "/etc/passwd",
    "'*.md'",
    "4310",
    "-r",
    "-n",
    "-n1",
    "1",
    "-o",
    "x",
    "-exec",
    "-delete",
    "';'",
    "\\;",
    "{}",
    "+",
    "-fprint",
    "-name",
    "-type",
    "f",
    "-f",
    "-R",
    "-L",
    "-c",
    "%n",
    "-k1",
    "-t,",
    "--",
    "-",
    "--output=x",
    "--compress-program=sh",
    "-T",
    "-u",
    "-d' '",
    "-f1",
    "a-z",
    "A-Z",
    "-e",
    "-i",
    "--include=*.md",
    "-maxdepth",
    "-newer",
    "-print",
    "(",
    ")",
    "!",
    "-ox",
    "-uo",
    "[a-z]*",
    "?orts.md",
    "''",
    "\"\"",
];
const HARM: &[&str] = &[
    "> x",
    ">> memory/ports.md",
    "2>x",
    "< ../secret.txt",
    "$(touch x)",
    "`touch x`",
    "; touch x",
    "&& touch x",
    "|| touch x",
    "& touch x &",
    "| sh",
    "| tee x",
    "<<EOF",
    "<<< x",
    "$HOME",
    "${x:=y}",
    "$'x'",
    "(touch x)",
    "{ touch x; }",
    "X=1",
    "\n",
    "\\",
    "'",
    "\"",
    "#",
    "~",
    "<(touch x)",
    "|&",
    ">|x",
    "\u{0}",
    "\r",
];

fn line() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        12 => prop::sample::select(WORDS).prop_map(str::to_owned),
        1 => prop::sample::select(HARM).prop_map(str::to_owned),
        1 => "[ -~]{0,6}",
        1 => "\\PC{0,4}",
    ];
    let command = (prop::sample::select(COMMANDS), prop::collection::vec(word, 0..5));
    let command = command.prop_map(|(name, words)| format!("{name} {}", words.join(" ")));
    prop::collection::vec(command, 1..4).prop_map(|commands| commands.join(" | "))
}

/// The children of this process that are not threads of it.
fn children() -> usize {
    let own = std::process::id();
    let parent =
        |stat: String| -> Option<u32> { stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok() };
    fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok())
        .filter(|stat| parent(stat.clone()) == Some(own))
        .count()
}

#[test]
fn no_line_made_at_random_changes_anything_or_gets_out() {
    let world = World::new();
    let before = world.tree();
    let (allowed, refused) = (Cell::new(0_u32), Cell::new(0_u32));
    let bounds = Bounds { time: Duration::from_secs(5), bytes: 64 * 1024 };
    let mut runner = TestRunner::new(Config { cases: 2_000, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&line(), |line| {
        match shell::run(&line, &world.root, &bounds) {
            Ok(output) => {
                allowed.set(allowed.get() + 1);
                prop_assert!(!output.text.contains("planted secret"), "{line:?}: {output:?}");
                prop_assert!(!output.text.contains("root:x:0"), "{line:?}: {output:?}");
                prop_assert!(!output.late, "{line:?}");
            }
            Err(_) => refused.set(refused.get() + 1),
        }
        prop_assert_eq!(world.tree(), before.clone(), "{:?}", line);
        Ok(())
    });
    outcome.unwrap();
    // Where tests share a process, the programs of others end in a moment.
    let ended = (0..100).any(|_| {
        children() == 0 || {
            std::thread::sleep(Duration::from_millis(50));
            false
        }
    });
    assert!(ended, "every program has ended");
    eprintln!("{} lines ran, {} were refused", allowed.get(), refused.get());
    assert!(allowed.get() > 100 && refused.get() > 500, "{} {}", allowed.get(), refused.get());
}
