//! Requests to stages and judges, and the meaning of their answers, as data: nothing is called here. A live run, a
//! scenario test and the loop as data ([`crate::next`]) all make the same requests.

mod answer;
mod claims;
mod discretion;
mod drive;
mod known;
mod quoted;
mod request;
mod stage_answer;
mod value_request;
mod work;

pub use answer::{RawAnswer, verdict};
pub use discretion::ReferenceLeakFilter;
pub use drive::{Host, NotDriven, PendingAssessment, PreparedCorrection, at_once, drive};
pub use quoted::{QuotedAnswer, checked_quotes};
pub use request::PreparedFeedback;
pub use request::{Task, judge_request, stage_request};
pub use request::{correction_feedback, correction_request};
pub use stage_answer::stage_answer;
pub use value_request::AskedValues;
pub use work::{attached, feedback_for};
pub use work::{first_input, request_for};

pub use loopctl_plugin_sdk::protocol;
