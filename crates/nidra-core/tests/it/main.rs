//! Integration tests of the core: the text tools together, through the public interface.

mod secrets;

use jiff::ZonedDateTime;
use nidra_core::text::language::{Language, detect};
use nidra_core::text::{date, redact, sentence, similarity, width};
use proptest::prelude::*;

#[expect(clippy::expect_used, reason = "the stamps of the cases are literals")]
fn said(stamp: &str) -> ZonedDateTime {
    stamp.parse().expect("a time stamp with its zone")
}

/// A talk as people write it, with a secret, a relative date, code and a list, once in each language.
fn talks() -> [(Language, String); 2] {
    let token = format!("{}{}", concat!("gh", "p_"), "q8Zr2LmVt0XyB4nKcD7sWj1HfPa93EuGoT5i");
    [
        (
            Language::English,
            format!(
                "We moved to pnpm yesterday. Run `pnpm -r build`, e.g. before a push.\n\n- export TOKEN={token}\n- the \
                 freeze ends on the 4th of July.\n\n```sh\necho today\n```\n> quoted by someone"
            ),
        ),
        (
            Language::Chinese,
            format!(
                "我们昨天换成了 pnpm。推送之前先跑 `pnpm -r build`，比如今天。\n\n- export TOKEN={token}\n- 冻结到7月4日为止。\n\n\
                 ```sh\necho 今天\n```\n> 别人说的话"
            ),
        ),
    ]
}

#[test]
fn a_talk_goes_through_all_tools_in_both_languages() {
    let anchor = said("2026-06-10T14:00[Asia/Shanghai]");
    for (language, talk) in talks() {
        let clean = redact::redact(&talk);
        assert!(clean.contains("TOKEN=[redacted:github-token]") && !clean.contains("q8Zr2"), "{clean}");
        assert_eq!(detect(&clean), language);
        let sentences = sentence::sentences(&clean);
        assert_eq!(sentences.len(), 5, "{sentences:#?}");
        assert_eq!(sentences.iter().map(|s| (s.item, s.quoted)).filter(|&(item, _)| item).count(), 2);
        assert!(sentences.last().is_some_and(|last| last.quoted));
        let dated = date::absolute(&clean, &anchor);
        assert!(dated.contains("2026-06-09") && dated.contains("2026-07-04"), "{dated}");
        // What stands in a code block stays as it is.
        assert!(dated.contains("echo today") || dated.contains("echo 今天"), "{dated}");
        assert_eq!(detect(&dated), language);
        assert!(width::utf16_len(&width::shorten(&dated, 40)) <= 40);
    }
}

#[test]
fn pub_sec_01_twenty_secrets_leave_no_trace() {
    let random = "q8Zr2LmVt0XyB4nKcD7sWj1HfPa93EuGoT5iRk6Y";
    let hex = "0f8c2b71d94e4a6f8bb2c13a77aa90de";
    let key = |word: &str| format!("-----{word} PRIVATE {}-----", "KEY");
    let secrets = [
        format!("{}Z7QX4M2NF3KE9KLP", "AKIA"),
        format!("{}{random}", concat!("gh", "p_")),
        format!("{}{random}", concat!("github_", "pat_")),
        format!("{}{}", concat!("gl", "pat-"), &random[..20]),
        format!("{}1234567890-{}", concat!("xo", "xb-"), &random[..24]),
        format!("{}{}", concat!("sk_", "live_"), &random[..24]),
        format!("{}{}", concat!("wh", "sec_"), &random[..32]),
        format!("{}{random}", concat!("sk-", "ant-api03-")),
        format!("{}{random}", concat!("np", "m_")),
        format!("{}{}", concat!("AI", "za"), &random[..35]),
        format!("eyJhbGciOiJIUzI1NiJ9.{}.{}", &random[..30], &random[..20]),
        format!("{}\n{random}\n{}", key("BEGIN"), key("END")),
        format!("{}{}.{random}ab1", "SG.", &random[..22]),
        format!("1234567890:AA{}", &random[..33]),
    ];
    let framed = [
        ("password=", "Zhifu@2026!x", ""),
        ("postgres://app:", "hunter-Kv93xx", "@db.test/x"),
        ("密码是 ", "hunter2!", "，别外传"),
        ("the password is ", "hunter2", ""),
        ("client_secret: ", hex, ""),
        ("curl -u admin:", "s3cr3t!pw", " https://a.test"),
    ];
    let mut text = String::from("start\n");
    for secret in &secrets {
        text.extend(["see ", secret, " here\n"]);
    }
    for (before, secret, after) in framed {
        text.extend([before, secret, after, "\n"]);
    }
    let clean = redact::redact(&text);
    for secret in secrets.iter().map(String::as_str).chain(framed.iter().map(|&(_, secret, _)| secret)) {
        assert!(!clean.contains(secret), "{secret}");
    }
    assert_eq!(redact::find(&text).len(), 20, "{clean}");
    assert!(clean.starts_with("start\nsee [redacted:aws-access-key] here\n"));
}

#[test]
fn pub_tim_02_a_local_day_is_one_day() {
    let shanghai = jiff::tz::TimeZone::get("Asia/Shanghai").unwrap();
    let stamps = ["2026-04-11T22:00:00Z", "2026-04-12T04:00:00Z"];
    let days: Vec<String> = stamps
        .iter()
        .map(|stamp| {
            let moment: jiff::Timestamp = stamp.parse().unwrap();
            date::absolute("today", &moment.to_zoned_datetime(shanghai.clone()))
        })
        .collect();
    assert_eq!(days, ["2026-04-12", "2026-04-12"]);
}

#[test]
fn the_same_fact_in_other_words_is_near() {
    let pairs = [
        ("Deploys go through `scripts/deploy.sh`", "deploy with scripts/deploy.sh"),
        ("发布前必须跑 scripts/check.sh", "發佈前必須先跑 scripts/check.sh"),
        ("The API listens on port 4310", "the api's port is 4310"),
    ];
    for (left, right) in pairs {
        assert!(similarity::similarity(left, right) > 0.55, "{left}");
        assert!(similarity::similarity(left, "we eat lunch at noon 我们中午吃饭") < 0.1);
    }
}

proptest! {
    #[test]
    fn no_tool_fails_on_any_text(text in any::<String>(), limit in 0_usize..200) {
        let anchor = said("2026-06-10T14:00[Asia/Shanghai]");
        let clean = redact::redact(&text);
        for sentence in sentence::sentences(&clean) {
            let dated = date::absolute(sentence.text, &anchor);
            prop_assert!(width::utf16_len(&width::shorten(&dated, limit)) <= limit);
            prop_assert!(similarity::containment(sentence.text, &clean) >= 0.0);
            let _ = detect(sentence.text);
        }
    }
}
