//! Several segments made one, so that their number stays small. What belonged to transcripts that are gone is left out.

use super::write::Writer;
use super::{ALONE, Posting, Segment, SegmentError, TERM_BYTES, TURN_BYTES, TurnRow, alone, decode, number};
use crate::analyze::Term;
use std::io::Write;

/// A segment as it is merged: the whole of it in memory, and the new numbers of its turns.
struct Input {
    segment: Segment,
    bytes: Vec<u8>,
    /// The new number of each turn; `None` for one that is left out.
    numbers: Vec<Option<u32>>,
    next: u64,
}

/// Writes the turns of these segments as one segment, in their order, those for which `keep` holds.
/// Returns how many there are.
pub fn merge(
    segments: Vec<Segment>,
    keep: &dyn Fn(&TurnRow) -> bool,
    out: &mut impl Write,
) -> Result<u32, SegmentError> {
    let mut rows: Vec<TurnRow> = Vec::new();
    let mut inputs = Vec::new();
    for segment in segments {
        let bytes = segment.bytes.read(0, segment.turns_at)?;
        let table = segment.bytes.read(segment.turns_at, u64::from(segment.turn_count) * TURN_BYTES)?;
        let width = usize::try_from(TURN_BYTES).unwrap_or(24);
        let mut numbers = Vec::with_capacity(segment.turn_count as usize);
        for row in table.chunks_exact(width) {
            let row = TurnRow::from_bytes(row)?;
            let kept = keep(&row);
            numbers.push(if kept { u32::try_from(rows.len()).ok() } else { None });
            if kept {
                rows.push(row);
            }
        }
        inputs.push(Input { segment, bytes, numbers, next: 0 });
    }
    let mut writer = Writer::new(out)?;
    let mut postings = Vec::new();
    while let Some(term) = inputs.iter().filter_map(Input::peek).min() {
        postings.clear();
        for input in &mut inputs {
            if input.peek() == Some(term) {
                input.take(&mut postings)?;
            }
        }
        writer.term(Term(term), &postings)?;
    }
    let total = rows.iter().map(|row| u64::from(row.terms)).sum();
    writer.finish(&rows, total)?;
    Ok(u32::try_from(rows.len()).unwrap_or(u32::MAX))
}

impl Input {
    fn at(&self) -> usize {
        usize::try_from(self.segment.terms_at + self.next * TERM_BYTES).unwrap_or_default()
    }

    fn word(&self, at: usize) -> u64 {
        let mut word = [0; 8];
        word.copy_from_slice(&self.bytes[at..at + 8]);
        u64::from_le_bytes(word)
    }

    fn peek(&self) -> Option<u64> {
        (self.next < self.segment.term_count).then(|| self.word(self.at()))
    }

    /// Takes the postings of the next term, with the new numbers of their turns.
    fn take(&mut self, postings: &mut Vec<Posting>) -> Result<(), SegmentError> {
        let place = self.word(self.at() + 8);
        self.next += 1;
        let list = if place & ALONE != 0 {
            vec![alone(place)]
        } else {
            let end = usize::try_from(self.segment.terms_at).unwrap_or_default();
            let start = usize::try_from(place).unwrap_or(usize::MAX);
            let bytes = self.bytes.get(start..end).ok_or(SegmentError::Damaged("a place beyond its end"))?;
            let mut at = 0;
            let count = number(bytes, &mut at)?;
            let length = usize::try_from(number(bytes, &mut at)?).unwrap_or(usize::MAX);
            let list = at.checked_add(length).and_then(|end| bytes.get(at..end));
            let list = list.ok_or(SegmentError::Damaged("a list beyond its end"))?;
            if count > list.len() as u64 {
                return Err(SegmentError::Damaged("a list beyond its end"));
            }
            decode(list, count, self.segment.turn_count)?
        };
        for posting in list {
            let number = self.numbers.get(posting.turn as usize);
            let number = number.ok_or(SegmentError::Damaged("a turn beyond its end"))?;
            if let Some(turn) = number {
                postings.push(Posting { turn: *turn, count: posting.count });
            }
        }
        Ok(())
    }
}
