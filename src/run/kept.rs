//! The documents that are scored again when a file is saved: the latest ones, as many as there is room for.

use super::{Course, Plan, Standing};
use crate::value::DocumentId;
use std::collections::VecDeque;

/// How much is kept.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Most documents.
    pub documents: usize,
    /// Most bytes of their texts, candidates and judges' answers.
    pub bytes: usize,
}

impl Default for Room {
    /// Enough for a batch that a person looks at, and no more than a second of scoring.
    fn default() -> Self {
        Room { documents: 200, bytes: 64 << 20 }
    }
}

/// The latest documents of a batch with where they stand.
#[derive(Debug, Default)]
pub struct Kept {
    room: Room,
    documents: VecDeque<(Course, Standing, usize)>,
    bytes: usize,
    dropped: usize,
    without_candidate: usize,
}

/// A document before and after it was scored again.
#[derive(Debug, Clone, PartialEq)]
pub struct Rescored {
    /// The document.
    pub id: DocumentId,
    /// How many candidates its run made.
    pub candidates: usize,
    /// Where it stood.
    pub before: Standing,
    /// Where it stands.
    pub after: Standing,
}

impl Kept {
    /// Nothing, with this much room.
    #[must_use]
    pub fn new(room: Room) -> Self {
        Kept { room, ..Kept::default() }
    }

    /// Keeps a document whose run with `plan` is over. The latest document is always kept; earlier ones make room.
    pub fn keep(&mut self, plan: &Plan, course: Course) {
        let Some(standing) = Standing::recorded(plan, &course) else {
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

    /// How many documents are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether there is nothing to score again.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// How many documents had to make room.
    #[must_use]
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// How many documents had no candidate.
    #[must_use]
    pub fn without_candidate(&self) -> usize {
        self.without_candidate
    }

    /// Scores all of them with `plan`.
    pub fn rescore(&mut self, plan: &Plan) -> Vec<Rescored> {
        let again = |(course, standing, _): &mut (Course, Standing, usize)| {
            let after = Standing::again(plan, course)?;
            let before = std::mem::replace(standing, after.clone());
            Some(Rescored { id: course.id().clone(), candidates: course.made.len(), before, after })
        };
        self.documents.iter_mut().filter_map(again).collect()
    }
}
