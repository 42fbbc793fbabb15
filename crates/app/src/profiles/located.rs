//! The profile of a recorded run, with the library of the folder in which the run began.

use super::SelectedProfile;
use crate::context::Context;
use crate::profile::Library;
use crate::requests::RunRequest;
use crate::value::{path_of, path_text};
use serde_json::Value;

/// A profile as the record of a run names it, and the files that it may reach.
#[derive(Debug, Clone)]
pub struct LocatedProfile {
    /// The profile, by a path that does not depend on the working directory.
    pub profile: SelectedProfile,
    /// The library of the folder in which the run began.
    pub library: Library,
}

impl LocatedProfile {
    /// The profile of a run; `None` if its record names none in a way that is understood.
    pub fn of(context: &Context, settings: &Value) -> Option<Self> {
        let request = RunRequest::of_settings(settings)?;
        let folder = request.folder.map(|folder| folder.0);
        let mut profile = SelectedProfile::recorded(request.profile);
        let name = &mut profile.spec.name;
        if let (Some(folder), true) = (&folder, name.contains(['/', '\\', '.'])) {
            *name = path_text(&folder.join(path_of(name))).into_owned();
        }
        let library = match folder {
            Some(folder) => context.library_from(folder),
            None => context.library(),
        };
        Some(LocatedProfile { profile, library })
    }
}
