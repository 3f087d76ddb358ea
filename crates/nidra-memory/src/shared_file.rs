//! A fenced block in a file that people share and write themselves, such as `CLAUDE.md`.
//!
//! Whatever stands outside the block stays byte for byte, and a block that is taken out leaves the file as it was. The
//! line that opens the block says how many line ends nidra put in front of it, so that they go with it.

mod shielded;

use crate::atomic::{self, AtomicError, FileSystem};
use nidra_core::error::PathError;
use std::path::{Path, PathBuf};

/// How the opening line begins; the number of line ends in front of it follows.
const OPENS: &str = "<!-- nidra:begin ";
/// How the opening line ends.
const OPENING_REST: &str = " (accepted with `nidra apply`; `nidra uninstall` takes it out) -->";
/// The closing line.
const CLOSES: &str = "<!-- nidra:end -->";
/// What stands in front of each statement.
const BULLET: &str = "- ";

/// A file that was not changed.
#[derive(Debug, thiserror::Error)]
pub enum SharedFileError {
    /// The file has an opening line without a closing one, or several blocks.
    #[error("{}:{line}: {fault}", path.display())]
    Block {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        fault: &'static str,
    },
    /// The file, or the directory that it lies in, is another user's.
    #[error("{} belongs to another user", path.display())]
    Foreign {
        /// The file or the directory.
        path: PathBuf,
    },
    /// The file cannot be written there, or changed meanwhile.
    #[error(transparent)]
    Atomic(#[from] AtomicError),
    /// The file cannot be read.
    #[error(transparent)]
    Path(#[from] PathError),
}

/// What is done to the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit<'a> {
    /// A statement is added at its end, unless it stands there.
    Add(&'a str),
    /// A statement leaves it; the last one takes the block along.
    Remove(&'a str),
    /// The whole block leaves.
    RemoveAll,
}

/// Changes the block of a file below a root; says whether a byte changed. A file that holds nothing else any more and
/// that nidra made is removed.
///
/// # Errors
/// When the block is broken, the file lies elsewhere or cannot be written; it is as it was then.
pub fn change(
    files: &dyn FileSystem,
    root: &Path,
    name: &str,
    edit: Edit<'_>,
) -> Result<bool, SharedFileError> {
    let Planned { place, before, after } = Planned::of(files, root, name, edit)?;
    let Some(after) = after else { return Ok(false) };
    // Only a file that began with the block can be empty without it; one that was there and empty stays.
    let was_there =
        before.as_deref().is_some_and(|bytes| bytes.starts_with(format!("{OPENS}{EMPTY}").as_bytes()));
    let after = Some(after).filter(|bytes| was_there || !bytes.is_empty());
    atomic::replace(files, &place, before.as_deref(), after.as_deref())?;
    Ok(true)
}

/// The bytes of the file before and after an edit, without making it.
///
/// # Errors
/// As [`change`].
pub fn preview(
    files: &dyn FileSystem,
    root: &Path,
    name: &str,
    edit: Edit<'_>,
) -> Result<(Vec<u8>, Vec<u8>), SharedFileError> {
    let Planned { before, after, .. } = Planned::of(files, root, name, edit)?;
    let before = before.unwrap_or_default();
    let after = after.unwrap_or_else(|| before.clone());
    Ok((before, after))
}

/// Refuses a file that is another user's than this one, or that would be made in another user's directory.
///
/// # Errors
/// When it is, lies elsewhere, or cannot be looked at.
pub fn demand_owner(
    files: &dyn FileSystem,
    root: &Path,
    name: &str,
    user: u32,
) -> Result<(), SharedFileError> {
    let place = atomic::resolve(files, root, name)?;
    for path in place.parent().into_iter().chain([place.as_path()]) {
        if files.status(path)?.is_some_and(|status| status.user != user) {
            return Err(SharedFileError::Foreign { path: path.to_owned() });
        }
    }
    Ok(())
}

/// An edit of a file that was read and not yet written.
struct Planned {
    place: PathBuf,
    before: Option<Vec<u8>>,
    /// `None` when nothing changes.
    after: Option<Vec<u8>>,
}

impl Planned {
    fn of(files: &dyn FileSystem, root: &Path, name: &str, edit: Edit<'_>) -> Result<Self, SharedFileError> {
        let place = atomic::resolve(files, root, name)?;
        let before = atomic::read_if_present(files, &place)?;
        let after = edited(before.as_deref(), edit).map_err(|(line, fault)| SharedFileError::Block {
            path: place.clone(),
            line,
            fault,
        })?;
        Ok(Self { place, before, after })
    }
}

/// Where the block stands.
struct Block {
    /// The bytes, with the line ends in front of it that are nidra's.
    from: usize,
    /// The first byte behind the opening line.
    inside: usize,
    /// The first byte of the closing line.
    closing: usize,
    /// The first byte behind the closing line.
    to: usize,
}

/// What the opening line has instead of a number of line ends when the file was there and empty.
const EMPTY: u8 = 3;

/// The bytes after an edit; `None` when nothing changes.
fn edited(before: Option<&[u8]>, edit: Edit<'_>) -> Result<Option<Vec<u8>>, (usize, &'static str)> {
    let bytes = before.unwrap_or_default();
    let (shielded, left_open) = shielded::shielded(lines(bytes).map(|(_, line)| line));
    let block = find(bytes, &shielded)?;
    // Bytes of text between those of UTF-16 would spoil it.
    let is_text = !bytes.contains(&0) && !bytes.starts_with(b"\xff\xfe") && !bytes.starts_with(b"\xfe\xff");
    if matches!(edit, Edit::Add(_)) && !is_text {
        return Err((1, "the file is no text in UTF-8; store it as UTF-8, or reject the proposal"));
    }
    if let (Edit::Add(_), None, Some(open)) = (edit, &block, left_open) {
        return Err((open.line, open.fault));
    }
    let end = line_end(bytes);
    Ok(match (edit, block) {
        (Edit::Add(words), None) => Some(with_block(before, words, end)),
        (Edit::Add(words), Some(block)) => {
            let line = statement(words);
            let inside = bytes.get(block.inside..block.closing).unwrap_or_default();
            let known = lines(inside).any(|(_, known)| trimmed(known) == line.as_bytes());
            (!known).then(|| splice(bytes, block.closing, block.closing, &[line.as_bytes(), end]))
        }
        (Edit::Remove(words), Some(block)) => {
            let line = statement(words);
            let inside = bytes.get(block.inside..block.closing).unwrap_or_default();
            let found = lines(inside).find(|(_, known)| trimmed(known) == line.as_bytes());
            found.map(|(at, known)| {
                let others = lines(inside).filter(|(other, text)| *other != at && !trimmed(text).is_empty());
                if others.count() == 0 {
                    return splice(bytes, block.from, block.to, &[]);
                }
                let from = block.inside + at;
                splice(bytes, from, from + known.len(), &[])
            })
        }
        (Edit::RemoveAll, Some(block)) => Some(splice(bytes, block.from, block.to, &[])),
        (Edit::Remove(_) | Edit::RemoveAll, None) => None,
    })
}

fn with_block(before: Option<&[u8]>, words: &str, end: &[u8]) -> Vec<u8> {
    let joins = match before {
        None => 0,
        Some([]) => EMPTY,
        // A blank line, so that the block does not belong to the paragraph above it.
        Some([.., b'\n']) => 1,
        Some(_) => 2,
    };
    let mut after = before.unwrap_or_default().to_vec();
    for _ in 0..joins % EMPTY {
        after.extend_from_slice(end);
    }
    let opening = format!("{OPENS}{joins}{OPENING_REST}");
    for line in [opening.as_str(), &statement(words), CLOSES] {
        after.extend_from_slice(line.as_bytes());
        after.extend_from_slice(end);
    }
    after
}

/// Words as one line of the block.
fn statement(words: &str) -> String {
    let words: Vec<&str> = words.split_whitespace().collect();
    format!("{BULLET}{}", words.join(" "))
}

/// The block; what stands in somebody's code or comment is none.
fn find(bytes: &[u8], shielded: &[bool]) -> Result<Option<Block>, (usize, &'static str)> {
    let mut open: Option<(usize, usize, usize)> = None;
    let mut found: Option<Block> = None;
    for (number, (at, line)) in lines(bytes).enumerate() {
        if shielded.get(number).copied().unwrap_or_default() {
            continue;
        }
        // nidra's own lines begin at the margin; what is indented is somebody's code or list.
        let text = line.trim_ascii_end();
        if let Some(rest) = text.strip_prefix(OPENS.as_bytes()) {
            if open.is_some() {
                return Err((number + 1, "a block of nidra's begins inside another; take the line out"));
            }
            let joins = rest.first().map_or(0, |digit| usize::from(digit.saturating_sub(b'0') % EMPTY));
            open = Some((number, start(bytes, at, joins), at + line.len()));
        } else if text == CLOSES.as_bytes() {
            let Some((_, from, inside)) = open.take() else {
                return Err((number + 1, "a block of nidra's ends that never began; take the line out"));
            };
            if found.is_some() {
                return Err((number + 1, "there are two blocks of nidra's; bring their lines together"));
            }
            found = Some(Block { from, inside, closing: at, to: at + line.len() });
        }
    }
    match open {
        Some((number, ..)) => Err((
            number + 1,
            "a block of nidra's begins and never ends; write its last line again or take it out",
        )),
        None => Ok(found),
    }
}

/// Where a block begins with so many line ends in front of it, as far as they are still there.
fn start(bytes: &[u8], at: usize, joins: usize) -> usize {
    let mut from = at;
    for _ in 0..joins {
        let before = bytes.get(..from).unwrap_or_default();
        from -= if before.ends_with(b"\r\n") { 2 } else { usize::from(before.ends_with(b"\n")) };
    }
    from
}

fn splice(bytes: &[u8], from: usize, to: usize, new: &[&[u8]]) -> Vec<u8> {
    let (head, tail) = (bytes.get(..from).unwrap_or_default(), bytes.get(to..).unwrap_or_default());
    [head, &new.concat(), tail].concat()
}

/// The lines with their line ends, each with its place.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    bytes.split_inclusive(|byte| *byte == b'\n').map(move |line| {
        let place = at;
        at += line.len();
        (place, line)
    })
}

fn trimmed(line: &[u8]) -> &[u8] {
    line.trim_ascii()
}

/// The line end that the file uses. A lone carriage return at its end must not become part of one of nidra's.
fn line_end(bytes: &[u8]) -> &'static [u8] {
    let first = bytes.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
    if first.ends_with(b"\r\n") || bytes.ends_with(b"\r") { b"\r\n" } else { b"\n" }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::atomic::RealFileSystem;
    use proptest::prelude::*;

    /// What an edit makes of a file that is there.
    fn changed_by(bytes: &[u8], edit: Edit<'_>) -> Result<Option<Vec<u8>>, (usize, &'static str)> {
        edited(Some(bytes), edit)
    }

    #[test]
    fn an_empty_file_stays_one_and_bytes_of_utf_16_are_left_alone() {
        let root = tempfile::tempdir().unwrap();
        let files = &atomic::RealFileSystem;
        let file = root.path().join("CLAUDE.md");
        std::fs::write(&file, "").unwrap();
        assert!(change(files, root.path(), "CLAUDE.md", Edit::Add("Use pnpm.")).unwrap());
        assert!(change(files, root.path(), "CLAUDE.md", Edit::Add("Use tabs.")).unwrap());
        assert!(change(files, root.path(), "CLAUDE.md", Edit::RemoveAll).unwrap());
        assert_eq!(std::fs::read(&file).unwrap(), b"");
        std::fs::remove_file(&file).unwrap();
        assert!(change(files, root.path(), "CLAUDE.md", Edit::Add("Use pnpm.")).unwrap());
        assert!(change(files, root.path(), "CLAUDE.md", Edit::RemoveAll).unwrap());
        assert!(!file.exists(), "nidra had made it");
        for bytes in [&b"\xff\xfeR\0"[..], b"rules\0"] {
            std::fs::write(&file, bytes).unwrap();
            let error = change(files, root.path(), "CLAUDE.md", Edit::Add("Use pnpm.")).unwrap_err();
            assert!(error.to_string().contains("UTF-8"), "{error}");
            assert_eq!(std::fs::read(&file).unwrap(), bytes);
        }
    }

    fn add(bytes: &[u8], words: &str) -> Vec<u8> {
        changed_by(bytes, Edit::Add(words)).unwrap().unwrap()
    }

    #[test]
    fn a_block_is_added_grows_and_leaves_without_a_trace() {
        for text in
            ["", "# Title\n", "# Title", "# 标题\r\n\r\n正文\r\n", "a\r\nb", "\n\n\n", "\u{feff}# T\n"]
        {
            let bytes = text.as_bytes();
            let one = add(bytes, "Always use pnpm.");
            let two = add(&one, "提交信息用中文写。");
            assert!(two.starts_with(bytes), "{text:?}");
            assert_eq!(String::from_utf8_lossy(&two).matches(OPENS).count(), 1);
            assert_eq!(
                changed_by(&two, Edit::Add("Always  use\npnpm.")),
                Ok(None),
                "it stands there already"
            );
            assert_eq!(
                changed_by(&two, Edit::Remove("提交信息用中文写。")),
                Ok(Some(one.clone())),
                "{text:?}"
            );
            assert_eq!(
                changed_by(&one, Edit::Remove("Always use pnpm.")),
                Ok(Some(bytes.to_vec())),
                "{text:?}"
            );
            assert_eq!(changed_by(&two, Edit::RemoveAll), Ok(Some(bytes.to_vec())), "{text:?}");
            assert_eq!(changed_by(bytes, Edit::RemoveAll), Ok(None));
        }
    }

    #[test]
    fn what_people_write_around_and_into_the_block_stays() {
        let one = add(b"# Title\n", "Always use pnpm.");
        let text = String::from_utf8(one).unwrap();
        let changed = text.replace("- Always", "- theirs\n- Always") + "more\n";
        let left = changed_by(changed.as_bytes(), Edit::Remove("Always use pnpm.")).unwrap().unwrap();
        let left = String::from_utf8(left).unwrap();
        assert!(left.contains("- theirs") && left.ends_with("more\n") && !left.contains("pnpm"), "{left}");
        let gone = changed_by(left.as_bytes(), Edit::RemoveAll).unwrap().unwrap();
        assert_eq!(gone, b"# Title\nmore\n");
    }

    #[test]
    fn a_broken_block_is_named_and_left_alone() {
        let whole = String::from_utf8(add(b"# Title\n", "x")).unwrap();
        let open = whole.replace(CLOSES, "");
        assert_eq!(changed_by(open.as_bytes(), Edit::Add("y")).unwrap_err().0, 3);
        assert_eq!(changed_by(format!("{CLOSES}\n").as_bytes(), Edit::Add("y")).unwrap_err().0, 1);
        assert!(changed_by(format!("{whole}{whole}").as_bytes(), Edit::RemoveAll).is_err());
    }

    #[test]
    fn a_file_that_nidra_made_goes_with_its_block_and_one_elsewhere_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("root"), folder.path().join("outside.md"));
        std::fs::create_dir(&root).unwrap();
        std::fs::write(&outside, "theirs").unwrap();
        let path = root.join("CLAUDE.local.md");
        assert!(change(&RealFileSystem, &root, "CLAUDE.local.md", Edit::Add("x")).unwrap());
        assert!(path.exists());
        assert!(change(&RealFileSystem, &root, "CLAUDE.local.md", Edit::Remove("x")).unwrap());
        assert!(!path.exists());
        std::os::unix::fs::symlink(&outside, root.join("CLAUDE.md")).unwrap();
        assert!(change(&RealFileSystem, &root, "CLAUDE.md", Edit::Add("x")).is_err());
        assert!(change(&RealFileSystem, &root, "../outside.md", Edit::Add("x")).is_err());
        assert_eq!(std::fs::read_to_string(&outside).unwrap(), "theirs");
        // A link to another file of the project stays a link.
        std::fs::write(root.join("AGENTS.md"), "# Agents\n").unwrap();
        std::os::unix::fs::symlink("AGENTS.md", root.join("GEMINI.md")).unwrap();
        assert!(change(&RealFileSystem, &root, "GEMINI.md", Edit::Add("x")).unwrap());
        assert!(std::fs::symlink_metadata(root.join("GEMINI.md")).unwrap().is_symlink());
        assert!(std::fs::read_to_string(root.join("AGENTS.md")).unwrap().contains("- x"));
    }

    #[test]
    fn what_somebody_quotes_is_no_block_and_what_never_ends_takes_none() {
        let quoted = format!("# Docs\n```md\n{OPENS}1{OPENING_REST}\n- theirs\n{CLOSES}\n```\n");
        assert_eq!(changed_by(quoted.as_bytes(), Edit::RemoveAll), Ok(None));
        let with = add(quoted.as_bytes(), "Use pnpm.");
        assert!(with.starts_with(quoted.as_bytes()));
        assert_eq!(changed_by(&with, Edit::RemoveAll), Ok(Some(quoted.into_bytes())));
        let indented = format!("# T\n\n    {OPENS}1{OPENING_REST}\n    - theirs\n    {CLOSES}\n");
        assert_eq!(changed_by(indented.as_bytes(), Edit::RemoveAll), Ok(None));
        for text in ["# T\n\n```sh\nmake\n", "# 标题\n\n<!-- todo\n"] {
            assert_eq!(changed_by(text.as_bytes(), Edit::Add("x")).unwrap_err().0, 3);
        }
        // A block that stands there already is found all the same, whatever was opened above it.
        let block = String::from_utf8(add(b"", "x")).unwrap();
        let swallowed = format!("```sh\nmake\n{block}");
        assert_eq!(changed_by(swallowed.as_bytes(), Edit::RemoveAll), Ok(Some(b"```sh\nmake\n".to_vec())));
    }

    #[test]
    fn what_is_another_users_is_refused() {
        use std::os::unix::fs::MetadataExt as _;
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let own = std::fs::metadata(&root).unwrap().uid();
        demand_owner(&RealFileSystem, &root, "conventions.md", own).unwrap();
        let refused = demand_owner(&RealFileSystem, &root, "conventions.md", own + 1).unwrap_err();
        assert!(matches!(refused, SharedFileError::Foreign { path } if path == root));
        std::fs::write(root.join("conventions.md"), "theirs").unwrap();
        demand_owner(&RealFileSystem, &root, "conventions.md", own).unwrap();
    }

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..200), words in "[^\r\n]{1,40}") {
            prop_assume!(!words.trim().is_empty());
            if let Ok(Some(with)) = changed_by(&bytes, Edit::Add(&words)) {
                prop_assert!(with.starts_with(&bytes));
                prop_assert_eq!(changed_by(&with, Edit::Remove(&words)), Ok(Some(bytes.clone())));
                prop_assert_eq!(changed_by(&with, Edit::RemoveAll), Ok(Some(bytes)));
            }
        }
    }
}
