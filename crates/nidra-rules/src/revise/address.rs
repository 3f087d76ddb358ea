//! The parts of addresses: hosts, ports, and what only looks like a host.

use super::value::{Form, Value};
use nidra_core::text::expression;
use regex::Regex;
use std::sync::LazyLock;

/// The last parts of names of hosts that are no countries'; what else has two parts is the name of a file or a member.
const DOMAINS: &[&str] = &[
    "app",
    "arpa",
    "biz",
    "cloud",
    "cluster",
    "com",
    "corp",
    "dev",
    "edu",
    "example",
    "gov",
    "home",
    "info",
    "int",
    "internal",
    "intra",
    "intranet",
    "invalid",
    "lan",
    "local",
    "localhost",
    "mil",
    "net",
    "online",
    "org",
    "private",
    "pub",
    "site",
    "svc",
    "tech",
    "test",
    "xyz",
    "ai",
    "at",
    "au",
    "be",
    "br",
    "ca",
    "ch",
    "cn",
    "cz",
    "de",
    "dk",
    "es",
    "eu",
    "fi",
    "fr",
    "hk",
    "ie",
    "il",
    "in",
    "io",
    "it",
    "jp",
    "kr",
    "me",
    "mx",
    "nl",
    "no",
    "nz",
    "pt",
    "ru",
    "se",
    "sg",
    "tv",
    "tw",
    "uk",
    "us",
    "za",
];

/// Whether what looks like a host is the name of a file or a member: `nodes.tf`, `settings.unit`.
pub(super) fn is_file(words: &str) -> bool {
    let mut parts = words.split('.');
    let (Some(first), Some(last), None) = (parts.next(), parts.next(), parts.next()) else { return false };
    first.bytes().any(|byte| byte.is_ascii_alphabetic())
        && !last.contains(':')
        && !DOMAINS.contains(&last.to_lowercase().as_str())
}

/// The port of an address as a value of its own: what is said of a service often gives the port alone.
pub(super) fn port(address: &Value) -> Option<Value> {
    if !matches!(address.form, Form::Url | Form::Host) {
        return None;
    }
    let after = address.text.find("://").map_or(0, |at| at + 3);
    let host = address.text[after..].split('/').next()?;
    let digits = host.rsplit_once(':')?.1;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let end = address.range.start + after + host.len();
    Some(Value {
        form: Form::Port,
        range: end - digits.len()..end,
        text: digits.to_owned(),
        key: digits.to_owned(),
        noun: None,
    })
}

/// A host as a person tells it with its port apart, `db-2.example.test, port 4000`, where the old address gives one too.
pub(super) fn with_port(old: &Value, new: &Value, said: &str) -> Value {
    let told = || PORT.as_ref()?.captures(said.get(new.range.end..)?)?.name("port").map(|port| port.as_str());
    match told() {
        Some(told) if new.form == Form::Host && port(old).is_some() && port(new).is_none() => {
            let text = format!("{}:{told}", new.text);
            Value { key: text.to_lowercase(), text, ..new.clone() }
        }
        _ => new.clone(),
    }
}

static PORT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(
        r"(?i)^[\s,，(（]{0,3}(?:on |at |with )?(?:端口|port)(?: is|是|为|:|：)?\s*(?P<port>\d{2,5})\b",
    )
    .ok()
});

/// The host that an address names, without its protocol, port and path.
pub(super) fn host(address: &str) -> &str {
    let bare = address.split_once("://").map_or(address, |(_, rest)| rest);
    bare.split(['/', ':']).next().unwrap_or(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_told_apart_goes_with_its_host() {
        use super::super::value::find;
        for (said, port) in [
            ("the ledger sits on db-2.example.test, port 4000 now", "4000"),
            ("账本库在 db-2.example.test 端口 4000", "4000"),
        ] {
            let old = find("ledger at db-1.example.test:3306");
            assert_eq!(with_port(&old[0], &find(said)[0], said).text, format!("db-2.example.test:{port}"));
        }
        let said = "the ledger sits on db-2.example.test";
        assert_eq!(
            with_port(&find("db-1.example.test:3306")[0], &find(said)[0], said).text,
            "db-2.example.test"
        );
    }

    #[test]
    fn files_and_members_are_no_hosts() {
        assert!(is_file("nodes.tf") && is_file("settings.unit"));
        assert!(!is_file("pages.example") && !is_file("box.lan:8080") && !is_file("db.prod.internal"));
    }
}
