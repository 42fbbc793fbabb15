//! Weighs the fields of a rubric: the present ones, the missing ones, and the claims of the candidate about them.

use super::account::MeasureKind;
use super::assessment::Assessment;
use super::grounded;
use super::issue::{Issue, LazyText, SourceSpan};
use super::machine::Machine;
use super::verdict::Support;
use super::wording::{Finding, plain_issue};
use crate::rules::{
    CompiledMeasure, FieldWeight, Importance, Index, Memo, PlaceholderLookup, RubricField, RubricFields,
    RuleScope,
};
use crate::value::{Disposition, Item, Pointer, Score, Severity, escape};
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::sync::Arc;

/// Most matches of one pattern that are compared to see whether a document states several things.
const MAX_MENTIONS: usize = 1_000;

/// The status of a field that a candidate gives under `FIELD_status`.
#[derive(Clone, Copy)]
enum Status {
    /// The document doesn't have it.
    NotPresent,
    /// The document states several things about it.
    Ambiguous,
    /// Nothing that matters here.
    Other,
}

impl Status {
    fn of(stated: Option<Item<'_>>) -> Self {
        match stated.and_then(Item::as_text) {
            Some("not_present") => Status::NotPresent,
            Some("ambiguous") => Status::Ambiguous,
            _ => Status::Other,
        }
    }
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

/// The statements of a document about a field, by the patterns that mention it.
enum Mentions<'t> {
    /// There is no document to look in.
    NoSource,
    None,
    /// One, or several that mean the same.
    One(Mention<'t>),
    /// Two that differ; the later one.
    Several(Mention<'t>),
}

/// The weights of a rubric's fields so far.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    present: f64,
    all: f64,
}

impl<'a> Machine<'a> {
    /// Sets the dimension to the weight of the fields that are present over that of all.
    pub(super) fn rubric(&mut self, dimension: Index, rubric: &'a RubricFields) {
        let mut sums = Sums::default();
        let said_before = self.out.missing.len();
        self.room.optional.clear();
        if let Some(ledger) = &mut self.ledger {
            ledger.missing.clear();
        }
        for (at, FieldWeight { slot, status, weight }) in rubric.weights.iter().enumerate() {
            let there = self.fields.get(*slot).is_some_and(|item| {
                let is_all = |field: &RubricField| self.placeholders.are_all_of(&field.pointer, item);
                item.is_present() && !rubric.fields.get(at).is_some_and(is_all)
            });
            match self.fields.get(*status) {
                None if there => {
                    sums.present += weight;
                    sums.all += weight;
                }
                status => {
                    if let Some(field) = rubric.fields.get(at) {
                        self.weigh(field, there, Status::of(status), &mut sums, said_before);
                    }
                }
            }
        }
        let Sums { present, all } = sums;
        self.say_costs(dimension, all);
        self.say_left_behind(rubric);
        let score = Score::clamped(if all > 0.0 { present / all } else { 0.0 });
        self.score(dimension, score, |ledger, _| {
            (MeasureKind::Rubric { present, all }, ledger.missing_fields(all))
        });
    }

    /// Adds a field to both sums, unless the candidate says that it is not in the document, or ambiguous there.
    fn weigh(&mut self, field: &'a RubricField, there: bool, status: Status, sums: &mut Sums, said: usize) {
        match status {
            Status::NotPresent => return self.weigh_not_present(field, sums, said),
            Status::Ambiguous => {
                let span = match mentions(field, self.source.map(super::Source::text)) {
                    Mentions::Several(mention) => self.span(&mention),
                    Mentions::NoSource => None,
                    // The choice between several values is for a person to review, too.
                    _ if there => None,
                    Mentions::None | Mentions::One(_) => return self.weigh_clear(field, sums, said),
                };
                self.say_ambiguous(field, span);
                if !there {
                    return;
                }
            }
            Status::Other if !there && self.does_not_apply(field) => return,
            Status::Other => {}
        }
        sums.all += field.weight;
        if there {
            sums.present += field.weight;
            return;
        }
        let severity = match field.importance {
            Importance::Required => Severity::Major,
            Importance::Important => Severity::Minor,
            // Without a weight, nothing is lost.
            Importance::Optional if field.weight <= 0.0 => return self.note_missing(field, false, said),
            Importance::Optional => Severity::Info,
        };
        let issue = Issue {
            path: (&field.pointer).into(),
            message: (&field.missing).into(),
            suggested_fix: field.suggestion.as_ref().map(LazyText::from),
            ..Issue::new("MISSING_FIELD", severity)
        };
        if severity == Severity::Info {
            self.room.optional.push((self.out.issues.len(), field.weight));
            self.out.issues.push(Issue { disposition: Disposition::Warn, ..issue });
        } else {
            self.found(issue);
        }
        self.note_missing(field, true, said);
    }

    /// Adds the costs of the missing optional fields of the current rubric to their issues, now that all fields are
    /// weighed.
    fn say_costs(&mut self, dimension: Index, all: f64) {
        let Some(name) = self.program.dimensions.get(dimension as usize) else { return };
        for (at, weight) in self.room.optional.drain(..) {
            if let Some(issue) = self.out.issues.get_mut(at) {
                issue.message = LazyText::later(Finding::cost(issue.message.clone(), weight / all, name));
            }
        }
    }

    /// A field that the candidate says is not in the document leaves both sums, unless the document mentions it.
    fn weigh_not_present(&mut self, field: &'a RubricField, sums: &mut Sums, said: usize) {
        let mention = match mentions(field, self.source.map(super::Source::text)) {
            Mentions::NoSource | Mentions::None => return,
            Mentions::One(mention) | Mentions::Several(mention) => mention,
        };
        let span = self.span(&mention);
        let message = format!("`{}` is said to be absent, but the source speaks of it", field.name);
        self.weigh_refuted(field, "NOT_PRESENT_BUT_MENTIONED", message, span, sums, said);
    }

    /// A field that the candidate says is ambiguous, and left out, but about which the document does not state several
    /// things.
    fn weigh_clear(&mut self, field: &'a RubricField, sums: &mut Sums, said: usize) {
        let message = format!(
            "`{}` is said to be ambiguous, but the source does not say several things of it",
            field.name
        );
        self.weigh_refuted(field, "AMBIGUOUS_BUT_CLEAR", message, None, sums, said);
    }

    /// A claim that the document does not support: the field counts as missing.
    fn weigh_refuted(
        &mut self,
        field: &'a RubricField,
        code: &'static str,
        message: String,
        span: Option<SourceSpan>,
        sums: &mut Sums,
        said: usize,
    ) {
        sums.all += field.weight;
        let issue = plain_issue(code, Severity::Major, &field.pointer, message);
        let suggested_fix = field.suggestion.as_ref().map(LazyText::from);
        self.found(Issue { suggested_fix, source_span: span, ..issue });
        self.note_missing(field, true, said);
    }

    fn say_ambiguous(&mut self, field: &RubricField, span: Option<SourceSpan>) {
        let message = format!("`{}` is said to be ambiguous in the source; a person must decide", field.name);
        let issue = plain_issue("FIELD_AMBIGUOUS", Severity::Major, &field.pointer, message);
        self.out.issues.push(Issue { disposition: Disposition::Escalate, source_span: span, ..issue });
    }

    /// Returns whether a field does not apply by the candidate's own values. When in doubt it applies: the document
    /// must support all values that this rests on, and not mention the field.
    fn does_not_apply(&mut self, field: &RubricField) -> bool {
        let (Some(when), Some(source)) = (field.applies_when.as_deref(), self.source) else { return false };
        if !matches!(mentions(field, Some(source.text())), Mentions::None) {
            return false;
        }
        let (candidate, fields, fuel) = (self.candidate, self.fields, self.fuel);
        let memo = RefCell::<Memo<'_>>::default();
        let scope = RuleScope { candidate, fields, value: candidate, at: &Pointer::ROOT, fuel, memo: &memo };
        !self.holds(&when.condition, &scope) && self.supports(&when.looks_at, source) && !fuel.is_spent()
    }

    /// Returns whether the document supports all values of these fields, of which none is missing.
    fn supports(&self, fields: &[(Arc<str>, Index)], source: &super::Source) -> bool {
        let mut parts = self.program.measures.iter().flatten().flat_map(CompiledMeasure::parts);
        let Some(settings) = parts.find_map(|measure| match measure {
            CompiledMeasure::Grounding(settings) => Some(settings),
            CompiledMeasure::Rubric(_)
            | CompiledMeasure::Schema(_)
            | CompiledMeasure::Rules { .. }
            | CompiledMeasure::Script(_)
            | CompiledMeasure::Ensemble { .. } => None,
        }) else {
            return false;
        };
        let present = fields.iter().filter_map(|(name, slot)| {
            let value = self.fields.get(*slot).filter(|item| item.is_present())?;
            Some((name.to_string(), value.to_value()))
        });
        let present: Map<String, Value> = present.collect();
        if present.len() < fields.len() {
            return false;
        }
        let values = Value::Object(present);
        let mut found = Assessment::default();
        grounded::ground(
            &values,
            &self.program.document_type,
            self.scoring.rules().answers().of(&self.program.document_type),
            self.scoring.names(),
            source,
            self.quotes,
            self.judged,
            settings,
            &mut grounded::Room::default(),
            (&self.placeholders, None),
            self.fuel,
            &mut found,
        );
        let supported = |support| matches!(support, Support::Verified | Support::Entailed);
        let of_field = |name: &str| {
            let pointer = format!("/{}", escape(name));
            let is_below = |path: &str| {
                path.strip_prefix(&pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            let mut leaves = found.evidence.iter().filter(|(path, _)| is_below(path)).peekable();
            leaves.peek().is_some() && leaves.all(|(_, leaf)| supported(leaf.support))
        };
        fields.iter().all(|(name, _)| of_field(name))
    }

    /// The position of a mention, in characters.
    fn span(&self, mention: &Mention<'_>) -> Option<SourceSpan> {
        let before = self.source?.text().get(..mention.start)?.chars().count();
        Some(SourceSpan { start: before, end: before + mention.words.chars().count() })
    }

    /// Notes a field that is not present. `has_issue` says that the latest issue is about it; the first `before` of
    /// those that are missing were found by other rubrics.
    fn note_missing(&mut self, field: &RubricField, has_issue: bool, before: usize) {
        if let Some(ledger) = &mut self.ledger {
            let issue = has_issue.then(|| self.out.issues.len().saturating_sub(1));
            ledger.missing.push((issue, Arc::clone(&field.name), field.weight));
        }
        if !self.out.missing.iter().take(before).any(|known| *known == field.name) {
            self.out.missing.push(Arc::clone(&field.name));
        }
    }
}

/// The statements of the text about a field: several, if two mentions at different positions differ in their words.
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

/// Returns whether two mentions have the same words, in any case and however they are spaced.
fn says_same(a: &str, b: &str) -> bool {
    let letters = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | '%'));
        words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    };
    letters(a) == letters(b)
}
