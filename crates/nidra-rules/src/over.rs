//! States that a person says to be over: `the freeze is over`, `the migration is done, you can write to it again`,
//! 封版结束了.
//!
//! Some of what memory says holds as long as something lasts: nothing goes into main during a freeze. The words that end
//! it rarely name the rule; they name the state, or allow what was forbidden. Only an entry that speaks of that very
//! state as lasting is ended, and the person's words with their day take its place. A rule for every freeze stays.

use crate::candidate::{Candidate, Revised};
use crate::dialogue::{Dialogue, Utterance};
use crate::hearsay;
use crate::matter::{Slot, Slots};
use crate::phrase;
use crate::revise::{self, Revision};
use crate::sentence::{Act, Line};
use crate::subject;
use crate::terms;
use nidra_core::MemoryView;
use nidra_core::text::expression::{self, matches};
use nidra_core::text::language::is_han;
use nidra_core::text::{date, redact};
use regex::Regex;
use std::sync::LazyLock;

fn regex(pattern: &str) -> Option<Regex> {
    expression::new(pattern).ok()
}

/// What is over, in a clause that says so; `thaw` alone says it of a freeze.
static OVER: LazyLock<Vec<Option<Regex>>> = LazyLock::new(|| {
    let adverb = "(?: now| finally| all| officially| completely| fully| successfully| already| just)*";
    [
        format!(
            concat!(
                r"(?i)^(?:(?:the|our|this|that) )?(?P<what>[a-z][\w' /-]{{1,50}}?) (?:is|are|has been|have been|got|has|have){adverb} ",
                r"(?:over|done|finished|completed?|lifted|through|ended|behind us|back(?: up| online| to normal)?|up again|resolved|reopened|open again|unfrozen|unlocked|called off)\b"
            ),
            adverb = adverb
        ),
        r"(?i)^(?:(?:the|our|this|that) )?(?P<what>[a-z][\w' /-]{2,40}?) (?:lifted|over|done|finished|ended|went through)(?: now| today| yesterday| this \w+| last \w+)?$".to_owned(),
        format!(
            r"(?i)^(?:we|i)(?:'re|'ve| are| have)?{adverb} (?:done with|out of|through with|finished|lifted|ended|past|completed) (?:(?:the|our|this|that) )?(?P<what>[a-z][\w' /-]{{2,40}})$"
        ),
        concat!(
            r"^(?:今天|今早|刚刚?|刚才|昨天|昨晚|上午|下午| )*(?P<what>[^，。；、]{2,16}?)(?:期)?(?:已经|终于|今天|昨天|昨晚|刚刚?|都|也|正式|全部|全都|彻底|总算|顺利|早就)*",
            r"(?:结束|完成|完毕|做完|搞完|搞定|弄完|跑完|迁完|升完|解除|取消|恢复|过去|收尾)(?:了|啦|咯|喽)"
        )
        .to_owned(),
        r"^[^，。；、]{0,8}?(?:正式|已经|终于|总算|今天|刚刚?)*(?P<thaw>解冻|解封|解禁|开闸)(?:了|啦|咯)".to_owned(),
        r"(?i)^(?:(?:the|our) )?[\w/-]+(?: \w+)? (?:is|are){0,1}(?: now)? ?(?P<thaw>unfrozen|thawed)\b".to_owned(),
    ]
    .iter()
    .map(|pattern| regex(pattern))
    .collect()
});

/// What is allowed again.
static ALLOWED: LazyLock<Vec<Option<Regex>>> = LazyLock::new(|| {
    [
        r"(?i)^(?:so |and |now )*(?:you|we|everyone|everybody|people) (?:can|may) (?:now )?(?P<what>[a-z][^,.;]{3,50}?) (?:again|now|normally|as usual)$",
        r"^(?:所以|现在|大家|你|我们|又|，| )*(?P<head>[^，。；可能]{0,8}?)(?:又)?(?:可以|能)(?:正常|重新|继续|随便|放心|照常|往|再)*(?P<what>[^，。；]{1,14}?)了$",
    ]
    .iter()
    .map(|pattern| regex(pattern))
    .collect()
});

/// Words by which nothing is over yet.
static NOT_YET: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)\b(?:not|isn['’]?t|aren['’]?t|hasn['’]?t|until|till|when|once|after|before|if|unless|as soon as|almost|nearly|half|will|would|should|could|tomorrow|next|soon|hopefully|maybe|probably|think|hope|wish|supposed|how|why|what)\b|\?|",
        r"没|未|等|如果|要是|之前|以前|再|才|快|马上|明天|后天|下周|什么|吗|嘛|还|差不多|应该|可能|估计|一旦|万一|预计|的话|后"
    ))
});

/// States that last a while, and what stands before or behind the words that say that something lasts.
static STATE: LazyLock<Vec<Option<Regex>>> = LazyLock::new(|| {
    [
        r"(?i)\b(?P<state>freezes?|frozen|freezing|lockdown|embargo|moratorium|maintenance|migrat\w+|outage|downtime|incident|cut-?over|backfill\w*|reindex\w*|re-?import\w*|load tests?|stock-?taking|audit|blackout)\b",
        r"(?i)\b(?:during|while|until|till|as long as) (?P<state>(?:[\w'-]+ ?){1,6})",
        r"(?i)(?P<state>[^,.;]{3,50}) (?:is|are) (?:\w+ )?(?:down|frozen|locked|read-only|paused|suspended|on hold|being \w+|under \w+)\b",
        r"(?P<state>封版|封网|封库|冻结|凍結|停机|维护|維護|迁移|遷移|割接|压测|盘点|演练|回填|重建|扩容|审计|锁库|停服)",
        r"(?P<state>[^，。；]{1,12}?)(?:期间|期内|进行中|中(?:[，。；]|$)|(?:完成|结束|完|解除|恢复)(?:之|以)?前)",
        r"(?P<state>[^，。；]{0,10}(?:正在|还在)[^，。；]{1,10})",
    ]
    .iter()
    .map(|pattern| regex(pattern))
    .collect()
});

/// A rule for every such state rather than for this one.
static EVERY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(concat!(
        r"(?i)\b(?:always|never|whenever|usually|(?:every|each|any|(?:during|before|after) an?) (?:\w+ )?(?:freeze|migration|outage|incident|audit|cut-?over|load test)|freezes|migrations|outages|incidents|audits)\b|",
        r"每次|每逢|每个|每回|凡是|凡|一旦|任何时候"
    ))
});

/// A freeze, which words that thaw end.
static FREEZE: LazyLock<Option<Regex>> =
    LazyLock::new(|| regex(r"(?i)\b(?:freeze|frozen|locked)\b|封版|封网|封库|冻结|凍結|不准合|禁止合"));

/// A statement that forbids or bids to wait.
static FORBIDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    regex(
        r"(?i)\b(?:no|not|don['’]?t|nothing|nobody|never|without|wait|only|must|stop|avoid)\b|不要|不准|不能|不得|不许|禁止|别|暂停|先不|只能|勿|停",
    )
});

/// Characters that tell nothing of what is over.
const EMPTY: &str = "的了在把被到往去来里上下中正期又都也已";

/// Of ten characters of a Chinese name for what is over so many stand in the statement.
const CHARACTERS: usize = 8;

/// What a sentence says to be over or allowed again.
pub(crate) struct Ending {
    /// States by the names that the person gives them.
    over: Vec<String>,
    /// A freeze is over, whatever it is called.
    thaws: bool,
    /// What is allowed again.
    allowed: Vec<String>,
}

/// Reads what a sentence says to be over; `None` where it ends nothing.
pub(crate) fn ending(line: &Line) -> Option<Ending> {
    let speaks = matches!(line.act, Act::Statement | Act::Task | Act::Filler);
    if !speaks || hearsay::is_foreign(&line.text) || line.text.contains('`') {
        return None;
    }
    let mut found = Ending { over: Vec::new(), thaws: false, allowed: Vec::new() };
    for clause in phrase::parts(&line.text).filter(|clause| !matches(&NOT_YET, clause)) {
        for captures in OVER.iter().flatten().filter_map(|pattern| pattern.captures(clause)) {
            found.thaws |= captures.name("thaw").is_some();
            found.over.extend(captures.name("what").map(|what| what.as_str().to_owned()));
        }
        for captures in ALLOWED.iter().flatten().filter_map(|pattern| pattern.captures(clause)) {
            let part = |name: &str| captures.name(name).map_or("", |part| part.as_str());
            found.allowed.push(format!("{} {}", part("head"), part("what")).trim().to_owned());
        }
    }
    (found.thaws || !found.over.is_empty() || !found.allowed.is_empty()).then_some(found)
}

impl Ending {
    /// How surely it ends what a statement says; `None` where that is of another matter or holds for good.
    pub(crate) fn ends(&self, statement: &str) -> Option<usize> {
        if matches(&EVERY, statement) {
            return None;
        }
        let states: Vec<&str> = STATE
            .iter()
            .flatten()
            .flat_map(|pattern| pattern.captures_iter(statement))
            .filter_map(|captures| Some(captures.name("state")?.as_str()))
            .collect();
        if states.is_empty() {
            return None;
        }
        let over = self.over.iter().filter_map(|what| {
            let lasts = states.iter().any(|state| meets(what, state) > 0);
            (lasts && is_within(what, statement)).then(|| meets(what, statement))
        });
        let thaws = (self.thaws && matches(&FREEZE, statement)).then_some(1);
        let allowed = self.allowed.iter().filter_map(|what| {
            let shared = meets(what, statement);
            (shared >= 2 && is_within(what, statement) && matches(&FORBIDS, statement)).then_some(shared)
        });
        over.chain(thaws).chain(allowed).max()
    }
}

/// Whether one word is a form of the other: `migration` and `migrated`.
fn is_form(left: &str, right: &str) -> bool {
    let common = left.bytes().zip(right.bytes()).take_while(|(one, other)| one == other).count();
    left == right
        || left.is_ascii() && right.is_ascii() && common >= 4 && common * 2 >= left.len().max(right.len())
}

/// How many words two texts have in common.
fn meets(what: &str, text: &str) -> usize {
    let held = terms::terms(text);
    terms::terms(what).iter().filter(|term| held.iter().any(|other| is_form(term, other))).count()
}

/// Whether a name for what is over says nothing that a statement does not: `the users migration` is not the one of the
/// orders.
fn is_within(what: &str, statement: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let border = |c: char| !c.is_ascii_alphanumeric();
        text.to_lowercase().split(border).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let held = words(statement);
    let known = |word: &String| held.iter().any(|other| is_form(word, other));
    let han: Vec<char> = what.chars().filter(|c| is_han(*c) && !EMPTY.contains(*c)).collect();
    let written = han.iter().filter(|c| statement.contains(**c)).count();
    words(what).iter().filter(|word| !GENERAL.contains(&word.as_str())).all(known)
        && written * 10 >= han.len() * CHARACTERS
}

/// Words that say nothing of which state is meant.
const GENERAL: &[&str] = &[
    "the", "a", "an", "of", "our", "this", "that", "on", "in", "to", "into", "for", "from", "with", "whole",
    "entire", "big", "current", "code", "merge", "work", "old", "latest", "it", "there", "s",
];

/// Adds a candidate for each entry whose state a person says to be over.
pub(crate) fn collect(
    memory: &MemoryView,
    now: &jiff::ZonedDateTime,
    dialogue: &Dialogue<'_>,
    lines: &[Vec<Line>],
    candidates: &mut Vec<Candidate>,
) {
    let mut slots: Option<Slots> = None;
    for (index, (utterance, lines)) in dialogue.utterances.iter().zip(lines).enumerate() {
        for (at, line) in lines.iter().enumerate() {
            let Some(ending) = ending(line) else { continue };
            let ahead = date::find(&line.text, &utterance.said)
                .iter()
                .any(|mention| mention.start > utterance.said.date());
            if ahead {
                continue;
            }
            let slots = slots.get_or_insert_with(|| Slots::new(memory, now));
            let Some(slot) = meant(slots, &ending, &utterance.own) else { continue };
            let Some(revision) = words(slot, &lines[at..], utterance) else { continue };
            let whole = slot.whole.replacen(&slot.text, &revision.text, 1);
            revise::collect::absorb(candidates, index, &revision);
            let revised =
                Revised { entry: Some(slot.entry.clone()), core: revision.core, sureness: revision.sureness };
            let reason = "the state that it speaks of is over";
            candidates.push(Candidate::revision(index, utterance, slot.kind, whole, revised, reason));
        }
    }
}

/// The one statement that an ending is about. Where two are as near, the rest of what the person says tells.
fn meant<'s>(slots: &'s Slots, ending: &Ending, own: &str) -> Option<&'s Slot> {
    let mut found: Vec<(usize, usize, &Slot)> = slots
        .slots()
        .iter()
        .filter_map(|slot| Some((ending.ends(&slot.text)?, meets(own, &slot.text), slot)))
        .collect();
    found.sort_by_key(|(sure, near, _)| std::cmp::Reverse((*sure, *near)));
    match found.as_slice() {
        [first, second, ..]
            if (first.0, first.1) == (second.0, second.1) && first.2.entry != second.2.entry =>
        {
            None
        }
        [first, ..] => Some(first.2),
        [] => None,
    }
}

/// The person's words, with what they allow in the next sentence, their day, and the subject where they do not name it.
fn words(slot: &Slot, lines: &[Line], utterance: &Utterance<'_>) -> Option<Revision> {
    let told = |line: &Line| {
        let words = revise::told(&phrase::without_fillers(line.text.trim()), &utterance.said);
        words.trim_end_matches(['.', '。', ',', '，', ' ', '!', '！']).to_owned()
    };
    let mut line = told(lines.first()?);
    let chinese = line.chars().any(is_han);
    let allows = |next: &&Line| {
        ALLOWED
            .iter()
            .flatten()
            .any(|pattern| phrase::parts(&next.text).next().is_some_and(|clause| pattern.is_match(clause)))
    };
    if let Some(next) = lines.get(1).filter(allows) {
        line = format!("{line}{}{}", if chinese { "，" } else { ", " }, told(next));
    }
    let subject = subject::of(&slot.text)
        .or_else(|| subject::head(&slot.text))
        .map(|subject| subject.trim_end_matches(['正', '中']).to_owned())
        .filter(|subject| meets(subject, &line) == 0 && !["现在", "目前"].contains(&subject.as_str()));
    let day = utterance.said.date().to_string();
    let dated = if line.contains(&day) {
        String::new()
    } else if chinese {
        format!("（{day}）")
    } else {
        format!(" ({day})")
    };
    let core = match subject {
        Some(subject) if chinese => format!("{subject}：{line}{dated}"),
        Some(subject) => format!("{}: {line}{dated}", phrase::capitalised(&subject)),
        None => format!("{}{dated}", phrase::capitalised(&line)),
    };
    let text = format!("{core}{}", if chinese { "。" } else { "." });
    (!redact::has_placeholder(&text) && redact::find(&text).is_empty()).then(|| Revision {
        core,
        fresh: vec![line],
        text,
        sureness: SURE,
    })
}

/// How sure it is that an entry is meant whose state is named.
const SURE: f64 = 1.5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sentence;

    fn ends(statement: &str, said: &str) -> bool {
        sentence::lines(said).iter().filter_map(ending).any(|ending| ending.ends(statement).is_some())
    }

    #[test]
    fn the_end_of_a_state_ends_what_holds_while_it_lasts() {
        for (statement, said) in [
            ("Release freeze: nothing goes into trunk.", "the freeze is over"),
            ("The billing schema is being migrated; do not write to it.", "migration's finished"),
            ("The billing schema is being migrated; do not write to it.", "the migration has been completed"),
            ("Don't touch the wiki while the audit is running.", "we're done with the audit"),
            ("The lab cluster is down, use the old box.", "the lab cluster is back up"),
            ("During the embargo nobody tags anything.", "embargo lifted"),
            ("Do not push to trunk until the freeze ends.", "you can push to trunk again"),
            ("冻结期间不要改表结构。", "冻结结束了"),
            ("账单库正在迁移，先别写。", "账单库迁完了"),
            ("代码冻结中，谁都不准合。", "解冻了"),
            ("盘点期间不能改库存。", "盘点总算搞定了"),
            ("封网期间不准往 release 推代码。", "可以往 release 推代码了"),
        ] {
            assert!(ends(statement, said), "{statement} / {said}");
        }
    }

    #[test]
    fn what_is_not_over_or_of_another_matter_ends_nothing() {
        for (statement, said) in [
            ("Release freeze: nothing goes into trunk.", "the freeze is not over yet"),
            ("Release freeze: nothing goes into trunk.", "once the freeze is over, merge it"),
            ("Release freeze: nothing goes into trunk.", "is the freeze over?"),
            ("Release freeze: nothing goes into trunk.", "the review is done"),
            ("Never deploy during a freeze.", "the freeze is over"),
            ("The billing schema is being migrated.", "the users migration is done"),
            ("Don't start the import while the backup is running.", "the import is done"),
            ("Exports run at night.", "the export is done"),
            ("冻结期间不要改表结构。", "等冻结结束了再合"),
            ("冻结期间不要改表结构。", "会议结束了"),
            ("冻结期间不要改表结构。", "冻结还没结束"),
            ("每次冻结期间都不要改表结构。", "冻结结束了"),
            ("账单库正在迁移，先别写。", "用户库迁完了"),
            ("账单库正在迁移，先别写。", "测试跑完了"),
        ] {
            assert!(!ends(statement, said), "{statement} / {said}");
        }
    }
}
