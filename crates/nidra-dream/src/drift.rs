//! Memory held against the checkout: which entries say something that is not so any more.

use crate::checkout::{self, Bounds};
use crate::offers::Offers;
use crate::report::DriftReport;
use nidra_core::text::{redact, width};
use nidra_core::{Change, EntryId, Kind, MemoryView, Operation, OperationId, Target, TrustRank};
use nidra_memory::directory::MemoryDirectory;
use nidra_rules::drift::{self, AnchorKind, Checkout, Judgement, Reading, Statement, Verdict, Wanted};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// Stale entries that one run proposes to archive at most; the others come with the next run.
const MAX_PROPOSED: usize = 10;
/// Stale entries that a report names.
const MAX_REPORTED: usize = 50;
/// UTF-16 units of an entry that a report shows.
const SHOWN_UNITS: usize = 200;

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

impl Drift {
    /// The entries that the checkout does not bear out, for a report.
    pub fn report(&self) -> Vec<DriftReport> {
        let astray = |entry: &&EntryDrift| matches!(entry.verdict, Verdict::Stale | Verdict::Moved);
        let shown = |text: &str| width::shorten(&redact::redact(text), SHOWN_UNITS);
        self.entries
            .iter()
            .filter(astray)
            .take(MAX_REPORTED)
            .map(|entry| DriftReport {
                path: entry.path.clone(),
                line: entry.line,
                text: shown(&entry.text),
                verdict: entry.verdict.as_str().to_owned(),
                findings: entry
                    .findings(&[Verdict::Stale, Verdict::Moved])
                    .map(|finding| shown(&finding))
                    .collect(),
            })
            .collect()
    }

    /// Archiving for each stale entry, and the new path for each that names a file which moved. It is for the user to decide: the words may be right and the checkout behind.
    /// What other operations of the run touch, and what was proposed before, is left out.
    pub fn proposals(
        &self,
        memory: &MemoryView,
        touched: &BTreeSet<EntryId>,
        offers: &Offers,
    ) -> Vec<Operation> {
        self.entries
            .iter()
            .filter_map(|entry| {
                let id = entry.entry.as_ref().filter(|id| !touched.contains(*id))?;
                let topic = memory.topic(&entry.path).filter(|topic| topic.editable && !topic.pinned)?;
                let target = Target { path: entry.path.clone(), entry: id.clone(), text: entry.text.clone() };
                let (change, found) = match entry.verdict {
                    Verdict::Stale => (Change::Archive { target }, "the checkout does not bear it out"),
                    Verdict::Moved => {
                        (entry.moved(target, memory)?, "what it names is elsewhere in the checkout")
                    }
                    Verdict::Fresh | Verdict::Ambiguous | Verdict::NotCheckable => return None,
                };
                let findings: Vec<String> = entry.findings(&[entry.verdict]).collect();
                let reason = format!("{found}: {}", redact::redact(&findings.join("; ")));
                (!offers.holds(id, &reason)).then(|| Operation {
                    id: OperationId::new(""),
                    change,
                    kind: topic.kind.unwrap_or(Kind::Project),
                    rank: TrustRank::Observed,
                    reason,
                    evidence: Vec::new(),
                })
            })
            .take(MAX_PROPOSED)
            .enumerate()
            .map(|(number, operation)| Operation {
                id: OperationId::new(format!("drift-{}", number + 1)),
                ..operation
            })
            .collect()
    }
}

impl EntryDrift {
    /// The entry with the places where the files are now that it names; none where it is not that simple.
    fn moved(&self, target: Target, memory: &MemoryView) -> Option<Change> {
        let mut text = self.text.clone();
        let line = memory.index.iter().find(|line| line.targets == [self.path.as_str()]);
        let mut hook = line.and_then(|line| line.text.split_once(" — ")).map(|(_, hook)| hook.to_owned());
        let mut told = false;
        for judgement in self.judgements.iter().filter(|judgement| judgement.verdict == Verdict::Moved) {
            let to = judgement.moved_to.as_ref().filter(|_| judgement.kind == AnchorKind::Path)?;
            if text.matches(&judgement.anchor).count() != 1 {
                return None;
            }
            text = text.replace(&judgement.anchor, to);
            told |= hook.as_ref().is_some_and(|hook| hook.contains(&judgement.anchor));
            hook = hook.map(|hook| hook.replace(&judgement.anchor, to));
        }
        Some(Change::Rewrite { target, text, hook: hook.filter(|_| told) })
    }

    fn findings<'e>(&'e self, verdicts: &'e [Verdict]) -> impl Iterator<Item = String> + 'e {
        self.judgements.iter().filter(|judgement| verdicts.contains(&judgement.verdict)).map(|judgement| {
            let hint = judgement.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
            format!("{}{hint}", judgement.anchor)
        })
    }
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
    let lines = Lines::of(memory);
    let topics = view.entries().map(|(topic, entry)| Place {
        path: topic.path.clone(),
        line: lines.at(&topic.path, entry.range.start),
        entry: Some(entry.id.clone()),
        text: entry.text.clone(),
        about_person: topic.kind == Some(Kind::User),
    });
    index.chain(topics).collect()
}

/// Where the lines of the files of memory end. Counting them anew for each entry would take the square of a long file's time.
pub(crate) struct Lines<'a>(HashMap<&'a str, Vec<usize>>);

impl<'a> Lines<'a> {
    pub(crate) fn of(memory: &'a MemoryDirectory) -> Self {
        let ends = |bytes: &[u8]| {
            bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at).collect()
        };
        Self(memory.files.iter().map(|(path, file)| (path.as_str(), ends(&file.bytes))).collect())
    }

    /// The line of a file, from 1, in which this byte stands.
    pub(crate) fn at(&self, path: &str, byte: usize) -> u64 {
        let ends = self.0.get(path).map_or(&[][..], Vec::as_slice);
        u64::try_from(ends.partition_point(|end| *end < byte) + 1).unwrap_or(u64::MAX)
    }
}
