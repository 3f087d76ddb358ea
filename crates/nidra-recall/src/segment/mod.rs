//! One immutable part of the index: terms, their postings, and what is known of each turn.
//!
//! ```text
//! magic | postings | terms (hash, place) … ordered by hash | turns | lengths | voices | footer
//! ```
//! A term that stands in one turn has its posting in the table itself. The table is searched by interpolation, since
//! hashes are spread evenly: one or two small reads find any term however large the file is. Everything that comes
//! from a file is checked before it is used; what does not fit is [`SegmentError`], and the index is built anew.

pub mod merge;
pub mod write;

use crate::analyze::Term;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

/// How a segment begins and ends.
pub(crate) const MAGIC: &[u8; 8] = b"nidrarc1";
/// Bytes of a row of the table of terms.
pub(crate) const TERM_BYTES: u64 = 16;
/// Bytes of a row of the table of turns.
pub(crate) const TURN_BYTES: u64 = 24;
/// Bytes of the footer.
pub(crate) const FOOTER: u64 = 8 * 5 + 8;
/// The place of a term holds its only posting.
pub(crate) const ALONE: u64 = 1 << 63;
/// Rows of the table of terms that one read takes.
const WINDOW: u64 = 64;
/// Bytes that the first read of a list of postings takes.
const FIRST: u64 = 4 * 1024;

/// A segment is not what was written.
#[derive(Debug, thiserror::Error)]
pub enum SegmentError {
    /// Its bytes do not fit together.
    #[error("the index is damaged: {0}")]
    Damaged(&'static str),
    /// The system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Who speaks, as far as it matters for finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Voice {
    /// A person.
    Human,
    /// The agent.
    Agent,
    /// A tool, or the call of one.
    Tool,
    /// A sub-agent.
    Subagent,
    /// A digest.
    Summary,
}

impl Voice {
    const ALL: [Self; 5] = [Self::Human, Self::Agent, Self::Tool, Self::Subagent, Self::Summary];

    /// The number that stands for it in a segment.
    pub(crate) fn code(self) -> u8 {
        self as u8
    }

    /// The voice of a number.
    pub(crate) fn of(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    /// The name in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Agent => "agent",
            Self::Tool => "tool",
            Self::Subagent => "subagent",
            Self::Summary => "summary",
        }
    }
}

/// What is known of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnRow {
    /// The transcript, by its number in the manifest.
    pub file: u32,
    /// Where the record starts, in bytes.
    pub offset: u64,
    /// How long it is, in bytes.
    pub length: u32,
    /// When it was said, in seconds; 0 where nobody knows.
    pub at: u64,
    /// Who spoke.
    pub voice: Voice,
    /// How many terms it has.
    pub terms: u16,
}

impl TurnRow {
    pub(crate) fn to_bytes(self) -> [u8; 24] {
        let mut bytes = [0; 24];
        bytes[0..4].copy_from_slice(&self.file.to_le_bytes());
        bytes[4..10].copy_from_slice(&self.offset.to_le_bytes()[..6]);
        bytes[10..14].copy_from_slice(&self.length.to_le_bytes());
        bytes[14..20].copy_from_slice(&self.at.to_le_bytes()[..6]);
        bytes[20] = self.voice.code();
        bytes[22..24].copy_from_slice(&self.terms.to_le_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, SegmentError> {
        let number = |from: usize, to: usize| {
            bytes[from..to].iter().rev().fold(0_u64, |number, byte| (number << 8) | u64::from(*byte))
        };
        let small = |from, to| u32::try_from(number(from, to)).unwrap_or_default();
        Ok(Self {
            file: small(0, 4),
            offset: number(4, 10),
            length: small(10, 14),
            at: number(14, 20),
            voice: Voice::of(bytes[20]).ok_or(SegmentError::Damaged("an unknown voice"))?,
            terms: u16::try_from(number(22, 24)).unwrap_or_default(),
        })
    }
}

/// Bytes that can be read anywhere: a file, or memory where nothing may be written.
#[derive(Debug)]
pub enum Bytes {
    /// A file.
    File(File),
    /// Memory.
    Memory(Vec<u8>),
}

impl Bytes {
    fn read(&self, offset: u64, length: u64) -> Result<Vec<u8>, SegmentError> {
        let size = usize::try_from(length).map_err(|_| SegmentError::Damaged("a length"))?;
        match self {
            Self::File(file) => {
                let mut buffer = vec![0; size];
                file.read_exact_at(&mut buffer, offset)?;
                Ok(buffer)
            }
            Self::Memory(bytes) => {
                let start = usize::try_from(offset).map_err(|_| SegmentError::Damaged("an offset"))?;
                let part = start.checked_add(size).and_then(|end| bytes.get(start..end));
                part.map(<[u8]>::to_vec).ok_or(SegmentError::Damaged("an offset"))
            }
        }
    }

    fn length(&self) -> Result<u64, SegmentError> {
        match self {
            Self::File(file) => Ok(file.metadata()?.len()),
            Self::Memory(bytes) => Ok(bytes.len() as u64),
        }
    }
}

/// A turn in which a term stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posting {
    /// The turn's number in the segment.
    pub turn: u32,
    /// How often the term stands there.
    pub count: u8,
}

/// A part of the index, opened.
#[derive(Debug)]
pub struct Segment {
    bytes: Bytes,
    /// Where the postings end and the table of terms begins.
    terms_at: u64,
    term_count: u64,
    turns_at: u64,
    turn_count: u32,
    /// All terms of all turns, repetitions included.
    total_terms: u64,
}

impl Segment {
    /// Opens a segment and checks that its parts fit together.
    pub fn open(bytes: Bytes) -> Result<Self, SegmentError> {
        let length = bytes.length()?;
        if length < FOOTER + 8 {
            return Err(SegmentError::Damaged("a part of it is missing"));
        }
        let footer = bytes.read(length - FOOTER, FOOTER)?;
        let number = |index: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&footer[index * 8..index * 8 + 8]);
            u64::from_le_bytes(number)
        };
        if &footer[40..48] != MAGIC || bytes.read(0, 8)? != MAGIC {
            return Err(SegmentError::Damaged("it is of another kind"));
        }
        let (terms_at, term_count, turns_at, turn_count) = (number(0), number(1), number(2), number(3));
        let fits = |count: u64, bytes: u64, from: u64| {
            count.checked_mul(bytes).and_then(|size| size.checked_add(from))
        };
        if fits(term_count, TERM_BYTES, terms_at) != Some(turns_at)
            || fits(turn_count, TURN_BYTES + 2, turns_at) != Some(length - FOOTER)
        {
            return Err(SegmentError::Damaged("its parts do not fit together"));
        }
        let turn_count = u32::try_from(turn_count).map_err(|_| SegmentError::Damaged("too many turns"))?;
        Ok(Self { bytes, terms_at, term_count, turns_at, turn_count, total_terms: number(4) })
    }

    /// How many turns it holds.
    pub fn turns(&self) -> u32 {
        self.turn_count
    }

    /// How many terms its turns have together.
    pub fn total_terms(&self) -> u64 {
        self.total_terms
    }

    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        self.turns_at + u64::from(self.turn_count) * (TURN_BYTES + 2) + FOOTER
    }

    /// The turns in which a term stands, ordered.
    pub fn postings(&self, term: Term) -> Result<Vec<Posting>, SegmentError> {
        match self.find(term)? {
            None => Ok(Vec::new()),
            Some(place) if place & ALONE != 0 => Ok(vec![alone(place)]),
            Some(place) => self.list(place),
        }
    }

    /// What is known of a turn.
    pub fn turn(&self, turn: u32) -> Result<TurnRow, SegmentError> {
        if turn >= self.turn_count {
            return Err(SegmentError::Damaged("a turn beyond its end"));
        }
        TurnRow::from_bytes(&self.bytes.read(self.turns_at + u64::from(turn) * TURN_BYTES, TURN_BYTES)?)
    }

    /// The lengths of all turns, each as [`crate::segment::write::length_code`] writes it, and their voices.
    pub fn norms(&self) -> Result<(Vec<u8>, Vec<u8>), SegmentError> {
        let count = u64::from(self.turn_count);
        let mut lengths = self.bytes.read(self.turns_at + count * TURN_BYTES, count * 2)?;
        let voices = lengths.split_off(usize::try_from(count).unwrap_or_default());
        Ok((lengths, voices))
    }

    fn row(bytes: &[u8], index: u64) -> (u64, u64) {
        let at = usize::try_from(index * TERM_BYTES).unwrap_or_default();
        let mut hash = [0; 8];
        let mut place = [0; 8];
        hash.copy_from_slice(&bytes[at..at + 8]);
        place.copy_from_slice(&bytes[at + 8..at + 16]);
        (u64::from_le_bytes(hash), u64::from_le_bytes(place))
    }

    /// The place of a term, found by interpolation.
    fn find(&self, term: Term) -> Result<Option<u64>, SegmentError> {
        let (mut low, mut high) = (0_u64, self.term_count);
        let (mut floor, mut ceiling) = (0_u64, u64::MAX);
        while low < high {
            let share =
                u128::from(term.0 - floor) * u128::from(high - low) / (u128::from(ceiling - floor) + 1);
            let guess = low + u64::try_from(share).unwrap_or_default().min(high - low - 1);
            let from = guess.saturating_sub(WINDOW / 2).max(low);
            let count = WINDOW.min(high - from);
            let window = self.bytes.read(self.terms_at + from * TERM_BYTES, count * TERM_BYTES)?;
            let (first, last) = (Self::row(&window, 0).0, Self::row(&window, count - 1).0);
            if term.0 < first {
                (high, ceiling) = (from, first);
            } else if term.0 > last {
                (low, floor) = (from + count, last);
            } else {
                let mut rows = (0..count).map(|index| Self::row(&window, index));
                return Ok(rows.find(|(hash, _)| *hash == term.0).map(|(_, place)| place));
            }
            if floor > term.0 || ceiling < term.0 {
                return Err(SegmentError::Damaged("its terms are out of order"));
            }
        }
        Ok(None)
    }

    fn list(&self, place: u64) -> Result<Vec<Posting>, SegmentError> {
        let left = self.terms_at.checked_sub(place).ok_or(SegmentError::Damaged("a place beyond its end"))?;
        let mut bytes = self.bytes.read(place, FIRST.min(left))?;
        let mut at = 0;
        let count = number(&bytes, &mut at)?;
        let length = number(&bytes, &mut at)?;
        let end = at as u64 + length;
        if end > left || count > length {
            return Err(SegmentError::Damaged("a list beyond its end"));
        }
        let missing = end.saturating_sub(bytes.len() as u64);
        if missing > 0 {
            let rest = self.bytes.read(place + bytes.len() as u64, missing)?;
            bytes.extend(rest);
        }
        decode(&bytes[at..usize::try_from(end).unwrap_or_default()], count, self.turn_count)
    }
}

fn alone(place: u64) -> Posting {
    let count = u8::try_from((place >> 32) & 0xff).unwrap_or(1);
    Posting { turn: u32::try_from(place & 0xffff_ffff).unwrap_or_default(), count }
}

/// Reads a list of postings.
fn decode(bytes: &[u8], count: u64, turns: u32) -> Result<Vec<Posting>, SegmentError> {
    let mut list = Vec::with_capacity(usize::try_from(count).unwrap_or_default());
    let (mut at, mut turn) = (0, 0_u64);
    for _ in 0..count {
        let step = number(bytes, &mut at)?;
        turn += step >> 1;
        let mut times = 1;
        if step & 1 == 1 {
            times = *bytes.get(at).ok_or(SegmentError::Damaged("a list ends early"))?;
            at += 1;
        }
        if turn > u64::from(turns) || turn == 0 {
            return Err(SegmentError::Damaged("a turn beyond its end"));
        }
        list.push(Posting { turn: u32::try_from(turn - 1).unwrap_or_default(), count: times });
    }
    Ok(list)
}

/// Reads a number of seven bits a byte, the lowest first.
fn number(bytes: &[u8], at: &mut usize) -> Result<u64, SegmentError> {
    let mut value = 0;
    for shift in (0..63).step_by(7) {
        let byte = *bytes.get(*at).ok_or(SegmentError::Damaged("a number ends early"))?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(SegmentError::Damaged("a number without end"))
}
