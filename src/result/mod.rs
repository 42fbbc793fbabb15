//! What a run leaves of one document, and what explains it.

mod document;
mod explanation;

pub(crate) use document::message_for_a_person;
pub use document::{AnsweredBy, DocumentResult, IterationResult, wants_review};
pub use explanation::{EXPLANATION_VERSION, Explained, Explanation, FeedbackSent};
pub(crate) use explanation::{ExplanationBuilder, explained};
