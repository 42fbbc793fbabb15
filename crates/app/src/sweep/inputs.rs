//! The documents that are run for an experiment.

use super::open_experiment::{OpenExperiment, cant_be_split};
use crate::experiment::statistics::Seeded;
use crate::experiment::sweep::Split;
use crate::failure::Failure;
use crate::ingest::{Document, DocumentReader, Input, MEDIA_ENDINGS, Wanted, find_all};
use crate::plan::Plan;
use crate::provider::Recorder;
use crate::streams::{Streams, complain};
use std::sync::Arc;

/// Documents of both parts, in the order in which they are run.
pub(super) struct TrainTestInputs {
    pub(super) train: Vec<Input>,
    pub(super) test: Vec<Input>,
}

impl TrainTestInputs {
    /// Finds the documents, splits them, and puts both parts into the order that the seed determines.
    pub(super) fn find(
        open: &OpenExperiment<'_>,
        plan: &Plan,
        output: &mut Streams,
    ) -> Result<Self, Failure> {
        let experiment = &open.experiment;
        let found = find_all(Wanted {
            arguments: open.files(&experiment.documents.fresh),
            endings: if plan.attaches() { &MEDIA_ENDINGS } else { &[] },
            holds_recordings: Some(Recorder::stands_in),
            ..Wanted::default()
        });
        for error in &found.errors {
            complain(output, &Failure::broken(error.to_string()).help(error.help()));
        }
        if !found.errors.is_empty() {
            return Err(Failure::usage("not all documents of the experiment are there"));
        }
        let mut inputs = found.inputs;
        inputs.sort_by(|one, other| one.id().as_str().cmp(other.id().as_str()));
        let ids: Vec<String> = inputs.iter().map(|input| input.id().to_string()).collect();
        let split = Split::of_ids(&ids, experiment.split.test, experiment.split.seed);
        if split.train.is_empty() || split.test.is_empty() {
            return Err(cant_be_split(ids.len()));
        }
        let part = |places: &[usize]| {
            let mut part: Vec<Input> = places.iter().filter_map(|at| inputs.get(*at).cloned()).collect();
            Seeded::new(experiment.race.seed).shuffle(&mut part);
            part
        };
        Ok(TrainTestInputs { train: part(&split.train), test: part(&split.test) })
    }
}

/// Reads the next document that can be read, and reports those that can't.
pub(super) fn next_document<'i>(
    waiting: &mut impl Iterator<Item = &'i Input>,
    reader: &DocumentReader,
    output: &mut Streams,
) -> Option<Arc<Document>> {
    waiting.find_map(|input| match input.read(reader) {
        Ok(document) => Some(Arc::new(document)),
        Err(error) => {
            complain(output, &Failure::broken(format!("left out: {error}")).help(error.help()));
            None
        }
    })
}
