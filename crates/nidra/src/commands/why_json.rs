//! The answer of `nidra why` for programs.

use nidra_core::Evidence;
use nidra_core::settings::ForgetSettings;
use nidra_core::text::redact;
use nidra_dream::lookup::Place;
use nidra_dream::standing;
use nidra_dream::why::{Explanation, Outlook};
use nidra_memory::store::RecordedSource;
use nidra_rules::importance::ladder::{Keeps, Step};
use serde_json::{Value, json};

/// The whole answer.
pub(super) fn explanation(place: &Place, explanation: &Explanation, settings: &ForgetSettings) -> Value {
    let facts = &explanation.weighed.facts;
    let score = &explanation.weighed.standing.score;
    let signals: Vec<Value> = score
        .signals
        .iter()
        .map(|signal| {
            json!({
                "name": signal.name.as_str(), "value": signal.value, "weight": signal.weight,
                "contribution": signal.contribution(), "sentence": signal.sentence,
            })
        })
        .collect();
    let earlier: Vec<Value> = explanation
        .earlier
        .iter()
        .map(|earlier| {
            json!({
                "entry": earlier.entry, "text": earlier.text.as_deref().map(redact::redact),
                "relation": earlier.relation.as_str(), "run": earlier.by.run,
            })
        })
        .collect();
    let archived = place.archived.as_ref().map(|archived| {
        json!({
            "date": archived.date, "what": archived.verb, "reason": redact::redact(&archived.reason),
            "run": archived.run, "replaced_by": archived.replaced_by.as_deref().map(redact::redact),
        })
    });
    json!({
        "entry": place.entry, "path": place.path, "line": place.line, "topic": place.topic,
        "text": redact::redact(&place.text), "kind": place.kind.map(nidra_core::Kind::as_str),
        "active": place.active, "pinned": facts.pinned, "archived": archived,
        "rank": standing::rank(&explanation.sources.iter().collect::<Vec<_>>()),
        "sessions": facts.support.map(|support| support.sessions),
        "last_said": explanation.weighed.last_said,
        "checkout": facts.verdict.as_str(),
        "sources": explanation.sources.iter().map(source).collect::<Vec<_>>(),
        "earlier": earlier,
        "score": { "total": score.total, "signals": signals },
        "outlook": outlook(&explanation.outlook, settings),
    })
}

fn source(recorded: &RecordedSource) -> Value {
    json!({
        "run": recorded.run, "at": recorded.started, "relation": recorded.source.relation.as_str(),
        "rank": recorded.source.rank, "affect": recorded.source.affect.names(),
        "evidence": recorded.source.evidence.iter().map(evidence).collect::<Vec<_>>(),
    })
}

fn evidence(evidence: &Evidence) -> Value {
    json!({
        "speaker": evidence.speaker, "at": evidence.at, "quote": evidence.quote, "source": evidence.source,
    })
}

fn outlook(outlook: &Outlook, settings: &ForgetSettings) -> Value {
    let (archive, because) = match outlook.step {
        None => ("none", Value::Null),
        Some(Step::Keep(keeps)) => ("kept", json!(kept(keeps))),
        Some(Step::Archive(_)) if outlook.waits.is_some() => ("waits", json!("your word")),
        Some(Step::Archive(_)) if outlook.decided => ("kept", json!("decided")),
        Some(Step::Archive(cause)) => ("next-dream", json!(cause.as_str())),
    };
    json!({
        "in_index": outlook.in_index, "archive": archive, "because": because,
        "waits": outlook.waits, "needs_consent": outlook.needs_consent, "leaves": outlook.leaves,
        "entries": outlook.entries, "max_entries": settings.max_entries,
        "min_score": settings.min_score, "min_age_days": settings.min_age_days,
    })
}

fn kept(keeps: Keeps) -> &'static str {
    match keeps {
        Keeps::Off => "off",
        Keeps::Pinned => "pinned",
        Keeps::Young => "young",
        Keeps::Important => "important",
    }
}
