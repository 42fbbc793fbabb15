//! The documents that are run for an experiment.

use super::open_experiment::{OpenExperiment, cant_be_split};
use super::runner::Runnable;
use crate::experiment::statistics::Seeded;
use crate::experiment::sweep::Split;
use crate::failure::Failure;
use crate::ingest::{Document, DocumentReader, Input, InputError, MEDIA_ENDINGS, Wanted, find_all};
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

/// Reads the next document that can be read, as each of the policies reads it, and reports those that can't.
pub(super) fn next_document<'i>(
    waiting: &mut impl Iterator<Item = &'i Input>,
    policies: &[&Runnable],
    output: &mut Streams,
) -> Option<Vec<Arc<Document>>> {
    let readers: Vec<&DocumentReader> = policies.iter().map(|policy| &policy.reader).collect();
    waiting.find_map(|input| match read_by_each(input, &readers) {
        Ok(documents) => Some(documents),
        Err(error) => {
            complain(output, &Failure::broken(format!("left out: {error}")).help(error.help()));
            None
        }
    })
}

/// A document as each of these readers reads it: once for all that read alike.
fn read_by_each(input: &Input, readers: &[&DocumentReader]) -> Result<Vec<Arc<Document>>, InputError> {
    let mut documents: Vec<Arc<Document>> = Vec::with_capacity(readers.len());
    for reader in readers {
        let alike = readers.iter().zip(&documents).find(|(other, _)| other.reads_like(reader));
        let document = match alike {
            Some((_, document)) => Arc::clone(document),
            None => Arc::new(input.read(reader)?),
        };
        documents.push(document);
    }
    Ok(documents)
}
