//! The grounding measure on top of the grounding search: which leaves count, and what is said about each.

use super::assessment::{Assessment, SourceSpan};
use super::wording::{plain_issue, shown};
use crate::rules::{FieldName, GroundingSettings};
use crate::value::{Pointer, Score, Segment};
use serde_json::Value;

/// What fields may be called, prepared for the search.
#[derive(Debug, Default)]
pub(super) struct Names;

impl Names {
    pub(super) fn new(_fields: &[FieldName]) -> Self {
        Names
    }
}

/// The text of a document, indexed once and used for each of its candidates.
#[derive(Debug)]
pub struct Source {
    text: String,
}

impl Source {
    pub(super) fn new(text: &str, _names: &Names) -> Self {
        Source { text: text.to_owned() }
    }

    /// The text itself.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Buffers kept from one candidate to the next.
#[derive(Debug, Default)]
pub(super) struct Scratch;

/// Grounds every leaf, records evidence and issues, and gives the share that is grounded: 0 without any leaf.
pub(super) fn ground(
    candidate: &Value,
    _names: &Names,
    source: &Source,
    settings: &GroundingSettings,
    _scratch: &mut Scratch,
    out: &mut Assessment,
) -> Score {
    let mut counts = (0_usize, 0_usize);
    walk(candidate, &Pointer::ROOT, source, settings, out, &mut counts);
    #[expect(clippy::cast_precision_loss, reason = "counts of leaves are far below 2^52")]
    let share = if counts.1 == 0 { 0.0 } else { counts.0 as f64 / counts.1 as f64 };
    Score::clamped(share)
}

fn walk(
    value: &Value,
    at: &Pointer<'_>,
    source: &Source,
    settings: &GroundingSettings,
    out: &mut Assessment,
    counts: &mut (usize, usize),
) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                let ignored =
                    key.ends_with("_status") || (at.last().is_none() && settings.ignore.contains(key));
                if !ignored {
                    walk(member, &at.child(Segment::Key(key)), source, settings, out, counts);
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                walk(item, &at.child(Segment::Index(index)), source, settings, out, counts);
            }
        }
        Value::String(text) if !text.trim().is_empty() => {
            counts.1 += 1;
            if let Some(start) = source.text.find(text.as_str()) {
                counts.0 += 1;
                let before = source.text.get(..start).unwrap_or_default().chars().count();
                out.evidence.push(at, SourceSpan { start: before, end: before + text.chars().count() });
            } else {
                let message = format!("`{}` is not found in the source", shown(value));
                out.issues.push(plain_issue("UNGROUNDED_VALUE", settings.severity, at.to_string(), message));
            }
        }
        _ => {}
    }
}
