//! Things of which a project has one at a time: a change to one of a family ends the others.
//!
//! General knowledge as data. A family is listed only where two of its members side by side would contradict
//! each other; what is commonly used together (two databases, two languages) is no family.

use nidra_core::text::language::is_han;
use std::collections::BTreeSet;
use std::ops::Range;

/// Members by family, in lower case. A member may have a second spelling in another place of its list.
const FAMILIES: &[(&str, &[&str])] = &[
    ("package manager", &["npm", "yarn", "pnpm", "bun"]),
    ("python environment", &["conda", "poetry", "pipenv", "uv", "virtualenv", "venv", "pdm", "hatch", "rye"]),
    ("build", &["maven", "mvn", "mvnw", "gradle", "gradlew", "bazel", "sbt", "ant", "buck"]),
    ("bundler", &["webpack", "vite", "rollup", "parcel", "esbuild", "turbopack", "rspack"]),
    (
        "tickets",
        &[
            "jira",
            "linear",
            "youtrack",
            "redmine",
            "trello",
            "asana",
            "clubhouse",
            "shortcut",
            "tapd",
            "禅道",
            "zentao",
        ],
    ),
    (
        "continuous integration",
        &["jenkins", "circleci", "travis", "gitlab-ci", "buildkite", "teamcity", "drone", "woodpecker"],
    ),
    ("unit tests", &["jest", "vitest", "mocha", "jasmine", "ava"]),
    ("python tests", &["pytest", "nose", "unittest"]),
    ("formatter", &["prettier", "dprint", "biome"]),
    ("python formatter", &["black", "yapf", "autopep8"]),
    ("state", &["redux", "mobx", "zustand", "recoil", "vuex", "pinia", "bloc", "riverpod"]),
    ("chat", &["slack", "teams", "mattermost", "discord", "钉钉", "飞书", "企业微信"]),
    ("paging", &["pagerduty", "opsgenie", "victorops", "klaxon"]),
    ("orm", &["sequelize", "typeorm", "prisma", "drizzle", "mikro-orm"]),
    ("infrastructure", &["terraform", "pulumi", "cloudformation", "opentofu"]),
    ("data warehouse", &["redshift", "snowflake", "bigquery", "databricks", "synapse"]),
    (
        "hosting",
        &["netlify", "vercel", "heroku", "hetzner", "render", "fly.io", "github-pages", "digitalocean"],
    ),
    ("site generator", &["hugo", "jekyll", "zola", "eleventy", "gatsby", "hexo", "astro"]),
    ("version control", &["git", "svn", "mercurial", "perforce"]),
    ("registry", &["dockerhub", "harbor", "ghcr", "artifactory", "nexus"]),
    ("branching", &["squash", "rebase-merge", "merge-commit"]),
];

/// Whether both name members of one family, but no common one: then the newer one ends the older. What the newer
/// says is over does not count as named by it.
pub(crate) fn rivals(older: &str, newer: &str, over: &BTreeSet<String>) -> Option<&'static str> {
    let (older, newer) = (words(older), words(newer));
    FAMILIES.iter().find_map(|(name, members)| {
        let of = |words: &BTreeSet<String>| -> BTreeSet<&str> {
            members.iter().copied().filter(|member| words.contains(*member)).collect()
        };
        let (before, mut after) = (of(&older), of(&newer));
        after.retain(|member| !over.contains(*member));
        (!before.is_empty() && !after.is_empty() && before.is_disjoint(&after)).then_some(*name)
    })
}

/// Whether a word in lower case is a member of a family.
pub(crate) fn is_member(word: &str) -> bool {
    FAMILIES.iter().any(|(_, members)| members.contains(&word))
}

/// Whether a text names a member of a family.
pub(crate) fn has_member(text: &str) -> bool {
    words(text).iter().any(|word| is_member(word))
}

/// Families whose members are programs that are run.
const TOOLS: &[&str] = &[
    "package manager",
    "python environment",
    "build",
    "bundler",
    "unit tests",
    "python tests",
    "formatter",
    "python formatter",
    "infrastructure",
];

fn tools() -> impl Iterator<Item = &'static [&'static str]> {
    FAMILIES.iter().filter(|(name, _)| TOOLS.contains(name)).map(|(_, members)| *members)
}

/// Whether a word in lower case is a program of a family.
pub(crate) fn is_tool(word: &str) -> bool {
    tools().any(|members| members.contains(&word))
}

/// Whether two words in lower case are different programs of one family.
pub(crate) fn are_rivals(left: &str, right: &str) -> bool {
    left != right && tools().any(|members| members.contains(&left) && members.contains(&right))
}

/// The programs that a text names as whole words, in lower case, with their places.
pub(crate) fn tools_in(text: &str) -> Vec<(String, Vec<Range<usize>>)> {
    let mut found: Vec<(String, Vec<Range<usize>>)> = Vec::new();
    let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '@');
    let mut next = 0;
    for word in text.split_inclusive(|c: char| !inside(c)) {
        let place = next;
        next += word.len();
        let word = word.trim_end_matches(|c: char| !inside(c));
        let bare = word.trim_end_matches('.');
        let lower = bare.to_lowercase();
        if is_tool(&lower) {
            let range = place..place + bare.len();
            match found.iter_mut().find(|(name, _)| *name == lower) {
                Some((_, places)) => places.push(range),
                None => found.push((lower, vec![range])),
            }
        }
    }
    found
}

/// A member of the old one's family that a text names, in its own spelling.
pub(crate) fn member_in(text: &str, old: &str) -> Option<String> {
    let old = old.to_lowercase();
    let (_, members) = FAMILIES.iter().find(|(_, members)| members.contains(&old.as_str()))?;
    text.split(|c: char| c.is_whitespace() || is_han(c) || matches!(c, ',' | ';' | '，' | '。' | '；' | '`'))
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .find(|word| {
            let lower = word.to_lowercase();
            lower != old && members.contains(&lower.as_str())
        })
        .map(str::to_owned)
}

/// The whole words of a text, in lower case: `npm-publish` is not `npm`. Runs of Han characters are one word each,
/// with what may stand in them as a name.
fn words(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let mut found: BTreeSet<String> = lower
        .split(|c: char| {
            is_han(c) || !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '@' | ':'))
        })
        .map(|word| word.trim_matches(|c: char| matches!(c, '.' | ':' | '/' | '-')).to_owned())
        .filter(|word| !word.is_empty())
        .flat_map(|word| {
            if word.contains("./") || word.contains('-') || !word.contains('/') {
                vec![word]
            } else {
                word.split('/').map(str::to_owned).collect()
            }
        })
        .collect();
    for (_, members) in FAMILIES {
        found.extend(
            members
                .iter()
                .filter(|member| member.chars().all(is_han) && lower.contains(**member))
                .map(|member| (*member).to_owned()),
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_members_of_one_family_are_rivals() {
        let none = BTreeSet::new();
        assert_eq!(rivals("run yarn", "the item is npm-publish", &none), None);
        assert_eq!(rivals("built with Maven", "we moved the build to Gradle", &none), Some("build"));
        assert_eq!(rivals("工单在 Jira", "工单搬到 Linear 了", &none), Some("tickets"));
        assert_eq!(rivals("postgres for orders", "redis for sessions", &none), None);
        assert_eq!(rivals("use yarn", "yarn stays, npm is gone", &none), None);
    }
}
