//! Takes labels and results, and finds out which of the labelled fields are right.

use super::document_names::{DocumentNames, Fit};
use super::evaluation::{
    Ambiguous, Confusion, CostFigures, Disputed, DocumentFigures, Evaluation, LookAtDocument, PassedFigures,
    Reason, RefusedFigures, ShownField, Sources, TypeFigures, UnknownField, Unmatched, UnmatchedLabel,
    rounded,
};
use super::label::LabelRecord;
use super::outcome::{FieldOutcome, Verdict, last_key, outcome, top_key};
use super::risk::RiskCoverage;
use super::settle::{Settled, Source, settle};
use super::tally::{FieldTally, interval, share};
use crate::diag::nearest;
use crate::plan::Plan;
use crate::result::DocumentResult;
use crate::rules::UNKNOWN_TYPE;
use crate::score::ValueComparison;
use crate::value::Usage;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Most entries of each list of what could not be held against anything.
const MOST_UNMATCHED: usize = 1_000;
/// Most pairs of values, and documents to look at.
const MOST_CONFUSIONS: usize = 500;
const MOST_DOCUMENTS: usize = 100;
/// Most names that are guessed among, and for.
const MOST_GUESSED: usize = 100;
const MOST_GUESSES: usize = 5_000;

/// Holds results against labels.
#[derive(Debug)]
pub(crate) struct Evaluator<'p> {
    comparison: ValueComparison<'p>,
    /// Fields of the rubrics, whatever the type of the document.
    rubric_fields: BTreeSet<String>,
    /// Members at the top of any extraction.
    said_fields: BTreeSet<String>,
    names: DocumentNames,
    documents: Vec<LabelledDocument>,
    /// Ids of results that no label is about.
    unlabelled: Vec<String>,
    /// Ids of results that several labels may be about, each with those.
    ambiguous: Vec<Ambiguous>,
    result_documents: u64,
}

/// A document that has labels.
#[derive(Debug)]
struct LabelledDocument {
    name: String,
    document_type: Option<String>,
    place: String,
    fields: BTreeMap<String, Vec<Source>>,
    /// What it may be in the results.
    results: Vec<(Fit, Outcome)>,
}

/// What came of a document.
#[derive(Debug)]
struct Outcome {
    id: String,
    document_type: String,
    passed: bool,
    overall: Option<f64>,
    first: Option<f64>,
    usage: Usage,
    cached_calls: u64,
    fields: Vec<FieldOutcome>,
    disputed: Vec<(String, Vec<String>)>,
}

impl Outcome {
    fn is_right(&self) -> bool {
        self.fields.iter().all(|field| field.verdict.is_right())
    }

    fn has_false_values(&self) -> bool {
        self.fields.iter().any(|field| field.verdict.is_false())
    }

    fn reason(&self) -> Option<Reason> {
        match (self.passed, self.is_right()) {
            (true, true) => None,
            (true, false) if self.has_false_values() => Some(Reason::PassedWithFalseValues),
            (true, false) => Some(Reason::PassedWithMissingValues),
            (false, true) => Some(Reason::RefusedThoughRight),
            (false, false) => Some(Reason::RefusedAndWrong),
        }
    }
}

impl<'p> Evaluator<'p> {
    /// By what a profile declares of fields.
    pub(crate) fn new(plan: &'p Plan) -> Self {
        let rules = plan.scoring.rules();
        let of_rubrics = rules.document_types().flat_map(|kind| rules.program(kind).rubric_fields());
        Evaluator {
            comparison: plan.scoring.comparison(),
            rubric_fields: of_rubrics.map(|field| field.name.to_string()).collect(),
            said_fields: BTreeSet::new(),
            names: DocumentNames::default(),
            documents: Vec::new(),
            unlabelled: Vec::new(),
            ambiguous: Vec::new(),
            result_documents: 0,
        }
    }

    /// Adds labels, all of which must be there before the first result.
    pub(crate) fn add_label(&mut self, record: LabelRecord) {
        let (number, is_new) = self.names.number(&record.document);
        if is_new {
            self.documents.push(LabelledDocument {
                name: record.document,
                document_type: None,
                place: record.place.clone(),
                fields: BTreeMap::new(),
                results: Vec::new(),
            });
        }
        let Some(document) = self.documents.get_mut(number) else { return };
        document.document_type = record.document_type.or(document.document_type.take());
        for (field, label) in record.fields {
            document.fields.entry(field).or_default().push(Source {
                label,
                reviewer: record.reviewer.clone(),
                at: record.at,
                place: record.place.clone(),
            });
        }
    }

    /// How many documents have labels.
    pub(crate) fn labelled_documents(&self) -> usize {
        self.documents.len()
    }

    /// Adds a result.
    pub(crate) fn add_result(&mut self, result: &DocumentResult) {
        self.result_documents += 1;
        let extraction = result.best_extraction.as_deref().unwrap_or(&Value::Null);
        if let Value::Object(members) = extraction {
            let unseen = members.keys().filter(|key| !self.said_fields.contains(*key)).cloned();
            let unseen: Vec<String> = unseen.collect();
            self.said_fields.extend(unseen);
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
        let outcome = evaluated(document, result, extraction, comparison);
        document.results.push((fit, outcome));
    }

    /// The evaluation. `results` and `profile` are what `sources` says of them.
    pub(crate) fn finish(mut self, results: String, profile: String, confidence: f64) -> Evaluation {
        let mut ambiguous = std::mem::take(&mut self.ambiguous);
        let mut evaluated: Vec<(Option<String>, Outcome)> = Vec::new();
        let mut unmatched: Vec<(String, String)> = Vec::new();
        let mut disputed = Vec::new();
        let labelled_documents = self.documents.len() as u64;
        for mut document in std::mem::take(&mut self.documents) {
            let best = document.results.iter().map(|(fit, _)| *fit).min();
            let (fitting, others): (Vec<_>, Vec<_>) =
                document.results.drain(..).partition(|(fit, _)| Some(*fit) == best);
            self.unlabelled.extend(others.into_iter().map(|(_, other)| other.id));
            let mut fitting: Vec<Outcome> = fitting.into_iter().map(|(_, outcome)| outcome).collect();
            match (fitting.len(), fitting.pop()) {
                (1, Some(mut outcome)) => {
                    disputed.extend(outcome.disputed.drain(..).map(|(field, labels)| Disputed {
                        document: document.name.clone(),
                        field,
                        labels,
                    }));
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
            ambiguous,
            disputed,
        };
        let sources = Sources {
            results,
            profile,
            labelled_documents,
            result_documents: self.result_documents,
            confidence,
        };
        summed(sources, &evaluated, unmatched, self.comparison)
    }

    /// Takes out the labelled fields that neither the rubrics nor any result know.
    fn drop_unknown(&self, evaluated: &mut [(Option<String>, Outcome)]) -> Vec<UnknownField> {
        // A profile without rubrics knows no fields, so that none is a slip.
        if self.rubric_fields.is_empty() {
            return Vec::new();
        }
        let is_known = |field: &str| {
            [&self.rubric_fields, &self.said_fields].iter().any(|known| known.contains(top_key(field)))
        };
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for (_, outcome) in evaluated.iter_mut() {
            outcome.fields.retain(|field| {
                let known = is_known(&field.field);
                if !known {
                    *counts.entry(field.field.clone()).or_default() += 1;
                }
                known
            });
        }
        let known: BTreeSet<&str> =
            self.rubric_fields.iter().chain(&self.said_fields).map(String::as_str).collect();
        let unknown = counts.into_iter().map(|(field, documents)| UnknownField {
            did_you_mean: nearest(&field, known.iter().copied()).map(str::to_owned),
            field,
            documents,
        });
        unknown.collect()
    }
}

fn evaluated(
    document: &LabelledDocument,
    result: &DocumentResult,
    extraction: &Value,
    comparison: ValueComparison<'_>,
) -> Outcome {
    let (mut fields, mut disputed) = (Vec::new(), Vec::new());
    for (field, labels) in &document.fields {
        match settle(last_key(field), labels, comparison) {
            Some(Settled::Holds(label)) => fields.push(outcome(field, label, extraction, comparison)),
            Some(Settled::Disputed(labels)) => disputed.push((field.clone(), labels)),
            None => {}
        }
    }
    Outcome {
        id: result.id.as_str().to_owned(),
        document_type: result.document_type.clone(),
        passed: result.final_status.passes(),
        overall: result.best_validation.as_ref().map(|validation| validation.overall),
        first: result.improvement_trajectory.first().copied(),
        usage: result.usage,
        cached_calls: result.cached_calls as u64,
        fields,
        disputed,
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

/// Sums up what came of documents, which are sorted by their ids.
fn summed(
    sources: Sources,
    all: &[(Option<String>, Outcome)],
    unmatched: Unmatched,
    comparison: ValueComparison<'_>,
) -> Evaluation {
    let confidence = sources.confidence;
    let mut tallies: BTreeMap<&str, FieldTally> = BTreeMap::new();
    let mut confusions: BTreeMap<(&str, Verdict, &str, &str), u64> = BTreeMap::new();
    for field in all.iter().flat_map(|(_, outcome)| &outcome.fields) {
        tallies.entry(&field.field).or_default().add(field);
        if !field.verdict.is_right() {
            let pair = (field.field.as_str(), field.verdict, field.label.as_str(), field.said.as_str());
            *confusions.entry(pair).or_default() += 1;
        }
    }
    let mut whole = FieldTally::default();
    tallies.values().for_each(|tally| whole.absorb(tally));
    let by = |field: &str| comparison.field(last_key(field)).described();
    let fields = tallies.iter().map(|(field, tally)| tally.figures(field, by(field), confidence)).collect();

    // Documents without a labelled field are neither right nor wrong.
    let judged: Vec<&Outcome> =
        (all.iter().map(|(_, outcome)| outcome)).filter(|outcome| !outcome.fields.is_empty()).collect();
    let count = |wanted: &dyn Fn(&Outcome) -> bool| judged.iter().filter(|one| wanted(one)).count() as u64;
    let passed = count(&|one| one.passed);
    let passed_wrong = count(&|one| one.passed && !one.is_right());
    let refused = count(&|one| !one.passed);
    let refused_right = count(&|one| !one.passed && one.is_right());
    let (confusions, more_confusions) = most_frequent(confusions);
    let (look_at, more_look_at) = looked_at(&judged);
    let scored = judged.iter().map(|one| (one.overall, !one.is_right())).collect();
    Evaluation {
        documents: DocumentFigures {
            evaluated: judged.len() as u64,
            right: count(&Outcome::is_right),
            wrong: count(&|one| !one.is_right()),
            with_false_values: count(&Outcome::has_false_values),
        },
        passed: PassedFigures {
            documents: passed,
            wrong: passed_wrong,
            with_false_values: count(&|one| one.passed && one.has_false_values()),
            share_wrong: share(passed_wrong, passed),
            interval: interval(passed_wrong, passed, confidence),
        },
        refused: RefusedFigures {
            documents: refused,
            right: refused_right,
            share_right: share(refused_right, refused),
            interval: interval(refused_right, refused, confidence),
        },
        fields,
        all_fields: whole.figures("", String::new(), confidence),
        document_types: types(all),
        confusions,
        more_confusions,
        risk_coverage: RiskCoverage::of(scored, confidence),
        cost: cost(&judged, passed - passed_wrong),
        look_at,
        more_look_at,
        unmatched,
        sources,
    }
}

fn most_frequent(counts: BTreeMap<(&str, Verdict, &str, &str), u64>) -> (Vec<Confusion>, u64) {
    let mut confusions: Vec<Confusion> = counts
        .into_iter()
        .map(|((field, verdict, label, said), count)| Confusion {
            count,
            field: field.to_owned(),
            verdict,
            label: label.to_owned(),
            said: said.to_owned(),
        })
        .collect();
    confusions.sort_by(|a, b| {
        b.count.cmp(&a.count).then_with(|| {
            (&a.field, a.verdict, &a.label, &a.said).cmp(&(&b.field, b.verdict, &b.label, &b.said))
        })
    });
    let more = confusions.len().saturating_sub(MOST_CONFUSIONS) as u64;
    confusions.truncate(MOST_CONFUSIONS);
    (confusions, more)
}

/// The documents to look at: what passed and is wrong first, of those with one reason that with the highest score.
fn looked_at(judged: &[&Outcome]) -> (Vec<LookAtDocument>, u64) {
    let mut wanted: Vec<(Reason, &Outcome)> =
        judged.iter().filter_map(|one| Some((one.reason()?, *one))).collect();
    wanted.sort_by(|(reason, a), (other, b)| {
        let score = |one: &Outcome| one.overall.unwrap_or(-1.0);
        reason.cmp(other).then_with(|| score(b).total_cmp(&score(a))).then_with(|| a.id.cmp(&b.id))
    });
    let more = wanted.len().saturating_sub(MOST_DOCUMENTS) as u64;
    let documents = wanted.into_iter().take(MOST_DOCUMENTS).map(|(reason, one)| {
        let not_right = one.fields.iter().filter(|field| !field.verdict.is_right());
        LookAtDocument {
            document: one.id.clone(),
            reason,
            overall: one.overall.map(rounded),
            fields: not_right
                .map(|field| ShownField {
                    field: field.field.clone(),
                    verdict: field.verdict,
                    label: field.label.clone(),
                    said: field.said.clone(),
                })
                .collect(),
        }
    });
    (documents.collect(), more)
}

fn types(all: &[(Option<String>, Outcome)]) -> Vec<TypeFigures> {
    let mut types: BTreeMap<&str, (TypeFigures, [Vec<f64>; 2])> = BTreeMap::new();
    for (labelled, outcome) in all {
        let name = labelled.as_deref().unwrap_or(&outcome.document_type);
        let (figures, [first, last]) = types.entry(name).or_default();
        figures.documents += 1;
        if let Some(labelled) = labelled {
            figures.labelled += 1;
            figures.recognised += u64::from(*labelled == outcome.document_type);
            figures.unknown += u64::from(outcome.document_type == UNKNOWN_TYPE);
        }
        figures.passed += u64::from(outcome.passed);
        figures.right += u64::from(!outcome.fields.is_empty() && outcome.is_right());
        first.extend(outcome.first);
        last.extend(outcome.overall);
    }
    let mean = |scores: &[f64]| {
        #[expect(clippy::cast_precision_loss, reason = "counts of documents")]
        let mean = (!scores.is_empty()).then(|| rounded(scores.iter().sum::<f64>() / scores.len() as f64));
        mean
    };
    let types = types.into_iter().map(|(name, (figures, [first, last]))| TypeFigures {
        document_type: name.to_owned(),
        mean_overall: mean(&last),
        mean_first: mean(&first),
        ..figures
    });
    types.collect()
}

fn cost(judged: &[&Outcome], right_passed: u64) -> CostFigures {
    let mut usage = Usage::default();
    judged.iter().for_each(|one| usage += one.usage);
    let dollars = usage.known_cost_usd.get();
    let each = |count: u64| {
        #[expect(clippy::cast_precision_loss, reason = "counts of documents")]
        let each = (count > 0 && dollars > 0.0).then(|| rounded(dollars / count as f64));
        each
    };
    CostFigures {
        calls: usage.calls,
        cached_calls: judged.iter().map(|one| one.cached_calls).sum(),
        tokens: usage.tokens,
        cost_usd: rounded(dollars),
        calls_of_unknown_cost: usage.calls_of_unknown_cost,
        usd_per_document: each(judged.len() as u64),
        usd_per_right_passed: each(right_passed),
    }
}
