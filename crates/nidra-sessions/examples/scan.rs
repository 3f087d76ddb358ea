//! Reads every transcript below a folder and says how long that took.
//!
//! `scan FOLDER` finds and reads the transcripts of a configuration directory (or of a folder that holds
//! transcripts itself); `scan FOLDER --read-only` only reads their bytes, as the measure to compare with.
#![expect(clippy::print_stdout, reason = "figures are what this program is for")]

use nidra_sessions::claude::{Lookup, discover, discover_folders, read};
use nidra_sessions::{Cursor, Transcript};
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("usage: scan FOLDER [--read-only]")?);
    let read_only = arguments.next().as_deref() == Some("--read-only");

    let started = Instant::now();
    let mut found = discover(&folder);
    if found.transcripts.is_empty() {
        found = discover_folders(&[folder], Lookup { known: &|_| None, own_directories: &[] });
    }
    let discovery = started.elapsed();

    let started = Instant::now();
    let (mut bytes, mut turns, mut malformed) = (0_u64, 0_u64, 0_u64);
    let mut kinds = std::collections::BTreeMap::<String, u64>::new();
    for transcript in &found.transcripts {
        bytes += transcript.length;
        if read_only {
            read_bytes(transcript)?;
            continue;
        }
        let outcome = read(transcript, &Cursor::default(), &mut |turn| {
            std::hint::black_box(&turn);
        })?;
        turns += outcome.turns;
        malformed += outcome.malformed;
        for (kind, count) in outcome.counts {
            *kinds.entry(kind).or_default() += count;
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    let megabytes = bytes as f64 / 1e6;
    println!("{} transcripts found in {:.3} s", found.transcripts.len(), discovery.as_secs_f64());
    println!(
        "{megabytes:.1} MB, {turns} turns, {malformed} malformed, {seconds:.3} s, {:.0} MB/s",
        megabytes / seconds
    );
    println!("peak {}", peak_memory().unwrap_or_default());
    println!("{kinds:?}");
    Ok(())
}

fn read_bytes(transcript: &Transcript) -> std::io::Result<()> {
    let mut file = File::open(&transcript.path)?;
    let mut buffer = vec![0; 256 * 1024];
    while file.read(&mut buffer)? > 0 {
        std::hint::black_box(&buffer);
    }
    Ok(())
}

/// The most memory that the process held, where the system says so.
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")).map(|rest| rest.trim().to_owned())
}
