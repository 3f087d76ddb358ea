//! The signals by which a person's words and a statement of memory are known to be of one matter.

use super::left::left;
use super::phrases::{LATELY, LIFTED, RECALLED, TURNS};
use super::slot::{Relation, Slot, Slots, characters, days, head, is_code, means, names, stem, stems, tells};
use super::values::{clause, of_values};
use crate::families;
use crate::lexicon::Cue;
use crate::revise::{self, Said, value};
use crate::subject;
use jiff::civil::Date;
use nidra_core::text::expression::matches;
use nidra_core::text::language::is_han;
use std::collections::BTreeSet;

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
    /// How much the person's words are worth keeping.
    worth,
    /// The statement's words come in a sentence worth keeping.
    own_worth,
    /// What was said before names the statement, and a sentence worth keeping comes now.
    around_worth,
    /// How few other statements have a value that the person's one could stand for.
    only,
    /// How few other statements have a value of the looser form.
    only_loose,
    /// Both values count the same.
    counts,
    /// The person gives the statement's value and another one of its form.
    both,
    /// How much of the characters of a Chinese statement, by their weight, the person writes.
    characters,
    /// How much of the statement's words the end of the agent's words before has.
    asked,
    /// The same, and a value of its form comes.
    asked_value,
    /// By how much the statement leads before the next one.
    lead,
}

/// 1 for what is so.
pub(super) fn flag(is: bool) -> f64 {
    f64::from(u8::from(is))
}

/// What a person said in one sentence, as far as the signals look at it.
pub(crate) struct Words<'a> {
    pub(crate) said: &'a Said,
    pub(super) own: BTreeSet<String>,
    around: BTreeSet<String>,
    /// Its Chinese characters.
    pub(super) characters: BTreeSet<char>,
    head: Option<String>,
    names: BTreeSet<String>,
    means: BTreeSet<(Relation, String)>,
    days: BTreeSet<Date>,
    /// The stems of the clause of each of its values and of the one before.
    pub(super) clauses: Vec<BTreeSet<String>>,
    /// It names a member of a family.
    member: bool,
    /// Something is so since a day.
    pub(super) lately: bool,
    /// Something is let be.
    lifts: bool,
    /// The stems of what is over.
    left: BTreeSet<String>,
    /// The agent spoke from its memory right before.
    recalled: f64,
    /// The stems of the end of what the agent said right before.
    asked: BTreeSet<String>,
    /// The stems of what the person said right before.
    before: BTreeSet<String>,
    /// That in small letters.
    before_lower: String,
}

impl<'a> Words<'a> {
    pub(crate) fn new(slots: &Slots, said: &'a Said) -> Self {
        let codes = said.values.iter().filter(|value| is_code(value)).map(|value| value.key.clone());
        let mut own: BTreeSet<String> =
            said.terms.iter().filter(|term| tells(term)).map(|term| stem(term)).chain(codes).collect();
        let around = stems(&value::blank(&said.around));
        let short: Vec<String> = own.iter().flat_map(|stem| slots.longer(stem)).collect();
        own.extend(short);
        let text = &said.text;
        let blank = value::blank(text);
        Self {
            said,
            own,
            around,
            characters: characters(&blank),
            head: head(&blank),
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
            asked: stems(&value::blank(&said.asked)),
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

    /// Whether it begins with a thing that nobody spoke of before and says where or to what that goes: `the nightly moves
    /// to three`, nightly 改到三点.
    pub(super) fn has_own_subject(&self) -> bool {
        matches(&TURNS, &self.said.text)
            && subject::of(&self.said.text).is_some_and(|subject| {
                let subject = stems(&subject);
                !subject.is_empty() && subject.is_disjoint(&self.around)
            })
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
    found.worth = ((said.worth + 1.0) / 5.0).clamp(0.0, 1.0);
    found.characters = slots.characters(slot, &words.characters);
    found.own_worth = found.own * found.worth;
    found.around_worth = found.around * found.worth;
    found.asked = slots.share(slot, |stem| words.asked.contains(stem));
    found.asked_value = found.asked * value;
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
