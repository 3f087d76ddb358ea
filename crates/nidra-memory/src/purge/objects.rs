//! Stored contents without what is purged: each is replaced by what is left of it, and whatever refers to it follows.

use super::markdown::{Cleaned, clean};
use super::{Matcher, PurgeError};
use crate::atomic::FileSystem;
use crate::objects::{Manifest, ObjectError, ObjectId, Objects};
use crate::store::Store;
use nidra_core::ProjectId;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// What replaces a content; `None` for one of which nothing is left.
pub(super) type Replaced = BTreeMap<ObjectId, Option<ObjectId>>;

/// Which contents there are, and who refers to them.
pub(super) struct Known {
    /// Lists of files that only this project refers to or anybody.
    manifests: BTreeSet<ObjectId>,
    /// Contents with the path that each stood at.
    contents: BTreeMap<ObjectId, String>,
    /// Contents that another project needs as they are.
    needed: BTreeSet<ObjectId>,
}

impl Known {
    /// Reads what refers to contents. One that nothing refers to belongs to nobody, so it is looked at as well.
    pub(super) fn read(
        store: &Store,
        files: &dyn FileSystem,
        project: &ProjectId,
    ) -> Result<Self, PurgeError> {
        let objects = Objects::new(store.home(), files);
        let mut known =
            Self { manifests: BTreeSet::new(), contents: BTreeMap::new(), needed: BTreeSet::new() };
        for reference in store.object_references()? {
            let own = reference.project == *project;
            match reference.path {
                None => {
                    if let Some(manifest) = readable(objects.manifest(&reference.object))? {
                        for file in manifest.files {
                            if own {
                                known.contents.insert(file.object, file.path);
                            } else {
                                known.needed.insert(file.object);
                            }
                        }
                    }
                    if own {
                        known.manifests.insert(reference.object);
                    } else {
                        known.needed.insert(reference.object);
                    }
                }
                Some(path) if own => {
                    known.contents.insert(reference.object, path);
                }
                Some(_) => {
                    known.needed.insert(reference.object);
                }
            }
        }
        // Of a run of another project that is under way nothing refers to its contents yet.
        if store.others_run(project)? {
            return Ok(known);
        }
        for id in stored(&objects, files)? {
            if known.manifests.contains(&id) || known.contents.contains_key(&id) || known.needed.contains(&id)
            {
                continue;
            }
            match readable(objects.manifest(&id)) {
                Ok(Some(_)) => {
                    known.manifests.insert(id);
                }
                // No list of files: a content of which the path is not known any more.
                Ok(None) | Err(_) => {
                    known.contents.insert(id, String::new());
                }
            }
        }
        Ok(known)
    }
}

/// A content that is there and whole; one that is gone or damaged holds no words.
fn readable<T>(result: Result<T, ObjectError>) -> Result<Option<T>, PurgeError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(ObjectError::Damaged { .. } | ObjectError::Manifest { .. }) => Ok(None),
        Err(ObjectError::Io(error)) if error.source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// All contents that lie in the store.
fn stored(objects: &Objects<'_>, files: &dyn FileSystem) -> Result<Vec<ObjectId>, PurgeError> {
    let mut found = Vec::new();
    if files.status(objects.directory())?.is_none() {
        return Ok(found);
    }
    for folder in files.list(objects.directory())? {
        let Some(start) = folder.to_str().filter(|name| name.len() == 2) else { continue };
        for name in files.list(&objects.directory().join(start))? {
            let id = name.to_str().and_then(|rest| ObjectId::try_from(format!("{start}{rest}")).ok());
            found.extend(id);
        }
    }
    Ok(found)
}

/// Stores what is left of the contents that tell it, lets everything refer to that, and removes them.
pub(super) fn replace(
    store: &mut Store,
    files: &dyn FileSystem,
    project: &ProjectId,
    known: &Known,
    matcher: &Matcher,
) -> Result<Replaced, PurgeError> {
    let home = store.home().to_owned();
    let objects = Objects::new(&home, files);
    let mut replaced = Replaced::new();
    for (id, path) in &known.contents {
        let Some(content) = readable(objects.get(id))? else { continue };
        match clean(path, &content, matcher) {
            Cleaned::Same => {}
            Cleaned::Changed(bytes) => {
                replaced.insert(id.clone(), Some(objects.put(&bytes)?));
            }
            Cleaned::Gone => {
                replaced.insert(id.clone(), None);
            }
        }
    }
    for id in &known.manifests {
        let Some(manifest) = readable(objects.manifest(id))? else { continue };
        let changed = without(&manifest, &replaced, matcher);
        if changed != manifest {
            let bytes = serde_json::to_vec(&changed)
                .map_err(|source| ObjectError::Manifest { id: id.clone(), source })?;
            replaced.insert(id.clone(), Some(objects.put(&bytes)?));
        }
    }
    store.replace_objects(project, &replaced, |path| matcher.has_token(path))?;
    for id in replaced.keys().filter(|id| !known.needed.contains(*id)) {
        match objects.remove(id) {
            Err(ObjectError::Io(error)) if error.source.kind() == io::ErrorKind::NotFound => {}
            other => other?,
        }
    }
    Ok(replaced)
}

/// A list of files without those of which nothing is left.
fn without(manifest: &Manifest, replaced: &Replaced, matcher: &Matcher) -> Manifest {
    let files = manifest
        .files
        .iter()
        .filter_map(|file| match replaced.get(&file.object) {
            None if matcher.has_token(&file.path) => None,
            None => Some(file.clone()),
            Some(None) => None,
            Some(Some(object)) => {
                Some(crate::objects::ManifestFile { object: object.clone(), ..file.clone() })
            }
        })
        .collect();
    let skipped =
        manifest.skipped.iter().filter(|skipped| !matcher.has_token(&skipped.path)).cloned().collect();
    Manifest { version: manifest.version, files, skipped }
}
