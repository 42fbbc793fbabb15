//! The evidence that was found in the document for the values of an extraction, by their paths.

use super::field_path::FieldPath;
use crate::score::{Assessment, LeafEvidence};
use crate::value::{escape, is_present};
use serde_json::Value;
use std::collections::HashMap;

/// The evidence of a result, to be looked up field by field.
pub(super) struct Found<'a>(HashMap<&'a str, LeafEvidence<'a>>);

impl<'a> Found<'a> {
    pub(super) fn of(validation: Option<&'a Assessment>) -> Self {
        Found(validation.into_iter().flat_map(|validation| validation.evidence.iter()).collect())
    }

    /// The evidence for the value of a field. Of a list, that for the weakest of its items; `None` where nothing has
    /// looked for one of them.
    pub(super) fn leaf(&self, path: &FieldPath, value: Option<&Value>) -> Option<LeafEvidence<'a>> {
        if let Some(leaf) = self.0.get(path.pointer()) {
            return Some(*leaf);
        }
        self.weakest(path.pointer(), value?)
    }

    fn weakest(&self, pointer: &str, value: &Value) -> Option<LeafEvidence<'a>> {
        let of = |step: &str, value: &Value| {
            let pointer = format!("{pointer}/{}", escape(step));
            self.0.get(pointer.as_str()).copied().or_else(|| self.weakest(&pointer, value))
        };
        let below: Vec<Option<LeafEvidence<'a>>> = match value {
            Value::Array(items) => {
                let items = items.iter().enumerate().filter(|(_, item)| is_present(item));
                items.map(|(at, item)| of(&at.to_string(), item)).collect()
            }
            Value::Object(members) => {
                let members = members.iter().filter(|(_, member)| is_present(member));
                members.map(|(name, member)| of(name, member)).collect()
            }
            _ => return None,
        };
        let all = below.into_iter().collect::<Option<Vec<LeafEvidence<'a>>>>()?;
        all.into_iter().reduce(|weakest, leaf| if leaf.support > weakest.support { leaf } else { weakest })
    }
}
