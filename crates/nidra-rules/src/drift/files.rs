//! What names of files and folders say by themselves.

use super::names::{
    BUILD_FOLDERS, DEPENDENCY_FOLDERS, DOCUMENTS, ENDINGS, LIBRARIES, NAMES, PROSE, SHORT_ENDINGS,
    USUAL_FOLDERS,
};

/// The ending of a file name, in lower case; none for `.env` and names without a full stop.
pub(super) fn ending(name: &str) -> Option<String> {
    let (stem, ending) = name.rsplit_once('.')?;
    (!stem.is_empty() && !ending.is_empty()).then(|| ending.to_ascii_lowercase())
}

/// The last part of a path.
pub(super) fn base(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a name is that of a file. `strict` is for prose, where `e.g.` and `Node.js` look like one.
pub(super) fn is_file_name(name: &str, strict: bool) -> bool {
    if NAMES.contains(&name) || name.starts_with("Dockerfile.") {
        return true;
    }
    if name.starts_with('.') {
        return is_dot_file(name);
    }
    let Some(ending) = ending(name) else { return false };
    let stem = &name[..name.len() - ending.len() - 1];
    let well_formed = stem.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '[' | '('))
        && stem.chars().any(|c| c.is_ascii_alphabetic());
    let library = ending == "js" && LIBRARIES.contains(&stem.to_ascii_lowercase().as_str());
    well_formed
        && !library
        && (ENDINGS.contains(&ending.as_str())
            || (!strict && [SHORT_ENDINGS, DOCUMENTS].iter().any(|known| known.contains(&ending.as_str()))))
        && (ending != "example" || !stem.contains('.') || is_file_name(stem, strict))
}

/// Whether a name can only be that of a document, which is kept in many places outside a checkout.
pub(super) fn is_document(name: &str) -> bool {
    ending(name).is_some_and(|ending| DOCUMENTS.contains(&ending.as_str()))
}

/// Whether a path is named by a pattern: `*` stands for letters of one name, `**` for folders as well.
pub(super) fn matches(pattern: &str, path: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == path };
    let Some(left) = path.strip_prefix(start) else { return false };
    let (rest, deep) = match rest.strip_prefix('*') {
        Some(rest) => (rest.strip_prefix('/').unwrap_or(rest), true),
        None => (rest, false),
    };
    let end = if deep { left.len() } else { left.find('/').unwrap_or(left.len()) };
    (0..=end).filter(|at| left.is_char_boundary(*at)).any(|at| matches(rest, &left[at..]))
}

fn is_dot_file(name: &str) -> bool {
    let rest = &name[1..];
    let named = rest.starts_with("env") && !rest.starts_with("environ")
        || (rest.ends_with("rc") && rest.len() > 3)
        || rest.ends_with("ignore")
        || [
            "editorconfig",
            "gitattributes",
            "gitmodules",
            "tool-versions",
            "python-version",
            "node-version",
            "java-version",
            "ruby-version",
            "sdkmanrc",
            "envrc",
        ]
        .contains(&rest);
    named
        || (rest.starts_with(|c: char| c.is_ascii_alphabetic())
            && ending(rest).is_some_and(|ending| ENDINGS.contains(&ending.as_str())))
}

/// Whether a path starts with a folder that stands at the root of many checkouts.
pub(super) fn starts_usually(path: &str) -> bool {
    path.split('/').next().is_some_and(|first| USUAL_FOLDERS.contains(&first.to_ascii_lowercase().as_str()))
}

/// Whether a folder of this name holds what was installed, which nobody means by a name.
pub fn is_dependency_folder(name: &str) -> bool {
    DEPENDENCY_FOLDERS.contains(&name)
}

/// Whether a path leads into a folder with what was installed or built: that nothing is there says nothing.
pub(super) fn is_made(path: &str) -> bool {
    let mut folders = path.split('/').peekable();
    while let Some(folder) = folders.next() {
        if is_dependency_folder(folder) || (folders.peek().is_some() && BUILD_FOLDERS.contains(&folder)) {
            return true;
        }
    }
    false
}

/// Whether a file may hold source or settings, in which names are looked for; prose and data may speak of anything.
pub fn has_source(path: &str) -> bool {
    let name = base(path);
    match ending(name) {
        Some(ending) => {
            !PROSE.contains(&ending.as_str())
                && !["png", "jpg"].contains(&ending.as_str())
                && (ENDINGS.contains(&ending.as_str()) || SHORT_ENDINGS.contains(&ending.as_str()))
        }
        None => NAMES.contains(&name) || name.starts_with(".env"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_told_from_prose() {
        for name in
            ["slash_test.rs", "versions.tf", ".nvmrc", ".env.local", "Makefile", "vite.config.ts", ".fvmrc"]
        {
            assert!(is_file_name(name, true), "{name}");
        }
        for name in
            ["Node.js", "e.g", "example.com", "v1.4.2", ".rs", "etc.", "1.5", "memory.x", "obj.method"]
        {
            assert!(!is_file_name(name, true), "{name}");
        }
        assert!(is_file_name("memory.x", false));
        // A host of the domain that is kept for examples is no file, a sample of a file is one.
        assert!(!is_file_name("patch.shop.example", false) && !is_file_name("a.b.c.example", true));
        assert!(is_file_name("config.yml.example", true) && is_file_name("settings.example", true));
        assert!(is_file_name("soup.xlsx", false) && !is_file_name("soup.xlsx", true));
    }

    #[test]
    fn patterns_name_files() {
        assert!(matches("jobs/*.nomad.hcl", "jobs/icecast.nomad.hcl"));
        assert!(matches("src/**/*.rs", "src/a/b.rs") && matches("src/**/*.rs", "src/b.rs"));
        assert!(!matches("jobs/*.hcl", "jobs/a/b.hcl") && !matches("*.rs", "src/a.rs"));
    }

    #[test]
    fn what_was_built_is_known_by_its_folder() {
        assert!(is_made("node_modules/left/index.js") && is_made("target/debug/app"));
        assert!(!is_made("src/bin.rs") && !is_made("scripts/build"));
    }
}
