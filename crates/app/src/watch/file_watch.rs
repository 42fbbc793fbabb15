//! Reports when one of a set of files was saved, or appears where none was.
//!
//! Folders are watched, because editors save by putting another file in the place of the first. An event in them only
//! says that it is time to check; [`Reached::changed`] finds out whether anything changed.

use super::settle::Debounce;
use crate::failure::Failure;
use crate::profile::Reached;
use crate::value::{Millis, ShownPath};
use notify::event::{AccessKind, AccessMode};
use notify::{ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// The reason why files can't be watched.
#[derive(Debug, thiserror::Error)]
pub(super) enum WatchError {
    /// The system can't watch files for us.
    #[error("this system can't watch files: {0}")]
    Unavailable(notify::Error),
    /// It does not watch this folder.
    #[error("the folder `{}` can't be watched: {source}", folder.shown())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The reason.
        source: notify::Error,
    },
    /// It stopped watching.
    #[error("files are no longer watched: {0}")]
    Ended(String),
}

impl WatchError {
    /// Returns advice on what to do about it.
    #[must_use]
    pub(super) fn help(&self) -> &'static str {
        let full = |error: &notify::Error| match &error.kind {
            ErrorKind::MaxFilesWatch => true,
            // EMFILE: too many watchers of this user.
            ErrorKind::Io(error) => error.raw_os_error() == Some(24),
            _ => false,
        };
        match self {
            WatchError::Unavailable(error) | WatchError::Folder { source: error, .. } if full(error) => {
                "other programs watch as many files as the system allows: end some of them, or raise \
                 `fs.inotify.max_user_watches` and `fs.inotify.max_user_instances` with sysctl"
            }
            WatchError::Folder { .. } => {
                "leave out `--watch`, or keep the profile in a folder of this machine"
            }
            WatchError::Unavailable(_) | WatchError::Ended(_) => {
                "leave out `--watch`, and run again after saving"
            }
        }
    }
}

impl From<WatchError> for Failure {
    fn from(error: WatchError) -> Self {
        Failure::broken(error.to_string()).help(error.help())
    }
}

/// Watches files.
pub(super) struct FileWatch {
    watcher: RecommendedWatcher,
    wanted: Arc<Mutex<BTreeSet<PathBuf>>>,
    heard: mpsc::Receiver<Result<(), String>>,
    settling: Debounce,
    begun: Instant,
}

impl FileWatch {
    /// Begins to watch.
    ///
    /// # Errors
    /// When the system does not let us.
    pub(super) fn start(reached: &Reached) -> Result<Self, WatchError> {
        let wanted = Arc::new(Mutex::new(BTreeSet::new()));
        // One report is as good as many, so those that do not fit are dropped.
        let (tell, heard) = mpsc::channel(16);
        let known = Arc::clone(&wanted);
        let watcher = notify::recommended_watcher(move |told: notify::Result<Event>| {
            let word = match told {
                Ok(event) if concerns(&event, &known.lock().unwrap_or_else(PoisonError::into_inner)) => {
                    Ok(())
                }
                Ok(_) => return,
                Err(error) => Err(error.to_string()),
            };
            let _ = tell.try_send(word);
        });
        let mut watch = FileWatch {
            watcher: watcher.map_err(WatchError::Unavailable)?,
            wanted,
            heard,
            settling: Debounce::default(),
            begun: Instant::now(),
        };
        watch.follow(reached)?;
        Ok(watch)
    }

    /// Watches these files from now on. Repeating this does no harm, and helps where a folder was replaced.
    ///
    /// # Errors
    /// When the system does not let us.
    pub(super) fn follow(&mut self, reached: &Reached) -> Result<(), WatchError> {
        let places: Vec<WatchTarget> = reached.paths().map(WatchTarget::of).collect();
        let wanted = places.iter().flat_map(|place| place.names.iter().cloned()).collect();
        *self.wanted.lock().unwrap_or_else(PoisonError::into_inner) = wanted;
        let folders: BTreeSet<&Path> =
            places.iter().flat_map(|place| &place.folders).map(AsRef::as_ref).collect();
        for folder in &folders {
            match self.watcher.watch(folder, RecursiveMode::NonRecursive) {
                Ok(()) => {}
                // It went away at this very moment; the folder above reports that.
                Err(error) if matches!(error.kind, ErrorKind::PathNotFound) => {}
                Err(source) => return Err(WatchError::Folder { folder: folder.to_path_buf(), source }),
            }
        }
        // The folder above reports that a folder itself was replaced, where it may be watched.
        for above in folders.iter().filter_map(|folder| folder.parent()) {
            if !folders.contains(above) {
                let _ = self.watcher.watch(above, RecursiveMode::NonRecursive);
            }
        }
        Ok(())
    }

    /// Returns when something happened to one of the files and it has been quiet since. May be dropped and called again
    /// without losing anything.
    ///
    /// # Errors
    /// When the system stops watching.
    pub(super) async fn settled(&mut self) -> Result<(), WatchError> {
        loop {
            tokio::select! {
                heard = self.heard.recv() => match heard {
                    Some(Ok(())) => self.settling.stir(self.now()),
                    Some(Err(why)) => return Err(WatchError::Ended(why)),
                    None => return Err(WatchError::Ended("the watcher is gone".to_owned())),
                },
                () = until(self.begun, self.settling.due()) => {
                    self.settling.settle();
                    return Ok(());
                }
            }
        }
    }

    fn now(&self) -> Millis {
        Millis(u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX))
    }
}

async fn until(begun: Instant, due: Option<Millis>) {
    match due {
        Some(due) => tokio::time::sleep_until(begun + Duration::from_millis(due.0)).await,
        None => std::future::pending().await,
    }
}

/// Returns whether an event may have changed a file that is wanted. Reading one, as we do ourselves, does not.
fn concerns(event: &Event, wanted: &BTreeSet<PathBuf>) -> bool {
    if event.need_rescan() {
        return true;
    }
    match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => {}
        EventKind::Access(_) => return false,
        _ => {}
    }
    // A path sorts before all that is below it.
    let touches =
        |path: &PathBuf| wanted.range(path.clone()..).next().is_some_and(|one| one.starts_with(path));
    event.paths.iter().any(touches)
}

/// The location of a file, whether or not it exists.
struct WatchTarget {
    /// Its names as the watcher gives them: links followed, and as it was asked for.
    names: Vec<PathBuf>,
    /// The folder that holds it, or the nearest one above that is there; and that of the file that it links to.
    folders: Vec<PathBuf>,
}

impl WatchTarget {
    fn of(path: &Path) -> Self {
        let asked = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let mut place = WatchTarget { names: Vec::new(), folders: Vec::new() };
        // One name for each folder: the system reports it under the latest only.
        let there = asked.ancestors().skip(1).find_map(|above| Some((above, above.canonicalize().ok()?)));
        if let Some((above, folder)) = there {
            if let Ok(rest) = asked.strip_prefix(above) {
                place.names.push(folder.join(rest));
            }
            place.folders.push(folder);
        }
        if let Ok(real) = asked.canonicalize()
            && !place.names.contains(&real)
        {
            place.folders.extend(real.parent().map(Path::to_path_buf));
            place.names.push(real);
        }
        if !place.names.contains(&asked) {
            place.names.push(asked);
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{CreateKind, RemoveKind};

    #[test]
    fn only_what_may_have_changed_a_wanted_file_concerns() {
        let wanted: BTreeSet<PathBuf> = ["/p/rules/x.yaml", "/p/rules-2/y.yaml"].map(PathBuf::from).into();
        let event = |kind, path: &str| Event::new(kind).add_path(path.into());
        let created = EventKind::Create(CreateKind::Any);
        for (event, expected) in [
            (event(created, "/p/rules/x.yaml"), true),
            (event(created, "/p/rules/x.yaml~"), false),
            (event(created, "/p/rules"), true),
            (event(EventKind::Remove(RemoveKind::Any), "/p"), true),
            (event(created, "/p/rule"), false),
            (event(created, "/q"), false),
            (event(EventKind::Access(AccessKind::Open(AccessMode::Read)), "/p/rules/x.yaml"), false),
            (event(EventKind::Access(AccessKind::Close(AccessMode::Write)), "/p/rules/x.yaml"), true),
            (Event::new(EventKind::Other).set_flag(notify::event::Flag::Rescan), true),
        ] {
            assert_eq!(concerns(&event, &wanted), expected, "{event:?}");
        }
    }

    #[test]
    fn a_file_that_is_not_there_is_waited_for_in_the_nearest_folder_that_is() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let place = WatchTarget::of(&folder.path().join("rules/deep/x.yaml"));
        assert_eq!(place.folders, std::slice::from_ref(&root));
        assert!(place.names.contains(&root.join("rules/deep/x.yaml")));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_watched_where_it_stands_and_where_it_leads() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("real")).unwrap();
        std::fs::write(root.join("real/x.yaml"), "").unwrap();
        std::os::unix::fs::symlink("real/x.yaml", root.join("link.yaml")).unwrap();
        let place = WatchTarget::of(&root.join("link.yaml"));
        assert_eq!(place.folders, [root.clone(), root.join("real")]);
        assert_eq!(place.names, [root.join("link.yaml"), root.join("real/x.yaml")]);
    }
}
