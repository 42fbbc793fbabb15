//! The recorded documents of an experiment: files of trajectories, or a run.

use super::open_experiment::{OpenExperiment, journal_of};
use crate::experiment::Trajectories;
use crate::experiment::sweep::RecordedBy;
use crate::failure::Failure;
use crate::streams::Streams;
use crate::trials::{TrajectoryReading, recorded_run, say_without_candidate};

/// Recorded documents.
pub(super) struct Recordings {
    pub(super) trajectories: Trajectories,
    /// The observations made while files were read.
    pub(super) reading: TrajectoryReading,
    /// The run that they come from.
    pub(super) recorded: Option<RecordedBy>,
}

impl Recordings {
    /// Reads all documents.
    pub(super) fn read(open: &OpenExperiment<'_>, output: &mut Streams) -> Result<Self, Failure> {
        let documents = &open.experiment.documents;
        if let Some(run) = &documents.run {
            return Self::of_run(&run.value, open, output);
        }
        let mut reading = TrajectoryReading::default();
        // Some policy of the space may compare candidates.
        let trajectories = reading.all(&open.files(&documents.trajectories), true, output)?;
        if trajectories.documents() == 0 {
            return Err(Failure::broken("there are no documents to try policies on"));
        }
        Ok(Recordings { trajectories, reading, recorded: None })
    }

    fn of_run(id: &str, open: &OpenExperiment<'_>, output: &mut Streams) -> Result<Self, Failure> {
        let journal = journal_of(&open.experiment, &open.folder);
        let (run, reached) = recorded_run((id, &journal), open.selected(), open.context, output)?;
        for (profile, reached) in open.selected().zip(&reached) {
            run.same_files(profile.name(), reached)?;
        }
        say_without_candidate(&run, output);
        if run.trajectories.documents() == 0 {
            return Err(Failure::broken(format!("run `{}` has no document with a candidate", run.id)));
        }
        let recorded = Some(run.recorded_by());
        Ok(Recordings { trajectories: run.trajectories, reading: TrajectoryReading::default(), recorded })
    }
}
