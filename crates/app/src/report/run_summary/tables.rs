//! The tables of a summary, with a bar in each row.

use super::fields::{Fill, Supports};
use super::{RunSummary, TypeSummary};
use crate::experiment::statistics::share;
use crate::report::figures::{fixed, percent, thousands};
use crate::report::model::{Block, Row, Table, Tone, figure, figures, words};
use crate::report::summary::sparkline;
use crate::value::Severity;
use std::cmp::Reverse;

/// Most rows of each table, which says how many are left out, and of those that a terminal cuts short.
const MOST_TYPES: usize = 12;
const MOST_ENDINGS: usize = 40;
const MOST_ENDINGS_ON_TERMINAL: usize = 12;
const MOST_ISSUES: usize = 60;
const MOST_FIELDS: usize = 200;
const MOST_ON_TERMINAL: usize = 15;

/// All tables with something in them, in their order.
pub(super) fn tables(summary: &RunSummary) -> Vec<Block> {
    let tables = [iterations, issues, fields, support, types, endings, errors];
    tables.into_iter().flat_map(|table| table(summary)).collect()
}

/// A section with one table; nothing without rows.
fn section(heading: &str, note: &str, table: Table) -> Vec<Block> {
    if table.is_empty() {
        return Vec::new();
    }
    let note = Some(note.to_owned()).filter(|note| !note.is_empty()).map(Block::Note);
    let blocks = [Block::Section(heading.to_owned())].into_iter().chain(note);
    blocks.chain([Block::Table(table)]).collect()
}

/// The tone of issues of a severity.
pub(super) fn severity_tone(severity: Severity) -> Tone {
    match severity {
        Severity::Critical => Tone::Bad,
        Severity::Major => Tone::Warn,
        Severity::Minor | Severity::Info => Tone::Plain,
    }
}

/// The largest types, by the number of their documents.
pub(super) fn largest_types(summary: &RunSummary) -> impl Iterator<Item = (&String, &TypeSummary)> {
    summary.ranked_types().into_iter().take(MOST_TYPES)
}

fn iterations(summary: &RunSummary) -> Vec<Block> {
    let most = summary.iterations.0.iter().copied().max().unwrap_or_default();
    let rows = summary.iterations.lines().map(|(name, count)| {
        Row::from(vec![name, thousands(count), percent(count, summary.done())]).bar(count, most)
    });
    let columns = figures("Iterations=iterations | Documents=documents | Share=share");
    let caption = "Documents by how many candidates were assessed";
    section("Iterations", "", Table::new(caption, columns, rows.collect()).bars("Documents, as bars"))
}

fn issues(summary: &RunSummary) -> Vec<Block> {
    let issues = summary.ranked_issues();
    let most = issues.iter().map(|(.., of)| of.documents).max().unwrap_or_default();
    let rows = issues.iter().take(MOST_ISSUES).map(|(severity, code, of)| {
        let cells = vec![
            severity.as_str().to_owned(),
            (*code).clone(),
            thousands(of.documents),
            percent(of.documents, summary.done()),
            thousands(of.count),
        ];
        Row::from(cells).bar(of.documents, most).tone(severity_tone(*severity))
    });
    let counts = figures("Documents=documents | Share=share | Issues=issues");
    let columns = [words("Severity=severity | Code=code"), counts].concat();
    section(
        "Issues of what was returned",
        "`loopctl explain CODE` says what a code means.",
        Table::new("Issues by code, the most severe first", columns, rows.collect())
            .bars("Documents, as bars")
            .first(issues.len().saturating_sub(MOST_ISSUES), MOST_ON_TERMINAL),
    )
}

/// The fields of all types, with the documents of their type.
fn all_fields(summary: &RunSummary) -> impl Iterator<Item = (&String, &TypeSummary, &String, &Fill)> {
    let types = summary.types.kept.iter();
    types.flat_map(|(name, of)| of.fields.kept.iter().map(move |(path, fill)| (name, of, path, fill)))
}

fn fields(summary: &RunSummary) -> Vec<Block> {
    let mut fields: Vec<_> = all_fields(summary).filter(|(_, of, ..)| of.extracted > 0).collect();
    let filled = |of: &TypeSummary, fill: &Fill| share(fill.filled, of.extracted).unwrap_or_default();
    fields.sort_by(|(_, a, _, fill), (_, b, _, other)| {
        filled(a, fill).total_cmp(&filled(b, other)).then(b.extracted.cmp(&a.extracted))
    });
    let lacking = fields.iter().filter(|(_, of, _, fill)| fill.filled < of.extracted).count();
    let rows = fields.iter().take(MOST_FIELDS).map(|(name, of, path, fill)| {
        let cells = vec![
            (*name).clone(),
            (*path).clone(),
            format!("{} of {}", thousands(fill.filled), thousands(of.extracted)),
            percent(fill.filled, of.extracted),
            thousands(fill.not_present),
        ];
        Row::from(cells).bar(fill.filled, of.extracted)
    });
    let columns =
        [words("Type=type | Field=field"), figures("Filled=filled | Share=share | Said absent=said absent")];
    section(
        "Fields filled least",
        "Of the documents with an extraction. Absent: the extraction says that the document has nothing about it.",
        Table::new("How many extractions have a value in each field", columns.concat(), rows.collect())
            .bars("Filled, as bars")
            .first(fields.len().saturating_sub(MOST_FIELDS), lacking.min(MOST_ON_TERMINAL)),
    )
}

/// The support of documents for the values of each field, the least supported first.
fn support(summary: &RunSummary) -> Vec<Block> {
    let mut fields: Vec<_> = all_fields(summary).filter(|(.., fill)| fill.support.sum() > 0).collect();
    fields.sort_by_key(|(.., fill)| Reverse(fill.support.sum() - fill.support.supported()));
    // Unused words would only make the table wide.
    let mut used = Supports::default().each().map(|(word, _)| word).to_vec();
    used.retain(|word| fields.iter().any(|(.., fill)| fill.support.count(word) > 0));
    let rows = fields.iter().take(MOST_FIELDS).map(|(name, _, path, fill)| {
        let mut cells = vec![(*name).clone(), (*path).clone(), thousands(fill.support.sum())];
        cells.extend(used.iter().map(|word| thousands(fill.support.count(word))));
        Row::from(cells).bar(fill.support.supported(), fill.support.sum())
    });
    let supports = used.iter().map(|word| figure(word)).collect();
    let columns = [words("Type | Field"), figures("Values"), supports].concat();
    section(
        "Support",
        "What the documents say for the values of each field; the fields with the most doubtful values first. Supported: verified or entailed.",
        Table::new("How many values have each support", columns, rows.collect())
            .bars("Supported, as bars")
            .first(fields.len().saturating_sub(MOST_FIELDS), 0),
    )
}

fn types(summary: &RunSummary) -> Vec<Block> {
    let rows = largest_types(summary).map(|(name, of)| {
        let cells = vec![
            name.clone(),
            thousands(of.documents),
            percent(of.passed, of.documents),
            thousands(of.needs_review),
            fixed(of.mean_overall(), 3),
            spread(&of.scores.0),
        ];
        Row::from(cells).bar(of.passed, of.documents)
    });
    let counts = "Documents=documents | Passed=passed | Needs review=review | Mean overall=overall";
    let columns = [words("Type=type"), figures(counts), words("0 … 1")].concat();
    section(
        "Document types",
        "",
        Table::new("Documents by type", columns, rows.collect())
            .bars("Passed, as bars")
            .first(summary.types.kept.len().saturating_sub(MOST_TYPES), usize::MAX),
    )
}

/// The distribution of scores: a bar for each bin, as high as its share of the largest; a dot where there is none.
fn spread(bins: &[u64]) -> String {
    let most = bins.iter().copied().max().unwrap_or_default();
    let bin = |count: &u64| match share(*count, most) {
        Some(share) if *count > 0 => sparkline(&[share]),
        _ => "·".to_owned(),
    };
    bins.iter().map(bin).collect()
}

fn endings(summary: &RunSummary) -> Vec<Block> {
    let all = summary.ending_rows();
    let most = all.first().map(|(count, _)| *count).unwrap_or_default();
    let more = all.len().saturating_sub(MOST_ENDINGS);
    let rows = all.into_iter().take(MOST_ENDINGS).map(|(count, cells)| Row::from(cells).bar(count, most));
    let counts = figures("Documents=documents | Share=share");
    let columns = [words("Status=status | Reason=reason"), counts].concat();
    section(
        "How documents ended",
        "",
        Table::new("Documents by final status and stop reason", columns, rows.collect())
            .bars("Documents, as bars")
            .first(more, MOST_ENDINGS_ON_TERMINAL),
    )
}

fn errors(summary: &RunSummary) -> Vec<Block> {
    let all = summary.error_rows();
    let most = all.first().map(|(count, _)| *count).unwrap_or_default();
    let rows = all.into_iter().map(|(count, cells)| Row::from(cells).bar(count, most).tone(Tone::Bad));
    let columns = [words("Kind=kind"), figures("Documents=documents")].concat();
    section(
        "Errors",
        "",
        Table::new("Documents by kind of error", columns, rows.collect()).bars("Documents, as bars"),
    )
}
