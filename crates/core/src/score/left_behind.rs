//! Leftovers: rows of a table that no item of a list took, and labelled values of fields that the answer lacks.

use super::answer_fields::answer_fields;
use super::issue::Issue;
use super::machine::Machine;
use super::source::{Names, Source};
use super::wording::plain_issue;
use crate::rules::{AnswerSchema, RubricFields, cut, shown};
use crate::value::{Disposition, Severity, is_present, unescape};
use loopctl_ground::{LeftRow, Mention, is_used, left_rows, mentions};
use serde_json::Value;
use std::ops::Range;

/// The code of the issue about a row that no item of a list took.
pub(super) const ROW_NOT_EXTRACTED: &str = "ROW_NOT_EXTRACTED";
/// The code of the issue about a labelled value of a field that the answer lacks.
pub(super) const UNUSED_MENTION: &str = "UNUSED_MENTION";

/// Longest row in a message, in characters.
const ROW: usize = 160;

/// The labelled values that are looked for and found in a document: the same for all of its candidates.
#[derive(Debug)]
pub(super) struct LabelledFields {
    document_type: String,
    found: Vec<Labelled>,
}

/// A labelled value with the keys that lead to its field, so that an answer that has it costs no allocation.
#[derive(Debug)]
struct Labelled {
    keys: Vec<String>,
    mention: Mention,
}

impl Labelled {
    fn is_in(&self, candidate: &Value) -> bool {
        let value = self.keys.iter().try_fold(candidate, |value, key| value.get(key));
        value.is_some_and(is_present)
    }
}

impl LabelledFields {
    fn read(document_type: &str, schemas: &[AnswerSchema], names: &Names, source: &Source) -> Self {
        let fields = answer_fields(schemas, names);
        let found = mentions(source.structure(), &fields).into_iter().map(|mention| {
            let keys = mention.field.split('/').skip(1).map(|key| unescape(key).into_owned()).collect();
            Labelled { keys, mention }
        });
        LabelledFields { document_type: document_type.to_owned(), found: found.collect() }
    }
}

impl Machine<'_> {
    /// Reports the content of the document that the candidate lacks, which costs nothing: the rubric sets the severity.
    /// Only beside a measure that looks values up, whose index it shares.
    pub(super) fn say_left_behind(&mut self, rubric: &RubricFields) {
        let (Some(source), Some(candidate)) = (self.source, self.tree) else { return };
        let is_told = |code: &str| matches!(code, ROW_NOT_EXTRACTED | UNUSED_MENTION);
        if !candidate.is_object() || self.out.issues.iter().any(|issue| is_told(&issue.code)) {
            return;
        }
        let names = self.scoring.names();
        let rows = self.rows_left(candidate, source, rubric, names);
        let values = self.values_left(candidate, source, rubric, names);
        for issue in rows.into_iter().chain(values) {
            if issue.severity == Severity::Info {
                self.out.issues.push(Issue { disposition: Disposition::Warn, ..issue });
            } else {
                self.found(issue);
            }
        }
    }

    fn rows_left(
        &self,
        candidate: &Value,
        source: &Source,
        rubric: &RubricFields,
        names: &Names,
    ) -> Vec<Issue> {
        let has_lists = candidate.as_object().into_iter().flatten().any(|(_, value)| holds_items(value));
        if !has_lists {
            return Vec::new();
        }
        let top = |pointer: &str| pointer.split('/').nth(1).map(unescape).unwrap_or_default().into_owned();
        let is_whole =
            |pointer: &str| rubric.left_behind_of.iter().any(|(field, _)| **field == *top(pointer));
        // Those of parts have issues of their own.
        let is_of_parts = |pointer: &str| names.each.iter().any(|(_, each)| each.list.value == top(pointer));
        let rows = left_rows(source.structure(), candidate, is_whole);
        let rows = rows.into_iter().filter(|row| !is_of_parts(&row.list));
        let issue = |LeftRow { list, bytes }: LeftRow| {
            let message = format!(
                "the row {} ({}) has no item in `{}`, as its neighbours have",
                row_text(source, &bytes),
                place(source, &bytes),
                list.trim_start_matches('/'),
            );
            Issue {
                suggested_fix: Some(
                    "add an item for this row, with what it says, if the list asks for it".into(),
                ),
                source_span: Some(source.span(&bytes)),
                ..plain_issue(ROW_NOT_EXTRACTED, rubric.left_behind(&top(&list)), list, message)
            }
        };
        rows.map(issue).collect()
    }

    fn values_left(
        &self,
        candidate: &Value,
        source: &Source,
        rubric: &RubricFields,
        names: &Names,
    ) -> Vec<Issue> {
        let document_type = &*self.program.document_type;
        let answers = self.scoring.rules().answers();
        let Some(schemas) = answers.schemas.get(document_type).filter(|_| self.is_value()) else {
            return Vec::new();
        };
        let labelled = source.labelled(|| LabelledFields::read(document_type, schemas, names, source));
        if labelled.document_type != document_type {
            return Vec::new();
        }
        let filled_in =
            |field: &str| rubric.fields.iter().any(|known| *known.name == *field && known.from.is_some());
        let mut issues = Vec::new();
        for labelled in labelled.found.iter().filter(|one| !one.is_in(candidate)) {
            let Mention { field, bytes } = &labelled.mention;
            let top = labelled.keys.first().map_or("", String::as_str);
            let has_status = candidate.get(format!("{top}_status")).is_some_and(is_present);
            if has_status || filled_in(top) || is_used(source.structure(), candidate, bytes) {
                continue;
            }
            let said = source.text().get(bytes.clone()).unwrap_or_default();
            let message = format!(
                "the document labels {} as `{}` ({}), and the field is missing",
                shown(&Value::from(said)),
                field.trim_start_matches('/'),
                place(source, bytes),
            );
            issues.push(Issue {
                suggested_fix: Some("give the field this value, if it is what the field asks for".into()),
                source_span: Some(source.span(bytes)),
                ..plain_issue(UNUSED_MENTION, rubric.left_behind(top), field.clone(), message)
            });
        }
        issues
    }
}

/// Returns whether a value has a list of objects somewhere.
fn holds_items(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(Value::is_object),
        Value::Object(members) => members.values().any(holds_items),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// A row in a message, without the blanks between its cells.
fn row_text(source: &Source, bytes: &Range<usize>) -> String {
    let said = source.text().get(bytes.clone()).unwrap_or_default();
    let words: Vec<&str> = said.split_whitespace().collect();
    shown(&Value::from(cut(&words.join(" "), ROW)))
}

/// The line and column of some bytes.
fn place(source: &Source, bytes: &Range<usize>) -> String {
    let before = source.text().get(..bytes.start).unwrap_or_default();
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("line {}, column {column}", source.line(bytes.start))
}
