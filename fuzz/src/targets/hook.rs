//! The input of a hook: whatever the client hands over, the answer is a line or nothing, and a note comes back as it was.

use super::scratch;
use jiff::Timestamp;
use nidra::client::hook::{HookCall, HookFacts, decide};
use nidra::spool;
use nidra_sessions::claude::parse_hook;

pub(super) fn run(data: &[u8]) {
    let Ok(payload) = parse_hook(data) else { return };
    let call = HookCall {
        event: &payload.hook_event_name,
        session: &payload.session_id,
        transcript: Some(&payload.transcript_path),
        directory: Some(&payload.cwd),
        source: payload.source.as_deref(),
        reason: payload.reason.as_deref(),
    };
    // The report could come from anywhere; so it is taken from the input as well.
    let report = String::from_utf8_lossy(data);
    let facts = HookFacts {
        off: false,
        own_run: false,
        gates_open: true,
        last_report: Some(&report),
        rest: None,
        memories: Some(&report),
    };
    let decision = decide(&call, &facts, Timestamp::UNIX_EPOCH);
    if let Some(output) = &decision.output {
        assert!(!output.contains('\n'), "an answer of several lines");
        let value: serde_json::Value = serde_json::from_str(output).expect("an answer is JSON");
        let message = value["systemMessage"].as_str().expect("it has a message");
        assert!(message.encode_utf16().count() <= 300 && !message.contains(char::is_control), "{message:?}");
    }
    let Some(note) = decision.note else { return };
    let folder = scratch();
    let directory = folder.path().join("spool");
    if spool::append(&directory, Some(&payload.session_id), &note).is_err() {
        // Too long even without its paths: nothing may be left of it.
        assert_eq!(spool::peek(&directory, Some(&payload.session_id)), []);
        return;
    }
    let found = spool::peek(&directory, Some(&payload.session_id));
    assert_eq!(found.len(), 1, "one note became several");
    assert_eq!((&found[0].event, &found[0].session), (&note.event, &note.session));
    let above: Vec<_> = std::fs::read_dir(folder.path()).expect("the folder is there").collect();
    assert_eq!(above.len(), 1, "a note left its directory");
}
