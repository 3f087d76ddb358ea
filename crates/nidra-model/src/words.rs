//! The words of a JSON value, whichever place they stand in.

use serde_json::{Map, Value};

/// A value with all its words changed: texts, keys, and numbers, which become texts where the change is one.
pub fn map_words(value: Value, change: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(change(&text)),
        Value::Number(number) => {
            let text = number.to_string();
            let changed = change(&text);
            if changed == text { Value::Number(number) } else { Value::String(changed) }
        }
        Value::Array(values) => {
            Value::Array(values.into_iter().map(|value| map_words(value, change)).collect())
        }
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(key, value)| (change(&key), map_words(value, change)));
            Value::Object(fields.collect::<Map<String, Value>>())
        }
        Value::Null | Value::Bool(_) => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn words_are_found_in_every_place() {
        let value = json!({"a7": ["a7", 7, 1.5, null, true, {"b": "7"}]});
        let change = |text: &str| text.replace('7', "x");
        assert_eq!(map_words(value, &change), json!({"ax": ["ax", "x", 1.5, null, true, {"b": "x"}]}));
    }
}
