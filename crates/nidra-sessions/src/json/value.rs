//! Building a [`serde_json::Value`] from a span, with long strings cut.

use crate::json::{Broken, Limit, Line, Scanner, Span};
use serde_json::{Map, Value};

/// How deep values are followed; what lies deeper is `null`.
const DEPTH: usize = 48;

/// Decodes a value. What is damaged or too deep becomes `null`.
pub(crate) fn value(line: Line<'_>, span: &Span, limit: Limit) -> Value {
    let mut scanner = Scanner::new(line.bytes, span.start);
    read(line, &mut scanner, limit, DEPTH).unwrap_or(Value::Null)
}

fn read(line: Line<'_>, scanner: &mut Scanner<'_>, limit: Limit, depth: usize) -> Result<Value, Broken> {
    match scanner.peek()? {
        b'"' => Ok(Value::String(line.decode(scanner.string()?, limit))),
        b'{' if depth > 0 => {
            let mut map = Map::new();
            scanner.object(|scanner, key| {
                let name = Line { bytes: key, cuts: &[] }.decode(0..key.len(), Limit::NAME);
                map.insert(name, read(line, scanner, limit, depth - 1)?);
                Ok(())
            })?;
            Ok(Value::Object(map))
        }
        b'[' if depth > 0 => {
            let mut list = Vec::new();
            scanner.array(|scanner| {
                list.push(read(line, scanner, limit, depth - 1)?);
                Ok(())
            })?;
            Ok(Value::Array(list))
        }
        b'{' | b'[' => scanner.skip().map(|_| Value::Null),
        _ => {
            let scalar = scanner.skip()?;
            Ok(serde_json::from_slice(&line.bytes[scalar]).unwrap_or(Value::Null))
        }
    }
}
