//! What the next request says.

use super::model::Section;
use super::words::{count, name, score};
use crate::plan::Plan;
use crate::profile::{Lock, OnRegression, PreviousOutput, Target};

pub(super) fn section(plan: &Plan) -> Section {
    let mut section = Section::new("request", "What the next request says");
    if plan.stages.is_empty() {
        return section;
    }
    let feedback = &plan.profile.feedback;
    let target = plan
        .policy
        .accept
        .thresholds
        .iter()
        .find(|(target, _)| *target == Target::Overall)
        .map_or_else(String::new, |(_, bound)| format!(" and the {} that is needed", score(bound.get())));
    let text = format!(
        "A correction is asked for with the whole task again and, in the words of {}, what is known of the candidate that it starts from: its overall score{target}; \
         its issues that the loop is to correct, critical ones first, each with its place, what is wrong and what may help; the fields that are missing, and which to \
         look at first.",
        name(&format!("prompts/{}", feedback.template.value))
    );
    section.say("feedback.template", text);
    let history = match plan.policy.on_regression {
        OnRegression::Rollback => format!(
            "It names what failed attempts (candidates that were rolled back) changed and what got worse by it: the latest {}.",
            count(feedback.history as u64, "attempt")
        ),
        OnRegression::Keep => format!(
            "Nothing is ever rolled back, so there are no failed attempts to tell of (the latest {} would be).",
            count(feedback.history as u64, "attempt")
        ),
    };
    section.say("feedback.history", history);
    let shown = match feedback.previous_output {
        PreviousOutput::Include => "It shows the candidate that the correction starts from.",
        PreviousOutput::Omit => {
            "It does not show the earlier candidate, so each answer is made from scratch."
        }
        PreviousOutput::FailingFields => {
            "Of the candidate that the correction starts from, it shows only the fields that have issues."
        }
    };
    section.say("feedback.previous_output", shown);
    let text = format!(
        "What it says of the candidate has at most {}, the earlier candidate not counted. If there is more to say, the least severe issues are left out first, and \
         how many is said.",
        count(feedback.max_bytes as u64, "byte")
    );
    section.say("feedback.max_bytes", text);
    let lock = match feedback.lock {
        Lock::None => "No field is locked: a correction may change anything.",
        Lock::Passing => {
            "Fields that are there and have no issue are locked: the request says to keep them, and a correction that changes one without cause gets the issue \
             `LOCKED_FIELD_CHANGED`."
        }
    };
    section.say("feedback.lock", lock);
    section
}
