//! Decisions as labels of single values: whether reviewers kept what was extracted, by the pattern of the passage that it was found
//! in.

use super::document::ReviewDocument;
use super::reviewed::{Position, ReviewState};
use super::{FieldPath, How};
use crate::score::{LeafEvidence, Method, Support};
use crate::value::canonical;
use loopctl_ground::{Labels, Pattern};
use serde_json::Value;

/// Values that reviewers decided about, and those that don't count.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LeafLabels {
    /// Kept values are right, corrected ones are wrong.
    pub labels: Labels,
    /// Values of documents that were accepted as they are: no one says that they were inspected.
    pub unseen: u64,
    /// Values about which reviewers differ, or whose list now has other items.
    pub unclear: u64,
}

/// The pattern of the passage that holds a value. For a contradicted value, that of the passage that contradicts it.
#[must_use]
pub fn pattern_of(leaf: &LeafEvidence<'_>) -> Option<Pattern> {
    let holds = match leaf.support {
        Support::Verified | Support::Undecided | Support::Entailed => true,
        Support::Unsupported | Support::Contradicted => leaf.method == Some(Method::Judge),
        Support::Conflicting => false,
    };
    leaf.pattern.filter(|_| holds)
}

impl LeafLabels {
    /// Adds the decisions about the values of a document. A rejected one is right in nothing, and labels nothing.
    pub fn add(&mut self, document: &ReviewDocument) {
        let reviewed = document.reviewed();
        let Some(validation) = &document.result.best_validation else { return };
        if reviewed.state == ReviewState::Rejected {
            return;
        }
        for (pointer, leaf) in validation.evidence.iter() {
            let own = reviewed.fields().filter(|(path, _)| within(path, pointer).is_some());
            let Some((path, field)) = own.max_by_key(|(path, _)| path.pointer().len()) else { continue };
            let Some(holds) = field.holds() else { continue };
            if field.is_disputed() || reviewed.differs_as_a_whole() {
                self.unclear += 1;
                continue;
            }
            match is_kept(document.extraction(), pointer, path, holds) {
                Some(true) if holds.how == How::Swept => self.unseen += 1,
                Some(kept) => self.labels.count(pattern_of(&leaf), kept),
                None => self.unclear += 1,
            }
        }
    }
}

/// The rest of a pointer within a field; `None` of one that does not lie in it.
fn within<'p>(field: &FieldPath, pointer: &'p str) -> Option<&'p str> {
    pointer.strip_prefix(field.pointer()).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns whether the value at `pointer` is what the reviewer says. `None` where a list on the way now has other
/// items: which of them it was is not known.
fn is_kept(extraction: &Value, pointer: &str, path: &FieldPath, holds: &Position) -> Option<bool> {
    let extracted = extraction.pointer(pointer)?;
    let Some(said) = &holds.value else { return Some(false) };
    let (mut before, mut after) = (path.of(extraction)?, said);
    for step in within(path, pointer)?.split('/').skip(1) {
        if let (Value::Array(before), Value::Array(after)) = (before, after)
            && before.len() != after.len()
        {
            return None;
        }
        let step = format!("/{step}");
        match (before.pointer(&step), after.pointer(&step)) {
            (Some(inner), Some(said)) => (before, after) = (inner, said),
            _ => return Some(false),
        }
    }
    Some(canonical(extracted) == canonical(after))
}
