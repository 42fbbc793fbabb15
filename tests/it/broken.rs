//! A corpus of mistakes: one folder each in `tests/broken`, with its report in `expected.txt`: level, code, location
//! and message of each problem, other locations that it names, and what to do. A few cases check how that is drawn for
//! people; the test of the codes' pages checks why a code matters.
//!
//! A folder is a project. `profile.yaml` in it is checked, all of them in this process. Without one, `loopctl check`
//! inspects all that can be checked; a file `command` holds other arguments; both end with the exit status.
//! `LOOPCTL_UPDATE=1` writes the reports; read the difference before it is committed.

use super::workspace::{Ran, Workspace};
use loopctl::diag::{Code, Problems, render_json};
use loopctl::lint::check_loaded;
use loopctl::profile::{Library, load};
use loopctl::provider::{PluginPaths, Providers};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Codes that no folder can bring about, and why.
const ELSEWHERE: [(Code, &str); 1] = [(Code::KeyToNamedPort, "a key must be set; `check_more` sets one")];

/// Cases that are also drawn for people: an error, a warning that names another location, a note, one without a
/// location.
const DRAWN: [&str; 4] = ["misspelt-key", "accept-ignores-critical", "key-not-set", "profile-not-there"];

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken")
}

fn cases() -> Vec<PathBuf> {
    let mut cases: Vec<PathBuf> = std::fs::read_dir(corpus()).unwrap().map(|e| e.unwrap().path()).collect();
    cases.sort();
    cases
}

fn copy(from: &Path, below: &str, place: &Workspace) {
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{below}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            copy(&path, &format!("{name}/"), place);
        } else if !["expected.txt", "command"].contains(&name.as_str()) {
            place.write(&name, std::fs::read(&path).unwrap());
        }
    }
}

/// The arguments that a case is checked with, if the command checks it.
fn command(case: &Path) -> Option<String> {
    match std::fs::read_to_string(case.join("command")) {
        Ok(command) => Some(command),
        Err(_) if case.join("profile.yaml").is_file() => None,
        Err(_) => Some("check".to_owned()),
    }
}

/// Runs the command in a copy of the case, which is kept apart from its `expected.txt`.
fn run(case: &Path, command: &str, more: &[&str]) -> (Ran, Workspace) {
    let place = Workspace::new();
    copy(case, "", &place);
    let ran = place.run(&command.split_whitespace().chain(more.iter().copied()).collect::<Vec<_>>());
    (ran, place)
}

fn said_by_command(case: &Path, command: &str) -> String {
    let (ran, place) = run(case, command, &["--format", "jsonl"]);
    let said = lines(&ran.lines()).replace(place.home().to_str().unwrap(), "<home>");
    format!("{said}{}status {}\n", ran.err, ran.code.unwrap_or(-1))
}

/// The output of `check profile.yaml`.
fn said(case: &Path) -> String {
    let exe = Some(PathBuf::from(env!("CARGO_BIN_EXE_loopctl")));
    let providers = Providers::new(PluginPaths { exe, ..PluginPaths::default() });
    let mut problems = Problems::new();
    let profile = case.join("profile.yaml");
    let library = Library::new(vec![case.to_owned()]);
    if let Some(loaded) = load(profile.to_str().unwrap(), &library, &[], &|_| None, &mut problems) {
        check_loaded(&loaded, &providers, &|_| None, &mut problems);
    }
    let all = render_json(&problems);
    lines(all.as_array().unwrap()).replace(&format!("{}/", case.display()), "")
}

/// Problems as `--format json` has them, each in a line, with what belongs to it indented below.
fn lines(problems: &[Value]) -> String {
    let place = |at: &Value| match at["file"].as_str() {
        Some(file) => format!(" {}:{}:{}", file.strip_prefix("./").unwrap_or(file), at["line"], at["column"]),
        None => String::new(),
    };
    let text = |text: &Value| text.as_str().unwrap_or_default().to_owned();
    let mut said = String::new();
    for problem in problems {
        let (level, code) = (text(&problem["level"]), text(&problem["code"]));
        let message = anywhere(&text(&problem["message"]));
        said += &format!("{level}[{code}]{}: {message}\n", place(problem));
        for also in problem["related"].as_array().unwrap() {
            said += &format!("   {}: {}\n", place(also), text(&also["why"]));
        }
        if problem["help"].is_string() {
            said += &format!("    help: {}\n", anywhere(&text(&problem["help"])));
        }
    }
    said
}

/// Cuts off the available plugins and where they are looked for, which depends on what has been built and installed.
fn anywhere(text: &str) -> String {
    text.split_once("available: ").map_or(text.to_owned(), |(before, _)| format!("{before}available: …"))
}

#[test]
fn every_mistake_is_said_as_expected() {
    let cases = cases();
    assert!(cases.len() >= 60, "{} cases", cases.len());
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Some(difference) = difference(case) {
                wrong.lock().unwrap().push(difference);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let mut wrong = wrong.into_inner().unwrap();
    wrong.sort();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The report on a case and what was expected, if they differ.
fn difference(case: &Path) -> Option<String> {
    let said = match command(case) {
        Some(command) => said_by_command(case, &command),
        None => said(case),
    };
    let file = case.join("expected.txt");
    if std::env::var_os("LOOPCTL_UPDATE").is_some() {
        std::fs::write(&file, &said).unwrap();
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    (said != expected).then(|| format!("{}\n--- expected\n{expected}--- said\n{said}", case.display()))
}

/// The command reports the same about a profile, and ends with the status that belongs to it.
#[test]
fn some_mistakes_are_drawn_for_people() {
    for name in DRAWN {
        let case = corpus().join(name);
        let command = command(&case).unwrap_or_else(|| {
            let (ran, _) = run(&case, "check profile.yaml", &["--format", "jsonl"]);
            assert_eq!(lines(&ran.lines()), said(&case), "{name}");
            "check profile.yaml".to_owned()
        });
        let (ran, _) = run(&case, &command, &[]);
        insta::assert_snapshot!(
            format!("drawn_{name}"),
            format!("{}{}status {}", ran.out, ran.err, ran.code.unwrap_or(-1))
        );
    }
}

/// A code that no case shows is one that no one has read.
#[test]
fn every_code_occurs_in_a_case() {
    let said: String = cases()
        .iter()
        .map(|case| std::fs::read_to_string(case.join("expected.txt")).unwrap_or_default())
        .collect();
    let missing: Vec<&str> = Code::ALL
        .iter()
        .filter(|code| !ELSEWHERE.iter().any(|(known, _)| known == *code))
        .map(|code| code.as_str())
        .filter(|code| !code.starts_with("LC5") && !said.contains(&format!("[{code}]")))
        .collect();
    assert!(missing.is_empty(), "no case has {missing:?}");
}
