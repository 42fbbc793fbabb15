//! The accuracy with which the profile `aas` tells valid Asset Administration Shells from invalid ones, measured on
//! conformance cases.
//!
//! ```text
//! cargo run --example aas_quality -- FOLDER [PROFILE]
//! ```
//!
//! `FOLDER` is laid out as `test_data/Json` of aas-core3.0-python (`docs/quality.md` says where to get it): a file
//! below `Expected` is valid; one below `Unexpected/STAGE/KIND` is invalid, and `KIND` says why. Other files of a
//! folder, and a folder that has neither, are counted under `-`. Each file is assessed as it is (`candidate: value`),
//! not as the document of an edit. Prints Markdown; no text of a document.

use loopctl::diag::{Problems, Style, render_human};
use loopctl::plan::{DocumentContext, Given, Plan};
use loopctl::profile::{Library, Override, load};
use loopctl::score::Assessment;
use loopctl::value::Disposition;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The findings in the files of one kind.
#[derive(Default)]
struct ModelKind {
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
    let context = DocumentContext::named(&plan, "unknown", None);
    let mut assessor = context.assessor();
    let mut kinds: BTreeMap<(String, String), ModelKind> = BTreeMap::new();
    let mut slowest = (Duration::ZERO, String::new());
    for path in documents(folder)? {
        let (verdict, violation) = verdict(path.strip_prefix(folder)?);
        let file = path.display().to_string();
        // Some publishers begin their files with a byte order mark.
        let text = std::fs::read_to_string(&path)?;
        let text = text.trim_start_matches('\u{feff}');
        let document: Value = serde_json::from_str(text).map_err(|error| format!("{file}: {error}"))?;
        let mut found = Assessment::default();
        let started = Instant::now();
        context.assess(&mut assessor, &document, Given::default(), &mut found);
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
    kinds: &BTreeMap<(String, String), ModelKind>,
    slowest: &(Duration, String),
    out: &mut impl Write,
) -> std::io::Result<()> {
    writeln!(out, "| verdict | violation | files | blocked | a person decides | codes (files) |")?;
    writeln!(out, "| --- | --- | ---: | ---: | ---: | --- |")?;
    for ((verdict, violation), kind) in kinds {
        let codes: Vec<String> = kind.codes.iter().map(|(code, files)| format!("{code} {files}")).collect();
        let ModelKind { files, blocked, escalated, .. } = kind;
        writeln!(
            out,
            "| {verdict} | {violation} | {files} | {blocked} | {escalated} | {} |",
            codes.join(", ")
        )?;
    }
    writeln!(out, "\nSlowest assessment: {:.0} ms (`{}`).", slowest.0.as_secs_f64() * 1e3, slowest.1)
}

/// All JSON files at or below a folder, sorted.
fn documents(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "json") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The verdict of the folders on a file, and why it is invalid.
fn verdict(file: &Path) -> (String, String) {
    let folders: Vec<_> = file.iter().map(|part| part.to_string_lossy()).collect();
    let after = |name: &str, steps: usize| {
        let at = folders.iter().position(|folder| folder == name)?;
        folders.get(at + steps).filter(|_| at + steps < folders.len() - 1)
    };
    match after("Unexpected", 2) {
        Some(kind) => ("invalid".to_owned(), kind.to_string()),
        None if folders.iter().any(|folder| folder == "Expected") => ("valid".to_owned(), String::new()),
        None => ("-".to_owned(), String::new()),
    }
}

fn plan(profile: &str) -> Result<Plan, Box<dyn Error>> {
    let mut problems = Problems::new();
    let as_value: Vec<Override> = Override::from_flag("candidate=value", &mut problems).into_iter().collect();
    let library = Library::new(vec![PathBuf::from(".")]);
    let plan = load(profile, &library, &as_value, &|name| std::env::var(name).ok(), &mut problems)
        .and_then(|loaded| Plan::compile(&loaded, &mut problems));
    plan.ok_or_else(|| render_human(&problems, Style::Plain).into())
}
