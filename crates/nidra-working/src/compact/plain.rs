//! A text that is no transcript: its paragraphs by their density, in their order.

use super::{Change, Knowledge, Level, Outcome, shortened};
use crate::talk;
use nidra_rules::density;
use std::collections::HashSet;

/// Tokens from which a paragraph is bulky, for light sleep.
const BULKY: usize = 600;

/// Compacts a text.
pub fn compact(text: &str, level: Level, knowledge: &Knowledge<'_>) -> Outcome {
    let before = knowledge.tokens(text);
    let conversation = talk::of_text(text);
    let weighed = density::weigh(&conversation, knowledge.now);
    let mut seen = HashSet::new();
    let mut changes = Vec::new();
    let mut kept: Vec<(usize, String)> = Vec::new();
    let limit = level.share().map(|share| share * before as f64);
    let mut order: Vec<_> = weighed.iter().collect();
    if limit.is_some() {
        order.sort_by(|one, two| two.value.total_cmp(&one.value).then(one.place.cmp(&two.place)));
    }
    let mut used = 0.0;
    for one in order {
        let words = talk::words(&conversation, one.place);
        let tokens = knowledge.tokens(&words);
        let (line, why) = match level {
            _ if !seen.insert(words.clone()) => (String::new(), "repeated".to_owned()),
            Level::Micro if tokens > BULKY => (shortened(&words, 1_200), "bulky".to_owned()),
            Level::Micro | Level::Session => (words.clone(), format!("density {:.2}", one.value)),
            Level::Deep => (density::digest(&words, 220, knowledge.now), format!("density {:.2}", one.value)),
        };
        // The empty line between paragraphs is read as well.
        let cost = knowledge.tokens(&line) + 2;
        let fits = !line.is_empty() && limit.is_none_or(|limit| used + cost as f64 <= limit);
        if fits {
            used += cost as f64;
            kept.push((one.place, line));
        }
        changes.push(Change {
            record: format!("paragraph {}", one.place + 1),
            what: if !fits {
                "left out"
            } else if cost < tokens + 2 {
                "shortened"
            } else {
                "kept"
            }
            .to_owned(),
            why,
            before: tokens,
            after: if fits { cost } else { 0 },
        });
    }
    kept.sort();
    let mut text = kept.into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("\n\n");
    text.push('\n');
    Outcome { level, before, after: knowledge.tokens(&text), changes, text }
}
