//! The recorded documents of an experiment: files of trajectories, or a run.

use super::super::loading::context;
use super::policies::Bases;
use crate::experiment::Trajectories;
use crate::experiment::sweep::{Experiment, RecordedBy};
use crate::failure::Failure;
use crate::journals::{JournalSpec, find_run};
use crate::profiles::SelectedProfile;
use crate::requests::RunRequest;
use crate::streams::Streams;
use crate::trials::{TrajectoryReading, recorded_run, say_without_candidate};
use std::path::{Path, PathBuf};

/// Recorded documents.
pub(super) struct Recordings {
    pub(super) trajectories: Trajectories,
    /// The observations made while files were read.
    pub(super) reading: TrajectoryReading,
    /// The run that they come from.
    pub(super) recorded: Option<RecordedBy>,
}

/// The journal with the run of an experiment.
fn journal_of(experiment: &Experiment, folder: &Path) -> JournalSpec {
    JournalSpec { file: experiment.documents.journal.as_ref().map(|file| folder.join(&file.value)) }
}

/// The profile of the run that an experiment is about, with what its command laid over it; `None` if it is about no
/// run, or the record does not say.
pub(super) fn recorded_profile(
    experiment: &Experiment,
    folder: &Path,
) -> Result<Option<SelectedProfile>, Failure> {
    let Some(run) = &experiment.documents.run else { return Ok(None) };
    let run = find_run(&journal_of(experiment, folder).open(context())?, &run.value)?;
    Ok(RunRequest::of_settings(&run.record.settings)
        .map(|request| SelectedProfile::recorded(request.profile)))
}

impl Recordings {
    /// Reads all documents. Names of files are relative to the experiment's `folder`.
    pub(super) fn read(
        experiment: &Experiment,
        folder: &Path,
        bases: &Bases,
        output: &mut Streams,
    ) -> Result<Self, Failure> {
        let documents = &experiment.documents;
        if let Some(run) = &documents.run {
            return Self::of_run(&run.value, &journal_of(experiment, folder), bases, output);
        }
        let files: Vec<PathBuf> =
            documents.trajectories.iter().map(|file| folder.join(&file.value)).collect();
        let mut reading = TrajectoryReading::default();
        // Some policy of the space may compare candidates.
        let trajectories = reading.all(&files, true, output)?;
        if trajectories.documents() == 0 {
            return Err(Failure::broken("there are no documents to try policies on"));
        }
        Ok(Recordings { trajectories, reading, recorded: None })
    }

    fn of_run(id: &str, journal: &JournalSpec, bases: &Bases, output: &mut Streams) -> Result<Self, Failure> {
        let (run, reached) = recorded_run((id, journal), bases.selected(), context(), output)?;
        for (profile, reached) in bases.selected().zip(&reached) {
            run.same_files(profile.name(), reached)?;
        }
        say_without_candidate(&run, output);
        if run.trajectories.documents() == 0 {
            return Err(Failure::broken(format!("run `{}` has no document with a candidate", run.id)));
        }
        let recorded = run.recorded_by();
        Ok(Recordings {
            trajectories: run.trajectories,
            reading: TrajectoryReading::default(),
            recorded: Some(recorded),
        })
    }
}
