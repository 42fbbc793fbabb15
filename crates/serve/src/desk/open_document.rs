//! A document with all that its reviewer needs.

use super::document_source::{OpenFile, open_file, read_source};
use super::model_quotes::model_quotes;
use super::queue::{decision_of, has_result, review_document};
use crate::api::ApiError;
use crate::plan::Plan;
use crate::review::{
    Decision, DeclaredFields, ReviewDocument, ReviewedScore, Shares, SourceText, score_extraction,
};
use crate::score::Quotes;
use crate::state::Service;
use crate::store::{DocumentKey, RunId, StoredDocument, StoredRun};
use crate::value::{DocumentId, sanitize_line};
use loopctl_app::profiles::RecordedProfile;
use serde_json::Value;
use std::sync::Arc;

/// A document as one reviewer sees it.
pub(super) struct OpenDocument {
    pub(super) run: StoredRun,
    pub(super) stored: StoredDocument,
    /// With the decisions that the reviewer may see.
    pub(super) document: ReviewDocument,
    /// `true` if decisions of others are not shown.
    pub(super) is_blind: bool,
    /// The number of the latest decision about it, seen or not; 0 if there is none.
    pub(super) latest: u64,
    pub(super) profile: RecordedProfile,
    pub(super) source: SourceText,
    /// The quotes of the model for values, where nothing was looked up.
    pub(super) quotes: Option<Quotes>,
}

/// The document that an address names.
///
/// # Errors
/// When there is none, or the journal can't be read.
pub(super) fn key_of(service: &Service, run: &str, document: &str) -> Result<DocumentKey, ApiError> {
    Ok(stored(service, &RunId::new(run), &DocumentId::new(document))?.0.key)
}

fn stored(
    service: &Service,
    run: &RunId,
    document: &DocumentId,
) -> Result<(StoredDocument, Option<Value>), ApiError> {
    service.reading.document(run, document)?.ok_or_else(|| {
        let (run, document) = (sanitize_line(run.as_str()), sanitize_line(document.as_str()));
        ApiError::not_found(format!("run `{run}` has no document `{document}`"))
            .help("the page Review lists those that are waiting")
    })
}

/// The run that an address names.
fn run_of(service: &Service, run: &RunId) -> Result<StoredRun, ApiError> {
    service.reading.run(run)?.ok_or_else(|| {
        let message = format!("the journal holds no run `{}`", sanitize_line(run.as_str()));
        ApiError::not_found(message).help("the page Runs lists all of them")
    })
}

fn no_result(document: &str) -> ApiError {
    let message = format!("the document `{}` has no result yet", sanitize_line(document));
    ApiError::not_found(message).help("open it again once the run has processed it")
}

/// The file of a document that may be reviewed, with the key of the document.
///
/// # Errors
/// When there is no such document, it is not over, or its file is not available.
pub(super) fn file_of(
    service: &Service,
    run: &str,
    document: &str,
) -> Result<(DocumentKey, OpenFile), ApiError> {
    let (run, id) = (RunId::new(run), DocumentId::new(document));
    let stored_run = run_of(service, &run)?;
    let (stored, outcome) = stored(service, &run, &id)?;
    if !has_result(&stored, outcome) {
        return Err(no_result(document));
    }
    let opened = open_file(service, &stored_run, &stored)?;
    let opened = opened.map_err(|why| {
        ApiError::not_found(format!("the document can't be shown: {why}"))
            .help("open the document's page again")
    })?;
    Ok((stored.key, opened))
}

impl OpenDocument {
    /// Opens a document of a run for a reviewer.
    ///
    /// # Errors
    /// When there is no such document, it is not over, or the journal can't be read.
    pub(super) fn open(
        service: &Service,
        run: &str,
        document: &str,
        reviewer: &str,
    ) -> Result<Self, ApiError> {
        let journal = &service.reading;
        let (run, id) = (RunId::new(run), DocumentId::new(document));
        let stored_run = run_of(service, &run)?;
        let (stored, outcome) = stored(service, &run, &id)?;
        let profile = service.desk.plans.of_run(service.profiles.as_ref(), &stored_run);
        let shares = journal.review_shares(&run)?;
        let shares = Shares { audit: shares.audit, second: shares.second };
        let reviews = journal.reviews_of(&run, &id)?;
        let latest = reviews.last().map_or(0, |last| last.number);
        let decisions = reviews.iter().map(decision_of).collect::<Result<Vec<Decision>, _>>()?;
        let declared = outcome.as_ref().and_then(|outcome| outcome.get("document_type")?.as_str());
        let declared = declared.zip(profile.plan.as_deref());
        let declared = declared.map(|(named, plan)| DeclaredFields::of(plan, named)).unwrap_or_default();
        let Some(document) = review_document(&run, shares, &stored, outcome, Arc::new(declared), decisions)
        else {
            return Err(no_result(document));
        };
        let is_blind = document.is_blind_to(reviewer);
        let document = if is_blind { document.seen_blind_by(reviewer) } else { document };
        let source = read_source(service, &stored_run, &stored)?;
        let evidence =
            document.result.best_validation.as_ref().map(|validation| validation.evidence.is_empty());
        let quotes = match evidence {
            Some(true) => model_quotes(journal, stored.key, &document.result)?,
            Some(false) | None => None,
        };
        Ok(OpenDocument { run: stored_run, stored, document, is_blind, latest, profile, source, quotes })
    }

    /// The run's profile, if it would decide as the run did.
    pub(super) fn plan_of_run(&self) -> Option<&Plan> {
        self.profile.plan.as_deref().filter(|_| self.profile.differs.is_none())
    }

    /// Returns the profile's verdict on another extraction of the document, or why there is none.
    pub(super) fn score(&self, extraction: &Value) -> Result<ReviewedScore, String> {
        let Some(plan) = self.plan_of_run() else {
            let why = self.profile.differs.clone();
            return Err(why.unwrap_or_else(|| "the profile of the run is not known".to_owned()));
        };
        match &self.source {
            SourceText::Unchanged(source) => {
                Ok(score_extraction(plan, &self.document.context(plan, source), extraction))
            }
            SourceText::NotThere(why) => Err(why.clone()),
        }
    }
}
