//! The calls of a run recorded, replayed, or answered from a cache.

use crate::context::Context;
use crate::failure::{ExitStatus, Failure};
use crate::provider::{Recorder, RecorderMode, Requests, TapeError};
use crate::requests::RecordingRequest;
use crate::run::Time;
use crate::streams::{Streams, complain};
use crate::value::path_text;
use serde_json::{Value, json};

/// The recording or the cache of a run's calls, if there is one.
pub(super) struct CallRecording(pub(super) Option<Recorder>);

impl CallRecording {
    /// Opens what was asked for.
    pub(super) fn open(asked: &RecordingRequest, context: &Context) -> Result<Self, Failure> {
        let requests = if asked.record_requests { Requests::Bodies } else { Requests::Digests };
        let opened = match (&asked.record, &asked.replay, &asked.cache_dir) {
            (Some(folder), ..) => Recorder::record(folder, requests),
            (_, Some(folder), _) => Recorder::replay(folder),
            (.., Some(folder)) => Recorder::cache(folder),
            (None, None, None) if !asked.cache => return Ok(CallRecording(None)),
            (None, None, None) => match context.state_folder() {
                Some(state) => Recorder::cache(&state.join("cache")),
                None => {
                    return Err(Failure::usage("there is no state folder to keep a cache in")
                        .help("name a folder with `--cache-dir DIR`, or set LOOPCTL_HOME"));
                }
            },
        };
        opened.map(|recorder| CallRecording(Some(recorder))).map_err(|error| {
            let failure = match error {
                TapeError::Recorded { .. } | TapeError::Empty { .. } => Failure::usage(error.to_string()),
                _ => Failure::broken(error.to_string()),
            };
            failure.help(error.help())
        })
    }

    /// The time of a session with it.
    pub(super) fn time(&self) -> Time {
        self.0.as_ref().map_or(Time::Real, |recorder| recorder.mode().into())
    }

    /// Its description in the record of a run.
    pub(super) fn settings(&self) -> Value {
        self.0.as_ref().map_or(Value::Null, |recorder| {
            let mode = match recorder.mode() {
                RecorderMode::Record => "record",
                RecorderMode::Replay => "replay",
                RecorderMode::Cache => "cache",
            };
            json!({ mode: path_text(recorder.folder()) })
        })
    }

    /// Reports its problems. Returns the outcome of the run, which is not what it was to be if there are some: a judge
    /// that was not recorded may have been done without, and a recording may lack a call.
    pub(super) fn report(&self, exit: ExitStatus, output: &mut Streams) -> ExitStatus {
        let Some(recorder) = &self.0 else { return exit };
        let help = match recorder.mode() {
            RecorderMode::Record => "the recording is not whole: record again",
            RecorderMode::Replay => "use what was recorded, or record again with `--record`",
            RecorderMode::Cache => "the results are whole; the cache is not: check the folder",
        };
        let problems = recorder.problems();
        for problem in &problems {
            complain(output, &Failure::broken(problem.clone()).help(help));
        }
        match (problems.is_empty(), recorder.mode(), exit) {
            (true, ..) | (_, RecorderMode::Cache, _) | (.., ExitStatus::Interrupted) => exit,
            _ => ExitStatus::Broken,
        }
    }
}
