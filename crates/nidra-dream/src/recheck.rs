//! Whether what an engine cites still stands in the transcripts: somebody may have changed or removed them while it thought.

use crate::gather::Selection;
use crate::turns::Turns;
use nidra_core::text::redact::Scope;
use nidra_core::{Conversation, Evidence, Outcome, SessionId};
use nidra_sessions::{Reader, Transcript};
use std::collections::BTreeSet;

/// Why a session waits of which something that was cited is no longer there.
pub(crate) const CHANGED: &str =
    "its transcript changed while it was judged, and what was cited no longer stands there";

/// Takes out what rests on words that no longer stand where they were read, and gives the sessions that wait for that. An
/// operation that goes takes all its sessions with it, or the words of one of them would count as read and be kept nowhere.
pub(crate) fn take_out_gone(
    outcome: &mut Outcome,
    reader: &dyn Reader,
    selection: &Selection,
    scope: Scope,
) -> BTreeSet<SessionId> {
    let transcripts = selection.read.iter().flat_map(|files| &files.transcripts);
    let changed: Vec<&Transcript> = transcripts.filter(|transcript| !transcript.is_untouched()).collect();
    let mut gone = BTreeSet::new();
    if changed.is_empty() {
        return gone;
    }
    for evidence in cited(outcome).flatten() {
        let transcript = changed.iter().find(|transcript| *transcript.path == *evidence.source.path);
        if transcript.is_some_and(|transcript| !stands(reader, transcript, evidence, scope)) {
            gone.insert(evidence.source.session.clone());
        }
    }
    loop {
        let known = gone.len();
        for evidence in cited(outcome) {
            if evidence.iter().any(|one| gone.contains(&one.source.session)) {
                gone.extend(evidence.iter().map(|one| one.source.session.clone()));
            }
        }
        if gone.len() == known {
            break;
        }
    }
    let stays = |evidence: &[Evidence]| evidence.iter().all(|one| !gone.contains(&one.source.session));
    outcome.operations.retain(|operation| stays(&operation.evidence));
    outcome.recurrences.retain(|recurrence| stays(&recurrence.evidence));
    gone
}

/// The evidence of each thing that an engine wants.
fn cited(outcome: &Outcome) -> impl Iterator<Item = &Vec<Evidence>> {
    let operations = outcome.operations.iter().map(|operation| &operation.evidence);
    operations.chain(outcome.recurrences.iter().map(|recurrence| &recurrence.evidence))
}

/// Whether the words of a piece of evidence stand where they were read.
fn stands(reader: &dyn Reader, transcript: &Transcript, evidence: &Evidence, scope: Scope) -> bool {
    let mut turns = Vec::new();
    let source = &evidence.source;
    let read = reader.read_record(transcript, source.offset, source.length, &mut |turn| turns.push(turn));
    let again = [Conversation {
        session: Some(source.session.clone()),
        directory: None,
        turns,
        diagnostics: Vec::new(),
    }];
    read.is_ok() && Turns::new(&again, scope).fault(&mut [evidence.clone()]).is_none()
}
