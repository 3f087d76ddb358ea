//! What in a text can be looked up in a checkout, by the shape of the words alone.

use super::AnchorKind;
use super::command::{self, Run};
use super::files::{self, is_file_name};
use nidra_core::text::expression;
use nidra_core::text::markup::{covers, inline_code, urls};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Something that an entry names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Anchor {
    /// What kind of thing it is.
    pub kind: AnchorKind,
    /// As the entry writes it.
    pub text: String,
    /// Where it stands.
    pub range: Range<usize>,
    /// What it means.
    pub target: Target,
}

/// What an anchor means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Something that no checkout can tell, with the reason.
    Outside(&'static str),
    /// An absolute path.
    Absolute(String),
    /// A pattern of paths, which counts only when a file matches it.
    Pattern(String),
    /// A path from the root. A weak one counts only when it is there.
    Path { path: String, line: Option<u64>, weak: bool },
    /// The name of a file.
    Name { name: String, line: Option<u64> },
    /// A name in the sources. A weak one counts only when it is there.
    Symbol { name: String, weak: bool },
    /// A variable or key. A weak one counts only when it is there.
    Key { name: String, weak: bool },
    /// A script or target that is run.
    Run(Run),
    /// A branch.
    Branch(String),
}

/// Words between blanks, brackets and Chinese.
static TOKEN: LazyLock<Option<Regex>> =
    LazyLock::new(|| expression::new(r"[A-Za-z0-9_.~$@*{}<>/\\:#+%-]+").ok());
/// A line behind a path: `a.rs:186`, `a.rs:10-20`, `a.rs#L5`.
static LINE: LazyLock<Option<Regex>> =
    LazyLock::new(|| expression::new(r"^(.+?)(?::(\d+)(?:[-:]\d+)*|#L(\d+)(?:-L?\d+)?)$").ok());
/// A call or a name with its scope.
static SYMBOL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(
        r"^(?:[&*]|new )?([A-Za-z_$][\w$]*(?:(?:::|\.|#|->)[A-Za-z_$][\w$]*)*)(!?\([^`]*\)|!)?;?$",
    )
    .ok()
});
/// A branch, behind the word and before it.
static BRANCHES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r"(?i)\bbranch(?:es)?(?: (?:is|are|named|called))?:? [`'\u{22}]?([\w][\w./-]+)",
        r"(?i)([\w][\w./-]+)[`'\u{22}]? branch\b",
        r"分支(?:是|叫|为|名|：|:)*\s?[`“]?([A-Za-z][\w./-]+)",
        r"([A-Za-z][\w./-]+)[`”]?\s?分支",
    ]
    .into_iter()
    .filter_map(super::clause::pattern)
    .collect()
});
/// Branches that are the trunk of many repositories.
pub(super) const TRUNKS: &[&str] = &["main", "master", "develop", "trunk"];
/// Words that open a declaration: such code is quoted, not cited.
const DECLARES: &[&str] = &[
    "fn",
    "pub",
    "def",
    "class",
    "struct",
    "enum",
    "impl",
    "trait",
    "func",
    "function",
    "const",
    "let",
    "var",
    "type",
    "interface",
    "async",
    "public",
    "private",
    "static",
    "void",
    "import",
    "from",
    "use",
    "return",
    "if",
    "for",
    "export",
];
/// Names with capitals inside that are products.
const PRODUCTS: &[&str] = &[
    "GitHub",
    "GitLab",
    "TypeScript",
    "JavaScript",
    "PostgreSQL",
    "MySQL",
    "SQLite",
    "MongoDB",
    "GraphQL",
    "OpenAPI",
    "DevOps",
    "macOS",
    "iOS",
    "YouTube",
    "LinkedIn",
    "WebSocket",
    "OAuth",
    "CircleCI",
    "VSCode",
    "IntelliJ",
    "PyCharm",
    "FastAPI",
    "NumPy",
    "PyTorch",
    "OpenAI",
    "ClickHouse",
    "RabbitMQ",
    "JetBrains",
    "CloudFront",
    "DynamoDB",
    "WeChat",
    "DingTalk",
    "NextAuth",
    "StackOverflow",
    "PowerShell",
    "CloudWatch",
    "OpenTelemetry",
    "TestFlight",
    "PagerDuty",
];

/// Finds what can be looked up, in the order of the words.
pub(super) fn find(text: &str) -> Vec<Anchor> {
    let addresses = urls(text);
    let mut found: Vec<Anchor> = addresses
        .iter()
        .map(|range| Anchor {
            kind: AnchorKind::Address,
            text: text[range.clone()].to_owned(),
            range: range.clone(),
            target: Target::Outside("an address is not looked up"),
        })
        .collect();
    let spans = inline_code(text);
    for span in &spans {
        let marks = text[span.clone()].bytes().take_while(|byte| *byte == b'`').count();
        let inner = span.start + marks..span.end - marks;
        if inner.start < inner.end && !covers(&addresses, inner.start) {
            code(text, inner, &mut found);
        }
    }
    let outside = |at: usize| !covers(&addresses, at) && !covers(&spans, at);
    for token in TOKEN.iter().flat_map(|token| token.find_iter(text)).filter(|token| outside(token.start())) {
        let (word, start) = trimmed(token.as_str(), token.start());
        if let Some(target) = path(word, true).or_else(|| word_in_prose(word)) {
            found.push(anchor(word, start, target));
        }
    }
    for run in command::in_prose(text).into_iter().filter(|(range, _)| outside(range.start)) {
        found.push(anchor(&text[run.0.clone()], run.0.start, Target::Run(run.1)));
    }
    branches(text, &addresses, &mut found);
    found.sort_by_key(|anchor| anchor.range.start);
    found
}

/// The part of an absolute path below the root of the checkout.
pub(super) fn below(path: &str, root: &str) -> Option<String> {
    let rest = path.strip_prefix(root.trim_end_matches('/'))?.strip_prefix('/')?;
    (!root.is_empty() && !rest.is_empty()).then(|| rest.trim_end_matches('/').to_owned())
}

fn anchor(text: &str, start: usize, target: Target) -> Anchor {
    let kind = match &target {
        Target::Outside(_) | Target::Absolute(_) | Target::Pattern(_) | Target::Path { .. } => {
            AnchorKind::Path
        }
        Target::Name { .. } => AnchorKind::FileName,
        Target::Symbol { .. } => AnchorKind::Symbol,
        Target::Key { .. } => AnchorKind::Key,
        Target::Run(_) => AnchorKind::Script,
        Target::Branch(_) => AnchorKind::Branch,
    };
    Anchor { kind, text: text.to_owned(), range: start..start + text.len(), target }
}

/// A word without the punctuation around it.
fn trimmed(word: &str, start: usize) -> (&str, usize) {
    let word = word.trim_end_matches(['.', ',', ':', ';', '\\', '#', '%', '+', '-']);
    let bare = word.trim_start_matches([':', '+', '%', '#']);
    (bare, start + word.len() - bare.len())
}

/// What one span of code names.
fn code(text: &str, inner: Range<usize>, found: &mut Vec<Anchor>) {
    let whole = text[inner.clone()].trim();
    let start = inner.start + text[inner].find(whole).unwrap_or(0);
    if whole.is_empty() {
        return;
    }
    if !whole.contains(char::is_whitespace) {
        if let Some(target) = path(whole, false).or_else(|| name_in_code(whole)) {
            found.push(anchor(whole, start, target));
        }
        return;
    }
    let first = whole.split_whitespace().next().unwrap_or_default();
    if DECLARES.contains(&first) {
        return;
    }
    let runs = command::parse(whole);
    for run in &runs {
        found.push(anchor(whole, start, Target::Run(run.clone())));
    }
    if runs.is_empty()
        && whole.contains('(')
        && let Some(target @ Target::Symbol { .. }) = name_in_code(whole)
    {
        found.push(anchor(whole, start, target));
        return;
    }
    // The arguments of a command name files like words between blanks do.
    for token in TOKEN.iter().flat_map(|token| token.find_iter(whole)) {
        let (word, at) = trimmed(token.as_str(), start + token.start());
        if let Some(target) = path(word, true) {
            found.push(anchor(word, at, target));
        }
    }
}

/// A path or the name of a file. `strict` is for prose.
fn path(word: &str, strict: bool) -> Option<Target> {
    let (bare, line) = match LINE.as_ref().and_then(|line| line.captures(word)) {
        Some(found) => {
            let number = found.get(2).or_else(|| found.get(3))?.as_str().parse().ok();
            (found.get(1)?.as_str(), number)
        }
        None => (word, None),
    };
    if bare.contains("://") || bare.len() < 3 {
        return None;
    }
    if bare.starts_with(['~', '$']) && bare.contains('/') {
        return Some(Target::Outside("it lies outside the checkout"));
    }
    let drive = bare.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && bare[1..].starts_with(":\\");
    if drive || bare.starts_with("\\\\") {
        return Some(Target::Outside("it lies outside the checkout"));
    }
    if let Some(rest) = bare.strip_prefix('/') {
        let meant = rest.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'));
        return meant.then(|| Target::Absolute(bare.to_owned()));
    }
    let slashed = if bare.contains('/') { bare.to_owned() } else { bare.replace('\\', "/") };
    let slashed = slashed.trim_start_matches("./");
    if !slashed.contains('/') {
        let plain = !slashed.contains(['*', '{', '}', '<', '>', '$', '@', ':', '%', '#']);
        return (plain && is_file_name(slashed, strict) && !files::is_document(slashed))
            .then(|| Target::Name { name: slashed.to_owned(), line });
    }
    if slashed.starts_with("../") {
        return Some(Target::Outside("it lies outside the checkout"));
    }
    // More stars than that would take long to try, and nobody writes them.
    if slashed.contains('*')
        && slashed.matches('*').count() <= 4
        && !slashed.contains(['{', '}', '<', '>', '$'])
    {
        return Some(Target::Pattern(slashed.to_owned()));
    }
    if slashed.contains(['*', '{', '}', '<', '>', '$']) || slashed.contains("...") {
        return Some(Target::Outside("it is a pattern, not a path"));
    }
    if slashed.contains([':', '#', '%', '\\']) || slashed.contains("//") {
        return None;
    }
    let wordy = slashed.split('/').any(|part| part.chars().any(|c| c.is_ascii_alphabetic()));
    if !wordy {
        return None;
    }
    // A folder by itself has to be a usual one: `feature/` opens the names of branches.
    let folder = slashed.ends_with('/')
        && (files::starts_usually(slashed) || slashed.trim_end_matches('/').contains('/'));
    let named = is_file_name(files::base(slashed), false) || folder;
    let weak = !named && (strict || slashed.ends_with('/') || !files::starts_usually(slashed));
    Some(Target::Path { path: slashed.trim_end_matches('/').to_owned(), line, weak })
}

/// A name in code that is no path.
fn name_in_code(word: &str) -> Option<Target> {
    let found = SYMBOL.as_ref()?.captures(word)?;
    let scoped = found.get(1)?.as_str();
    let call = found.get(2).is_some_and(|call| call.as_str() != "!");
    let last = scoped.rsplit([':', '.', '#', '>']).next()?;
    if last.len() < 3 {
        return None;
    }
    let name = last.to_owned();
    if is_constant(last) {
        return Some(Target::Key { name, weak: false });
    }
    // With dots it can be the key of a setting or part of a library.
    let dotted = scoped.contains('.');
    let scope = scoped.contains("::") || scoped.contains('#');
    if call && !dotted && last.len() > 3 {
        return Some(Target::Symbol { name, weak: false });
    }
    if !dotted && (scope || is_camel(last) || is_snake(last)) && !PRODUCTS.contains(&last) {
        // A bare snake-case word is a package, a table, a label as often as a function.
        return Some(Target::Symbol { name, weak: !scope && !is_camel(last) });
    }
    (dotted && (call || is_camel(last) || is_snake(last))).then_some(Target::Symbol { name, weak: true })
}

/// A name in prose: it counts when it is there, and says nothing when it is not.
fn word_in_prose(word: &str) -> Option<Target> {
    let plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !plain || word.len() < 4 || PRODUCTS.contains(&word) {
        return None;
    }
    let name = word.to_owned();
    if is_constant(word) {
        return Some(Target::Key { name, weak: true });
    }
    (is_camel(word) || is_snake(word)).then_some(Target::Symbol { name, weak: true })
}

fn is_constant(word: &str) -> bool {
    word.contains('_')
        && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && word.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Two humps or more, with small letters in between.
fn is_camel(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        && !word.contains('-')
}

fn is_snake(word: &str) -> bool {
    let inner = word.trim_matches('_');
    inner.contains('_')
        && inner.len() > 4
        && inner.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Branches that stand beside the word.
fn branches(text: &str, addresses: &[Range<usize>], found: &mut Vec<Anchor>) {
    for captures in BRANCHES.iter().flat_map(|branch| branch.captures_iter(text)) {
        let Some(name) = captures.get(1) else { continue };
        let word = name.as_str().trim_end_matches(['.', '-']);
        let coded = text[..name.start()].ends_with('`');
        let shaped = word.contains('/') || word.bytes().any(|byte| byte.is_ascii_digit());
        if word.ends_with('/')
            || covers(addresses, name.start())
            || !(coded || shaped || TRUNKS.contains(&word))
        {
            continue;
        }
        // The same word was taken for a path; the branch is what is meant.
        let range = name.start()..name.start() + word.len();
        found.retain(|other| other.range.start != range.start || other.kind == AnchorKind::Address);
        found.push(anchor(word, range.start, Target::Branch(word.trim_start_matches("origin/").to_owned())));
    }
}

#[cfg(test)]
#[path = "anchor_tests.rs"]
mod tests;
