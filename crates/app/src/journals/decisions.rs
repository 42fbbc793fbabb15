//! The decisions of reviewers about a run.

use crate::failure::Failure;
use crate::review::{Decision, Shares};
use crate::store::{Journal, RunId};
use crate::value::sanitize_line;
use std::collections::BTreeMap;

/// The decisions about each document of a run, in the order in which they were kept.
///
/// # Errors
/// When the journal can't be read, or another release decided.
pub fn decisions_by_document(
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
///
/// # Errors
/// When the journal can't be read.
pub fn shares_of(journal: &Journal, run: &RunId) -> Result<Shares, Failure> {
    let shares = journal.review_shares(run)?;
    Ok(Shares { audit: shares.audit, second: shares.second })
}
