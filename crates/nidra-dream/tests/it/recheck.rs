//! Transcripts that somebody changes while the engine thinks: what no longer stands there is not written.

use crate::support::{Script, World, add, create, operation, turn};
use nidra_core::{EngineInput, Kind, Operation, OperationId, Speaker};
use nidra_dream::pipeline::DreamError;
use nidra_dream::report::RunState;
use std::fs::{self, File, FileTimes};
use std::io::Write as _;
use std::path::Path;
use std::time::SystemTime;

const FACT: &str = "The API listens on port 9090 here.";
const OTHER: &str = "Ana owns the billing module.";

/// What somebody does to a transcript.
type Deed<'a> = (&'static str, &'a dyn Fn(&Path));

/// Keeps each thing that a person says.
fn keep_all(input: &EngineInput<'_>) -> Vec<Operation> {
    let turns = input.conversations.iter().flat_map(|conversation| &conversation.turns);
    let said = turns.filter(|turn| turn.speaker == Speaker::Human);
    let kept = said.enumerate().map(|(number, turn)| {
        let text = turn.text().unwrap();
        let change = create(&format!("fact-{number}"), Kind::Project, text);
        Operation {
            id: OperationId::new(format!("op-{number}")),
            ..operation(change, Kind::Project, turn, text)
        }
    });
    kept.collect()
}

/// Changes a text in place.
fn rewrite(path: &Path, change: impl Fn(String) -> String) {
    let text = fs::read_to_string(path).unwrap();
    fs::write(path, change(text)).unwrap();
}

#[test]
fn what_no_longer_stands_in_a_transcript_is_not_written_and_is_asked_again() {
    let changes: [Deed<'_>; 5] = [
        ("removed", &|path| fs::remove_file(path).unwrap()),
        ("emptied", &|path| fs::write(path, "").unwrap()),
        ("other words", &|path| rewrite(path, |text| text.replace("9090", "6666"))),
        ("another speaker", &|path| rewrite(path, |text| text.replace("\"human\"", "\"task-notification\""))),
        ("moved", &|path| rewrite(path, |text| format!("{}\n{text}", " ".repeat(300)))),
    ];
    for (name, change) in changes {
        let world = World::new();
        let path = world.session(FACT, "Noted.");
        let before = world.files();
        let engine = Script::new(|input| {
            let operations = keep_all(&input);
            change(&path);
            Ok(operations)
        });
        let error = world.dream(&engine).unwrap_err();
        assert!(matches!(error, DreamError::Changed), "{name}: {error:?}");
        assert_eq!(world.files(), before, "{name}");
        // With the transcript as it is now the session is read anew.
        world.session(OTHER, "Noted.");
        let report = world.dream(&Script::new(|input| Ok(keep_all(&input)))).unwrap();
        let memory = world.files().into_values().collect::<String>();
        assert!(memory.contains(OTHER), "{name}: {report:?}");
        assert_eq!(memory.contains(FACT), name == "moved", "{name}: {memory}");
    }
}

#[test]
fn a_session_that_goes_on_and_a_file_that_is_only_touched_or_copied_keep_what_was_said() {
    let changes: [Deed<'_>; 4] = [
        ("goes on", &|path| {
            let mut file = File::options().append(true).open(path).unwrap();
            file.write_all(b"{\"type\":\"mode\",\"mode\":\"normal\"}\n{\"type\":\"us").unwrap();
        }),
        ("touched", &|path| {
            let times = FileTimes::new().set_modified(SystemTime::UNIX_EPOCH);
            File::options().write(true).open(path).unwrap().set_times(times).unwrap();
        }),
        ("another file", &|path| {
            let copy = path.with_extension("copy");
            fs::copy(path, &copy).unwrap();
            fs::rename(&copy, path).unwrap();
        }),
        ("cut behind", &|path| {
            rewrite(path, |text| format!("{}\n", text.lines().next().unwrap()));
        }),
    ];
    for (name, change) in changes {
        let world = World::new();
        let path = world.session(FACT, "Noted.");
        let engine = Script::new(|input| {
            let operations = keep_all(&input);
            change(&path);
            Ok(operations)
        });
        let report = world.dream(&engine).unwrap();
        assert_eq!((&report.state, report.applied.len()), (&RunState::Applied, 1), "{name}: {report:?}");
    }
}

#[test]
fn one_changed_session_holds_up_those_alone_whose_words_stand_with_its_own() {
    let world = World::new();
    let path = world.session(FACT, "Noted.");
    world.session(OTHER, "Noted.");
    let third = "Cem owns outgoing mail.";
    world.session(third, "Noted.");
    let engine = Script::new(|input| {
        let mut operations = keep_all(&input);
        // The second statement rests on the first session's words too.
        let first = operations[0].evidence[0].clone();
        operations[1].evidence.push(first);
        if path.exists() {
            fs::remove_file(&path).unwrap();
        }
        Ok(operations)
    });
    let mut notes = Vec::new();
    let report = world
        .run(&engine, nidra_dream::pipeline::Trigger::Manual, false, &mut |event| {
            notes.push(format!("{event:?}"));
        })
        .unwrap();
    assert_eq!((report.applied.len(), report.waiting_sessions), (1, 2), "{report:?}");
    assert!(report.waits_because.as_ref().unwrap().contains("changed while it was judged"), "{report:?}");
    assert!(notes.iter().any(|note| note.contains("waits for the next run")), "{notes:?}");
    let again =
        Script::new(|input| Ok(vec![add(&input, "owner", turn(&input, Speaker::Human).text().unwrap())]));
    let report = world.dream(&again).unwrap();
    let memory = world.files().into_values().collect::<String>();
    assert!(memory.contains(OTHER) && memory.contains(third) && !memory.contains(FACT), "{report:?}");
}
