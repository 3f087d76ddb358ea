//! Measures what reading transcripts costs against reading their bytes, in one process and on one corpus.
//!
//! `measure FOLDER` takes a configuration directory full of transcripts (`make_corpus` writes one) and prints one
//! line of JSON: the times of reading the bytes, of reading the transcripts, of reading what was appended to a
//! transcript, and of reading a transcript that is no more than that; besides the most memory the process held
//! while it read. It appends to one transcript of the corpus.
//!
//! Times are the processor's: everything runs in one thread on files that the page cache holds, so a busy machine
//! stretches the clock on the wall but not these.
#![expect(clippy::print_stdout, reason = "the figures are what this program is for")]

use nidra_sessions::{
    Cursor, Known, Transcript,
    claude::{Lookup, discover_with, read},
};
use rustix::time::{ClockId, clock_gettime};
use serde_json::json;
use std::{
    collections::BTreeMap,
    error::Error,
    fs::{self, File, OpenOptions},
    hint::black_box,
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    time::Duration,
};

/// Rounds of the large measures. Of each transcript the quickest counts: only disturbance makes a round slower, and
/// a quiet moment long enough for one transcript comes sooner than one for all of them.
const ROUNDS: usize = 9;
/// Rounds of the small measures.
const SMALL_ROUNDS: usize = 31;
/// What is appended, in bytes at least.
const APPENDED: usize = 1_000_000;

/// What is remembered of a transcript between two scans, as a dream remembers it.
type Memory = BTreeMap<PathBuf, (Known, Cursor)>;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("usage: measure FOLDER")?);

    let (mut memory, mut bytes, mut turns) = (Memory::new(), 0, 0);
    let (mut bytes_times, mut scan_times) = (Quickest::default(), Quickest::default());
    // The first reading fills the page cache.
    read_bytes(&folder, &mut Quickest::default())?;
    for _ in 0..ROUNDS {
        bytes = read_bytes(&folder, &mut bytes_times)?;
        memory.clear();
        turns = scan(&folder, &mut memory, &mut scan_times)?;
    }
    let (bytes_time, scan_time) = (bytes_times.sum(), scan_times.sum());
    let peak = peak_memory();

    // The smallest one: the largest may be a single line.
    let smallest = memory.iter().min_by_key(|(_, (_, cursor))| cursor.offset);
    let grown = smallest.ok_or("no transcripts below the folder")?.0.clone();
    let lines = some_lines(&grown)?;
    let alone = folder.join("alone");
    let single = alone.join("projects/-alone").join(grown.file_name().ok_or("a file without a name")?);
    fs::create_dir_all(single.parent().ok_or("a file without a folder")?)?;
    fs::write(&single, &lines)?;
    let (mut second_times, mut alone_times) = (Vec::new(), Vec::new());
    let mut second_turns = 0;
    for _ in 0..SMALL_ROUNDS {
        OpenOptions::new().append(true).open(&grown)?.write_all(&lines)?;
        let started = processor_time();
        second_turns = scan(&folder, &mut memory, &mut Quickest::default())?;
        second_times.push(processor_time().saturating_sub(started));
        let started = processor_time();
        black_box(scan(&alone, &mut Memory::new(), &mut Quickest::default())?);
        alone_times.push(processor_time().saturating_sub(started));
    }
    println!(
        "{}",
        json!({
            "bytes": bytes, "transcripts": memory.len(), "turns": turns,
            "read_seconds": bytes_time.as_secs_f64(), "scan_seconds": scan_time.as_secs_f64(),
            "peak_kibibytes": peak, "appended_bytes": lines.len(), "appended_turns": second_turns,
            "second_scan_seconds": median(&mut second_times), "alone_scan_seconds": median(&mut alone_times),
        })
    );
    Ok(())
}

/// The quickest time of each step of what was done several times.
#[derive(Default)]
struct Quickest(BTreeMap<PathBuf, Duration>);

impl Quickest {
    /// Counts a step that ends now.
    fn took(&mut self, step: &Path, since: Duration) {
        let time = processor_time().saturating_sub(since);
        let quickest = self.0.entry(step.to_owned()).or_insert(time);
        *quickest = time.min(*quickest);
    }

    fn sum(&self) -> Duration {
        self.0.values().sum()
    }
}

/// Reads what is new below a folder since the memory was made; returns how many turns that were.
fn scan(folder: &Path, memory: &mut Memory, times: &mut Quickest) -> Result<u64, Box<dyn Error>> {
    let started = processor_time();
    let known = |path: &Path| memory.get(path).map(|(known, _)| known.clone());
    let found = discover_with(folder, Lookup { known: &known, own_directories: &[] });
    times.took(folder, started);
    let mut turns = 0;
    for transcript in found.transcripts {
        let started = processor_time();
        let Transcript { directory, headless, own, .. } = &transcript;
        let known = Known { directory: directory.clone(), headless: *headless, own: *own };
        let (_, cursor) = memory.entry(transcript.path.clone()).or_insert((known, Cursor::default()));
        if cursor.offset == transcript.length {
            continue;
        }
        let outcome = read(&transcript, cursor, &mut |turn| {
            black_box(&turn);
        })?;
        turns += outcome.turns;
        *cursor = outcome.cursor;
        times.took(&transcript.path, started);
    }
    Ok(turns)
}

/// Reads the bytes of every transcript below a folder; returns how many that were.
fn read_bytes(folder: &Path, times: &mut Quickest) -> Result<u64, Box<dyn Error>> {
    let mut buffer = vec![0; 256 * 1024];
    let mut bytes = 0;
    for project in fs::read_dir(folder.join("projects"))? {
        for entry in fs::read_dir(project?.path())? {
            let started = processor_time();
            let path = entry?.path();
            let mut file = File::open(&path)?;
            loop {
                let length = file.read(&mut buffer)?;
                if length == 0 {
                    break;
                }
                bytes += u64::try_from(length)?;
                black_box(&buffer);
            }
            times.took(&path, started);
        }
    }
    Ok(bytes)
}

/// Whole lines from the start of a transcript, as many as make up what is appended.
fn some_lines(path: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut reader = BufReader::new(File::open(path)?);
    let mut lines = Vec::new();
    while lines.len() < APPENDED && reader.read_until(b'\n', &mut lines)? > 0 {}
    Ok(lines)
}

/// The processor time that this process took so far.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let part = |number: i64| u64::try_from(number).unwrap_or_default();
    Duration::from_secs(part(time.tv_sec)) + Duration::from_nanos(part(time.tv_nsec))
}

/// The middle of the times, in seconds.
fn median(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default().as_secs_f64()
}

/// The most memory that this process held, where the system says so.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
