//! Words of the code: doc comments open with a noun phrase or a verb, a type's name is not used over and over, and phrases that
//! are not technical English get fewer.

use crate::layers::{files_ending, files_in};
use loopctl::diag::{Problems, SourceFile};
use loopctl::value::yaml;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Words with which no doc comment opens.
const OPENINGS: [&str; 9] = ["What", "How", "Whether", "Who", "Where", "Which", "When", "Why", "The same"];
/// The number of type names that more than two files declare. It may fall and not rise: a new type takes a name of its own.
const SHARED_NAMES: usize = 61;
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

/// Returns whether a line gives an associated type, whose name is the trait's.
fn is_associated(line: &str, kind: Option<&&str>) -> bool {
    kind == Some(&"type") && line.starts_with(' ')
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
                .filter(|at| declares && doc(line).is_none() && !is_associated(line, words.get(*at)));
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

/// The text of the sources, assets and documentation, without tests and the pages that are generated from sources.
fn prose() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found: Vec<PathBuf> =
        ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(|name| root.join(name)).into();
    for folder in ["src", "crates", "plugins", "docs", "deploy"] {
        files_ending(&root.join(folder), &["rs", "md", "js", "yaml"], &mut found);
    }
    let is_generated =
        |path: &Path| ["docs/profiles", "docs/reference"].iter().any(|at| path.starts_with(root.join(at)));
    found.retain(|path| !path.iter().any(|part| part == "tests") && !is_generated(path));
    assert!(found.len() > 1_000, "{}", found.len());
    let text = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        (path, text)
    };
    found.into_iter().map(text).collect()
}

#[test]
fn avoided_phrases_get_fewer() {
    let table = SourceFile::new("avoided.yaml", include_str!("wording/avoided.yaml").to_owned());
    let table = yaml::parse(&table, &mut Problems::new()).unwrap().to_json();
    let texts = prose();
    let mut wrong = Vec::new();
    for row in table.as_array().unwrap() {
        let (avoid, write) = (row["avoid"].as_str().unwrap(), row["write"].as_str().unwrap());
        let at_most = usize::try_from(row["at_most"].as_u64().unwrap()).unwrap();
        // A phrase may continue in the next line of a comment or of a literal.
        let phrase = Regex::new(&format!(r"(?i)\b{}\b", avoid.replace(' ', r"[\s/!\\]+"))).unwrap();
        let counts = texts.iter().map(|(path, text)| (path, phrase.find_iter(text).count()));
        let places: Vec<(&PathBuf, usize)> = counts.filter(|(_, count)| *count > 0).collect();
        let count: usize = places.iter().map(|(_, count)| count).sum();
        if count > at_most {
            wrong.push(format!("`{avoid}` {count} times, {at_most} allowed: write {write}: {places:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
