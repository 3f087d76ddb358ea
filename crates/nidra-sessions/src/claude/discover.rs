//! Finding transcripts and what they are, without reading them.
//!
//! A folder's name is a hint at most: the working directory recorded inside a transcript decides where
//! it belongs. Only the beginning of a file is looked at, and only if the caller does not know it yet.

use crate::claude::OWN_RUN_MARK;
use crate::claude::record::{Record, Scanned, View, is_wanted_key, scan};
use crate::claude::speech::{Part, split};
use crate::claude::turns::HEADLESS;
use crate::json::Limit;
use crate::lines::{GLANCE, Lines};
use crate::project;
use crate::transcript::{self, Discovery, Known, Transcript};
use nidra_core::error::Diagnostic;
use nidra_core::{AgentKind, SessionId, Speaker};
use std::borrow::Cow;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Bytes of a transcript that are looked at to learn what it is.
const BUDGET: u64 = 512 * 1024;
/// Bytes that are read at most when a single record is longer than that.
const PATIENCE: u64 = 64 * 1024 * 1024;
/// Folders below `subagents` that are followed.
const DEPTH: usize = 3;

/// How a discovery looks at transcripts.
#[derive(Clone, Copy)]
pub struct Lookup<'a> {
    /// What the caller remembers of a transcript from an earlier discovery; `None` looks inside.
    pub known: &'a dyn Fn(&Path) -> Option<Known>,
    /// Directories of nidra itself (state, cache, installation): a session that ran inside of one is a
    /// run of nidra, whatever it says.
    pub own_directories: &'a [PathBuf],
}

impl std::fmt::Debug for Lookup<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Lookup")
            .field("own_directories", &self.own_directories)
            .finish_non_exhaustive()
    }
}

/// Finds all transcripts below a configuration directory.
pub fn discover(config: &Path) -> Discovery {
    discover_with(config, Lookup { known: &|_| None, own_directories: &[] })
}

/// Like [`discover`], with what the caller knows.
pub fn discover_with(config: &Path, lookup: Lookup<'_>) -> Discovery {
    let mut found = Discovery::default();
    let projects = config.join("projects");
    let folders = folder_entries(&projects, &mut found.diagnostics);
    found.missing = (!projects.exists()).then_some(projects);
    let folders: Vec<PathBuf> = folders.into_iter().filter(|folder| folder.is_dir()).collect();
    let within = discover_folders(&folders, lookup);
    found.transcripts = within.transcripts;
    found.diagnostics.extend(within.diagnostics);
    found
}

/// Finds the transcripts in these folders, each of which may hold sessions of several projects.
pub fn discover_folders(folders: &[PathBuf], lookup: Lookup<'_>) -> Discovery {
    let mut finder = Finder { lookup, found: Discovery::default() };
    for folder in folders {
        finder.folder(folder);
    }
    finder.found.transcripts.sort_by(|left, right| left.path.cmp(&right.path));
    finder.found
}

/// Whether a file's name is that of a session: a UUID with the extension `jsonl`.
pub fn is_session_file(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "jsonl") && stem(path).is_some_and(is_uuid)
}

struct Finder<'a> {
    lookup: Lookup<'a>,
    found: Discovery,
}

impl Finder<'_> {
    fn folder(&mut self, folder: &Path) {
        for path in folder_entries(folder, &mut self.found.diagnostics) {
            if is_session_file(&path) {
                self.session(&path);
            } else if let Some(stream) = agent_file(&path) {
                self.loose_stream(&path, stream);
            } else if stem(&path).is_some_and(is_uuid) && path.extension().is_none() {
                let streams = path.join("subagents");
                // Sessions without sub-agents have no such folder.
                if streams.is_dir() {
                    self.streams(&path, &streams, DEPTH);
                }
            }
        }
    }

    fn session(&mut self, path: &Path) {
        let Some(metadata) = self.metadata(path) else { return };
        let session = SessionId::new(stem(path).unwrap_or_default());
        let Some(known) = self.known(path) else { return };
        self.found.transcripts.push(transcript(path, session, None, &metadata, known));
    }

    /// The streams of a session's sub-agents. They share the session's project.
    fn streams(&mut self, session_folder: &Path, folder: &Path, depth: usize) {
        let parent = session_folder.with_extension("jsonl");
        let session = SessionId::new(stem(session_folder).unwrap_or_default());
        let inherited = self
            .found
            .transcripts
            .iter()
            .find(|transcript| transcript.path == parent)
            .map(|parent| Known {
                directory: parent.directory.clone(),
                headless: parent.headless,
                own: parent.own,
            })
            .or_else(|| parent.is_file().then(|| self.known(&parent)).flatten());
        self.streams_below(&session, inherited.as_ref(), folder, depth);
    }

    fn streams_below(&mut self, session: &SessionId, inherited: Option<&Known>, folder: &Path, depth: usize) {
        for path in folder_entries(folder, &mut self.found.diagnostics) {
            if let Some(stream) = agent_file(&path) {
                let Some(metadata) = self.metadata(&path) else { continue };
                let known = inherited.cloned().or_else(|| self.known(&path));
                let Some(known) = known else { continue };
                let stream = Some(stream.to_owned());
                self.found.transcripts.push(transcript(&path, session.clone(), stream, &metadata, known));
            } else if depth > 0 && path.extension().is_none() && path.is_dir() {
                self.streams_below(session, inherited, &path, depth - 1);
            }
        }
    }

    /// Older clients left the streams beside the sessions; only the records name the session then.
    fn loose_stream(&mut self, path: &Path, stream: &str) {
        let Some(metadata) = self.metadata(path) else { return };
        let Some(glance) = self.glance(path) else { return };
        let Some(session) = glance.session.clone() else { return };
        let known = self.judge(glance);
        let stream = Some(stream.to_owned());
        self.found.transcripts.push(transcript(path, SessionId::new(session), stream, &metadata, known));
    }

    /// The metadata of a file; `None` if it vanished or is no file.
    fn metadata(&mut self, path: &Path) -> Option<Metadata> {
        match fs::metadata(path) {
            Ok(metadata) => metadata.is_file().then_some(metadata),
            Err(error) => {
                report(path, &error, &mut self.found.diagnostics);
                None
            }
        }
    }

    /// What a transcript is; `None` if it vanished.
    fn known(&mut self, path: &Path) -> Option<Known> {
        if let Some(known) = (self.lookup.known)(path) {
            return Some(known);
        }
        let glance = self.glance(path)?;
        Some(self.judge(glance))
    }

    fn glance(&mut self, path: &Path) -> Option<Glance> {
        match glance(path) {
            Ok(glance) => Some(glance),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => {
                report(path, &error, &mut self.found.diagnostics);
                Some(Glance::default())
            }
        }
    }

    /// Two independent tests tell nidra's own runs: the mark in the first message, and the place.
    fn judge(&self, glance: Glance) -> Known {
        let inside = glance.directory.as_ref().is_some_and(|directory| {
            self.lookup.own_directories.iter().any(|own| project::is_within(directory, own))
        });
        Known { directory: glance.directory, headless: glance.headless, own: glance.marked || inside }
    }
}

/// What the beginning of a transcript shows.
#[derive(Debug, Default)]
struct Glance {
    directory: Option<PathBuf>,
    headless: Option<bool>,
    session: Option<String>,
    marked: bool,
}

/// Looks at the beginning of a transcript: up to the first words of a person and a working directory.
fn glance(path: &Path) -> io::Result<Glance> {
    let mut glance = Glance::default();
    let mut heard = false;
    let mut lines = Lines::new(File::open(path)?.take(PATIENCE), GLANCE, is_wanted_key);
    while let Some(raw) = lines.next()? {
        if raw.offset > BUDGET {
            break;
        }
        let bytes = raw.line.bytes;
        let start = bytes.iter().position(|&byte| byte == b'{').unwrap_or(bytes.len());
        let mut record = Record::default();
        let Ok(Scanned::Whole { .. }) = scan(raw.line, start, false, &mut record) else { continue };
        let view = View { line: raw.line, record: &record };
        glance.directory = glance
            .directory
            .or_else(|| view.name(record.cwd.as_ref()).map(|name| PathBuf::from(name.into_owned())));
        glance.session = glance.session.or_else(|| view.name(record.session.as_ref()).map(Cow::into_owned));
        if record.entrypoint.is_some() {
            glance.headless = glance.headless.or(Some(view.is(record.entrypoint.as_ref(), HEADLESS)));
        }
        if !heard && !record.meta && !record.compact && view.is(record.kind.as_ref(), "user") {
            for text in first_texts(view) {
                glance.marked |= text.contains(OWN_RUN_MARK);
                heard |= split(&text).iter().any(|part| matches!(part, Part::Words(Speaker::Human, _)));
            }
        }
        if heard && glance.directory.is_some() {
            break;
        }
    }
    Ok(glance)
}

fn first_texts(view: View<'_>) -> Vec<String> {
    let Some(message) = &view.record.message else { return Vec::new() };
    let blocks = message.blocks.iter().filter_map(|block| block.text.clone());
    message.text.clone().into_iter().chain(blocks).map(|span| view.line.decode(span, Limit::SPEECH)).collect()
}

fn transcript(
    path: &Path,
    session: SessionId,
    stream: Option<String>,
    metadata: &Metadata,
    known: Known,
) -> Transcript {
    Transcript {
        path: path.to_owned(),
        agent: AgentKind::ClaudeCode,
        session,
        stream,
        length: metadata.len(),
        modified: transcript::modified(metadata),
        inode: transcript::inode(metadata),
        directory: known.directory,
        headless: known.headless,
        own: known.own,
    }
}

/// The entries of a folder, sorted. A folder that does not exist has none.
fn folder_entries(folder: &Path, diagnostics: &mut Vec<Diagnostic>) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    match fs::read_dir(folder) {
        Ok(entries) => {
            for entry in entries {
                match entry {
                    Ok(entry) => paths.push(entry.path()),
                    Err(error) => report(folder, &error, diagnostics),
                }
            }
        }
        Err(error) => report(folder, &error, diagnostics),
    }
    paths.sort();
    paths
}

fn report(path: &Path, error: &io::Error, diagnostics: &mut Vec<Diagnostic>) {
    if error.kind() == ErrorKind::NotFound {
        return;
    }
    let message = format!("cannot read {}: {error}", path.display());
    diagnostics.push(Diagnostic { path: path.to_owned(), line: None, offset: None, message });
}

/// The sub-agent's identifier in the name of its file.
fn agent_file(path: &Path) -> Option<&str> {
    if path.extension()? != "jsonl" {
        return None;
    }
    let id = stem(path)?.strip_prefix("agent-")?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (!id.is_empty() && id.bytes().all(plain)).then_some(id)
}

fn stem(path: &Path) -> Option<&str> {
    path.file_stem()?.to_str()
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(position, byte)| match position {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
