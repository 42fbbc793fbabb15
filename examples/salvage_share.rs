//! The share of a corpus of damaged JSON that is salvaged to the value that its record expects.
//!
//! ```text
//! cargo run --example salvage_share -- CORPUS.jsonl [--show]
//! ```
//!
//! A line is `{"input": TEXT, "expected_value": VALUE, "tags": [KIND, …]}`. Records with `expected_error` expect that
//! there is no value, records with neither are counted apart, and so are those with `options`, whose expectation holds
//! under a setting of another library only. Numbers that are equal count as equal however they are written.
//! `--show` prints each disagreement.

use loopctl::repair::salvage;
use loopctl::value::canonical;
use serde_json::Value;
use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;

#[derive(Default)]
struct SalvageShare {
    records: usize,
    agreeing: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let show = arguments.iter().any(|argument| argument == "--show");
    let path = arguments
        .iter()
        .find(|argument| !argument.starts_with("--"))
        .ok_or("name a corpus: `salvage_share CORPUS.jsonl`")?;
    let corpus = std::fs::read_to_string(path)?;
    let mut out = std::io::stdout().lock();
    let mut shares: BTreeMap<String, SalvageShare> = BTreeMap::new();
    let mut count = |name: &str, agrees: bool| {
        let share = shares.entry(name.to_owned()).or_default();
        share.records += 1;
        share.agreeing += usize::from(agrees);
    };
    for (number, line) in corpus.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let record: Value =
            serde_json::from_str(line).map_err(|error| format!("line {}: {error}", number + 1))?;
        let input = record.get("input").and_then(Value::as_str).ok_or("a record lacks `input`")?;
        let result = salvage(input);
        let (group, agrees) =
            match (record.get("expected_value"), record.get("expected_error"), record.get("options")) {
                (_, _, Some(_)) => {
                    ("under options of another library", agrees(&result, record.get("expected_value")))
                }
                (Some(expected), ..) => ("a value is expected", agrees(&result, Some(expected))),
                (None, Some(_), _) => ("an error is expected", result.is_err()),
                (None, None, _) => ("no value is expected", result.is_err()),
            };
        count(group, agrees);
        if group == "a value is expected" {
            for tag in
                record.get("tags").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
            {
                count(&format!("  {tag}"), agrees);
            }
            if let Some(origin) = record.pointer("/origin/repo").and_then(Value::as_str) {
                count(&format!("  from {origin}"), agrees);
            }
        }
        if show && !agrees {
            let got =
                result.map_or_else(|why| format!("error: {why}"), |salvaged| salvaged.value.to_string());
            let expected =
                record.get("expected_value").or_else(|| record.get("expected_error")).unwrap_or(&Value::Null);
            writeln!(out, "{}: {}\n  expected {expected}\n  got      {got}", number + 1, Value::from(input))?;
        }
    }
    for (name, share) in &shares {
        #[expect(clippy::cast_precision_loss, reason = "counts of records are small")]
        let percent = 100.0 * share.agreeing as f64 / share.records as f64;
        writeln!(out, "{name}: {} of {} ({percent:.1} %)", share.agreeing, share.records)?;
    }
    Ok(())
}

fn agrees(
    result: &Result<loopctl::repair::Salvaged, loopctl::repair::Unsalvageable>,
    expected: Option<&Value>,
) -> bool {
    match (result, expected) {
        (Ok(salvaged), Some(expected)) => canonical(&salvaged.value) == canonical(expected),
        (Err(_), None) => true,
        _ => false,
    }
}
