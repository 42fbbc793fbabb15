//! Decisions as labels: one correction for each field that a reviewer decided.
//!
//! A list or a mapping whose document a reviewer accepted is one label, whole: then nothing is missing from it either.
//! A field that was not extracted, and that no reviewer decided about, has no label: no one has looked for it. A
//! reviewer's decision about a document as a whole, and about none of its fields, is a line of its own, which labels
//! nothing.

use super::decision::{Action, How};
use super::document::ReviewDocument;
use super::field_path::FieldPath;
use super::reviewed::{Position, ReviewState, standing};
use crate::value::is_present;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A reviewer's decision about a field, as `evaluate` reads it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Correction {
    /// The document.
    pub document: String,
    /// The member of the extraction, or a JSON Pointer to a value within it.
    pub field: String,
    /// The extracted value.
    pub before: Option<Value>,
    /// The right value; `null`: the document has no such value.
    pub after: Option<Value>,
    /// The reviewer who says so.
    pub reviewer: String,
    /// The time of the decision.
    pub at: String,
    /// `each` if the reviewer inspected the field, `swept` if it was accepted with its document as it was.
    pub how: How,
    /// `true` if it is the last word where reviewers differed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub settles: bool,
    /// `true` if reviewers differ about the field, or the document as a whole, and nothing settles which of them holds.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub disputed: bool,
}

/// A reviewer's decision about a document as a whole.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WholeDecision {
    document: String,
    /// `accept`, `reject` or `retype`.
    action: Action,
    /// The right type of the document, if the decision corrects it.
    #[serde(skip_serializing_if = "Option::is_none")]
    document_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    /// Always empty: a label of no field, as `evaluate` reads it.
    fields: Map<String, Value>,
    reviewer: String,
    at: String,
}

/// A line about a decision.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum DecisionLine {
    /// About a field.
    Field(Correction),
    /// About the document as a whole.
    Whole(WholeDecision),
}

impl Correction {
    /// The corrections of a document, and that of its type. For a reviewer who has none: the last decision about the
    /// document as a whole.
    pub fn lines_of(document: &ReviewDocument) -> Vec<DecisionLine> {
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
                document_type: None,
                comment: decision.content.comment.clone(),
                fields: Map::new(),
                reviewer: decision.reviewer.clone(),
                at: decision.at.to_string(),
            };
            whole.insert(&decision.reviewer, said);
        }
        whole.retain(|reviewer, _| !found.iter().any(|correction| correction.reviewer == *reviewer));
        let corrected = document.reviewed().corrected_type.map(|corrected| WholeDecision {
            document: document.id().to_owned(),
            action: Action::Retype,
            document_type: Some(corrected.document_type),
            comment: None,
            fields: Map::new(),
            reviewer: corrected.reviewer,
            at: corrected.at,
        });
        let whole = whole.into_values().chain(corrected).map(DecisionLine::Whole);
        found.into_iter().map(DecisionLine::Field).chain(whole).collect()
    }
}

/// The last decision of each reviewer about each field. A rejected document is right in nothing and labels nothing.
pub fn corrections(document: &ReviewDocument) -> Vec<Correction> {
    let reviewed = document.reviewed();
    if reviewed.state == ReviewState::Rejected {
        return Vec::new();
    }
    let differs_as_a_whole = reviewed.differs_as_a_whole();
    let mut found = Vec::new();
    for reviewer in &reviewed.reviewers {
        let accepted = reviewed.accepted_as(reviewer, document);
        // Fields by the path that they are labelled as.
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
            let is_disputed = |path: &FieldPath| reviewed.field(path).is_some_and(|said| said.is_disputed());
            found.push(Correction {
                how: How::of_all(decided.iter().map(|(_, position)| position.how)),
                settles: decided.iter().any(|(_, position)| position.settles),
                disputed: differs_as_a_whole || decided.iter().any(|(path, _)| is_disputed(path)),
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

/// A reviewer's verdict on a document as a whole, as `calibrate` reads it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DocumentVerdict {
    document: String,
    document_type: String,
    /// `true` if a value of it is wrong, or one is missing that the document has.
    wrong: bool,
    reviewer: String,
    /// `each` if each value was inspected. One that was found wrong was.
    how: How,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    settles: bool,
}

impl DocumentVerdict {
    /// The verdict of each reviewer who accepted or rejected a document, and what settled where they differed.
    pub fn lines_of(document: &ReviewDocument) -> Vec<DocumentVerdict> {
        let reviewed = document.reviewed();
        let line = |wrong: bool, reviewer: &str, how: How, settles: bool| DocumentVerdict {
            document: document.id().to_owned(),
            document_type: document.result.document_type.clone(),
            wrong,
            reviewer: reviewer.to_owned(),
            how: if wrong { How::Each } else { how },
            settles,
        };
        let is_wrong = |path: &FieldPath, position: &Position| {
            let extracted = path.of(document.extraction()).filter(|value| is_present(value));
            position.value.as_ref() != extracted
        };
        let mut lines: Vec<DocumentVerdict> = Vec::new();
        for whole in reviewed.wholes().iter().filter(|whole| !whole.settles) {
            let who = whole.reviewer.as_str();
            let said = || reviewed.fields().filter_map(move |(path, field)| Some((path, field.of(who)?)));
            let wrong = !whole.is_accepted || said().any(|(path, position)| is_wrong(path, position));
            let how = How::of_all(said().map(|(_, position)| position.how));
            lines.push(line(wrong, &whole.reviewer, how, false));
        }
        // What holds after a dispute was settled is the last word on the document.
        let settled = || reviewed.fields().filter_map(|(_, field)| field.holds().filter(|said| said.settles));
        let whole = reviewed.wholes().iter().rfind(|whole| whole.settles);
        let by = whole
            .map(|whole| whole.reviewer.as_str())
            .or(settled().map(|said| said.reviewer.as_str()).last());
        if let (Some(by), false) = (by, reviewed.state == ReviewState::Disputed) {
            let held = || reviewed.fields().filter_map(|(path, field)| Some((path, field.holds()?)));
            let is_rejected = reviewed.state == ReviewState::Rejected;
            let wrong = is_rejected || held().any(|(path, position)| is_wrong(path, position));
            let how = How::of_all(held().map(|(_, position)| position.how));
            lines.push(line(wrong, by, how, true));
        }
        lines
    }
}
