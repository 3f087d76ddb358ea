//! What hooks tell an agent of memory, and when: at the start of a session what the folder and the branch name, at the first
//! prompt of which memory holds something what the prompt asks for.

use crate::config::Environment;
use crate::context::client_environment;
use jiff::Timestamp;
use nidra_core::Settings;
use nidra_memory::directory::MemoryDirectory;
use nidra_recall::disclose;
use nidra_sessions::claude::{self, HookPayload};
use nidra_sessions::{Project, repository};
use std::fs::{self, OpenOptions};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The folder in the state directory whose files name the sessions that were told at their first prompt.
const FOLDER: &str = "told";
/// How long a session is known to have been told.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Bytes of a memory that a hook reads at most: it may not keep a session waiting.
const MAX_MEMORY: u64 = 1024 * 1024;
/// Files and folders of a memory that are counted.
const MAX_FILES: usize = 4_000;
/// Branches whose name says nothing of the work.
const TRUNKS: &[&str] = &["main", "master", "trunk", "develop", "dev"];

/// What the agent is told now; `None` for nothing. Whatever cannot be read keeps nobody from working, so it tells nothing.
pub fn look(
    environment: &Environment,
    state: &Path,
    settings: &Settings,
    project: &Project,
    payload: &HookPayload,
    now: Timestamp,
) -> Option<String> {
    let budget = settings.recall.disclose_tokens as usize;
    // A sub-agent is told by the agent that sent it.
    if budget == 0 || payload.agent_id.is_some() {
        return None;
    }
    let marker = state.join(FOLDER).join(&blake3::hash(payload.session_id.as_bytes()).to_hex()[..32]);
    let occasion = match payload.hook_event_name.as_str() {
        "SessionStart" => {
            // What was told before a compaction is gone with it.
            let _none_there = fs::remove_file(&marker);
            place(project, &payload.cwd)
        }
        "UserPromptSubmit" if !marker.exists() => payload.prompt.clone()?,
        _ => return None,
    };
    let client = environment.claude_config().ok()?;
    let location = claude::memory_directory(project, &client_environment(environment), &client);
    let directory = match &settings.memory.directory {
        Some(directory) => directory,
        None if location.enabled => &location.directory,
        None => return None,
    };
    if size(directory) > MAX_MEMORY {
        return None;
    }
    let memory = MemoryDirectory::load(directory).ok()?;
    let now = now.to_zoned_datetime(environment.time_zone());
    let told = disclose::few(&memory, &occasion, &now, budget, settings.redact.scope()).ok()?;
    let message = disclose::message(&told)?;
    // An `ok` asks for nothing and uses nothing up.
    (payload.hook_event_name == "SessionStart" || is_first(&marker)).then_some(message)
}

/// The bytes of a memory's files; as much as none may have where there are too many.
fn size(memory: &Path) -> u64 {
    let (mut sum, mut seen) = (0, 0);
    let mut folders = vec![memory.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            seen += 1;
            let Ok(metadata) = fs::metadata(entry.path()) else { continue };
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if metadata.is_dir() && !is_link {
                folders.push(entry.path());
            }
            sum += metadata.len();
            if seen > MAX_FILES {
                return u64::MAX;
            }
        }
    }
    sum
}

/// Forgets the sessions that were told long ago.
pub fn clean(state: &Path) {
    for entry in fs::read_dir(state.join(FOLDER)).into_iter().flatten().flatten() {
        let made = entry.metadata().and_then(|metadata| metadata.modified());
        let is_old = made.is_ok_and(|made| {
            #[expect(
                clippy::disallowed_methods,
                reason = "the age of a file is measured by the clock that stamped it"
            )]
            let now = SystemTime::now();
            now.duration_since(made).is_ok_and(|age| age > KEPT)
        });
        if is_old {
            let _tried_again_next_time = fs::remove_file(entry.path());
        }
    }
}

/// Whether a session was not told yet; it counts as told from now on.
fn is_first(marker: &Path) -> bool {
    let parent = marker.parent().unwrap_or(marker);
    fs::create_dir_all(parent).is_ok() && OpenOptions::new().write(true).create_new(true).open(marker).is_ok()
}

/// The folder within the checkout and the branch, as words.
fn place(project: &Project, directory: &Path) -> String {
    let folder = directory.strip_prefix(&project.checkout).unwrap_or(Path::new("")).display().to_string();
    let branch = repository::branch(&project.checkout)
        .filter(|name| !TRUNKS.contains(&name.as_str()))
        .unwrap_or_default();
    format!("{folder} {branch}").replace(['/', '-', '_', '.'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_told_once() {
        let state = tempfile::tempdir().unwrap();
        let marker = state.path().join(FOLDER).join("a");
        assert!(is_first(&marker) && !is_first(&marker));
        clean(state.path());
        assert!(!is_first(&marker));
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        fs::File::open(&marker).unwrap().set_modified(long_ago).unwrap();
        clean(state.path());
        assert!(is_first(&marker));
    }
}
