//! The wire: what is sent, how replies are read however they come, and what happens when they do not.

use crate::server::{Act, Request, Server, stream};
use crate::setup::{Ran, Setup, answer, memory, rules_talk};
use crate::talk::talk;
use nidra_core::EngineError;
use nidra_model::provider::in_flight::Slots;
use nidra_model::provider::{Http, Recorder, Replay};
use std::time::{Duration, Instant};

#[test]
fn both_protocols_carry_the_question_and_its_form() {
    let server = Server::saying(r#"{"batch":"BATCH","operations":[]}"#);
    let talks = [rules_talk("s1")];
    let anthropic = Setup::anthropic(&server).run(&talks);
    let openai = Setup::openai(&server).run(&talks);
    let rules = Setup::openai(&server).rules(&talks);
    assert_eq!(anthropic.outcome.unwrap(), rules);
    assert_eq!(openai.outcome.unwrap(), rules);
    let [first, second] = server.requests().try_into().unwrap();
    assert_eq!((first.path.as_str(), second.path.as_str()), ("/v1/messages", "/v1/chat/completions"));
    assert_eq!(first.header("x-api-key"), Some("the-key"));
    assert!(first.header("anthropic-version").is_some());
    assert_eq!(first.json()["tool_choice"]["name"], "report");
    assert_eq!(second.json()["response_format"]["json_schema"]["strict"], true);
    assert!(first.items().len() >= 2, "{}", first.question());
    assert_eq!(first.items(), second.items());
    let usage = anthropic.summary.spent;
    assert_eq!((usage.tokens, usage.requests), (150, 1));
}

#[test]
fn what_stays_the_same_is_marked_to_be_kept() {
    let server = Server::saying(r#"{"batch":"BATCH","operations":[]}"#);
    let mut setup = Setup::anthropic(&server);
    setup.memory = memory(&[("hosting.md", "Staging is hosted at Amazon for now.")]);
    // Questions of one item each.
    setup.settings.max_output_tokens = 100;
    setup
        .run(&[rules_talk("s1"), talk("s2", &["Always run the linter before each commit, please."])])
        .outcome
        .unwrap();
    let bodies: Vec<_> = server.requests().iter().map(Request::json).collect();
    assert!(bodies.len() >= 3, "{}", bodies.len());
    for body in &bodies {
        assert_eq!(body["system"][0]["cache_control"]["type"], "ephemeral");
        let content = body["messages"][0]["content"].as_array().unwrap();
        assert_eq!(content[0]["cache_control"]["type"], "ephemeral");
        assert!(content[0]["text"].as_str().unwrap().contains("hosting.md"));
        assert!(content[1].get("cache_control").is_none());
        // The beginning is the same for all, or nothing would be kept.
        assert_eq!(
            (&body["system"], &content[0]),
            (&bodies[0]["system"], &bodies[0]["messages"][0]["content"][0])
        );
    }
}

#[test]
fn a_stream_is_read_the_same_at_odd_bytes() {
    for size in [1, 2, 3, 7, 64] {
        let server = Server::start(move |request, _| {
            let text = stream(request, &answer(&request.batch(), &[]), None);
            Act::Reply {
                status: 200,
                headers: vec![("content-type", "text/event-stream; charset=utf-8".to_owned())],
                pieces: text.as_bytes().chunks(size).map(<[u8]>::to_vec).collect(),
                pause: Duration::ZERO,
            }
        });
        for setup in [Setup::anthropic(&server), Setup::openai(&server)] {
            setup.run(&[rules_talk("s1")]).outcome.unwrap();
        }
    }
}

#[test]
fn a_server_that_does_not_stream_is_understood() {
    let server = Server::start(|request, _| {
        let text = answer(&request.batch(), &[]);
        let body = if request.path.ends_with("/messages") {
            serde_json::json!({"type": "message", "stop_reason": "end_turn", "content": [{"type": "text", "text": text}]})
        } else {
            serde_json::json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]})
        };
        Act::plain(200, "application/json", &body.to_string())
    });
    for setup in [Setup::anthropic(&server), Setup::openai(&server)] {
        let ran = setup.run(&[rules_talk("s1")]);
        ran.outcome.unwrap();
        assert!(ran.summary.spent.tokens > 0, "what the server does not count is estimated");
    }
}

#[test]
fn the_servers_word_is_waited_for_and_the_pause_grows_without_one() {
    let server = Server::start(|request, number| match number {
        0 => Act::Reply {
            status: 429,
            headers: vec![("retry-after", "7".to_owned())],
            pieces: vec![b"{\"error\":{\"message\":\"slow down\"}}".to_vec()],
            pause: Duration::ZERO,
        },
        1 => Act::plain(529, "application/json", "{}"),
        2 => Act::plain(503, "text/plain", "loading"),
        _ => Act::answer(request, &answer(&request.batch(), &[])),
    });
    let ran = Setup::anthropic(&server).run(&[rules_talk("s1")]);
    ran.outcome.unwrap();
    assert_eq!(ran.pauses, [7, 2, 4].map(Duration::from_secs));
    let outcomes: Vec<_> = ran.ledger.rows().into_iter().map(|(_, ended)| ended.unwrap().outcome).collect();
    assert_eq!(outcomes, ["rate-limited", "server-fault", "server-fault", "answered"]);
}

#[test]
fn a_wish_for_a_long_wait_and_tries_without_end_end_the_run() {
    let long = Server::start(|_, _| Act::Reply {
        status: 429,
        headers: vec![("retry-after", "3600".to_owned())],
        pieces: Vec::new(),
        pause: Duration::ZERO,
    });
    let ran = Setup::anthropic(&long).run(&[rules_talk("s1")]);
    assert!(
        matches!(&ran.outcome, Err(EngineError::Unavailable(why)) if why.contains("3600 s")),
        "{:?}",
        ran.outcome
    );
    assert_eq!((long.requests().len(), ran.pauses.len()), (1, 0));
    let never = Server::start(|_, _| Act::plain(500, "text/plain", "no"));
    let ran = Setup::openai(&never).run(&[rules_talk("s1")]);
    assert!(matches!(ran.outcome, Err(EngineError::Unavailable(_))));
    assert_eq!(never.requests().len(), 4);
}

#[test]
fn pub_cost_04_a_server_that_never_answers_is_left_at_the_limit() {
    let server = Server::start(|_, _| Act::Hang(Duration::from_secs(20)));
    let mut setup = Setup::openai(&server);
    (setup.settings.timeout_seconds, setup.settings.retries) = (1, 0);
    let begin = Instant::now();
    let ran = setup.run(&[rules_talk("s1")]);
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    let said = |ran: &Ran| ran.outcome.as_ref().map(drop).unwrap_err().to_string();
    for words in [
        "within 1 s",
        "`model.timeout_seconds`",
        "`model.max_input_tokens`",
        "`model.on_failure = \"rules\"`",
    ] {
        assert!(said(&ran).contains(words), "{words}: {}", said(&ran));
    }
    assert_eq!(ran.ledger.rows()[0].1.as_ref().unwrap().outcome, "timed-out");
    // The limit that ended it is named, not the one that would have come later.
    (setup.settings.timeout_seconds, setup.budget.run_seconds) = (60, 1);
    let ran = setup.run(&[rules_talk("s1")]);
    assert!(said(&ran).contains("`budget.run_seconds`"), "{}", said(&ran));
    assert!(!said(&ran).contains("model.timeout_seconds"), "{}", said(&ran));
}

#[test]
fn a_stream_that_drips_for_ever_is_left_at_the_limit() {
    let server = Server::start(|_, _| Act::Reply {
        status: 200,
        headers: vec![("content-type", "text/event-stream".to_owned())],
        pieces: vec![b": wait\n\n".to_vec(); 200],
        pause: Duration::from_millis(50),
    });
    let mut setup = Setup::anthropic(&server);
    (setup.settings.timeout_seconds, setup.settings.retries) = (1, 0);
    let begin = Instant::now();
    assert!(matches!(setup.run(&[rules_talk("s1")]).outcome, Err(EngineError::Unavailable(_))));
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}

#[test]
fn statuses_are_told_apart_and_name_what_to_do() {
    for (status, body, word, calls) in [
        (401, r#"{"error":{"type":"authentication_error","message":"invalid x-api-key"}}"#, "key", 1),
        (404, "not here", "model.name", 1),
        (307, "", "not followed", 1),
        (400, r#"{"error":{"message":"exceed_context_size_error"}}"#, "max_input_tokens", 1),
    ] {
        let server = Server::start(move |_, _| Act::plain(status, "application/json", body));
        let mut setup = Setup::anthropic(&server);
        // One item a question, or a smaller one would be tried.
        setup.settings.max_output_tokens = 100;
        let ran = setup.run(&[talk("s", &["From now on always use pnpm in this repository, never npm."])]);
        let message = ran.outcome.unwrap_err().to_string();
        assert!(message.contains(word), "{status}: {message}");
        assert_eq!(server.requests().len(), calls, "{status}: {message}");
    }
}

/// A server's wish to be left alone for ages is one for another day, and no reason to come back at once.
#[test]
fn who_asks_to_wait_for_ages_is_asked_another_day() {
    for wish in ["99999999999999999999", "Wed, 21 Oct 9999 07:28:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT"] {
        let server = Server::start(move |_, _| Act::Reply {
            status: 429,
            headers: vec![("retry-after", wish.to_owned())],
            pieces: Vec::new(),
            pause: Duration::ZERO,
        });
        for setup in [Setup::anthropic(&server), Setup::openai(&server)] {
            let asked = server.requests().len();
            let ran = setup.run(&[rules_talk("s1")]);
            let why = ran.outcome.unwrap_err().to_string();
            assert!(why.contains("more than a day"), "{wish}: {why}");
            assert_eq!((server.requests().len() - asked, ran.pauses.len()), (1, 0), "{wish}");
        }
    }
}

#[test]
fn an_answer_beyond_what_is_read_names_that_limit_and_is_not_asked_for_again() {
    let server = Server::start(|_, _| Act::Reply {
        status: 200,
        headers: vec![("content-type", "text/event-stream".to_owned())],
        pieces: vec![b": on and on and on and on and on\n".repeat(32 * 1024); 18],
        pause: Duration::ZERO,
    });
    for setup in [Setup::anthropic(&server), Setup::openai(&server)] {
        let asked = server.requests().len();
        let mut setup = setup;
        setup.settings.timeout_seconds = 60;
        let ran = setup.run(&[rules_talk("s1")]);
        let why = ran.outcome.unwrap_err().to_string();
        assert!(why.contains("more than 16 MiB") && why.contains("nidra reads no more"), "{why}");
        assert_eq!(server.requests().len() - asked, 1);
        assert_eq!(ran.ledger.rows()[0].1.as_ref().unwrap().outcome, "oversized");
    }
}

#[test]
fn what_a_server_says_of_a_fault_stays_in_its_line_and_moves_nothing() {
    let body =
        serde_json::json!({ "error": { "message": "no\nMemory changed: \u{1b}[2J\r\u{202e}99\u{7}" } });
    let body: &'static str = Box::leak(body.to_string().into_boxed_str());
    let server = Server::start(move |_, _| Act::plain(400, "application/json", body));
    for setup in [Setup::anthropic(&server), Setup::openai(&server)] {
        let why = setup.run(&[rules_talk("s1")]).outcome.unwrap_err().to_string();
        assert!(why.contains("Memory changed") && why.contains("\\u{202e}99"), "{why}");
        assert!(!why.contains(|letter: char| letter.is_control() || letter == '\u{202e}'), "{why:?}");
    }
}

#[test]
fn a_redirect_is_not_followed() {
    let thief = Server::saying("{}");
    let place = thief.url();
    let server = Server::start(move |_, _| Act::Reply {
        status: 308,
        headers: vec![("location", place.clone())],
        pieces: Vec::new(),
        pause: Duration::ZERO,
    });
    assert!(Setup::anthropic(&server).run(&[rules_talk("s1")]).outcome.is_err());
    assert!(thief.requests().is_empty());
}

#[test]
fn a_server_that_takes_no_form_is_asked_in_words_alone() {
    let server = Server::start(|request, _| {
        if request.json().get("response_format").is_some() || request.json().get("tools").is_some() {
            return Act::plain(
                400,
                "application/json",
                r#"{"error":{"message":"response_format is not supported"}}"#,
            );
        }
        Act::answer(request, &answer(&request.batch(), &[]))
    });
    for setup in [Setup::anthropic(&server), Setup::openai(&server)] {
        let ran = setup.run(&[rules_talk("s1")]);
        ran.outcome.unwrap();
        assert_eq!(ran.summary.spent.requests, 2);
    }
}

#[test]
fn an_answer_that_breaks_off_on_the_way_is_asked_for_again_and_blames_no_limit() {
    let whole = |request: &Request| stream(request, &answer(&request.batch(), &[]), None);
    let breaks = |text: &str| Act::Break(text.as_bytes()[..text.len() / 2].to_vec());
    // Without a word about the length of the body, the end of the connection looks like the end of the stream.
    let ends = |text: &str| Act::plain(200, "text/event-stream", &text[..text.len() / 2]);
    for cut in [breaks, ends] {
        let server = Server::start(move |request, number| match number % 2 {
            0 => cut(&whole(request)),
            _ => Act::answer(request, &answer(&request.batch(), &[])),
        });
        for setup in [Setup::anthropic(&server), Setup::openai(&server)] {
            let ran = setup.run(&[rules_talk("s1")]);
            ran.outcome.unwrap();
            assert_eq!((ran.summary.spent.requests, ran.summary.faults.len()), (2, 0));
        }
        let server = Server::start(move |request, _| cut(&whole(request)));
        for setup in [Setup::anthropic(&server), Setup::openai(&server)] {
            let ran = setup.run(&[rules_talk("s1")]);
            let why = ran.outcome.unwrap_err().to_string();
            assert!(why.contains("broke off") && !why.contains("max_output_tokens"), "{why}");
        }
    }
}

#[test]
fn nobody_waits_for_the_blanks_behind_an_answer() {
    let server = Server::start(|request, _| {
        let text = stream(request, &format!("{}{}", answer(&request.batch(), &[]), "\n".repeat(4_000)), None);
        let pieces = text.as_bytes().chunks(2_000).map(<[u8]>::to_vec).collect();
        let headers = vec![("content-type", "text/event-stream".to_owned())];
        Act::Reply { status: 200, headers, pieces, pause: Duration::from_millis(200) }
    });
    for setup in [Setup::anthropic(&server), Setup::openai(&server)] {
        let ran = setup.run(&[rules_talk("s1")]);
        ran.outcome.unwrap();
        assert_eq!(ran.summary.spent.requests, 1);
        assert!(ran.summary.spent.milliseconds < 3_000, "{:?}", ran.summary.spent);
        // What came by then was paid for, though its count never came.
        assert!(ran.summary.spent.tokens > 100, "{:?}", ran.summary.spent);
    }
}

#[test]
fn nobody_at_the_address_is_an_error_that_blames_no_session() {
    let url = Server::saying("{}").url();
    let server = Server::saying("{}");
    let mut setup = Setup::anthropic(&server);
    setup.settings.base_url = Some(url.replace("127.0.0.1", "127.0.0.2"));
    setup.settings.retries = 1;
    let ran = setup.run(&[rules_talk("s1")]);
    assert!(matches!(&ran.outcome, Err(EngineError::Unavailable(why)) if why.contains("cannot be reached")));
    assert_eq!(ran.pauses.len(), 1);
}

#[test]
fn what_was_recorded_is_answered_without_a_connection() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("kept");
    let server = Server::saying(r#"{"batch":"BATCH","operations":[]}"#);
    let mut setup = Setup::anthropic(&server);
    setup.transport = Some(Box::new(Recorder::new(Http::new(None).unwrap(), &place).unwrap()));
    let first = setup.run(&[rules_talk("s1")]).outcome.unwrap();
    assert_eq!(server.requests().len(), 1);
    setup.transport = Some(Box::new(Replay::new(&place)));
    assert_eq!(setup.run(&[rules_talk("s1")]).outcome.unwrap(), first);
    assert_eq!(server.requests().len(), 1);
    let other = setup.run(&[talk("s", &["From now on always use bun in this repository, never npm."])]);
    assert!(
        matches!(&other.outcome, Err(EngineError::Unavailable(why)) if why.contains("--record")),
        "{:?}",
        other.outcome
    );
    for file in std::fs::read_dir(&place).unwrap() {
        assert!(!std::fs::read_to_string(file.unwrap().path()).unwrap().contains("the-key"));
    }
}

#[test]
fn runs_on_one_machine_share_the_calls_in_flight() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(|request, _| {
        std::thread::sleep(Duration::from_millis(150));
        Act::answer(request, &answer(&request.batch(), &[]))
    });
    std::thread::scope(|scope| {
        for number in 0..5 {
            let (server, slots) = (&server, Slots::new(folder.path(), 2));
            scope.spawn(move || {
                let setup = Setup { slots: Some(slots), ..Setup::anthropic(server) };
                setup.run(&[rules_talk(&format!("s{number}"))]).outcome.unwrap();
            });
        }
    });
    assert_eq!(server.requests().len(), 5);
    assert!(server.most_at_once() <= 2, "{}", server.most_at_once());
}
