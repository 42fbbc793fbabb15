//! Words of the code: doc comments open with a noun phrase or a verb, and a type's name is not used over and over.

use crate::layers::files_in;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Words with which no doc comment opens.
const OPENINGS: [&str; 9] = ["What", "How", "Whether", "Who", "Where", "Which", "When", "Why", "The same"];
/// The number of type names that more than two files declare. It may fall and not rise: a new type takes a name of its own.
const SHARED_NAMES: usize = 108;
/// A name that each verb has for its own arguments.
const OF_VERBS: &str = "Arguments";

/// The sources of the workspace: each file and its text.
fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["src", "crates", "plugins", "tests", "benches", "examples"] {
        files_in(&root.join(folder), &mut found);
    }
    assert!(found.len() > 1_000, "{}", found.len());
    let text = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        (path, text)
    };
    found.into_iter().map(text).collect()
}

/// The text of a line of a doc comment.
fn doc(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).map(str::trim_start)
}

#[test]
fn doc_comments_open_with_a_noun_phrase_or_a_verb() {
    let mut wrong = Vec::new();
    for (path, text) in sources() {
        let mut is_inside = false;
        for (number, line) in text.lines().enumerate() {
            let Some(comment) = doc(line) else {
                is_inside = false;
                continue;
            };
            let opens = |word: &str| {
                let rest = comment.strip_prefix(word);
                rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
            };
            if !is_inside && OPENINGS.iter().any(|word| opens(word)) {
                wrong.push(format!("{}:{}: {comment}", path.display(), number + 1));
            }
            is_inside = true;
        }
    }
    assert!(wrong.is_empty(), "open with a noun phrase or a verb:\n{}", wrong.join("\n"));
}

#[test]
fn fewer_and_fewer_types_share_a_name() {
    let mut files: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for (path, text) in sources().into_iter().filter(|(path, _)| !path.iter().any(|part| part == "tests")) {
        for line in text.lines() {
            let words: Vec<&str> = line.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
            let kinds = ["struct", "enum", "type", "trait", "union"];
            let declares =
                line.trim_start().starts_with("pub") || kinds.iter().any(|kind| words.contains(kind));
            let at = words
                .iter()
                .position(|word| kinds.contains(word))
                .filter(|_| declares && doc(line).is_none());
            if let Some(name) =
                at.and_then(|at| words.get(at + 1)).filter(|name| name.starts_with(char::is_uppercase))
            {
                files.entry((*name).to_owned()).or_default().insert(path.clone());
            }
        }
    }
    files.remove(OF_VERBS);
    let shared: Vec<(&String, usize)> =
        files.iter().map(|(name, files)| (name, files.len())).filter(|(_, files)| *files > 2).collect();
    assert!(
        shared.len() <= SHARED_NAMES,
        "{} names are declared in more than two files, {SHARED_NAMES} were: {shared:?}",
        shared.len()
    );
}
