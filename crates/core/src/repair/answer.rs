//! The choice of the answer from several values.
//!
//! One function decides it for everything that is read from the output of a model: extractions, patches and judges'
//! verdicts, by what is expected of each. Its page is `docs/which-answer.md`.

use super::envelope::{Envelope, Opened, opened};
use super::salvage::{Reading, Salvaged, Unsalvageable};
use super::{Operation, RepairKind, RepairStep};
use serde_json::Value;

/// Fit of a value to what is expected. The better one is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// It is of another kind: a list where an object is expected, no verdict.
    Foreign,
    /// It has nothing of what is expected.
    Unknown,
    /// It has something of it, and is not quite right.
    Flawed,
    /// It is right.
    Whole,
}

/// An expectation that an answer is held against.
pub trait Expects {
    /// Measures how well a value fits.
    fn fit(&self, value: &Value) -> Fit;

    /// The value in the form that is compared with others: values that differ only in spelling are the same.
    fn plain(&self, value: &Value) -> Value {
        value.clone()
    }

    /// Returns whether values in envelopes are looked for.
    fn opens(&self) -> bool {
        true
    }

    /// Returns whether values in a row are a list whatever they are, because nothing says what is expected.
    fn takes_rows(&self) -> bool {
        false
    }

    /// Returns whether the answer was asked for with its evidence beside it.
    fn asks_for_evidence(&self) -> bool {
        false
    }
}

/// The answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The value.
    pub value: Value,
    /// The steps that led to it, and the values that were passed over.
    pub steps: Vec<RepairStep>,
    /// The evidence in its envelopes, outermost first.
    pub evidence: Vec<Value>,
}

/// A value of the text, out of its envelopes.
struct FittedAnswer {
    answer: Answer,
    fit: Fit,
    plain: Value,
    reading: usize,
}

/// The value of a text that is the answer: the one that fits best what is expected. Equal ones are one.
///
/// # Errors
/// [`Unsalvageable::Ambiguous`] when several that differ fit equally, unless all are of another kind than is expected;
/// [`Unsalvageable::CutOff`] when the text ends in the middle of another one than the answer.
pub fn decide(said: Salvaged, expects: &dyn Expects) -> Result<Answer, Unsalvageable> {
    let Salvaged { value, steps, several, has_more, is_cut } = said;
    if several.is_empty() || (expects.takes_rows() && several.last().is_some_and(|last| last.is_row)) {
        return Ok(best_of(Reading::new(value, steps), expects).0);
    }
    let place = |at: usize| several.get(at).and_then(|reading| reading.place);
    let mut best: Vec<FittedAnswer> = Vec::new();
    let mut repeated = 0;
    let mut first_passed = None;
    for (reading, one) in several.iter().enumerate() {
        let (answer, fit) = best_of(one.clone(), expects);
        let level = best.first().map_or(fit, |best| best.fit);
        if fit < level {
            first_passed = first_passed.or(Some(reading));
            continue;
        }
        if fit > level {
            first_passed = first_passed.or_else(|| best.first().map(|best| best.reading));
            best.clear();
            repeated = 0;
        }
        let plain = expects.plain(&answer.value);
        if best.iter().any(|known| known.plain == plain) {
            repeated += 1;
        } else {
            best.push(FittedAnswer { answer, fit, plain, reading });
        }
    }
    // A value that was not inspected may be the answer as well; only all of them as a list can't be one of them.
    let is_row = |at: usize| several.get(at).is_some_and(|reading| reading.is_row);
    let is_list = best.first().is_some_and(|best| is_row(best.reading));
    let rival = best.get(1).map(|rival| rival.reading);
    if rival.is_some() && best.iter().all(|best| best.fit == Fit::Foreign) {
        // None of them can be meant: the error report shows all of them.
        return Ok(Answer { value, steps, evidence: Vec::new() });
    }
    let Some(FittedAnswer { mut answer, reading, .. }) = best.into_iter().next() else {
        return Err(Unsalvageable::NoJson);
    };
    if rival.is_some() || (has_more && !is_list) {
        let rival = rival.and_then(place);
        return Err(Unsalvageable::Ambiguous(place(reading).zip(rival)));
    }
    let last = several.iter().rposition(|reading| !reading.is_row);
    if is_cut && !is_list && last != Some(reading) {
        return Err(Unsalvageable::CutOff);
    }
    let mut passed = |kind, at: Option<usize>, times: usize| {
        if times > 0 {
            let patch = vec![Operation::Replace { path: String::new(), value: answer.value.clone() }];
            let mut step = RepairStep::on_value(kind, "", patch);
            (step.place, step.times) = (at.and_then(place), times);
            answer.steps.push(step);
        }
    };
    passed(RepairKind::Repeated, Some(reading), repeated);
    if !is_list {
        // All of them as a list is none of the values in the text.
        let list = usize::from(several.last().is_some_and(|last| last.is_row));
        let others = several.len().saturating_sub(1 + repeated + list);
        passed(RepairKind::Chosen, first_passed, others);
    }
    Ok(answer)
}

/// The best fit among a value and the contents of its envelopes. Of equals it is the innermost, where only an envelope
/// has that form.
fn best_of(reading: Reading, expects: &dyn Expects) -> (Answer, Fit) {
    let Reading { value, mut steps, .. } = reading;
    let mut fit = expects.fit(&value);
    let levels = if expects.opens() { opened(&value) } else { Vec::new() };
    let mut taken = 0;
    for (at, level) in levels.iter().enumerate() {
        let is_certain =
            level.envelope == Envelope::Evidence && (level.evidence.is_some() || expects.asks_for_evidence());
        let inner = expects.fit(&level.value);
        if inner > fit || (inner == fit && is_certain) {
            (fit, taken) = (inner, at + 1);
        }
    }
    let mut answer = Answer { value, steps: Vec::new(), evidence: Vec::new() };
    for (at, Opened { value: inner, member, evidence, .. }) in levels.into_iter().take(taken).enumerate() {
        answer.evidence.extend(evidence);
        let asked = at == 0 && expects.asks_for_evidence() && member.as_deref() == Some(super::EXTRACTION);
        if asked {
            // An extraction that was asked for is not a repair: the patch that puts the value in the text's place puts the
            // extraction there.
            put_in_place(&mut steps, &answer.value, &inner);
        } else {
            let detail = member.map_or_else(|| "a list of one".to_owned(), |member| format!("`{member}`"));
            let patch = vec![Operation::Replace { path: String::new(), value: inner.clone() }];
            steps.push(RepairStep::on_value(RepairKind::Envelope, &detail, patch));
        }
        answer.value = inner;
    }
    answer.steps = steps;
    (answer, fit)
}

fn put_in_place(steps: &mut [RepairStep], whole: &Value, inner: &Value) {
    for operation in steps.iter_mut().flat_map(|step| &mut step.patch) {
        if let Operation::Add { path, value } | Operation::Replace { path, value } = operation
            && path.is_empty()
            && value == whole
        {
            *value = inner.clone();
        }
    }
}
