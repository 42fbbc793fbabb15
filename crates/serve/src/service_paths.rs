//! The locations of what a service keeps.

use crate::context::Context;
use crate::disk::{self, Access};
use crate::failure::Failure;
use crate::journals;
use crate::settings::{ChosenBy, ServedJournal};
use crate::shell::quoted;
use crate::streams::Streams;
use crate::value::ShownPath;
use std::path::{Path, PathBuf};

/// The folder in which a service keeps its journal if no other is named, below the one in which it is started.
const OWN: &str = ".loopctl";

/// The locations of what a service keeps.
#[derive(Debug, Clone)]
pub struct ServicePaths {
    /// The journal.
    pub journal: PathBuf,
    /// The folder of uploaded documents.
    pub uploads: PathBuf,
    chosen_by: ChosenBy,
}

impl ServicePaths {
    /// The journal of the service, and the folder of its uploads: those named, else those of this folder. The journal of
    /// a run elsewhere is another project's, with its documents and its tokens.
    pub fn of(data: Option<&Path>, journal: Option<&Path>, context: &Context) -> Self {
        let (journal, chosen_by) = match (data, journal) {
            (Some(data), _) => (data.join("journal.sqlite"), ChosenBy::Data),
            (None, Some(journal)) => (journal.to_path_buf(), ChosenBy::Journal),
            (None, None) => {
                let own = Path::new(OWN).join("journal.sqlite");
                let is_here = |latest: &PathBuf| {
                    context.folder().canonicalize().is_ok_and(|here| latest.starts_with(here))
                };
                match if own.exists() { None } else { latest_journal(context).filter(is_here) } {
                    Some(latest) => (latest, ChosenBy::LatestRun),
                    None => (own, ChosenBy::Folder),
                }
            }
        };
        let uploads = journal.with_file_name("uploads");
        ServicePaths { journal, uploads, chosen_by }
    }

    /// The journal by its absolute path, whose parts need not exist yet.
    pub fn served(&self, context: &Context) -> ServedJournal {
        let file = std::path::absolute(&self.journal).unwrap_or_else(|_| self.journal.clone());
        ServedJournal { file, started_in: context.folder().to_path_buf(), by: self.chosen_by }
    }

    /// Makes the folder of this folder's journal if there is none yet, then points to the journal of the latest run.
    pub(crate) fn begin(&self, context: &Context, output: &mut Streams) -> Result<(), Failure> {
        if self.chosen_by != ChosenBy::Folder || self.journal.exists() {
            return Ok(());
        }
        let folder = self.journal.parent().unwrap_or(Path::new(OWN));
        // Documents and results don't belong in a history that others get.
        disk::make_private_folder(folder)
            .and_then(|()| disk::replace(&folder.join(".gitignore"), b"*\n", Access::Owner))
            .map_err(|error| {
                Failure::broken(format!("can't begin a journal in `{}`: {error}", folder.shown()))
                    .help("name a place for it with `--data DIR`")
            })?;
        output.say("this folder gets a journal of its own");
        if let Some(latest) = latest_journal(context) {
            let latest = quoted(&latest.shown());
            output.say(&format!("  help: `loopctl serve --journal {latest}` serves that of your latest run"));
        }
        Ok(())
    }
}

/// The journal of the latest run, if it still exists.
fn latest_journal(context: &Context) -> Option<PathBuf> {
    journals::recall(context).map(|latest| latest.journal).filter(|file| file.exists())
}
