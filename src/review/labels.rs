//! Decisions as labels: one correction for each field that a reviewer decided.
//!
//! A list or a mapping whose document a reviewer accepted is one label, whole: then nothing is missing from it either.

use super::document::ReviewDocument;
use super::field_path::FieldPath;
use super::reviewed::{Position, ReviewState};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// What a reviewer says of a field, as `evaluate` reads it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Correction {
    /// The document.
    pub(crate) document: String,
    /// The member of the extraction, or a JSON Pointer to a value within it.
    pub(crate) field: String,
    /// What was extracted.
    pub(crate) before: Option<Value>,
    /// What is right; `null`: the document has no such value.
    pub(crate) after: Option<Value>,
    /// Who says so.
    pub(crate) reviewer: String,
    /// When.
    pub(crate) at: String,
}

/// The last that each reviewer said of each field. A document that was rejected is right in nothing and labels nothing.
pub(crate) fn corrections(document: &ReviewDocument) -> Vec<Correction> {
    let reviewed = document.reviewed();
    if reviewed.state == ReviewState::Rejected {
        return Vec::new();
    }
    let mut found = Vec::new();
    for reviewer in &reviewed.reviewers {
        let accepted = reviewed.accepted_as(reviewer, document);
        // Fields by what they are labelled as.
        let mut labels: BTreeMap<FieldPath, Vec<(&FieldPath, &Position)>> = BTreeMap::new();
        for (path, field) in reviewed.fields() {
            let Some(position) = field.of(reviewer) else { continue };
            let label = if accepted.is_some() { FieldPath::of_top(&path.top()) } else { path.clone() };
            labels.entry(label).or_default().push((path, position));
        }
        for (label, decided) in labels {
            let Some((_, latest)) = decided.iter().max_by_key(|(_, position)| position.at) else { continue };
            let after = match (decided.as_slice(), &accepted) {
                ([(path, position)], _) if **path == label => position.value.clone(),
                (_, accepted) => accepted.as_ref().and_then(|whole| label.of(whole)).cloned(),
            };
            found.push(Correction {
                document: document.id().to_owned(),
                field: label.to_string(),
                before: label.of(document.extraction()).cloned(),
                after,
                reviewer: reviewer.clone(),
                at: latest.at.to_string(),
            });
        }
    }
    found
}
