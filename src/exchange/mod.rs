//! What is asked of stages and judges, and what their answers mean, as data: nobody is asked here. A live run, a scenario
//! test and the loop as data ([`crate::next`]) all make the same requests.

mod answer;
mod claims;
mod discretion;
mod known;
mod quoted;
mod request;
mod stage_answer;
mod value_request;
mod work;

pub(crate) use answer::{RawAnswer, verdict};
pub(crate) use discretion::ReferenceLeakFilter;
pub(crate) use known::Known;
pub(crate) use quoted::{QuotedAnswer, checked_quotes};
pub use request::PreparedFeedback;
pub use request::{Task, judge_request, stage_request};
pub(crate) use request::{correction_feedback, correction_request};
pub(crate) use stage_answer::stage_answer;
pub(crate) use value_request::AskedValues;
pub(crate) use work::{attached, feedback_for};
pub(crate) use work::{first_input, request_for};

pub use loopctl_plugin_sdk::protocol;
