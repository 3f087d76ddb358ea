//! What tells who a person is: addresses of mail, telephone numbers, numbers of identity papers, cards and accounts.
//!
//! It is no secret, and much of it belongs into memory, so it is looked for only where the settings ask for it.

use super::{Take, login};
use regex::Regex;
use std::sync::LazyLock;

/// The names of the rules.
pub(super) const RULES: [&str; 5] = [EMAIL, PHONE, IDENTITY, CARD, ACCOUNT];

const EMAIL: &str = "e-mail-address";
const PHONE: &str = "phone-number";
const IDENTITY: &str = "identity-number";
const CARD: &str = "card-number";
const ACCOUNT: &str = "account-number";

/// Text that it must find, as templates for a generator, by rule. The numbers are made so that their check digits are
/// right.
#[cfg(test)]
pub(super) const POSITIVE: &[(&str, &str)] = &[
    (EMAIL, "write to «{letter:6}.{letter:8}@{letter:7}.org» today"),
    (EMAIL, "发给«{letter:6}@{letter:5}.com.cn»就行"),
    (EMAIL, "mailto:«{letter:6}@{letter:7}.org»"),
    (EMAIL, "邮箱:«{letter:6}@{letter:7}.org»"),
    (EMAIL, "the ssh key is for «{letter:6}@{letter:7}.org», send it"),
    (EMAIL, "answer «{letter:6}@{letter:7}.org»: he knows"),
    (PHONE, "call «+49 30 {digit:4} {digit:4}» tomorrow"),
    (PHONE, "手机号«13{digit:9}»，下午打"),
    (PHONE, "phone: «(415) 555-{digit:4}»"),
    (IDENTITY, "身份证号 «{resident}» 已核验"),
    (IDENTITY, "SSN «123-45-6789» on file"),
    (CARD, "card «{card}» was declined"),
    (ACCOUNT, "IBAN «DE89 3704 0044 0532 0130 00» please"),
];

/// Text that it must leave as it is.
#[cfg(test)]
pub(super) const NEGATIVE: &[&str] = &[
    "git@github.com:org/repo.git",
    "ssh -p 2222 deploy@web.shop.test uptime",
    "scp a.tar deploy@web.shop.test:/srv/a",
    "git clone forge@code.shop.test:team/app.git",
    "deploy@web.shop.test:~$ ls",
    "deploy@web.shop.test's password:",
    "pip install pkg@1.2.3.dev",
    "用 ssh deploy@web.shop.test 登录",
    "@scope/package@1.2.3 and user@host",
    "noreply@example.com",
    "listening on 0.0.0.0:8080 since 2026-06-08 12:00:01",
    "build 20260608123456 took 1234567890 ns",
    "version 1.2.3.4, id 550e8400-e29b-41d4-a716-446655440000",
    "order 123456789012 and 1234567890123456",
    "0x1f3870be274f6c49b3e31a0c6728957f",
];

/// An address of mail.
static MAIL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i-u)\b([a-z0-9][a-z0-9._%+\-]{0,63})@(?:[a-z0-9\-]{1,63}\.){1,4}[a-z]{2,24}\b").ok()
});

/// What stands before the `@` of machines.
const MACHINES: &[&str] = &[
    "git",
    "hg",
    "svn",
    "ssh",
    "noreply",
    "no-reply",
    "donotreply",
    "actions",
    "root",
    "gitea",
    "forgejo",
    "gitlab",
    "ec2-user",
    "vagrant",
];

/// Digits with the marks that people put between them, and the letters around an account or an identity number.
static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?-u:[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?|\(?\+?[0-9(][0-9() .\-]{6,24}[0-9][Xx]?)").ok()
});

/// Gives what tells who a person is.
pub(super) fn personal(text: &str, take: &mut Take<'_>) {
    if let Some(regex) = MAIL.as_ref() {
        for found in regex.captures_iter(text) {
            let (Some(whole), Some(name)) = (found.get(0), found.get(1)) else { continue };
            let machine = MACHINES.contains(&name.as_str().to_ascii_lowercase().as_str());
            if !machine && !login::is_login(text, whole.range()) {
                take(EMAIL, whole.range());
            }
        }
    }
    let Some(regex) = NUMBER.as_ref() else { return };
    for found in regex.find_iter(text) {
        let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '/');
        let joined = text[..found.start()].ends_with(part)
            || text[found.end()..].starts_with(|c: char| part(c) && c != '.' && c != '-');
        if let Some(rule) = kind(found.as_str()).filter(|_| !joined) {
            take(rule, found.range());
        }
    }
}

/// What a number is; `None` for numbers of another kind.
fn kind(number: &str) -> Option<&'static str> {
    let digits: Vec<u8> = number.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
    if number.starts_with(|c: char| c.is_ascii_uppercase()) {
        return is_account(number).then_some(ACCOUNT);
    }
    let plain = digits.len() == number.len();
    if is_resident(number) || is_social_security(number) {
        return Some(IDENTITY);
    }
    let grouped = plain || number.split([' ', '-']).all(|group| (3..=6).contains(&group.len()));
    if grouped
        && (14..=19).contains(&digits.len())
        && matches!(digits.first(), Some(3..=6))
        && is_luhn(&digits)
    {
        return Some(CARD);
    }
    let abroad = number.starts_with('+') && (9..=15).contains(&digits.len()) && !number.contains('.');
    let chinese = plain && digits.len() == 11 && matches!(digits.as_slice(), [1, 3..=9, ..]);
    let american = digits.len() == 10
        && (number.starts_with('(') && number.contains(')')
            || number.split(['-']).map(str::len).eq([3, 3, 4]));
    (abroad || chinese || american).then_some(PHONE)
}

/// Whether the check digit of a card is right.
fn is_luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, &digit)| {
            let digit = u32::from(digit);
            if place % 2 == 0 { digit } else { digit * 2 / 10 + digit * 2 % 10 }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// The weights of the digits of a Chinese resident identity number, and the check character for each remainder.
const WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
const CHECKS: &[u8; 11] = b"10X98765432";

/// The check character that belongs to the first digits of a resident identity number.
pub(super) fn resident_check(digits: &[u8]) -> Option<u8> {
    let sum: u32 = digits.iter().zip(WEIGHTS).map(|(digit, weight)| u32::from(digit - b'0') * weight).sum();
    CHECKS.get(usize::try_from(sum % 11).ok()?).copied()
}

fn is_resident(number: &str) -> bool {
    let bytes = number.as_bytes();
    let (Some(head), Some(last)) = (bytes.get(..17), bytes.get(17)) else { return false };
    bytes.len() == 18
        && head.iter().all(u8::is_ascii_digit)
        && matches!(&head[6..8], b"19" | b"20")
        && resident_check(head) == Some(last.to_ascii_uppercase())
}

fn is_social_security(number: &str) -> bool {
    let mut groups = number.split('-');
    let [Some(area), Some(group), Some(serial), None] =
        [groups.next(), groups.next(), groups.next(), groups.next()]
    else {
        return false;
    };
    let digits = [area, group, serial].iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    digits
        && [area.len(), group.len(), serial.len()] == [3, 2, 4]
        && !area.starts_with('9')
        && area != "000"
        && area != "666"
}

/// Whether the check digits of an international account number are right.
fn is_account(number: &str) -> bool {
    let plain: Vec<u8> = number.bytes().filter(|byte| *byte != b' ').collect();
    if !(15..=34).contains(&plain.len()) {
        return false;
    }
    let (head, tail) = plain.split_at(4);
    let remainder = tail.iter().chain(head).fold(0_u32, |remainder, &byte| match byte {
        b'0'..=b'9' => (remainder * 10 + u32::from(byte - b'0')) % 97,
        _ => (remainder * 100 + u32::from(byte.to_ascii_uppercase() - b'A') + 10) % 97,
    });
    remainder == 1
}

/// The check digit that makes a number of a card right.
pub(super) fn card_check(digits: &[u8]) -> u8 {
    let mut values: Vec<u8> = digits.iter().map(|digit| digit - b'0').collect();
    values.push(0);
    (0..10)
        .find(|&check| {
            if let Some(last) = values.last_mut() {
                *last = check;
            }
            is_luhn(&values)
        })
        .unwrap_or_default()
        + b'0'
}
