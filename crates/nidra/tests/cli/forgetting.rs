//! `nidra forget`: what the user names leaves memory, the user is shown it before, and it does not come back.

use crate::support::{COMMITS, Home, PNPM};
use crate::talk::{Talk, session_id};
use crate::tree::{self, assert_same, exact};
use nidra_memory::lease::{Lease, LeaseOptions};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::process::Stdio;

/// A home whose memory holds two rules, one in English and one in Chinese.
fn home() -> Home {
    let home = Home::with_sessions(1);
    home.expect(0, &["dream"]);
    home
}

fn texts(answer: &Value) -> Vec<&str> {
    answer["entries"].as_array().unwrap().iter().map(|entry| entry["text"].as_str().unwrap()).collect()
}

fn says(home: &Home, word: &str) -> bool {
    let entries = home.json(&["entries"]);
    entries.as_array().unwrap().iter().any(|entry| entry["text"].as_str().unwrap().contains(word))
}

/// A session that another file tells once more under another name, as a client does that resumes or forks one.
fn told_again(home: &Home, number: u32, moment: &str, words: &str) {
    Talk::new(number, &home.work).at(moment).human(words).agent("Understood.").write(home);
}

#[test]
fn what_would_be_forgotten_is_shown_first_and_nothing_is_changed() {
    let home = home();
    let (memory, state) = (exact(&home.memory()), exact(&home.state));
    for (_, word) in [PNPM, COMMITS] {
        let said = home.nidra(&["forget", "--match", word]);
        assert_eq!(said.status.code(), Some(3), "it waits for the user's word: {said:?}");
        assert!(said.out.contains(word) && said.err.contains("--yes"), "{said:?}");
        assert!(said.err.contains("transcripts are not touched"), "{said:?}");
        let answer = home.expect(3, &["forget", word, "--json"]).json();
        assert_eq!((&answer["dry_run"], &answer["run"]), (&true.into(), &Value::Null));
        assert_eq!(texts(&answer).len(), 1, "{answer}");
        assert!(!answer["entries"][0]["because"].as_array().unwrap().is_empty());
    }
    let nothing = home.expect(0, &["forget", "--match", "nobody ever said this"]);
    assert!(nothing.err.contains("Nothing in"), "{nothing:?}");
    assert_same(&home.memory(), &memory);
    assert_same(&home.state, &state);
}

#[test]
fn entries_are_named_in_every_way_in_which_why_takes_them() {
    let home = home();
    let (_, word) = PNPM;
    let answer = home.json(&["why", word]);
    let id = answer["entry"].as_str().unwrap();
    let place = format!("{}:{}", answer["path"].as_str().unwrap(), answer["line"]);
    let path = answer["path"].as_str().unwrap();
    let session = session_id(1);
    for arguments in [
        vec!["forget", id],
        vec!["forget", &id[..6]],
        vec!["forget", &place],
        vec!["forget", "--match", word, "--path", path],
        vec!["forget", "--path", path],
        vec!["forget", "--match", word, "--session", &session[..8]],
        vec!["forget", "--match", word, "--since", "2026-11-28", "--until", "2026-11-29"],
    ] {
        let mut all = arguments.clone();
        all.push("--json");
        let shown = home.expect(3, &all).json();
        assert_eq!(texts(&shown), [answer["text"].as_str().unwrap()], "{arguments:?}");
    }
    assert_eq!(texts(&home.expect(3, &["forget", "--all", "--json"]).json()).len(), 2);
    assert_eq!(texts(&home.expect(3, &["forget", "--path", "*.md", "--json"]).json()).len(), 2);
    assert_eq!(texts(&home.json(&["forget", "--since", "2026-11-29"])).len(), 0, "it was said before");
    assert_eq!(texts(&home.json(&["forget", "--session", "nobody"])).len(), 0);
    for wrong in [vec!["forget"], vec!["forget", word, "--all"], vec!["forget", "--match", " "]] {
        home.expect(2, &wrong);
    }
    home.expect(1, &["forget", "no such entry at all"]);
}

#[test]
fn what_was_forgotten_leaves_memory_stays_in_the_archive_and_can_be_taken_back() {
    let home = home();
    let before = tree::memory(&home.memory());
    for (said, word) in [PNPM, COMMITS] {
        let answer = home.json(&["forget", "--match", word, "--yes"]);
        let run = answer["run"].as_str().unwrap();
        assert!(!says(&home, word), "{word}");
        let memory = tree::memory(&home.memory());
        let index = String::from_utf8_lossy(&memory["MEMORY.md"]).into_owned();
        assert!(!index.contains(word), "{index}");
        for line in index.lines() {
            let target = line.split("](").nth(1).and_then(|rest| rest.split(')').next());
            assert!(target.is_none_or(|target| memory.contains_key(target)), "a line leads nowhere: {line}");
        }
        let archived = memory.iter().filter(|(name, _)| name.starts_with("archive/"));
        assert!(archived.into_iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains(said)));
        assert!(home.json(&["log"]).as_array().unwrap().iter().any(|run| run["engine"] == "forget"));
        home.expect(0, &["undo", run]);
        assert_eq!(tree::memory(&home.memory()), before, "{word}");
        assert!(says(&home, word));
    }
    // What is taken back may be learnt again: nothing keeps it away any more.
    home.expect(0, &["forget", "--match", PNPM.1, "--yes"]);
    home.expect(0, &["undo"]);
    assert!(says(&home, PNPM.1));
}

#[test]
fn old_words_do_not_bring_it_back_whatever_session_repeats_them() {
    let mut home = home();
    for (_, word) in [PNPM, COMMITS] {
        home.expect(0, &["forget", "--match", word, "--yes"]);
    }
    home.wait_hours(48);
    // The agent repeats it, and a session of before the forgetting is found only now, in slightly other words.
    Talk::new(2, &home.work)
        .at("2026-12-02T09:00:00Z")
        .human("what do we know about this repository?")
        .agent("From now on always use pnpm in this repository, never npm or yarn.")
        .tool("Bash", &serde_json::json!({ "command": "cat notes" }), PNPM.0)
        .agent("提交信息一律用中文写，不要用英文前缀。")
        .write(&home);
    told_again(&home, 3, "2026-11-29T09:00:00Z", "Always use pnpm in this repository, never npm or yarn!");
    told_again(&home, 4, "2026-11-29T10:00:00Z", "提交信息一律用中文写，别用英文前缀");
    let report = home.json(&["dream", "--yes"]);
    assert!(!says(&home, PNPM.1) && !says(&home, COMMITS.1), "{report}");
    assert!(report["proposed"].as_array().unwrap().is_empty(), "{report}");
    let open = home.json(&["review"]);
    assert!(!open.to_string().contains(PNPM.1) && !open.to_string().contains(COMMITS.1), "{open}");
    // The same again with the sessions read from their beginning.
    let runs = home.json(&["log"]);
    let dream = runs.as_array().unwrap().iter().rfind(|run| run["engine"] == "rules").unwrap();
    home.expect(0, &["undo", dream["run"].as_str().unwrap()]);
    home.wait_hours(30);
    home.expect(0, &["dream", "--yes"]);
    assert!(!says(&home, PNPM.1) && !says(&home, COMMITS.1));
}

#[test]
fn another_value_is_news_and_what_the_user_says_anew_comes_back() {
    let mut home = Home::new();
    told_again(
        &home,
        1,
        "2026-11-28T09:00:00Z",
        "Please remember that the staging database listens on port 5544.",
    );
    home.expect(0, &["dream"]);
    assert!(says(&home, "5544"));
    home.expect(0, &["forget", "--match", "5544", "--yes"]);
    home.wait_hours(48);
    told_again(
        &home,
        2,
        "2026-12-01T09:00:00Z",
        "Please remember that the staging database listens on port 6100.",
    );
    home.expect(0, &["dream"]);
    assert!(says(&home, "6100") && !says(&home, "5544"));
    home.expect(0, &["forget", "--match", "6100", "--yes"]);
    home.wait_hours(48);
    told_again(
        &home,
        3,
        "2026-12-04T09:00:00Z",
        "Please remember that the staging database listens on port 6100.",
    );
    home.expect(0, &["dream"]);
    assert!(says(&home, "6100"), "a later word of the user's own counts");
}

#[test]
fn neither_recall_nor_a_rest_says_it_again() {
    let mut home = home();
    for (said, word) in [PNPM, COMMITS] {
        assert!(home.json(&["recall", said]).to_string().contains(word));
        home.expect(0, &["forget", "--match", word, "--yes"]);
        assert!(!home.json(&["recall", said]).to_string().contains(word), "{word}");
    }
    home.wait_hours(48);
    Talk::new(2, &home.work)
        .at("2026-12-02T09:00:00Z")
        .human("the build of the harbour fails since yesterday, find out why and decide on a fix")
        .agent(&format!("I read the notes: {} {}", PNPM.0, COMMITS.0))
        .human("we decided to pin node to 22.4 because 23 breaks the linker")
        .agent("Decided: node stays on 22.4.")
        .write(&home);
    home.expect(0, &["rest"]);
    for (name, bytes) in tree::files(&home.state.join("projects")) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(!text.contains(PNPM.1) && !text.contains(COMMITS.1), "{name}: {text}");
    }
    assert!(!says(&home, PNPM.1) && !says(&home, COMMITS.1));
}

#[test]
fn remembering_it_lifts_what_keeps_it_away() {
    let mut home = home();
    home.expect(0, &["forget", "--match", PNPM.1, "--yes"]);
    home.expect(0, &["remember", PNPM.0]);
    assert!(says(&home, PNPM.1));
    // Nothing refuses it any more: what says it again strengthens it.
    home.wait_hours(48);
    told_again(&home, 2, "2026-12-02T09:00:00Z", PNPM.0);
    let report = home.json(&["dream"]);
    assert_eq!(report["recurrences"].as_array().unwrap().len(), 1, "{report}");
    // Taking the word back keeps it away again.
    let run = home.json(&["log"]);
    let run = run.as_array().unwrap().iter().find(|run| run["engine"] == "remember").unwrap()["run"].clone();
    home.expect(0, &["undo", run.as_str().unwrap()]);
    home.wait_hours(48);
    Talk::new(5, &home.work).at("2026-11-29T09:00:00Z").human(PNPM.0).agent("ok").write(&home);
    home.expect(0, &["dream", "--yes"]);
    assert!(!says(&home, PNPM.1));
}

#[test]
fn pinned_entries_and_those_of_others_go_by_the_users_word_and_all_that_says_the_same() {
    let home = Home::new();
    home.remember(
        "MEMORY.md",
        "# Mine\r\n\r\n- [Ports](ports.md) — staging is on 3001\r\n\r\nMy own prose.\r\n",
    );
    home.remember(
        "ports.md",
        "---\r\nname: ports\r\ndescription: where things listen\r\npinned: true\r\ntype: project\r\n---\r\n\r\n- The \
         staging server of the shop listens on port 3001.\r\n- The worker listens on 4310.\r\n",
    );
    home.remember(
        "other.md",
        "---\nname: other\ntype: project\n---\n\nThe staging server of the shop listens on 3001.\n",
    );
    let shown = home.expect(3, &["forget", "ports.md:8", "--json"]).json();
    assert_eq!(texts(&shown).len(), 2, "what says the same goes along: {shown}");
    assert_eq!(shown["entries"][0]["pinned"], true);
    home.expect(0, &["forget", "ports.md:8", "--yes"]);
    let memory = tree::memory(&home.memory());
    let ports = String::from_utf8_lossy(&memory["ports.md"]).into_owned();
    assert!(!ports.contains("3001") && ports.contains("- The worker listens on 4310.\r\n"), "{ports:?}");
    assert!(ports.replace("\r\n", "").find('\n').is_none(), "its line ends stay: {ports:?}");
    assert!(!memory.contains_key("other.md"));
    assert!(String::from_utf8_lossy(&memory["MEMORY.md"]).contains("My own prose.\r\n"));
}

#[test]
fn an_entry_that_somebody_changed_by_hand_is_forgotten_as_it_is() {
    let home = home();
    let path = home.json(&["why", PNPM.1])["path"].as_str().unwrap().to_owned();
    let file = home.memory().join(&path);
    let text = fs::read_to_string(&file).unwrap().replace("never npm or yarn", "never npm, yarn or bun");
    fs::write(&file, text).unwrap();
    let answer = home.json(&["forget", "--match", "bun", "--yes"]);
    assert_eq!(texts(&answer).len(), 1, "{answer}");
    assert!(!says(&home, "pnpm"));
}

#[test]
fn a_match_of_two_hundred_entries_goes_at_once_and_the_rest_stays_as_it_was() {
    let home = Home::new();
    let names = ["amber", "birch", "cedar", "delta", "ember"];
    let mut text = String::from("---\nname: hosts\ntype: reference\n---\n\n");
    for number in 0..200 {
        let (first, second) = (names[number % 5], names[number / 5 % 5]);
        let team = 1000 + number;
        writeln!(text, "- Host h{number} of rack {first}-{second} keeps the legacy dumps of team {team}.")
            .unwrap();
    }
    text += "- 备份在三号机房。\n";
    home.remember("hosts.md", &text);
    home.remember("MEMORY.md", "- [Hosts](hosts.md) — which host keeps what\n");
    let answer = home.json(&["forget", "--match", "legacy dumps", "--yes"]);
    assert_eq!(texts(&answer).len(), 200);
    let left = fs::read_to_string(home.memory().join("hosts.md")).unwrap();
    assert!(left.ends_with("- 备份在三号机房。\n") && !left.contains("legacy"), "{left}");
    home.expect(0, &["undo"]);
    assert_eq!(fs::read_to_string(home.memory().join("hosts.md")).unwrap(), text);
}

#[test]
fn a_dream_that_holds_memory_is_not_disturbed_and_two_at_once_forget_once() {
    let home = home();
    let lease = Lease::acquire(&home.memory(), &LeaseOptions::new("dream")).unwrap();
    home.expect(4, &["forget", "--match", PNPM.1, "--yes"]);
    home.expect(4, &["remember", "The cache lives in Redis on host nine."]);
    home.expect(4, &["pin", PNPM.1]);
    assert_eq!(texts(&home.expect(3, &["forget", PNPM.1, "--json"]).json()).len(), 1, "a look needs nothing");
    drop(lease);
    for round in 0..5 {
        let arguments = ["forget", "--match", PNPM.1, "--yes"];
        let start =
            |_| home.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let ends = [0, 1].map(start).map(|child| child.wait_with_output().unwrap());
        for end in &ends {
            assert!(matches!(end.status.code(), Some(0 | 4)), "round {round}: {end:?}");
        }
        assert!(!says(&home, PNPM.1), "round {round}");
        let runs = home.json(&["log"]);
        let forgot = runs
            .as_array()
            .unwrap()
            .iter()
            .filter(|run| run["engine"] == "forget" && run["state"] == "applied")
            .count();
        assert_eq!(forgot, 1, "round {round}: {runs}");
        home.expect(0, &["undo"]);
    }
}

#[test]
fn what_waits_for_the_users_word_and_what_they_accepted_elsewhere_go_along() {
    let home = Home::with_sessions(1);
    home.configure("[dream]\nreview = \"all\"\n");
    home.expect(3, &["dream"]);
    assert!(home.json(&["review"]).to_string().contains(PNPM.1));
    home.remember("notes.md", &format!("---\nname: notes\ntype: feedback\n---\n\n{}\n", PNPM.0));
    let answer = home.json(&["forget", "--match", PNPM.1, "--yes"]);
    assert_eq!(answer["withdrawn"].as_array().unwrap().len(), 1, "{answer}");
    let open = home.json(&["review"]).to_string();
    assert!(!open.contains(PNPM.1) && open.contains(COMMITS.1), "the rest goes on waiting: {open}");
    home.expect(0, &["apply", "all"]);
    assert!(says(&home, COMMITS.1) && !says(&home, PNPM.1));
}

#[test]
fn odd_paths_and_a_memory_that_cannot_be_written_are_told_of() {
    let home = Home::new();
    let name = "ordner mit [klammern]/ö 笔记 #1.md";
    home.remember(
        name,
        "---\nname: odd\ntype: project\n---\n\n- The odd host is called marmot here.\n- 另一条事实留下来。\n",
    );
    let answer = home.expect(3, &["forget", "--path", name, "--match", "marmot", "--json"]).json();
    assert_eq!(texts(&answer), ["The odd host is called marmot here."]);
    home.expect(0, &["forget", &format!("{name}:6"), "--yes"]);
    let left = fs::read_to_string(home.memory().join(name)).unwrap();
    assert!(!left.contains("marmot") && left.contains("另一条事实留下来。"), "{left}");

    let home = self::home();
    let before = tree::memory(&home.memory());
    let marked = |readonly: bool| {
        let mut permissions = fs::metadata(home.memory()).unwrap().permissions();
        permissions.set_readonly(readonly);
        fs::set_permissions(home.memory(), permissions).unwrap();
    };
    marked(true);
    let said = home.nidra(&["forget", "--match", PNPM.1, "--yes"]);
    marked(false);
    assert_eq!(said.status.code(), Some(1), "{said:?}");
    said.names(&[home.memory().to_str().unwrap()]);
    assert_eq!(tree::memory(&home.memory()), before);
    assert!(says(&home, PNPM.1));
}
