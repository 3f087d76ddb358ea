//! The map and the associations by the program: after real dreams, in every form, and nothing shown that must not be.

use crate::support::{COMMITS, Home, PNPM, checkout};
use crate::talk::Talk;
use crate::tree;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

fn topic(name: &str, entries: &[&str]) -> String {
    let entries = entries.join("\n- ");
    format!("---\nname: {name}\ndescription: {name}\nmetadata:\n  type: project\n---\n\n- {entries}\n")
}

/// The value that a page holds.
fn data(page: &Path) -> Value {
    let text = fs::read_to_string(page).unwrap();
    let start = text.find("id=\"data\">").unwrap() + "id=\"data\">".len();
    serde_json::from_str(text[start..].split("</script>").next().unwrap()).unwrap()
}

#[test]
fn a_map_holds_what_a_dream_learnt_with_the_words_that_it_rests_on() {
    let home = Home::with_sessions(1);
    home.expect(0, &["dream"]);
    let before = tree::exact(&home.memory());
    let page = home.root.join("map.html");
    let said = home.expect(0, &["map", "--output", page.to_str().unwrap()]);
    assert_eq!(said.out.trim(), page.to_str().unwrap());
    assert_eq!(fs::metadata(&page).unwrap().permissions().mode() & 0o777, 0o600);
    let map = data(&page);
    let entries = map["entries"].as_array().unwrap();
    for (words, one) in [PNPM, COMMITS] {
        let entry = entries.iter().find(|entry| entry["text"].as_str().unwrap().contains(one)).unwrap();
        let quote = &entry["evidence"][0];
        assert_eq!(quote["speaker"], "you");
        assert!(words.contains(quote["words"].as_str().unwrap()), "{quote}");
        assert_eq!((entry["since"].as_u64(), &entry["until"]), (Some(1), &Value::Null));
    }
    assert_eq!(map["runs"].as_array().unwrap().len(), 1);
    assert_eq!(map["title"], "harbour");

    // The other forms say the same.
    assert_eq!(home.json(&["map"])["entries"], map["entries"]);
    let document = home.root.join("map.md");
    home.expect(0, &["map", "-o", document.to_str().unwrap()]);
    let text = fs::read_to_string(&document).unwrap();
    assert_eq!(home.expect(0, &["map", "--markdown"]).out.trim(), text.trim());
    let shown = home.expect(0, &["map"]);
    for entry in entries {
        let start: String = entry["text"].as_str().unwrap().chars().take(12).collect();
        assert!(shown.out.contains(&start) && text.contains(&start), "{start}: {shown:?}");
    }
    tree::assert_same(&home.memory(), &before);
}

#[test]
fn the_map_goes_back_to_what_memory_held_before() {
    let mut home = Home::new();
    Talk::new(1, &home.work).human("Staging runs on port 3000.").agent("ok").write(&home);
    home.expect(0, &["dream"]);
    home.wait_hours(48);
    let later = Talk::new(2, &home.work).at("2026-12-02T10:00:00Z");
    later.human("Staging moved, it runs on port 3001 now, no longer on 3000.").agent("ok").write(&home);
    home.expect(0, &["dream", "--yes"]);
    let map = home.json(&["map"]);
    assert_eq!(map["runs"].as_array().unwrap().len(), 2, "{map}");
    let entries = map["entries"].as_array().unwrap();
    let with = |word: &str, active: bool| {
        let found = entries
            .iter()
            .position(|entry| entry["active"] == active && entry["text"].as_str().unwrap().contains(word));
        found.unwrap_or_else(|| panic!("{word} {active}: {map}"))
    };
    let (old, new) = (with("3000", false), with("3001", true));
    assert_eq!((&entries[old]["since"], &entries[old]["until"]), (&1.into(), &2.into()));
    assert_eq!((&entries[new]["since"], &entries[new]["until"]), (&2.into(), &Value::Null));
    assert_eq!(entries[new]["took_the_place_of"], serde_json::json!([old]));
}

#[test]
fn a_map_is_written_after_each_dream_where_the_settings_want_it() {
    let home = Home::with_sessions(1);
    let folder = home.root.join("maps");
    home.configure(&format!("[map]\nafter_dream = \"{}/\"\n", folder.display()));
    home.expect(0, &["dream", "--dry-run"]);
    assert!(!folder.exists(), "a dry run writes nothing");
    home.expect(0, &["dream"]);
    let pages: Vec<_> = fs::read_dir(&folder).unwrap().map(|page| page.unwrap().path()).collect();
    let [page] = pages.as_slice() else { panic!("{pages:?}") };
    assert!(page.file_name().unwrap().to_str().unwrap().starts_with("harbour-"));
    assert!(data(page)["entries"].as_array().unwrap().len() >= 2);
    // A dream without anything new changes no byte of it.
    let before = fs::read(page).unwrap();
    home.expect(0, &["dream"]);
    assert_eq!(fs::read(page).unwrap(), before);
}

#[test]
fn a_map_that_cannot_be_written_costs_no_dream() {
    let home = Home::with_sessions(1);
    let blocked = home.root.join("file");
    fs::write(&blocked, "x").unwrap();
    home.configure(&format!("[map]\nafter_dream = \"{}/map.html\"\n", blocked.display()));
    let said = home.expect(0, &["dream"]);
    said.names(&["map.after_dream"]);
    assert!(tree::words(&home.memory()).contains(PNPM.1));
    // Memory is no place for it, however it is named.
    let inside = home.memory().join("map.md");
    home.expect(3, &["map", "--output", inside.to_str().unwrap()]).names(&["memory directory"]);
    assert!(!inside.exists());
    home.expect(1, &["map", "--output", home.root.join("no/such/map.html").to_str().unwrap()]);
    home.expect(2, &["map", "--markdown", "--json"]);
}

#[test]
fn secrets_in_memory_reach_no_form_of_the_map() {
    let home = Home::new();
    let secret = ["ghp", "_", &"a1B2c3D4e5".repeat(4)[..36]].concat();
    home.remember(
        "keys.md",
        &topic("keys", &[&format!("The token is {secret}, see PAY-1."), "PAY-1 is open."]),
    );
    home.remember("MEMORY.md", "- [Keys](keys.md) — keys\n");
    let page = home.root.join("map.html");
    home.expect(0, &["map", "-o", page.to_str().unwrap()]);
    let mut shown = vec![fs::read_to_string(&page).unwrap()];
    for arguments in [
        &["map"][..],
        &["map", "--json"],
        &["map", "--markdown"],
        &["associations"],
        &["associations", "--json"],
        &["associations", "PAY-1", "--json"],
    ] {
        shown.push(home.expect(0, arguments).out);
    }
    for text in shown {
        assert!(text.contains("PAY-1") && !text.contains(&secret), "{text}");
    }
}

#[test]
fn associations_show_what_a_link_rests_on_and_find_things_and_entries() {
    let home = Home::new();
    home.remember(
        "billing.md",
        &topic("billing", &["PAY-114: invoices were rounded twice.", "Mara owns billing-api."]),
    );
    home.remember("对账.md", &topic("对账", &["对账差额是 PAY-114 留下的。", "每天六点跑。"]));
    home.remember("lunch.md", &topic("lunch", &["Lunch is at noon."]));
    home.remember("MEMORY.md", "- [Billing](billing.md) — billing\n");
    let all = home.json(&["associations"]);
    let links = all["links"].as_array().unwrap();
    let link = links.iter().find(|link| link["text"].as_str().unwrap().contains("PAY-114")).unwrap();
    assert!(link["other_text"].as_str().unwrap().contains("PAY-114"), "{link}");
    assert_eq!(link["shared"][0]["kind"], "ticket");
    assert!(link["reason"].as_str().unwrap().starts_with("ticket PAY-114"));

    let thing = home.json(&["associations", "pay-114"]);
    assert_eq!(thing["entries"].as_array().unwrap().len(), 2);
    let person = home.json(&["associations", "Mara"]);
    assert_eq!(person["relations"][0]["words"], "Mara owns billing-api");
    let entry = home.json(&["associations", "对账差额"]);
    assert_eq!(entry["links"].as_array().unwrap().len(), 1, "{entry}");
    assert!(entry["links"][0]["other_text"].as_str().unwrap().contains("rounded twice"));
    assert_eq!(home.json(&["associations", "lunch.md:8"])["links"], serde_json::json!([]));
    for arguments in [&["associations"][..], &["associations", "PAY-114"], &["associations", "对账差额"]]
    {
        let told = home.expect(0, arguments).out;
        assert!(told.contains("PAY-114") && told.contains("rounded twice"), "{told}");
    }
    home.expect(1, &["associations", "nobody knows this"]).names(&["nothing in memory"]);
}

#[test]
fn all_projects_are_joined_and_those_that_stay_by_themselves_are_not() {
    let home = Home::new();
    let other = home.root.join("work/quay");
    checkout(&other);
    for (number, (place, rule)) in [(&home.work, PNPM), (&other, COMMITS)].into_iter().enumerate() {
        Talk::new(u32::try_from(number).unwrap() + 1, place).human(rule.0).agent("ok").write(&home);
    }
    home.expect(0, &["dream", "--all"]);
    for (place, words) in [(&home.work, "PAY-9 blocks the release."), (&other, "发布被 PAY-9 挡住了。")]
    {
        fs::write(home.memory_of(place).join("block.md"), topic("block", &[words])).unwrap();
    }
    let alone = home.json(&["map"]);
    assert_eq!(alone["projects"], serde_json::json!(["harbour"]));
    let both = home.json(&["map", "--all-projects"]);
    assert_eq!(both["projects"], serde_json::json!(["harbour", "quay"]));
    let links = home.json(&["associations", "--all-projects"]);
    let across =
        links["links"].as_array().unwrap().iter().find(|link| link["across_projects"] == true).unwrap();
    assert_eq!(across["shared"][0]["words"], "PAY-9");

    fs::write(other.join(".nidra.toml"), "[model]\nlocal_only = true\n").unwrap();
    let said = home.expect(0, &["map", "--all-projects", "--markdown"]);
    assert!(said.out.contains("PAY-9 blocks") && !said.out.contains("发布被"), "{said:?}");
    said.names(&["stay by themselves"]);
    let links = home.json(&["associations", "--all-projects"]);
    assert!(!links.to_string().contains("发布被"));
    // Asked from there it is alone as well.
    let mut command = home.command(&["map", "--all-projects", "--json"]);
    let own = crate::support::said(command.current_dir(&other), b"").json();
    assert_eq!(own["projects"], serde_json::json!(["quay"]));
}
