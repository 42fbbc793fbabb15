//! The outcome of a labelled document.

use super::evaluation::{Disputed, Reason, UnusableLabel};
use super::outcome::{FieldOutcome, last_key, outcome, top_key, unusable};
use super::settle::{Settled, Source, settle};
use crate::result::DocumentResult;
use crate::score::{Support, ValueComparison};
use crate::value::{Usage, is_present};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The outcome of a document.
#[derive(Debug)]
pub(super) struct DocumentOutcome {
    pub(super) id: String,
    /// The number of its cluster, if labels name any.
    pub(super) cluster: Option<usize>,
    /// The type as which it was classified, or would have been if it had not been given.
    pub(super) classified: String,
    pub(super) passed: bool,
    pub(super) final_status: &'static str,
    pub(super) values: u64,
    pub(super) supported_values: u64,
    /// The top-level members that have a value.
    pub(super) found: Vec<String>,
    pub(super) overall: Option<f64>,
    pub(super) first: Option<f64>,
    pub(super) usage: Usage,
    pub(super) cached_calls: u64,
    pub(super) fields: Vec<FieldOutcome>,
    pub(super) disputed: Vec<Disputed>,
    pub(super) unusable: Vec<UnusableLabel>,
}

impl DocumentOutcome {
    /// Compares the labels of the document `name` with its result. `classified` is the classifier's answer, if the type
    /// was given; `filled_in` are the fields that the host takes from the document's text.
    pub(super) fn of(
        name: &str,
        labels: &BTreeMap<String, Vec<Source>>,
        classified: Option<&str>,
        result: &DocumentResult,
        comparison: ValueComparison<'_>,
        filled_in: &BTreeSet<String>,
    ) -> Self {
        let extraction = result.best_extraction.as_deref().unwrap_or(&Value::Null);
        let (mut fields, mut disputed, mut unusable_labels) = (Vec::new(), Vec::new(), Vec::new());
        for (field, sources) in labels {
            match settle(last_key(field), sources, comparison) {
                Some(Settled::Holds(source)) => {
                    match unusable(field, &source.label, extraction, comparison) {
                        None => fields.push(outcome(field, &source.label, extraction, comparison)),
                        Some((expected, label)) => unusable_labels.push(UnusableLabel {
                            document: name.to_owned(),
                            field: field.clone(),
                            place: source.place.clone(),
                            expected,
                            label,
                        }),
                    }
                }
                Some(Settled::Disputed(labels)) => {
                    disputed.push(Disputed { document: name.to_owned(), field: field.clone(), labels });
                }
                None => {}
            }
        }
        let supports: Vec<Support> = (result.best_validation.iter())
            .flat_map(|validation| validation.evidence.iter())
            .filter(|(path, _)| !filled_in.contains(top_key(path)))
            .map(|(_, leaf)| leaf.support)
            .collect();
        let is_supported = |support: &&Support| matches!(support, Support::Verified | Support::Entailed);
        let members = extraction.as_object().into_iter().flatten();
        DocumentOutcome {
            id: result.id.as_str().to_owned(),
            cluster: None,
            classified: classified.unwrap_or(&result.document_type).to_owned(),
            passed: result.final_status.passes(),
            final_status: result.final_status.as_str(),
            values: supports.len() as u64,
            supported_values: supports.iter().filter(is_supported).count() as u64,
            found: members.filter(|(_, value)| is_present(value)).map(|(key, _)| key.clone()).collect(),
            overall: result.best_validation.as_ref().map(|validation| validation.overall),
            first: result.improvement_trajectory.first().copied(),
            usage: result.usage,
            cached_calls: result.cached_calls as u64,
            fields,
            disputed,
            unusable: unusable_labels,
        }
    }

    /// Returns whether it has a label of a field, so that it is right or wrong.
    pub(super) fn is_judged(&self) -> bool {
        !self.fields.is_empty()
    }

    pub(super) fn is_right(&self) -> bool {
        self.fields.iter().all(|field| field.verdict.is_right())
    }

    pub(super) fn has_false_values(&self) -> bool {
        self.fields.iter().any(|field| field.verdict.is_false())
    }

    pub(super) fn reason(&self) -> Option<Reason> {
        match (self.passed, self.is_right()) {
            (true, true) => None,
            (true, false) if self.has_false_values() => Some(Reason::PassedWithFalseValues),
            (true, false) => Some(Reason::PassedWithMissingValues),
            (false, true) => Some(Reason::RefusedThoughRight),
            (false, false) => Some(Reason::RefusedAndWrong),
        }
    }
}
