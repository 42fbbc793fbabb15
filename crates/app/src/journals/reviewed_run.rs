//! A run of the journal with the decisions about its documents.

use super::{JournalSpec, decisions_by_document, find_run, shares_of};
use crate::context::Context;
use crate::diag::Problems;
use crate::failure::Failure;
use crate::ingest::DocumentReader;
use crate::plan::Plan;
use crate::profiles::RecordedProfile;
use crate::requests::RunRequest;
use crate::result::DocumentResult;
use crate::review::{Decision, DeclaredFields, Draws, RecordedSource, ReviewDocument, Shares, SourceText};
use crate::store::{Journal, StoredDocument, StoredRun};
use crate::streams::Streams;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The profile of a run, from the folder in which the run began. Its problems are shown.
pub fn profile_of(context: &Context, run: &StoredRun, output: &mut Streams) -> RecordedProfile {
    let mut problems = Problems::new();
    let profile = RecordedProfile::of_run(context, run, &mut problems);
    output.show(&problems);
    profile
}

/// Reports that fields are read by a profile that has changed since the run.
pub fn say_differs(profile: &RecordedProfile, output: &mut Streams) {
    let Some(why) = &profile.differs else { return };
    let by = match profile.plan {
        Some(_) => "fields are those that it declares as it is",
        None => "fields are those of the results alone",
    };
    output.note(&format!("{why}: {by}"));
}

/// A run to review.
pub struct ReviewedRun {
    /// Its journal.
    pub journal: Journal,
    /// The run.
    pub run: StoredRun,
    decisions: BTreeMap<String, Vec<Decision>>,
    declared: BTreeMap<String, Arc<DeclaredFields>>,
    shares: Shares,
    reader: DocumentReader,
}

impl ReviewedRun {
    /// Opens the journal and finds the run.
    ///
    /// # Errors
    /// When the journal can't be read.
    pub fn open(journal: &JournalSpec, run: Option<&str>, context: &Context) -> Result<Self, Failure> {
        let journal = journal.open(context)?;
        let run = find_run(&journal, run.unwrap_or("latest"))?;
        let decisions = decisions_by_document(&journal, &run.id)?;
        let shares = shares_of(&journal, &run.id)?;
        Ok(ReviewedRun {
            journal,
            run,
            decisions,
            declared: BTreeMap::new(),
            shares,
            reader: context.reader().clone(),
        })
    }

    /// Passes every document that is over to `see`, with its result. Without a plan, the profile's declarations are not
    /// known.
    ///
    /// # Errors
    /// When the journal can't be read.
    pub fn each(
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
    ///
    /// # Errors
    /// When the journal can't be read.
    pub fn source(&self, stored: &StoredDocument) -> Result<SourceText, Failure> {
        let record = self.journal.source_record(stored.key)?;
        let folder = RunRequest::of_settings(&self.run.record.settings).and_then(|request| request.folder);
        Ok(SourceText::read(RecordedSource {
            reader: &self.reader,
            folder: folder.as_deref(),
            id: &stored.record.id,
            path: stored.record.path.as_deref(),
            record: record.as_deref(),
            digest: &stored.record.source_digest,
        }))
    }

    /// Reads the decisions again.
    ///
    /// # Errors
    /// When the journal can't be read.
    pub fn refresh(&mut self) -> Result<(), Failure> {
        self.decisions = decisions_by_document(&self.journal, &self.run.id)?;
        Ok(())
    }
}
