//! Growth of a document's page on the review desk, and of what the command shows of it, with the document and its fields.
//!
//! Both are asked of the program itself, in one run. The document has a few lines for each field, so it grows with them.

use super::{median, print_doublings};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Fields of a document, of 0.75 KB each: the longest one has 3 MB.
const FIELDS: [usize; 4] = [500, 1_000, 2_000, 4_000];

const PROFILE: &str = "classify: null
assess: { accuracy: grounding }
overall: { from: accuracy }
accept: { overall: 0.9 }
stop: { max_iterations: 1 }
stages: [{ id: extract, provider: scripted, config: { file: answers.jsonl }, prompt: extract.md }]
";
const REST: &str = "The specimen was received in formalin and is described in the usual words. ";

pub(super) fn table() {
    let measured: Vec<(usize, [Duration; 2])> =
        FIELDS.iter().map(|fields| (*fields, measure(*fields))).collect();
    let names = ["a document's page on the desk", "a document by `review show`"];
    for (at, name) in names.into_iter().enumerate() {
        let rows: Vec<(usize, Duration)> =
            measured.iter().filter_map(|(fields, times)| Some((*fields, *times.get(at)?))).collect();
        print_doublings(name, "fields", &rows);
    }
}

/// The times of the page and of the command, for a document with so many fields.
fn measure(fields: usize) -> [Duration; 2] {
    let place = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| std::fs::write(place.path().join(name), text).unwrap();
    let line = |at: usize| format!("Item {at} measures {}.{} mm. {}\n", at % 97, at % 10, REST.repeat(9));
    write("d.txt", (0..fields).map(line).collect());
    // Every seventh size is not there, so it is doubtful.
    let size = |at: usize| {
        if at.is_multiple_of(7) { "999 mm".to_owned() } else { format!("{}.{} mm", at % 97, at % 10) }
    };
    let items: Vec<Value> =
        (0..fields / 2).map(|at| json!({ "name": format!("Item {at}"), "size": size(at) })).collect();
    write("answers.jsonl", json!({ "value": { "items": items } }).to_string());
    std::fs::create_dir(place.path().join("profiles")).unwrap();
    write("profiles/many.yaml", PROFILE.to_owned());
    let journal = ["--journal", "journal.sqlite"];
    let ran = loopctl(place.path(), &["run", "--quiet", "--profile", "many", "d.txt"]).args(journal).output();
    let ran = ran.unwrap();
    assert!(matches!(ran.status.code(), Some(0 | 3)), "{}", String::from_utf8_lossy(&ran.stderr));
    let shown = || {
        let mut command = loopctl(place.path(), &["review", "show", "d", "--format", "json"]);
        let began = Instant::now();
        assert!(command.args(journal).output().unwrap().status.success());
        began.elapsed()
    };
    let by_command = median(shown);
    let runs = loopctl(place.path(), &["runs", "list", "--format", "json"]).args(journal).output().unwrap();
    let runs: Value = serde_json::from_slice(&runs.stdout).unwrap();
    let run = runs.pointer("/0/id").and_then(Value::as_str).unwrap().to_owned();
    let service = DeskService::start(place.path());
    let page = || {
        let began = Instant::now();
        assert!(service.get(&format!("/review/{run}/d")).contains("id=\"desk\""));
        began.elapsed()
    };
    [median(page), by_command]
}

fn loopctl(place: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopctl"));
    command.current_dir(place).env("HOME", place).env("LOOPCTL_HOME", place.join("home")).args(arguments);
    command
}

/// A service of the journal, which ends when it is dropped.
struct DeskService {
    process: Child,
    address: String,
    token: String,
}

impl DeskService {
    fn start(place: &Path) -> Self {
        let arguments = ["serve", "--listen", "127.0.0.1:0", "--journal", "journal.sqlite"];
        let mut process = loopctl(place, &arguments).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let link = lines.find_map(|line| Some(line.ok()?.strip_prefix("open http://")?.to_owned()));
        let link = link.unwrap();
        let (address, token) = link.split_once("/login#token=").unwrap();
        std::thread::spawn(move || lines.for_each(drop));
        DeskService { process, address: address.to_owned(), token: token.to_owned() }
    }

    fn get(&self, path: &str) -> String {
        let (address, token) = (&self.address, &self.token);
        let mut stream = TcpStream::connect(address).unwrap();
        let head = "Accept: text/html\r\nConnection: close\r\n";
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n{head}\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut page = String::new();
        stream.read_to_string(&mut page).unwrap();
        page
    }
}

impl Drop for DeskService {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
