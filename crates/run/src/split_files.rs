//! Files that hold several documents: whether a plan splits them, and what comes of their sections.

use crate::ingest::Classifier;
use crate::plan::Plan;
use crate::profile::{MergeRule, MergeSettings};
use serde_json::{Value, json};

/// The classifier by which a plan splits files, and the rules by which results of sections are merged; `None` if it works on
/// whole files.
#[must_use]
pub fn split_rules(plan: &Plan) -> Option<(&Classifier, &MergeSettings)> {
    let sections = plan.profile.sections.as_ref().filter(|sections| sections.split)?;
    Some((plan.classifier.as_ref()?, &sections.merge))
}

/// The rules for merging as the journal keeps them.
pub(super) fn stored(rules: &MergeSettings) -> Value {
    json!({ "default": rules.default, "fields": rules.fields })
}

/// The rules for merging in a record of the journal; all values must agree if it has none.
#[must_use]
pub fn merge_rules(stored: &Value) -> MergeSettings {
    let rules = |key: &str| stored.get(key).cloned().unwrap_or_default();
    MergeSettings {
        default: serde_json::from_value(rules("default")).unwrap_or(MergeRule::Conflict),
        fields: serde_json::from_value(rules("fields")).unwrap_or_default(),
    }
}
