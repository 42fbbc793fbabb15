//! The request of a recorded run. A journal may come from someone else: its requests never speak for the user who runs
//! this program.

use super::loading::{ProfileArguments, home, library, library_in};
use super::output::Output;
use super::run;
use crate::app::RunRequest;
use crate::profile::Library;
use crate::value::{path_of, path_text, sanitize_line};
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

/// A profile as the record of a run names it, and the files that it may reach: those of the folder in which the run
/// began.
pub(super) struct LocatedProfile {
    pub(super) arguments: ProfileArguments,
    pub(super) library: Library,
}

impl LocatedProfile {
    /// The profile of a run; `None` if its record names none in a way that is understood.
    pub(super) fn of(settings: &Value) -> Option<Self> {
        let request = RunRequest::of_settings(settings)?;
        let folder = request.folder.map(|folder| folder.0);
        let mut arguments = ProfileArguments::of_spec(request.profile);
        arguments.is_recorded = true;
        let is_path = arguments.profile.contains(['/', '\\', '.']);
        if let (Some(folder), true) = (&folder, is_path) {
            arguments.profile = path_text(&folder.join(path_of(&arguments.profile))).into_owned();
        }
        let library = match folder {
            Some(folder) => library_in(std::iter::once(folder).chain(home()).collect()),
            None => library(),
        };
        Some(LocatedProfile { arguments, library })
    }
}

/// Changes to the folder in which a run began: its documents and results are there.
pub(super) fn go_to_folder(settings: &Value, quiet: bool, output: &mut Output) {
    let Some(folder) = recorded_folder(settings) else { return };
    let here = std::env::current_dir().ok();
    if here.as_deref() != Some(&folder) && std::env::set_current_dir(&folder).is_ok() && !quiet {
        output.say(&format!("in `{}`, where the run began", sanitize_line(&path_text(&folder))));
    }
}
