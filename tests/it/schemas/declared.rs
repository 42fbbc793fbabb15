//! Every declaration says what a person needs to know.

use super::json_of;
use loopctl::explain::schema::{FILE_KINDS, FileKind};
use loopctl::profile::defaults_text;
use loopctl::value::shape::{Key, Mapping, Open, Shape};
use std::collections::BTreeMap;

/// Every mapping that can be reached from one, with what it is called.
pub(super) fn mappings(root: &'static Mapping) -> Vec<&'static Mapping> {
    fn add(shape: &Shape, all: &mut Vec<&'static Mapping>) {
        match shape {
            Shape::Mapping(mapping) if !all.iter().any(|known| std::ptr::eq(*known, *mapping)) => {
                all.push(mapping);
                mapping.all_keys().for_each(|key| add(&key.shape(), all));
                if let Some(open) = &mapping.open {
                    add(&(open.shape)(), all);
                }
            }
            Shape::List(of) => add(of, all),
            Shape::Map(open) => add(&(open.shape)(), all),
            Shape::AnyOf(alternatives) => alternatives.iter().for_each(|shape| add(shape, all)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    add(&Shape::Mapping(root), &mut all);
    all
}

fn is_sentence(text: &str) -> bool {
    text.ends_with('.')
        && text.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || c == '`')
        && text.len() > 8
        && !text.contains("  ")
}

fn open_parts(mapping: &'static Mapping) -> Vec<Open> {
    let inside = mapping.all_keys().filter_map(|key| match key.shape() {
        Shape::Map(open) => Some(open),
        _ => None,
    });
    inside.chain(mapping.open).collect()
}

#[test]
fn every_key_is_described_and_has_an_example() {
    for kind in &FILE_KINDS {
        for mapping in mappings(kind.root) {
            assert!(is_sentence(mapping.doc), "{}: {}", mapping.name, mapping.doc);
            assert!(!mapping.keys.is_empty() || mapping.open.is_some(), "{}", mapping.name);
            for Key { name, doc, examples, default, .. } in mapping.all_keys() {
                let place = format!("{}.{name}", mapping.name);
                assert!(is_sentence(doc), "{place}: {doc}");
                assert!(!examples.is_empty(), "{place} has no example");
                for text in examples.iter().chain(default) {
                    json_of(&place, text);
                }
            }
            for open in open_parts(mapping) {
                assert!(is_sentence(open.doc), "{}.{}: {}", mapping.name, open.key, open.doc);
                assert_eq!(open.key, open.key.to_uppercase());
            }
        }
    }
}

#[test]
fn a_name_is_that_of_one_mapping_of_a_file() {
    for kind in &FILE_KINDS {
        let mut seen = BTreeMap::new();
        for mapping in mappings(kind.root) {
            assert_eq!(seen.insert(mapping.name, ()), None, "{}: `{}` stands twice", kind.name, mapping.name);
            let mut keys: Vec<&str> = mapping.all_keys().map(|key| key.name).collect();
            keys.sort_unstable();
            let all = keys.len();
            keys.dedup();
            assert_eq!(all, keys.len(), "`{}` has a key twice", mapping.name);
        }
    }
}

/// A schema of ours and that of a document type would have the same name; the decoder of classifications refuses those.
#[test]
fn no_document_type_is_called_like_a_schema_of_ours() {
    let names: Vec<&str> = FILE_KINDS.iter().map(|kind| kind.name).collect();
    assert_eq!(names, loopctl::value::shape::FILE_KINDS);
    for name in names {
        let text = format!("classify:\n  {name}:\n    - {{ pattern: x, weight: 1 }}\n");
        let found = super::mistakes(FileKind::named("classification").unwrap(), &text);
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        assert!(found[0].1.contains("can't be a document type"), "{found:?}");
    }
}

/// `src/profile/default.yaml` is what many read instead of the reference.
#[test]
fn the_defaults_show_every_key_of_a_profile() {
    let text = defaults_text();
    let profile = FileKind::named("profile").unwrap();
    for mapping in mappings(profile.root) {
        for key in mapping.all_keys() {
            let shown = text.match_indices(&format!("{}:", key.name)).any(|(at, _)| {
                text[..at].chars().next_back().is_none_or(|before| !before.is_alphanumeric() && before != '_')
            });
            assert!(shown, "default.yaml does not show `{}` of `{}`", key.name, mapping.name);
        }
    }
}

/// Where the file gives a value, it is the declared default.
#[test]
fn the_defaults_are_those_that_are_declared() {
    fn compare(mapping: &'static Mapping, given: &serde_json::Value, seen: &mut usize) {
        for key in mapping.all_keys() {
            let Some(value) = given.get(key.name) else { continue };
            match (key.shape(), key.default) {
                (Shape::Mapping(inner), None) => compare(inner, value, seen),
                (Shape::AnyOf(alternatives), None) => {
                    for shape in alternatives {
                        if let Shape::Mapping(inner) = shape {
                            compare(inner, value, seen);
                        }
                    }
                }
                (_, default) => {
                    let default = default.unwrap_or_else(|| panic!("`{}` declares no default", key.name));
                    assert_eq!(json_of(key.name, default), *value, "`{}` of `{}`", key.name, mapping.name);
                    *seen += 1;
                }
            }
        }
    }
    let mut seen = 0;
    compare(FileKind::named("profile").unwrap().root, &json_of("default.yaml", defaults_text()), &mut seen);
    assert!(seen > 15, "{seen}");
}

#[test]
fn the_schema_verb_lists_and_prints() {
    let run = |arguments: &[&str]| {
        let ran = std::process::Command::new(env!("CARGO_BIN_EXE_loopctl")).args(arguments).output().unwrap();
        (ran.status.code(), String::from_utf8(ran.stdout).unwrap(), String::from_utf8(ran.stderr).unwrap())
    };
    let (status, listed, _) = run(&["schema"]);
    assert_eq!(status, Some(0));
    for kind in &FILE_KINDS {
        assert!(
            listed.lines().any(|line| line.starts_with(kind.name) && line.ends_with(kind.place)),
            "{listed}"
        );
        let (status, printed, _) = run(&["schema", kind.name]);
        assert_eq!(status, Some(0));
        assert_eq!(printed, kind.schema_text());
    }
    let (status, _, said) = run(&["schema", "profiles"]);
    assert_eq!(status, Some(2));
    assert!(
        said.contains("no schema is called `profiles`") && said.contains("did you mean `profile`?"),
        "{said}"
    );
}
