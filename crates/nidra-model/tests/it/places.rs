//! What stays on this machine.

use crate::server::Server;
use crate::setup::{Setup, memory, rules_talk};
use crate::talk::talk;
use nidra_core::EntryId;

fn quiet() -> Server {
    Server::saying(r#"{"batch":"BATCH","operations":[]}"#)
}

#[test]
fn pub_sec_03_a_session_that_stays_is_judged_by_the_rules_and_no_byte_of_it_is_sent() {
    let private =
        talk("private-7", &["From now on always deploy Zanzibar from the bunker, never from home."]);
    for pattern in ["private-*", "*/private-7"] {
        let server = quiet();
        let mut setup = Setup { pretend_remote: true, ..Setup::anthropic(&server) };
        setup.settings.local_sessions = vec![pattern.to_owned()];
        let talks = [private.clone(), rules_talk("s1")];
        let ran = setup.run(&talks);
        let outcome = ran.outcome.unwrap();
        assert!(format!("{outcome:?}").contains("Zanzibar"), "the rules keep it");
        assert_eq!(ran.summary.withheld, 1);
        assert!(!server.requests().is_empty());
        for request in server.requests() {
            assert!(!request.body.contains("Zanzibar") && !request.body.contains("bunker"));
        }
    }
}

#[test]
fn a_model_on_this_machine_may_see_it() {
    let server = quiet();
    let mut setup = Setup::anthropic(&server);
    setup.settings.local_sessions = vec!["*".to_owned()];
    let ran = setup.run(&[rules_talk("s1")]);
    assert!(ran.outcome.is_ok() && ran.summary.withheld == 0);
    assert!(server.requests()[0].body.contains("pnpm"));
}

#[test]
fn entries_that_rest_on_what_stays_are_not_shown() {
    let server = quiet();
    let mut setup = Setup { pretend_remote: true, ..Setup::openai(&server) };
    let (shown, kept) = ("Staging is hosted at Amazon for now.", "Staging at Amazon is paid by Zanzibar.");
    setup.memory = memory(&[("a.md", shown), ("b.md", kept)]);
    setup.private.insert(EntryId::of("b.md", kept));
    setup.run(&[rules_talk("s1")]).outcome.unwrap();
    let body = &server.requests()[0].body;
    assert!(body.contains("Amazon for now") && !body.contains("Zanzibar"));
}
