//! The agreement of the support of values with careful readers.
//!
//! ```text
//! cargo run --example evidence_quality -- SET… [--profile NAME] [--each] [--kinds] [--patterns]
//! cargo run --example evidence_quality -- SET… [--profile NAME] --ablate
//! ```
//!
//! A set is a folder or a file. A folder holds `X.json` beside documents: `{"document": "X.txt", "document_type": "pathology",
//! "extraction": {…}, "evidence": {"/grade": "a quote"}, "wrong": [{"path": "/grade", "value": "3", "kind": "polarity", "quote":
//! "…"}]}`. Every leaf of `extraction` is right; each entry of `wrong` replaces one leaf by a value that is not. A file has records of
//! `loopctl score` as JSON lines, with a `kind` and with `labels`: `{"/grade": "right"}` or `"wrong"`.
//!
//! Prints Markdown: of the right leaves, the share that is verified, and the share that is called unsupported or contradicted; of the
//! wrong ones, the share that is verified, with its exact interval at 95 %; with the quotes and without. `--each` lists every leaf that
//! went wrong, without its text, `--kinds` the wrong leaves by kind, and `--patterns` the counts by pattern of a passage, as
//! `crates/ground/words/patterns.txt` has them.
//!
//! `--ablate` prints instead what each part of the rules changes: it leaves out one vocabulary, group of words or list of sections after
//! the other, and gives the change of the numbers of right and of wrong leaves that are verified.

#[path = "evidence_quality/ablation.rs"]
mod ablation;

use loopctl::diag::{Problems, Style, render_human};
use loopctl::experiment::calibrate::exact_interval;
use loopctl::plan::{DocumentContext, Given, Plan};
use loopctl::profile::{Library, load};
use loopctl::score::{Assessment, LeafEvidence, Quotes, Support};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct LabelledDocument {
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

#[derive(Deserialize)]
struct DocumentRecord {
    id: String,
    kind: String,
    document_type: String,
    source: String,
    extraction: Value,
    #[serde(default)]
    evidence: Quotes,
    labels: BTreeMap<String, ExpectedLabel>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
enum ExpectedLabel {
    Right,
    Wrong,
}

/// A candidate of a document, and its leaves with their labels.
struct QualityCase {
    id: String,
    kind: String,
    document_type: String,
    text: String,
    extraction: Value,
    quotes: Quotes,
    labels: Vec<(String, ExpectedLabel)>,
}

/// Numbers of leaves, by label and support.
#[derive(Default)]
struct MeasuredQuality {
    supports: BTreeMap<(ExpectedLabel, Option<&'static str>), u64>,
    /// Of the wrong ones: all and verified, by kind.
    kinds: BTreeMap<String, (u64, u64)>,
    patterns: BTreeMap<String, (u64, u64)>,
    lines: String,
}

/// The ways in which a set is asked: whether its quotes are given.
const ASKED: [(bool, &str); 2] = [(true, "with quotes"), (false, "without quotes")];

fn main() -> Result<(), Box<dyn Error>> {
    let (mut flags, mut sets, mut profile) = (Vec::new(), Vec::new(), "clinical".to_owned());
    let mut given = std::env::args().skip(1);
    while let Some(one) = given.next() {
        match one.as_str() {
            "--profile" => profile = given.next().ok_or("name a profile behind `--profile`")?,
            flag if flag.starts_with("--") => flags.push(one),
            _ => sets.push(PathBuf::from(one)),
        }
    }
    if sets.is_empty() {
        return Err(
            "name a set: `evidence_quality SET… [--profile NAME] [--each] [--kinds] [--patterns] [--ablate]`"
                .into(),
        );
    }
    let shown: Vec<&str> = flags.iter().map(String::as_str).collect();
    if shown.contains(&"--ablate") {
        return ablation::ablate(&sets, &profile, &mut std::io::stdout().lock());
    }
    measure(&sets, &profile, &shown, &mut std::io::stdout().lock())
}

/// Writes the table of the labelled sets, scored with `profile`, and what the flags ask for.
pub(crate) fn measure(
    sets: &[PathBuf],
    profile: &str,
    flags: &[&str],
    out: &mut dyn Write,
) -> Result<(), Box<dyn Error>> {
    let plan = compiled(profile, &Library::new(vec![PathBuf::from(".")]))?;
    writeln!(
        out,
        "| set | asked | right | verified | unsupported or contradicted | wrong | verified |\n\
         | --- | --- | ---: | ---: | ---: | ---: | ---: |"
    )?;
    let mut after = MeasuredQuality::default();
    for set in sets {
        let cases = cases_of(set)?;
        let has_quotes = cases.iter().any(|case| case.quotes.iter().next().is_some());
        for (mut measured, (quoted, asked)) in assessed(&plan, &cases).into_iter().zip(ASKED) {
            if quoted && !has_quotes {
                continue;
            }
            let name = set.file_name().unwrap_or_default().to_string_lossy();
            measured.row(&name, asked, out)?;
            // A leaf with a quote and without is one leaf.
            if quoted {
                (measured.patterns, measured.supports) = (BTreeMap::new(), BTreeMap::new());
            }
            after.add(measured);
        }
    }
    if flags.contains(&"--each") {
        write!(out, "\n{}", after.lines)?;
    }
    if flags.contains(&"--kinds") {
        writeln!(out, "\n| wrong values | count | verified |\n| --- | ---: | ---: |")?;
        for (kind, (all, verified)) in &after.kinds {
            writeln!(out, "| {kind} | {all} | {} |", share(*verified, *all))?;
        }
    }
    if flags.contains(&"--patterns") {
        let of = |label| {
            after.supports.iter().filter(|((own, _), _)| *own == label).map(|(_, count)| count).sum::<u64>()
        };
        writeln!(out, "\nlabelled {} {}", of(ExpectedLabel::Right), of(ExpectedLabel::Wrong))?;
        for (pattern, (right, wrong)) in &after.patterns {
            writeln!(out, "{pattern} {right} {wrong}")?;
        }
    }
    Ok(())
}

/// The plan of a profile.
fn compiled(profile: &str, library: &Library) -> Result<Plan, Box<dyn Error>> {
    let mut problems = Problems::new();
    let plan = load(profile, library, &[], &|name| std::env::var(name).ok(), &mut problems)
        .and_then(|loaded| Plan::compile(&loaded, &mut problems));
    Ok(plan.ok_or_else(|| render_human(&problems, Style::Plain))?)
}

/// The numbers of a set, asked in each way.
fn assessed(plan: &Plan, cases: &[QualityCase]) -> [MeasuredQuality; 2] {
    let mut measured = ASKED.map(|_| MeasuredQuality::default());
    for same in cases.chunk_by(|one, next| one.document_type == next.document_type && one.text == next.text) {
        let Some(QualityCase { document_type, text, .. }) = same.first() else { continue };
        // A document is read once.
        let context = DocumentContext::named(plan, document_type, Some(text));
        for (measured, (quoted, _)) in measured.iter_mut().zip(ASKED) {
            same.iter().for_each(|case| measured.assess(&context, case, quoted));
        }
    }
    measured
}

/// The cases of a set.
fn cases_of(set: &Path) -> Result<Vec<QualityCase>, Box<dyn Error>> {
    let cases = if set.is_dir() { reports(set)? } else { records(set)? };
    if cases.is_empty() {
        return Err(format!("`{}` holds no labelled documents", set.display()).into());
    }
    Ok(cases)
}

/// The cases of a folder of reports: the right values, and one for each wrong one.
fn reports(folder: &Path) -> Result<Vec<QualityCase>, Box<dyn Error>> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.sort();
    let mut cases = Vec::new();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|ending| ending == "json")) {
        let report: LabelledDocument = serde_json::from_slice(&std::fs::read(path)?)?;
        let text = std::fs::read_to_string(folder.join(&report.document))?;
        let case = |extraction: Value, quotes: Quotes, kind: &str, labels| QualityCase {
            id: report.id.clone(),
            kind: kind.to_owned(),
            document_type: report.document_type.clone(),
            text: text.clone(),
            extraction,
            quotes,
            labels,
        };
        for wrong in &report.wrong {
            let mut extraction = report.extraction.clone();
            if let Some(slot) = extraction.pointer_mut(&wrong.path) {
                *slot = wrong.value.clone();
            }
            let mut quotes = Quotes::default();
            for (path, passages) in report.evidence.iter().filter(|(path, _)| *path != wrong.path) {
                passages.iter().for_each(|passage| quotes.add(path, passage));
            }
            quotes.add(&wrong.path, &wrong.quote);
            cases.push(case(
                extraction,
                quotes,
                &wrong.kind,
                vec![(wrong.path.clone(), ExpectedLabel::Wrong)],
            ));
        }
        let right = leaves(&report.extraction).into_iter().map(|path| (path, ExpectedLabel::Right)).collect();
        cases.push(case(report.extraction.clone(), report.evidence.clone(), "", right));
    }
    Ok(cases)
}

/// The paths of the texts, numbers and truth values of a value.
fn leaves(value: &Value) -> Vec<String> {
    let below = |key: String, value: &Value| {
        let key = key.replace('~', "~0").replace('/', "~1");
        leaves(value).into_iter().map(move |path| format!("/{key}{path}")).collect::<Vec<_>>()
    };
    match value {
        Value::Null => Vec::new(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => vec![String::new()],
        Value::Array(items) => {
            items.iter().enumerate().flat_map(|(index, item)| below(index.to_string(), item)).collect()
        }
        Value::Object(members) => members.iter().flat_map(|(key, value)| below(key.clone(), value)).collect(),
    }
}

fn records(file: &Path) -> Result<Vec<QualityCase>, Box<dyn Error>> {
    let text = std::fs::read_to_string(file)?;
    let read = |line: &str| -> Result<QualityCase, Box<dyn Error>> {
        let DocumentRecord { id, kind, document_type, source, extraction, evidence, labels } =
            serde_json::from_str(line)?;
        let labels = labels.into_iter().collect();
        Ok(QualityCase { id, kind, document_type, text: source, extraction, quotes: evidence, labels })
    };
    text.lines().map(read).collect()
}

impl MeasuredQuality {
    fn assess(&mut self, context: &DocumentContext, case: &QualityCase, quoted: bool) {
        let mut assessor = context.assessor();
        let mut out = Assessment::default();
        let none = Quotes::default();
        let quotes = if quoted { &case.quotes } else { &none };
        context.assess_and_account(
            &mut assessor,
            &case.extraction,
            Given { quotes: Some(quotes), ..Given::default() },
            &mut out,
        );
        let evidence: HashMap<&str, LeafEvidence<'_>> = out.evidence.iter().collect();
        for (path, label) in &case.labels {
            let leaf = evidence.get(path.as_str());
            let support = leaf.map(|leaf| leaf.support);
            *self.supports.entry((*label, support.map(Support::as_str))).or_default() += 1;
            let is_verified = support == Some(Support::Verified);
            if *label == ExpectedLabel::Wrong {
                let (all, verified) = self.kinds.entry(case.kind.clone()).or_default();
                *all += 1;
                *verified += u64::from(is_verified);
            }
            // That of a contradicted value is of the passage that says otherwise.
            let holds =
                |leaf: &&LeafEvidence<'_>| matches!(leaf.support, Support::Verified | Support::Undecided);
            if let Some(pattern) = leaf.filter(holds).and_then(|leaf| leaf.pattern) {
                let (right, wrong) = self.patterns.entry(pattern.to_string()).or_default();
                *(if *label == ExpectedLabel::Right { right } else { wrong }) += 1;
            }
            if is_verified != (*label == ExpectedLabel::Right) {
                let issue = out.issues.iter().find(|issue| issue.path == *path);
                self.lines += &format!(
                    "{} {} {path} = {}: {}, {}\n",
                    if *label == ExpectedLabel::Right { "right" } else { "wrong" },
                    case.id,
                    case.extraction.pointer(path).map(Value::to_string).unwrap_or_default(),
                    support.map_or("not checked", Support::as_str),
                    issue.map_or("", |issue| issue.message.as_str()),
                );
            }
        }
    }

    fn add(&mut self, other: MeasuredQuality) {
        for (key, count) in other.supports {
            *self.supports.entry(key).or_default() += count;
        }
        for (kind, (all, verified)) in other.kinds {
            let known = self.kinds.entry(kind).or_default();
            *known = (known.0 + all, known.1 + verified);
        }
        for (pattern, (right, wrong)) in other.patterns {
            let known = self.patterns.entry(pattern).or_default();
            *known = (known.0 + right, known.1 + wrong);
        }
        self.lines += &other.lines;
    }

    /// The leaves with a label that have one of these supports, or any.
    fn count(&self, label: ExpectedLabel, supports: &[&str]) -> u64 {
        let of = self.supports.iter().filter(|((own, support), _)| {
            *own == label
                && (supports.is_empty() || support.is_some_and(|support| supports.contains(&support)))
        });
        of.map(|(_, count)| count).sum()
    }

    fn row(&self, set: &str, asked: &str, out: &mut dyn Write) -> std::io::Result<()> {
        let count = |label, supports: &[&str]| self.count(label, supports);
        let (right, wrong) = (count(ExpectedLabel::Right, &[]), count(ExpectedLabel::Wrong, &[]));
        let verified = count(ExpectedLabel::Wrong, &["verified"]);
        let (low, high) = exact_interval(verified, wrong, 0.95);
        writeln!(
            out,
            "| {set} | {asked} | {right} | {} | {} | {wrong} | {} ({:.1}–{:.1}) |",
            share(count(ExpectedLabel::Right, &["verified"]), right),
            share(count(ExpectedLabel::Right, &["unsupported", "contradicted"]), right),
            share(verified, wrong),
            low * 100.0,
            high * 100.0
        )
    }
}

fn share(part: u64, all: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "counts of leaves are far below 2^52")]
    let share = if all == 0 { 0.0 } else { part as f64 / all as f64 * 100.0 };
    format!("{share:.1} %")
}
