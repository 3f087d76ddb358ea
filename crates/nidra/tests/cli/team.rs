//! Memory that a team shares: a rule that was told in two projects is proposed for the place that the user's settings
//! name, and for no other; nothing is written there unasked.

use crate::support::{COMMITS, Home, checkout};
use crate::talk::Talk;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The rule as each of two projects was told it, and the word that only it holds.
const RULE: [&str; 2] = [
    "From now on always use pnpm in this repository, never npm or yarn.",
    "From now on always use pnpm here, never npm or yarn.",
];
const WORD: &str = "pnpm";

/// A home with two projects and a place that a team shares.
struct Team {
    home: Home,
    other: PathBuf,
    place: PathBuf,
    days: u32,
}

impl Team {
    /// The setting names this below the user's home; it is a folder unless it ends in `.md`.
    fn at(place: &str) -> Self {
        let home = Home::new();
        let other = home.root.join("work/quay");
        checkout(&other);
        let place = home.folder.join(place);
        let folder = if place.extension().is_some() { place.parent().unwrap() } else { &place };
        fs::create_dir_all(folder).unwrap();
        let team = Self { home, other, place, days: 0 };
        team.configure("");
        team
    }

    /// Writes the settings, with these lines besides the place.
    fn configure(&self, more: &str) {
        self.home.configure(&format!("[propose]\nteam = \"{}\"\n{more}", self.place.display()));
    }

    /// Says words in a session of a project, and dreams there.
    fn tell(&mut self, project: &Path, words: &[&str]) {
        self.days += 1;
        let mut talk = Talk::new(self.days, project);
        for words in words {
            talk = talk.human(words).agent("ok");
        }
        talk.write(&self.home);
        self.home.now = format!("2026-12-{:02}T20:00:00Z", self.days);
        self.home.expect(0, &["dream", "--yes", "--project", project.to_str().unwrap()]);
    }

    /// Says words in a session of a project, and lets another session bring the dream in which memory holds them.
    fn settle(&mut self, project: &Path, words: &[&str]) {
        self.tell(project, words);
        self.tell(project, &["what does the readme say?"]);
    }

    /// The rule in both projects, the second told in its own words.
    fn told(place: &str) -> Self {
        let mut team = Self::at(place);
        let (work, other) = (team.home.work.clone(), team.other.clone());
        team.tell(&work, &[RULE[0], COMMITS.0]);
        team.settle(&other, &[RULE[1]]);
        team
    }

    /// What waits for the team in a project: plan, destination, words, sessions of the evidence.
    fn proposals(&self, project: &Path) -> Vec<(String, PathBuf, String, Vec<String>)> {
        let plans = self.home.json(&["review", "--project", project.to_str().unwrap()]);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let mut found = Vec::new();
        for plan in plans.as_array().unwrap() {
            for operation in plan["body"]["plan"]["operations"].as_array().unwrap() {
                let change = &operation["change"];
                if change["type"] != "propose" || !Path::new(&text(&change["destination"])).is_absolute() {
                    continue;
                }
                let evidence = operation["evidence"].as_array().unwrap();
                let sessions = evidence.iter().map(|one| text(&one["source"]["session"])).collect();
                let place = PathBuf::from(text(&change["destination"]));
                found.push((text(&plan["plan"]), place, text(&change["text"]), sessions));
            }
        }
        found
    }

    fn in_other(&self, code: i32, arguments: &[&str]) -> crate::support::Said {
        let mut all = arguments.to_vec();
        all.extend(["--project", self.other.to_str().unwrap()]);
        self.home.expect(code, &all)
    }
}

#[test]
fn a_rule_told_in_two_projects_is_proposed_for_the_team_and_nothing_is_written_unasked() {
    let mut team = Team::told("team-notes");
    let (work, other) = (team.home.work.clone(), team.other.clone());
    assert!(team.proposals(&work).is_empty(), "one project is no team's");
    let found = team.proposals(&other);
    assert_eq!(found.len(), 1, "what was told in one project alone is not among them: {found:?}");
    let (_, place, words, sessions) = &found[0];
    assert_eq!(place, &team.place.join("conventions.md"));
    assert!(words.contains(WORD));
    assert_eq!(sessions, &[crate::talk::session_id(2)], "no word of the other project is kept in this one");
    assert_eq!(fs::read_dir(&team.place).unwrap().count(), 0);
    let shown = team.in_other(0, &["review"]).out;
    assert!(
        shown.contains("+- ") && shown.contains("conventions.md") && shown.contains("here and in harbour"),
        "{shown}"
    );
    // Neither project asks again, in whichever it is told.
    for (project, rule) in [(&work, RULE[0]), (&other, RULE[1]), (&work, RULE[0])] {
        team.tell(project, &[rule]);
    }
    assert!(team.proposals(&work).is_empty());
    assert_eq!(team.proposals(&other).len(), 1);
    // Other words of the same rule take the question back, and it is asked anew.
    team.settle(&other, &[RULE[0]]);
    assert_eq!(team.proposals(&other).len(), 1);
}

#[test]
fn what_the_team_accepts_stands_in_a_block_is_undone_and_leaves_with_nidra() {
    for (setting, file) in [("notes/team.md", "notes/team.md"), ("notes", "notes/MEMORY.md")] {
        let mut team = Team::at(setting);
        let file = team.home.folder.join(file);
        let theirs = "# Team\r\n\r\n- Be kind.";
        fs::write(&file, theirs).unwrap();
        let (work, other) = (team.home.work.clone(), team.other.clone());
        team.tell(&work, &[RULE[0], COMMITS.0]);
        team.settle(&other, &[RULE[1], COMMITS.0]);
        let found = team.proposals(&other);
        assert_eq!(found.len(), 2, "English and Chinese: {found:?}");
        assert!(found.iter().all(|(_, place, ..)| *place == file), "{found:?}");
        team.in_other(0, &["apply", "all"]);
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with(theirs) && text.contains(WORD) && text.contains(COMMITS.1), "{text:?}");
        assert!(text.contains("nidra:begin") && team.proposals(&other).is_empty(), "{text:?}");
        team.in_other(0, &["undo"]);
        assert_eq!(fs::read_to_string(&file).unwrap(), theirs);
        team.in_other(0, &["apply", &team.proposals(&other)[0].0, "--json"]);
        let text = fs::read_to_string(&file).unwrap();
        let shown = team.home.expect(0, &["uninstall", "--dry-run"]).err;
        assert!(shown.contains(file.to_str().unwrap()), "{shown}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        // Also when the setting names it no longer.
        team.home.configure("");
        team.home.expect(0, &["uninstall"]);
        assert_eq!(fs::read_to_string(&file).unwrap(), theirs);
    }
}

#[test]
fn what_is_forgotten_leaves_the_teams_file_as_well() {
    let team = Team::told("team-notes");
    let file = team.place.join("conventions.md");
    team.in_other(0, &["apply", "all"]);
    assert!(fs::read_to_string(&file).unwrap().contains(WORD));
    let shown = team.in_other(3, &["forget", "--match", WORD, "--json"]).json();
    assert_eq!(shown["outside"][0]["path"], file.to_str().unwrap(), "{shown}");
    assert!(file.exists(), "it was only shown");
    team.in_other(0, &["forget", "--match", WORD, "--yes"]);
    assert!(!file.exists(), "nidra had made it, and nothing else stood there");
}

#[test]
fn a_no_for_the_team_holds_in_every_project() {
    let mut team = Team::told("team-notes");
    let (work, other) = (team.home.work.clone(), team.other.clone());
    team.in_other(0, &["review", "--drop", "all"]);
    for (project, rule) in [(&work, RULE[0]), (&other, RULE[1]), (&work, RULE[0])] {
        team.tell(project, &[rule]);
    }
    team.settle(&other, &[RULE[1]]);
    assert!(team.proposals(&work).is_empty() && team.proposals(&other).is_empty());
    // It was no answer for the project's own file.
    let said = team.in_other(0, &["review"]).out;
    assert!(said.contains("CLAUDE.md"), "{said}");
}

#[test]
fn what_is_known_personal_of_one_repository_or_kept_apart_is_not_proposed_for_the_team() {
    // The team's files say it.
    let mut team = Team::at("team-notes");
    fs::write(team.place.join("tools.md"), "# Tools\n\n- Always use pnpm, never npm or yarn.\n").unwrap();
    let (work, other) = (team.home.work.clone(), team.other.clone());
    team.tell(&work, &[RULE[0]]);
    team.settle(&other, &[RULE[1]]);
    assert!(team.proposals(&other).is_empty());

    // It is about the person.
    let mut team = Team::at("team-notes");
    let (work, other) = (team.home.work.clone(), team.other.clone());
    let mine =
        ["I prefer short answers without any preamble, always.", "回答我的时候请一直用中文，不要用英文。"];
    team.tell(&work, &mine);
    team.settle(&other, &mine);
    assert!(team.proposals(&other).is_empty(), "{:?}", team.proposals(&other));

    // Two clones of one repository.
    let mut team = Team::at("team-notes");
    let (work, other) = (team.home.work.clone(), team.other.clone());
    for clone in [&work, &other] {
        fs::write(clone.join(".git/config"), "[remote \"origin\"]\n\turl = https://code.test/shop.git\n")
            .unwrap();
    }
    team.tell(&work, &[RULE[0]]);
    team.settle(&other, &[RULE[1]]);
    assert!(team.proposals(&other).is_empty());

    // A project that the user keeps apart, or all of it.
    for more in [
        "[sessions]\nexclude = [\"WORK\"]\n",
        "[model]\nlocal_projects = [\"WORK\"]\n",
        "[model]\nlocal_only = true\n",
        "enabled = false\n",
    ] {
        let mut team = Team::at("team-notes");
        let (work, other) = (team.home.work.clone(), team.other.clone());
        team.tell(&work, &[RULE[0]]);
        team.configure(&more.replace("WORK", work.to_str().unwrap()));
        team.settle(&other, &[RULE[1]]);
        assert!(team.proposals(&other).is_empty(), "{more}");
    }
}

#[test]
fn nothing_outside_the_place_that_the_setting_names_is_written() {
    let team = Team::told("team-notes");
    let other = team.other.clone();
    let plan = team.proposals(&other)[0].0.clone();
    let outside = team.home.root.join("outside.md");
    fs::write(&outside, "theirs").unwrap();
    let file = team.place.join("conventions.md");
    std::os::unix::fs::symlink(&outside, &file).unwrap();
    team.in_other(3, &["apply", &plan]).names(&["leaves"]);
    assert_eq!(fs::read_to_string(&outside).unwrap(), "theirs");
    fs::remove_file(&file).unwrap();
    // Another user's file.
    if crate::support::is_root() {
        fs::write(&file, "theirs").unwrap();
        std::os::unix::fs::chown(&file, Some(4_321), None).unwrap();
        team.in_other(3, &["apply", &plan]).names(&["another user"]);
        assert_eq!(fs::read_to_string(&file).unwrap(), "theirs");
        fs::remove_file(&file).unwrap();
    } else {
        crate::support::not_tested("a team's file of another user: this needs the rights to make one");
    }
    // The setting names another place, or none, since.
    for settings in ["", "[propose]\nteam = \"~/elsewhere\"\n"] {
        team.home.configure(settings);
        team.in_other(3, &["apply", &plan]).names(&["propose.team"]);
        let shown = team.in_other(0, &["review"]).out;
        assert!(shown.contains("cannot be accepted as it is") && shown.contains("propose.team"), "{shown}");
    }
    assert!(!file.exists());
    team.configure("");
    team.in_other(0, &["apply", &plan]);
    assert!(fs::read_to_string(&file).unwrap().contains(WORD), "nothing was lost: the plan still waited");
    // What stands there is taken back wherever the setting points.
    team.home.configure("");
    team.in_other(0, &["undo"]);
    assert!(!file.exists());
}

#[test]
fn a_checkout_cannot_name_the_place_and_one_that_cannot_be_used_is_named() {
    let mut team = Team::at("team-notes");
    let (work, other) = (team.home.work.clone(), team.other.clone());
    team.tell(&work, &[RULE[0]]);
    fs::write(other.join(".nidra.toml"), "[propose]\nteam = \"~/.ssh\"\n").unwrap();
    team.in_other(2, &["dream"]).names(&["propose.team", "a project may not set it"]);
    fs::remove_file(other.join(".nidra.toml")).unwrap();
    // A place that is not there, the memory of a project, and a file that is none of Markdown.
    let memory = team.home.memory();
    fs::write(team.home.folder.join("notes.txt"), "x").unwrap();
    for (place, cause) in [
        (team.home.folder.join("missing"), "neither a directory nor a Markdown file"),
        (team.home.folder.join("notes.txt"), "neither a directory nor a Markdown file"),
        (memory.clone(), "memory of a project"),
        (memory.join("rules.md"), "memory of a project"),
    ] {
        team.place = place;
        team.configure("");
        let number = team.days + 1;
        Talk::new(number, &other).human(RULE[1]).agent("ok").write(&team.home);
        team.days = number;
        team.home.now = format!("2026-12-{number:02}T20:00:00Z");
        let report = team.in_other(0, &["dream", "--yes", "--json"]).json();
        assert!(report["diagnostics"].to_string().contains(cause), "{cause}: {report}");
        assert!(team.proposals(&other).is_empty());
        let said = team.home.nidra(&["doctor"]).out;
        assert!(said.contains(cause) && said.contains("propose.team"), "{said}");
    }
    // The team's own folder in a memory directory is a place for it.
    team.place = memory.join("team");
    fs::create_dir_all(&team.place).unwrap();
    team.configure("");
    team.settle(&other, &[RULE[1]]);
    let found = team.proposals(&other);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].1, team.place.join("conventions.md"));
}
