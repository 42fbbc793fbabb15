//! The columns of a table of documents, and a document as a row of it.

use super::cell::Cell;
use super::document::ExportedDocument;
use crate::review::{How, NOT_LOOKED_FOR, ReviewState};
use crate::score::{LeafEvidence, is_name_of_date, top_level_field};
use crate::value::escape;
use serde_json::Number;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Most fields at the top of extractions. A workbook has 16,384 columns at most.
const MOST_FIELDS: usize = 2_000;

/// Columns about the document, and their meaning.
const FIXED: [(&str, &str); 15] = [
    ("document", "The document's id in the run"),
    ("document_type", "Its type, given or found"),
    (
        "decision",
        "passed, needs review, not passed, failed, given up, stopped or waiting: a document that needs review does so whether it was accepted or not",
    ),
    ("final_status", "How its run ended"),
    ("stop_reason", "Why"),
    ("needs_review", "Whether a person must look at it"),
    (
        "reviewed",
        "What reviewers made of it: in_review, accepted, rejected or disputed; empty where no one has decided anything",
    ),
    (
        "disputed",
        "What reviewers differ about while nothing settles it: the values there are the latest, and not final",
    ),
    ("overall", "The overall score of the candidate that is returned, from 0 to 1"),
    ("iterations", "How many candidates were assessed"),
    ("issues", "How many issues the candidate that is returned has, without those that only inform"),
    ("calls", "Calls to models and other services that were paid for"),
    ("cost_usd", "What is known of their cost, in US dollars; empty where nothing is"),
    ("calls_of_unknown_cost", "How many of the calls have a cost that is not known"),
    ("detail", "Why there is no result, or what went wrong"),
];

/// The run that is exported.
#[derive(Debug, Clone)]
pub(crate) struct ExportedRun {
    pub(crate) id: String,
    pub(crate) profile: String,
    pub(crate) profile_digest: String,
    pub(crate) loopctl_version: String,
    pub(crate) started_at: String,
    pub(crate) finished_at: Option<String>,
}

/// More fields than a table can have.
#[derive(Debug)]
pub(crate) struct TooManyFields;

/// The columns of a run, as far as its documents have been seen.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    fields: Vec<FieldColumns>,
    by_name: HashMap<String, usize>,
}

/// The columns of a field: its value, and beside it further columns that some document needs.
#[derive(Debug)]
struct FieldColumns {
    name: String,
    /// `true` if some document has evidence for it.
    has_evidence: bool,
    /// `true` if a reviewer has corrected it somewhere.
    is_corrected: bool,
    /// `true` if a reviewer has confirmed it somewhere.
    is_confirmed: bool,
    is_date: bool,
}

/// The columns beside a value that has evidence, and their meaning.
const BESIDE: [(&str, &str); 4] = [
    (
        "support",
        "What the document says for the value: verified, entailed, undecided, conflicting, unsupported or contradicted; of a list or mapping, the weakest of its values",
    ),
    (
        "quote",
        "The quote that decided, of the weakest value; empty where the document was searched without a quote",
    ),
    (
        "start",
        "Where the passage that decided begins in the document, in characters from its start: what says the value or, where nothing does, what says otherwise",
    ),
    ("end", "Where it ends"),
];

impl Columns {
    /// Registers the fields of a document.
    pub(crate) fn see(&mut self, document: &ExportedDocument) -> Result<(), TooManyFields> {
        // A field that a reviewer took out has a column, too, with the reviewer's name.
        let taken_out = document.corrected.iter().map(|applied| applied.top.as_str());
        for name in document.fields().map(|(name, _)| name).chain(taken_out) {
            if !self.by_name.contains_key(name) {
                if self.fields.len() == MOST_FIELDS {
                    return Err(TooManyFields);
                }
                self.by_name.insert(name.to_owned(), self.fields.len());
                let is_date = is_name_of_date(name);
                self.fields.push(FieldColumns {
                    name: name.to_owned(),
                    has_evidence: false,
                    is_corrected: false,
                    is_confirmed: false,
                    is_date,
                });
            }
        }
        // Also where a reviewer has replaced the value: corrections only add columns.
        let validation = document.result.as_ref().and_then(|result| result.best_validation.as_ref());
        for (path, _) in validation.iter().flat_map(|validation| validation.evidence.iter()) {
            if let Some(field) = top_level_field(path).and_then(|name| self.field(&name)) {
                field.has_evidence = true;
            }
        }
        for applied in &document.corrected {
            if let Some(field) = self.field(&applied.top) {
                field.is_corrected |= !applied.confirms();
                field.is_confirmed |= applied.confirms();
            }
        }
        Ok(())
    }

    fn field(&mut self, name: &str) -> Option<&mut FieldColumns> {
        self.fields.get_mut(*self.by_name.get(name)?)
    }

    /// Returns whether each field of a document has a column, and so have its evidence and decisions.
    pub(crate) fn cover(&self, document: &ExportedDocument) -> bool {
        let field = |name: &str| self.fields.get(*self.by_name.get(name)?);
        document.fields().all(|(name, _)| {
            let (corrected, confirmed) = (document.correction_of(name), document.confirmation_of(name));
            field(name).is_some_and(|field| {
                (field.is_corrected || corrected.is_none()) && (field.is_confirmed || confirmed.is_none())
            })
        }) && evidence_of(document).keys().all(|name| field(name).is_none_or(|field| field.has_evidence))
    }

    /// The heading of each column, and its meaning. No two headings are alike: the column of a field with the name of
    /// another column is headed by its path, `/document`.
    pub(crate) fn headings(&self) -> Vec<(String, String)> {
        let mut headings: Vec<(String, String)> =
            FIXED.iter().map(|(name, what)| ((*name).to_owned(), (*what).to_owned())).collect();
        let mut taken: HashSet<String> = headings.iter().map(|(name, _)| name.clone()).collect();
        for field in &self.fields {
            let parts = || field.parts().map(|(part, _)| part);
            let under =
                |name: &str| parts().map(|part| format!("{name}.{part}")).chain([name.to_owned()]).collect();
            let mut name = field.name.clone();
            let mut own: Vec<String> = under(&name);
            while name.is_empty() || own.iter().any(|heading| taken.contains(heading)) {
                name = if name.starts_with('/') { format!("/{name}") } else { format!("/{}", escape(&name)) };
                own = under(&name);
            }
            taken.extend(own);
            let kind = if field.is_date { "; a day that is written as 2026-11-27 is a date" } else { "" };
            headings.push((name.clone(), format!("The extracted value of `{}`{kind}", field.name)));
            headings.extend(field.parts().map(|(part, what)| (format!("{name}.{part}"), what.to_owned())));
        }
        headings
    }

    /// The cells of a document.
    pub(crate) fn row<'d>(&self, document: &'d ExportedDocument) -> Vec<Cell<'d>> {
        let mut cells = about(document);
        let values: BTreeMap<&str, _> = document.fields().collect();
        let evidence: BTreeMap<String, LeafEvidence<'d>> = evidence_of(document);
        for field in &self.fields {
            let name = field.name.as_str();
            cells.push(values.get(name).map_or(Cell::Empty, |value| Cell::value(value, field.is_date)));
            if field.has_evidence {
                let leaf = evidence.get(name);
                let span = leaf.and_then(|leaf| leaf.span);
                cells.push(Cell::optional(leaf.map(|leaf| leaf.support.as_str())));
                cells.push(Cell::optional(leaf.and_then(|leaf| leaf.quote)));
                cells.push(span.map_or(Cell::Empty, |span| Cell::count(span.start)));
                cells.push(span.map_or(Cell::Empty, |span| Cell::count(span.end)));
            }
            if field.is_corrected {
                cells.push(Cell::optional(document.correction_of(name).map(|applied| applied.who())));
            }
            if field.is_confirmed {
                cells.push(Cell::optional(document.confirmation_of(name).map(|applied| applied.who())));
            }
            if field.is_corrected || field.is_confirmed {
                cells.push(Cell::optional(how(document, name, values.contains_key(name))));
            }
        }
        cells
    }
}

impl FieldColumns {
    /// The columns beside the value.
    fn parts(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let corrected = (
            "corrected_by",
            "Who changed the value, or took it out: then it is the reviewer's, and what was found for the extracted one is left out",
        );
        let confirmed = ("confirmed_by", "Who said that the extracted value is right");
        let how = (
            "how",
            "How the reviewer came to it: each, if the value was looked at; swept, if the document was accepted as it stood; not_looked_for, if it was accepted without the field",
        );
        let is_reviewed = self.is_corrected || self.is_confirmed;
        let beside = BESIDE.into_iter().filter(|_| self.has_evidence);
        beside
            .chain(self.is_corrected.then_some(corrected))
            .chain(self.is_confirmed.then_some(confirmed))
            .chain(is_reviewed.then_some(how))
    }
}

/// The way in which reviewers came to their decision about a field.
fn how(document: &ExportedDocument, name: &str, has_value: bool) -> Option<&'static str> {
    let mut decided = document.corrected.iter().filter(|applied| applied.top == name).peekable();
    match decided.peek() {
        Some(_) => Some(How::of_all(decided.map(|applied| applied.how)).as_str()),
        None => (!has_value && document.reviewed == Some(ReviewState::Accepted)).then_some(NOT_LOOKED_FOR),
    }
}

/// The cells about the document itself.
fn about(document: &ExportedDocument) -> Vec<Cell<'_>> {
    let result = document.result.as_ref();
    let of = |text: Option<&'static str>| Cell::optional(text);
    let validation = result.and_then(|result| result.best_validation.as_ref());
    let count = |count: Option<usize>| count.map_or(Cell::Empty, Cell::count);
    let whole = |count: Option<u64>| count.map_or(Cell::Empty, |count| Cell::Number(Number::from(count)));
    let usage = result.map(|result| result.usage);
    // A cost that is wholly unknown is not 0.
    let cost = usage.filter(|usage| usage.calls == 0 || usage.calls_of_unknown_cost < usage.calls);
    let issues = validation.map(|validation| {
        let inform = validation.count_severity(crate::value::Severity::Info);
        validation.issues.len() - inform
    });
    vec![
        Cell::text(&document.id),
        Cell::text(&document.document_type),
        of(Some(document.decision.as_str())),
        of(result.map(|result| result.final_status.as_str())),
        result.map_or(Cell::Empty, |result| Cell::Text(result.stop_reason.to_string().into())),
        result.map_or(Cell::Empty, |result| Cell::Truth(result.review)),
        of(document.reviewed.map(ReviewState::as_str)),
        Cell::Text(document.disputed.join(", ").into()).unless_empty(),
        validation.map_or(Cell::Empty, |validation| Cell::decimal(validation.overall)),
        count(result.map(|result| result.iteration_count)),
        count(issues),
        whole(usage.map(|usage| usage.calls)),
        cost.map_or(Cell::Empty, |usage| Cell::decimal(usage.known_cost_usd.get())),
        whole(usage.map(|usage| usage.calls_of_unknown_cost)),
        Cell::optional(document.detail.as_deref()),
    ]
}

/// Of each field at the top that has evidence, the first of its weakest values. A reviewer's value has none.
fn evidence_of(document: &ExportedDocument) -> BTreeMap<String, LeafEvidence<'_>> {
    let mut weakest: BTreeMap<String, LeafEvidence<'_>> = BTreeMap::new();
    let validation = document.result.as_ref().and_then(|result| result.best_validation.as_ref());
    for (path, leaf) in validation.iter().flat_map(|validation| validation.evidence.iter()) {
        if document.corrected.iter().any(|applied| applied.replaces(path)) {
            continue;
        }
        let Some(field) = top_level_field(path) else { continue };
        match weakest.get(&field) {
            Some(known) if known.support >= leaf.support => {}
            _ => drop(weakest.insert(field, leaf)),
        }
    }
    weakest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_columns_have_one_heading() {
        let mut columns = Columns::default();
        for (at, name) in
            ["document", "grade", "grade.support", "/document", "", "a/b"].into_iter().enumerate()
        {
            columns.by_name.insert(name.to_owned(), at);
            let has_evidence = name == "grade";
            columns.fields.push(FieldColumns {
                name: name.to_owned(),
                has_evidence,
                is_corrected: false,
                is_confirmed: false,
                is_date: false,
            });
        }
        let headings: Vec<String> = columns.headings().into_iter().map(|(heading, _)| heading).collect();
        let own = headings.get(FIXED.len()..).unwrap();
        let expected = [
            "/document",
            "grade",
            "grade.support",
            "grade.quote",
            "grade.start",
            "grade.end",
            "/grade.support",
            "//document",
            "/",
            "a/b",
        ];
        assert_eq!(own, expected);
    }
}
