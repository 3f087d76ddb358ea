//! JSON in which no key stands twice: which of two values counts would be a guess.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// The words by which a doubled key is known among the errors of the parser.
const DOUBLED: &str = "a key stands twice";

/// Why a text is not JSON of this kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It ends before its end.
    Unfinished,
    /// A key stands twice in one object.
    Doubled,
    /// It is no JSON.
    Broken,
}

/// Reads a value.
pub(super) fn read(text: &str) -> Result<Value, Fault> {
    serde_json::from_str::<Strict>(text).map(|strict| strict.0).map_err(|error| {
        if error.is_eof() {
            Fault::Unfinished
        } else if error.to_string().contains(DOUBLED) {
            Fault::Doubled
        } else {
            Fault::Broken
        }
    })
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader).map(Self)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Strict(value)) = access.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some((name, Strict(value))) = access.next_entry::<String, Strict>()? {
            if fields.insert(name, value).is_some() {
                return Err(A::Error::custom(DOUBLED));
            }
        }
        Ok(Value::Object(fields))
    }
}
