//! The hot path: candidate + source → assessment, by running a compiled program.

mod account;
mod assessment;
mod assessor;
mod chain;
mod evaluate;
mod combine;
mod grounded;
pub mod grounding;
mod machine;
mod pre_existing;
mod member;
mod memo;
mod subject;
mod panel;
mod wording;

#[cfg(test)]
mod arithmetic;
#[cfg(test)]
mod check_table;
#[cfg(test)]
mod clinical;
#[cfg(test)]
mod growth;
#[cfg(test)]
mod scripted;

pub use account::{DimensionBreakdown, Loss, MeasureKind, Part, ScoreBreakdown};
pub use assessment::{
    Assessment, DOCUMENT_TYPE_UNKNOWN, DOCUMENT_UNSEEN, Evidence, Issue, Scores, SourceSpan, top_level_field,
};
pub use assessor::{Assessor, Scoring};
pub use grounded::Source;
pub use machine::SCRIPT_FAILED;
pub use member::{Answer, JUDGE_FAILED, Member};
pub use panel::{Panel, Unavailable};
pub use subject::{AssessedValue, INVALID_PATCH};
