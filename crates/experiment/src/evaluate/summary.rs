//! Sums of the outcomes of documents and their fields.

use super::clusters::ClusterSizes;
use super::document_outcome::DocumentOutcome;
use super::evaluation::{
    Confusion, CostFigures, DocumentFigures, Evaluation, FoundField, LookAtDocument, PassedFigures, Reason,
    RefusedFigures, ShownField, Sources, TypeFigures, Unmatched, rounded,
};
use super::outcome::{Verdict, last_key};
use super::risk::{RiskCoverage, Scored};
use super::tally::{FieldTally, share};
use crate::rules::UNKNOWN_TYPE;
use crate::score::ValueComparison;
use crate::statistics::real;
use crate::value::Usage;
use std::collections::BTreeMap;

/// The most pairs of values.
const MOST_CONFUSIONS: usize = 500;

/// Sums up the outcomes of documents, which are sorted by their ids. `rubrics` has the fields of each type of document.
pub(super) fn summed(
    sources: Sources,
    all: &[(Option<String>, DocumentOutcome)],
    unmatched: Unmatched,
    comparison: ValueComparison<'_>,
    rubrics: &BTreeMap<String, Vec<String>>,
) -> Evaluation {
    let confidence = sources.confidence;
    let mut tallies: BTreeMap<&str, FieldTally> = BTreeMap::new();
    let mut confusions: BTreeMap<(&str, Verdict, &str, &str), u64> = BTreeMap::new();
    let fields =
        all.iter().flat_map(|(_, outcome)| outcome.fields.iter().map(|field| (field, outcome.cluster)));
    for (field, cluster) in fields {
        tallies.entry(&field.field).or_default().add(field, cluster);
        if !field.verdict.is_right() {
            let pair = (field.field.as_str(), field.verdict, field.label.as_str(), field.extracted.as_str());
            *confusions.entry(pair).or_default() += 1;
        }
    }
    let mut whole = FieldTally::default();
    tallies.values().for_each(|tally| whole.absorb(tally));
    let by = |field: &str| comparison.field(last_key(field)).described();
    let fields = tallies.iter().map(|(field, tally)| tally.figures(field, by(field), confidence)).collect();

    // Documents without a labelled field are neither right nor wrong.
    let judged: Vec<&DocumentOutcome> =
        (all.iter().map(|(_, outcome)| outcome)).filter(|outcome| outcome.is_judged()).collect();
    let count =
        |wanted: &dyn Fn(&DocumentOutcome) -> bool| judged.iter().filter(|one| wanted(one)).count() as u64;
    let clusters = |wanted: &dyn Fn(&DocumentOutcome) -> bool| {
        let mut sizes = ClusterSizes::default();
        judged.iter().filter(|one| wanted(one)).for_each(|one| sizes.add(one.cluster));
        sizes
    };
    let (of_passed, of_refused) = (clusters(&|one| one.passed), clusters(&|one| !one.passed));
    let passed = count(&|one| one.passed);
    let passed_wrong = count(&|one| one.passed && !one.is_right());
    let refused = count(&|one| !one.passed);
    let refused_right = count(&|one| !one.passed && one.is_right());
    let others = || all.iter().map(|(_, outcome)| outcome).filter(|outcome| !outcome.is_judged());
    let (passed_not_judged, refused_not_judged) =
        others().fold((0, 0), |(passed, refused), one| match one.passed {
            true => (passed + 1, refused),
            false => (passed, refused + 1),
        });
    let (confusions, more_confusions) = most_frequent(confusions);
    let scored = judged.iter().map(|one| Scored {
        score: one.overall,
        is_wrong: !one.is_right(),
        cluster: one.cluster,
    });
    Evaluation {
        documents: DocumentFigures {
            evaluated: judged.len() as u64,
            clusters: clusters(&|_| true).count(),
            not_judged: passed_not_judged + refused_not_judged,
            right: count(&DocumentOutcome::is_right),
            wrong: count(&|one| !one.is_right()),
            with_false_values: count(&DocumentOutcome::has_false_values),
        },
        passed: PassedFigures {
            documents: passed,
            clusters: of_passed.count(),
            clusters_with_wrong: of_passed
                .count()
                .map(|_| clusters(&|one| one.passed && !one.is_right()).count().unwrap_or_default()),
            not_judged: passed_not_judged,
            wrong: passed_wrong,
            with_false_values: count(&|one| one.passed && one.has_false_values()),
            share_wrong: share(passed_wrong, passed),
            interval: of_passed.interval(passed_wrong, passed, confidence),
        },
        refused: RefusedFigures {
            documents: refused,
            clusters: of_refused.count(),
            not_judged: refused_not_judged,
            right: refused_right,
            share_right: share(refused_right, refused),
            interval: of_refused.interval(refused_right, refused, confidence),
        },
        fields,
        all_fields: whole.figures("", String::new(), confidence),
        document_types: types(all, rubrics),
        confusions,
        more_confusions,
        risk_coverage: RiskCoverage::of(scored.collect(), confidence),
        cost: cost(&judged, passed - passed_wrong),
        look_at: looked_at(&judged),
        look_at_counts: reasons(&judged),
        unmatched,
        sources,
    }
}

fn most_frequent(counts: BTreeMap<(&str, Verdict, &str, &str), u64>) -> (Vec<Confusion>, u64) {
    let mut confusions: Vec<Confusion> = counts
        .into_iter()
        .map(|((field, verdict, label, extracted), count)| Confusion {
            count,
            field: field.to_owned(),
            verdict,
            label: label.to_owned(),
            extracted: extracted.to_owned(),
        })
        .collect();
    confusions.sort_by(|a, b| {
        b.count.cmp(&a.count).then_with(|| {
            (&a.field, a.verdict, &a.label, &a.extracted).cmp(&(&b.field, b.verdict, &b.label, &b.extracted))
        })
    });
    let more = confusions.len().saturating_sub(MOST_CONFUSIONS) as u64;
    confusions.truncate(MOST_CONFUSIONS);
    (confusions, more)
}

/// The documents to review: what passed and is wrong first, of those with one reason the one with the highest score.
fn looked_at(judged: &[&DocumentOutcome]) -> Vec<LookAtDocument> {
    let mut wanted: Vec<(Reason, &DocumentOutcome)> =
        judged.iter().filter_map(|one| Some((one.reason()?, *one))).collect();
    wanted.sort_by(|(reason, a), (other, b)| {
        let score = |one: &DocumentOutcome| one.overall.unwrap_or(-1.0);
        reason.cmp(other).then_with(|| score(b).total_cmp(&score(a))).then_with(|| a.id.cmp(&b.id))
    });
    let documents = wanted.into_iter().map(|(reason, one)| {
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
                    extracted: field.extracted.clone(),
                })
                .collect(),
        }
    });
    documents.collect()
}

fn reasons(judged: &[&DocumentOutcome]) -> BTreeMap<Reason, u64> {
    let mut counts = BTreeMap::new();
    for reason in judged.iter().filter_map(|one| one.reason()) {
        *counts.entry(reason).or_default() += 1;
    }
    counts
}

fn types(
    all: &[(Option<String>, DocumentOutcome)],
    rubrics: &BTreeMap<String, Vec<String>>,
) -> Vec<TypeFigures> {
    let mut types: BTreeMap<&str, (TypeFigures, [Vec<f64>; 2])> = BTreeMap::new();
    for (labelled, outcome) in all {
        let name = labelled.as_deref().unwrap_or(&outcome.classified);
        let (figures, [first, last]) = types.entry(name).or_default();
        if figures.documents == 0 {
            let fields = rubrics.get(name).into_iter().flatten();
            let unfound = fields.map(|field| FoundField { field: field.clone(), documents: 0 });
            figures.found_fields = unfound.collect();
        }
        for field in &mut figures.found_fields {
            field.documents += u64::from(outcome.found.contains(&field.field));
        }
        *figures.final_statuses.entry(outcome.final_status.to_owned()).or_default() += 1;
        figures.values += outcome.values;
        figures.supported_values += outcome.supported_values;
        figures.documents += 1;
        if let Some(labelled) = labelled {
            figures.labelled += 1;
            figures.recognised += u64::from(*labelled == outcome.classified);
            figures.unknown += u64::from(outcome.classified == UNKNOWN_TYPE);
        }
        figures.passed += u64::from(outcome.passed);
        if outcome.is_judged() {
            figures.judged += 1;
            *figures.right.get_or_insert_default() += u64::from(outcome.is_right());
        }
        first.extend(outcome.first);
        last.extend(outcome.overall);
    }
    let mean = |scores: &[f64]| {
        (!scores.is_empty()).then(|| rounded(scores.iter().sum::<f64>() / real(scores.len() as u64)))
    };
    let types = types.into_iter().map(|(name, (figures, [first, last]))| TypeFigures {
        document_type: name.to_owned(),
        mean_overall: mean(&last),
        mean_first: mean(&first),
        ..figures
    });
    types.collect()
}

fn cost(judged: &[&DocumentOutcome], right_passed: u64) -> CostFigures {
    let mut usage = Usage::default();
    judged.iter().for_each(|one| usage += one.usage);
    let dollars = usage.known_cost_usd.get();
    let each = |count: u64| (count > 0 && dollars > 0.0).then(|| rounded(dollars / real(count)));
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
