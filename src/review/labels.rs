//! Decisions as labels: one correction for each field that a reviewer decided.
//!
//! A list or a mapping whose document a reviewer accepted is one label, whole: then nothing is missing from it either. What a reviewer
//! said of a document as a whole, and of none of its fields, is a line of its own, which labels nothing.

use super::decision::Action;
use super::document::ReviewDocument;
use super::field_path::FieldPath;
use super::reviewed::{Position, ReviewState, standing};
use serde::Serialize;
use serde_json::{Map, Value};
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

/// What a reviewer said of a document as a whole.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct WholeDecision {
    document: String,
    /// `accept` or `reject`.
    action: Action,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    /// Always empty: a label of no field, as `evaluate` reads it.
    fields: Map<String, Value>,
    reviewer: String,
    at: String,
}

/// A line of what was decided.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum DecisionLine {
    /// About a field.
    Field(Correction),
    /// About the document as a whole.
    Whole(WholeDecision),
}

impl Correction {
    /// The corrections of a document. Of a reviewer who has none: what that reviewer said last of the document as a whole.
    pub(crate) fn lines_of(document: &ReviewDocument) -> Vec<DecisionLine> {
        let found = corrections(document);
        let mut whole: BTreeMap<&str, WholeDecision> = BTreeMap::new();
        for decision in standing(document) {
            let action = decision.content.action;
            let is_whole = decision.content.field.is_none();
            if !is_whole || !matches!(action, Action::Accept | Action::Reject) {
                continue;
            }
            let said = WholeDecision {
                document: document.id().to_owned(),
                action,
                comment: decision.content.comment.clone(),
                fields: Map::new(),
                reviewer: decision.reviewer.clone(),
                at: decision.at.to_string(),
            };
            whole.insert(&decision.reviewer, said);
        }
        whole.retain(|reviewer, _| !found.iter().any(|correction| correction.reviewer == *reviewer));
        let whole = whole.into_values().map(DecisionLine::Whole);
        found.into_iter().map(DecisionLine::Field).chain(whole).collect()
    }
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
