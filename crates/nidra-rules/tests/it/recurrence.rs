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
