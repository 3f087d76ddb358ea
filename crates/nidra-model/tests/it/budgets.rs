//! What may be spent: checked before each call, counted after it.

use crate::server::{Act, Server, stream};
use crate::setup::{Setup, answer, rules_talk};
use crate::talk::talk;
use nidra_core::EngineError;
use nidra_model::budget::Money;

/// Many sessions with something to judge.
fn talks() -> Vec<nidra_core::Conversation> {
    (0..8).map(|number| rules_talk(&format!("s{number}"))).collect()
}

fn quiet() -> Server {
    Server::saying(r#"{"batch":"BATCH","operations":[]}"#)
}

#[test]
fn pub_cost_01_nothing_to_judge_is_nothing_sent() {
    let server = quiet();
    let ran = Setup::anthropic(&server).run(&[]);
    assert!(ran.outcome.unwrap().operations.is_empty());
    Setup::anthropic(&server).run(&[talk("s", &["what does the readme say?"])]).outcome.unwrap();
    assert!(server.requests().is_empty());
}

#[test]
fn pub_cost_02_the_run_ends_at_its_limit_and_the_rest_waits() {
    let server = quiet();
    let mut setup = Setup::anthropic(&server);
    setup.settings.max_output_tokens = 100;
    setup.budget.run_requests = 1;
    let ran = setup.run(&talks());
    assert!(
        matches!(&ran.outcome, Err(EngineError::Exhausted(why)) if why.contains("run_requests")),
        "{:?}",
        ran.outcome
    );
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn every_limit_stops_before_the_call_that_would_pass_it() {
    let server = quiet();
    let mut free = Setup { pretend_remote: true, ..Setup::anthropic(&server) };
    free.settings.max_output_tokens = 100;
    let rows = free.run(&talks()).ledger.rows();
    assert!(rows.len() >= 3);
    let first = rows[0].0.estimate;
    for limit in 0..5 {
        let server = quiet();
        let mut setup = Setup { pretend_remote: true, ..Setup::anthropic(&server) };
        setup.settings.max_output_tokens = 100;
        let (calls, tokens) = (1, u32::try_from(first.tokens).unwrap() + 20);
        let calls = match limit {
            0 => {
                setup.budget.run_tokens = tokens;
                calls
            }
            1 => {
                setup.budget.day_cost = first.cost.as_dollars() + 0.000_01;
                calls
            }
            2 => {
                setup.budget.project_requests = 2;
                2
            }
            3 => {
                setup.budget.day_tokens = tokens;
                calls
            }
            _ => {
                setup.budget.run_seconds = 0;
                0
            }
        };
        let ran = setup.run(&talks());
        assert!(ran.outcome.is_err(), "{limit}");
        assert_eq!(server.requests().len(), calls, "{limit}");
        let spent = ran.ledger.spent();
        assert!(
            spent.tokens <= tokens.into() && spent.cost <= Money(first.cost.0 + 10),
            "{limit}: {spent:?}"
        );
    }
}

#[test]
fn a_provider_that_counts_absurdly_ends_the_run_after_one_call() {
    let server = Server::start(|request, _| {
        let text = stream(request, &answer(&request.batch(), &[]), None)
            .replace("\"input_tokens\":90", "\"input_tokens\":18446744073709551615");
        Act::plain(200, "text/event-stream", &text)
    });
    let mut setup = Setup::anthropic(&server);
    setup.pretend_remote = true;
    setup.settings.max_output_tokens = 100;
    let ran = setup.run(&talks());
    assert!(matches!(ran.outcome, Err(EngineError::Exhausted(_))), "{:?}", ran.outcome);
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn tries_again_are_calls_too() {
    let server = Server::start(|_, _| Act::plain(503, "text/plain", "no"));
    let mut setup = Setup::openai(&server);
    setup.budget.run_requests = 2;
    assert!(setup.run(&talks()).outcome.is_err());
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_dry_run_estimates_and_sends_nothing() {
    let server = quiet();
    let mut setup = Setup { dry_run: true, pretend_remote: true, ..Setup::anthropic(&server) };
    let ran = setup.run(&talks());
    assert_eq!(ran.outcome.unwrap(), setup.rules(&talks()));
    let estimate = ran.summary.estimate.unwrap();
    assert!(server.requests().is_empty() && ran.ledger.rows().is_empty());
    assert!(
        estimate.requests >= 1 && estimate.cost > Money(0) && estimate.over_budget.is_none(),
        "{estimate:?}"
    );
    // What is spent then is no more than what was said.
    setup.dry_run = false;
    let spent = setup.run(&talks()).summary.spent;
    assert!(spent.requests <= estimate.requests && spent.cost <= estimate.cost, "{spent:?} {estimate:?}");
    setup.budget.run_tokens = 10;
    setup.dry_run = true;
    let over = setup.run(&talks()).summary.estimate.unwrap().over_budget.unwrap();
    assert!(over.contains("run_tokens"), "{over}");
}

#[test]
fn the_ledger_has_a_row_for_each_call_and_no_word_of_it() {
    let server = quiet();
    let ran = Setup::openai(&server).run(&talks());
    let rows = ran.ledger.rows();
    assert_eq!(rows.len(), server.requests().len());
    for ((call, ended), request) in rows.iter().zip(server.requests()) {
        assert_eq!(call.request_bytes, request.body.len() as u64);
        assert_eq!(call.request_hash, blake3::hash(request.body.as_bytes()).to_hex().to_string());
        assert_eq!(ended.as_ref().unwrap().usage.total(), 150);
        assert!(!format!("{call:?}{ended:?}").contains("pnpm"));
    }
}

/// A report and the ledger that lies beside it are read together; where they differ nobody knows which of them is true.
#[test]
fn what_a_run_says_that_it_spent_is_what_the_ledger_has() {
    let counting = |from: &'static str, to: &'static str| {
        Server::start(move |request, _| {
            let text = stream(request, &answer(&request.batch(), &[]), None).replace(from, to);
            Act::plain(200, "text/event-stream", &text)
        })
    };
    let (absurd, huge) = ("\"input_tokens\":18446744073709551615", "\"output_tokens\":90000");
    for (what, server, overcounted) in [
        ("good", quiet(), false),
        ("absurd", counting("\"input_tokens\":90", absurd), true),
        ("more than was sent", counting("\"output_tokens\":50", huge), true),
        ("nothing counted", counting("\"usage\"", "\"other\""), false),
        ("unusable", Server::saying("no"), false),
        ("too late", Server::start(|_, _| Act::Hang(std::time::Duration::from_secs(3))), false),
        ("broken off", Server::start(|_, _| Act::Break(b"event: message_start\n".to_vec())), false),
        ("refused", Server::start(|_, _| Act::plain(401, "text/plain", "no")), false),
    ] {
        let mut setup = Setup { pretend_remote: true, ..Setup::anthropic(&server) };
        setup.settings.retries = 0;
        setup.settings.timeout_seconds = 1;
        setup.settings.max_output_tokens = 1_000;
        let ran = setup.run(&talks());
        let (said, kept) = (ran.summary.spent, ran.ledger.spent());
        assert!(kept.requests > 0, "{what}");
        assert_eq!(
            (said.tokens, said.requests, said.cost),
            (kept.tokens, kept.requests, kept.cost),
            "{what}: {:?}",
            ran.summary
        );
        assert_eq!(ran.summary.overcounted_tokens > 0, overcounted, "{what}: {:?}", ran.summary);
        let told = ran.summary.lines().join("\n");
        assert_eq!(told.contains("more were counted than can have been taken"), overcounted, "{told}");
        assert!(ran.summary.estimated_tokens <= said.tokens, "{what}: {:?}", ran.summary);
    }
}

#[test]
fn a_dry_run_names_what_the_budget_leaves_as_the_most_that_a_run_may_come_to() {
    let server = quiet();
    let mut setup = Setup { dry_run: true, pretend_remote: true, ..Setup::anthropic(&server) };
    setup.budget.run_tokens = 60_000;
    setup.budget.day_tokens = 50_000;
    setup.budget.project_cost = 0.25;
    let ran = setup.run(&talks());
    let most = ran.summary.estimate.as_ref().unwrap().at_most;
    assert_eq!((most.tokens, most.cost), (50_000, Money::dollars(0.25)));
    let told = ran.summary.lines().join("\n");
    assert!(told.contains("up to 50000 tokens and $0.2500 in all"), "{told}");
    // A model that answers nothing of use makes the run ask again, and still it keeps to that.
    let server = Server::saying("no");
    let mut setup = Setup { pretend_remote: true, budget: setup.budget, ..Setup::anthropic(&server) };
    setup.settings.retries = 0;
    let spent = setup.run(&talks()).summary.spent;
    assert!(spent.requests > 1 && spent.tokens <= most.tokens && spent.cost <= most.cost, "{spent:?}");
}

/// The settings bound a question by nidra's own estimate, so none is sent of which it knows better.
#[test]
fn no_question_is_longer_than_the_settings_allow() {
    let entry = "The pump house listens on port 4310, and its log lies beside the \"old\" one.";
    let paths: Vec<String> = (0..40).map(|number| format!("pump-{number}.md")).collect();
    let entries: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), entry)).collect();
    for limit in [1_000, 1_200, 1_500, 2_000, 3_000, 12_000] {
        for openai in [false, true] {
            let server = quiet();
            let mut setup = if openai { Setup::openai(&server) } else { Setup::anthropic(&server) };
            setup.memory = crate::setup::memory(&entries);
            setup.settings.max_input_tokens = limit;
            let ran = setup.run(&talks());
            let output = u64::from(setup.settings.max_output_tokens);
            for (call, _) in ran.ledger.rows() {
                let tokens = call.estimate.tokens - output;
                assert!(tokens <= limit.into(), "{tokens} tokens, at most {limit}");
            }
            if let Err(error) = &ran.outcome {
                let named = error.to_string().contains("`model.max_input_tokens`");
                assert!(named && server.requests().is_empty(), "{limit}: {error}");
            }
            assert!(ran.outcome.is_ok() || limit < 1_500, "{limit}: {:?}", ran.outcome);
            // A preview knows as well.
            setup.dry_run = true;
            let foreseen = setup.run(&talks()).summary;
            assert_eq!(foreseen.stopped, ran.summary.stopped, "{limit}");
            assert_eq!(foreseen.estimate.unwrap().requests == 0, server.requests().is_empty(), "{limit}");
        }
    }
}

/// What cannot be asked about is its session's, and holds up no other.
#[test]
fn a_statement_that_no_question_has_room_for_is_not_sent() {
    let long = format!(
        "Always run the checks of {} before each commit.",
        "the third pump house and ".repeat(6) + "the valves"
    );
    let server = quiet();
    let mut setup = Setup::anthropic(&server);
    let short = || rules_talk("short");
    // As little room as the short ones need.
    setup.settings.max_input_tokens = 1_000;
    while setup.run(&[short()]).outcome.is_err() {
        setup.settings.max_input_tokens += 10;
    }
    let ran = setup.run(&[short(), talk("long", &[&long])]);
    let failed =
        matches!(&ran.outcome, Err(EngineError::Failed(why)) if why.contains("`model.max_input_tokens`"));
    assert!(failed, "{:?}", ran.outcome);
    assert_eq!(ran.summary.faults["too-long"], 1, "{:?}", ran.summary);
    let sent = format!("{:?}", server.requests());
    assert!(sent.contains("pnpm") && !sent.contains("third pump house"));
}
