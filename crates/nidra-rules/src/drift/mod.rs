//! What memory says about the checkout, held against the checkout.
//!
//! An entry names things that can be looked up: paths, file names, symbols, scripts, versions, ports, keys, branches,
//! tools. Each such anchor is found in the words ([`Wanted`] says what a reader has to look for) and judged against a
//! [`Checkout`], which is a value; nothing here reads a file. Judging is careful in one direction: what lies outside the
//! checkout, what was not read as a whole, and what the words deny, plan or place elsewhere is not checkable, never stale.

mod anchor;
mod checkout;
mod choice;
mod clause;
mod command;
mod configured;
mod declared;
mod facts;
mod files;
mod names;
mod path;
mod roles;
mod symbol;
mod tool;
mod trades;
mod version;

pub use checkout::{Checkout, Presence, Reading, Snapshot, identifiers};
pub use facts::holds_facts;
pub use files::{has_source, is_dependency_folder};

use anchor::{Anchor, Target};
use clause::Clauses;
use std::collections::BTreeSet;

/// What became of something that an entry names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// The checkout agrees.
    Fresh,
    /// The checkout disagrees.
    Stale,
    /// It is not where the entry says, but elsewhere in the checkout.
    Moved,
    /// Several things of the checkout could be meant.
    Ambiguous,
    /// The checkout cannot tell.
    NotCheckable,
}

impl Verdict {
    /// The name used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Stale => "stale",
            Self::Moved => "moved",
            Self::Ambiguous => "ambiguous",
            Self::NotCheckable => "not-checkable",
        }
    }
}

/// What kind of thing an entry names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AnchorKind {
    /// A path.
    Path,
    /// A file name without a folder.
    FileName,
    /// A function, type or other name in the sources.
    Symbol,
    /// A variable of the environment or a key of a configuration file.
    Key,
    /// A script or target of a task runner.
    Script,
    /// A declared dependency.
    Dependency,
    /// The version of a dependency or tool.
    Version,
    /// A network port.
    Port,
    /// The value of a key.
    Value,
    /// A branch of the repository.
    Branch,
    /// A tool that fills a role in the project.
    Tool,
    /// An address.
    Address,
}

impl AnchorKind {
    /// The name used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::FileName => "file-name",
            Self::Symbol => "symbol",
            Self::Key => "key",
            Self::Script => "script",
            Self::Dependency => "dependency",
            Self::Version => "version",
            Self::Port => "port",
            Self::Value => "value",
            Self::Branch => "branch",
            Self::Tool => "tool",
            Self::Address => "address",
        }
    }
}

/// An anchor of an entry and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// What kind of thing it is.
    pub kind: AnchorKind,
    /// The thing, as the entry names it.
    pub anchor: String,
    /// What became of it.
    pub verdict: Verdict,
    /// What the checkout says instead, or why it says nothing; a sentence fragment.
    pub hint: Option<String>,
    /// Where it is now.
    pub moved_to: Option<String>,
}

impl Judgement {
    fn new(kind: AnchorKind, anchor: impl Into<String>, verdict: Verdict, hint: Option<String>) -> Self {
        Self { kind, anchor: anchor.into(), verdict, hint, moved_to: None }
    }

    fn moved(kind: AnchorKind, anchor: impl Into<String>, to: impl Into<String>) -> Self {
        let to = to.into();
        let hint = Some(format!("it is {to} now"));
        Self { kind, anchor: anchor.into(), verdict: Verdict::Moved, hint, moved_to: Some(to) }
    }
}

/// The words of an entry, and what is known about them besides.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'a> {
    /// The words.
    pub text: &'a str,
    /// They are about a person, whose tools and places are not those of the project.
    pub about_person: bool,
    /// The names of the files of memory, which entries may cite.
    pub memory: &'a BTreeSet<String>,
}

/// What a reader of a checkout has to look for, so that the statements can be judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Paths relative to the checkout.
    pub paths: BTreeSet<String>,
    /// File names without a folder.
    pub names: BTreeSet<String>,
    /// Names that the sources may hold.
    pub words: BTreeSet<String>,
}

impl Wanted {
    /// Adds what these words need.
    pub fn add(&mut self, text: &str, root: &str) {
        for anchor in anchor::find(text) {
            match anchor.target {
                Target::Path { path, .. } => {
                    self.paths.insert(path);
                }
                Target::Absolute(path) => {
                    self.paths.extend(anchor::below(&path, root));
                }
                Target::Name { name, .. } => {
                    self.names.insert(name);
                }
                Target::Symbol { name, .. } | Target::Key { name, .. } => {
                    self.words.insert(name);
                }
                Target::Outside(_) | Target::Pattern(_) | Target::Run(_) | Target::Branch(_) => {}
            }
        }
    }
}

/// Judges everything in a statement that can be looked up, in the order of the words. Empty for a statement that names
/// nothing of the kind.
pub fn judge(statement: &Statement<'_>, checkout: &Checkout) -> Vec<Judgement> {
    let clauses = Clauses::of(statement.text, checkout.name());
    let anchors: Vec<Anchor> =
        anchor::find(statement.text).into_iter().filter(|anchor| !is_memory(anchor, statement)).collect();
    let mut found: Vec<(usize, Judgement)> = Vec::new();
    for anchor in &anchors {
        if let Some(judgement) = one(anchor, &anchors, &clauses, checkout) {
            found.push((anchor.range.start, judgement));
        }
    }
    if !checkout.is_empty() {
        let claims = [
            declared::versions(statement.text, &clauses, checkout),
            declared::dependencies(statement.text, &clauses, checkout),
            configured::ports(statement.text, &clauses, checkout),
            configured::values(statement.text, &clauses, checkout),
            configured::cited(statement.text, &anchors, &clauses, checkout),
            choice::judge(statement.text, &clauses, checkout),
        ];
        found.extend(claims.into_iter().flatten());
        if !statement.about_person {
            found.extend(tool::judge(statement.text, &clauses, checkout));
        }
    }
    found.sort_by_key(|(at, judgement)| (*at, judgement.kind));
    let mut seen = BTreeSet::new();
    found
        .into_iter()
        .map(|(_, judgement)| judgement)
        .filter(|judgement| seen.insert((judgement.kind, judgement.anchor.clone())))
        .collect()
}

/// What a statement comes to as a whole: one anchor that is gone makes it stale, and one without an anchor is not
/// checkable.
pub fn overall(judgements: &[Judgement]) -> Verdict {
    let any = |verdict: Verdict| judgements.iter().any(|judgement| judgement.verdict == verdict);
    [Verdict::Stale, Verdict::Moved, Verdict::Ambiguous, Verdict::Fresh]
        .into_iter()
        .find(|verdict| any(*verdict))
        .unwrap_or(Verdict::NotCheckable)
}

/// Whether an anchor cites a file of memory rather than one of the checkout.
fn is_memory(anchor: &Anchor, statement: &Statement<'_>) -> bool {
    match &anchor.target {
        Target::Name { name, .. } => statement.memory.contains(name),
        Target::Path { path, .. } => statement.memory.contains(path),
        _ => false,
    }
}

/// The words of a text or name, in small letters, without those that name nothing.
fn facts_words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_'))
        .flat_map(facts::words)
        .collect()
}

fn one(anchor: &Anchor, all: &[Anchor], clauses: &Clauses<'_>, checkout: &Checkout) -> Option<Judgement> {
    let not_checkable = |reason: &str| {
        Some(Judgement::new(
            anchor.kind,
            anchor.text.as_str(),
            Verdict::NotCheckable,
            Some(reason.to_owned()),
        ))
    };
    if let Target::Outside(reason) = anchor.target {
        return not_checkable(reason);
    }
    if checkout.is_empty() {
        return not_checkable("there is no checkout to look at");
    }
    let mood = clauses.mood(anchor.range.start);
    match &anchor.target {
        Target::Outside(_) => None,
        Target::Pattern(pattern) if checkout.matches(pattern) => {
            Some(Judgement::new(anchor.kind, anchor.text.as_str(), Verdict::Fresh, None))
        }
        Target::Pattern(_) => not_checkable("it is a pattern, not a path"),
        Target::Absolute(path) => match anchor::below(path, checkout.root()) {
            None => not_checkable("it lies outside the checkout"),
            Some(inside) => path::judge(anchor, &inside, None, path::Doubt::None, mood, checkout),
        },
        Target::Path { path, line, weak } => {
            let doubt = match weak {
                true => path::Doubt::Weak,
                false if clauses.says_own(anchor.range.start) => path::Doubt::None,
                false => path::Doubt::Place,
            };
            path::judge(anchor, path, *line, doubt, mood, checkout)
        }
        Target::Name { name, line } => Some(path::judge_name(anchor, name, *line, mood, checkout)),
        Target::Symbol { name, weak } => symbol::judge(anchor, name, *weak, all, clauses, checkout),
        Target::Key { name, weak } => symbol::judge_key(anchor, name, *weak, all, clauses, checkout),
        Target::Run(run) => command::judge(anchor, run, mood, checkout),
        Target::Branch(name) => path::judge_branch(anchor, name, mood, checkout),
    }
}

#[cfg(test)]
#[path = "drift_tests.rs"]
mod tests;
