//! A shell that can only read: command lines are parsed, checked word by word, and run by us, never by a shell.
//!
//! A line is a pipeline of commands from a list. Each command may have the flags that its table names and no others, and
//! each path has to lie inside the root, links and `..` resolved. There is no redirection, substitution, expansion of
//! variables, assignment, list or background: what the syntax tree holds besides words and pipes is refused by name.
//! How a real shell would read the line does not matter, because the words that were checked are the words that run.

mod allow;
mod flags;
mod glob;
mod place;
mod run;
mod syntax;

pub use place::Root;
pub use run::{Bounds, Output};

/// A command that may run: the program's name and its arguments as they are passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// The program's name.
    pub program: &'static str,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// A line that does not run, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(String);

impl Refused {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

/// Bytes of a line at most.
const MAX_LINE: usize = 4 * 1024;

/// Checks a line. Its paths are looked up below the root, and its patterns are expanded there.
///
/// # Errors
/// The first thing in it that is not allowed.
pub fn check(line: &str, root: &Root) -> Result<Vec<Allowed>, Refused> {
    if line.len() > MAX_LINE {
        return Err(Refused::new(format!("the line has more than {MAX_LINE} bytes")));
    }
    if line.chars().any(|letter| letter.is_control() && letter != '\t') {
        return Err(Refused::new("control characters and line ends are not allowed; write one line"));
    }
    let mut allowed = Vec::new();
    for words in syntax::parse(line)? {
        let mut words = words.into_iter();
        let name = words.next().ok_or_else(|| Refused::new("there is no command"))?;
        if name.is_pattern() {
            return Err(Refused::new("the name of a command cannot be a pattern"));
        }
        let mut arguments = Vec::new();
        for word in words {
            glob::expand(&word, root, &mut arguments)?;
        }
        let program = allow::check(&name.text(), &arguments, root)?;
        allowed.push(Allowed { program, arguments });
    }
    Ok(allowed)
}

/// Checks a line and runs it.
///
/// # Errors
/// When it is not allowed, and when it cannot be started; a command that fails is an output.
pub fn run(line: &str, root: &Root, bounds: &Bounds) -> Result<Output, Refused> {
    let pipeline = check(line, root)?;
    root.sealed()?;
    run::run(&pipeline, root, bounds)
}
