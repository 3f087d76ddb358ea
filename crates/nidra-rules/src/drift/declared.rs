//! Versions and dependencies that memory names, against the manifests.

use super::checkout::Checkout;
use super::clause::{Clauses, pattern};
use super::facts::{Declared, key};
use super::version::{agrees, numbers};
use super::{AnchorKind, Judgement, Verdict};
use nidra_core::text::markup::{covers, urls};
use regex::Regex;
use std::sync::LazyLock;

/// A version behind a name: `JDK 17`, `Terraform is pinned to 1.5`, `react@19`, `Node 版本是 22`.
static VERSION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)((?:[a-z][a-z0-9_.+#/-]*[ ]){0,2}@?[a-z][a-z0-9_+#./-]*)[`'’”\u{22}]?",
        r"(?:\s*(?:version|ver\.|release|versions|is|are|was|on|at|to|pinned|locked|fixed|v|的版本|版本号|版本|固定在|锁定在|锁在|锁定|固定|使用的是|用的是|是|为|用)){0,4}",
        r"\s?(@|==|>=|=|:|：|＝)?\s?[`'‘“\u{22}]?(v?\d+(?:\.\d+){0,3})(?:\.x)?"
    ))
});
/// What is counted or measured behind a number is no version.
static MEASURED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^\s?(?:%|°|px|ms|s|sec|seconds?|min|minutes?|h|hours?|days?|weeks?|months?|years?|[kmgt]i?b|[kmg]|x|times|replicas?|",
        r"nodes?|instances?|workers?|pods?|shards?|partitions?|cores?|threads?|users?|files?|lines?|tests?|apps?|clusters?|machines?|hosts?|",
        r"connections?|retries|attempts|servers?|of|or more)\b|^\s?(?:个|台|次|秒|分钟|小时|天|年|月|核|行|条|节点|实例|副本|，?以上)|^[-/_:]\d|^\w"
    ))
});
/// Words between a name and its version.
const JOINS: &[&str] = &[
    "version",
    "versions",
    "ver.",
    "release",
    "is",
    "are",
    "was",
    "on",
    "at",
    "to",
    "pinned",
    "locked",
    "fixed",
    "v",
    "still",
    "currently",
    "now",
    "upgraded",
    "set",
    "run",
    "runs",
    "running",
    "uses",
    "server",
    "servers",
    "cluster",
    "clusters",
    "engine",
];
/// Words in front of a number that tells one of several from the others.
const NUMBERED: &[&str] = &["server", "servers", "cluster", "clusters", "engine"];
/// Systems of which a project names the oldest that it supports; any newer one may be spoken of as well.
static MINIMUM: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?i)\b(?:minimum|min|lowest|oldest|deployment target)\b|最低|部署目标"));
/// The names under which people and manifests know the same thing.
const ALIASES: &[(&str, &[&str])] = &[
    ("jdk", &["java", "javac"]),
    ("openjdk", &["java"]),
    ("java", &["java"]),
    ("nodejs", &["node"]),
    ("node", &["node"]),
    ("golang", &["go"]),
    ("py", &["python"]),
    ("python", &["python"]),
    ("rust", &["rust"]),
    ("rustc", &["rust"]),
    ("junit", &["junit", "junitjupiter", "junitjupiterapi", "junitbom"]),
    ("jupiter", &["junitjupiter"]),
    ("postgresql", &["postgres", "postgis"]),
    ("pg", &["postgres"]),
    ("springboot", &["springboot", "springbootstarterparent", "orgspringframeworkboot"]),
    ("vuejs", &["vue"]),
    ("nextjs", &["next"]),
    ("reactjs", &["react"]),
    ("tailwind", &["tailwindcss"]),
    ("torch", &["torch"]),
    ("pytorch", &["torch"]),
    ("opencv", &["opencvpython", "opencvpythonheadless"]),
    ("k8s", &["kubernetes", "cluster"]),
    ("kubernetes", &["kubernetes", "cluster"]),
    ("eks", &["kubernetes", "cluster"]),
    ("flink", FLINK),
    ("apacheflink", FLINK),
    ("spark", SPARK),
    ("apachespark", SPARK),
    ("pyspark", SPARK),
    ("dotnet", &["net"]),
    ("codemirror", &["codemirror", "codemirrorstate", "codemirrorview"]),
    ("minsdk", &["minimumsdk"]),
    ("minsdkversion", &["minimumsdk"]),
    ("ts", &["typescript"]),
    ("dart", &["dart"]),
    ("mongo", &["mongo", "mongodb"]),
    ("mongodb", &["mongo", "mongodb"]),
    ("rubyonrails", &["rails"]),
    ("rocketmq", &["rocketmq", "rocketmqspringbootstarter"]),
    ("sklearn", &["scikitlearn"]),
    ("mybatis", &["mybatis", "mybatisspringbootstarter"]),
];

/// The libraries by which a project has Flink; they share its version.
const FLINK: &[&str] = &[
    "flink",
    "flinkcore",
    "flinkclients",
    "flinkstreamingjava",
    "flinkstreamingjava211",
    "flinkstreamingjava212",
    "flinkstreamingscala211",
    "flinkstreamingscala212",
    "apacheflink",
];
/// The libraries by which a project has Spark.
const SPARK: &[&str] = &[
    "spark",
    "pyspark",
    "sparkcore212",
    "sparkcore213",
    "sparksql212",
    "sparksql213",
    "sparkcore",
    "sparksql",
];

/// Judges the versions that a text names.
pub(super) fn versions(text: &str, clauses: &Clauses<'_>, checkout: &Checkout) -> Vec<(usize, Judgement)> {
    let addresses = urls(text);
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(captures) = VERSION.as_ref().and_then(|pattern| pattern.captures_at(text, from)) {
        let (Some(words), Some(version)) = (captures.get(1), captures.get(3)) else { break };
        from = version.end();
        // `R/4.3`, `C++17`: what is written together was taken for a part of the name.
        let stuck = text[..version.start()].trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let joined = words.end() == version.start() && stuck.len() > words.start();
        let start = if joined { stuck.len() } else { version.start() };
        let name =
            text[words.start()..if joined { start } else { words.end() }].trim_end_matches(['/', '-', '@']);
        let said = &text[start..version.end()];
        let rest = &text[version.end()..];
        let measured = MEASURED.as_ref().is_some_and(|measured| measured.is_match(rest));
        let Some(claimed) = numbers(said).filter(|_| !measured) else { continue };
        let lone = claimed.len() == 1;
        // `python3`, `s3`: a digit of the name. `Kafka cluster 2`: one of several.
        let letter = stuck.ends_with(|c: char| c.is_ascii_alphabetic());
        let last = name.rsplit(' ').next().unwrap_or(name).to_ascii_lowercase();
        if lone && ((joined && letter && claimed[0] < 10) || NUMBERED.contains(&last.as_str())) {
            continue;
        }
        let edition = name.to_ascii_lowercase().ends_with("edition");
        if (lone && ((claimed[0] >= 1000 && !edition) || followed_by_a_thing(rest)))
            || covers(&addresses, version.start())
        {
            continue;
        }
        if !clauses.is_stated(version.start()) {
            continue;
        }
        let minimum =
            MINIMUM.as_ref().is_some_and(|minimum| minimum.is_match(&text[clauses.sentence(start)]));
        if let Some((name, declared)) = known(name, minimum, checkout) {
            let shown = format!("{name} {said}");
            let loose = captures.get(2).is_some_and(|mark| mark.as_str() == ">=");
            if let Some(judgement) = one(shown, &claimed, loose, &declared) {
                found.push((words.start(), judgement));
            }
        }
    }
    found
}

/// The longest of the words before a version that a manifest knows.
fn known<'t>(words: &'t str, minimum: bool, checkout: &Checkout) -> Option<(&'t str, Vec<Declared>)> {
    // What joins the name and the number is no part of the name.
    let mut words = words.trim();
    while let Some((rest, last)) = words.rsplit_once(' ')
        && JOINS.contains(&last.to_ascii_lowercase().as_str())
    {
        words = rest.trim();
    }
    let starts = std::iter::once(0).chain(words.match_indices(' ').map(|(at, _)| at + 1));
    starts.map(|start| words[start..].trim()).find_map(|name| {
        // The word of everyday language is no framework: `net 30`.
        if name.eq_ignore_ascii_case("net") && name != "NET" {
            return None;
        }
        let key = key(name.trim_start_matches('@').trim_end_matches(['.', ',']));
        let names = ALIASES.iter().find(|(said, _)| *said == key).map_or(&[][..], |(_, names)| names);
        let facts = checkout.facts();
        let oldest = minimum.then(|| format!("minimum{key}"));
        let found: Vec<Declared> = std::iter::once(key.as_str())
            .chain(names.iter().copied())
            .chain(oldest.as_deref())
            .flat_map(|name| facts.versions(name))
            .cloned()
            .collect();
        found.iter().any(|declared| declared.demand.is_some()).then_some((name, found))
    })
}

fn one(shown: String, claimed: &[u64], loose: bool, declared: &[Declared]) -> Option<Judgement> {
    let told: Vec<(&Declared, bool)> = declared
        .iter()
        .filter_map(|declared| Some((declared, agrees(claimed, declared.demand.as_deref()?)?)))
        .collect();
    let (first, _) = told.first()?;
    let demand = first.demand.as_deref().unwrap_or_default();
    let hint = Some(format!("{} says {demand}", first.file));
    if let Some((agreeing, _)) = told.iter().find(|(_, agrees)| *agrees) {
        let hint = Some(format!("{} says {}", agreeing.file, agreeing.demand.as_deref().unwrap_or_default()));
        return Some(Judgement::new(AnchorKind::Version, shown, Verdict::Fresh, hint));
    }
    let verdict = if loose { Verdict::NotCheckable } else { Verdict::Stale };
    Some(Judgement::new(AnchorKind::Version, shown, verdict, hint))
}

/// Whether a small word follows that the number counts: `node 2 crashed`, `react 3 times`.
fn followed_by_a_thing(rest: &str) -> bool {
    let word: String =
        rest.strip_prefix(' ').unwrap_or_default().chars().take_while(char::is_ascii_alphabetic).collect();
    let joins = [
        "and",
        "or",
        "in",
        "is",
        "for",
        "with",
        "only",
        "here",
        "everywhere",
        "on",
        "to",
        "from",
        "via",
        "since",
        "now",
        "until",
        "because",
        "as",
        "at",
        "not",
        "but",
        "so",
        "by",
        "locally",
        "toolchain",
        "project",
        "image",
        "syntax",
        "features",
        "in",
        "we",
        "it",
        "lts",
        "runtime",
        "required",
        "everywhere",
        "projects",
        "style",
        "api",
        "uses",
        "through",
    ];
    word.starts_with(|c: char| c.is_ascii_lowercase()) && !joins.contains(&word.as_str())
}

/// A dependency that the words call one.
static DEPENDENCY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)(?:\b(?:depends? on|dependency on|dependency|the package|the crate|the library|crate|package|library)\b(?: is| called| named)? ?|依赖|第三方库|库是|包是)\s?`(@?[\w./-]+)`|",
        r"`(@?[\w./-]+)` ?(?:\b(?:crate|library|dependency|npm package)\b|这个库|库|依赖)"
    ))
});

/// Judges the dependencies that a text names as such.
pub(super) fn dependencies(
    text: &str,
    clauses: &Clauses<'_>,
    checkout: &Checkout,
) -> Vec<(usize, Judgement)> {
    let facts = checkout.facts();
    if !facts.has_dependencies() {
        return Vec::new();
    }
    let found = DEPENDENCY.iter().flat_map(|pattern| pattern.captures_iter(text));
    found
        .filter_map(|captures| {
            let name = captures.iter().skip(1).flatten().next()?;
            let at = name.start();
            let here = facts.declares(name.as_str())
                || checkout.has(name.as_str())
                || facts.tools.contains_key(&key(name.as_str()));
            let judgement = |verdict, hint: Option<&str>| {
                Some((
                    at,
                    Judgement::new(AnchorKind::Dependency, name.as_str(), verdict, hint.map(str::to_owned)),
                ))
            };
            if here {
                return judgement(Verdict::Fresh, None);
            }
            // A package of the workspace itself stands in its folder.
            let own = !checkout.folders_named(name.as_str()).is_empty();
            let told =
                clauses.mood(at) == super::clause::Mood::Stated && checkout.reading().whole_tree && !own;
            if told { judgement(Verdict::Stale, Some("no manifest of the checkout names it")) } else { None }
        })
        .collect()
}
