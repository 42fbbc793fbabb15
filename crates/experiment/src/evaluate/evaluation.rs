//! The result of an evaluation: everything that text, JSON and page report.

use super::outcome::Verdict;
use super::risk::RiskCoverage;
use crate::statistics::Interval;
use serde::Serialize;
use std::collections::BTreeMap;

/// Results compared with labels. Its JSON form is described in `docs/evaluate.md`.
#[derive(Debug, Clone, Serialize)]
pub struct Evaluation {
    /// The results and the labels that were compared.
    pub sources: Sources,
    /// The documents that have both a label and a result.
    pub documents: DocumentFigures,
    /// Those that passed.
    pub passed: PassedFigures,
    /// Those that did not.
    pub refused: RefusedFigures,
    /// Each labelled field, in the order of their names.
    pub fields: Vec<FieldFigures>,
    /// All labelled fields together; each value counts the same.
    pub all_fields: FieldFigures,
    /// Each type of documents.
    pub document_types: Vec<TypeFigures>,
    /// Values extracted in place of others, the most frequent first.
    pub confusions: Vec<Confusion>,
    /// The number of pairs of values that are left out there.
    pub more_confusions: u64,
    /// The ability of the overall score to tell right documents from wrong ones.
    pub risk_coverage: RiskCoverage,
    /// The cost of the documents.
    pub cost: CostFigures,
    /// Every document to review, the most important first.
    pub look_at: Vec<LookAtDocument>,
    /// The number of documents for each reason.
    pub look_at_counts: BTreeMap<Reason, u64>,
    /// Items without a counterpart.
    pub unmatched: Unmatched,
}

/// The results and the labels that were compared.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Sources {
    /// The run in the journal, or the file or folder of results.
    pub results: String,
    /// The profile whose rubrics and vocabularies determine when two values are the same.
    pub profile: String,
    /// The number of documents that have labels.
    pub labelled_documents: u64,
    /// The number of documents that have results.
    pub result_documents: u64,
    /// The confidence of every interval.
    pub confidence: f64,
}

/// Documents that have both a label of a field and a result.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct DocumentFigures {
    /// Their number.
    pub evaluated: u64,
    /// The number of clusters that they come from, if labels name any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<u64>,
    /// The number of others that have a label and a result, but no label of a field that can be judged: most often only
    /// that of their type.
    pub not_judged: u64,
    /// The number of documents in which every labelled field is right.
    pub right: u64,
    /// The number of documents in which one is not.
    pub wrong: u64,
    /// The number of these that have a wrong or spurious value; the others only lack values.
    pub with_false_values: u64,
}

/// Documents that passed.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct PassedFigures {
    /// Their number.
    pub documents: u64,
    /// The number of clusters that they come from, if labels name any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<u64>,
    /// The number of these clusters in which a document is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters_with_wrong: Option<u64>,
    /// The number of others that passed and have no label of a field that can be judged.
    pub not_judged: u64,
    /// The number of documents that are wrong.
    pub wrong: u64,
    /// The number of these that have a wrong or spurious value.
    pub with_false_values: u64,
    /// The share that is wrong.
    pub share_wrong: Option<f64>,
    /// The interval of that share.
    pub interval: Option<Interval>,
}

/// Documents that did not pass.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct RefusedFigures {
    /// Their number.
    pub documents: u64,
    /// The number of clusters that they come from, if labels name any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<u64>,
    /// The number of others that did not pass and have no label of a field that can be judged.
    pub not_judged: u64,
    /// The number of documents that are right.
    pub right: u64,
    /// The share that is right.
    pub share_right: Option<f64>,
    /// The interval of that share.
    pub interval: Option<Interval>,
}

/// The outcome of one field in all documents that have a label for it.
#[derive(Debug, Clone, Default, Serialize)]
pub struct FieldFigures {
    /// The field; empty for all of them together.
    pub field: String,
    /// The profile's declaration of how its values are compared; empty without.
    pub compared_by: String,
    /// The number of documents that have a label for it.
    pub documents: u64,
    /// The number of clusters that they come from, if labels name any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<u64>,
    /// The number of documents in which it is right, or absent as it should be.
    pub exact: u64,
    /// The right value was extracted.
    pub right: u64,
    /// Another one was extracted.
    pub wrong: u64,
    /// None was extracted where there is one, or only some of the items of a list or members of a mapping, and nothing else.
    pub missing: u64,
    /// One was extracted where there is none.
    pub spurious: u64,
    /// None was extracted where there is none.
    pub absent: u64,
    /// Values in labels, where each item of a list and each member of a mapping is one.
    pub labelled_values: u64,
    /// Values that were extracted. `None` if labels are partial, so that it is unknown which of them are wrong.
    pub extracted_values: Option<u64>,
    /// Values that are in both.
    pub agreeing_values: u64,
    /// Of the values that were extracted, the share that is right.
    pub precision: Option<f64>,
    /// Of the values in labels, the share that was extracted.
    pub recall: Option<f64>,
    /// The harmonic mean of the two.
    pub f1: Option<f64>,
    /// The share of documents in which it is exactly as the label says.
    pub exact_agreement: Option<f64>,
    /// The interval of that share.
    pub exact_interval: Option<Interval>,
}

/// Documents of a type.
#[derive(Debug, Clone, Default, Serialize)]
pub struct TypeFigures {
    /// The type: as labelled, where labels say so.
    pub document_type: String,
    /// The number of documents.
    pub documents: u64,
    /// The number of them that have a labelled type.
    pub labelled: u64,
    /// The number of these that were classified as that type.
    pub recognised: u64,
    /// The number of these that were classified as no type.
    pub unknown: u64,
    /// The number of documents that passed.
    pub passed: u64,
    /// The number of documents that have a label of a field, so that they are right or wrong.
    pub judged: u64,
    /// The number of these in which every labelled field is right; `None` if none is judged.
    pub right: Option<u64>,
    /// The mean overall score of what was returned.
    pub mean_overall: Option<f64>,
    /// The mean overall score of the first candidates.
    pub mean_first: Option<f64>,
    /// The number of documents that ended with each final status.
    pub final_statuses: BTreeMap<String, u64>,
    /// Values in what was returned, without what the host fills in.
    pub values: u64,
    /// The number of them that the document supports: `verified` or `entailed`.
    pub supported_values: u64,
    /// The number of documents in which each field of the type's rubric has a value, right or wrong, labelled or not.
    pub found_fields: Vec<FoundField>,
}

/// The number of documents in which a field of the rubric has a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FoundField {
    /// The field.
    pub field: String,
    /// The number of documents of the type.
    pub documents: u64,
}

/// One value extracted in place of another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Confusion {
    /// The number of occurrences.
    pub count: u64,
    /// The field.
    pub field: String,
    /// The kind of mistake: a wrong, missing or spurious value.
    pub verdict: Verdict,
    /// The right value, empty if there is none.
    pub label: String,
    /// The extracted value, empty if there is none.
    pub extracted: String,
}

/// The cost of the evaluated documents.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct CostFigures {
    /// Calls of providers.
    pub calls: u64,
    /// Calls that the cache answered.
    pub cached_calls: u64,
    /// Tokens, both ways.
    pub tokens: u64,
    /// US dollars, as far as known.
    pub cost_usd: f64,
    /// Calls of unknown cost.
    pub calls_of_unknown_cost: u64,
    /// US dollars for each evaluated document.
    pub usd_per_document: Option<f64>,
    /// US dollars for each document that is right and passed.
    pub usd_per_right_passed: Option<f64>,
}

/// The reason to review a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It passed, and has a wrong or spurious value.
    PassedWithFalseValues,
    /// It passed, and lacks a value, but has no false one.
    PassedWithMissingValues,
    /// It did not pass, and is right.
    RefusedThoughRight,
    /// It did not pass, and is wrong.
    RefusedAndWrong,
}

impl Reason {
    /// The reason, for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::PassedWithFalseValues => "passed with a false value",
            Reason::PassedWithMissingValues => "passed with a missing value",
            Reason::RefusedThoughRight => "refused although right",
            Reason::RefusedAndWrong => "refused and wrong",
        }
    }
}

/// A document to review.
#[derive(Debug, Clone, Serialize)]
pub struct LookAtDocument {
    /// Its id in the results.
    pub document: String,
    /// The reason.
    pub reason: Reason,
    /// Its overall score.
    pub overall: Option<f64>,
    /// Its labelled fields that are not right.
    pub fields: Vec<ShownField>,
}

/// A labelled field that is not right.
#[derive(Debug, Clone, Serialize)]
pub struct ShownField {
    /// The field.
    pub field: String,
    /// The outcome.
    pub verdict: Verdict,
    /// The right value, empty if there is none.
    pub label: String,
    /// The extracted value, empty if there is none.
    pub extracted: String,
}

/// Items without a counterpart. `labels` and `documents` have at most a thousand entries, their counts include all.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Unmatched {
    /// Labels of documents that have no result.
    pub labels: Vec<UnmatchedLabel>,
    /// The number of these labels.
    pub labels_count: u64,
    /// Documents with results that have no label.
    pub documents: Vec<String>,
    /// The number of these documents.
    pub documents_count: u64,
    /// Labelled fields that neither the rubric nor any result knows.
    pub fields: Vec<UnknownField>,
    /// The fields that the rubrics and the results know.
    #[serde(skip)]
    pub known_fields: Vec<String>,
    /// Documents and labels that may belong to several of each other.
    pub ambiguous: Vec<Ambiguous>,
    /// Fields of documents on which labels differ, where nothing settles which of them holds.
    pub disputed: Vec<Disputed>,
    /// Labels that can't be a value of their field.
    pub unusable: Vec<UnusableLabel>,
    /// Labels of fields that are not known to have been inspected: their documents were accepted as they were. They are
    /// in no figure.
    #[serde(skip_serializing_if = "is_none")]
    pub swept: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it skips by reference")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

/// A label of a document that has no result.
#[derive(Debug, Clone, Serialize)]
pub struct UnmatchedLabel {
    /// The document, as the label names it.
    pub document: String,
    /// The location of the label.
    pub place: String,
    /// A document with a result whose name is near.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did_you_mean: Option<String>,
}

/// A labelled field that is unknown.
#[derive(Debug, Clone, Serialize)]
pub struct UnknownField {
    /// The field, as labels name it.
    pub field: String,
    /// The number of documents that have a label for it.
    pub documents: u64,
    /// A known field whose name is near.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did_you_mean: Option<String>,
}

/// A name that may belong to several others.
#[derive(Debug, Clone, Serialize)]
pub struct Ambiguous {
    /// The name, which is evaluated for none of them.
    pub name: String,
    /// The names that it may belong to.
    pub may_be: Vec<String>,
}

/// A field on which labels differ.
#[derive(Debug, Clone, Serialize)]
pub struct Disputed {
    /// The document, as labels name it.
    pub document: String,
    /// The field.
    pub field: String,
    /// The locations of the labels, and who made them.
    pub labels: Vec<String>,
}

/// A label that can't be a value of its field.
#[derive(Debug, Clone, Serialize)]
pub struct UnusableLabel {
    /// The document, as the label names it.
    pub document: String,
    /// The field.
    pub field: String,
    /// The location of the label.
    pub place: String,
    /// The kind of values of the field: `a date`.
    pub expected: &'static str,
    /// The value of the label.
    pub label: String,
}

/// Rounds to six decimals, so that what is written is short and the same on every machine. Never `-0`, which an empty
/// sum is.
pub(super) fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6 + 0.0
}
