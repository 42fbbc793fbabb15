//! A run of the journal with the decisions about its documents.

use super::super::loading::context;
use super::super::resume::{JournalArgument, find_run};
use crate::diag::Problems;
use crate::failure::Failure;
use crate::plan::Plan;
use crate::profiles::RecordedProfile;
use crate::requests::RunRequest;
use crate::result::DocumentResult;
use crate::review::{Decision, DeclaredFields, Draws, RecordedSource, ReviewDocument, Shares, SourceText};
use crate::store::{Journal, RunId, StoredDocument, StoredRun};
use crate::streams::Streams;
use crate::value::sanitize_line;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The decisions about each document of a run, in the order in which they were kept.
pub(in crate::cli) fn decisions_by_document(
    journal: &Journal,
    run: &RunId,
) -> Result<BTreeMap<String, Vec<Decision>>, Failure> {
    let mut decisions: BTreeMap<String, Vec<Decision>> = BTreeMap::new();
    for kept in journal.reviews(run)? {
        let id = kept.document.as_str();
        let read = Decision::read(id, &kept.reviewer, &kept.at, &kept.decision).ok_or_else(|| {
            Failure::broken(format!(
                "decision {} about `{}` in the journal is none that this loopctl understands",
                kept.number,
                sanitize_line(id)
            ))
            .help("use the loopctl that wrote it, or a later one")
        })?;
        decisions.entry(id.to_owned()).or_default().push(read);
    }
    Ok(decisions)
}

/// The shares of a run's documents that are drawn for review.
pub(in crate::cli) fn shares_of(journal: &Journal, run: &RunId) -> Result<Shares, Failure> {
    let shares = journal.review_shares(run)?;
    Ok(Shares { audit: shares.audit, second: shares.second })
}

/// The profile of a run, from the folder in which the run began. Its problems are shown.
pub(super) fn profile_of(run: &StoredRun, output: &mut Streams) -> RecordedProfile {
    let mut problems = Problems::new();
    let profile = RecordedProfile::of_run(context(), run, &mut problems);
    output.show(&problems);
    profile
}

/// Reports that fields are read by a profile that has changed since the run.
pub(super) fn say_differs(profile: &RecordedProfile, output: &mut Streams) {
    let Some(why) = &profile.differs else { return };
    let by = match profile.plan {
        Some(_) => "fields are those that it declares as it is",
        None => "fields are those of the results alone",
    };
    let word = output.err_paint.warn("note:");
    output.say(&format!("{word} {why}: {by}"));
}

/// A run to review.
pub(super) struct OpenedRun {
    pub(super) journal: Journal,
    pub(super) run: StoredRun,
    decisions: BTreeMap<String, Vec<Decision>>,
    declared: BTreeMap<String, Arc<DeclaredFields>>,
    shares: Shares,
}

impl OpenedRun {
    /// Opens the journal and finds the run.
    pub(super) fn open(journal: &JournalArgument, run: Option<&str>) -> Result<Self, Failure> {
        let journal = journal.open()?;
        let run = find_run(&journal, run.unwrap_or("latest"))?;
        let decisions = decisions_by_document(&journal, &run.id)?;
        let shares = shares_of(&journal, &run.id)?;
        Ok(OpenedRun { journal, run, decisions, declared: BTreeMap::new(), shares })
    }

    /// Passes every document that is over to `see`, with its result. Without a plan, the profile's declarations are not
    /// known.
    pub(super) fn each(
        &mut self,
        plan: Option<&Plan>,
        mut see: impl FnMut(&StoredDocument, ReviewDocument),
    ) -> Result<(), Failure> {
        let (decisions, declared) = (&mut self.decisions, &mut self.declared);
        let (run, shares) = (&self.run.id, self.shares);
        self.journal.each_document(&self.run.id, |stored, outcome| {
            let result =
                outcome.filter(|_| stored.finished).and_then(|it| DocumentResult::deserialize(it).ok());
            let Some(result) = result else { return };
            let of_type = declared.entry(result.document_type.clone()).or_insert_with(|| {
                let of_plan = plan.map(|plan| DeclaredFields::of(plan, &result.document_type));
                Arc::new(of_plan.unwrap_or_default())
            });
            let declared = Arc::clone(of_type);
            let decided = decisions.get(result.id.as_str()).cloned().unwrap_or_default();
            let drawn = Draws::of(shares, run.as_str(), result.id.as_str());
            let document = ReviewDocument::new(result, &stored.record.source_digest, declared, decided);
            see(&stored, document.with_draws(drawn));
        })?;
        Ok(())
    }

    /// Reads a document again.
    pub(super) fn source(&self, stored: &StoredDocument) -> Result<SourceText, Failure> {
        let record = self.journal.source_record(stored.key)?;
        let folder = RunRequest::of_settings(&self.run.record.settings).and_then(|request| request.folder);
        Ok(SourceText::read(RecordedSource {
            folder: folder.as_deref(),
            id: &stored.record.id,
            path: stored.record.path.as_deref(),
            record: record.as_deref(),
            digest: &stored.record.source_digest,
        }))
    }

    /// Reads the decisions again.
    pub(super) fn refresh(&mut self) -> Result<(), Failure> {
        self.decisions = decisions_by_document(&self.journal, &self.run.id)?;
        Ok(())
    }
}
