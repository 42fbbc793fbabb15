//! A run that is shared, stopped, killed and resumed.

use crate::cassettes::{answer, http_place};
use crate::loopback;
use crate::workspace::{Ran, Workspace, until};
use serde_json::Value;
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Stdio};
use std::sync::{Arc, Condvar, Mutex};

/// A server that answers each request on a thread of its own, and holds back answers on demand.
struct Server {
    address: SocketAddr,
    state: Arc<(Mutex<State>, Condvar)>,
}

#[derive(Default)]
struct State {
    /// Requests that have come, by what they are about.
    asked: Vec<String>,
    /// Requests that wait for an answer.
    waiting: usize,
    /// So many requests must wait before any is answered.
    together: usize,
    /// Requests beyond this many get no answer.
    most: Option<usize>,
}

impl Server {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state: Arc<(Mutex<State>, Condvar)> = Arc::default();
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || {
                    let mut stream = stream;
                    let Some(request) = loopback::read(&stream) else { return };
                    if let Some(text) = reply(&shared, &request) {
                        let _ = stream.write_all(text.as_bytes());
                    }
                });
            }
        });
        Server { address, state }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.0.lock().unwrap());
        self.state.1.notify_all();
    }

    /// The documents that were asked about, in the order of the requests.
    fn asked(&self) -> Vec<String> {
        self.state.0.lock().unwrap().asked.clone()
    }
}

fn reply((state, changed): &(Mutex<State>, Condvar), request: &str) -> Option<String> {
    let about = request.split("about ").nth(1)?.chars().take_while(char::is_ascii_alphanumeric).collect();
    let mut state = state.lock().unwrap();
    state.asked.push(about);
    let number = state.asked.len();
    state.waiting += 1;
    changed.notify_all();
    while state.waiting < state.together || state.most.is_some_and(|most| number > most) {
        state = changed.wait(state).unwrap();
    }
    state.together = 0;
    changed.notify_all();
    Some(answer("200 OK", r#"{"tags": 1, "class": 1, "advice": 1}"#))
}

/// A folder with so many documents.
fn documents(count: usize) -> Workspace {
    let place = http_place();
    for number in 0..count {
        place.write(&format!("in/d{number}.txt"), format!("This is about d{number}."));
    }
    place.write("prompts/tagger.md", "{{ source }}");
    place
}

fn arguments(server: &Server, more: &[&str]) -> Vec<String> {
    let url = format!("base_url=http://{}/v1", server.address);
    let fixed =
        ["run", "--profile", "parts", "--provider-config", &url, "--format", "jsonl", "--out", "out", "in"];
    fixed.iter().chain(more).map(|word| (*word).to_owned()).collect()
}

fn run(place: &Workspace, server: &Server, more: &[&str]) -> Ran {
    let arguments = arguments(server, more);
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    Ran::of(place.loopctl(&words).env("CONTRARY_KEY", "k"))
}

fn spawn(place: &Workspace, words: &[String]) -> Child {
    let mut command = place.process();
    command.args(words).env("CONTRARY_KEY", "k");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// A run, one document at a time, that is killed when it has so many answers and waits for the next.
fn killed_after(place: &Workspace, server: &Server, answers: usize) {
    server.change(|state| state.most = Some(answers));
    let mut child = spawn(place, &arguments(server, &["--jobs", "1"]));
    until("the next is asked about", || (server.asked().len() == answers + 1).then_some(()));
    child.kill().unwrap();
    child.wait().unwrap();
    server.change(|state| state.most = None);
}

fn verb(place: &Workspace, words: &[&str]) -> Ran {
    Ran::of(place.loopctl(words).env("CONTRARY_KEY", "k"))
}

/// The documents of the latest run by how far they are.
fn stages(place: &Workspace) -> Value {
    let ran = verb(place, &["runs", "show", "--format", "json", "--journal", "out/journal.sqlite"]).exits(0);
    ran.json()["documents"].clone()
}

/// The arguments to resume the run. The destination of documents is named again: a record is no permission.
fn resume_words(server: &Server, more: &[&str]) -> Vec<String> {
    let url = format!("base_url=http://{}/v1", server.address);
    let fixed = ["resume", "--journal", "out/journal.sqlite", "--provider-config", &url];
    fixed.iter().chain(more).map(|word| (*word).to_owned()).collect()
}

fn resume(place: &Workspace, server: &Server) -> Ran {
    let words = resume_words(server, &[]);
    verb(place, &words.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn documents_are_run_at_the_same_time() {
    let (place, server) = (documents(6), Server::start());
    // None is answered before three are asked about.
    server.change(|state| state.together = 3);
    let ran = run(&place, &server, &["--jobs", "3"]).exits(0);
    assert_eq!(ran.lines().len(), 6);
    let mut asked = server.asked();
    asked.sort();
    assert_eq!(asked, ["d0", "d1", "d2", "d3", "d4", "d5"]);
    run(&place, &server, &["--jobs", "0"]).exits(2).says(&["--jobs"]);
}

#[test]
fn a_killed_run_goes_on_and_pays_only_for_what_was_under_way() {
    let (place, server) = (documents(4), Server::start());
    killed_after(&place, &server, 2);
    let ran = resume(&place, &server).exits(0);
    assert_eq!(ran.lines().len(), 2);
    assert_eq!(server.asked(), ["d0", "d1", "d2", "d2", "d3"]);
    assert_eq!(stages(&place)["finished"], 4);
    for name in ["d0", "d1", "d2", "d3"] {
        assert_eq!(place.json(&format!("out/{name}-result.json"))["final_status"], "passed");
    }
    resume(&place, &server).exits(2).says(&["has no unfinished run"]);
}

#[test]
fn where_documents_go_is_said_by_whoever_goes_on() {
    let (place, server) = (documents(3), Server::start());
    killed_after(&place, &server, 1);
    let asked = server.asked().len();
    let address = server.address.to_string();
    let journal = ["resume", "--journal", "out/journal.sqlite"];
    let refused = |more: &[&str], says: &[&str]| {
        let refused = verb(&place, &[&journal, more].concat()).exits(2);
        refused.says(says);
        assert_eq!((server.asked().len(), &stages(&place)["finished"]), (asked, &1.into()));
    };
    refused(
        &[],
        &[
            &format!("sends documents to `{address}` (a flag in the run's record)"),
            "its journal may be someone else's",
            &format!("--provider-config base_url=http://{address}/v1"),
        ],
    );
    // Another destination is no permission for that of the record, and no run continues elsewhere.
    refused(&["--provider-config", "base_url=http://127.0.0.1:9/v1"], &["makes another policy", "than run"]);
    resume(&place, &server).exits(0);
    assert_eq!(stages(&place)["finished"], 3);
}

#[cfg(unix)]
#[test]
fn a_run_that_is_told_to_stop_waits_for_what_is_paid_for() {
    let (place, server) = (documents(3), Server::start());
    server.change(|state| state.most = Some(0));
    let mut child = spawn(&place, &arguments(&server, &["--jobs", "1", "--drain", "1h"]));
    until("the first is asked about", || (server.asked().len() == 1).then_some(()));
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    // It is answered after all, and counts.
    server.change(|state| state.most = None);
    let status = until("the run has ended", || child.try_wait().unwrap());
    assert_eq!(status.code(), Some(130));
    let stages = stages(&place);
    assert_eq!((&stages["finished"], &stages["waiting"]), (&1.into(), &2.into()), "{stages}");
    resume(&place, &server).exits(0);
    assert_eq!(server.asked(), ["d0", "d1", "d2"]);
}

#[test]
fn what_was_given_up_goes_on_when_it_is_resumed() {
    let (place, server) = (documents(2), Server::start());
    server.change(|state| state.most = Some(0));
    let mut child = spawn(&place, &arguments(&server, &["--jobs", "2", "--drain", "0s"]));
    until("both are asked about", || (server.asked().len() == 2).then_some(()));
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let status = until("the run has ended", || child.try_wait().unwrap());
    assert_eq!(status.code(), Some(130));
    assert_eq!(stages(&place)["given_up"], 2);
    assert_eq!(place.json("out/d0-result.json")["final_status"], "cancelled");
    server.change(|state| state.most = None);
    resume(&place, &server).exits(0);
    assert_eq!(place.json("out/d0-result.json")["final_status"], "passed");
    assert_eq!(stages(&place)["finished"], 2);
}

#[test]
fn two_processes_share_a_run_and_do_no_document_twice() {
    let (place, server) = (documents(12), Server::start());
    // Each has two in flight at most, so both must be at work.
    server.change(|state| state.together = 4);
    let mut first = spawn(&place, &arguments(&server, &["--jobs", "2"]));
    until("the first has asked", || (server.asked().len() == 2).then_some(()));
    // A process that would do the same documents in the same folder is refused.
    let refused = run(&place, &server, &["--jobs", "2"]).exits(1);
    let refused = refused.says(&[
        "which a process is working on",
        "loopctl resume",
        "11 more documents are of that run",
    ]);
    assert_eq!(refused.err.matches("which a process is working on").count(), 1);
    let words = resume_words(&server, &["--jobs", "2"]);
    let mut second = spawn(&place, &words);
    for child in [&mut first, &mut second] {
        assert!(until("it has ended", || child.try_wait().unwrap()).success());
    }
    let mut asked = server.asked();
    asked.sort();
    asked.dedup();
    assert_eq!((asked.len(), server.asked().len()), (12, 12));
    let shown =
        verb(&place, &["runs", "list", "--format", "text", "--journal", "out/journal.sqlite"]).exits(0);
    assert!(shown.out.contains("finished"), "{}", shown.out);
}

#[cfg(unix)]
#[test]
fn what_one_process_leaves_is_not_taken_for_done_by_another() {
    let (place, server) = (documents(6), Server::start());
    server.change(|state| state.most = Some(0));
    let mut first = spawn(&place, &arguments(&server, &["--jobs", "2", "--drain", "0s"]));
    until("the first has asked", || (server.asked().len() == 2).then_some(()));
    let words = resume_words(&server, &["--jobs", "2"]);
    let mut second = spawn(&place, &words);
    until("the second has asked", || (server.asked().len() == 4).then_some(()));
    let id = first.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert_eq!(until("the first has ended", || first.try_wait().unwrap()).code(), Some(130));
    server.change(|state| state.most = None);
    assert_eq!(until("the second has ended", || second.try_wait().unwrap()).code(), Some(1));
    assert_eq!(stages(&place)["given_up"], 2);
    resume(&place, &server).exits(0);
    assert_eq!((server.asked().len(), &stages(&place)["finished"]), (8, &6.into()));
    // There is nothing left, and what there is has passed.
    let journal = ["--journal", "out/journal.sqlite"];
    let listed = verb(&place, &[&["runs", "list", "--format", "json"], &journal[..]].concat()).exits(0);
    let id = listed.json()[0]["id"].as_str().unwrap().to_owned();
    let words = resume_words(&server, &[&id]);
    verb(&place, &words.iter().map(String::as_str).collect::<Vec<_>>()).exits(0);
    // A slip leaves no run behind.
    run(&place, &server, &["--type", "unknown", "--report", "none/page.html"])
        .exits(2)
        .says(&["no folder `none`"]);
    let slip = [
        "run",
        "--profile",
        "parts",
        "--out",
        "out",
        "nowhere",
        "--provider-config",
        "base_url=http://127.0.0.1:1/v1",
    ];
    verb(&place, &slip).exits(1).says(&["there is no file or folder `nowhere`"]);
    let again = verb(&place, &[&["runs", "list", "--format", "json"], &journal[..]].concat()).exits(0);
    assert_eq!(again.json().as_array().unwrap().len(), 1);
    verb(&place, &["runs", "list", "--journal", "out"])
        .exits(2)
        .says(&["`out` is a folder", "journal.sqlite"]);
}

#[test]
fn the_budget_of_a_run_ends_it_and_a_larger_one_lets_it_go_on() {
    let (place, server) = (documents(5), Server::start());
    let profile = place.read("profiles/parts.yaml");
    place.write("profiles/parts.yaml", format!("{profile}budget: {{ calls: 3 }}\n"));
    let ran = run(&place, &server, &["--jobs", "1"]).exits(1);
    assert_eq!(ran.lines().len(), 3);
    ran.says(&[
        "the run's budget is spent: 2 documents are left",
        "resume with a larger one",
        "loopctl resume",
    ]);
    place.write("profiles/parts.yaml", format!("{profile}budget: {{ calls: 5 }}\n"));
    resume(&place, &server).exits(0);
    assert_eq!(server.asked().len(), 5);
}

#[test]
fn a_run_whose_profile_has_changed_is_not_gone_on_with() {
    let (place, server) = (documents(3), Server::start());
    killed_after(&place, &server, 1);
    let rubric = place.read("rules/rubrics/parts.yaml");
    place.write("rules/rubrics/parts.yaml", format!("{rubric}\n# another\n"));
    resume(&place, &server).exits(2).says(&["has changed since run", "loopctl run --resume"]);
    // What it finished is kept when the rest starts over.
    let ran = run(&place, &server, &["--resume", "--jobs", "1"]).exits(0);
    assert_eq!(ran.lines().len(), 2);
    ran.says(&["has changed since run", "1 document skipped"]);
    assert_eq!(server.asked(), ["d0", "d1", "d1", "d2"]);
}

#[test]
fn runs_are_listed_shown_cancelled_retried_exported_and_removed() {
    let (place, server) = (documents(3), Server::start());
    run(&place, &server, &["--report", "report.html"]).exits(0);
    let page = place.read("report.html");
    assert!(page.contains("<svg") && page.contains("d0") || page.contains("passed"), "{page}");
    let journal = ["--journal", "out/journal.sqlite"];
    let of = |words: &[&str]| verb(&place, &[words, &journal].concat());
    let listed = of(&["runs", "list", "--format", "json"]).exits(0).json();
    let id = listed[0]["id"].as_str().unwrap().to_owned();
    assert_eq!((&listed[0]["documents"]["finished"], &listed[0]["stage"]), (&3.into(), &"finished".into()));
    let shown = of(&["runs", "show", &id[..18], "--format", "text"]).exits(0);
    assert!(shown.out.contains("3  finished"), "{}", shown.out);
    of(&["runs", "show", "2031"]).exits(1).says(&["holds no run `2031`", "runs list"]);

    // The artifacts, to the byte.
    of(&["runs", "export", "--out", "again"]).exits(0);
    for name in place.names("again") {
        assert_eq!(place.read(&format!("again/{name}")), place.read(&format!("out/{name}")), "{name}");
    }
    assert_eq!(place.names("again").len() + 1, place.names("out").len());
    assert_eq!(of(&["runs", "export"]).exits(0).lines().len(), 3);

    of(&["runs", "retry", "--document", "d7"]).exits(2).says(&["has no document `d7`"]);
    of(&["runs", "retry"]).exits(0).says(&["no document of run", "failed"]);
    of(&["runs", "retry", "--document", "d1", "--anew"]).exits(0).says(&["1 document waits"]);
    of(&["runs", "cancel", &id]).exits(0).says(&["is cancelled"]);
    let url = format!("base_url=http://{}/v1", server.address);
    of(&["resume", &id, "--provider-config", &url]).exits(0).says(&["was cancelled; resuming it"]);
    assert_eq!(server.asked().len(), 4);

    of(&["runs", "prune", "--older-than", "1"]).exits(0).says(&["no run is that old"]);
    of(&["runs", "prune", &id, "--dry-run"]).exits(0).says(&["would remove"]);
    of(&["runs", "prune", &id]).exits(0).says(&["removed run"]);
    assert_eq!(of(&["runs", "list", "--format", "json"]).exits(0).json(), serde_json::json!([]));
    of(&["runs", "prune"]).exits(2);
    of(&["runs", "prune", "--older-than", "soon"]).exits(2).says(&["expected a number of days"]);
}

#[test]
fn documents_that_vanish_and_journals_that_are_no_journals_are_said() {
    let (place, server) = (documents(3), Server::start());
    killed_after(&place, &server, 1);
    std::fs::remove_file(place.path("in/d2.txt")).unwrap();
    let ran = resume(&place, &server).exits(1);
    assert_eq!(ran.lines().len(), 1);
    ran.says(&["d2.txt"]);
    assert_eq!(stages(&place)["failed"], 1);

    place.write("notes.txt", "no journal");
    verb(&place, &["resume", "--journal", "notes.txt"]).exits(1).says(&["is not a journal of loopctl"]);
    verb(&place, &["resume", "--journal", "none.sqlite"]).exits(1).says(&["there is no journal"]);
    let journal = std::fs::read(place.path("out/journal.sqlite")).unwrap();
    place.write("cut.sqlite", &journal[..journal.len() / 3]);
    verb(&place, &["runs", "list", "--journal", "cut.sqlite"]).exits(1).says(&["damaged"]);
}
