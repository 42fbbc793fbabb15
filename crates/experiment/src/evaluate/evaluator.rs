//! Takes labels and results, and determines which of the labelled fields are right.

use super::document_names::{DocumentNames, Fit};
use super::document_outcome::DocumentOutcome;
use super::evaluation::{Ambiguous, Evaluation, Sources, UnknownField, Unmatched, UnmatchedLabel};
use super::label::LabelRecord;
use super::outcome::top_key;
use super::settle::Source;
use super::summary::summed;
use crate::diag::nearest;
use crate::plan::Plan;
use crate::result::DocumentResult;
use crate::rules::{KnownFrom, RubricField};
use crate::score::ValueComparison;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The most entries of the lists of labels and documents without a counterpart.
const MOST_UNMATCHED: usize = 1_000;
/// The most names for which a guess is made, and the most that are guessed among.
const MOST_GUESSED: usize = 100;
const MOST_GUESSES: usize = 5_000;

/// Compares results with labels.
#[derive(Debug)]
pub struct Evaluator<'p> {
    comparison: ValueComparison<'p>,
    /// Fields of the rubrics, by the type of document.
    rubrics: BTreeMap<String, Vec<String>>,
    /// Fields that the host fills in with the document's text.
    filled_in: BTreeSet<String>,
    /// Top-level members of any extraction.
    extracted_fields: BTreeSet<String>,
    names: DocumentNames,
    documents: Vec<LabelledDocument>,
    /// Ids of results that no label is about.
    unlabelled: Vec<String>,
    /// Ids of results that several labels may be about, each with those.
    ambiguous: Vec<Ambiguous>,
    result_documents: u64,
    /// Labels of fields that are not known to have been inspected.
    swept: u64,
}

/// A document that has labels.
#[derive(Debug)]
struct LabelledDocument {
    name: String,
    document_type: Option<String>,
    cluster: Option<String>,
    /// The classifier's answer, if its type was given.
    classified: Option<String>,
    place: String,
    fields: BTreeMap<String, Vec<Source>>,
    /// The results that may be its own.
    results: Vec<(Fit, DocumentOutcome)>,
}

impl<'p> Evaluator<'p> {
    /// Creates an evaluator for the fields that a profile declares.
    pub fn new(plan: &'p Plan) -> Self {
        let rules = plan.scoring.rules();
        let fields = |kind| rules.program(kind).rubric_fields();
        let from_source = |field: &&RubricField| field.from == Some(KnownFrom::Source);
        let names = |kind| {
            let mut names: Vec<String> = Vec::new();
            for field in fields(kind) {
                if !names.iter().any(|name| **name == *field.name) {
                    names.push(field.name.to_string());
                }
            }
            names
        };
        let filled_in = rules.document_types().flat_map(fields).filter(from_source);
        Evaluator {
            comparison: plan.scoring.comparison(),
            filled_in: filled_in.map(|field| field.name.to_string()).collect(),
            rubrics: rules.document_types().map(|kind| (kind.to_owned(), names(kind))).collect(),
            extracted_fields: BTreeSet::new(),
            names: DocumentNames::default(),
            documents: Vec::new(),
            unlabelled: Vec::new(),
            ambiguous: Vec::new(),
            result_documents: 0,
            swept: 0,
        }
    }

    /// Adds a label. All labels must be added before the first result.
    pub fn add_label(&mut self, record: LabelRecord) {
        let (number, is_new) = self.names.number(&record.document);
        if is_new {
            self.documents.push(LabelledDocument {
                name: record.document,
                document_type: None,
                cluster: None,
                classified: None,
                place: record.place.clone(),
                fields: BTreeMap::new(),
                results: Vec::new(),
            });
        }
        let Some(document) = self.documents.get_mut(number) else { return };
        document.document_type = record.document_type.or(document.document_type.take());
        document.cluster = document.cluster.take().or(record.cluster);
        if record.is_swept {
            self.swept += record.fields.len() as u64;
            return;
        }
        for (field, label) in record.fields {
            document.fields.entry(field).or_default().push(Source {
                label,
                reviewer: record.reviewer.clone(),
                at: record.at,
                place: record.place.clone(),
                standing: record.standing,
            });
        }
    }

    /// Adds a label that names its document by the id of the result to the other labels of the same document.
    pub fn add_label_of_result(&mut self, record: LabelRecord) {
        let named = match self.names.find(&record.document) {
            (_, [only]) => self.documents.get(*only).map(|document| document.name.clone()),
            _ => None,
        };
        let document = named.unwrap_or(record.document);
        self.add_label(LabelRecord { document, ..record });
    }

    /// Records the classifier's answer for a labelled document whose type was given.
    pub fn add_classified(&mut self, document: &str, document_type: String) {
        let (number, _) = self.names.number(document);
        if let Some(document) = self.documents.get_mut(number) {
            document.classified = Some(document_type);
        }
    }

    /// The number of documents that have labels.
    pub fn labelled_documents(&self) -> usize {
        self.documents.len()
    }

    /// Adds a result.
    pub fn add_result(&mut self, result: &DocumentResult) {
        self.result_documents += 1;
        if let Some(Value::Object(members)) = result.best_extraction.as_deref() {
            let unseen = members.keys().filter(|key| !self.extracted_fields.contains(*key)).cloned();
            let unseen: Vec<String> = unseen.collect();
            self.extracted_fields.extend(unseen);
        }
        let id = result.id.as_str();
        let (fit, found) = self.names.find(id);
        let number = match found {
            [] => return self.unlabelled.push(id.to_owned()),
            [only] => *only,
            several => {
                let names = several.iter().filter_map(|number| self.documents.get(*number));
                let may_be = names.take(10).map(|document| document.name.clone()).collect();
                return self.ambiguous.push(Ambiguous { name: id.to_owned(), may_be });
            }
        };
        let comparison = self.comparison;
        let Some(document) = self.documents.get_mut(number) else { return };
        let outcome = DocumentOutcome::of(
            &document.name,
            &document.fields,
            document.classified.as_deref(),
            result,
            comparison,
            &self.filled_in,
        );
        document.results.push((fit, outcome));
    }

    /// The evaluation. `results` and `profile` are kept in its [`Sources`].
    pub fn finish(mut self, results: String, profile: String, confidence: f64) -> Evaluation {
        let mut ambiguous = std::mem::take(&mut self.ambiguous);
        let mut evaluated: Vec<(Option<String>, DocumentOutcome)> = Vec::new();
        let mut unmatched: Vec<(String, String)> = Vec::new();
        let (mut disputed, mut unusable) = (Vec::new(), Vec::new());
        let mut clusters = ClusterNumbers::of(&self.documents);
        let labelled_documents = self.documents.len() as u64;
        for mut document in std::mem::take(&mut self.documents) {
            let best = document.results.iter().map(|(fit, _)| *fit).min();
            let (fitting, others): (Vec<_>, Vec<_>) =
                document.results.drain(..).partition(|(fit, _)| Some(*fit) == best);
            self.unlabelled.extend(others.into_iter().map(|(_, other)| other.id));
            let mut fitting: Vec<DocumentOutcome> = fitting.into_iter().map(|(_, outcome)| outcome).collect();
            match (fitting.len(), fitting.pop()) {
                (1, Some(mut outcome)) => {
                    outcome.cluster = clusters.number(document.cluster.take());
                    disputed.append(&mut outcome.disputed);
                    unusable.append(&mut outcome.unusable);
                    evaluated.push((document.document_type, outcome));
                }
                (_, Some(last)) => {
                    let may_be = fitting.into_iter().chain([last]).take(10).map(|other| other.id).collect();
                    ambiguous.push(Ambiguous { name: document.name, may_be });
                }
                (_, None) => unmatched.push((document.name, document.place)),
            }
        }
        let fields = self.drop_unknown(&mut evaluated);
        evaluated.sort_by(|(_, a), (_, b)| a.id.cmp(&b.id));
        self.unlabelled.sort();
        let unmatched = Unmatched {
            labels_count: unmatched.len() as u64,
            labels: guessed(unmatched, &self.unlabelled),
            documents_count: self.unlabelled.len() as u64,
            documents: self.unlabelled.iter().take(MOST_UNMATCHED).cloned().collect(),
            fields,
            known_fields: self.known_fields().into_iter().map(str::to_owned).collect(),
            ambiguous,
            disputed,
            unusable,
            swept: self.swept,
        };
        let sources = Sources {
            results,
            profile,
            labelled_documents,
            result_documents: self.result_documents,
            confidence,
        };
        summed(sources, &evaluated, unmatched, self.comparison, &self.rubrics)
    }

    /// The fields of the rubrics and of the results. A profile without rubrics knows none, so that none counts as
    /// unknown.
    fn known_fields(&self) -> BTreeSet<&str> {
        let mut known: BTreeSet<&str> = self.rubrics.values().flatten().map(String::as_str).collect();
        if !known.is_empty() {
            known.extend(self.extracted_fields.iter().map(String::as_str));
        }
        known
    }

    /// Removes the labelled fields that neither the rubrics nor any result know.
    fn drop_unknown(&self, evaluated: &mut [(Option<String>, DocumentOutcome)]) -> Vec<UnknownField> {
        let known = self.known_fields();
        if known.is_empty() {
            return Vec::new();
        }
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for (_, outcome) in evaluated.iter_mut() {
            outcome.fields.retain(|field| {
                let is_known = known.contains(top_key(&field.field));
                if !is_known {
                    *counts.entry(field.field.clone()).or_default() += 1;
                }
                is_known
            });
        }
        let unknown = counts.into_iter().map(|(field, documents)| UnknownField {
            did_you_mean: nearest(&field, known.iter().copied()).map(str::to_owned),
            field,
            documents,
        });
        unknown.collect()
    }
}

/// The numbers of clusters. No document has one if no label names a cluster.
struct ClusterNumbers {
    has_any: bool,
    named: BTreeMap<String, usize>,
    next: usize,
}

impl ClusterNumbers {
    fn of(documents: &[LabelledDocument]) -> Self {
        let has_any = documents.iter().any(|document| document.cluster.is_some());
        ClusterNumbers { has_any, named: BTreeMap::new(), next: 0 }
    }

    /// The number of the cluster of a document, which is a cluster by itself if its label names none.
    fn number(&mut self, cluster: Option<String>) -> Option<usize> {
        let next = self.next;
        let number = cluster.map_or(next, |name| *self.named.entry(name).or_insert(next));
        self.next += usize::from(number == next);
        self.has_any.then_some(number)
    }
}

/// Labels without results, with a guess at what was meant.
fn guessed(unmatched: Vec<(String, String)>, unlabelled: &[String]) -> Vec<UnmatchedLabel> {
    let known: Vec<&str> = unlabelled.iter().take(MOST_GUESSES).map(String::as_str).collect();
    let labels = unmatched.into_iter().take(MOST_UNMATCHED).enumerate().map(|(at, (document, place))| {
        let guess = (at < MOST_GUESSED).then(|| nearest(&document, known.iter().copied())).flatten();
        UnmatchedLabel { did_you_mean: guess.map(str::to_owned), document, place }
    });
    labels.collect()
}
