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
