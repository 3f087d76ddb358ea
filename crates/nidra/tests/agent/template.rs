//! An agent of one's own by a template: here a shell, which does what a script says.

use crate::confined::running;
use crate::support::{Home, PNPM};
use crate::talk::Talk;
use serde_json::json;
use std::fs::{File, FileTimes};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

/// A sentence that the rules nearly take, and its words as a statement.
const PRINTER: (&str, &str) =
    ("oh and the label printer sits in the mural room", "The label printer sits in the mural room.");

fn home(script: &str) -> Home {
    let home = Home::with_sessions(2);
    Talk::new(7, &home.work).human(PRINTER.0).agent("Good to know.").write(&home);
    let command = json!(["/bin/bash", "-c", script, "agent", "{prompt}"]);
    home.configure(&format!(
        "[agent]\ncommand = {command}\nprograms = [\"/usr/bin\", \"/bin\"]\ntimeout_seconds = 60\n"
    ));
    home
}

fn memory(home: &Home) -> String {
    crate::tree::words(&home.memory())
}

#[test]
fn an_agent_of_ones_own_gets_the_prompt_and_its_changes_pass_the_guard() {
    let script = format!(
        "printf '%s' \"$1\" | grep -q 'Prune and index' || exit 9; \
         grep -q mural sessions/*.txt && grep -q pnpm kept.md || exit 8; \
         printf -- '- {}\\n- Deploys happen on Fridays.\\n' > memory/printer.md; echo The printer is noted.",
        PRINTER.1
    );
    let home = home(&script);
    let report = home.json(&["dream", "--engine", "agent"]);
    assert_eq!(report["model"]["stopped"], serde_json::Value::Null, "{report:#}");
    assert_eq!(report["model"]["said"], "The printer is noted.");
    assert_eq!(report["model"]["taken"]["create"], 1, "{report:#}");
    let memory = memory(&home);
    assert!(
        memory.contains("mural room") && memory.contains(PNPM.1) && !memory.contains("Friday"),
        "{memory}"
    );
}

#[test]
fn the_doctor_says_whether_an_agent_can_be_called_and_held() {
    let home = home("true");
    let found = |home: &Home| {
        let answer = home.nidra(&["doctor", "--json"]).json();
        answer.as_array().unwrap().iter().find(|one| one["what"] == "agent").cloned()
    };
    assert_eq!(found(&home).unwrap()["state"], "fine");
    home.configure("[agent]\ncommand = [\"no-such-agent\", \"{prompt}\"]\n");
    let fault = found(&home).unwrap();
    assert_eq!(fault["state"], "fault");
    assert!(fault["message"].as_str().unwrap().contains("no-such-agent"), "{fault}");
    home.configure("");
    assert_eq!(found(&home), None);
}

#[test]
fn an_agent_that_fails_at_once_leaves_the_sessions_and_says_how() {
    let home = home("echo out of cheese >&2; exit 3");
    home.expect(1, &["dream", "--engine", "agent"]).names(&["code 3", "out of cheese"]);
    assert!(!memory(&home).contains(PNPM.1));
    assert!(home.json(&["sessions"]).as_array().unwrap().iter().all(|session| session["state"] == "waiting"));
    // By setting, the rules alone judge instead.
    let mut said = home.command(&["dream", "--engine", "agent"]);
    assert!(said.env("NIDRA_MODEL_ON_FAILURE", "rules").output().unwrap().status.success());
    assert!(memory(&home).contains(PNPM.1));
}

#[test]
fn what_an_agent_changed_before_it_failed_counts_where_it_rests_on_something() {
    for (end, how) in [("exit 3", "code 3"), ("kill -SEGV $$", "code 139")] {
        let home =
            home(&format!("echo '- {}' > memory/printer.md; echo out of cheese >&2; {end}", PRINTER.1));
        let report = home.json(&["dream", "--engine", "agent"]);
        let stopped = report["model"]["stopped"].as_str().unwrap();
        assert!(stopped.contains(how) && stopped.contains("out of cheese"), "{stopped}");
        assert!(memory(&home).contains(PNPM.1) && memory(&home).contains(PRINTER.1));
    }
}

#[test]
fn an_agent_that_fails_with_nothing_but_nonsense_done_has_not_worked() {
    for (end, how) in [("exit 3", "code 3"), ("kill -SEGV $$", "code 139")] {
        let home = home(&format!("echo '- Whatever it is, nobody said it.' > memory/x.md; {end}"));
        home.expect(1, &["dream", "--engine", "agent"]).names(&[how]);
        assert!(!memory(&home).contains(PNPM.1));
        let sessions = home.json(&["sessions"]);
        assert!(
            sessions.as_array().unwrap().iter().all(|session| session["state"] == "waiting"),
            "{sessions}"
        );
    }
}

/// A program writes for itself, so nobody tells it what is never read; the run names it.
#[test]
fn what_an_agent_writes_where_nothing_is_read_is_named_and_its_sessions_wait() {
    let places = [
        ("archive/printer.md", "archive/printer.md"),
        ("2026-01-01.md", "2026-01-01.md"),
        ("logs/2026/01/2026-01-01.md", "logs/"),
        ("sub/MEMORY.md", "…/MEMORY.md"),
        ("MEMORY.MD.md", "MEMORY.MD.md"),
        ("printer.txt", "printer.txt"),
        (".printer.md", ".printer.md"),
    ];
    for (place, _) in places {
        let write = format!("mkdir -p $(dirname memory/{place}); echo '- {}' > memory/{place}", PRINTER.1);
        let home = home(&write);
        home.expect(1, &["dream", "--engine", "agent"])
            .names(&["wrote what a person said only where memory is never read"]);
        let sessions = home.json(&["sessions"]);
        assert!(
            sessions.as_array().unwrap().iter().all(|session| session["state"] == "waiting"),
            "{sessions}"
        );
    }
    // What was kept in its place as well is lost nowhere.
    let writes = places.map(|(place, _)| {
        format!("mkdir -p $(dirname memory/{place}); echo '- {}' > memory/{place}; ", PRINTER.1)
    });
    let unreadable = "mkfifo memory/pipe.md; ln -s /etc/hosts memory/link.md; echo x > $'memory/\\xff.md'; ";
    let home = home(&format!("{}{unreadable} echo '- {}' > memory/printer.md", writes.concat(), PRINTER.1));
    let said = home.expect(0, &["dream", "--engine", "agent"]);
    assert!(memory(&home).contains(PRINTER.1));
    for (_, name) in places {
        assert!(said.err.contains(name), "{name}: {}", said.err);
    }
    let events = home.expect(0, &["events"]).out;
    assert!(events.contains("archive/printer.md"), "{events}");
    let shown = home.json(&["show"]);
    let declined = &shown["report"]["model"]["declined_in"];
    let found = |reason: &str| declined[reason].as_array().map_or(0, Vec::len);
    assert_eq!(found("an archive, in which only nidra writes"), 1, "{declined:#}");
    assert!(found("it cannot be read as a file of memory") > 0, "{declined:#}");
}

#[test]
fn an_agent_that_wrecks_its_copy_wrecks_nothing_else() {
    let home = home(
        "rm -rf memory/* sessions kept.md; ln -s /etc/passwd memory/x.md; mkfifo memory/y.md; head -c 9000000 /dev/zero > memory/z.md; chmod 0 memory; true",
    );
    home.remember("MEMORY.md", "- [ports](ports.md) — where things listen\n");
    home.remember("ports.md", "Production listens on port 443.\n");
    home.json(&["dream", "--engine", "agent"]);
    let memory = memory(&home);
    assert!(memory.contains("Production listens on port 443.") && memory.contains(PNPM.1), "{memory}");
    assert!(!home.state.join("agent").read_dir().unwrap().any(|_| true), "the staging copy is gone");
}

#[test]
fn a_run_that_is_stopped_ends_the_agent_and_leaves_memory_as_it_was() {
    let mark = 16_000 + u64::from(std::process::id() % 10_000);
    let words = format!("sleep {mark}");
    let home = home(&format!("trap '' TERM INT HUP; (setsid {words} &); {words}; {words}"));
    let mut dream = home.command(&["dream", "--engine", "agent"]).spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(30);
    while !running(&words).iter().any(|line| line.starts_with("sleep")) && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    let process = dream.id().to_string();
    assert!(Command::new("kill").args(["-INT", &process]).status().unwrap().success());
    let status = dream.wait().unwrap();
    assert!(!status.success(), "{status:?}");
    assert!(running(&words).is_empty(), "{:?}", running(&words));
    assert!(!memory(&home).contains(PNPM.1));
    assert_eq!(home.state.join("agent").read_dir().unwrap().count(), 0, "the staging copy is gone");
}

#[test]
fn when_nidra_is_killed_the_agent_ends_and_the_next_dream_is_as_if_nothing_had_been() {
    let mark = 26_000 + u64::from(std::process::id() % 10_000);
    let words = format!("sleep {mark}");
    let home = home(&format!("trap '' TERM INT HUP; (setsid {words} &); {words}; {words}"));
    let mut dream = home.command(&["dream", "--engine", "agent"]).spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(30);
    let sleeping = || running(&words).iter().any(|line| line.starts_with("sleep"));
    while !sleeping() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(sleeping(), "the agent works");
    dream.kill().unwrap();
    dream.wait().unwrap();
    let end = Instant::now() + Duration::from_secs(20);
    while !running(&words).is_empty() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(running(&words).is_empty(), "{:?}", running(&words));
    assert!(!memory(&home).contains(PNPM.1));
    assert_eq!(home.state.join("agent").read_dir().unwrap().count(), 1, "a killed run leaves its copy");
    // The tests' clock is not the machine's, so what was left is put two days before it.
    let left = home.state.join("agent").read_dir().unwrap().next().unwrap().unwrap().path();
    let now: jiff::Timestamp = home.now.parse().unwrap();
    let then = SystemTime::try_from(now).unwrap() - Duration::from_secs(48 * 60 * 60);
    File::open(left).unwrap().set_times(FileTimes::new().set_modified(then)).unwrap();
    home.configure(
        "[agent]\ncommand = [\"/bin/bash\", \"-c\", \"true\", \"{prompt}\"]\nprograms = [\"/usr/bin\"]\n",
    );
    home.expect(0, &["dream", "--engine", "agent"]);
    assert!(memory(&home).contains(PNPM.1));
    assert_eq!(home.state.join("agent").read_dir().unwrap().count(), 0, "and the next day's run removes it");
}

/// The fields of the last event with this name.
fn last_event(home: &Home, name: &str) -> serde_json::Value {
    let events = std::fs::read_to_string(home.state.join("logs/events.jsonl")).unwrap();
    let mark = format!("\"event\":\"{name}\"");
    serde_json::from_str(events.lines().rfind(|line| line.contains(&mark)).unwrap()).unwrap()
}

/// What the agent's environment holds of its provider; it says so with its last words.
const TELLS: &str = "echo \"key=${ANTHROPIC_API_KEY:+$(printf %s \"$ANTHROPIC_API_KEY\" | cksum | cut -d' ' -f1)} address=$ANTHROPIC_BASE_URL \
                     model=$ANTHROPIC_MODEL other=$OPENAI_BASE_URL\"";

/// The same sum of a key as the agent says it, so that the key itself stands nowhere.
fn sum(key: &str) -> String {
    let command = format!("printf %s '{key}' | cksum | cut -d' ' -f1");
    let output = Command::new("/bin/sh").args(["-c", &command]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn an_agent_of_ones_own_gets_key_address_and_model_and_the_ledger_names_that_address() {
    let mut home = home(TELLS);
    let settings = std::fs::read_to_string(home.configure("")).unwrap_or_default();
    assert!(settings.is_empty());
    let command = json!(["/bin/bash", "-c", TELLS, "agent", "{prompt}"]);
    let agent = format!("[agent]\ncommand = {command}\nprograms = [\"/usr/bin\", \"/bin\"]\n");
    let key = format!("played-{}", 7_919 * 104_729);
    home.variables = vec![("NIDRA_MODEL_KEY".to_owned(), key.clone())];
    home.configure(&format!("[model]\nbase_url = \"http://127.0.0.1:9\"\nname = \"played\"\n{agent}"));
    let report = home.json(&["dream", "--engine", "agent"]);
    let said = report["model"]["said"].as_str().unwrap();
    let expected = format!("key={} address=http://127.0.0.1:9 model=played other=", sum(&key));
    assert_eq!(said, expected, "{report:#}");
    let call = &home.json(&["ledger"])[0];
    assert_eq!((&call["host"], &call["local"]), (&json!("127.0.0.1:9"), &json!(true)), "{call}");
    assert!(!crate::tree::words(&home.root).contains(&key));
}

#[test]
fn an_agent_of_ones_own_gets_the_variables_of_the_provider_that_is_named() {
    let mut home = home(
        "echo \"$OPENAI_BASE_URL $OPENAI_MODEL ${OPENAI_API_KEY:+has a key} ${ANTHROPIC_API_KEY:+has another}\"",
    );
    home.variables = vec![
        ("OPENAI_BASE_URL".to_owned(), "http://127.0.0.1:9/v1".to_owned()),
        ("OPENAI_MODEL".to_owned(), "played".to_owned()),
        ("OPENAI_API_KEY".to_owned(), "k".to_owned()),
        ("ANTHROPIC_API_KEY".to_owned(), "k".to_owned()),
        ("NIDRA_MODEL_PROVIDER".to_owned(), "openai".to_owned()),
    ];
    let report = home.json(&["dream", "--engine", "agent"]);
    assert_eq!(report["model"]["said"], "http://127.0.0.1:9/v1 played has a key", "{report:#}");
    assert_eq!(home.json(&["ledger"])[0]["host"], "127.0.0.1:9");
}

#[test]
fn where_nobody_says_whom_an_agent_asks_no_host_is_named() {
    let home = home("true");
    let dry = home.expect(0, &["dream", "--engine", "agent", "--dry-run"]);
    assert!(dry.err.contains("bash would be shown") && !dry.err.contains("anthropic"), "{dry:?}");
    // Nobody counts what a program takes, so nothing is called its limit that is none.
    assert!(dry.err.contains("at a guess") && dry.err.contains("`agent.timeout_seconds`"), "{dry:?}");
    home.expect(0, &["dream", "--engine", "agent"]);
    let call = &home.json(&["ledger"])[0];
    assert_eq!((&call["host"], &call["local"]), (&serde_json::Value::Null, &json!(false)), "{call}");
    let ledger = home.expect(0, &["ledger"]);
    assert!(ledger.out.contains("at an unknown host"), "{ledger:?}");
}

#[test]
fn what_stays_on_this_machine_may_go_to_an_agent_whose_provider_is_there() {
    for (address, asked) in [("http://127.0.0.1:9", true), ("https://elsewhere.invalid", false), ("", false)]
    {
        let mut home = home("echo asked");
        std::fs::write(home.work.join(".nidra.toml"), "[model]\nlocal_only = true\n").unwrap();
        if !address.is_empty() {
            home.variables = vec![("NIDRA_MODEL_BASE_URL".to_owned(), address.to_owned())];
        }
        let report = home.json(&["dream", "--engine", "agent"]);
        assert_eq!(report["model"]["said"] == "asked", asked, "{address}: {report:#}");
        assert_eq!(home.json(&["ledger"]).as_array().unwrap().len(), usize::from(asked), "{address}");
        assert!(memory(&home).contains(PNPM.1));
    }
}

#[test]
fn tokens_that_an_agent_counts_are_told_and_others_are_not_known() {
    let counted = "echo Noted.; echo '{\"usage\":{\"input_tokens\":700,\"output_tokens\":80}}'";
    for (script, known) in [(counted, true), ("echo Noted.", false)] {
        let home = home(script);
        let said = home.expect(0, &["dream", "--engine", "agent"]);
        assert!(said.err.contains("bash worked on 3 sessions: 1 call, "), "{said:?}");
        let tokens = last_event(&home, "completed")["tokens"].clone();
        let call = &home.json(&["ledger"])[0];
        let model = &home.json(&["show"])["report"]["model"];
        let kept = call["input_tokens"].as_u64().unwrap() + call["output_tokens"].as_u64().unwrap();
        assert_eq!(model["spent"]["tokens"], kept, "{model}");
        assert_eq!(model["said"], "Noted.");
        if known {
            assert_eq!(
                (&tokens["input_tokens"], &tokens["output_tokens"]),
                (&json!(700), &json!(80)),
                "{tokens}"
            );
            assert_eq!((&tokens["estimated_tokens"], &call["input_tokens"]), (&json!(0), &json!(700)));
        } else {
            assert!(tokens["input_tokens"].is_null() && tokens["output_tokens"].is_null(), "{tokens}");
            assert_eq!(tokens["estimated_tokens"], kept, "{tokens}");
        }
    }
}

/// Report, ledger and events say the same, and the runs of another day are not kept from asking.
#[test]
fn what_an_agent_says_that_it_spent_counts_as_far_as_its_run_may_spend() {
    for (report, tokens, cost) in [
        (
            "{\"usage\":{\"input_tokens\":1000000000000,\"output_tokens\":8},\"total_cost_usd\":1e300}",
            5_000_000,
            500_000,
        ),
        ("{\"usage\":{\"input_tokens\":70,\"output_tokens\":8},\"total_cost_usd\":-3}", 78, 0),
        ("{\"usage\":{\"input_tokens\":70,\"output_tokens\":8},\"total_cost_usd\":0.25}", 78, 250_000),
    ] {
        let mut home = home(&format!("echo '{report}'"));
        for (name, value) in [("RUN_TOKENS", "5000000"), ("DAY_TOKENS", "9000000"), ("RUN_COST", "0.5")] {
            home.variables.push((format!("NIDRA_BUDGET_{name}"), value.to_owned()));
        }
        let said = home.expect(0, &["dream", "--engine", "agent"]);
        let beyond = cost == 500_000;
        assert_eq!(said.err.contains("`budget.run_cost`"), beyond, "{said:?}");
        assert_eq!(said.err.contains("more were counted than"), beyond, "{said:?}");
        let spent = &home.json(&["show"])["report"]["model"]["spent"];
        assert_eq!((&spent["tokens"], &spent["cost"]), (&json!(tokens), &json!(cost)), "{spent}");
        let call = &home.json(&["ledger"])[0];
        let kept = call["input_tokens"].as_u64().unwrap() + call["output_tokens"].as_u64().unwrap();
        assert_eq!(kept, tokens, "{call}");
        assert_eq!(call["cost_usd"].as_f64(), Some(f64::from(cost) / 1e6), "{call}");
    }
}

#[test]
fn a_hint_fits_what_was_denied() {
    let own = "[\"/usr/bin\", \"/bin\"]";
    for (script, programs, hint, not) in [
        ("cat PLACE/secret", own, "kept from a file", "agent.programs"),
        ("echo x > PLACE/new", own, "kept from a file", "agent.programs"),
        ("/usr/bin/env", "[]", "`agent.programs`", "kept from a file"),
        ("exec 3<>/dev/tcp/127.0.0.1/9", "[]", "kept from a connection", "agent.programs"),
    ] {
        let home = home("true");
        std::fs::write(home.root.join("secret"), "mine\n").unwrap();
        let script = format!("{script}; true").replace("PLACE", &home.root.display().to_string());
        let command = json!(["/bin/bash", "-c", script, "agent", "{prompt}"]);
        home.configure(&format!("[agent]\ncommand = {command}\nprograms = {programs}\n"));
        let said = home.expect(0, &["dream", "--engine", "agent"]);
        assert!(said.err.contains(hint) && !said.err.contains(not), "{script}: {said:?}");
    }
}

#[test]
fn a_program_that_the_budget_keeps_from_working_has_not_worked() {
    let mut home = home("echo asked");
    home.variables = vec![("NIDRA_BUDGET_RUN_TOKENS".to_owned(), "10".to_owned())];
    // The session of small talk has nothing to be asked about; the others wait.
    let said = home.expect(1, &["dream", "--engine", "agent"]);
    assert!(said.err.contains("bash was not asked about 2 sessions."), "{said:?}");
    assert!(said.err.contains("2 sessions wait for the next run: `budget.run_tokens`"), "{said:?}");
    assert!(!said.err.contains("worked on"), "{said:?}");
    home.variables.push(("NIDRA_MODEL_ON_FAILURE".to_owned(), "rules".to_owned()));
    let said = home.expect(0, &["dream", "--engine", "agent"]);
    assert!(said.err.contains("It was not asked: `budget.run_tokens` is 10"), "{said:?}");
    assert!(said.err.contains("So the rules alone judged"), "{said:?}");
    let model = &home.json(&["show"])["report"]["model"];
    assert_eq!((&model["sessions"], &model["unasked"]), (&json!(0), &json!(2)), "{model}");
}

#[test]
fn a_key_of_any_shape_that_an_agent_says_is_nowhere_afterwards() {
    let key = format!("played-{}", 7_919 * 104_729);
    for script in [
        "echo \"I know $ANTHROPIC_API_KEY here\"",
        "echo \"I know $ANTHROPIC_API_KEY here\" >&2; exit 3",
        "echo \"{\\\"result\\\":\\\"I know $ANTHROPIC_API_KEY here\\\",\\\"usage\\\":{\\\"input_tokens\\\":7}}\"",
    ] {
        let mut home = home(script);
        home.variables = vec![("ANTHROPIC_API_KEY".to_owned(), key.clone())];
        let ran = home.nidra(&["dream", "--engine", "agent"]);
        let told = format!("{}{}", ran.out, ran.err);
        assert!(told.contains("I know [redacted:key] here") && !told.contains(&key), "{told}");
        assert!(!crate::tree::words(&home.root).contains(&key), "{script}");
    }
}
