//! The result of a run for one document, and its explanation.

mod document;
mod explanation;

pub(crate) use document::wants_review;
pub use document::{AnsweredBy, DocumentResult, IterationResult};
pub(crate) use document::{is_for_a_person, is_result, message_for_a_person};
pub(crate) use explanation::EXPLANATION_VERSION;
pub use explanation::{Explained, Explanation, FeedbackSent};
pub(crate) use explanation::{ExplanationBuilder, add_member, explained, prepared_in};
