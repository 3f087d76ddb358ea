//! Memory held against the checkout: which entries say something that is not so any more.

use crate::checkout::{self, Bounds};
use nidra_core::{EntryId, Kind, MemoryView};
use nidra_memory::directory::MemoryDirectory;
use nidra_rules::drift::{self, Checkout, Judgement, Reading, Statement, Verdict, Wanted};
use std::collections::BTreeSet;
use std::path::Path;

/// An entry of memory and what became of what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryDrift {
    /// The file, relative to the memory directory.
    pub path: String,
    /// The line, from 1, where the entry starts.
    pub line: u64,
    /// The entry; none for a line of the index.
    pub entry: Option<EntryId>,
    /// Its words.
    pub text: String,
    /// What became of it as a whole.
    pub verdict: Verdict,
    /// Everything in it that can be looked up.
    pub judgements: Vec<Judgement>,
}

/// All entries, and how much of the checkout was read for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drift {
    /// The entries in the order of memory.
    pub entries: Vec<EntryDrift>,
    /// How much was read.
    pub reading: Reading,
}

/// Holds memory against a checkout. Reads both and changes neither.
pub fn look(memory: &MemoryDirectory, checkout: &Path, bounds: &Bounds) -> Drift {
    let view = memory.view();
    let places = places(memory, &view);
    let root = checkout.canonicalize().unwrap_or_else(|_| checkout.to_owned());
    let mut wanted = Wanted::default();
    for place in &places {
        wanted.add(&place.text, &root.to_string_lossy());
    }
    let checkout = Checkout::new(checkout::read(&root, &wanted, bounds));
    let files: BTreeSet<String> = memory
        .files
        .keys()
        .flat_map(|path| [path.clone(), path.rsplit('/').next().unwrap_or(path).to_owned()])
        .collect();
    let entries = places
        .into_iter()
        .map(|place| {
            let statement = Statement { text: &place.text, about_person: place.about_person, memory: &files };
            let judgements = drift::judge(&statement, &checkout);
            EntryDrift {
                verdict: drift::overall(&judgements),
                path: place.path,
                line: place.line,
                entry: place.entry,
                text: place.text,
                judgements,
            }
        })
        .collect();
    Drift { entries, reading: checkout.reading() }
}

struct Place {
    path: String,
    line: u64,
    entry: Option<EntryId>,
    text: String,
    about_person: bool,
}

/// The entries of memory that are stated as true, and the lines of the index that say something themselves.
fn places(memory: &MemoryDirectory, view: &MemoryView) -> Vec<Place> {
    // A line that links to a topic repeats what stands there.
    let index = view
        .index
        .iter()
        .enumerate()
        .filter(|(_, line)| {
            line.targets.is_empty() && !line.text.trim().is_empty() && !line.text.starts_with('#')
        })
        .map(|(number, line)| Place {
            path: memory.index_path().to_owned(),
            line: u64::try_from(number + 1).unwrap_or(u64::MAX),
            entry: None,
            text: line.text.clone(),
            about_person: false,
        });
    let topics = view.entries().map(|(topic, entry)| {
        let bytes = memory.files.get(&topic.path).map_or(&[][..], |file| file.bytes.as_slice());
        let before = bytes.get(..entry.range.start).unwrap_or_default();
        let line = before.split(|byte| *byte == b'\n').count();
        Place {
            path: topic.path.clone(),
            line: u64::try_from(line).unwrap_or(u64::MAX),
            entry: Some(entry.id.clone()),
            text: entry.text.clone(),
            about_person: topic.kind == Some(Kind::User),
        }
    });
    index.chain(topics).collect()
}
