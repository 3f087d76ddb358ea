//! The real clients that the tests drive: pinned, checked against a known hash, kept in `target/clients`.
//!
//! The published package is a wrapper around one binary per platform; only that binary's package is fetched, and
//! no script of it is run.

use crate::{command, prerequisites, workspace::Workspace};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::{env, fs, path::Path, process::Command};

/// A platform package of one version and the hash of its archive.
struct Package {
    version: &'static str,
    platform: &'static str,
    integrity: &'static str,
}

const PACKAGES: [Package; 8] = [
    Package {
        version: "2.1.332",
        platform: "linux-x64",
        integrity: "sha512-f4JWhzwYutJIHScC7/dYOPX6s28tt7ZADhsOi8zwOHq5fFPEuUeChh2NMfinSg0GrUckYxaeebC4h0DqiKzLcw==",
    },
    Package {
        version: "2.1.332",
        platform: "linux-arm64",
        integrity: "sha512-BlHNEtK38KBPWU31F4lUSS9sHclCyfWbThT1CErvxxH8+XcljYLZlQwdyXBkTD62rw1TgfE1u1a+quMWS0NSJg==",
    },
    Package {
        version: "2.1.332",
        platform: "darwin-x64",
        integrity: "sha512-i0GV2ejBOeHMXs+XPCd1IaJj1GV3VdZl8hiQD6hLMR/N7f4Nt8q4Edj1GYJCKXPLJa/zsE9Uv6r9rZ/ldVFQPQ==",
    },
    Package {
        version: "2.1.332",
        platform: "darwin-arm64",
        integrity: "sha512-L/F5mypyB7SK59cesiAqGv1bVNd+8xTn0LF5kV6EGL6UMhofVJMFlokhDRoxNzANNC5i/5JdzfJyDOKUbZObiA==",
    },
    Package {
        version: "2.1.197",
        platform: "linux-x64",
        integrity: "sha512-rIlKmrY0QMyHgPRX/MYWNj039vbypICvI9jVe3rs9Xy2RnNklySjyPxqh62QadznzoftEO23uYQ1tFePcQ//bg==",
    },
    Package {
        version: "2.1.197",
        platform: "linux-arm64",
        integrity: "sha512-sx6SoGj3MNR5CV+YDkNtbLHXa1tn3G8qcYFgm1gnvOi9ODQUKbhiPfankJfkTMDVekOvnKJhm6i9hGFIPzp7cQ==",
    },
    Package {
        version: "2.1.197",
        platform: "darwin-x64",
        integrity: "sha512-DOPeGTQqJWVENJsxwMxJtLOx+7OBINEDg9trQldlJR1nBssaYzNj1WWxp37JYSBRjeYLhqLipvDqEA0LMglL7A==",
    },
    Package {
        version: "2.1.197",
        platform: "darwin-arm64",
        integrity: "sha512-1FOVhJzkKGWgOEEsvaK3ylCEmjKeJiXwfKl7RtNEbiDj7OxhRQ1G1CLN0HGDTTq1QwY+Dm2x1Yscdv5NfobAxQ==",
    },
];

/// Fetches every pinned version for this platform that is not there yet.
pub(crate) fn fetch_all(workspace: &Workspace) -> Result<()> {
    let platform = platform()?;
    let folder = workspace.clients();
    for package in PACKAGES.iter().filter(|package| package.platform == platform) {
        let program = folder.join(package.version).join("claude");
        if program.is_file() {
            println!("client {}: {} (kept)", package.version, program.display());
            continue;
        }
        fetch(package, &folder).with_context(|| {
            format!(
                "client {} cannot be fetched with npm; `--without real-client` leaves its tests out",
                package.version
            )
        })?;
        println!("client {}: {}", package.version, program.display());
    }
    Ok(())
}

/// Fetches one client into `folder/<version>/claude`. The binary moves there last, so that what lies there is whole.
fn fetch(package: &Package, folder: &Path) -> Result<()> {
    prerequisites::for_clients()?;
    let name = format!("@anthropic-ai/claude-code-{}", package.platform);
    let target = folder.join(package.version);
    fs::create_dir_all(&target).with_context(|| format!("cannot create {}", target.display()))?;
    let fetching = tempfile::Builder::new().prefix(".fetching-").tempdir_in(folder)?;
    fs::write(fetching.path().join("package.json"), "{\"private\":true}\n")?;
    command::run(
        Command::new("npm")
            .current_dir(fetching.path())
            .args(["install", "--no-audit", "--no-fund", "--no-save", "--ignore-scripts", "--loglevel=error"])
            .arg(format!("{name}@{}", package.version)),
    )?;
    let modules = fetching.path().join("node_modules");
    let lock = modules.join(".package-lock.json");
    let lock_text = fs::read_to_string(&lock).with_context(|| format!("cannot read {}", lock.display()))?;
    let installed: Value = serde_json::from_str(&lock_text)?;
    let integrity = &installed["packages"][format!("node_modules/{name}")]["integrity"];
    if integrity != package.integrity {
        bail!("{name}@{} has the hash {integrity}, not {}", package.version, package.integrity);
    }
    let binary = modules.join(&name).join("claude");
    let program = target.join("claude");
    fs::rename(&binary, &program)
        .with_context(|| format!("cannot move {} to {}", binary.display(), program.display()))
}

/// The name that the packages give this platform.
fn platform() -> Result<&'static str> {
    Ok(match (env::consts::OS, env::consts::ARCH) {
        ("linux", "x86_64") => "linux-x64",
        ("linux", "aarch64") => "linux-arm64",
        ("macos", "x86_64") => "darwin-x64",
        ("macos", "aarch64") => "darwin-arm64",
        (system, architecture) => bail!(
            "no client is pinned for {system} on {architecture}; `--without real-client` leaves its tests out"
        ),
    })
}
