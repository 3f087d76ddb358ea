//! A settings file as a tree of spans: enough to say where to insert and what to cut out, byte by byte.
//!
//! Reads JSON and the two liberties that people take with it: comments and trailing commas. It keeps nothing but
//! positions, so whoever edits the text leaves every byte that it does not mean to touch as it is. It never
//! renders a document again and never guesses at text that it does not understand.

use std::ops::Range;

/// Containers inside containers at most; real settings have about ten.
const MAX_DEPTH: usize = 200;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    /// The value's bytes, brackets or quotes included.
    pub(crate) span: Range<usize>,
    /// What it is.
    pub(crate) value: Value,
}

/// What a value is, as far as hooks need to know.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// `{ … }`
    Object(Vec<Child>),
    /// `[ … ]`
    Array(Vec<Child>),
    /// A string, with its escapes resolved; half a surrogate pair reads as U+FFFD.
    Text(String),
    /// `true` or `false`.
    Boolean(bool),
    /// A number.
    Number,
    /// `null`
    Null,
}

/// A member of an object or an element of an array.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Child {
    /// The member's name; empty for an element.
    pub(crate) name: String,
    /// From the first byte of the name (or value) to the end of the value.
    pub(crate) span: Range<usize>,
    /// The value.
    pub(crate) node: Node,
    /// Where the comma behind it stands.
    pub(crate) comma: Option<usize>,
}

/// Text that is not JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct SyntaxError {
    /// Where, in bytes.
    pub(crate) offset: usize,
    /// What was wrong.
    pub(crate) message: &'static str,
}

impl Node {
    /// The members or elements; empty for anything else.
    pub(crate) fn children(&self) -> &[Child] {
        match &self.value {
            Value::Object(children) | Value::Array(children) => children,
            Value::Text(_) | Value::Boolean(_) | Value::Number | Value::Null => &[],
        }
    }

    /// The member with this name; of several the last, as the client has it.
    pub(crate) fn member(&self, name: &str) -> Option<&Child> {
        match &self.value {
            Value::Object(children) => children.iter().rev().find(|child| child.name == name),
            Value::Array(_) | Value::Text(_) | Value::Boolean(_) | Value::Number | Value::Null => None,
        }
    }

    /// The text of a string.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            Value::Object(_) | Value::Array(_) | Value::Boolean(_) | Value::Number | Value::Null => None,
        }
    }

    /// The value's type as a person calls it.
    pub(crate) fn type_name(&self) -> &'static str {
        match self.value {
            Value::Object(_) => "an object",
            Value::Array(_) => "a list",
            Value::Text(_) => "a string",
            Value::Boolean(_) => "true or false",
            Value::Number => "a number",
            Value::Null => "null",
        }
    }
}

/// Reads a whole text; `None` when it holds nothing but white space and comments. A byte order mark is skipped.
pub(crate) fn parse(text: &str) -> Result<Option<Node>, SyntaxError> {
    let mut parser = Parser { text, bytes: text.as_bytes(), at: start(text) };
    parser.trivia()?;
    if parser.peek().is_none() {
        return Ok(None);
    }
    let node = parser.value(0)?;
    parser.trivia()?;
    match parser.peek() {
        None => Ok(Some(node)),
        Some(_) => Err(parser.error("something stands behind the end of the document")),
    }
}

/// Where the text starts behind a byte order mark.
pub(crate) fn start(text: &str) -> usize {
    if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn error(&self, message: &'static str) -> SyntaxError {
        SyntaxError { offset: self.at, message }
    }

    fn trivia(&mut self) -> Result<(), SyntaxError> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(b'/') => self.comment()?,
                Some(_) | None => return Ok(()),
            }
        }
    }

    fn comment(&mut self) -> Result<(), SyntaxError> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if rest.starts_with("//") {
            self.at += rest.find('\n').unwrap_or(rest.len());
            return Ok(());
        }
        if let Some(inner) = rest.strip_prefix("/*") {
            let end = inner.find("*/").ok_or_else(|| self.error("a comment has no end"))?;
            self.at += end + "/**/".len();
            return Ok(());
        }
        Err(self.error("expected a value"))
    }

    fn value(&mut self, depth: usize) -> Result<Node, SyntaxError> {
        if depth > MAX_DEPTH {
            return Err(self.error("values are nested too deeply"));
        }
        let from = self.at;
        let value = match self.peek() {
            Some(b'{') => Value::Object(self.children(b'}', depth)?),
            Some(b'[') => Value::Array(self.children(b']', depth)?),
            Some(b'"') => Value::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(_) => self.word()?,
            None => return Err(self.error("the document ends where a value is expected")),
        };
        Ok(Node { span: from..self.at, value })
    }

    fn children(&mut self, close: u8, depth: usize) -> Result<Vec<Child>, SyntaxError> {
        self.at += 1;
        let mut children: Vec<Child> = Vec::new();
        loop {
            self.trivia()?;
            if self.peek() == Some(close) {
                self.at += 1;
                return Ok(children);
            }
            if children.last().is_some_and(|last| last.comma.is_none()) {
                return Err(self.error(if close == b'}' { "expected , or }" } else { "expected , or ]" }));
            }
            let from = self.at;
            let name = if close == b'}' { self.name()? } else { String::new() };
            let node = self.value(depth + 1)?;
            let span = from..self.at;
            self.trivia()?;
            let comma = (self.peek() == Some(b',')).then_some(self.at);
            self.at += usize::from(comma.is_some());
            children.push(Child { name, span, node, comma });
        }
    }

    fn name(&mut self) -> Result<String, SyntaxError> {
        match self.peek() {
            Some(b'"') => {}
            Some(_) => return Err(self.error("expected a name in double quotes")),
            None => return Err(self.error("the document ends inside an object")),
        }
        let name = self.string()?;
        self.trivia()?;
        if self.peek() != Some(b':') {
            return Err(self.error("expected :"));
        }
        self.at += 1;
        self.trivia()?;
        Ok(name)
    }

    fn string(&mut self) -> Result<String, SyntaxError> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let from = self.at;
            while self.peek().is_some_and(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
                self.at += 1;
            }
            text.push_str(self.text.get(from..self.at).unwrap_or_default());
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escape()?),
                Some(_) => return Err(self.error("a control character stands in a string")),
                None => return Err(self.error("a string has no end")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, SyntaxError> {
        let code = self.bytes.get(self.at + 1).copied();
        let plain = match code {
            Some(code @ (b'"' | b'\\' | b'/')) => char::from(code),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(),
            Some(_) | None => return Err(self.error("an escape in a string is not known")),
        };
        self.at += 2;
        Ok(plain)
    }

    fn unicode_escape(&mut self) -> Result<char, SyntaxError> {
        let unit = self.unit(self.at).ok_or_else(|| self.error("\\u needs four hexadecimal digits"))?;
        self.at += 6;
        if (0xd800..0xdc00).contains(&unit)
            && let Some(low) = self.unit(self.at).filter(|low| (0xdc00..0xe000).contains(low))
        {
            self.at += 6;
            let code = 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
            return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        Ok(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    /// The UTF-16 unit of the `\uXXXX` at this place.
    fn unit(&self, at: usize) -> Option<u32> {
        let digits = self.bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        digits.iter().try_fold(0, |unit, digit| Some(unit * 16 + char::from(*digit).to_digit(16)?))
    }

    fn number(&mut self) -> Result<Value, SyntaxError> {
        let from = self.at;
        while self.peek().is_some_and(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')) {
            self.at += 1;
        }
        let digits = self.text.get(from..self.at).unwrap_or_default();
        if is_number(digits) {
            Ok(Value::Number)
        } else {
            Err(SyntaxError { offset: from, message: "a number is not written as JSON has it" })
        }
    }

    fn word(&mut self) -> Result<Value, SyntaxError> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let words = [("true", Value::Boolean(true)), ("false", Value::Boolean(false)), ("null", Value::Null)];
        for (word, value) in words {
            if let Some(behind) = rest.strip_prefix(word)
                && !behind.starts_with(|next: char| next.is_alphanumeric() || next == '_')
            {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.error("expected a value"))
    }
}

/// Whether this is a number by the grammar of JSON.
fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (text, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(digits)
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
