//! Figures of a project in Prometheus' text format, for the collector of text files or any scraper behind a web server.

use crate::context::Context;
use crate::error::CliError;
use crate::event_stream;
use nidra_dream::event::Event;
use nidra_dream::history::History;
use nidra_memory::directory::MemoryDirectory;
use nidra_memory::store::RunState;
use nidra_model::budget::Money;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Metrics with their labels and values, in the order in which they are printed.
struct Exposition {
    project: String,
    text: String,
}

impl Exposition {
    /// One metric with all its values.
    fn metric(&mut self, name: &str, kind: &str, help: &str, values: &[(Vec<(&str, String)>, f64)]) {
        if values.is_empty() {
            return;
        }
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "# HELP nidra_{name} {help}\n# TYPE nidra_{name} {kind}");
        for (labels, value) in values {
            let own = [("project", self.project.clone())];
            let labels: Vec<String> = own
                .iter()
                .chain(labels)
                .map(|(label, value)| format!("{label}=\"{}\"", escaped(value)))
                .collect();
            let _ = writeln!(self.text, "nidra_{name}{{{}}} {value}", labels.join(","));
        }
    }

    fn plain(&mut self, name: &str, kind: &str, help: &str, value: f64) {
        self.metric(name, kind, help, &[(Vec::new(), value)]);
    }
}

/// A value of a label, as the format wants it.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// The figures of the project.
pub(crate) fn text(context: &Context) -> Result<String, CliError> {
    let failed = |error| {
        CliError::failed(format!("cannot read the state directory {}", context.state.display()), error)
    };
    let store = context.store_to_read()?;
    let mut exposition =
        Exposition { project: context.project.root.display().to_string(), text: String::new() };

    let mut ended: BTreeMap<(String, String), f64> = BTreeMap::new();
    let mut running = 0.0;
    for run in store.runs(&context.project.id, u32::MAX).map_err(failed)? {
        if run.state == RunState::Running {
            running = 1.0;
        } else {
            *ended.entry((run.state.as_str().to_owned(), run.trigger)).or_default() += 1.0;
        }
    }
    let ended: Vec<_> = ended
        .into_iter()
        .map(|((state, trigger), count)| (vec![("state", state), ("trigger", trigger)], count))
        .collect();
    exposition.metric("runs_total", "counter", "Runs that have ended, by how and by who asked.", &ended);
    exposition.plain("run_active", "gauge", "Whether a run is recorded as going on.", running);

    let history = History::load(&store, &context.project.id).map_err(failed)?;
    if let Some(last) = history.schedule.last_success {
        let help = "When a dream last ended well.";
        exposition.plain("last_success_timestamp_seconds", "gauge", help, seconds(last.as_millisecond()));
    }

    let lines = event_stream::read(&event_stream::path(&context.state), &mut 0)
        .map_err(|error| CliError::failed("cannot read the events", error))?;
    let mut skipped: BTreeMap<&str, f64> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.project == context.project.id) {
        if let Event::Skipped(gate) = &line.event {
            *skipped.entry(gate.name.as_str()).or_default() += 1.0;
        }
    }
    let skipped: Vec<_> =
        skipped.into_iter().map(|(gate, count)| (vec![("gate", gate.to_owned())], count)).collect();
    let help = "Dreams that a gate kept from running, as far back as the events reach.";
    exposition.metric("skipped_total", "counter", help, &skipped);

    let calls = store.calls(Some(&context.project.id), u32::MAX).map_err(failed)?;
    let mut requests: BTreeMap<(String, String), f64> = BTreeMap::new();
    let (mut tokens, mut cost) = ([0_u64; 4], 0_u64);
    for call in &calls {
        *requests.entry((call.model.clone(), call.end.outcome.clone())).or_default() += 1.0;
        let end = &call.end;
        let taken = [end.input_tokens, end.cache_read_tokens, end.cache_write_tokens, end.output_tokens];
        for (sum, more) in tokens.iter_mut().zip(taken) {
            *sum = sum.saturating_add(more);
        }
        cost = cost.saturating_add(end.cost);
    }
    if !calls.is_empty() {
        let requests: Vec<_> = requests
            .into_iter()
            .map(|((model, outcome), count)| (vec![("model", model), ("outcome", outcome)], count))
            .collect();
        exposition.metric("model_requests_total", "counter", "Requests to models.", &requests);
        let kinds = ["input", "cache_read", "cache_write", "output"];
        let tokens: Vec<_> = kinds
            .iter()
            .zip(tokens)
            .map(|(kind, count)| (vec![("kind", (*kind).to_owned())], float(count)))
            .collect();
        exposition.metric("model_tokens_total", "counter", "Tokens that models took.", &tokens);
        let help = "What models cost, in US dollars.";
        exposition.plain("model_cost_dollars_total", "counter", help, Money(cost).as_dollars());
    }

    if let Ok(memory) = MemoryDirectory::load(&context.memory) {
        let index = memory.index_use();
        exposition.plain(
            "memory_topics",
            "gauge",
            "Topic files in memory.",
            float(memory.topics().count() as u64),
        );
        exposition.plain("index_lines", "gauge", "Lines of the index.", float(index.lines as u64));
        exposition.plain(
            "index_utf16_units",
            "gauge",
            "UTF-16 units of the index.",
            float(index.units as u64),
        );
    }
    let waiting = super::review::open(context, &store)?.len();
    exposition.plain("plans_waiting", "gauge", "Plans that wait for the user's word.", float(waiting as u64));
    Ok(exposition.text)
}

#[expect(clippy::cast_precision_loss, reason = "Prometheus has floating-point numbers only")]
fn float(count: u64) -> f64 {
    count as f64
}

#[expect(clippy::cast_precision_loss, reason = "Prometheus has floating-point numbers only")]
fn seconds(milliseconds: i64) -> f64 {
    milliseconds as f64 / 1000.0
}
