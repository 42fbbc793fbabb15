//! The stages that make a candidate, and the way in which their outputs become one.

use crate::policy::Condition;
use crate::score::Quotes;
use crate::value::{Segment, push_segment};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The stages of a profile as the engine sees them.
#[derive(Debug, Clone)]
pub struct Pipeline {
    steps: Vec<PipelineStage>,
    feedback: FeedbackTo,
}

/// One stage.
#[derive(Debug, Clone, Default)]
pub struct PipelineStage {
    /// Its id.
    pub id: Arc<str>,
    /// The field of the candidate that its output becomes.
    pub into: Option<Arc<str>>,
    /// `true` if it runs for candidate 0 only.
    pub once: bool,
    /// The condition that, if it holds after the stage's answer for candidate 0, makes the run skip the document.
    pub skip_when: Option<Condition>,
    /// The number of retries of a call that failed with a transient error; `None` for that of the run.
    pub retries: Option<u32>,
}

/// The stages of a correction to which what is wrong is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedbackTo {
    /// Every one.
    All,
    /// The one at this position. Those after it run again, too, because what they build on has changed.
    Stage(usize),
}

/// The answer of each stage, if it has given one.
pub type Outputs = Vec<Option<Arc<Value>>>;

impl Default for Pipeline {
    /// One stage whose output is the candidate.
    fn default() -> Self {
        Pipeline { steps: vec![PipelineStage::default()], feedback: FeedbackTo::All }
    }
}

impl Pipeline {
    /// Stages in order. An empty list means the default of one stage.
    #[must_use]
    pub fn new(steps: Vec<PipelineStage>, feedback: FeedbackTo) -> Self {
        if steps.is_empty() { Pipeline::default() } else { Pipeline { steps, feedback } }
    }

    /// The stages.
    #[must_use]
    pub fn steps(&self) -> &[PipelineStage] {
        &self.steps
    }

    /// Returns whether the output of the only stage is the candidate.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        matches!(self.steps.as_slice(), [only] if only.into.is_none())
    }

    /// Returns whether corrections report to this stage what is wrong.
    #[must_use]
    pub fn gets_feedback(&self, stage: usize) -> bool {
        match self.feedback {
            FeedbackTo::All => self.steps.get(stage).is_some_and(|step| !step.once),
            FeedbackTo::Stage(named) => named == stage,
        }
    }

    /// The first stage from `from` on that runs for `iteration`. A correction leaves out those that run once and those
    /// before the one that gets feedback, unless their output is not known.
    #[must_use]
    pub fn next(&self, from: usize, iteration: usize, outputs: &Outputs) -> Option<usize> {
        let runs = |at: usize, step: &PipelineStage| {
            let known = outputs.get(at).is_some_and(Option::is_some);
            let again = match self.feedback {
                FeedbackTo::All => true,
                FeedbackTo::Stage(named) => at >= named,
            };
            iteration == 0 || !known || (again && !step.once)
        };
        self.steps.iter().enumerate().skip(from).find(|(at, step)| runs(*at, step)).map(|(at, _)| at)
    }

    /// The stages that a correction asks again, by position, once all have answered for candidate 0.
    #[must_use]
    pub fn asked_again(&self) -> Vec<usize> {
        let outputs = vec![Some(Arc::new(Value::Null)); self.steps.len()];
        let after = |from: usize| self.next(from, 1, &outputs);
        std::iter::successors(after(0), |at| after(at + 1)).collect()
    }

    /// The candidate that the outputs make: the last stage's, with the fields of those that go into one. When the last
    /// stage goes into a field as well, or has no object to add fields to, the candidate is an object of fields.
    #[must_use]
    pub fn assemble(&self, outputs: &Outputs) -> Arc<Value> {
        let output = |at: usize| outputs.get(at).and_then(Option::as_ref);
        let last = self.steps.len().saturating_sub(1);
        let whole = self.steps.get(last).filter(|step| step.into.is_none()).and_then(|_| output(last));
        if let Some(whole) = whole
            && self.steps.iter().all(|step| step.into.is_none())
        {
            return Arc::clone(whole);
        }
        let mut fields = match whole.map(AsRef::as_ref) {
            Some(Value::Object(fields)) => fields.clone(),
            Some(other) => {
                let id = self.steps.get(last).map(|step| step.id.to_string()).unwrap_or_default();
                Map::from_iter([(id, other.clone())])
            }
            None => Map::new(),
        };
        for (at, step) in self.steps.iter().enumerate() {
            if let (Some(into), Some(output)) = (&step.into, output(at)) {
                fields.insert(into.to_string(), output.as_ref().clone());
            }
        }
        Arc::new(Value::Object(fields))
    }

    /// The quotes that came with the outputs of stages, by location in the candidate that these make. Passages for an
    /// output that is not part of it are left out.
    #[must_use]
    pub fn place_quotes(&self, said: &[(usize, Quotes)], outputs: &Outputs) -> Quotes {
        let mut placed = Quotes::default();
        let last = self.steps.len().saturating_sub(1);
        let into_fields = self.steps.iter().any(|step| step.into.is_some());
        for (stage, quotes) in said {
            let Some(step) = self.steps.get(*stage) else { continue };
            let field = match &step.into {
                Some(into) => Some(into.as_ref()),
                None if *stage != last => continue,
                // An output that is not an object appears under the stage's name: see `assemble`.
                None => {
                    let whole = outputs.get(*stage).and_then(Option::as_ref);
                    let is_named = into_fields && whole.is_some_and(|whole| !whole.is_object());
                    is_named.then_some(step.id.as_ref())
                }
            };
            let mut at = String::new();
            if let Some(field) = field {
                push_segment(&mut at, Segment::Key(field));
            }
            placed.extend(quotes.under(&at));
        }
        placed
    }

    /// The part of a candidate that a stage answers for; `None` for a stage whose output is not part of it.
    #[must_use]
    pub fn part(&self, candidate: &Arc<Value>, stage: usize) -> Option<Arc<Value>> {
        let step = self.steps.get(stage)?;
        if let Some(into) = &step.into {
            return candidate.get(into.as_ref()).map(|part| Arc::new(part.clone()));
        }
        if stage + 1 != self.steps.len() {
            return None;
        }
        if self.steps.iter().all(|step| step.into.is_none()) {
            return Some(Arc::clone(candidate));
        }
        let mut own = candidate.as_object()?.clone();
        own.retain(|key, _| self.steps.iter().all(|step| step.into.as_deref() != Some(key.as_str())));
        Some(Arc::new(Value::Object(own)))
    }

    /// The answers that the stages must have given to make `candidate`, as far as it shows.
    #[must_use]
    pub fn take_apart(&self, candidate: &Arc<Value>) -> Outputs {
        (0..self.steps.len()).map(|stage| self.part(candidate, stage)).collect()
    }

    /// Returns whether the stage at `stage`, which has just answered for candidate 0, says that there is nothing to do.
    /// A condition that can't be computed says nothing.
    #[must_use]
    pub fn skips(&self, stage: usize, outputs: &Outputs) -> bool {
        let condition = self.steps.get(stage).and_then(|step| step.skip_when.as_ref());
        condition.is_some_and(|condition| condition.holds(self.known(outputs)) == Some(true))
    }

    /// Outputs by stage id, as conditions and prompts see them. A stage that has not answered is null.
    #[must_use]
    pub fn known(&self, outputs: &Outputs) -> Map<String, Value> {
        let output = |at: usize| outputs.get(at).and_then(Option::as_ref).map(|v| v.as_ref().clone());
        self.steps
            .iter()
            .enumerate()
            .map(|(at, step)| (step.id.to_string(), output(at).unwrap_or(Value::Null)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn step(id: &str, into: Option<&str>, once: bool) -> PipelineStage {
        PipelineStage { id: id.into(), into: into.map(Into::into), once, ..PipelineStage::default() }
    }

    fn outputs(values: &[Value]) -> Outputs {
        values.iter().map(|v| (!v.is_null()).then(|| Arc::new(v.clone()))).collect()
    }

    #[test]
    fn the_last_output_is_the_candidate_with_the_fields_of_others() {
        let steps = vec![step("examples", Some("examples"), true), step("define", None, false)];
        let pipeline = Pipeline::new(steps, FeedbackTo::Stage(1));
        let answered = outputs(&[json!(["a"]), json!({"definition": "d"})]);
        let candidate = pipeline.assemble(&answered);
        assert_eq!(*candidate, json!({"definition": "d", "examples": ["a"]}));
        assert_eq!(pipeline.take_apart(&candidate), answered);
        // Text has no fields to which examples could be added.
        let text = pipeline.assemble(&outputs(&[json!(["a"]), json!("d")]));
        assert_eq!(*text, json!({"define": "d", "examples": ["a"]}));
    }

    #[test]
    fn corrections_run_what_feedback_reaches_and_what_is_not_known() {
        let steps = vec![step("a", None, false), step("b", Some("b"), true), step("c", Some("c"), false)];
        let all = Pipeline::new(steps.clone(), FeedbackTo::All);
        let full = outputs(&[json!(1), json!(2), json!(3)]);
        let order = |pipeline: &Pipeline, iteration, known: &Outputs| {
            let mut order = Vec::new();
            let mut from = 0;
            while let Some(stage) = pipeline.next(from, iteration, known) {
                order.push(stage);
                from = stage + 1;
            }
            order
        };
        assert_eq!(order(&all, 0, &full), [0, 1, 2]);
        assert_eq!(order(&all, 1, &full), [0, 2]);
        let last = Pipeline::new(steps, FeedbackTo::Stage(2));
        assert_eq!(order(&last, 1, &full), [2]);
        assert_eq!(order(&last, 1, &outputs(&[json!(null), json!(2), json!(3)])), [0, 2]);
    }
}
