//! Which sentences are decisions, with their reason and what they were made against.

use crate::lexicon::Cue;
use crate::{sentence, terms};

/// A decision as its words tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// Why, where the words say so.
    pub reason: Option<String>,
    /// What it was decided against.
    pub alternatives: Vec<String>,
}

/// Words behind which a reason stands, and words behind which stands what was not chosen.
const REASONS: &[&str] = &[
    " because ",
    " since ",
    " so that ",
    " due to ",
    " as it ",
    "因为",
    "由于",
    "原因是",
    "以便",
    "为了",
    "理由是",
];
const REJECTED: &[&str] = &[
    " instead of ",
    " rather than ",
    ", not ",
    " over ",
    " in place of ",
    "而不是",
    "，不是",
    "，不用",
    "不再用",
    "代替",
    "取代",
];

/// Reads a statement as a decision; `None` for one that is none.
pub fn decision(text: &str) -> Option<Decided> {
    let lines = sentence::lines(text);
    let decided = lines.iter().any(|line| {
        line.cues.has(Cue::Decision)
            || line.cues.any(&[Cue::Change, Cue::Removal]) && line.cues.any(&[Cue::Reason, Cue::Habit])
    });
    let alternatives: Vec<String> = REJECTED.iter().filter_map(|mark| behind(text, mark)).collect();
    let chosen = !alternatives.is_empty() && terms::terms(text).len() >= 2;
    (decided || chosen)
        .then(|| Decided { reason: REASONS.iter().find_map(|mark| behind(text, mark)), alternatives })
}

/// The words behind a mark, up to the end of the clause.
fn behind(text: &str, mark: &str) -> Option<String> {
    let at = text.to_lowercase().find(mark).filter(|at| text.is_char_boundary(*at))?;
    let rest = text.get(at + mark.len()..)?;
    let end =
        rest.find([';', '；', '。', '(', '（', '\n', '，']).or_else(|| rest.find(". ")).unwrap_or(rest.len());
    let mut words = rest.get(..end)?.split(", ").next()?;
    for reason in REASONS.iter().filter(|reason| **reason != mark) {
        words = words.split(reason).next().unwrap_or(words);
    }
    let words = words.trim().trim_end_matches(['.', ',']);
    (!words.is_empty()).then(|| words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_name_reason_and_what_was_not_chosen() {
        let read = |text: &str| decision(text).unwrap();
        let english = read("We use Postgres instead of MySQL because we need partial indexes.");
        assert_eq!(english.reason.as_deref(), Some("we need partial indexes"));
        assert_eq!(english.alternatives, ["MySQL"]);
        let chinese = read("缓存决定用 Redis，而不是 Memcached，因为要持久化。");
        assert_eq!(chinese.reason.as_deref(), Some("要持久化"));
        assert_eq!(chinese.alternatives, ["Memcached"]);
        assert_eq!(decision("The staging host is at 10.0.0.7."), None);
    }
}
