//! The data of the service, where they are kept, and for how long; and its behaviour while something else holds it up.

use super::running::Server;
use crate::workspace::{PLENTY, Workspace, documents};
use rusqlite::Connection;
use serde_json::json;
use std::time::Instant;

fn server(place: &Workspace, arguments: &[&str]) -> Server {
    let usual = ["--profile", "clinical", "--provider", "pattern"];
    Server::start(place, &[&usual[..], arguments].concat())
}

fn report(name: &str) -> String {
    std::fs::read_to_string(documents().join(name)).unwrap()
}

/// The service of a folder, without a flag for where it keeps its data.
fn in_folder(place: &Workspace) -> Server {
    let mut command = place.process();
    command.args(["serve", "--listen", "127.0.0.1:0", "--profile", "clinical", "--provider", "pattern"]);
    Server::of(command)
}

#[test]
fn a_folder_has_a_journal_of_its_own() {
    let other = Workspace::new();
    other.write("in.txt", report("pathology-gastric.txt"));
    let run = ["run", "--profile", "clinical", "--provider", "pattern", "in.txt"];
    other.run(&run);
    let folder = other.path("fresh");
    std::fs::create_dir(&folder).unwrap();
    let start = || {
        let mut command = other.process();
        command.current_dir(&folder).args(["serve", "--listen", "127.0.0.1:0", "--provider", "pattern"]);
        Server::of(command)
    };
    let server = start();
    assert!(server.said.contains("serving `.loopctl/journal.sqlite`"), "{}", server.said);
    assert!(server.said.contains("loopctl serve --journal "), "{}", server.said);
    assert_eq!(server.get("/api/jobs").is(200).json()["jobs"], json!([]));
    let queue = server.get("/review").is(200).text();
    assert!(!queue.contains("/review/2"), "a document of another project waits: {queue}");
    assert_eq!(std::fs::read_to_string(folder.join(".loopctl/.gitignore")).unwrap(), "*\n");
    drop(server);
    // It continues with it, and says so in one line.
    let again = start();
    assert_eq!(again.said.trim(), "serving `.loopctl/journal.sqlite`");
}

/// A run that was made in this folder is its own.
#[test]
fn the_journal_of_a_run_within_the_folder_is_served() {
    let place = Workspace::new();
    place.write("in.txt", report("pathology-gastric.txt"));
    place.run(&["run", "--profile", "clinical", "--provider", "pattern", "--out", "out", "in.txt"]);
    let server = in_folder(&place);
    assert!(server.said.contains("out/journal.sqlite`"), "{}", server.said);
    assert!(!place.path(".loopctl").exists());
}

/// A user who inspects the documents of a service sees whose they are, before anything is submitted to it.
#[test]
fn the_first_page_says_whose_journal_is_served() {
    let place = Workspace::new();
    place.write("in.txt", report("pathology-gastric.txt"));
    let said = |server: &Server, token: &str| {
        let page =
            server.request("GET", "/").token(token).header("Accept", "text/html").send().is(200).text();
        let part =
            page.split_once("id=\"journal\">").map(|(_, part)| part.split_once("</p>").unwrap().0.to_owned());
        part.map(|part| {
            part.replace("<code>", "`").replace("</code>", "`").replace("<bdi>", "").replace("</bdi>", "")
        })
    };
    let root = place.path("").canonicalize().unwrap();
    let root = root.to_str().unwrap().trim_end_matches('/');
    let holds = |said: &str, journal: &str, by: &str| {
        let whole = format!(
            "These documents are stored in `{root}/{journal}` ({by}). The service was started in `{root}`."
        );
        assert_eq!(said, whole);
    };
    let named = server(&place, &[]);
    let by = "the folder that was named with `--data`";
    holds(&said(&named, &named.token).unwrap(), "data/journal.sqlite", by);
    // The location of files is not shown to those who only submit.
    let added = place.run(&["serve", "token", "add", "x", "--role", "submit", "--data", "data"]).exits(0);
    let token = added.out.split_whitespace().find(|word| word.starts_with("loopctl_")).unwrap();
    assert_eq!(said(&named, token), None);
    drop(named);
    let started = |arguments: &[&str]| {
        let mut command = place.process();
        command.args(["serve", "--listen", "127.0.0.1:0", "--provider", "pattern"]).args(arguments);
        Server::of(command)
    };
    for (arguments, journal, by) in [
        (&["--journal", "other/j.sqlite"][..], "other/j.sqlite", "named with `--journal`"),
        (&[], ".loopctl/journal.sqlite", "the journal of the folder in which the service was started"),
    ] {
        std::fs::create_dir_all(place.path("other")).unwrap();
        let server = started(arguments);
        holds(&said(&server, &server.token).unwrap(), journal, by);
    }
    std::fs::remove_dir_all(place.path(".loopctl")).unwrap();
    place.run(&["run", "--profile", "clinical", "--provider", "pattern", "--out", "out", "in.txt"]);
    let server = started(&[]);
    let by = "the journal of the latest run in the folder in which the service was started";
    holds(&said(&server, &server.token).unwrap(), "out/journal.sqlite", by);
}

/// A journal may have come from somewhere else, and anyone who has a token of it comes in.
#[test]
fn the_start_names_who_comes_in() {
    let place = Workspace::new();
    let first = server(&place, &[]);
    assert!(!first.said.contains("come in by tokens"), "{}", first.said);
    drop(first);
    for (name, more) in [("eve", &[][..]), ("late", &["--lasts", "1ms"]), ("gone", &[])] {
        let add = ["serve", "token", "add", name, "--role", "admin", "--data", "data"];
        place.run(&[&add[..], more].concat()).exits(0);
    }
    place.run(&["serve", "token", "revoke", "gone", "--data", "data"]).exits(0);
    let second = server(&place, &[]);
    assert!(
        second.said.contains("these come in by tokens of this journal: `eve` (admin)\n"),
        "{}",
        second.said
    );
}

/// A request for readiness is answered, no matter who holds the journal or for how long.
#[test]
fn a_locked_journal_is_said_and_waited_for_by_nobody() {
    let place = Workspace::new();
    let server = server(&place, &[]);
    let lock = Connection::open(place.path("data/journal.sqlite")).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let answer = server.request("GET", "/readyz").send().is(503);
    assert!(answer.text().contains("lock"), "{}", answer.text());
    server.request("GET", "/readyz").send().is(503);
    lock.execute_batch("ROLLBACK").unwrap();
    let begun = Instant::now();
    while server.request("GET", "/readyz").send().status != 200 {
        assert!(begun.elapsed() < PLENTY);
    }
}

/// An upgrade replaces the file of the program. The service continues until it is started again.
#[cfg(unix)]
#[test]
fn a_program_that_is_replaced_keeps_its_providers() {
    let place = Workspace::new();
    let own = std::path::Path::new(env!("CARGO_BIN_EXE_loopctl"));
    let library = format!("{}loopctl_pattern{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let folders = [own.with_file_name("deps"), own.parent().unwrap().to_path_buf()];
    let library = folders.iter().map(|folder| folder.join(&library)).find(|path| path.is_file()).unwrap();
    std::fs::create_dir_all(place.path("bin/plugins")).unwrap();
    let installed = place.path("bin/loopctl");
    std::fs::copy(own, &installed).unwrap();
    std::fs::copy(&library, place.path("bin/plugins").join(library.file_name().unwrap())).unwrap();
    let mut command = std::process::Command::new(&installed);
    place.isolate(&mut command);
    command.current_dir(place.path("")).args(["serve", "--listen", "127.0.0.1:0", "--data", "data"]);
    command.args(["--profile", "clinical", "--provider", "pattern"]);
    let server = Server::of(command);
    std::fs::write(place.path("bin/next"), "another release").unwrap();
    std::fs::rename(place.path("bin/next"), &installed).unwrap();
    let body = json!({"text": report("pathology-gastric.txt"), "settings": {"accept.overall": 0.5}});
    let job = server.post("/api/jobs", &body).is(202).json();
    assert_eq!(server.finished(job["id"].as_str().unwrap())["status"], "finished");
    assert_eq!(server.request("GET", "/readyz").send().is(200).text(), "ready\n");
}

/// The documents that are kept, by the ids of their jobs.
fn uploads(place: &Workspace) -> Vec<String> {
    let folders = |path: std::path::PathBuf| {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let jobs = folders(place.path("data/uploads")).into_iter().flat_map(folders);
    jobs.map(|job| job.file_name().unwrap().to_str().unwrap().to_owned()).collect()
}

#[test]
fn uploads_are_kept_until_nothing_is_left_to_do_about_them() {
    let place = Workspace::new();
    let first = server(&place, &[]);
    let mut ids = Vec::new();
    for settings in [json!({"accept.overall": 0.0, "accept.critical_issues": 1000}), json!({})] {
        let body = json!({"text": report("pathology-gastric.txt"), "settings": settings});
        let id = first.post("/api/jobs", &body).is(202).json()["id"].as_str().unwrap().to_owned();
        first.finished(&id);
        ids.push(id);
    }
    let waits = |id: &str| first.get(&format!("/api/jobs/{id}/result")).is(200).json()["review"].clone();
    let (over, open): (Vec<String>, Vec<String>) = ids.iter().cloned().partition(|id| waits(id) == false);
    assert!(!open.is_empty() && !over.is_empty(), "{over:?} {open:?}");
    drop(first);
    // Nothing is removed without a request to remove it.
    drop(server(&place, &[]));
    assert_eq!(uploads(&place).len(), 2);
    let second = server(&place, &["--keep-uploads", "1ms"]);
    let begun = Instant::now();
    while uploads(&place).len() == 2 {
        second.request("GET", "/healthz").send().is(200);
        assert!(begun.elapsed() < PLENTY);
    }
    assert_eq!(uploads(&place), open);
    second.get(&format!("/api/jobs/{}/result", over[0])).is(200);
}
