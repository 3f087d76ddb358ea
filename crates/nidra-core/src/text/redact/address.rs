//! Passwords in addresses: `scheme://user:password@host`.

use super::Take;
use super::quality;
use std::ops::Range;

/// The name of the rule.
pub(super) const NAME: &str = "url-password";

/// Passwords in addresses: `scheme://user:password@host`.
pub(super) fn addresses(text: &str, line: Range<usize>, take: &mut Take<'_>) {
    let words = &text[line.clone()];
    for (at, mark) in words.match_indices("://") {
        if !words[..at].ends_with(|c: char| c.is_ascii_alphanumeric()) {
            continue;
        }
        let start = at + mark.len();
        let rest = &words[start..];
        let stop = |c: char| {
            c.is_whitespace()
                || c.is_control()
                || matches!(c, '"' | '\'' | '`' | '<' | '>' | '\\' | '，' | '。' | '）')
        };
        let length = rest
            .char_indices()
            .take(512)
            .find(|&(_, c)| stop(c))
            .map_or_else(|| rest.char_indices().nth(512).map_or(rest.len(), |(end, _)| end), |(end, _)| end);
        let token = &rest[..length];
        let Some(colon) =
            token.find([':', '/', '?', '#', '@']).filter(|&colon| token[colon..].starts_with(':'))
        else {
            continue;
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
        let Some(end) = inner.filter(|&end| end > colon + 1 && end + 1 < token.len()) else { continue };
        if !quality::is_placeholder(&token[colon + 1..end]) {
            take(NAME, line.start + start + colon + 1..line.start + start + end);
        }
    }
}
