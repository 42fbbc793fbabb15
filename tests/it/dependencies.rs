//! Licences and sources of all dependencies, held against `deny.toml`.

use serde_json::Value;
use std::process::Command;

fn read(name: &str) -> String {
    std::fs::read_to_string(format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The `allow` list of `deny.toml`.
fn allowed() -> Vec<String> {
    let text = read("deny.toml");
    let list = text.split_once("allow = [").and_then(|(_, rest)| rest.split_once(']')).unwrap().0;
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Returns whether an SPDX expression can be met with allowed licences. Understands `AND`, `OR`, `/` (an old `OR`),
/// nested brackets, and an exception after `WITH`, which only ever allows more.
fn is_met(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let met = any_of(&mut words, allowed);
    met && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any_of(words: &mut Words<'_>, allowed: &[String]) -> bool {
    let mut met = all_of(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        met |= all_of(words, allowed);
    }
    met
}

fn all_of(words: &mut Words<'_>, allowed: &[String]) -> bool {
    let mut met = one(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        met &= one(words, allowed);
    }
    met
}

fn one(words: &mut Words<'_>, allowed: &[String]) -> bool {
    if words.next_if_eq(&"(").is_some() {
        let met = any_of(words, allowed);
        return words.next_if_eq(&")").is_some() && met;
    }
    let licence = words.next().unwrap_or_default();
    if words.next_if_eq(&"WITH").is_some() {
        words.next();
    }
    allowed.iter().any(|known| known == licence.trim_end_matches('+'))
}

#[test]
fn expressions_are_understood() {
    let allowed = ["MIT".to_owned(), "ISC".to_owned()];
    for met in ["MIT", "GPL-3.0 OR MIT", "GPL-3.0/MIT", "MIT AND (GPL-3.0 OR ISC)", "MIT+", "ISC WITH X OR Y"]
    {
        assert!(is_met(met, &allowed), "{met}");
    }
    for unmet in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR ISC) AND GPL-3.0", "", "MIT)", "(MIT"] {
        assert!(!is_met(unmet, &allowed), "{unmet}");
    }
}

/// Of the dependencies that this machine builds: others may not be downloaded.
#[test]
fn licences_are_allowed() {
    let version = Command::new("rustc").arg("-vV").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--locked", "--offline", "--filter-platform", host])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(metadata.status.success(), "{}", String::from_utf8_lossy(&metadata.stderr));
    let metadata: Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 100, "{} packages", packages.len());
    let allowed = allowed();
    let refused: Vec<String> = packages
        .iter()
        .filter(|package| !package["license"].as_str().is_some_and(|licence| is_met(licence, &allowed)))
        .map(|package| format!("{} ({})", package["name"], package["license"]))
        .collect();
    assert!(refused.is_empty(), "not allowed by deny.toml: {}", refused.join(", "));
}

/// One registry, and nothing from a repository that may go away or change.
#[test]
fn dependencies_come_from_the_registry() {
    let lock = read("Cargo.lock");
    let mut sources: Vec<&str> = lock.lines().filter(|line| line.starts_with("source = ")).collect();
    sources.sort_unstable();
    sources.dedup();
    assert_eq!(sources.len(), 1, "{sources:?}");
    assert!(sources[0].starts_with("source = \"registry+"), "{sources:?}");
}
