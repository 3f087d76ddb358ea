//! What the client calls: always exit code 0, always at once, and a dream that outlives its starter.

use crate::support::Home;
use crate::talk::session_id;
use serde_json::json;

/// A hook's input as the client gives it.
pub(crate) fn payload(home: &Home, event: &str, session: u32) -> String {
    let mut fields = json!({
        "session_id": session_id(session),
        "transcript_path": home.claude.join("projects").join(crate::talk::slug(&home.work)).join(format!("{}.jsonl", session_id(session))),
        "cwd": home.work, "hook_event_name": event,
    });
    let own = match event {
        "SessionStart" => json!({ "source": "startup" }),
        "Stop" => json!({
            "prompt_id": "92c9ebc0-763a-4ded-8ba0-f65dfda561da", "permission_mode": "acceptEdits",
            "effort": { "level": "medium" }, "stop_hook_active": false,
            "last_assistant_message": "完成：把返回值改成 2。", "background_tasks": [], "session_crons": [],
        }),
        _ => json!({ "prompt_id": "92c9ebc0-763a-4ded-8ba0-f65dfda561da", "reason": "other" }),
    };
    for (name, value) in own.as_object().unwrap() {
        fields[name] = value.clone();
    }
    fields.to_string()
}
