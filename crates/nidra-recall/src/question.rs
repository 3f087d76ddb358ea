//! What a question asks: its terms, the names in it, the time that it means, and the kind of answer that it wants.

use crate::analyze::{Analyzer, Form, Spotted, Term};
use crate::values::Sort;
use jiff::ZonedDateTime;
use jiff::civil::Date;
use nidra_core::text::date;
use std::collections::{BTreeMap, BTreeSet};

/// A question, understood.
#[derive(Clone, Debug)]
pub struct Question {
    /// Its words.
    pub text: String,
    /// Its terms, each once, with how much it counts.
    pub terms: Vec<Asked>,
    /// Terms that stand next to each other.
    pub pairs: BTreeSet<(Term, Term)>,
    /// Words that begin with a capital, in lower case: names, perhaps of who spoke.
    pub names: BTreeSet<String>,
    /// The days that it means.
    pub days: Option<(Date, Date)>,
    /// What it wants.
    pub wants: Wants,
}

/// A term of a question.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The term.
    pub term: Term,
    /// Its normal form.
    pub normal: String,
    /// What it was made of.
    pub form: Form,
    /// How much it counts; 1 is usual.
    pub weight: f32,
}

/// The kinds of answers that can be told from the words of a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a question can want several of these")]
pub struct Wants {
    /// A time.
    pub time: bool,
    /// A number.
    pub number: bool,
    /// How something was before, or how it changed: what was replaced is an answer as well.
    pub history: bool,
    /// Many turns: an order, an overview.
    pub overview: bool,
    /// One value as it is now.
    pub value: bool,
    /// Something to be done or proposed: how the person wants things done belongs to the answer.
    pub advice: bool,
}

impl Wants {
    /// Whether a value of this kind can be the answer.
    pub fn takes(self, sort: Sort) -> bool {
        match sort {
            Sort::Day | Sort::Clock => self.time || !self.number,
            Sort::Count | Sort::Percent | Sort::Money => self.number || !self.time,
            Sort::Version => !self.time && !self.number,
        }
    }
}

/// Words of questions about themselves, which say nothing of the matter.
const ASKING: &[&str] = &[
    "ask",
    "asked",
    "tell",
    "told",
    "said",
    "say",
    "mention",
    "mentioned",
    "remember",
    "recall",
    "please",
    "know",
    "question",
    "conversation",
    "conversations",
    "discuss",
    "discussed",
    "talk",
    "talked",
    "list",
    "give",
    "summarize",
    "summary",
    "comprehensive",
    "explain",
    "describe",
    "help",
    "show",
    "provide",
    "session",
    "sessions",
    "across",
    "throughout",
    "want",
    "need",
    "many",
    "much",
    "different",
    "various",
    "brought",
    "walk",
    "ever",
    "like",
    "items",
];

const CHINESE_ASKING: &[&str] = &[
    "什么", "怎么", "哪个", "哪些", "为什", "多少", "是不", "不是", "有没", "没有", "我们", "你们", "他们",
    "这个", "那个", "请问", "是否", "如何", "的是", "是什", "么时", "时候", "在哪", "哪里", "一下", "之前",
    "我的", "我在", "我是", "了吗",
];

const TIME: &[&str] = &[
    "when",
    "what time",
    "what date",
    "which day",
    "what day",
    "how long",
    "deadline",
    "什么时候",
    "何时",
    "几号",
    "哪天",
    "多久",
];
const NUMBER: &[&str] = &[
    "how many",
    "how much",
    "how long",
    "how old",
    "how often",
    "what percentage",
    "多少",
    "几个",
    "几次",
    "多久",
];
const HISTORY: &[&str] = &[
    "before",
    "previous",
    "previously",
    "used to",
    "originally",
    "initially",
    "changed",
    "change from",
    "history",
    "formerly",
    "initial",
    "did i say",
    "did i mention",
    "i mentioned",
    "have i",
    "at first",
    "contradict",
    "以前",
    "之前",
    "原来",
    "最初",
    "过去",
    "变更",
    "改过",
];
const OVERVIEW: &[&str] = &[
    "in order",
    "the order",
    "summar",
    "overview",
    "progress",
    "walk me through",
    "evolve",
    "总结",
    "概述",
    "顺序",
    "经过",
];

const VALUE: &[&str] = &[
    "what",
    "which",
    "when",
    "where",
    "who",
    "how many",
    "how much",
    "how long",
    "how old",
    "how often",
    "how far",
    "how fast",
    "多少",
    "几",
    "什么",
    "哪",
    "何时",
    "谁",
    "多久",
    "多大",
];
const ADVICE: &[&str] = &[
    "how should",
    "how do i",
    "how can i",
    "how would",
    "could you",
    "can you",
    "should i",
    "what steps",
    "suggest",
    "recommend",
    "advice",
    "help me",
    "show me",
    "what are some",
    "best way",
    "planning to",
    "looking to",
    "want to",
    "i'm trying",
    "would you",
    "explain",
    "write",
    "implement",
    "怎么",
    "如何",
    "建议",
    "推荐",
    "帮我",
    "应该",
    "能不能",
];
/// What asks for several values to be put together, so that none replaces another.
const MANY: &[&str] = &[
    "between",
    "in total",
    "across",
    "combined",
    "altogether",
    "difference",
    "compare",
    "all the",
    "different",
    " and what",
    " and how",
    "my questions",
    "over the sessions",
    "improved over",
    "加起来",
    "一共",
    "相差",
    "比较",
];

impl Question {
    /// Reads a question that was asked at this moment.
    pub fn read(text: &str, now: &ZonedDateTime, analyzer: &mut Analyzer) -> Self {
        let spotted = analyzer.spotted(text);
        let lower = text.to_lowercase();
        let has = |cues: &[&str]| cues.iter().any(|cue| contains_words(&lower, cue));
        let (history, overview) = (has(HISTORY), has(OVERVIEW));
        let value = has(VALUE) && !history && !overview && !has(MANY);
        let wants =
            Wants { time: has(TIME), number: has(NUMBER), history, overview, value, advice: has(ADVICE) };
        let asking: BTreeSet<String> = ASKING.iter().map(|word| analyzer.stem(word)).collect();
        let mut terms: BTreeMap<Term, Asked> = BTreeMap::new();
        for Spotted { term, normal, form } in &spotted {
            let idle = match form {
                Form::Word => asking.contains(normal),
                Form::Characters => CHINESE_ASKING.contains(&normal.as_str()),
                Form::Whole => false,
            };
            let weight = match form {
                _ if idle => IDLE,
                // Who writes an identifier out means it.
                Form::Whole => WHOLE,
                Form::Word | Form::Characters => 1.0,
            };
            terms.entry(*term).or_insert_with(|| Asked {
                term: *term,
                normal: normal.clone(),
                form: *form,
                weight,
            });
        }
        // Two words there may be one word here: fail over, failover.
        for pair in words_of(text).windows(2) {
            let normal = analyzer.stem(&format!("{}{}", pair[0], pair[1]));
            let term = Term::of(&normal);
            terms.entry(term).or_insert(Asked { term, normal, form: Form::Word, weight: JOINED });
        }
        let pairs = spotted.windows(2).map(|pair| (pair[0].term, pair[1].term)).collect();
        Self {
            text: text.to_owned(),
            terms: terms.into_values().collect(),
            pairs,
            names: names(text),
            days: days(text, now),
            wants,
        }
    }
}

impl Question {
    /// Whether one of these terms, by their normal form, belongs to the matter of the question and not to its asking.
    pub fn is_about(&self, shared: &[String]) -> bool {
        self.terms.iter().any(|asked| asked.weight >= 1.0 && shared.contains(&asked.normal))
    }
}

/// Whether a cue stands in a text as words, not inside of other words; Chinese has no such limits.
pub(crate) fn contains_words(lower: &str, cue: &str) -> bool {
    lower
        .match_indices(cue)
        .any(|(at, _)| !cue.is_ascii() || !lower[..at].chars().next_back().is_some_and(char::is_alphanumeric))
}

/// How much an identifier counts that is written out.
const WHOLE: f32 = 2.0;
/// How much a word of asking counts.
const IDLE: f32 = 0.2;
/// How much two words count that were put together.
const JOINED: f32 = 0.5;

/// The plain Latin words of a text in lower case.
fn words_of(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_ascii_alphabetic())
        .filter(|word| word.len() > 1)
        .map(str::to_ascii_lowercase)
        .collect()
}

/// Words that begin with a capital and do not begin the text.
fn names(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().next().is_some_and(char::is_uppercase) && word.chars().count() > 1)
        .map(str::to_lowercase)
        .collect()
}

/// The days that the question means, from the first to the last that it names.
fn days(text: &str, now: &ZonedDateTime) -> Option<(Date, Date)> {
    let found = date::find(text, now);
    let first = found.iter().map(|mention| mention.start).min()?;
    let last = found.iter().map(|mention| mention.end.unwrap_or(mention.start)).max()?;
    Some((first, last))
}
