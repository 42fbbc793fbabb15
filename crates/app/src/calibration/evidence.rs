//! `loopctl calibrate --evidence`: how often passages of each pattern were right, from the decisions of reviewers.

use super::certificate_files::write_kept;
use crate::context::Context;
use crate::diag::{Problems, SourceFile};
use crate::disk;
use crate::experiment::calibrate::EvidenceCalibration;
use crate::failure::Failure;
use crate::journals::{JournalSpec, decisions_by_document, find_run};
use crate::plan::{DocumentContext, Given, Plan};
use crate::profile::{Grounding, Measure};
use crate::result::DocumentResult;
use crate::review::{DeclaredFields, LeafLabels, ReviewDocument, pattern_of};
use crate::rules::{EvidenceCounts, UNKNOWN_TYPE};
use crate::score::{Assessment, LeafEvidence};
use crate::scoring::{ScoreRecord, without_mark};
use crate::store::Journal;
use crate::value::{ShownPath, sanitize_line};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest file of records, in bytes.
const MOST_BYTES: u64 = 256 << 20;

/// A request to count how often passages of each pattern were right.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceRequest {
    /// The run whose decisions count.
    pub run: Option<String>,
    /// Its journal.
    pub journal: JournalSpec,
    /// Files of labelled records.
    pub records: Vec<PathBuf>,
    /// The file for the table.
    pub out: Option<PathBuf>,
    /// `true` if the counts are used without the shipped ones.
    pub alone: bool,
}

/// The counts, explained.
#[derive(Debug)]
pub struct EvidenceAnswer {
    /// The findings from the counts.
    pub calibration: EvidenceCalibration,
    /// The number of values accepted with their documents as they were: no one says that they were looked at.
    pub unseen: u64,
    /// The number of values about which reviewers differ, or whose list has got other items.
    pub unclear: u64,
    /// The file of the table that was written.
    pub table: Option<PathBuf>,
}

/// Counts by a compiled profile, and writes the table if that is asked for.
pub(super) fn calibrate_evidence(
    plan: &Plan,
    asked: &EvidenceRequest,
    context: &Context,
) -> Result<EvidenceAnswer, Failure> {
    let Some(grounding) = grounding_of(plan) else {
        return Err(Failure::usage(format!(
            "the profile `{}` holds no value against its document",
            plan.profile.name
        ))
        .help("name one with a measure of grounding, such as `--profile clinical`"));
    };
    if let Some(out) = &asked.out {
        check_place(out, &asked.records)?;
    }
    let mut found = LeafLabels::default();
    let mut from: Vec<String> = Vec::new();
    if let Some(id) = &asked.run {
        from.push(of_run(plan, id, &asked.journal.open(context)?, &mut found)?);
    }
    for file in &asked.records {
        of_records(plan, file, &mut found)?;
        from.push(format!("the records `{}`", sanitize_line(&file.shown())));
    }
    if from.is_empty() {
        return Err(Failure::usage("no decisions are named").help(
            "name the run that was reviewed with `--run RUN`, or files of labelled records: lines of `loopctl score` with `labels`",
        ));
    }
    if found.labels.labelled.all() == 0 {
        return Err(nothing(&found));
    }
    let (trust, mistakes) = (grounding.trust.get(), grounding.mistakes.get());
    let table = EvidenceCounts::of(&found.labels, !asked.alone);
    let calibration = EvidenceCalibration::of(&found.labels, &table.trust(mistakes), (trust, mistakes));
    if let Some(out) = &asked.out {
        write(&table, &from, out)?;
    }
    let table = asked.out.clone();
    Ok(EvidenceAnswer { calibration, unseen: found.unseen, unclear: found.unclear, table })
}

/// The profile's first measure of grounding.
fn grounding_of(plan: &Plan) -> Option<&Grounding> {
    let mut parts = plan.profile.dimensions.iter().flat_map(|dimension| dimension.measure.parts());
    parts.find_map(|part| match part {
        Measure::Grounding(grounding) => Some(grounding),
        Measure::Rubric { .. }
        | Measure::Schema { .. }
        | Measure::Rules { .. }
        | Measure::Script { .. }
        | Measure::Ensemble { .. }
        | Measure::Given => None,
    })
}

fn nothing(found: &LeafLabels) -> Failure {
    if found.unseen > 0 {
        return Failure::broken(format!(
            "no one says of a value that it was looked at: {} were accepted with their documents as they were",
            found.unseen
        ))
        .help("decide about single fields (`loopctl review`): what was looked at is a label");
    }
    Failure::broken("nothing is decided about any value that was held against its document").help(
        "`loopctl review export --to worksheet.csv` writes a worksheet to fill in, and `loopctl review import` keeps it",
    )
}

/// Counts the reviewers' decisions about the documents of a run.
fn of_run(plan: &Plan, id: &str, journal: &Journal, found: &mut LeafLabels) -> Result<String, Failure> {
    let run = find_run(journal, id)?;
    let mut decisions = decisions_by_document(journal, &run.id)?;
    journal.each_document(&run.id, |stored, outcome| {
        let Some(decided) = decisions.remove(stored.record.id.as_str()) else { return };
        let result = outcome.and_then(|outcome| DocumentResult::deserialize(outcome).ok());
        let Some(result) = result else { return };
        let declared = Arc::new(DeclaredFields::of(plan, &result.document_type));
        found.add(&ReviewDocument::new(result, &stored.record.source_digest, declared, decided));
    })?;
    Ok(format!("what reviewers decided about run {}", run.id))
}

/// Counts labelled records: lines of `loopctl score` with `labels`.
fn of_records(plan: &Plan, file: &Path, found: &mut LeafLabels) -> Result<(), Failure> {
    let bytes = disk::read_input(file, MOST_BYTES)
        .map_err(|error| Failure::broken(format!("can't read `{}`: {error}", file.shown())))?;
    for (number, line) in (1_u64..).zip(without_mark(&bytes).split(|byte| *byte == b'\n')) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        count_record(plan, line, found).map_err(|why| {
            Failure::broken(format!("{}:{number}: {why}", file.shown())).help(
                "a labelled record is a line of `loopctl score` with `labels`: `{\"id\": …, \"source\": …, \"extraction\": {…}, \"labels\": {\"/grade\": \"right\", \"/margins\": \"wrong\"}}`",
            )
        })?;
    }
    Ok(())
}

fn count_record(plan: &Plan, line: &[u8], found: &mut LeafLabels) -> Result<(), String> {
    let record = ScoreRecord::parse(line)?;
    let labels = record.labels()?;
    let source = record.source.as_deref().ok_or("the record lacks `source`, the text of the document")?;
    let extraction: Value =
        serde_json::from_str(record.extraction).map_err(|_| "expected JSON under `extraction`".to_owned())?;
    let document_type = record.document_type.as_deref().unwrap_or(UNKNOWN_TYPE);
    let context = DocumentContext::named(plan, document_type, Some(source));
    let mut assessment = Assessment::default();
    let given = Given { quotes: Some(&record.quotes), ..Given::default() };
    context.assess(&mut context.assessor(), &extraction, given, &mut assessment);
    let evidence: BTreeMap<&str, LeafEvidence<'_>> = assessment.evidence.iter().collect();
    for (path, is_right) in labels {
        if extraction.pointer(&path).is_none() {
            return Err(format!("`labels` has `{path}`, and the extraction has no value there"));
        }
        found.labels.count(evidence.get(path.as_str()).and_then(pattern_of), is_right);
    }
    Ok(())
}

/// Refuses to overwrite a file that is read, or any other file that is not a table of patterns.
fn check_place(out: &Path, records: &[PathBuf]) -> Result<(), Failure> {
    let Ok(place) = out.canonicalize() else { return Ok(()) };
    let refused = |why: &str| {
        Err(Failure::usage(format!("`--out` would overwrite `{}`, {why}", out.shown()))
            .help("name a file of its own for the table, such as `rules/evidence.yaml`"))
    };
    if records.iter().any(|file| file.canonicalize().is_ok_and(|file| file == place)) {
        return refused("which is read here");
    }
    let text = disk::read_input(&place, MOST_BYTES).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let is_table = text.is_some_and(|text| {
        let mut problems = Problems::new();
        let name = out.shown().to_string();
        EvidenceCounts::parse(&SourceFile::new(name, text), &mut problems).is_some() && !problems.has_errors()
    });
    if is_table { Ok(()) } else { refused("which is not a table of patterns") }
}

fn write(table: &EvidenceCounts, from: &[String], out: &Path) -> Result<(), Failure> {
    let mut about = vec![
        "How often passages of each pattern held a right value and a wrong one. Written by `loopctl calibrate --evidence`".to_owned(),
    ];
    about.extend(from.iter().map(|one| format!("from {one}")));
    write_kept("table", Ok(table.to_yaml(&about)), out)
}
