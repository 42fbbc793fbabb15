//! The first message of a page: about the document that its reviewer decided about last, with the way back to it.

use super::address;
use super::filter::Filter;
use super::queue::QueueRow;
use crate::access::Identity;
use crate::pages::outside;
use crate::review::ReviewState;
use maud::{Markup, html};
use serde::Deserialize;
use std::sync::Arc;

/// The document that was decided about before a page was asked for, as the page's address says.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct JustDecidedQuery {
    /// The number of its row. The rest is looked up, so that an address can't make the page say what was not done.
    after: String,
}

/// That document, with what is reported about it.
pub(super) struct JustDecided {
    document: String,
    address: String,
    decision: &'static str,
    /// The documents, among those that are gone through, that ask something of the reviewer.
    waiting: usize,
}

impl JustDecidedQuery {
    /// The address of a page with this message about a document.
    pub(super) fn address(page: &str, filter: &Filter, decided: &QueueRow) -> String {
        let query = filter.query();
        let joint = if query.is_empty() { '?' } else { '&' };
        format!("{page}{query}{joint}after={}", decided.key.0)
    }

    /// Looks up the message; `None` for a document about which this reviewer has decided nothing, or not all.
    pub(super) fn look_up(
        &self,
        rows: &[Arc<QueueRow>],
        identity: &Identity,
        filter: &Filter,
    ) -> Option<JustDecided> {
        let reviewer = identity.name.as_str();
        let row = rows.iter().find(|row| row.key.0.to_string() == self.after)?;
        if row.task(identity).asks_something() || !row.deciders.iter().any(|name| name == reviewer) {
            return None;
        }
        let decision = match row.state {
            // Of two reviewers, the state is not what this one decided.
            _ if row.deciders.len() > 1 => "decided",
            ReviewState::Accepted => "accepted",
            ReviewState::Rejected => "rejected",
            ReviewState::Disputed => "decided",
            ReviewState::Waiting | ReviewState::InReview => return None,
        };
        let waits = |row: &&Arc<QueueRow>| {
            let task = row.task(identity);
            task.asks_something() && filter.admits(row, task, reviewer, false)
        };
        Some(JustDecided {
            document: row.document.clone(),
            address: address::of_document(row.run.as_str(), &row.document),
            decision,
            waiting: rows.iter().filter(waits).count(),
        })
    }
}

impl JustDecided {
    /// A line for the top of a page.
    pub(super) fn line(&self) -> Markup {
        html! {
            (outside(&self.document)) " was " (self.decision) ". "
            @match self.waiting {
                0 => "No more are waiting.",
                1 => "1 more is waiting.",
                waiting => { (waiting) " more are waiting." }
            }
            " " a href=(self.address) { "Back to " (outside(&self.document)) }
        }
    }
}
