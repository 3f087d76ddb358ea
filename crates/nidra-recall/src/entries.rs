//! The entries of memory, active and archived, with what they rest on; and an index over them that is made anew
//! whenever memory or its sources change.

use crate::analyze::{self, Analyzer, Term};
use crate::index::IndexError;
use crate::segment::write::Collector;
use crate::segment::{Bytes, Segment, SegmentError, TurnRow, Voice};
use jiff::Timestamp;
use nidra_core::{EntryId, Kind, TrustRank};
use nidra_memory::archived::archived;
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::store::RecordedSource;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

/// The version of the entries' file.
const VERSION: u32 = 2;
/// The names of the files.
const NAME: &str = "entries";
/// Folders below the memory directory that are looked into for changes.
const DEPTH: usize = 6;

/// An entry of memory, as it is found and listed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its identifier.
    pub id: EntryId,
    /// The file where its words stand, relative to the memory directory.
    pub path: String,
    /// The name of its topic.
    pub topic: String,
    /// What the topic says of itself.
    pub description: String,
    /// The headings above it.
    pub headings: Vec<String>,
    /// What its topic is about.
    pub kind: Option<Kind>,
    /// Its words.
    pub text: String,
    /// It is stated as true.
    pub active: bool,
    /// A line of the index leads to its topic, so every session hears of it.
    pub index: bool,
    /// How it left active memory: what happened, and on which day.
    pub left: Option<(String, String)>,
    /// What took its place.
    pub replaced_by: Option<String>,
    /// How far it can be trusted; `None` where nidra does not know its source.
    pub rank: Option<TrustRank>,
    /// When it was last said.
    pub said: Option<Timestamp>,
    /// The records that it rests on, the newest first.
    pub sources: Vec<String>,
    /// The sessions of those.
    pub sessions: Vec<String>,
    /// All words of the turns that it rests on, where they can still be read. They are searched, never shown.
    #[serde(skip)]
    pub context: String,
    /// What was said and done just before those turns. It is searched, never shown.
    #[serde(skip)]
    pub before: String,
}

/// All entries: those of the topics first, in their order, then those of the archive that did not come back.
pub fn entries(memory: &MemoryDirectory, sources: &BTreeMap<EntryId, Vec<RecordedSource>>) -> Vec<Entry> {
    let view = memory.view();
    let linked: BTreeSet<&str> =
        view.index.iter().flat_map(|line| line.targets.iter().map(String::as_str)).collect();
    let mut all = Vec::new();
    let mut known = BTreeSet::new();
    for topic in &view.topics {
        for entry in &topic.entries {
            known.insert(entry.id.clone());
            all.push(with_sources(
                Entry {
                    id: entry.id.clone(),
                    path: topic.path.clone(),
                    topic: topic.name.clone(),
                    description: topic.description.clone(),
                    headings: entry.headings.clone(),
                    kind: topic.kind,
                    text: entry.text.clone(),
                    active: entry.active,
                    index: entry.active && linked.contains(topic.path.as_str()),
                    left: None,
                    replaced_by: None,
                    rank: None,
                    said: topic.modified,
                    sources: Vec::new(),
                    sessions: Vec::new(),
                    context: String::new(),
                    before: String::new(),
                },
                sources,
            ));
        }
    }
    // The last time that an entry left counts.
    for entry in archived(memory).into_iter().rev() {
        if known.insert(entry.entry.clone()) {
            let kept = Entry {
                id: entry.entry,
                path: entry.path,
                topic: entry.topic.trim_end_matches(".md").to_owned(),
                description: String::new(),
                headings: Vec::new(),
                kind: entry.kind,
                text: entry.text,
                active: false,
                index: false,
                left: Some((entry.verb, entry.date)),
                replaced_by: entry.replaced_by,
                rank: None,
                said: None,
                sources: Vec::new(),
                sessions: Vec::new(),
                context: String::new(),
                before: String::new(),
            };
            all.push(with_sources(kept, sources));
        }
    }
    all
}

/// Adds what an entry rests on, and what the entries rested on whose place or words it took over.
fn with_sources(mut entry: Entry, sources: &BTreeMap<EntryId, Vec<RecordedSource>>) -> Entry {
    let Some(own) = sources.get(&entry.id) else { return entry };
    let mut said = None;
    for recorded in own {
        entry.rank = entry.rank.max(Some(recorded.source.rank));
        for evidence in &recorded.source.evidence {
            said = said.max(evidence.at);
            if !entry.sources.contains(&evidence.source.record) {
                entry.sources.push(evidence.source.record.clone());
            }
            let session = evidence.source.session.as_str();
            if !entry.sessions.iter().any(|known| known == session) {
                entry.sessions.push(session.to_owned());
            }
        }
    }
    // The same fact in other words rests on what it rested on before.
    let mut reworded =
        own.iter().filter(|recorded| recorded.source.relation == nidra_memory::store::Relation::Rewrites);
    if let Some(before) = reworded.find_map(|recorded| recorded.source.predecessor.as_ref()) {
        for recorded in sources.get(before).into_iter().flatten() {
            for evidence in &recorded.source.evidence {
                if !entry.sources.contains(&evidence.source.record) {
                    entry.sources.push(evidence.source.record.clone());
                }
            }
        }
    }
    entry.said = said.or(entry.said);
    entry
}

/// The entries, searchable.
#[derive(Debug)]
pub struct EntryIndex {
    /// The terms of all entries.
    pub segment: [Segment; 1],
    /// The terms of what they rest on, by the same numbers.
    pub context: [Segment; 1],
    /// The terms of what came before that, by the same numbers.
    pub before: [Segment; 1],
    words: Words,
}

#[derive(Debug)]
enum Words {
    File(File),
    Memory(Vec<u8>),
}

/// What an index of entries was made of.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Made {
    version: u32,
    analysis: u32,
    fingerprint: String,
    segment: u64,
    context: u64,
    before: u64,
    words: u64,
}

impl EntryIndex {
    /// Opens the index in this directory if it was made of what is there now, else makes it anew from `load`.
    ///
    /// # Errors
    /// When `load` fails, or what was just made cannot be read.
    pub fn up_to_date<E: From<IndexError>>(
        directory: &Path,
        fingerprint: &str,
        load: impl FnOnce() -> Result<Vec<Entry>, E>,
    ) -> Result<Self, E> {
        if let Some(ready) = Self::open(directory, fingerprint) {
            return Ok(ready);
        }
        let parts = build(&load()?).map_err(IndexError::from)?;
        // Where nothing can be written the index lives for this question only.
        let _ = Self::save(directory, fingerprint, &parts);
        Ok(Self::in_memory(parts)?)
    }

    /// An index of these entries that lives for a few questions only.
    ///
    /// # Errors
    /// When what was made cannot be read.
    pub fn of(entries: &[Entry]) -> Result<Self, IndexError> {
        Self::in_memory(build(entries)?)
    }

    fn in_memory([segment, context, before, words]: [Vec<u8>; 4]) -> Result<Self, IndexError> {
        let open = |bytes| Segment::open(Bytes::Memory(bytes));
        let words = Words::Memory(words);
        Ok(Self { segment: [open(segment)?], context: [open(context)?], before: [open(before)?], words })
    }

    fn open(directory: &Path, fingerprint: &str) -> Option<Self> {
        let made: Made =
            serde_json::from_slice(&fs::read(directory.join(NAME).with_extension("json")).ok()?).ok()?;
        let current =
            made.version == VERSION && made.analysis == analyze::VERSION && made.fingerprint == fingerprint;
        if !current {
            return None;
        }
        // The name holds the fingerprint, so files of two makings are never taken for one.
        let part = |name: &str, length: u64| {
            let file = File::open(directory.join(named(fingerprint, name))).ok()?;
            (file.metadata().ok()?.len() == length).then_some(file)
        };
        let segment = |name: &str, length: u64| Segment::open(Bytes::File(part(name, length)?)).ok();
        let terms = segment("segment", made.segment)?;
        let (context, before) = (segment("context", made.context)?, segment("before", made.before)?);
        let whole = terms.turns() == context.turns() && terms.turns() == before.turns();
        let words = Words::File(part("words", made.words)?);
        whole.then_some(Self { segment: [terms], context: [context], before: [before], words })
    }

    fn save(directory: &Path, fingerprint: &str, parts: &[Vec<u8>; 4]) -> std::io::Result<()> {
        fs::create_dir_all(directory)?;
        let [segment, context, before, words] = parts;
        let made = Made {
            version: VERSION,
            analysis: analyze::VERSION,
            fingerprint: fingerprint.to_owned(),
            segment: segment.len() as u64,
            context: context.len() as u64,
            before: before.len() as u64,
            words: words.len() as u64,
        };
        let made = serde_json::to_vec(&made).map_err(std::io::Error::other)?;
        let files = [
            (named(fingerprint, "segment"), segment),
            (named(fingerprint, "context"), context),
            (named(fingerprint, "before"), before),
            (named(fingerprint, "words"), words),
            // What names the others comes last.
            (format!("{NAME}.json"), &made),
        ];
        for (name, bytes) in &files {
            let mut file = tempfile::NamedTempFile::new_in(directory)?;
            file.write_all(bytes)?;
            file.persist(directory.join(name)).map_err(|error| error.error)?;
        }
        for entry in fs::read_dir(directory)?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(NAME) && !files.iter().any(|(kept, _)| *kept == name) {
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }

    /// The entry of a row.
    ///
    /// # Errors
    /// When the words are not what was written.
    pub fn entry(&self, row: &TurnRow) -> Result<Entry, SegmentError> {
        let damaged = SegmentError::Damaged("the words of an entry");
        let length = row.length as usize;
        let bytes = match &self.words {
            Words::File(file) => {
                use std::os::unix::fs::FileExt as _;
                let mut bytes = vec![0; length];
                file.read_exact_at(&mut bytes, row.offset)?;
                bytes
            }
            Words::Memory(words) => {
                let start = usize::try_from(row.offset).unwrap_or(usize::MAX);
                let part = start.checked_add(length).and_then(|end| words.get(start..end));
                part.map(<[u8]>::to_vec).ok_or(damaged)?
            }
        };
        serde_json::from_slice(&bytes).map_err(|_| SegmentError::Damaged("the words of an entry"))
    }
}

fn named(fingerprint: &str, part: &str) -> String {
    format!("{NAME}-{}.{part}", &fingerprint[..fingerprint.len().min(16)])
}

/// The terms of entries, the terms of what they rest on and of what came before that, and their words.
fn build(entries: &[Entry]) -> Result<[Vec<u8>; 4], SegmentError> {
    let mut analyzer = Analyzer::default();
    let [mut own, mut around, mut before] = [(); 3].map(|()| Collector::default());
    let mut words = Vec::new();
    let mut topics: BTreeMap<&str, u32> = BTreeMap::new();
    for entry in entries {
        let next = u32::try_from(topics.len()).unwrap_or(u32::MAX);
        let file = *topics.entry(entry.path.as_str()).or_insert(next);
        let bytes = serde_json::to_vec(entry).map_err(std::io::Error::other)?;
        let row = TurnRow {
            file,
            offset: words.len() as u64,
            length: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
            at: entry.said.map_or(0, |at| u64::try_from(at.as_second()).unwrap_or_default()),
            voice: if entry.active { Voice::Human } else { Voice::Summary },
            terms: 0,
        };
        let mut terms: Vec<Term> = Vec::new();
        analyzer.terms(&entry.text, &mut |term| terms.push(term));
        // What stands above an entry says what it is about, once however often its own words say it.
        let mut above = BTreeSet::new();
        for head in entry.headings.iter().chain([&entry.topic, &entry.description]) {
            analyzer.terms(head, &mut |term| {
                above.insert(term);
            });
        }
        let known: BTreeSet<Term> = terms.iter().copied().collect();
        terms.extend(above.difference(&known));
        own.add(row, &terms);
        for (collector, said) in [(&mut around, &entry.context), (&mut before, &entry.before)] {
            terms.clear();
            analyzer.terms(said, &mut |term| terms.push(term));
            collector.add(row, &terms);
        }
        words.extend(bytes);
    }
    let mut written = [Vec::new(), Vec::new(), Vec::new()];
    for (out, mut collected) in written.iter_mut().zip([own, around, before]) {
        collected.write(out)?;
    }
    let [own, around, before] = written;
    Ok([own, around, before, words])
}

/// A hash over names, lengths and times of the files of memory and of further files that entries depend on.
pub fn fingerprint(memory: &Path, further: &[&Path]) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut files = Vec::new();
    walk(memory, 0, &mut files);
    files.sort();
    for (path, length, modified) in files {
        hasher.update(path.as_bytes());
        hasher.update(&[0]);
        hasher.update(&length.to_le_bytes());
        hasher.update(&modified.to_le_bytes());
    }
    for path in further {
        let (length, modified) =
            fs::metadata(path).map_or((0, 0), |metadata| (metadata.len(), nanoseconds(&metadata)));
        hasher.update(&length.to_le_bytes());
        hasher.update(&modified.to_le_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

fn walk(directory: &Path, depth: usize, files: &mut Vec<(String, u64, u128)>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let Ok(metadata) = fs::metadata(&path) else { continue };
        if metadata.is_dir() && depth < DEPTH && !name.to_string_lossy().starts_with('.') {
            walk(&path, depth + 1, files);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            files.push((path.to_string_lossy().into_owned(), metadata.len(), nanoseconds(&metadata)));
        }
    }
}

fn nanoseconds(metadata: &fs::Metadata) -> u128 {
    let modified = metadata.modified().ok();
    modified
        .and_then(|modified| modified.duration_since(std::time::UNIX_EPOCH).ok())
        .map_or(0, |since| since.as_nanos())
}
