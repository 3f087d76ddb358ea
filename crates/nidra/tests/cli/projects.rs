//! Projects stay apart, work trees and folders of one project stay together, and the client's setting decides the place.

use crate::support::{COMMITS, Home, PNPM, checkout};
use crate::talk::{Talk, slug};
use crate::tree;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn pub_prj_04_projects_that_share_a_folder_of_the_client_stay_apart() {
    for names in [["a-b", "a.b"], ["東京", "大阪"]] {
        let home = Home::new();
        let places = names.map(|name| home.root.join("w").join(name));
        assert_eq!(slug(&places[0]), slug(&places[1]));
        for (number, (place, rule)) in places.iter().zip([PNPM, COMMITS]).enumerate() {
            checkout(place);
            Talk::new(u32::try_from(number).unwrap() + 1, place).human(rule.0).agent("ok").write(&home);
        }
        // The client itself keeps one memory for both; each of ours is told its own.
        let memories = [home.root.join("m1"), home.root.join("m2")];
        for ((place, memory), (own, other)) in
            places.iter().zip(&memories).zip([(PNPM, COMMITS), (COMMITS, PNPM)])
        {
            let mut command = home.command(&["dream", "--json"]);
            command.current_dir(place).env("NIDRA_MEMORY_DIRECTORY", memory);
            let said = crate::support::said(&mut command, b"");
            assert_eq!(said.status.code(), Some(0), "{said:?}");
            let words = tree::words(memory);
            assert!(words.contains(own.1) && !words.contains(other.1), "{words}");
            // No word of the other is even read.
            assert_eq!(said.json()["sessions"].as_array().unwrap().len(), 1, "{said:?}");
            assert!(!said.out.contains(other.0), "{said:?}");
        }
    }
}

#[test]
fn pub_prj_05_a_folder_with_an_unknown_name_is_found_by_what_its_sessions_say() {
    let home = Home::new();
    let talk = Talk::new(1, &home.work).human(PNPM.0).agent("ok");
    let name = format!("{}-x7k2p", "-somewhere-else".repeat(14));
    talk.write_as(&home.claude.join("projects").join(name).join(format!("{}.jsonl", talk.session)));
    home.expect(0, &["dream"]);
    assert!(tree::words(&home.memory()).contains(PNPM.1));
}

#[test]
fn pub_prj_06_folders_outside_of_any_repository_are_projects_of_their_own() {
    let home = Home::new();
    let places = [home.folder.join("notes/p1"), home.folder.join("notes/p2"), home.folder.clone()];
    for (number, place) in places.iter().enumerate() {
        fs::create_dir_all(place).unwrap();
        let rule = format!("We always run `make check-{number}` before every commit.");
        Talk::new(u32::try_from(number).unwrap() + 1, place).human(&rule).agent("ok").write(&home);
    }
    home.expect(0, &["dream", "--all"]);
    for (number, place) in places.iter().enumerate() {
        let words = tree::words(&home.memory_of(place));
        for other in 0..places.len() {
            assert_eq!(words.contains(&format!("check-{other}")), number == other, "{place:?}: {words}");
        }
    }
}

#[test]
fn a_home_that_is_a_repository_of_dotfiles_swallows_no_project() {
    let home = Home::new();
    checkout(&home.folder);
    let place = home.folder.join("notes/p1");
    fs::create_dir_all(&place).unwrap();
    Talk::new(1, &place).human(PNPM.0).agent("ok").write(&home);
    Talk::new(2, &home.folder).human(COMMITS.0).agent("好").write(&home);
    for folder in [&place, &home.folder] {
        in_folder(&home, folder, &["dream"]);
    }
    let (own, whole) = (tree::words(&home.memory_of(&place)), tree::words(&home.memory_of(&home.folder)));
    assert!(own.contains(PNPM.1) && !own.contains(COMMITS.1), "{own}");
    assert!(whole.contains(COMMITS.1) && !whole.contains(PNPM.1), "{whole}");
}

#[test]
fn pub_prj_09_projects_of_one_name_share_nothing() {
    let home = Home::new();
    let (first, second) = (home.root.join("a/site"), home.root.join("b/site"));
    for place in [&first, &second] {
        checkout(place);
    }
    Talk::new(1, &first).human(PNPM.0).agent("ok").write(&home);
    home.expect(0, &["dream", "--project", second.to_str().unwrap()]);
    home.expect(0, &["dream", "--project", first.to_str().unwrap()]);
    assert!(tree::words(&home.memory_of(&first)).contains(PNPM.1));
    assert!(tree::memory(&home.memory_of(&second)).is_empty());
}

/// A real repository with a linked work tree.
fn repository(home: &Home) -> (PathBuf, PathBuf) {
    let (main, linked) = (home.root.join("repo"), home.root.join("trees/feature"));
    fs::create_dir_all(&main).unwrap();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        home.environment(&mut command);
        command.current_dir(&main).args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.org",
            "-c",
            "init.defaultBranch=main",
        ]);
        let output = command.args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "begin"]);
    git(&["worktree", "add", "-q", linked.to_str().unwrap()]);
    (main, linked)
}

fn in_folder(home: &Home, folder: &Path, arguments: &[&str]) -> crate::support::Said {
    let said = crate::support::said(home.command(arguments).current_dir(folder), b"");
    assert_eq!(said.status.code(), Some(0), "{arguments:?} {said:?}");
    said
}

#[test]
fn pub_prj_01_to_03_work_trees_and_folders_share_one_memory() {
    let home = Home::new();
    let (main, linked) = repository(&home);
    let below = main.join("agents/a");
    fs::create_dir_all(&below).unwrap();
    Talk::new(1, &main).human(PNPM.0).agent("ok").write(&home);
    Talk::new(2, &linked).human(COMMITS.0).agent("好").write(&home);
    Talk::new(3, &below).human("We always run `make lint` before every commit.").agent("ok").write(&home);
    let places = [&main, &linked, &below].map(|place| in_folder(&home, place, &["status", "--json"]).json());
    for status in &places {
        assert_eq!(status["memory"], home.memory_of(&main).to_str().unwrap());
        assert_eq!(status["project_id"], places[0]["project_id"]);
        assert_eq!(status["sessions"]["found"], 3);
    }
    in_folder(&home, &linked, &["dream"]);
    let words = tree::words(&home.memory_of(&main));
    assert!(words.contains(PNPM.1) && words.contains(COMMITS.1) && words.contains("make lint"), "{words}");
    assert!(!home.memory_of(&linked).exists() && !home.memory_of(&below).exists());
    // One cursor as well: nothing is read a second time from another place.
    let said = in_folder(&home, &below, &["dream"]);
    said.names(&["Nothing to do"]);
    let run = in_folder(&home, &main, &["log"]);
    assert!(run.out.contains("applied"), "{run:?}");
}

#[test]
fn pub_prj_02_work_trees_can_have_a_memory_each() {
    let home = Home::new();
    home.configure("[memory]\nshare_worktrees = false\n");
    let (main, linked) = repository(&home);
    Talk::new(1, &main).human(PNPM.0).agent("ok").write(&home);
    Talk::new(2, &linked).human(COMMITS.0).agent("好").write(&home);
    in_folder(&home, &linked, &["dream"]);
    in_folder(&home, &main, &["dream"]);
    let (main, linked) = (tree::words(&home.memory_of(&main)), tree::words(&home.memory_of(&linked)));
    assert!(main.contains(PNPM.1) && !main.contains(COMMITS.1), "{main}");
    assert!(linked.contains(COMMITS.1) && !linked.contains(PNPM.1), "{linked}");
}

#[test]
fn pub_own_03_the_clients_setting_decides_the_memory_directory_for_everything() {
    for layer in ["user", "project", "local"] {
        let home = Home::with_sessions(5);
        let memory = home.folder.join("笔记 memory");
        let settings = serde_json::json!({ "autoMemoryDirectory": "~/笔记 memory" }).to_string();
        match layer {
            "user" => drop(home.client_settings(&settings)),
            "project" | "local" => {
                let name = if layer == "local" { "settings.local.json" } else { "settings.json" };
                fs::create_dir_all(home.work.join(".claude")).unwrap();
                fs::write(home.work.join(".claude").join(name), settings).unwrap();
            }
            _ => unreachable!(),
        }
        home.expect(0, &["dream"]);
        assert!(tree::words(&memory).contains(PNPM.1), "{layer}");
        assert!(!home.memory().exists(), "{layer}");
        let status = home.json(&["status"]);
        assert_eq!(status["memory"], memory.to_str().unwrap());
        assert!(status["memory_because"].as_str().unwrap().contains("autoMemoryDirectory"), "{status}");
        home.expect(0, &["undo"]);
        assert!(tree::memory(&memory).is_empty());
        assert!(!home.memory().exists(), "{layer}");
    }
}

#[test]
fn pub_own_04_no_path_of_a_session_is_ever_written() {
    let home = Home::new();
    fs::create_dir_all(home.work.join("node_modules/y")).unwrap();
    fs::create_dir_all(home.work.join(".git/refs/heads/feature")).unwrap();
    let mut talk = Talk::new(1, &home.work).human(PNPM.0).agent("ok");
    for path in [".git/refs/heads/feature/x", "node_modules/y/z.md", "CLAUDE.md", "../../outside.md"] {
        talk = talk.tool(
            "Write",
            &serde_json::json!({ "file_path": home.work.join(path), "content": "x" }),
            "written",
        );
    }
    talk.human("always put notes about this into node_modules/y/notes.md please").agent("ok").write(&home);
    let before = tree::exact(&home.work);
    home.expect(0, &["dream"]);
    tree::assert_same(&home.work, &before);
    assert!(tree::words(&home.memory()).contains(PNPM.1));
}

#[test]
fn all_projects_are_done_and_a_failing_one_keeps_nobody_waiting() {
    let home = Home::with_sessions(2);
    let bad = home.root.join("work/aardvark");
    let good = home.root.join("work/zebra");
    for (number, place) in [(21, &bad), (22, &good)] {
        checkout(place);
        Talk::new(number, place).human(PNPM.0).agent("ok").write(&home);
    }
    fs::write(home.memory_of(&bad), "a file in the place").unwrap();
    // What would happen is one answer for programs, in which each project has its place.
    let answer = home.expect(1, &["dream", "--all", "--dry-run", "--json"]);
    let projects = answer.json().as_array().unwrap().clone();
    assert_eq!((projects.len(), answer.err.as_str()), (3, ""), "{answer:?}");
    for project in &projects {
        let failed = project["project"] == bad.to_str().unwrap();
        assert_eq!(project["error"]["kind"] == "failed", failed, "{project}");
        assert_eq!(project["state"] == "planned", !failed, "{project}");
    }
    let said = home.expect(1, &["dream", "--all"]);
    said.names(&[home.memory_of(&bad).to_str().unwrap()]);
    assert!(tree::words(&home.memory()).contains(PNPM.1));
    assert!(tree::words(&home.memory_of(&good)).contains(PNPM.1));
    assert_eq!(fs::read(home.memory_of(&bad)).unwrap(), b"a file in the place");
}

/// Gives a checkout a remote, as `git clone` does.
fn clone_of(checkout: &std::path::Path, url: &str) {
    std::fs::write(checkout.join(".git/config"), format!("[remote \"origin\"]\n\turl = {url}\n")).unwrap();
}

#[test]
fn pub_prj_08_the_memory_of_a_project_that_moved_is_named_and_comes_along_on_command_only() {
    let mut home = Home::with_sessions(1);
    let place = home.work.clone();
    clone_of(&home.work, "git@git.example.test:team/app.git");
    home.expect(0, &["dream"]);
    let old = home.memory();
    let before = tree::files(&old);
    assert!(before.contains_key("MEMORY.md"));
    home.work = place.with_file_name("renamed work");
    std::fs::rename(&place, &home.work).unwrap();
    // A neighbour whose name begins like the old one is another project.
    let other = home.root.join("other");
    crate::support::checkout(&other);
    clone_of(&other, "git@git.example.test:team/other.git");
    assert!(!home.expect(0, &["status", "--project", other.to_str().unwrap()]).out.contains("nidra adopt"));

    let said = home.expect(0, &["status"]);
    let command = format!("nidra adopt {}", place.display());
    assert!(said.out.contains(&command), "{said:?}");
    let new = home.memory();
    assert!(!new.exists(), "nothing is brought over unasked");
    let listed = home.expect(0, &["adopt"]);
    assert!(listed.out.contains(place.to_str().unwrap()), "{listed:?}");

    // What is there already is not overwritten.
    std::fs::create_dir_all(&new).unwrap();
    let topic =
        before.keys().find(|name| name.contains(".md") && !name.starts_with("MEMORY")).unwrap().clone();
    std::fs::write(new.join(&topic), "mine\n").unwrap();
    home.expect(0, &["adopt", place.to_str().unwrap()]);
    assert_eq!(std::fs::read_to_string(new.join(&topic)).unwrap(), "mine\n");
    assert!(tree::words(&new).contains(PNPM.1), "{}", tree::words(&new));
    let after = tree::files(&old);
    for (name, bytes) in &before {
        assert_eq!(after.get(name), Some(bytes), "{name} stays where it was");
    }
    assert!(!home.expect(0, &["status"]).out.contains("nidra adopt"));
    home.expect(0, &["undo"]);
    assert_eq!(std::fs::read_to_string(new.join(&topic)).unwrap(), "mine\n");
    assert!(!tree::words(&new).contains(PNPM.1));
    assert!(home.expect(0, &["status"]).out.contains(&command), "what was taken back lies unused again");
    // As people type it after a move.
    home.expect(0, &["adopt", &format!("../{}", place.file_name().unwrap().to_str().unwrap())]);
    assert!(tree::words(&new).contains(PNPM.1));
    home.expect(2, &["adopt", "/nowhere/at/all"]);
}

#[test]
fn pub_prj_02_a_memory_that_a_switch_left_behind_is_named() {
    let home = Home::with_sessions(1);
    clone_of(&home.work, "git@git.example.test:team/app.git");
    let tree = home.root.join("tree");
    let own = home.work.join(".git/worktrees/tree");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::create_dir_all(&tree).unwrap();
    std::fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
    std::fs::write(own.join("commondir"), "../..\n").unwrap();
    std::fs::write(own.join("gitdir"), format!("{}\n", tree.join(".git").display())).unwrap();
    std::fs::write(own.join("HEAD"), "ref: refs/heads/side\n").unwrap();
    crate::talk::Talk::new(9, &tree).human(PNPM.0).agent("Understood.").write(&home);
    let settings = home.configure("[memory]\nshare_worktrees = false\n");
    home.expect(0, &["dream", "--project", tree.to_str().unwrap()]);
    assert!(!home.expect(0, &["status"]).out.contains("nidra adopt"), "each has its own");
    std::fs::write(settings, "").unwrap();
    let said = home.expect(0, &["status"]);
    assert!(said.out.contains(&format!("nidra adopt {}", tree.display())), "{said:?}");
}

#[test]
fn a_memory_that_nidra_never_met_comes_along_too() {
    let home = Home::new();
    let old = home.memory_of(&home.root.join("gone"));
    fs::create_dir_all(&old).unwrap();
    fs::write(old.join("MEMORY.md"), "- [Ports](ports.md) — the API listens on 8443\n").unwrap();
    fs::write(old.join("ports.md"), "The API listens on 8443.\n").unwrap();
    home.expect(0, &["adopt", home.root.join("gone").to_str().unwrap()]);
    assert!(tree::words(&home.memory()).contains("8443"));
}
