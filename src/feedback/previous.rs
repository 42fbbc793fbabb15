//! What a correction request shows of the candidate that is corrected.

use super::Finding;
use crate::profile::PreviousOutput;
use crate::score::top_level_field;
use serde_json::Value;
use std::collections::HashSet;
use std::sync::Arc;

/// The base, and how much of it is shown.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Previous {
    base: Arc<Value>,
    show: PreviousOutput,
}

impl Previous {
    pub(super) fn new(base: &Arc<Value>, show: PreviousOutput) -> Self {
        Previous { base: Arc::clone(base), show }
    }

    /// Whether what is shown depends on what is fed back.
    pub(super) fn depends_on_findings(&self) -> bool {
        self.show == PreviousOutput::FailingFields
    }

    /// The text to show, as indented JSON, and whether it is only a part of the base. No part can be told when an
    /// issue is about the whole, or the base is no object: then all of it is shown.
    pub(super) fn shown<'f>(&self, findings: impl Iterator<Item = &'f Finding>) -> (Option<String>, bool) {
        let whole = || (serde_json::to_string_pretty(self.base.as_ref()).ok(), false);
        match (self.show, self.base.as_ref()) {
            (PreviousOutput::Omit, _) => (None, false),
            (PreviousOutput::FailingFields, Value::Object(members)) => {
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
                (serde_json::to_string_pretty(&part).ok(), is_part)
            }
            (PreviousOutput::Include | PreviousOutput::FailingFields, _) => whole(),
        }
    }
}
