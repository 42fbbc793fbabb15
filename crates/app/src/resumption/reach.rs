//! Files and folders that a recorded run reads and writes, and those of them that the user who resumes it permits. A
//! journal may come from someone else: a path in it is not permission, except for a run that this user began or resumed
//! before.

use crate::context::Context;
use crate::disk::{lies_within, real_place};
use crate::failure::Failure;
use crate::ingest::{Input, InputRecord};
use crate::journals::recall;
use crate::requests::{RecordedPath, RunRequest};
use crate::shell::quoted;
use crate::store::{Journal, RunId};
use crate::value::path_text;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The maximum number of folders with documents that are named.
const MOST_FOLDERS: usize = 8;

/// A file or folder that a recorded command names.
struct NamedPath<'a> {
    path: &'a Path,
    what: &'static str,
    by: &'static str,
}

impl<'a> NamedPath<'a> {
    /// A path that is read.
    fn read(by: &'static str, path: &'a Path) -> Self {
        NamedPath { path, what: "reads", by }
    }

    /// A path that is written to.
    fn written(by: &'static str, path: &'a Path) -> Self {
        NamedPath { path, what: "writes to", by }
    }
}

/// The files and folders that resuming a run may reach.
pub(super) enum ResumeReach {
    /// All that it names: this user began the run, or permitted it before.
    Own,
    /// Those in these folders, and the journal's folder for results.
    Within {
        /// The folders.
        folders: Vec<PathBuf>,
        /// The journal.
        journal: PathBuf,
    },
}

impl ResumeReach {
    /// The reach of a run in a journal, with what is permitted besides the folder where this process began.
    pub(super) fn of(context: &Context, journal: Option<&Path>, run: &RunId, permitted: &[PathBuf]) -> Self {
        let Some(journal) = journal.map(real_place) else { return ResumeReach::Own };
        let usual = context.state_folder().map(|folder| real_place(&folder.join("journal.sqlite")));
        let is_latest =
            || recall(context).is_some_and(|latest| latest.journal == journal && latest.run == run.as_str());
        if usual.as_ref() == Some(&journal) || is_latest() {
            return ResumeReach::Own;
        }
        let folders =
            std::iter::once(context.folder().to_path_buf()).chain(permitted.iter().cloned()).collect();
        ResumeReach::Within { folders, journal }
    }

    /// The folders in which documents must lie; `None` if they may lie anywhere.
    pub(super) fn into_folders(self) -> Option<Vec<PathBuf>> {
        match self {
            ResumeReach::Own => None,
            ResumeReach::Within { folders, .. } => Some(folders),
        }
    }

    /// Lists what the run reaches without permission when it works in the folder `here`, each with the flag that permits
    /// it.
    ///
    /// # Errors
    /// When the journal can't be read.
    pub(super) fn lacking(
        &self,
        run: &RunId,
        request: &RunRequest,
        records_anew: bool,
        here: &Path,
    ) -> Result<Vec<(String, String)>, Failure> {
        let ResumeReach::Within { folders, journal } = self else { return Ok(Vec::new()) };
        let is_permitted = |path: &Path| lies_within(path, folders);
        let flag = |path: &Path| format!("--allow-path {}", quoted(&path_text(path)));
        let mut lacking = Vec::new();
        if !is_permitted(here) {
            let shown = path_text(here);
            lacking.push((
                format!("works in the folder `{shown}`, where its record says that it began"),
                flag(here),
            ));
        }
        let journal_file = Journal::open(journal)?;
        let is_listed = journal_file.run(run)?.is_some_and(|stored| stored.listed);
        for NamedPath { path, what, by } in named_paths(request, is_listed, records_anew) {
            let is_beside_journal = by == "--out" && journal.parent() == Some(&*real_place(path));
            if !is_permitted(path) && !is_beside_journal {
                let place = real_place(path);
                lacking.push((format!("{what} `{}` ({by} in its record)", path_text(&place)), flag(&place)));
            }
        }
        let mut elsewhere: BTreeMap<PathBuf, (PathBuf, u64)> = BTreeMap::new();
        journal_file.each_left(run, |path, source| {
            let record = source.and_then(|source| serde_json::from_str::<InputRecord>(&source).ok());
            let file = match record.map(Input::from_record) {
                Some(input) => input.origin().file().map(Path::to_path_buf),
                None => path,
            };
            if let Some(file) = file.filter(|file| !is_permitted(file)) {
                let place = real_place(&file);
                let folder = place.parent().unwrap_or(&place).to_path_buf();
                elsewhere.entry(folder).or_insert((place, 0)).1 += 1;
            }
        })?;
        let left = elsewhere.len().saturating_sub(MOST_FOLDERS);
        for (folder, (first, documents)) in elsewhere.into_iter().take(MOST_FOLDERS) {
            let others = match documents.saturating_sub(1) {
                0 => String::new(),
                1 => " and 1 other document there".to_owned(),
                others => format!(" and {others} other documents there"),
            };
            lacking.push((format!("reads the document `{}`{others}", path_text(&first)), flag(&folder)));
        }
        if left > 0 {
            let folders = if left == 1 { "1 more folder".to_owned() } else { format!("{left} more folders") };
            lacking.push((format!("reads documents in {folders}"), "--allow-path FOLDER".to_owned()));
        }
        Ok(lacking)
    }
}

/// The files and folders that a recorded request names. Its inputs are read again only if they have not all been
/// listed. Calls that are recorded anew have a folder that is named now.
fn named_paths(request: &RunRequest, is_listed: bool, records_anew: bool) -> Vec<NamedPath<'_>> {
    let mut paths = Vec::new();
    if let Some(out) = &request.out {
        paths.push(NamedPath::written("--out", out));
    }
    let folders = request.recording.folders().into_iter().filter(|_| !records_anew);
    paths.extend(folders.map(|(flag, folder)| match flag {
        "--replay" => NamedPath::read(flag, folder),
        _ => NamedPath::written(flag, folder),
    }));
    let extraction = request.extraction.iter().map(|file| NamedPath::read("--extraction", file));
    let certificate = request.certificate.iter().map(|file| NamedPath::read("--certificate", file));
    paths.extend(extraction.chain(certificate));
    if !is_listed {
        let is_file = |path: &&RecordedPath| path.as_os_str() != "-";
        paths.extend(request.from.iter().filter(is_file).map(|file| NamedPath::read("--from", file)));
        let inputs = request.inputs.iter().filter(is_file);
        paths.extend(inputs.map(|input| NamedPath::read("an input", input)));
    }
    paths
}
