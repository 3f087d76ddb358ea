//! The command line of the tasks.

use crate::bench::Size;
use crate::recall::Recall;
use anyhow::{Result, bail};

/// Turns that the speed of recall is measured on.
const TURNS: u32 = 20_000;

/// What `cargo xtask help` prints.
pub(crate) const USAGE: &str = "\
cargo xtask TASK

  test [--without real-client] [--without browser]
                                install what the tests need and run every check, the cheap ones first
  lint                          format, tidiness, clippy and documentation
  tidy                          rules of the tree that no other tool checks
  bench [--short]               measure the ratios that have a limit
  working                       print the figures of working memory that have a limit
  recall [FOLDER]               measure recall on the public sets laid out in this folder
  recall --speed [TURNS]        measure its time and space beside a full-text table and a search through files
  guarantees                    run the tests that hold the promises of docs/guarantees.md
  clients                       fetch the real clients into target/clients
  browser                       install the browser that the tests of pages drive
  help                          print this";

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// Every check.
    Test,
    /// The checks that run no program of ours.
    Lint,
    /// The rules of the tree.
    Tidy,
    /// The measures.
    Bench,
    /// The figures of working memory.
    Working,
    /// How well and how fast recall finds.
    Recall(Recall),
    /// The promises.
    Guarantees,
    /// The real clients.
    Clients,
    /// The browser.
    Browser,
    /// The usage.
    Help,
}

/// The parsed command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// What to do.
    pub(crate) task: Task,
    /// Leave out the tests that need the real client.
    pub(crate) without_real_client: bool,
    /// Leave out the tests that need a browser.
    pub(crate) without_browser: bool,
    /// Measure on little data.
    pub(crate) short: bool,
}

impl Arguments {
    /// Parses the words after the program's name.
    pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Self> {
        let mut words = words;
        let task = match words.next().as_deref() {
            Some("test") => Task::Test,
            Some("lint") => Task::Lint,
            Some("tidy") => Task::Tidy,
            Some("bench") => Task::Bench,
            Some("working") => Task::Working,
            Some("recall") => Task::Recall(Recall::Quality(None)),
            Some("guarantees") => Task::Guarantees,
            Some("clients") => Task::Clients,
            Some("browser") => Task::Browser,
            None | Some("help" | "--help" | "-h") => Task::Help,
            Some(other) => bail!("there is no task `{other}`\n{USAGE}"),
        };
        let mut arguments = Self { task, without_real_client: false, without_browser: false, short: false };
        while let Some(word) = words.next() {
            match (&arguments.task, word.as_str()) {
                (Task::Test, "--without") => match words.next().as_deref() {
                    Some("real-client") => arguments.without_real_client = true,
                    Some("browser") => arguments.without_browser = true,
                    other => bail!("`--without` takes `real-client` or `browser`, not {other:?}"),
                },
                (Task::Bench, "--short") => arguments.short = true,
                (Task::Recall(_), "--speed") => {
                    let turns = words.next().map_or(Ok(TURNS), |turns| turns.parse())?;
                    arguments.task = Task::Recall(Recall::Speed(turns));
                }
                (Task::Recall(Recall::Quality(None)), folder) if !folder.starts_with('-') => {
                    arguments.task = Task::Recall(Recall::Quality(Some(folder.into())));
                }
                _ => bail!("`{word}` means nothing here\n{USAGE}"),
            }
        }
        Ok(arguments)
    }

    /// How much data the measures take.
    pub(crate) const fn size(&self) -> Size {
        if self.short { Size::Short } else { Size::Full }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &str) -> Result<Arguments> {
        Arguments::parse(words.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn leaving_out_is_explicit() {
        assert!(!parse("test").unwrap().without_real_client);
        assert!(parse("test --without real-client").unwrap().without_real_client);
        let both = parse("test --without browser --without real-client").unwrap();
        assert!(both.without_browser && both.without_real_client);
        assert!(!parse("test --without real-client").unwrap().without_browser);
        assert!(parse("test --without everything").is_err());
        assert!(parse("lint --without real-client").is_err());
    }

    #[test]
    fn unknown_words_are_errors() {
        assert!(parse("tets").is_err());
        assert!(parse("bench --shrot").is_err());
        assert_eq!(parse("").unwrap().task, Task::Help);
    }
}
