//! `nidra events --otlp`: the events as log records of OpenTelemetry, over HTTP as JSON, to a collector of the user's.
//!
//! Source of the form: the OpenTelemetry Protocol 1.x, `opentelemetry.proto.logs.v1`, in its JSON encoding. What is
//! sent are names, counts and times. The words of notes and of an agent stay here: they may quote what was said.

use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use crate::event_stream::{self, Line};
use nidra_core::Progress;
use nidra_dream::event::Event;
use nidra_memory::atomic::{self, RealFileSystem};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::time::Duration;
use ureq::Agent;

/// At most so many records in one request.
const BATCH: usize = 500;
/// A collector that does not answer in this time is asked another time.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often a follower looks for more.
const LOOK: Duration = Duration::from_millis(500);
/// Where a collector on the own machine listens by the protocol.
const USUAL: &str = "http://127.0.0.1:4318";
/// Letters of a collector's answer that are shown.
const SHOWN: usize = 200;

/// Sends what was not sent before, and with `follow` goes on with what comes.
///
/// # Errors
/// When the events cannot be read, the collector refuses them or does not answer. What it has not taken is sent the
/// next time.
pub fn run(context: &Context, endpoint: &str, follow: bool) -> Result<(), CliError> {
    let collector = Collector::new(context, endpoint)?;
    let mark = Mark(context.state.join("logs/otlp-sent"));
    let mut sent = 0;
    loop {
        sent += send_new(context, &collector, &mark)?;
        if !follow {
            context.printer.say(&format!("{sent} events sent to {}.", collector.address));
            return Ok(());
        }
        std::thread::sleep(LOOK);
    }
}

fn send_new(context: &Context, collector: &Collector, mark: &Mark) -> Result<usize, CliError> {
    let mut at = mark.read();
    let lines = event_stream::read(&event_stream::path(&context.state), &mut at)
        .map_err(|error| CliError::failed("cannot read the events", error))?;
    for batch in lines.chunks(BATCH) {
        let rejected = collector.send(&request(batch))?;
        if rejected > 0 {
            context
                .printer
                .warn(&format!("warning: the collector rejects {rejected} of {} events", batch.len()));
        }
    }
    if !lines.is_empty() {
        mark.write(at)?;
    }
    Ok(lines.len())
}

/// How far the stream of events was sent.
struct Mark(PathBuf);

impl Mark {
    /// The place behind the last event that was sent; the beginning where nothing says so.
    fn read(&self) -> u64 {
        std::fs::read_to_string(&self.0).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
    }

    fn write(&self, at: u64) -> Result<(), CliError> {
        atomic::write(&RealFileSystem, &self.0, at.to_string().as_bytes())
            .map_err(|error| CliError::failed("the events were sent, but how far cannot be noted", error))
    }
}

/// Whoever takes the events.
struct Collector {
    agent: Agent,
    address: String,
    headers: Vec<(String, String)>,
}

impl Collector {
    fn new(context: &Context, endpoint: &str) -> Result<Self, CliError> {
        let variable = |name: &str| context.environment.text(name).filter(|text| !text.trim().is_empty());
        let address = address(endpoint, variable);
        if !address.starts_with("http://") && !address.starts_with("https://") {
            return Err(CliError::usage(format!(
                "`{address}` is no address of a collector: it begins with http:// or https://"
            )));
        }
        if address.split('/').nth(2).is_some_and(|host| host.contains('@')) {
            return Err(CliError::usage("an address with a password in it would be shown and logged")
                .hint("give the collector's key as a header, by OTEL_EXPORTER_OTLP_HEADERS"));
        }
        let config = Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .http_status_as_error(false)
            .max_redirects(0)
            .build();
        let headers = variable("OTEL_EXPORTER_OTLP_HEADERS").map(|text| headers(&text)).unwrap_or_default();
        Ok(Self { agent: config.into(), address, headers })
    }

    /// Sends a request; how many of its records the collector rejects for good: by the protocol they are not sent again.
    fn send(&self, request: &Value) -> Result<u64, CliError> {
        let mut post = self.agent.post(&self.address).header("content-type", "application/json");
        for (name, value) in &self.headers {
            post = post.header(name, value);
        }
        let mut answer = post.send(request.to_string()).map_err(|error| {
            CliError::failed(format!("the collector at {} does not answer", self.address), error)
        })?;
        let status = answer.status();
        let body = answer.body_mut().read_to_string().unwrap_or_default();
        if status.is_success() {
            return Ok(rejected(&body));
        }
        let said: String = body.chars().take(SHOWN).collect();
        let message = format!("the collector at {} refuses the events with status {status}", self.address);
        Err(CliError::new(ErrorKind::Failed, format!("{message}: {}", said.trim()))
            .hint("they are kept; the same command sends them again"))
    }
}

/// The address for log records: the one named, else that of the environment's variables for OpenTelemetry, else the
/// usual one of the own machine.
fn address(named: &str, variable: impl Fn(&str) -> Option<String>) -> String {
    let below = |base: &str| {
        let base = base.trim_end_matches('/');
        if base.ends_with("/v1/logs") { base.to_owned() } else { format!("{base}/v1/logs") }
    };
    if !named.is_empty() {
        return below(named);
    }
    // The variable for logs alone is taken as it is, by the specification.
    variable("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT")
        .or_else(|| variable("OTEL_EXPORTER_OTLP_ENDPOINT").map(|base| below(&base)))
        .unwrap_or_else(|| below(USUAL))
}

/// The records that an answer of success names as rejected: a number or, as the protocol's JSON has it, a text.
fn rejected(body: &str) -> u64 {
    let answer: Value = serde_json::from_str(body).unwrap_or_default();
    let count = &answer["partialSuccess"]["rejectedLogRecords"];
    count.as_u64().or_else(|| count.as_str()?.parse().ok()).unwrap_or(0)
}

/// `name=value,name=value`, the values with `%20` for what may not stand there.
fn headers(text: &str) -> Vec<(String, String)> {
    text.split(',')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| {
            (name.trim().to_owned(), percent_decode_str(value.trim()).decode_utf8_lossy().into_owned())
        })
        .filter(|(name, _)| !name.is_empty())
        .collect()
}

fn request(lines: &[Line]) -> Value {
    let version = env!("CARGO_PKG_VERSION");
    json!({ "resourceLogs": [{
        "resource": { "attributes": [text("service.name", "nidra"), text("service.version", version)] },
        "scopeLogs": [{
            "scope": { "name": "nidra.events", "version": version },
            "logRecords": lines.iter().map(record).collect::<Vec<_>>(),
        }],
    }] })
}

fn record(line: &Line) -> Value {
    let mut fields = match serde_json::to_value(without_words(&line.event)) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    let name = match fields.remove("event") {
        Some(Value::String(name)) => format!("nidra.dream.{name}"),
        _ => "nidra.dream".to_owned(),
    };
    let (number, severity) = match line.event {
        Event::Failed { .. } => (17, "ERROR"),
        Event::Stopped { .. } => (13, "WARN"),
        Event::Fired { .. } | Event::Completed { .. } | Event::Skipped(_) => (9, "INFO"),
        Event::Gate(_) | Event::Entered { .. } | Event::Note { .. } | Event::Progress(_) => (5, "DEBUG"),
    };
    let mut attributes = vec![
        text("nidra.project", line.project.as_str()),
        json!({ "key": "process.pid", "value": { "intValue": line.process.to_string() } }),
    ];
    attributes.extend(fields.iter().filter_map(|(name, value)| attribute(name, value)));
    if let Some(tokens) = line.tokens {
        let total = tokens.total().to_string();
        attributes.push(json!({ "key": "nidra.tokens", "value": { "intValue": total } }));
    }
    json!({
        "timeUnixNano": line.time.as_nanosecond().to_string(),
        "severityNumber": number,
        "severityText": severity,
        "eventName": name,
        "body": { "stringValue": name },
        "attributes": attributes,
    })
}

/// An event without the words in it that may be a person's or an agent's.
fn without_words(event: &Event) -> Event {
    match event {
        Event::Note { .. } => Event::Note { text: String::new() },
        Event::Progress(Progress::Says { .. }) => Event::Progress(Progress::Says { text: String::new() }),
        Event::Progress(Progress::Retries { seconds, tries_left, .. }) => {
            Event::Progress(Progress::Retries {
                cause: String::new(),
                seconds: *seconds,
                tries_left: *tries_left,
            })
        }
        Event::Progress(Progress::Uses { tool, worked, .. }) => {
            Event::Progress(Progress::Uses { tool: tool.clone(), path: None, worked: *worked, reason: None })
        }
        other => other.clone(),
    }
}

fn text(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

/// A field as an attribute; none for what is empty or has parts. Whole numbers are texts in the protocol's JSON.
fn attribute(name: &str, value: &Value) -> Option<Value> {
    let value = match value {
        Value::String(text) if !text.is_empty() => json!({ "stringValue": text }),
        Value::Bool(is) => json!({ "boolValue": is }),
        Value::Number(number) if number.is_f64() => json!({ "doubleValue": number }),
        Value::Number(number) => json!({ "intValue": number.to_string() }),
        Value::String(_) | Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    Some(json!({ "key": format!("nidra.{name}"), "value": value }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_follows_the_variables_of_the_protocol() {
        let of = |named: &str, logs: Option<&str>, all: Option<&str>| {
            address(named, |name| match name {
                "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT" => logs.map(str::to_owned),
                "OTEL_EXPORTER_OTLP_ENDPOINT" => all.map(str::to_owned),
                _ => None,
            })
        };
        assert_eq!(of("", None, None), "http://127.0.0.1:4318/v1/logs");
        assert_eq!(of("", None, Some("https://c.example.test/")), "https://c.example.test/v1/logs");
        assert_eq!(of("", Some("http://c.example.test/own"), Some("x")), "http://c.example.test/own");
        assert_eq!(of("http://d.example.test", Some("x"), None), "http://d.example.test/v1/logs");
        assert_eq!(of("http://d.example.test/v1/logs", None, None), "http://d.example.test/v1/logs");
    }

    #[test]
    fn headers_are_pairs_with_escapes() {
        let found = headers("authorization=Basic%20eA==, x-team = 北 ,broken,=none,odd=50%");
        let pairs: Vec<(&str, &str)> =
            found.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(pairs, [("authorization", "Basic eA=="), ("x-team", "北"), ("odd", "50%")]);
    }

    #[test]
    fn what_a_collector_rejects_is_counted() {
        assert_eq!(rejected(r#"{"partialSuccess":{"rejectedLogRecords":"3"}}"#), 3);
        assert_eq!(rejected(r#"{"partialSuccess":{"rejectedLogRecords":2}}"#), 2);
        assert_eq!((rejected("{}"), rejected("no JSON")), (0, 0));
    }

    #[test]
    fn words_stay_here() {
        let says = Event::Progress(Progress::Says { text: "the door code is 1".to_owned() });
        let note = Event::Note { text: "the door code is 1".to_owned() };
        for event in [says, note] {
            let sent = serde_json::to_string(&without_words(&event)).unwrap();
            assert!(!sent.contains("door"), "{sent}");
        }
    }
}
