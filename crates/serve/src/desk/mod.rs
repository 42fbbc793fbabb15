//! The review desk: people decide about results in the browser.
//!
//! - `routes`: the addresses; `filter` is their queries, `address` the names of documents in them;
//! - `queue`: the documents that wait, kept in memory and brought up to date from the journal; `queue_page` shows it;
//! - `open_document`: a document with all that its page needs; `plans` keeps profiles of runs for a while;
//! - `document_page`: the page of a document: `text_pane` its text with the evidence marked, `pages_pane` its pages with
//!   boxes round the evidence, `field_view` a field, `forms` its inputs, `whole_forms` decisions about the document as a
//!   whole;
//! - `document_source`: documents as their runs read them; `page_pictures` draws their pages, `page_words` places their
//!   words over the pictures, `page_routes` has the addresses of both; `costly_cache` keeps what took long;
//!   `logged_views` tells what is part of a view that the access log has;
//! - `question_view`: the questions that a person answers before a document is accepted; `differ_view`: the differences
//!   between reviewers, and how they are settled; `window`: the fields and the part of the text that a page shows;
//!   `words` has names and questions without paths and codes; `model_quotes` has quotes of a model that nothing looked
//!   up;
//! - `decide`: decisions of a reviewer, checked and kept; `check` scores a value before it is kept; `lease` says who
//!   has a document;
//! - `just_decided`: the message of the next page about the document decided last;
//! - `agreement_page`: how often two reviewers agree.

mod address;
mod agreement_page;
mod check;
mod costly_cache;
mod decide;
mod differ_view;
mod document_page;
mod document_source;
mod field_view;
mod filter;
mod forms;
mod just_decided;
mod lease;
mod logged_views;
mod model_quotes;
mod open_document;
mod page_pictures;
mod page_routes;
mod page_words;
mod pages_pane;
mod plans;
mod question_view;
mod queue;
mod queue_page;
mod routes;
mod text_pane;
mod whole_forms;
mod window;
mod words;

pub(super) use routes::SECTION;

use super::api::ApiError;
use crate::store::{Journal, ReviewShares, StoreError};
use document_source::ReadDocuments;
use logged_views::LoggedViews;
use page_pictures::PagePictures;
use plans::Plans;
use queue::{Queue, QueueRow};
use std::sync::{Arc, Mutex, PoisonError};

/// The shares of documents that are drawn for review, by default.
pub(super) const USUAL_SHARES: ReviewShares = ReviewShares { audit: 0.02, second: 0.1 };

/// The memory of the desk.
#[derive(Default)]
pub(super) struct Desk {
    queue: Mutex<Queue>,
    plans: Plans,
    documents: ReadDocuments,
    pictures: PagePictures,
    views: LoggedViews,
}

impl Desk {
    /// A desk for the runs of a journal, whose drawn shares are settled if they are not settled yet.
    pub(super) fn of(journal: &Journal) -> Result<Self, StoreError> {
        journal.settle_review_shares(USUAL_SHARES)?;
        Ok(Desk::default())
    }

    /// Reads the queue, so that its first reader does not wait.
    pub(super) fn warm(&self, journal: &Journal) {
        if self.rows(journal).is_err() {
            tracing::warn!(target: "loopctl", event = "queue_not_read");
        }
    }

    /// The queue, in the order in which people take it.
    fn rows(&self, journal: &Journal) -> Result<Vec<Arc<QueueRow>>, ApiError> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).rows(journal)
    }
}
