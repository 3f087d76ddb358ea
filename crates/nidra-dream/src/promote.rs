//! Rules that had to be told again, proposed for the files that people write themselves: what holds for everybody on the
//! project for `CLAUDE.md` or `AGENTS.md`, what is the user's own taste for `CLAUDE.local.md`.
//!
//! A proposal is all that ever comes of it here. What was proposed once is not proposed again, whatever the answer was.

use crate::kept::KeptPlan;
use crate::standing::{Sources, Weighed, evidence, sources_of};
use nidra_core::settings::ProposeSettings;
use nidra_core::text::similarity::similarity;
use nidra_core::{Change, EntryId, Kind, Operation, OperationId, TrustRank};
use nidra_memory::store::PlanRecord;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The file for what is the user's own; no other agent has such a one.
pub const PERSONAL_FILE: &str = "CLAUDE.local.md";
/// The files that agents read as a project's own rules, the first choice first.
pub const SHARED_FILES: [&str; 4] = ["CLAUDE.md", "AGENTS.md", "GEMINI.md", "QWEN.md"];
/// All files for which anything is proposed.
pub fn files() -> impl Iterator<Item = &'static str> {
    SHARED_FILES.into_iter().chain([PERSONAL_FILE])
}

/// Proposals of one run at most.
const MAX_PROPOSED: usize = 5;
/// How alike two statements are that say the same.
const SAME: f64 = 0.8;
/// Pieces of evidence that a proposal shows.
const MAX_EVIDENCE: usize = 3;
/// Bytes of a file that are looked at; rules for agents are a few kilobytes.
const MAX_BYTES: usize = 512 * 1024;
/// Words for the user in statements of memory.
const THE_USER: [&str; 3] = ["the user", "user's", "用户"];

/// What the rules of a checkout say, and what was proposed for them before.
pub struct Shelf {
    shared: &'static str,
    texts: BTreeMap<&'static str, Vec<String>>,
    proposed: Vec<String>,
}

impl Shelf {
    /// Reads the files at the root of a checkout, and the proposals of plans in whatever state.
    pub fn look(root: &Path, plans: &[(PlanRecord, KeptPlan)]) -> Self {
        let read = |name: &str| -> Option<String> {
            let bytes = fs::read(root.join(name)).ok()?;
            Some(String::from_utf8_lossy(bytes.get(..MAX_BYTES).unwrap_or(&bytes)).into_owned())
        };
        let found: BTreeMap<&'static str, String> =
            files().filter_map(|name| Some((name, read(name)?))).collect();
        let statements = |text: &String| text.lines().map(bare).filter(|line| !line.is_empty()).collect();
        let proposed = plans
            .iter()
            .flat_map(|(_, kept)| kept.operations())
            .filter_map(|operation| match &operation.change {
                Change::Propose { text, .. } => Some(text.clone()),
                _ => None,
            })
            .collect();
        Self {
            shared: shared_file(&found),
            texts: found.iter().map(|(name, text)| (*name, statements(text))).collect(),
            proposed,
        }
    }

    /// Whether one of the files says it, or it was proposed before.
    fn knows(&self, text: &str) -> bool {
        let said = self.texts.values().flatten().chain(&self.proposed);
        said.into_iter().any(|known| similarity(known, text) >= SAME)
    }
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

/// A line without the marks of a list or heading.
fn bare(line: &str) -> String {
    line.trim().trim_start_matches(['-', '*', '+', '#', ' ']).to_owned()
}

/// The proposals that memory gives rise to: rules and tastes in the human's own words, from as many sessions as the
/// settings ask for. What the run touches waits for another one.
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
        let Some(support) = &entry.facts.support else { continue };
        let Some(kind) = entry.facts.kind.filter(|kind| matches!(kind, Kind::Feedback | Kind::User)) else {
            continue;
        };
        let enough = usize::try_from(settings.min_sessions).unwrap_or(usize::MAX);
        let twice = || {
            found.iter().any(|operation| match &operation.change {
                Change::Propose { text, .. } => similarity(text, &entry.text) >= SAME,
                _ => false,
            })
        };
        if support.rank < TrustRank::HumanVerbatim
            || support.sessions < enough
            || touched.contains(&entry.entry)
            || shelf.knows(&entry.text)
            || twice()
        {
            continue;
        }
        let recorded = sources_of(sources, &entry.entry);
        found.push(Operation {
            id: OperationId::new(format!("propose-{}", entry.entry)),
            change: Change::Propose {
                destination: destination(kind, &entry.text, shelf.shared).to_owned(),
                text: entry.text.clone(),
            },
            kind,
            rank: support.rank,
            reason: format!("it was said in {} sessions; there every agent would read it", support.sessions),
            evidence: evidence(&recorded).into_iter().take(MAX_EVIDENCE).cloned().collect(),
        });
        if found.len() == MAX_PROPOSED {
            break;
        }
    }
    found
}

/// Where a statement belongs: what speaks of the user is the user's alone.
fn destination(kind: Kind, text: &str, shared: &'static str) -> &'static str {
    let folded = text.to_lowercase();
    let personal = kind == Kind::User || THE_USER.iter().any(|words| folded.contains(words));
    if personal { PERSONAL_FILE } else { shared }
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
