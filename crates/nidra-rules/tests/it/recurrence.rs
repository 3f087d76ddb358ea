//! What memory says already and a person says again is told as such, and changes nothing.

use crate::talk::{Talk, dream, memory, talk};
use nidra_core::{Kind, Outcome, Speaker, TrustRank};

fn heard(entry: &str, kind: Kind, talk: Talk) -> Outcome {
    dream(&[talk.done()], &memory(&[("notes", kind, &[entry])]))
}

#[track_caller]
fn recurs(entry: &str, talk: Talk) {
    let outcome = heard(entry, Kind::Feedback, talk);
    assert_eq!(outcome.operations, [], "{outcome:#?}");
    assert_eq!(outcome.recurrences.len(), 1, "{entry}: {outcome:#?}");
    let recurrence = &outcome.recurrences[0];
    assert_eq!((recurrence.path.as_str(), recurrence.rank), ("notes.md", TrustRank::HumanVerbatim));
    assert!(recurrence.evidence.iter().all(|evidence| evidence.speaker == Speaker::Human));
}

#[test]
fn a_rule_that_is_given_again_recurs_in_both_languages() {
    let pnpm = "From now on always use pnpm in this repository, never npm or yarn.";
    for again in [
        pnpm,
        "ugh, npm again?! I told you already. From now on always use pnpm in this repository, never npm or yarn.",
        "Always use pnpm in this repository, never npm or yarn!!",
    ] {
        recurs(pnpm, talk().human("install the parser").agent("Running npm install.").human(again));
    }
    let commits = "以后提交信息一律用中文写，不要用英文前缀。";
    for again in [
        commits,
        "怎么又这样？说了多少遍了。以后提交信息一律用中文写，不要用英文前缀。",
        "提交信息一律用中文写，不要用英文前缀！！",
    ] {
        recurs(commits, talk().human("提交一下").agent("好的：feat: add parser").human(again));
    }
}

#[test]
fn another_value_or_another_matter_recurs_not() {
    let entry = "Staging always runs on port 3001 for every team.";
    for said in [
        "Staging always runs on port 4310 for every team now.",
        "Production always runs on port 80 in every region.",
    ] {
        let outcome =
            heard(entry, Kind::Project, talk().human("which port?").agent("I do not know.").human(said));
        assert_eq!(outcome.recurrences, [], "{said}: {outcome:#?}");
    }
    let entry = "金额一律用分存，类型是 int64。";
    let outcome = heard(
        entry,
        Kind::Project,
        talk().human("金额以后一律用元存，类型是 decimal，不要用分。").agent("好"),
    );
    assert_eq!(outcome.recurrences, [], "{outcome:#?}");
}

#[test]
fn the_agent_s_words_and_pasted_ones_do_not_recur() {
    let pnpm = "From now on always use pnpm in this repository, never npm or yarn.";
    for talk in [
        talk().human("what are the rules?").agent(pnpm).human("hm"),
        talk().human(&format!("what does this mean?\n> {pnpm}")).agent("It means pnpm."),
    ] {
        let outcome = heard(pnpm, Kind::Feedback, talk);
        assert_eq!(outcome.recurrences, [], "{outcome:#?}");
    }
}

const PNPM: &str = "Use pnpm in every package, never npm or yarn.";
const CENTS: &str = "所有金额一律用 int64 存分，不准用 float。";
const RELEASE: &str = "Never push to the release branch without asking Marisol first.";

#[test]
fn an_annoyed_reminder_recurs_and_is_no_statement_of_its_own() {
    for (entry, reminders) in [
        (
            PNPM,
            vec![
                "npm again?! I said use pnpm, never npm or yarn",
                "How many times do I have to tell you: use pnpm in every package, never npm or yarn.",
                "ugh. I told you already to use pnpm in every package, never npm",
                "as I said, pnpm in every package, never npm or yarn.",
            ],
        ),
        (
            CENTS,
            vec![
                "怎么又用 float？说了多少遍，金额一律用 int64 存分",
                "我说过金额用 int64 存分，不准用 float！！",
                "跟你说过了，所有金额一律用 int64 存分，不准用 float。",
            ],
        ),
        ("提交信息写中文。", vec!["提交信息又写成英文了！说了多少遍，提交信息写中文。"]),
        (
            RELEASE,
            vec![
                "You pushed to the release branch again! Never push to the release branch without asking Marisol first!!",
                "why did you push to the release branch without asking Marisol? I told you never to do that",
            ],
        ),
    ] {
        for reminder in reminders {
            recurs(entry, talk().human("go on").agent("It is done.").human(reminder));
        }
    }
}

#[test]
fn annoyed_words_that_say_something_else_do_not_recur() {
    for (entry, said) in [
        (PNPM, "I told you already: use npm in every package, never pnpm or yarn!!"),
        (PNPM, "ugh. From now on always run `make lint` before every commit."),
        (PNPM, "wtf, the packages do not install at all"),
        (CENTS, "说了多少遍，金额一律用 float 存元，不准用 int64。"),
        (CENTS, "怎么又报错了？看一下日志"),
        (RELEASE, "I said push it to the release branch now, Marisol is fine with it"),
        (
            "Staging runs on port 3001 behind the proxy.",
            "I told you already, staging runs on port 4310 behind the proxy.",
        ),
    ] {
        let outcome = heard(entry, Kind::Feedback, talk().human("go on").agent("It is done.").human(said));
        assert_eq!(outcome.recurrences, [], "{entry} {said}: {outcome:#?}");
    }
}

#[test]
fn what_a_reminder_says_beside_the_entry_is_kept() {
    for (entry, said, news) in [
        (
            PNPM,
            "I told you already, use pnpm in every package, never npm or yarn! From now on always pin pnpm to version 9.",
            "version 9",
        ),
        (CENTS, "说了多少遍，所有金额一律用 int64 存分！以后汇率一律保留 6 位小数。", "汇率"),
    ] {
        let outcome = heard(entry, Kind::Feedback, talk().human("go on").agent("It is done.").human(said));
        assert_eq!(outcome.recurrences.len(), 1, "{outcome:#?}");
        let kept = crate::talk::stated(&outcome);
        assert!(kept.iter().any(|words| words.contains(news)), "{news} of {kept:?}");
    }
}
