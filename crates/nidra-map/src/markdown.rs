//! The map as Markdown: for a repository, a wiki, or a terminal without a browser.

use crate::{Entry, Map};
use nidra_core::text::steering::is_steering;
use std::fmt::Write as _;

/// Entries of a community that are listed; the page has all.
const LISTED: usize = 12;
/// Links that are listed.
const LINKS: usize = 20;
/// Entries that left memory, the latest first.
const GONE: usize = 20;
/// Entities that are listed.
const ENTITIES: usize = 24;

/// The map as a Markdown document.
pub fn markdown(map: &Map) -> String {
    let mut text = String::new();
    let active = map.active().count();
    let _ = writeln!(text, "# Map of memory: {}\n", plain(&map.title));
    let _ = writeln!(
        text,
        "Made on {}. {active} entries in memory, {} left it; {} links; {} dreams changed it.\n",
        day(&map.made.to_string()),
        map.entries.len() - active,
        map.links.len(),
        map.runs.len()
    );
    needs_a_look(map, &mut text);
    communities(map, &mut text);
    links(map, &mut text);
    entities(map, &mut text);
    gone(map, &mut text);
    text
}

/// What a person should decide or mend.
fn needs_a_look(map: &Map, text: &mut String) {
    let stale: Vec<&Entry> =
        map.active().map(|(_, entry)| entry).filter(|entry| entry.drift.is_some()).collect();
    if stale.is_empty() && map.loops.is_empty() {
        return;
    }
    let _ = writeln!(text, "## Needs a look\n");
    for open in &map.loops {
        let _ = writeln!(
            text,
            "- **{}** {}: {} ({})",
            open.kind,
            plain(&open.name),
            plain(&open.text),
            plain(&open.detail)
        );
    }
    for entry in stale {
        if let Some(drift) = &entry.drift {
            let _ = writeln!(
                text,
                "- **{}** {} ({})",
                drift.verdict,
                plain(&entry.text),
                plain(&drift.findings.join("; "))
            );
        }
    }
    text.push('\n');
}

fn communities(map: &Map, text: &mut String) {
    let _ = writeln!(text, "## What it is about\n");
    for (number, _) in map.communities.iter().enumerate() {
        let mut held: Vec<&Entry> =
            map.active().map(|(_, entry)| entry).filter(|entry| entry.community == number).collect();
        if held.is_empty() {
            continue;
        }
        held.sort_by(|left, right| {
            right.importance.total_cmp(&left.importance).then_with(|| left.text.cmp(&right.text))
        });
        let _ = writeln!(text, "### {} ({})\n", plain(&map.title_of(number)), held.len());
        for entry in held.iter().take(LISTED) {
            let said = entry.said.map(|at| format!(", said {}", day(&at.to_string()))).unwrap_or_default();
            let _ = writeln!(
                text,
                "- {} `{}` {}{said}",
                plain(&entry.text),
                bar(entry.importance),
                place(map, entry)
            );
        }
        if held.len() > LISTED {
            let _ = writeln!(text, "- and {} more", held.len() - LISTED);
        }
        text.push('\n');
    }
}

fn links(map: &Map, text: &mut String) {
    let holds = |at: usize| map.entries.get(at).filter(|entry| entry.active);
    let mut listed = map
        .links
        .iter()
        .filter_map(|link| Some((link, holds(link.from)?, holds(link.to)?)))
        .filter(|(_, from, to)| from.topic != to.topic)
        .take(LINKS)
        .peekable();
    if listed.peek().is_none() {
        return;
    }
    let _ = writeln!(text, "## The strongest links\n");
    for (link, from, to) in listed {
        let across = match (link.across_projects, link.across_sessions) {
            (true, _) => ", across projects",
            (_, true) => ", across sessions",
            _ => "",
        };
        let _ =
            writeln!(text, "- {} ⟷ {} — {}{across}", plain(&from.text), plain(&to.text), plain(&link.reason));
    }
    text.push('\n');
}

fn entities(map: &Map, text: &mut String) {
    if map.entities.is_empty() {
        return;
    }
    let _ = writeln!(text, "## Named most\n");
    let named: Vec<String> = map
        .entities
        .iter()
        .take(ENTITIES)
        .map(|entity| format!("{} {} ({})", entity.kind, plain(&entity.name), entity.entries.len()))
        .collect();
    let _ = writeln!(text, "{}\n", named.join(" · "));
}

fn gone(map: &Map, text: &mut String) {
    let mut gone: Vec<&Entry> = map.entries.iter().filter(|entry| entry.left.is_some()).collect();
    if gone.is_empty() {
        return;
    }
    gone.sort_by(|left, right| {
        let date = |entry: &Entry| entry.left.as_ref().map(|left| left.date.clone());
        date(right).cmp(&date(left)).then_with(|| left.text.cmp(&right.text))
    });
    let _ = writeln!(text, "## Left memory last\n");
    for entry in gone.into_iter().take(GONE) {
        if let Some(left) = &entry.left {
            let new = left.replaced_by.as_ref().map(|new| format!(" → {}", plain(new))).unwrap_or_default();
            let _ = writeln!(
                text,
                "- {}: {} on {} ({}){new}",
                plain(&entry.text),
                left.verb,
                left.date,
                plain(&left.reason)
            );
        }
    }
    text.push('\n');
}

/// Where an entry stands, with its project where there are several.
fn place(map: &Map, entry: &Entry) -> String {
    let project = map.projects.get(entry.project).filter(|_| map.projects.len() > 1);
    let project = project.map(|project| format!("{}: ", plain(project))).unwrap_or_default();
    format!("{project}{}:{}", plain(&entry.path), entry.line)
}

/// How much speaks for an entry, in five steps.
pub fn bar(importance: f64) -> String {
    (1..=5).map(|step| if importance * 5.0 + 0.5 >= f64::from(step) { '●' } else { '○' }).collect()
}

/// The day of a moment.
fn day(moment: &str) -> &str {
    moment.get(..10).unwrap_or(moment)
}

/// Words on one line in which nothing is markup that could load or hide something.
pub fn plain(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut safe = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '[' | ']' | '*' => {
                safe.push('\\');
                safe.push(c);
            }
            c if is_steering(c) => {}
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Community, Left, OpenLoop};

    #[test]
    fn the_document_holds_every_room_and_no_markup_of_memory() {
        let entry = |text: &str, importance: f64| Entry {
            text: text.to_owned(),
            path: "ports.md".to_owned(),
            line: 7,
            active: true,
            importance,
            ..Entry::default()
        };
        let gone = Entry {
            active: false,
            left: Some(Left {
                verb: "superseded".to_owned(),
                date: "2026-11-20".to_owned(),
                reason: "it moved".to_owned(),
                replaced_by: Some("Staging is on 3001.".to_owned()),
            }),
            ..entry("Staging is on 2999.", 0.1)
        };
        let map = Map {
            title: "harbour".to_owned(),
            projects: vec!["harbour".to_owned()],
            entries: vec![entry("weak", 0.1), entry("![x](http://a) <img>\n# strong 端口", 0.9), gone],
            communities: vec![Community {
                names: vec!["staging".to_owned()],
                size: 3,
                x: 0.0,
                y: 0.0,
                radius: 1.0,
            }],
            loops: vec![OpenLoop {
                kind: "task",
                project: 0,
                name: "move".to_owned(),
                text: "move staging".to_owned(),
                detail: "next: ask".to_owned(),
                at: jiff::Timestamp::UNIX_EPOCH,
                entries: vec![],
            }],
            ..Map::default()
        };
        let text = markdown(&map);
        assert!(
            text.contains("### staging (2)") && text.contains("- **task** move: move staging (next: ask)")
        );
        assert!(
            text.contains("- Staging is on 2999.: superseded on 2026-11-20 (it moved) → Staging is on 3001.")
        );
        let (strong, weak) = (text.find("strong 端口").unwrap(), text.find("- weak").unwrap());
        assert!(strong < weak, "the more important comes first");
        assert!(text.contains("!\\[x\\](http://a) &lt;img&gt; # strong"));
    }

    #[test]
    fn bars_have_five_steps() {
        assert_eq!(bar(0.0), "○○○○○");
        assert_eq!(bar(0.5), "●●●○○");
        assert_eq!(bar(1.0), "●●●●●");
    }
}
