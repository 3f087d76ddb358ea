//! A browser that a test drives over the protocol made for that: a process of its own with an empty profile, gone with the test.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long a page may take to do what is waited for; a quiet machine needs a tenth.
const LIMIT: Duration = Duration::from_secs(20);
/// What the browser is started with: no network of its own, no window, no first run.
const ARGUMENTS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-device-scale-factor=1",
    "--window-size=1360,900",
];

/// A browser with one page.
pub(crate) struct Browser {
    driver: Child,
    agent: ureq::Agent,
    session: String,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts a browser with an empty profile.
    pub(crate) fn start() -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| {
                panic!(
                    "cannot start chromedriver: {error}\nThe tests of pages need a browser: run `cargo xtask browser` \
                     (Debian: apt-get install chromium chromium-driver), or leave them out with \
                     `cargo xtask test --without browser`."
                )
            });
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines
            .by_ref()
            .map_while(Result::ok)
            .filter_map(|line| line.rsplit_once("on port ")?.1.trim_end_matches('.').parse::<u16>().ok())
            // The first line says which port was asked for.
            .find(|port| *port != 0)
            .expect("chromedriver did not say on which port it listens");
        // A pipe that nobody reads would stop the driver.
        thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let mut browser =
            Self { driver, agent, session: format!("http://127.0.0.1:{port}/session"), _profile: profile };
        let mut arguments: Vec<String> = ARGUMENTS.iter().map(|word| (*word).to_owned()).collect();
        arguments.push(format!("--user-data-dir={}", browser._profile.path().display()));
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": { "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        } } });
        let session = browser.post("", &wanted);
        let id = session["sessionId"].as_str().unwrap_or_else(|| {
            panic!("the browser did not start: {session}\nRun `cargo xtask browser` to install it.")
        });
        browser.session = format!("{}/{id}", browser.session);
        browser
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let mut response = self
            .agent
            .post(format!("{}{path}", self.session))
            .header("content-type", "application/json")
            .send(body.to_string())
            .unwrap();
        let text = response.body_mut().with_config().limit(64 << 20).read_to_string().unwrap();
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert!(answer["value"]["error"].is_null(), "{path}: {}", answer["value"]);
        answer["value"].clone()
    }

    /// Opens a page from a file and waits until it is ready. What the browser's own first page asked for is forgotten.
    pub(crate) fn open(&self, path: &Path) {
        self.post("/url", &json!({ "url": "about:blank" }));
        self.requests();
        self.complaints();
        self.post("/url", &json!({ "url": format!("file://{}", path.display()) }));
        self.wait("return document.documentElement.dataset.ready !== undefined");
    }

    /// Runs a script in the page and gives what it returns.
    pub(crate) fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Runs a script that calls its last argument when it has ended.
    pub(crate) fn run_until_told(&self, script: &str) -> Value {
        self.post("/execute/async", &json!({ "script": script, "args": [] }))
    }

    /// The text that a script returns.
    pub(crate) fn text(&self, script: &str) -> String {
        let value = self.run(script);
        value.as_str().map_or_else(|| value.to_string(), str::to_owned)
    }

    /// Waits until a script returns true.
    #[track_caller]
    pub(crate) fn wait(&self, script: &str) {
        let until = Instant::now() + LIMIT;
        while self.run(script) != json!(true) {
            assert!(Instant::now() < until, "never came to be: {script}\n{:?}", self.complaints());
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Presses keys, one after the other, wherever the focus is.
    pub(crate) fn press(&self, keys: &[&str]) {
        let mut actions = Vec::new();
        for key in keys {
            let value = match *key {
                "Enter" => "\u{e007}",
                "Escape" => "\u{e00c}",
                "Left" => "\u{e012}",
                "Right" => "\u{e014}",
                "Down" => "\u{e015}",
                "Tab" => "\u{e004}",
                letter => letter,
            };
            actions.push(json!({ "type": "keyDown", "value": value }));
            actions.push(json!({ "type": "keyUp", "value": value }));
        }
        self.post("/actions", &json!({ "actions": [{ "type": "key", "id": "keys", "actions": actions }] }));
    }

    /// Moves the pointer to a place of the window and clicks there.
    pub(crate) fn click(&self, x: f64, y: f64) {
        self.post(
            "/actions",
            &json!({ "actions": [{ "type": "pointer", "id": "mouse", "actions": [
                { "type": "pointerMove", "duration": 0, "x": x.round(), "y": y.round() },
                { "type": "pointerDown", "button": 0 },
                { "type": "pointerUp", "button": 0 },
            ] }] }),
        );
    }

    /// A command of the browser's own protocol.
    pub(crate) fn command(&self, name: &str, parameters: &Value) {
        self.post("/goog/cdp/execute", &json!({ "cmd": name, "params": parameters }));
    }

    /// What the page complained about since the last call.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let entries = self.post("/se/log", &json!({ "type": "browser" }));
        let texts = entries.as_array().into_iter().flatten();
        texts.filter_map(|entry| Some(entry["message"].as_str()?.to_owned())).collect()
    }

    /// The addresses that were asked for since the last call, other than files.
    pub(crate) fn requests(&self) -> Vec<String> {
        let entries = self.post("/se/log", &json!({ "type": "performance" }));
        let messages = entries.as_array().into_iter().flatten();
        messages
            .filter_map(|entry| serde_json::from_str::<Value>(entry["message"].as_str()?).ok())
            .filter(|message| message["message"]["method"] == "Network.requestWillBeSent")
            .filter_map(|message| Some(message["message"]["params"]["request"]["url"].as_str()?.to_owned()))
            .filter(|address| !address.starts_with("file:") && !address.starts_with("chrome:"))
            .collect()
    }

    /// A picture of the window, as PNG.
    pub(crate) fn picture(&self) -> Vec<u8> {
        let mut response = self.agent.get(format!("{}/screenshot", self.session)).call().unwrap();
        let text = response.body_mut().with_config().limit(64 << 20).read_to_string().unwrap();
        let answer: Value = serde_json::from_str(&text).unwrap();
        decoded(answer["value"].as_str().unwrap())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The driver ends the browser with its session; without a session there is nothing to end.
        let _ = self.agent.delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Bytes from base64.
fn decoded(text: &str) -> Vec<u8> {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0_u32, 0);
    for sign in text.bytes() {
        let Some(value) = SIGNS.iter().position(|known| *known == sign) else { continue };
        held = (held << 6 | u32::try_from(value).unwrap()) & 0x00ff_ffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits & 0xff) as u8);
        }
    }
    bytes
}
