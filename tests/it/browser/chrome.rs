//! A headless Chromium for one test, driven over loopback by way of the `WebDriver` protocol.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Nothing here takes longer on a machine that is not broken.
const LIMIT: Duration = Duration::from_mins(1);

/// One browser at a time: several starve each other on a small machine.
static ONE: Mutex<()> = Mutex::new(());

/// A browser with one window; it ends with this value.
pub struct Chrome {
    driver: Child,
    port: u16,
    session: String,
    /// The browser's own process, for the case that it does not end when asked.
    process: Option<u64>,
    profile: TempDir,
    _one: MutexGuard<'static, ()>,
}

/// What a key is called in the protocol.
pub const TAB: &str = "\u{e004}";
pub const ENTER: &str = "\u{e007}";
pub const ESCAPE: &str = "\u{e00c}";
pub const DOWN: &str = "\u{e015}";
pub const UP: &str = "\u{e013}";

impl Chrome {
    /// `None`, said on standard output, where there is no browser or no driver. With `TRIBUNAL_BROWSER=required` that is a failure.
    pub fn start() -> Option<Self> {
        let there =
            |name: &str| Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if there("chromium").is_err() || there("chromedriver").is_err() {
            skipped("chromium or chromedriver is not on the PATH");
            return None;
        }
        let one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let profile = tempfile::tempdir().unwrap();
        let (driver, port) = driver();
        let mut chrome = Self { driver, port, session: String::new(), process: None, profile, _one: one };
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--window-size=1200,900",
        ];
        let folder = format!("--user-data-dir={}", chrome.profile.path().display());
        let arguments: Vec<&str> = arguments.into_iter().chain([folder.as_str()]).collect();
        let made = chrome.send(
            "POST",
            "/session",
            &json!({"capabilities": {"alwaysMatch": {
                "browserName": "chrome",
                "unhandledPromptBehavior": "ignore",
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
                "goog:chromeOptions": {"args": arguments},
            }}}),
        );
        made["sessionId"].as_str().unwrap().clone_into(&mut chrome.session);
        chrome.process = made["capabilities"]["goog:processID"].as_u64();
        Some(chrome)
    }

    /// Opens a file and waits until its page has loaded.
    pub fn open(&self, page: &Path) {
        self.post("/url", &json!({"url": format!("file://{}", page.display())}));
    }

    /// Opens a report with items and waits until its browser of items has all it will have.
    pub fn open_report(&self, page: &Path) {
        self.open(page);
        self.wait("document.querySelector('#browser').dataset.state === 'ready'");
    }

    /// What the body of a function returns in the page.
    pub fn eval(&self, body: &str) -> Value {
        self.post("/execute/sync", &json!({"script": body, "args": []}))
    }

    /// What an expression is in the page.
    pub fn value(&self, expression: &str) -> Value {
        self.eval(&format!("return ({expression});"))
    }

    pub fn text(&self, expression: &str) -> String {
        self.value(expression).as_str().unwrap_or_default().to_owned()
    }

    pub fn number(&self, expression: &str) -> u64 {
        let found = self.value(&format!("Math.round(Number({expression}))"));
        found.as_u64().unwrap_or_else(|| panic!("{expression} is {found}"))
    }

    /// What a promise comes to; `done` is the function that takes it.
    pub fn later(&self, body: &str) -> Value {
        let script = format!("const done = arguments[arguments.length - 1]; {body}");
        self.post("/execute/async", &json!({"script": script, "args": []}))
    }

    /// Waits until an expression holds in the page.
    pub fn wait(&self, expression: &str) {
        #[allow(clippy::disallowed_methods, reason = "only how long is measured")]
        let start = Instant::now();
        while self.value(&format!("Boolean({expression})")) != json!(true) {
            assert!(start.elapsed() < LIMIT, "it did not come to hold: {expression}");
            std::thread::sleep(Duration::from_millis(15));
        }
    }

    /// A command of the browser's own protocol.
    pub fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.post("/goog/cdp/execute", &json!({"cmd": command, "params": parameters}))
    }

    /// A mouse click on what the selector finds.
    pub fn click(&self, selector: &str) {
        let element = self.find(selector);
        self.post(&format!("/element/{element}/click"), &json!({}));
    }

    fn find(&self, selector: &str) -> String {
        let found = self.post("/element", &json!({"using": "css selector", "value": selector}));
        found.as_object().unwrap().values().next().unwrap().as_str().unwrap().to_owned()
    }

    /// Presses keys one after the other, wherever the focus is.
    pub fn press(&self, keys: &[&str]) {
        let strokes: Vec<Value> =
            keys.iter().flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({"type": kind, "value": key}))).collect();
        self.post("/actions", &json!({"actions": [{"type": "key", "id": "keyboard", "actions": strokes}]}));
    }

    /// Types a text, wherever the focus is.
    pub fn type_in(&self, text: &str) {
        let keys: Vec<String> = text.chars().map(String::from).collect();
        self.press(&keys.iter().map(String::as_str).collect::<Vec<_>>());
    }

    /// Chooses an option of a list by its value.
    pub fn choose(&self, list: &str, value: &str) {
        let element = self.find(&format!("{list} option[value='{value}']"));
        self.post(&format!("/element/{element}/click"), &json!({}));
    }

    /// A page on paper, as PDF; the page hears that it is printed.
    pub fn print(&self) {
        self.post("/print", &json!({}));
    }

    /// Messages of a log (`browser`, `performance`) since it was last read.
    pub fn log(&self, kind: &str) -> Vec<Value> {
        self.post("/se/log", &json!({"type": kind})).as_array().unwrap().clone()
    }

    /// The text of a dialog that is open.
    pub fn dialog(&self) -> Option<String> {
        let path = format!("/session/{}/alert/text", self.session);
        let (status, value) = exchange(self.port, "GET", &path, "").unwrap();
        (status == 200).then(|| value["value"].to_string())
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.send("POST", &format!("/session/{}{path}", self.session), body)
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, mut answer) = exchange(self.port, method, path, &body.to_string()).unwrap();
        let shown: String = body.to_string().chars().take(300).collect();
        assert_eq!(status, 200, "{path} {shown}: {}", answer["value"]["message"]);
        answer["value"].take()
    }
}

impl Drop for Chrome {
    fn drop(&mut self) {
        let ended = exchange(self.port, "DELETE", &format!("/session/{}", self.session), "");
        if let (false, Some(process)) = (matches!(ended, Ok((200, _))), self.process) {
            let _ = Command::new("kill").args(["-9", &process.to_string()]).status();
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Starts a driver on a port that it finds itself.
fn driver() -> (Child, u16) {
    let mut driver = Command::new("chromedriver")
        .arg("--port=0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
    let port = lines.by_ref().find_map(|line| {
        let line = line.unwrap();
        line.split_once("successfully on port ")?.1.trim_end_matches('.').parse().ok()
    });
    // Whoever writes into a closed pipe ends: what else the driver says is read and forgotten.
    std::thread::spawn(move || lines.for_each(drop));
    let Some(port) = port else {
        let _ = driver.kill();
        panic!("chromedriver named no port");
    };
    (driver, port)
}

/// One request to the driver, on a connection of its own.
fn exchange(port: u16, method: &str, path: &str, body: &str) -> std::io::Result<(u16, Value)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(LIMIT * 2))?;
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )?;
    let mut reader = BufReader::new(stream);
    let (mut status, mut length) = (0, 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim_end().to_ascii_lowercase();
        if line.is_empty() {
            break;
        }
        if let Some(rest) = line.strip_prefix("http/1.1 ") {
            status = rest[..3].parse().unwrap();
        } else if let Some(rest) = line.strip_prefix("content-length:") {
            length = rest.trim().parse().unwrap();
        }
    }
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes)?;
    Ok((status, serde_json::from_slice(&bytes)?))
}

/// Says that a test was left out, or fails where it must not be.
pub fn skipped(why: &str) {
    #[allow(clippy::disallowed_methods, reason = "a test's own switch")]
    let required = std::env::var("TRIBUNAL_BROWSER").is_ok_and(|value| value == "required");
    assert!(!required, "{why}, and TRIBUNAL_BROWSER=required");
    println!("skipped: {why}");
}
