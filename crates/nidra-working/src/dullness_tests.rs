use super::*;
use crate::compact::scenario;
use crate::talk;
use serde_json::{Value, json};

fn measured(turns: &[Value]) -> Dullness {
    let scenario = json!({ "sessions": [{ "start": "2026-12-01T09:00:00Z", "turns": turns }] });
    measure(&talk::of_script(&scenario::script(&scenario)).0)
}

fn said(text: &str) -> Value {
    json!({ "a": text })
}

#[test]
fn a_lively_talk_is_not_dull() {
    let found = measured(&[
        said("The parser reads the header first and then hands each row to the validator."),
        said("Two of the rows have no currency; the importer now falls back to the account's own."),
        said("日志里缺少请求编号，我在网关加了一个中间件来生成它。"),
        said("Benchmarks went from 41 ms to 12 ms after the index was added on order_id."),
    ]);
    assert!(found.value.abs() < 1e-9, "{found:?}");
}

#[test]
fn answers_given_before_are_repetition_in_both_languages() {
    for (one, two) in [
        (
            "I have updated the configuration file and the tests should pass now.",
            "The tests should pass now, I have updated the configuration file.",
        ),
        ("我已经修改了配置文件，现在测试应该可以通过了。", "我已经修改了配置文件，现在测试应该可以通过了！"),
    ] {
        let found = measured(&[said(one), said(two), said(one), said(two), said(one)]);
        assert!(found.repetition >= 0.75 && found.value > 0.6, "{found:?}");
        assert!(found.evidence.iter().any(|line| line.starts_with("said again")));
    }
}

#[test]
fn an_equal_call_that_fails_again_counts_and_another_one_does_not() {
    let call = |command: &str, error: bool| json!({ "t": { "name": "Bash", "input": { "command": command }, "result": "x", "error": error } });
    let again = measured(&[
        call("cargo test", true),
        call("cargo test", true),
        call("cargo test", true),
        call("ls", false),
    ]);
    assert!((again.failing - 0.5).abs() < 1e-9, "{again:?}");
    let others = measured(&[
        call("cargo test -p a", true),
        call("cargo test -p b", true),
        call("cargo test -p a", false),
    ]);
    assert!(others.failing.abs() < 1e-9);
}

#[test]
fn the_opposite_and_another_number_are_contradictions() {
    for (one, two) in [
        (
            "The cache is cleared after each deployment on the staging server.",
            "The cache is not cleared after each deployment on the staging server.",
        ),
        (
            "The staging server listens on port 8080 for metrics.",
            "The staging server listens on port 9090 for metrics.",
        ),
        ("支付回调接口的超时时间设置为三十秒。", "支付回调接口的超时时间没设置为三十秒。"),
    ] {
        let found = measured(&[said(one), said("Something else entirely was looked at here."), said(two)]);
        assert!(found.contradiction > 0.0, "{one}: {found:?}");
    }
    let apart = measured(&[
        said("The server listens on port 8080 for metrics."),
        said("Deploys take 14 minutes on the old runners."),
    ]);
    assert!(apart.contradiction.abs() < 1e-9);
}

#[test]
fn length_without_anything_new_is_padding() {
    let words = "the build is green and the tests pass and the deployment is ready to go";
    let turns: Vec<Value> = (1..=9).map(|n| said(&vec![words; n].join(" "))).collect();
    let found = measured(&turns);
    assert!(found.padding > 0.3, "{found:?}");
    assert!(found.evidence.iter().any(|line| line.contains("times as long")));
}
