//! Files of several documents among the inputs of a run, as inputs of their sections.

use crate::ingest::{DocumentReader, Input, InputError};
use crate::plan::Plan;
use crate::run::Inputs;
use std::collections::VecDeque;
use std::sync::Arc;

/// Returns whether the profile wants files of several documents split, and can.
pub(super) fn splits(plan: &Plan) -> bool {
    plan.classifier.is_some() && plan.profile.sections.as_ref().is_some_and(|sections| sections.split)
}

/// Inputs, with the sections of a file in its place.
pub(super) struct SectionInputs {
    pub(super) inputs: Inputs,
    pub(super) plan: Arc<Plan>,
    pub(super) reader: DocumentReader,
    pub(super) waiting: VecDeque<Input>,
}

impl Iterator for SectionInputs {
    type Item = Result<Input, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(section) = self.waiting.pop_front() {
            return Some(Ok(section));
        }
        let input = match self.inputs.next()? {
            Ok(input) => input,
            Err(error) => return Some(Err(error)),
        };
        let Some(classifier) = &self.plan.classifier else { return Some(Ok(input)) };
        match input.split(classifier, &self.reader) {
            Ok(sections) => {
                self.waiting.extend(sections);
                self.waiting.pop_front().map(Ok)
            }
            Err(error) => Some(Err(error)),
        }
    }
}
