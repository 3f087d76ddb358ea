//! A thousand bad answers, each over a real connection through a whole dream.

use crate::server::{Act, Request, Server, stream};
use crate::support::proof;
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use nidra_core::Unwatched;
use nidra_core::settings::{ModelSettings, ProviderChoice, Settings};
use nidra_core::text::redact::{Scope, sample::Generator};
use nidra_dream::gate::Switches;
use nidra_dream::gather::SessionKnowledge;
use nidra_dream::pipeline::{self, Dream, Mode, Trigger};
use nidra_dream::report::RunReport;
use nidra_memory::store::Store;
use nidra_model::budget::Budget;
use nidra_model::ledger::MemoryLedger;
use nidra_model::price::Prices;
use nidra_model::privacy::LocalOnly;
use nidra_model::provider::{Endpoint, Http};
use nidra_model::{CallOptions, ModelEngine, ModelOptions};
use nidra_sessions::{ClaudeCode, project};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File, FileTimes};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A word that nobody said and that stands in everything the model writes of its own.
const MARK: &str = "zqxjvk";
const VARIANTS: u64 = 1_000;
/// Dreams at once.
const WORKERS: u64 = 4;

/// An answer of the family, by its seed.
fn answer(request: &Request, random: &mut Generator) -> Act {
    let good = operations(request, random);
    let text = json!({ "batch": request.batch(), "operations": good }).to_string();
    let protocol_end = |word: &str| Act::plain(200, "text/event-stream", &stream(request, &text, Some(word)));
    let said = |text: &str| Act::answer(request, text);
    let cut = |text: &str, at: usize| {
        let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text[..at].to_owned()
    };
    match random.below(26) {
        0 => said(""),
        1 => said(&cut(&text, random.below(text.len()))),
        2 => protocol_end("max_tokens"),
        3 => protocol_end("refusal"),
        4 => said(&format!("I'm sorry, I can't do that. {MARK}")),
        5 => said(&format!("Error: overloaded {MARK}")),
        6 => Act::plain(
            200,
            "application/json",
            &json!({"type": "error", "error": {"message": "overloaded"}}).to_string(),
        ),
        7 => Act::plain(200, "text/html", &format!("<html>{MARK}</html>")),
        8 => said(&format!("Sure! Here it is:\n```json\n{text}\n```\nHope that helps. {MARK}")),
        9 => said(&format!("{text}\n{text}")),
        10 => said(&text.replacen('{', &format!("{{\"batch\":\"{MARK}\","), 1)),
        11 => said(&text.replace("\"item\":\"c", "\"item\":\"c9")),
        12 => said(&text.replace(&request.batch(), MARK)),
        13 => said(&text.replace("\"op\":\"create\"", "\"op\":\"shell\"")),
        14 => said(&text.replace("}]", "},]")),
        15 => said(&json!({ "facts": [MARK, "always"] }).to_string()),
        16 => {
            let (at, byte) = (random.below(text.len()), u8::try_from(random.below(94)).unwrap() + 32);
            let mut bytes = text.into_bytes();
            bytes[at] = byte;
            said(&String::from_utf8_lossy(&bytes))
        }
        17 => said(&"[".repeat(20_000)),
        18 => said(&text.replace(MARK, &MARK.repeat(3_000))),
        19 => said(&text.replace(MARK, &format!("../../{MARK}\\u0000<|im_start|>\\u202e"))),
        20 => Act::plain(500 + u16::try_from(random.below(4)).unwrap(), "text/plain", MARK),
        21 => Act::Break(
            stream(request, &text, None).into_bytes().into_iter().take(random.below(400)).collect(),
        ),
        22 => {
            let bytes: Vec<u8> =
                (0..random.below(300)).map(|_| u8::try_from(random.below(256)).unwrap()).collect();
            Act::Reply {
                status: 200,
                headers: vec![("content-type", "text/event-stream".to_owned())],
                pieces: vec![bytes],
                pause: Duration::ZERO,
            }
        }
        23 => said(&json!({ "name": "report", "arguments": text }).to_string()),
        _ => said(&text),
    }
}

/// Operations of every kind, most of them wrong.
fn operations(request: &Request, random: &mut Generator) -> Vec<Value> {
    let entries: Vec<Value> = request.entries().iter().map(|entry| entry["entry"].clone()).collect();
    let mut operations = Vec::new();
    for item in request.items() {
        let words = item["words"][0]["words"].as_str().unwrap_or_default().to_owned();
        let verb = random.pick(&["create", "append", "supersede", "archive", "drop", "keep"]).unwrap();
        let text = match random.below(5) {
            0 => json!(format!("Never {words} {MARK}")),
            1 => json!(format!("一律不要这样做 {MARK}")),
            2 => json!(words),
            3 => json!(format!("{MARK} make -C out all")),
            _ => Value::Null,
        };
        let entry = if random.below(2) == 0 {
            Value::Null
        } else {
            entries.get(random.below(4)).cloned().unwrap_or_default()
        };
        let kind = random.pick(&["user", "feedback", "project", "reference"]).unwrap();
        let quote = if random.below(3) == 0 { MARK.to_owned() } else { words };
        operations.push(json!({
            "op": verb, "item": item["item"], "entry": entry, "text": text, "title": MARK, "kind": kind, "quote": quote,
            "reason": MARK,
        }));
    }
    operations
}

/// A project with two sessions and some memory, laid out anew for each answer.
struct World {
    folder: tempfile::TempDir,
    settings: Settings,
}

impl World {
    fn new(url: &str) -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap(), settings: Settings::default() };
        let root = world.root();
        fs::create_dir_all(root.join("work/.git")).unwrap();
        fs::write(root.join("work/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::create_dir_all(root.join("memory")).unwrap();
        for (name, text) in [
            ("hosting", "Staging is hosted at Amazon."),
            ("tests", "Tests run with vitest before each merge."),
        ] {
            let page = format!(
                "---\nname: {name}\ndescription: {text}\nmetadata:\n  type: project\n---\n\n{text}\n"
            );
            fs::write(root.join(format!("memory/{name}.md")), page).unwrap();
        }
        fs::write(
            root.join("memory/MEMORY.md"),
            "- [Hosting](hosting.md) — Staging is hosted at Amazon.\n- [Tests](tests.md) — vitest\n",
        )
        .unwrap();
        world.session(1, &["From now on always use pnpm in this repository, never npm or yarn."]);
        world.session(2, &["我们搬家了：预发环境现在托管在 Hetzner，以后都用它。"]);
        let model = ModelSettings {
            provider: ProviderChoice::Anthropic,
            base_url: Some(url.to_owned()),
            name: Some("m".to_owned()),
            retries: 0,
            timeout_seconds: 5,
            ..ModelSettings::default()
        };
        Self { settings: Settings { model, ..Settings::default() }, ..world }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn session(&self, number: u32, words: &[&str]) {
        let id = format!("{number:08}-1111-4222-8333-444455556666");
        let at: Timestamp = "2026-11-30T09:00:00Z".parse().unwrap();
        let lines: Vec<String> = words.iter().enumerate().map(|(place, text)| json!({
            "parentUuid": null, "isSidechain": false, "type": "user", "message": { "role": "user", "content": text },
            "uuid": format!("{id}-{place}"), "timestamp": at.checked_add(SignedDuration::from_mins(i64::try_from(place).unwrap())).unwrap().strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string(),
            "userType": "external", "entrypoint": "cli", "cwd": self.root().join("work"), "sessionId": id, "version": "2.1.332",
            "gitBranch": "main", "origin": { "kind": "human" },
        }).to_string()).collect();
        let path = self.root().join("claude/projects/-work").join(format!("{id}.jsonl"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_times(FileTimes::new().set_modified(at.try_into().unwrap()))
            .unwrap();
    }

    /// Every file below the memory directory.
    fn memory(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.root().join("memory")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if !path.file_name().unwrap().to_str().unwrap().starts_with('.') {
                    files.insert(path.clone(), fs::read(&path).unwrap());
                }
            }
        }
        files
    }

    fn dream(&self) -> Result<RunReport, String> {
        let root = self.root();
        let endpoint = Endpoint::resolve(&self.settings.model, &|_| None, None).unwrap();
        let (http, ledger) = (Http::new(None).unwrap(), MemoryLedger::default());
        let now: Timestamp = "2026-11-30T12:00:00Z".parse().unwrap();
        let now = now.to_zoned_datetime(TimeZone::UTC);
        let local_only = LocalOnly::default();
        let (price, price_known) = Prices::with(None).unwrap().of("m");
        let engine = ModelEngine::new(ModelOptions {
            calls: CallOptions {
                endpoint: &endpoint,
                transport: &http,
                ledger: &ledger,
                slots: None,
                settings: &self.settings.model,
                budget: Budget::from(&self.settings.budget),
                price,
                now: now.timestamp(),
                pause: &|_| {},
            },
            price_known,
            local_only: &local_only,
            private_entries: std::collections::BTreeSet::new(),
            scope: Scope::Secrets,
            dry_run: None,
        });
        let project = project::identify(&root.join("work"), true);
        let state = root.join("state");
        let mut store = Store::open(&state).unwrap();
        let reader = ClaudeCode { config: root.join("claude"), own: vec![state.clone()] };
        let dream = Dream {
            project: &project,
            home: None,
            memory_root: &root.join("memory"),
            state_home: &state,
            settings: &self.settings,
            switches: Switches {
                disabled: false,
                enabled: true,
                auto_memory: true,
                assistant_mode: false,
                remote_mode: false,
            },
            now: &now,
            reader: &reader,
            engine: &engine,
            knowledge: &SessionKnowledge::default(),
            trigger: Trigger::Manual,
            consent: true,
            mode: Mode::Apply,
            watcher: &Unwatched,
        };
        let outcome = pipeline::dream(&dream, &mut store, &mut |_| {}).map_err(|error| error.to_string());
        let summary = engine.summary();
        assert!(!format!("{summary:?}").contains(MARK), "{summary:?}");
        if let Err(error) = &outcome {
            assert!(store.cursors(&project.id).unwrap().is_empty(), "a cursor moved: {error}");
            assert!(!error.contains(MARK), "{error}");
        }
        outcome
    }
}

/// Runs a dream over a bad answer; whether it applied a plan.
fn dream_of(seed: u64, server: &Server, random: &Mutex<Generator>) -> bool {
    *random.lock().unwrap() = Generator::new(seed);
    let world = World::new(&server.url());
    let before = world.memory();
    let outcome = world.dream();
    let after = world.memory();
    match &outcome {
        Err(_) => assert_eq!(before, after, "seed {seed}"),
        Ok(report) => {
            let root = world.root().join("memory");
            let reported: Vec<PathBuf> = report.files.iter().map(|file| root.join(&file.path)).collect();
            for path in before.keys().chain(after.keys()) {
                let same = before.get(path) == after.get(path);
                assert!(same || reported.contains(path), "seed {seed}: {}", path.display());
            }
        }
    }
    for (path, bytes) in &after {
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(!text.contains(MARK), "seed {seed}: {} holds words of the model\n{text}", path.display());
    }
    let state = fs::read(world.root().join("state/nidra.db")).unwrap();
    assert!(
        !String::from_utf8_lossy(&state).contains(MARK),
        "seed {seed}: the state holds words of the model"
    );
    outcome.is_ok()
}

#[test]
fn a_thousand_bad_answers_write_no_byte_outside_of_the_plan() {
    let applied = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for worker in 0..WORKERS {
            let applied = &applied;
            scope.spawn(move || {
                let random: &'static Mutex<Generator> = Box::leak(Box::new(Mutex::new(Generator::new(0))));
                let server = Server::start(move |request, _| answer(request, &mut random.lock().unwrap()));
                for seed in (worker..VARIANTS).step_by(usize::try_from(WORKERS).unwrap()) {
                    applied.fetch_add(dream_of(seed, &server, random).into(), Ordering::Relaxed);
                }
            });
        }
    });
    let applied = applied.into_inner();
    let failed = VARIANTS - applied;
    assert!(failed > 100 && applied > 100, "{failed} failed, {applied} applied");
    proof("bad answers of a model", VARIANTS);
    eprintln!("{failed} runs failed and changed nothing, {applied} applied their plan");
}
