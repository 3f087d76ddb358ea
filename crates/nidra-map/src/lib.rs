//! A map of memory: its entries with what is known of each, the links and communities that they form, what left memory
//! and when, what is stale, what contradicts, and what waits.
//!
//! [`gather::gather`] makes the value from what other crates know; [`page::page`] makes one HTML page of it that needs
//! nothing else, and [`markdown::markdown`] a text. Everything is a parameter: no file, clock or network. All words pass the
//! redactor before anything is made of them.

pub mod gather;
pub mod markdown;
pub mod page;
mod waiting;

use jiff::Timestamp;
use serde::Serialize;

/// The version of the map's form.
pub const VERSION: u32 = 1;

/// A map of the memory of one project or of several.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Map {
    /// The version of the form.
    pub version: u32,
    /// Whose memory it is.
    pub title: String,
    /// When it was made.
    pub made: Timestamp,
    /// The names of the projects.
    pub projects: Vec<String>,
    /// The dreams that changed memory, the oldest first. What memory held after dream `n` is step `n + 1`; step 0 is before
    /// the first.
    pub runs: Vec<Run>,
    /// The entries, those of active memory first.
    pub entries: Vec<Entry>,
    /// The links, the strongest first.
    pub links: Vec<Link>,
    /// The communities, the largest first.
    pub communities: Vec<Community>,
    /// The entities that several entries name, the most named first.
    pub entities: Vec<Entity>,
    /// What waits: tasks, plans, questions.
    pub loops: Vec<OpenLoop>,
}

/// A dream that changed memory.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Run {
    /// Its identifier.
    pub id: String,
    /// When it began.
    pub at: Timestamp,
    /// The project, by its place.
    pub project: usize,
}

/// An entry of memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Entry {
    /// Its identifier.
    pub id: String,
    /// The project, by its place.
    pub project: usize,
    /// The file where its words stand, relative to the memory directory.
    pub path: String,
    /// The line there, from 1.
    pub line: u64,
    /// The topic that it belongs or belonged to.
    pub topic: String,
    /// What its topic is about.
    pub kind: Option<&'static str>,
    /// Its words.
    pub text: String,
    /// It is in memory and stated as true.
    pub active: bool,
    /// How it left memory.
    pub left: Option<Left>,
    /// How much speaks for it, from 0 to 1.
    pub importance: f64,
    /// How far it can be trusted; `None` where nidra does not know its source.
    pub rank: Option<&'static str>,
    /// When it was last said.
    pub said: Option<Timestamp>,
    /// The step from which on memory holds it.
    pub since: usize,
    /// The step from which on it does not any more.
    pub until: Option<usize>,
    /// What the checkout says against it.
    pub drift: Option<Drift>,
    /// The entry with which it cannot be true together, and the plan that asks about it.
    pub contradicts: Vec<Contradiction>,
    /// The plan in which a change of it waits.
    pub waits: Option<String>,
    /// The words that it rests on, the newest first.
    pub evidence: Vec<Quote>,
    /// Further words that are not shown.
    pub more_evidence: usize,
    /// The entries whose place it took.
    pub took_the_place_of: Vec<usize>,
    /// Its community.
    pub community: usize,
    /// Where it stands on the map.
    pub x: f32,
    /// Where it stands on the map, downwards.
    pub y: f32,
}

/// How an entry left memory.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Left {
    /// What happened: `superseded`, `archived` …
    pub verb: String,
    /// The day.
    pub date: String,
    /// Why.
    pub reason: String,
    /// What is true now.
    pub replaced_by: Option<String>,
}

/// What the checkout says against an entry.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Drift {
    /// `stale` or `moved`.
    pub verdict: &'static str,
    /// What was looked up, and what became of it.
    pub findings: Vec<String>,
}

/// An entry that excludes another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Contradiction {
    /// The other.
    pub entry: usize,
    /// The plan that asks which one holds.
    pub plan: String,
}

/// Words that an entry rests on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Quote {
    /// Who said it.
    pub speaker: &'static str,
    /// When.
    pub at: Option<Timestamp>,
    /// The words, without secrets.
    pub words: String,
    /// The session.
    pub session: String,
    /// The record in its transcript.
    pub record: String,
}

/// A link between two entries.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Link {
    /// The entry that stands first.
    pub from: usize,
    /// The other.
    pub to: usize,
    /// How much speaks for it, from 0 to 1.
    pub strength: f64,
    /// Why, in a few words.
    pub reason: String,
    /// They come from different sessions.
    pub across_sessions: bool,
    /// They come from different projects.
    pub across_projects: bool,
}

/// Entries that belong together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Community {
    /// What its entries hold and others do not; empty for those that have to do with no other.
    pub names: Vec<String>,
    /// Its entries.
    pub size: usize,
    /// The middle of its disc.
    pub x: f32,
    /// The middle of its disc, downwards.
    pub y: f32,
    /// The radius of its disc.
    pub radius: f32,
}

/// A thing that several entries name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entity {
    /// What kind of thing it is.
    pub kind: &'static str,
    /// What it is called.
    pub name: String,
    /// The entries that name it.
    pub entries: Vec<usize>,
}

/// Something that is not done yet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpenLoop {
    /// `task`, `plan` or `question`.
    pub kind: &'static str,
    /// The project, by its place.
    pub project: usize,
    /// By what it is called where something can be done about it.
    pub name: String,
    /// What it is.
    pub text: String,
    /// Why it waits, or what is next.
    pub detail: String,
    /// Since when.
    pub at: Timestamp,
    /// The entries that it is about.
    pub entries: Vec<usize>,
}

impl Map {
    /// The entries that are in memory.
    pub fn active(&self) -> impl Iterator<Item = (usize, &Entry)> {
        self.entries.iter().enumerate().filter(|(_, entry)| entry.active)
    }

    /// The name of a community as a title.
    pub fn title_of(&self, community: usize) -> String {
        match self.communities.get(community) {
            Some(community) if !community.names.is_empty() => community.names.join(" · "),
            _ => "on their own".to_owned(),
        }
    }
}
