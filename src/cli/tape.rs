//! The arguments that record calls, replay them, and answer repeated ones from a cache.

use super::loading::context;
use crate::failure::{ExitStatus, Failure};
use crate::provider::{Recorder, RecorderMode, Requests, TapeError};
use crate::requests::{RecordedPath, RecordingRequest};
use crate::run::Time;
use crate::streams::{Streams, complain};
use crate::value::path_text;
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;

#[derive(Args, Clone, Default)]
pub(super) struct RecorderArguments {
    /// Record every call of a provider in this folder. Answers of models are kept, and quote the document; of requests,
    /// only a digest. Keys never are
    #[arg(long, value_name = "DIR", conflicts_with_all = ["replay", "cache", "cache_dir"])]
    record: Option<PathBuf>,
    /// With --record, also keep the requests: prompts with the whole text of the documents
    #[arg(long, requires = "record")]
    record_requests: bool,
    /// Answer every call from the recording in this folder, without network or keys
    #[arg(long, value_name = "DIR", conflicts_with_all = ["cache", "cache_dir"])]
    replay: Option<PathBuf>,
    /// Answer calls that were made before free of charge, from `cache` in the state folder. Answers are kept until the
    /// folder is removed
    #[arg(long)]
    cache: bool,
    /// Like --cache, with another folder
    #[arg(long, value_name = "DIR")]
    cache_dir: Option<PathBuf>,
}

impl RecorderArguments {
    /// The request that they make.
    pub(super) fn request(&self) -> RecordingRequest {
        let folder = |path: &Option<PathBuf>| path.as_deref().map(RecordedPath::from);
        RecordingRequest {
            record: folder(&self.record),
            record_requests: self.record_requests,
            replay: folder(&self.replay),
            cache: self.cache,
            cache_dir: folder(&self.cache_dir),
        }
    }
}

/// Opens what was asked for.
pub(super) fn open(asked: &RecordingRequest) -> Result<Option<Recorder>, Failure> {
    let requests = if asked.record_requests { Requests::Bodies } else { Requests::Digests };
    let opened = match (&asked.record, &asked.replay, &asked.cache_dir) {
        (Some(folder), ..) => Recorder::record(folder, requests),
        (_, Some(folder), _) => Recorder::replay(folder),
        (.., Some(folder)) => Recorder::cache(folder),
        (None, None, None) if !asked.cache => return Ok(None),
        (None, None, None) => match context().state_folder() {
            Some(state) => Recorder::cache(&state.join("cache")),
            None => {
                return Err(Failure::usage("there is no state folder to keep a cache in")
                    .help("name a folder with `--cache-dir DIR`, or set LOOPCTL_HOME"));
            }
        },
    };
    opened.map(Some).map_err(|error| {
        let failure = match error {
            TapeError::Recorded { .. } | TapeError::Empty { .. } => Failure::usage(error.to_string()),
            _ => Failure::broken(error.to_string()),
        };
        failure.help(error.help())
    })
}

/// The time that a session goes by with this tape.
pub(super) fn time_of(tape: Option<&Recorder>) -> Time {
    tape.map_or(Time::Real, |tape| tape.mode().into())
}

/// The tape in the journal's settings.
pub(super) fn settings_of(tape: Option<&Recorder>) -> Value {
    tape.map_or(Value::Null, |tape| {
        let mode = match tape.mode() {
            RecorderMode::Record => "record",
            RecorderMode::Replay => "replay",
            RecorderMode::Cache => "cache",
        };
        json!({ mode: path_text(tape.folder()) })
    })
}

/// Reports problems of the tape itself, and that the run is not what it was to be: a judge that was not recorded may
/// have been done without, and a recording may lack a call.
pub(super) fn report(tape: Option<&Recorder>, exit: ExitStatus, output: &mut Streams) -> ExitStatus {
    let Some(tape) = tape else { return exit };
    let help = match tape.mode() {
        RecorderMode::Record => "the recording is not whole: record again",
        RecorderMode::Replay => "use what was recorded, or record again with `--record`",
        RecorderMode::Cache => "the results are whole; the cache is not: check the folder",
    };
    let problems = tape.problems();
    for problem in &problems {
        complain(output, &Failure::broken(problem.clone()).help(help));
    }
    match (problems.is_empty(), tape.mode(), exit) {
        (true, ..) | (_, RecorderMode::Cache, _) | (.., ExitStatus::Interrupted) => exit,
        _ => ExitStatus::Broken,
    }
}
