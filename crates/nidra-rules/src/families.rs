//! Things of which a project has one at a time: a change to one of a family ends the others.
//!
//! General knowledge as data. A family is listed only where two of its members side by side would contradict
//! each other; what is commonly used together (two databases, two languages) is no family.

use std::collections::BTreeSet;

/// Members by family, in lower case. A member may have a second spelling in another place of its list.
const FAMILIES: &[(&str, &[&str])] = &[
    ("package manager", &["npm", "yarn", "pnpm", "bun"]),
    ("python environment", &["conda", "poetry", "pipenv", "uv", "virtualenv", "venv", "pdm", "hatch", "rye"]),
    ("build", &["maven", "mvn", "mvnw", "gradle", "gradlew", "bazel", "sbt", "ant", "buck"]),
    ("bundler", &["webpack", "vite", "rollup", "parcel", "esbuild", "turbopack", "rspack"]),
    ("tickets", &["jira", "linear", "youtrack", "redmine", "trello", "asana", "clubhouse", "shortcut", "tapd", "禅道", "zentao"]),
    ("continuous integration", &["jenkins", "circleci", "travis", "gitlab-ci", "buildkite", "teamcity", "drone", "woodpecker"]),
    ("unit tests", &["jest", "vitest", "mocha", "jasmine", "ava"]),
    ("python tests", &["pytest", "nose", "unittest"]),
    ("formatter", &["prettier", "dprint", "biome"]),
    ("python formatter", &["black", "yapf", "autopep8"]),
    ("state", &["redux", "mobx", "zustand", "recoil", "vuex", "pinia", "bloc", "riverpod"]),
    ("chat", &["slack", "teams", "mattermost", "discord", "钉钉", "飞书", "企业微信"]),
    ("paging", &["pagerduty", "opsgenie", "victorops", "klaxon"]),
    ("orm", &["sequelize", "typeorm", "prisma", "drizzle", "mikro-orm"]),
    ("infrastructure", &["terraform", "pulumi", "cloudformation", "opentofu"]),
    ("registry", &["dockerhub", "harbor", "ghcr", "artifactory", "nexus"]),
    ("branching", &["squash", "rebase-merge", "merge-commit"]),
];

/// Whether both name members of one family, but no common one: then the newer one ends the older.
pub(crate) fn rivals(older: &BTreeSet<String>, newer: &BTreeSet<String>) -> Option<&'static str> {
    FAMILIES.iter().find_map(|(name, members)| {
        let of = |terms: &BTreeSet<String>| -> BTreeSet<&str> { members.iter().copied().filter(|member| terms.contains(*member)).collect() };
        let (before, after) = (of(older), of(newer));
        (!before.is_empty() && !after.is_empty() && before.is_disjoint(&after)).then_some(*name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::terms;

    #[test]
    fn only_members_of_one_family_are_rivals() {
        assert_eq!(rivals(&terms("built with Maven"), &terms("we moved the build to Gradle")), Some("build"));
        assert_eq!(rivals(&terms("工单在 Jira"), &terms("工单搬到 Linear 了")), Some("tickets"));
        assert_eq!(rivals(&terms("postgres for orders"), &terms("redis for sessions")), None);
        assert_eq!(rivals(&terms("use yarn"), &terms("yarn stays, npm is gone")), None);
    }
}
