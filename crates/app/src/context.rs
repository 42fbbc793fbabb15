//! The surroundings of a process: the folder in which it began, its environment, its clock, and the folders and files of this user
//! that follow from them.

use crate::diag::Problems;
use crate::ingest::DocumentReader;
use crate::profile::{Library, read_text_below, read_text_file};
use crate::provider::{PluginPaths, Prices, Providers};
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file of prices in the working directory and in `$LOOPCTL_HOME`.
pub const PRICES: &str = "prices.yaml";

/// The variable that names a price table if the request does not.
const PRICES_VARIABLE: &str = "LOOPCTL_PRICES";

/// Looks up a variable of the environment.
type Variables = Arc<dyn Fn(&str) -> Option<OsString> + Send + Sync>;

/// Tells the time.
type Clock = Arc<dyn Fn() -> jiff::Timestamp + Send + Sync>;

/// The folder, environment, executable and clock of a process.
#[derive(Clone)]
pub struct Context {
    folder: PathBuf,
    variables: Variables,
    executable: Option<PathBuf>,
    clock: Clock,
    reader: DocumentReader,
}

impl fmt::Debug for Context {
    /// Leaves out the environment, which holds secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Context {
    /// A process that began in `folder`, with this environment, started from this executable, with this clock.
    pub fn new(
        folder: PathBuf,
        variables: impl Fn(&str) -> Option<OsString> + Send + Sync + 'static,
        executable: Option<PathBuf>,
        clock: impl Fn() -> jiff::Timestamp + Send + Sync + 'static,
    ) -> Self {
        Context {
            folder,
            variables: Arc::new(variables),
            executable,
            clock: Arc::new(clock),
            reader: DocumentReader::in_process(),
        }
    }

    /// Returns this context with another reader of documents than one in this process.
    #[must_use]
    pub fn with_reader(self, reader: DocumentReader) -> Self {
        Context { reader, ..self }
    }

    /// The reader of documents that are not plain text.
    pub fn reader(&self) -> &DocumentReader {
        &self.reader
    }

    /// The time.
    pub fn now(&self) -> jiff::Timestamp {
        (self.clock)()
    }

    /// The folder where the process began.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The program that was started.
    pub fn executable(&self) -> Option<&Path> {
        self.executable.as_deref()
    }

    /// The value of a variable that is set to Unicode text.
    pub fn variable(&self, name: &str) -> Option<String> {
        (self.variables)(name).and_then(|value| value.into_string().ok())
    }

    /// The profile that is used if none is named. An empty variable counts as one that is not set.
    pub fn usual_profile(&self) -> String {
        self.variable("LOOPCTL_PROFILE")
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| "balanced".to_owned())
    }

    /// The path in a variable, resolved in the folder where the process began; `None` if it is empty or not set.
    fn path_variable(&self, name: &str) -> Option<PathBuf> {
        (self.variables)(name).filter(|value| !value.is_empty()).map(|path| self.resolved(path))
    }

    /// Resolves a path in the folder where the process began, whatever folder a run's record has led to since.
    pub fn resolved(&self, path: impl Into<PathBuf>) -> PathBuf {
        self.folder.join(path.into())
    }

    /// The folder of a user's own profiles, rules and plugins.
    pub fn home(&self) -> Option<PathBuf> {
        self.path_variable("LOOPCTL_HOME")
    }

    /// The default folder of this user's journal and cache.
    pub fn state_folder(&self) -> Option<PathBuf> {
        self.home()
            .or_else(|| self.path_variable("XDG_STATE_HOME").map(|state| state.join("loopctl")))
            .or_else(|| self.path_variable("HOME").map(|home| home.join(".local/state/loopctl")))
    }

    /// The locations searched for profiles, rules, prompts and schemas: the working directory, then `$LOOPCTL_HOME`,
    /// then the embedded files.
    pub fn library(&self) -> Library {
        self.library_from(PathBuf::from("."))
    }

    /// Like [`Self::library`], with another folder in place of the working directory.
    pub fn library_from(&self, folder: PathBuf) -> Library {
        let roots = std::iter::once(folder).chain(self.home()).collect();
        let context = self.clone();
        // The plugins on this machine tell what providers can do.
        let answers = move |name: &str| {
            context.providers().find(name).ok().map(|plugin| plugin.manifest.answers_prompts())
        };
        Library::new(roots).beside(answers)
    }

    /// Every provider plugin that this process may use.
    pub fn providers(&self) -> Providers {
        let mut paths = self.plugin_paths();
        paths.search = paths.search.into_iter().map(|folder| self.resolved(folder)).collect();
        paths.home = paths.home.map(|home| self.resolved(home));
        Providers::new(paths)
    }

    /// The folders of plugins, as the environment names them.
    pub fn plugin_paths(&self) -> PluginPaths {
        PluginPaths::of_environment(|name| (self.variables)(name), self.executable.clone())
    }

    /// Loads the prices of models: from `file`, or the one that the environment names, then from `prices.yaml` in the
    /// working directory and in `$LOOPCTL_HOME`, then those that ship with loopctl. Problems are pushed.
    pub fn prices(&self, file: Option<&Path>, problems: &mut Problems) -> Prices {
        let usual = std::iter::once(PathBuf::new()).chain(self.home());
        let named = file.map(Path::to_path_buf).or_else(|| self.path_variable(PRICES_VARIABLE));
        let named = named.map(|path| read_text_file(&path));
        let usual = usual.filter_map(|folder| read_text_below(&folder, PRICES).transpose());
        let tables: Vec<Prices> = named
            .into_iter()
            .chain(usual)
            .filter_map(|read| match read {
                Ok(file) => Prices::parse(&file, problems),
                Err(problem) => {
                    problems.push(problem);
                    None
                }
            })
            .collect();
        tables.into_iter().rev().fold(Prices::shipped(), |farther, nearer| nearer.before(farther))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_the_user_follow_from_the_environment() {
        let with = |pairs: &'static [(&str, &str)]| {
            let of = move |name: &str| {
                pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
            };
            Context::new("/work".into(), of, None, || jiff::Timestamp::UNIX_EPOCH)
        };
        let folders = |context: Context| (context.home(), context.state_folder());
        assert_eq!(folders(with(&[])), (None, None));
        assert_eq!(
            folders(with(&[("HOME", "/users/a"), ("LOOPCTL_HOME", "")])),
            (None, Some("/users/a/.local/state/loopctl".into()))
        );
        assert_eq!(
            folders(with(&[("HOME", "/users/a"), ("XDG_STATE_HOME", "/state")])),
            (None, Some("/state/loopctl".into()))
        );
        let own = with(&[("HOME", "/users/a"), ("LOOPCTL_HOME", "own")]);
        assert_eq!(folders(own), (Some("/work/own".into()), Some("/work/own".into())));
    }

    #[test]
    fn the_environment_is_not_shown() {
        let context =
            Context::new("/work".into(), |_| Some("secret".into()), None, || jiff::Timestamp::UNIX_EPOCH);
        assert!(!format!("{context:?}").contains("secret"));
    }
}
