//! Writes transcripts of a given size for measuring: the same bytes in every run.
//!
//! `make_corpus FOLDER MEGABYTES` writes sessions of about 20 MB below `FOLDER/projects`. As in real
//! transcripts, most bytes are tool results (each twice: for the model and for the client), file
//! snapshots, attachments and raw requests; what people and agents say is a few in a hundred. One
//! line has 50 MiB.

use std::fs::{File, create_dir_all};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

const SESSION: usize = 20_000_000;
const LONG_LINE: usize = 50 * 1024 * 1024;

const HUMAN: &[&str] = &[
    "Please use pnpm here, not npm; the lock file is checked in CI.",
    "我们决定从下周一开始用 PostgreSQL 16，旧的 MySQL 只保留到月底。",
    "The staging deploy failed again — look at the nginx timeout first, it was 30 s last time.",
    "以后提交信息都用英文写，标题不超过 72 个字符。",
    "No, don't mock the clock there. Pass it in, like we did in the scheduler.",
];
const AGENT: &[&str] = &[
    "I'll read the configuration first and then run the tests.",
    "The failure comes from the proxy: its read timeout is shorter than the migration takes.",
    "测试已经通过，我把超时改成了 120 秒，并在 README 里写明了原因。",
    "Done. The scheduler takes the clock as a parameter now, and the three tests that slept are instant.",
];
const CODE: &[&str] = &[
    "pub fn connect(address: &str) -> Result<Connection, Error> {",
    "    let timeout = Duration::from_secs(120);",
    "        if let Some(value) = map.get(\"key\") { return Ok(value.clone()); }",
    "error[E0308]: mismatched types in src/main.rs:42:17",
    "test scheduler::runs_once ... ok",
    "\tprintf(\"%s\\n\", name); // 名称",
    "drwxr-xr-x  4 dev dev  4096 Nov 30 17:45 target",
];

/// A small generator: the same numbers in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap_or_default()
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn uuid(&mut self) -> String {
        let (high, low) = (self.below(usize::MAX), self.below(usize::MAX));
        format!(
            "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
            high >> 32,
            high & 0xffff,
            high >> 16 & 0xfff,
            low >> 48 & 0xfff,
            low & 0xffff_ffff_ffff
        )
    }

    fn text(&mut self, bytes: usize) -> String {
        let mut text = String::new();
        while text.len() < bytes {
            text.push_str(self.pick(CODE));
            text.push('\n');
        }
        text
    }
}

struct Session {
    out: BufWriter<File>,
    written: usize,
    id: String,
    numbers: Numbers,
    second: u64,
}

impl Session {
    fn line(&mut self, line: &str) -> std::io::Result<()> {
        self.written += line.len() + 1;
        self.out.write_all(line.as_bytes())?;
        self.out.write_all(b"\n")
    }

    /// The common end of a conversation record.
    fn envelope(&mut self) -> String {
        self.second += 7;
        let (uuid, second) = (self.numbers.uuid(), self.second);
        format!(
            r#""uuid":"{uuid}","timestamp":"2026-11-{:02}T{:02}:{:02}:{:02}.000Z","userType":"external","entrypoint":"cli","cwd":"/home/dev/rich","sessionId":"{}","version":"2.1.332","gitBranch":"main""#,
            1 + second / 86_400 % 28,
            second / 3600 % 24,
            second / 60 % 60,
            second % 60,
            self.id,
        )
    }

    fn human(&mut self) -> std::io::Result<()> {
        let (text, prompt, end) = (quoted(self.numbers.pick(HUMAN)), self.numbers.uuid(), self.envelope());
        self.line(&format!(
            r#"{{"type":"queue-operation","operation":"enqueue","content":{text},"sessionId":"{}"}}"#,
            self.id
        ))?;
        self.line(&format!(r#"{{"parentUuid":null,"isSidechain":false,"promptId":"{prompt}","type":"user","message":{{"role":"user","content":{text}}},"origin":{{"kind":"human"}},"promptSource":"typed",{end}}}"#))?;
        let listing = quoted(&self.numbers.text(6000));
        let end = self.envelope();
        self.line(&format!(r#"{{"parentUuid":null,"isSidechain":false,"attachment":{{"type":"skill_listing","content":{listing}}},"type":"attachment",{end}}}"#))?;
        let request = quoted(&self.numbers.text(12_000));
        self.line(&format!(r#"{{"type":"api-request-blob","sessionId":"{}","hash":"00","message":{{"role":"user","content":{request}}}}}"#, self.id))
    }

    fn agent(&mut self) -> std::io::Result<()> {
        let message = self.numbers.uuid();
        for (index, words) in [self.numbers.pick(AGENT), self.numbers.pick(AGENT)].iter().enumerate() {
            let (text, end) = (quoted(words), self.envelope());
            self.line(&format!(r#"{{"parentUuid":null,"isSidechain":false,"message":{{"id":"msg_{message}","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{{"type":"text","text":{text}}}],"stop_reason":null,"usage":{{"input_tokens":4,"output_tokens":120}}}},"apiBlockIndex":{index},"type":"assistant",{end}}}"#))?;
        }
        Ok(())
    }

    fn tool(&mut self) -> std::io::Result<()> {
        let (call, message) = (self.numbers.uuid(), self.numbers.uuid());
        let end = self.envelope();
        self.line(&format!(r#"{{"parentUuid":null,"isSidechain":false,"message":{{"id":"msg_{message}","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{{"type":"tool_use","id":"toolu_{call}","name":"Bash","input":{{"command":"cargo test --workspace 2>&1 | tail -40","description":"Run the tests"}}}}],"stop_reason":"tool_use"}},"apiBlockIndex":0,"type":"assistant",{end}}}"#))?;
        let size = 500 + self.numbers.below(9000);
        let (text, end) = (quoted(&self.numbers.text(size)), self.envelope());
        self.line(&format!(r#"{{"parentUuid":null,"isSidechain":false,"type":"user","message":{{"role":"user","content":[{{"tool_use_id":"toolu_{call}","type":"tool_result","content":{text},"is_error":false}}]}},"toolUseResult":{{"stdout":{text},"stderr":"","interrupted":false}},{end}}}"#))
    }

    fn bookkeeping(&mut self) -> std::io::Result<()> {
        let text = quoted(&self.numbers.text(2500));
        let end = self.envelope();
        self.line(&format!(r#"{{"type":"file-history-snapshot","messageId":"m","snapshot":{{"trackedFileBackups":{{"src/app.rs":{text}}}}},"isSnapshotUpdate":false}}"#))?;
        self.line(&format!(r#"{{"parentUuid":null,"isSidechain":false,"type":"progress","data":{{"type":"bash_progress","output":{text}}},{end}}}"#))?;
        self.line(&format!(r#"{{"type":"mode","mode":"normal","sessionId":"{}"}}"#, self.id))
    }

    /// A tool result of 50 MiB, written without holding it.
    fn long(&mut self) -> std::io::Result<()> {
        let part = quoted(&self.numbers.text(64 * 1024));
        let part = part.trim_matches('"').as_bytes();
        self.out.write_all(br#"{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_long","type":"tool_result","content":""#)?;
        let mut length = 0;
        while length < LONG_LINE {
            self.out.write_all(part)?;
            length += part.len();
        }
        self.written += length;
        let end = self.envelope();
        self.line(&format!(r#"","is_error":false}}]}},{end}}}"#))
    }
}

/// The text as a JSON string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn session(folder: &Path, number: usize, long: bool) -> std::io::Result<usize> {
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15 ^ (number as u64 + 1));
    let id = numbers.uuid();
    let out = BufWriter::new(File::create(folder.join(format!("{id}.jsonl")))?);
    let mut session = Session { out, written: 0, id, numbers, second: number as u64 * 1000 };
    if long {
        session.long()?;
    }
    while session.written < SESSION {
        session.human()?;
        for _ in 0..8 {
            session.tool()?;
            session.bookkeeping()?;
        }
        session.agent()?;
    }
    session.out.flush()?;
    Ok(session.written)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: make_corpus FOLDER MEGABYTES";
    let folder = PathBuf::from(arguments.next().ok_or(usage)?).join("projects/-home-dev-rich");
    let wanted = arguments.next().ok_or(usage)?.parse::<usize>()? * 1_000_000;
    create_dir_all(&folder)?;
    let (mut written, mut number) = (0, 0);
    while written < wanted {
        written += session(&folder, number, number == 1)?;
        number += 1;
    }
    Ok(())
}
