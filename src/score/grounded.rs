//! The grounding measure on top of the grounding search: which leaves count, and what is said about each.

use super::assessment::{Assessment, SourceSpan};
use super::grounding::{Grounder, Scratch, Settings, SourceIndex, Vocabulary};
use super::wording::{plain_issue, shown};
use crate::rules::{FieldName, GroundingSettings};
use crate::value::{Fuel, Score, unescape};
use serde_json::Value;

/// What fields may be called, prepared for the search.
#[derive(Debug, Default)]
pub(super) struct Names(Vocabulary);

impl Names {
    pub(super) fn new(fields: &[FieldName]) -> Self {
        Names(Vocabulary::new(fields.iter().map(|field| (&field.key, &field.synonyms))))
    }
}

/// The text of a document, indexed once and used for each of its candidates.
#[derive(Debug)]
pub struct Source {
    index: SourceIndex,
    document: Option<Value>,
}

impl Source {
    pub(super) fn new(text: &str, names: &Names) -> Self {
        Source { index: SourceIndex::new(text, &names.0), document: None }
    }

    /// The same, whose text is also read as JSON: candidates patch it.
    pub(super) fn with_document(text: &str, names: &Names) -> Self {
        Source { document: serde_json::from_str(text).ok(), ..Source::new(text, names) }
    }

    /// The JSON that candidates patch; `None` when the text is no JSON or candidates are no patches.
    #[must_use]
    pub fn document(&self) -> Option<&Value> {
        self.document.as_ref()
    }

    /// The text itself.
    #[must_use]
    pub fn text(&self) -> &str {
        self.index.text()
    }
}

/// How many leaves count, and how many of them are grounded.
#[derive(Debug, Clone, Copy)]
pub(super) struct Share {
    pub(super) grounded: usize,
    pub(super) checked: usize,
}

impl Share {
    /// The share that is grounded: 0 without any leaf.
    pub(super) fn score(self) -> Score {
        #[expect(clippy::cast_precision_loss, reason = "counts of leaves are far below 2^52")]
        let share = if self.checked == 0 { 0.0 } else { self.grounded as f64 / self.checked as f64 };
        Score::clamped(share)
    }
}

/// Grounds every leaf, records evidence and issues, and counts; as long as there is fuel.
///
/// Leaves are texts that are not blank, and numbers; neither what is under a `…_status` key nor under a top-level
/// field that the settings ignore.
pub(super) fn ground(
    candidate: &Value,
    names: &Names,
    source: &Source,
    settings: &GroundingSettings,
    scratch: &mut Scratch,
    fuel: &Fuel,
    out: &mut Assessment,
) -> Share {
    let (mut grounded, mut checked) = (0_usize, 0_usize);
    let search = Settings { fuzzy: settings.fuzzy.get() };
    let counts = |pointer: &str| is_checked(pointer, &settings.ignore);
    Grounder::ground_counted(
        candidate,
        &names.0,
        &source.index,
        search,
        scratch,
        fuel,
        counts,
        |leaf, found| {
            checked += 1;
            if let Some(found) = found {
                grounded += 1;
                out.evidence.push(leaf.pointer, SourceSpan::from(found.chars));
            } else {
                let message = format!("`{}` is not found in the source", shown(leaf.value));
                out.issues.push(plain_issue(
                    "UNGROUNDED_VALUE",
                    settings.severity,
                    leaf.pointer.to_owned(),
                    message,
                ));
            }
        },
    );
    Share { grounded, checked }
}

/// Whether the leaf at `pointer` counts.
fn is_checked(pointer: &str, ignore: &[String]) -> bool {
    let mut steps = pointer.split('/').skip(1);
    let ignored = steps.next().is_some_and(|field| ignore.iter().any(|name| unescape(field) == *name));
    !ignored && !pointer.split('/').skip(1).any(|step| step.ends_with("_status"))
}
