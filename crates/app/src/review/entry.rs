//! A row that a user filled in, before anything is known to be right about it.

use super::decision::{Action, How};
use jiff::Timestamp;
use serde_json::Value;
use std::fmt;

/// The right value as it was written.
#[derive(Debug, Clone, PartialEq)]
pub enum Written {
    /// In a cell of a table: its field determines the kind of value.
    Cell(String),
    /// As JSON.
    Json(Value),
}

/// A row of a worksheet, or a line of decisions. Members that were left empty are `None`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Entry {
    /// The line of the file, from 1.
    pub(super) line: u64,
    pub(super) document: Option<String>,
    pub(super) field: Option<String>,
    /// The key of an issue of the document as a whole.
    pub(super) issue: Option<String>,
    /// The name of the action.
    pub(super) action: Option<String>,
    /// The value that the reviewer was shown, as the worksheet writes it.
    pub(super) value: Option<String>,
    /// The value that the reviewer was shown, if the line has it as JSON.
    pub(super) before: Option<Value>,
    pub(super) after: Option<Written>,
    pub(super) comment: Option<String>,
    pub(super) reviewer: Option<String>,
    pub(super) at: Option<Timestamp>,
    pub(super) spent_ms: Option<u64>,
    /// The way in which the reviewer came to it.
    pub(super) how: Option<How>,
    /// `true` if it is the last word where reviewers differed.
    pub(super) settles: bool,
    /// Digest of the result that the reviewer was shown, and what else the worksheet records of itself.
    pub(super) shown: Option<String>,
}

impl Entry {
    /// A decision about a document, or about a field of it, at a moment.
    pub fn decided(document: &str, field: Option<&str>, action: Action, at: Timestamp) -> Self {
        Entry {
            document: Some(document.to_owned()),
            field: field.map(str::to_owned),
            action: Some(action.as_str().to_owned()),
            at: Some(at),
            ..Entry::default()
        }
    }

    /// Like this entry, about an issue of the document as a whole.
    pub fn with_issue(self, issue: Option<String>) -> Self {
        Entry { issue, ..self }
    }

    /// Like this entry, as the last word where reviewers differed, if `settles`.
    pub fn with_settles(self, settles: bool) -> Self {
        Entry { settles, ..self }
    }

    /// With the value that the reviewer saw.
    pub fn with_before(self, before: Value) -> Self {
        Entry { before: Some(before), ..self }
    }

    /// With the right value: JSON, or a text that is read by the type of its field.
    pub fn with_after(self, after: Written) -> Self {
        Entry { after: Some(after), ..self }
    }

    /// With the reviewer's comment, and the time that it took.
    pub fn with_notes(self, comment: Option<String>, spent_ms: Option<u64>) -> Self {
        Entry { comment, spent_ms, ..self }
    }

    /// Returns whether a reviewer wrote anything in it.
    pub(super) fn is_filled_in(&self) -> bool {
        self.action.is_some() || self.after.is_some() || self.comment.is_some()
    }

    /// The document that it names.
    pub fn document(&self) -> Option<&str> {
        self.document.as_deref()
    }

    /// Its turn among the others. The rows of a worksheet have no order in time: what takes back comes first, and what
    /// is about a document as a whole last, because it is about what its other rows decide.
    pub(super) fn turn(&self) -> u8 {
        let is_of_worksheet = self.shown.is_some() && self.at.is_none();
        let is_of_whole = self.field.is_none() && self.issue.is_none();
        let action = self.action.as_deref().filter(|_| is_of_worksheet && is_of_whole);
        match action.and_then(Action::written) {
            Some(Action::Undo) => 0,
            Some(Action::Accept | Action::Reject) => 2,
            _ => 1,
        }
    }

    /// An error in a column of it.
    pub(super) fn error(&self, column: &str, message: impl Into<String>) -> EntryError {
        EntryError { line: self.line, column: Some(column.to_owned()), message: message.into() }
    }
}

/// An error in a row, and its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryError {
    /// The line of the file, from 1.
    pub line: u64,
    /// The column, or the member of the line.
    pub column: Option<String>,
    /// The expectation, what was found, and what to do.
    pub message: String,
}

impl EntryError {
    /// Of a line as a whole.
    pub(super) fn of_line(line: u64, message: impl Into<String>) -> Self {
        EntryError { line, column: None, message: message.into() }
    }
}

impl fmt::Display for EntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if let Some(column) = &self.column {
            write!(f, ", `{column}`")?;
        }
        write!(f, ": {}", self.message)
    }
}
