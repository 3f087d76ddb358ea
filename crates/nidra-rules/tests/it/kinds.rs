//! Kinds of talk that decide what memory says: values that change, words that are taken back or belong to others,
//! choices, and how all of it is said.

use crate::talk::{Talk, dream, kept, memory, stated, talk};
use nidra_core::{Change, Kind, Outcome};

/// The new words of the entry that says `old`.
fn superseded(outcome: &Outcome, old: &str) -> Option<String> {
    outcome.operations.iter().find_map(|operation| match &operation.change {
        Change::Supersede { target, text, .. } if target.text.contains(old) => Some(text.clone()),
        _ => None,
    })
}

/// What an entry says after the human answered the agent.
fn after(entry: &str, asked: &str, agent: &str, answer: &str) -> Option<String> {
    let known = memory(&[("notes", Kind::Project, &[entry, "The wiki is read-only."])]);
    let outcome = dream(&[talk().human(asked).agent(agent).human(answer).agent("OK.").done()], &known);
    superseded(&outcome, entry)
}

#[test]
fn a_new_value_goes_into_the_statement_that_gave_the_old_one() {
    let cases = [
        (
            "Reading rooms may be booked 14 days ahead.",
            "people ask for longer bookings",
            "The limit is 14 days.",
            "raise it to 30 days, the board agreed",
            "Reading rooms may be booked 30 days ahead.",
        ),
        (
            "The scanner client retries 4 times.",
            "hi",
            "Hello.",
            "scanner retries are 9 now, not 4",
            "The scanner client retries 9 times.",
        ),
        (
            "The preview server runs on port 4100.",
            "preview does not open",
            "Is it still port 4100?",
            "no, 4620. the queue page took 4100",
            "The preview server runs on port 4620.",
        ),
        (
            "The staging box is barley-02.example.test.",
            "deploy to staging",
            "Deploying to barley-02.example.test.",
            "the old box is dead, staging is hops-01.example.test",
            "The staging box is hops-01.example.test.",
        ),
        (
            "Use Mocha for unit tests.",
            "add a test",
            "I'll write it with Mocha.",
            "mocha is history, we're on vitest",
            "Use Vitest for unit tests.",
        ),
        (
            "Firmware signing questions go to Odalys.",
            "who signs",
            "Odalys does.",
            "odalys left in march. ask Teodor",
            "Firmware signing questions go to Teodor.",
        ),
        (
            "The depot API runs on port 7070, logs go to /var/log/depot.",
            "hi",
            "Hello.",
            "the depot api moved to port 7443",
            "The depot API runs on port 7443, logs go to /var/log/depot.",
        ),
        (
            "扫码枪接口的超时是 30 秒。",
            "扫码枪又卡了",
            "现在超时 30 秒。",
            "降到 8 秒",
            "扫码枪接口的超时是 8 秒。",
        ),
        (
            "单个会员的借书上限是 5 本。",
            "在吗",
            "在。",
            "借书上限提到 12 本了",
            "单个会员的借书上限是 12 本。",
        ),
        (
            "编目规则找老葛确认。",
            "编目改吗",
            "先找老葛确认。",
            "老葛调走了，现在编目归小岚管",
            "编目规则找小岚确认。",
        ),
        (
            "API 网关用 Kong。",
            "网关加个路由",
            "我在 Kong 里加。",
            "别，kong 早就下了，现在 gateway 是 APISIX",
            "API 网关用 APISIX。",
        ),
    ];
    for (entry, asked, agent, answer, new) in cases {
        let text = after(entry, asked, agent, answer);
        assert!(
            text.as_deref().is_some_and(|text| text.starts_with(new.trim_end_matches(['.', '。']))),
            "{answer}: {text:?}"
        );
    }
}

#[test]
fn another_subject_passing_values_and_guesses_revise_nothing() {
    for (entry, answer) in [
        (
            "The depot API timeout is 20 seconds.",
            "the export worker needs 90 seconds timeout, always, pdfs are slow",
        ),
        ("The worker pool has 8 workers.", "bump the pool to 16 just for this run"),
        ("Upload quota is 200 MB.", "maybe we could raise the quota to 500 MB someday?"),
        ("入库接口的超时是 20 秒。", "导出任务的超时一律设 90 秒，生成 pdf 很慢"),
        ("Deploys go out on Mondays.", "sales wants deploys on fridays from now on"),
    ] {
        assert_eq!(after(entry, "hi", "Hello.", answer), None, "{answer}");
    }
}

#[test]
fn the_index_line_says_what_is_true_now_and_what_still_is() {
    let known = memory(&[(
        "mix",
        Kind::Project,
        &["Deploys go out on Mondays.", "Staging is staging-a.example.test.", "The wiki is Confluence."],
    )]);
    let outcome = dream(
        &[talk()
            .human("hi")
            .human("argh!! i keep telling everyone: deploys go out on wednesdays now, not mondays")
            .agent("OK.")
            .human("staging is staging-b.example.test now, the a box is gone")
            .agent("OK.")
            .done()],
        &known,
    );
    let hooks: Vec<&str> = outcome
        .operations
        .iter()
        .filter_map(|operation| match &operation.change {
            Change::Supersede { hook: Some(hook), .. } => Some(hook.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(hooks.len(), 2, "{:?}", outcome.operations);
    for hook in hooks {
        for word in ["Wednesdays", "staging-b", "Confluence"] {
            assert!(hook.contains(word), "{hook}");
        }
        for word in ["Mondays", "staging-a", "argh", "keep"] {
            assert!(!hook.contains(word), "{hook}");
        }
    }
}

#[test]
fn what_is_taken_back_is_kept_in_no_form() {
    let turns: &[(&str, &str, &str)] = &[
        (
            "rule: every pr needs two screenshots",
            "hm forget the screenshot rule, too much work",
            "screenshot",
        ),
        ("we always tag releases with the sprint name", "scratch the sprint name thing", "sprint name"),
        (
            "rule for you: no abbreviations in column names",
            "never mind that rule, the export needs them",
            "abbreviations",
        ),
        ("以后提交都要带截图编号", "截图编号那条还是算了，没人看", "截图编号"),
        ("以后接口文档都写在飞书", "上次说的飞书文档那条作废", "飞书"),
    ];
    for (rule, back, word) in turns {
        let same = kept(talk().human("hi").human(rule).agent("OK.").human(back).agent("OK."));
        assert!(!same.iter().any(|entry| entry.contains(word)), "{back}: {same:?}");
        let first = Talk::at("s1", "2026-05-04T09:00:00Z").human("hi").human(rule).agent("OK.").done();
        let second = Talk::at("s2", "2026-05-06T09:00:00Z").human("hi").human(back).agent("OK.").done();
        let outcome = dream(&[first, second], &memory(&[]));
        // In another session only a dismissal that names its object reaches back.
        if !back.contains("that rule") {
            let later = stated(&outcome);
            assert!(!later.iter().any(|entry| entry.contains(word)), "{back}: {later:?}");
        }
    }
    for breath in ["always squash before merging. no wait, never mind that", "统一用 tab 缩进。嗯……当我没说"]
    {
        let entries = kept(talk().human("hi").human(breath).agent("OK."));
        assert!(entries.is_empty(), "{breath}: {entries:?}");
    }
}

#[test]
fn anothers_wish_is_kept_only_when_the_person_takes_it_over() {
    for wish in [
        "qa guy says we should always run the suite twice before merging",
        "a colleague suggested to never use enums in the api",
        "marketing wants every page to load the tracker",
        "网上说所有表都必须加软删除",
        "老王说以后接口一律用 GraphQL",
        "产品想把首页都改成视频",
    ] {
        let entries = kept(talk().human("hi").human(wish).agent("OK."));
        assert!(entries.is_empty(), "{wish}: {entries:?}");
    }
    let entries = kept(
        talk()
            .human("hi")
            .human("Ludmila says we should never log member ids, and she's right, do it that way")
            .agent("OK."),
    );
    assert!(
        entries.iter().any(|entry| entry.contains("never log member ids") && !entry.contains("Ludmila")),
        "{entries:?}"
    );
    let entries =
        kept(talk().human("在").human("老周说读者证号不能写进日志，他说得对，以后就按这个来").agent("好"));
    assert!(entries.iter().any(|entry| entry.contains("读者证号不能写进日志")), "{entries:?}");
}

#[test]
fn soft_openers_imagine() {
    for idea in [
        "was thinking maybe we move all the jobs to temporal",
        "would it be crazy to drop the orm and always write plain sql",
        "sometimes i wonder if we should just always deploy on fridays",
        "part of me wants to switch everything to deno",
        "你说咱们要是全换成 gRPC 会不会好点",
        "要不以后都用 monorepo？感觉也不错",
        "我在想是不是都改成异步",
    ] {
        let entries = kept(talk().human("hi").human(idea).agent("Hm."));
        assert!(entries.is_empty(), "{idea}: {entries:?}");
    }
}

#[test]
fn a_chosen_option_is_a_decision_with_its_subject_and_reason() {
    let offer = "Options:\n\n1. Memcached: shared, one more service.\n2. lru in-process: no service.\n\nI'd take lru.";
    let entries = kept(
        talk()
            .human("caching: memcached or in-process?")
            .agent(offer)
            .human("lru then. less to page us at night"),
    );
    assert!(
        entries
            .iter()
            .any(|entry| entry.contains("Caching: lru in-process. **Why:** less to page us at night")),
        "{entries:?}"
    );
    let offer = "两个方案：Redis，或者进程内的 freecache。建议 freecache。";
    let entries =
        kept(talk().human("缓存用什么好").agent(offer).human("那就 freecache，门店没有人维护 Redis"));
    assert!(
        entries.iter().any(|entry| entry == "缓存用 freecache。**原因：**门店没有人维护 Redis。"),
        "{entries:?}"
    );
}

#[test]
fn a_correction_of_a_command_names_what_it_corrects() {
    let entries = kept(
        talk()
            .human("commit it")
            .run("git commit -m 'WIP stuff'", "ok", false)
            .human("no wip subjects please. ticket number first, then what changed")
            .agent("Amended."),
    );
    assert!(entries.iter().any(|entry| entry.starts_with("Commit messages: no wip subjects")), "{entries:?}");
}

#[test]
fn fillers_and_first_person_are_left_out() {
    let entries = kept(
        talk()
            .human("hi")
            .agent("Hello.")
            .human("ah yes, and while you're at it: dates in the api are always utc, no local times. i keep forgetting to tell people")
            .agent("OK."),
    );
    assert_eq!(entries, ["Dates in the api are always utc, no local times."]);
}

#[test]
fn spans_that_lie_ahead_become_dates() {
    // 2026-05-12 is a Tuesday.
    for (text, date) in [
        ("in three weeks the old api gets switched off, all clients have to be on v2 by then", "2026-06-02"),
        (
            "the licence of the map tiles expires at the end of next month, it must be renewed before",
            "2026-06-30",
        ),
        ("下个月底闭馆装修，装修前必须把离线包发出去", "2026-06-30"),
        ("大后天馆庆，当天不准发版", "2026-05-15"),
    ] {
        let entries = kept(talk().human("hi").human(text).agent("OK."));
        assert!(entries.iter().any(|entry| entry.contains(date)), "{text}: {entries:?}");
    }
    let entries = kept(talk().human("hi").human("the gpu budget is 900 a month from now on").agent("OK."));
    assert!(!entries.iter().any(|entry| entry.contains("2026")), "{entries:?}");
}

#[test]
fn the_same_kind_of_value_of_other_things_replaces_nothing() {
    let services = ["worker", "gateway", "mailer"];
    let mut english = talk();
    for (number, service) in (1..).zip(services) {
        english = english
            .human(&format!("the {service} listens on port 9{number}00 in development now, not 808{number}"))
            .agent("Noted.");
    }
    let told = kept(english);
    assert!(
        services.iter().all(|service| told.iter().any(|text| text.to_lowercase().contains(service))),
        "{told:?}"
    );
    let told = kept(
        talk()
            .human("订单服务的端口现在改成 9100 了，不是 8081")
            .agent("收到。")
            .human("网关的端口现在改成 9200 了，不是 8082")
            .agent("收到。"),
    );
    assert!(["9100", "9200"].iter().all(|port| told.iter().any(|text| text.contains(port))), "{told:?}");
}
