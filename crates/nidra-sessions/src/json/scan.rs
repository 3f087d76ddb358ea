//! Finding the ends of JSON values without decoding them.

use crate::json::quote::{end_of_short_string, end_of_string};
use std::ops::Range;

/// A stretch of a line, in bytes.
pub(crate) type Span = Range<usize>;

/// The bytes are no complete JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Broken {
    /// Where it went wrong.
    pub(crate) at: usize,
    /// The bytes ended too early; more of them could have made it whole.
    pub(crate) incomplete: bool,
}

/// A position in a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scanner<'a> {
    bytes: &'a [u8],
    position: usize,
    /// The last long string with the quote that ends it.
    long: &'a [u8],
}

impl<'a> Scanner<'a> {
    /// Starts at a position.
    pub(crate) fn new(bytes: &'a [u8], position: usize) -> Self {
        Self { bytes, position, long: &[] }
    }

    /// Where it stands.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// The next byte that is not white space, left in place.
    pub(crate) fn peek(&mut self) -> Result<u8, Broken> {
        while let Some(&byte) = self.bytes.get(self.position) {
            if !matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                return Ok(byte);
            }
            self.position += 1;
        }
        Err(Broken { at: self.position, incomplete: true })
    }

    /// Takes one expected byte.
    pub(crate) fn expect(&mut self, wanted: u8) -> Result<(), Broken> {
        if self.peek()? == wanted {
            self.position += 1;
            return Ok(());
        }
        Err(Broken { at: self.position, incomplete: false })
    }

    /// Takes the byte if it comes next.
    pub(crate) fn take(&mut self, wanted: u8) -> Result<bool, Broken> {
        let found = self.peek()? == wanted;
        if found {
            self.position += 1;
        }
        Ok(found)
    }

    /// Takes a string and returns what stands between the quotes, still escaped.
    #[inline]
    pub(crate) fn string(&mut self) -> Result<Span, Broken> {
        self.expect(b'"')?;
        let start = self.position;
        let rest = self.bytes.get(start..).unwrap_or_default();
        let Some(length) = end_of_short_string(rest).or_else(|| self.end_of_long_string(rest)) else {
            return Err(Broken { at: self.bytes.len(), incomplete: true });
        };
        self.position = start + length + 1;
        Ok(start..start + length)
    }

    /// A client writes what a tool returned twice, for the model and for itself, and comparing is
    /// cheaper than searching.
    fn end_of_long_string(&mut self, rest: &'a [u8]) -> Option<usize> {
        if !self.long.is_empty() && rest.starts_with(self.long) {
            return Some(self.long.len() - 1);
        }
        let length = end_of_string(rest, false)?;
        self.long = &rest[..=length];
        Some(length)
    }

    /// Takes any value and returns its span.
    pub(crate) fn skip(&mut self) -> Result<Span, Broken> {
        let first = self.peek()?;
        let start = self.position;
        match first {
            b'"' => {
                self.string()?;
            }
            b'{' | b'[' => self.skip_container()?,
            _ => self.skip_scalar()?,
        }
        Ok(start..self.position)
    }

    fn skip_container(&mut self) -> Result<(), Broken> {
        let mut depth = 0_usize;
        while let Some(&byte) = self.bytes.get(self.position) {
            match byte {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                0 => return Err(Broken { at: self.position, incomplete: false }),
                _ => {}
            }
            self.position += 1;
            if depth == 0 {
                return Ok(());
            }
        }
        Err(Broken { at: self.position, incomplete: true })
    }

    fn skip_scalar(&mut self) -> Result<(), Broken> {
        let start = self.position;
        while let Some(byte) = self.bytes.get(self.position) {
            if !(byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')) {
                break;
            }
            self.position += 1;
        }
        let incomplete = self.position == self.bytes.len();
        if start == self.position || incomplete {
            return Err(Broken { at: self.position, incomplete });
        }
        Ok(())
    }

    /// Takes a value; its inner span if it is a string, `None` if it is anything else.
    pub(crate) fn string_or_skip(&mut self) -> Result<Option<Span>, Broken> {
        if self.peek()? == b'"' {
            return self.string().map(Some);
        }
        self.skip().map(|_| None)
    }

    /// Takes a value and says whether it is `true`.
    pub(crate) fn is_true(&mut self) -> Result<bool, Broken> {
        let span = self.skip()?;
        Ok(&self.bytes[span] == b"true")
    }

    /// Takes an object and calls back at the value of each key. The callback takes the value.
    pub(crate) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, &'a [u8]) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        self.expect(b'{')?;
        if self.take(b'}')? {
            return Ok(());
        }
        loop {
            self.peek()?;
            let key = self.string()?;
            self.expect(b':')?;
            let bytes = self.bytes;
            member(self, &bytes[key])?;
            if self.take(b',')? {
                continue;
            }
            return self.expect(b'}');
        }
    }

    /// Takes an array and calls back at each element. The callback takes the element.
    pub(crate) fn array(
        &mut self,
        mut element: impl FnMut(&mut Self) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        self.expect(b'[')?;
        if self.take(b']')? {
            return Ok(());
        }
        loop {
            element(self)?;
            if self.take(b',')? {
                continue;
            }
            return self.expect(b']');
        }
    }
}
