//! The parts of a Claude Code record that matter, as spans of its line.
//!
//! Nothing is decoded here: a record is judged by its flags first, and most records end there.

use crate::json::{Broken, Limit, Line, Scanner, Span};
use jiff::{Timestamp, fmt::temporal::DateTimeParser};
use std::borrow::Cow;

/// The top-level keys whose values are looked at; a long line keeps no others.
pub(crate) fn is_wanted_key(key: &[u8]) -> bool {
    matches!(
        key,
        b"type"
            | b"uuid"
            | b"timestamp"
            | b"cwd"
            | b"sessionId"
            | b"agentId"
            | b"entrypoint"
            | b"promptId"
            | b"toolDenialKind"
            | b"rowSource"
            | b"origin"
            | b"isSidechain"
            | b"isMeta"
            | b"isCompactSummary"
            | b"isVisibleInTranscriptOnly"
            | b"isApiErrorMessage"
            | b"sourceToolUseID"
            | b"apiBlockIndex"
            | b"message"
    )
}

/// A record.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the format")]
pub(crate) struct Record {
    pub(crate) kind: Option<Span>,
    pub(crate) uuid: Option<Span>,
    pub(crate) timestamp: Option<Span>,
    pub(crate) cwd: Option<Span>,
    pub(crate) session: Option<Span>,
    pub(crate) agent: Option<Span>,
    pub(crate) entrypoint: Option<Span>,
    pub(crate) prompt: Option<Span>,
    pub(crate) denial: Option<Span>,
    pub(crate) row_source: Option<Span>,
    pub(crate) origin: Option<Span>,
    pub(crate) block_index: Option<Span>,
    pub(crate) attachment: Option<Span>,
    pub(crate) sidechain: bool,
    pub(crate) meta: bool,
    pub(crate) compact: bool,
    pub(crate) transcript_only: bool,
    pub(crate) api_error: bool,
    pub(crate) from_tool: bool,
    pub(crate) message: Option<Message>,
}

/// The `message` of a record.
#[derive(Debug, Default)]
pub(crate) struct Message {
    pub(crate) id: Option<Span>,
    pub(crate) model: Option<Span>,
    /// The content when it is a plain string.
    pub(crate) text: Option<Span>,
    /// The content when it is a list.
    pub(crate) blocks: Vec<Block>,
}

/// One block of a message's content.
#[derive(Debug, Default)]
pub(crate) struct Block {
    pub(crate) kind: Option<Span>,
    pub(crate) text: Option<Span>,
    pub(crate) id: Option<Span>,
    pub(crate) name: Option<Span>,
    pub(crate) input: Option<Span>,
    pub(crate) call: Option<Span>,
    /// The texts of a tool's answer.
    pub(crate) answer: Vec<Span>,
    pub(crate) error: bool,
}

/// What became of a look at a record.
#[derive(Debug)]
pub(crate) enum Scanned {
    /// It is neither speech nor broken as far as was looked; the rest of it was not read.
    Passed {
        /// The span of its kind, or `None` for an attachment recognised by its key.
        kind: Option<Span>,
    },
    /// It was read to its end.
    Whole {
        /// The position behind it.
        end: usize,
    },
}

/// Reads the record that starts at `start` into an empty one. With `pass`, a record whose first keys
/// show that it is no speech is not read to its end.
pub(crate) fn scan(line: Line<'_>, start: usize, pass: bool, record: &mut Record) -> Result<Scanned, Broken> {
    let bytes = line.bytes;
    let mut scanner = Scanner::new(bytes, start);
    scanner.expect(b'{')?;
    if scanner.take(b'}')? {
        return Ok(Scanned::Whole { end: scanner.position() });
    }
    loop {
        scanner.peek()?;
        let key = scanner.string()?;
        scanner.expect(b':')?;
        match &bytes[key] {
            b"type" => {
                record.kind = scanner.string_or_skip()?;
                let speech =
                    matches!(record.kind.clone().map(|kind| &bytes[kind]), Some(b"user" | b"assistant"));
                if pass && !speech && record.attachment.is_none() {
                    return Ok(Scanned::Passed { kind: record.kind.take() });
                }
            }
            b"attachment" => {
                scanner.peek()?;
                let from = scanner.position();
                if bytes[from..].starts_with(br#"{"type":"queued_command""#) {
                    record.attachment = Some(scanner.skip()?);
                } else if pass {
                    return Ok(Scanned::Passed { kind: None });
                } else {
                    scanner.skip()?;
                }
            }
            b"message" if scanner.peek()? == b'{' => record.message = Some(message(&mut scanner)?),
            b"origin" if scanner.peek()? == b'{' => record.origin = origin(&mut scanner)?,
            b"uuid" => record.uuid = scanner.string_or_skip()?,
            b"timestamp" => record.timestamp = scanner.string_or_skip()?,
            b"cwd" => record.cwd = scanner.string_or_skip()?,
            b"sessionId" => record.session = scanner.string_or_skip()?,
            b"agentId" => record.agent = scanner.string_or_skip()?,
            b"entrypoint" => record.entrypoint = scanner.string_or_skip()?,
            b"promptId" => record.prompt = scanner.string_or_skip()?,
            b"toolDenialKind" => record.denial = scanner.string_or_skip()?,
            b"rowSource" => record.row_source = scanner.string_or_skip()?,
            b"sourceToolUseID" => record.from_tool = scanner.string_or_skip()?.is_some(),
            b"apiBlockIndex" => record.block_index = Some(scanner.skip()?),
            b"isSidechain" => record.sidechain = scanner.is_true()?,
            b"isMeta" => record.meta = scanner.is_true()?,
            b"isCompactSummary" => record.compact = scanner.is_true()?,
            b"isVisibleInTranscriptOnly" => record.transcript_only = scanner.is_true()?,
            b"isApiErrorMessage" => record.api_error = scanner.is_true()?,
            _ => {
                scanner.skip()?;
            }
        }
        if scanner.take(b',')? {
            continue;
        }
        scanner.expect(b'}')?;
        return Ok(Scanned::Whole { end: scanner.position() });
    }
}

fn origin(scanner: &mut Scanner<'_>) -> Result<Option<Span>, Broken> {
    let mut kind = None;
    scanner.object(|scanner, key| {
        let value = scanner.string_or_skip()?;
        if key == b"kind" {
            kind = value;
        }
        Ok(())
    })?;
    Ok(kind)
}

fn message(scanner: &mut Scanner<'_>) -> Result<Message, Broken> {
    let mut message = Message::default();
    scanner.object(|scanner, key| {
        match key {
            b"id" => message.id = scanner.string_or_skip()?,
            b"model" => message.model = scanner.string_or_skip()?,
            b"content" => match scanner.peek()? {
                b'"' => message.text = Some(scanner.string()?),
                b'[' => scanner.array(|scanner| {
                    if scanner.peek()? == b'{' {
                        message.blocks.push(block(scanner)?);
                    } else {
                        scanner.skip()?;
                    }
                    Ok(())
                })?,
                _ => {
                    scanner.skip()?;
                }
            },
            _ => {
                scanner.skip()?;
            }
        }
        Ok(())
    })?;
    Ok(message)
}

fn block(scanner: &mut Scanner<'_>) -> Result<Block, Broken> {
    let mut block = Block::default();
    scanner.object(|scanner, key| {
        match key {
            b"type" => block.kind = scanner.string_or_skip()?,
            b"text" => block.text = scanner.string_or_skip()?,
            b"id" => block.id = scanner.string_or_skip()?,
            b"name" => block.name = scanner.string_or_skip()?,
            b"input" => block.input = Some(scanner.skip()?),
            b"tool_use_id" => block.call = scanner.string_or_skip()?,
            b"is_error" => block.error = scanner.is_true()?,
            b"content" => match scanner.peek()? {
                b'"' => block.answer.push(scanner.string()?),
                b'[' => scanner.array(|scanner| {
                    if scanner.peek()? != b'{' {
                        return scanner.string_or_skip().map(|text| block.answer.extend(text));
                    }
                    scanner.object(|scanner, key| {
                        let value = scanner.string_or_skip()?;
                        if key == b"text" {
                            block.answer.extend(value);
                        }
                        Ok(())
                    })
                })?,
                _ => {
                    scanner.skip()?;
                }
            },
            _ => {
                scanner.skip()?;
            }
        }
        Ok(())
    })?;
    Ok(block)
}

/// A record together with its line, to decode what is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    /// The line.
    pub(crate) line: Line<'a>,
    /// The record in it.
    pub(crate) record: &'a Record,
}

impl<'a> View<'a> {
    /// A short string: an identifier, a path, a name.
    pub(crate) fn name(&self, span: Option<&Span>) -> Option<Cow<'a, str>> {
        span.map(|span| self.line.text(span.clone(), Limit::NAME)).filter(|text| !text.is_empty())
    }

    /// Whether a string is exactly this, which needs no escapes.
    pub(crate) fn is(&self, span: Option<&Span>, text: &str) -> bool {
        span.is_some_and(|span| &self.line.bytes[span.clone()] == text.as_bytes())
    }

    /// The time stamp.
    pub(crate) fn at(&self) -> Option<Timestamp> {
        let span = self.record.timestamp.clone()?;
        DateTimeParser::new().parse_timestamp(&self.line.bytes[span]).ok()
    }

    /// The kind as text, shortened.
    pub(crate) fn kind(&self) -> Cow<'a, str> {
        kind_name(self.line, self.record.kind.as_ref())
    }
}

/// A kind as text, shortened; `(none)` where there is none.
pub(crate) fn kind_name<'a>(line: Line<'a>, kind: Option<&Span>) -> Cow<'a, str> {
    kind.map_or(Cow::Borrowed("(none)"), |kind| line.text(kind.clone(), Limit { head: 64, tail: 0 }))
}
