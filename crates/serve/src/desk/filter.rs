//! The selection of documents from the queue.

use super::queue::{QueueRow, ReviewTask};
use crate::pages::in_address;
use crate::review::{Reason, ReviewState};
use serde::Deserialize;

/// The selection of documents that are shown. Members that are empty ask for nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct Filter {
    /// Those of one run.
    pub(super) run: String,
    /// Those that wait for one reason, by its word; or for a second review.
    pub(super) reason: String,
    /// Those of one type.
    #[serde(rename = "type")]
    pub(super) document_type: String,
    /// Those whose review is in this state; `all` for every state; empty for those that wait for this reviewer.
    pub(super) state: String,
    /// Those that this reviewer decided about or has open, if `yes`.
    pub(super) mine: String,
    /// The page of the list, from 1.
    pub(super) page: String,
}

/// The word for documents that wait for a second reviewer.
pub(super) const SECOND_REVIEW: &str = "second_review";

/// The word for documents in every state.
pub(super) const ALL: &str = "all";

impl Filter {
    /// Returns whether the filter asks for a document.
    pub(super) fn admits(
        &self,
        row: &QueueRow,
        task: ReviewTask,
        reviewer: &str,
        is_open_by_them: bool,
    ) -> bool {
        self.admits_reason(row, task) && self.admits_rest(row, task, reviewer, is_open_by_them)
    }

    /// Like [`Filter::admits`], but for any reason, so that reasons can be counted.
    pub(super) fn admits_rest(
        &self,
        row: &QueueRow,
        task: ReviewTask,
        reviewer: &str,
        is_open_by_them: bool,
    ) -> bool {
        let is_mine = || is_open_by_them || row.reviewers.iter().any(|name| name == reviewer);
        (self.run.is_empty() || row.run.as_str() == self.run)
            && (self.document_type.is_empty() || row.document_type == self.document_type)
            && self.admits_state(row, task)
            && (self.mine != "yes" || is_mine())
    }

    fn admits_state(&self, row: &QueueRow, task: ReviewTask) -> bool {
        match self.state.as_str() {
            ALL => true,
            "" => task != ReviewTask::Over,
            // The decision about it is not for the second reviewer to see.
            state => task != ReviewTask::Second && row.state.as_str() == state,
        }
    }

    fn admits_reason(&self, row: &QueueRow, task: ReviewTask) -> bool {
        match self.reason.as_str() {
            "" => true,
            SECOND_REVIEW => task == ReviewTask::Second,
            // The second reviewer must not see that reviewers differ.
            reason if task == ReviewTask::Second && reason == Reason::Disputed.as_str() => false,
            reason => row.reasons.iter().any(|one| one.as_str() == reason),
        }
    }

    /// The page of the list, from 1.
    pub(super) fn page(&self) -> usize {
        self.page.parse().unwrap_or(1).max(1)
    }

    /// This filter, for another reason.
    pub(super) fn with_reason(&self, reason: &str) -> Self {
        Filter { reason: reason.to_owned(), ..self.without_page() }
    }

    /// This filter, for any page of the list.
    pub(super) fn without_page(&self) -> Self {
        Filter { page: String::new(), ..self.clone() }
    }

    /// This filter as a query, with `?`; empty if it asks for nothing.
    pub(super) fn query(&self) -> String {
        let members = [
            ("run", &self.run),
            ("reason", &self.reason),
            ("type", &self.document_type),
            ("state", &self.state),
            ("mine", &self.mine),
            ("page", &self.page),
        ];
        let asked: Vec<String> = members
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!("{name}={}", in_address(value)))
            .collect();
        if asked.is_empty() { String::new() } else { format!("?{}", asked.join("&")) }
    }

    /// Every word for a reason, with what it means.
    pub(super) fn reasons() -> Vec<(&'static str, &'static str)> {
        let said = |reason: Reason| match reason {
            Reason::Disputed => "reviewers differ",
            Reason::Escalated => "a person must decide",
            Reason::Refused => "did not pass",
            Reason::Conflicting => "the document contradicts itself",
            Reason::Unverified => "a value is not verified",
            Reason::ReviewWhen => "the profile asks for review",
            Reason::AuditSample => "drawn for the audit sample",
        };
        let of_results = Reason::ALL.into_iter().map(|reason| (reason.as_str(), said(reason)));
        of_results.chain([(SECOND_REVIEW, "second review, blind")]).collect()
    }

    /// Every word for a state, with what it means.
    pub(super) fn states() -> Vec<(&'static str, &'static str)> {
        let said = |state: ReviewState| match state {
            ReviewState::Waiting => "nothing decided",
            ReviewState::InReview => "in review",
            ReviewState::Accepted => "accepted",
            ReviewState::Rejected => "rejected",
            ReviewState::Disputed => "reviewers differ",
        };
        let each = ReviewState::ALL.into_iter().map(|state| (state.as_str(), said(state)));
        [("", "to do")].into_iter().chain(each).chain([(ALL, "all")]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_read_from_its_own_query() {
        let filter = Filter { run: "r&x=1".to_owned(), mine: "yes".to_owned(), ..Filter::default() };
        assert_eq!(filter.query(), "?run=r%26x%3D1&mine=yes");
        assert_eq!(Filter::default().query(), "");
        assert_eq!(Filter { page: "2".to_owned(), ..filter.clone() }.without_page(), filter);
        assert_eq!(Filter { page: "x".to_owned(), ..Filter::default() }.page(), 1);
    }
}
