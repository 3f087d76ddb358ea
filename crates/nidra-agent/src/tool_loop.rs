//! Our own loop: a model with tools, turn by turn, until it is done or there is a reason to stop it.

use crate::clean;
use crate::driver::{Driver, End, Task, Worked};
use crate::staging::Staging;
use crate::tools::{self, Answer, DONE};
use nidra_core::Progress;
use nidra_core::Watcher;
use nidra_core::text::redact::{self, Scope};
use nidra_core::text::{steering, width};
use nidra_model::provider::{CallFault, Dialogue, Message, Stop, Tool, ToolCall, ToolResult, Turn};
use nidra_model::{AnswerFault, Caller, Unanswered};
use serde_json::Value;

/// Calls of one turn that are answered.
const MAX_CALLS: usize = 12;
/// Turns that say and get the same, after which the model goes round in circles.
const SAME: u32 = 3;
/// Turns without a change of memory, after which nothing more is expected.
const IDLE: u32 = 16;
/// Turns that cannot be used, one after the other.
const HOPELESS: u32 = 3;
/// Refusals after which the model is not to be reasoned with.
const MAX_REFUSED: u64 = 24;
/// Results that stay in the talk when it gets long.
const RECENT: usize = 2;
/// Characters of what is told.
const MAX_TOLD: usize = 200;
/// The name of a tool that there is not.
const UNKNOWN: &str = "unknown";
/// The name of a turn of talk in place of tools.
const NO_TOOL: &str = "no-tool";
const LEFT_OUT: &str = "[left out; ask again if it is needed]";

/// What bounds the loop, besides the budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopLimits {
    /// Turns at most.
    pub turns: u32,
    /// Tokens of a question at most, as they are estimated.
    pub input_tokens: u32,
    /// Tokens of a turn at most.
    pub output_tokens: u32,
    /// How freely the model answers; `None` leaves it to the provider.
    pub temperature: Option<f64>,
}

/// A model with tools of our own.
pub struct ToolLoop<'a> {
    caller: Caller<'a>,
    limits: LoopLimits,
    scope: Scope,
}

impl<'a> ToolLoop<'a> {
    /// A loop that asks through this caller.
    pub fn new(caller: Caller<'a>, limits: LoopLimits, scope: Scope) -> Self {
        Self { caller, limits, scope }
    }
}

impl Driver for ToolLoop<'_> {
    fn drive(&self, staging: &Staging, task: &Task, watcher: &dyn Watcher) -> Worked {
        let tools = tools::all();
        // A run may drive more than once; each work counts its own.
        let caller = &self.caller;
        let before = (caller.spent(), caller.estimated(), caller.overcounted(), caller.replayed());
        let mut under_way = Talk {
            driver: self,
            staging,
            watcher,
            system: &task.system,
            tools: &tools,
            messages: vec![Message::Ours(task.work.clone())],
            worked: Worked::default(),
            before: None,
            same: 0,
            idle: 0,
            hopeless: 0,
        };
        let end = loop {
            if let Some(end) = under_way.turn() {
                break end;
            }
        };
        Worked {
            end,
            spent: caller.spent().minus(before.0),
            estimated_tokens: caller.estimated() - before.1,
            overcounted_tokens: caller.overcounted().saturating_sub(before.2),
            replayed: caller.replayed() - before.3,
            ..under_way.worked
        }
    }
}

/// What was called in a turn, and what came back.
type Exchange = (Vec<(String, Value)>, Vec<String>);

/// A talk under way.
struct Talk<'t> {
    driver: &'t ToolLoop<'t>,
    staging: &'t Staging,
    watcher: &'t dyn Watcher,
    system: &'t str,
    tools: &'t [Tool],
    messages: Vec<Message>,
    worked: Worked,
    /// What was called in the last turn, and what came back.
    before: Option<Exchange>,
    same: u32,
    idle: u32,
    hopeless: u32,
}

impl Talk<'_> {
    /// One turn; how it ended, when it did.
    fn turn(&mut self) -> Option<End> {
        let limits = self.driver.limits;
        if self.worked.turns >= u64::from(limits.turns) {
            return Some(stopped(format!("it took {} turns (`agent.max_turns`)", limits.turns)));
        }
        if let Err(tokens) = self.make_room() {
            let limit = limits.input_tokens;
            let reason = format!(
                "the talk comes to {tokens} tokens, and a question may have {limit} (`agent.max_input_tokens`)"
            );
            // What does not even begin is no work.
            return Some(if self.worked.turns > 0 { stopped(reason) } else { End::Unavailable(reason) });
        }
        let mut turn = match self.driver.caller.converse(&self.dialogue(), self.watcher) {
            Ok(turn) => turn,
            Err(unanswered) => return Some(self.unanswered(unanswered)),
        };
        self.worked.turns += 1;
        if turn.calls.is_empty() {
            turn.calls.extend(self.call_in_words(&turn.text));
        }
        let turn = clean::turn(turn, self.worked.turns, self.driver.scope);
        match turn.stop {
            Stop::Refused => {
                self.count("refusal");
                Some(End::Failed("the model refuses".to_owned()))
            }
            // A call may be cut in the middle of its words, so none of them is done.
            Stop::CutOff => self.again(
                AnswerFault::CutOff.as_str(),
                turn.text,
                "Your turn was cut off and nothing of it was done. Do less in one turn.",
            ),
            Stop::Done => self.act(turn),
        }
    }

    fn act(&mut self, turn: Turn) -> Option<End> {
        if turn.calls.is_empty() {
            if let Some(name) = self.useless(&turn.text) {
                return self.again(
                    name,
                    turn.text,
                    "Use the tools, and `done` when nothing is left to be done.",
                );
            }
            self.worked.said = turn.text;
            return Some(End::Done);
        }
        self.hopeless = 0;
        let mut results = Vec::new();
        let mut changed = false;
        let mut done = None;
        for (place, call) in turn.calls.iter().enumerate() {
            let answer = if call.name == DONE {
                done = Some(call.input["summary"].as_str().unwrap_or_default().to_owned());
                Answer::Did("good".to_owned())
            } else if place >= MAX_CALLS {
                Answer::Refused("too-many-calls", format!("only {MAX_CALLS} calls of a turn are answered"))
            } else {
                tools::call(&call.name, &call.input, self.staging.root())
            };
            let known = self.tools.iter().any(|tool| tool.name == call.name);
            *self
                .worked
                .actions
                .entry(if known { call.name.clone() } else { UNKNOWN.to_owned() })
                .or_default() += 1;
            if let Answer::Refused(reason, _) = &answer {
                self.count(reason);
            }
            changed |= matches!(answer, Answer::Changed(_));
            results.push(ToolResult {
                id: call.id.clone(),
                text: redact::redact_in(answer.text(), self.driver.scope),
                failed: matches!(answer, Answer::Failed(_) | Answer::Refused(..)),
            });
        }
        self.tell(&turn.text, &turn.calls, &results);
        if let Some(summary) = done {
            self.worked.said = if summary.is_empty() { turn.text } else { summary };
            return Some(End::Done);
        }
        self.idle = if changed { 0 } else { self.idle + 1 };
        let called = turn.calls.iter().map(|call| (call.name.clone(), call.input.clone())).collect();
        let said = results.iter().map(|result| result.text.clone()).collect();
        let now = Some((called, said));
        self.same = if self.before == now { self.same + 1 } else { 1 };
        self.before = now;
        self.messages.push(Message::Model { text: turn.text, calls: turn.calls });
        self.messages.push(Message::Results(results));
        if self.same >= SAME {
            return Some(stopped(format!("it goes round in circles: the same calls came {SAME} times")));
        }
        if self.idle >= IDLE {
            return Some(stopped(format!("it changed nothing in {IDLE} turns")));
        }
        if self.worked.refused.values().sum::<u64>() >= MAX_REFUSED {
            return Some(stopped(format!("{MAX_REFUSED} of its actions were refused")));
        }
        None
    }

    /// Says what was done in a turn.
    fn tell(&self, text: &str, calls: &[ToolCall], results: &[ToolResult]) {
        let short = |text: &str| {
            let clean = redact::redact_in(text.trim(), self.driver.scope);
            width::shorten(&steering::shown(&clean), MAX_TOLD)
        };
        if !text.trim().is_empty() {
            self.watcher.tell(&Progress::Says {
                text: short(&text.split_whitespace().collect::<Vec<_>>().join(" ")),
            });
        }
        for (call, result) in calls.iter().zip(results) {
            let known = self.tools.iter().any(|tool| tool.name == call.name);
            let tool = if known { call.name.clone() } else { UNKNOWN.to_owned() };
            let path = call.input["path"].as_str().map(short);
            let reason = result.failed.then(|| short(result.text.lines().next().unwrap_or_default()));
            self.watcher.tell(&Progress::Uses { tool, path, worked: !result.failed, reason });
        }
    }

    /// Why a turn without a call of a tool is none by which a model ends its work, by its name. Who worked before may say
    /// so in words, or say nothing; the text of an error, or half a call, ends no work.
    fn useless(&self, text: &str) -> Option<&'static str> {
        let worked = self.worked.actions.keys().any(|name| name != UNKNOWN);
        match AnswerFault::of_talk(text) {
            AnswerFault::NoForm | AnswerFault::Empty | AnswerFault::Refusal if worked => None,
            AnswerFault::NoForm => Some(NO_TOOL),
            fault => Some(fault.as_str()),
        }
    }

    /// Goes on after a turn that cannot be used, a few times.
    fn again(&mut self, name: &'static str, text: String, advice: &str) -> Option<End> {
        self.count(name);
        self.hopeless += 1;
        if self.hopeless >= HOPELESS {
            let known = [AnswerFault::Empty, AnswerFault::ErrorText, AnswerFault::Refusal];
            let advice = match known.into_iter().find(|fault| fault.as_str() == name) {
                Some(fault) => fault.meaning(),
                None if name == AnswerFault::CutOff.as_str() => "`model.max_output_tokens` may be too small",
                None => "the model may not know how to use tools",
            };
            return Some(End::Failed(format!("{HOPELESS} turns in a row cannot be used ({name}); {advice}")));
        }
        let text = if text.trim().is_empty() { "…".to_owned() } else { text };
        self.messages.push(Message::Model { text, calls: Vec::new() });
        self.messages.push(Message::Ours(advice.to_owned()));
        None
    }

    /// A call that a model wrote as words, as small ones do: nothing but one object of JSON, fenced or not.
    fn call_in_words(&self, text: &str) -> Option<ToolCall> {
        let text = text.trim();
        let inner = text.strip_prefix("```").and_then(|text| text.strip_suffix("```"));
        let inner = inner.map_or(text, |inner| inner.strip_prefix("json").unwrap_or(inner));
        let value: Value = serde_json::from_str(inner.trim()).ok()?;
        let name = value["name"].as_str()?.to_owned();
        let input =
            value.get("arguments").or_else(|| value.get("input")).filter(|input| input.is_object())?;
        let known = self.tools.iter().any(|tool| tool.name == name);
        known.then(|| ToolCall { id: format!("words-{}", self.worked.turns), name, input: input.clone() })
    }

    fn unanswered(&mut self, unanswered: Unanswered) -> End {
        let begun = self.worked.turns > 0;
        match unanswered {
            Unanswered::Budget(reason) if begun => End::Stopped(reason),
            // What cannot be written down is not spent, and nothing else of the run could be written either.
            Unanswered::Ledger(reason) if begun => End::CalledOff(reason),
            Unanswered::Budget(limit) => End::Spent(limit),
            Unanswered::Ledger(reason) => End::Unavailable(reason),
            Unanswered::Stopped => End::CalledOff("by the user".to_owned()),
            Unanswered::Call(error) => {
                self.count(error.fault.as_str());
                let long = error.fault == CallFault::TooLong;
                match (begun, long) {
                    (_, true) => End::Stopped(error.message),
                    (true, false) => End::Failed(error.message),
                    (false, false) => End::Unavailable(error.message),
                }
            }
        }
    }

    /// The talk as it goes on.
    fn dialogue(&self) -> Dialogue<'_> {
        let limits = self.driver.limits;
        Dialogue {
            system: self.system,
            tools: self.tools,
            messages: &self.messages,
            max_output: limits.output_tokens,
            temperature: limits.temperature,
        }
    }

    /// Makes room in a long talk: what tools answered long ago is left out, the oldest first.
    ///
    /// # Errors
    /// When the talk is too long all the same; how many tokens it has.
    fn make_room(&mut self) -> Result<(), u64> {
        let limit = u64::from(self.driver.limits.input_tokens);
        let places: Vec<usize> = (0..self.messages.len())
            .filter(|place| matches!(self.messages.get(*place), Some(Message::Results(_))))
            .collect();
        let mut old = places.iter().take(places.len().saturating_sub(RECENT));
        loop {
            let tokens = self.driver.caller.tokens(&self.dialogue());
            if tokens <= limit {
                return Ok(());
            }
            let place = old.next().ok_or(tokens)?;
            if let Some(Message::Results(results)) = self.messages.get_mut(*place) {
                for result in results.iter_mut().filter(|result| result.text.len() > LEFT_OUT.len()) {
                    LEFT_OUT.clone_into(&mut result.text);
                }
            }
        }
    }

    fn count(&mut self, name: &'static str) {
        *self.worked.refused.entry(name).or_default() += 1;
    }
}

fn stopped(reason: impl Into<String>) -> End {
    End::Stopped(reason.into())
}
