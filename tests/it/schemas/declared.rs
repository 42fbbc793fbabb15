//! Every declaration says what a person needs to know.

use super::json_of;
use loopctl::reference::{FILE_KINDS, FileKind};
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
            assert_eq!(
                seen.insert(mapping.name, ()),
                None,
                "{}: `{}` appears twice",
                kind.name,
                mapping.name
            );
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

/// The defaults are those that are declared, each read as its key's values are.
#[test]
fn the_defaults_of_profiles_are_those_that_are_declared() {
    let text = loopctl::profile::defaults_text();
    let defaults = json_of("defaults", text);
    assert_eq!(defaults["repair"]["drop_unknown"], true);
    assert_eq!(defaults["feedback"]["history"], 10);
    assert_eq!(defaults["stop"], serde_json::json!({ "unchanged": false }));
    assert_eq!(defaults["select"]["order"], serde_json::json!(["overall"]));
    assert!(defaults.get("network").is_none() && defaults.get("mask").is_none(), "{text}");
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
