//! Secrets of every kind that is known, planted in the talk, in memory and in the model's answers.

use crate::server::{Act, Server};
use crate::setup::{Setup, answer, memory};
use crate::talk::talk;
use nidra_core::text::redact::{self, sample::Generator};
use serde_json::json;

#[test]
fn pub_sec_01_no_planted_secret_is_ever_sent_or_kept() {
    let mut generator = Generator::new(20_261_201);
    let mut planted = 0_u32;
    for rule in redact::samples() {
        for template in rule.positive {
            let sample = generator.sample(template);
            let secrets: Vec<String> =
                sample.secrets.iter().map(|range| sample.text[range.clone()].to_owned()).collect();
            let said =
                format!("From now on always deploy with this in our repository, remember: {}", sample.text);
            let entry = format!("Deploying in our repository needs this: {}", sample.text);
            let echo = sample.text.clone();
            let server = Server::start(move |request, _| {
                let operations: Vec<_> = request.items().iter().map(|item| {
                    json!({"op": "create", "item": item["item"], "text": echo, "title": echo, "quote": echo, "reason": echo})
                }).collect();
                Act::answer(request, &answer(&request.batch(), &operations))
            });
            let mut setup = Setup::anthropic(&server);
            let name = format!("{}.md", sample.text);
            setup.memory = memory(&[
                ("deploy.md", &entry),
                ("other.md", "Deploying in our repository happens on Mondays."),
                (&name, "Deploying in our repository is done by Ann."),
            ]);
            let ran = setup.run(&[talk(
                "s1",
                &[&said, "We always deploy in our repository on Tuesdays now, remember that."],
            )]);
            for secret in &secrets {
                planted += 1;
                for request in server.requests() {
                    let unescaped = request.question();
                    assert!(
                        !request.body.contains(secret) && !unescaped.contains(secret),
                        "{}: {secret}",
                        rule.rule
                    );
                }
                // What the model echoes comes into no plan, report or summary.
                let kept = match &ran.outcome {
                    Ok(outcome) => format!("{:?}", outcome.operations),
                    Err(error) => error.to_string(),
                };
                let rules = format!("{:?}", setup.rules(&[]).operations);
                assert!(!kept.contains(secret) || rules.contains(secret), "{}: {kept}", rule.rule);
                assert!(
                    !format!("{:?}{:?}", ran.summary, ran.ledger.rows()).contains(secret),
                    "{}",
                    rule.rule
                );
            }
        }
    }
    assert!(planted > 100, "{planted}");
}
