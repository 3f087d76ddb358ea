//! Where the time of an index goes: reading, removing secrets, analysing, and all of it. `measure CLIENT_FOLDER`

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a tool for measuring, not part of the product"
)]
#![expect(clippy::disallowed_methods, reason = "it measures time")]

use nidra_core::text::redact::{self, Scope};
use nidra_recall::analyze::Analyzer;
use nidra_recall::index::{Index, Sources};
use nidra_recall::material;
use nidra_sessions::{ClaudeCode, Cursor, Reader as _};
use std::time::Instant;

fn main() {
    let config = std::env::args().nth(1).unwrap().into();
    let reader = ClaudeCode { config, own: Vec::new() };
    let transcripts = reader.discover(&|_| None).transcripts;
    let bytes: u64 = transcripts.iter().map(|transcript| transcript.length).sum();
    let mut words = 0;
    let mut analyzer = Analyzer::default();
    for (stage, redacts, analyses) in
        [("read", false, false), ("analyse", false, true), ("redact", true, false)]
    {
        let started = Instant::now();
        let (mut terms, mut length) = (0_u64, 0_u64);
        for transcript in &transcripts {
            let mut sink = |turn| {
                let Some((_, text)) = material::words(&turn) else { return };
                length += text.len() as u64;
                let clean = if redacts { redact::redact(&text) } else { String::new() };
                let text = if redacts { clean.as_str() } else { &text };
                if analyses {
                    analyzer.terms(text, &mut |_| terms += 1);
                }
            };
            reader.read(transcript, &Cursor::default(), &|_| true, &mut sink).unwrap();
        }
        words = length;
        let seconds = started.elapsed().as_secs_f64();
        println!("{stage:<8} {:>8.1} MB/s of text  ({terms} terms)", length as f64 / 1e6 / seconds);
    }
    let scratch = tempfile::tempdir().unwrap();
    let sources = Sources {
        reader: &reader,
        transcripts: &transcripts,
        found: &transcripts,
        accept: &|_| true,
        scope: Scope::Secrets,
        now: jiff::Timestamp::now(),
    };
    let started = Instant::now();
    let index = Index::up_to_date(scratch.path(), sources).unwrap();
    let seconds = started.elapsed().as_secs_f64();
    println!(
        "index    {:>8.1} MB/s of text, {:.1} of transcripts; {} turns, {} segments, {:.1} % of the text",
        words as f64 / 1e6 / seconds,
        bytes as f64 / 1e6 / seconds,
        index.update.turns,
        index.segments.len(),
        100.0 * index.size() as f64 / words as f64
    );
}
