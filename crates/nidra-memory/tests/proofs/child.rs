//! The other processes: this binary again, told by the environment what to do, and by its input when.

use crate::random::{Random, setting};
use crate::{clients, editors, races};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const TASK: &str = "NIDRA_PROOF_TASK";
const PLACE: &str = "NIDRA_PROOF_PLACE";

/// What stands before an answer, as the harness of the tests writes lines of its own.
const MARK: &str = "@";

/// A process that does one thing each time it is told to.
pub(crate) struct Worker {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Worker {
    pub(crate) fn start(task: &str, place: &Path, seed: u64) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child::entry", "--nocapture", "--test-threads=1"])
            .env(TASK, task)
            .env(PLACE, place)
            .env("NIDRA_PROOF_SEED", seed.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let orders = child.stdin.take().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        Self { child, orders, answers }
    }

    pub(crate) fn tell(&mut self, order: &str) {
        writeln!(self.orders, "{order}").unwrap();
    }

    pub(crate) fn hear(&mut self) -> String {
        loop {
            let mut line = String::new();
            assert!(self.answers.read_line(&mut line).unwrap() > 0, "a child ended before it answered");
            if let Some((_, answer)) = line.split_once(MARK) {
                return answer.trim().to_owned();
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Not a test of its own: where children begin.
#[test]
#[expect(clippy::exit, reason = "a child is no test, so it has nothing to report at its end")]
fn entry() {
    let Some(task) = std::env::var_os(TASK) else { return };
    let place = PathBuf::from(std::env::var_os(PLACE).unwrap());
    let mut random = Random::new(setting("NIDRA_PROOF_SEED", 1));
    for order in std::io::stdin().lines() {
        let order = order.unwrap();
        let answer = match task.to_str().unwrap() {
            "contend" => races::contend(&place, &order, &mut random),
            "chaos" => races::chaos(&place, &mut random),
            "client" => clients::dream(&place, &order, &mut random),
            "edit" => editors::write_often(&place, &order, &mut random),
            other => panic!("unknown task {other:?}"),
        };
        println!("{MARK}{answer}");
    }
    std::process::exit(0);
}
