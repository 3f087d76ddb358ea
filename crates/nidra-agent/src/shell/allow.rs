//! The commands that may run, each with the flags that it may have. What is not named here is refused.

use super::flags::{Flags, Operands, Value};
use super::{Refused, Root};

/// What a command may be given.
struct Command {
    name: &'static str,
    flags: Flags,
    operands: Operands,
}

const fn row(name: &'static str, flags: Flags, operands: Operands) -> Command {
    Command { name, flags, operands }
}

/// The table. Flags that write, run something, follow links, wait, or read names from elsewhere are left out on purpose:
/// `sort -o`, `--compress-program`, `--files0-from`, `tail -f`, `grep -R`, `ls -L`, `diff --to-file` and their like.
const COMMANDS: &[Command] = &[
    row(
        "ls",
        Flags {
            short: "aAlhtrSR1dpFisngocuUXvBkmCxQb",
            long: &[
                "all",
                "almost-all",
                "human-readable",
                "recursive",
                "reverse",
                "directory",
                "size",
                "inode",
                "full-time",
                "group-directories-first",
                "numeric-uid-gid",
                "classify",
                "quote-name",
            ],
            valued: &[
                ("", "sort", Value::Word),
                ("", "time", Value::Word),
                ("", "time-style", Value::Word),
                ("", "color", Value::Word),
                ("I", "ignore", Value::Text),
            ],
            number: false,
        },
        Operands::Paths,
    ),
    row(
        "grep",
        Flags {
            short: "EFGPinvwxclLqsohHrbazZUT",
            long: &[
                "extended-regexp",
                "fixed-strings",
                "basic-regexp",
                "perl-regexp",
                "ignore-case",
                "no-ignore-case",
                "line-number",
                "invert-match",
                "word-regexp",
                "line-regexp",
                "count",
                "files-with-matches",
                "files-without-match",
                "quiet",
                "silent",
                "no-messages",
                "only-matching",
                "no-filename",
                "with-filename",
                "recursive",
                "byte-offset",
                "text",
                "null",
            ],
            valued: &[
                ("e", "regexp", Value::Pattern),
                ("f", "file", Value::PatternFile),
                ("m", "max-count", Value::Number),
                ("A", "after-context", Value::Number),
                ("B", "before-context", Value::Number),
                ("C", "context", Value::Number),
                ("", "include", Value::Text),
                ("", "exclude", Value::Text),
                ("", "exclude-dir", Value::Text),
                ("", "color", Value::Word),
                ("", "colour", Value::Word),
                ("", "binary-files", Value::Word),
            ],
            number: true,
        },
        Operands::PatternThenPaths,
    ),
    row(
        "cat",
        Flags {
            short: "nbAETsvetu",
            long: &["number", "number-nonblank", "show-all", "show-ends", "show-tabs", "squeeze-blank"],
            valued: &[],
            number: false,
        },
        Operands::Paths,
    ),
    row(
        "stat",
        Flags {
            short: "t",
            long: &["terse"],
            valued: &[("c", "format", Value::Text), ("", "printf", Value::Text)],
            number: false,
        },
        Operands::Paths,
    ),
    row(
        "wc",
        Flags {
            short: "lwcmL",
            long: &["lines", "words", "bytes", "chars", "max-line-length"],
            valued: &[],
            number: false,
        },
        Operands::Paths,
    ),
    row(
        "head",
        Flags {
            short: "qvz",
            long: &["quiet", "silent", "verbose", "zero-terminated"],
            valued: &[("n", "lines", Value::Number), ("c", "bytes", Value::Number)],
            number: true,
        },
        Operands::Paths,
    ),
    row(
        "tail",
        Flags {
            short: "qvz",
            long: &["quiet", "silent", "verbose", "zero-terminated"],
            valued: &[("n", "lines", Value::Number), ("c", "bytes", Value::Number)],
            number: true,
        },
        Operands::Paths,
    ),
    row(
        "sort",
        Flags {
            short: "nrufbdigMhVsczC",
            long: &[
                "numeric-sort",
                "reverse",
                "unique",
                "ignore-case",
                "ignore-leading-blanks",
                "dictionary-order",
                "general-numeric-sort",
                "month-sort",
                "human-numeric-sort",
                "version-sort",
                "stable",
                "check",
                "zero-terminated",
            ],
            valued: &[("k", "key", Value::Word), ("t", "field-separator", Value::Text)],
            number: false,
        },
        Operands::Paths,
    ),
    row(
        "uniq",
        Flags {
            short: "cduiz",
            long: &["count", "repeated", "unique", "ignore-case", "zero-terminated"],
            valued: &[
                ("f", "skip-fields", Value::Number),
                ("s", "skip-chars", Value::Number),
                ("w", "check-chars", Value::Number),
            ],
            number: false,
        },
        // A second operand would be written.
        Operands::OnePath,
    ),
    row(
        "cut",
        Flags {
            short: "sz",
            long: &["only-delimited", "complement", "zero-terminated"],
            valued: &[
                ("d", "delimiter", Value::Text),
                ("f", "fields", Value::Word),
                ("b", "bytes", Value::Word),
                ("c", "characters", Value::Word),
                ("", "output-delimiter", Value::Text),
            ],
            number: false,
        },
        Operands::Paths,
    ),
    row(
        "tr",
        Flags {
            short: "dscCt",
            long: &["delete", "squeeze-repeats", "complement", "truncate-set1"],
            valued: &[],
            number: false,
        },
        Operands::Texts,
    ),
    row(
        "du",
        Flags {
            short: "shackb0S",
            long: &["summarize", "human-readable", "all", "total", "bytes", "apparent-size"],
            valued: &[("d", "max-depth", Value::Number)],
            number: false,
        },
        Operands::Paths,
    ),
    row(
        "diff",
        Flags {
            short: "uqrNiwbBEZsyta",
            long: &[
                "unified",
                "brief",
                "recursive",
                "new-file",
                "ignore-case",
                "ignore-all-space",
                "ignore-space-change",
                "ignore-blank-lines",
                "report-identical-files",
                "side-by-side",
                "no-dereference",
                "minimal",
                "text",
            ],
            valued: &[("U", "", Value::Number), ("C", "", Value::Number), ("x", "exclude", Value::Text)],
            number: false,
        },
        Operands::Paths,
    ),
    row(
        "comm",
        Flags { short: "123", long: &["nocheck-order", "total"], valued: &[], number: false },
        Operands::Paths,
    ),
    row(
        "nl",
        Flags {
            short: "p",
            long: &[],
            valued: &[("b", "body-numbering", Value::Word), ("w", "number-width", Value::Number)],
            number: false,
        },
        Operands::Paths,
    ),
    row("basename", Flags { short: "az", long: &["multiple"], valued: &[], number: false }, Operands::Texts),
    row("dirname", Flags { short: "z", long: &[], valued: &[], number: false }, Operands::Texts),
    row("echo", Flags { short: "n", long: &[], valued: &[], number: false }, Operands::Texts),
    row("pwd", Flags { short: "P", long: &[], valued: &[], number: false }, Operands::None),
    row("true", Flags { short: "", long: &[], valued: &[], number: false }, Operands::None),
];

/// Tests and actions of `find` without a value.
const FIND_PLAIN: &[&str] = &[
    "-print",
    "-print0",
    "-ls",
    "-prune",
    "-quit",
    "-depth",
    "-d",
    "-empty",
    "-not",
    "!",
    "-a",
    "-and",
    "-o",
    "-or",
    "(",
    ")",
    ",",
    "-readable",
    "-writable",
    "-executable",
    "-true",
    "-false",
    "-xdev",
    "-mount",
    "-daystart",
    "-P",
    "-nowarn",
    "-noleaf",
];
/// Tests and actions of `find` with one value that names no file.
const FIND_VALUED: &[&str] = &[
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-regex",
    "-iregex",
    "-regextype",
    "-type",
    "-size",
    "-mtime",
    "-mmin",
    "-atime",
    "-amin",
    "-ctime",
    "-cmin",
    "-maxdepth",
    "-mindepth",
    "-perm",
    "-links",
    "-inum",
    "-printf",
    "-newermt",
];
/// Tests of `find` whose value is a file.
const FIND_PATHS: &[&str] = &["-newer", "-anewer", "-cnewer", "-samefile"];

/// Checks a command with its arguments and gives the name of the program.
pub(super) fn check(name: &str, arguments: &[String], root: &Root) -> Result<&'static str, Refused> {
    if name == "find" {
        find(arguments, root)?;
        return Ok("find");
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        let names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
        return Err(Refused::new(format!(
            "the command {name:?} is not allowed; these are: find {}",
            names.join(" ")
        )));
    };
    command.flags.check(command.name, command.operands, arguments, root)?;
    Ok(command.name)
}

/// `find`: the paths first, then the expression.
fn find(arguments: &[String], root: &Root) -> Result<(), Refused> {
    let mut words = arguments.iter();
    let mut expression = false;
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| Refused::new(format!("`find {word}` needs a value")));
        if FIND_PLAIN.contains(&word.as_str()) {
            expression = expression || word != "-P";
        } else if FIND_VALUED.contains(&word.as_str()) {
            expression = true;
            value()?;
        } else if FIND_PATHS.contains(&word.as_str()) {
            expression = true;
            root.resolve(value()?)?;
        } else if word.starts_with('-') || expression {
            return Err(Refused::new(format!("`find {word}` is not allowed")));
        } else {
            root.resolve(word)?;
        }
    }
    Ok(())
}
