//! The files that are written from the declarations and checked in match what these say today.

use super::root;
use loopctl::reference::{FILE_KINDS, PAGES};

fn fresh(path: &str, expected: &str) {
    let file = root().join(path);
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    if std::env::var_os("LOOPCTL_UPDATE").is_some() && found != expected {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, expected).unwrap();
        return;
    }
    assert!(found == expected, "{path} is stale: run `LOOPCTL_UPDATE=1 cargo test --test it schemas::`");
}

#[test]
fn the_schemas_are_those_of_the_decoders() {
    for kind in &FILE_KINDS {
        let schema = kind.schema();
        jsonschema::draft7::meta::validate(&schema).unwrap();
        fresh(&format!("schemas/{}.schema.json", kind.name), &kind.schema_text());
    }
}

#[test]
fn the_reference_pages_are_those_of_the_decoders() {
    for page in &PAGES {
        fresh(&format!("docs/reference/{}.md", page.name), &page.text());
    }
}
