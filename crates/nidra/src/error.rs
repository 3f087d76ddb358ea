//! The error that ends a command: what happened, its cause, what to do, and the exit code.

use std::error::Error;
use std::fmt::Write as _;

/// What kind of end it is; each has its documented exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Something failed: exit code 1.
    Failed,
    /// The command line or the settings are wrong: exit code 2.
    Usage,
    /// The guard refused, or the user's word is needed: exit code 3.
    Refused,
    /// Another dream holds the memory directory: exit code 4.
    Busy,
    /// nidra is switched off: exit code 5.
    Off,
}

impl ErrorKind {
    /// The exit code; part of the stable contract of the command line.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Refused => 3,
            Self::Busy => 4,
            Self::Off => 5,
        }
    }

    /// The name used in `--json` output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Usage => "usage",
            Self::Refused => "refused",
            Self::Busy => "busy",
            Self::Off => "off",
        }
    }
}

/// The error that ends a command.
#[derive(Debug)]
pub struct CliError {
    /// What kind of end it is.
    pub kind: ErrorKind,
    /// What happened.
    pub message: String,
    /// The cause, as a chain.
    pub source: Option<Box<dyn Error + Send + Sync>>,
    /// What to do.
    pub hints: Vec<String>,
}

impl CliError {
    /// An error of this kind with this message.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None, hints: Vec::new() }
    }

    /// A failure with a cause.
    pub fn failed(message: impl Into<String>, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { source: Some(source.into()), ..Self::new(ErrorKind::Failed, message) }
    }

    /// A mistake on the command line or in the settings.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// Adds what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The causes, from the nearest to the first.
    fn causes(&self) -> impl Iterator<Item = &(dyn Error + 'static)> {
        let nearest = self.source.as_deref().map(|source| source as &(dyn Error + 'static));
        std::iter::successors(nearest, |&cause| cause.source())
    }

    /// The message with its causes in one line, for a record.
    pub fn one_line(&self) -> String {
        let causes = self.causes().map(ToString::to_string);
        std::iter::once(self.message.clone()).chain(causes).collect::<Vec<_>>().join(": ")
    }

    /// The error as a person reads it: message, causes and hints, one a line.
    pub fn render(&self) -> String {
        let mut text = format!("error: {}", self.message);
        for cause in self.causes() {
            let _ = write!(text, "\n  cause: {cause}");
        }
        for hint in &self.hints {
            let _ = write!(text, "\n  hint: {hint}");
        }
        text
    }

    /// The error as a program reads it.
    pub fn to_json(&self) -> serde_json::Value {
        let causes: Vec<String> = self.causes().map(ToString::to_string).collect();
        serde_json::json!({
            "error": { "kind": self.kind.as_str(), "message": self.message, "causes": causes, "hints": self.hints }
        })
    }
}
