//! The latest run, wherever its journal is: the one that `explain latest` is about.

use crate::context::Context;
use crate::disk::{self, Access};
use crate::store::RunId;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The file of the state folder that records it.
const FILE: &str = "latest-run.json";

/// Largest file of it that is read, in bytes.
const MOST_BYTES: u64 = 64 << 10;

/// A run and the journal that it is in.
#[derive(Debug, Serialize, Deserialize)]
pub struct LatestRun {
    /// An absolute path.
    #[serde(with = "crate::value::path_serde")]
    pub journal: PathBuf,
    /// The id of the run.
    pub run: String,
}

/// Records that this run is the latest. If that fails, `explain latest` is about the journal in the state folder, which
/// is no reason to fail a run.
pub fn remember(context: &Context, journal: &Path, run: &RunId) {
    let (Some(folder), Ok(journal)) = (context.state_folder(), journal.canonicalize()) else { return };
    let latest = LatestRun { journal, run: run.as_str().to_owned() };
    if let Ok(text) = serde_json::to_string(&latest)
        && std::fs::create_dir_all(&folder).is_ok()
    {
        let _ = disk::replace(&folder.join(FILE), text.as_bytes(), Access::Owner);
    }
}

/// The latest run; `None` if it is not known. Its journal may have been removed since.
pub fn recall(context: &Context) -> Option<LatestRun> {
    let text = disk::read(&context.state_folder()?.join(FILE), MOST_BYTES).ok()?;
    serde_json::from_slice(&text).ok()
}
