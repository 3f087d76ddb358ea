//! The index as files: it grows by what is new, survives damage, and holds no secret.

use crate::talk::{By, Home};
use std::fs;

/// The turns that hold a word of the question; their neighbours are found as well, without any.
fn texts(home: &Home, question: &str) -> Vec<String> {
    home.ask(question).into_iter().filter(|found| !found.shared.is_empty()).map(|found| found.text).collect()
}

#[test]
fn only_new_bytes_are_read() {
    let home = Home::new();
    home.say(1, &[(1, By::Human, "alpha is first"), (2, By::Agent, "fine")]);
    home.say(2, &[(1, By::Human, "beta is second")]);
    let update = home.index().update;
    assert_eq!((update.read, update.turns), (2, 3));
    assert_eq!(home.index().update.read, 0, "nothing new");
    home.say(2, &[(2, By::Human, "gamma is third")]);
    let update = home.index().update;
    assert_eq!((update.read, update.turns), (1, 1));
    assert_eq!(texts(&home, "gamma third"), ["gamma is third"]);
    let beside = home.ask("gamma third").into_iter().any(|found| found.text == "beta is second");
    assert!(beside, "turns of two readings are neighbours");
}

#[test]
fn what_is_gone_or_rewritten_is_forgotten() {
    let home = Home::new();
    home.say(1, &[(1, By::Human, "alpha is first")]);
    home.say(2, &[(1, By::Human, "beta is second")]);
    assert_eq!(texts(&home, "alpha"), ["alpha is first"]);
    fs::remove_file(home.session_file(1)).unwrap();
    assert!(texts(&home, "alpha").is_empty());
    fs::remove_file(home.session_file(2)).unwrap();
    home.say(2, &[(1, By::Human, "delta was written anew, and longer than before")]);
    assert!(texts(&home, "beta").is_empty());
    assert_eq!(texts(&home, "delta").len(), 1);
}

#[test]
fn many_small_additions_are_merged_and_stay_found() {
    let home = Home::new();
    for session in 0..40 {
        home.say(
            session,
            &[(session, By::Human, &format!("word{session} stands alone")), (session, By::Agent, "yes")],
        );
        home.index();
    }
    let index = home.index();
    assert!(index.segments.len() < 16, "{} segments", index.segments.len());
    for session in [0, 7, 23, 39] {
        assert_eq!(texts(&home, &format!("word{session}"))[0], format!("word{session} stands alone"));
    }
    let files = fs::read_dir(home.index_folder()).unwrap().count();
    assert_eq!(files, index.segments.len() + 2, "nothing but segments, manifest and lock");
}

#[test]
fn damage_of_any_file_only_costs_a_new_reading() {
    let home = Home::new();
    home.say(1, &[(1, By::Human, "the harbour opens at six"), (2, By::Agent, "noted")]);
    home.index();
    let files: Vec<_> =
        fs::read_dir(home.index_folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    for path in files.iter().filter(|path| !path.ends_with("lock")) {
        let whole = fs::read(path).unwrap_or_default();
        for broken in [Vec::new(), whole[..whole.len() / 2].to_vec(), b"nonsense".repeat(40)] {
            home.index();
            fs::write(path, &broken).unwrap();
            assert_eq!(texts(&home, "harbour").len(), 1, "{} with {} bytes", path.display(), broken.len());
        }
        home.index();
        fs::remove_file(path).unwrap_or_default();
        assert_eq!(texts(&home, "harbour").len(), 1, "without {}", path.display());
    }
}

#[test]
fn bytes_turned_over_inside_a_segment_never_panic() {
    let home = Home::new();
    home.say(
        1,
        &[
            (1, By::Human, "harbour harbour opens at six"),
            (2, By::Agent, "harbour noted"),
            (3, By::Human, "six it is"),
        ],
    );
    home.index();
    let segment = home.index().manifest.segments[0].name.clone();
    let path = home.index_folder().join(segment);
    let whole = fs::read(&path).unwrap();
    for at in (0..whole.len()).step_by(3) {
        let mut broken = whole.clone();
        broken[at] ^= 0xff;
        fs::write(&path, &broken).unwrap();
        // Found, not found or reported: all are answers, a panic is none.
        let _ = home.try_index();
        if let Ok(index) = home.try_index() {
            for term in ["harbour", "six", "note"] {
                for segment in &index.segments {
                    let _ = segment.postings(nidra_recall::analyze::Term::of(term));
                }
            }
        }
        fs::write(&path, &whole).unwrap();
    }
    assert_eq!(texts(&home, "harbour").len(), 2);
}

#[test]
fn parallel_readers_and_writers_agree() {
    let home = Home::new();
    for session in 0..12 {
        home.say(session, &[(1, By::Human, &format!("parallel word{session}"))]);
    }
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                let index = home.index();
                let turns: u32 = index.segments.iter().map(nidra_recall::segment::Segment::turns).sum();
                assert_eq!(turns, 12);
            });
        }
    });
}

#[test]
fn a_place_that_cannot_be_written_only_costs_speed() {
    let home = Home::new();
    home.say(1, &[(1, By::Human, "the lighthouse is white")]);
    // A file stands where the folder should be.
    fs::write(home.index_folder(), "in the way").unwrap();
    let index = home.index();
    assert!(index.update.in_memory);
    assert_eq!(texts(&home, "lighthouse").len(), 1);
}

#[test]
fn secrets_are_neither_stored_nor_shown() {
    let home = Home::new();
    let secret = ["ghp", "_", "a8Kd02mVbQ71LzX4cRt9", "YwEu6Pn3HsJf5TgB"].concat();
    home.say(1, &[(1, By::Human, &format!("the deploy token is {secret} for now"))]);
    assert!(home.ask(&secret).iter().all(|found| !found.text.contains(&secret)));
    let found = home.ask("deploy token");
    assert!(found[0].text.contains("[redacted:"), "{}", found[0].text);
    let index = home.index();
    let term = nidra_recall::analyze::Term::of(&secret.to_lowercase());
    assert!(index.segments[0].postings(term).unwrap().is_empty(), "not even as a hash");
    assert!(!index.segments[0].postings(nidra_recall::analyze::Term::of("token")).unwrap().is_empty());
}
