//! The staging copy: a scratch folder with the part of memory that the agent is shown, and excerpts of the sessions.
//!
//! What lies there is all that an agent has. It may change the copy of memory; the rest is there to be read. Nothing of
//! it is ever copied back: what changed is read as operations, and those pass the guard as everybody's do.

use crate::scratch;
use crate::shell::Root;
use crate::stray::{self, Stray};
use nidra_core::text::redact::{self, Scope};
use nidra_core::text::{token, width};
use nidra_core::{Conversation, EntryId, MemoryView, Outcome, Speaker};
use nidra_memory::directory::{MemoryDirectory, MemoryError};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// The folder of memory in the staging copy.
pub const MEMORY: &str = "memory";
/// The folder of excerpts in the staging copy.
pub const SESSIONS: &str = "sessions";
/// What the rules keep already.
pub const KEPT: &str = "kept.md";
/// Bytes of a person's turn that are shown.
const MAX_HUMAN: usize = 4 * 1024;
/// Bytes of an agent's turn that are shown.
const MAX_AGENT: usize = 800;
/// Bytes of one session that are shown.
const MAX_SESSION: usize = 96 * 1024;
/// Bytes of all sessions that are shown.
const MAX_SESSIONS: usize = 1024 * 1024;
/// The file that is locked as long as a staging copy is used.
const LOCK: &str = "lock";
/// How long a staging copy may be in the making: it cannot be locked before it is there.
const MAKING: Duration = Duration::from_secs(60);
/// How the name of a staging copy begins.
const PREFIX: &str = "run-";
/// Words of an agent's that are shown of a line of the list of what is kept.
const MAX_KEPT: usize = 600;

/// A staging copy that cannot be made or read.
#[derive(Debug, thiserror::Error)]
pub enum StagingError {
    /// The system refused.
    #[error("the staging copy cannot be made in {}: {source}", path.display())]
    Make {
        /// Where.
        path: PathBuf,
        /// The cause as the system gave it.
        source: io::Error,
    },
    /// What the agent left is no memory directory.
    #[error("what the agent left cannot be read")]
    Read(#[from] MemoryError),
}

/// What may be shown.
#[derive(Clone, Copy, Debug)]
pub struct Bounds<'a> {
    /// What is removed from everything.
    pub scope: Scope,
    /// Entries that must not leave this machine.
    pub private: &'a BTreeSet<EntryId>,
    /// Whoever is shown it is on this machine.
    pub local: bool,
}

impl Bounds<'_> {
    fn stays(&self, entry: &EntryId) -> bool {
        !self.local && self.private.contains(entry)
    }
}

/// A copy of memory as an agent left it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Left {
    /// What it says.
    pub(crate) memory: MemoryView,
    /// What lies there and is no part of that.
    pub(crate) strays: Vec<Stray>,
}

/// A staging copy; the folder goes with the value.
#[derive(Debug)]
pub struct Staging {
    folder: TempDir,
    /// Held until the value goes; the kernel lets go of it when we are killed.
    _lock: File,
    root: Root,
    /// Memory as the agent was shown it.
    pub before: MemoryView,
    /// Topic files that it was not shown.
    pub withheld: usize,
}

impl Staging {
    /// Makes a staging copy below a folder.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn make(
        below: &Path,
        memory: &MemoryDirectory,
        conversations: &[Conversation],
        rules: &Outcome,
        bounds: Bounds<'_>,
    ) -> Result<Self, StagingError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| StagingError::Make { path, source }
        };
        fs::DirBuilder::new().recursive(true).mode(0o700).create(below).map_err(failed(below))?;
        let folder = tempfile::Builder::new()
            .prefix(PREFIX)
            .permissions(fs::Permissions::from_mode(0o700))
            .tempdir_in(below)
            .map_err(failed(below))?;
        let lock = folder.path().join(LOCK);
        let lock = File::create(&lock).and_then(|file| file.lock().map(|()| file)).map_err(failed(&lock))?;
        let world = folder.path().join("world");
        let write = |name: &str, bytes: &[u8]| {
            let path = world.join(name);
            let parent = path.parent().unwrap_or(&world);
            fs::create_dir_all(parent).map_err(failed(parent))?;
            fs::write(&path, bytes).map_err(failed(&path))
        };
        for name in [MEMORY, SESSIONS] {
            let path = world.join(name);
            fs::create_dir_all(&path).map_err(failed(&path))?;
        }
        for name in ["home/.codex", "home/.claude", "tmp"] {
            let path = folder.path().join(name);
            fs::create_dir_all(&path).map_err(failed(&path))?;
        }
        let (shown, withheld) = shown(memory, bounds);
        for (path, bytes) in &shown {
            write(&format!("{MEMORY}/{path}"), bytes)?;
        }
        for (at, text) in excerpts(conversations, bounds.scope).iter().enumerate() {
            write(&format!("{SESSIONS}/s{}.txt", at + 1), text.as_bytes())?;
        }
        write(KEPT, kept(rules, bounds).as_bytes())?;
        let root = Root::new(&world).map_err(failed(&world))?;
        let files = shown.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()));
        let before = MemoryDirectory::from_files(files).view();
        Ok(Self { folder, _lock: lock, root, before, withheld })
    }

    /// What a staging copy would hold, without making one: topic files, and tokens of all that can be read in it.
    pub fn measure(
        memory: &MemoryDirectory,
        conversations: &[Conversation],
        rules: &Outcome,
        bounds: Bounds<'_>,
    ) -> (usize, usize) {
        let (files, _) = shown(memory, bounds);
        let texts = files.iter().map(|(_, bytes)| token::estimate(&String::from_utf8_lossy(bytes)));
        let excerpts = excerpts(conversations, bounds.scope);
        let others = excerpts.iter().map(|text| token::estimate(text)).sum::<usize>();
        // The index is not counted as a topic.
        (files.len().saturating_sub(1), texts.sum::<usize>() + others + token::estimate(&kept(rules, bounds)))
    }

    /// The folder that is the agent's world.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// The copy of memory, the one folder of its world that the agent may change.
    pub fn memory(&self) -> PathBuf {
        self.root.path().join(MEMORY)
    }

    /// The folder of all of it.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A folder beside the world: `home` and `tmp` are there for an agent that needs them.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Memory as the agent left it. Links that lead out, pipes and the like are not read.
    ///
    /// # Errors
    /// When it cannot be read at all.
    pub(crate) fn after(&self) -> Result<Left, StagingError> {
        scratch::open_up(&self.memory());
        let memory = MemoryDirectory::load(&self.memory())?;
        Ok(Left { memory: memory.view(), strays: stray::strays(&memory) })
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // The folder itself goes with its own value; what cannot be removed now is tried again by the next run.
        let _left = scratch::empty(self.folder.path());
    }
}

/// Removes the staging copies below a folder that nobody uses any more, as runs that were killed leave them. What cannot
/// be removed now is tried again by the next run.
pub fn clean(below: &Path) {
    for entry in fs::read_dir(below).into_iter().flatten().flatten() {
        let made = entry.metadata().and_then(|metadata| metadata.modified());
        let is_old = made.is_ok_and(|made| made.elapsed().is_ok_and(|age| age > MAKING));
        let is_free = || match File::open(entry.path().join(LOCK)) {
            Ok(lock) => lock.try_lock().is_ok(),
            // Killed before it was locked.
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if entry.file_name().to_string_lossy().starts_with(PREFIX) && is_old && is_free() {
            let _left = scratch::empty(&entry.path()).and_then(|()| fs::remove_dir(entry.path()));
        }
    }
}

/// The files that the agent is shown, and how many topics it is not: what is pinned, cannot be edited, holds a secret, or
/// must stay here. What it was not shown it cannot change.
fn shown(memory: &MemoryDirectory, bounds: Bounds<'_>) -> (Vec<(String, Vec<u8>)>, usize) {
    let view = memory.view();
    let mut files = Vec::new();
    let mut hidden = BTreeSet::new();
    for topic in &view.topics {
        let bytes = memory.files.get(&topic.path).map(|file| file.bytes.clone()).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let private = topic.entries.iter().any(|entry| bounds.stays(&entry.id));
        // The name is shown as well.
        let secret = !redact::is_clean_path(&topic.path, bounds.scope)
            || !redact::find_in(&text, bounds.scope).is_empty();
        if topic.pinned || !topic.editable || private || secret {
            hidden.insert(topic.path.as_str());
        } else {
            files.push((topic.path.clone(), bytes));
        }
    }
    let mut index = String::new();
    for line in &view.index {
        // A line may name a file without being a link that is understood.
        let of_hidden = line.targets.iter().any(|target| hidden.contains(target.as_str()))
            || hidden.iter().any(|path| line.text.contains(path));
        if !of_hidden && redact::find_in(&line.text, bounds.scope).is_empty() {
            index.push_str(&line.text);
            index.push('\n');
        }
    }
    // Lines that are clean alone may show something together.
    let index = redact::redact_in(&index, bounds.scope);
    files.push((nidra_memory::index::INDEX_NAME.to_owned(), index.into_bytes()));
    (files, hidden.len())
}

/// Excerpts of the sessions: what the person said, and the beginning of what the agent said. Output of tools, what the
/// client put in and other agents' talk are left out.
fn excerpts(conversations: &[Conversation], scope: Scope) -> Vec<String> {
    let mut left = MAX_SESSIONS;
    let mut found = Vec::new();
    for conversation in conversations {
        let mut text = String::new();
        for turn in &conversation.turns {
            let (name, limit) = match turn.speaker {
                Speaker::Human => ("person", MAX_HUMAN),
                Speaker::Agent => ("agent", MAX_AGENT),
                Speaker::Tool | Speaker::Subagent | Speaker::Injected | Speaker::Summary => continue,
            };
            let Some(words) = turn.text().map(str::trim).filter(|words| !words.is_empty()) else { continue };
            let words = redact::redact_in(words, scope);
            let cut = width::cut_bytes(&words, limit);
            let mark = if cut.len() < words.len() { " […]" } else { "" };
            let at = turn.at.map(|at| format!(" ({at:.0})")).unwrap_or_default();
            // A line of the talk that looks like the beginning of a turn stays a line of the talk.
            let words = cut.replace('\n', "\n  ");
            let _written = write!(text, "{name}{at}: {words}{mark}\n\n");
        }
        // What stands together may show what stood apart.
        let text = redact::redact_in(&text, scope);
        let text = width::cut_bytes(&text, MAX_SESSION.min(left)).to_owned();
        left -= text.len();
        found.push(text);
    }
    found
}

/// What the rules keep already, as a list.
fn kept(rules: &Outcome, bounds: Bounds<'_>) -> String {
    let mut text = "# What is kept already\n\n".to_owned();
    for operation in &rules.operations {
        let stays = operation.change.target().is_some_and(|target| bounds.stays(&target.entry));
        for words in operation.change.statements().into_iter().filter(|_| !stays) {
            let words = redact::redact_in(words, bounds.scope);
            let words = width::shorten(&words.split_whitespace().collect::<Vec<_>>().join(" "), MAX_KEPT);
            let _written = writeln!(text, "- {words}");
        }
    }
    text
}
