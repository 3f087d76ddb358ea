//! The scene of a test: a home, a repository with a Chinese name and a space in its path, and `nidra` itself.

use crate::{client::Stage, model_server::ModelServer};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};
use tempfile::TempDir;

/// Everything one test runs in; removed with the value.
pub(crate) struct Scene {
    folder: TempDir,
    /// The played model.
    pub(crate) model: ModelServer,
}

impl Scene {
    /// A fresh home and a repository with one commit.
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("client-").tempdir().expect("a temporary directory");
        let scene = Self { folder, model: ModelServer::start() };
        fs::create_dir_all(scene.config()).expect("the client's configuration directory");
        fs::create_dir_all(scene.repository()).expect("the repository");
        scene.write("README.md", "# Orders\n");
        scene.git(&["init", "--quiet", "--initial-branch=main"]);
        scene.git(&["add", "."]);
        scene.git(&["commit", "--quiet", "--message=Start the order service"]);
        scene
    }

    /// The home directory.
    pub(crate) fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// The client's configuration directory.
    pub(crate) fn config(&self) -> PathBuf {
        self.home().join(".claude")
    }

    /// The client's user settings.
    pub(crate) fn settings(&self) -> PathBuf {
        self.config().join("settings.json")
    }

    /// The state directory of nidra.
    pub(crate) fn nidra_home(&self) -> PathBuf {
        self.root().join("state")
    }

    /// The repository.
    pub(crate) fn repository(&self) -> PathBuf {
        self.root().join("项目 orders")
    }

    /// The project's folder in the client's configuration, found by the client's own naming rule.
    pub(crate) fn project_folder(&self) -> PathBuf {
        let repository = self.repository();
        let path = repository.to_str().expect("a path of valid text");
        let slug: String = path
            .encode_utf16()
            .map(|unit| match u8::try_from(unit) {
                Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
                _ => '-',
            })
            .collect();
        assert!(slug.len() <= 200, "the client shortens longer names: {path}");
        self.config().join("projects").join(slug)
    }

    /// The memory directory that the client reads for the repository.
    pub(crate) fn memory(&self) -> PathBuf {
        self.project_folder().join("memory")
    }

    /// What clients run on.
    pub(crate) fn with_stage<T>(&self, act: impl FnOnce(&Stage<'_>) -> T) -> T {
        act(&Stage { home: &self.home(), nidra_home: &self.nidra_home(), model: &self.model })
    }

    /// Writes a file of the repository.
    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.repository().join(name), text).expect("writing a file of the repository");
    }

    /// The files below a directory with their bytes; lock files are left out.
    pub(crate) fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten() {
                let path = entry.expect("an entry of a directory").path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let name =
                    path.strip_prefix(root).expect("a path below its root").to_string_lossy().into_owned();
                if !name.ends_with("lock") {
                    files.insert(name, fs::read(&path).expect("reading a file"));
                }
            }
        }
        files
    }

    /// All text below the memory directory, for assertions on what is nowhere.
    pub(crate) fn memory_text(&self) -> String {
        Self::files(&self.memory())
            .values()
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
            .collect()
    }

    /// Runs `nidra` in the repository and returns what it printed; panics where it fails.
    pub(crate) fn nidra(&self, arguments: &[&str]) -> String {
        let output = self.nidra_command(arguments);
        let (said, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "nidra {arguments:?} ended {}:\n{said}\n{told}", output.status);
        said.into_owned()
    }

    /// Runs `nidra` with `--json` and returns the value.
    pub(crate) fn nidra_json(&self, arguments: &[&str]) -> Value {
        let said = self.nidra(&[arguments, &["--json"]].concat());
        serde_json::from_str(&said).unwrap_or_else(|error| panic!("nidra {arguments:?}: {error}:\n{said}"))
    }

    fn nidra_command(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_nidra"))
            .current_dir(self.repository())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .env("NIDRA_HOME", self.nidra_home())
            .env("LANG", "C.UTF-8")
            .args(arguments)
            .output()
            .expect("nidra can be started")
    }

    fn git(&self, arguments: &[&str]) {
        let status = Command::new("git")
            .current_dir(self.repository())
            .env("HOME", self.home())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .args(["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"])
            .args(arguments)
            .status()
            .expect("git can be started");
        assert!(status.success(), "git {arguments:?} ended {status}");
    }

    /// The real path of the folder: the client resolves links before it names the project.
    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("the real path of the temporary directory")
    }
}
