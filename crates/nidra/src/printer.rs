//! Everything that a command says goes through here: data to standard output, narration to standard error.

use nidra_core::text::steering::is_steering;
use std::io::{self, Write};
use std::sync::OnceLock;

/// Where a command's words go. A closed pipe on standard output is no failure: the reader has what it wanted.
#[derive(Clone, Copy, Debug)]
pub struct Printer {
    /// The answer is JSON; narration stays silent.
    pub json: bool,
    /// Narration is silent.
    pub quiet: bool,
}

/// Whether styles are wanted, which depends on environment and terminal: they do not change meanwhile.
static STYLED: OnceLock<bool> = OnceLock::new();

impl Printer {
    /// A line of data, or several that are written together.
    pub fn data(self, text: &str) {
        let mut text = harmless(text);
        text.push('\n');
        let mut out = io::stdout().lock();
        let styled =
            *STYLED.get_or_init(|| anstream::AutoStream::choice(&out) != anstream::ColorChoice::Never);
        if !styled {
            text = anstream::adapter::strip_str(&text).to_string();
        }
        // A broken pipe means that the reader stopped early, which is its right.
        let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }

    /// A value as JSON, the whole answer of a command.
    pub fn json(self, value: &impl serde::Serialize) -> io::Result<()> {
        let text = serde_json::to_string_pretty(value).map_err(io::Error::other)?;
        self.data(&text);
        Ok(())
    }

    /// A line of narration.
    pub fn say(self, text: &str) {
        if !self.quiet && !self.json {
            let _ = writeln!(anstream::stderr().lock(), "{}", harmless(text));
        }
    }

    /// A line of narration that is shown even when quiet: warnings and errors.
    pub fn warn(self, text: &str) {
        let _ = writeln!(anstream::stderr().lock(), "{}", harmless(text));
    }
}

/// The text without the eight-bit control characters and the marks of direction, by which words from elsewhere could steer
/// a terminal or stand on it in another order; the streams themselves take care of the seven-bit ones where no terminal reads.
fn harmless(text: &str) -> String {
    if text.is_ascii() {
        return text.to_owned();
    }
    text.replace(|letter: char| !letter.is_ascii() && is_steering(letter), "\u{fffd}")
}

/// Styles; `NO_COLOR` and pipes are honoured by the streams.
pub mod style {
    use anstyle::{AnsiColor, Style};

    /// Headings.
    pub const HEAD: Style = Style::new().bold();
    /// Additions and open gates.
    pub const GOOD: Style = AnsiColor::Green.on_default();
    /// Removals and failures.
    pub const BAD: Style = AnsiColor::Red.on_default();
    /// What needs attention.
    pub const WARN: Style = AnsiColor::Yellow.on_default();
    /// What matters less.
    pub const DIM: Style = Style::new().dimmed();

    /// Text in a style.
    pub fn paint(style: Style, text: &str) -> String {
        format!("{style}{text}{style:#}")
    }
}
