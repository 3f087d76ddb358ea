//! Events sent to a collector that speaks the OpenTelemetry Protocol.

use crate::program::{home, set};
use crate::server::{Act, Request, Server};
use serde_json::{Value, json};

/// A collector that takes everything, as the protocol says.
fn collector() -> Server {
    Server::start(|_, _| Act::plain(200, "application/json", r#"{"partialSuccess":{}}"#))
}

/// The records of a request, in the form of the protocol: `resourceLogs / scopeLogs / logRecords`.
fn records(request: &Value) -> Vec<Value> {
    request["resourceLogs"][0]["scopeLogs"][0]["logRecords"].as_array().unwrap().clone()
}

fn attribute<'a>(record: &'a Value, name: &str) -> &'a Value {
    let attributes = record["attributes"].as_array().unwrap();
    attributes.iter().find(|one| one["key"] == name).map_or(&Value::Null, |one| &one["value"])
}

#[test]
fn each_event_is_sent_once_and_without_what_was_said() {
    let model = Server::saying(r#"{"batch":"BATCH","operations":[]}"#);
    let mut home = home(&model, 2);
    let server = collector();
    set(&mut home, "OTEL_EXPORTER_OTLP_ENDPOINT", &server.url());
    set(&mut home, "OTEL_EXPORTER_OTLP_HEADERS", "x-team=north%20wing");
    home.expect(0, &["dream", "--engine", "model"]);
    home.expect(0, &["events", "--otlp"]);

    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!((requests[0].path.as_str(), requests[0].header("x-team")), ("/v1/logs", Some("north wing")));
    let resource = &requests[0].json()["resourceLogs"][0]["resource"]["attributes"][0];
    assert_eq!(resource, &json!({ "key": "service.name", "value": { "stringValue": "nidra" } }));
    let found = records(&requests[0].json());
    let written = home.expect(0, &["events", "--json", "-n", "1000"]).out.lines().count();
    assert_eq!(found.len(), written);
    let completed = found.iter().find(|record| record["eventName"] == "nidra.dream.completed").unwrap();
    assert_eq!(completed["severityNumber"], 9);
    assert!(completed["timeUnixNano"].as_str().unwrap().parse::<u64>().unwrap() > 1_700_000_000_000_000_000);
    // Whole numbers are texts in the protocol's JSON.
    assert!(attribute(completed, "nidra.files")["intValue"].as_str().unwrap().parse::<u32>().unwrap() > 0);
    assert_eq!(attribute(completed, "nidra.tokens"), &json!({ "intValue": "150" }));
    assert!(!requests[0].body.contains("pnpm"), "words of the talk were sent");

    home.expect(0, &["events", "--otlp"]);
    assert_eq!(server.requests().len(), 1, "nothing new, nothing sent");
    home.expect(0, &["dream", "--auto"]);
    home.expect(0, &["events", "--otlp", &server.url()]);
    assert!(records(&server.requests()[1].json()).iter().all(|one| one["eventName"] != "nidra.dream.fired"));
}

#[test]
fn what_a_collector_refuses_is_sent_again() {
    let model = Server::saying(r#"{"batch":"BATCH","operations":[]}"#);
    let home = home(&model, 1);
    home.expect(0, &["dream", "--engine", "model"]);
    let server = Server::start(|_, number| match number {
        0 => Act::plain(503, "text/plain", "full"),
        _ => Act::plain(200, "application/json", "{}"),
    });
    let refused = home.expect(1, &["events", "--otlp", &server.url()]);
    assert!(refused.err.contains("503") && refused.err.contains("full"), "{}", refused.err);
    home.expect(0, &["events", "--otlp", &server.url()]);
    let sent: Vec<Value> = server.requests().iter().map(Request::json).collect();
    assert_eq!(records(&sent[0]), records(&sent[1]));

    home.expect(0, &["dream", "--auto"]);
    let absent = home.expect(1, &["events", "--otlp", "http://127.0.0.1:9"]);
    assert!(absent.err.contains("http://127.0.0.1:9/v1/logs does not answer"), "{}", absent.err);
    home.expect(2, &["events", "--otlp", "collector.example.test"]);
}
