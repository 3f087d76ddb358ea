//! What must not leave this machine: by project, and by pattern of a session.

use nidra_core::settings::ModelSettings;
use nidra_core::{Conversation, SessionId};
use std::path::Path;

/// Which material stays here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocalOnly {
    everything: bool,
    sessions: Vec<String>,
}

impl LocalOnly {
    /// What the settings say of a project at this root.
    pub fn of(settings: &ModelSettings, root: &Path) -> Self {
        Self {
            everything: settings.local_only
                || settings.local_projects.iter().any(|local| root.starts_with(local)),
            sessions: settings.local_sessions.clone(),
        }
    }

    /// Whether nothing of the project may leave.
    pub fn is_everything(&self) -> bool {
        self.everything
    }

    /// Whether anything has to stay.
    pub fn is_empty(&self) -> bool {
        !self.everything && self.sessions.is_empty()
    }

    /// Whether a session stays, by its identifier or its working directory.
    pub fn holds(&self, session: Option<&SessionId>, directory: Option<&Path>) -> bool {
        let directory = directory.map(|directory| directory.to_string_lossy().into_owned());
        let names = [session.map(SessionId::as_str), directory.as_deref()];
        let fits = |pattern: &String| names.into_iter().flatten().any(|name| matches(pattern, name));
        self.everything || self.sessions.iter().any(fits)
    }

    /// Whether a conversation stays. One that does not say whose it is stays as soon as any pattern is set.
    pub fn holds_conversation(&self, conversation: &Conversation) -> bool {
        let nameless = conversation.session.is_none() && !self.sessions.is_empty();
        nameless || self.holds(conversation.session.as_ref(), conversation.directory.as_deref())
    }
}

/// Whether a name fits a pattern in which `*` stands for anything, `/` included.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_whole_names() {
        for (pattern, name, fits) in [
            ("abc", "abc", true),
            ("abc", "abcd", false),
            ("*", "", true),
            ("private-*", "private-7", true),
            ("*/clients/*", "/home/dev/clients/x", true),
            ("*/clients/*", "/home/dev/clientele", false),
            ("a*b*c", "a1b2c", true),
            ("a*b*c", "acb", false),
            ("ab*ab", "ab", false),
            ("*日志*", "某日志七", true),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }

    #[test]
    fn a_project_stays_with_everything_below_its_path() {
        let settings =
            ModelSettings { local_projects: vec!["/home/dev/secret".into()], ..ModelSettings::default() };
        assert!(LocalOnly::of(&settings, Path::new("/home/dev/secret/app")).is_everything());
        assert!(LocalOnly::of(&settings, Path::new("/home/dev/secretary")).is_empty());
    }
}
