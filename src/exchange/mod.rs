//! What is asked of stages and judges, and what their answers mean, as data: nobody is asked here. A live run, a scenario
//! test and the loop as data ([`crate::next`]) all make the same requests.

mod claims;
mod discretion;
mod request;
mod stage_answer;
mod work;

pub(crate) use discretion::ReferenceLeakFilter;
pub(crate) use request::mend_whole;
pub use request::{RawAnswer, Task, correction_feedback, correction_request, judge_request, stage_request};
pub use stage_answer::stage_answer;
pub(crate) use work::{attached, feedback_for};
pub use work::{first_input, request_for};

pub use loopctl_plugin_sdk::protocol;
