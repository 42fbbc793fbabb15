//! The contents of the page of an evaluation: words, numbers, plots and tables, which the template lays out.

use super::plots::{AgreementPlot, RiskPlot};
use super::words::{
    CLUSTERED, confidence, cost, found, interval, not_judged, part, ratio, right, share, statuses, unmatched,
    value, why_not_judged, wrong_clusters,
};
use crate::experiment::evaluate::{Evaluation, FieldFigures, LookAtDocument};
use crate::report::page::{Fact, Row, Table, Tile, column, figure, of_100, tenths};
use crate::report::run_summary::thousands;
use serde::Serialize;

/// Most rows of each table; the page shows how many are left out.
const MOST_CONFUSIONS: usize = 100;
const MOST_UNMATCHED: usize = 50;
/// Most documents to inspect for one reason.
pub(super) const MOST_DOCUMENTS_ON_PAGE: usize = 200;

/// The page.
#[derive(Debug, Serialize)]
pub(super) struct Page<'e> {
    title: &'static str,
    facts: Vec<Fact>,
    tiles: Vec<Tile>,
    agreement: Option<AgreementPlot>,
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
    pub(super) fn of(evaluation: &'e Evaluation, title: &'static str) -> Self {
        let curve = &evaluation.risk_coverage;
        Page {
            title,
            facts: facts(evaluation),
            tiles: tiles(evaluation),
            agreement: AgreementPlot::of(evaluation),
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
                .filter(|table| !table.rows.is_empty())
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
    let spent = cost(&evaluation.cost).join(", ");
    let facts = [
        ("Profile", sources.profile.clone()),
        ("Results", sources.results.clone()),
        ("Labelled documents", thousands(sources.labelled_documents)),
        ("Documents with results", thousands(sources.result_documents)),
        ("Clusters", evaluation.documents.clusters.map(thousands).unwrap_or_default()),
        ("Not judged", why_not_judged(evaluation).unwrap_or_default()),
        ("Cost", spent),
    ];
    facts
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| Fact { name, value })
        .collect()
}

fn tiles(evaluation: &Evaluation) -> Vec<Tile> {
    let Evaluation { documents: all, passed, refused, all_fields, .. } = evaluation;
    // Kept on one line.
    let sure = confidence(evaluation.sources.confidence).replace(' ', "\u{a0}");
    let of = |part: u64, whole: u64, range: String| {
        format!("{} of {}; {range} at {sure}", thousands(part), thousands(whole))
    };
    let besides = |note: String, count: u64| match not_judged(count) {
        Some(not_judged) => format!("{note}; {not_judged} besides"),
        None => note,
    };
    let with_clusters = |note: String| match wrong_clusters(evaluation) {
        Some(wrong) => format!("{note}; {wrong}"),
        None => note,
    };
    let tile = |name, value, note, class| Tile { name, value, note, class };
    vec![
        tile(
            "Evaluated",
            thousands(all.evaluated),
            besides(
                format!("{} right, {} wrong", thousands(all.right), thousands(all.wrong)),
                all.not_judged,
            ),
            "",
        ),
        tile(
            "Wrong among the passed",
            share(passed.share_wrong),
            besides(
                with_clusters(of(passed.wrong, passed.documents, interval(passed.interval))),
                passed.not_judged,
            ),
            "failed",
        ),
        tile(
            "Right among the refused",
            share(refused.share_right),
            besides(of(refused.right, refused.documents, interval(refused.interval)), refused.not_judged),
            "review",
        ),
        tile(
            "Fields exactly right",
            share(all_fields.exact_agreement),
            of(all_fields.exact, all_fields.documents, interval(all_fields.exact_interval)),
            "passed",
        ),
    ]
}

fn fields(evaluation: &Evaluation) -> Table {
    let row = |field: &FieldFigures, name: &str| Row {
        bar: tenths(field.exact_agreement.unwrap_or_default() * 100.0),
        cells: vec![
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
        ],
        class: "",
    };
    let mut rows: Vec<Row> = evaluation.fields.iter().map(|field| row(field, &field.field)).collect();
    if rows.len() > 1 {
        rows.push(row(&evaluation.all_fields, "all fields"));
    }
    Table {
        heading: "Fields".to_owned(),
        note: "Precision, recall and F1 count values: each item of a list and each member of a mapping is one. The other columns count \
               documents; absent means that there is no value, and none was extracted."
            .to_owned(),
        caption: "What came of each labelled field".to_owned(),
        bars: "",
        columns: vec![
            column("Field"),
            figure("Documents"),
            figure("Exact"),
            figure("Interval"),
            figure("Precision"),
            figure("Recall"),
            figure("F1"),
            figure("Right"),
            figure("Absent"),
            figure("Wrong"),
            figure("Missing"),
            figure("Spurious"),
            column("Compared by"),
        ],
        rows,
        more: 0,
    }
}

fn points(evaluation: &Evaluation) -> Table {
    let rows = evaluation.risk_coverage.tenths().into_iter().map(|point| Row {
        bar: tenths(point.risk * 100.0),
        cells: vec![
            point.score.map_or_else(|| "none".to_owned(), |score| format!("≥ {score:.3}")),
            thousands(point.documents),
            share(Some(point.coverage)),
            thousands(point.wrong),
            share(Some(point.risk)),
            interval(Some(point.interval)),
        ],
        class: "",
    });
    Table {
        heading: "Risk against coverage".to_owned(),
        note: String::new(),
        caption: "The share that is wrong among the documents with the highest scores, at each tenth of all"
            .to_owned(),
        bars: "",
        columns: vec![
            figure("Overall"),
            figure("Documents"),
            figure("Coverage"),
            figure("Wrong"),
            figure("Risk"),
            figure("Interval"),
        ],
        rows: rows.collect(),
        more: 0,
    }
}

fn confusions(evaluation: &Evaluation) -> Table {
    let most = evaluation.confusions.first().map(|pair| pair.count).unwrap_or_default();
    let rows = evaluation.confusions.iter().take(MOST_CONFUSIONS).map(|pair| Row {
        bar: of_100(pair.count, most),
        cells: vec![
            pair.field.clone(),
            pair.verdict.as_str().to_owned(),
            value(&pair.label).to_owned(),
            value(&pair.extracted).to_owned(),
            thousands(pair.count),
        ],
        class: "major",
    });
    let more = evaluation.confusions.len().saturating_sub(MOST_CONFUSIONS);
    Table {
        heading: "Confusions".to_owned(),
        note: "A value that the field's vocabulary knows stands as the vocabulary calls it. Of lists, the items are shown that only one of \
               both has."
            .to_owned(),
        caption: "Right values and what was extracted instead, the most frequent first".to_owned(),
        bars: "Documents, as bars",
        columns: vec![
            column("Field"),
            column("Verdict"),
            column("Label"),
            column("Extracted"),
            figure("Documents"),
        ],
        rows: rows.collect(),
        more: more + usize::try_from(evaluation.more_confusions).unwrap_or(usize::MAX - more),
    }
}

fn types(evaluation: &Evaluation) -> Table {
    let rows = evaluation.document_types.iter().map(|of| {
        let labelled = |count: u64| if of.labelled == 0 { "–".to_owned() } else { thousands(count) };
        Row {
            bar: of_100(of.right.unwrap_or_default(), of.judged.max(1)),
            cells: vec![
                of.document_type.clone(),
                thousands(of.documents),
                part(of.judged, of.documents),
                labelled(of.recognised),
                labelled(of.unknown),
                thousands(of.passed),
                right(of),
                ratio(of.mean_first),
                ratio(of.mean_overall),
                part(of.supported_values, of.values),
                statuses(of),
                found(of).collect::<Vec<_>>().join(", "),
            ],
            class: "",
        }
    });
    Table {
        heading: "Document types".to_owned(),
        note: "As labelled, where labels say so. Recognised: classified as the labelled type; unknown: as none. Judged: with a \
               label of a field; only these can be right. A field is found where it has a value, right or wrong."
            .to_owned(),
        caption: "Documents by type".to_owned(),
        bars: "Right, as bars",
        columns: vec![
            column("Type"),
            figure("Documents"),
            figure("Judged"),
            figure("Recognised"),
            figure("Unknown"),
            figure("Passed"),
            figure("Right"),
            figure("First score"),
            figure("Returned"),
            figure("Values supported"),
            column("Final statuses"),
            column("Fields found"),
        ],
        rows: rows.collect(),
        more: 0,
    }
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
