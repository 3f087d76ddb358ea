//! Running other programs, so that a failure names the program and what it said.

use anyhow::{Context, Result, bail};
use std::{
    env,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
};

/// The cargo that runs this task.
pub(crate) fn cargo(root: &Path) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

/// Finds a program on the search path.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let file = format!("{program}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&path).map(|folder| folder.join(&file)).find(|candidate| candidate.is_file())
}

/// Runs a command to its end, its output going where ours goes.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", name(command)))?;
    if !status.success() {
        bail!("{} ended with {status}", name(command));
    }
    Ok(())
}

/// Runs a command and returns what it printed.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot start {}", name(command)))?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        bail!("{} ended with {}: {}", name(command), output.status, told.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a command, passes on every line it prints, and shows each line to `watch`. Returns whether it succeeded.
pub(crate) fn run_watched(command: &mut Command, mut watch: impl FnMut(&str)) -> Result<bool> {
    run_lines(command, |line| {
        println!("{line}");
        watch(line);
    })
}

/// Runs a command and shows each line it prints to `watch`, and to nobody else. Returns whether it succeeded.
pub(crate) fn run_lines(command: &mut Command, mut watch: impl FnMut(&str)) -> Result<bool> {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {}", name(command)))?;
    let (said, told) = (child.stdout.take(), child.stderr.take());
    let (sender, lines) = std::sync::mpsc::channel();
    thread::scope(|scope| {
        let streams: [Option<Box<dyn Read + Send>>; 2] =
            [said.map(|stream| Box::new(stream) as _), told.map(|stream| Box::new(stream) as _)];
        for stream in streams.into_iter().flatten() {
            let sender = sender.clone();
            scope.spawn(move || {
                for line in BufReader::new(stream).split(b'\n').map_while(Result::ok) {
                    drop(sender.send(String::from_utf8_lossy(&line).into_owned()));
                }
            });
        }
        drop(sender);
        for line in lines {
            watch(&line);
        }
    });
    let status = child.wait().with_context(|| format!("cannot wait for {}", name(command)))?;
    Ok(status.success())
}

/// The program with its arguments, as a person would type it.
fn name(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    format!("`{}`", words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" "))
}
