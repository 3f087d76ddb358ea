//! Each state of talk: what is kept and what is not.

use crate::talk::{Talk, dream, kept, memory, stated, talk};
use nidra_core::{Change, Kind, MemoryView, TrustRank};

fn holds(entries: &[String], words: &[&str]) -> bool {
    entries.iter().any(|entry| words.iter().all(|word| entry.to_lowercase().contains(&word.to_lowercase())))
}

#[test]
fn a_standing_rule_is_kept_with_its_reason() {
    let entries = kept(talk().human("fix the header").agent("Done, with a global stylesheet.").human(
        "no. styles always live next to their component, never in a global sheet. we had four years of leaking selectors",
    ));
    assert!(holds(&entries, &["always live next to their component", "leaking selectors"]), "{entries:?}");
    let entries = kept(
        talk()
            .human("改一下导出")
            .agent("已改成全量导出。")
            .human("导出一律走异步任务，不准在请求里同步跑，上个月就因为这个把网关拖垮了"),
    );
    assert!(holds(&entries, &["一律走异步任务", "网关"]), "{entries:?}");
}

#[test]
fn one_piece_of_work_is_not_kept() {
    for text in [
        "add a loading spinner to the upload button",
        "rename that variable to total",
        "can you rerun the job please",
        "帮我把按钮颜色改成蓝色",
        "跑一下单测",
        "看看这个报错怎么回事",
    ] {
        let entries = kept(talk().human(text).agent("Done."));
        assert!(entries.is_empty(), "{text}: {entries:?}");
    }
}

#[test]
fn what_is_only_imagined_is_not_kept() {
    for (idea, back) in [
        ("what if we rewrote the scheduler in elixir?", "haha no, just thinking aloud"),
        ("should we maybe move everything to a monorepo?", "never mind"),
        ("要不要把缓存换成 Memcached？", "随便想想的，当我没说"),
        ("如果我们上 Serverless 会不会便宜点？", "只是问问"),
    ] {
        let entries = kept(talk().human("hello").human(idea).agent("It has pros and cons.").human(back));
        assert!(entries.is_empty(), "{idea}: {entries:?}");
    }
}

#[test]
fn a_rule_that_is_taken_back_is_dropped() {
    let outcome = dream(
        &[talk()
            .human("new rule: always run the load tests before each merge")
            .agent("OK, load tests before each merge.")
            .human("that takes an hour. scrap that rule")
            .done()],
        &MemoryView::default(),
    );
    assert!(stated(&outcome).is_empty(), "{:?}", stated(&outcome));
    assert!(outcome.dropped.iter().any(|dropped| dropped.reason.contains("taken back")));
    let entries =
        kept(talk().human("以后每次提交都要附截图").agent("好的。").human("太麻烦了，刚才那条作废"));
    assert!(entries.is_empty(), "{entries:?}");
}

#[test]
fn a_dismissed_idea_does_not_take_the_rule_before_it_along() {
    let entries = kept(
        talk()
            .human("hi")
            .human("the exports must never contain e-mail addresses, legal insists on it")
            .agent("Understood.")
            .human("what if we encrypted them all with age?")
            .agent("Possible.")
            .human("nah, just curious"),
    );
    assert!(holds(&entries, &["never contain e-mail addresses"]), "{entries:?}");
}

#[test]
fn the_last_word_on_a_subject_wins() {
    let first = Talk::at("s1", "2026-05-04T09:00:00Z")
        .human("hi")
        .agent("Options for the queue: RabbitMQ, NATS or SQS.")
        .human("rabbitmq then. we use rabbitmq for all jobs, everybody knows it")
        .agent("OK, RabbitMQ.")
        .done();
    let second = Talk::at("s2", "2026-05-11T09:00:00Z")
        .human("hi")
        .human("scrap rabbitmq, we use nats for the jobs now. rabbitmq lost messages twice")
        .agent("Understood.")
        .done();
    let outcome = dream(&[first, second], &MemoryView::default());
    let entries = stated(&outcome);
    assert!(entries.iter().any(|entry| entry.to_lowercase().contains("use nats")), "{entries:?}");
    assert!(!holds(&entries, &["rabbitmq then"]), "{entries:?}");
    assert!(outcome.dropped.iter().any(|dropped| dropped.text.contains("rabbitmq for all jobs")));
}

#[test]
fn a_guess_of_the_agent_that_was_denied_is_not_kept() {
    let entries = kept(
        talk()
            .human("hi")
            .human("the worker stops after an hour")
            .agent("The cause is the memory limit of the `worker` pod, because `WORKER_MAX` is 512.")
            .human("no, it's the idle timeout of the load balancer, 3600 s, always has been"),
    );
    assert!(!holds(&entries, &["memory limit"]), "{entries:?}");
    assert!(holds(&entries, &["idle timeout"]), "{entries:?}");
}

#[test]
fn a_finding_that_the_human_agreed_to_is_confirmed() {
    let outcome = dream(
        &[talk()
            .human("the import is stuck")
            .run("make import", "error: deadlock", true)
            .run("make import JOBS=1", "ok", false)
            .agent("It works with `JOBS=1`: two writers of `orders.db` deadlock because SQLite locks the whole file.")
            .human("great find, thanks")
            .done()],
        &MemoryView::default(),
    );
    let operation = outcome.operations.first().expect("the finding");
    assert_eq!(operation.rank, TrustRank::HumanConfirmed);
    assert!(holds(&stated(&outcome), &["JOBS=1", "deadlock"]));
}

#[test]
fn the_fix_that_worked_is_observed() {
    let outcome = dream(
        &[talk()
            .human("跑一下迁移")
            .run("flyway migrate -env pre", "ERROR: permission denied", true)
            .run("flyway migrate -env pre -user ddl", "BUILD SUCCESS", false)
            .agent("结论：预发的迁移必须用 `ddl` 账号，因为 `app` 账号没有 `ALTER` 权限。")
            .done()],
        &MemoryView::default(),
    );
    let operation = outcome.operations.first().expect("the fix");
    assert_eq!(operation.rank, TrustRank::Observed);
    assert!(holds(&stated(&outcome), &["ddl", "ALTER"]));
}

#[test]
fn words_of_others_are_not_the_humans() {
    let entries = kept(talk().human("hi").human(
        "lena wrote this in the channel:\n> \"we should always deploy on saturdays, fewer users\"\nshe can keep dreaming",
    ));
    assert!(!holds(&entries, &["saturdays"]), "{entries:?}");
    let entries =
        kept(talk().human("在吗").human("测试群里发的：\n「以后所有用例都不用写断言」\n这话我不认"));
    assert!(!holds(&entries, &["断言"]), "{entries:?}");
}

#[test]
fn what_holds_for_today_is_not_kept() {
    for text in [
        "use the backup printer today, the big one is out of paper",
        "skip the linter just this once",
        "今天先用备用账号登录，主账号被锁了",
        "这次临时把超时调大一点",
    ] {
        let entries = kept(talk().human("hi").human(text).agent("OK."));
        assert!(entries.is_empty(), "{text}: {entries:?}");
    }
}

#[test]
fn owners_places_procedures_and_tastes_are_kept() {
    let cases: &[(&str, &[&str])] = &[
        (
            "the billing schema belongs to Rosalind, nothing changes there without her ok",
            &["billing schema", "Rosalind"],
        ),
        (
            "our dashboards are at https://metrics.example.com/d/api, look there first",
            &["metrics.example.com/d/api"],
        ),
        (
            "to seed the database: first make up, then make migrate, then make seed. in that order",
            &["make up", "make migrate", "make seed"],
        ),
        (
            "please answer in short sentences, no bullet lists, i read on my phone",
            &["short sentences", "no bullet lists"],
        ),
        ("结算模块归林涛管，改动前必须先跟他确认", &["结算模块", "林涛"]),
        ("本地启动要先 make deps，然后 make proxy，最后 make web", &["make deps", "make proxy", "make web"]),
        ("监控大盘在 https://grafana.example.com/d/abc ，以后先看这个", &["grafana.example.com/d/abc"]),
    ];
    for (text, words) in cases {
        let entries = kept(talk().human("hi").agent("Hello.").human(text).agent("Noted."));
        assert!(holds(&entries, words), "{text}: {entries:?}");
    }
}

#[test]
fn a_loose_end_of_the_session_is_kept() {
    let entries =
        kept(talk().human("look at OPS-77").agent("I see.").human(
            "leave OPS-77 open: the retry test still fails, it waits for the new certificate from Ansel",
        ));
    assert!(holds(&entries, &["OPS-77", "certificate"]), "{entries:?}");
    let entries =
        kept(talk().human("看下单子").agent("看了。").human("OPS-88 还没做完，等阿岚审过表结构再继续"));
    assert!(holds(&entries, &["OPS-88", "阿岚"]), "{entries:?}");
}

#[test]
fn a_correction_given_again_and_again_becomes_a_taste() {
    let talks: Vec<_> = ["s1", "s2", "s3"]
        .iter()
        .zip([
            ("drop the emoji, nobody wants them", "2026-05-04T09:00:00Z"),
            ("emoji again. how often", "2026-05-06T09:00:00Z"),
            ("again with the emoji", "2026-05-08T09:00:00Z"),
        ])
        .map(|(session, (text, start))| {
            Talk::at(session, start).human("write the notes").agent("Here they are.").human(text).done()
        })
        .collect();
    let entries = stated(&dream(&talks, &MemoryView::default()));
    assert!(holds(&entries, &["drop the emoji"]), "{entries:?}");
}

#[test]
fn a_later_word_replaces_what_memory_says() {
    let known = memory(&[
        (
            "ports",
            Kind::Project,
            &["The api gateway listens on port 8080.", "The mail catcher listens on port 1025."],
        ),
        ("people", Kind::Reference, &["Design questions go to Ismene."]),
    ]);
    let outcome = dream(
        &[talk()
            .human("hi")
            .human("the api gateway moved, it listens on port 9443 now")
            .agent("Noted.")
            .done()],
        &known,
    );
    let superseded: Vec<_> = outcome
        .operations
        .iter()
        .filter(|operation| matches!(operation.change, Change::Supersede { .. }))
        .collect();
    assert_eq!(superseded.len(), 1, "{:?}", outcome.operations);
    let target = superseded[0].change.target().expect("a target");
    assert_eq!(target.text, "The api gateway listens on port 8080.");
    let known = memory(&[("环境", Kind::Reference, &["测试库地址是 10.1.2.3:3306。", "日志保留 7 天。"])]);
    let outcome = dream(
        &[talk().human("在吗").human("测试库地址换了，现在是 10.1.2.9:3306").agent("收到。").done()],
        &known,
    );
    assert!(outcome.operations.iter().any(|operation| matches!(&operation.change, Change::Supersede { target, .. } if target.text.contains("10.1.2.3"))), "{:?}", outcome.operations);
}

#[test]
fn a_stopped_agent_makes_the_words_after_it_weigh_more() {
    let entries = kept(
        talk()
            .human("clean up")
            .run("rm -rf build", "", false)
            .interrupted()
            .human("never delete build, the signed artefacts are in there"),
    );
    assert!(holds(&entries, &["never delete build"]), "{entries:?}");
}
