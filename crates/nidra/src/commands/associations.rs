//! `nidra associations`: what entries have to do with each other, and what each link rests on. Nothing is changed.

use crate::cli::AssociationsArgs;
use crate::commands::{map as atlas, print_json};
use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use crate::printer::style::{self, paint};
use crate::render;
use nidra_core::text::width;
use nidra_graph::{Entity, EntityKind, Graph, Link};
use nidra_map::{Map, gather};
use serde::Serialize;
use std::process::ExitCode;

/// Columns of an entry in a list.
const SHOWN_COLUMNS: usize = 88;
/// Entries that are named when several could be meant.
const MAX_LISTED: usize = 20;

/// A link as it is printed: from the entry that was asked about, where there is one.
#[derive(Debug, Serialize)]
struct Linked<'a> {
    entry: &'a str,
    path: &'a str,
    text: &'a str,
    other: &'a str,
    other_path: &'a str,
    other_text: &'a str,
    strength: f64,
    reason: String,
    shared: Vec<Shared<'a>>,
    meaning: Option<f64>,
    across_sessions: bool,
    across_projects: bool,
    since: Option<jiff::Timestamp>,
}

/// What two entries share.
#[derive(Debug, Serialize)]
struct Shared<'a> {
    kind: &'static str,
    words: &'a str,
    entries: usize,
    /// One of the two has it only in what it rests on.
    beside: bool,
}

/// A thing with the entries that name it.
#[derive(Debug, Serialize)]
struct Thing<'a> {
    kind: &'static str,
    name: &'a str,
    first: Option<jiff::Timestamp>,
    last: Option<jiff::Timestamp>,
    entries: Vec<Named<'a>>,
    relations: Vec<Related<'a>>,
}

/// An entry that names a thing.
#[derive(Debug, Serialize)]
struct Named<'a> {
    entry: &'a str,
    path: &'a str,
    text: &'a str,
    words: &'a str,
    active: bool,
    beside: bool,
}

/// What an entry says of a thing and another one.
#[derive(Debug, Serialize)]
struct Related<'a> {
    from: &'a str,
    to: &'a str,
    words: &'a str,
    entry: &'a str,
    since: Option<jiff::Timestamp>,
    until: Option<jiff::Timestamp>,
}

/// `nidra associations`
pub fn run(context: &Context, args: &AssociationsArgs) -> Result<ExitCode, CliError> {
    let projects = atlas::load(context, args.all_projects)?;
    let now = context.now.timestamp();
    let (map, graph) = gather::gather_with_graph(&atlas::known(&projects), &atlas::title(&projects), now);
    let told = Told { context, map: &map, graph: &graph, limit: args.limit };
    let asked = args.about.join(" ");
    let asked = asked.trim();
    if asked.is_empty() {
        return told.all();
    }
    if let Some(entity) = told.named(asked) {
        return told.thing(entity);
    }
    match told.meant(asked).as_slice() {
        [] => Err(CliError::new(ErrorKind::Failed, format!("nothing in memory is called {asked:?}"))
            .hint("name an entry by its identifier, as FILE:LINE or by its words, or a thing that it names")),
        [one] => told.entry(*one),
        several => {
            let message = format!("{} entries match {asked:?}; name one by its identifier", several.len());
            let mut error = CliError::new(ErrorKind::Failed, message);
            for number in several.iter().take(MAX_LISTED) {
                error = error.hint(told.place(*number));
            }
            Err(error)
        }
    }
}

/// What is told, and how much of it.
struct Told<'a> {
    context: &'a Context,
    map: &'a Map,
    graph: &'a Graph,
    limit: usize,
}

impl<'a> Told<'a> {
    /// The thing that is called so.
    fn named(&self, asked: &str) -> Option<&'a Entity> {
        let folded = asked.to_lowercase();
        let called = |entity: &&Entity| {
            entity.kind != EntityKind::Decision
                && (entity.name.to_lowercase() == folded || entity.key.to_lowercase() == folded)
        };
        self.graph.entities.iter().find(called)
    }

    /// The entries that are meant: by identifier, by place, by all of their words, or by some of them.
    fn meant(&self, asked: &str) -> Vec<usize> {
        let folded = asked.to_lowercase();
        let words: Vec<&str> = folded.split_whitespace().collect();
        let entries = || self.map.entries.iter().enumerate();
        let is_prefix = asked.len() >= 4 && asked.bytes().all(|byte| byte.is_ascii_hexdigit());
        let ways: [&dyn Fn(&nidra_map::Entry) -> bool; 4] = [
            &|entry| is_prefix && entry.id.starts_with(&folded),
            &|entry| format!("{}:{}", entry.path, entry.line) == asked || entry.path == asked,
            &|entry| entry.text.to_lowercase() == folded,
            &|entry| {
                let text = entry.text.to_lowercase();
                words.iter().all(|word| text.contains(word))
            },
        ];
        for way in ways {
            let found: Vec<usize> =
                entries().filter(|(_, entry)| way(entry)).map(|(number, _)| number).collect();
            let active: Vec<usize> =
                found.iter().copied().filter(|number| self.map.entries[*number].active).collect();
            match (found.is_empty(), active.is_empty()) {
                (true, _) => {}
                (_, true) => return found,
                _ => return active,
            }
        }
        Vec::new()
    }

    fn place(&self, number: usize) -> String {
        let entry = &self.map.entries[number];
        format!("{}  {}:{}  {}", entry.id, entry.path, entry.line, self.words(number))
    }

    fn words(&self, number: usize) -> String {
        let text = self.map.entries[number].text.split_whitespace().collect::<Vec<_>>().join(" ");
        width::shorten_columns(&text, SHOWN_COLUMNS)
    }

    fn linked(&self, link: &'a Link, from: usize) -> Linked<'a> {
        let to = link.other(from).unwrap_or(link.to);
        let (entry, other) = (&self.map.entries[from], &self.map.entries[to]);
        Linked {
            entry: &entry.id,
            path: &entry.path,
            text: &entry.text,
            other: &other.id,
            other_path: &other.path,
            other_text: &other.text,
            strength: (link.strength * 1_000.0).round() / 1_000.0,
            reason: link.reason(),
            shared: link
                .shared
                .iter()
                .map(|shared| Shared {
                    kind: shared.kind.map_or("word", EntityKind::as_str),
                    words: &shared.words,
                    entries: shared.holders,
                    beside: shared.beside,
                })
                .collect(),
            meaning: link.meaning.map(|meaning| (meaning * 1_000.0).round() / 1_000.0),
            across_sessions: link.across_sessions,
            across_projects: link.across_projects,
            since: link.since,
        }
    }

    /// What is found in all of memory: communities, links, things.
    fn all(&self) -> Result<ExitCode, CliError> {
        let holds = |link: &&Link| {
            let [from, to] = [link.from, link.to].map(|end| &self.map.entries[end]);
            from.active && to.active
        };
        let links: Vec<&Link> = self.graph.links.iter().filter(holds).take(self.limit).collect();
        let named = |entity: &&Entity| entity.kind != EntityKind::Decision && entity.mentions.len() > 1;
        let things: Vec<&Entity> = self.graph.entities.iter().filter(named).take(self.limit).collect();
        if self.context.printer.json {
            let communities: Vec<_> = self
                .graph
                .communities
                .iter()
                .enumerate()
                .map(|(number, community)| {
                    let entries: Vec<&str> =
                        community.notes.iter().map(|note| self.map.entries[*note].id.as_str()).collect();
                    serde_json::json!({ "name": self.map.title_of(number), "entries": entries })
                })
                .collect();
            let links: Vec<Linked<'_>> = links.iter().map(|link| self.linked(link, link.from)).collect();
            let things: Vec<Thing<'_>> = things.iter().map(|entity| self.about(entity)).collect();
            let answer =
                serde_json::json!({ "communities": communities, "links": links, "entities": things });
            print_json(self.context, &answer)?;
            return Ok(ExitCode::SUCCESS);
        }
        let printer = self.context.printer;
        for (number, community) in self.graph.communities.iter().enumerate().take(self.limit) {
            printer.data(&format!(
                "{:>4}  {}",
                community.notes.len(),
                paint(style::HEAD, &self.map.title_of(number))
            ));
        }
        if !links.is_empty() {
            printer.data(&paint(style::HEAD, "Links"));
        }
        for link in &links {
            printer.data(&format!("  {}", self.words(link.from)));
            printer.data(&format!("  {}", self.words(link.to)));
            printer.data(&paint(style::DIM, &format!("      {}", because(link))));
        }
        if !things.is_empty() {
            printer.data(&paint(style::HEAD, "Things"));
        }
        for entity in &things {
            printer.data(&format!(
                "  {:<8} {} ({})",
                entity.kind.as_str(),
                entity.name,
                entity.mentions.len()
            ));
        }
        if self.graph.links.is_empty() {
            printer.say("No two entries share anything rare or say something alike.");
        }
        Ok(ExitCode::SUCCESS)
    }

    /// What an entry has to do with others.
    fn entry(&self, number: usize) -> Result<ExitCode, CliError> {
        let links: Vec<&Link> = self.graph.links_of(number).map(|(_, link)| link).take(self.limit).collect();
        let things: Vec<(&Entity, &nidra_graph::Mention)> = self.graph.entities_of(number).collect();
        let entry = &self.map.entries[number];
        if self.context.printer.json {
            let links: Vec<Linked<'_>> = links.iter().map(|link| self.linked(link, number)).collect();
            let things: Vec<_> = things
                .iter()
                .map(|(entity, mention)| {
                    serde_json::json!({
                        "kind": entity.kind.as_str(),
                        "name": entity.name,
                        "words": mention.words,
                        "beside": mention.beside,
                        "entries": entity.mentions.len(),
                    })
                })
                .collect();
            let community = self.map.title_of(entry.community);
            let answer = serde_json::json!({
                "entry": entry.id, "path": entry.path, "text": entry.text, "community": community,
                "entities": things, "links": links,
            });
            print_json(self.context, &answer)?;
            return Ok(ExitCode::SUCCESS);
        }
        let printer = self.context.printer;
        printer.data(&paint(style::HEAD, &entry.text));
        let about = format!("  {}:{}  {}", entry.path, entry.line, self.map.title_of(entry.community));
        printer.data(&paint(style::DIM, &about));
        for (entity, mention) in &things {
            let beside = if mention.beside { ", said beside it" } else { "" };
            if entity.kind == EntityKind::Decision {
                printer.data("  is a decision");
                continue;
            }
            let others = entity.mentions.len() - 1;
            printer.data(&format!(
                "  names {} {} ({others} other{beside})",
                entity.kind.as_str(),
                mention.words
            ));
        }
        for link in &links {
            let other = link.other(number).unwrap_or(link.to);
            let left = if self.map.entries[other].active { "" } else { " (left memory)" };
            printer.data(&format!("  {:.2}  {}{left}", link.strength, self.words(other)));
            printer.data(&paint(style::DIM, &format!("        {}", because(link))));
        }
        if links.is_empty() {
            printer.say("It shares nothing rare with another entry, and none says something alike.");
        }
        Ok(ExitCode::SUCCESS)
    }

    fn about(&self, entity: &'a Entity) -> Thing<'a> {
        let place = self.graph.entities.iter().position(|other| std::ptr::eq(other, entity));
        let relations = self
            .graph
            .relations
            .iter()
            .filter(|relation| place.is_some_and(|place| relation.from == place || relation.to == place));
        Thing {
            kind: entity.kind.as_str(),
            name: &entity.name,
            first: entity.first,
            last: entity.last,
            entries: entity
                .mentions
                .iter()
                .map(|mention| {
                    let entry = &self.map.entries[mention.note];
                    Named {
                        entry: &entry.id,
                        path: &entry.path,
                        text: &entry.text,
                        words: &mention.words,
                        active: entry.active,
                        beside: mention.beside,
                    }
                })
                .collect(),
            relations: relations
                .map(|relation| Related {
                    from: &self.graph.entities[relation.from].name,
                    to: &self.graph.entities[relation.to].name,
                    words: &relation.words,
                    entry: &self.map.entries[relation.note].id,
                    since: relation.since,
                    until: relation.until,
                })
                .collect(),
        }
    }

    /// What is said of a thing.
    fn thing(&self, entity: &'a Entity) -> Result<ExitCode, CliError> {
        let thing = self.about(entity);
        if self.context.printer.json {
            print_json(self.context, &thing)?;
            return Ok(ExitCode::SUCCESS);
        }
        let printer = self.context.printer;
        let zone = self.context.zone();
        let time = |at: Option<jiff::Timestamp>| {
            at.map_or_else(|| "nobody knows when".to_owned(), |at| render::moment(at, &zone))
        };
        printer.data(&format!("{}  {}", paint(style::HEAD, thing.name), thing.kind));
        let spoken = format!("  first spoken of {}, last {}", time(thing.first), time(thing.last));
        printer.data(&paint(style::DIM, &spoken));
        for mention in entity.mentions.iter().take(self.limit) {
            let beside = if mention.beside { " (said beside it)" } else { "" };
            let left = if self.map.entries[mention.note].active { "" } else { " (left memory)" };
            printer.data(&format!("  {}{beside}{left}", self.words(mention.note)));
        }
        if !thing.relations.is_empty() {
            printer.data(&paint(style::HEAD, "Together with"));
        }
        for relation in thing.relations.iter().take(self.limit) {
            let until =
                relation.until.map(|at| format!(" until {}", render::moment(at, &zone))).unwrap_or_default();
            let when = paint(style::DIM, &format!("since {}{until}", time(relation.since)));
            printer.data(&format!("  {}  {when}", relation.words));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Why a link is there, and how far apart its ends are.
fn because(link: &Link) -> String {
    let across = match (link.across_projects, link.across_sessions) {
        (true, _) => ", across projects",
        (_, true) => ", across sessions",
        _ => "",
    };
    format!("{}{across}", link.reason())
}
