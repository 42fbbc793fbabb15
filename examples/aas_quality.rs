//! How well the profile `aas` tells valid Asset Administration Shells from invalid ones, measured on conformance cases.
//!
//! ```text
//! cargo run --example aas_quality -- FOLDER [PROFILE]
//! ```
//!
//! `FOLDER` holds `expected.tsv` with the columns `file`, `verdict` (`valid` or `invalid`) and `violation_kind`, and, if
//! there is one, `templates.tsv` with the column `file`. Each file is assessed as it stands (`candidate: value`), not as the
//! document of an edit. Prints Markdown; no text of a document.

use loopctl::diag::{Problems, Style, render_human};
use loopctl::profile::{Library, Override, load};
use loopctl::run::Plan;
use loopctl::score::{Assessment, Assessor};
use loopctl::value::Disposition;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What was found in the files of one kind.
#[derive(Default)]
struct Kind {
    files: usize,
    blocked: usize,
    escalated: usize,
    codes: BTreeMap<String, usize>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let folder =
        arguments.next().map(PathBuf::from).ok_or("name a folder: `aas_quality FOLDER [PROFILE]`")?;
    let profile = arguments.next().map_or_else(|| "aas".into(), |name| name.to_string_lossy().into_owned());
    measure(&folder, &profile, &mut std::io::stdout().lock())
}

/// Writes the table of what is found in the files of a folder.
pub(crate) fn measure(folder: &Path, profile: &str, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let plan = plan(profile)?;
    let mut assessor = Assessor::new(plan.scoring.clone());
    let mut kinds: BTreeMap<(String, String), Kind> = BTreeMap::new();
    let mut slowest = (Duration::ZERO, String::new());
    for (file, verdict, violation) in cases(folder)? {
        let text = std::fs::read_to_string(folder.join(&file))?;
        let document: Value = serde_json::from_str(&text)?;
        let mut found = Assessment::default();
        let started = Instant::now();
        assessor.assess("unknown", &document, None, &[], &mut found);
        slowest = slowest.max((started.elapsed(), file));
        let kind = kinds.entry((verdict, violation)).or_default();
        kind.files += 1;
        let blocks = found.issues.iter().filter(|issue| issue.disposition != Disposition::Warn);
        let codes: BTreeSet<&str> = blocks.map(|issue| issue.code.as_str()).collect();
        kind.blocked += usize::from(!codes.is_empty());
        kind.escalated += usize::from(found.count_disposition(Disposition::Escalate) > 0);
        for code in codes {
            *kind.codes.entry(code.to_owned()).or_default() += 1;
        }
    }
    report(&kinds, &slowest, out)?;
    Ok(())
}

fn report(
    kinds: &BTreeMap<(String, String), Kind>,
    slowest: &(Duration, String),
    out: &mut impl Write,
) -> std::io::Result<()> {
    writeln!(out, "| verdict | violation | files | blocked | a person decides | codes (files) |")?;
    writeln!(out, "| --- | --- | ---: | ---: | ---: | --- |")?;
    for ((verdict, violation), kind) in kinds {
        let codes: Vec<String> = kind.codes.iter().map(|(code, files)| format!("{code} {files}")).collect();
        let Kind { files, blocked, escalated, .. } = kind;
        writeln!(
            out,
            "| {verdict} | {violation} | {files} | {blocked} | {escalated} | {} |",
            codes.join(", ")
        )?;
    }
    writeln!(out, "\nSlowest assessment: {:.0} ms (`{}`).", slowest.0.as_secs_f64() * 1e3, slowest.1)
}

/// File, verdict and violation.
type Case = (String, String, String);

fn cases(folder: &Path) -> Result<Vec<Case>, Box<dyn Error>> {
    let mut cases = Vec::new();
    for row in rows(&folder.join("expected.tsv"))? {
        let cell = |name: &str| row.get(name).cloned().unwrap_or_default();
        cases.push((cell("file"), cell("verdict"), cell("violation_kind")));
    }
    let templates = folder.join("templates.tsv");
    if templates.exists() {
        for row in rows(&templates)? {
            cases.push((row.get("file").cloned().unwrap_or_default(), "template".to_owned(), String::new()));
        }
    }
    Ok(cases)
}

fn rows(path: &Path) -> Result<Vec<BTreeMap<String, String>>, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let row = |line: &str| {
        head.iter().zip(line.split('\t')).map(|(name, cell)| ((*name).to_owned(), cell.to_owned())).collect()
    };
    Ok(lines.map(row).collect())
}

fn plan(profile: &str) -> Result<Plan, Box<dyn Error>> {
    let mut problems = Problems::new();
    let as_value: Vec<Override> = Override::from_flag("candidate=value", &mut problems).into_iter().collect();
    let library = Library::new(vec![PathBuf::from(".")]);
    let plan = load(profile, &library, &as_value, &|name| std::env::var(name).ok(), &mut problems)
        .and_then(|loaded| Plan::compile(&loaded, &mut problems));
    plan.ok_or_else(|| render_human(&problems, Style::Plain).into())
}
