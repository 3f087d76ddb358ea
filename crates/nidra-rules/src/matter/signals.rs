//! The signals by which a person's words and a statement of memory are known to be of one matter.

use super::left::left;
use super::slot::{Relation, Slot, Slots, days, head, means, names, stem, stems, tells};
use crate::families;
use crate::lexicon::Cue;
use crate::revise::{self, Said, value};
use crate::terms;
use jiff::civil::Date;
use nidra_core::text::expression;
use nidra_core::text::language::is_han;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

macro_rules! signals {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        /// How a person's words stand to a statement of memory, each from 0 to 1.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct Signals { $($(#[$doc])* pub $name: f64),+ }

        impl Signals {
            /// Their names, in order.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),+];

            /// Their values, in the order of the names.
            pub fn values(&self) -> Vec<f64> {
                vec![$(self.$name),+]
            }
        }
    };
}

signals! {
    /// How much of the statement's words, by their weight, the person says.
    own,
    /// How much of the topic's words the person says.
    topic,
    /// How much of the statement's words only stand in what was said right before.
    around,
    /// How much of what the person says stands in the statement or its topic.
    explained,
    /// How many words of the person are of neither the statement, its topic nor what was said before, up to eight.
    strange,
    /// The rarest word that both have.
    rarest,
    /// Both give a value of one form with a unit, and another one.
    value,
    /// Both give a value of one loose form, and another one.
    loose,
    /// How much of the statement's words stand in the clause of the other value and the one before.
    near,
    /// Both give the same value.
    same,
    /// The statement's value stood in what was said right before.
    shown,
    /// The person says the statement's value to be over.
    gone,
    /// Both name a member of one family, and another one.
    rival,
    /// Both give a day, and another one.
    day,
    /// Both have names, and others.
    name,
    /// The person's words name the statement's subject.
    head,
    /// The person's words begin with what the statement or its topic is about.
    opens,
    /// The person names who or what the statement names, and says that something is different, denied or over.
    named,
    /// Both name someone or something, and another one, beside words of owning.
    owner,
    /// Something is different now.
    change,
    /// Something is done away with.
    removal,
    /// The person denies something.
    denial,
    /// The person decides something.
    decision,
    /// The person gives a rule.
    rule,
    /// The person tells of a fault or a wish.
    problem,
    /// The person asks for a piece of work.
    task,
    /// Since a day, these days, any more.
    lately,
    /// The statement forbids or demands what the person lets be.
    lifted,
    /// The statement's words and a value of its form come together.
    own_value,
    /// The topic's words and a value of its form come together.
    topic_value,
    /// What was said before names the statement, and a value of its form comes now.
    around_value,
    /// The statement's words come with other names.
    own_name,
    /// What was said before names the statement, and other names come now.
    around_name,
    /// The statement's words come with a change.
    own_change,
    /// What was said before names the statement, and a change comes now.
    around_change,
    /// It holds for this once.
    passing,
    /// It asks or imagines.
    unreal,
    /// The person says that something is over, and the statement has its rarest word.
    left,
    /// Something else is said of what the person says to be over.
    left_turn,
    /// The statement's words come with a name of it and a turn.
    own_named,
    /// The statement's value was shown, and another one of its form comes.
    shown_value,
    /// The statement's value was shown, and a change, a denial or a choice comes.
    shown_turn,
    /// A name of the statement stood in what was said right before, and the person does not say it.
    shown_name,
    /// The same, and the person says another name, or a turn.
    shown_other,
    /// The agent spoke from its memory or its notes right before.
    recalled,
    /// The same, and what was said before names the statement.
    around_recalled,
    /// What was said before names the statement, and the person denies something.
    around_denial,
    /// Both name the same identifier.
    anchor,
    /// Both say with what something is done or where, and it is another.
    means,
    /// The statement's words come with another tool or place.
    own_means,
    /// What was said before names the statement, and another tool or place comes now.
    around_means,
    /// The statement is long; what is held short is more often held to be replaced.
    length,
    /// Other sentences stand beside it in its entry.
    beside,
    /// By how much the statement leads before the next one.
    lead,
}

static LATELY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:now|nowadays|these days|any ?more|any longer|no longer|since|as of|from now|going forward|lately|meanwhile|",
        r"new|newly|moved|switched|went to|took over|takes over|instead|got fixed|is fixed|was fixed|already|last (?:week|month|sprint|friday|monday)|ever since)\b|",
        r"现在|如今|目前|已经|从.{0,8}起|起改|以来|这阵子|最近|上周|上个月|新的|新版|不再|接手|换成|改成|改到|改为|挪到|搬到|迁到|升到|降到|调到|早就",
    ))
    .ok()
});
static LIFTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:(?:is|are|it'?s|that'?s) (?:fine|ok|okay|allowed|safe|permitted|good)(?: (?:now|again|for|if|to|as))?|no (?:need|special|more)|not? needed|needn'?t|don'?t (?:need|have) to|",
        r"(?:can|may|could|should) (?:go|be (?:dropped|removed|skipped|lifted|left out)|stay|come back)|(?:may|can) (?:use|be used)|fixed|squashed|solved|resolved|drop (?:the|that|it)|leave .{1,24} alone|lifted|gone|ok(?:ay)? (?:if|when|to)|allowed)\b|",
        r"不用再|不必|可以了|没事了|修好|修了|已修|不需要|放开|允许|可以用|取消|解除|不限",
    ))
    .ok()
});
static BINDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:only|never|no|not|don'?t|must|always|first|before|by hand|manually|because|so we|otherwise|bug|crash(?:es)?|broken|avoid|needs?|forbidden)\b|",
        r"只|不要|不准|不能|禁止|必须|先|手动|别|一律|因为|否则",
    ))
    .ok()
});
static ONCE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:(?:for|only|just) (?:just |only )?this (?:one|run|time|round|batch|trial|once|occasion)|one[- ]off|one[- ]time|as an exception|exceptionally|",
        r"just this once|this once|for (?:the|this) demo)\b|就这一?(?:回|次|趟|单|把|批)|只这一次|这一回|这次|下不为例|破例|例外一次|临时|仅此一次",
    ))
    .ok()
});

static RECALLED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(concat!(
        r"(?i)\b(?:(?:my|the|our) (?:notes?|memory|memories|records?)|from memory|as (?:i remember|i recall|noted|recorded|documented)|i (?:have|had) (?:it )?(?:noted|written down|recorded)|memory (?:says|has|lists|still)|notes? (?:say|list|mention)s?|remembered|last i knew|used to be)\b|",
        r"(?:我的)?(?:记忆|笔记|备忘|记录)(?:里|中|上)|记得|按(?:照)?(?:记忆|笔记|之前的)|之前记的|我记着",
    ))
    .ok()
});

/// Whether a statement forbids or demands.
pub(super) fn binds(text: &str) -> bool {
    matches(&BINDS, text)
}

/// Whether a sentence says that something holds for this once.
pub(super) fn holds_once(text: &str) -> bool {
    matches(&ONCE, text)
}

fn matches(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

fn flag(is: bool) -> f64 {
    f64::from(u8::from(is))
}

/// What a person said in one sentence, as far as the signals look at it.
pub(crate) struct Words<'a> {
    pub(crate) said: &'a Said,
    pub(super) own: BTreeSet<String>,
    around: BTreeSet<String>,
    head: Option<String>,
    names: BTreeSet<String>,
    means: BTreeSet<(Relation, String)>,
    days: BTreeSet<Date>,
    /// The stems of the clause of each of its values and of the one before.
    clauses: Vec<BTreeSet<String>>,
    /// It names a member of a family.
    member: bool,
    /// Something is so since a day.
    lately: bool,
    /// Something is let be.
    lifts: bool,
    /// The stems of what is over.
    left: BTreeSet<String>,
    /// The agent spoke from its memory right before.
    recalled: f64,
    /// The stems of what the person said right before.
    before: BTreeSet<String>,
    /// That in small letters.
    before_lower: String,
}

impl<'a> Words<'a> {
    pub(crate) fn new(said: &'a Said) -> Self {
        let own = said.terms.iter().filter(|term| tells(term)).map(|term| stem(term)).collect();
        let around = stems(&value::blank(&said.around));
        let text = &said.text;
        Self {
            said,
            own,
            around,
            head: head(text),
            names: names(text),
            means: means(text),
            days: days(text, &said.moment),
            clauses: said
                .values
                .iter()
                .map(|value| stems(&value::blank(clause(text, value.range.start))))
                .collect(),
            member: families::has_member(text),
            lately: matches(&LATELY, text),
            lifts: matches(&LIFTED, text),
            left: left(text),
            recalled: flag(matches(&RECALLED, &said.around)),
            before: stems(&value::blank(&said.own_before)),
            before_lower: said.own_before.to_lowercase(),
        }
    }
}

impl Words<'_> {
    /// Whether the person said a statement again right before: so much of its words, and each of its values.
    pub(super) fn affirms(&self, slots: &Slots, slot: &Slot, share: f64) -> bool {
        !self.before.is_empty()
            && slot.known.values.iter().all(|value| self.before_lower.contains(&value.text.to_lowercase()))
            && slots.share(slot, |stem| self.before.contains(stem)) >= share
    }

    /// The stems of its own words.
    pub(super) fn own(&self) -> &BTreeSet<String> {
        &self.own
    }

    /// The stems of what was said before it.
    pub(super) fn around(&self) -> &BTreeSet<String> {
        &self.around
    }

    /// The statements that have one of some of its stems.
    pub(super) fn places<'s>(
        &'s self,
        slots: &'s Slots,
        stems: impl Fn(&'s Self) -> &'s BTreeSet<String>,
    ) -> impl Iterator<Item = usize> + 's {
        stems(self).iter().filter_map(|stem| slots.places.get(stem)).flatten().copied()
    }
}

/// The signals of a sentence and a statement; the lead is set when all statements are known.
pub(super) fn signals(slots: &Slots, slot: &Slot, words: &Words<'_>) -> Signals {
    let said = words.said;
    let own = slots.share(slot, |stem| words.own.contains(stem));
    let around = slots.share(slot, |stem| words.around.contains(stem) && !words.own.contains(stem));
    let topic = slots.sum(slot.topic.intersection(&words.own)).min(2.0) / 2.0;
    let explained: f64 = words
        .own
        .iter()
        .map(|stem| {
            if slot.subject.contains_key(stem) {
                slots.weight(stem)
            } else if slot.topic.contains(stem) {
                0.7 * slots.weight(stem)
            } else {
                0.0
            }
        })
        .sum::<f64>()
        / slots.sum(words.own.iter()).max(0.5);
    let strange = words
        .own
        .iter()
        .filter(|stem| {
            !slot.subject.contains_key(*stem) && !slot.topic.contains(*stem) && !words.around.contains(*stem)
        })
        .count();
    let strange = strange as f64 / if said.text.chars().any(is_han) { 2.0 } else { 1.0 };
    let rarest = slot
        .subject
        .keys()
        .filter(|stem| words.own.contains(*stem))
        .map(|stem| slots.weight(stem))
        .fold(0.0, f64::max);
    let mut found = Signals {
        own,
        topic,
        around,
        explained: explained.min(1.0),
        strange: (strange / 8.0).min(1.0),
        rarest,
        ..Signals::default()
    };
    of_values(slots, slot, words, &mut found);
    let cues = said.cues;
    found.rival = flag(words.member && families::rivals(&slot.text, &said.text, &BTreeSet::new()).is_some());
    let (old, new) = (&slot.names, &words.names);
    let apart = |left: &BTreeSet<String>, right: &BTreeSet<String>| left.difference(right).next().is_some();
    found.name = flag(apart(old, new) && apart(new, old));
    found.day = flag(!slot.days.is_empty() && !words.days.is_empty() && slot.days.is_disjoint(&words.days));
    found.head = flag(slot.head.as_ref().is_some_and(|head| words.own.contains(head)));
    found.opens = flag(
        words.head.as_ref().is_some_and(|head| slot.subject.contains_key(head) || slot.topic.contains(head)),
    );
    found.owner =
        flag(cues.has(Cue::Owner) && slot.owns && (apart(new, old) || said.text.chars().any(is_han)));
    found.change = flag(cues.has(Cue::Change));
    found.removal = flag(cues.has(Cue::Removal));
    found.denial = flag(cues.has(Cue::Denial));
    found.decision = flag(cues.has(Cue::Decision));
    found.rule = flag(cues.any(&[Cue::Standing, Cue::Obligation, Cue::Prohibition, Cue::Universal]));
    found.problem = flag(cues.has(Cue::Problem));
    found.task = flag(cues.has(Cue::Task));
    let turned = cues.any(&[Cue::Change, Cue::Removal, Cue::Denial]) || words.lately;
    found.named = flag(
        turned
            && apart(new, old)
            && old.iter().any(|name| name.len() >= 3 && revise::find_word(&said.lower, name).is_some()),
    );
    found.lately = flag(words.lately);
    found.lifted = flag(words.lifts && slot.binds);
    let value = found.value.max(0.6 * found.loose).max(found.rival).max(found.gone).max(found.day);
    let turn = found.change.max(found.lately).max(found.removal).max(found.lifted).max(found.gone);
    found.own_value = found.own * value;
    found.topic_value = found.topic * value;
    found.around_value = found.around * value;
    found.own_change = found.own * turn;
    found.around_change = found.around * turn;
    found.passing = flag(cues.has(Cue::Ephemeral));
    found.unreal = flag(cues.any(&[Cue::Hypothetical, Cue::Speculation]));
    found.own_name = found.own * found.name;
    found.left = slot
        .subject
        .keys()
        .filter(|stem| words.left.contains(*stem))
        .map(|stem| slots.weight(stem))
        .fold(0.0, f64::max);
    found.left_turn = found.left * turn;
    found.own_named = found.own * found.named;
    found.shown_name = flag(old.iter().any(|name| {
        name.len() >= 3
            && revise::find_word(&said.around_lower, name).is_some()
            && revise::find_word(&said.lower, name).is_none()
    }));
    found.shown_other =
        found.shown_name * found.name.max(found.means).max(found.rival).max(turn).max(found.denial);
    found.recalled = words.recalled;
    found.around_recalled = found.around * found.recalled;
    found.around_denial = found.around * found.denial;
    found.shown_value = found.shown * value;
    found.shown_turn = found.shown * turn.max(found.denial).max(found.decision);
    let chinese = if slot.text.chars().any(is_han) { 2 } else { 1 };
    found.length = ((slot.known.subject.len() / chinese) as f64 / 16.0).min(1.0);
    found.beside = (slot.beside as f64 / 3.0).min(1.0);
    found.anchor = flag(!old.is_disjoint(new));
    found.means = flag(slot.means.iter().any(|(relation, old)| {
        !said.lower.contains(old.as_str())
            && words.means.iter().any(|(other, new)| relation == other && !slot.plain.contains(new.as_str()))
    }));
    found.own_means = found.own * found.means;
    found.around_means = found.around * found.means;
    found.around_name = found.around * found.name;
    found
}

fn of_values(slots: &Slots, slot: &Slot, words: &Words<'_>, found: &mut Signals) {
    use value::{Form, comparable};
    let said = words.said;
    let turned = said.cues.any(&[Cue::Change, Cue::Removal]) || words.lately;
    let mut rivals = false;
    for old in &slot.known.values {
        for (new, clause) in said.values.iter().zip(&words.clauses) {
            if !comparable(old, new) {
                continue;
            }
            if value::equal(old, new) {
                found.same = 1.0;
                found.gone = found.gone.max(flag(said.mark(new).gone));
                continue;
            }
            if said.mark(new).kept || said.mark(new).gone {
                continue;
            }
            if old.form == Form::Path && !turned && !terms::alike(&old.key, &new.key) {
                continue;
            }
            // Paths stand in statements about everything, and a bare number may count anything.
            let long = |value: &value::Value| value.key.len() >= 4;
            let bare = old.form == Form::Number("") && !(long(old) && old.key.len() == new.key.len());
            let exact = old.form == new.form && !bare && old.form != Form::Path;
            let form = if exact { &mut found.value } else { &mut found.loose };
            *form = 1.0;
            rivals = true;
            found.near = found.near.max(slots.share(slot, |stem| clause.contains(stem)));
        }
        let shown = said.around_values.iter().any(|shown| shown.key == old.key && comparable(old, shown));
        found.shown = found.shown.max(flag(shown));
    }
    if rivals {
        found.same = 0.0;
    }
}

/// The clause in which a place stands, with the one before it.
fn clause(text: &str, at: usize) -> &str {
    let ends = |c: char| matches!(c, '，' | '。' | '；' | ';' | ',' | '\n' | '、' | '：' | '—');
    let head = &text[..at];
    let mut borders =
        head.char_indices().filter(|(_, c)| ends(*c)).map(|(place, c)| place + c.len_utf8()).rev();
    let start = borders.nth(1).unwrap_or(0);
    let end = text[at..].find(ends).map_or(text.len(), |end| at + end);
    &text[start..end]
}
