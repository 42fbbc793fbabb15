//! A corpus of mistakes: one folder each in `tests/broken`, with what `loopctl check` says of it in `expected.txt`.
//!
//! A folder is a project. `profile.yaml` in it is checked; where there is none, all that can be checked is.
//! `LOOPCTL_UPDATE=1` writes what is said; read the difference before it is committed.

use super::workspace::Workspace;
use std::path::{Path, PathBuf};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken")
}

fn copy(from: &Path, below: &str, place: &Workspace) {
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{below}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            copy(&path, &format!("{name}/"), place);
        } else if name != "expected.txt" {
            place.write(&name, std::fs::read(&path).unwrap());
        }
    }
}

#[test]
fn every_mistake_is_said_as_expected() {
    let mut cases: Vec<PathBuf> = std::fs::read_dir(corpus()).unwrap().map(|e| e.unwrap().path()).collect();
    cases.sort();
    assert!(!cases.is_empty());
    let mut wrong = Vec::new();
    for case in &cases {
        let place = Workspace::new();
        copy(case, "", &place);
        let arguments: &[&str] =
            if case.join("profile.yaml").is_file() { &["check", "profile.yaml"] } else { &["check"] };
        let ran = place.run(arguments);
        let said = format!("{}status {}\n", ran.err, ran.code.unwrap_or(-1));
        let file = case.join("expected.txt");
        if std::env::var_os("LOOPCTL_UPDATE").is_some() {
            std::fs::write(&file, &said).unwrap();
        }
        let expected = std::fs::read_to_string(&file).unwrap_or_default();
        if said != expected {
            wrong.push(format!("{}\n--- expected\n{expected}--- said\n{said}", case.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
