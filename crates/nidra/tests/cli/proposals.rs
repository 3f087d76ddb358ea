//! Proposals for files that people write themselves: made from what had to be told again, shown as a difference, accepted
//! in these or other words, rejected for good, undone, and gone without a trace when nidra leaves.

use crate::support::Home;
use crate::talk::Talk;
use serde_json::Value;
use std::fs;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// A rule for everybody, one that is the user's own taste, and the words that only they hold.
const RULES: [(&str, &str); 2] = [
    ("From now on always use pnpm in this repository, never npm or yarn.", "pnpm"),
    ("以后提交信息一律用中文写，不要用英文前缀。", "提交信息"),
];

/// A home where the rules were said in so many sessions, each followed by a dream.
fn told(times: u32) -> Home {
    let mut home = Home::new();
    tell(&mut home, 1..=times);
    home
}

/// Says the rules in a session on each of these days, and dreams after it.
fn tell(home: &mut Home, days: RangeInclusive<u32>) {
    for number in days {
        Talk::new(number, &home.work)
            .human(RULES[0].0)
            .agent("ok")
            .human(RULES[1].0)
            .agent("好的。")
            .write(home);
        home.now = format!("2026-12-{number:02}T20:00:00Z");
        home.expect(0, &["dream", "--yes"]);
    }
}

/// The proposals that wait: plan, operation, destination, words.
fn proposals(home: &Home) -> Vec<(String, String, String, String)> {
    let plans = home.json(&["review"]);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    plans
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|plan| {
            let operations = plan["body"]["plan"]["operations"].as_array().unwrap();
            operations.iter().filter(|operation| operation["change"]["type"] == "propose").map(|operation| {
                let change = &operation["change"];
                (
                    text(&plan["plan"]),
                    text(&operation["id"]),
                    text(&change["destination"]),
                    text(&change["text"]),
                )
            })
        })
        .collect()
}

fn claude(home: &Home) -> PathBuf {
    home.work.join("CLAUDE.md")
}

#[test]
fn a_rule_that_had_to_be_told_again_is_proposed_and_nothing_is_written_unasked() {
    let home = told(2);
    assert!(proposals(&home).is_empty(), "twice is not yet a habit");
    let home = told(4);
    let found = proposals(&home);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|(_, _, destination, _)| destination == "CLAUDE.md"), "{found:?}");
    assert!(!claude(&home).exists());
    // The next dreams do not ask again.
    let mut home = home;
    home.now = "2026-12-20T20:00:00Z".to_owned();
    Talk::new(20, &home.work).human(RULES[0].0).agent("ok").write(&home);
    home.expect(0, &["dream", "--yes"]);
    assert_eq!(proposals(&home).len(), 2);
    let said = home.expect(0, &["review"]).out;
    assert!(said.contains("+- ") && said.contains("pnpm"), "{said}");
}

#[test]
fn what_is_accepted_stands_in_a_block_and_all_else_stays_byte_for_byte() {
    let home = told(4);
    let theirs = "# Harbour\r\n\r\nOurs.";
    fs::write(claude(&home), theirs).unwrap();
    let (plan, pnpm, ..) =
        proposals(&home).into_iter().find(|(_, _, _, text)| text.contains("pnpm")).unwrap();
    home.expect(0, &["apply", &plan, "--only", &pnpm]);
    let text = fs::read_to_string(claude(&home)).unwrap();
    assert!(text.starts_with(theirs) && text.contains("pnpm") && text.contains("nidra:begin"), "{text:?}");
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{text:?}");
    // The other one still waits, and is accepted in other words.
    let left = proposals(&home);
    assert_eq!(left.len(), 1, "{left:?}");
    home.expect(0, &["apply", &left[0].0, "--words", "提交信息只写中文。"]);
    assert!(fs::read_to_string(claude(&home)).unwrap().contains("- 提交信息只写中文。"));
    assert!(proposals(&home).is_empty());
    // Each is taken back by itself.
    home.expect(0, &["undo"]);
    let text = fs::read_to_string(claude(&home)).unwrap();
    assert!(text.contains("pnpm") && !text.contains("提交信息"), "{text:?}");
    let shown = home.expect(0, &["uninstall", "--dry-run"]).err;
    assert!(shown.contains("CLAUDE.md: nidra's block would be taken out"), "{shown}");
    assert_eq!(fs::read_to_string(claude(&home)).unwrap(), text);
    home.expect(0, &["uninstall"]);
    assert_eq!(fs::read_to_string(claude(&home)).unwrap(), theirs);
}

#[test]
fn what_a_forgetting_took_out_of_a_block_comes_back_with_its_undoing() {
    let home = told(4);
    let (plan, pnpm, ..) =
        proposals(&home).into_iter().find(|(_, _, _, text)| text.contains("pnpm")).unwrap();
    home.expect(0, &["apply", &plan, "--only", &pnpm]);
    let before = fs::read_to_string(claude(&home)).unwrap();
    let shown = home.expect(3, &["forget", "--match", "pnpm"]).out;
    assert!(shown.contains("CLAUDE.md  (nidra's block)"), "{shown}");
    home.expect(0, &["forget", "--match", "pnpm", "--yes"]);
    assert!(!claude(&home).exists());
    let said = home.expect(0, &["undo"]).out;
    assert!(said.contains("put back into CLAUDE.md"), "{said}");
    assert_eq!(fs::read_to_string(claude(&home)).unwrap(), before);
    // What does not stand there is not said to leave.
    fs::remove_file(claude(&home)).unwrap();
    let shown = home.expect(3, &["forget", "--match", "pnpm"]).out;
    assert!(!shown.contains("CLAUDE.md"), "{shown}");
}

#[test]
fn a_no_is_remembered_and_one_word_answers_all() {
    let mut home = told(4);
    home.expect(0, &["review", "--drop", "all"]);
    assert!(proposals(&home).is_empty());
    for number in 10..14 {
        Talk::new(number, &home.work).human(RULES[0].0).agent("ok").write(&home);
        home.now = format!("2026-12-{number}T20:00:00Z");
        home.expect(0, &["dream", "--yes"]);
    }
    assert!(proposals(&home).is_empty(), "a no holds although the rule was told again");

    let home = told(4);
    home.expect(0, &["apply", "all"]);
    let text = fs::read_to_string(claude(&home)).unwrap();
    assert!(RULES.iter().all(|(_, word)| text.contains(word)), "{text}");
    home.expect(2, &["apply", "all", "--words", "x"]);
}

#[test]
fn what_the_files_say_already_is_not_proposed() {
    let mut home = told(1);
    fs::write(
        home.work.join("AGENTS.md"),
        "# Rules\n\n- Always use pnpm in this repository, never npm or yarn.\n",
    )
    .unwrap();
    tell(&mut home, 2..=5);
    let found = proposals(&home);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].2, "AGENTS.md", "the file that there is, and no second one");
}

#[test]
fn a_file_that_leads_out_of_the_project_or_holds_a_broken_block_is_left_alone() {
    let home = told(4);
    let outside = home.root.join("outside.md");
    fs::write(&outside, "theirs").unwrap();
    std::os::unix::fs::symlink(&outside, claude(&home)).unwrap();
    let plan = proposals(&home)[0].0.clone();
    home.expect(3, &["apply", &plan]).names(&["leaves"]);
    assert_eq!(fs::read_to_string(&outside).unwrap(), "theirs");
    fs::remove_file(claude(&home)).unwrap();
    let broken = "# Ours\n<!-- nidra:begin 1 -->\n- x\n";
    fs::write(claude(&home), broken).unwrap();
    home.expect(3, &["apply", &plan]).names(&["CLAUDE.md:2", "never ends"]);
    assert_eq!(fs::read_to_string(claude(&home)).unwrap(), broken);
    // Nothing was lost: the plan still waits.
    assert_eq!(proposals(&home).len(), 2);
}
