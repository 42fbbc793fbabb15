//! The enums that the loop decides by are matched without a catch-all: a new stop criterion, rule test, event or kind
//! of issues is then an error at each location that must handle it, and never silently left out of a proof, an
//! explanation or a replay.

use crate::layers::{shipped, tokens};
use std::path::{Path, PathBuf};

/// The enums that are matched arm by arm everywhere.
const ENUMS: [&str; 6] = ["Criterion", "Constant", "Costly", "Event", "IssueKind", "Test"];

/// The catch-alls of matches on these enums in a text.
fn catch_alls(text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let (tokens, _) = shipped(&tokens);
    let matches = (0..tokens.len()).filter(|at| tokens[*at] == "match");
    matches.flat_map(|at| in_match(&tokens[at + 1..])).collect()
}

/// Like [`catch_alls`], in one match, from behind its `match`.
fn in_match(tokens: &[&str]) -> Vec<String> {
    let Some(open) = position(tokens, |rest| rest[0] == "{") else { return Vec::new() };
    let mut rest = &tokens[open + 1..];
    let mut patterns: Vec<Vec<&str>> = Vec::new();
    while let Some(arrow) = position(rest, |rest| matches!(rest, ["=", ">", ..])) {
        patterns.push(rest[..arrow].to_vec());
        rest = body(&rest[arrow + 2..]);
    }
    let names = |pattern: &[&str]| {
        pattern.windows(3).any(|three| ENUMS.contains(&three[0]) && three[1..] == [":", ":"])
            || pattern.windows(2).any(|two| ENUMS.contains(&two[0]) && two[1] == "::")
    };
    if !patterns.iter().any(|pattern| names(pattern)) {
        return Vec::new();
    }
    let is_catch_all = |pattern: &&Vec<&str>| {
        let head = pattern.split(|token| *token == "if").next().unwrap_or_default();
        let is_word = |token: &&str| {
            !["true", "false"].contains(token) && token.starts_with(|c: char| c.is_lowercase() || c == '_')
        };
        head.iter().all(|token| is_word(token) || ["(", ")", ",", "&", "|"].contains(token))
    };
    patterns.iter().filter(is_catch_all).map(|pattern| pattern.join(" ")).collect()
}

/// The tokens after the body of an arm.
fn body<'a, 't>(tokens: &'a [&'t str]) -> &'a [&'t str] {
    if tokens.first() == Some(&"{") {
        let end = 1 + position(&tokens[1..], |rest| rest[0] == "}").unwrap_or(tokens.len() - 1);
        let after = &tokens[(end + 1).min(tokens.len())..];
        // A method that is called on a block belongs to the body.
        return match after.first() {
            Some(&".") => body(&after[1..]),
            Some(&",") => &after[1..],
            _ => after,
        };
    }
    match position(tokens, |rest| rest[0] == "," || rest[0] == "}") {
        Some(end) if tokens[end] == "," => &tokens[end + 1..],
        _ => &[],
    }
}

/// The first position where `stands` holds outside of brackets. A closing one that was not opened ends the search.
fn position(tokens: &[&str], stands: impl Fn(&[&str]) -> bool) -> Option<usize> {
    let mut depth = 0_usize;
    for at in 0..tokens.len() {
        if depth == 0 && stands(&tokens[at..]) {
            return Some(at);
        }
        match tokens[at] {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

fn files(folder: PathBuf, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_match_on_what_is_decided_by_has_a_catch_all() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    files(root.join("src"), &mut sources);
    files(root.join("crates"), &mut sources);
    files(root.join("plugins/check"), &mut sources);
    let mut found = Vec::new();
    let mut matched = 0;
    for path in sources {
        let text = std::fs::read_to_string(&path).unwrap();
        matched += usize::from(text.contains("match ") && text.contains("Event::"));
        found.extend(catch_alls(&text).into_iter().map(|arm| format!("{}: `{arm}`", path.display())));
    }
    assert!(matched > 5, "the sources are elsewhere now");
    assert!(found.is_empty(), "each variant has to have an arm of its own:\n{}", found.join("\n"));
}

#[test]
fn catch_alls_are_found() {
    for (text, expected) in [
        ("match one { Criterion::Budget(b) => b, _ => 0 }", &["_"][..]),
        ("match one { Event::Woke => { 1 } other => { 2 } }", &["other"]),
        ("match (a, b) { (Test::Present, _) if x => 1, (_, _) => 2 }", &["( _ , _ )"]),
        (
            "match f(match x { _ => 1 }) { IssueKind::Severity(_) => g(|_| 3), IssueKind::Disposition(d) => 1 }",
            &[],
        ),
        (
            "match one { Criterion::Any(all) | Criterion::All(all) => all, Criterion::Budget(_) => x.y(|a| a) }",
            &[],
        ),
        ("match x { Some(_) => 1, _ => 2 }", &[]),
        ("match one { Event::Woke => match x { 1 => 2, _ => 3 }, Event::Started => 2 }", &[]),
        ("match one { Event::Woke => if a { b } else { c }, _ if a => 2 }", &["_ if a"]),
    ] {
        assert_eq!(catch_alls(text), expected, "{text}");
    }
}
