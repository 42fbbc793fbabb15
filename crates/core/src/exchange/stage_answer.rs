//! The result of a stage's answer, and the guard that keeps repairs from making candidates worse.

use super::answer::{RawAnswer, extraction, patch};
use super::known::{DocumentFacts, fill_in};
use super::quoted::QuotedAnswer;
use crate::engine::Outputs;
use crate::plan::{DocumentContext, Given, Plan};
use crate::profile::CandidateKind;
use crate::score::{Assessment, Assessor, Quotes};
use crate::value::{Fuel, Severity, below};
use serde_json::Value;
use std::sync::Arc;

/// The answer of a stage of a run, repaired as a run repairs it; or the reason why it is unusable. `outputs` are the
/// latest answers of the stages. Fields that the host knows are filled in.
///
/// # Errors
/// Fails if there is no such stage, or a text holds no JSON. Anything unrepaired when the fuel is spent stays as is.
pub fn stage_answer(
    plan: &Plan,
    outputs: &Outputs,
    stage: usize,
    context: &DocumentContext,
    file_name: Option<&str>,
    told: RawAnswer<'_>,
    fuel: &Fuel,
) -> Result<QuotedAnswer, String> {
    let planned = plan.stages.get(stage).ok_or("there is no such stage")?;
    let document_type = context.document_type();
    let text = context.source().map(|source| source.text()).unwrap_or_default();
    let known = DocumentFacts { document_type, text, file_name };
    let repairer = planned.repairers.of(document_type);
    if plan.scoring.kind() == CandidateKind::Patch {
        return patch(repairer, told).map(QuotedAnswer::from);
    }
    let QuotedAnswer { repaired: chosen, quotes } =
        extraction(repairer, told, planned.quotes.is_some(), fuel)?;
    let assessor = context.assessor().with_cancel(fuel.cancel());
    let placed = [(stage, quotes)];
    let quotes = &placed;
    let mut guard = Guard { assessor, context, plan, outputs, stage, quotes, fuel, known: None };
    let mut veto = |before: &Value, after: &Value| guard.refuses(before, after);
    let mut repaired = repairer.shaped(chosen, Some(&mut veto), fuel);
    fill_in(&mut repaired.value, known.fields(plan, planned));
    let [(_, quotes)] = placed;
    Ok(QuotedAnswer { repaired, quotes })
}

/// Refuses changes of a stage's output after which tier 1 would think less of the candidate that it makes.
struct Guard<'a> {
    assessor: Assessor,
    context: &'a DocumentContext,
    plan: &'a Plan,
    outputs: &'a Outputs,
    stage: usize,
    quotes: &'a [(usize, Quotes)],
    fuel: &'a Fuel,
    /// The output last measured.
    known: Option<(Value, ScoreFloor)>,
}

/// The measures that must not get worse.
#[derive(Debug, Clone, Copy)]
struct ScoreFloor {
    overall: f64,
    critical: usize,
}

impl<'a> Guard<'a> {
    /// Returns whether the change must be refused.
    fn refuses(&mut self, before: &Value, after: &Value) -> bool {
        let standing_before = match self.known.take() {
            Some((value, standing)) if value == *before => standing,
            _ => self.measure(before),
        };
        let standing_after = self.measure(after);
        // Without fuel, it can't be determined.
        let worse = self.fuel.is_spent()
            || below(standing_after.overall, standing_before.overall)
            || standing_after.critical > standing_before.critical;
        self.known =
            Some(if worse { (before.clone(), standing_before) } else { (after.clone(), standing_after) });
        worse
    }

    fn measure(&mut self, output: &Value) -> ScoreFloor {
        let mut outputs = self.outputs.clone();
        outputs.resize(self.plan.pipeline.steps().len(), None);
        if let Some(slot) = outputs.get_mut(self.stage) {
            *slot = Some(Arc::new(output.clone()));
        }
        let candidate = self.plan.pipeline.assemble(&outputs);
        let mut assessment = Assessment::default();
        let quotes = self.plan.pipeline.place_quotes(self.quotes, &outputs);
        let given = Given { quotes: Some(&quotes), ..Given::default() };
        self.context.assess(&mut self.assessor, &candidate, given, &mut assessment);
        self.fuel.spend(self.assessor.work());
        ScoreFloor { overall: assessment.overall, critical: assessment.count_severity(Severity::Critical) }
    }
}
