//! The workspace: its root, its packages and where builds go.

use anyhow::{Context, Result};
use cargo_metadata::{Metadata, MetadataCommand, TargetKind};
use std::{
    collections::BTreeSet,
    env,
    path::{Path, PathBuf},
};

/// The workspace as cargo sees it.
pub(crate) struct Workspace {
    metadata: Metadata,
}

impl Workspace {
    /// Asks cargo about the workspace that this program was built from.
    pub(crate) fn find() -> Result<Self> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
        let metadata = MetadataCommand::new()
            .manifest_path(&manifest)
            .no_deps()
            .exec()
            .with_context(|| format!("cargo cannot describe {}", manifest.display()))?;
        Ok(Self { metadata })
    }

    /// The root directory.
    pub(crate) fn root(&self) -> &Path {
        self.metadata.workspace_root.as_std_path()
    }

    /// What cargo says.
    pub(crate) const fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Where the real clients lie. It is the same place whatever `CARGO_TARGET_DIR` says: they are large, and
    /// the tests look for them there.
    pub(crate) fn clients(&self) -> PathBuf {
        self.root().join("target/clients")
    }

    /// A program that a release build left.
    pub(crate) fn release_program(&self, name: &str) -> PathBuf {
        let name = format!("{name}{}", env::consts::EXE_SUFFIX);
        self.metadata.target_directory.as_std_path().join("release").join(name)
    }

    /// The names of the integration tests of all packages.
    pub(crate) fn integration_tests(&self) -> BTreeSet<String> {
        let targets = self.metadata.workspace_packages().into_iter().flat_map(|package| &package.targets);
        targets
            .filter(|target| target.kind.contains(&TargetKind::Test))
            .map(|target| target.name.clone())
            .collect()
    }
}
