//! A recorded run that is resumed, with what its record permitted and what this user permits.

use super::{Permissions, ResumeReach};
use crate::context::Context;
use crate::failure::Failure;
use crate::profile::Loaded;
use crate::requests::RunRequest;
use crate::store::RunId;
use crate::streams::Streams;
use std::path::PathBuf;

/// A recorded run that is resumed.
pub struct ResumedRun {
    /// Its id.
    pub run: RunId,
    /// Programs were allowed.
    pub allowed_commands: bool,
    /// Its table of prices, if none is named now.
    pub prices: Option<PathBuf>,
    /// The folder that calls are recorded in is named now.
    pub records_anew: bool,
    /// The permissions given now.
    pub permissions: Permissions,
}

impl ResumedRun {
    /// Refuses what the user who resumes the run does not permit; reports what the run's command had that is not done
    /// again. Returns the folders in which its documents must lie.
    ///
    /// # Errors
    /// When something is not permitted, or the journal can't be read.
    pub fn permitted_folders(
        &self,
        request: &RunRequest,
        loaded: &Loaded,
        context: &Context,
        output: &mut Streams,
    ) -> Result<Option<Vec<PathBuf>>, Failure> {
        let reach = ResumeReach::of(context, request.journal.as_deref(), &self.run, &self.permissions.paths);
        let here = std::env::current_dir().unwrap_or_default();
        let places = reach.lacking(&self.run, request, self.records_anew, &here)?;
        self.check(request, places, loaded, &context.providers(), output)?;
        if !request.of_first_process.is_empty() && !request.quiet {
            let (word, flags) = (output.err_paint.warn("note:"), request.of_first_process.join("`, `"));
            output.say(&format!(
                "{word} the run's command had `{flags}`; give it again if it is wanted now, too"
            ));
        }
        Ok(reach.into_folders())
    }
}
