//! The sentences of an utterance, each with its cues and its part in the talk.

use crate::lexicon::{self, Cue, Cues};
use crate::occasion;
use crate::procedure;
use crate::request;
use nidra_core::text::expression;
use nidra_core::text::language::is_han;
use regex::Regex;
use std::sync::LazyLock;

/// What a sentence does in the talk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// States something.
    Statement,
    /// Asks.
    Question,
    /// Imagines what is not.
    Hypothesis,
    /// Orders one piece of work.
    Task,
    /// Agrees or greets and says no more.
    Filler,
    /// Takes back something.
    Dismissal,
    /// Gives words or a value that the person does not stand by.
    Disowned,
}

/// A sentence of a person.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// The words, without fillers at their start.
    pub(crate) text: String,
    /// Its cues.
    pub(crate) cues: Cues,
    /// Its part.
    pub(crate) act: Act,
    /// It opens a new subject.
    pub(crate) shift: bool,
    /// It began with a denial or agreement that was cut off.
    pub(crate) opening: Cues,
}

/// How many sentences are read at each end of a text; what is longer was pasted.
const READ: usize = 12;

/// Splits own words into lines with their parts. Of a very long text only the ends are read.
pub(crate) fn lines(own: &str) -> Vec<Line> {
    let mut sentences: Vec<String> =
        split(own).iter().flat_map(|sentence| subjects(sentence)).map(str::to_owned).collect();
    if sentences.len() > 2 * READ {
        let tail = sentences.split_off(sentences.len() - READ);
        sentences.truncate(READ);
        sentences.extend(tail);
    }
    sentences
        .into_iter()
        .filter_map(|sentence| {
            let sentence = crate::retract::condensed(crate::retract::spoken(&sentence));
            let (text, opening) = strip_opening(&sentence);
            let whole = sentence.trim();
            let text = PRECISE
                .as_ref()
                .map_or_else(|| text.clone(), |pattern| pattern.replace_all(&text, "$1 ").into_owned());
            let text = after_but(&text).to_owned();
            let polite = request::polite(&text);
            let text = polite.map_or(text.as_str(), |order| order).to_owned();
            let mut cues = lexicon::cues(&text);
            let asked = whole.ends_with(['?', '？']) && polite.is_none();
            let shift = lexicon::opens(Cue::Shift, whole).is_some();
            if asked {
                cues.insert(Cue::Question);
            }
            let whole =
                if sentence.contains(text.as_str()) || text.is_empty() { whole } else { text.as_str() };
            let act = act(&text, whole, cues, opening, asked);
            let (act, cues) = ruled(&text, act, cues);
            (!whole.is_empty()).then_some(Line { text, cues, act, shift, opening })
        })
        .collect()
}

/// Where a sentence goes on with something else: `…, by the way the queue moves`, …，另外 nightly 改到三点.
static ELSE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(
        r"(?i)[,;] (?:oh and |and |oh )?(?:btw|by the way|separately|unrelated)(?-u:\b)|[，,；](?:另外|对了|對了|此外|话说|顺便说一?(?:下|句)|顺便一提)",
    )
    .ok()
});

/// The parts of a sentence that speak of different things, each of which says something.
fn subjects(sentence: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let places = ELSE.as_ref().into_iter().flat_map(|pattern| pattern.find_iter(sentence));
    for place in places.map(|place| place.start()) {
        let (head, tail) = (&sentence[start..place], &sentence[place..]);
        if weight(head) >= 3 && weight(tail) >= 4 && !sentence.contains('`') {
            found.push(head);
            start = place + tail.chars().next().map_or(0, char::len_utf8);
        }
    }
    found.push(sentence[start..].trim_start());
    found
}

/// An order for every case of a kind and the steps of a procedure are no piece of work, though each reads like one.
fn ruled(text: &str, act: Act, mut cues: Cues) -> (Act, Cues) {
    if !matches!(act, Act::Task | Act::Statement) {
        return (act, cues);
    }
    if procedure::is_told(text) {
        cues.insert(Cue::Sequence);
        cues.insert(Cue::Habit);
        // `…, then push` is a step and does not end the talk; `drop the copy` takes nothing back.
        for cue in [Cue::Ephemeral, Cue::Removal, Cue::Dismissal] {
            cues.remove(cue);
        }
        return (Act::Statement, cues);
    }
    if occasion::is_standing(text) {
        cues.insert(Cue::Standing);
        cues.insert(Cue::Conduct);
        return (Act::Statement, cues);
    }
    (act, cues)
}

/// What follows the `but` of an order where that is a rule: `fix it, but never touch the parser`.
fn after_but(text: &str) -> &str {
    if lexicon::opens(Cue::Task, text).is_none() {
        return text;
    }
    for mark in [", but ", " but ", "，但是", "，但"] {
        if let Some(at) = text.find(mark) {
            let tail = text[at + mark.len()..].trim();
            if weight(tail) >= 4
                && lexicon::cues(tail).any(&[Cue::Standing, Cue::Obligation, Cue::Prohibition])
            {
                return tail;
            }
        }
    }
    text
}

/// A word between a preposition and a span of time that says no more: `in exactly two weeks`.
static PRECISE: LazyLock<Option<Regex>> =
    LazyLock::new(|| expression::new(r"(?i)\b(in|within) (?:exactly|precisely|just|only) ").ok());

static REQUEST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(r"(?i)\b(?:can|could|would|will) you\b|\bhelp me\b|\bdo you (?:think|have|know)\b|\b(?:what|how|where|which|should) (?:should |can |could |do |would )?i (?:do|make|use|choose|handle|improve|ensure|add|start|plan|approach|start)\b|(?:能|可以)(?:帮|不能|否)").ok()
});

/// A question behind what it is about: `the job hangs since eight, why`.
static TAG: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(
        r"(?i)[,;:] ?(?:why|how come|any idea(?: why| what)?|what gives|what now|thoughts)$|[，,；]\s*(?:你)?(?:怎么看|咋看|咋整|咋办|咋回事|怎么回事|什么情况|啥情况|为啥|为什么)(?:呢|啊)?$",
    )
    .ok()
});

/// Openers that imagine something, however firm the words behind them sound.
static SOFT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)^(?:sometimes |often |lately |recently |so |and |but |hm+,? |well,? |honestly,? |ok,? |also,? )*(?:(?:i|we)(?:'m|'ve| am| was| have been| were)? ?(?:just |kind of |kinda |half |sort of )*(?:been )?(?:thinking|wondering|toying|musing|tempted|pondering|dreaming|daydreaming)|",
        r"(?:was|been|am|just|only|kinda)(?: just| kinda| half)* (?:thinking|wondering|toying|musing|tempted|daydreaming)|part of me|a part of me|somehow i want|i (?:sometimes |often |still |almost |kinda |do |did )?(?:wonder(?:ed)?|keep wondering|keep thinking|half want|almost want|kinda want)|",
        r"would(?:n'?t)? (?:it|that|we|you|there) (?:be|make|ever|not|hurt|help|mind)|would it be (?:crazy|mad|insane|silly|overkill)|am i (?:crazy|mad)|how (?:crazy|mad|hard|bad) would|what would (?:happen|it take|you say)|ever (?:considered|thought)|",
        r"could(?:n'?t)? we(?: not)?|shouldn'?t we|can we maybe|do you think (?:we|it|that)|any (?:merit|reason not|point) (?:in|to)|what'?s stopping us|one could|imagine if|if (?:only|it were up to me|i had))(?-u:\b)|",
        r"(?-u:\b)(?:was thinking (?:maybe|of|about)|thinking maybe|maybe we (?:should|could)|would it be crazy|crazy thought|wild idea|silly idea|stupid idea)(?-u:\b)|",
        r"^(?:哎|诶|欸|话说|那个|对了|嗯|，|,| )*(?:你说(?:我们|咱们?|要是|如果|是不是|能不能|会不会|把|以后|全|这)|(?:我们|咱们?)?(?:要是|如果|假如|若是)[^。]{0,40}(?:会不会|好不好|行不行|怎么样|好点|好些|就好了|省事|呢)|",
        r"要不(?:要|然)?(?:以后|我们|咱们?|就|把|干脆|都|全|试|换)|不如(?:我们|咱们?|以后|就|把|都|全)|干脆(?:我们|咱们?|以后|把|都|全)[^。]{0,30}[吧?？]|我(?:在|就|还|一直|最近)?(?:琢磨|寻思|在想|想着)|突发奇想|异想天开|脑洞|感觉[^。]{0,20}(?:也不错|也行|也挺|会更好)|有没有(?:必要|可能))|",
        r"^(?:had|were|should) (?:we|i|they|you|it|the \w+)(?-u:\b)[^,?]*,|^depending on(?-u:\b)|",
        // What would be if something were so that is not.
        r"^if (?:only )?(?:i|we|they|you|he|she|the \w+|it)(?: ever| only| just)? (?:won|had|were|got|could|found|knew|owned|bought|hired|ran|wrote|lived|started|moved|switched|dropped|\w{3,}ed)(?-u:\b) [^,?][^?]{3,80}(?-u:\b)(?:i'd|we'd|they'd|you'd|would|could|might)(?-u:\b)|",
        r"^(?:just (?:asking|curious|wondering)|(?:random|idle|stupid|dumb|silly) (?:thought|question|idea)|thinking (?:out loud|aloud))(?-u:\b)|",
        r"^(?:随便|瞎|只是|就是|顺嘴)(?:问问|问一句|问下|想想|聊聊)|^(?:要我说)?(?:不如|干脆|索性)[^。]{2,30}(?:得了|算了|拉倒)|",
        r"^要我说[^。]{0,24}(?:得了|算了|吧)|",
        r"[^。]{6,}(?:[^是没在不跟别会](?:开|開)(?:个|個)?玩笑|逗你(?:的|玩)|说着玩|別当真|别当真)|\w+ \w+ \w+ \w+.*(?-u:\b)(?:just kidding|just joking|only joking|only kidding|jk)(?-u:\b)|",
        r"^you think (?:we|it|that|they)(?-u:\b)|(?:要是|如果|假如|若是)[^。！？]{0,40}(?:会不会|是不是|好不好|行不行|怎么样|就好了|多好)|",
        r"(?:以后|以後|将来|今后|往后)(?:可能|也许|或许|说不定|大概|没准)|",
        r"会不会(?:好|更|太|比较)[^。]{0,8}$|(?:是不是|会不会)(?:好点|好一点|更好|更省)",
    ))
    .ok()
});

/// Whether a sentence takes something back in its first clause and says what is so behind it: `no wait, it is on 8090`.
fn goes_on(text: &str) -> bool {
    let Some(first) = crate::phrase::parts(text).next() else { return false };
    let rest = text[text.find(first).map_or(0, |at| at + first.len())..]
        .trim_start_matches([',', ';', '，', '；', '.', ' ']);
    let cues = lexicon::cues(rest);
    weight(first) <= 3
        && weight(rest) >= 4
        && lexicon::cues(first).has(Cue::Dismissal)
        && !cues.any(&[Cue::Dismissal, Cue::Removal, Cue::Hypothetical])
        && (cues.any(&[Cue::Owner, Cue::Change, Cue::Standing, Cue::Habit, Cue::Place]) || has_value(rest))
}

fn act(text: &str, whole: &str, cues: Cues, opening: Cues, asked: bool) -> Act {
    if SOFT.as_ref().is_some_and(|pattern| pattern.is_match(text)) && !cues.any(&[Cue::Owner]) {
        return Act::Hypothesis;
    }
    if cues.has(Cue::Dismissal) && weight(text) <= 14 && !goes_on(text)
        || opening.has(Cue::Dismissal) && weight(text) <= 3
    {
        return Act::Dismissal;
    }
    let opens_question = lexicon::opens(Cue::Question, text).is_some();
    if lexicon::opens(Cue::Hypothetical, text).is_some() && !cues.has(Cue::Standing) {
        return Act::Hypothesis;
    }
    if cues.has(Cue::Hypothetical) && !cues.any(&[Cue::Standing, Cue::Decision, Cue::Owner])
        || (cues.has(Cue::Hypothetical) && asked)
    {
        return Act::Hypothesis;
    }
    if TAG.as_ref().is_some_and(|pattern| pattern.is_match(text))
        && !cues.any(&[Cue::Standing, Cue::Explicit])
    {
        return Act::Question;
    }
    let requests = REQUEST.as_ref().is_some_and(|pattern| pattern.is_match(text));
    if requests && !cues.any(&[Cue::Standing, Cue::Explicit, Cue::Owner]) {
        return Act::Question;
    }
    if asked || (opens_question && weight(text) < 14 && !cues.has(Cue::Standing)) {
        return Act::Question;
    }
    // A Chinese sentence may be several; what its last clause does counts.
    let last =
        text.rsplit([',', '，']).find(|clause| clause.chars().any(char::is_alphanumeric)).unwrap_or(text);
    let asks_in_chinese = text.chars().any(is_han)
        && lexicon::cues(last).has(Cue::Question)
        && weight(text) < 16
        && !cues.any(&[Cue::Standing, Cue::Obligation, Cue::Prohibition]);
    if asks_in_chinese {
        return Act::Question;
    }
    if weight(text) == 0
        || (cues.any(&[Cue::Chat, Cue::Praise, Cue::Agreement]) && weight(text) <= 3 && !has_value(text))
    {
        return Act::Filler;
    }
    let ruled = cues.any(&[Cue::Standing, Cue::Explicit, Cue::Owner, Cue::Prohibition]);
    if request::names_a_thing(text) {
        return Act::Statement;
    }
    if lexicon::opens(Cue::Task, text).is_some()
        || (request::ends_in_request(text) || request::handles_one(text)) && !ruled
        || (whole.contains(text)
            && whole.len() < text.len() + 24
            && lexicon::opens(Cue::Task, whole).is_some()
            && !whole.contains(" but "))
    {
        return Act::Task;
    }
    Act::Statement
}

/// How much a text says, in words: a Latin word counts one, two Han characters count one.
pub(crate) fn weight(text: &str) -> usize {
    let han = text.chars().filter(|c| is_han(*c)).count();
    let latin = text
        .split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '_') || is_han(c))
        .filter(|word| !word.is_empty())
        .count();
    latin + han.div_ceil(2)
}

/// Whether the text names something exactly: a number, a path, an address, code.
pub(crate) fn has_value(text: &str) -> bool {
    text.contains('`')
        || text.chars().any(|c| c.is_ascii_digit())
        || text.split_whitespace().any(is_identifier)
}

/// Whether a word is a name of the machine's world: it holds a slash, a dot, a dash between letters, an underscore or inner capitals.
pub(crate) fn is_identifier(word: &str) -> bool {
    let word = word.trim_matches(|c: char| {
        !(c.is_ascii_alphanumeric() || c == '/' || c == '.' || c == '_' || c == '-' || c == '@' || c == '#')
    });
    let word = word.trim_end_matches(['.', ',']);
    if !word.is_ascii() || word.len() < 3 || !word.chars().any(|c| c.is_ascii_alphabetic()) {
        return false;
    }
    let inner = &word[1..word.len() - 1];
    inner.contains(['/', '_', ':', '@', '=']) && word.len() > 3
        || inner.contains('.') && !inner.contains("..") && word.len() > 4
        || word.starts_with("--")
        || word.starts_with('/') && word.len() > 4
        || word.starts_with('#') && word.len() > 3
        || inner.contains('-') && word.chars().any(|c| c.is_ascii_digit() || c.is_ascii_uppercase())
        || word.chars().any(|c| c.is_ascii_digit())
        || word.len() > 3
            && word.chars().skip(1).any(|c| c.is_ascii_uppercase())
            && word.chars().any(|c| c.is_ascii_lowercase())
        || word.len() > 4 && word.chars().all(|c| c.is_ascii_uppercase() || c == '_')
}

/// Cuts a text at its sentence ends. Dots inside names, numbers and addresses do not end a sentence.
pub(crate) fn split(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let characters: Vec<char> = line.chars().collect();
        let mut current = String::new();
        let mut code = false;
        for (index, character) in characters.iter().enumerate() {
            current.push(*character);
            if *character == '`' {
                code = !code;
            }
            if code {
                continue;
            }
            let next = characters.get(index + 1);
            let ends = match character {
                '。' | '！' | '？' | '；' => true,
                '!' | '?' => next.is_none_or(|c| c.is_whitespace() || is_han(*c)),
                '.' => {
                    next.is_none_or(|c| c.is_whitespace())
                        && !is_abbreviation(&current)
                        && !is_enumerator(&current)
                }
                _ => false,
            };
            if ends && !next.is_some_and(|c| matches!(c, '!' | '?' | '！' | '？' | '」' | '”' | '"' | '\''))
            {
                push(&mut found, &current);
                current.clear();
            }
        }
        push(&mut found, &current);
    }
    found
}

fn push(found: &mut Vec<String>, text: &str) {
    let text = text.trim();
    if text.chars().any(char::is_alphanumeric) {
        found.push(text.to_owned());
    }
}

fn is_abbreviation(current: &str) -> bool {
    let word = current.rsplit(char::is_whitespace).next().unwrap_or_default().to_lowercase();
    matches!(
        word.as_str(),
        "e.g."
            | "i.e."
            | "etc."
            | "vs."
            | "approx."
            | "no."
            | "st."
            | "dr."
            | "mr."
            | "mrs."
            | "ms."
            | "prof."
            | "max."
            | "min."
            | "incl."
            | "cf."
    ) && (current.trim().len() > word.len() || is_title(&word))
        && word != "no."
}

/// A title may begin a sentence; the name follows.
fn is_title(word: &str) -> bool {
    matches!(word, "mr." | "mrs." | "ms." | "dr." | "prof.")
}

fn is_enumerator(current: &str) -> bool {
    let head = current.trim().trim_end_matches('.');
    !head.is_empty() && head.len() <= 2 && head.chars().all(|c| c.is_ascii_digit())
}

/// Cuts acknowledgements, denials, greetings and list numbers off the start; returns their cues.
fn strip_opening(sentence: &str) -> (String, Cues) {
    let mut rest = sentence.trim();
    rest = rest.strip_prefix("- ").or_else(|| rest.strip_prefix("* ")).unwrap_or(rest).trim_start();
    let mut cues = Cues::default();
    loop {
        let numbered = rest
            .char_indices()
            .find(|(_, c)| !c.is_ascii_digit())
            .filter(|(at, c)| (1..=2).contains(at) && matches!(c, ')' | '）' | '、'));
        if let Some((at, mark)) = numbered {
            rest = rest[at + mark.len_utf8()..].trim_start();
            continue;
        }
        let lower = rest.to_lowercase();
        let opener = lexicon::openers()
            .iter()
            .filter(|opener| lower.starts_with(**opener))
            .filter(|opener| {
                let after = lower[opener.len()..].chars().next();
                let han = opener.chars().any(is_han);
                match after {
                    None => true,
                    Some(c) if han => {
                        matches!(c, ',' | '，' | '。' | '、' | ' ' | '.' | '!' | '！' | '…' | '：' | ':')
                    }
                    Some(c) => {
                        matches!(c, ',' | '，' | '.' | ':' | '!' | ';' | '…')
                            || (c.is_whitespace() && cuts_without_comma(opener))
                    }
                }
            })
            .max_by_key(|opener| opener.len());
        let Some(opener) = opener else { break };
        // Lower-casing may change lengths; the opener is cut by characters.
        let cut: usize = rest.chars().take(opener.chars().count()).map(char::len_utf8).sum();
        let (head, tail) = rest.split_at(cut);
        cues = cues.union(lexicon::cues(head));
        rest = tail.trim_start_matches(|c: char| {
            c.is_whitespace()
                || matches!(c, ',' | '，' | '.' | '。' | ':' | '：' | '!' | '！' | ';' | '…' | '、')
        });
        if rest.is_empty() {
            break;
        }
    }
    (rest.to_owned(), cues)
}

/// Openers that may be cut though no comma follows them.
fn cuts_without_comma(opener: &str) -> bool {
    matches!(
        opener,
        "ok" | "okay"
            | "yeah"
            | "yep"
            | "yup"
            | "ok so"
            | "okay so"
            | "ok then"
            | "ok so yeah"
            | "so"
            | "and"
            | "but"
            | "also"
            | "btw"
            | "by the way"
            | "oh"
            | "ah"
            | "hm"
            | "hmm"
            | "uh"
            | "um"
            | "lol"
            | "haha"
            | "hey"
            | "well"
            | "anyway"
            | "yes"
            | "wow"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_stay_whole() {
        assert_eq!(split("bump to v1.4.2. then open src/a.rs"), ["bump to v1.4.2.", "then open src/a.rs"]);
        assert_eq!(split("端口改成 8443。别用 8080"), ["端口改成 8443。", "别用 8080"]);
        assert_eq!(
            split("It's on purpose. Mr. Kim asked for it."),
            ["It's on purpose.", "Mr. Kim asked for it."]
        );
    }

    #[test]
    fn openings_are_cut() {
        let found = lines("ok so yeah, we deploy on mondays");
        assert_eq!(found[0].text, "we deploy on mondays");
        let found = lines("不对，签名用的是 SM2");
        assert_eq!(found[0].text, "签名用的是 SM2");
        assert!(found[0].opening.has(Cue::Denial));
    }

    #[test]
    fn parts_of_talk() {
        let act = |text: &str| lines(text).pop().map(|line| line.act);
        assert_eq!(act("what if we rewrote it in go?"), Some(Act::Hypothesis));
        assert_eq!(act("要不要换成 MongoDB？"), Some(Act::Hypothesis));
        assert_eq!(act("had we chosen Oracle, billing would be on port 1521"), Some(Act::Hypothesis));
        assert_eq!(act("which port is it on?"), Some(Act::Question));
        assert_eq!(act("add a button to the header"), Some(Act::Task));
        assert_eq!(act("帮我加个按钮"), Some(Act::Task));
        assert_eq!(act("thanks"), Some(Act::Filler));
        assert_eq!(act("never mind, just kidding"), Some(Act::Dismissal));
        assert_eq!(act("算了，当我没说"), Some(Act::Dismissal));
        assert_eq!(act("no wait, the staging box listens on 8090 now"), Some(Act::Statement));
        assert_eq!(act("no wait, forget the rule about 8090"), Some(Act::Dismissal));
        assert_eq!(act("the api listens on port 9000"), Some(Act::Statement));
    }
}
