//! Requests to stages and judges, and the meaning of their answers, as data: nothing is called here. A live run, a
//! scenario test and the loop as data ([`crate::next`]) all make the same requests.

mod answer;
mod attached;
mod claims;
mod discretion;
mod drive;
mod known;
mod quoted;
mod request;
mod stage_answer;
mod value_request;
mod work;

#[doc(hidden)]
pub use answer::{RawAnswer, verdict};
pub(crate) use attached::requested;
pub use attached::{Attached, PageRequest};
#[doc(hidden)]
pub use discretion::ReferenceLeakFilter;
#[doc(hidden)]
pub use drive::{Host, NotDriven, PendingAssessment, PreparedCorrection, at_once, drive};
#[doc(hidden)]
pub use quoted::{QuotedAnswer, checked_quotes};
pub use request::PreparedFeedback;
pub use request::{Task, judge_request, stage_request};
#[doc(hidden)]
pub use request::{correction_feedback, correction_request};
#[doc(hidden)]
pub use stage_answer::stage_answer;
#[doc(hidden)]
pub use value_request::AskedValues;
#[doc(hidden)]
pub use work::feedback_for;
#[doc(hidden)]
pub use work::{first_input, request_for};

pub use loopctl_plugin_sdk::protocol;
