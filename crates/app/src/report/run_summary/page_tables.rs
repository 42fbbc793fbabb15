//! The tables on the page of a summary, with a bar in each row.

use super::fields::{Fill, Supports};
use super::figures::{documents, percent, share, thousands};
use super::{RunSummary, TypeSummary};
use crate::policy::FinalStatus;
use crate::report::page::{Row, Table, column, figure, of_100, tenths};
use crate::value::Severity;
use std::cmp::Reverse;

/// Most rows of each table; the page shows how many are left out.
const MOST_TYPES: usize = 12;
const MOST_ENDINGS: usize = 40;
const MOST_ISSUES: usize = 60;
const MOST_FIELDS: usize = 60;

/// All tables with something in them, in the order of the page.
pub(super) fn tables(summary: &RunSummary) -> Vec<Table> {
    let mut tables = vec![iterations(summary), issues(summary)];
    tables.extend(field_tables(summary));
    tables.extend(support_tables(summary));
    tables.extend([types(summary), endings(summary), errors(summary)]);
    tables.retain(|table| !table.rows.is_empty());
    tables
}

/// The largest types, by the number of their documents.
pub(super) fn largest_types(summary: &RunSummary) -> Vec<(&String, &TypeSummary)> {
    let mut types: Vec<_> = summary.types.kept.iter().collect();
    types.sort_by_key(|(name, of)| (Reverse(of.documents), *name));
    types.truncate(MOST_TYPES);
    types
}

fn iterations(summary: &RunSummary) -> Table {
    let most = summary.iterations.0.iter().copied().max().unwrap_or_default();
    let rows = summary.iterations.lines().map(|(name, count)| Row {
        bar: of_100(count, most),
        cells: vec![name, thousands(count), percent(count, summary.done())],
        class: "",
    });
    Table {
        heading: "Iterations".to_owned(),
        note: String::new(),
        caption: "Documents by how many candidates were assessed".to_owned(),
        bars: "Documents, as bars",
        columns: vec![figure("Iterations"), figure("Documents"), figure("Share")],
        rows: rows.collect(),
        more: 0,
    }
}

fn issues(summary: &RunSummary) -> Table {
    let wrong = summary.issues.kept.iter().filter(|((severity, _), _)| severity.0 != Severity::Info);
    let mut issues: Vec<_> = wrong.collect();
    issues.sort_by_key(|((severity, code), of)| (*severity, Reverse(of.documents), code));
    let most = issues.iter().map(|(_, of)| of.documents).max().unwrap_or_default();
    let rows = issues.iter().take(MOST_ISSUES).map(|((severity, code), of)| Row {
        bar: of_100(of.documents, most),
        cells: vec![
            code.clone(),
            severity.0.as_str().to_owned(),
            thousands(of.documents),
            percent(of.documents, summary.done()),
            thousands(of.count),
        ],
        class: severity.0.as_str(),
    });
    Table {
        heading: "Issues".to_owned(),
        note: "Of the candidates that were returned; loopctl explain CODE says what a code means.".to_owned(),
        caption: "Issues by code, the most severe first".to_owned(),
        bars: "Documents, as bars",
        columns: vec![
            column("Code"),
            column("Severity"),
            figure("Documents"),
            figure("Share"),
            figure("Issues"),
        ],
        rows: rows.collect(),
        more: issues.len().saturating_sub(MOST_ISSUES),
    }
}

fn field_tables(summary: &RunSummary) -> Vec<Table> {
    let types = largest_types(summary).into_iter().filter(|(_, of)| of.extracted > 0);
    types
        .map(|(name, of)| {
            let fields: Vec<(&String, &Fill)> = of.fields.kept.iter().collect();
            let rows = fields.iter().take(MOST_FIELDS).map(|(path, fill)| Row {
                bar: of_100(fill.filled, of.extracted),
                cells: vec![
                    (*path).clone(),
                    thousands(fill.filled),
                    percent(fill.filled, of.extracted),
                    thousands(fill.not_present),
                ],
                class: "",
            });
            Table {
                heading: format!("Fields: {name}"),
                note: format!(
                    "Of {} with an extraction. Absent: the extraction says that the document has nothing about it.",
                    documents(of.extracted)
                ),
                caption: format!("How many extractions of {name} have a value in each field"),
                bars: "Filled, as bars",
                columns: vec![
                    column("Field"),
                    figure("Filled"),
                    figure("Share"),
                    figure("Said absent"),
                ],
                rows: rows.collect(),
                more: fields.len().saturating_sub(MOST_FIELDS),
            }
        })
        .collect()
}

/// The support of documents for the values of each field, the least supported first.
fn support_tables(summary: &RunSummary) -> Vec<Table> {
    let types = largest_types(summary).into_iter();
    types
        .map(|(name, of)| {
            let looked_up = |fill: &Fill| fill.support.sum() > 0;
            let mut fields: Vec<(&String, &Supports)> = (of.fields.kept.iter())
                .filter(|(_, fill)| looked_up(fill))
                .map(|(path, fill)| (path, &fill.support))
                .collect();
            let doubtful = |support: &Supports| support.sum() - support.supported();
            fields.sort_by_key(|(path, support)| (Reverse(doubtful(support)), *path));
            // Unused words would only make the table wide.
            let used: Vec<&'static str> = Supports::default()
                .each()
                .into_iter()
                .map(|(word, _)| word)
                .filter(|word| fields.iter().any(|(_, support)| support.count(word) > 0))
                .collect();
            let rows = fields.iter().take(MOST_FIELDS).map(|(path, support)| Row {
                bar: of_100(support.supported(), support.sum()),
                cells: [(*path).clone(), thousands(support.sum())]
                    .into_iter()
                    .chain(used.iter().map(|word| thousands(support.count(word))))
                    .collect(),
                class: "",
            });
            Table {
                heading: format!("Support: {name}"),
                note: "What the documents say for the values of each field; the fields with the most doubtful values first. Supported: verified or entailed.".to_owned(),
                caption: format!("How many values of {name} have each support"),
                bars: "Supported, as bars",
                columns: [column("Field"), figure("Values")]
                    .into_iter()
                    .chain(used.iter().map(|word| figure(word)))
                    .collect(),
                rows: rows.collect(),
                more: fields.len().saturating_sub(MOST_FIELDS),
            }
        })
        .collect()
}

fn types(summary: &RunSummary) -> Table {
    let rows = largest_types(summary).into_iter().map(|(name, of)| Row {
        bar: share(of.passed, of.documents).map_or(0.0, |share| tenths(share * 100.0)),
        cells: vec![
            name.clone(),
            thousands(of.documents),
            percent(of.passed, of.documents),
            thousands(of.needs_review),
            of.mean_overall().map_or_else(|| "–".to_owned(), |mean| format!("{mean:.3}")),
        ],
        class: "",
    });
    Table {
        heading: "Document types".to_owned(),
        note: String::new(),
        caption: "Documents by type".to_owned(),
        bars: "Passed, as bars",
        columns: vec![
            column("Type"),
            figure("Documents"),
            figure("Passed"),
            figure("Needs review"),
            figure("Mean overall"),
        ],
        rows: rows.collect(),
        more: summary.types.kept.len().saturating_sub(MOST_TYPES),
    }
}

fn endings(summary: &RunSummary) -> Table {
    let mut endings: Vec<_> = summary.endings.kept.iter().collect();
    endings.sort_by_key(|(ending, count)| (Reverse(**count), *ending));
    let most = endings.first().map(|(_, count)| **count).unwrap_or_default();
    let rows = endings.iter().take(MOST_ENDINGS).map(|((at, reason), count)| Row {
        bar: of_100(**count, most),
        cells: vec![
            FinalStatus::ALL.get(*at).map_or("", |status| status.as_str()).to_owned(),
            reason.clone(),
            thousands(**count),
            percent(**count, summary.done()),
        ],
        class: "",
    });
    Table {
        heading: "How documents ended".to_owned(),
        note: String::new(),
        caption: "Documents by final status and stop reason".to_owned(),
        bars: "Documents, as bars",
        columns: vec![column("Status"), column("Reason"), figure("Documents"), figure("Share")],
        rows: rows.collect(),
        more: endings.len().saturating_sub(MOST_ENDINGS),
    }
}

fn errors(summary: &RunSummary) -> Table {
    let mut errors: Vec<_> = summary.errors.kept.iter().collect();
    errors.sort_by_key(|(kind, count)| (Reverse(**count), *kind));
    let most = errors.first().map(|(_, count)| **count).unwrap_or_default();
    let rows = errors.iter().map(|(kind, count)| Row {
        bar: of_100(**count, most),
        cells: vec![(*kind).clone(), thousands(**count)],
        class: "critical",
    });
    Table {
        heading: "Errors".to_owned(),
        note: String::new(),
        caption: "Documents by kind of error".to_owned(),
        bars: "Documents, as bars",
        columns: vec![column("Kind"), figure("Documents")],
        rows: rows.collect(),
        more: 0,
    }
}
