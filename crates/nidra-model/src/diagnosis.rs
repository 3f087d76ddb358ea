//! What is likely wrong with the set-up of a model, found by looking at it and by asking one small question.

use crate::answer::{self, AnswerFault};
use crate::caller::Unanswered;
use crate::engine::ModelEngine;
use crate::provider::endpoint::Variables;
use crate::provider::{CallFault, Credential, Endpoint, Protocol, Question};
use nidra_core::Watcher;
use serde_json::json;

/// How the keys of Anthropic's console begin.
const CONSOLE_KEY: &str = "sk-ant-api";
/// How the tokens of Anthropic's subscriptions begin.
const SUBSCRIPTION_TOKEN: &str = "sk-ant-oat";
/// How everything of Anthropic's begins.
const OF_ANTHROPIC: &str = "sk-ant-";
/// Tokens of the answer to the small question at most.
const MAX_OUTPUT: u32 = 64;
/// What the small question asks for.
const FIELD: &str = "works";

/// Something that is likely wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspicion {
    /// What it is.
    pub message: String,
    /// What to do.
    pub advice: String,
}

fn suspicion(message: impl Into<String>, advice: impl Into<String>) -> Suspicion {
    Suspicion { message: message.into(), advice: advice.into() }
}

/// What looks wrong before anything is sent. No word of a key comes up in it.
pub fn of_setup(endpoint: &Endpoint, variables: Variables<'_>) -> Vec<Suspicion> {
    let mut found = Vec::new();
    let is_set = |name: &str| variables(name).is_some_and(|value| !value.trim().is_empty());
    if endpoint.protocol == Protocol::Anthropic
        && is_set("ANTHROPIC_API_KEY")
        && is_set("ANTHROPIC_AUTH_TOKEN")
    {
        found.push(suspicion(
            "ANTHROPIC_API_KEY and ANTHROPIC_AUTH_TOKEN are both set; the key is sent and the token is not",
            "unset the one that does not belong to this address: gateways mostly want the token, Anthropic itself the key",
        ));
    }
    if let Some(credential) = &endpoint.credential {
        found.extend(of_credential(endpoint, credential));
    }
    let (scheme, rest) = endpoint.url.split_once("://").unwrap_or(("", &endpoint.url));
    if scheme == "http" && !endpoint.local {
        found.push(suspicion(
            format!("the key and the evidence go to {} without encryption", endpoint.host),
            "write https:// in the base address",
        ));
    }
    if rest.contains("//") || rest.contains("/v1/v1") {
        found.push(suspicion(
            format!("the address {} has a part too many", endpoint.url),
            "name the address in front of `/v1` alone",
        ));
    }
    found
}

fn of_credential(endpoint: &Endpoint, credential: &Credential) -> Option<Suspicion> {
    let (Credential::Key(secret) | Credential::Token(secret)) = credential;
    let words = secret.reveal();
    if words.chars().any(|letter| letter.is_whitespace() || matches!(letter, '"' | '\'' | '`')) {
        return Some(suspicion(
            "the key holds blanks or quotation marks",
            "set it again without them; they are often copied along",
        ));
    }
    let official = endpoint.host == "api.anthropic.com";
    match (credential, endpoint.protocol) {
        (Credential::Key(_), Protocol::Anthropic) if words.starts_with(SUBSCRIPTION_TOKEN) => {
            Some(suspicion(
                "what is set as a key is the token of a subscription, which is refused as a key",
                "set a key of the console as ANTHROPIC_API_KEY, or this one as ANTHROPIC_AUTH_TOKEN",
            ))
        }
        (Credential::Token(_), Protocol::Anthropic) if official && words.starts_with(CONSOLE_KEY) => {
            Some(suspicion(
                "what is set as a token is a key of the console, which is refused as a token",
                "set it as ANTHROPIC_API_KEY instead of ANTHROPIC_AUTH_TOKEN",
            ))
        }
        (Credential::Key(_), Protocol::Anthropic) if official && !words.starts_with(OF_ANTHROPIC) => {
            Some(suspicion(
                format!("the key is none of Anthropic's, and {} takes no other", endpoint.host),
                "set a key of Anthropic's, or `model.base_url` to the address that the key belongs to",
            ))
        }
        (_, Protocol::Openai) if words.starts_with(OF_ANTHROPIC) => Some(suspicion(
            format!("the key is one of Anthropic's, and {} is asked by the protocol `openai`", endpoint.host),
            "set `model.provider` to `anthropic`, or the key that belongs to this address",
        )),
        _ => None,
    }
}

/// What to do about a fault of a call.
pub fn advice(fault: CallFault, endpoint: &Endpoint) -> String {
    let host = &endpoint.host;
    match fault {
        CallFault::Unreachable => format!("start what should answer at {host}, or mend `model.base_url` or the proxy"),
        CallFault::TimedOut => "set `model.timeout_seconds` higher, ask a faster model, or let the rules judge then (`model.on_failure`)".to_owned(),
        CallFault::Key => format!("set the key that belongs to {host}; a key of one provider does not open another's door"),
        CallFault::NotFound => {
            "mend `model.name` where the model is not known there, else `model.base_url`, the address in front of `/v1`"
                .to_owned()
        }
        CallFault::Shape => {
            "something else than a model answers there; mend `model.base_url` or `model.provider`".to_owned()
        }
        CallFault::Redirected => {
            "name the address that it leads to: often the same with https://, or with a path behind the host".to_owned()
        }
        CallFault::Busy => "wait, or ask for a higher limit".to_owned(),
        CallFault::Server => format!("what answers for {host} has a fault of its own or is overloaded; wait, or look at its log"),
        CallFault::Oversized => "something else than a model answers there, or one that goes round and round; mend `model.base_url`, or set `model.max_output_tokens` lower".to_owned(),
        CallFault::Lost => "ask again; a proxy on the way may end calls that take long, and a smaller `model.max_output_tokens` makes them short".to_owned(),
        CallFault::Request => {
            "the server's words say what it does not take: often `model.name`, `model.temperature` or `model.max_output_tokens`"
                .to_owned()
        }
        CallFault::TooLong => "set `model.max_input_tokens` lower, or give the model a longer context".to_owned(),
        CallFault::Stopped => "ask again".to_owned(),
        CallFault::NotRecorded | CallFault::Recording => "see to the folder of --record".to_owned(),
    }
}

/// What to do about an answer that a dream could not use.
pub fn answer_advice(fault: AnswerFault) -> &'static str {
    match fault {
        AnswerFault::Refusal => "a dream sends what you said to your agents; ask a model that takes that",
        AnswerFault::ErrorText => {
            "look at the log of what answers there; it reports a fault as if it were an answer"
        }
        AnswerFault::Empty | AnswerFault::CutOff => {
            "a model that thinks first spends its tokens on that; `model.max_output_tokens` has to leave room for both"
        }
        _ => "ask a model that keeps to a form, over the protocol that enforces it (`model.provider`)",
    }
}

/// Why a small question was not answered.
#[derive(Debug)]
pub struct NoAnswer {
    /// What went wrong with the call; `None` when it was not even made.
    pub fault: Option<CallFault>,
    /// What happened.
    pub message: String,
}

impl ModelEngine<'_> {
    /// Asks one small question, in the form in which a dream asks. It goes through ledger and budget like any other. What
    /// comes back is the fault of an answer that a dream could not use.
    ///
    /// # Errors
    /// When there is no answer.
    pub fn probe(&self, watcher: &dyn Watcher) -> Result<Option<AnswerFault>, NoAnswer> {
        let ask = |enforced| {
            let question = Question {
                system: "You are asked whether this connection works.".to_owned(),
                memory: String::new(),
                evidence: format!("Answer with {{\"{FIELD}\": true}}."),
                schema: json!({
                    "type": "object",
                    "properties": { FIELD: { "type": "boolean" } },
                    "required": [FIELD],
                    "additionalProperties": false,
                }),
                max_output: MAX_OUTPUT,
                temperature: None,
                enforced,
            };
            self.caller().ask(&question, 0, watcher)
        };
        let answered = match ask(true) {
            Err(Unanswered::Call(error)) if error.fault == CallFault::Request => ask(false),
            other => other,
        };
        match answered {
            Ok(reply) => Ok(answer::demand_field(&reply, FIELD).err()),
            Err(Unanswered::Call(error)) => {
                Err(NoAnswer { fault: Some(error.fault), message: error.message })
            }
            Err(Unanswered::Stopped) => {
                Err(NoAnswer { fault: Some(CallFault::Stopped), message: "it was stopped".to_owned() })
            }
            Err(Unanswered::Budget(reason) | Unanswered::Ledger(reason)) => {
                Err(NoAnswer { fault: None, message: reason })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nidra_core::settings::ModelSettings;

    fn found(pairs: &[(&str, String)]) -> Vec<String> {
        let variables =
            |name: &str| pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
        let settings = ModelSettings { name: Some("m".to_owned()), ..ModelSettings::default() };
        let endpoint = Endpoint::resolve(&settings, &variables, None).unwrap();
        of_setup(&endpoint, &variables).into_iter().map(|one| one.message).collect()
    }

    /// Not in one piece, so that no scanner takes it for a real one.
    fn key(kind: &str) -> String {
        format!("sk-{kind}03-0123456789")
    }

    #[test]
    fn a_set_up_as_providers_describe_it_raises_no_suspicion() {
        assert!(found(&[("ANTHROPIC_API_KEY", key("ant-api"))]).is_empty());
        assert!(found(&[("ANTHROPIC_AUTH_TOKEN", key("ant-oat"))]).is_empty());
        assert!(found(&[("OPENAI_API_KEY", key("proj-"))]).is_empty());
        let gateway = ("ANTHROPIC_BASE_URL", "https://gateway.example/anthropic".to_owned());
        assert!(found(&[gateway, ("ANTHROPIC_AUTH_TOKEN", key("x"))]).is_empty());
        assert!(found(&[("OPENAI_BASE_URL", "http://localhost:11434/v1".to_owned())]).is_empty());
    }

    #[test]
    fn keys_and_tokens_that_are_mixed_up_are_named() {
        let both = [("ANTHROPIC_API_KEY", key("ant-api")), ("ANTHROPIC_AUTH_TOKEN", key("ant-oat"))];
        assert!(found(&both)[0].contains("both set"));
        assert!(found(&[("ANTHROPIC_API_KEY", key("ant-oat"))])[0].contains("token of a subscription"));
        assert!(found(&[("ANTHROPIC_AUTH_TOKEN", key("ant-api"))])[0].contains("key of the console"));
        assert!(found(&[("ANTHROPIC_API_KEY", key("proj-"))])[0].contains("none of Anthropic's"));
        assert!(found(&[("OPENAI_API_KEY", key("ant-api"))])[0].contains("one of Anthropic's"));
        assert!(found(&[("ANTHROPIC_API_KEY", format!("\"{}\"", key("ant-api")))])[0].contains("quotation"));
    }

    #[test]
    fn addresses_that_leak_or_lead_astray_are_named() {
        let at =
            |url: &str| found(&[("ANTHROPIC_BASE_URL", url.to_owned()), ("ANTHROPIC_AUTH_TOKEN", key("x"))]);
        assert!(at("http://gateway.example")[0].contains("without encryption"));
        assert!(at("https://gateway.example//anthropic")[0].contains("a part too many"));
        assert!(at("https://gateway.example/v1/v1")[0].contains("a part too many"));
        assert!(at("https://gateway.example/").is_empty());
        assert!(at("https://gateway.example/v1/").is_empty());
        assert!(at("https://gateway.example/v1/messages").is_empty());
    }
}
