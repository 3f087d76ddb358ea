//! Names in the sources, and keys of settings.

use super::anchor::{Anchor, Target};
use super::checkout::Checkout;
use super::clause::{Clauses, Mood};
use super::path::{listed, not_told};
use super::{Judgement, Verdict, files};

/// Judges a name that the sources should hold.
pub(super) fn judge(
    anchor: &Anchor,
    name: &str,
    weak: bool,
    all: &[Anchor],
    clauses: &Clauses<'_>,
    checkout: &Checkout,
) -> Option<Judgement> {
    let mood = clauses.mood(anchor.range.start);
    let places = checkout.places(name);
    let answer = |verdict, hint: Option<String>| {
        Some(Judgement::new(anchor.kind, anchor.text.as_str(), verdict, hint))
    };
    if mood == Mood::Elsewhere {
        return (!weak).then(|| elsewhere(anchor));
    }
    if checkout.facts().declares(name) {
        return answer(Verdict::Fresh, None);
    }
    let cited = cited(anchor, all, clauses, checkout);
    match (places, cited.as_slice()) {
        // The words say where it is, and it is in one other place.
        ([one], [_, ..]) if !weak && mood == Mood::Stated && !cited.contains(one) => {
            Some(Judgement::moved(anchor.kind, anchor.text.as_str(), format!("in {one}")))
        }
        ([_, ..], _) => answer(Verdict::Fresh, None),
        ([], _) if weak => None,
        ([], _) => match not_told(mood, checkout).or_else(|| unread(checkout)) {
            Some(reason) => answer(Verdict::NotCheckable, Some(reason.to_owned())),
            None if is_foreign(&anchor.text, checkout) => {
                answer(Verdict::NotCheckable, Some("it belongs to a dependency".to_owned()))
            }
            None => answer(Verdict::Stale, Some("no source of the checkout holds this name".to_owned())),
        },
    }
}

/// Judges a variable or key. It may be set on a machine, so it is missed only where the words say which file has it.
pub(super) fn judge_key(
    anchor: &Anchor,
    name: &str,
    weak: bool,
    all: &[Anchor],
    clauses: &Clauses<'_>,
    checkout: &Checkout,
) -> Option<Judgement> {
    let mood = clauses.mood(anchor.range.start);
    let answer = |verdict, hint: Option<String>| {
        Some(Judgement::new(anchor.kind, anchor.text.as_str(), verdict, hint))
    };
    let places = checkout.places(name);
    let cited = cited(anchor, all, clauses, checkout);
    if mood == Mood::Elsewhere {
        return (!weak).then(|| elsewhere(anchor));
    }
    let read: Vec<&String> = cited.iter().filter(|path| checkout.text(path).is_some()).collect();
    let gone = !read.is_empty()
        && read.len() == cited.len()
        && read.iter().all(|path| checkout.text(path).is_some_and(|text| !text.contains(name)));
    match places {
        [one] if gone && mood == Mood::Stated => {
            Some(Judgement::moved(anchor.kind, anchor.text.as_str(), format!("in {one}")))
        }
        [_, ..] if gone && mood == Mood::Stated => answer(
            Verdict::Stale,
            Some(format!("{} does not hold it; it is in {}", listed(&read), listed(places))),
        ),
        [_, ..] => answer(Verdict::Fresh, None),
        [] if gone && mood == Mood::Stated && unread(checkout).is_none() => {
            answer(Verdict::Stale, Some(format!("{} does not hold it", listed(&read))))
        }
        [] if weak => None,
        [] => answer(Verdict::NotCheckable, Some("it may be set outside the checkout".to_owned())),
    }
}

/// The answer to words about another place.
fn elsewhere(anchor: &Anchor) -> Judgement {
    let hint = Some("it is said of another place".to_owned());
    Judgement::new(anchor.kind, anchor.text.as_str(), Verdict::NotCheckable, hint)
}

/// The files that the sentence around an anchor cites and that are there.
fn cited(anchor: &Anchor, all: &[Anchor], clauses: &Clauses<'_>, checkout: &Checkout) -> Vec<String> {
    let sentence = clauses.sentence(anchor.range.start);
    all.iter()
        .filter(|other| sentence.contains(&other.range.start))
        .filter_map(|other| file(other, checkout))
        .collect()
}

/// The one file that an anchor means, where it is there.
pub(super) fn file(anchor: &Anchor, checkout: &Checkout) -> Option<String> {
    let is_file = |path: &str| files::is_file_name(files::base(path), false) && checkout.has(path);
    match &anchor.target {
        Target::Path { path, .. } if is_file(path) => Some(path.clone()),
        Target::Path { path, .. } => {
            let tail = format!("/{path}");
            let mut ending = checkout.named(files::base(path)).iter().filter(|file| file.ends_with(&tail));
            ending.next().filter(|_| ending.next().is_none()).cloned()
        }
        Target::Name { name, .. } => match checkout.named(name) {
            [one] => Some(one.clone()),
            _ if checkout.has(name) => Some(name.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn unread(checkout: &Checkout) -> Option<&'static str> {
    (!checkout.reading().whole_sources).then_some("not all sources were read")
}

/// Whether a name is written with the name of a dependency or of the language's own library in front.
fn is_foreign(text: &str, checkout: &Checkout) -> bool {
    let first = text.trim_start_matches(['&', '*']).split([':', '.', '#']).next().unwrap_or_default();
    ["std", "core", "alloc", "java", "javax", "os", "sys", "fs", "path"].contains(&first)
        || (first.len() < text.len() && checkout.facts().declares(first))
}
