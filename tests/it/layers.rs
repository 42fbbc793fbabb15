//! Rooms use only rooms above them in `src/lib.rs`, and the pure ones know no clock, no files, no chance, no waiting.

use regex::Regex;
use std::path::{Path, PathBuf};

/// Rooms whose decisions must be the same on every machine and at every time.
const PURE: [&str; 13] = [
    "engine",
    "policy",
    "score",
    "repair",
    "rules",
    "feedback",
    "script",
    "plan",
    "exchange",
    "result",
    "next",
    "rescore",
    "experiment",
];
const IMPURE: &str = r"\bstd::(fs|net|process|env|thread)\b|\b(Instant|SystemTime)\b|\btokio\b|\basync\s+(fn|move|\{)|\brand(om)?::|\bjiff::Timestamp::now\b|\bZoned::now\b";

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The rooms in the order of `src/lib.rs`.
fn rooms() -> Vec<String> {
    let text = std::fs::read_to_string(src().join("lib.rs")).unwrap();
    let module = Regex::new(r"(?m)^pub mod (\w+);").unwrap();
    module.captures_iter(&text).map(|found| found[1].to_owned()).collect()
}

fn files_in(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_in(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// Files of a room that are only there for its tests: those whose `mod` follows `#[cfg(test)]`.
fn test_files(files: &[PathBuf]) -> Vec<PathBuf> {
    let declared = Regex::new(r"#\[cfg\(test\)\]\s*(?:pub(?:\([a-z]+\))? )?mod (\w+);").unwrap();
    let mut found = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(file).unwrap();
        for module in declared.captures_iter(&text) {
            found.push(file.with_file_name(format!("{}.rs", &module[1])));
        }
    }
    found
}

/// What ships: without comments, and without the tests at the end. Each line keeps its number.
fn shipped(text: &str) -> Vec<(usize, String)> {
    let comment = Regex::new(r"//.*$").unwrap();
    text.lines()
        .enumerate()
        .take_while(|(at, line)| {
            !(line.trim() == "#[cfg(test)]"
                && text
                    .lines()
                    .nth(at + 1)
                    .is_some_and(|next| next.starts_with("mod ") && next.ends_with('{')))
        })
        .map(|(at, line)| (at + 1, comment.replace(line, "").into_owned()))
        .collect()
}

/// Every line that ships of every room, with its file.
fn lines(room: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    files_in(&src().join(room), &mut files);
    let tests = test_files(&files);
    files.retain(|file| !tests.contains(file));
    files
        .iter()
        .flat_map(|file| {
            let shown = file.strip_prefix(src()).unwrap().display().to_string();
            shipped(&std::fs::read_to_string(file).unwrap())
                .into_iter()
                .map(move |(number, line)| (format!("src/{shown}:{number}"), line))
        })
        .collect()
}

#[test]
fn a_room_uses_only_those_above_it() {
    let rooms = rooms();
    assert!(rooms.len() > 10, "{rooms:?}");
    let single = Regex::new(r"\bcrate::(\w+)").unwrap();
    let group = Regex::new(r"\bcrate::\{([^}]*)\}?").unwrap();
    let word = Regex::new(r"\b[a-z_]+\b").unwrap();
    let mut wrong = Vec::new();
    for (at, room) in rooms.iter().enumerate() {
        let below = &rooms[at + 1..];
        for (place, line) in lines(room) {
            let mut used: Vec<&str> =
                single.captures_iter(&line).map(|found| found.get(1).unwrap().as_str()).collect();
            for inside in group.captures_iter(&line) {
                used.extend(word.find_iter(inside.get(1).unwrap().as_str()).map(|found| found.as_str()));
            }
            for other in used.into_iter().filter(|other| below.iter().any(|room| room == other)) {
                wrong.push(format!("{place}: `{room}` uses `{other}`, which stands below it"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pure_rooms_know_no_clock_no_files_no_chance_and_no_waiting() {
    let impure = Regex::new(IMPURE).unwrap();
    let wrong: Vec<String> = PURE
        .iter()
        .flat_map(|room| lines(room))
        .filter_map(|(place, line)| impure.find(&line).map(|found| format!("{place}: `{}`", found.as_str())))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What opens files for reading, and where it may stand besides `disk`: the kernel says there how interrupts are handled, and a
/// folder is opened to be locked.
const READS: &str = r"\bfs::read(_to_string)?\(|\bFile::open\(|\bNamedTempFile\b";
const READERS: [&str; 2] = ["src/cli/interrupts.rs", "src/provider/trust.rs"];

#[test]
fn one_room_opens_files_for_reading_and_replaces_them() {
    let reads = Regex::new(READS).unwrap();
    let rooms = rooms();
    let wrong: Vec<String> = rooms
        .iter()
        .filter(|room| *room != "disk")
        .flat_map(|room| lines(room))
        .filter(|(place, _)| !READERS.iter().any(|reader| place.starts_with(reader)))
        .filter_map(|(place, line)| reads.find(&line).map(|found| format!("{place}: `{}`", found.as_str())))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_search_sees_what_it_is_for() {
    assert!(lines("engine").len() > 300 && lines("score").len() > 1000);
    let impure = Regex::new(IMPURE).unwrap();
    for line in [
        "use std::fs;",
        "let now = Instant::now();",
        "pub async fn go() {",
        "tokio::spawn(x)",
        "rand::random()",
    ] {
        assert!(impure.is_match(line), "{line}");
    }
    for line in ["let operand = 3;", "brand::new()", "an instant"] {
        assert!(!impure.is_match(line), "{line}");
    }
    let text = "use crate::run::X; // crate::cli\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n";
    assert_eq!(shipped(text), [(1, "use crate::run::X; ".to_owned())]);
}
