//! Communities: entries that have more to do with each other than with the rest, found by the method of Louvain, and
//! named by what they hold and others do not.

use crate::Note;
use crate::entity::{Entity, EntityKind};
use crate::link::{Link, Near};
use crate::terms::Terms;
use nidra_core::text::language::is_han;
use nidra_core::text::{similarity, width};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Entries of one topic file belong together a little, whatever they say.
const TOPIC: f64 = 0.25;
/// So do an entry that nothing else joins to another and the one that is nearest to it by meaning.
const MEANING: f64 = 0.4;
/// Rounds of moving at most; it settles long before.
const ROUNDS: usize = 24;
/// Times that communities are joined to larger ones at most.
const LEVELS: usize = 6;
/// Names of a community.
const NAMES: usize = 3;
/// What an entity says as a name, beside a term of the same rarity.
const ENTITY: f64 = 2.5;
/// What a word in Chinese says.
const HAN: f64 = 1.4;
/// The weight of a term from which it is a name beside that of the topic.
const TELLING: f64 = 1.4;
/// Columns of the first words of an entry that stand for a name.
const OPENING: usize = 28;
/// Characters of a name in Chinese.
const HAN_NAME: usize = 8;

/// Entries that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Community {
    /// What its entries hold and others do not, the most telling first. Empty where entries have nothing to do with each
    /// other and stand together only because nothing else is known of them.
    pub names: Vec<String>,
    /// The entries, in their order.
    pub notes: Vec<usize>,
}

/// The communities, the largest first; the last one holds the entries that have to do with no other.
pub(crate) fn collect(
    notes: &[Note],
    entities: &[Entity],
    terms: &Terms,
    links: &[Link],
    near: &[Near],
) -> Vec<Community> {
    let mut weights: BTreeMap<(usize, usize), f64> =
        links.iter().map(|link| ((link.from, link.to), link.strength)).collect();
    let mut topics: BTreeMap<(usize, &str), Vec<usize>> = BTreeMap::new();
    for (number, note) in notes.iter().enumerate() {
        topics.entry((note.project, note.topic.as_str())).or_default().push(number);
    }
    for members in topics.values() {
        for pair in members.windows(2) {
            if let [left, right] = pair {
                *weights.entry((*left, *right)).or_default() += TOPIC;
            }
        }
    }
    let joined: BTreeSet<usize> = weights.keys().flat_map(|(left, right)| [*left, *right]).collect();
    for near in near.iter().filter(|near| !joined.contains(&near.from)) {
        let ends = (near.from.min(near.to), near.from.max(near.to));
        weights.entry(ends).or_insert(near.alike * MEANING);
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (note, group) in louvain(notes.len(), &weights).into_iter().enumerate() {
        groups.entry(group).or_default().push(note);
    }
    let (single, several): (Vec<_>, Vec<_>) = groups.into_values().partition(|members| members.len() == 1);
    let naming = Naming::new(notes, entities, terms);
    let mut communities: Vec<Community> = several
        .into_iter()
        .map(|members| Community { names: naming.names(&members), notes: members })
        .collect();
    communities.sort_by(|left, right| {
        right.notes.len().cmp(&left.notes.len()).then_with(|| left.notes.cmp(&right.notes))
    });
    let alone: Vec<usize> = single.into_iter().flatten().collect();
    if !alone.is_empty() {
        communities.push(Community { names: Vec::new(), notes: alone });
    }
    communities
}

/// The community of each node, by a number.
fn louvain(nodes: usize, weights: &BTreeMap<(usize, usize), f64>) -> Vec<usize> {
    let mut of: Vec<usize> = (0..nodes).collect();
    let mut edges: BTreeMap<(usize, usize), f64> = weights.clone();
    let mut count = nodes;
    for _ in 0..LEVELS {
        let (groups, groups_count) = move_nodes(count, &edges);
        if groups_count == count {
            break;
        }
        for group in &mut of {
            *group = groups.get(*group).copied().unwrap_or(*group);
        }
        let mut joined: BTreeMap<(usize, usize), f64> = BTreeMap::new();
        for ((left, right), weight) in &edges {
            if let (Some(left), Some(right)) = (groups.get(*left), groups.get(*right)) {
                *joined.entry((*left.min(right), *left.max(right))).or_default() += weight;
            }
        }
        (edges, count) = (joined, groups_count);
    }
    of
}

/// Moves each node to the neighbouring community where it gains most, until none gains. Numbers are made dense.
fn move_nodes(count: usize, edges: &BTreeMap<(usize, usize), f64>) -> (Vec<usize>, usize) {
    let mut neighbours: Vec<Vec<(usize, f64)>> = vec![Vec::new(); count];
    let mut degrees = vec![0.0_f64; count];
    let mut total = 0.0;
    for (&(left, right), &weight) in edges {
        total += weight;
        for (one, other) in [(left, right), (right, left)] {
            degrees[one] += weight;
            if left != right {
                neighbours[one].push((other, weight));
            }
        }
    }
    let mut of: Vec<usize> = (0..count).collect();
    let mut sums = degrees.clone();
    for _ in 0..ROUNDS {
        let mut moved = false;
        for node in 0..count {
            let own = of[node];
            sums[own] -= degrees[node];
            let mut towards: BTreeMap<usize, f64> = BTreeMap::from([(own, 0.0)]);
            for (other, weight) in &neighbours[node] {
                *towards.entry(of[*other]).or_default() += weight;
            }
            let gain = |group: usize, weight: f64| weight - sums[group] * degrees[node] / (2.0 * total);
            let stay = gain(own, towards.get(&own).copied().unwrap_or_default());
            let mut best = (own, stay);
            for (&group, &weight) in &towards {
                // A tie stays, or else nodes could wander for ever.
                if gain(group, weight) > best.1 + 1e-9 {
                    best = (group, gain(group, weight));
                }
            }
            moved |= best.0 != own;
            of[node] = best.0;
            sums[best.0] += degrees[node];
        }
        if !moved {
            break;
        }
    }
    let used: BTreeSet<usize> = of.iter().copied().collect();
    let dense: HashMap<usize, usize> = used.iter().enumerate().map(|(at, group)| (*group, at)).collect();
    (of.into_iter().map(|group| dense.get(&group).copied().unwrap_or(group)).collect(), used.len())
}

/// What names are taken from.
struct Naming<'a> {
    notes: &'a [Note],
    terms: &'a Terms,
    /// The entities of each entry: name and how many entries name it.
    entities: Vec<Vec<(&'a str, usize)>>,
}

impl<'a> Naming<'a> {
    fn new(notes: &'a [Note], entities: &'a [Entity], terms: &'a Terms) -> Self {
        let mut of = vec![Vec::new(); notes.len()];
        for entity in entities.iter().filter(|entity| entity.kind != EntityKind::Decision) {
            for mention in entity.mentions.iter().filter(|mention| !mention.beside) {
                if let Some(held) = of.get_mut(mention.note) {
                    held.push((entity.name.as_str(), entity.mentions.len()));
                }
            }
        }
        Self { notes, terms, entities: of }
    }

    /// The names of a community: the topic that most of its entries stand in, then what several of them have and few
    /// others.
    fn names(&self, members: &[usize]) -> Vec<String> {
        let mut names: Vec<String> = self.topic(members).into_iter().collect();
        // Beside the name that somebody chose only what says more than a common word.
        let least = if names.is_empty() { 0.0 } else { TELLING };
        for (_, name) in self.ranked(members, least, 2) {
            if !names.iter().any(|known| is_part_of(known, &name)) {
                names.push(name);
            }
            if names.len() == NAMES {
                break;
            }
        }
        if names.is_empty() {
            // What one entry holds is better than nothing, and its first words are always there.
            names.extend(self.ranked(members, TELLING, 1).into_iter().map(|(_, name)| name).take(2));
        }
        if names.is_empty() {
            names.extend(
                members.first().and_then(|first| self.notes.get(*first)).map(|note| opening(&note.text)),
            );
        }
        names
    }

    /// The topic in which at least half of the entries stand, and several.
    fn topic(&self, members: &[usize]) -> Option<String> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for note in members.iter().filter_map(|member| self.notes.get(*member)) {
            *counts.entry(note.topic.as_str()).or_default() += 1;
        }
        let (topic, count) = counts
            .into_iter()
            .max_by(|left, right| left.1.cmp(&right.1).then_with(|| right.0.cmp(left.0)))?;
        (count > 1 && count * 2 >= members.len() && !is_made_up(topic)).then(|| readable(topic))
    }

    /// What at least so many entries of a community have, the most telling first.
    fn ranked(&self, members: &[usize], least: f64, wanted: usize) -> Vec<(f64, String)> {
        // How many entries have it inside and at all, and how much such a thing says.
        let mut scores: BTreeMap<String, (usize, usize, f64)> = BTreeMap::new();
        for member in members {
            for (name, holders) in self.entities.get(*member).into_iter().flatten() {
                scores.entry((*name).to_owned()).or_insert((0, *holders, ENTITY)).0 += 1;
            }
            for term in self.terms.of_note(*member) {
                let written = self.terms.written(term);
                // Pairs of signs are put together to words below.
                let letters = written.chars().filter(|c| c.is_alphabetic()).count();
                if !written.chars().all(is_han) && letters > 2 {
                    let weight = similarity::weight(self.terms.name(term));
                    let holders = self.terms.holders(term).len();
                    scores.entry(written.to_owned()).or_insert((0, holders, weight)).0 += 1;
                }
            }
        }
        // Where words of a single entry are asked for, nothing says where a Chinese one begins and ends.
        if wanted > 1 {
            for (word, inside, holders) in self.words_in_chinese(members) {
                scores.insert(word, (inside, holders, HAN));
            }
        }
        let all = self.notes.len() as f64;
        let mut ranked: Vec<(f64, String)> = scores
            .into_iter()
            .filter(|(_, (inside, _, weight))| *inside >= wanted && *weight >= least)
            .map(|(name, (inside, holders, weight))| {
                let purity = inside as f64 / holders.max(inside) as f64;
                let share = inside as f64 / members.len() as f64;
                let rare = (1.0 + all / holders.max(1) as f64).ln();
                (share.sqrt() * purity * rare * weight, name)
            })
            .collect();
        ranked.sort_by(|left, right| right.0.total_cmp(&left.0).then_with(|| left.1.cmp(&right.1)));
        ranked
    }

    /// Words of two to eight signs, each with the entries of the community and of all that hold it: a longer word stands
    /// for the shorter ones in it that nothing else holds.
    fn words_in_chinese(&self, members: &[usize]) -> Vec<(String, usize, usize)> {
        let mut inside: BTreeMap<String, usize> = BTreeMap::new();
        for text in members.iter().filter_map(|member| self.notes.get(*member)).map(|note| note.text.as_str())
        {
            let mut words: BTreeSet<String> = BTreeSet::new();
            for run in text.split(|c: char| !is_han(c)) {
                let signs: Vec<char> = run.chars().collect();
                for length in 2..=HAN_NAME {
                    words.extend(
                        signs.windows(length).filter(|word| can_name(word)).map(|word| word.iter().collect()),
                    );
                }
            }
            for word in words {
                *inside.entry(word).or_default() += 1;
            }
        }
        inside
            .iter()
            .filter(|(word, count)| {
                !inside.iter().any(|(other, others)| {
                    other.len() > word.len() && other.contains(*word) && others == *count
                })
            })
            .map(|(word, count)| {
                let pair: String = word.chars().take(2).collect();
                (word.clone(), *count, self.holders_of_pair(&pair))
            })
            .collect()
    }

    fn holders_of_pair(&self, pair: &str) -> usize {
        self.terms.find(pair).map_or(1, |term| self.terms.holders(term).len())
    }
}

/// Whether two names say the same in part: one holds the other, or they have two Chinese signs in common.
fn is_part_of(known: &str, name: &str) -> bool {
    let (known, name) = (known.to_lowercase(), name.to_lowercase());
    let signs: Vec<char> = name.chars().collect();
    let common = signs.windows(2).any(|pair| {
        pair.iter().all(|sign| is_han(*sign)) && known.contains(&pair.iter().collect::<String>())
    });
    known.contains(&name) || name.contains(&known) || common
}

/// The first words of an entry, as a name.
fn opening(text: &str) -> String {
    width::shorten_columns(text.trim(), OPENING)
}

/// The name of a topic file as words.
fn readable(topic: &str) -> String {
    topic.trim_end_matches(".md").replace(['-', '_'], " ")
}

/// Whether nobody chose the name of a topic: it ends in a number that was made to tell it from others.
fn is_made_up(topic: &str) -> bool {
    let end = topic.trim_end_matches(".md").rsplit('-').next().unwrap_or_default();
    end.len() == 6 && end.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether signs can be a name: none of them is a word without content.
fn can_name(signs: &[char]) -> bool {
    const EMPTY: &str = "的了是在不和与或就都也被把给着吗呢吧很最要又而且但你我他她它们这那由及";
    !signs.iter().any(|sign| EMPTY.contains(*sign))
}

#[cfg(test)]
#[path = "community_tests.rs"]
mod tests;
