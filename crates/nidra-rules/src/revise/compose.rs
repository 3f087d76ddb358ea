//! Says a revised statement: the old words with the new value in them, and what else the person said of it.

use super::{Known, Said, Swap, find_word, told, word};
use crate::lexicon::{self, Cue};
use crate::once;
use crate::phrase;
use crate::terms;
use nidra_core::text::language::is_han;
use nidra_core::text::width::utf16_len;
use nidra_core::text::{date, redact};

/// What may be said beside the new statement, in UTF-16 units.
const BESIDE_UNITS: usize = 180;

/// The new statement alone, and with what else was said; `None` where it may not be stored.
pub(super) fn compose(known: &Known, said: &Said, swaps: &[Swap]) -> Option<(String, String)> {
    let mut core = known.text.clone();
    let mut ordered: Vec<&Swap> = swaps.iter().collect();
    ordered.sort_by_key(|swap| std::cmp::Reverse(swap.range.start));
    for swap in ordered {
        core.replace_range(swap.range.clone(), &swap.new);
    }
    let core = core.trim().trim_end_matches(['.', '。', ' ']).to_owned();
    let chinese = core.chars().any(is_han);
    let about = terms::terms(&core);
    let mut beside: Vec<String> = Vec::new();
    let mut since = String::new();
    for line in said.text.lines() {
        let related = swaps.iter().any(|swap| line.contains(swap.said.as_str()) || mentions(line, &swap.old));
        let explains = lexicon::cues(line).any(&[Cue::Reason, Cue::History]);
        let near = terms::shared(&terms::terms(line), &about) > 0;
        if !related && !explains && !near {
            continue;
        }
        let mut kept: Vec<&str> = Vec::new();
        for clause in phrase::parts(line) {
            let fresh = swaps.iter().any(|swap| clause.contains(swap.said.as_str()));
            let old = swaps.iter().any(|swap| ends(clause, &swap.old));
            let more = terms::terms(clause)
                .into_iter()
                .filter(|term| !about.iter().any(|other| terms::same(term, other)))
                .filter(|term| !swaps.iter().any(|swap| terms::terms(&swap.old).contains(term)))
                .count();
            let dated = date::find(clause, &said.moment);
            if fresh
                && let Some(mention) = dated.iter().find(|mention| !mention.absolute || mention.certain)
                && !swaps.iter().any(|swap| {
                    clause.get(mention.range.clone()).is_some_and(|words| words.contains(swap.said.as_str()))
                })
            {
                let words = clause.get(mention.range.clone()).unwrap_or_default();
                let head = clause.get(..mention.range.start).unwrap_or_default().trim_end().to_lowercase();
                let ends = ["by", "until", "till", "before", "到", "直到", "至"]
                    .iter()
                    .any(|word| head.ends_with(word));
                if ends {
                    kept.push(clause);
                    continue;
                }
                let month =
                    mention.end.is_some_and(|end| (27..=31).contains(&(end - mention.start).get_days()));
                let day = if mention.absolute {
                    told(words, &said.moment)
                } else if month {
                    mention.start.strftime("%Y-%m").to_string()
                } else if mention.certain {
                    mention.start.to_string()
                } else {
                    format!("{words}, {}?", mention.start)
                };
                since = if chinese { format!("（{day} 起）") } else { format!(" (since {day})") };
            }
            let small = if chinese { 4 } else { 2 };
            let idle = more == 0 && !lexicon::cues(clause).any(&[Cue::Reason, Cue::History]);
            let turns = (fresh || old) && more <= small + dated.len();
            if turns || idle || old && lexicon::cues(clause).has(Cue::Removal) && more <= 2 * small + 1 {
                continue;
            }
            kept.push(clause);
        }
        if !kept.is_empty() {
            beside.push(kept.join(if chinese { "，" } else { ", " }));
        }
    }
    let end = if chinese { "。" } else { "." };
    let mut text = format!("{core}{since}{end}");
    for part in beside {
        let part = told(&phrase::without_fillers(&part), &said.moment);
        let part = part
            .trim_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '，' | '.' | '。' | ';' | '；'));
        let part = ["because ", "and ", "so ", "but ", "因为", "所以"]
            .iter()
            .find_map(|head| part.strip_prefix(head))
            .unwrap_or(part);
        if utf16_len(part) > BESIDE_UNITS || !redact::find(part).is_empty() || part.is_empty() {
            continue;
        }
        let cues = lexicon::cues(part);
        let reason = cues.any(&[Cue::Reason, Cue::History, Cue::Problem, Cue::Cause])
            && !swaps.iter().any(|swap| part.contains(swap.said.as_str()));
        let mark = match (reason && !text.contains("**Why:**") && !text.contains("**原因：**"), chinese) {
            (true, true) => "**原因：**",
            (true, false) => " **Why:** ",
            (false, true) => "",
            (false, false) => " ",
        };
        let part = if mark == " " { phrase::capitalised(part) } else { part.to_owned() };
        text.push_str(mark);
        text.push_str(&part);
        text.push_str(end);
    }
    let core = phrase::capitalised(&format!("{core}{since}"));
    let text = once::once(&phrase::capitalised(&text));
    (redact::find(&text).is_empty() && !redact::has_placeholder(&text)).then_some((core, text))
}

/// The person's own words on the matter, with the subject of the old statement where they do not name it.
pub(super) fn restate(known: &Known, said: &Said, swaps: &[Swap]) -> Option<(String, String)> {
    let about = terms::terms(&known.text);
    let lines: Vec<&str> = said.text.lines().collect();
    let of =
        |line: &str| swaps.iter().any(|swap| line.contains(swap.said.as_str()) || mentions(line, &swap.old));
    let first = lines.iter().position(|line| of(line))?;
    if !lines.iter().any(|line| swaps.iter().any(|swap| line.contains(swap.said.as_str()))) {
        return None;
    }
    let mut chosen: Vec<String> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let shared = terms::shared(&terms::terms(line), &about) > 0;
        let tells = lexicon::cues(line).any(&[Cue::Reason, Cue::History, Cue::Place, Cue::Habit, Cue::Owner]);
        if of(line) || shared || at > first && tells && chosen.len() < 4 {
            let line = told(&phrase::without_fillers(line), &said.moment);
            chosen.push(line.trim_end_matches(['.', '。', ',', '，']).to_owned());
        }
    }
    let chinese = chosen.iter().any(|line| line.chars().any(is_han));
    let end = if chinese { "。" } else { "." };
    let mut text = phrase::capitalised(&chosen.join(if chinese { "。" } else { ". " }));
    let fresh = terms::shared(&known.subject, &terms::terms(&text));
    if fresh == 0
        && let Some(subject) = crate::subject::of(&known.text).or_else(|| crate::subject::head(&known.text))
    {
        let mark = if chinese { "：" } else { ": " };
        text = format!(
            "{}{mark}{}",
            phrase::capitalised(&subject),
            chosen.join(if chinese { "。" } else { ". " })
        );
    }
    text.push_str(end);
    let core = text.split_once(if chinese { "。" } else { ". " }).map_or(text.as_str(), |(core, _)| core);
    let whole = if swaps.iter().all(|swap| core.contains(swap.said.as_str())) { core } else { text.as_str() };
    let whole = whole.trim_end_matches(['.', '。']).to_owned();
    (redact::find(&text).is_empty() && !redact::has_placeholder(&text)).then_some((whole, text))
}

fn mentions(text: &str, old: &str) -> bool {
    find_word(&text.to_lowercase(), &old.to_lowercase()).is_some()
}

/// Whether a clause says that the old thing is over.
fn ends(clause: &str, old: &str) -> bool {
    let lower = clause.to_lowercase();
    lower.len() == clause.len()
        && find_word(&lower, &old.to_lowercase()).is_some_and(|place| word::is_gone(clause, &place))
        || old.chars().any(|c| c.is_ascii_digit())
            && super::value::find(clause).iter().any(|value| {
                super::value::find(old).iter().any(|other| other.key == value.key)
                    && word::is_gone(clause, &value.range)
            })
}
