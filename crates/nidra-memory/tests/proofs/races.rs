//! Races for one memory directory: never two winners, whatever lies in the lock files.

use crate::child::Worker;
use crate::random::{Random, proof, seed, setting};
use nidra_memory::lease::{LOCK_NAME, Lease, LeaseError, LeaseOptions};
use nidra_memory::lock_file::CLIENT_LOCK_NAME;
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long nothing is written after the client's lock was taken, in these races: the clients here take up to
/// [`crate::clients::LONGEST_GAP`] between look and write.
pub(crate) const SETTLE: Duration = Duration::from_millis(8);

/// The answer that must never come.
const TWO: &str = "two winners";

/// The answer where clients were at the lock at the same moment, or one stood still for too long: their protocol
/// lets them both believe, and the first to end gives back what the other still believes to hold.
const BROKEN: &str = "two, after the clients let each other in";

/// One attempt at the lease. With the order `lease` whoever has the lease is the winner, with `fence` whoever
/// may write.
pub(crate) fn contend(base: &Path, order: &str, random: &mut Random) -> String {
    let options = LeaseOptions {
        client_settle: if order == "clients" { SETTLE } else { Duration::ZERO },
        ..LeaseOptions::new("race")
    };
    if order == "clients" {
        std::thread::sleep(Duration::from_micros(random.below(5000)));
    }
    let lease = match Lease::acquire(&base.join("memory"), &options) {
        Ok(lease) => lease,
        Err(LeaseError::Busy { .. }) => return "busy".into(),
        Err(error) => return format!("error {error}"),
    };
    if order == "lease" {
        return win(base, random, false);
    }
    std::thread::sleep(Duration::from_micros(random.below(1000)));
    match lease.fence() {
        Ok(_fence) => win(base, random, order == "clients"),
        Err(LeaseError::Lost { .. } | LeaseError::Busy { .. }) => "lost".into(),
        Err(error) => format!("error {error}"),
    }
}

/// Holds for a while what nobody else may hold.
fn win(base: &Path, random: &mut Random, among_clients: bool) -> String {
    let marker = base.join("winner");
    if let Err(error) = OpenOptions::new().write(true).create_new(true).open(&marker) {
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        return TWO.into();
    }
    let mut answer = "won";
    let until = Instant::now() + Duration::from_micros(random.below(2000));
    loop {
        if among_clients && fs::read_dir(base.join("clients")).unwrap().next().is_some() {
            answer = TWO;
        }
        if Instant::now() >= until {
            break;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    fs::remove_file(&marker).unwrap();
    answer.into()
}

/// A record as a nidra on another host would write it.
fn record(host: &str, heartbeat: &str, token: u64) -> String {
    format!(
        r#"{{"version":1,"token":{token},"holder":{{"host":"{host}","boot_id":"other","pid":7,"heartbeat":"{heartbeat}","purpose":"dream","client":null}}}}"#
    )
}

/// Plants odd lock files for about three milliseconds.
pub(crate) fn chaos(base: &Path, random: &mut Random) -> String {
    let memory = base.join("memory");
    let until = Instant::now() + Duration::from_millis(3);
    while Instant::now() < until {
        let (lock, client) = (memory.join(LOCK_NAME), memory.join(CLIENT_LOCK_NAME));
        let token = random.next() >> 20;
        let bodies = [
            String::new(),
            "garbage \0 text".into(),
            r#"{"version":1,"tok"#.into(),
            record("elsewhere", "2020-01-01T00:00:00Z", token),
            record("elsewhere", "2999-01-01T00:00:00Z", token),
            format!(r#"{{"version":1,"token":{token},"holder":null}}"#),
        ];
        let body = &bodies[random.index(bodies.len())];
        // Others are at the same files, so each of these may fail.
        let _ = match random.below(8) {
            0 | 1 => fs::remove_file(&lock),
            2 | 3 => fs::write(&lock, body),
            4 => {
                let beside = base.join("planted");
                fs::write(&beside, body).and_then(|()| fs::rename(&beside, &lock))
            }
            5 => fs::remove_file(&client),
            6 => fs::write(&client, ["", "garbage", "4294967295", "1\n"][random.index(4)]),
            _ => fs::write(&client, "12345678\n1700000000000"),
        };
        std::thread::sleep(Duration::from_micros(random.below(600)));
    }
    "done".into()
}

/// Runs rounds with so many contenders; others take part in each. Gives the answers by how often they came.
pub(crate) fn rounds(
    number: u64,
    order: &str,
    contenders: u64,
    others: &[&str],
    mut before_round: impl FnMut(&Path),
) -> BTreeMap<String, u64> {
    let directory = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let base = directory.path();
    fs::create_dir(base.join("memory")).unwrap();
    for folder in ["clients", "writers"] {
        fs::create_dir(base.join(folder)).unwrap();
    }
    let seed = seed();
    let tasks = (0..contenders).map(|_| "contend").chain(others.iter().copied());
    let mut workers: Vec<Worker> =
        tasks.zip(0..).map(|(task, number)| Worker::start(task, base, seed.wrapping_add(number))).collect();
    let mut answers = BTreeMap::new();
    for round in 0..number {
        before_round(base);
        for worker in &mut workers {
            worker.tell(order);
        }
        for worker in &mut workers {
            let answer = worker.hear();
            let answer = if answer == TWO && base.join("broken").exists() { BROKEN.into() } else { answer };
            let fine = !answer.starts_with("error") && answer != TWO;
            assert!(fine, "round {round} of {number} with {contenders} processes (seed {seed}): {answer}");
            *answers.entry(answer).or_default() += 1;
        }
    }
    answers
}

/// So many rounds for each of the three numbers of processes, of all rounds.
fn share(percent: u64) -> u64 {
    (setting("NIDRA_PROOF_ROUNDS", 2000) * percent / 300).max(1)
}

#[test]
fn of_any_number_of_processes_one_has_the_lease() {
    let begin = Instant::now();
    for contenders in [2, 4, 8] {
        let number = share(45);
        let answers = rounds(number, "lease", contenders, &[], |_| {});
        println!("{contenders} processes, {number} rounds: {answers:?}");
        proof("race", number);
        assert!(answers["won"] >= number, "nobody won: {answers:?}");
    }
    println!("{:.1} s", begin.elapsed().as_secs_f64());
}

#[test]
fn of_any_number_of_processes_one_may_write_whatever_lies_in_the_lock_files() {
    let begin = Instant::now();
    for contenders in [2, 4, 8] {
        let number = share(30);
        let answers = rounds(number, "fence", contenders, &["chaos"], |base| {
            for name in [LOCK_NAME, CLIENT_LOCK_NAME] {
                let _ = fs::remove_file(base.join("memory").join(name));
            }
        });
        println!("{contenders} processes and chaos, {number} rounds: {answers:?}");
        proof("race", number);
        assert!(answers["won"] >= number / 20, "hardly anybody won: {answers:?}");
    }
    println!("{:.1} s", begin.elapsed().as_secs_f64());
}

#[test]
fn nidra_and_clients_exclude_each_other_as_far_as_the_clients_protocol_permits() {
    let begin = Instant::now();
    for contenders in [1, 2, 4] {
        let number = share(25);
        let clients = vec!["client"; usize::try_from(contenders).unwrap()];
        let answers = rounds(number, "clients", contenders, &clients, |base| {
            for name in [LOCK_NAME, CLIENT_LOCK_NAME] {
                let _ = fs::remove_file(base.join("memory").join(name));
            }
            let _ = fs::remove_file(base.join("broken"));
        });
        println!("{contenders} runs and as many clients, {number} rounds: {answers:?}");
        proof("race", number);
        assert!(answers.contains_key("won") && answers.contains_key("dreamt"), "{answers:?}");
    }
    println!("{:.1} s", begin.elapsed().as_secs_f64());
}
