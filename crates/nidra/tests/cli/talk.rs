//! Sessions in the shape that the real client writes, bookkeeping records and copies of the prompt included.

use crate::support::Home;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::fs::{self, File, FileTimes};
use std::path::{Path, PathBuf};

/// A session that is being told.
#[derive(Clone, Debug)]
pub(crate) struct Talk {
    pub(crate) session: String,
    pub(crate) directory: PathBuf,
    pub(crate) lines: Vec<String>,
    clock: Timestamp,
    count: u32,
    headless: bool,
}

/// The identifier of a session with this number.
pub(crate) fn session_id(number: u32) -> String {
    format!("{number:08}-1111-4222-8333-444455556666")
}

/// The folder name that the client derives from a working directory: every UTF-16 unit outside of `[A-Za-z0-9]` is
/// a dash. Paths of these tests stay below the 200 units from which a hash is added.
pub(crate) fn slug(directory: &Path) -> String {
    let text = directory.to_str().unwrap();
    let slug: String = text
        .encode_utf16()
        .map(|unit| u8::try_from(unit).ok().filter(u8::is_ascii_alphanumeric).map_or('-', char::from))
        .collect();
    assert!(slug.len() <= 200, "{slug}");
    slug
}

impl Talk {
    /// A session of a person at the keyboard, a day before the tests' present.
    pub(crate) fn new(number: u32, directory: &Path) -> Self {
        let start: Timestamp = "2026-11-28T09:00:00Z".parse().unwrap();
        let talk = Self {
            session: session_id(number),
            directory: directory.to_owned(),
            lines: Vec::new(),
            clock: start.checked_add(SignedDuration::from_mins(i64::from(number))).unwrap(),
            count: 0,
            headless: false,
        };
        let mode = json!({ "type": "mode", "mode": "normal", "sessionId": talk.session });
        talk.raw(&mode.to_string())
    }

    /// A session of a script.
    pub(crate) fn headless(mut self) -> Self {
        self.headless = true;
        self
    }

    /// The session's clock is set to this moment.
    pub(crate) fn at(mut self, moment: &str) -> Self {
        self.clock = moment.parse().unwrap();
        self
    }

    /// A line as it is.
    pub(crate) fn raw(mut self, line: &str) -> Self {
        self.lines.push(line.to_owned());
        self
    }

    /// A record with the client's envelope; `extra` fields win.
    pub(crate) fn record(mut self, kind: &str, extra: &Value) -> Self {
        self.clock = self.clock.checked_add(SignedDuration::from_secs(20)).unwrap();
        self.count += 1;
        let uuid = |count: u32| format!("{}-{count:04}", self.session);
        let mut record = json!({
            "parentUuid": if self.count > 1 { json!(uuid(self.count - 1)) } else { Value::Null },
            "isSidechain": false, "type": kind, "uuid": uuid(self.count),
            "timestamp": self.clock.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string(),
            "userType": "external", "entrypoint": if self.headless { "sdk-cli" } else { "cli" },
            "cwd": self.directory, "sessionId": self.session, "version": "2.1.332", "gitBranch": "main",
        });
        for (name, value) in extra.as_object().unwrap() {
            record[name] = value.clone();
        }
        self.raw(&record.to_string())
    }

    /// What a person types, with the copies of the prompt that the client keeps.
    pub(crate) fn human(self, text: &str) -> Self {
        let queue = json!({
            "type": "queue-operation", "operation": "enqueue", "content": text, "sessionId": self.session,
            "timestamp": self.clock.to_string(),
        });
        let last = json!({ "type": "last-prompt", "lastPrompt": text, "sessionId": self.session });
        let typed = if self.headless { "sdk" } else { "typed" };
        let mut prompt = json!({
            "message": { "role": "user", "content": text }, "promptSource": typed, "permissionMode": "default",
        });
        if !self.headless {
            prompt["origin"] = json!({ "kind": "human" });
        }
        self.raw(&queue.to_string()).record("user", &prompt).raw(&last.to_string())
    }

    /// What the agent says.
    pub(crate) fn agent(self, text: &str) -> Self {
        let message = format!("msg_{:04}", self.count);
        self.record(
            "assistant",
            &json!({ "message": {
                "id": message, "type": "message", "role": "assistant", "model": "m", "stop_reason": null,
                "content": [{ "type": "text", "text": text }], "usage": { "input_tokens": 9, "output_tokens": 9 },
            }, "apiBlockIndex": 0 }),
        )
    }

    /// A tool that the agent uses, and what it shows.
    pub(crate) fn tool(self, name: &str, input: &Value, result: &str) -> Self {
        let call = format!("toolu_{:04}", self.count);
        let message = format!("msg_{:04}", self.count);
        self.record(
            "assistant",
            &json!({ "message": {
                "id": message, "type": "message", "role": "assistant", "model": "m", "stop_reason": "tool_use",
                "content": [{ "type": "tool_use", "id": call, "name": name, "input": input }],
                "usage": { "input_tokens": 9, "output_tokens": 9 },
            }, "apiBlockIndex": 0 }),
        )
        .record(
            "user",
            &json!({
                "message": { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": call, "content": result, "is_error": false },
                ] },
                "toolUseResult": { "stdout": result, "stderr": "", "interrupted": false },
            }),
        )
    }

    /// A record of the user's role that the client made: a reminder, the output of a hook.
    pub(crate) fn injected(self, text: &str) -> Self {
        self.record("user", &json!({ "message": { "role": "user", "content": text }, "isMeta": true }))
    }

    /// The whole text.
    pub(crate) fn text(&self) -> String {
        self.lines.join("\n") + "\n"
    }

    /// The moment of the last record.
    pub(crate) fn end(&self) -> Timestamp {
        self.clock
    }

    /// Where the client keeps it.
    pub(crate) fn path(&self, home: &Home) -> PathBuf {
        home.claude.join("projects").join(slug(&self.directory)).join(format!("{}.jsonl", self.session))
    }

    /// Writes the session where the client does, last touched when its last record was written.
    pub(crate) fn write(&self, home: &Home) -> PathBuf {
        self.write_as(&self.path(home))
    }

    /// Writes the session to this file, last touched when its last record was written.
    pub(crate) fn write_as(&self, path: &Path) -> PathBuf {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, self.text()).unwrap();
        touch(path, self.clock);
        path.to_owned()
    }
}

/// Sets the time of a file.
pub(crate) fn touch(path: &Path, moment: Timestamp) {
    let times = FileTimes::new().set_modified(moment.try_into().unwrap());
    File::options().write(true).open(path).unwrap().set_times(times).unwrap();
}
