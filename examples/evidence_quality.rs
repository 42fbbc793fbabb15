//! How well the support of values agrees with careful readers.
//!
//! ```text
//! cargo run --example evidence_quality -- FOLDER [PROFILE] [--each]
//! ```
//!
//! `FOLDER` holds `X.json` beside documents: `{"document": "X.txt", "document_type": "pathology", "extraction": {…},
//! "evidence": {"/grade": "a quote"}, "wrong": [{"path": "/grade", "value": "3", "kind": "polarity", "quote": "…"}]}`. Every leaf of
//! `extraction` is right; each entry of `wrong` replaces one leaf by a value that is not. Prints Markdown: of the right leaves, the
//! share that is not verified; of the wrong ones, the share that is caught (unsupported, contradicted or conflicting); with the
//! quotes and without. `--each` lists every leaf that went wrong, without its text.

use loopctl::diag::{Problems, Style, render_human};
use loopctl::plan::{DocumentContext, Given, Plan};
use loopctl::profile::{Library, load};
use loopctl::score::{Assessment, Quotes, Support};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Labelled {
    id: String,
    document: String,
    document_type: String,
    extraction: Value,
    #[serde(default)]
    evidence: Quotes,
    #[serde(default)]
    wrong: Vec<Wrong>,
}

#[derive(Deserialize)]
struct Wrong {
    path: String,
    value: Value,
    kind: String,
    quote: String,
}

/// How many there were, and how many came out as they should.
#[derive(Default, Clone, Copy)]
struct Count {
    all: usize,
    good: usize,
}

#[derive(Default)]
struct Measured {
    right: BTreeMap<&'static str, usize>,
    right_leaves: usize,
    wrong: BTreeMap<String, Count>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let (flags, names): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|one| one.starts_with("--"));
    let folder = names.first().ok_or("name a folder: `evidence_quality FOLDER [PROFILE] [--each]`")?;
    let profile = names.get(1).map_or("clinical", String::as_str);
    let each = flags.iter().any(|flag| flag == "--each");
    measure(Path::new(folder), profile, each, &mut std::io::stdout().lock())
}

/// Writes the tables of the labelled documents in `folder`, scored with `profile`; before them, if `each`, a line for each leaf
/// that went wrong.
pub(crate) fn measure(
    folder: &Path,
    profile: &str,
    each: bool,
    out: &mut dyn Write,
) -> Result<(), Box<dyn Error>> {
    let mut problems = Problems::new();
    let library = Library::new(vec![PathBuf::from(".")]);
    let plan = load(profile, &library, &[], &|name| std::env::var(name).ok(), &mut problems)
        .and_then(|loaded| Plan::compile(&loaded, &mut problems))
        .ok_or_else(|| render_human(&problems, Style::Plain))?;
    let reports = read(folder)?;
    if reports.is_empty() {
        return Err(format!("`{}` holds no labelled documents", folder.display()).into());
    }
    writeln!(out, "{} documents, profile `{profile}`\n", reports.len())?;
    for quoted in [true, false] {
        let mut measured = Measured::default();
        for (report, text) in &reports {
            let wrong = assess(&plan, report, text, quoted, &mut measured);
            if each {
                out.write_all(wrong.as_bytes())?;
            }
        }
        measured.write(if quoted { "with quotes" } else { "without quotes" }, out)?;
    }
    Ok(())
}

fn read(folder: &Path) -> Result<Vec<(Labelled, String)>, Box<dyn Error>> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.sort();
    let labelled = paths.iter().filter(|path| path.extension().is_some_and(|ending| ending == "json"));
    labelled
        .map(|path| {
            let report: Labelled = serde_json::from_slice(&std::fs::read(path)?)?;
            let text = std::fs::read_to_string(folder.join(&report.document))?;
            Ok((report, text))
        })
        .collect()
}

/// Counts one document. Answers a line for each leaf that went wrong.
fn assess(plan: &Plan, report: &Labelled, text: &str, quoted: bool, measured: &mut Measured) -> String {
    let mut lines = String::new();
    let context = DocumentContext::named(plan, &report.document_type, Some(text));
    let mut assessor = context.assessor();
    let mut out = Assessment::default();
    let none = Quotes::default();
    let quotes = if quoted { &report.evidence } else { &none };
    let given = Given { quotes: Some(quotes), ..Given::default() };
    context.assess_and_account(&mut assessor, &report.extraction, given, &mut out);
    for (path, leaf) in out.evidence.iter() {
        measured.right_leaves += 1;
        *measured.right.entry(leaf.support.as_str()).or_default() += 1;
        if leaf.support != Support::Verified {
            let value = report.extraction.pointer(path).map(Value::to_string).unwrap_or_default();
            let why =
                out.issues.iter().find(|issue| issue.path == path).map_or("", |issue| issue.message.as_str());
            lines += &format!(
                "right {} {path} = {value}: {} {why} | quote {:?}\n",
                report.id,
                leaf.support.as_str(),
                quotes.at(path)
            );
        }
    }
    for wrong in &report.wrong {
        let mut candidate = report.extraction.clone();
        if let Some(slot) = candidate.pointer_mut(&wrong.path) {
            *slot = wrong.value.clone();
        }
        let mut offered = Quotes::default();
        for (path, passages) in quotes.iter().filter(|(path, _)| *path != wrong.path) {
            passages.iter().for_each(|passage| offered.add(path, passage));
        }
        if quoted {
            offered.add(&wrong.path, &wrong.quote);
        }
        let given = Given { quotes: Some(&offered), ..Given::default() };
        context.assess_and_account(&mut assessor, &candidate, given, &mut out);
        let support = out.evidence.iter().find(|(path, _)| *path == wrong.path).map(|(_, leaf)| leaf.support);
        let caught =
            matches!(support, Some(Support::Unsupported | Support::Contradicted | Support::Conflicting));
        let count = measured.wrong.entry(wrong.kind.clone()).or_default();
        count.all += 1;
        count.good += usize::from(caught);
        if !caught {
            let support = support.map_or("not checked", Support::as_str);
            lines += &format!(
                "wrong {} {} {} = {}: {support} | {:?}\n",
                report.id,
                wrong.kind,
                wrong.path,
                wrong.value,
                offered.at(&wrong.path)
            );
        }
    }
    lines
}

impl Measured {
    fn write(&self, title: &str, out: &mut dyn Write) -> std::io::Result<()> {
        let verified = self.right.get("verified").copied().unwrap_or(0);
        writeln!(out, "## {title}\n\n| right leaves | count | share |\n| --- | --: | --: |")?;
        for (support, count) in &self.right {
            writeln!(out, "| {support} | {count} | {} |", share(*count, self.right_leaves))?;
        }
        writeln!(
            out,
            "| not `verified` | {} | {} |\n",
            self.right_leaves - verified,
            share(self.right_leaves - verified, self.right_leaves)
        )?;
        writeln!(out, "| wrong values | count | caught | share |\n| --- | --: | --: | --: |")?;
        let mut all = Count::default();
        for (kind, count) in &self.wrong {
            writeln!(out, "| {kind} | {} | {} | {} |", count.all, count.good, share(count.good, count.all))?;
            all = Count { all: all.all + count.all, good: all.good + count.good };
        }
        writeln!(out, "| all | {} | {} | {} |\n", all.all, all.good, share(all.good, all.all))
    }
}

fn share(part: usize, all: usize) -> String {
    #[expect(clippy::cast_precision_loss, reason = "counts of leaves are far below 2^52")]
    let share = if all == 0 { 0.0 } else { part as f64 / all as f64 * 100.0 };
    format!("{share:.1} %")
}
