//! Passwords on the line below the words that announce them: `the password is as follows`, `密码如下`, or the name alone.

use super::assignment;
use super::name::Strength;
use super::telling::{self, Name};
use super::value::Value;
use super::{Take, floor, fold, plain, statement, turned};

/// How long the rest of a line is at most whose statement goes on below, in bytes.
const MOST_REST: usize = 60;

/// How far into the next line a value is looked for, in bytes.
const REACH: usize = 400;

/// With what a line ends whose statement goes on below.
const JOINTS: &[&str] = &[
    " is",
    " are",
    " to",
    "=",
    " follows",
    " below",
    " following",
    " here",
    " this",
    " this one",
    "是",
    "为",
    "為",
    "成",
    "成了",
    "用",
    "如下",
    "下面",
    "这个",
    "这个了",
];

/// With what the next line begins that goes on with a statement.
const BEGINNINGS: &[&str] = &["is ", "is: ", "was ", ":", "：", "=", "是：", "是:", "是", "为：", "为"];

/// Whether nothing but what points below follows a name, and then whether anything points; the text is the rest of its
/// line.
pub(super) fn pointing(rest: &str) -> Option<bool> {
    let rest = rest.trim_end();
    if rest.len() > MOST_REST {
        return None;
    }
    let bare = rest.trim_end_matches([':', '：', '.', '。', ',', '，', '*', '`', '"', '…']).trim_end();
    let bare = bare.strip_prefix('s').unwrap_or(bare);
    let bare = bare.strip_prefix("短语").unwrap_or(bare);
    if bare.is_empty() {
        return Some(rest.contains([':', '：']));
    }
    JOINTS.iter().any(|joint| bare.ends_with(joint)).then_some(true)
}

/// Gives the value that stands below a line which ends here; `points` says whether that line points there.
pub(super) fn below(text: &str, end: usize, points: bool, take: &mut Take<'_>) {
    let start = item(text, fold::next_words(text, end));
    if points && let Some(value) = assignment::next_line_value(text, start, Strength::Password) {
        take(statement::NAME, value);
        return;
    }
    let rest = &text[start..floor(text, start + REACH)];
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    let joint = BEGINNINGS.iter().find(|joint| line.starts_with(**joint));
    let head = joint.map_or(0, |joint| joint.len());
    let inner = line[head..].trim_start();
    let from = start + line.len() - inner.len();
    let range = from..start + line.len();
    if let Some(words) = plain::spelled(text, range.clone()).filter(|_| joint.is_some()) {
        take(statement::NAME, words);
        return;
    }
    let Some(value) = Value::read(text, range.clone(), false) else { return };
    let word = &text[value.range.clone()];
    let behind = text[value.range.end..range.end].trim_start_matches(turned::QUOTES);
    let behind =
        behind.trim_matches(|c: char| c.is_whitespace() || matches!(c, '.' | '。' | '!' | '！' | '\\'));
    let closed = behind.is_empty() || joint.is_some() && telling::ends_clause(behind);
    // Between a name and a line that neither points there nor is pointed at, there may be anything: a path, a host.
    if joint.is_none() && !points && word.contains(['/', '.', ':', ',', ';', '\\']) {
        return;
    }
    let told = telling::is_telling(word, value.quoted, Name::Password) || plain::is_passphrase(word);
    if closed && told {
        take(statement::NAME, value.range);
    }
}

/// Where the words of an item of a list start.
fn item(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    at + ["- ", "* ", "+ ", "• "].iter().find(|mark| rest.starts_with(**mark)).map_or(0, |mark| mark.len())
}
