//! Numbers and values in words, as text and page show them.

use crate::experiment::evaluate::{CostFigures, Evaluation, TypeFigures};
use crate::experiment::statistics::{Interval, real};
use crate::report::figures::{dollars, fixed, percent_of, thousands};
use crate::report::model::Row;
use crate::value::prose;

/// `0.873`; a dash if there is none.
pub(super) fn ratio(number: Option<f64>) -> String {
    fixed(number, 3)
}

/// `87.3 %`; a dash if there is none.
pub(super) fn share(number: Option<f64>) -> String {
    number.map_or_else(|| "–".to_owned(), percent_of)
}

/// `12.3 – 45.6 %`; a dash if there is none.
pub(super) fn interval(interval: Option<Interval>) -> String {
    interval.map_or_else(
        || "–".to_owned(),
        |Interval { low, high }| format!("{:.1} – {:.1} %", low * 100.0, high * 100.0),
    )
}

/// `passed 13, stopped_early 98`.
pub(super) fn statuses(of: &TypeFigures) -> String {
    let ended = of.final_statuses.iter().map(|(status, count)| format!("{status} {}", thousands(*count)));
    ended.collect::<Vec<_>>().join(", ")
}

/// `815 of 827`; a dash if the whole is 0.
pub(super) fn part(part: u64, whole: u64) -> String {
    if whole == 0 { "–".to_owned() } else { format!("{} of {}", thousands(part), thousands(whole)) }
}

/// The number of documents that can't be said to be right or wrong: `7 not judged`; `None` if there are none.
pub(super) fn not_judged(count: u64) -> Option<String> {
    (count > 0).then(|| format!("{} not judged", thousands(count)))
}

/// `50 documents of 12 clusters`, where labels name clusters.
pub(super) fn documents_of_clusters(count: u64, clusters: Option<u64>) -> String {
    let all = prose::count(count, "document");
    match clusters {
        None => all,
        Some(clusters) => format!("{all} of {}", prose::count(clusters, "cluster")),
    }
}

/// The number of clusters in which a document passed and is wrong: `wrong in 2 of 12 clusters`; `None` without
/// clusters.
pub(super) fn wrong_clusters(evaluation: &Evaluation) -> Option<String> {
    let passed = &evaluation.passed;
    let wrong = passed.clusters_with_wrong?;
    Some(format!("wrong in {} clusters", part(wrong, passed.clusters?)))
}

/// The treatment of documents that belong together by intervals.
pub(super) const CLUSTERED: &str = "Intervals take the documents of a cluster to come to the same, which is the least that they can say: they are wide enough for all that these have in common, and often wider than that.";

/// The reason why documents with a label and a result are not evaluated; `None` where all are.
pub(super) fn why_not_judged(evaluation: &Evaluation) -> Option<String> {
    let count = evaluation.documents.not_judged;
    (count > 0).then(|| {
        format!(
            "{} with a result, labelled by type alone or by nothing that can be used",
            prose::count(count, "document")
        )
    })
}

/// The number of documents of a type that are right; a dash where that is not known of any.
pub(super) fn right(of: &TypeFigures) -> String {
    of.right.map_or_else(|| "–".to_owned(), thousands)
}

/// A count of the documents of a type whose labels name it; a dash where none does.
pub(super) fn of_labelled(of: &TypeFigures, count: u64) -> String {
    if of.labelled == 0 { "–".to_owned() } else { thousands(count) }
}

/// For each field of a type's rubric, the share of its documents in which it has a value: `grade 53 %`.
pub(super) fn found(of: &TypeFigures) -> impl Iterator<Item = String> {
    of.found_fields.iter().map(|found| {
        let percent = 100.0 * real(found.documents) / real(of.documents.max(1));
        format!("{} {percent:.0} %", found.field)
    })
}

/// The risk at each tenth of the documents: overall score, documents, coverage, wrong, risk, interval.
pub(super) fn risk_rows(evaluation: &Evaluation) -> Vec<Row> {
    let tenths = evaluation.risk_coverage.tenths().into_iter().map(|point| {
        Row::from(vec![
            point.score.map_or_else(|| "none".to_owned(), |score| format!("≥ {score:.3}")),
            thousands(point.documents),
            share(Some(point.coverage)),
            thousands(point.wrong),
            share(Some(point.risk)),
            interval(Some(point.interval)),
        ])
    });
    tenths.collect()
}

/// The number of confusions that are left out where so many are shown.
pub(super) fn more_confusions(evaluation: &Evaluation, most: usize) -> usize {
    let more = evaluation.confusions.len().saturating_sub(most);
    more + usize::try_from(evaluation.more_confusions).unwrap_or(usize::MAX - more)
}

/// A value, or that there is none.
pub(super) fn value(text: &str) -> &str {
    if text.is_empty() { "(none)" } else { text }
}

/// The amounts that were spent, in parts; none where nothing was asked.
pub(super) fn cost(cost: &CostFigures) -> Vec<String> {
    let mut parts = Vec::new();
    if cost.calls > 0 {
        parts.push(prose::count(cost.calls, "call"));
        parts.push(prose::count(cost.tokens, "token"));
        parts.push(match cost.calls_of_unknown_cost {
            0 => dollars(cost.cost_usd),
            all if all >= cost.calls => "cost unknown".to_owned(),
            some => {
                format!("{} and the unknown cost of {}", dollars(cost.cost_usd), prose::count(some, "call"))
            }
        });
    }
    if cost.cached_calls > 0 {
        parts.push(format!("{} from the cache", prose::count(cost.cached_calls, "call")));
    }
    if let Some(each) = cost.usd_per_document {
        parts.push(format!("{} for each document", dollars(each)));
    }
    if let Some(each) = cost.usd_per_right_passed {
        parts.push(format!("{} for each that passed and is right", dollars(each)));
    }
    parts
}

/// The unmatched documents and labels, one sentence each, with at most `most` names of each kind.
pub(super) fn unmatched(evaluation: &Evaluation, most: usize) -> Vec<String> {
    let found = &evaluation.unmatched;
    let mut lines = Vec::new();
    let guess = |guess: &Option<String>| match guess {
        Some(guess) => format!("; did you mean `{guess}`?"),
        None => String::new(),
    };
    let more = |count: u64, what: &str, lines: &mut Vec<String>| {
        let left_out = count.saturating_sub(most as u64);
        if left_out > 0 {
            lines.push(format!("{} more {what}", thousands(left_out)));
        }
    };
    for label in found.labels.iter().take(most) {
        lines.push(format!(
            "no result for the labelled document `{}` ({}){}",
            label.document,
            label.place,
            guess(&label.did_you_mean)
        ));
    }
    more(found.labels_count, "labelled documents without a result", &mut lines);
    for document in found.documents.iter().take(most) {
        lines.push(format!("no label for the document `{document}`"));
    }
    more(found.documents_count, "documents without a label", &mut lines);
    for field in found.fields.iter().take(most) {
        let documents = prose::count(field.documents, "document");
        lines.push(format!(
            "the labelled field `{}` ({documents}) is none of the profile{}",
            field.field,
            guess(&field.did_you_mean)
        ));
    }
    more(found.fields.len() as u64, "fields that are none of the profile", &mut lines);
    for name in found.ambiguous.iter().take(most) {
        lines.push(format!(
            "`{}` may be {}: not evaluated",
            name.name,
            prose::list(&prose::names(&name.may_be), "or")
        ));
    }
    more(found.ambiguous.len() as u64, "names that may be several documents", &mut lines);
    for field in found.disputed.iter().take(most) {
        lines.push(format!(
            "labels of `{}` of `{}` differ, and none is the latest: {}: not evaluated",
            field.field,
            field.document,
            field.labels.join(", ")
        ));
    }
    more(found.disputed.len() as u64, "fields whose labels differ", &mut lines);
    for label in found.unusable.iter().take(most) {
        lines.push(format!(
            "the label of `{}` of `{}` ({}) can't be used for this field: expected {}, found `{}`: not evaluated",
            label.field, label.document, label.place, label.expected, label.label
        ));
    }
    more(found.unusable.len() as u64, "labels that can't be used for their field", &mut lines);
    match found.swept {
        0 => {}
        1 => lines.push("1 field was accepted with its document, and no one says that it was looked at: not evaluated".to_owned()),
        swept => lines.push(format!(
            "{} fields were accepted with their documents, and no one says that they were looked at: not evaluated",
            thousands(swept)
        )),
    }
    lines
}
