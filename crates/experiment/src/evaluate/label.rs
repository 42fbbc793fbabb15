//! The known truth about a document.

use crate::value::is_present;
use serde_json::Value;
use std::fmt;

/// The statement of one file or line about a document.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelRecord {
    /// The document, as the label names it.
    pub document: String,
    /// Its type, if the label says so.
    pub document_type: Option<String>,
    /// The value that documents share that are not independent, such as a patient.
    pub cluster: Option<String>,
    /// The reviewer.
    pub reviewer: Option<String>,
    /// The time at which the label was made.
    pub at: Option<jiff::Timestamp>,
    /// `true` if the fields are not known to have been inspected: their document was accepted as it was.
    pub is_swept: bool,
    /// The standing of the label: final where reviewers disagree, one of those that differ while nothing settles it, or
    /// neither.
    pub standing: Standing,
    /// The truth about its fields. A field is named by a top-level member of an extraction, or by a JSON Pointer into
    /// it.
    pub fields: Vec<(String, FieldLabel)>,
    /// The location of the label, for people: `gold.jsonl, line 3`.
    pub place: String,
}

/// The standing of a label where reviewers disagree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Standing {
    /// One of several, of which the latest holds.
    #[default]
    Plain,
    /// The final one.
    Settles,
    /// One of several that differ, and nothing settles which of them holds.
    Disputed,
}

/// The truth about a field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldLabel {
    /// The values of which each is right; `null` means that the field is not present. Never empty.
    pub accepted: Vec<Value>,
    /// The way in which it is compared with what was extracted.
    pub held: Held,
    /// `true` if more is true than the label says, so that what was extracted beyond it is not wrong.
    pub is_partial: bool,
}

/// The way in which a label is compared with what was extracted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Held {
    /// As the profile declares the field.
    #[default]
    Declared,
    /// Its words appear in what was extracted.
    ContainsWords,
    /// Its letters appear in what was extracted, also within words.
    ContainsText,
}

impl FieldLabel {
    /// A label of one right value; `null` if the field is not present.
    pub fn of(value: Value) -> Self {
        FieldLabel { accepted: vec![value], held: Held::Declared, is_partial: false }
    }

    /// Returns whether a document without the field is right.
    pub fn admits_absence(&self) -> bool {
        !self.accepted.iter().all(is_present)
    }

    /// The right values that are present.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.accepted.iter().filter(|value| is_present(value))
    }
}

/// The reason why a label can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelError {
    /// The location of the label.
    pub place: String,
    /// The expected and the found value, in words. Never text of a document.
    pub message: String,
    /// The advice, in lines.
    pub help: Vec<String>,
}

impl LabelError {
    /// Returns an error about the label at `place`, without advice.
    pub fn new(place: &str, message: impl Into<String>) -> Self {
        LabelError { place: place.to_owned(), message: message.into(), help: Vec::new() }
    }

    pub(super) fn help(self, help: Vec<String>) -> Self {
        LabelError { help, ..self }
    }
}

impl fmt::Display for LabelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// The name of a field as it is kept: `/grade` is `grade`, and only what lies deeper is a pointer.
pub(super) fn field_name(name: &str) -> String {
    match name.strip_prefix('/') {
        Some(top) if !top.contains(['/', '~']) => top.to_owned(),
        _ => name.to_owned(),
    }
}

/// A moment with its offset, or a day, which begins in UTC.
pub fn moment_or_day(text: &str) -> Option<jiff::Timestamp> {
    let whole_day = || text.parse::<jiff::civil::Date>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok();
    text.parse().ok().or_else(|| whole_day().map(|day| day.timestamp()))
}

/// A moment as a label writes it.
pub(super) fn moment(text: &str, place: &str) -> Result<jiff::Timestamp, LabelError> {
    moment_or_day(text).ok_or_else(|| {
        LabelError::new(
            place,
            "`at`: expected a moment such as `2026-11-25T09:30:00Z` or a day such as `2026-11-25`",
        )
    })
}
