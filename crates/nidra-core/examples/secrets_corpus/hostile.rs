//! Text that was made to be slow: the beginnings of secrets, over and over, on one line.

use nidra_core::text::redact;
use std::time::{Duration, Instant};

/// What is repeated.
const PIECES: &[&str] = &[
    "password=",
    "password: ",
    "://a:",
    "://a:b@",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA1b2c3d4e\n",
    "密码是",
    "eyJ",
    "-eyJa",
    "key: ",
    "--token ",
    "curl -u ",
    "mysql a ",
    "| password ",
    "| password | a1b2c3d4 |\n|---|---|\n",
    "cookie: a=",
    "name: secret ",
    "mnemonic word ",
    "secret aws ",
    "\\n",
    "\\\\\\",
    "\u{200b}",
    "AKIA-",
    "_a1",
    "login: a ",
    "token=\\\n  ",
    "a1b2c3d4e5\n",
    "a1b2c3d4 as the password ",
    "token changed, it's ",
    "password was a1 now ",
    "a1 当密码",
    "口令，现在是a1",
    "密码？\n",
    "a,password,b\n",
    "\"password\": {",
    "name=\"password\" ",
    "recovery codes: 12345678 ",
    "2fa aaaa ",
    "pw pw ",
    "setPassword(\"",
];

/// The piece for which four times the text takes the most times the time, with that ratio, and the speed of the
/// slowest piece in millions of bytes per second.
pub(crate) fn worst() -> (&'static str, f64, &'static str, f64) {
    let mut steep = ("", 0.0);
    let mut slow = ("", f64::INFINITY);
    for piece in PIECES {
        let short = time(&piece.repeat(SHORT / piece.len()));
        let long = time(&piece.repeat(4 * SHORT / piece.len()));
        let ratio = long.as_secs_f64() / short.as_secs_f64().max(1e-6);
        if ratio > steep.1 {
            steep = (*piece, ratio);
        }
        let speed = 4.0 * SHORT as f64 / 1e6 / long.as_secs_f64().max(1e-9);
        if speed < slow.1 {
            slow = (*piece, speed);
        }
    }
    (steep.0, steep.1, slow.0, slow.1)
}

/// The length of the shorter text, in bytes.
const SHORT: usize = 250_000;

fn time(text: &str) -> Duration {
    let once = || {
        let start = Instant::now();
        let found = redact::find(text);
        (start.elapsed(), found.len()).0
    };
    (0..3).map(|_| once()).min().unwrap_or_default()
}
