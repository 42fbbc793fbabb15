//! The tables on the page of a summary, with a bar in each row.

use super::fields::{Fill, Supports};
use super::{RunSummary, TypeSummary};
use crate::report::figures::{fixed, percent, thousands};
use crate::report::model::{Block, Row, Table, Tone, figure, figures, words};
use crate::report::page::of_100;
use crate::value::Severity;
use crate::value::prose::count;
use std::cmp::Reverse;

/// Most rows of each table; the page shows how many are left out.
const MOST_TYPES: usize = 12;
const MOST_ENDINGS: usize = 40;
const MOST_ISSUES: usize = 60;
const MOST_FIELDS: usize = 60;

/// All tables with something in them, in the order of the page.
pub(super) fn tables(summary: &RunSummary) -> Vec<Block> {
    let mut tables = vec![iterations(summary), issues(summary)];
    tables.extend(field_tables(summary));
    tables.extend(support_tables(summary));
    tables.extend([types(summary), endings(summary), errors(summary)]);
    tables.into_iter().flatten().collect()
}

/// A section with one table; nothing without rows.
fn section(heading: impl Into<String>, note: impl Into<String>, table: Table) -> Vec<Block> {
    if table.is_empty() {
        return Vec::new();
    }
    let note = Some(note.into()).filter(|note| !note.is_empty()).map(Block::Note);
    let blocks = [Block::Section(heading.into())].into_iter().chain(note);
    blocks.chain([Block::Table(table)]).collect()
}

/// The tone of rows about issues of a severity.
fn severity_tone(severity: Severity) -> Tone {
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
        Row::from(vec![name, thousands(count), percent(count, summary.done())]).bar(of_100(count, most))
    });
    let caption = "Documents by how many candidates were assessed";
    section(
        "Iterations",
        "",
        Table::new(caption, figures("Iterations | Documents | Share"), rows.collect())
            .bars("Documents, as bars"),
    )
}

fn issues(summary: &RunSummary) -> Vec<Block> {
    let issues = summary.ranked_issues();
    let most = issues.iter().map(|(.., of)| of.documents).max().unwrap_or_default();
    let rows = issues.iter().take(MOST_ISSUES).map(|(severity, code, of)| {
        let cells = vec![
            (*code).clone(),
            severity.as_str().to_owned(),
            thousands(of.documents),
            percent(of.documents, summary.done()),
            thousands(of.count),
        ];
        Row::from(cells).bar(of_100(of.documents, most)).tone(severity_tone(*severity))
    });
    let columns = [words("Code | Severity"), figures("Documents | Share | Issues")].concat();
    section(
        "Issues",
        "Of the candidates that were returned; loopctl explain CODE says what a code means.",
        Table::new("Issues by code, the most severe first", columns, rows.collect())
            .bars("Documents, as bars")
            .first(issues.len().saturating_sub(MOST_ISSUES), usize::MAX),
    )
}

fn field_tables(summary: &RunSummary) -> impl Iterator<Item = Vec<Block>> {
    largest_types(summary).filter(|(_, of)| of.extracted > 0).map(|(name, of)| {
        let rows = of.fields.kept.iter().take(MOST_FIELDS).map(|(path, fill)| {
            let cells = vec![
                path.clone(),
                thousands(fill.filled),
                percent(fill.filled, of.extracted),
                thousands(fill.not_present),
            ];
            Row::from(cells).bar(of_100(fill.filled, of.extracted))
        });
        let caption = format!("How many extractions of {name} have a value in each field");
        let columns = [words("Field"), figures("Filled | Share | Said absent")].concat();
        section(format!("Fields: {name}"), format!(
                "Of {} with an extraction. Absent: the extraction says that the document has nothing about it.",
                count(of.extracted, "document")
            ), Table::new(caption, columns, rows.collect()).bars("Filled, as bars").first(of.fields.kept.len().saturating_sub(MOST_FIELDS), usize::MAX))
    })
}

/// The support of documents for the values of each field, the least supported first.
fn support_tables(summary: &RunSummary) -> impl Iterator<Item = Vec<Block>> {
    largest_types(summary).map(|(name, of)| {
        let looked_up = |fill: &Fill| fill.support.sum() > 0;
        let mut fields: Vec<(&String, &Supports)> = (of.fields.kept.iter())
            .filter(|(_, fill)| looked_up(fill))
            .map(|(path, fill)| (path, &fill.support))
            .collect();
        let doubtful = |support: &Supports| support.sum() - support.supported();
        fields.sort_by_key(|(path, support)| (Reverse(doubtful(support)), *path));
        // Unused words would only make the table wide.
        let all = Supports::default().each().map(|(word, _)| word);
        let is_used = |word: &&'static str| fields.iter().any(|(_, support)| support.count(word) > 0);
        let used: Vec<&'static str> = all.into_iter().filter(is_used).collect();
        let rows = fields.iter().take(MOST_FIELDS).map(|(path, support)| {
            let mut cells = vec![(*path).clone(), thousands(support.sum())];
            cells.extend(used.iter().map(|word| thousands(support.count(word))));
            Row::from(cells).bar(of_100(support.supported(), support.sum()))
        });
        let caption = format!("How many values of {name} have each support");
        let supports = used.iter().map(|word| figure(word)).collect();
        let columns = [words("Field"), figures("Values"), supports].concat();
        section(format!("Support: {name}"), "What the documents say for the values of each field; the fields with the most doubtful values first. Supported: verified or entailed.", Table::new(caption, columns, rows.collect()).bars("Supported, as bars").first(fields.len().saturating_sub(MOST_FIELDS), usize::MAX))
    })
}

fn types(summary: &RunSummary) -> Vec<Block> {
    let rows = largest_types(summary).map(|(name, of)| {
        let cells = vec![
            name.clone(),
            thousands(of.documents),
            percent(of.passed, of.documents),
            thousands(of.needs_review),
            fixed(of.mean_overall(), 3),
        ];
        Row::from(cells).bar(of_100(of.passed, of.documents))
    });
    let columns = [words("Type"), figures("Documents | Passed | Needs review | Mean overall")].concat();
    section(
        "Document types",
        "",
        Table::new("Documents by type", columns, rows.collect())
            .bars("Passed, as bars")
            .first(summary.types.kept.len().saturating_sub(MOST_TYPES), usize::MAX),
    )
}

fn endings(summary: &RunSummary) -> Vec<Block> {
    let all = summary.ending_rows();
    let most = all.first().map(|(count, _)| *count).unwrap_or_default();
    let more = all.len().saturating_sub(MOST_ENDINGS);
    let rows = all.into_iter().take(MOST_ENDINGS);
    let rows = rows.map(|(count, cells)| Row::from(cells).bar(of_100(count, most)));
    let columns = [words("Status | Reason"), figures("Documents | Share")].concat();
    section(
        "How documents ended",
        "",
        Table::new("Documents by final status and stop reason", columns, rows.collect())
            .bars("Documents, as bars")
            .first(more, usize::MAX),
    )
}

fn errors(summary: &RunSummary) -> Vec<Block> {
    let all = summary.error_rows();
    let most = all.first().map(|(count, _)| *count).unwrap_or_default();
    let rows = all.into_iter();
    let rows = rows.map(|(count, cells)| Row::from(cells).bar(of_100(count, most)).tone(Tone::Bad));
    let columns = [words("Kind"), figures("Documents")].concat();
    section(
        "Errors",
        "",
        Table::new("Documents by kind of error", columns, rows.collect()).bars("Documents, as bars"),
    )
}
