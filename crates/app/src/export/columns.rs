//! The columns of a table of documents, and a document as a row of it.

use super::cell::{Cell, in_decimals};
use super::document::ExportedDocument;
use crate::review::{How, NOT_LOOKED_FOR, ReviewState};
use crate::score::{LeafEvidence, is_name_of_date, top_level_field};
use crate::value::{Severity, escape};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Most fields at the top of extractions. A workbook has 16,384 columns at most.
const MOST_FIELDS: usize = 2_000;

/// A column about the document.
struct Column {
    name: &'static str,
    /// Its meaning, for people.
    about: &'static str,
    /// The cell of a document; `None` leaves it empty.
    cell: for<'d> fn(&'d ExportedDocument) -> Option<Cell<'d>>,
}

/// The columns about the document, with which every table begins.
const FIXED: [Column; 16] = [
    Column {
        name: "document",
        about: "The document's id in the run",
        cell: |document| Some(Cell::text(&document.id)),
    },
    Column {
        name: "document_type",
        about: "Its type, given or found",
        cell: |document| Some(Cell::text(&document.document_type)),
    },
    Column {
        name: "decision",
        about: "passed, needs review, not passed, failed, given up, stopped or waiting: a document that needs review does so whether it was accepted or not",
        cell: |document| Some(Cell::text(document.decision.as_str())),
    },
    Column {
        name: "final_status",
        about: "How its run ended",
        cell: |document| Some(Cell::text(document.result.as_ref()?.final_status.as_str())),
    },
    Column {
        name: "stop_reason",
        about: "Why",
        cell: |document| Some(Cell::text(document.result.as_ref()?.stop_reason.to_string())),
    },
    Column {
        name: "needs_review",
        about: "Whether a person must look at it",
        cell: |document| Some(Cell::Truth(document.result.as_ref()?.review)),
    },
    Column {
        name: "reviewed",
        about: "What reviewers made of it: in_review, accepted, rejected or disputed; empty where no one has decided anything",
        cell: |document| Some(Cell::text(document.reviewed?.as_str())),
    },
    Column {
        name: "disputed",
        about: "What reviewers differ about while nothing settles it: the values there are the latest, and not final",
        cell: |document| Some(Cell::text(document.disputed.join(", "))),
    },
    Column {
        name: "corrected_type",
        about: "The type that it has by the decision of a reviewer, where it was run with another one: its values were extracted as of that",
        cell: |document| Some(Cell::text(document.corrected_type.as_deref()?)),
    },
    Column {
        name: "overall",
        about: "The overall score of the candidate that is returned, from 0 to 1",
        cell: |document| in_decimals(document.validation()?.overall).map(Cell::Number),
    },
    Column {
        name: "iterations",
        about: "How many candidates were assessed",
        cell: |document| Some(Cell::number(document.result.as_ref()?.iteration_count)),
    },
    Column {
        name: "issues",
        about: "How many issues the candidate that is returned has, without those that only inform",
        cell: |document| {
            let validation = document.validation()?;
            Some(Cell::number(validation.issues.len() - validation.count_severity(Severity::Info)))
        },
    },
    Column {
        name: "calls",
        about: "Calls to models and other services that were paid for",
        cell: |document| Some(Cell::number(document.result.as_ref()?.usage.calls)),
    },
    Column {
        name: "cost_usd",
        about: "What is known of their cost, in US dollars; empty where nothing is",
        cell: |document| {
            let usage = document.result.as_ref()?.usage;
            // A cost that is wholly unknown is not 0.
            let is_known = usage.calls == 0 || usage.calls_of_unknown_cost < usage.calls;
            in_decimals(usage.known_cost_usd.get()).filter(|_| is_known).map(Cell::Number)
        },
    },
    Column {
        name: "calls_of_unknown_cost",
        about: "How many of the calls have a cost that is not known",
        cell: |document| Some(Cell::number(document.result.as_ref()?.usage.calls_of_unknown_cost)),
    },
    Column {
        name: "detail",
        about: "Why there is no result, or what went wrong",
        cell: |document| Some(Cell::text(document.detail.as_deref()?)),
    },
];

/// A column beside the value of a field.
struct Beside {
    name: &'static str,
    /// Its meaning, for people.
    about: &'static str,
    /// Returns whether a field has the column.
    is_needed: fn(&FieldColumns) -> bool,
    /// The cell of a document; `None` leaves it empty.
    cell: for<'d> fn(&DocumentField<'_, 'd>) -> Option<Cell<'d>>,
}

/// The columns beside the value of a field, each of which a field has if some document needs it.
const BESIDE: [Beside; 7] = [
    Beside {
        name: "support",
        about: "What the document says for the value: verified, entailed, undecided, conflicting, unsupported or contradicted; of a list or mapping, the weakest of its values",
        is_needed: |field| field.has_evidence,
        cell: |field| Some(Cell::text(field.evidence?.support.as_str())),
    },
    Beside {
        name: "quote",
        about: "The quote that decided, of the weakest value; empty where the document was searched without a quote",
        is_needed: |field| field.has_evidence,
        cell: |field| Some(Cell::text(field.evidence?.quote?)),
    },
    Beside {
        name: "start",
        about: "Where the passage that decided begins in the document, in characters from its start: what says the value or, where nothing does, what says otherwise",
        is_needed: |field| field.has_evidence,
        cell: |field| Some(Cell::number(field.evidence?.span?.start)),
    },
    Beside {
        name: "end",
        about: "Where it ends",
        is_needed: |field| field.has_evidence,
        cell: |field| Some(Cell::number(field.evidence?.span?.end)),
    },
    Beside {
        name: "corrected_by",
        about: "Who changed the value, or took it out: then it is the reviewer's, and what was found for the extracted one is left out",
        is_needed: |field| field.is_corrected,
        cell: |field| Some(Cell::text(field.document.correction_of(field.name)?.who())),
    },
    Beside {
        name: "confirmed_by",
        about: "Who said that the extracted value is right",
        is_needed: |field| field.is_confirmed,
        cell: |field| Some(Cell::text(field.document.confirmation_of(field.name)?.who())),
    },
    Beside {
        name: "how",
        about: "How the reviewer came to it: each, if the value was looked at; swept, if the document was accepted as it stood; not_looked_for, if it was accepted without the field",
        is_needed: |field| field.is_corrected || field.is_confirmed,
        cell: |field| field.how().map(Cell::text),
    },
];

/// The run that is exported.
#[derive(Debug, Clone)]
pub struct ExportedRun {
    /// The id of the run in the journal.
    pub id: String,
    /// The name of the profile.
    pub profile: String,
    /// The digest of the checked profile, with the settings laid over it.
    pub profile_digest: String,
    /// The version of loopctl that began the run.
    pub loopctl_version: String,
    /// The time at which the run began, as RFC 3339.
    pub started_at: String,
    /// The time at which the run ended, as RFC 3339; `None` while it is in progress and after a crash.
    pub finished_at: Option<String>,
}

/// More fields than a table can have.
#[derive(Debug)]
pub struct TooManyFields;

/// The columns of a run, as far as its documents have been seen.
#[derive(Debug, Default)]
pub struct Columns {
    fields: Vec<FieldColumns>,
    by_name: HashMap<String, usize>,
}

/// The columns of a field: its value, and beside it further columns that some document needs.
#[derive(Debug, Default)]
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

/// A field of one document.
struct DocumentField<'n, 'd> {
    document: &'d ExportedDocument,
    name: &'n str,
    value: Option<&'d Value>,
    /// The evidence for the weakest of its values.
    evidence: Option<LeafEvidence<'d>>,
}

impl Columns {
    /// Registers the fields of a document.
    pub fn see(&mut self, document: &ExportedDocument) -> Result<(), TooManyFields> {
        // A field that a reviewer took out has a column, too, with the reviewer's name.
        let taken_out = document.corrected.iter().map(|applied| applied.top.as_str());
        for name in document.fields().map(|(name, _)| name).chain(taken_out) {
            if !self.by_name.contains_key(name) {
                if self.fields.len() == MOST_FIELDS {
                    return Err(TooManyFields);
                }
                self.by_name.insert(name.to_owned(), self.fields.len());
                let (name, is_date) = (name.to_owned(), is_name_of_date(name));
                self.fields.push(FieldColumns { name, is_date, ..FieldColumns::default() });
            }
        }
        // Also where a reviewer has replaced the value: corrections only add columns.
        for (path, _) in document.validation().iter().flat_map(|validation| validation.evidence.iter()) {
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
    pub fn cover(&self, document: &ExportedDocument) -> bool {
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
    pub fn headings(&self) -> Vec<(String, String)> {
        let mut headings: Vec<(String, String)> =
            FIXED.iter().map(|column| (column.name.to_owned(), column.about.to_owned())).collect();
        let mut taken: HashSet<String> = headings.iter().map(|(name, _)| name.clone()).collect();
        for field in &self.fields {
            let under = |name: &str| -> Vec<String> {
                let beside = field.beside().map(|column| format!("{name}.{}", column.name));
                [name.to_owned()].into_iter().chain(beside).collect()
            };
            let mut name = field.name.clone();
            while name.is_empty() || under(&name).iter().any(|heading| taken.contains(heading)) {
                name = if name.starts_with('/') { format!("/{name}") } else { format!("/{}", escape(&name)) };
            }
            taken.extend(under(&name));
            let kind = if field.is_date { "; a day that is written as 2026-11-27 is a date" } else { "" };
            let value = format!("The extracted value of `{}`{kind}", field.name);
            let about = [value].into_iter().chain(field.beside().map(|column| column.about.to_owned()));
            headings.extend(under(&name).into_iter().zip(about));
        }
        headings
    }

    /// The cells of a document.
    pub fn row<'d>(&self, document: &'d ExportedDocument) -> Vec<Cell<'d>> {
        let mut cells: Vec<Cell<'d>> =
            FIXED.iter().map(|column| (column.cell)(document).unwrap_or_default()).collect();
        let values: BTreeMap<&str, &Value> = document.fields().collect();
        let evidence = evidence_of(document);
        for columns in &self.fields {
            let name = columns.name.as_str();
            let (value, evidence) = (values.get(name).copied(), evidence.get(name).copied());
            let field = DocumentField { document, name, value, evidence };
            cells.push(value.map_or(Cell::Empty, |value| Cell::value(value, columns.is_date)));
            cells.extend(columns.beside().map(|column| (column.cell)(&field).unwrap_or_default()));
        }
        cells
    }
}

impl FieldColumns {
    fn beside(&self) -> impl Iterator<Item = &'static Beside> {
        BESIDE.iter().filter(|column| (column.is_needed)(self))
    }
}

impl DocumentField<'_, '_> {
    /// The way in which reviewers came to their decision about it.
    fn how(&self) -> Option<&'static str> {
        let all = self.document.corrected.iter();
        let mut decided = all.filter(|applied| applied.top == self.name).peekable();
        let is_accepted = self.document.reviewed == Some(ReviewState::Accepted);
        match decided.peek() {
            Some(_) => Some(How::of_all(decided.map(|applied| applied.how)).as_str()),
            None => (is_accepted && self.value.is_none()).then_some(NOT_LOOKED_FOR),
        }
    }
}

/// Of each field at the top that has evidence, the first of its weakest values.
fn evidence_of(document: &ExportedDocument) -> BTreeMap<String, LeafEvidence<'_>> {
    let mut weakest: BTreeMap<String, LeafEvidence<'_>> = BTreeMap::new();
    for (path, leaf) in document.evidence() {
        let Some(field) = top_level_field(path) else { continue };
        if weakest.get(&field).is_none_or(|known| known.support < leaf.support) {
            weakest.insert(field, leaf);
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
            let (name, has_evidence) = (name.to_owned(), name == "grade");
            columns.fields.push(FieldColumns { name, has_evidence, ..FieldColumns::default() });
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
