//! The table of issues in `docs/review.md`, which `loopctl explain CODE` reads, has every code that the program or a shipped rule
//! names.

use crate::workspace::Workspace;
use regex::Regex;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files_below(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, ending, found);
        } else if path.extension().is_some_and(|own| own == ending) {
            found.push(path);
        }
    }
}

/// The codes in the texts of the modules that make issues. Files and modules of tests are left out.
fn codes_in_source() -> BTreeSet<String> {
    let (mut paths, mut of_tests) = (Vec::new(), BTreeSet::new());
    for room in ["score", "policy", "feedback"] {
        files_below(&root().join("crates/core/src").join(room), "rs", &mut paths);
    }
    let apart = Regex::new(r"#\[cfg\(test\)\]\nmod (\w+);").unwrap();
    let texts: Vec<String> = paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    for (path, text) in paths.iter().zip(&texts) {
        of_tests
            .extend(apart.captures_iter(text).map(|name| path.with_file_name(format!("{}.rs", &name[1]))));
    }
    let code = Regex::new(r#""([A-Z]+(?:_[A-Z]+)+)""#).unwrap();
    let mut codes = BTreeSet::new();
    for (path, text) in paths.iter().zip(&texts).filter(|(path, _)| !of_tests.contains(*path)) {
        assert!(!path.ends_with("tests.rs"), "{} is not told from what ships", path.display());
        let ships = text.split("#[cfg(test)]\nmod ").next().unwrap();
        // The crate's own folder, which some tests name.
        codes.extend(
            code.captures_iter(ships)
                .map(|code| code[1].to_owned())
                .filter(|code| code != "CARGO_MANIFEST_DIR"),
        );
    }
    codes
}

/// The codes that shipped rules name, in place of their own ids.
fn codes_in_rules() -> BTreeSet<String> {
    let mut paths = Vec::new();
    files_below(&root().join("rules"), "yaml", &mut paths);
    paths.retain(|path| !path.to_str().unwrap().ends_with(".test.yaml"));
    let code = Regex::new(r"(?m)\bcode: ([A-Z_]+)").unwrap();
    let texts = paths.iter().map(|path| std::fs::read_to_string(path).unwrap());
    texts
        .flat_map(|text| code.captures_iter(&text).map(|code| code[1].to_owned()).collect::<Vec<_>>())
        .collect()
}

#[test]
fn every_code_that_an_issue_can_have_is_explained() {
    let (source, rules) = (codes_in_source(), codes_in_rules());
    assert!(source.len() > 25 && source.contains("NO_QUORUM"), "{source:?}");
    assert!(rules.len() > 8 && rules.contains("NO_CLINICAL_CONTENT"), "{rules:?}");
    let place = Workspace::new();
    for code in source.union(&rules) {
        let said = place.run(&["explain", code]).exits(0).out;
        assert!(said.starts_with(&format!("{code}: ")), "{said}");
    }
    // Of codes that are made of names, the beginning is explained.
    for code in ["SCHEMA_MIN_LENGTH", "JUDGE_FIRST", "VALIDATOR_OURS"] {
        place.run(&["explain", code]).exits(0);
    }
}

#[test]
fn the_code_of_a_rule_is_told_with_the_rule() {
    let place = Workspace::new();
    place.write(
        "rules/ours.yaml",
        "rules:\n  - { id: lv-size-known, field: lvSize, one_of: [normal], code: LV_SIZE }\n",
    );
    for (code, rule) in [
        ("LV_SIZE", "`lv-size-known` in `rules/ours.yaml`"),
        ("CARCINOMA_NEEDS_GRADE", "`carcinoma-needs-grade` in `rules/clinical-consistency.yaml`"),
    ] {
        let said = place.run(&["explain", code]).exits(2).says(&["it is that of a rule", rule]).err;
        assert!(!said.contains("did you mean"), "{said}");
    }
}
