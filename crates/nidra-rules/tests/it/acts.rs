//! Acts of talk that look like statements: retractions, denials, others' wishes, requests, private life, acceptance.

use crate::talk::{dream, kept, memory, stated, talk};

fn holds(entries: &[String], words: &str) -> bool {
    entries.iter().any(|entry| entry.to_lowercase().contains(words))
}

#[test]
fn a_rule_is_taken_back_within_its_sentence() {
    let entries = kept(
        talk()
            .human("整理一下流程")
            .agent("好的。")
            .human("以后上线前都要三个组长签字，哎不对，老组长下周休假，这条不要了，还是一个组长签字就行"),
    );
    assert!(!holds(&entries, "三个组长"), "{entries:?}");
    let entries = kept(
        talk()
            .human("about the tags")
            .agent("OK.")
            .human("we always tag releases by hand, no wait, we always tag releases in the pipeline"),
    );
    assert!(!holds(&entries, "by hand"), "{entries:?}");
}

#[test]
fn a_rule_whose_cost_the_agent_told_is_taken_back() {
    for (rule, cost, back, word) in [
        (
            "always run the linter on everything before a push",
            "The linter would change 80 files.",
            "80? no then not. skip the linter",
            "linter",
        ),
        (
            "from now on every page needs a screenshot",
            "That is 400 pages.",
            "oh dear. no. forget about that, only the tests as before",
            "screenshot",
        ),
        (
            "以后每次合并前都跑一遍压力测试",
            "压力测试要跑 40 分钟。",
            "40 分钟？那算了，刚那句当我没说",
            "压力测试",
        ),
    ] {
        let entries = kept(talk().human("hello").human(rule).agent(cost).human(back));
        assert!(!holds(&entries, word), "{rule}: {entries:?}");
    }
}

#[test]
fn who_muses_takes_nothing_else_back() {
    let entries = kept(
        talk()
            .human("the tests hang")
            .agent("They need a fresh database each.")
            .human("from now on each test file gets its own database, always")
            .human("i was just musing: what if we dropped the database one day?")
            .agent("It would be a rewrite.")
            .human("then let us leave that idea"),
    );
    assert!(holds(&entries, "own database"), "{entries:?}");
}

#[test]
fn what_the_agent_made_up_is_not_repeated() {
    for (told, answer, word) in [
        (
            "Plan: a late fee of $15 is shown on the loan page.",
            "two things. i'm not sure where the fifteen dollars come from, we have never charged a late fee",
            "fifteen",
        ),
        ("重试我看是 9 次，应该是统一的重试次数。", "9 是外包瞎写的，不作数", "9 是"),
        (
            "I assumed 90 fps on the kiosk.",
            "ninety on the kiosk, dream on. it has a 50 hertz panel and that's what we target now",
            "ninety",
        ),
    ] {
        let entries = kept(talk().human("make a plan").agent(told).human(answer));
        assert!(!holds(&entries, word), "{answer}: {entries:?}");
    }
}

#[test]
fn anothers_wish_that_is_turned_down_is_not_kept() {
    for text in [
        "Dr. Vance complains about the colours and wants a dark page for all the forms",
        "产品小赵想把列表改成瀑布流，我给顶回去了",
        "数据组那个新人说应该给每个人开管理员，想什么呢",
    ] {
        let entries = kept(talk().human("hello").agent("Hello.").human(text));
        assert!(entries.is_empty(), "{text}: {entries:?}");
    }
}

#[test]
fn work_of_the_moment_is_not_kept() {
    for text in [
        "small thing: QX-320, on the start page the hall should be shown as Hall North. only the label",
        "QX-88 的横幅先换成绿色那张，就挂两天",
        "昨晚被叫起来一次，说是 node-c-04 掉线，你先看看这台机器现在什么情况",
        "my dog just unplugged the router, and the page is faster now",
        "i hope you had a lovely holiday, if you have those",
    ] {
        let entries = kept(talk().human("hello").agent("Hello.").human(text));
        assert!(entries.is_empty(), "{text}: {entries:?}");
    }
}

#[test]
fn a_polite_question_may_be_a_rule() {
    let entries = kept(talk().human("write the tests").agent("I typed the name of a person.").human(
        "would you mind using the PersonFactory instead? it hands out colours on purpose, because a made-up name turned out to be real",
    ));
    assert!(holds(&entries, "personfactory"), "{entries:?}");
}

#[test]
fn an_accepted_proposal_is_kept_in_the_agents_words() {
    let outcome = dream(
        &[talk()
            .human("where do the prices go")
            .agent("Into the controller, or into `pricing.rs`? My suggestion: controllers stay thin and every price comes from a pricing function.")
            .human("i like that. please do it that way, and for the other modules as well")
            .done()],
        &memory(&[]),
    );
    assert!(holds(&stated(&outcome), "controllers stay thin"), "{:?}", stated(&outcome));
    let outcome = dream(
        &[talk()
            .human("出个目录方案")
            .agent("目录我建议这样分：公共的放 base.toml，每个机房只放差异，文件名 base-<机房>.toml。")
            .human("挺好，就按你说的这么分，后面再来新机房也照这个来")
            .done()],
        &memory(&[]),
    );
    assert!(holds(&stated(&outcome), "base.toml"), "{:?}", stated(&outcome));
}

#[test]
fn a_threat_is_a_rule_and_a_trade_is_a_trait() {
    let entries = kept(
        talk().human("页面卡").agent("每秒更新整张表。").human("更新只传差异，谁再整张表往里塞我跟谁急"),
    );
    assert!(holds(&entries, "只传差异"), "{entries:?}");
    let entries = kept(
        talk()
            .human("explain the query")
            .agent("A query is …")
            .human("i've been writing SQL for twelve years, you can skip that. python however explain line by line, always"),
    );
    assert!(holds(&entries, "twelve years") || holds(&entries, "line by line"), "{entries:?}");
}

#[test]
fn a_wish_without_a_day_gives_way_to_the_same_wish_with_one() {
    let before = memory(&[(
        "tone",
        nidra_core::Kind::Feedback,
        &["Yesterday he asked for short and easy sentences."],
    )]);
    let outcome = dream(
        &[talk()
            .human("explain the cache")
            .agent("Let us dive in.")
            .human("i must look up each idiom. always use easy words and short sentences, no idioms please")
            .done()],
        &before,
    );
    let after = crate::talk::apply(&before, &outcome);
    let entries: Vec<String> = after.entries().map(|(_, entry)| entry.text.clone()).collect();
    assert!(!holds(&entries, "yesterday") && holds(&entries, "short sentences"), "{entries:?}");
}
