//! Every YAML file that is shipped is valid by its schema, and names it for editors.

use super::{json_of, mistakes, refusals, root, validator};
use loopctl::reference::FileKind;
use std::path::{Path, PathBuf};

/// Every YAML file that people would open, with its kind; below the root of the repository.
pub(super) fn shipped() -> Vec<(PathBuf, &'static FileKind)> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> =
        ["profiles", "rules", "examples", "plugins", "tests/plugins"].map(PathBuf::from).into();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = folder.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                // What the provider `scripted` answers is no file of ours to check.
                if entry.file_name() != "target" && path != Path::new("examples/aas") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|ending| ending == "yaml") {
                found.push((path.clone(), kind_of(&path)));
            }
        }
    }
    found.push(("prices.yaml".into(), FileKind::named("prices").unwrap()));
    found.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(found.len() > 40, "{}", found.len());
    found
}

fn kind_of(path: &Path) -> &'static FileKind {
    let text = path.to_str().unwrap();
    let in_rules = text.contains("rules/");
    let name = match () {
        () if text.ends_with(".test.yaml") && text.contains("rules/vocabularies/") => "vocabulary-tests",
        () if text.ends_with(".test.yaml") && in_rules => "rule-tests",
        () if text.ends_with(".test.yaml") => "scenarios",
        () if text.ends_with(".sweep.yaml") => "experiment",
        () if text.contains("rules/rubrics/") => "rubric",
        () if text.contains("rules/extract/") => "extraction",
        () if text.contains("rules/vocabularies/") => "vocabulary",
        () if text.contains("rules/context") => "context",
        () if text.contains("rules/classify") => "classification",
        () if in_rules => "rules",
        () if text.ends_with(".map.yaml") => "label-map",
        () => "profile",
    };
    FileKind::named(name).unwrap()
}

#[test]
fn every_shipped_file_is_valid_by_its_schema() {
    for (path, kind) in shipped() {
        let text = std::fs::read_to_string(root().join(&path)).unwrap();
        let found = refusals(&validator(kind), &json_of(path.to_str().unwrap(), &text));
        // One shows what messages look like.
        let is_broken = path.ends_with("broken-profile.yaml");
        assert_eq!(found.is_empty(), !is_broken, "{}: {found:#?}", path.display());
        let by_decoder = mistakes(kind, &text);
        let of_form = by_decoder.iter().any(|(code, _)| super::is_of_form(*code));
        assert_eq!(of_form, is_broken, "{}: {by_decoder:#?}", path.display());
    }
}

#[test]
fn the_defaults_are_valid_by_the_schema_of_profiles() {
    let mut value = json_of("defaults", loopctl::profile::defaults_text());
    value["extends"] = "anything".into();
    let found = refusals(&validator(FileKind::named("profile").unwrap()), &value);
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn every_shipped_file_names_its_schema_in_its_first_line() {
    let mut wrong = Vec::new();
    for (path, kind) in shipped() {
        let text = std::fs::read_to_string(root().join(&path)).unwrap();
        let first = text.lines().next().unwrap_or_default();
        let up = "../".repeat(path.components().count() - 1);
        let up = if up.is_empty() { "./".to_owned() } else { up };
        let expected = format!("# yaml-language-server: $schema={up}schemas/{}.schema.json", kind.name);
        if first != expected {
            wrong.push(format!("{}: {expected}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "the first line should be\n{}", wrong.join("\n"));
}
