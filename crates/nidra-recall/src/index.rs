//! The index of a project's sessions: brought up to date from what is new, opened for questions.
//!
//! It is a cache. A reading ends with one replaced manifest, so whatever is killed at whatever moment, the next
//! reader sees the state before or after. Writers exclude each other by a lock of the system; a reader never waits
//! for one, unless there is nothing to answer from yet.

use crate::analyze::{Analyzer, Term};
use crate::manifest::{self, FileRow, KnownRow, Manifest, SegmentRow};
use crate::material;
use crate::segment::merge::merge;
use crate::segment::write::Collector;
use crate::segment::{Bytes, Segment, SegmentError, TurnRow, Voice};
use crate::signs;
use jiff::Timestamp;
use nidra_core::Turn;
use nidra_core::text::redact::{self, Scope};
use nidra_sessions::{ReadError, Reader, Transcript};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// Memory that turns may take before they are written; within one transcript, twice as much.
const MEMORY: usize = 32 * 1024 * 1024;
/// Segments of about one size that are merged into one.
const FANOUT: usize = 8;
/// Times that an index is opened anew when another process replaced it meanwhile.
const TRIES: usize = 5;
/// A transcript untouched for this many seconds has said what it is.
const SETTLED: i64 = 120;
const LOCK: &str = "lock";

/// The index could not be used.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// A part of it is damaged.
    #[error(transparent)]
    Segment(#[from] SegmentError),
    /// The system refused.
    #[error("cannot use {}: {source}", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl IndexError {
    fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }
}

/// What the index is made of.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    /// Reads transcripts.
    pub reader: &'a dyn Reader,
    /// The transcripts of the project.
    pub transcripts: &'a [Transcript],
    /// All transcripts that were found, whatever their project.
    pub found: &'a [Transcript],
    /// Whether records from this working directory belong to the project.
    pub accept: &'a dyn Fn(&Path) -> bool,
    /// What is removed before anything is stored.
    pub scope: Scope,
    /// Now.
    pub now: Timestamp,
}

impl std::fmt::Debug for Sources<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Sources")
            .field("transcripts", &self.transcripts.len())
            .finish_non_exhaustive()
    }
}

/// What an update did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// Transcripts that were read.
    pub read: u32,
    /// Turns that were added.
    pub turns: u64,
    /// Another process was writing, so what is newest may be missing.
    pub busy: bool,
    /// Nothing could be written, so the index was made in memory for this once.
    pub in_memory: bool,
    /// The index was damaged and made anew.
    pub rebuilt: bool,
}

/// An index, opened.
#[derive(Debug)]
pub struct Index {
    /// What it consists of.
    pub manifest: Manifest,
    /// Its segments, oldest first.
    pub segments: Vec<Segment>,
    /// What was done to bring it up to date.
    pub update: Update,
}

impl Index {
    /// Brings the index in this directory up to date and opens it. A damaged one is made anew.
    ///
    /// # Errors
    /// When it cannot be read, or not even made in memory.
    pub fn up_to_date(directory: &Path, sources: Sources<'_>) -> Result<Self, IndexError> {
        Self::up_to_date_from(directory, Manifest::load(directory), sources)
    }

    /// The same for a caller who has read the manifest already.
    ///
    /// # Errors
    /// When it cannot be read, or not even made in memory.
    pub fn up_to_date_from(
        directory: &Path,
        manifest: Manifest,
        sources: Sources<'_>,
    ) -> Result<Self, IndexError> {
        match Self::bring(directory, manifest, sources) {
            Err(IndexError::Segment(_)) => {
                let _ = fs::remove_file(directory.join(manifest::NAME));
                let mut index = Self::bring(directory, Manifest::default(), sources)?;
                index.update.rebuilt = true;
                Ok(index)
            }
            other => other,
        }
    }

    fn bring(directory: &Path, manifest: Manifest, sources: Sources<'_>) -> Result<Self, IndexError> {
        if !is_behind(&manifest, sources) {
            return Self::open(directory, manifest, Update::default());
        }
        let lock = match lock(directory, manifest.segments.is_empty()) {
            Ok(Some(lock)) => lock,
            Ok(None) => return Self::open(directory, manifest, Update { busy: true, ..Update::default() }),
            Err(_) => return Self::in_memory(directory, sources),
        };
        // Another process may have done the work while this one waited.
        let manifest = Manifest::load(directory);
        let mut building = Building::new(manifest, Some(directory));
        if let Err(error) = building.run(sources) {
            return match error {
                IndexError::Io { .. } if building.done.turns == 0 => Self::in_memory(directory, sources),
                other => Err(other),
            };
        }
        let (manifest, update) = (building.manifest, building.done);
        drop(lock);
        Self::open(directory, manifest, update)
    }

    fn open(directory: &Path, mut manifest: Manifest, update: Update) -> Result<Self, IndexError> {
        for _ in 0..TRIES {
            let segments: Result<Vec<Segment>, IndexError> =
                manifest.segments.iter().map(|row| open(directory, row)).collect();
            match segments {
                Ok(segments) => return Ok(Self { manifest, segments, update }),
                // Merged away between the two looks: look again.
                Err(IndexError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                    manifest = Manifest::load(directory);
                }
                Err(other) => return Err(other),
            }
        }
        Err(SegmentError::Damaged("a segment is missing").into())
    }

    /// Makes what is missing in memory, since nothing can be written.
    fn in_memory(directory: &Path, sources: Sources<'_>) -> Result<Self, IndexError> {
        let manifest = Manifest::load(directory);
        let opened: Result<Vec<Segment>, IndexError> =
            manifest.segments.iter().map(|row| open(directory, row)).collect();
        let (manifest, mut segments) =
            opened.map_or_else(|_| Default::default(), |segments| (manifest, segments));
        let mut building = Building::new(manifest, None);
        building.run(sources)?;
        for bytes in std::mem::take(&mut building.in_memory) {
            segments.push(Segment::open(Bytes::Memory(bytes))?);
        }
        let update = Update { in_memory: true, ..building.done };
        Ok(Self { manifest: building.manifest, segments, update })
    }

    /// Bytes of all segments.
    pub fn size(&self) -> u64 {
        self.segments.iter().map(Segment::size).sum()
    }
}

fn open(directory: &Path, row: &SegmentRow) -> Result<Segment, IndexError> {
    let path = directory.join(&row.name);
    let file = File::open(&path).map_err(IndexError::at(&path))?;
    let segment = Segment::open(Bytes::File(file))?;
    if segment.size() != row.size || segment.turns() != row.turns {
        return Err(SegmentError::Damaged("a segment is not the one that was written").into());
    }
    Ok(segment)
}

/// Whether a transcript is new, has grown, or is gone.
fn is_behind(manifest: &Manifest, sources: Sources<'_>) -> bool {
    let changed = |transcript: &Transcript| {
        manifest
            .files
            .get(&transcript.path)
            .is_none_or(|row| row.length != transcript.length || row.modified != transcript.modified)
    };
    sources.transcripts.iter().any(changed) || manifest.files.len() != sources.transcripts.len()
}

/// Takes the lock of the writers; `None` if another process has it and need not be waited for.
fn lock(directory: &Path, wait: bool) -> io::Result<Option<File>> {
    fs::create_dir_all(directory)?;
    let file = File::options().create(true).truncate(false).write(true).open(directory.join(LOCK))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) if wait => file.lock().map(|()| Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// An index while it is brought up to date.
struct Building<'d> {
    manifest: Manifest,
    /// Where it is written; `None` to keep it in memory.
    directory: Option<&'d Path>,
    collector: Collector,
    analyzer: Analyzer,
    in_memory: Vec<Vec<u8>>,
    done: Update,
}

impl<'d> Building<'d> {
    fn new(manifest: Manifest, directory: Option<&'d Path>) -> Self {
        Self {
            manifest,
            directory,
            collector: Collector::default(),
            analyzer: Analyzer::default(),
            in_memory: Vec::new(),
            done: Update::default(),
        }
    }

    fn run(&mut self, sources: Sources<'_>) -> Result<(), IndexError> {
        let there: BTreeSet<&Path> =
            sources.transcripts.iter().map(|transcript| transcript.path.as_path()).collect();
        self.manifest.files.retain(|path, _| there.contains(path.as_path()));
        for transcript in sources.transcripts {
            let row = self.manifest.files.get(&transcript.path).cloned().unwrap_or_default();
            if row.length == transcript.length && row.modified == transcript.modified {
                continue;
            }
            let segments = self.manifest.segments.len();
            self.transcript(transcript, row, sources)?;
            // A reading that is killed keeps what was whole: the manifest never names a transcript whose turns are not
            // written, so both go together.
            if self.collector.weight() > MEMORY || self.manifest.segments.len() > segments {
                self.write_segment()?;
                self.save()?;
            }
        }
        self.write_segment()?;
        self.learn(sources);
        self.merge()?;
        self.save()?;
        self.clean();
        Ok(())
    }

    /// Reads what is new in a transcript.
    fn transcript(
        &mut self,
        transcript: &Transcript,
        row: FileRow,
        sources: Sources<'_>,
    ) -> Result<(), IndexError> {
        let stretch = self.manifest.next;
        self.manifest.next += 1;
        let mut pending: Option<Pending> = None;
        let mut fault = None;
        let mut sink = |turn: Turn| {
            if fault.is_some() {
                return;
            }
            let Some((voice, words)) = material::words(&turn) else { return };
            match &mut pending {
                Some(open) if open.record == turn.source.record && open.row.voice == voice => {
                    open.words.push('\n');
                    open.words.push_str(&words);
                }
                _ => {
                    let next = Pending::new(&turn, voice, &words, stretch);
                    if let Some(done) = pending.replace(next) {
                        self.add(&done, sources.scope);
                    }
                    if self.collector.weight() > 2 * MEMORY {
                        fault = self.write_segment().err();
                    }
                }
            }
        };
        let outcome = sources.reader.read(transcript, &row.cursor, sources.accept, &mut sink);
        if let Some(done) = pending {
            self.add(&done, sources.scope);
        }
        if let Some(fault) = fault {
            return Err(fault);
        }
        let (mut stretches, cursor) = match outcome {
            Ok(outcome) if outcome.restarted => (Vec::new(), outcome.cursor),
            Ok(outcome) => (row.stretches, outcome.cursor),
            // It vanished between listing and reading, or may not be read: what was known of it goes.
            Err(ReadError::Gone { .. } | ReadError::Io(_)) => (Vec::new(), row.cursor),
        };
        stretches.push(stretch);
        let row = FileRow { stretches, length: transcript.length, modified: transcript.modified, cursor };
        self.manifest.files.insert(transcript.path.clone(), row);
        self.done.read += 1;
        Ok(())
    }

    fn add(&mut self, pending: &Pending, scope: Scope) {
        let words = redact::redact_in(&pending.words, scope);
        let mut terms: Vec<Term> = Vec::with_capacity(words.len() / 6);
        self.analyzer.terms(&words, &mut |term| terms.push(term));
        if pending.row.voice == Voice::Human && signs::is_standing(&words) {
            terms.push(signs::STANDING_TERM);
            if signs::is_order(&words) {
                terms.push(signs::ORDER_TERM);
            }
        }
        self.collector.add(pending.row, &terms);
        self.done.turns += 1;
    }

    /// Writes what was collected as a segment.
    fn write_segment(&mut self) -> Result<(), IndexError> {
        if self.collector.is_empty() {
            return Ok(());
        }
        let Some(directory) = self.directory else {
            let mut bytes = Vec::new();
            self.collector.write(&mut bytes).map_err(SegmentError::Io)?;
            self.in_memory.push(bytes);
            return Ok(());
        };
        let collector = &mut self.collector;
        let row = put(directory, |out| Ok(collector.write(out)?))?;
        self.manifest.segments.push(row);
        Ok(())
    }

    /// Merges segments of about one size, so that their number grows with the logarithm of what there is. Turns of
    /// transcripts that are gone are left out then.
    fn merge(&mut self) -> Result<(), IndexError> {
        let Some(directory) = self.directory else { return Ok(()) };
        loop {
            let sizes: Vec<u64> = self.manifest.segments.iter().map(|segment| segment.size).collect();
            let Some(range) = run_of_one_size(&sizes) else { return Ok(()) };
            let live: BTreeSet<u32> =
                self.manifest.files.values().flat_map(|row| row.stretches.iter().copied()).collect();
            let segments: Result<Vec<Segment>, IndexError> =
                self.manifest.segments[range.clone()].iter().map(|row| open(directory, row)).collect();
            let segments = segments?;
            let row = put(directory, |out| merge(segments, &|row| live.contains(&row.file), out))?;
            self.manifest.segments.splice(range, [row]);
        }
    }

    /// Remembers what transcripts are.
    fn learn(&mut self, sources: Sources<'_>) {
        self.manifest.known = sources
            .found
            .iter()
            .filter(|transcript| transcript.directory.is_some())
            .filter(|transcript| {
                sources.now.duration_since(transcript.modified).as_secs() >= SETTLED
                    || self.manifest.known.contains_key(&transcript.path)
            })
            .map(|transcript| (transcript.path.clone(), KnownRow::from(transcript)))
            .collect();
    }

    fn save(&self) -> Result<(), IndexError> {
        let Some(directory) = self.directory else { return Ok(()) };
        self.manifest.save(directory).map_err(IndexError::at(directory))
    }

    /// Removes what no manifest names: segments that were merged, and what a killed process left.
    fn clean(&self) {
        let Some(directory) = self.directory else { return };
        let named: BTreeSet<&str> =
            self.manifest.segments.iter().map(|segment| segment.name.as_str()).collect();
        let Ok(entries) = fs::read_dir(directory) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let ours = name.starts_with("segment-") || name.starts_with(".tmp");
            if ours && !named.contains(name.as_ref()) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// The last run of neighbours that are about equal in size and numerous enough.
fn run_of_one_size(sizes: &[u64]) -> Option<std::ops::Range<usize>> {
    let tier = |size: u64| (size / 4096 + 1).ilog2() / 3;
    let mut end = sizes.len();
    while end > 0 {
        let mut start = end - 1;
        let mut high = tier(sizes[start]);
        // A small one between larger ones counts with them.
        while start > 0 && tier(sizes[start - 1]) <= high.max(tier(sizes[end - 1])) {
            start -= 1;
            high = high.max(tier(sizes[start]));
        }
        if end - start >= FANOUT {
            return Some(start..end);
        }
        end = start;
    }
    None
}

/// Writes a file of the index whole, under a name made of its bytes' place in time: a fresh one each time.
fn put(
    directory: &Path,
    write: impl FnOnce(&mut BufWriter<&mut File>) -> Result<u32, SegmentError>,
) -> Result<SegmentRow, IndexError> {
    let mut file = tempfile::Builder::new()
        .prefix("segment-")
        .rand_bytes(12)
        .tempfile_in(directory)
        .map_err(IndexError::at(directory))?;
    let mut out = BufWriter::with_capacity(256 * 1024, file.as_file_mut());
    let turns = write(&mut out)?;
    out.flush().map_err(IndexError::at(directory))?;
    drop(out);
    let size = file.as_file().metadata().map_err(IndexError::at(directory))?.len();
    let (_, path) =
        file.keep().map_err(|error| IndexError::Io { path: directory.to_owned(), source: error.error })?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(SegmentRow { name, turns, size })
}

/// A turn whose words are not complete yet: one record can hold several stretches of them.
struct Pending {
    record: String,
    row: TurnRow,
    words: String,
}

impl Pending {
    fn new(turn: &Turn, voice: Voice, words: &str, stretch: u32) -> Self {
        let at = turn.at.map_or(0, |at| u64::try_from(at.as_second()).unwrap_or_default());
        let row = TurnRow {
            file: stretch,
            offset: turn.source.offset,
            length: u32::try_from(turn.source.length).unwrap_or(u32::MAX),
            at,
            voice,
            terms: 0,
        };
        Self { record: turn.source.record.clone(), row, words: words.to_owned() }
    }
}

/// The transcripts of an index by the numbers of their stretches.
pub(crate) fn owners<'t>(
    manifest: &Manifest,
    transcripts: &'t [Transcript],
) -> BTreeMap<u32, &'t Transcript> {
    let by_path: BTreeMap<&Path, &Transcript> =
        transcripts.iter().map(|transcript| (transcript.path.as_path(), transcript)).collect();
    manifest.owners().into_iter().filter_map(|(stretch, path)| Some((stretch, *by_path.get(path)?))).collect()
}
