//! The request of a recorded run. A journal may come from someone else: its requests never speak for the user who runs
//! this program.

use super::run;
use crate::requests::RunRequest;
use crate::streams::Streams;
use crate::value::{path_text, sanitize_line};
use serde_json::Value;
use std::path::PathBuf;

/// The arguments in a run's record; `None` if they can't be read any more.
pub(super) fn recorded_arguments(settings: &Value) -> Option<run::Arguments> {
    RunRequest::of_settings(settings).map(|request| run::Arguments::of_request(request).of_record())
}

/// The folder in which a run began.
pub(super) fn recorded_folder(settings: &Value) -> Option<PathBuf> {
    RunRequest::of_settings(settings)?.folder.map(|folder| folder.0)
}

/// Changes to the folder in which a run began: its documents and results are there.
pub(super) fn go_to_folder(settings: &Value, quiet: bool, output: &mut Streams) {
    let Some(folder) = recorded_folder(settings) else { return };
    let here = std::env::current_dir().ok();
    if here.as_deref() != Some(&folder) && std::env::set_current_dir(&folder).is_ok() && !quiet {
        output.say(&format!("in `{}`, where the run began", sanitize_line(&path_text(&folder))));
    }
}
