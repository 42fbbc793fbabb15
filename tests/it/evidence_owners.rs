//! The owners of values: a value that appears in a passage is never called contradicted by that very passage.

use crate::evidence::{assessed, assessed_with};
use loopctl::score::{Assessment, Quotes, Support};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The contradictions whose message quotes the value itself.
fn self_quoting(out: &Assessment, extraction: &Value) -> Vec<String> {
    let contradicted = out.issues.iter().filter(|issue| issue.code == "CONTRADICTED_VALUE");
    let quotes_itself = |message: &str, path: &str| {
        // A denial quotes what it denies.
        let quoted = message.split_once("says otherwise (\"").map(|(_, quoted)| quoted.to_lowercase())?;
        let value = extraction.pointer(path)?;
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned).to_lowercase();
        let apart = |text: &str, at: usize| {
            let before = text[..at].chars().next_back();
            let after = text[at + value.len()..].chars().next();
            [before, after].iter().flatten().all(|c| !c.is_alphanumeric() && !".,".contains(*c))
        };
        quoted.match_indices(&value).any(|(at, _)| apart(&quoted, at)).then_some(())
    };
    let found = contradicted.filter(|issue| quotes_itself(issue.message.as_str(), &issue.path).is_some());
    found.map(|issue| issue.message.as_str().to_owned()).collect()
}

/// The texts of the corpora in the repository.
fn texts() -> Vec<(String, String)> {
    fn walk(folder: PathBuf, found: &mut Vec<(String, String)>) {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                walk(path, found);
            } else if path.extension().is_some_and(|ending| ending == "txt") {
                found.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["tests/evidence", "tests/documents", "examples/reports"] {
        walk(root.join(folder), &mut found);
    }
    found
}

/// Sizes, amounts and bounds that appear in a text, as they are written.
fn measures(line: &str) -> Vec<String> {
    let words: Vec<&str> =
        line.split_whitespace().map(|word| word.trim_matches(['.', ',', ';', '(', ')'])).collect();
    let is_number = |word: &str| word.trim_start_matches(['<', '>', '=']).parse::<f64>().is_ok();
    let mut found = Vec::new();
    for from in (0..words.len()).filter(|at| is_number(words[*at])) {
        for to in from + 1..=words.len().min(from + 6) {
            let is_part =
                |word: &str| is_number(word) || ["x", "X", "by", "cm", "mm", "mg", "mL", "%"].contains(&word);
            if !words[from..to].iter().all(|word| is_part(word)) {
                break;
            }
            found.push(words[from..to].join(" "));
        }
    }
    found
}

#[test]
fn no_contradiction_quotes_the_value_itself() {
    let (mut looked, mut found) = (0, Vec::new());
    for (file, text) in texts() {
        for line in text.lines().filter(|line| line.len() < 2_000) {
            for value in measures(line).into_iter().take(4) {
                let extraction = json!({
                    "tumorSize": value, "measurements": [{ "structure": "left ovary", "value": value }],
                    "specimenSize": value, "grade": value, "largestDiameter": value,
                });
                let mut quotes = Quotes::default();
                for path in
                    ["/tumorSize", "/measurements/0/value", "/specimenSize", "/grade", "/largestDiameter"]
                {
                    quotes.add(path, line.trim());
                }
                looked += 1;
                for kind in ["pathology", "radiology"] {
                    let out = assessed_with(kind, &text, &extraction, &quotes);
                    found.extend(
                        self_quoting(&out, &extraction).into_iter().map(|why| format!("{file}: {why}")),
                    );
                }
            }
        }
        if looked > 150 {
            break;
        }
    }
    assert!(looked > 100, "{looked}");
    assert!(found.is_empty(), "{} of {looked}:\n{}", found.len(), found.join("\n"));
}

#[test]
fn a_size_in_the_passage_that_says_another_one_may_be_of_something_else() {
    for (text, field, value, quote) in [
        (
            "The right ovary measures 2.6 x 1.6 x 2.1 cm. The left ovary measures 3.3 x 1.9 x 3.5 cm.",
            "rightOvarySize",
            "3.3 x 1.9 x 3.5 cm",
            "The right ovary measures 2.6 x 1.6 x 2.1 cm. The left ovary measures 3.3 x 1.9 x 3.5 cm.",
        ),
        (
            "A 3.0 X 2.0 x 0.6 cm aggregate of tissue.",
            "tumorSize",
            "30.0 mm",
            "A 3.0 X 2.0 x 0.6 cm aggregate",
        ),
        ("Estradiol: less than or <= 5 pg/dL", "estradiol", "<= 5", "less than or <= 5 pg/dL"),
        (
            "A mass of 10 x 12 cm beside a cyst of 4 cm.",
            "cystSize",
            "10 x 12 cm",
            "A mass of 10 x 12 cm beside a cyst of 4 cm.",
        ),
    ] {
        let mut quotes = Quotes::default();
        quotes.add(&format!("/{field}"), quote);
        for offered in [&quotes, &Quotes::default()] {
            let extraction = json!({ field: value });
            let out = assessed_with("radiology", text, &extraction, offered);
            let supports: Vec<Support> = out.evidence.iter().map(|(_, leaf)| leaf.support).collect();
            assert!(!supports.contains(&Support::Contradicted), "{value} in {text}: {:?}", out.issues);
        }
    }
    // What is not there is contradicted as before.
    let out = assessed(
        "pathology",
        "Tumor size: 2.5 cm. Margins are negative.",
        &json!({ "tumorSize": "4.5 cm", "margins": "positive" }),
    );
    let codes: Vec<&str> = out.issues.iter().map(|issue| issue.code.as_str()).collect();
    assert!(codes.contains(&"CONTRADICTED_VALUE"), "{:?}", out.issues);
}
