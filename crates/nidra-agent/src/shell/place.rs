//! The one folder whose files may be named, with links and `..` resolved by the system itself.

use super::Refused;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

/// Names that are looked at when links are searched for.
const MAX_NAMES: usize = 20_000;

/// A folder that commands are held in. They start in it, and no path may leave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root(PathBuf);

impl Root {
    /// Takes a folder.
    ///
    /// # Errors
    /// When it cannot be resolved.
    pub fn new(folder: &Path) -> io::Result<Self> {
        fs::canonicalize(folder).map(Self)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The real path that a name means, when it lies inside. What does not exist is judged by the folder it would be in.
    ///
    /// # Errors
    /// When it lies outside, or cannot be told.
    pub fn resolve(&self, name: &str) -> Result<PathBuf, Refused> {
        let outside = || Refused::new(format!("{name} lies outside the folder"));
        let unclear = || Refused::new(format!("where {name} leads cannot be told"));
        let mut existing = self.0.join(name);
        let mut rest = Vec::new();
        let real = loop {
            match fs::canonicalize(&existing) {
                Ok(real) => break real,
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(_) => return Err(unclear()),
            }
            // A link to nothing is there; what it will lead to is not known.
            if fs::symlink_metadata(&existing).is_ok() {
                return Err(unclear());
            }
            match existing.components().next_back() {
                Some(Component::Normal(part)) => rest.push(part.to_owned()),
                _ => return Err(unclear()),
            }
            if !existing.pop() {
                return Err(unclear());
            }
        };
        if !real.starts_with(&self.0) {
            return Err(outside());
        }
        Ok(rest.iter().rev().fold(real, |path, part| path.join(part)))
    }

    /// Makes sure that no link below the folder leads out of it: commands that walk a tree would follow it.
    ///
    /// # Errors
    /// When there is one, or when there are too many names to be sure.
    pub fn sealed(&self) -> Result<(), Refused> {
        let mut folders = vec![self.0.clone()];
        let mut names = 0;
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                names += 1;
                if names > MAX_NAMES {
                    return Err(Refused::new(format!("the folder holds more than {MAX_NAMES} names")));
                }
                let kind = entry.file_type().map_err(|error| Refused::new(error.to_string()))?;
                if kind.is_dir() {
                    folders.push(entry.path());
                } else if kind.is_symlink()
                    && !fs::canonicalize(entry.path()).is_ok_and(|real| real.starts_with(&self.0))
                {
                    let name = entry.file_name();
                    return Err(Refused::new(format!("the link {} leads out of the folder", name.display())));
                }
            }
        }
        Ok(())
    }
}
