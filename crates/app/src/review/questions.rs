//! Questions that a person answers before a document is accepted: its issues as a whole, and unchecked values.
//!
//! A reviewer who accepts a document with one key has inspected what the page shows first, at best. So what only a
//! person can know is asked one by one: a report that was withdrawn is as well written as one that holds.

use super::document::ReviewDocument;
use super::field_path::FieldPath;
use super::fields::ReviewField;
use super::found::Found;
use super::reviewed::Reviewed;
use crate::profile::DOCUMENT_UNSEEN;
use crate::result::is_for_a_person;
use crate::score::Issue;
use crate::value::{Severity, digest_bytes};
use std::collections::HashSet;

/// Characters of the digest in a key. It distinguishes an issue from the few others of its document with the same code.
const DIGITS: usize = 6;

/// An issue of a document as a whole that a person answers.
#[derive(Debug, Clone)]
pub struct Question<'d> {
    /// Distinguishes it from the others of the document, and from another one of the document after it is run again.
    pub key: String,
    pub issue: &'d Issue,
}

impl Question<'_> {
    /// Returns whether a reviewer who says that the document holds all the same must say why.
    pub fn needs_reason(&self) -> bool {
        is_for_a_person(self.issue) || self.issue.severity == Severity::Critical
    }
}

/// The parts that must be answered before a document is accepted, and are not yet.
#[derive(Debug, Clone, Default)]
pub struct Unanswered<'d> {
    /// Issues of the document as a whole.
    pub questions: Vec<Question<'d>>,
    /// Values that nothing has checked.
    pub unchecked: Vec<FieldPath>,
    /// Fields with an issue that only a person may decide.
    pub for_a_person: Vec<FieldPath>,
}

impl Unanswered<'_> {
    /// Returns whether nothing is left to answer.
    pub fn is_empty(&self) -> bool {
        self.questions.is_empty() && self.unchecked.is_empty() && self.for_a_person.is_empty()
    }
}

/// The fields of an extraction, to find out which issues are about one of them.
pub(super) struct FieldPlaces<'f> {
    /// Fields that have a value, and those whose only value would be plain.
    plain: HashSet<&'f str>,
    /// Fields without a value that would be lists of items with members. An issue there is about what the document has, such as a part
    /// that was not extracted.
    lists: HashSet<&'f str>,
    /// `true` if any field has a value.
    has_values: bool,
}

impl<'f> FieldPlaces<'f> {
    pub(super) fn of(fields: &'f [ReviewField], document: &ReviewDocument) -> Self {
        let is_list = |field: &ReviewField| {
            field.value.is_none() && document.declared.schema_at(&field.path).is_some_and(is_list_of_objects)
        };
        let (lists, plain) = fields.iter().partition::<Vec<_>, _>(|field| is_list(field));
        let pointers = |fields: Vec<&'f ReviewField>| fields.into_iter().map(|field| field.path.pointer());
        FieldPlaces {
            has_values: plain.iter().any(|field| field.value.is_some()),
            plain: pointers(plain).collect(),
            lists: pointers(lists).collect(),
        }
    }

    /// The field that an issue is about: at it, or within it. `None` of the document as a whole.
    pub(super) fn of_issue(&self, issue: &Issue) -> Option<&'f str> {
        let mut at: &str = &issue.path;
        loop {
            if let Some(field) = self.plain.get(at) {
                return Some(field);
            }
            if let Some(list) = self.lists.get(at) {
                // That a value is missing is about the field; that the document has something is not.
                return (issue.code == "MISSING_FIELD").then_some(*list);
            }
            (at, _) = at.rsplit_once('/')?;
        }
    }
}

fn is_list_of_objects(schema: &serde_json::Value) -> bool {
    let is = |schema: &serde_json::Value, wanted: &str| match schema.get("type") {
        Some(serde_json::Value::String(one)) => one == wanted,
        Some(serde_json::Value::Array(several)) => several.iter().any(|one| one == wanted),
        _ => false,
    };
    is(schema, "array") && schema.get("items").is_some_and(|items| is(items, "object"))
}

/// Returns whether an issue is one that a person answers.
fn is_asked(issue: &Issue) -> bool {
    is_for_a_person(issue) || issue.severity >= Severity::Major
}

impl ReviewDocument {
    /// The issues of the document as a whole that a person answers: those that only a person may decide, and those that are critical or
    /// major.
    pub fn questions(&self) -> Vec<Question<'_>> {
        let fields = self.fields(self.extraction());
        self.questions_beside(&FieldPlaces::of(&fields, self))
    }

    /// Like [`Self::questions`], where the fields are known.
    pub(super) fn questions_beside(&self, places: &FieldPlaces<'_>) -> Vec<Question<'_>> {
        let mut seen = HashSet::new();
        let issues = self.result.best_validation.iter().flat_map(|validation| &validation.issues);
        // Whether the values match the document is asked of each of them.
        let is_of_values = |issue: &Issue| issue.code == DOCUMENT_UNSEEN && places.has_values;
        issues
            .filter(|issue| is_asked(issue) && places.of_issue(issue).is_none() && !is_of_values(issue))
            .map(|issue| Question { key: key_of(issue), issue })
            .filter(|question| seen.insert(question.key.clone()))
            .collect()
    }

    /// Fields whose value nothing has checked: no passage, quote or judge speaks for it or against it.
    pub(super) fn unchecked<'f>(
        &self,
        fields: &'f [ReviewField],
    ) -> impl Iterator<Item = &'f ReviewField> + use<'f, '_> {
        let found = Found::of(self.result.best_validation.as_ref());
        fields.iter().filter(move |field| {
            field.value.is_some() && found.leaf(&field.path, field.value.as_ref()).is_none()
        })
    }

    /// The parts that must be answered before the document is accepted, and are not yet.
    pub fn unanswered(&self, reviewed: &Reviewed) -> Unanswered<'_> {
        let fields = self.fields(self.extraction());
        let places = FieldPlaces::of(&fields, self);
        let mut questions = self.questions_beside(&places);
        questions.retain(|question| !reviewed.answers.contains_key(&question.key));
        let is_open = |path: &FieldPath| reviewed.field(path).is_none();
        let issues = self.result.best_validation.iter().flat_map(|validation| &validation.issues);
        let asked: HashSet<&str> = issues
            .filter(|issue| is_for_a_person(issue))
            .filter_map(|issue| places.of_issue(issue))
            .collect();
        let of_person = fields.iter().filter(|field| asked.contains(field.path.pointer()));
        let unchecked = self.unchecked(&fields).map(|field| field.path.clone());
        Unanswered {
            questions,
            unchecked: unchecked.filter(|path| is_open(path)).collect(),
            for_a_person: of_person.map(|field| field.path.clone()).filter(|path| is_open(path)).collect(),
        }
    }
}

/// The key of an issue: its code, and a digest of what it says and where.
fn key_of(issue: &Issue) -> String {
    let whole = format!("{}\n{}\n{}", issue.code.as_str(), issue.path.as_str(), issue.message.as_str());
    let digest: String = digest_bytes(whole.as_bytes()).chars().take(DIGITS).collect();
    format!("{}-{digest}", issue.code.as_str())
}
