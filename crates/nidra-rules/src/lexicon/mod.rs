//! The cues by which kinds of speech acts are told apart, as data: English and Chinese are equals.
//!
//! A cue is a family of wordings (an order that holds for ever, a change, a doubt …). The lists hold
//! general words of each language; they must never hold words of one project or one conversation.

use nidra_core::text::{date, expression};
use regex::{Regex, RegexBuilder};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

/// The wordings, as data files beside this one.
const ENGLISH: &str = include_str!("english.cues");
const CHINESE: &str = include_str!("chinese.cues");
const OPENERS: &str = include_str!("openers.txt");
const STOP_WORDS: &str = include_str!("stop.txt");

macro_rules! cues {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        /// A family of wordings.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) enum Cue { $($(#[$doc])* $name),+ }

        impl Cue {
            /// All of them, in the order of their bits.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$name),+];
        }
    };
}

cues! {
    /// Holds for ever or in general: always, never, from now on, 一律, 以后.
    Standing,
    /// Holds for many cases: every, all, only, per, 所有, 都, 只.
    Universal,
    /// Forbids: don't, must not, no X, 不要, 禁止.
    Prohibition,
    /// Demands: must, has to, required, 必须, 要先.
    Obligation,
    /// Names itself a rule or asks to remember: rule, convention, note that, 记住, 约定.
    Explicit,
    /// Says who owns, decides or must be asked: owner, belongs to, sign off, 负责, 归.
    Owner,
    /// Says that something is different now: moved, switched, now, no longer, 改成, 作废.
    Change,
    /// Settles a choice: decide, go with, stays, 定下来, 就用.
    Decision,
    /// Gives a reason: because, otherwise, so that, 因为, 否则.
    Reason,
    /// Tells what happened before, as a lesson: last year, we had, once, 上次, 去年.
    History,
    /// Describes a habit or property: we use, our, is in, lives in, 我们用, 走, 在.
    Habit,
    /// Speaks of a date that binds: freeze, release, expires, due, 上线, 截止.
    Deadline,
    /// Orders steps: first, then, after that, 先, 再, 然后.
    Sequence,
    /// Leaves something open: still open, waiting for, blocked, 没做完, 等, 挂着.
    OpenLoop,
    /// States a taste or a trait of the person: I prefer, I hate, I want, 我喜欢, 我不想.
    Preference,
    /// Names the cause that was found: it was, that was it, root cause, 就是, 根因.
    Cause,
    /// Praises: perfect, good catch, 漂亮, 不错.
    Praise,
    /// Is annoyed: !!, stop, wtf, 无语, 离谱.
    Frustration,
    /// Complains of a repetition: again, how often, 又, 说了多少次.
    Repeat,
    /// Opens with a denial: no, nope, wrong, 不对, 不是.
    Denial,
    /// Agrees: yes, ok, go ahead, 行, 可以.
    Agreement,
    /// The agent takes note: understood, noted, you're right, 明白, 收到.
    TakesNote,
    /// Asks.
    Question,
    /// Imagines: what if, maybe we could, 要不要, 如果.
    Hypothetical,
    /// Takes back what was just said: forget it, never mind, scrap that, just thinking, 算了, 当我没说.
    Dismissal,
    /// Throws a thing out: scrap, drop, get rid of, throw out, 去掉, 废弃.
    Removal,
    /// Orders one piece of work: add, fix, run, 帮我, 看一下.
    Task,
    /// Holds for today or once: today, tonight, for now, 今天, 这次, 临时.
    Ephemeral,
    /// Small talk, greetings, life: hello, lunch, weekend, 收工, 奶茶.
    Chat,
    /// Gives another person's words: said, wrote, thinks, 说, 觉得.
    Reported,
    /// Guesses: maybe, probably, I think, might, 可能, 怀疑.
    Speculation,
    /// Speaks of the agent's own doing: I'll, I have, let me, 我会, 我先.
    Narration,
    /// Opens a new subject: also, next, btw, 另外, 还有.
    Shift,
    /// Offers a choice: options, I'd recommend, should I, 方案, 推荐.
    Offer,
    /// Describes a fault or a wish that opens a piece of work: hangs, broken, we need a, 挂了, 报错.
    Problem,
    /// Speaks of how the agent works or answers: you keep, your answers, when you write, 你每次, 给我解释.
    Conduct,
    /// Tells what the person is doing or about to do in this work: I'm trying to, I'll start with, 我打算.
    Intent,
    /// Joins a thing to a thing as its fixed place or value: goes into, is at, comes from, 在, 地址是.
    Place,
}

/// The cues that stand in a text, as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cues(u64);

impl Cues {
    /// Whether the cue is among them.
    pub(crate) fn has(self, cue: Cue) -> bool {
        self.0 & (1 << cue as u64) != 0
    }

    /// Whether one of the cues is among them.
    pub(crate) fn any(self, cues: &[Cue]) -> bool {
        cues.iter().any(|cue| self.has(*cue))
    }

    /// Adds a cue.
    pub(crate) fn insert(&mut self, cue: Cue) {
        self.0 |= 1 << cue as u64;
    }

    /// Takes a cue away.
    pub(crate) fn remove(&mut self, cue: Cue) {
        self.0 &= !(1 << cue as u64);
    }

    /// The cues of both.
    pub(crate) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The alternatives of one cue in a data file.
fn wordings(data: &str, cue: Cue) -> String {
    let heading = format!("[{cue:?}]");
    data.lines()
        .skip_while(|line| *line != heading)
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect::<Vec<_>>()
        .join("|")
}

/// The items of a list file.
fn items(data: &'static str) -> impl Iterator<Item = &'static str> {
    data.lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(|line| line.split('|'))
        .filter(|item| !item.is_empty())
}

/// What may stand before the words of a sentence and says nothing of the matter.
pub(crate) fn openers() -> &'static [&'static str] {
    static LIST: LazyLock<Vec<&'static str>> = LazyLock::new(|| items(OPENERS).collect());
    &LIST
}

/// Whether a word or a pair of Han characters is about nothing.
pub(crate) fn is_stop_word(word: &str) -> bool {
    static SET: LazyLock<HashSet<&'static str>> = LazyLock::new(|| items(STOP_WORDS).collect());
    SET.contains(word)
}

/// The source of one cue's expression: the English wordings between word borders, the Chinese ones as they are.
/// ASCII borders, because Latin words stand right beside Han characters in mixed text.
fn source(cue: Cue) -> String {
    let (english, chinese) = (wordings(ENGLISH, cue), wordings(CHINESE, cue));
    let mut parts = Vec::new();
    if !english.is_empty() {
        // Classes of ASCII letters keep the automata small.
        let english = english.replace(r"\w", "[0-9A-Za-z_]").replace(r"\b", r"(?-u:\b)");
        parts.push(format!(r"(?-u:\b)(?:{english})(?-u:\b)"));
    }
    if !chinese.is_empty() {
        parts.push(chinese);
    }
    format!("(?i)(?:{})", if parts.is_empty() { r"[^\s\S]".to_owned() } else { parts.join("|") })
}

/// One expression per cue, in the order of [`Cue::ALL`]. One set of all of them would be larger than a lazy automaton may
/// get, and then slow by a hundredfold.
static LEXICON: LazyLock<Vec<Option<Regex>>> = LazyLock::new(|| {
    Cue::ALL
        .iter()
        .map(|cue| RegexBuilder::new(&source(*cue)).dfa_size_limit(AUTOMATON_BYTES).build().ok())
        .collect()
});

/// How large the automaton of one cue may get, in bytes.
const AUTOMATON_BYTES: usize = 8 << 20;

fn pattern(cue: Cue) -> Option<&'static Regex> {
    LEXICON.get(cue as usize)?.as_ref()
}

/// Takes away cues whose wording means something else here: `I never remember`, `there is no`.
fn refine(text: &str, cues: &mut Cues) {
    let person = REFINE.as_ref().is_some_and(|pattern| pattern.is_match(text));
    if person && count(Cue::Standing, text) <= 1 {
        cues.remove(Cue::Standing);
        cues.remove(Cue::Explicit);
    }
    // `our own server` names no owner, and `not in general` says that something does not hold for ever.
    if POSSESSIVE.as_ref().is_some_and(|pattern| pattern.is_match(text)) && count(Cue::Owner, text) <= 1 {
        cues.remove(Cue::Owner);
    }
    if LIMITED.as_ref().is_some_and(|pattern| pattern.is_match(text)) && count(Cue::Standing, text) <= 1 {
        cues.remove(Cue::Standing);
        cues.insert(Cue::Ephemeral);
    }
    if FROM_TODAY.as_ref().is_some_and(|pattern| pattern.is_match(text)) {
        cues.remove(Cue::Ephemeral);
        cues.insert(Cue::Standing);
    }
    // `what a tester may want to change lives in …`: the doubt is within the subject.
    if RELATIVE.as_ref().is_some_and(|pattern| pattern.is_match(text)) && count(Cue::Speculation, text) <= 1 {
        cues.remove(Cue::Speculation);
        cues.remove(Cue::Hypothetical);
    }
    // How long a person has worked in a trade is a trait, not a plan.
    if TRADE.as_ref().is_some_and(|pattern| pattern.is_match(text)) {
        cues.remove(Cue::Intent);
        cues.insert(Cue::Preference);
    }
    if RULE.as_ref().is_some_and(|pattern| pattern.is_match(text)) {
        cues.insert(Cue::Standing);
    }
    // What is not done on a day of each week holds for always, though no word says so.
    if date::is_weekly_rule(text) {
        cues.insert(Cue::Standing);
        cues.insert(Cue::Prohibition);
    }
    // `If the cache is on port 7000, restart it`: what a condition supposes is no statement.
    if let Some(condition) = condition(text) {
        for cue in [Cue::Place, Cue::Change, Cue::OpenLoop] {
            let states = |part: &str| pattern(cue).is_some_and(|pattern| pattern.is_match(part));
            if cues.has(cue) && !states(&text[..condition.start]) && !states(&text[condition.end..]) {
                cues.remove(cue);
            }
        }
    }
    let absent = ABSENT.as_ref().is_some_and(|pattern| pattern.is_match(text));
    if absent && count(Cue::Prohibition, text) <= 1 {
        cues.remove(Cue::Prohibition);
    }
}

/// An order for whenever something comes up: `when you commit, run the linter first`, 提交前先更新文档.
static RULE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)^(?:please )?(?:when(?:ever)?|if|before|each time|every time|any time) you (?:ever |want to |have to |need to )?(?:commit|push|change|edit|add|remove|delete|rename|touch|create|merge|release|deploy|upgrade|bump|refactor|generate|modify|update)\b[^.;!?]*, ?(?:please |always |first )?(?:\w+) |",
        r"(?:提交|推送|合并|发布|上线|部署|修改|改动|新增|添加|删除|重构|升级)[^，。；！？]{0,10}(?:前|之前|后|之后|时|的时候|的话)[，,]?[^。；！？]{0,12}(?:先|必须|记得|不要|别|一定)|",
        r"(?:如果|要是|一旦|万一)[^，,。；]{1,20}[，,](?:不要|别|必须|一定要|记得|要先|先告诉)",
    ))
    .ok()
});
/// Where a sentence states a condition: its clause, without what follows from it.
fn condition(text: &str) -> Option<Range<usize>> {
    CONDITION.as_ref()?.find(text).map(|found| found.range())
}

static CONDITION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)(?:^|[,;] ?|\b(?:and|but|so|also|then|only|except) |[\w)] )(?:if|unless|in case|when(?:ever)?|assuming|provided|supposing|suppose|as soon as|once (?:the|we|it|they|you|i|he|she|this|that|these|those|our|my|your|his|her|their|all|every\w*))\b(?:[^,;:.!?]|[.:,]\S)*(?:, |; |\bthen\b|$|[.!?])|",
        r"(?:如果|假如|要是|万一|若是|倘若|一旦|除非|等到)[^，,；;。！？]*(?:[，,；;。！？]|$)|",
        r"(?:^|[，,；;。！？])[^，,；;。！？]{2,}的话[，,]",
    ))
    .ok()
});
static REFINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)\bi (?:never|always) (?:remember|know|knew|understood|get|got|saw|seen|had|thought|forget|wonder|heard|liked)\b|\bnever (?:mind|heard|seen|works?|worked|comes?|came|happened)\b|\b(?:sometimes|often)\b.*\bnever\b").ok()
});
static POSSESSIVE: LazyLock<Option<Regex>> =
    LazyLock::new(|| expression::new(r"(?i)\b(?:my|our|your|his|her|its|their|one's) own\b").ok());
static LIMITED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)\bnot (?:in general|for good|permanent(?:ly)?|as a rule|the default|every ?time|from now on)\b|(?:不是|并非|不代表|不算)(?:以后|永远|每次|长期|一直|惯例|默认)").ok()
});
static FROM_TODAY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)\b(?:from|starting|as of|effective|beginning) (?:today|now|tomorrow|monday|tuesday|wednesday|thursday|friday|next week|next month)(?: on(?:wards?)?)?\b|(?:从|自)(?:今天|现在|明天|今日|这周|本周|下周|这个月|下个月).{0,3}(?:起|开始)|(?:今天|今日|明天|本周|下周|这个月|下个月)(?:就)?(?:起|开始(?:$|[，。；]))|刚才(?:那条|那个|说的)").ok()
});
static RELATIVE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)^(?:\w+ ){1,6}(?:might|may|could|would) (?:ever |also |still )?(?:want|need|like|wish|have|try|get|see|use)\b.{2,50}\b(?:lives?|goes?|belongs?|sits?|stays?|is|are|must|comes?) ").ok()
});
static TRADE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)\bi(?:'ve| have|'m| am| was| do| did|'d)? (?:\w+ ){0,3}?(?:been|done|worked|work|written|wrote|shipp\w+|doing|building|writing|programming|coding)\b[^.;!?]{0,60}\b(?:since|for (?:\w+ )?(?:years|decades)|(?:\w+|\d+) years)\b|(?:写|做|干|搞|用|玩)了?(?:[一二三四五六七八九十两\d]+|好几|好多|多|几)年").ok()
});
static ABSENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)\b(?:there(?:'s| is| are| was)|has|have|had|with|gets?|got|is|are) no \w+|\bno (?:problem|idea|time|thanks|effect|change|wonder|rush|hurry|worries)\b|,? no thanks|\bno \w+ at all\b|\bcan(?:'?t|not) (?:see|find|remember|read|believe|tell)\b|\b(?:does|do|did)(?: not|n'?t) (?:come|work|start|know|exist|appear|show|load|respond|help|find|want)\b").ok()
});

/// The cues of a text. Apostrophes of any kind count as `'`.
pub(crate) fn cues(text: &str) -> Cues {
    let plain = text.replace(['\u{2019}', '\u{02bc}'], "'");
    let mut found = Cues::default();
    for cue in Cue::ALL {
        if pattern(*cue).is_some_and(|pattern| pattern.is_match(&plain)) {
            found.insert(*cue);
        }
    }
    refine(&plain, &mut found);
    found
}

/// Where the first wording of a cue stands in a text, in bytes.
pub(crate) fn locate(cue: Cue, text: &str) -> Option<std::ops::Range<usize>> {
    pattern(cue)?.find(text).map(|found| found.range())
}

/// How often a cue stands in a text.
pub(crate) fn count(cue: Cue, text: &str) -> usize {
    pattern(cue).map_or(0, |pattern| pattern.find_iter(text).count())
}

/// Whether the text opens with a wording of the cue, and where that ends.
pub(crate) fn opens(cue: Cue, text: &str) -> Option<usize> {
    let found = locate(cue, text)?;
    (text[..found.start].trim_matches(|c: char| !c.is_alphanumeric()).is_empty()).then_some(found.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cue_compiles_and_has_wordings_in_both_languages() {
        for cue in Cue::ALL {
            assert!(expression::new(&source(*cue)).is_ok(), "{cue:?}");
            assert!(!wordings(ENGLISH, *cue).is_empty(), "{cue:?} has no English wording");
            assert!(!wordings(CHINESE, *cue).is_empty(), "{cue:?} has no Chinese wording");
        }
        assert!(LEXICON.iter().all(Option::is_some));
        assert!(Cue::ALL.len() < 64);
        for heading in ENGLISH
            .lines()
            .chain(CHINESE.lines())
            .filter(|line| line.starts_with('[') && line.ends_with(']') && !line.contains('|'))
        {
            assert!(Cue::ALL.iter().any(|cue| heading == format!("[{cue:?}]")), "{heading} is no cue");
        }
    }

    #[test]
    fn latin_words_beside_han_characters_are_found() {
        assert!(cues("这个always要跑").has(Cue::Standing));
        assert!(!cues("sometimes").has(Cue::Standing));
        assert!(cues("don\u{2019}t touch it").has(Cue::Prohibition));
    }
}
