//! The time and space of recall, as ratios to a full-text table of SQLite and to a search through the files.

use anyhow::{Context, Result, bail};
use memchr::memmem;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Turns of one session.
const SESSION: u32 = 500;
/// Questions that are asked.
const QUESTIONS: usize = 40;

/// Numbers that look random and are the same every time.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below.max(1) as u64).unwrap_or_default()
    }

    /// A number that is small far more often than large, as the ranks of words are.
    fn rank(&mut self, below: usize) -> usize {
        let uniform = self.next(1 << 24) as f64 / f64::from(1 << 24);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and the number of words"
        )]
        let rank = ((below as f64).powf(uniform) - 1.0) as usize;
        rank.min(below - 1)
    }
}

/// A word of an invented language, by its rank: frequent ones are short.
fn word(rank: usize) -> String {
    const SYLLABLES: [&str; 20] = [
        "ba", "den", "fo", "gri", "hu", "ja", "kem", "lo", "mir", "na", "pol", "qua", "ri", "sto", "tu",
        "vel", "wim", "xe", "yor", "zan",
    ];
    let mut rank = rank + 1;
    let mut word = String::new();
    while rank > 0 {
        word.push_str(SYLLABLES[rank % SYLLABLES.len()]);
        rank /= SYLLABLES.len();
    }
    word
}

/// What was written.
struct Corpus {
    home: PathBuf,
    checkout: PathBuf,
    sessions: PathBuf,
    texts: Vec<String>,
}

/// Measures and prints.
pub(super) fn run(nidra: &Path, turns: u32) -> Result<bool> {
    let folder = tempfile::tempdir().context("a temporary directory")?;
    let corpus = write(folder.path(), turns)?;
    let text: usize = corpus.texts.iter().map(String::len).sum();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let questions: Vec<String> = (0..QUESTIONS).map(|_| ask(&corpus.texts, &mut random)).collect();

    let started = Instant::now();
    recall(nidra, &corpus, &questions[0])?;
    let build = started.elapsed();
    let mut cold = Vec::new();
    for question in &questions {
        let started = Instant::now();
        recall(nidra, &corpus, question)?;
        cold.push(started.elapsed());
    }
    let addition = add_session(&corpus, nidra, &questions[0])?;
    let index = size(&corpus.home.join("state/recall"))?;

    let (table_build, mut table) = full_text(folder.path(), &corpus.texts, &questions)?;
    let mut files = Vec::new();
    for question in questions.iter().take(5) {
        files.push(through_files(&corpus.sessions, question)?);
    }
    let (middle, slow) = (quantile(&mut cold, 50), quantile(&mut cold, 99));
    let (table, files) = (quantile(&mut table, 50), quantile(&mut files, 50));
    let ratio =
        |left: Duration, right: Duration| left.as_secs_f64() / right.as_secs_f64().max(f64::MIN_POSITIVE);
    let speed = text as f64 / 1e6 / build.as_secs_f64();
    println!("{turns} turns, {:.1} MB of text", text as f64 / 1e6);
    println!("build          {speed:>8.1} MB/s   {:.2} × a full-text table", ratio(build, table_build));
    println!("index          {:>8.1} % of the text", 100.0 * index as f64 / text as f64);
    println!("one session    {:>8.1} ms more than a question", milliseconds(addition.saturating_sub(middle)));
    println!("question, cold {:>8.1} ms (p50) {:.1} ms (p99)", milliseconds(middle), milliseconds(slow));
    println!(
        "               {:>8.2} × a full-text query, {:.3} × a search through the files",
        ratio(middle, table),
        ratio(middle, files)
    );
    println!(
        "{}",
        json!({ "turns": turns, "text_bytes": text, "build_mb_per_s": speed, "index_bytes": index,
        "cold_p50_ms": milliseconds(middle), "cold_p99_ms": milliseconds(slow), "full_text_p50_ms": milliseconds(table),
        "files_p50_ms": milliseconds(files), "session_ms": milliseconds(addition) })
    );
    Ok(true)
}

/// Some words of some turn, rare and frequent ones.
fn ask(texts: &[String], random: &mut Random) -> String {
    let text = &texts[random.next(texts.len())];
    let words: Vec<&str> = text.split(' ').filter(|word| word.len() > 3).collect();
    (0..6).map(|_| words[random.next(words.len())]).collect::<Vec<_>>().join(" ")
}

fn write(folder: &Path, turns: u32) -> Result<Corpus> {
    let (home, checkout) = (folder.join("home"), folder.join("work"));
    fs::create_dir_all(&checkout)?;
    let checkout = checkout.canonicalize()?;
    let slug: String =
        checkout.to_string_lossy().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let sessions = home.join(".claude/projects").join(slug);
    fs::create_dir_all(&sessions)?;
    let mut corpus = Corpus { home, checkout, sessions, texts: Vec::new() };
    let mut random = Random(7);
    let mut number = 0;
    while number < turns {
        let count = SESSION.min(turns - number);
        session(&mut corpus, number, count, &mut random)?;
        number += count;
    }
    Ok(corpus)
}

/// Writes one session of so many turns.
fn session(corpus: &mut Corpus, first: u32, turns: u32, random: &mut Random) -> Result<()> {
    let id = format!("{:08x}-0000-4000-8000-000000000000", first / SESSION);
    let mut lines = String::new();
    for turn in first..first + turns {
        let length = [15, 60, 200, 500, 700][random.next(5)];
        let mut text: Vec<String> = (0..length).map(|_| word(random.rank(200_000))).collect();
        text.push(format!("ticket-{turn} src/module_{}/file.rs", random.next(5_000)));
        let text = text.join(" ");
        let human = turn % 2 == 0;
        let (kind, content) = if human {
            ("user", json!(text))
        } else {
            ("assistant", json!([{ "type": "text", "text": text }]))
        };
        let at = 1_700_000_000 + u64::from(turn) * 40;
        let (day, second) = (at / 86_400 % 28 + 1, at % 86_400);
        let stamp =
            format!("2025-01-{day:02}T{:02}:{:02}:{:02}.000Z", second / 3600, second / 60 % 60, second % 60);
        let record = json!({ "parentUuid": null, "isSidechain": false, "userType": "external", "cwd": corpus.checkout,
            "sessionId": id, "version": "2.1.300", "type": kind, "uuid": format!("{turn:08x}-0000-4000-8000-000000000001"),
            "timestamp": stamp, "message": { "role": kind, "content": content, "id": format!("msg_{turn}") } });
        lines.push_str(&record.to_string());
        lines.push('\n');
        corpus.texts.push(text);
    }
    fs::write(corpus.sessions.join(format!("{id}.jsonl")), lines)?;
    Ok(())
}

fn recall(nidra: &Path, corpus: &Corpus, question: &str) -> Result<Value> {
    let output = Command::new(nidra)
        .args(["recall", "--sessions", "--json", question])
        .current_dir(&corpus.checkout)
        .env_clear()
        .env("HOME", &corpus.home)
        .env("NIDRA_HOME", corpus.home.join("state"))
        .env("NIDRA_NOW", "2026-01-01T00:00:00Z")
        .output()?;
    if !output.status.success() {
        bail!("nidra recall ended with {}: {}", output.status, String::from_utf8_lossy(&output.stdout));
    }
    let hits: Value = serde_json::from_slice(&output.stdout)?;
    if hits.as_array().is_none_or(Vec::is_empty) {
        bail!("no hit for {question:?}, whose words stand in a turn");
    }
    Ok(hits)
}

/// The time of a question after one session more.
fn add_session(corpus: &Corpus, nidra: &Path, question: &str) -> Result<Duration> {
    let first = u32::try_from(corpus.texts.len()).unwrap_or_default().div_ceil(SESSION) * SESSION;
    let mut more = Corpus {
        home: corpus.home.clone(),
        checkout: corpus.checkout.clone(),
        sessions: corpus.sessions.clone(),
        texts: Vec::new(),
    };
    session(&mut more, first, 200, &mut Random(11))?;
    let started = Instant::now();
    recall(nidra, corpus, question)?;
    Ok(started.elapsed())
}

/// The time to fill a full-text table, and those to ask it.
fn full_text(folder: &Path, texts: &[String], questions: &[String]) -> Result<(Duration, Vec<Duration>)> {
    let database = Connection::open(folder.join("table.db"))?;
    database.execute_batch("PRAGMA journal_mode = OFF; CREATE VIRTUAL TABLE turn USING fts5(text, tokenize = porter, content = '');")?;
    let started = Instant::now();
    database.execute_batch("BEGIN")?;
    {
        let mut insert = database.prepare("INSERT INTO turn(rowid, text) VALUES (?1, ?2)")?;
        for (number, text) in texts.iter().enumerate() {
            insert.execute((i64::try_from(number)? + 1, text))?;
        }
    }
    database.execute_batch("COMMIT")?;
    let build = started.elapsed();
    let mut times = Vec::new();
    let mut select = database.prepare("SELECT rowid FROM turn WHERE turn MATCH ?1 ORDER BY rank LIMIT 10")?;
    for question in questions {
        let query: Vec<String> = question.split(' ').map(|word| format!("\"{word}\"")).collect();
        let started = Instant::now();
        let rows = select.query_map([query.join(" OR ")], |row| row.get::<_, i64>(0))?;
        let found = rows.collect::<Result<Vec<_>, _>>()?;
        times.push(started.elapsed());
        if found.is_empty() {
            bail!("the full-text table found nothing");
        }
    }
    Ok((build, times))
}

/// The time to look for the words of a question in the files.
fn through_files(sessions: &Path, question: &str) -> Result<Duration> {
    let finders: Vec<memmem::Finder<'_>> = question.split(' ').map(memmem::Finder::new).collect();
    let started = Instant::now();
    let mut best = 0;
    for entry in fs::read_dir(sessions)? {
        let bytes = fs::read(entry?.path())?;
        for line in bytes.split(|byte| *byte == b'\n') {
            best = best.max(finders.iter().filter(|finder| finder.find(line).is_some()).count());
        }
    }
    if best == 0 {
        bail!("the files hold no word of {question:?}");
    }
    Ok(started.elapsed())
}

fn size(folder: &Path) -> Result<u64> {
    let mut sum = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        sum += if metadata.is_dir() { size(&entry.path())? } else { metadata.len() };
    }
    Ok(sum)
}

fn quantile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    times.get((times.len() * percent / 100).min(times.len().saturating_sub(1))).copied().unwrap_or_default()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_distinct_and_frequent_ones_short() {
        let words: std::collections::BTreeSet<String> = (0..5_000).map(word).collect();
        assert_eq!(words.len(), 5_000);
        assert!(word(0).len() < word(4_999).len());
    }

    #[test]
    fn quantiles_are_those_of_the_ordered_times() {
        let mut times: Vec<Duration> = (1..=100).rev().map(Duration::from_millis).collect();
        assert_eq!(quantile(&mut times, 50), Duration::from_millis(51));
        assert_eq!(quantile(&mut times, 99), Duration::from_millis(100));
        assert_eq!(quantile(&mut [], 50), Duration::ZERO);
    }
}
