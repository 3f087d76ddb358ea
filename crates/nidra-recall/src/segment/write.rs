//! Making a segment: occurrences are collected and ordered once.

use super::{ALONE, MAGIC, Posting, TurnRow};
use crate::analyze::Term;
use std::io::{self, Write};

/// Where a term stands: its hash, the turn, how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Occurrence {
    term: u64,
    turn: u32,
    count: u8,
}

/// Collects turns until they are written.
#[derive(Debug, Default)]
pub struct Collector {
    occurrences: Vec<Occurrence>,
    turns: Vec<TurnRow>,
    total_terms: u64,
    scratch: Vec<u64>,
}

impl Collector {
    /// Adds a turn with its terms; `row.terms` is set here.
    pub fn add(&mut self, mut row: TurnRow, terms: &[Term]) {
        let Ok(turn) = u32::try_from(self.turns.len()) else { return };
        self.scratch.clear();
        self.scratch.extend(terms.iter().map(|term| term.0));
        self.scratch.sort_unstable();
        for same in self.scratch.chunk_by(|left, right| left == right) {
            let count = u8::try_from(same.len()).unwrap_or(u8::MAX);
            self.occurrences.push(Occurrence { term: same[0], turn, count });
        }
        row.terms = u16::try_from(terms.len()).unwrap_or(u16::MAX);
        self.total_terms += u64::from(row.terms);
        self.turns.push(row);
    }

    /// Bytes of memory that it holds, about.
    pub fn weight(&self) -> usize {
        self.occurrences.len() * size_of::<Occurrence>() + self.turns.len() * size_of::<TurnRow>()
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// Writes the segment and starts anew; returns how many turns it holds.
    pub fn write(&mut self, out: &mut impl Write) -> io::Result<u32> {
        self.occurrences.sort_unstable();
        let mut writer = Writer::new(out)?;
        let mut postings = Vec::new();
        for same in self.occurrences.chunk_by(|left, right| left.term == right.term) {
            postings.clear();
            postings.extend(same.iter().map(|one| Posting { turn: one.turn, count: one.count }));
            writer.term(Term(same[0].term), &postings)?;
        }
        writer.finish(&self.turns, self.total_terms)?;
        let count = u32::try_from(self.turns.len()).unwrap_or(u32::MAX);
        self.occurrences.clear();
        self.turns.clear();
        self.total_terms = 0;
        Ok(count)
    }
}

/// Writes the parts of a segment in their order.
pub(crate) struct Writer<'w, W> {
    out: &'w mut W,
    at: u64,
    terms: Vec<u8>,
    list: Vec<u8>,
}

impl<'w, W: Write> Writer<'w, W> {
    pub(crate) fn new(out: &'w mut W) -> io::Result<Self> {
        out.write_all(MAGIC)?;
        Ok(Self { out, at: MAGIC.len() as u64, terms: Vec::new(), list: Vec::new() })
    }

    /// Writes the postings of the next term; terms come ordered.
    pub(crate) fn term(&mut self, term: Term, postings: &[Posting]) -> io::Result<()> {
        let place = match postings {
            [] => return Ok(()),
            [one] => ALONE | (u64::from(one.count) << 32) | u64::from(one.turn),
            several => {
                self.list.clear();
                let mut before = 0;
                for posting in several {
                    let turn = u64::from(posting.turn) + 1;
                    let many = posting.count > 1;
                    number(&mut self.list, ((turn - before) << 1) | u64::from(many));
                    if many {
                        self.list.push(posting.count);
                    }
                    before = turn;
                }
                let place = self.at;
                let mut head = Vec::with_capacity(16);
                number(&mut head, several.len() as u64);
                number(&mut head, self.list.len() as u64);
                self.out.write_all(&head)?;
                self.out.write_all(&self.list)?;
                self.at += (head.len() + self.list.len()) as u64;
                place
            }
        };
        self.terms.extend(term.0.to_le_bytes());
        self.terms.extend(place.to_le_bytes());
        Ok(())
    }

    pub(crate) fn finish(self, turns: &[TurnRow], total_terms: u64) -> io::Result<()> {
        let count = turns.len() as u64;
        let turns_at = self.at + self.terms.len() as u64;
        self.out.write_all(&self.terms)?;
        for turn in turns {
            self.out.write_all(&turn.to_bytes())?;
        }
        let lengths: Vec<u8> = turns.iter().map(|turn| length_code(turn.terms)).collect();
        self.out.write_all(&lengths)?;
        let voices: Vec<u8> = turns.iter().map(|turn| turn.voice.code()).collect();
        self.out.write_all(&voices)?;
        for part in [self.at, (self.terms.len() as u64) / super::TERM_BYTES, turns_at, count, total_terms] {
            self.out.write_all(&part.to_le_bytes())?;
        }
        self.out.write_all(MAGIC)
    }
}

fn number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(u8::try_from(value & 0x7f).unwrap_or_default() | 0x80);
        value >>= 7;
    }
    out.push(u8::try_from(value).unwrap_or_default());
}

/// A length in one byte: exact up to 24 terms, then in steps of an eighth, which ranking does not feel.
pub fn length_code(terms: u16) -> u8 {
    if terms < 24 {
        return u8::try_from(terms).unwrap_or_default();
    }
    let code = 24.0 + (f64::from(terms) / 24.0).ln() / 0.125;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is between 24 and 255")]
    {
        code.round().clamp(24.0, 255.0) as u8
    }
}

/// The length that a code stands for.
pub fn length_of(code: u8) -> f32 {
    if code < 24 {
        return f32::from(code);
    }
    24.0 * (f32::from(code - 24) * 0.125).exp()
}
