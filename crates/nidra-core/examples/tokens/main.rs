//! Measures the token estimate against real tokenizers, and how fast it is.
//!
//! `tokens DIRECTORY...` cuts pieces of more than 200 tokens out of the files below the directories and prints, for each
//! kind of text, the mean absolute error, the bias and the error that one piece in a hundred passes, against the two
//! vocabularies of OpenAI. It fails above the limits.
//!
//! `--export FILE` writes the pieces as lines of JSON, `--counts FILE` reads such lines back with another tokenizer's
//! numbers (`{"kind", "text", "counts": {"claude-3": 123}}`) and measures against those; `evaluation/tokens/claude.py`
//! counts for the families of Claude. `--features FILE COUNTED` writes the runs of such lines beside the numbers, and
//! `--vocabulary FILE` the table of common words; `training/tokens` uses both.

#![expect(clippy::print_stdout, reason = "figures are what this program is for")]

mod pieces;
mod vocabulary;

use nidra_core::text::token::{Family, Features};
use pieces::Piece;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

/// The mean absolute error at most, in hundredths.
const MAX_MEAN_ERROR: f64 = 6.0;

/// Megabytes in a second at least, on one core.
const MIN_SPEED: f64 = 200.0;

fn main() -> Result<(), Box<dyn Error>> {
    let mut directories = Vec::new();
    let (mut export, mut counts, mut features) = (None, None, None);
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--export") => export = arguments.next().map(PathBuf::from),
            Some("--counts") => counts = arguments.next().map(PathBuf::from),
            Some("--features") => features = arguments.next().map(PathBuf::from),
            Some("--vocabulary") => {
                let path = arguments.next().ok_or("--vocabulary takes a file")?;
                return Ok(std::fs::write(path, vocabulary::table()?)?);
            }
            _ => directories.push(PathBuf::from(argument)),
        }
    }
    if let Some(path) = counts {
        return judge(&pieces::counted(&path)?);
    }
    let (older, newer) = (tiktoken_rs::cl100k_base()?, tiktoken_rs::o200k_base()?);
    let mut pieces = match &features {
        Some(_) => pieces::counted(directories.first().ok_or("--features takes two files")?)?,
        None => pieces::cut(&directories),
    };
    for piece in &mut pieces {
        piece.counts.insert("cl100k".to_owned(), older.encode_ordinary(&piece.text).len());
        piece.counts.insert("o200k".to_owned(), newer.encode_ordinary(&piece.text).len());
    }
    pieces.retain(|piece| piece.counts.get("o200k").is_some_and(|count| *count > 200));
    if let Some(path) = features {
        return pieces::features(&path, &pieces);
    }
    if let Some(path) = export {
        return pieces::export(&path, &pieces);
    }
    judge(&pieces)?;
    speed(&pieces)
}

/// Prints the errors by family and kind; fails when one family is worse than the limit.
fn judge(pieces: &[Piece]) -> Result<(), Box<dyn Error>> {
    let mut bad = Vec::new();
    println!(
        "{:<12} {:<10} {:>6} {:>8} {:>8} {:>8}",
        "family", "kind", "pieces", "error %", "bias %", "p1 %"
    );
    for family in Family::ALL {
        let mut errors: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for piece in pieces {
            let Some(&counted) = piece.counts.get(family.as_str()) else { continue };
            let estimate = Features::of(&piece.text).tokens(family);
            errors.entry(&piece.kind).or_default().push((estimate as f64 / counted as f64 - 1.0) * 100.0);
        }
        // Kinds count alike, whatever there is more of on the disk.
        let means: Vec<f64> = errors.values().map(|errors| mean(errors.iter().map(|e| e.abs()))).collect();
        for (kind, errors) in &mut errors {
            errors.sort_by(f64::total_cmp);
            println!(
                "{:<12} {kind:<10} {:>6} {:>8.1} {:>+8.1} {:>+8.1}",
                family.as_str(),
                errors.len(),
                mean(errors.iter().map(|e| e.abs())),
                mean(errors.iter().copied()),
                errors.get(errors.len() / 100).copied().unwrap_or_default(),
            );
        }
        if !means.is_empty() {
            let all = mean(means.iter().copied());
            println!("{:<12} {:<10} {:>6} {all:>8.1}", family.as_str(), "all kinds", pieces.len());
            if all > MAX_MEAN_ERROR {
                bad.push(format!("{family}: mean error {all:.1} %, at most {MAX_MEAN_ERROR}"));
            }
        }
    }
    if bad.is_empty() { Ok(()) } else { Err(bad.join("; ").into()) }
}

/// The quickest of some rounds over each kind of text.
fn speed(pieces: &[Piece]) -> Result<(), Box<dyn Error>> {
    let mut texts: BTreeMap<&str, String> = BTreeMap::new();
    for piece in pieces {
        texts.entry(&piece.kind).or_default().push_str(&piece.text);
    }
    let (mut bytes, mut seconds) = (0, 0.0);
    for (kind, text) in texts {
        let text = text.repeat(2_000_000 / text.len().max(1) + 1);
        let quickest = (0..9)
            .map(|_| {
                let begin = Instant::now();
                std::hint::black_box(Features::of(std::hint::black_box(&text)));
                begin.elapsed().as_secs_f64()
            })
            .fold(f64::INFINITY, f64::min);
        println!("speed {kind:<10} {:>6.0} MB/s", text.len() as f64 / quickest / 1e6);
        bytes += 1;
        seconds += quickest / text.len() as f64;
    }
    let speed = f64::from(bytes) / seconds / 1e6;
    println!("speed all kinds  {speed:>6.0} MB/s");
    if speed < MIN_SPEED { Err(format!("{speed:.0} MB/s, at least {MIN_SPEED}").into()) } else { Ok(()) }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let length = values.len().max(1) as f64;
    values.sum::<f64>() / length
}
