//! A document of a run as reviewers see it.

use crate::context::Context;
use crate::diag::nearest;
use crate::failure::Failure;
use crate::journals::{JournalSpec, ReviewedRun, profile_of, say_differs};
use crate::profiles::RecordedProfile;
use crate::review::{Beside, ReviewDocument, ShownDocument, SourceText};
use crate::store::RunId;
use crate::streams::Streams;
use crate::value::sanitize_line;

/// A request for a document of a run as reviewers see it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReviewShowRequest {
    /// The run; `None` for the latest.
    pub run: Option<String>,
    /// Its journal.
    pub journal: JournalSpec,
    /// The id of the document.
    pub document: String,
}

/// A document of a run with the decisions about it, its text, and the profile of the run.
pub struct DocumentUnderReview {
    document: ReviewDocument,
    run: RunId,
    source: SourceText,
    profile: RecordedProfile,
}

/// Finds a document of a run, with the decisions about it.
///
/// # Errors
/// When there is no such document, or the journal can't be read.
pub fn document_under_review(
    request: &ReviewShowRequest,
    context: &Context,
    output: &mut Streams,
) -> Result<DocumentUnderReview, Failure> {
    let mut opened = ReviewedRun::open(&request.journal, request.run.as_deref(), context)?;
    let profile = profile_of(context, &opened.run, output);
    say_differs(&profile, output);
    let (mut found, mut ids) = (None, Vec::new());
    opened.each(profile.plan.as_deref(), |stored, document| {
        if document.id() == request.document {
            found = Some((stored.clone(), document));
        } else {
            ids.push(document.id().to_owned());
        }
    })?;
    let (stored, document) = found.ok_or_else(|| unknown(&request.document, &ids))?;
    Ok(DocumentUnderReview { document, source: opened.source(&stored)?, run: opened.run.id, profile })
}

fn unknown(document: &str, ids: &[String]) -> Failure {
    let guess = nearest(document, ids.iter().map(String::as_str));
    let help = guess.map_or_else(
        || "`loopctl review list` names those that wait".to_owned(),
        |guess| format!("did you mean `{}`?", sanitize_line(guess)),
    );
    Failure::usage(format!("the run has no result of a document `{}`", sanitize_line(document))).help(help)
}

impl DocumentUnderReview {
    /// Its fields, their positions in the document, and the decisions about them.
    pub fn shown(&self) -> ShownDocument<'_> {
        let plan = self.profile.plan.as_deref().filter(|_| self.profile.differs.is_none());
        let beside = Beside { run: self.run.as_str(), source: &self.source, plan, quotes: None };
        ShownDocument::of(&self.document, beside)
    }
}
