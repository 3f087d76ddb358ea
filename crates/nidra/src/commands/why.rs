//! `nidra why`: where an entry of memory comes from, how much speaks for it, and what becomes of it. Nothing is changed.

use crate::cli::WhyArgs;
use crate::commands::{print_json, why_json};
use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use crate::printer::style::{self, paint};
use crate::render;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use nidra_core::Evidence;
use nidra_core::settings::ForgetSettings;
use nidra_core::text::{redact, width};
use nidra_dream::checkout::Bounds;
use nidra_dream::drift;
use nidra_dream::kept;
use nidra_dream::lookup::{self, Found, Place};
use nidra_dream::offers::Offers;
use nidra_dream::standing;
use nidra_dream::why::{self, Explanation, Knowledge};
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::limits::IndexLimits;
use nidra_memory::store::{RecordedSource, Relation};
use nidra_rules::importance::ladder::{Cause, Keeps, Step};
use nidra_rules::importance::whole_days;
use std::fmt::Write as _;
use std::process::ExitCode;

/// UTF-16 units of an entry in a list.
const LISTED_UNITS: usize = 120;
/// Entries that a list names.
const MAX_LISTED: usize = 20;

/// `nidra why`
pub fn run(context: &Context, args: &WhyArgs) -> Result<ExitCode, CliError> {
    let memory = MemoryDirectory::load(&context.memory).map_err(|error| {
        CliError::failed(format!("cannot read the memory directory {}", context.memory.display()), error)
            .hint("mend the cause, or name another directory with memory.directory")
    })?;
    let asked = args.entry.join(" ");
    let places = lookup::places(&memory);
    let place = match lookup::find(&asked, &places, &memory) {
        Found::One(place) => place,
        Found::Several(several) => return Err(ambiguous(&asked, &several)),
        Found::None(nearest) => return Err(unknown(context, &asked, &nearest)),
    };
    let store = context.store_to_read()?;
    let unreadable = |error| {
        CliError::failed(format!("cannot read the state directory {}", context.state.display()), error)
    };
    let sources = store.recorded_sources(&context.project.id).map_err(unreadable)?;
    let uses = store.uses(&context.project.id).map_err(unreadable)?;
    let plans = kept::load(&store, &context.project.id).map_err(unreadable)?;
    let offers = Offers::load(&plans, &store, &context.project.id).map_err(unreadable)?;
    let view = memory.view();
    let drift = drift::look(&memory, &context.project.checkout, &Bounds::default());
    let settings = &context.settings().forget;
    let known = Knowledge {
        memory: &view,
        places: &places,
        sources: &sources,
        uses: &uses,
        offers: &offers,
        drift: &drift,
        settings,
        now: &context.now,
    };
    let explanation = why::explain(&place, known);
    if context.printer.json {
        print_json(context, &why_json::explanation(&place, &explanation, settings))?;
        return Ok(ExitCode::SUCCESS);
    }
    let limits = IndexLimits::from(&context.settings().memory);
    let zone = context.zone();
    let printer = context.printer;
    printer.data(words(&place).trim_end());
    printer.data("");
    printer.data(origin(&explanation, &zone).trim_end());
    printer.data("");
    printer.data(importance(&explanation).trim_end());
    printer.data("");
    let fill = format!("{} of {} lines", memory.index_use().lines, limits.lines);
    printer.data(outlook(&place, &explanation, settings, &fill, &zone).trim_end());
    Ok(ExitCode::SUCCESS)
}

/// An entry in a list: its identifier, its place and its words.
fn listed(place: &Place) -> String {
    let archived = if place.archived.is_some() { " (archived)" } else { "" };
    let text = width::shorten(&redact::redact(&place.text), LISTED_UNITS);
    format!("{}  {}:{}{archived}  {text}", place.entry, place.path, place.line)
}

pub(super) fn ambiguous(asked: &str, several: &[Place]) -> CliError {
    let message = format!("{} entries match {asked:?}; name one by its identifier", several.len());
    let mut error = CliError::new(ErrorKind::Failed, message);
    for place in several.iter().take(MAX_LISTED) {
        error = error.hint(listed(place));
    }
    match several.len().saturating_sub(MAX_LISTED) {
        0 => error,
        more => error.hint(format!("and {more} more; give more of the words")),
    }
}

pub(super) fn unknown(context: &Context, asked: &str, nearest: &[Place]) -> CliError {
    let message = format!("no entry of {} matches {asked:?}", context.memory.display());
    let mut error = CliError::new(ErrorKind::Failed, message);
    for place in nearest {
        error = error.hint(format!("the nearest: {}", listed(place)));
    }
    error.hint("name an entry by its identifier, as FILE:LINE, or by some of its words")
}

fn words(place: &Place) -> String {
    let mut text = String::new();
    let kind = place.kind.map_or("no kind", nidra_core::Kind::as_str);
    let state = match &place.archived {
        Some(archived) => format!(", {} on {}", archived.verb, archived.date),
        None if place.active => String::new(),
        None => ", not stated as true".to_owned(),
    };
    let at = format!("{}:{}", place.path, place.line);
    let _ = writeln!(text, "{}  {}  {kind}{state}", paint(style::HEAD, &at), place.entry);
    let _ = writeln!(text, "  {}", redact::redact(&place.text));
    if let Some(archived) = &place.archived {
        let run = archived.run.as_ref().map(|run| format!(" (run {run})")).unwrap_or_default();
        let _ = writeln!(text, "  left because: {}{run}", redact::redact(&archived.reason));
        if let Some(new) = &archived.replaced_by {
            let _ = writeln!(text, "  replaced by: {}", redact::redact(new));
        }
    }
    text
}

fn origin(explanation: &Explanation, zone: &TimeZone) -> String {
    let mut text = String::new();
    let head = match standing::rank(&explanation.sources.iter().collect::<Vec<_>>()) {
        Some(rank) => format!("Comes from ({})", rank.as_str()),
        None => "Comes from".to_owned(),
    };
    let _ = writeln!(text, "{}", paint(style::HEAD, &head));
    if explanation.weighed.facts.support.is_none() {
        let _ = writeln!(
            text,
            "  Nothing is known: you or another tool wrote it, or nidra's state is not here any more."
        );
    }
    for recorded in &explanation.sources {
        let feeling = match recorded.source.affect.names().as_slice() {
            [] => String::new(),
            names => format!(", with {}", names.join(" and ")),
        };
        let _ = writeln!(text, "  {} {}{feeling}", did(recorded), render::moment(recorded.started, zone));
        for evidence in &recorded.source.evidence {
            let _ = writeln!(text, "    {}", quotation(evidence, zone));
        }
    }
    for earlier in &explanation.earlier {
        let verb = match earlier.relation {
            Relation::Rewrites => "said in other words before",
            Relation::States | Relation::Replaces | Relation::Repeats => "took the place of",
        };
        let words = earlier.text.as_deref().map_or_else(
            || "words that the archive does not hold".to_owned(),
            |words| format!("“{}”", redact::redact(words)),
        );
        let _ = writeln!(text, "  {verb}: {words} (entry {}, run {})", earlier.entry, earlier.by.run);
    }
    text
}

/// What a run did to the entry, with its name.
fn did(recorded: &RecordedSource) -> String {
    let verb = match recorded.source.relation {
        Relation::States => "learnt by",
        Relation::Rewrites => "reworded by",
        Relation::Replaces => "corrected by",
        Relation::Repeats => "heard again by",
    };
    format!("{verb} run {}", recorded.run)
}

/// Who said what, when and where.
fn quotation(evidence: &Evidence, zone: &TimeZone) -> String {
    let place = format!("(session {}, record {})", evidence.source.session, evidence.source.record);
    format!("{} {}", render::spoken(evidence, zone), paint(style::DIM, &place))
}

fn importance(explanation: &Explanation) -> String {
    let score = &explanation.weighed.standing.score;
    let mut text = String::new();
    let head = format!("Importance {:.2} of 1", score.total);
    let _ = writeln!(text, "{}", paint(style::HEAD, &head));
    for signal in &score.signals {
        let _ = writeln!(
            text,
            "  {:<12} {:.2} × {:.2} = {:.3}  {}",
            signal.name.as_str(),
            signal.value,
            signal.weight,
            signal.contribution(),
            signal.sentence
        );
    }
    text
}

fn outlook(
    place: &Place,
    explanation: &Explanation,
    settings: &ForgetSettings,
    fill: &str,
    zone: &TimeZone,
) -> String {
    let outlook = &explanation.outlook;
    let mut text = String::new();
    let _ = writeln!(text, "{}", paint(style::HEAD, "What becomes of it"));
    let Some(step) = outlook.step else {
        let _ = match &place.archived {
            Some(_) => writeln!(
                text,
                "  It is out of memory and stays in the archive. It comes back when somebody says it anew."
            ),
            None => writeln!(text, "  It is not stated as true, so nothing becomes of it."),
        };
        return text;
    };
    let line = if !outlook.in_index {
        "no line of the index points to its topic, so sessions do not hear of it by themselves".to_owned()
    } else if outlook.needs_consent || !settings.enabled {
        format!("it keeps its line in the index ({fill} are used)")
    } else {
        format!(
            "it gives up its line when the index is full and something more important needs room ({fill} are used)"
        )
    };
    let _ = writeln!(text, "  index: {line}");
    let _ = writeln!(text, "  archive: {}", archiving(step, explanation, settings));
    if let Some(plan) = &outlook.waits {
        let _ =
            writeln!(text, "  a change of it waits for your word in plan {plan}; `nidra review` shows it");
    }
    if let Some(leaves) = outlook.leaves.filter(|_| !outlook.leaves_next() && !outlook.decided) {
        let _ = writeln!(text, "  if nobody says it again, that comes about {}", day(leaves, zone));
    }
    if outlook.needs_consent && outlook.keeps() != Some(Keeps::Pinned) {
        let why = if explanation.weighed.facts.support.is_none() {
            "nidra did not write it"
        } else {
            "it is about you, your rules, or has no kind"
        };
        let _ = writeln!(text, "  it is never archived without your word, since {why}");
    }
    text
}

/// Whether it is archived, and why or why not.
fn archiving(step: Step, explanation: &Explanation, settings: &ForgetSettings) -> String {
    let (outlook, weighed) = (&explanation.outlook, &explanation.weighed);
    let total = weighed.standing.score.total;
    match step {
        Step::Keep(Keeps::Off) => "no, forget.enabled is false".to_owned(),
        Step::Keep(Keeps::Pinned) => "never, its topic is pinned".to_owned(),
        Step::Keep(Keeps::Young) => match weighed.facts.age_days {
            Some(days) => format!(
                "not now, the last evidence is {} old and forget.min_age_days is {}",
                whole_days(days),
                settings.min_age_days
            ),
            None => "not now, nobody knows when it was written".to_owned(),
        },
        Step::Keep(Keeps::Important) => format!(
            "not now, {total:.2} is not below forget.min_score ({}), and memory holds {} of {} entries (forget.max_entries)",
            settings.min_score, outlook.entries, settings.max_entries
        ),
        Step::Archive(_) if outlook.decided && outlook.waits.is_some() => {
            "with your word; you have not decided yet".to_owned()
        }
        Step::Archive(_) if outlook.decided => {
            "no, that was decided on before on the same grounds; only new evidence brings it up again"
                .to_owned()
        }
        Step::Archive(Cause::Score) => format!(
            "with the next dream, as far as dream.review lets it: {total:.2} is below forget.min_score ({})",
            settings.min_score
        ),
        Step::Archive(Cause::Budget) => format!(
            "with the next dream, as far as dream.review lets it: memory holds {} entries, forget.max_entries is {}, and \
             it is among the least important",
            outlook.entries, settings.max_entries
        ),
    }
}

fn day(at: Timestamp, zone: &TimeZone) -> String {
    at.to_zoned_datetime(zone.clone()).date().to_string()
}
