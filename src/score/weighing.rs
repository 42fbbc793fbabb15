//! Weighs the fields of a rubric: what is there, what is missing, and what the candidate says of itself.

use super::assessment::{Issue, SourceSpan};
use super::machine::Machine;
use super::wording::plain_issue;
use crate::rules::{Importance, Index, RubricField};
use crate::value::{Disposition, Segment, Severity, is_present};
use serde_json::Value;
use std::fmt::Write as _;
use std::sync::Arc;

/// Most matches of one pattern that are compared to see whether a document says several things.
const MAX_MENTIONS: usize = 1_000;

/// What a candidate says of a field under `FIELD_status`.
#[derive(Clone, Copy)]
enum Status {
    /// That the document doesn't have it.
    NotPresent,
    /// That the document says several things of it.
    Ambiguous,
    /// Nothing that matters here.
    Other,
}

/// A passage of a document that mentions a field.
struct Mention<'t> {
    start: usize,
    words: &'t str,
}

impl Mention<'_> {
    fn end(&self) -> usize {
        self.start + self.words.len()
    }
}

/// What a document says of a field, by the patterns that mention it.
enum Mentions<'t> {
    /// There is no document to look in.
    NoSource,
    None,
    /// One, or several that say the same.
    One(Mention<'t>),
    /// Two that differ; the later one.
    Several(Mention<'t>),
}

impl Machine<'_> {
    /// Adds a field to both sums, unless it is said not to be in the document, or to be ambiguous there.
    pub(super) fn weigh(&mut self, field: &RubricField) {
        let there = self.fields.get(field.slot).is_some_and(is_present);
        match self.status(field) {
            Status::NotPresent => return self.weigh_not_present(field),
            Status::Ambiguous => {
                let span = match mentions(field, self.source.map(super::Source::text)) {
                    Mentions::Several(mention) => self.span(&mention),
                    Mentions::NoSource => None,
                    // Which of several values was taken is for a person to see, too.
                    _ if there => None,
                    Mentions::None | Mentions::One(_) => return self.weigh_clear(field),
                };
                self.say_ambiguous(field, span);
                if !there {
                    return;
                }
            }
            Status::Other => {}
        }
        self.sums.1 += field.weight;
        if there {
            self.sums.0 += field.weight;
            return;
        }
        let severity = match field.importance {
            Importance::Required => Severity::Major,
            Importance::Important => Severity::Minor,
            // Without a weight, nothing is lost.
            Importance::Optional if field.weight <= 0.0 => return self.note_missing(field, false),
            Importance::Optional => Severity::Info,
        };
        let message = format!("{} field `{}` is missing", field.importance.as_str(), field.name);
        let issue = plain_issue("MISSING_FIELD", severity, pointer(&field.name), message);
        let issue = Issue { suggested_fix: field.suggestion.clone(), ..issue };
        if severity == Severity::Info {
            self.room.optional.push((self.out.issues.len(), field.weight));
            self.out.issues.push(Issue { disposition: Disposition::Warn, ..issue });
        } else {
            self.found(issue);
        }
        self.note_missing(field, true);
    }

    /// Says of the missing optional fields of the rubric in hand what they cost, now that all fields are weighed.
    pub(super) fn say_costs(&mut self, dimension: Index) {
        let (_, all) = self.sums;
        let Some(name) = self.program.dimension(dimension) else { return };
        for (at, weight) in self.room.optional.drain(..) {
            if let Some(issue) = self.out.issues.get_mut(at) {
                let _ = write!(issue.message, ", which costs {:.3} of `{name}`", weight / all);
            }
        }
    }

    fn status(&self, field: &RubricField) -> Status {
        match self.fields.get(field.status).and_then(Value::as_str) {
            Some("not_present") => Status::NotPresent,
            Some("ambiguous") => Status::Ambiguous,
            _ => Status::Other,
        }
    }

    /// A field that is said not to be in the document leaves both sums, unless the document speaks of it.
    fn weigh_not_present(&mut self, field: &RubricField) {
        let mention = match mentions(field, self.source.map(super::Source::text)) {
            Mentions::NoSource | Mentions::None => return,
            Mentions::One(mention) | Mentions::Several(mention) => mention,
        };
        let span = self.span(&mention);
        let message = format!("`{}` is said to be absent, but the source speaks of it", field.name);
        self.weigh_refuted(field, "NOT_PRESENT_BUT_MENTIONED", message, span);
    }

    /// A field that is said to be ambiguous, and left out, of which the document does not say several things.
    fn weigh_clear(&mut self, field: &RubricField) {
        let message = format!(
            "`{}` is said to be ambiguous, but the source does not say several things of it",
            field.name
        );
        self.weigh_refuted(field, "AMBIGUOUS_BUT_CLEAR", message, None);
    }

    /// A claim that the document does not bear out: the field counts as missing.
    fn weigh_refuted(&mut self, field: &RubricField, code: &str, message: String, span: Option<SourceSpan>) {
        self.sums.1 += field.weight;
        let issue = plain_issue(code, Severity::Major, pointer(&field.name), message);
        self.found(Issue { suggested_fix: field.suggestion.clone(), source_span: span, ..issue });
        self.note_missing(field, true);
    }

    fn say_ambiguous(&mut self, field: &RubricField, span: Option<SourceSpan>) {
        let message = format!("`{}` is said to be ambiguous in the source; a person must decide", field.name);
        let issue = plain_issue("FIELD_AMBIGUOUS", Severity::Major, pointer(&field.name), message);
        self.out.issues.push(Issue { disposition: Disposition::Escalate, source_span: span, ..issue });
    }

    /// Where a mention stands, in characters.
    fn span(&self, mention: &Mention<'_>) -> Option<SourceSpan> {
        let before = self.source?.text().get(..mention.start)?.chars().count();
        Some(SourceSpan { start: before, end: before + mention.words.chars().count() })
    }

    /// Notes a field that is not present; `said` tells that the latest issue is about it.
    fn note_missing(&mut self, field: &RubricField, said: bool) {
        if let Some(ledger) = &mut self.ledger {
            let issue = said.then(|| self.out.issues.len().saturating_sub(1));
            ledger.missing.push((issue, Arc::clone(&field.name), field.weight));
        }
        if !self.out.missing.contains(&field.name) {
            self.out.missing.push(Arc::clone(&field.name));
        }
    }
}

/// What the text says of a field: several things, if two mentions at different places differ in their words.
fn mentions<'t>(field: &RubricField, text: Option<&'t str>) -> Mentions<'t> {
    let Some(text) = text else { return Mentions::NoSource };
    let mut first: Option<Mention<'t>> = None;
    for pattern in field.mentions.iter().filter_map(|pattern| pattern.automaton(text)) {
        for found in pattern.find_iter(text).take(MAX_MENTIONS) {
            let words = text.get(found.range()).unwrap_or_default();
            let found = Mention { start: found.start(), words };
            let Some(one) = &first else {
                first = Some(found);
                continue;
            };
            let apart = found.start >= one.end() || one.start >= found.end();
            if apart && !says_same(one.words, found.words) {
                return Mentions::Several(found);
            }
        }
    }
    first.map_or(Mentions::None, Mentions::One)
}

/// Whether two mentions have the same words, in any case and however they are spaced.
fn says_same(a: &str, b: &str) -> bool {
    let letters = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | '%'));
        words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    };
    letters(a) == letters(b)
}

fn pointer(field: &str) -> String {
    let mut pointer = String::new();
    crate::value::push_segment(&mut pointer, Segment::Key(field));
    pointer
}
