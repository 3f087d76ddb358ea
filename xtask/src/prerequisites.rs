//! Programs that the build and the tests call, installed where this machine lets us.

use crate::command;
use anyhow::{Result, bail};
use std::process::Command;

/// A program and the Debian package that brings it.
struct Program {
    name: &'static str,
    package: &'static str,
    needed_for: &'static str,
}

/// SQLite and zstd are compiled from C; the tests make repositories.
const ALWAYS: [Program; 2] = [
    Program { name: "cc", package: "gcc libc6-dev", needed_for: "compiling SQLite and zstd" },
    Program { name: "git", package: "git", needed_for: "the repositories of the tests" },
];

/// The clients are npm packages.
const CLIENTS: [Program; 1] =
    [Program { name: "npm", package: "npm", needed_for: "fetching the real clients" }];

/// Pages are tested in a real browser, over the interface that it has for that, and with fonts for both languages:
/// without, labels have other widths.
const BROWSER: [Program; 2] = [
    Program {
        name: "chromium",
        package: "chromium fonts-liberation fonts-noto-cjk",
        needed_for: "the tests of pages",
    },
    Program { name: "chromedriver", package: "chromium-driver", needed_for: "the tests of pages" },
];

/// Makes sure of what every build needs.
pub(crate) fn for_build() -> Result<()> {
    ALWAYS.iter().try_for_each(ensure)
}

/// Makes sure of what fetching the clients needs.
pub(crate) fn for_clients() -> Result<()> {
    CLIENTS.iter().try_for_each(ensure)
}

/// Makes sure of what the tests of pages need.
pub(crate) fn for_browser() -> Result<()> {
    BROWSER.iter().try_for_each(ensure)
}

/// Finds a program, or installs it with `apt-get` when we are root; else says what to do.
fn ensure(program: &Program) -> Result<()> {
    let Program { name, package, needed_for } = program;
    if command::find(name).is_some() {
        return Ok(());
    }
    if command::find("apt-get").is_none() || !is_root() {
        bail!("`{name}` is missing; {needed_for} needs it (Debian: apt-get install {package})");
    }
    println!("installing {package}: {needed_for} needs `{name}`");
    let mut install = Command::new("apt-get");
    install.env("DEBIAN_FRONTEND", "noninteractive").args(["install", "--yes", "--no-install-recommends"]);
    install.args(package.split(' '));
    if command::run(&mut install).is_err() {
        // A fresh image has no package lists yet.
        command::run(Command::new("apt-get").arg("update"))?;
        command::run(&mut install)?;
    }
    if command::find(name).is_none() {
        bail!("`{name}` is still missing after installing {package}");
    }
    Ok(())
}

fn is_root() -> bool {
    command::output(Command::new("id").arg("-u")).is_ok_and(|user| user.trim() == "0")
}
