//! Slots with values: a new value takes the old one's place, however it is told and whoever wrote the old one.

use crate::talk::{Talk, apply, dream, memory, talk};
use nidra_core::Kind;

/// What memory says after a talk.
fn after(old: &str, talk: Talk) -> Vec<String> {
    let before = memory(&[("notes", Kind::Project, &[old])]);
    let outcome = dream(&[talk.done()], &before);
    apply(&before, &outcome)
        .topics
        .into_iter()
        .flat_map(|topic| topic.entries)
        .map(|entry| entry.text)
        .collect()
}

/// The new value is stated and the old one is not.
fn turns(old: &str, talk: Talk, new: &str, gone: &str) {
    let entries = after(old, talk);
    let states = |words: &str| entries.iter().any(|entry| entry.to_lowercase().contains(words));
    assert!(states(new), "{new} of {entries:?}");
    assert!(!states(gone), "{gone} of {entries:?}");
}

#[test]
fn a_port_or_a_host_is_told_without_its_address() {
    turns(
        "Metrics dashboard: http://metrics.example.test:9100 (office network only).",
        talk()
            .human("is the metrics dashboard up")
            .agent("Port 9100 refuses the connection.")
            .human("metrics is on 9177 these days, the printer took that one"),
        "metrics.example.test:9177",
        ":9100",
    );
    turns(
        "预发环境入口：https://pre-a.example.test",
        talk()
            .human("拉一下预发的配置")
            .run("curl -s https://pre-a.example.test/config", "curl: (6)", true)
            .agent("域名解析失败。")
            .human("预发现在走 pre-b.example.test 了，上个月搬的"),
        "https://pre-b.example.test",
        "pre-a.example.test",
    );
}

#[test]
fn the_command_that_ran_right_before_is_the_old_one() {
    turns(
        "Check the types with `tool check --types`.",
        talk()
            .human("check the types")
            .run("tool check --types src", "unknown command", true)
            .agent("The command is not known.")
            .human("since the winter all of it goes through the wrapper, so `wrap types`, the plain one finds nothing any more"),
        "`wrap types`",
        "tool check --types",
    );
}

#[test]
fn numbers_are_told_in_words() {
    turns(
        "Exports are kept for 60 days.",
        talk()
            .human("clean up the exports")
            .agent("I delete exports that are older than 60 days.")
            .human("no, exports are kept for a hundred and twenty days now"),
        "hundred and twenty days",
        "60 days",
    );
    turns(
        "每个项目的配额是 16 台机器。",
        talk().human("看下配额").agent("配额是 16 台。").human("不对，现在一个项目的配额给到四十台了"),
        "四十台",
        "16 台",
    );
}

#[test]
fn short_words_and_units_name_the_statement() {
    turns(
        "Production restarts happen at 22:00.",
        talk()
            .human("plan the rollout")
            .agent("I plan it for tonight.")
            .human("prod restarts at 05:15 nowadays"),
        "05:15",
        "22:00",
    );
    turns(
        "Each crew gets 9 tokens per shift.",
        talk()
            .human("look at the crew page")
            .agent("It shows the tokens.")
            .human("please raise that, a crew has 14 tokens now"),
        "14 tokens",
        "9 tokens",
    );
    turns(
        "Invoices wait forty-five days before the reminder.",
        talk()
            .human("check reminders")
            .agent("Done.")
            .human("invoices wait twenty-one days before the reminder now"),
        "twenty-one days",
        "forty-five days",
    );
    turns(
        "一个班最多 45 人。",
        talk().human("看下排课").agent("好的。").human("教务定了，每班现在最多 38 人"),
        "38 人",
        "45 人",
    );
}

#[test]
fn a_proposal_that_the_person_agrees_to_gives_the_value() {
    turns(
        "The thumbnail job runs at 01:15.",
        talk()
            .human("the thumbnail job is slow since monday")
            .agent("It runs beside the vacuum. Should I move the thumbnail job to 03:45?")
            .human("yes, do that"),
        "03:45",
        "01:15",
    );
    turns(
        "附件上限 15 MB。",
        talk()
            .human("客户的附件传不上来")
            .agent("附件有 22 MB，附件上限要不要提到 30 MB？")
            .human("行，就这么改"),
        "30 mb",
        "15 mb",
    );
}

#[test]
fn a_proposal_changes_nothing_without_plain_consent() {
    let memory = "The thumbnail job runs at 01:15.";
    for (proposal, answer) in [
        ("Should I move the thumbnail job to 03:45?", "not yet"),
        ("Should I move the thumbnail job to 03:45?", "ok, but first show me the load"),
        ("Should I move the thumbnail job to 03:45 or to 04:45?", "ok"),
        ("Should I run the thumbnail job at 11:30 just this once?", "yes"),
        ("Should I move the invoice job to 03:45?", "yes"),
    ] {
        let entries = after(memory, talk().human("the thumbnail job is slow").agent(proposal).human(answer));
        assert!(entries.iter().any(|entry| entry == memory), "{proposal} {answer}: {entries:?}");
    }
}

#[test]
fn the_agents_guess_names_the_slot() {
    turns(
        "The worker runs on Ruby 3.1.",
        talk()
            .human("prepare the image")
            .agent("I take the image with Ruby 3.2; I believe that is what you use.")
            .human("no, we're on 3.4 everywhere since the move"),
        "3.4",
        "3.1",
    );
}

#[test]
fn a_machine_that_is_denied_gives_its_place_to_another() {
    turns(
        "Coverage reports come from the report machine alder (ssh alder.example.test).",
        talk()
            .human("no reports this morning, find out why")
            .run("ssh alder.example.test uptime", "no route to host", true)
            .agent("alder cannot be reached. Shall I wake it?")
            .human("nope, alder is in the museum. the reports come off willow since june"),
        "willow",
        "alder (ssh",
    );
}

#[test]
fn a_thing_that_was_kicked_out_as_it_is_over() {
    turns(
        "Maps are drawn with Tiles.js.",
        talk()
            .human("the map is slow")
            .agent("Tiles.js draws all layers.")
            .human("tiles.js is 90k, i threw it out last week. vector.js draws the maps by itself"),
        "vector.js",
        "drawn with tiles.js",
    );
}

#[test]
fn a_later_choice_ends_the_earlier_one() {
    for (offer, first, again, second, new, old) in [
        (
            "Options:\n- `flatfile`: simple\n- `parquet`: small",
            "flatfile. i want to open it in an editor",
            "flatfile takes 4 s per write. I could use parquet with generated readers.",
            "so much for that. parquet then, with the generated readers since the device has no reflection",
            "parquet",
            "open it in an editor",
        ),
        (
            "方案：\n- Etcd：自带选主\n- Consul：界面好看",
            "那就先用 Consul 吧，界面好看，大家都会",
            "Consul 的会话在网络抖动时会丢。",
            "我查了两天，会话老丢，拍板了换 Etcd，选主是自带的，Consul 那些配置你删干净",
            "etcd",
            "界面好看",
        ),
    ] {
        let talk = talk().human("which storage do we take").agent(offer).human(first).agent("Done.");
        let talk = talk.human("it is slow").agent(again).human(second);
        let outcome = dream(&[talk.done()], &memory(&[]));
        let entries = crate::talk::stated(&outcome);
        assert!(entries.iter().any(|entry| entry.to_lowercase().contains(new)), "{new} of {entries:?}");
        assert!(!entries.iter().any(|entry| entry.contains(old)), "{old} of {entries:?}");
    }
}

#[test]
fn values_of_other_things_stay() {
    for (old, before, said) in [
        (
            "Metrics dashboard: http://metrics.example.test:9100 (office network only).",
            "The build took 40 s.",
            "the wiki is on 7070 now",
        ),
        ("The worker runs on Ruby 3.1.", "Done.", "we moved the docs to Sphinx 8.1 last week"),
        ("Exports are kept for 60 days.", "OK.", "invoices are due in thirty days now"),
        ("项目使用 Kotlin 2。", "好的。", "下周开会改到十点，二号会议室"),
    ] {
        let entries = after(old, talk().human("hello").agent(before).human(said));
        assert!(entries.iter().any(|entry| entry == old), "{said}: {entries:?}");
    }
}

#[test]
fn a_tool_of_which_only_a_rival_is_run_gives_its_place() {
    let command = "bun test src/queue.test.ts";
    turns(
        "Run the queue tests with npm.",
        talk()
            .human("why is the queue flaky")
            .run(command, "1 failed", true)
            .run(command, "ok", false)
            .agent("The clock was not reset; with bun it passes three times in a row.")
            .human("good"),
        "with bun",
        "with npm",
    );
    // A single run is a trial, and what the person speaks well of stays.
    for talk in [
        talk().human("try bun once").run(command, "ok", false).agent("bun is faster.").human("interesting"),
        talk()
            .human("npm test stays as it is, this is only a trial")
            .run(command, "ok", false)
            .run(command, "ok", false)
            .agent("bun is faster.")
            .human("fine"),
    ] {
        let entries = after("Run the queue tests with npm.", talk);
        assert!(entries.iter().any(|entry| entry == "Run the queue tests with npm."), "{entries:?}");
    }
}

#[test]
fn a_rule_that_gives_a_value_in_passing_stays_beside_it() {
    let entries = after(
        "项目使用 Kotlin 1.9。",
        talk()
            .human("改一下实体类")
            .agent("我用 data class。")
            .human("实体用 value class，别用注解生成器。我们正在把生成器往外拆，升 Kotlin 2.2 之后它老报错"),
    );
    let states = |words: &str| entries.iter().any(|entry| entry.contains(words));
    assert!(states("Kotlin 2.2") && states("value class") && !states("1.9"), "{entries:?}");
}
