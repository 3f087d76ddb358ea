//! The shapes of tokens that are known by themselves, as data.
//!
//! Lengths are lower bounds, a little below what the issuers use: a token that lost its last characters is still
//! a secret.

use super::{Take, quality};
use regex::Regex;
use std::ops::Range;
use std::sync::OnceLock;

/// What a match must pass beyond its shape.
#[derive(Clone, Copy)]
pub(super) enum Check {
    /// The shape is enough.
    Shape,
    /// It must look generated: no readable words, no mask, and this entropy in bits per character.
    Random(f64),
    /// It must not be a placeholder.
    Value,
    /// It must look generated, with digits among letters of both cases, and have no prefix of an identifier.
    Scrambled,
}

/// A rule: which lines it reads, what it matches, and what the match must pass.
pub(super) struct Rule {
    /// The name in placeholders.
    pub(super) name: &'static str,
    /// Only lines with one of these, in any case, are read.
    pub(super) keywords: &'static [&'static str],
    /// The shape; the secret is the first group, or everything where there is none.
    pub(super) pattern: &'static str,
    /// What the match must pass.
    pub(super) check: Check,
    compiled: OnceLock<Option<Regex>>,
}

const fn rule(
    name: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
    check: Check,
) -> Rule {
    Rule { name, keywords, pattern, check, compiled: OnceLock::new() }
}

impl Rule {
    /// The compiled shape; `None` only for a shape that does not compile, which a test excludes.
    pub(super) fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| Regex::new(self.pattern).ok()).as_ref()
    }

    /// Gives the secrets of a line.
    pub(super) fn scan(&self, text: &str, line: Range<usize>, take: &mut Take<'_>) {
        let Some(regex) = self.regex() else { return };
        let haystack = &text[..line.end];
        let mut from = line.start;
        while from <= line.end {
            let Some(found) = regex.captures_at(haystack, from) else { return };
            let Some(whole) = found.get(0) else { return };
            let secret = found.get(1).unwrap_or(whole);
            if self.accepts(secret.as_str(), whole.as_str()) {
                take(self.name, secret.range());
            }
            // A shape may begin inside a match that was refused, but only behind its secret's start.
            from = whole.end().max(secret.end());
            if whole.is_empty() {
                return;
            }
        }
    }

    /// Whether a match passes the rule's check.
    fn accepts(&self, secret: &str, whole: &str) -> bool {
        match self.check {
            Check::Shape => true,
            Check::Random(least) => {
                let masked = secret.to_ascii_lowercase().contains("xxxxx");
                let plain = !secret.bytes().any(|byte| byte.is_ascii_digit()) && quality::is_words(secret);
                !masked && !plain && quality::entropy(secret) >= least
            }
            Check::Value => !quality::is_placeholder(secret),
            Check::Scrambled => {
                let prefix = whole.split('_').next().unwrap_or_default();
                let tail = whole.rsplit('_').next().unwrap_or_default();
                quality::is_scrambled(tail)
                    && quality::classes(tail) >= 3
                    && !IDENTIFIERS.contains(&prefix.to_ascii_lowercase().as_str())
            }
        }
    }
}

/// Prefixes of identifiers that look generated and open nothing.
const IDENTIFIERS: &[&str] = &[
    "acct",
    "cntr",
    "container",
    "id",
    "part",
    "prt",
    "ses",
    "srvtoolu",
    "tool",
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
    "commit",
    "cus",
    "deploy",
    "dpl",
    "eni",
    "evt",
    "file",
    "i",
    "img",
    "in",
    "inv",
    "item",
    "job",
    "msg",
    "op",
    "org",
    "pi",
    "pm",
    "prj",
    "price",
    "prod",
    "proj",
    "req",
    "resp",
    "run",
    "sess",
    "session",
    "seti",
    "sha",
    "snap",
    "step",
    "sub",
    "subnet",
    "task",
    "team",
    "thread",
    "toolu",
    "trace",
    "txn",
    "user",
    "usr",
    "vol",
    "vpc",
];

use Check::{Random, Scrambled, Shape, Value};

/// All rules of known shapes; where two hit the same text, the earlier one gives the name.
pub(super) static RULES: [Rule; 41] = [
    rule(
        "aws-access-key",
        &["akia", "asia", "abia", "acca"],
        r"(?-u:\b)((?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{12,20})(?-u:\b)",
        Shape,
    ),
    rule(
        "aws-secret-key",
        &["aws", "secret", "akia", "asia"],
        r"(?:(?i:secret|aws)[^\n]{0,60}?|(?:AKIA|ASIA)[0-9A-Z]{16}[^\n]{1,40}?)[^A-Za-z0-9/+]([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)",
        Random(4.0),
    ),
    rule(
        "github-token",
        &["ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_"],
        r"(?-u:\b)((?:gh[posur]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}))",
        Random(0.0),
    ),
    rule(
        "gitlab-token",
        &["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glagent-", "gloas-", "glsoat-", "glft-"],
        r"(?-u:\b)(gl(?:pat|dt|rt|ptt|cbt|agent|oas|soat|ft)-[A-Za-z0-9_.\-]{16,})",
        Random(0.0),
    ),
    rule(
        "slack-token",
        &["xoxa", "xoxb", "xoxc", "xoxd", "xoxe", "xoxo", "xoxp", "xoxr", "xoxs", "xapp-"],
        r"(?-u:\b)((?:xox[a-eoprs]|xapp)-[A-Za-z0-9%\-]{10,})",
        Random(0.0),
    ),
    rule(
        "webhook",
        &[
            "hooks.slack.com",
            "api/webhooks/",
            "bot/v2/hook/",
            "webhook/send?key=",
            "robot/send?access_token=",
            "webhook.office.com",
            "hooks.zapier.com",
        ],
        r"(?i)(?:hooks\.slack\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/webhooks/|(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/|qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=|oapi\.dingtalk\.com/robot/send\?access_token=|webhook\.office\.com/webhookb2/|hooks\.zapier\.com/hooks/catch/)([A-Za-z0-9/_@.\-]{8,})",
        Random(2.5),
    ),
    rule(
        "stripe-key",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
        r"(?-u:\b)((?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,})",
        Random(0.0),
    ),
    rule("webhook-secret", &["whsec_"], r"(?-u:\b)(whsec_[A-Za-z0-9+/=]{12,})", Random(0.0)),
    rule(
        "model-api-key",
        &["sk-", "gsk_", "xai-", "pplx-", "r8_", "fw_", "nvapi-", "tgp_v1_"],
        r"(?-u:\b)((?:sk-(?:[A-Za-z0-9]{1,12}-){0,3}[A-Za-z0-9_\-]{16,}|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}|pplx-[A-Za-z0-9]{20,}|r8_[A-Za-z0-9]{20,}|fw_[A-Za-z0-9]{20,}|nvapi-[A-Za-z0-9_\-]{20,}|tgp_v1_[A-Za-z0-9_\-]{20,}))",
        Random(3.2),
    ),
    rule(
        "package-token",
        &["npm_", "pypi-", "dckr_pat_", "dckr_oat_", "rubygems_", "oy2", "cio"],
        r"(?-u:\b)((?:npm_[A-Za-z0-9]{16,}|pypi-[A-Za-z0-9_\-]{16,}|dckr_[po]at_[A-Za-z0-9_\-]{16,}|rubygems_[a-f0-9]{24,}|oy2[a-z0-9]{43}|cio[A-Za-z0-9]{32}))(?-u:\b)",
        Random(0.0),
    ),
    rule(
        "google-key",
        &["aiza", "ya29.", "gocspx-", "1//0"],
        r"((?-u:\b)(?:AIza[A-Za-z0-9_\-]{30,}|ya29\.[A-Za-z0-9_\-]{16,}|GOCSPX-[A-Za-z0-9_\-]{20,}|1//0[A-Za-z0-9_\-]{30,}))",
        Random(0.0),
    ),
    rule("sanity-token", &["sk"], r"(?-u:\b)(sk[A-Za-z0-9]{30,})(?-u:\b)", Random(4.0)),
    rule(
        "hugging-face-token",
        &["hf_", "api_org_"],
        r"(?-u:\b)((?:hf|api_org)_[A-Za-z0-9]{20,})(?-u:\b)",
        Random(0.0),
    ),
    rule(
        "jwt",
        &["eyj"],
        r"(?-u:\b)(eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{6,}(?:\.[A-Za-z0-9_\-]*)?(?:\.[A-Za-z0-9_\-]+){0,2}|eyJ[A-Za-z0-9_\-+/=]{60,})",
        Shape,
    ),
    rule("sendgrid-key", &["sg."], r"(?-u:\b)(SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,})", Random(0.0)),
    rule("twilio-key", &["sk", "twilio"], r"(?-u:\b)(SK[0-9a-f]{32})(?-u:\b)", Shape),
    rule("telegram-token", &[":aa"], r"(?-u:\b)([0-9]{6,11}:AA[A-Za-z0-9_\-]{30,})", Shape),
    rule(
        "discord-token",
        &["discord", "bot "],
        r"(?-u:\b)([MNO][A-Za-z0-9_\-]{23,27}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,})",
        Random(3.0),
    ),
    rule(
        "azure-key",
        &["accountkey=", "sharedaccesskey=", "sig=", "8q~"],
        r"(?:AccountKey=|SharedAccessKey=|[?&]sig=)([A-Za-z0-9%+/=]{24,})|[A-Za-z0-9_~.\-]{3}[78]Q~[A-Za-z0-9_~.\-]{30,}",
        Random(3.0),
    ),
    rule(
        "digitalocean-token",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        r"(?-u:\b)(do[opr]_v1_[a-f0-9]{32,})",
        Shape,
    ),
    rule("databricks-token", &["dapi"], r"(?-u:\b)(dapi[0-9a-f]{32}(?:-[0-9])?)(?-u:\b)", Shape),
    rule(
        "shopify-token",
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        r"(?-u:\b)(shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{24,})",
        Shape,
    ),
    rule(
        "linear-key",
        &["lin_api_", "lin_oauth_"],
        r"(?-u:\b)(lin_(?:api|oauth)_[A-Za-z0-9]{24,})",
        Random(3.0),
    ),
    rule(
        "notion-token",
        &["ntn_", "secret_"],
        r"(?-u:\b)((?:ntn_[A-Za-z0-9]{30,}|secret_[A-Za-z0-9]{40,}))",
        Random(3.0),
    ),
    rule("postman-key", &["pmak-"], r"(?-u:\b)(PMAK-[A-Za-z0-9\-]{30,})", Random(3.0)),
    rule("vault-token", &["hvs.", "hvb.", "hvr."], r"(?-u:\b)(hv[sbr]\.[A-Za-z0-9_\-]{20,})", Random(3.0)),
    rule(
        "doppler-token",
        &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa."],
        r"(?-u:\b)(dp\.(?:pt|ct|sa|st)\.(?:[a-z0-9\-_]{2,35}\.)?[A-Za-z0-9]{30,})",
        Random(3.0),
    ),
    rule(
        "observability-key",
        &[
            "glsa_",
            "glc_",
            "nrak-",
            "sntrys_",
            "sntryu_",
            "dt0c01.",
            "figd_",
            "pul-",
            "tskey-",
            "pscale_",
            "sbp_",
            "sb_secret_",
            "vcp_",
            "vercel_",
        ],
        r"(?-u:\b)((?:glsa_|glc_|NRAK-|sntry[su]_|dt0c01\.|figd_|pul-|tskey-[a-z]+-|pscale_(?:pw|tkn|oauth)_|sbp_|sb_secret_|vcp_|vercel_)[A-Za-z0-9_\-+/=.]{16,})",
        Random(3.0),
    ),
    rule(
        "mail-key",
        &["key-", "xkeysib-", "re_"],
        r"(?-u:\b)((?:key-[0-9a-f]{32}|xkeysib-[a-f0-9\-]{30,}|re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}))(?-u:\b)",
        Random(3.0),
    ),
    rule("mapbox-token", &["sk.eyj"], r"(?-u:\b)(sk\.eyJ[A-Za-z0-9_\-]{20,}\.[A-Za-z0-9_\-]{16,})", Shape),
    rule("age-key", &["age-secret-key-"], r"(AGE-SECRET-KEY-1[0-9A-Za-z]{30,})", Shape),
    rule("alibaba-key", &["ltai"], r"(?-u:\b)(LTAI[A-Za-z0-9]{12,26})(?-u:\b)", Random(2.5)),
    rule("tencent-key", &["akid"], r"(?-u:\b)(AKID[A-Za-z0-9]{24,40})(?-u:\b)", Random(3.0)),
    rule("volcengine-key", &["aklt"], r"(?-u:\b)(AKLT[A-Za-z0-9_\-]{20,})", Random(3.0)),
    rule(
        "zhipu-key",
        &["zhipu", "bigmodel", "glm", "api_key", "apikey"],
        r"(?-u:\b)([0-9a-f]{32}\.[A-Za-z0-9]{16})(?-u:\b)",
        Random(3.5),
    ),
    rule("encoded-address", &["ahr0c"], r"(?-u:\b)(aHR0c(?:HM6Ly9|DovL)[A-Za-z0-9+/_\-]{16,}={0,2})", Shape),
    rule("url-token", &["://"], r"(?i)[a-z][a-z0-9+.\-]{0,20}://([a-z0-9_\-]{20,})@[a-z0-9]", Random(3.0)),
    rule(
        "command-user",
        &["curl", "wget", "http", "xh "],
        r"(?-u:\b)(?:curl|wget|https?|xh)\s(?:[^\n]*?\s)?(?:-u\s*|--user[ =]|-a[ =])['\x22]?[^\s:'\x22$]+:([^\s'\x22]{2,})",
        Value,
    ),
    rule(
        "command-password",
        &[
            "mysql",
            "mariadb",
            "sshpass",
            "redis-cli",
            "docker",
            "podman",
            "ldapsearch",
            "mongo",
            "smbclient",
            "7z",
            "unzip",
            "zip",
            "skopeo",
            "keytool",
        ],
        r"(?-u:\b)(?:(?:mysql|mariadb)(?:dump|admin|import|-dump|-admin)?\s[^\n]*?\s?-p|sshpass\s+-p\s*|redis-cli\s[^\n]*?-a\s+|(?:docker|podman|skopeo)\s+login\s(?:[^\n]*?\s)?-p[ =]*|ldapsearch\s[^\n]*?-w\s+|mongo(?:sh|dump|restore)?\s(?:[^\n]*?\s)?-p\s+|7z\w*\s(?:[^\n]*?\s)?-p|unzip\s[^\n]*?-P\s+|zip\s[^\n]*?-P\s+|keytool\s[^\n]*?-(?:store|key)pass\s+)['\x22]?([^\s'\x22$<\-][^\s'\x22]{2,})",
        Value,
    ),
    rule(
        "authorization",
        &["bearer", "basic ", "authorization", "x-api-key", "private-token"],
        r"(?i)(?:authorization['\x22]?\s*[:=]\s*['\x22]?(?:bearer|basic|token|apikey|digest|bot)?\s*|(?-u:\b)bearer\s+|x-api-key['\x22]?\s*:\s*['\x22]?|private-token['\x22]?\s*:\s*['\x22]?|(?-u:\b)basic\s+)([A-Za-z0-9._~+/=\-]{12,})",
        Random(2.8),
    ),
    rule(
        "generic-token",
        &["_"],
        r"(?-u:\b)([A-Za-z]{2,8}(?:_[a-z]{2,10}){0,2}_[A-Za-z0-9]{18,})(?-u:\b)",
        Scrambled,
    ),
];

/// The name of the rule for private keys, which span lines.
pub(super) const PRIVATE_KEY: &str = "private-key";

/// How many characters a key without its last line may have.
const OPEN_KEY_LIMIT: usize = 8_192;

/// Gives the private keys of a text, from their first mark to their last one. A key whose end is missing ends with
/// the last character that can belong to it.
pub(super) fn private_keys(text: &str, take: &mut Take<'_>) {
    let starts: Vec<usize> = text.match_indices(BEGIN).map(|(at, _)| at).collect();
    if starts.is_empty() {
        return;
    }
    let ends: Vec<usize> = text.match_indices(END).map(|(at, _)| at).collect();
    for (index, &start) in starts.iter().enumerate() {
        let Some((label, body)) = label(text, start + BEGIN.len()) else { continue };
        if !label.contains("PRIVATE KEY") {
            continue;
        }
        let limit = starts.get(index + 1).copied().unwrap_or(text.len());
        let end = ends.get(ends.partition_point(|&end| end < body)).copied().filter(|&end| end < limit);
        let stop = match end {
            Some(end) => label_end(text, end),
            None => open_end(text, body),
        };
        if stop > body {
            take(PRIVATE_KEY, start..stop);
        }
    }
}

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";

/// The words of a mark and the place behind it, given the place behind its first word.
fn label(text: &str, from: usize) -> Option<(&str, usize)> {
    let rest = &text[from..];
    let length = rest
        .bytes()
        .take(48)
        .take_while(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b' ')
        .count();
    rest[length..].starts_with("-----").then(|| (&rest[..length], from + length + "-----".len()))
}

/// The place behind the mark that ends a key.
fn label_end(text: &str, end: usize) -> usize {
    label(text, end + END.len()).map_or(end, |(_, behind)| behind)
}

/// Where a key without its last line ends.
fn open_end(text: &str, body: usize) -> usize {
    let key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '\n' | '\r' | '\\');
    let rest = &text[body..];
    let length = rest.char_indices().take(OPEN_KEY_LIMIT).find(|&(_, c)| !key(c)).map_or_else(
        || rest.char_indices().nth(OPEN_KEY_LIMIT).map_or(rest.len(), |(at, _)| at),
        |(at, _)| at,
    );
    body + rest[..length].trim_end().len()
}
