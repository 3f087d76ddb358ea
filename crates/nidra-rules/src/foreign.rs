//! Orders to agents inside texts of tools, pages and sub-agents: named in the report, never obeyed, never kept.

use crate::candidate::Rejected;
use crate::dialogue::Dialogue;
use crate::sentence;
use nidra_core::text::expression;
use nidra_core::text::redact;
use nidra_core::text::width::shorten;
use nidra_core::{Content, Evidence};
use regex::Regex;
use std::sync::LazyLock;

static ORDER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    expression::new(
        r"(?i)\b(?:ai|llm|language model|coding|automated)[- ]?(?:based )?(?:agents?|assistants?|models?|tools?|bots?)\b.{0,80}\b(?:must|should|always|never|have to|remember|ignore|need to|are required|please)\b|\bignore (?:all |any )?(?:previous|prior|above) instructions\b|(?:note|instructions?|message|attention) (?:to|for) (?:\w+ )?(?:ai|llm|agents?|assistants?)|\bremember (?:this|the following) (?:rule|instruction)|(?:AI|智能|代码)\s?(?:助手|代理|模型).{0,30}(?:必须|应当|应该|请|需要|务必|记住)|忽略(?:之前|以上|前面)的?(?:所有)?(?:指令|要求)",
    )
    .ok()
});

/// Whether a line gives agents an order, as texts do that somebody else wrote for them.
pub(crate) fn is_order(line: &str) -> bool {
    ORDER.as_ref().is_some_and(|order| order.is_match(line))
}

/// The orders found in foreign texts of a session.
pub(crate) fn orders(dialogue: &Dialogue<'_>) -> Vec<Rejected> {
    let Some(order) = ORDER.as_ref() else { return Vec::new() };
    let mut found = Vec::new();
    for turn in &dialogue.foreign {
        let text = match &turn.content {
            Content::ToolResult { text, .. } | Content::Text(text) => text,
            Content::ToolCall { .. } | Content::Interrupted => continue,
        };
        if !order.is_match(text) {
            continue;
        }
        if let Some(sentence) = sentence::split(text).into_iter().find(|sentence| order.is_match(sentence)) {
            let quote = redact::redact(&shorten(&sentence, 200));
            found.push(Rejected {
                text: quote.clone(),
                reason: "instruction in foreign text".to_owned(),
                evidence: vec![Evidence {
                    source: turn.source.clone(),
                    speaker: turn.speaker,
                    at: turn.at,
                    quote,
                }],
            });
        }
    }
    found
}
