//! Which candidate is returned.

use super::model::Section;
use super::words::{issues, target};
use crate::plan::Plan;
use crate::profile::{OnRegression, Returned, SelectKey, Target, Ties};

pub(super) fn section(plan: &Plan) -> Section {
    let mut section = Section::new("selection", "Which candidate is returned");
    let select = &plan.policy.select;
    let text = match select.returned {
        Returned::Best => {
            "A candidate that is accepted is returned. However else the loop ends, the best candidate is."
        }
        Returned::Last => {
            "A candidate that is accepted is returned. However else the loop ends, the latest candidate is, whatever it scored."
        }
    };
    section.say("select.return", text);
    let matters = select.returned == Returned::Best || plan.policy.on_regression == OnRegression::Rollback;
    let keys: Vec<String> = select.order.iter().map(key).collect();
    let keys = match keys.as_slice() {
        [only] => only.clone(),
        several => several.join("; of those that are equal in this, the one with "),
    };
    let idle = if matters {
        ""
    } else {
        " (As things are set, this decides nothing but what a result calls the best.)"
    };
    section.say("select.order", format!("The better of two candidates is the one with {keys}.{idle}"));
    let ties = match select.ties {
        Ties::First => "Of two that are equal in all of this, the earlier counts as the better.",
        Ties::Last => "Of two that are equal in all of this, the later counts as the better.",
    };
    section.say("select.ties", ties);
    section
}

fn key(key: &SelectKey) -> String {
    match key {
        SelectKey::NoCritical => "no critical issue".to_owned(),
        SelectKey::Score(Target::Overall) => "the higher overall score".to_owned(),
        SelectKey::Score(dimension) => format!("the higher {}", target(dimension)),
        SelectKey::Fewest(kind) => format!("fewer {}", issues(*kind)),
    }
}
