//! Paths, file names and branches against the checkout.

use super::anchor::{Anchor, TRUNKS};
use super::checkout::{Checkout, Presence};
use super::clause::Mood;
use super::files::{self, base};
use super::{Judgement, Verdict};

/// Places that a hint names.
const SHOWN: usize = 3;

/// What speaks against a path being meant from the root of this checkout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    /// The words say that it is the project's own.
    None,
    /// Its first folder may be another repository's.
    Place,
    /// It may be no path at all, and counts only when it is there.
    Weak,
}

/// Judges a path from the root of the checkout.
pub(super) fn judge(
    anchor: &Anchor,
    path: &str,
    line: Option<u64>,
    doubt: Doubt,
    mood: Mood,
    checkout: &Checkout,
) -> Option<Judgement> {
    let answer = |verdict, hint: Option<String>| {
        Some(Judgement::new(anchor.kind, anchor.text.as_str(), verdict, hint))
    };
    // The checkout's own name in front, and paths that end alike, mean the same file.
    let own = path.strip_prefix(checkout.name()).and_then(|rest| rest.strip_prefix('/'));
    let path = own.filter(|_| !checkout.knows_start(path)).unwrap_or(path);
    match checkout.presence(path) {
        _ if mood == Mood::Elsewhere => {
            return answer(Verdict::NotCheckable, Some("it is said of another place".to_owned()));
        }
        Presence::File(lines) => return Some(there(anchor, line, lines)),
        Presence::Folder => return answer(Verdict::Fresh, None),
        Presence::Outside => {
            return answer(Verdict::NotCheckable, Some("a link leads out of the checkout".to_owned()));
        }
        Presence::Ignored => {
            return answer(Verdict::NotCheckable, Some("it is ignored, and not here".to_owned()));
        }
        Presence::Missing => {}
    }
    // A path may start below the root: `src/a.rs` of a package.
    let tail = format!("/{path}");
    let ending: Vec<&String> =
        checkout.named(base(path)).iter().filter(|file| file.ends_with(&tail)).collect();
    match ending.as_slice() {
        [] => {}
        [one] => return answer(Verdict::Fresh, Some(format!("it is {one}"))),
        several => return answer(Verdict::Ambiguous, Some(listed(several))),
    }
    if checkout.folders_named(base(path)).iter().any(|folder| folder.ends_with(&tail)) {
        return answer(Verdict::Fresh, None);
    }
    if doubt == Doubt::Weak {
        return None;
    }
    let reason = not_told(mood, checkout)
        .or_else(|| files::is_made(path).then_some("what is built or installed may be missing"))
        .or_else(|| {
            // Its first folder is none of this checkout's: `lantern/src/lib.rs` lies in another repository.
            (doubt == Doubt::Place
                && !checkout.knows_start(path)
                && !files::starts_usually(path)
                && path.contains('/'))
            .then_some("the checkout has no such folder; it may be another repository's")
        });
    if let Some(reason) = reason {
        return answer(Verdict::NotCheckable, Some(reason.to_owned()));
    }
    let elsewhere: Vec<&String> = checkout.named(base(path)).iter().collect();
    match elsewhere.as_slice() {
        [one] => Some(Judgement::moved(anchor.kind, anchor.text.as_str(), one.as_str())),
        [] => answer(Verdict::Stale, Some("there is nothing at this path".to_owned())),
        several => answer(
            Verdict::Stale,
            Some(format!("there is nothing at this path; files of that name: {}", listed(several))),
        ),
    }
}

/// Judges the name of a file against the whole tree.
pub(super) fn judge_name(
    anchor: &Anchor,
    name: &str,
    line: Option<u64>,
    mood: Mood,
    checkout: &Checkout,
) -> Judgement {
    let answer =
        |verdict, hint: Option<String>| Judgement::new(anchor.kind, anchor.text.as_str(), verdict, hint);
    if mood == Mood::Elsewhere {
        return answer(Verdict::NotCheckable, Some("it is said of another place".to_owned()));
    }
    if let Presence::File(lines) = checkout.presence(name) {
        return there(anchor, line, lines);
    }
    let named: Vec<&String> = checkout.named(name).iter().collect();
    match named.as_slice() {
        [one] => {
            let lines = match checkout.presence(one) {
                Presence::File(lines) => lines,
                _ => None,
            };
            return there(anchor, line, lines);
        }
        [_, ..] => return answer(Verdict::Ambiguous, Some(listed(&named))),
        [] => {}
    }
    match checkout.presence(name) {
        Presence::Folder => return answer(Verdict::Fresh, None),
        Presence::Ignored | Presence::Outside => {
            return answer(Verdict::NotCheckable, Some("it is ignored, and not here".to_owned()));
        }
        Presence::File(_) | Presence::Missing => {}
    }
    // Agents and people keep files of these names in their own folders as well.
    let personal = ["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "MEMORY.md"].contains(&name)
        || name.starts_with(".env");
    match not_told(mood, checkout).or(personal.then_some("it may be a file of the user's own")) {
        Some(reason) => answer(Verdict::NotCheckable, Some(reason.to_owned())),
        None => answer(Verdict::Stale, Some("no file of the checkout has this name".to_owned())),
    }
}

/// Judges the name of a branch.
pub(super) fn judge_branch(
    anchor: &Anchor,
    name: &str,
    mood: Mood,
    checkout: &Checkout,
) -> Option<Judgement> {
    let branches = checkout.branches().filter(|branches| !branches.is_empty())?;
    let answer = |verdict, hint: Option<String>| {
        Some(Judgement::new(anchor.kind, anchor.text.as_str(), verdict, hint))
    };
    if branches.contains(name) {
        return answer(Verdict::Fresh, None);
    }
    if mood != Mood::Stated {
        return answer(Verdict::NotCheckable, Some("the words do not say that it is there".to_owned()));
    }
    let trunk =
        TRUNKS.contains(&name).then(|| TRUNKS.iter().find(|trunk| branches.contains(**trunk))).flatten();
    let hint = match trunk {
        Some(trunk) => format!("the repository has no such branch, but {trunk}"),
        None => "the repository has no such branch".to_owned(),
    };
    answer(Verdict::Stale, Some(hint))
}

/// Why the absence of something says nothing.
pub(super) fn not_told(mood: Mood, checkout: &Checkout) -> Option<&'static str> {
    match mood {
        Mood::Denied => Some("the words do not say that it is there"),
        Mood::Open => Some("the words do not say that it is there already"),
        Mood::Elsewhere => Some("it is said of another place"),
        Mood::Stated => (!checkout.reading().whole_tree).then_some("not all files were looked at"),
    }
}

/// A file that is there; a line behind its end is worth a word, but lines move with every change.
fn there(anchor: &Anchor, line: Option<u64>, lines: Option<u64>) -> Judgement {
    let hint = match (line, lines) {
        (Some(line), Some(lines)) if line > lines => Some(format!("the file ends at line {lines}")),
        _ => None,
    };
    Judgement::new(anchor.kind, anchor.text.as_str(), Verdict::Fresh, hint)
}

/// The first of several places.
pub(super) fn listed<T: AsRef<str>>(places: &[T]) -> String {
    let mut shown: Vec<&str> = places.iter().take(SHOWN).map(AsRef::as_ref).collect();
    if places.len() > SHOWN {
        shown.push("…");
    }
    shown.join(", ")
}
