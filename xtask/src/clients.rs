//! The real clients that the tests drive: pinned, checked against a known hash, kept in `target/clients`.
//!
//! The published package is a wrapper around one binary per platform; only that binary's package is fetched, and
//! no script of it is run.

use crate::{command, prerequisites, workspace::Workspace};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::{env, fs, path::Path, process::Command};

/// A client: its packages, and where its binary lies in them.
#[derive(Clone, Copy, PartialEq)]
enum Client {
    Claude,
    Codex,
}

/// A platform package of one version and the hash of its archive.
struct Package {
    client: Client,
    version: &'static str,
    platform: &'static str,
    integrity: &'static str,
}

impl Package {
    /// The folder that the client is kept in, and the name of its program.
    fn place(&self) -> (String, &'static str) {
        match self.client {
            Client::Claude => (self.version.to_owned(), "claude"),
            Client::Codex => (format!("codex-{}", self.version), "codex"),
        }
    }

    /// The name of the package with its version, the name that it is installed by, and where the binary lies in it.
    fn source(&self) -> Result<(String, String, String)> {
        let Self { version, platform, .. } = self;
        Ok(match self.client {
            Client::Claude => {
                let name = format!("@anthropic-ai/claude-code-{platform}");
                (format!("{name}@{version}"), name, "claude".to_owned())
            }
            Client::Codex => {
                let triple = match *platform {
                    "linux-x64" => "x86_64-unknown-linux-musl",
                    "linux-arm64" => "aarch64-unknown-linux-musl",
                    "darwin-x64" => "x86_64-apple-darwin",
                    "darwin-arm64" => "aarch64-apple-darwin",
                    other => bail!("no triple is known for {other}"),
                };
                let name = "@openai/codex".to_owned();
                (format!("{name}@{version}-{platform}"), name, format!("vendor/{triple}/bin/codex"))
            }
        })
    }
}

const PACKAGES: [Package; 12] = [
    Package {
        client: Client::Claude,
        version: "2.1.332",
        platform: "linux-x64",
        integrity: "sha512-f4JWhzwYutJIHScC7/dYOPX6s28tt7ZADhsOi8zwOHq5fFPEuUeChh2NMfinSg0GrUckYxaeebC4h0DqiKzLcw==",
    },
    Package {
        client: Client::Claude,
        version: "2.1.332",
        platform: "linux-arm64",
        integrity: "sha512-BlHNEtK38KBPWU31F4lUSS9sHclCyfWbThT1CErvxxH8+XcljYLZlQwdyXBkTD62rw1TgfE1u1a+quMWS0NSJg==",
    },
    Package {
        client: Client::Claude,
        version: "2.1.332",
        platform: "darwin-x64",
        integrity: "sha512-i0GV2ejBOeHMXs+XPCd1IaJj1GV3VdZl8hiQD6hLMR/N7f4Nt8q4Edj1GYJCKXPLJa/zsE9Uv6r9rZ/ldVFQPQ==",
    },
    Package {
        client: Client::Claude,
        version: "2.1.332",
        platform: "darwin-arm64",
        integrity: "sha512-L/F5mypyB7SK59cesiAqGv1bVNd+8xTn0LF5kV6EGL6UMhofVJMFlokhDRoxNzANNC5i/5JdzfJyDOKUbZObiA==",
    },
    Package {
        client: Client::Claude,
        version: "2.1.197",
        platform: "linux-x64",
        integrity: "sha512-rIlKmrY0QMyHgPRX/MYWNj039vbypICvI9jVe3rs9Xy2RnNklySjyPxqh62QadznzoftEO23uYQ1tFePcQ//bg==",
    },
    Package {
        client: Client::Claude,
        version: "2.1.197",
        platform: "linux-arm64",
        integrity: "sha512-sx6SoGj3MNR5CV+YDkNtbLHXa1tn3G8qcYFgm1gnvOi9ODQUKbhiPfankJfkTMDVekOvnKJhm6i9hGFIPzp7cQ==",
    },
    Package {
        client: Client::Claude,
        version: "2.1.197",
        platform: "darwin-x64",
        integrity: "sha512-DOPeGTQqJWVENJsxwMxJtLOx+7OBINEDg9trQldlJR1nBssaYzNj1WWxp37JYSBRjeYLhqLipvDqEA0LMglL7A==",
    },
    Package {
        client: Client::Claude,
        version: "2.1.197",
        platform: "darwin-arm64",
        integrity: "sha512-1FOVhJzkKGWgOEEsvaK3ylCEmjKeJiXwfKl7RtNEbiDj7OxhRQ1G1CLN0HGDTTq1QwY+Dm2x1Yscdv5NfobAxQ==",
    },
    Package {
        client: Client::Codex,
        version: "0.171.0",
        platform: "linux-x64",
        integrity: "sha512-l66NZkQgdk2C3pbcfULDz42yEUB581MVA6I+Y43Wp4OIqEy73HCdmZ0GTjeAHY2ycuH4N00d9VsLrwT1jxshTw==",
    },
    Package {
        client: Client::Codex,
        version: "0.171.0",
        platform: "linux-arm64",
        integrity: "sha512-9z17t4bbUJ9UCIb49O4PoA+ki+45q3rd8nZ8PeH6sYnlKkBld/Xpo/OS3h3Ti954+foshX4o7k5TCU8N7zzqQA==",
    },
    Package {
        client: Client::Codex,
        version: "0.171.0",
        platform: "darwin-x64",
        integrity: "sha512-pwN5uNEKx/mZjwBEf/6CKq6SJMfJS5kruV3sJQAk7ebIPvC58Ote3CicIxETDZtjLj35rNv3PLPd7mHCg6hGPw==",
    },
    Package {
        client: Client::Codex,
        version: "0.171.0",
        platform: "darwin-arm64",
        integrity: "sha512-hIYTkRUpuYpkVfTq4cpby0PXqhAVcIgE7f6FoyY1lt2RyARj3GXS1Can/dIYUBItVhXzhb98HYHZNzCX74QRlQ==",
    },
];

/// Fetches every pinned version for this platform that is not there yet.
pub(crate) fn fetch_all(workspace: &Workspace) -> Result<()> {
    let platform = platform()?;
    let folder = workspace.clients();
    for package in PACKAGES.iter().filter(|package| package.platform == platform) {
        let (place, binary) = package.place();
        let program = folder.join(&place).join(binary);
        if program.is_file() {
            println!("client {place}: {} (kept)", program.display());
            continue;
        }
        fetch(package, &folder).with_context(|| {
            format!("client {place} cannot be fetched with npm; `--without real-client` leaves its tests out")
        })?;
        println!("client {place}: {}", program.display());
    }
    Ok(())
}

/// Fetches one client into its place below `folder`. The binary moves there last, so that what lies there is whole.
fn fetch(package: &Package, folder: &Path) -> Result<()> {
    prerequisites::for_clients()?;
    let (wanted, name, inside) = package.source()?;
    let (place, binary) = package.place();
    let target = folder.join(place);
    fs::create_dir_all(&target).with_context(|| format!("cannot create {}", target.display()))?;
    let fetching = tempfile::Builder::new().prefix(".fetching-").tempdir_in(folder)?;
    fs::write(fetching.path().join("package.json"), "{\"private\":true}\n")?;
    command::run(
        Command::new("npm")
            .current_dir(fetching.path())
            .args(["install", "--no-audit", "--no-fund", "--no-save", "--ignore-scripts", "--loglevel=error"])
            .arg(&wanted),
    )?;
    let modules = fetching.path().join("node_modules");
    let lock = modules.join(".package-lock.json");
    let lock_text = fs::read_to_string(&lock).with_context(|| format!("cannot read {}", lock.display()))?;
    let installed: Value = serde_json::from_str(&lock_text)?;
    let integrity = &installed["packages"][format!("node_modules/{name}")]["integrity"];
    if integrity != package.integrity {
        bail!("{wanted} has the hash {integrity}, not {}", package.integrity);
    }
    let fetched = modules.join(&name).join(inside);
    let program = target.join(binary);
    fs::rename(&fetched, &program)
        .with_context(|| format!("cannot move {} to {}", fetched.display(), program.display()))
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
