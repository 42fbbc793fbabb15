//! Documents and answers that try to make a wrong value pass: `tests/evidence/injections/`.

use super::evidence::assessed_with;
use loopctl::score::{Quotes, Support};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Case {
    /// The attempt, in words.
    tries: String,
    document_type: String,
    source: String,
    extraction: Value,
    #[serde(default)]
    evidence: Quotes,
    /// The supports that are allowed for each value that is tried.
    gives: std::collections::BTreeMap<String, Vec<Support>>,
}

#[test]
fn no_document_or_quote_passes_a_wrong_value() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/evidence/injections");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    let mut wrong = Vec::new();
    for path in &paths {
        let text = std::fs::read_to_string(path).unwrap();
        let case: Case =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let out = assessed_with(&case.document_type, &case.source, &case.extraction, &case.evidence);
        for (at, expected) in &case.gives {
            let found = out.evidence.iter().find(|(leaf, _)| leaf == at).map(|(_, leaf)| leaf.support);
            if !found.is_some_and(|found| expected.contains(&found)) {
                wrong.push(format!("{} ({}): {at} is {found:?}", path.display(), case.tries));
            }
        }
    }
    assert!(paths.len() >= 12, "{} cases", paths.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
