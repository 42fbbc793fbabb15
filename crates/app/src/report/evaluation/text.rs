//! An evaluation for terminals: the most important first, then tables.

use super::page_view::MOST_DOCUMENTS_ON_PAGE;
use super::words::{
    cost, documents_of_clusters, found, interval, more_confusions, not_judged, of_labelled, part, ratio,
    right, risk_cells, share, statuses, unmatched, value, why_not_judged, wrong_clusters,
};
use crate::experiment::evaluate::{Evaluation, FieldFigures, LookAtDocument};
use crate::report::columns::{figures, words};
use crate::report::figures::{confidence, thousands};
use crate::report::paint::Paint;
use crate::report::text_table::text_table;
use crate::value::{prose, sanitize_line};
use std::fmt::Write;

/// Most rows of each table, and most unmatched names of each kind.
const MOST_CONFUSIONS: usize = 15;
const MOST_DOCUMENTS: usize = 5;
const MOST_FIELDS_SHOWN: usize = 3;
const MOST_UNMATCHED: usize = 5;
const MOST_FOUND_IN_A_LINE: usize = 4;
/// Longest values in tables, in characters, so that a line has at most 100.
const LONGEST_NAME: usize = 24;
const LONGEST_FIELD: usize = 15;
const LONGEST_VALUE: usize = 26;

/// An evaluation as text.
pub fn evaluation_text(evaluation: &Evaluation, paint: Paint) -> String {
    let mut out = String::new();
    head(evaluation, paint, &mut out);
    out.push_str(&fields(evaluation, paint));
    out.push_str(&types(evaluation, paint));
    out.push_str(&endings(evaluation, paint));
    out.push_str(&found_fields(evaluation, paint));
    out.push_str(&confusions(evaluation, paint));
    out.push_str(&risk(evaluation, paint));
    out.push_str(&look_at(evaluation, paint));
    let lines = unmatched(evaluation, MOST_UNMATCHED);
    if !lines.is_empty() {
        let _ = writeln!(out, "\n{}", paint.strong("Unmatched"));
        for line in &lines {
            let _ = writeln!(out, "  {}", sanitize_line(line));
        }
    }
    out
}

fn head(evaluation: &Evaluation, paint: Paint, out: &mut String) {
    let sources = &evaluation.sources;
    let _ = writeln!(
        out,
        "{}  profile {}  {}",
        paint.strong("Evaluation"),
        sanitize_line(&sources.profile),
        sanitize_line(&sources.results)
    );
    let _ = writeln!(
        out,
        "  {} evaluated: {} labelled, {} with results; intervals {}, at {}",
        documents_of_clusters(evaluation.documents.evaluated, evaluation.documents.clusters),
        thousands(sources.labelled_documents),
        thousands(sources.result_documents),
        if evaluation.documents.clusters.is_some() { "take clusters whole" } else { "are exact" },
        confidence(sources.confidence)
    );
    if let Some(why) = why_not_judged(evaluation) {
        let _ = writeln!(out, "  not judged: {why}");
    }
    let spent = cost(&evaluation.cost);
    if !spent.is_empty() {
        let _ = writeln!(out, "  {}", spent.join(", "));
    }
    let (passed, refused) = (&evaluation.passed, &evaluation.refused);
    let rows = [
        vec![
            "wrong among the passed".to_owned(),
            thousands(passed.documents),
            thousands(passed.wrong),
            share(passed.share_wrong),
            interval(passed.interval),
            notes([
                (passed.with_false_values > 0)
                    .then(|| format!("{} with a false value", thousands(passed.with_false_values))),
                wrong_clusters(evaluation),
                not_judged(passed.not_judged).map(|count| format!("{count} besides")),
            ]),
        ],
        vec![
            "right among the refused".to_owned(),
            thousands(refused.documents),
            thousands(refused.right),
            share(refused.share_right),
            interval(refused.interval),
            notes([not_judged(refused.not_judged).map(|count| format!("{count} besides"))]),
        ],
    ];
    let columns = [words(""), figures("documents | of them | share | interval"), words("")].concat();
    out.push_str(&text_table("Documents", &columns, &rows, 0, paint));
}

fn notes<const N: usize>(notes: [Option<String>; N]) -> String {
    notes.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn fields(evaluation: &Evaluation, paint: Paint) -> String {
    let row = |field: &FieldFigures, name: String| {
        vec![
            name,
            thousands(field.documents),
            thousands(field.right),
            thousands(field.absent),
            thousands(field.wrong),
            thousands(field.missing),
            thousands(field.spurious),
            ratio(field.precision),
            ratio(field.recall),
            ratio(field.f1),
            share(field.exact_agreement),
            interval(field.exact_interval),
        ]
    };
    let mut rows: Vec<Vec<String>> =
        evaluation.fields.iter().map(|field| row(field, cut(&field.field, LONGEST_FIELD))).collect();
    if rows.len() > 1 {
        rows.push(row(&evaluation.all_fields, "all".to_owned()));
    }
    let of_documents = figures("docs | right | abs | wrong | miss | spur");
    let of_values = figures("prec | recall | F1 | exact | interval");
    let columns = [words("field"), of_documents, of_values].concat();
    text_table("Fields", &columns, &rows, 0, paint)
}

fn types(evaluation: &Evaluation, paint: Paint) -> String {
    let rows: Vec<Vec<String>> = (evaluation.document_types.iter())
        .map(|of| {
            vec![
                cut(&of.document_type, LONGEST_NAME),
                part(of.judged, of.documents),
                of_labelled(of, of.recognised),
                of_labelled(of, of.unknown),
                thousands(of.passed),
                right(of),
                ratio(of.mean_first),
                ratio(of.mean_overall),
                part(of.supported_values, of.values),
            ]
        })
        .collect();
    let numbers = "judged | recognised | unknown | passed | right | first score | returned | supported";
    let columns = [words("type"), figures(numbers)].concat();
    text_table("Document types", &columns, &rows, 0, paint)
}

fn endings(evaluation: &Evaluation, paint: Paint) -> String {
    let rows: Vec<Vec<String>> = (evaluation.document_types.iter())
        .map(|of| vec![cut(&of.document_type, LONGEST_NAME), statuses(of)])
        .collect();
    text_table("Final statuses", &words("type | documents"), &rows, 0, paint)
}

fn found_fields(evaluation: &Evaluation, paint: Paint) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for of in &evaluation.document_types {
        let fields: Vec<String> = found(of).map(|field| cut(&field, LONGEST_NAME)).collect();
        for (line, fields) in fields.chunks(MOST_FOUND_IN_A_LINE).enumerate() {
            let name = if line == 0 { cut(&of.document_type, LONGEST_NAME) } else { String::new() };
            rows.push(vec![name, fields.join(", ")]);
        }
    }
    let columns = words("type | share of documents with a value, right or wrong");
    text_table("Fields found", &columns, &rows, 0, paint)
}

fn confusions(evaluation: &Evaluation, paint: Paint) -> String {
    let rows: Vec<Vec<String>> = (evaluation.confusions.iter().take(MOST_CONFUSIONS))
        .map(|pair| {
            vec![
                cut(&pair.field, 18),
                pair.verdict.as_str().to_owned(),
                cut(value(&pair.label), LONGEST_VALUE),
                format!("→ {}", cut(value(&pair.extracted), LONGEST_VALUE)),
                thousands(pair.count),
            ]
        })
        .collect();
    let columns = [words("field | | label | → extracted"), figures("documents")].concat();
    text_table("Confusions", &columns, &rows, more_confusions(evaluation, MOST_CONFUSIONS), paint)
}

fn risk(evaluation: &Evaluation, paint: Paint) -> String {
    let curve = &evaluation.risk_coverage;
    let rows: Vec<Vec<String>> = risk_cells(evaluation).into_iter().map(|(_, cells)| cells).collect();
    let columns = figures("overall | documents | coverage | wrong | risk | interval");
    let mut text = text_table("Risk against coverage", &columns, &rows, 0, paint);
    if !rows.is_empty() {
        let _ = writeln!(
            text,
            "  area under the curve {}; {} in the best order, {} in a random one",
            ratio(curve.area),
            ratio(curve.least_area),
            ratio(curve.share_wrong)
        );
    }
    text
}

fn look_at(evaluation: &Evaluation, paint: Paint) -> String {
    let mut text = String::new();
    if evaluation.look_at.is_empty() {
        return text;
    }
    let _ = writeln!(text, "\n{}", paint.strong("Look at these first"));
    let groups = evaluation.look_at.chunk_by(|a, b| a.reason == b.reason);
    let shown: Vec<&LookAtDocument> = groups.flat_map(|group| group.iter().take(MOST_DOCUMENTS)).collect();
    for document in &shown {
        let overall = document.overall.map_or_else(String::new, |overall| format!(", overall {overall:.3}"));
        let _ = writeln!(text, "  {}: {}{overall}", cut(&document.document, 60), document.reason.as_str());
        for field in document.fields.iter().take(MOST_FIELDS_SHOWN) {
            let line = format!(
                "    {} {}: {} → {}",
                cut(&field.field, LONGEST_NAME),
                field.verdict.as_str(),
                cut(value(&field.label), LONGEST_VALUE),
                cut(value(&field.extracted), LONGEST_VALUE)
            );
            let _ = writeln!(text, "{line}");
        }
        if let Some(more @ 1..) = document.fields.len().checked_sub(MOST_FIELDS_SHOWN) {
            let _ = writeln!(text, "    and {more} more");
        }
    }
    let all: u64 = evaluation.look_at_counts.values().sum();
    let more = all.saturating_sub(shown.len() as u64);
    if more > 0 {
        let _ = writeln!(
            text,
            "  {}",
            paint.faint(&format!(
                "and {} more: all of them in the JSON form; on the page of `--report`, the first {MOST_DOCUMENTS_ON_PAGE} of each kind",
                thousands(more)
            ))
        );
    }
    text
}

/// A text on one line, of so many characters at most.
fn cut(text: &str, most: usize) -> String {
    prose::cut(&sanitize_line(text), most)
}
