//! Agreement of two reviewers about one document, where the second did not see what the first had decided.

use super::decision::{Action, How};
use super::document::ReviewDocument;
use super::field_path::FieldPath;
use super::reviewed::Reviewed;
use crate::experiment::statistics::cohen_kappa;
use crate::value::{canonical, is_present};
use serde_json::Value;
use std::collections::BTreeMap;

/// A reviewer's verdict on a value, or on a document as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    /// It is right as it was extracted; of a document: it was accepted.
    Right,
    /// Another value is right.
    Other,
    /// The document has none; of a document: it was rejected.
    None,
}

/// The verdicts of two reviewers on the documents that both reviewed.
#[derive(Debug, Default)]
pub struct Agreement {
    documents: usize,
    wholes: Said,
    /// Values that both inspected.
    fields: BTreeMap<String, Said>,
    /// Values that one of them, or both, accepted with their document as it was.
    swept: Said,
}

#[derive(Debug, Default)]
struct Said {
    verdicts: Vec<(Verdict, Verdict)>,
    same: usize,
}

/// The agreement of reviewers about a field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldAgreement {
    /// The field; items of lists have `*` instead of their numbers. `None` of documents as a whole.
    pub field: Option<String>,
    /// The number of values that both decided about.
    pub values: usize,
    /// The number of these for which they give the same value.
    pub same: usize,
    /// Cohen's kappa of whether the value is right, another, or none; `None` where chance explains all.
    pub kappa: Option<f64>,
}

impl Agreement {
    fn add(&mut self, document: ReviewDocument) {
        let Some((document, first, second)) = compared(document) else { return };
        let reviewed = document.reviewed();
        self.documents += 1;
        if let Some(wholes) = wholes(&document, &first).zip(wholes(&document, &second)) {
            self.wholes.add(wholes, wholes.0 == wholes.1);
        }
        for value in values(&document, &reviewed, &first, &second) {
            let said = match value.how {
                How::Each => self.fields.entry(general(value.path)).or_default(),
                How::Swept => &mut self.swept,
            };
            said.add(value.verdicts, value.is_same);
        }
    }

    /// The number of documents that two reviewers decided about.
    pub fn documents(&self) -> usize {
        self.documents
    }

    /// The number of values that one or both did not report as inspected, and how many of these both decided alike.
    pub fn swept(&self) -> Option<(usize, usize)> {
        let values = self.swept.verdicts.len();
        (values > 0).then_some((values, self.swept.same))
    }

    /// Documents as a whole first, then each field by its name.
    pub fn rows(&self) -> Vec<FieldAgreement> {
        let wholes = (self.documents > 0).then(|| self.wholes.row(None));
        wholes.into_iter().chain(self.fields.iter().map(|(field, said)| said.row(Some(field)))).collect()
    }
}

impl Extend<ReviewDocument> for Agreement {
    /// Adds documents that two reviewers decided about, the second without seeing what the first did. Ignores others.
    fn extend<D: IntoIterator<Item = ReviewDocument>>(&mut self, documents: D) {
        documents.into_iter().for_each(|document| self.add(document));
    }
}

impl Said {
    fn add(&mut self, verdicts: (Verdict, Verdict), is_same: bool) {
        self.verdicts.push(verdicts);
        self.same += usize::from(is_same);
    }

    fn row(&self, field: Option<&String>) -> FieldAgreement {
        FieldAgreement {
            field: field.cloned(),
            values: self.verdicts.len(),
            same: self.same,
            kappa: cohen_kappa(&self.verdicts),
        }
    }
}

/// A document with what was decided until its blind reviewer was done, and the names of its two reviewers.
fn compared(mut document: ReviewDocument) -> Option<(ReviewDocument, String, String)> {
    let is_whole = |action: Action| matches!(action, Action::Accept | Action::Reject);
    let done = document.decisions.iter().position(|decision| {
        let content = &decision.content;
        content.blind
            && content.field.is_none()
            && is_whole(content.action)
            && content.shown == document.shown
    })?;
    let second = document.decisions.get(done)?.reviewer.clone();
    document.decisions.truncate(done + 1);
    // What another reviewer decided meanwhile was not for the second to see, either.
    let first = document.deciders().into_iter().find(|name| *name != second)?.to_owned();
    Some((document, first, second))
}

fn wholes(document: &ReviewDocument, reviewer: &str) -> Option<Verdict> {
    let of_whole = document
        .decisions
        .iter()
        .filter(|decision| decision.reviewer == reviewer && decision.content.field.is_none());
    let actions = of_whole.map(|decision| decision.content.action);
    actions
        .filter_map(|action| match action {
            Action::Accept => Some(Verdict::Right),
            Action::Reject => Some(Verdict::None),
            _ => None,
        })
        .next_back()
}

/// A value that two reviewers decided about.
struct Compared<'r> {
    path: &'r FieldPath,
    verdicts: (Verdict, Verdict),
    is_same: bool,
    /// `Each` only if both inspected it.
    how: How,
}

/// The values of fields that the desk shows, for those that both decided about.
fn values<'r>(
    document: &ReviewDocument,
    reviewed: &'r Reviewed,
    first: &str,
    second: &str,
) -> Vec<Compared<'r>> {
    let verdict = |path: &FieldPath, value: Option<&Value>| {
        let extracted = path.of(document.extraction()).filter(|value| is_present(value));
        match value {
            value if value == extracted => Verdict::Right,
            None => Verdict::None,
            Some(_) => Verdict::Other,
        }
    };
    let both = reviewed.fields().filter_map(|(path, field)| {
        let (one, other) = (field.of(first)?, field.of(second)?);
        if document.declared.is_filled_in(&path.top()) {
            return None;
        }
        let how = How::of_all([one.how, other.how]);
        let (one, other) = (one.value.as_ref(), other.value.as_ref());
        let is_same = one.map(canonical) == other.map(canonical);
        Some(Compared { path, verdicts: (verdict(path, one), verdict(path, other)), is_same, how })
    });
    both.collect()
}

/// A field by a name that all items of a list share: `/specimens/*/margins`.
fn general(path: &FieldPath) -> String {
    let steps = path.pointer().split('/').map(|step| {
        let is_number = !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
        if is_number { "*" } else { step }
    });
    FieldPath::named(&steps.collect::<Vec<_>>().join("/")).to_string()
}
