//! The contents of the page of an evaluation: words, numbers, plots and tables, which the template lays out.

use super::plots::{RiskPlot, agreement};
use super::words::{
    CLUSTERED, cost, found, interval, more_confusions, not_judged, of_labelled, part, ratio, right,
    risk_cells, share, statuses, unmatched, value, why_not_judged, wrong_clusters,
};
use crate::experiment::evaluate::{Evaluation, FieldFigures, LookAtDocument};
use crate::experiment::statistics::Interval;
use crate::report::columns::{figures, words};
use crate::report::figures::{confidence, thousands};
use crate::report::page::{self, DotRows, Fact, Row, Table, Tile, of_100, tenths, tile};
use serde::Serialize;

/// Most rows of each table; the page shows how many are left out.
const MOST_CONFUSIONS: usize = 100;
const MOST_UNMATCHED: usize = 50;
/// Most documents to inspect for one reason.
pub(super) const MOST_DOCUMENTS_ON_PAGE: usize = 200;

/// The page.
#[derive(Debug, Serialize)]
pub(in crate::report) struct Page<'e> {
    title: &'static str,
    facts: Vec<Fact>,
    tiles: Vec<Tile>,
    agreement: Option<DotRows>,
    fields: Table,
    /// The treatment of clusters by intervals; empty where labels name none.
    clustered: &'static str,
    risk: Option<RiskPlot>,
    risk_note: String,
    points: Table,
    look_at: Vec<Group<'e>>,
    tables: Vec<Table>,
    unmatched: Vec<String>,
}

/// Documents to inspect for one reason.
#[derive(Debug, Serialize)]
struct Group<'e> {
    why: &'static str,
    documents: Vec<Document<'e>>,
    more: u64,
}

#[derive(Debug, Serialize)]
struct Document<'e> {
    id: &'e str,
    overall: String,
    fields: Vec<DocumentField<'e>>,
}

#[derive(Debug, Serialize)]
struct DocumentField<'e> {
    name: &'e str,
    verdict: &'static str,
    label: &'e str,
    extracted: &'e str,
}

impl<'e> Page<'e> {
    pub(in crate::report) fn of(evaluation: &'e Evaluation, title: &'static str) -> Self {
        let curve = &evaluation.risk_coverage;
        Page {
            title,
            facts: facts(evaluation),
            tiles: tiles(evaluation),
            agreement: agreement(evaluation),
            fields: fields(evaluation),
            clustered: evaluation.documents.clusters.map_or("", |_| CLUSTERED),
            risk: RiskPlot::of(evaluation),
            risk_note: format!(
                "Documents sorted by their overall score, the highest first. Area under the curve {}: {} in the best order, {} in a \
                 random one. The band has the {} interval of each point by itself.",
                ratio(curve.area),
                ratio(curve.least_area),
                ratio(curve.share_wrong),
                if evaluation.documents.clusters.is_some() { "clustered" } else { "exact" }
            ),
            points: points(evaluation),
            look_at: look_at(evaluation),
            tables: [confusions(evaluation), types(evaluation)]
                .into_iter()
                .filter(|table| !table.is_empty())
                .collect(),
            unmatched: unmatched(evaluation, MOST_UNMATCHED),
        }
    }
}

fn look_at(evaluation: &Evaluation) -> Vec<Group<'_>> {
    let groups = evaluation.look_at.chunk_by(|a, b| a.reason == b.reason);
    let groups = groups.filter_map(|documents| {
        let reason = documents.first()?.reason;
        let shown: Vec<Document<'_>> =
            documents.iter().take(MOST_DOCUMENTS_ON_PAGE).map(Document::of).collect();
        let all = evaluation.look_at_counts.get(&reason).copied().unwrap_or_default();
        let more = all.saturating_sub(shown.len() as u64);
        Some(Group { why: reason.as_str(), documents: shown, more })
    });
    groups.collect()
}

fn facts(evaluation: &Evaluation) -> Vec<Fact> {
    let sources = &evaluation.sources;
    page::facts([
        ("Profile", sources.profile.clone()),
        ("Results", sources.results.clone()),
        ("Labelled documents", thousands(sources.labelled_documents)),
        ("Documents with results", thousands(sources.result_documents)),
        ("Clusters", evaluation.documents.clusters.map(thousands).unwrap_or_default()),
        ("Not judged", why_not_judged(evaluation).unwrap_or_default()),
        ("Cost", cost(&evaluation.cost).join(", ")),
    ])
}

fn tiles(evaluation: &Evaluation) -> Vec<Tile> {
    let Evaluation { documents: all, passed, refused, all_fields, .. } = evaluation;
    // Kept on one line.
    let sure = confidence(evaluation.sources.confidence).replace(' ', "\u{a0}");
    let of = |part: u64, whole: u64, range: Option<Interval>| {
        format!("{} of {}; {} at {sure}", thousands(part), thousands(whole), interval(range))
    };
    let besides = |note: String, count: u64| match not_judged(count) {
        Some(not_judged) => format!("{note}; {not_judged} besides"),
        None => note,
    };
    let with_clusters = |note: String| match wrong_clusters(evaluation) {
        Some(wrong) => format!("{note}; {wrong}"),
        None => note,
    };
    let judged = format!("{} right, {} wrong", thousands(all.right), thousands(all.wrong));
    let of_passed = with_clusters(of(passed.wrong, passed.documents, passed.interval));
    let of_refused = of(refused.right, refused.documents, refused.interval);
    let of_fields = of(all_fields.exact, all_fields.documents, all_fields.exact_interval);
    vec![
        tile("Evaluated", thousands(all.evaluated), besides(judged, all.not_judged), ""),
        tile(
            "Wrong among the passed",
            share(passed.share_wrong),
            besides(of_passed, passed.not_judged),
            "failed",
        ),
        tile(
            "Right among the refused",
            share(refused.share_right),
            besides(of_refused, refused.not_judged),
            "review",
        ),
        tile("Fields exactly right", share(all_fields.exact_agreement), of_fields, "passed"),
    ]
}

fn fields(evaluation: &Evaluation) -> Table {
    let row = |field: &FieldFigures, name: &str| {
        let cells = vec![
            name.to_owned(),
            thousands(field.documents),
            share(field.exact_agreement),
            interval(field.exact_interval),
            ratio(field.precision),
            ratio(field.recall),
            ratio(field.f1),
            thousands(field.right),
            thousands(field.absent),
            thousands(field.wrong),
            thousands(field.missing),
            thousands(field.spurious),
            field.compared_by.clone(),
        ];
        Row::new(cells, tenths(field.exact_agreement.unwrap_or_default() * 100.0))
    };
    let mut rows: Vec<Row> = evaluation.fields.iter().map(|field| row(field, &field.field)).collect();
    if rows.len() > 1 {
        rows.push(row(&evaluation.all_fields, "all fields"));
    }
    let of_values = figures("Documents | Exact | Interval | Precision | Recall | F1");
    let of_documents = figures("Right | Absent | Wrong | Missing | Spurious");
    let columns = [words("Field"), of_values, of_documents, words("Compared by")].concat();
    Table::new("Fields", "What came of each labelled field", columns, rows).note(
        "Precision, recall and F1 count values: each item of a list and each member of a mapping is one. The other columns count \
         documents; absent means that there is no value, and none was extracted.",
    )
}

fn points(evaluation: &Evaluation) -> Table {
    let rows = risk_cells(evaluation).into_iter();
    Table::new(
        "Risk against coverage",
        "The share that is wrong among the documents with the highest scores, at each tenth of all",
        figures("Overall | Documents | Coverage | Wrong | Risk | Interval"),
        rows.map(|(risk, cells)| Row::new(cells, tenths(risk * 100.0))),
    )
}

fn confusions(evaluation: &Evaluation) -> Table {
    let most = evaluation.confusions.first().map(|pair| pair.count).unwrap_or_default();
    let rows = evaluation.confusions.iter().take(MOST_CONFUSIONS).map(|pair| {
        let cells = vec![
            pair.field.clone(),
            pair.verdict.as_str().to_owned(),
            value(&pair.label).to_owned(),
            value(&pair.extracted).to_owned(),
            thousands(pair.count),
        ];
        Row::new(cells, of_100(pair.count, most)).class("major")
    });
    let caption = "Right values and what was extracted instead, the most frequent first";
    let columns = [words("Field | Verdict | Label | Extracted"), figures("Documents")].concat();
    Table::new("Confusions", caption, columns, rows)
        .bars("Documents, as bars")
        .more(more_confusions(evaluation, MOST_CONFUSIONS))
        .note(
            "A value that the field's vocabulary knows stands as the vocabulary calls it. Of lists, the items are shown that only one of \
             both has.",
        )
}

fn types(evaluation: &Evaluation) -> Table {
    let rows = evaluation.document_types.iter().map(|of| {
        let cells = vec![
            of.document_type.clone(),
            thousands(of.documents),
            part(of.judged, of.documents),
            of_labelled(of, of.recognised),
            of_labelled(of, of.unknown),
            thousands(of.passed),
            right(of),
            ratio(of.mean_first),
            ratio(of.mean_overall),
            part(of.supported_values, of.values),
            statuses(of),
            found(of).collect::<Vec<_>>().join(", "),
        ];
        Row::new(cells, of_100(of.right.unwrap_or_default(), of.judged.max(1)))
    });
    let numbers = "Documents | Judged | Recognised | Unknown | Passed | Right | First score | Returned | Values supported";
    let columns = [words("Type"), figures(numbers), words("Final statuses | Fields found")].concat();
    Table::new("Document types", "Documents by type", columns, rows).bars("Right, as bars").note(
        "As labelled, where labels say so. Recognised: classified as the labelled type; unknown: as none. Judged: with a \
         label of a field; only these can be right. A field is found where it has a value, right or wrong.",
    )
}

impl<'e> Document<'e> {
    fn of(document: &'e LookAtDocument) -> Self {
        let fields = document.fields.iter().map(|field| DocumentField {
            name: &field.field,
            verdict: field.verdict.as_str(),
            label: value(&field.label),
            extracted: value(&field.extracted),
        });
        Document {
            id: &document.document,
            overall: document.overall.map_or_else(String::new, |overall| format!("{overall:.3}")),
            fields: fields.collect(),
        }
    }
}
