//! A line as a syntax tree, and its words with what was quoted in them.

use super::Refused;
use tree_sitter::{Node, Parser};

/// Commands of a pipeline at most.
const MAX_COMMANDS: usize = 6;
/// Words of a command at most.
const MAX_WORDS: usize = 200;

/// A word: letters, and whether each may be part of a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word(pub(super) Vec<(char, bool)>);

impl Word {
    /// The word as text.
    pub(super) fn text(&self) -> String {
        self.0.iter().map(|(letter, _)| letter).collect()
    }

    /// Whether it holds a mark of a pattern that was not quoted.
    pub(super) fn is_pattern(&self) -> bool {
        self.0.iter().any(|(letter, open)| *open && matches!(letter, '*' | '?' | '['))
    }
}

/// The commands of a line, each as its words.
pub(super) fn parse(line: &str) -> Result<Vec<Vec<Word>>, Refused> {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .map_err(|error| Refused::new(format!("the grammar of the shell cannot be loaded: {error}")))?;
    let tree = parser.parse(stand_in(line), None).ok_or_else(|| Refused::new("the line cannot be parsed"))?;
    let root = tree.root_node();
    if root.has_error() {
        return Err(Refused::new("the line is no complete command; quote what is not meant for the shell"));
    }
    let reader = Reader { line };
    let statements = children(root);
    let [statement] = statements.as_slice() else {
        return Err(match statements.iter().find(|node| !node.is_named()) {
            Some(node) => not_allowed(*node),
            None if statements.is_empty() => Refused::new("there is no command"),
            None => Refused::new("several commands in one line are not allowed; a pipe is"),
        });
    };
    match statement.kind() {
        "command" => Ok(vec![reader.command(*statement)?]),
        "pipeline" => {
            let mut commands = Vec::new();
            for child in children(*statement) {
                match child.kind() {
                    "command" => commands.push(reader.command(child)?),
                    "|" => {}
                    _ => return Err(not_allowed(child)),
                }
            }
            if commands.len() > MAX_COMMANDS {
                return Err(Refused::new(format!(
                    "a pipe of more than {MAX_COMMANDS} commands is not allowed"
                )));
            }
            Ok(commands)
        }
        _ => Err(not_allowed(*statement)),
    }
}

/// The line for the grammar: letters beyond ASCII mean nothing to a shell, and the grammar asks the C library about some of
/// them, which may only be asked about bytes. An `x` for each of their bytes keeps every place where it is.
fn stand_in(line: &str) -> Vec<u8> {
    line.bytes().map(|byte| if byte.is_ascii() { byte } else { b'x' }).collect()
}

fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

/// The refusal of a part of the tree, in words.
fn not_allowed(node: Node<'_>) -> Refused {
    let what = match node.kind() {
        "redirected_statement" | "file_redirect" | "|&" => "redirection",
        "heredoc_redirect" | "herestring_redirect" => "a here-document",
        "command_substitution" => "command substitution",
        "process_substitution" => "process substitution",
        "simple_expansion" | "expansion" | "arithmetic_expansion" => "expansion of variables",
        "variable_assignment" | "variable_assignments" => "assignment",
        "declaration_command" | "unset_command" => "changing variables",
        "subshell" | "compound_statement" => "grouping",
        "list" | ";" | "&&" | "||" => "several commands in one line",
        "&" => "running in the background",
        "ansi_c_string" | "ansi_c_string_content" | "translated_string" => "a string with `$` in front",
        "brace_expression" => "expansion of braces",
        "comment" => "a comment",
        other => return Refused::new(format!("`{other}` of the shell is not allowed")),
    };
    Refused::new(format!("{what} is not allowed"))
}

struct Reader<'l> {
    line: &'l str,
}

impl Reader<'_> {
    fn text(&self, node: Node<'_>) -> &str {
        self.line.get(node.byte_range()).unwrap_or_default()
    }

    /// Whether the word goes on behind a part of it.
    fn goes_on(&self, node: Node<'_>) -> bool {
        let rest = self.line.get(node.end_byte()..).unwrap_or_default();
        rest.chars().next().is_some_and(|next| !next.is_whitespace() && next != '|')
    }

    fn command(&self, node: Node<'_>) -> Result<Vec<Word>, Refused> {
        let mut words = Vec::new();
        for child in children(node) {
            let mut word = Word::default();
            match child.kind() {
                "command_name" => {
                    let inner = children(child);
                    let [inner] = inner.as_slice() else { return Err(not_allowed(child)) };
                    self.word(*inner, &mut word)?;
                }
                _ => self.word(child, &mut word)?,
            }
            words.push(word);
        }
        if words.len() > MAX_WORDS {
            return Err(Refused::new(format!("a command of more than {MAX_WORDS} words is not allowed")));
        }
        Ok(words)
    }

    fn word(&self, node: Node<'_>, word: &mut Word) -> Result<(), Refused> {
        let text = self.text(node);
        match node.kind() {
            _ if text == "{}" => {
                word.0.extend([('{', false), ('}', false)]);
                Ok(())
            }
            // A dollar and a quotation mark behind it are one thing in a shell.
            "word" | "$" if text.ends_with('$') && self.goes_on(node) => {
                Err(Refused::new("`$` inside a word is not allowed; quote it"))
            }
            "word" | "number" | "!" | "$" => plain(text, word),
            "raw_string" => {
                let inner = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
                let inner = inner.filter(|inner| !inner.contains('\'')).ok_or_else(|| not_allowed(node))?;
                word.0.extend(inner.chars().map(|letter| (letter, false)));
                Ok(())
            }
            "string" => {
                for child in children(node) {
                    if !matches!(child.kind(), "\"" | "string_content" | "$") {
                        return Err(not_allowed(child));
                    }
                }
                let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
                quoted(inner.ok_or_else(|| not_allowed(node))?, word)
            }
            "concatenation" => {
                let parts = children(node);
                // Words that touch each other in the tree but not in the line would be glued together.
                let torn = parts
                    .windows(2)
                    .any(|pair| matches!(pair, [left, right] if left.end_byte() != right.start_byte()));
                if torn {
                    return Err(not_allowed(node));
                }
                parts.into_iter().try_for_each(|part| self.word(part, word))
            }
            _ => Err(not_allowed(node)),
        }
    }
}

/// Text outside quotation marks.
fn plain(text: &str, word: &mut Word) -> Result<(), Refused> {
    let mut letters = text.chars().peekable();
    let mut first = word.0.is_empty();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                let next =
                    letters.next().ok_or_else(|| Refused::new("a backslash at the end is not allowed"))?;
                word.0.push((next, false));
            }
            '~' if first => return Err(Refused::new("`~` is not allowed; name paths inside the folder")),
            '$' if letters.peek().is_none() => word.0.push(('$', false)),
            '$' | '`' | '(' | ')' | '<' | '>' | '|' | '&' | ';' | '\'' | '"' | '{' | '}' => {
                return Err(Refused::new(format!("`{letter}` outside quotation marks is not allowed")));
            }
            letter if letter.is_whitespace() => {
                return Err(Refused::new("white space inside a word is not allowed; quote it"));
            }
            letter => word.0.push((letter, true)),
        }
        first = false;
    }
    Ok(())
}

/// Text inside double quotation marks.
fn quoted(text: &str, word: &mut Word) -> Result<(), Refused> {
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let letter = match letter {
            '\\' if letters.peek().is_some_and(|next| matches!(next, '$' | '`' | '"' | '\\')) => {
                letters.next().unwrap_or('\\')
            }
            // A dollar that begins nothing is one: the end of a line in a regular expression.
            '$' if letters.peek().is_none_or(|next| matches!(next, ' ' | '|' | ')' | '/')) => '$',
            '$' => return Err(Refused::new("expansion of variables is not allowed")),
            '`' => return Err(Refused::new("command substitution is not allowed")),
            '"' => return Err(Refused::new("the line is no complete command")),
            letter => letter,
        };
        word.0.push((letter, false));
    }
    Ok(())
}
