//! The command line that a hook runs: how it is written for the shell, and how it is known again.
//!
//! One command serves all events; which event it was comes on standard input.

use std::path::{Path, PathBuf};

/// What follows the program in the hook's command line.
const TAIL: &str = " hook claude-code";

/// A program that no hook can name.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The path depends on the working directory of whoever runs it.
    #[error("the path {} is not absolute, so a hook cannot name it", path.display())]
    Relative {
        /// The path.
        path: PathBuf,
    },
    /// Settings are text, and this path is not.
    #[error("the path {} is not valid UTF-8, so the settings cannot hold it", path.display())]
    NotText {
        /// The path.
        path: PathBuf,
    },
}

/// The command line that calls this program from a hook, quoted for `sh`.
pub fn hook_command(program: &Path) -> Result<String, CommandError> {
    if !program.is_absolute() {
        return Err(CommandError::Relative { path: program.to_owned() });
    }
    let text = program.to_str().ok_or_else(|| CommandError::NotText { path: program.to_owned() })?;
    let mut command = String::with_capacity(text.len() + TAIL.len() + 2);
    command.push('"');
    for letter in text.chars() {
        // The four that keep their meaning between double quotes.
        if matches!(letter, '"' | '\\' | '$' | '`') {
            command.push('\\');
        }
        command.push(letter);
    }
    command.push('"');
    command.push_str(TAIL);
    Ok(command)
}

/// Whose command line it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// Written by `init`, for this or another place of the program.
    Ours,
    /// It runs nidra's hook, but a person wrote or changed it: a variable in front, no quotes.
    Adapted,
    /// Somebody else's.
    Foreign,
}

/// Says whose command line this is.
pub(crate) fn owner(command: &str) -> Owner {
    let Some(head) = command.trim_end().strip_suffix(TAIL) else { return Owner::Foreign };
    if let Some(program) = quoted(head) {
        return if is_nidra(&program) { Owner::Ours } else { Owner::Foreign };
    }
    let last = match head.trim_end().strip_suffix(['"', '\'']) {
        // The program's last path component may hold spaces, so only what follows the last slash is looked at.
        Some(inner) => inner.rsplit(['/', '\\', '"', '\'']).next().unwrap_or_default(),
        None => head.rsplit([' ', '\t', '=']).next().unwrap_or_default(),
    };
    if is_nidra(last) { Owner::Adapted } else { Owner::Foreign }
}

/// The text of one word in double quotes that fills the whole of `head`.
fn quoted(head: &str) -> Option<String> {
    let mut letters = head.strip_prefix('"')?.chars();
    let mut text = String::new();
    loop {
        match letters.next()? {
            '"' => return letters.next().is_none().then_some(text),
            '\\' => text.push(letters.next()?),
            letter => text.push(letter),
        }
    }
}

fn is_nidra(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    name == "nidra" || name.strip_prefix("nidra").is_some_and(|rest| rest.starts_with(['-', '.', '_']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn sh_hands_the_program_on_unchanged() {
        let names = [
            "/opt/my tools/nidra",
            "/家/梦 😀/nidra",
            "/a\"b/$HOME/`id`/c\\d/it's/!x/*/nidra",
            "/a\nb/nidra",
        ];
        for name in names {
            let command = hook_command(Path::new(name)).unwrap();
            let output =
                Command::new("sh").arg("-c").arg(format!("printf '%s\\0' {command}")).output().unwrap();
            let words: Vec<&[u8]> = output.stdout.split(|byte| *byte == 0).collect();
            assert_eq!(words, [name.as_bytes(), b"hook", b"claude-code", b""], "{name}");
            assert_eq!(owner(&command), Owner::Ours, "{name}");
        }
    }

    #[test]
    fn refuses_programs_that_a_hook_cannot_name() {
        use std::os::unix::ffi::OsStrExt as _;
        assert!(matches!(hook_command(Path::new("bin/nidra")), Err(CommandError::Relative { .. })));
        let odd = Path::new(std::ffi::OsStr::from_bytes(b"/bin/\xff/nidra"));
        assert!(matches!(hook_command(odd), Err(CommandError::NotText { .. })));
    }

    #[test]
    fn knows_whose_command_it_is() {
        let cases = [
            ("\"/usr/bin/nidra\" hook claude-code", Owner::Ours),
            ("\"/usr/bin/nidra-0.2\" hook claude-code", Owner::Ours),
            ("/usr/bin/nidra hook claude-code", Owner::Adapted),
            ("nidra hook claude-code", Owner::Adapted),
            ("NIDRA_HOME=/x \"/my tools/nidra\" hook claude-code", Owner::Adapted),
            ("'/usr/bin/nidra' hook claude-code ", Owner::Adapted),
            ("\"/usr/bin/other\" hook claude-code", Owner::Foreign),
            ("\"/usr/bin/nidrax\" hook claude-code", Owner::Foreign),
            ("echo nidra", Owner::Foreign),
            ("nidra hook claude-code && rm -rf x", Owner::Foreign),
            ("", Owner::Foreign),
        ];
        for (command, whose) in cases {
            assert_eq!(owner(command), whose, "{command}");
        }
    }
}
