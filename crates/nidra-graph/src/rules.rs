//! Shapes by which addresses, errors, tickets, files, services and names from code are known.

use crate::entity::{EntityKind, Places};
use nidra_core::text::{expression, markup};
use regex::Regex;
use std::sync::LazyLock;

/// A pattern of ours compiles; if one did not, it would find nothing, and its test would say so.
pub(crate) type Pattern = LazyLock<Option<Regex>>;

macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: Pattern = LazyLock::new(|| expression::new($text).ok());
    };
}
pub(crate) use pattern;

// Endings of host names; what ends otherwise is more likely a file.
pattern!(
    HOST,
    r"(?i)\b(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:com|net|org|io|dev|internal|local|lan|corp|cn|cloud|svc|app|ai|test|example)\b(?::\d{2,5})?"
);
pattern!(ERROR_CODE, r"\b(?:E\d{4}|TS\d{4}|ORA-\d{5}|SQLSTATE \w{5}|0x8[0-9A-Fa-f]{7})\b");
pattern!(
    ERRNO,
    r"\bE(?:CONNREFUSED|CONNRESET|CONNABORTED|NOENT|ACCES|ADDRINUSE|TIMEDOUT|PERM|EXIST|NOSPC|MFILE|PIPE|AGAIN|NOTFOUND|INVAL|NOMEM|BUSY|XDEV|HOSTUNREACH|ISDIR|NOTDIR|NOTEMPTY|LOOP)\b"
);
pattern!(ERROR_CLASS, r"\b(?:[A-Za-z_]\w*\.)*[A-Z][A-Za-z0-9]*(?:Error|Exception|Panic|Fault)\b");
pattern!(SIGNAL, r"\bSIG(?:SEGV|ABRT|KILL|TERM|BUS|ILL|FPE|PIPE|HUP)\b|\bOOMKilled\b|\bOOM\b");
pattern!(
    STATUS,
    r"(?i)\bHTTP (?:status )?[45]\d\d\b|\b[45]\d\d (?:errors?|responses?)\b|[45]\d\d\s?(?:错误|报错)|\bexit (?:code|status) \d{1,3}\b|退出码\s?\d{1,3}"
);
pattern!(TICKET, r"\b[A-Z][A-Z0-9]{1,9}-\d{1,6}(?:-\d{1,6})?\b");
pattern!(
    NUMBERED,
    r"(?i)(?:\b(?:pr|mr|pull request|merge request|issue|ticket|bug)|工单|需求|缺陷)\s?[#!]?(\d{1,6})\b"
);
pattern!(HASH_NUMBER, r"#(\d{1,6})\b");
pattern!(
    FILE,
    r"(?:[A-Za-z0-9_.@~+-]*/)+[A-Za-z0-9_.@*+-]*|\b[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.[A-Za-z]\w{0,9}\b"
);
pattern!(
    SERVICE,
    r"(?i)\b[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*[-_](?:service|api|worker|gateway|server|db|database|queue|proxy|scheduler|backend|frontend|cluster|cache|bucket|svc|cron|broker)\b"
);
pattern!(SERVICE_WORDS, r"\b([A-Za-z][A-Za-z0-9]{2,})(?: (?:service|gateway|cluster|queue|worker|API))\b");
pattern!(SERVICE_HAN, r"(\p{Han}{2})(?:服务|网关|集群|队列|接口)");
pattern!(SNAKE, r"\b[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+\b");
// Two words with capitals in one are as often a product as a name from code, and such a product is no rare thing.
pattern!(CAMEL, r"\b[a-z]+(?:[A-Z][a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){3,}\b");
pattern!(
    DECISION,
    r"(?i)\b(?:we (?:have )?(?:decided|agreed|settled|chose)|decided (?:to|on|against)|decision:|chose \S+ over|went with)\b|决定|定为|选定|选用|商定|敲定|拍板"
);

/// Marks that look like tickets and name a standard.
const NO_TICKETS: &[&str] = &[
    "AES", "ASCII", "BASE", "BLAKE", "ES", "GPT", "HTTP", "ISO", "IPV", "JDK", "MD", "PEP", "RFC", "RSA",
    "SHA", "SSE", "SSL", "TLS", "UTC", "UTF", "WCAG", "X", "GMT", "COVID", "BIP", "CP", "GB", "TOP", "LZ",
];

/// Endings by which a file without a folder is known.
const ENDINGS: &[&str] = &[
    "bash",
    "c",
    "cc",
    "cfg",
    "conf",
    "cpp",
    "cs",
    "css",
    "csv",
    "dockerfile",
    "env",
    "ex",
    "exs",
    "fish",
    "go",
    "gradle",
    "graphql",
    "h",
    "hcl",
    "hpp",
    "hs",
    "html",
    "ini",
    "ipynb",
    "java",
    "jinja",
    "js",
    "json",
    "jsonl",
    "jsx",
    "kt",
    "kts",
    "less",
    "lock",
    "log",
    "lua",
    "md",
    "mdx",
    "mjs",
    "ml",
    "nix",
    "patch",
    "php",
    "pl",
    "plist",
    "png",
    "proto",
    "py",
    "pyi",
    "r",
    "rb",
    "rs",
    "sass",
    "scala",
    "scss",
    "sh",
    "sql",
    "sqlite",
    "svg",
    "swift",
    "tf",
    "toml",
    "ts",
    "tsx",
    "txt",
    "vue",
    "xml",
    "yaml",
    "yml",
    "zig",
    "zsh",
];

/// Products that are called like files.
const NO_FILES: &[&str] = &[
    "node.js",
    "next.js",
    "nuxt.js",
    "vue.js",
    "react.js",
    "express.js",
    "three.js",
    "d3.js",
    "chart.js",
    "nest.js",
    "ember.js",
    "backbone.js",
    "discord.js",
    "p5.js",
    "alpine.js",
    "solid.js",
];

/// Words before “service” that name none.
const NO_SERVICES: &[&str] = &[
    "the", "this", "that", "our", "your", "their", "his", "her", "its", "each", "every", "any", "one",
    "another", "same", "other", "new", "old", "web", "micro", "public", "private", "internal", "external",
    "rest", "which", "customer", "self", "and", "for", "with", "from", "all", "job", "stable", "whole",
    "own",
];
const NO_SERVICES_HAN: &[&str] = &[
    "这个", "那个", "所有", "一个", "我们", "他们", "什么", "哪个", "新的", "旧的", "每个", "各个", "其他",
    "该类", "提供", "停止", "部署", "检查", "监控", "迁移", "回滚", "更新", "升级", "关闭", "恢复", "访问",
    "依赖", "影响", "注册", "发现", "测试", "调试", "修改", "新增", "拆分", "合并", "消息", "任务", "调用",
    "使用", "启动", "重启", "整个", "后端", "前端", "线上", "内部", "外部", "公共", "相关", "一套",
];

fn matches<'t>(pattern: &'static Pattern, text: &'t str) -> impl Iterator<Item = regex::Match<'t>> {
    pattern.as_ref().into_iter().flat_map(move |pattern| pattern.find_iter(text))
}

/// Each match with the first group that took part in it.
pub(crate) fn captures<'t>(
    pattern: &'static Pattern,
    text: &'t str,
) -> impl Iterator<Item = (regex::Match<'t>, regex::Match<'t>)> {
    pattern
        .as_ref()
        .into_iter()
        .flat_map(move |pattern| pattern.captures_iter(text))
        .filter_map(|found| Some((found.get(0)?, found.iter().skip(1).flatten().next()?)))
}

/// Hosts, with or without the address around them, and addresses of mail, which name people.
pub(crate) fn addresses(places: &mut Places<'_>) {
    let text = places.text;
    for range in markup::urls(text) {
        let Some(url) = text.get(range.clone()) else { continue };
        let Some(host) = matches(&HOST, url).next() else { continue };
        places.take(EntityKind::Service, range, host.as_str().to_lowercase());
    }
    for host in matches(&HOST, text) {
        let before = text.get(..host.start()).unwrap_or_default();
        let after = text.get(host.end()..).unwrap_or_default();
        if before.ends_with('@') {
            let at = before.trim_end_matches('@').rfind(|c: char| !is_mail(c)).map_or(0, |at| {
                at + before.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
            });
            if let Some(address) = text.get(at..host.end()).filter(|address| !address.starts_with('@')) {
                places.take(EntityKind::Person, at..host.end(), address.to_lowercase());
            }
        } else if !before.ends_with(['/', '\\', '.', '-', '_']) && !after.starts_with(['(', '-', '_']) {
            places.take(EntityKind::Service, host.range(), host.as_str().to_lowercase());
        }
    }
}

fn is_mail(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '+' | '-')
}

/// Errors by code, class, signal or status.
pub(crate) fn errors(places: &mut Places<'_>) {
    let text = places.text;
    for pattern in [&ERROR_CODE, &ERRNO, &ERROR_CLASS, &SIGNAL] {
        for found in matches(pattern, text) {
            places.take(EntityKind::Error, found.range(), found.as_str().to_owned());
        }
    }
    for found in matches(&STATUS, text) {
        let number: String = found.as_str().chars().filter(char::is_ascii_digit).collect();
        let exit = found.as_str().to_lowercase().starts_with("exit") || found.as_str().starts_with("退");
        let key = if exit { format!("exit {number}") } else { format!("http {number}") };
        places.take(EntityKind::Error, found.range(), key);
    }
}

/// Tickets by their mark, and numbers of issues and requests.
pub(crate) fn tickets(places: &mut Places<'_>) {
    let text = places.text;
    for found in matches(&TICKET, text) {
        let prefix = found.as_str().split('-').next().unwrap_or_default();
        let alphabetic = prefix.trim_end_matches(|c: char| c.is_ascii_digit());
        let joined = text.get(found.end()..).is_some_and(|rest| rest.starts_with(['-', '.', '/', '_']))
            && !text.get(found.end()..).is_some_and(|rest| rest.starts_with(". ") || rest == ".");
        if !NO_TICKETS.contains(&alphabetic) && !joined {
            places.take(EntityKind::Ticket, found.range(), found.as_str().to_owned());
        }
    }
    for pattern in [&NUMBERED, &HASH_NUMBER] {
        for (whole, number) in captures(pattern, text) {
            let before = text.get(..whole.start()).and_then(|before| before.chars().next_back());
            // `#1` inside an address is none, and neither is a colour.
            let colour = whole.as_str().len() == 7 && whole.as_str().starts_with('#');
            if !colour && !before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '/' || c == '&') {
                places.take(EntityKind::Ticket, whole.range(), format!("#{}", number.as_str()));
            }
        }
    }
}

/// Files and folders.
pub(crate) fn files(places: &mut Places<'_>) {
    let text = places.text;
    let code = markup::inline_code(text);
    for found in matches(&FILE, text) {
        let words = found.as_str().trim_end_matches(['.', '-']);
        let range = found.start()..found.start() + words.len();
        let glued = text.get(..range.start).is_some_and(|before| before.ends_with(['@', '$', ':', '<']));
        if !glued && is_file(words, markup::covers(&code, range.start)) {
            let key = words.trim_start_matches("./").trim_end_matches('/').to_owned();
            places.take(EntityKind::File, range, key);
        }
    }
}

fn is_file(words: &str, code: bool) -> bool {
    if NO_FILES.contains(&words.to_ascii_lowercase().as_str()) {
        return false;
    }
    let name = words.rsplit('/').next().unwrap_or_default();
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ending)| ending);
    let known = ending.is_some_and(|ending| ENDINGS.contains(&ending.to_ascii_lowercase().as_str()));
    let letters = words.chars().filter(char::is_ascii_alphabetic).count();
    if !words.contains('/') {
        return known && letters > 2 && name.split('.').next().is_some_and(|stem| stem.len() > 1);
    }
    let folders = words.matches('/').count();
    let rooted = words.starts_with("./") || words.starts_with("~/") || words.starts_with('/');
    let dates = words.chars().all(|c| c.is_ascii_digit() || c == '/');
    // `and/or`, `client/server` and `24/7` are no paths.
    !dates && letters > 2 && (known || words.ends_with('/') || folders > 1 || rooted || code)
}

/// Services by their name.
pub(crate) fn services(places: &mut Places<'_>) {
    let text = places.text;
    for found in matches(&SERVICE, text) {
        places.take(EntityKind::Service, found.range(), service_key(found.as_str()));
    }
    for (whole, name) in captures(&SERVICE_WORDS, text) {
        if !NO_SERVICES.contains(&name.as_str().to_lowercase().as_str()) {
            places.take(EntityKind::Service, whole.range(), service_key(whole.as_str()));
        }
    }
    for (whole, name) in captures(&SERVICE_HAN, text) {
        if !NO_SERVICES_HAN.contains(&name.as_str()) {
            places.take(EntityKind::Service, whole.range(), whole.as_str().to_owned());
        }
    }
}

/// `billing-service`, `billing_service` and `billing service` are one.
fn service_key(words: &str) -> String {
    words.to_lowercase().replace(['-', '_'], " ")
}

/// Names from code and configuration.
pub(crate) fn names(places: &mut Places<'_>) {
    let text = places.text;
    let code: Vec<_> = places.code().collect();
    for (range, words) in code {
        let plain = words.chars().all(|c| c.is_ascii_alphanumeric() || "_-.:@$#".contains(c));
        let letters = words.chars().filter(char::is_ascii_alphabetic).count();
        let flag = words.starts_with('-');
        if plain && letters > 2 && !flag && words.len() < 80 {
            places.take(EntityKind::Name, range, words.trim_matches([':', '.']).to_owned());
        }
    }
    for pattern in [&SNAKE, &CAMEL] {
        for found in matches(pattern, text) {
            let brand = BRANDS.contains(&found.as_str());
            if found.as_str().len() > 4 && !brand {
                places.take(EntityKind::Name, found.range(), found.as_str().to_owned());
            }
        }
    }
}

/// Names of products and forms that are written like names from code.
const BRANDS: &[&str] = &[
    "YouTube",
    "LinkedIn",
    "iPhone",
    "iPad",
    "macOS",
    "iOS",
    "WeChat",
    "DevOps",
    "WiFi",
    "OpenAI",
    "PayPal",
    "MacBook",
    "PowerPoint",
    "YouTrack",
    "McDonald",
    "SaaS",
    "PaaS",
];

/// Whether the words say that something was decided.
pub(crate) fn is_decision(text: &str) -> bool {
    matches(&DECISION, text).next().is_some()
}
