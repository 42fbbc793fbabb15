//! How good a profile's extractions are, measured on labelled documents.
//!
//! ```text
//! cargo run --example extraction_quality -- FOLDER [PROFILE]
//! ```
//!
//! `FOLDER` (or `LOOPCTL_DATA`) is searched for `X.labels.json` beside documents, at any depth:
//! `{"document": "X.txt", "doc_type": "pathology_report", "labels": {…}}`. The loop runs without a model, with the
//! provider `pattern`. Classification is measured apart: the loop is told the true type, so that a document treated as
//! another kind doesn't blur how well its fields are found. Prints Markdown; no text of a document.

use loopctl::diag::{Problems, Style, render_human};
use loopctl::engine::Event;
use loopctl::ingest::{Input, InputError, Origin};
use loopctl::plan::Plan;
use loopctl::profile::{Library, load};
use loopctl::provider::{PluginPaths, Providers};
use loopctl::result::DocumentResult;
use loopctl::run::{Candidates, FallbackChain, Observer, RunStore, Session};
use loopctl::store::{Journal, RunRecord};
use loopctl::value::{DocumentId, Millis, is_present};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::watch;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let folder = arguments
        .next()
        .or_else(|| std::env::var_os("LOOPCTL_DATA"))
        .map(PathBuf::from)
        .ok_or("name a folder with labelled documents: `extraction_quality FOLDER [PROFILE]`")?;
    let profile =
        arguments.next().map_or_else(|| "clinical".into(), |name| name.to_string_lossy().into_owned());

    let plan = plan(&profile)?;
    let mut labelled = Vec::new();
    find_labels(&folder, &mut labelled)?;
    labelled.sort();
    if labelled.is_empty() {
        return Err(format!("there is no `*.labels.json` in `{}`", folder.display()).into());
    }
    let report = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(measure(Arc::new(plan), &labelled))?;
    report.write(&mut std::io::stdout().lock(), &profile)?;
    Ok(())
}

fn plan(profile: &str) -> Result<Plan, Box<dyn Error>> {
    let mut problems = Problems::new();
    let library = Library::new(vec![PathBuf::from(".")]);
    let plan = load(profile, &library, &[], &|name| std::env::var(name).ok(), &mut problems)
        .and_then(|loaded| Plan::compile(&loaded, &mut problems));
    plan.ok_or_else(|| render_human(&problems, Style::Plain).into())
}

fn find_labels(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find_labels(&path, found)?;
        } else if path.to_string_lossy().ends_with(".labels.json") {
            found.push(path);
        }
    }
    Ok(())
}

/// The document type that a label's kind of document should get; `None` where the profiles have none for it (an
/// autopsy, a letter about laboratory results).
fn expected_type(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "pathology_report" => "pathology",
        "radiology_report" => "radiology",
        "lab_report" => "lab-report",
        "discharge_summary" => "discharge-summary",
        "operative_report" => "surgical-notes",
        _ if kind.starts_with("genomics_") || kind == "variant_call_file" => "genomics",
        _ if kind.starts_with("medication_") => "prescription",
        "clinical_note"
        | "consultation_note"
        | "emergency_note"
        | "history_and_physical"
        | "outpatient_visit_note"
        | "progress_note"
        | "psychiatric_note" => "clinical-notes",
        _ => return None,
    })
}

async fn measure(plan: Arc<Plan>, labelled: &[PathBuf]) -> Result<Report, Box<dyn Error>> {
    let stage = plan.profile.stages.first().ok_or("the profile has no stage")?;
    let providers = Providers::new(PluginPaths::from_env()).with_linked(loopctl_pattern::LOOPCTL_PLUGIN)?;
    let asked = stage.call.providers.first().ok_or("the stage has no provider")?;
    let provider = providers.open(&asked.name.value, &asked.config)?;
    let journal = Journal::in_memory()?;
    let run = journal.begin_run(&RunRecord {
        started_at: jiff::Timestamp::now().to_string(),
        profile: plan.profile.name.clone(),
        profile_digest: plan.profile.digest.clone(),
        loopctl_version: env!("CARGO_PKG_VERSION").to_owned(),
        plugins: json!([provider.identity()]),
        settings: json!({}),
    })?;
    let place = RunStore { journal: Arc::new(journal), run, artifacts: None };
    let chain = FallbackChain::new(vec![provider], stage.retries);
    let (_keep, cancelled) = watch::channel(false);
    let session =
        Session::new(Arc::clone(&plan), Candidates::Providers(vec![chain]), Vec::new(), place, cancelled);

    let mut report = Report::default();
    for path in labelled {
        let labels: Value = serde_json::from_slice(&std::fs::read(path)?)?;
        let text = |key: &str| labels.get(key).and_then(Value::as_str).unwrap_or_default();
        let Some(expected) = expected_type(text("doc_type")) else {
            report.without_type += 1;
            continue;
        };
        let file = path.with_file_name(text("document"));
        let id = DocumentId::new(path.to_string_lossy());
        let document = match Input::new(id, Origin::File(file)).read() {
            Ok(document) => document,
            Err(_) => {
                report.unreadable += 1;
                continue;
            }
        };
        let Ok(source) = &document.text else {
            report.unreadable += 1;
            continue;
        };
        let classified = plan.classifier.as_ref().map(|c| c.classify(source.as_str()).document_type);
        let result = session.run(&document, Some(expected), None, &mut Silent).await?;
        let counts = report.types.entry(expected).or_default();
        if counts.fields.is_empty() {
            let fields = plan.scoring.rules().program(expected).rubric_fields();
            counts.fields = fields.map(|f| (f.name.to_string(), 0)).collect();
        }
        counts.add(
            classified.as_deref() == Some(expected),
            classified.as_deref() == Some("unknown"),
            &result,
        );
        let extraction = result.best_extraction.as_deref().unwrap_or(&Value::Null);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if let Some(corpus) = name.split('_').next() {
            compare(corpus, expected, labels.get("labels").unwrap_or(&Value::Null), extraction, &mut report);
        }
    }
    Ok(report)
}

struct Silent;

impl Observer for Silent {
    fn started(&mut self, _: &DocumentId, _: &str) {}
    fn event(&mut self, _: &DocumentId, _: Millis, _: &Event) {}
    fn finished(&mut self, _: &DocumentResult) {}
    fn unusable(&mut self, _: &InputError) {}
}

#[derive(Default)]
struct Report {
    types: BTreeMap<&'static str, Counts>,
    agreement: BTreeMap<&'static str, Agreement>,
    without_type: usize,
    unreadable: usize,
}

#[derive(Default)]
struct Counts {
    documents: usize,
    classified: usize,
    unknown: usize,
    fields: Vec<(String, usize)>,
    first: f64,
    last: f64,
    grounded: usize,
    ungrounded: usize,
    statuses: BTreeMap<String, usize>,
}

impl Counts {
    fn add(&mut self, classified: bool, unknown: bool, result: &DocumentResult) {
        self.documents += 1;
        self.classified += usize::from(classified);
        self.unknown += usize::from(unknown);
        for (field, found) in &mut self.fields {
            let value = result.best_extraction.as_ref().and_then(|e| e.get(field.as_str()));
            *found += usize::from(value.is_some_and(is_present));
        }
        self.first += result.improvement_trajectory.first().copied().unwrap_or_default();
        self.last += result.best_validation.as_ref().map_or(0.0, |v| v.overall);
        if let Some(validation) = &result.best_validation {
            self.grounded += validation.evidence.iter().filter(|(path, _)| *path != "/rawText").count();
            self.ungrounded += validation.issues.iter().filter(|i| i.code == "UNGROUNDED_VALUE").count();
        }
        *self.statuses.entry(result.final_status.as_str().to_owned()).or_default() += 1;
    }
}

/// What labels and extractions have in common.
#[derive(Default)]
struct Agreement {
    labelled: usize,
    extracted: usize,
    agreeing: usize,
}

impl Agreement {
    fn count(&mut self, extracted: bool, agrees: bool) {
        self.labelled += 1;
        self.extracted += usize::from(extracted);
        self.agreeing += usize::from(agrees);
    }
}

const CANCER_WORD: &str = "pathology, tcga: a tumor word of the cancer's name is in `histology`";
const HISTOLOGY: &str = "pathology, pra: `histology` and the other model's type share their first words";
const GRADE: &str = "pathology, pra: `grade` equals the other model's";
const RESULTS: &str = "lab-report, ccda: a coded result is among the values of `labValues`";
const GENES: &str = "genomics, cats, phenopacket and somatic: a labelled gene is in `mutations`";

fn compare(corpus: &str, document_type: &str, labels: &Value, extraction: &Value, report: &mut Report) {
    let field = |name: &str| extraction.get(name).map(flat).unwrap_or_default();
    match (corpus, document_type) {
        ("tcga", _) => {
            let cancer = labels.get("cancer_type_name").map(flat).unwrap_or_default();
            // Names without such a word ("Brain Lower Grade Glioma" has one, "Thymoma" is one) can't be compared.
            let words: Vec<&str> =
                cancer.split(|c: char| !c.is_alphanumeric()).filter(|w| w.ends_with("oma")).collect();
            if !words.is_empty() {
                let histology = field("histology");
                let agrees = words.iter().any(|word| histology.contains(word));
                report.agreement.entry(CANCER_WORD).or_default().count(!histology.is_empty(), agrees);
            }
        }
        ("pra", _) => {
            let of =
                |name: &str| labels.pointer(&format!("/extracted_data/{name}")).map(flat).unwrap_or_default();
            for (key, label, own) in [
                (HISTOLOGY, of("histologic_type"), field("histology")),
                (GRADE, of("histologic_grade"), field("grade")),
            ] {
                if !label.is_empty() {
                    let first = |text: &str| text.split_whitespace().next().unwrap_or_default().to_owned();
                    let agrees = if key == GRADE { label == own } else { first(&label) == first(&own) };
                    report.agreement.entry(key).or_default().count(!own.is_empty(), agrees);
                }
            }
        }
        ("ccda", "lab-report") => {
            let own: Vec<String> = values_at(extraction.get("labValues"), "value");
            for result in labels.get("results").and_then(Value::as_array).into_iter().flatten() {
                let value = result.pointer("/value/value").or_else(|| result.pointer("/value/text"));
                if let Some(value) = value.map(flat).filter(|value| !value.is_empty()) {
                    let agrees = own.contains(&value);
                    report.agreement.entry(RESULTS).or_default().count(!own.is_empty(), agrees);
                }
            }
        }
        ("cats" | "phenopacket" | "somatic", _) => {
            let mutations = field("mutations");
            let mut genes = Vec::new();
            collect("gene", labels, &mut genes);
            genes.sort();
            genes.dedup();
            for gene in genes {
                let agrees =
                    mutations.split(|c: char| !c.is_alphanumeric() && c != '-').any(|word| word == gene);
                report.agreement.entry(GENES).or_default().count(!mutations.is_empty(), agrees);
            }
        }
        _ => {}
    }
}

/// All text in a value, in small letters.
fn flat(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_lowercase(),
        Value::Array(items) => items.iter().map(flat).collect::<Vec<_>>().join(" "),
        Value::Object(members) => members.values().map(flat).collect::<Vec<_>>().join(" "),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn values_at(list: Option<&Value>, key: &str) -> Vec<String> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(|item| item.get(key)).map(flat).collect()
}

/// Every text under `key`, at any depth.
fn collect(key: &str, value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(key, item, found)),
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(text) if name == key => found.push(text.to_lowercase()),
                    Value::Array(items) if name == key => found.extend(items.iter().map(flat)),
                    other => collect(key, other, found),
                }
            }
        }
        _ => {}
    }
}

impl Report {
    fn write(&self, out: &mut impl Write, profile: &str) -> std::io::Result<()> {
        writeln!(out, "Profile `{profile}`, provider `pattern`, no model.\n")?;
        writeln!(
            out,
            "| type | documents | classified right | `unknown` | overall, first → returned | values grounded | statuses |"
        )?;
        writeln!(out, "| --- | ---: | ---: | ---: | --- | ---: | --- |")?;
        for (name, counts) in &self.types {
            let documents = counts.documents.max(1) as f64;
            let checked = counts.grounded + counts.ungrounded;
            let statuses: Vec<String> = counts.statuses.iter().map(|(s, n)| format!("{s} {n}")).collect();
            writeln!(
                out,
                "| {name} | {} | {} | {} | {:.3} → {:.3} | {} of {checked} | {} |",
                counts.documents,
                counts.classified,
                counts.unknown,
                counts.first / documents,
                counts.last / documents,
                counts.grounded,
                statuses.join(", ")
            )?;
        }
        writeln!(out, "\n| type | fields found (share of documents) |\n| --- | --- |")?;
        for (name, counts) in &self.types {
            let share = |found: usize| 100.0 * found as f64 / counts.documents.max(1) as f64;
            let fields: Vec<String> = counts
                .fields
                .iter()
                .map(|(field, found)| format!("{field} {:.0} %", share(*found)))
                .collect();
            writeln!(out, "| {name} | {} |", fields.join(", "))?;
        }
        writeln!(
            out,
            "\n| compared with labels | labels | field extracted | agree |\n| --- | ---: | ---: | ---: |"
        )?;
        for (what, agreement) in &self.agreement {
            writeln!(
                out,
                "| {what} | {} | {} | {} |",
                agreement.labelled, agreement.extracted, agreement.agreeing
            )?;
        }
        writeln!(
            out,
            "\nLeft out: {} documents of kinds that no type is for, {} that can't be read.",
            self.without_type, self.unreadable
        )
    }
}
