//! A real browser, driven as W3C WebDriver says: Chromium by its `chromedriver`.
//!
//! Without a `chromedriver` that starts, the tests say so and pass. With `LOOPCTL_BROWSER=required` they fail instead.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Of the browser: nothing is asked of the network, nothing is kept, no first page.
const FLAGS: [&str; 9] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
    "--disable-dev-shm-usage",
];

/// Notes what goes wrong, before any script of a page runs.
const WATCH: &str = "
    const note = (what) => {
      const noted = JSON.parse(sessionStorage.getItem('noted') ?? '[]');
      sessionStorage.setItem('noted', JSON.stringify([...noted, `${location.pathname}: ${what}`]));
    };
    addEventListener('error', (event) => note(event.message ?? `can't load ${event.target.href ?? event.target.src}`), true);
    addEventListener('unhandledrejection', (event) => note(String(event.reason)));
    addEventListener('securitypolicyviolation', (event) => note(`forbidden: ${event.blockedURI} by ${event.violatedDirective}`));
";

/// The longest wait for a page, in milliseconds: only a test that fails waits so long.
const PATIENCE_MS: u64 = 120_000;

pub(crate) const ENTER: &str = "\u{E007}";
pub(crate) const ESCAPE: &str = "\u{E00C}";
pub(crate) const TAB: &str = "\u{E004}";

/// Starts a driver on a free port of its own; what it said, if it ends before it listens.
fn start_driver() -> Result<(Child, u16), String> {
    let free =
        TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).map_err(|error| error.to_string())?;
    let mut driver = Command::new("chromedriver")
        .arg(format!("--port={}", free.port()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("chromedriver: {error}"))?;
    let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut said: Vec<String> = Vec::new();
    let errors = driver.stderr.take().unwrap();
    let errors = std::thread::spawn(move || std::io::read_to_string(errors).unwrap_or_default());
    for line in lines.by_ref() {
        if line.contains("started successfully") {
            std::thread::spawn(move || lines.for_each(drop));
            return Ok((driver, free.port()));
        }
        said.push(line);
    }
    let status = driver.wait().map_err(|error| error.to_string())?;
    Err(format!("chromedriver: {status}\n{}\n{}", said.join("\n"), errors.join().unwrap_or_default()))
}

/// A browser with one page, closed when it is dropped.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts one, if this machine has one that starts.
    pub(crate) fn start(flags: &[&str]) -> Option<Self> {
        // A port that was free can be taken before the driver binds it, and the driver then gives up: another is tried.
        let started = (0..5).try_fold(String::new(), |said, _| match start_driver() {
            Ok(started) => ControlFlow::Break(started),
            Err(why) => ControlFlow::Continue(format!("{said}{why}\n")),
        });
        let (driver, port) = match started {
            ControlFlow::Break(started) => started,
            ControlFlow::Continue(said) => {
                let is_required = std::env::var("LOOPCTL_BROWSER").is_ok_and(|it| it == "required");
                assert!(!is_required, "no browser: {said}");
                println!("skipped: there is no browser: {said}");
                return None;
            }
        };
        let profile = tempfile::tempdir().unwrap();
        let mut browser = Browser { driver, port, session: String::new(), _profile: profile };
        let folder = format!("--user-data-dir={}", browser._profile.path().display());
        let arguments: Vec<&str> =
            FLAGS.iter().copied().chain(flags.iter().copied()).chain([folder.as_str()]).collect();
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments},
            "timeouts": {"script": PATIENCE_MS, "pageLoad": PATIENCE_MS},
        }}});
        let session = browser.call("POST", "/session", &wanted);
        session["sessionId"].as_str().unwrap().clone_into(&mut browser.session);
        Some(browser)
    }

    /// Goes to an address.
    pub(crate) fn open(&self, address: &str) {
        self.ask("POST", "/url", &json!({"url": address}));
    }

    /// Notes what goes wrong on pages that are opened from here on: exceptions, what the policy of a page forbids, files that are not
    /// there.
    pub(crate) fn watch(&self) {
        let params = json!({"source": WATCH});
        let command = json!({"cmd": "Page.addScriptToEvaluateOnNewDocument", "params": params});
        self.ask("POST", "/goog/cdp/execute", &command);
    }

    /// The problems that were noted.
    pub(crate) fn noted(&self) -> Vec<String> {
        let noted = self.run("return JSON.parse(sessionStorage.getItem('noted') ?? '[]')");
        serde_json::from_value(noted).unwrap()
    }

    /// Presses keys, one after the other, wherever the focus is.
    pub(crate) fn press(&self, keys: &str) {
        let press = |key: char| {
            [
                json!({"type": "keyDown", "value": key.to_string()}),
                json!({"type": "keyUp", "value": key.to_string()}),
            ]
        };
        let actions: Vec<Value> = keys.chars().flat_map(press).collect();
        self.ask(
            "POST",
            "/actions",
            &json!({"actions": [{"type": "key", "id": "keys", "actions": actions}]}),
        );
    }

    /// The result of a script.
    pub(crate) fn run(&self, script: &str) -> Value {
        self.ask("POST", "/execute/sync", &json!({"script": script, "args": []}))
    }

    /// The result of a script, which gives it to its last argument.
    pub(crate) fn run_until_done(&self, script: &str) -> Value {
        self.ask("POST", "/execute/async", &json!({"script": script, "args": []}))
    }

    /// Clicks at a point of the window.
    pub(crate) fn click(&self, at: &Value) {
        let actions = json!([
            {"type": "pointerMove", "duration": 0, "x": at[0], "y": at[1]},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]);
        let pointer = json!({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions});
        self.ask("POST", "/actions", &json!({"actions": [pointer]}));
    }

    /// The value of an expression, once it is truthy.
    #[track_caller]
    pub(crate) fn wait(&self, expression: &str) -> Value {
        let script = format!(
            "const done = arguments[arguments.length - 1]; const by = Date.now() + {PATIENCE_MS} / 2;
             const look = () => {{ let it; try {{ it = {expression}; }} catch {{}}
               if (it || Date.now() > by) done(it ?? null); else setTimeout(look, 15); }}; look();"
        );
        // A page that is left while it is asked says so; the next one is asked again.
        for _ in 0..50 {
            let found = self.try_ask("POST", "/execute/async", &json!({"script": script, "args": []}));
            match found {
                Ok(found) => {
                    assert!(
                        found != Value::Null && found != json!(false),
                        "in vain: {expression}\n{}",
                        self.text()
                    );
                    return found;
                }
                Err(_) => continue,
            }
        }
        panic!("in vain: {expression}");
    }

    /// The text of the page.
    pub(crate) fn text(&self) -> String {
        self.run("return document.body.innerText").as_str().unwrap_or_default().to_owned()
    }

    /// Keeps a picture of the page, if `LOOPCTL_PICTURES=FOLDER` asks for pictures.
    pub(crate) fn picture(&self, name: &str, (width, height): (u32, u32)) {
        let Some(folder) = std::env::var_os("LOOPCTL_PICTURES") else { return };
        self.ask("POST", "/window/rect", &json!({"width": width, "height": height}));
        let picture = self.ask("GET", "/screenshot", &Value::Null);
        let bytes = STANDARD.decode(picture.as_str().unwrap()).unwrap();
        std::fs::write(Path::new(&folder).join(format!("{name}.png")), bytes).unwrap();
    }

    /// The serious findings of axe, if `LOOPCTL_AXE` names its script.
    pub(crate) fn serious(&self) -> Vec<String> {
        let Some(axe) = std::env::var_os("LOOPCTL_AXE").filter(|it| !it.is_empty()) else {
            println!("skipped: LOOPCTL_AXE names no axe.min.js");
            return Vec::new();
        };
        let script = std::fs::read_to_string(axe).unwrap();
        self.run(&script);
        let found = self.ask(
            "POST",
            "/execute/async",
            &json!({"script": "const done = arguments[0]; axe.run(document, {resultTypes: ['violations']}).then((it) => done(it.violations), (error) => done([{id: String(error), impact: 'critical', nodes: []}]));", "args": []}),
        );
        let serious = found
            .as_array()
            .unwrap()
            .iter()
            .filter(|one| one["impact"] == "serious" || one["impact"] == "critical");
        serious.map(|one| format!("{}: {} in {}", one["id"], one["help"], one["nodes"][0]["html"])).collect()
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        self.try_ask(method, path, body).unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }

    fn try_ask(&self, method: &str, path: &str, body: &Value) -> Result<Value, Value> {
        self.try_call(method, &format!("/session/{}{path}", self.session), body)
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        self.try_call(method, path, body).unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }

    fn try_call(&self, method: &str, path: &str, body: &Value) -> Result<Value, Value> {
        self.exchange(method, path, body).unwrap()
    }

    fn exchange(&self, method: &str, path: &str, body: &Value) -> std::io::Result<Result<Value, Value>> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            self.port,
            body.len()
        );
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.write_all(format!("{head}{body}").as_bytes())?;
        let mut answer = BufReader::new(stream);
        let (mut is_ok, mut length) = (false, 0);
        let mut line = String::new();
        while answer.read_line(&mut line)? > 2 {
            is_ok |= line.starts_with("HTTP/1.1 200");
            if let Some(given) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = given.trim().parse().unwrap();
            }
            line.clear();
        }
        let mut content = vec![0; length];
        answer.read_exact(&mut content)?;
        let value = serde_json::from_slice::<Value>(&content)?["value"].take();
        Ok(if is_ok { Ok(value) } else { Err(value) })
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Never a panic here: a test that fails already would take all others with it.
        let _ = self.exchange("DELETE", &format!("/session/{}", self.session), &Value::Null);
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
