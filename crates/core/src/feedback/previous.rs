//! The part of the corrected candidate that a correction request shows.

use super::Finding;
use crate::profile::PreviousOutput;
use crate::score::top_level_field;
use serde_json::Value;
use std::collections::HashSet;
use std::sync::Arc;

/// Most bytes of an earlier answer that are shown. A longer one was of no use, and sending it again would cost as much.
const MAX_SHOWN: usize = 200_000;

/// The part of the base that the addressed stage answers for, and how much of it is shown.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Previous {
    part: Option<Arc<Value>>,
    /// `true` if the members of `part` are those of the base, so that paths of issues lead into it.
    is_slice: bool,
    show: PreviousOutput,
}

impl Previous {
    pub(super) fn new(base: &Value, part: Option<&Arc<Value>>, show: PreviousOutput) -> Self {
        let is_slice = part
            .and_then(|part| part.as_object())
            .is_some_and(|members| members.iter().all(|(field, value)| base.get(field) == Some(value)));
        Previous { part: part.map(Arc::clone), is_slice, show }
    }

    /// Returns whether the shown part depends on the issues that are fed back.
    pub(super) fn depends_on_findings(&self) -> bool {
        self.show == PreviousOutput::FailingFields
    }

    /// The text to show, as indented JSON, and whether it is only some fields of the earlier answer. The failing fields
    /// are unknown when an issue is about the whole, or the answer is not an object: then all of it is shown. Of an answer
    /// longer than [`MAX_SHOWN`] the failing fields are shown, and nothing when those are as long.
    pub(super) fn shown<'f>(&self, findings: impl Iterator<Item = &'f Finding>) -> (Option<String>, bool) {
        let Some(part) = &self.part else { return (None, false) };
        let text =
            |value: &Value| serde_json::to_string_pretty(value).ok().filter(|text| text.len() <= MAX_SHOWN);
        let whole = || (text(part), false);
        let show = match self.show {
            PreviousOutput::Include if text(part).is_none() => PreviousOutput::FailingFields,
            show => show,
        };
        match (show, part.as_ref()) {
            (PreviousOutput::Omit, _) => (None, false),
            (PreviousOutput::FailingFields, Value::Object(members)) if self.is_slice => {
                let Some(failing) = findings
                    .map(|finding| top_level_field(&finding.path))
                    .collect::<Option<HashSet<String>>>()
                else {
                    return whole();
                };
                let part: serde_json::Map<String, Value> = members
                    .iter()
                    .filter(|(field, _)| failing.contains(*field))
                    .map(|(field, value)| (field.clone(), value.clone()))
                    .collect();
                if part.is_empty() {
                    return (None, false);
                }
                let is_part = part.len() < members.len();
                let shown = text(&Value::Object(part));
                let is_part = is_part && shown.is_some();
                (shown, is_part)
            }
            (PreviousOutput::Include | PreviousOutput::FailingFields, _) => whole(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_that_is_longer_than_any_of_use_is_not_sent_back() {
        let shown = |base: Value| {
            let base = Arc::new(base);
            Previous::new(&base, Some(&base), PreviousOutput::Include).shown(std::iter::empty())
        };
        assert!(shown(json!({"a": "x".repeat(1_000)})).0.is_some());
        assert_eq!(shown(json!({"a": "x".repeat(10_000_000)})), (None, false));
        assert_eq!(shown(json!(["x".repeat(MAX_SHOWN)])), (None, false));
    }
}
