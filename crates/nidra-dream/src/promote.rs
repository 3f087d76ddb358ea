//! Rules that had to be told again, proposed for the files that people write themselves: what holds for everybody on the
//! project for `CLAUDE.md` or `AGENTS.md`, what is the user's own taste for `CLAUDE.local.md`, what was told in several
//! projects for the memory that a team shares.
//!
//! A proposal is all that ever comes of it here. What was proposed once is not proposed again, whatever the answer was.

use crate::kept::KeptPlan;
use crate::standing::{Sources, Weighed, evidence, sources_of};
use crate::team::{self, Team};
use nidra_core::settings::ProposeSettings;
use nidra_core::text::similarity::similarity;
use nidra_core::{Change, EntryId, Evidence, Kind, Operation, OperationId, TrustRank};
use nidra_memory::store::{PlanRecord, PlanState};
use nidra_sessions::plain_file;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The file for what is the user's own; no other agent has such a one.
pub const PERSONAL_FILE: &str = "CLAUDE.local.md";
/// The files that agents read as a project's own rules, the first choice first.
pub const SHARED_FILES: [&str; 4] = ["CLAUDE.md", "AGENTS.md", "GEMINI.md", "QWEN.md"];
/// All files of a checkout for which anything is proposed.
pub fn files() -> impl Iterator<Item = &'static str> {
    SHARED_FILES.into_iter().chain([PERSONAL_FILE])
}

/// Proposals of one run at most.
const MAX_PROPOSED: usize = 5;
/// How alike two statements are that say the same.
pub(crate) const SAME: f64 = 0.8;
/// Pieces of evidence that a proposal shows, and other projects that it names.
const MAX_EVIDENCE: usize = 3;
/// Bytes of a file that are looked at; rules for agents are a few kilobytes.
const MAX_BYTES: u64 = 512 * 1024;
/// Words for the user in statements of memory.
const THE_USER: [&str; 3] = ["the user", "user's", "用户"];

/// What the rules of a checkout and of the team say, and what was proposed for them before.
pub struct Shelf {
    shared: &'static str,
    texts: BTreeMap<&'static str, Vec<String>>,
    proposed: Vec<String>,
    team: Option<Team>,
}

impl Shelf {
    /// Reads the files at the root of a checkout, and the proposals of plans in whatever state.
    pub(crate) fn look(root: &Path, plans: &[(PlanRecord, KeptPlan)], team: Option<Team>) -> Self {
        let found: BTreeMap<&'static str, String> =
            files().filter_map(|name| Some((name, beginning(&root.join(name))?))).collect();
        // A no for the team is none for the project.
        let counts = |(state, place, _): &(PlanState, &str, &str)| {
            *state != PlanState::Rejected || !Path::new(place).is_absolute()
        };
        let proposed = proposed(plans).filter(counts).map(|(.., text)| text.to_owned()).collect();
        Self {
            shared: shared_file(&found),
            texts: found.iter().map(|(name, text)| (*name, statements(text).collect())).collect(),
            proposed,
            team,
        }
    }

    /// Whether one of the files says it, or it was proposed before.
    fn knows(&self, text: &str) -> bool {
        let said = self.texts.values().flatten().chain(&self.proposed);
        said.into_iter().any(|known| similarity(known, text) >= SAME)
    }
}

/// What was proposed: what became of it, where, and the words. What newer words took back was not: it may be asked anew.
pub(crate) fn proposed(plans: &[(PlanRecord, KeptPlan)]) -> impl Iterator<Item = (PlanState, &str, &str)> {
    let operations = plans
        .iter()
        .filter(|(record, _)| record.state != PlanState::Obsolete)
        .flat_map(|(record, kept)| kept.operations().iter().map(|operation| (record.state, operation)));
    operations.filter_map(|(state, operation)| match &operation.change {
        Change::Propose { destination, text } => Some((state, destination.as_str(), text.as_str())),
        _ => None,
    })
}

/// The file that a project's rules stand in. One that only leads to another is not it.
fn shared_file(found: &BTreeMap<&'static str, String>) -> &'static str {
    let leads_on = |name: &&'static str| {
        let text = found.get(name).map(|text| text.trim()).unwrap_or_default();
        let imported = text.strip_prefix('@').map(|path| path.trim_start_matches("./"));
        imported.and_then(|path| SHARED_FILES.into_iter().find(|known| *known == path))
    };
    let first = SHARED_FILES.into_iter().find(|name| found.contains_key(name)).unwrap_or(SHARED_FILES[0]);
    leads_on(&first).unwrap_or(first)
}

/// The beginning of a file that people write; `None` when it cannot be read.
pub(crate) fn beginning(path: &Path) -> Option<String> {
    plain_file::text(path, MAX_BYTES)
}

/// What a file that people write states, line by line.
pub(crate) fn statements(text: &str) -> impl Iterator<Item = String> {
    text.lines().map(bare).filter(|line| !line.is_empty())
}

/// A line without the marks of a list or heading.
fn bare(line: &str) -> String {
    line.trim().trim_start_matches(['-', '*', '+', '#', ' ']).to_owned()
}

/// The proposals that memory gives rise to: rules and tastes in the human's own words, from as many sessions as the
/// settings ask for, or from several projects. What the run touches waits for another one.
pub fn proposals(
    weighed: &[Weighed],
    sources: &Sources,
    shelf: &Shelf,
    settings: &ProposeSettings,
    touched: &BTreeSet<EntryId>,
) -> Vec<Operation> {
    if !settings.enabled {
        return Vec::new();
    }
    let mut found: Vec<Operation> = Vec::new();
    for entry in weighed {
        let twice = || {
            found.iter().any(|operation| match &operation.change {
                Change::Propose { text, .. } => similarity(text, &entry.text) >= SAME,
                _ => false,
            })
        };
        if touched.contains(&entry.entry) || twice() {
            continue;
        }
        let proposal =
            for_team(entry, sources, shelf).or_else(|| for_project(entry, sources, shelf, settings));
        found.extend(proposal);
        if found.len() == MAX_PROPOSED {
            break;
        }
    }
    found
}

/// What can be proposed at all: a rule or a taste in the human's own words.
fn own_words(entry: &Weighed) -> Option<(Kind, usize)> {
    let support = entry.facts.support.as_ref().filter(|support| support.rank >= TrustRank::HumanVerbatim)?;
    let kind = entry.facts.kind.filter(|kind| matches!(kind, Kind::Feedback | Kind::User))?;
    Some((kind, support.sessions))
}

/// A rule that the user told again in this project, for the files of its checkout.
fn for_project(
    entry: &Weighed,
    sources: &Sources,
    shelf: &Shelf,
    settings: &ProposeSettings,
) -> Option<Operation> {
    let (kind, sessions) = own_words(entry)?;
    let enough = usize::try_from(settings.min_sessions).unwrap_or(usize::MAX);
    if sessions < enough || shelf.knows(&entry.text) {
        return None;
    }
    let place = destination(kind, &entry.text, shelf.shared);
    let reason = format!("it was said in {sessions} sessions; there every agent would read it");
    let recorded = sources_of(sources, &entry.entry);
    Some(propose(entry, kind, place, reason, evidence(&recorded)))
}

/// A rule that the user told in other projects, too, for the memory that the team shares.
fn for_team(entry: &Weighed, sources: &Sources, shelf: &Shelf) -> Option<Operation> {
    let team = shelf.team.as_ref()?;
    let (kind, _) = own_words(entry)?;
    if team::is_personal(kind, &entry.text) || team.knows(&entry.text) {
        return None;
    }
    let recorded = sources_of(sources, &entry.entry);
    let here = evidence(&recorded);
    let elsewhere = team.elsewhere(&entry.text, &here);
    if elsewhere.is_empty() {
        return None;
    }
    let others = elsewhere.into_iter().take(MAX_EVIDENCE).collect::<Vec<_>>().join(", ");
    let reason = format!("it was told here and in {others}; there the whole team would read it");
    Some(propose(entry, kind, team.file(), reason, here))
}

fn propose(
    entry: &Weighed,
    kind: Kind,
    destination: &str,
    reason: String,
    evidence: Vec<&Evidence>,
) -> Operation {
    Operation {
        id: OperationId::new(format!("propose-{}", entry.entry)),
        change: Change::Propose { destination: destination.to_owned(), text: entry.text.clone() },
        kind,
        rank: TrustRank::HumanVerbatim,
        reason,
        evidence: evidence.into_iter().take(MAX_EVIDENCE).cloned().collect(),
    }
}

/// Where a statement belongs: what speaks of the user is the user's alone.
fn destination(kind: Kind, text: &str, shared: &'static str) -> &'static str {
    if is_personal(kind, text) { PERSONAL_FILE } else { shared }
}

/// Whether a statement speaks of the user.
pub(crate) fn is_personal(kind: Kind, text: &str) -> bool {
    let folded = text.to_lowercase();
    kind == Kind::User || THE_USER.iter().any(|words| folded.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(files: &[(&'static str, &str)]) -> &'static str {
        shared_file(&files.iter().map(|(name, text)| (*name, (*text).to_owned())).collect())
    }

    #[test]
    fn the_file_that_holds_the_rules_is_the_one_that_grows() {
        assert_eq!(shared(&[]), "CLAUDE.md");
        assert_eq!(shared(&[("AGENTS.md", "# Rules")]), "AGENTS.md");
        assert_eq!(shared(&[("AGENTS.md", "# Rules"), ("CLAUDE.md", "@AGENTS.md\n")]), "AGENTS.md");
        assert_eq!(shared(&[("AGENTS.md", "# Rules"), ("CLAUDE.md", "# Ours\n@AGENTS.md\n")]), "CLAUDE.md");
        assert_eq!(shared(&[("GEMINI.md", "")]), "GEMINI.md");
    }

    #[test]
    fn what_speaks_of_the_user_is_the_users_alone() {
        let place = |kind, text| destination(kind, text, "CLAUDE.md");
        assert_eq!(place(Kind::Feedback, "Always use pnpm, never npm."), "CLAUDE.md");
        assert_eq!(place(Kind::Feedback, "The user wants short answers."), PERSONAL_FILE);
        assert_eq!(place(Kind::Feedback, "用户希望回答简短。"), PERSONAL_FILE);
        assert_eq!(place(Kind::Feedback, "提交信息一律用中文写。"), "CLAUDE.md");
        assert_eq!(place(Kind::User, "Works as a geologist."), PERSONAL_FILE);
    }
}
