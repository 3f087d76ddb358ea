//! A client that speaks its own protocol on `.consolidate-lock`: it looks, writes its process number, looks
//! again, and believes what it sees.
//!
//! What nidra can guarantee against it, and what the races check: a client that writes within
//! [`LONGEST_GAP`] of its look never believes while a run of nidra may write. Of a client that stands still
//! for longer than nidra waits between its look and its write no lock without an atomic step can know; nor of
//! a client that another client overwrote, and which then gave back a lock that was not its own.

use crate::races::SETTLE;
use crate::random::Random;
use jiff::SignedDuration;
use nidra_memory::atomic::{FileSystem as _, RealFileSystem};
use nidra_memory::lock_file::CLIENT_LOCK_NAME;
use nidra_memory::owner::{ProcessTable as _, SystemProcesses};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// The longest time between look and write that counts here.
pub(crate) const LONGEST_GAP: Duration = Duration::from_millis(7);

/// One attempt at a dream of the client, which always fails in the end, so that the lock is given back.
pub(crate) fn dream(base: &Path, _order: &str, random: &mut Random) -> String {
    assert!(LONGEST_GAP < SETTLE);
    std::thread::sleep(Duration::from_micros(random.below(3000)));
    let lock = base.join("memory").join(CLIENT_LOCK_NAME);
    let own = std::process::id();

    // Read and stat.
    let begin = Instant::now();
    let body = fs::read_to_string(&lock).ok();
    let prior = RealFileSystem.status(&lock).ok().flatten().map(|status| status.modified);
    let holder: Option<u32> = body.as_deref().and_then(|body| body.lines().next()?.trim().parse().ok());
    if let (Some(holder), Some(modified)) = (holder, prior)
        && holder != own
        && now().duration_since(modified) < SignedDuration::from_hours(1)
        && SystemProcesses.find(holder).is_some()
    {
        return "the client was refused".into();
    }

    // Write, later or sooner.
    let writer = base.join("writers").join(own.to_string());
    fs::write(&writer, "").unwrap();
    std::thread::sleep(Duration::from_micros([0, 0, 300, 3000][random.index(4)]));
    fs::write(&lock, own.to_string()).unwrap();
    let late = begin.elapsed() > LONGEST_GAP;
    if late || fs::read_dir(base.join("writers")).unwrap().count() > 1 {
        fs::write(base.join("broken"), "").unwrap();
    }

    // Look again.
    std::thread::sleep(Duration::from_micros([0, 100, 2000][random.index(3)]));
    if fs::read_to_string(&lock).ok().as_deref() != Some(own.to_string().as_str()) {
        fs::remove_file(&writer).unwrap();
        return "the client lost".into();
    }
    let mut answer = "dreamt";
    if late {
        answer = "the client stood still too long";
    } else {
        let marker = base.join("clients").join(own.to_string());
        fs::write(&marker, "").unwrap();
        for _ in 0..=random.below(8) {
            if base.join("winner").exists() {
                answer = "two winners";
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        fs::remove_file(&marker).unwrap();
    }
    // The dream failed: what was before comes back.
    match prior {
        Some(prior) => {
            let _ = fs::write(&lock, "");
            let _ = RealFileSystem.set_modified(&lock, prior);
        }
        None => {
            let _ = fs::remove_file(&lock);
        }
    }
    fs::remove_file(&writer).unwrap();
    answer.into()
}

fn now() -> jiff::Timestamp {
    (nidra_memory::lease::LeaseOptions::new("client").clock)()
}
