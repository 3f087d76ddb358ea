//! `nidra ledger`: what was sent to models, without a word of it.

use crate::cli::LedgerArgs;
use crate::commands::print_json;
use crate::context::Context;
use crate::error::CliError;
use crate::printer::style::{self, paint};
use crate::render;
use nidra_core::text::wording::counted;
use nidra_memory::store::ModelCall;
use nidra_model::budget::Money;
use nidra_model::ledger::UNKNOWN_HOST;
use std::process::ExitCode;

/// `nidra ledger`
pub fn run(context: &Context, args: &LedgerArgs) -> Result<ExitCode, CliError> {
    let store = context.store_to_read()?;
    let project = (!args.all).then_some(&context.project.id);
    let calls = store.calls(project, args.limit).map_err(|error| {
        CliError::failed(format!("cannot read the state directory {}", context.state.display()), error)
    })?;
    if context.printer.json {
        let calls: Vec<_> = calls.iter().map(json).collect();
        print_json(context, &calls)?;
        return Ok(ExitCode::SUCCESS);
    }
    if calls.is_empty() {
        context.printer.say("Nothing was ever sent to a model from here.");
    }
    for call in &calls {
        let end = &call.end;
        let style = if end.outcome == "answered" { style::GOOD } else { style::WARN };
        let place = if call.local { " (this machine)" } else { "" };
        // A talk with tools and the doctor's question are about no items.
        let items =
            if call.items == 0 { String::new() } else { format!("{}, ", counted(call.items, "item")) };
        context.printer.data(&format!(
            "{}  {:<16} {} at {}{place}: {items}{} bytes sent, {} received; {} tokens in, {} out; {}",
            render::moment(call.at, &context.zone()),
            paint(style, &end.outcome),
            call.model,
            if call.host == UNKNOWN_HOST { "an unknown host" } else { &call.host },
            call.request_bytes,
            end.reply_bytes,
            question(call),
            end.output_tokens,
            Money(end.cost),
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn question(call: &ModelCall) -> u64 {
    let end = &call.end;
    end.input_tokens.saturating_add(end.cache_write_tokens).saturating_add(end.cache_read_tokens)
}

fn json(call: &ModelCall) -> serde_json::Value {
    let end = &call.end;
    serde_json::json!({
        "at": call.at, "project": call.project, "run": call.run, "provider": call.provider, "model": call.model,
        "host": (call.host != UNKNOWN_HOST).then_some(&call.host), "local": call.local, "items": call.items, "outcome": end.outcome,
        "request_hash": call.request_hash, "request_bytes": call.request_bytes,
        "reply_hash": end.reply_hash, "reply_bytes": end.reply_bytes,
        "input_tokens": end.input_tokens, "cache_write_tokens": end.cache_write_tokens,
        "cache_read_tokens": end.cache_read_tokens, "output_tokens": end.output_tokens,
        "cost_usd": Money(end.cost).as_dollars(), "milliseconds": end.milliseconds,
    })
}
