//! The result of a run for one document, and its explanation.

mod document;
mod explanation;
mod merged;

#[doc(hidden)]
pub use document::wants_review;
pub use document::{AnsweredBy, DocumentResult, IterationResult};
#[doc(hidden)]
pub use document::{is_for_a_person, is_result, message_for_a_person};
#[doc(hidden)]
pub use explanation::EXPLANATION_VERSION;
pub use explanation::{Explained, Explanation, FeedbackSent};
#[doc(hidden)]
pub use explanation::{ExplanationBuilder, add_member, explained, prepared_in};
pub use merged::{MergedResult, MergedSection, MergedStatus, SectionConflict, SectionValue};
