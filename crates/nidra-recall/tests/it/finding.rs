//! What is found, in both languages, and in which order.

use crate::talk::{By, Home};

fn first(home: &Home, question: &str) -> String {
    home.ask(question).first().map(|found| found.text.clone()).unwrap_or_default()
}

#[test]
fn words_identifiers_paths_and_codes_are_found_in_both_languages() {
    let home = Home::new();
    home.say(
        1,
        &[
            (1, By::Human, "the retries live in fetchWithBackoff, not in the caller"),
            (2, By::Agent, "I put the limit into src/net/retry_policy.rs"),
            (3, By::Human, "测试环境的数据库端口是 5433，别用默认的"),
            (4, By::Agent, "error E0308 came from the mismatched return type"),
            (5, By::Human, "lunch was good today"),
        ],
    );
    for (question, words) in [
        ("where are retries handled?", "fetchWithBackoff"),
        ("fetch_with_backoff", "fetchWithBackoff"),
        ("retry_policy.rs", "src/net/retry_policy.rs"),
        ("E0308", "E0308"),
        ("数据库的端口是多少？", "5433"),
        ("mismatching returns", "E0308"),
    ] {
        assert!(first(&home, question).contains(words), "{question}: {}", first(&home, question));
    }
    assert!(home.ask("kubernetes ingress").is_empty(), "nothing known is an answer");
}

#[test]
fn a_person_goes_before_the_agent_and_a_reply_is_found_by_what_it_answers() {
    let home = Home::new();
    home.say(
        1,
        &[
            (1, By::Agent, "the colour of the banner is green"),
            (2, By::Human, "something else entirely"),
            (3, By::Agent, "and again other things"),
            (4, By::Human, "the colour of the banner is blue"),
        ],
    );
    home.say(
        2,
        &[
            (1, By::Agent, "Which mirror should the installer download from?"),
            (2, By::Human, "the one in Oslo"),
        ],
    );
    assert_eq!(first(&home, "banner colour"), "the colour of the banner is blue");
    let found = home.ask("installer download mirror");
    let reply = found.iter().find(|found| found.text == "the one in Oslo").unwrap();
    assert!(reply.reasons.contains(&"next to a match"), "{:?}", reply.reasons);
}

#[test]
fn the_newest_value_stands_first_and_the_old_one_is_marked() {
    let home = Home::new();
    home.say(
        1,
        &[
            (1, By::Human, "our monthly budget for cloud servers is $4,000, keep that in mind"),
            (2, By::Agent, "noted"),
        ],
    );
    home.say(
        2,
        &[
            (600, By::Human, "finance has increased the budget for servers to $5,500"),
            (601, By::Agent, "good"),
        ],
    );
    home.say(3, &[(700, By::Human, "the invoice system speaks XML"), (701, By::Agent, "yes")]);
    let found = home.ask("What is the monthly budget for cloud servers?");
    assert!(found[0].text.contains("$5,500"), "{found:#?}");
    let old = found.iter().find(|found| found.text.contains("$4,000")).unwrap();
    assert_eq!(old.replaced_by.as_ref(), Some(&found[0].record));
    let history = home.ask("What was the monthly budget for cloud servers before?");
    assert!(history.iter().all(|found| found.replaced_by.is_none()), "history is asked for");
}

#[test]
fn times_in_the_question_and_limits_are_kept() {
    let home = Home::new();
    home.say(1, &[(1, By::Human, "deploy the parser"), (1_000, By::Human, "deploy the scanner")]);
    let since = "2026-05-04T10:00:00Z".parse().unwrap();
    let found = home.ask_since("deploy", Some(since));
    assert_eq!(found.iter().map(|found| found.text.as_str()).collect::<Vec<_>>(), ["deploy the scanner"]);
    for question in ["what did we deploy the day before yesterday?", "前天部署了什么 deploy"] {
        let found = home.ask(question);
        assert!(found[0].reasons.contains(&"the time asked for"), "{question}: {:?}", found[0].reasons);
    }
}

#[test]
fn standing_instructions_answer_requests_that_share_no_word_with_them() {
    let home = Home::new();
    home.say(
        1,
        &[
            (1, By::Human, "Always put type hints on every function, I prefer that"),
            (2, By::Agent, "sure"),
            (3, By::Human, "the weather module reads a file"),
        ],
    );
    let found = home.ask("Could you show me how to implement a cache?");
    assert!(found.iter().any(|found| found.text.contains("type hints")), "{found:#?}");
}

#[test]
fn a_value_is_replaced_by_a_newer_one_of_its_kind_only() {
    let home = Home::new();
    let noise = "the parser and the scanner share one buffer";
    home.say(
        1,
        &[
            (1, By::Human, "the review meeting with Dana takes place at 3 PM"),
            (5, By::Human, "the load test of the gateway took 40 minutes"),
            (9, By::Human, "Ann: I have been learning the cello for 2 years"),
            (12, By::Human, noise),
        ],
    );
    home.say(
        2,
        &[
            (600, By::Human, "Dana wrote, so remind me that the review meeting is rescheduled to 4:30 PM"),
            (605, By::Human, "the load test of the gateway reached 900 requests"),
            (609, By::Human, "Ben: I have been learning the cello for 6 years"),
            (612, By::Human, noise),
        ],
    );
    let holds = |question: &str, words: &str| {
        let found = home.ask(question);
        let one = found.iter().find(|found| found.text.contains(words));
        one.unwrap_or_else(|| panic!("{question}: {found:#?}")).replaced_by.is_none()
    };
    let meeting = home.ask("What time is the review meeting with Dana?");
    assert!(meeting[0].text.contains("4:30"), "{meeting:#?}");
    assert!(!holds("What time is the review meeting with Dana?", "3 PM"));
    assert!(
        holds("How long did the load test of the gateway take?", "40 minutes"),
        "requests are no minutes"
    );
    assert!(holds("How long has Ann been learning the cello?", "2 years"), "two people each have their own");
}

#[test]
fn an_order_is_told_from_a_habit() {
    let home = Home::new();
    home.say(
        1,
        &[
            (1, By::Human, "I have never deployed the billing page, it always stays on my laptop"),
            (2, By::Agent, "sure"),
            (3, By::Human, "Always add the units to a table."),
            (4, By::Agent, "sure"),
            (5, By::Human, "the weather was fine"),
        ],
    );
    let found = home.ask("Can you show me how to draw a chart?");
    let standing = |words: &str| {
        found.iter().any(|one| one.text.contains(words) && one.reasons.contains(&"a standing instruction"))
    };
    assert!(standing("units") && !standing("billing"), "{found:#?}");
}

#[test]
fn the_agents_own_words_come_first_where_they_are_asked_for() {
    let home = Home::new();
    home.say(
        1,
        &[
            (1, By::Human, "how should the storage layout of the archive look"),
            (2, By::Agent, "I recommend a storage layout of the archive by month"),
        ],
    );
    assert!(first(&home, "Which storage layout of the archive did you recommend?").contains("by month"));
    assert!(first(&home, "the storage layout of the archive").contains("should"));
}
