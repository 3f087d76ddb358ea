//! What the user may set. Layers, files and environment are the command layer's concern.

use crate::text::redact::Scope;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// All settings with their values; defaults are the ones of the specification.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// When a dream runs and how far it goes.
    pub dream: DreamSettings,
    /// Where memory lives and how full it may get.
    pub memory: MemorySettings,
    /// Which sessions are read.
    pub sessions: SessionSettings,
    /// What is removed from what is read.
    pub redact: RedactSettings,
    /// What leaves memory because little speaks for it.
    pub forget: ForgetSettings,
}

/// `[dream]`: when a dream runs and how far it goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DreamSettings {
    /// Dream by itself. A dream that the user asks for runs anyway, unless `NIDRA_DISABLED` is set.
    pub enabled: bool,
    /// Hours since the last successful dream before the next one.
    pub min_hours: f64,
    /// Sessions touched since the last successful dream before the next one.
    pub min_sessions: u32,
    /// Minutes between two scans of the session directories while sessions are too few.
    pub scan_throttle_minutes: f64,
    /// Sessions read in one run at most; the rest waits for the next run.
    pub max_sessions: u32,
    /// The engine: `rules`.
    pub engine: EngineChoice,
    /// What needs the user's word before it is applied.
    pub review: ReviewPolicy,
    /// Share of the topic files that one run may change or archive at most, from 0 to 1.
    pub max_changed_share: f64,
    /// Share of the entries that one run may archive at most, from 0 to 1.
    pub max_archived_share: f64,
    /// New topic files in one run at most.
    pub max_new_topics: u32,
}

impl Default for DreamSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            min_hours: 24.0,
            min_sessions: 5,
            scan_throttle_minutes: 10.0,
            max_sessions: 200,
            engine: EngineChoice::Rules,
            review: ReviewPolicy::Risky,
            max_changed_share: 0.5,
            max_archived_share: 0.1,
            max_new_topics: 60,
        }
    }
}

/// Which engine judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineChoice {
    /// The embedded engine: no network, no key, no model.
    Rules,
}

/// What needs the user's word before it is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReviewPolicy {
    /// Everything is proposed.
    All,
    /// Superseding what the human said, archiving, and touching user, feedback or pinned entries is proposed.
    Risky,
    /// Everything inside the memory directory is applied, except on pinned entries.
    Auto,
}

/// `[memory]`: where memory lives and how full it may get.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MemorySettings {
    /// The memory directory; unset means the agent's own.
    pub directory: Option<PathBuf>,
    /// Lines of the index at most, as the client counts them.
    pub max_index_lines: u32,
    /// UTF-16 units of the index at most, as the client counts them.
    pub max_index_units: u32,
    /// UTF-16 units of an index line that nidra writes at most.
    pub max_line_units: u32,
    /// One memory for all work trees of a repository, as the client has it; `false` gives each its own.
    pub share_worktrees: bool,
}

impl Default for MemorySettings {
    fn default() -> Self {
        Self {
            directory: None,
            max_index_lines: 200,
            max_index_units: 25_000,
            max_line_units: 150,
            share_worktrees: true,
        }
    }
}

/// `[sessions]`: which sessions are read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SessionSettings {
    /// Minutes without a new record after which a session counts as ended when no hook said so.
    pub idle_minutes: f64,
    /// Count and read sessions that ran without a person at the keyboard (`claude -p`).
    pub include_headless: bool,
    /// Projects that are neither read nor counted, by path; everything below a path is left out too.
    pub exclude: Vec<PathBuf>,
}

impl Default for SessionSettings {
    fn default() -> Self {
        Self { idle_minutes: 30.0, include_headless: true, exclude: Vec::new() }
    }
}

/// `[redact]`: what is removed from what is read, besides secrets, which always are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RedactSettings {
    /// Remove addresses of mail, telephone numbers, and numbers of papers, cards and accounts as well.
    pub personal: bool,
}

impl RedactSettings {
    /// What is looked for.
    pub fn scope(self) -> Scope {
        if self.personal { Scope::SecretsAndPersonal } else { Scope::Secrets }
    }
}

/// `[forget]`: what leaves memory because little speaks for it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ForgetSettings {
    /// Demote and archive entries of little importance.
    pub enabled: bool,
    /// Active entries that memory may hold before the least important of them are archived.
    pub max_entries: u32,
    /// The importance, from 0 to 1, below which an entry is archived.
    pub min_score: f64,
    /// Days since the last evidence before an entry can be archived.
    pub min_age_days: f64,
}

impl Default for ForgetSettings {
    fn default() -> Self {
        Self { enabled: true, max_entries: 400, min_score: 0.4, min_age_days: 90.0 }
    }
}
