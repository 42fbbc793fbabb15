//! As much of an editor as a language server needs: messages over its standard input and output.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Long enough for all that one test asks, on a busy machine.
const DEADLINE: Duration = Duration::from_secs(300);

/// A language server at work.
pub(super) struct Server {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    root: PathBuf,
    deadline: Instant,
    asked: u64,
    opened: usize,
    /// The problems flagged in files, by address, in the order in which they were reported.
    flagged: Vec<(String, Vec<Value>)>,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One message: headers, an empty line, and as many bytes of JSON as they say.
fn message(from: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if let Some(value) = line.strip_prefix("Content-Length:") {
            length = value.trim().parse().ok();
        }
    }
    let mut bytes = vec![0; length?];
    from.read_exact(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

impl Server {
    /// Starts the script and introduces itself. Nothing is asked of the network: the schema store is switched off.
    pub(super) fn start(script: &Path, root: &Path) -> Self {
        let mut child = Command::new("node")
            .arg(script)
            .arg("--stdio")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let to = child.stdin.take().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let (tell, from) = channel();
        std::thread::spawn(move || {
            while let Some(message) = message(&mut out) {
                if tell.send(message).is_err() {
                    return;
                }
            }
        });
        let mut server = Server {
            child,
            to,
            from,
            root: root.canonicalize().unwrap(),
            deadline: Instant::now() + DEADLINE,
            asked: 0,
            opened: 0,
            flagged: Vec::new(),
        };
        let capabilities = json!({
            "workspace": { "configuration": true },
            "textDocument": {
                "completion": { "completionItem": { "documentationFormat": ["markdown", "plaintext"] } },
                "hover": { "contentFormat": ["markdown", "plaintext"] },
            },
        });
        let address = server.address("");
        server.ask(
            "initialize",
            &json!({ "processId": null, "rootUri": address, "capabilities": capabilities, "workspaceFolders": null }),
        );
        server.tell("initialized", &json!({}));
        // Before a file is opened, it has asked how it is to work.
        server.read_until(|message| message["method"] == "workspace/configuration");
        server
    }

    fn address(&self, name: &str) -> String {
        format!("file://{}", self.root.join(name).display())
    }

    /// The number of files that have been opened.
    pub(super) fn opened(&self) -> usize {
        self.opened
    }

    fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.to.flush().unwrap();
    }

    fn tell(&mut self, method: &str, parameters: &Value) {
        self.send(json!({ "method": method, "params": parameters }));
    }

    fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(json!({ "id": id, "method": method, "params": parameters }));
        let mut answer = self.read_until(|message| message.get("method").is_none() && message["id"] == id);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    /// Reads messages up to one that is waited for. What the server asks is answered on the way.
    fn read_until(&mut self, awaited: impl Fn(&Value) -> bool) -> Value {
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            let message =
                self.from.recv_timeout(left).expect("the language server has gone, or takes too long");
            match (message["method"].as_str(), message.get("id")) {
                (Some(method), Some(id)) => {
                    let result = if method == "workspace/configuration" {
                        settings(&message["params"]["items"])
                    } else {
                        Value::Null
                    };
                    self.send(json!({ "id": id, "result": result }));
                }
                (Some("textDocument/publishDiagnostics"), None) => {
                    let parameters = &message["params"];
                    let found = parameters["diagnostics"].as_array().unwrap().clone();
                    self.flagged.push((parameters["uri"].as_str().unwrap().to_owned(), found));
                }
                _ => {}
            }
            if awaited(&message) {
                return message;
            }
        }
    }

    /// Opens a text as the file of that name and returns its address and what is flagged in it. No name is to be
    /// opened twice.
    pub(super) fn open(&mut self, name: &str, text: &str) -> (String, Vec<Value>) {
        let address = self.address(name.trim_start_matches("./"));
        self.opened += 1;
        let document = json!({ "uri": address, "languageId": "yaml", "version": 1, "text": text });
        self.tell("textDocument/didOpen", &json!({ "textDocument": document }));
        let said = |message: &Value| {
            message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == *address
        };
        self.read_until(said);
        let found = self.flagged.iter().rev().find(|(of, _)| *of == address).unwrap().1.clone();
        (address, found)
    }

    /// Asks about a location in a file: line and column, from 0.
    pub(super) fn ask_at(&mut self, method: &str, address: &str, (line, column): (usize, usize)) -> Value {
        let position = json!({ "line": line, "character": column });
        self.ask(method, &json!({ "textDocument": { "uri": address }, "position": position }))
    }
}

/// The settings that a server asks for, by section.
fn settings(items: &Value) -> Value {
    let of = |item: &Value| match item["section"].as_str() {
        Some("yaml") => json!({
            "validate": true,
            "hover": true,
            "completion": true,
            "schemaStore": { "enable": false },
            "kubernetesCRDStore": { "enable": false },
        }),
        _ => json!({}),
    };
    items.as_array().unwrap().iter().map(of).collect()
}
