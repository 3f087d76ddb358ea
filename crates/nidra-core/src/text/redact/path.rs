//! Secrets in names of files. What stands around a secret in a path hides what it is, and nothing there tells of it.

use super::{Scope, redact_in};

/// How the name of a Markdown file ends.
const MARKDOWN: &str = ".md";
/// Letters and digits in a row that are no words any more: with capitals, and without.
const WITH_CAPITALS: usize = 20;
const WITHOUT: usize = 32;

/// A path with the secrets in its parts replaced, each part looked at alone.
pub fn redact_path(path: &str, scope: Scope) -> String {
    let part = |part: &str| {
        let (stem, end) = part.strip_suffix(MARKDOWN).map_or((part, ""), |stem| (stem, MARKDOWN));
        format!("{}{end}", redact_in(stem, scope))
    };
    redact_in(path, scope).split('/').map(part).collect::<Vec<_>>().join("/")
}

/// Whether a path holds no secret, as a whole and part by part. A run of letters and digits that nobody would write for
/// words counts as one.
pub fn is_clean_path(path: &str, scope: Scope) -> bool {
    redact_path(path, scope) == path
        && !path.split(|letter: char| !letter.is_ascii_alphanumeric()).any(is_opaque)
}

fn is_opaque(run: &str) -> bool {
    let count = |kind: fn(&u8) -> bool| run.bytes().filter(kind).count();
    let mixed = count(u8::is_ascii_digit) >= 2 && count(u8::is_ascii_alphabetic) >= 2;
    let capitals = count(u8::is_ascii_uppercase) >= 2;
    mixed && (run.len() >= WITHOUT || (run.len() >= WITH_CAPITALS && capitals))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::redact::sample::Generator;

    #[test]
    fn a_secret_in_a_name_is_seen_and_names_of_words_are_clean() {
        let mut generator = Generator::new(9);
        for template in [
            "memory/AK=«{upper:20}».md",
            "vercel: «{alnum:24}».md",
            "a/«ghp_{alnum:36}»/b.md",
            "«{alnum:40}».md",
            "«{hex:32}».md",
        ] {
            let sample = generator.sample(template);
            assert!(!is_clean_path(&sample.text, Scope::Secrets), "{}", sample.text);
        }
        for path in [
            "MEMORY.md",
            "plain-database-tests.md",
            "topics/how-to-deploy-2026-12-01.md",
            "预发环境/端口 4310.md",
            "6c384701-6a29-404b-8da8-1d986e3354f9.md",
            "loadtestresults20261201.md",
            "ADR0012RetryPolicy.md",
            "sklearn-version-pinned-to-1-4-for-the-reports.md",
        ] {
            assert!(is_clean_path(path, Scope::Secrets), "{path}: {}", redact_path(path, Scope::Secrets));
            assert_eq!(redact_path(path, Scope::Secrets), path);
        }
    }
}
