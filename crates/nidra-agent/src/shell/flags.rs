//! Whether the arguments of a command are flags of its table and paths inside the folder.

use super::{Refused, Root};

/// What a flag's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// A number, with a sign or a unit.
    Number,
    /// Letters, digits and the like.
    Word,
    /// Anything; it names no file.
    Text,
    /// A regular expression, in place of the one among the operands.
    Pattern,
    /// A file of regular expressions, in place of the one among the operands.
    PatternFile,
}

/// What the words are that are no flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operands {
    /// There are none.
    None,
    /// One path at most.
    OnePath,
    /// Paths.
    Paths,
    /// A pattern, unless a flag gave one, then paths.
    PatternThenPaths,
    /// Words that name no file.
    Texts,
}

/// The flags that a command may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flags {
    /// Letters of flags without a value.
    pub(super) short: &'static str,
    /// Names of flags without a value.
    pub(super) long: &'static [&'static str],
    /// Flags with a value: letter, name, and what the value is.
    pub(super) valued: &'static [(&'static str, &'static str, Value)],
    /// A number may be a flag: `-20`.
    pub(super) number: bool,
}

impl Flags {
    /// Checks arguments.
    pub(super) fn check(
        &self,
        name: &str,
        kind: Operands,
        arguments: &[String],
        root: &Root,
    ) -> Result<(), Refused> {
        let mut operands: Vec<&str> = Vec::new();
        let mut pattern_given = false;
        let mut words = arguments.iter();
        let mut only_operands = false;
        while let Some(word) = words.next() {
            // What echo does not take for a flag it prints.
            let printed = name == "echo" && (word != "-n" || !operands.is_empty());
            if only_operands || printed || word == "-" || !word.starts_with('-') {
                operands.push(word);
                continue;
            }
            if word == "--" {
                only_operands = true;
                continue;
            }
            let mut next = || {
                let value = words.next().map(String::as_str);
                value.ok_or_else(|| Refused::new(format!("`{name} {word}` needs a value")))
            };
            let found = match word.strip_prefix("--") {
                Some(long) => self.long(long, &mut next),
                None => self.short(word.trim_start_matches('-'), &mut next),
            };
            for (value, text) in found.ok_or_else(|| not_allowed(name, word))?? {
                check_value(name, word, value, text, root)?;
                pattern_given |= matches!(value, Value::Pattern | Value::PatternFile);
            }
        }
        judge_operands(name, kind, &operands, pattern_given, root)
    }

    /// The value of a long flag; `None` when there is no such flag.
    fn long<'w>(
        &self,
        text: &'w str,
        next: &mut dyn FnMut() -> Result<&'w str, Refused>,
    ) -> Option<Result<Vec<(Value, &'w str)>, Refused>> {
        let (flag, value) = text.split_once('=').map_or((text, None), |(flag, value)| (flag, Some(value)));
        if value.is_none() && self.long.contains(&flag) {
            return Some(Ok(Vec::new()));
        }
        let (_, _, kind) = self.valued.iter().find(|(_, long, _)| !long.is_empty() && *long == flag)?;
        // `--color` takes no value of its own where none is attached.
        if value.is_none() && matches!(flag, "color" | "colour") {
            return Some(Ok(Vec::new()));
        }
        Some(match value {
            Some(value) => Ok(vec![(*kind, value)]),
            None => next().map(|value| vec![(*kind, value)]),
        })
    }

    /// The values of letters in one word; `None` when one of them is no flag.
    fn short<'w>(
        &self,
        text: &'w str,
        next: &mut dyn FnMut() -> Result<&'w str, Refused>,
    ) -> Option<Result<Vec<(Value, &'w str)>, Refused>> {
        if self.number && !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(Ok(Vec::new()));
        }
        for (at, letter) in text.char_indices() {
            if self.short.contains(letter) {
                continue;
            }
            let mut own = [0; 4];
            let own: &str = letter.encode_utf8(&mut own);
            let (_, _, kind) = self.valued.iter().find(|(short, _, _)| *short == own)?;
            let rest = text.get(at + letter.len_utf8()..).unwrap_or_default();
            return Some(if rest.is_empty() {
                next().map(|value| vec![(*kind, value)])
            } else {
                Ok(vec![(*kind, rest)])
            });
        }
        Some(Ok(Vec::new()))
    }
}

fn judge_operands(
    name: &str,
    kind: Operands,
    operands: &[&str],
    pattern_given: bool,
    root: &Root,
) -> Result<(), Refused> {
    let paths = match kind {
        Operands::Texts => return Ok(()),
        Operands::None if operands.is_empty() => return Ok(()),
        Operands::None => return Err(Refused::new(format!("`{name}` takes no operand"))),
        Operands::OnePath if operands.len() > 1 => {
            return Err(Refused::new(format!("`{name}` with two files would write the second")));
        }
        Operands::OnePath | Operands::Paths => operands,
        Operands::PatternThenPaths if pattern_given => operands,
        Operands::PatternThenPaths => {
            operands.get(1..).ok_or_else(|| Refused::new(format!("`{name}` needs a pattern to look for")))?
        }
    };
    paths.iter().filter(|path| **path != "-").try_for_each(|path| root.resolve(path).map(|_| ()))
}

fn check_value(name: &str, flag: &str, kind: Value, text: &str, root: &Root) -> Result<(), Refused> {
    let sound = match kind {
        Value::Text | Value::Pattern => true,
        Value::Number => {
            let digits = text.trim_start_matches(['+', '-']);
            !digits.is_empty()
                && digits.len() <= 12
                && digits.bytes().all(|byte| byte.is_ascii_alphanumeric())
        }
        Value::Word => {
            !text.is_empty()
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b",.-+_:%".contains(&byte))
        }
        Value::PatternFile if text == "-" => true,
        Value::PatternFile => return root.resolve(text).map(|_| ()),
    };
    if sound { Ok(()) } else { Err(not_allowed(name, &format!("{flag} {text}"))) }
}

fn not_allowed(name: &str, flag: &str) -> Refused {
    Refused::new(format!("`{name} {flag}` is not allowed"))
}
