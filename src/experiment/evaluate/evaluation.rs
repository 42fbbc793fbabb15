//! The result of an evaluation: everything that text, JSON and page report.

use super::outcome::Verdict;
use super::risk::RiskCoverage;
use crate::experiment::statistics::Interval;
use serde::Serialize;
use std::collections::BTreeMap;

/// Results compared with labels. Its JSON form is described in `docs/evaluate.md`.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Evaluation {
    /// The results and the labels that were compared.
    pub(crate) sources: Sources,
    /// The documents that have both a label and a result.
    pub(crate) documents: DocumentFigures,
    /// Those that passed.
    pub(crate) passed: PassedFigures,
    /// Those that did not.
    pub(crate) refused: RefusedFigures,
    /// Each labelled field, in the order of their names.
    pub(crate) fields: Vec<FieldFigures>,
    /// All labelled fields together; each value counts the same.
    pub(crate) all_fields: FieldFigures,
    /// Each type of documents.
    pub(crate) document_types: Vec<TypeFigures>,
    /// Values extracted in place of others, the most frequent first.
    pub(crate) confusions: Vec<Confusion>,
    /// The number of pairs of values that are left out there.
    pub(crate) more_confusions: u64,
    /// The ability of the overall score to tell right documents from wrong ones.
    pub(crate) risk_coverage: RiskCoverage,
    /// The cost of the documents.
    pub(crate) cost: CostFigures,
    /// Every document to review, the most important first.
    pub(crate) look_at: Vec<LookAtDocument>,
    /// The number of documents for each reason.
    pub(crate) look_at_counts: BTreeMap<Reason, u64>,
    /// Items without a counterpart.
    pub(crate) unmatched: Unmatched,
}

/// The results and the labels that were compared.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Sources {
    /// The run in the journal, or the file or folder of results.
    pub(crate) results: String,
    /// The profile whose rubrics and vocabularies determine when two values are the same.
    pub(crate) profile: String,
    /// The number of documents that have labels.
    pub(crate) labelled_documents: u64,
    /// The number of documents that have results.
    pub(crate) result_documents: u64,
    /// The confidence of every interval.
    pub(crate) confidence: f64,
}

/// Documents that have both a label of a field and a result.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(crate) struct DocumentFigures {
    /// Their number.
    pub(crate) evaluated: u64,
    /// The number of clusters that they come from, if labels name any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) clusters: Option<u64>,
    /// The number of others that have a label and a result, but no label of a field that can be judged: most often only
    /// that of their type.
    pub(crate) not_judged: u64,
    /// The number of documents in which every labelled field is right.
    pub(crate) right: u64,
    /// The number of documents in which one is not.
    pub(crate) wrong: u64,
    /// The number of these that have a wrong or spurious value; the others only lack values.
    pub(crate) with_false_values: u64,
}

/// Documents that passed.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(crate) struct PassedFigures {
    /// Their number.
    pub(crate) documents: u64,
    /// The number of clusters that they come from, if labels name any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) clusters: Option<u64>,
    /// The number of these clusters in which a document is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) clusters_with_wrong: Option<u64>,
    /// The number of others that passed and have no label of a field that can be judged.
    pub(crate) not_judged: u64,
    /// The number of documents that are wrong.
    pub(crate) wrong: u64,
    /// The number of these that have a wrong or spurious value.
    pub(crate) with_false_values: u64,
    /// The share that is wrong.
    pub(crate) share_wrong: Option<f64>,
    /// The interval of that share.
    pub(crate) interval: Option<Interval>,
}

/// Documents that did not pass.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(crate) struct RefusedFigures {
    /// Their number.
    pub(crate) documents: u64,
    /// The number of clusters that they come from, if labels name any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) clusters: Option<u64>,
    /// The number of others that did not pass and have no label of a field that can be judged.
    pub(crate) not_judged: u64,
    /// The number of documents that are right.
    pub(crate) right: u64,
    /// The share that is right.
    pub(crate) share_right: Option<f64>,
    /// The interval of that share.
    pub(crate) interval: Option<Interval>,
}

/// The outcome of one field in all documents that have a label for it.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct FieldFigures {
    /// The field; empty for all of them together.
    pub(crate) field: String,
    /// The profile's declaration of how its values are compared; empty without.
    pub(crate) compared_by: String,
    /// The number of documents that have a label for it.
    pub(crate) documents: u64,
    /// The number of clusters that they come from, if labels name any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) clusters: Option<u64>,
    /// The number of documents in which it is right, or absent as it should be.
    pub(crate) exact: u64,
    /// The right value was extracted.
    pub(crate) right: u64,
    /// Another one was extracted.
    pub(crate) wrong: u64,
    /// None was extracted where there is one, or only some of the items of a list or members of a mapping, and nothing else.
    pub(crate) missing: u64,
    /// One was extracted where there is none.
    pub(crate) spurious: u64,
    /// None was extracted where there is none.
    pub(crate) absent: u64,
    /// Values in labels, where each item of a list and each member of a mapping is one.
    pub(crate) labelled_values: u64,
    /// Values that were extracted. `None` if labels are partial, so that it is unknown which of them are wrong.
    pub(crate) extracted_values: Option<u64>,
    /// Values that are in both.
    pub(crate) agreeing_values: u64,
    /// Of the values that were extracted, the share that is right.
    pub(crate) precision: Option<f64>,
    /// Of the values in labels, the share that was extracted.
    pub(crate) recall: Option<f64>,
    /// The harmonic mean of the two.
    pub(crate) f1: Option<f64>,
    /// The share of documents in which it is exactly as the label says.
    pub(crate) exact_agreement: Option<f64>,
    /// The interval of that share.
    pub(crate) exact_interval: Option<Interval>,
}

/// Documents of a type.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct TypeFigures {
    /// The type: as labelled, where labels say so.
    pub(crate) document_type: String,
    /// The number of documents.
    pub(crate) documents: u64,
    /// The number of them that have a labelled type.
    pub(crate) labelled: u64,
    /// The number of these that were classified as that type.
    pub(crate) recognised: u64,
    /// The number of these that were classified as no type.
    pub(crate) unknown: u64,
    /// The number of documents that passed.
    pub(crate) passed: u64,
    /// The number of documents that have a label of a field, so that they are right or wrong.
    pub(crate) judged: u64,
    /// The number of these in which every labelled field is right; `None` if none is judged.
    pub(crate) right: Option<u64>,
    /// The mean overall score of what was returned.
    pub(crate) mean_overall: Option<f64>,
    /// The mean overall score of the first candidates.
    pub(crate) mean_first: Option<f64>,
    /// The number of documents that ended with each final status.
    pub(crate) final_statuses: BTreeMap<String, u64>,
    /// Values in what was returned, without what the host fills in.
    pub(crate) values: u64,
    /// The number of them that the document supports: `verified` or `entailed`.
    pub(crate) supported_values: u64,
    /// The number of documents in which each field of the type's rubric has a value, right or wrong, labelled or not.
    pub(crate) found_fields: Vec<FoundField>,
}

/// The number of documents in which a field of the rubric has a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct FoundField {
    /// The field.
    pub(crate) field: String,
    /// The number of documents of the type.
    pub(crate) documents: u64,
}

/// One value extracted in place of another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Confusion {
    /// The number of occurrences.
    pub(crate) count: u64,
    /// The field.
    pub(crate) field: String,
    /// The kind of mistake: a wrong, missing or spurious value.
    pub(crate) verdict: Verdict,
    /// The right value, empty if there is none.
    pub(crate) label: String,
    /// The extracted value, empty if there is none.
    pub(crate) extracted: String,
}

/// The cost of the evaluated documents.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(crate) struct CostFigures {
    /// Calls of providers.
    pub(crate) calls: u64,
    /// Calls that the cache answered.
    pub(crate) cached_calls: u64,
    /// Tokens, both ways.
    pub(crate) tokens: u64,
    /// US dollars, as far as known.
    pub(crate) cost_usd: f64,
    /// Calls of unknown cost.
    pub(crate) calls_of_unknown_cost: u64,
    /// US dollars for each evaluated document.
    pub(crate) usd_per_document: Option<f64>,
    /// US dollars for each document that is right and passed.
    pub(crate) usd_per_right_passed: Option<f64>,
}

/// The reason to review a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reason {
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
    pub(crate) fn as_str(self) -> &'static str {
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
pub(crate) struct LookAtDocument {
    /// Its id in the results.
    pub(crate) document: String,
    /// The reason.
    pub(crate) reason: Reason,
    /// Its overall score.
    pub(crate) overall: Option<f64>,
    /// Its labelled fields that are not right.
    pub(crate) fields: Vec<ShownField>,
}

/// A labelled field that is not right.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ShownField {
    /// The field.
    pub(crate) field: String,
    /// The outcome.
    pub(crate) verdict: Verdict,
    /// The right value, empty if there is none.
    pub(crate) label: String,
    /// The extracted value, empty if there is none.
    pub(crate) extracted: String,
}

/// Items without a counterpart. `labels` and `documents` have at most a thousand entries, their counts include all.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Unmatched {
    /// Labels of documents that have no result.
    pub(crate) labels: Vec<UnmatchedLabel>,
    /// The number of these labels.
    pub(crate) labels_count: u64,
    /// Documents with results that have no label.
    pub(crate) documents: Vec<String>,
    /// The number of these documents.
    pub(crate) documents_count: u64,
    /// Labelled fields that neither the rubric nor any result knows.
    pub(crate) fields: Vec<UnknownField>,
    /// The fields that the rubrics and the results know.
    #[serde(skip)]
    pub(crate) known_fields: Vec<String>,
    /// Documents and labels that may belong to several of each other.
    pub(crate) ambiguous: Vec<Ambiguous>,
    /// Fields of documents on which labels differ, where nothing settles which of them holds.
    pub(crate) disputed: Vec<Disputed>,
    /// Labels that can't be a value of their field.
    pub(crate) unusable: Vec<UnusableLabel>,
    /// Labels of fields that are not known to have been inspected: their documents were accepted as they were. They are
    /// in no figure.
    #[serde(skip_serializing_if = "is_none")]
    pub(crate) swept: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it skips by reference")]
fn is_none(count: &u64) -> bool {
    *count == 0
}

/// A label of a document that has no result.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct UnmatchedLabel {
    /// The document, as the label names it.
    pub(crate) document: String,
    /// The location of the label.
    pub(crate) place: String,
    /// A document with a result whose name is near.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) did_you_mean: Option<String>,
}

/// A labelled field that is unknown.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct UnknownField {
    /// The field, as labels name it.
    pub(crate) field: String,
    /// The number of documents that have a label for it.
    pub(crate) documents: u64,
    /// A known field whose name is near.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) did_you_mean: Option<String>,
}

/// A name that may belong to several others.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Ambiguous {
    /// The name, which is evaluated for none of them.
    pub(crate) name: String,
    /// The names that it may belong to.
    pub(crate) may_be: Vec<String>,
}

/// A field on which labels differ.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Disputed {
    /// The document, as labels name it.
    pub(crate) document: String,
    /// The field.
    pub(crate) field: String,
    /// The locations of the labels, and who made them.
    pub(crate) labels: Vec<String>,
}

/// A label that can't be a value of its field.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct UnusableLabel {
    /// The document, as the label names it.
    pub(crate) document: String,
    /// The field.
    pub(crate) field: String,
    /// The location of the label.
    pub(crate) place: String,
    /// The kind of values of the field: `a date`.
    pub(crate) expected: &'static str,
    /// The value of the label.
    pub(crate) label: String,
}

/// Rounds to six decimals, so that what is written is short and the same on every machine. Never `-0`, which an empty
/// sum is.
pub(super) fn rounded(number: f64) -> f64 {
    (number * 1e6).round() / 1e6 + 0.0
}
