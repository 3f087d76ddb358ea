//! Tells a login at a machine, `deploy@web.test`, from an address of mail: both are written alike.

use std::ops::Range;

/// How far before an address its command is looked for, in bytes.
const REACH: usize = 160;

/// Commands whose arguments are logins.
const COMMANDS: &[&str] = &[
    "ssh",
    "scp",
    "sftp",
    "rsync",
    "mosh",
    "autossh",
    "sshfs",
    "ssh-copy-id",
    "sshpass",
    "sshuttle",
    "ssh-keyscan",
    "pssh",
    "et",
    "lftp",
];

/// Words between a command and a login in a sentence.
const BETWEEN: &[&str] =
    &["to", "into", "as", "via", "with", "in", "in:", "host", "到", "登录", "连接", "连"];

/// What stands before the colon of an address of mail.
const LABELS: &[&str] = &[
    "mailto", "email", "e-mail", "mail", "to", "from", "cc", "bcc", "reply-to", "contact", "sender", "xmpp",
    "author",
];

/// Whether what stands at this place of a text is a login at a machine, a part of an address, or a version of a
/// package.
pub(super) fn is_login(text: &str, range: Range<usize>) -> bool {
    let before = &text[super::floor(text, range.start.saturating_sub(REACH))..range.start];
    let before = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
    let behind = &text[range.end..super::floor(text, range.end + REACH)];
    let behind = &behind[..behind.find('\n').unwrap_or(behind.len())];
    is_part(before)
        || is_version(&text[range])
        || names_place(behind)
        || is_prompt(before, behind)
        || is_argument(before)
}

/// Whether an address or a name of a package goes on here; behind the name of a field, mail follows.
fn is_part(before: &str) -> bool {
    if !before.ends_with(':') {
        return before.ends_with(['/', '@']);
    }
    let head = before.trim_end_matches(':');
    let label = head.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '-').map_or(head, |mark| {
        let mark = mark + head[mark..].chars().next().map_or(1, char::len_utf8);
        &head[mark..]
    });
    !(LABELS.contains(&label.to_ascii_lowercase().as_str()) || head.ends_with(|c: char| !c.is_ascii()))
}

/// `name@1.2.3.dev`: the host of mail has letters.
fn is_version(address: &str) -> bool {
    let host = address.rsplit('@').next().unwrap_or_default();
    host.split('.').next().is_some_and(|label| label.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a path, a port or a word of a shell follows the host: `:/srv`, `:~`, `:22`, `:team/app.git`, `'s password`.
fn names_place(behind: &str) -> bool {
    if behind.starts_with("'s password") || behind.starts_with(": Permission denied") {
        return true;
    }
    let Some(place) = behind.strip_prefix(':') else { return false };
    let run = &place[..place
        .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ')' | '，' | '。'))
        .unwrap_or(place.len())];
    let port = run.trim_end_matches([',', '.', ';', ':']);
    run.starts_with(['/', '~', '.'])
        || run.contains('/')
        || run.trim_end_matches([',', '.', ';']).rsplit('.').next() == Some("git")
        || (1..=5).contains(&port.len()) && port.bytes().all(|byte| byte.is_ascii_digit())
}

/// `[deploy@web.test ~]$`.
fn is_prompt(before: &str, behind: &str) -> bool {
    before.ends_with('[')
        && behind.starts_with(' ')
        && behind.find(']').is_some_and(|at| behind[at + 1..].starts_with(['$', '#']))
}

/// Whether a command for logins stands before, with nothing but its options and other arguments between.
fn is_argument(before: &str) -> bool {
    let mut open = false;
    for (index, word) in before.split_whitespace().rev().enumerate().take(16) {
        let word = word.trim_start_matches(['`', '$', '"', '\'', '(']);
        let name = word.rsplit('/').next().unwrap_or(word);
        // Chinese stands right beside a command.
        let name = name.trim_start_matches(|c: char| !c.is_ascii());
        if COMMANDS.contains(&name) {
            return !open;
        }
        let option = word.starts_with('-');
        let argument =
            word.contains(['.', ':', '/', '=', '@']) || word.bytes().all(|byte| byte.is_ascii_digit());
        let joins = index == 0 && BETWEEN.contains(&word);
        // The word of an option: `-i key`.
        if open && !option {
            return false;
        }
        open = !option && !argument && !joins;
        if matches!(word, "|" | ";" | "&&" | "||") || word.ends_with([';', ',']) {
            return false;
        }
    }
    false
}
