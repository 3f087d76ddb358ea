//! Passwords in addresses: `scheme://user:password@host`.

use super::Take;
use super::quality;
use std::ops::Range;

/// The name of the rule.
pub(super) const NAME: &str = "url-password";

/// What stands in every address.
pub(super) const KEYWORDS: &[&str] = &["://"];

/// An address is read up to here, in bytes.
const LIMIT: usize = 512;

/// Gives the password of the address whose mark is here.
pub(super) fn address(text: &str, mark: Range<usize>, take: &mut Take<'_>) {
    if !text[..mark.start].ends_with(|c: char| c.is_ascii_alphanumeric()) {
        return;
    }
    let rest = &text[mark.end..super::floor(text, mark.end + LIMIT)];
    let stop = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '"' | '\'' | '`' | '<' | '>' | '\\' | '，' | '。' | '）')
    };
    let token = &rest[..rest.find(stop).unwrap_or(rest.len())];
    let Some(colon) = token.find([':', '/', '?', '#', '@']).filter(|&colon| token[colon..].starts_with(':'))
    else {
        return;
    };
    let authority = token.find(['/', '?', '#']).unwrap_or(token.len());
    let inner = token[..authority].rfind('@').or_else(|| {
        // A password with `/`, `?` or `#` in it: what follows the colon is no port, and a host comes later.
        let port = token[colon + 1..authority].bytes().all(|byte| byte.is_ascii_digit());
        if port { None } else { token.find('@') }
    });
    // The same with an `@` before the mark: what follows that one is no host.
    let inner = inner.map(|end| {
        let host = &token[end + 1..authority.max(end + 1)];
        let named = host.contains(['.', ':', '[']) || host == "localhost";
        let later = token.rfind('@').filter(|&later| later > end && !named);
        later
            .filter(|&later| token[later + 1..].starts_with(|c: char| c.is_ascii_alphanumeric()))
            .unwrap_or(end)
    });
    let Some(end) = inner.filter(|&end| end > colon + 1 && end + 1 < token.len()) else { return };
    if !quality::is_placeholder(&token[colon + 1..end]) {
        take(NAME, mark.end + colon + 1..mark.end + end);
    }
}
