//! `loopctl runs export --to FILE`: a run as one file for other programs.

use super::documents::{Exported, named, read_corrections};
use crate::context::Context;
use crate::disk::{self, FolderKey};
use crate::export::fhir::{FhirExport, bundle};
use crate::export::{Columns, CsvTable, DocumentDecision, ExportedRun, MOST_ROWS, TooManyFields, Workbook};
use crate::failure::Failure;
use crate::journals::{JournalSpec, decisions_by_document, find_run};
use crate::plan::{Plan, Terms};
use crate::profiles::{LocatedProfile, SelectedProfile};
use crate::rules::ExportTerms;
use crate::store::{Journal, RunId, StoredRun};
use crate::streams::Streams;
use crate::value::{ShownPath, sanitize_line};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// A table: one row per document, UTF-8.
    Csv,
    /// A workbook: the same table, and a sheet about it.
    Xlsx,
    /// The results, one on each line.
    Jsonl,
    /// FHIR R4 bundles, one on each line.
    Fhir,
}

/// A request to write a run to a file.
#[derive(Debug, Clone, PartialEq)]
pub struct RunFileRequest {
    /// The run; the beginning of its id is enough.
    pub run: String,
    /// Its journal.
    pub journal: JournalSpec,
    /// The file.
    pub to: PathBuf,
    /// Its format; `None` for that of its extension.
    pub format: Option<FileFormat>,
    /// Only documents of these types; of all types if empty.
    pub types: Vec<String>,
    /// Files of corrections, which override decisions in the journal.
    pub corrections: Vec<PathBuf>,
    /// `true` if the values are the extracted ones, whatever reviewers decided.
    pub without_reviews: bool,
    /// Fields that are left out.
    pub leave_out: Vec<String>,
    /// The profile whose rubrics say what is written as FHIR; `None` for that of the run.
    pub profile: Option<String>,
}

/// A file, and its format.
struct ExportTarget {
    path: PathBuf,
    /// The path as the user wrote it.
    named: String,
    format: FileFormat,
}

/// Writes a run to a file.
///
/// # Errors
/// When the file can't be written, or something that is asked for is not in the run.
pub fn write_run_file(
    request: &RunFileRequest,
    context: &Context,
    output: &mut Streams,
) -> Result<WrittenFile, Failure> {
    let target = request.target()?;
    let journal = request.journal.open(context)?;
    let run = find_run(&journal, &request.run)?;
    let counts = request.write(&target, &journal, &run, context, output)?;
    Ok(WrittenFile { named: target.named, format: target.format, run: run.id, counts })
}

impl RunFileRequest {
    /// The file that was asked for.
    fn target(&self) -> Result<ExportTarget, Failure> {
        let to = &self.to;
        let named = sanitize_line(&to.shown());
        let ending = to.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let format = self.format.or(match ending.as_str() {
            "csv" => Some(FileFormat::Csv),
            "xlsx" => Some(FileFormat::Xlsx),
            "jsonl" => Some(FileFormat::Jsonl),
            "ndjson" => Some(FileFormat::Fhir),
            _ => None,
        });
        let Some(format) = format else {
            return Err(Failure::usage(format!("the name `{named}` does not say what the file is to hold"))
                .help("end it in `.csv`, `.xlsx`, `.jsonl` or `.ndjson` (FHIR), or add `--format`"));
        };
        if format == FileFormat::Jsonl && !self.leave_out.is_empty() {
            return Err(Failure::usage("results are written whole as JSONL, so no field can be left out")
                .help("`--leave-out` is for CSV, XLSX and FHIR"));
        }
        if to.is_dir() {
            return Err(Failure::usage(format!("`{named}` is a folder"))
                .help("name a file in it; `--out` writes the artifacts to a folder"));
        }
        let path = std::path::absolute(to)
            .map_err(|error| Failure::usage(format!("can't write to `{named}`: {error}")))?;
        Ok(ExportTarget { path, named, format })
    }

    /// Writes a run to the file.
    fn write(
        &self,
        target: &ExportTarget,
        journal: &Journal,
        run: &StoredRun,
        context: &Context,
        output: &mut Streams,
    ) -> Result<ExportCounts, Failure> {
        self.refuse_inputs(target, journal)?;
        let terms = run.record.settings.get("terms").and_then(|terms| Terms::deserialize(terms).ok());
        // Paths are relative to this folder; the profile is read in that of the run.
        let corrections = read_corrections(&self.corrections, output)?;
        let decided = decisions_by_document(journal, &run.id)?;
        let plan = match target.format {
            FileFormat::Fhir => Some(self.plan(run, context, output)?),
            _ if decided.is_empty() || self.without_reviews => None,
            _ => self.plan_of_decided(run, context, output),
        };
        let exported = Exported {
            journal,
            run,
            types: self.types.iter().cloned().collect(),
            left_out: self.leave_out.iter().cloned().collect(),
            corrections,
            decided,
            without_reviews: self.without_reviews,
            plan: plan.as_ref(),
            terms: terms.filter(|_| target.format == FileFormat::Jsonl),
        };
        let about = ExportedRun {
            id: run.id.to_string(),
            profile: run.record.profile.clone(),
            profile_digest: run.record.profile_digest.clone(),
            loopctl_version: run.record.loopctl_version.clone(),
            started_at: run.record.started_at.clone(),
            finished_at: run.finished_at.clone(),
        };
        match target.format {
            FileFormat::Csv => {
                let columns = columns(&exported)?;
                target.write_whole(|file| csv(&exported, &columns, file))
            }
            FileFormat::Xlsx => {
                let columns = columns(&exported)?;
                target.write_whole(|file| xlsx(&exported, &columns, &about, file))
            }
            FileFormat::Jsonl => {
                exported.look(|_| Ok(()))?;
                target.write_whole(|file| jsonl(&exported, file))
            }
            FileFormat::Fhir => {
                let terms = plan.as_ref().map(|plan| plan.scoring.rules().exports().clone());
                let terms = &terms.unwrap_or_default();
                refuse_other_types(&exported, terms)?;
                target.write_whole(|file| fhir(&exported, &FhirExport { run: &about, terms }, file))
            }
        }
    }

    /// Refuses a file that would overwrite one of its inputs.
    fn refuse_inputs(&self, target: &ExportTarget, journal: &Journal) -> Result<(), Failure> {
        // A file that does not exist yet overwrites nothing.
        let Ok(key) = FolderKey::of(&target.path) else { return Ok(()) };
        let corrections = self.corrections.iter().map(|file| ("corrections", file.as_path()));
        let mut inputs = std::iter::once(("journal", journal.path())).chain(corrections);
        match inputs.find(|(_, input)| FolderKey::of(input).is_ok_and(|input| input == key)) {
            Some((what, _)) => {
                Err(Failure::usage(format!("`--to {}` would overwrite the {what}", target.named))
                    .help("write to another file"))
            }
            None => Ok(()),
        }
    }

    /// The compiled profile whose rubrics say what is exported.
    fn plan(&self, run: &StoredRun, context: &Context, output: &mut Streams) -> Result<Plan, Failure> {
        if let Some(named) = &self.profile {
            return SelectedProfile::of(named, &[]).plan_to_score(context, &context.library(), output);
        }
        let recorded = LocatedProfile::of(context, &run.record.settings).ok_or_else(|| {
            let message = format!("the journal does not say which profile run `{}` had", run.id);
            Failure::usage(message).help("name it with `--profile`")
        })?;
        recorded.profile.plan_to_score(context, &recorded.library, output)
    }

    /// The compiled profile that says which fields reviewers decided about. Without it their decisions still hold.
    fn plan_of_decided(&self, run: &StoredRun, context: &Context, output: &mut Streams) -> Option<Plan> {
        let failure = match self.plan(run, context, output) {
            Ok(plan) => return Some(plan),
            Err(failure) => failure,
        };
        let why = failure.message;
        output.note(&format!("{why}; the fields that reviewers decided about are those of the results"));
        None
    }
}

impl ExportTarget {
    fn write_whole(
        &self,
        content: impl FnOnce(&mut File) -> Result<ExportCounts, ExportError>,
    ) -> Result<ExportCounts, Failure> {
        let cant = |error: io::Error| {
            Failure::broken(format!("can't write to `{}`: {error}", self.named))
                .help("the earlier file, if any, is unchanged; name a file in a folder that can be written to, on a disk with room")
        };
        match disk::write_whole(&self.path, content).map_err(cant)? {
            Ok(written) => Ok(written),
            Err(ExportError::File(error)) => Err(cant(error)),
            Err(ExportError::Run(failure)) => Err(failure),
        }
    }
}

/// The reason that a file was not written.
enum ExportError {
    /// The file can't be written to.
    File(io::Error),
    /// The content to be written is not available.
    Run(Failure),
}

impl From<io::Error> for ExportError {
    fn from(error: io::Error) -> Self {
        ExportError::File(error)
    }
}

impl From<Failure> for ExportError {
    fn from(failure: Failure) -> Self {
        ExportError::Run(failure)
    }
}

/// Counts of what was written, and of what was not.
#[derive(Debug, Default, Clone, Copy)]
struct ExportCounts {
    documents: u64,
    /// Documents without a result, or without an extraction.
    left_out: u64,
    /// Reports that may not be relied on.
    preliminary: u64,
    /// Texts that were longer than a cell may be.
    cut: u64,
}

/// A file that a run was written to.
#[derive(Debug)]
pub struct WrittenFile {
    named: String,
    format: FileFormat,
    run: RunId,
    counts: ExportCounts,
}

impl WrittenFile {
    /// Lines for people about what was written, and what was not.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let ExportCounts { left_out, preliminary, cut, .. } = self.counts;
        let documents = |count: u64| match count {
            1 => "1 document".to_owned(),
            more => format!("{more} documents"),
        };
        let mut lines =
            vec![format!("{} of run `{}` in `{}`", documents(self.counts.documents), self.run, self.named)];
        let why = if self.format == FileFormat::Fhir {
            "they have no extraction, or reviewers rejected them"
        } else {
            "they have no result"
        };
        if left_out > 0 {
            lines.push(format!("  left out, because {why}: {}", documents(left_out)));
        }
        if preliminary > 0 {
            lines.push(format!(
                "  preliminary, because they were not accepted, need review, or hold a doubtful value: {}",
                documents(preliminary)
            ));
        }
        if cut > 0 {
            lines.push(format!(
                "  texts that are longer than a cell may be, and were cut: {cut}; `--leave-out FIELD` leaves a field out, CSV and JSONL have all of it"
            ));
        }
        lines
    }
}

/// Writes each document to a table by `row`.
fn each_row(
    exported: &Exported<'_>,
    columns: &Columns,
    mut row: impl FnMut(&[crate::export::Cell<'_>]) -> io::Result<()>,
) -> Result<u64, ExportError> {
    let (mut documents, mut failed) = (0, None);
    exported.each(|document| {
        let document = exported.without(document);
        if !columns.cover(&document) {
            return Err(Failure::broken("the run went on while it was written")
                .help("write it again when its documents are over"));
        }
        if failed.is_none() {
            documents += 1;
            failed = row(&columns.row(&document)).err();
        }
        Ok(())
    })?;
    failed.map_or(Ok(documents), |error| Err(error.into()))
}

fn columns(exported: &Exported<'_>) -> Result<Columns, Failure> {
    let mut columns = Columns::default();
    exported.look(|document| {
        columns.see(document).map_err(|TooManyFields| {
            Failure::broken("the extractions have too many different fields for the columns of a table")
                .help("write them as `.jsonl`, or the documents of one type with `--type`")
        })
    })?;
    Ok(columns)
}

fn csv(exported: &Exported<'_>, columns: &Columns, file: &mut File) -> Result<ExportCounts, ExportError> {
    let headings = columns.headings();
    let names: Vec<&str> = headings.iter().map(|(name, _)| name.as_str()).collect();
    let mut table = CsvTable::new(BufWriter::new(file), &names)?;
    let documents = each_row(exported, columns, |cells| table.row(cells))?;
    table.finish()?;
    Ok(ExportCounts { documents, ..ExportCounts::default() })
}

fn xlsx(
    exported: &Exported<'_>,
    columns: &Columns,
    about: &ExportedRun,
    file: &mut File,
) -> Result<ExportCounts, ExportError> {
    if exported.run.documents > u64::from(MOST_ROWS) {
        let message = format!(
            "a workbook has {MOST_ROWS} rows at most, and the run {} documents",
            exported.run.documents
        );
        return Err(Failure::usage(message)
            .help("write it as `.csv`, or the documents of one type with `--type`")
            .into());
    }
    let headings = columns.headings();
    let names: Vec<&str> = headings.iter().map(|(name, _)| name.as_str()).collect();
    let mut book = Workbook::new(about, &names)?;
    let documents = each_row(exported, columns, |cells| book.row(cells))?;
    let cut = book.cut();
    let mut out = BufWriter::new(file);
    book.finish(about, &headings, &mut out)?;
    out.flush()?;
    Ok(ExportCounts { documents, cut, ..ExportCounts::default() })
}

/// Writes JSON line by line; a document for which `line` returns nothing counts as left out.
fn lines(
    exported: &Exported<'_>,
    file: &mut File,
    mut line: impl FnMut(crate::export::ExportedDocument) -> Result<Option<Value>, Failure>,
) -> Result<ExportCounts, ExportError> {
    let (mut out, mut written, mut failed) = (BufWriter::new(file), ExportCounts::default(), None);
    exported.each(|document| {
        let Some(value) = line(document)? else {
            written.left_out += 1;
            return Ok(());
        };
        if failed.is_none() {
            written.documents += 1;
            failed = writeln!(out, "{value}").err();
        }
        Ok(())
    })?;
    if let Some(error) = failed {
        return Err(error.into());
    }
    out.flush()?;
    Ok(written)
}

fn jsonl(exported: &Exported<'_>, file: &mut File) -> Result<ExportCounts, ExportError> {
    lines(exported, file, |document| {
        let Some(result) = &document.result else { return Ok(None) };
        let mut line = serde_json::to_value(result).map_err(io::Error::from)?;
        if let Value::Object(members) = &mut line {
            if let Some(state) = document.reviewed {
                members.insert("reviewed".to_owned(), state.as_str().into());
            }
            if !document.disputed.is_empty() {
                members.insert("disputed".to_owned(), document.disputed.clone().into());
            }
            if let Some(corrected) = &document.corrected_type {
                members.insert("corrected_type".to_owned(), corrected.as_str().into());
            }
            if !document.corrected.is_empty() {
                let corrected = document.corrected.iter().map(crate::export::Applied::to_json).collect();
                members.insert("corrections".to_owned(), corrected);
            }
        }
        Ok(Some(line))
    })
}

fn fhir(
    exported: &Exported<'_>,
    export: &FhirExport<'_>,
    file: &mut File,
) -> Result<ExportCounts, ExportError> {
    let mut preliminary = 0;
    let written = lines(exported, file, |document| {
        let bundle = bundle(export, &exported.without(document));
        let status = bundle.as_ref().and_then(|bundle| bundle.pointer("/entry/0/resource/status"));
        preliminary += u64::from(status.is_some_and(|status| status != "final"));
        Ok(bundle)
    })?;
    Ok(ExportCounts { preliminary, ..written })
}

/// Refuses documents of types that are not diagnostic reports.
fn refuse_other_types(exported: &Exported<'_>, terms: &ExportTerms) -> Result<(), Failure> {
    let mut others: BTreeMap<String, u64> = BTreeMap::new();
    let mut found = BTreeSet::new();
    exported.look(|document| {
        let kind = &document.document_type;
        if terms.types.contains_key(kind) {
            found.insert(kind.clone());
        } else if document.result.is_some() || document.decision != DocumentDecision::Waiting {
            *others.entry(kind.clone()).or_default() += 1;
        }
        Ok(())
    })?;
    if others.is_empty() {
        return Ok(());
    }
    let types = named(others.keys().map(String::as_str).collect());
    let count: u64 = others.values().sum();
    let documents = if count == 1 { "1 document".to_owned() } else { format!("{count} documents") };
    let message = format!("{documents} can't be written as FHIR, because of their type: {types}");
    let known = named(terms.types.keys().map(String::as_str).collect());
    Err(Failure::usage(message).help(match (terms.types.is_empty(), found.is_empty()) {
        (true, _) => {
            "the profile's rubrics name no type that can; a rubric lists them under `fhir`".to_owned()
        }
        (false, true) => format!("types that can be written as FHIR: {known}"),
        (false, false) => {
            let wanted: Vec<String> = found.iter().map(|kind| format!("--type {kind}")).collect();
            format!(
                "types that can be written as FHIR: {known}; leave the others out with `{}`",
                wanted.join(" ")
            )
        }
    }))
}
