//! Turning records into turns: who speaks, on which stream, and what is left out.

use crate::claude::record::{Block, Message, View};
use crate::claude::speech::{Part, is_refusal, refusal_words, split};
use crate::claude::unite::{Identity, Keys, Queue, key};
use crate::json::{Limit, Span, value};
use crate::outcome::ReadOutcome;
use crate::transcript::Transcript;
use jiff::Timestamp;
use nidra_core::{Content, Source, Speaker, Turn};
use serde_json::Value;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The stream of sub-agent records in the main file that do not name their agent.
const NAMELESS_STREAM: &str = "sidechain";
/// The call that writes a digest runs as a sub-agent with an identifier that begins like this.
const COMPACTION_STREAM: &str = "acompact";
/// The model name of answers that the client makes up.
const SYNTHETIC: &str = "<synthetic>";
/// The entry point of sessions without a person at the keyboard.
pub(crate) const HEADLESS: &str = "sdk-cli";

/// Where a record stands in the file, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) offset: u64,
    pub(crate) length: u64,
}

/// What is known of a record whose turns are being made.
struct Origin<'a> {
    stream: Option<Cow<'a, str>>,
    /// The record's own identifier, or one made of its place.
    name: Cow<'a, str>,
    place: Place,
    at: Option<Timestamp>,
    /// Turns made from the record so far.
    made: u32,
}

impl Origin<'_> {
    fn stream(&self) -> &str {
        self.stream.as_deref().unwrap_or_default()
    }
}

/// The conversation of a transcript while it is read.
pub(crate) struct Speech<'t> {
    transcript: &'t Transcript,
    /// The transcript's path, as every turn names it.
    path: Arc<Path>,
    accept: &'t dyn Fn(&Path) -> bool,
    queue: Queue<'t>,
    pub(crate) outcome: ReadOutcome,
    /// The last working directory as written, and whether it is accepted.
    directory: Option<(Vec<u8>, bool)>,
    /// Prompts with their words, for copies with new identifiers.
    prompts: Keys,
    /// Words that were typed while the agent worked; the client may repeat them as a prompt.
    queued: Keys,
    /// The last words of the person.
    last_words: Option<u64>,
}

impl<'t> Speech<'t> {
    /// Starts a reading.
    pub(crate) fn new(
        transcript: &'t Transcript,
        accept: &'t dyn Fn(&Path) -> bool,
        sink: &'t mut dyn FnMut(Turn),
    ) -> Self {
        Self {
            transcript,
            path: transcript.path.as_path().into(),
            accept,
            queue: Queue::new(sink),
            outcome: ReadOutcome::default(),
            directory: None,
            prompts: Keys::default(),
            queued: Keys::default(),
            last_words: None,
        }
    }

    /// Delivers what waits and returns the outcome, still without its cursor.
    pub(crate) fn finish(mut self) -> ReadOutcome {
        self.outcome.turns = self.queue.finish();
        self.outcome
    }

    /// Takes a record of a kind.
    pub(crate) fn record(&mut self, view: View<'_>, kind: &str, place: Place) {
        let accepted = self.is_accepted(view);
        if !matches!(kind, "user" | "assistant") && view.record.attachment.is_none() {
            return;
        }
        if !accepted {
            self.outcome.foreign += 1;
            return;
        }
        let mut origin = self.origin(view, place);
        match (kind, &view.record.message, &view.record.attachment) {
            ("assistant", Some(message), _) => self.assistant(view, message, &mut origin),
            ("user", Some(message), _) => self.user(view, message, &mut origin),
            ("attachment", _, Some(attachment)) => self.queued_command(view, attachment, &mut origin),
            _ => {}
        }
    }

    /// Whether the record's working directory is accepted. Records without one follow the last one.
    fn is_accepted(&mut self, view: View<'_>) -> bool {
        let Some(span) = view.record.cwd.clone() else {
            return self.directory.as_ref().is_none_or(|(_, accepted)| *accepted);
        };
        let raw = &view.line.bytes[span.clone()];
        if let Some((last, accepted)) = &self.directory
            && last == raw
        {
            return *accepted;
        }
        let directory = PathBuf::from(view.line.decode(span, Limit::NAME));
        let accepted = (self.accept)(&directory);
        self.outcome.visit(&directory);
        self.directory = Some((raw.to_owned(), accepted));
        accepted
    }

    fn origin<'a>(&self, view: View<'a>, place: Place) -> Origin<'a>
    where
        't: 'a,
    {
        let record = view.record;
        let named = || view.name(record.agent.as_ref());
        let stream = match &self.transcript.stream {
            Some(stream) => Some(Cow::Borrowed(stream.as_str())),
            None if record.sidechain => Some(named().unwrap_or(Cow::Borrowed(NAMELESS_STREAM))),
            None => None,
        };
        // A record is known by its name alone, whatever was read beside it.
        let unnamed = || Cow::Owned(format!("{}@{}", self.transcript.session, place.offset));
        let name = view.name(record.uuid.as_ref()).unwrap_or_else(unnamed);
        Origin { stream, name, place, at: view.at(), made: 0 }
    }

    fn emit(
        &mut self,
        origin: &mut Origin<'_>,
        speaker: Speaker,
        content: Content,
        identity: Option<Identity>,
    ) {
        let record = match origin.made {
            0 => origin.name.clone().into_owned(),
            made => format!("{}#{made}", origin.name),
        };
        let identity = identity.unwrap_or_else(|| Identity::Key(key(&["record", origin.stream(), &record])));
        origin.made += 1;
        let source = Source {
            agent: self.transcript.agent,
            session: self.transcript.session.clone(),
            stream: origin.stream.as_deref().map(str::to_owned),
            record,
            path: Arc::clone(&self.path),
            offset: origin.place.offset,
            length: origin.place.length,
        };
        self.queue.push(Turn { source, at: origin.at, speaker, content }, identity);
    }

    fn active(&mut self, at: Option<Timestamp>) {
        self.outcome.last_activity = self.outcome.last_activity.max(at);
    }

    fn assistant(&mut self, view: View<'_>, message: &Message, origin: &mut Origin<'_>) {
        if view.record.api_error || view.is(message.model.as_ref(), SYNTHETIC) {
            return;
        }
        self.active(origin.at);
        let speaker = match &origin.stream {
            Some(stream) if stream.starts_with(COMPACTION_STREAM) => Speaker::Summary,
            Some(_) => Speaker::Subagent,
            None if view.record.compact => Speaker::Summary,
            None => Speaker::Agent,
        };
        let id = view.name(message.id.as_ref());
        let group = match &id {
            Some(id) => key(&["message", origin.stream(), id]),
            None => key(&["answer", origin.stream(), &origin.name]),
        };
        if let Some(text) = &message.text {
            self.answer(view, text, speaker, Identity::Block { message: group, index: None }, origin);
        }
        // The client's index counts within the message; several blocks in one record count themselves.
        let single = message.blocks.len() == 1;
        let given = view.record.block_index.clone().and_then(|span| {
            std::str::from_utf8(&view.line.bytes[span]).ok()?.parse::<u32>().ok().map(u64::from)
        });
        for (position, block) in message.blocks.iter().enumerate() {
            let index = if single { given } else { Some((1 << 32) | position as u64) };
            let identity = Identity::Block { message: group, index };
            match kind(view, block) {
                b"text" => {
                    if let Some(text) = &block.text {
                        self.answer(view, text, speaker, identity, origin);
                    }
                }
                kind if kind.ends_with(b"tool_use") => self.call(view, block, speaker, origin),
                kind if kind.ends_with(b"tool_result") => self.result(view, block, speaker, origin),
                _ => {}
            }
        }
    }

    fn answer(
        &mut self,
        view: View<'_>,
        text: &Span,
        speaker: Speaker,
        identity: Identity,
        origin: &mut Origin<'_>,
    ) {
        let text = view.line.decode(text.clone(), Limit::SPEECH);
        if !text.trim().is_empty() {
            self.emit(origin, speaker, Content::Text(text), Some(identity));
        }
    }

    fn call(&mut self, view: View<'_>, block: &Block, speaker: Speaker, origin: &mut Origin<'_>) {
        let id = view.name(block.id.as_ref()).unwrap_or_default().into_owned();
        let name = view.name(block.name.as_ref()).unwrap_or_default().into_owned();
        let input = block.input.as_ref().map_or(Value::Null, |input| value(view.line, input, Limit::INPUT));
        let identity = (!id.is_empty()).then(|| Identity::Key(key(&["call", origin.stream(), &id])));
        self.emit(origin, speaker, Content::ToolCall { id, name, input }, identity);
    }

    fn result(&mut self, view: View<'_>, block: &Block, speaker: Speaker, origin: &mut Origin<'_>) {
        let id = view.name(block.call.as_ref()).unwrap_or_default().into_owned();
        let decode = |part: &Span| view.line.decode(part.clone(), Limit::RESULT);
        let text = match block.answer.as_slice() {
            [part] => decode(part),
            parts => shorten(parts.iter().map(decode).collect::<Vec<_>>().join("\n"), Limit::RESULT),
        };
        let by_person = view.is(view.record.denial.as_ref(), "user-rejected");
        let refused = by_person || (block.error && is_refusal(&text));
        let said =
            (by_person && speaker == Speaker::Tool && !view.is(view.record.entrypoint.as_ref(), HEADLESS))
                .then(|| refusal_words(&text).map(str::to_owned))
                .flatten();
        let identity = (!id.is_empty()).then(|| Identity::Key(key(&["result", origin.stream(), &id])));
        self.emit(origin, speaker, Content::ToolResult { id, text, error: block.error, refused }, identity);
        if let Some(said) = said {
            self.emit(origin, Speaker::Human, Content::Text(said), None);
        }
    }

    fn user(&mut self, view: View<'_>, message: &Message, origin: &mut Origin<'_>) {
        let record = view.record;
        if !record.meta && !record.compact && !record.transcript_only {
            self.active(origin.at);
        }
        let answers = message.blocks.iter().any(|block| kind(view, block) == b"tool_result");
        let speaker = if origin.stream.is_some() {
            Some(Speaker::Subagent)
        } else if record.compact {
            Some(Speaker::Summary)
        } else if record.meta
            || record.transcript_only
            || record.from_tool
            || record.origin.is_some() && !view.is(record.origin.as_ref(), "human")
        {
            Some(Speaker::Injected)
        } else {
            None
        };
        let from_client = answers || view.is(record.row_source.as_ref(), "harness");
        if let Some(text) = &message.text {
            self.prompt(view, text, speaker, from_client, origin);
        }
        for block in &message.blocks {
            match kind(view, block) {
                b"text" => {
                    if let Some(text) = &block.text {
                        self.prompt(view, text, speaker, from_client, origin);
                    }
                }
                b"tool_result" => {
                    let speaker = if origin.stream.is_some() { Speaker::Subagent } else { Speaker::Tool };
                    self.result(view, block, speaker, origin);
                }
                _ => {}
            }
        }
    }

    /// Takes a text of role user. `speaker` is set where flags decide; text that the client wrote beside
    /// a tool's answer is at most an interruption.
    fn prompt(
        &mut self,
        view: View<'_>,
        text: &Span,
        speaker: Option<Speaker>,
        from_client: bool,
        origin: &mut Origin<'_>,
    ) {
        let text = view.line.decode(text.clone(), Limit::SPEECH);
        if text.trim().is_empty() {
            return;
        }
        if let Some(speaker) = speaker {
            let interrupted =
                speaker == Speaker::Subagent && split(&text).first() == Some(&Part::Interrupted);
            let content = if interrupted { Content::Interrupted } else { Content::Text(text) };
            self.emit(origin, speaker, content, None);
            return;
        }
        let prompt = view.name(view.record.prompt.as_ref());
        for part in split(&text) {
            match part {
                Part::Interrupted => self.emit(origin, Speaker::Human, Content::Interrupted, None),
                Part::Words(Speaker::Human, words) if from_client => {
                    self.emit(origin, Speaker::Injected, Content::Text(words), None);
                }
                Part::Words(Speaker::Human, words) => self.human(words, prompt.as_deref(), origin),
                Part::Words(speaker, words) => self.emit(origin, speaker, Content::Text(words), None),
            }
        }
    }

    /// Takes a person's words, unless they are a copy of what was heard already.
    fn human(&mut self, words: String, prompt: Option<&str>, origin: &mut Origin<'_>) {
        let heard = key(&["words", words.trim()]);
        let repeats_queued = self.queued.remove(&heard);
        let repeats_prompt = prompt.is_some_and(|prompt| !self.prompts.insert(key(&[prompt, &words])));
        if repeats_queued || repeats_prompt {
            return;
        }
        self.last_words = Some(heard);
        self.emit(origin, Speaker::Human, Content::Text(words), None);
    }

    /// Takes what was typed while the agent worked: newer clients keep it in an attachment only.
    fn queued_command(&mut self, view: View<'_>, attachment: &Span, origin: &mut Origin<'_>) {
        let attachment = value(view.line, attachment, Limit::SPEECH);
        let by_person = attachment.get("commandMode").and_then(Value::as_str) == Some("prompt")
            && attachment.get("isMeta").and_then(Value::as_bool) != Some(true)
            && attachment.pointer("/origin/kind").is_none_or(|kind| kind == "human");
        if !by_person || view.record.meta || origin.stream.is_some() {
            return;
        }
        let texts: Vec<&str> = match attachment.get("prompt") {
            Some(Value::String(text)) => vec![text],
            Some(Value::Array(blocks)) => {
                blocks.iter().filter_map(|block| block.get("text").and_then(Value::as_str)).collect()
            }
            _ => Vec::new(),
        };
        for text in texts {
            for part in split(text) {
                let Part::Words(Speaker::Human, words) = part else { continue };
                let heard = key(&["words", words.trim()]);
                if words.trim().is_empty() || self.last_words == Some(heard) {
                    continue;
                }
                self.queued.insert(heard);
                self.active(origin.at);
                self.emit(origin, Speaker::Human, Content::Text(words), None);
            }
        }
    }
}

/// The kind of a block; empty where it has none.
fn kind<'a>(view: View<'a>, block: &Block) -> &'a [u8] {
    block.kind.clone().map_or(b"", |span| &view.line.bytes[span])
}

/// Cuts a text that several parts made too long.
fn shorten(text: String, limit: Limit) -> String {
    if text.len() <= limit.head + limit.tail {
        return text;
    }
    let boundary = |position: usize| (position..=text.len()).find(|&at| text.is_char_boundary(at));
    let head = boundary(limit.head).unwrap_or(text.len());
    let tail = boundary(text.len() - limit.tail).unwrap_or(text.len());
    format!("{}…[{} bytes cut]{}", &text[..head], tail - head, &text[tail..])
}
