//! What tells a secret from other text of its shape.

use crate::text::redact::quality;
use crate::text::redact::telling::{self, Name};

/// What a match must pass beyond its shape.
#[derive(Clone, Copy)]
pub(in crate::text::redact) enum Check {
    /// The shape is enough.
    Shape,
    /// It must look generated: no readable words, no mask, and this entropy in bits per character.
    Random(f64),
    /// It must not be a placeholder.
    Value,
    /// It must look generated and be no name or expression of a program.
    Generated,
    /// It must hold digits and letters of both cases.
    Mixed,
    /// It must look generated, with digits among letters of both cases, and have no prefix of an identifier.
    Scrambled,
    /// It must hold digits and letters and be no name of a program.
    Opaque,
    /// It must hold digits, and look generated whatever its case.
    Seed,
    /// It must look like nothing but a password.
    Telling,
}

impl Check {
    /// Whether a match passes: the secret itself, and all that the shape matched.
    pub(super) fn accepts(self, secret: &str, whole: &str) -> bool {
        match self {
            Self::Shape => !secret.to_ascii_lowercase().contains("xxxxx"),
            Self::Random(least) => {
                let masked = secret.to_ascii_lowercase().contains("xxxxx");
                let plain = !secret.bytes().any(|byte| byte.is_ascii_digit()) && quality::is_words(secret);
                !masked && !plain && quality::entropy(secret) >= least
            }
            Self::Generated => {
                let named =
                    quality::is_words(secret) || quality::is_named(secret) || quality::is_expression(secret);
                !named && !quality::is_placeholder(secret) && quality::entropy(secret) >= 2.8
            }
            Self::Mixed => quality::is_mixed(secret) && quality::classes(secret) >= 3,
            Self::Opaque => {
                quality::is_mixed(secret)
                    && quality::classes(secret) >= 3
                    && quality::entropy(secret) >= 3.4
                    && !quality::is_words(secret)
                    && !quality::is_named(secret)
                    && !quality::is_hyphenated(secret)
                    && !quality::is_uuid(secret)
            }
            Self::Seed => {
                let digits = secret.bytes().any(|byte| byte.is_ascii_digit());
                let mixed = quality::is_mixed(secret) && quality::entropy(secret) >= 2.8;
                mixed
                    || digits
                        && secret.bytes().filter(u8::is_ascii_digit).count() >= 8
                        && quality::entropy(secret) >= 1.5
            }
            Self::Telling => telling::is_telling(secret, false, Name::Password),
            Self::Value => !quality::is_placeholder(secret),
            Self::Scrambled => {
                let prefix = whole.split('_').next().unwrap_or_default();
                let tail = whole.rsplit('_').next().unwrap_or_default();
                let long = tail.len() >= 28 && quality::entropy(tail) >= 4.0 && quality::is_mixed(tail);
                (quality::is_scrambled(tail) || long && !quality::is_identifier(tail))
                    && quality::classes(tail) >= 3
                    && !IDENTIFIERS.contains(&prefix.to_ascii_lowercase().as_str())
            }
        }
    }
}

/// Prefixes of identifiers that look generated and open nothing.
const IDENTIFIERS: &[&str] = &[
    "acct",
    "agent",
    "ami",
    "arn",
    "asst",
    "batch",
    "build",
    "call",
    "cell",
    "ch",
    "chatcmpl",
    "cmpl",
    "cntr",
    "commit",
    "container",
    "cus",
    "deploy",
    "dpl",
    "eni",
    "evt",
    "file",
    "i",
    "id",
    "img",
    "in",
    "inv",
    "item",
    "job",
    "msg",
    "op",
    "org",
    "part",
    "pi",
    "pk",
    "pm",
    "price",
    "prj",
    "prod",
    "proj",
    "prt",
    "req",
    "resp",
    "run",
    "ses",
    "sess",
    "session",
    "seti",
    "sha",
    "snap",
    "srvtoolu",
    "step",
    "sub",
    "subnet",
    "task",
    "team",
    "thread",
    "tool",
    "toolu",
    "trace",
    "txn",
    "user",
    "usr",
    "vol",
    "vpc",
];
