//! A corpus of mistakes: one folder each in `tests/broken`, with what `loopctl check` says of it in `expected.txt`.
//!
//! A folder is a project. `profile.yaml` in it is checked; where there is none, all that can be checked is. A file
//! `command` holds other arguments. `LOOPCTL_UPDATE=1` writes what is said; read the difference before it is committed.

use super::workspace::Workspace;
use loopctl::diag::Code;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many cases are looked at at the same time.
const THREADS: usize = 4;

/// Codes that no folder can bring about, and why.
const ELSEWHERE: [(Code, &str); 1] = [(Code::KeyToNamedPort, "a key must be set; `check_more` sets one")];

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

/// What is said, without the folders of this machine.
fn anywhere(said: &str, place: &Workspace) -> String {
    let said = said.replace(place.home().to_str().unwrap(), "<home>");
    // Which plugins there are, and where they are looked for, depends on what has been built and installed.
    let lines = said.lines().map(|line| match line.split_once("available: ") {
        Some((before, _)) => format!("{before}available: …\n"),
        None => format!("{line}\n"),
    });
    lines.collect()
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
    std::thread::scope(|scope| (0..THREADS).for_each(|_| drop(scope.spawn(work))));
    let mut wrong = wrong.into_inner().unwrap();
    wrong.sort();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is said of a case and what was expected, if they differ.
fn difference(case: &Path) -> Option<String> {
    let place = Workspace::new();
    copy(case, "", &place);
    let command = match std::fs::read_to_string(case.join("command")) {
        Ok(command) => command,
        Err(_) if case.join("profile.yaml").is_file() => "check profile.yaml".to_owned(),
        Err(_) => "check".to_owned(),
    };
    let ran = place.run(&command.split_whitespace().collect::<Vec<_>>());
    let said = format!(
        "{}status {}\n",
        anywhere(&format!("{}{}", ran.out, ran.err), &place),
        ran.code.unwrap_or(-1)
    );
    let file = case.join("expected.txt");
    if std::env::var_os("LOOPCTL_UPDATE").is_some() {
        std::fs::write(&file, &said).unwrap();
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    (said != expected).then(|| format!("{}\n--- expected\n{expected}--- said\n{said}", case.display()))
}

/// A code that no case shows is one that nobody has read.
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
