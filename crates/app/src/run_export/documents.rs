//! The documents of a run as they are exported: from the journal, with reviewers' decisions and corrections.

use crate::diag::nearest;
use crate::evaluation::LabelFiles;
use crate::export::{Corrections, Disagreement, DocumentDecision, ExportedDocument, decided};
use crate::failure::Failure;
use crate::plan::{Plan, Terms};
use crate::result::DocumentResult;
use crate::review::{self, DeclaredFields, ReviewDocument, ReviewState};
use crate::run::rebuilt;
use crate::score::{Evidence, top_level_field};
use crate::store::{DocumentStage, Journal, StoredDocument, StoredRun};
use crate::streams::Streams;
use crate::value::sanitize_line;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

/// The maximum number of names in a message.
const MOST_NAMED: usize = 5;

/// The exported part of a run.
pub(super) struct Exported<'r> {
    pub(super) journal: &'r Journal,
    pub(super) run: &'r StoredRun,
    /// Only documents of these types; of all types if empty.
    pub(super) types: BTreeSet<String>,
    /// Fields that are left out.
    pub(super) left_out: BTreeSet<String>,
    pub(super) corrections: Corrections,
    /// The decisions of reviewers about each document.
    pub(super) decided: BTreeMap<String, Vec<review::Decision>>,
    /// `true` if the values are the extracted ones, whatever reviewers decided.
    pub(super) without_reviews: bool,
    /// The plan that says which fields the profile declares, if it is known.
    pub(super) plan: Option<&'r Plan>,
    /// The settings that explain results, if they are exported with them.
    pub(super) terms: Option<Terms>,
}

/// The findings of a first pass over all documents.
#[derive(Default)]
pub(super) struct ExportSurvey {
    /// Types of the run's documents.
    types: BTreeSet<String>,
    /// Fields at the top of their extractions.
    fields: BTreeSet<String>,
    /// Corrected documents that exist.
    corrected: HashSet<String>,
    pub(super) documents: u64,
}

impl Exported<'_> {
    /// Hands every document that is exported to `each`, in the order of the run.
    pub(super) fn each(
        &self,
        mut each: impl FnMut(ExportedDocument) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut failed = None;
        self.journal.each_document(&self.run.id, |document, outcome| {
            let is_asked = self.types.is_empty() || self.types.contains(&document.record.document_type);
            if failed.is_none() && is_asked {
                failed = self.document(&document, outcome).and_then(&mut each).err();
            }
        })?;
        failed.map_or(Ok(()), Err)
    }

    /// Inspects all documents, and reports what was asked for in vain.
    pub(super) fn look(
        &self,
        mut see: impl FnMut(&ExportedDocument) -> Result<(), Failure>,
    ) -> Result<ExportSurvey, Failure> {
        let mut seen = ExportSurvey::default();
        let corrected: HashSet<&str> = self.corrections.documents().collect();
        self.journal.each_document(&self.run.id, |document, _| {
            let id = document.record.id.as_str();
            if corrected.contains(id) {
                seen.corrected.insert(id.to_owned());
            }
            if !seen.types.contains(&document.record.document_type) {
                seen.types.insert(document.record.document_type);
            }
        })?;
        self.each(|document| {
            seen.documents += 1;
            let taken_out = document.corrected.iter().map(|applied| applied.top.as_str());
            for name in document.fields().map(|(name, _)| name).chain(taken_out) {
                if !seen.fields.contains(name) {
                    seen.fields.insert(name.to_owned());
                }
            }
            see(&self.without(document))
        })?;
        self.refuse_what_is_not_there(&seen)?;
        Ok(seen)
    }

    fn refuse_what_is_not_there(&self, seen: &ExportSurvey) -> Result<(), Failure> {
        let run = &self.run.id;
        if let Some(unknown) = self.types.iter().find(|asked| !seen.types.contains(*asked)) {
            let message = format!("run `{run}` has no document of type `{}`", sanitize_line(unknown));
            return Err(Failure::usage(message).help(known(unknown, &seen.types)));
        }
        if let Some(unknown) = self.left_out.iter().find(|field| !seen.fields.contains(*field))
            && seen.documents > 0
        {
            let message = format!("no extraction has a field `{}`", sanitize_line(unknown));
            return Err(Failure::usage(message).help(known(unknown, &seen.fields)));
        }
        let lost: Vec<&str> =
            self.corrections.documents().filter(|document| !seen.corrected.contains(*document)).collect();
        if lost.is_empty() {
            return Ok(());
        }
        let message = format!("run `{run}` has no document {}, which {}", named(lost), "is corrected");
        Err(Failure::broken(message).help(
            "`document` of a correction must be the id of a document of the run; `loopctl runs export` shows the ids",
        ))
    }

    /// The document without the fields that are left out.
    pub(super) fn without(&self, mut document: ExportedDocument) -> ExportedDocument {
        if self.left_out.is_empty() {
            return document;
        }
        if let Some(result) = &mut document.result {
            if let Some(Value::Object(members)) = result.best_extraction.as_mut().map(Arc::make_mut) {
                members.retain(|name, _| !self.left_out.contains(name));
            }
            if let Some(validation) = &mut result.best_validation {
                let mut kept = Evidence::default();
                for (path, leaf) in validation.evidence.iter() {
                    if top_level_field(path).is_none_or(|field| !self.left_out.contains(&field)) {
                        kept.push(path, leaf);
                    }
                }
                validation.evidence = kept;
                validation.missing.retain(|field| !self.left_out.contains(&**field));
            }
        }
        document.corrected.retain(|applied| !self.left_out.contains(&applied.top));
        document
    }

    fn document(&self, stored: &StoredDocument, outcome: Option<Value>) -> Result<ExportedDocument, Failure> {
        let id = stored.record.id.as_str();
        let mut document = ExportedDocument {
            id: id.to_owned(),
            document_type: stored.record.document_type.clone(),
            source_digest: stored.record.source_digest.clone(),
            decision: DocumentDecision::Waiting,
            reviewed: None,
            disputed: Vec::new(),
            corrected_type: None,
            is_uncorrected: false,
            result: None,
            detail: stored.reason.clone(),
            corrected: Vec::new(),
        };
        let is_over =
            matches!(stored.stage, DocumentStage::Finished | DocumentStage::Failed | DocumentStage::GivenUp);
        // An earlier outcome does not count while the document waits again.
        let Some(outcome) = outcome.filter(|_| is_over) else {
            document.decision = match stored.stage {
                DocumentStage::Failed | DocumentStage::Finished => DocumentDecision::Failed,
                DocumentStage::GivenUp => DocumentDecision::GivenUp,
                DocumentStage::Waiting | DocumentStage::Running | DocumentStage::Parked => {
                    DocumentDecision::Waiting
                }
            };
            return Ok(document);
        };
        let read = match &self.terms {
            None => DocumentResult::deserialize(outcome)
                .map_err(|_| "its result was kept by a release that wrote it to its file only".to_owned()),
            Some(terms) => {
                let (events, _) = self.journal.events_of(stored.key)?;
                rebuilt(&events, outcome, Some(terms.clone())).map(|(_, result)| result)
            }
        };
        let result = match read {
            Ok(result) => result,
            Err(why) => {
                document.decision = DocumentDecision::Failed;
                document.detail = Some(why);
                return Ok(document);
            }
        };
        let mut result = self.reviewed(result, &mut document);
        let mut extraction = result.best_extraction.take().map(Arc::unwrap_or_clone).unwrap_or_default();
        let (applied, lost) = self.corrections.apply(id, &mut extraction);
        if let Some(path) = lost.first() {
            let message = format!("the extraction of `{id}` has no place `{path}`, which is corrected");
            return Err(Failure::broken(message).help("correct the field as a whole, by its name"));
        }
        result.best_extraction = (!extraction.is_null()).then(|| Arc::new(extraction));
        document.document_type.clone_from(&result.document_type);
        document.decision = DocumentDecision::of(&result);
        document.detail = result.detail.clone().or(document.detail);
        document.corrected.extend(applied);
        document.result = Some(result);
        Ok(document)
    }

    /// Sets the review of a document from the decisions about its result. Returns the result with the values that hold
    /// by them; a rejected document keeps what was extracted.
    fn reviewed(&self, result: DocumentResult, document: &mut ExportedDocument) -> DocumentResult {
        let Some(decisions) = self.decided.get(result.id.as_str()) else { return result };
        let declared = self.plan.map(|plan| DeclaredFields::of(plan, &result.document_type));
        let declared = Arc::new(declared.unwrap_or_default());
        let review = ReviewDocument::new(result, &document.source_digest, declared, decisions.clone());
        let reviewed = review.reviewed();
        document.disputed = reviewed.disputes();
        document.corrected_type =
            reviewed.corrected_type.as_ref().map(|corrected| corrected.document_type.clone());
        document.reviewed = Some(reviewed.state).filter(|state| *state != ReviewState::Waiting);
        if matches!(reviewed.state, ReviewState::Waiting | ReviewState::Rejected) {
            return review.result;
        }
        if self.without_reviews {
            document.is_uncorrected = reviewed.is_corrected(&review);
            return review.result;
        }
        document.corrected = decided(&review, &reviewed);
        let mut result = review.result;
        result.best_extraction = Some(Arc::new(reviewed.extraction));
        result
    }
}

/// Reads corrections, all of which must be usable.
pub(super) fn read_corrections(files: &[PathBuf], output: &mut Streams) -> Result<Corrections, Failure> {
    let mut corrections = Corrections::default();
    if files.is_empty() {
        return Ok(corrections);
    }
    let labels = LabelFiles::read(files, None, output)?;
    if labels.is_broken {
        return Err(Failure::broken("not all corrections can be used"));
    }
    for (record, _) in labels.with_folders() {
        for (field, label) in &record.fields {
            let [after] = label.accepted.as_slice() else {
                let message = format!("{}: `{field}` has several values that are right", record.place);
                return Err(Failure::broken(message).help("a correction says one value"));
            };
            let who = (record.reviewer.clone(), record.at);
            let added = corrections.add(&record.document, field, after.clone(), who, &record.place);
            added.map_err(|Disagreement { document, field, places: [one, other] }| {
                Failure::broken(format!(
                    "two corrections of `{field}` of `{document}` disagree: {one}, and {other}"
                ))
                .help("say `at` which moment each was made, so that the latest holds")
            })?;
        }
    }
    Ok(corrections)
}

fn known(unknown: &str, known: &BTreeSet<String>) -> String {
    match nearest(unknown, known.iter().map(String::as_str)) {
        Some(guess) => format!("did you mean `{}`?", sanitize_line(guess)),
        None if known.is_empty() => "there is none".to_owned(),
        None => format!("there are {}", named(known.iter().map(String::as_str).collect())),
    }
}

/// The first of some names, and how many there are beside them.
pub(super) fn named(mut names: Vec<&str>) -> String {
    names.sort_unstable();
    let shown: Vec<String> =
        names.iter().take(MOST_NAMED).map(|name| format!("`{}`", sanitize_line(name))).collect();
    match names.len().saturating_sub(MOST_NAMED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
