//! The documents that are scored again when a file is saved: the latest ones, as many as there is room for.

use super::{Rescore, RunTrace};
use crate::plan::Plan;
use crate::value::DocumentId;
use std::collections::VecDeque;

/// The limits on what is kept.
#[derive(Debug, Clone, Copy)]
pub struct RescoreLimits {
    /// The most documents.
    pub documents: usize,
    /// The most bytes of their texts, candidates and judges' answers.
    pub bytes: usize,
}

impl Default for RescoreLimits {
    /// Enough for a batch that a person inspects, and no more than a second of scoring.
    fn default() -> Self {
        RescoreLimits { documents: 200, bytes: 64 << 20 }
    }
}

/// The latest documents of a batch, with their latest scores and decisions.
#[derive(Debug, Default)]
pub struct RescoreBuffer {
    room: RescoreLimits,
    documents: VecDeque<(RunTrace, Rescore, usize)>,
    bytes: usize,
    dropped: usize,
    without_candidate: usize,
}

/// A document before and after it was scored again.
#[derive(Debug, Clone, PartialEq)]
pub struct Rescored {
    /// The document.
    pub id: DocumentId,
    /// The number of candidates that its run made.
    pub candidates: usize,
    /// Its scores and decision before.
    pub before: Rescore,
    /// Its scores and decision after.
    pub after: Rescore,
}

impl RescoreBuffer {
    /// Creates an empty buffer with this much room.
    #[must_use]
    pub fn new(room: RescoreLimits) -> Self {
        RescoreBuffer { room, ..RescoreBuffer::default() }
    }

    /// Keeps a document whose run with `plan` is over. The latest document is always kept; earlier ones make room.
    pub fn keep(&mut self, plan: &Plan, course: RunTrace) {
        let Some(standing) = Rescore::recorded(plan, &course) else {
            self.without_candidate += 1;
            return;
        };
        let size = course.size();
        self.bytes += size;
        self.documents.push_back((course, standing, size));
        let full = |kept: &Self| kept.documents.len() > kept.room.documents || kept.bytes > kept.room.bytes;
        while self.documents.len() > 1 && full(self) {
            if let Some((.., size)) = self.documents.pop_front() {
                self.bytes -= size;
                self.dropped += 1;
            }
        }
    }

    /// The number of documents that are kept.
    #[must_use]
    pub fn documents(&self) -> usize {
        self.documents.len()
    }

    /// The number of documents that had to make room.
    #[must_use]
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// The number of documents that had no candidate.
    #[must_use]
    pub fn without_candidate(&self) -> usize {
        self.without_candidate
    }

    /// Scores all of them with `plan`.
    pub fn rescore(&mut self, plan: &Plan) -> Vec<Rescored> {
        let again = |(course, standing, _): &mut (RunTrace, Rescore, usize)| {
            let after = Rescore::again(plan, course)?;
            let before = std::mem::replace(standing, after.clone());
            Some(Rescored { id: course.id().clone(), candidates: course.decided().count(), before, after })
        };
        self.documents.iter_mut().filter_map(again).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Problems;
    use crate::engine::{Event, Produced};
    use crate::ingest::Document;
    use crate::policy::{Checks, Decision, StopReason, Verdict};
    use crate::profile::{Library, load};
    use crate::score::Assessment;
    use crate::value::Millis;
    use serde_json::json;
    use std::sync::Arc;

    fn plan() -> Plan {
        let mut problems = Problems::new();
        let loaded = load("batch", &Library::embedded(), &[], &|_| None, &mut problems).unwrap();
        Plan::compile(&loaded, &mut problems).unwrap()
    }

    fn course(plan: &Plan, id: &str, with_candidate: bool) -> RunTrace {
        let document = Document::from_text(id, "Grade: 2");
        let mut course = RunTrace::new(plan, document, Some("pathology".to_owned()));
        if with_candidate {
            let produced = Produced { candidate: Arc::new(json!({ "grade": "2" })), ..Produced::default() };
            let decision = Decision {
                iteration: 0,
                verdict: Verdict::Stop { reason: StopReason::Criterion("max_iterations") },
                checks: Checks::default(),
                notes: Vec::new(),
                best: 0,
                rolled_back: false,
            };
            course.see(Millis(0), &Event::Supplied { produced });
            let assessment = Arc::new(Assessment::default());
            course.see(Millis(0), &Event::Assessed { iteration: 0, assessment });
            course.see(Millis(5), &Event::Decided(Arc::new(decision)));
        }
        course
    }

    #[test]
    fn the_latest_documents_are_kept_and_the_others_counted() {
        let plan = plan();
        let mut kept = RescoreBuffer::new(RescoreLimits { documents: 2, bytes: usize::MAX });
        for id in ["a", "b", "c"] {
            kept.keep(&plan, course(&plan, id, true));
        }
        kept.keep(&plan, course(&plan, "d", false));
        assert_eq!((kept.documents(), kept.dropped(), kept.without_candidate()), (2, 1, 1));
        let again = kept.rescore(&plan);
        assert_eq!(again.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["b", "c"]);
        assert!(again[0].after.assessment.scores.get("completeness").is_some());
        assert_eq!(kept.rescore(&plan)[0].before, again[0].after);
    }

    #[test]
    fn one_document_that_fills_the_room_is_kept() {
        let plan = plan();
        let mut kept = RescoreBuffer::new(RescoreLimits { documents: 9, bytes: 1 });
        for id in ["a", "b"] {
            kept.keep(&plan, course(&plan, id, true));
        }
        assert_eq!((kept.documents(), kept.dropped()), (1, 1));
    }
}
