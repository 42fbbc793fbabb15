//! The request for a run, as the journal keeps it, so that the run can be resumed, reviewed and tried with other
//! policies.
//!
//! A journal may have been written by someone else: a request says what its run did, and permits nothing.

use crate::value::{Millis, path_of, path_text};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// The key of a run's settings under which its request is kept.
const REQUEST: &str = "request";
/// The key of a request for the version of its form, and the version that this release writes and reads.
const VERSION: &str = "version";
const CURRENT: u32 = 1;

/// A request for a run over documents.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunRequest {
    /// The folder in which relative paths of the request begin.
    pub folder: Option<RecordedPath>,
    /// The profile of the run, with the settings laid over it.
    pub profile: ProfileSpec,
    /// The type of all documents, instead of classifying each.
    pub document_type: Option<String>,
    /// Files, folders and patterns of documents.
    pub inputs: Vec<RecordedPath>,
    /// Lists of documents.
    pub from: Vec<RecordedPath>,
    /// The extraction to start from.
    pub extraction: Option<RecordedPath>,
    /// The number of documents run at the same time.
    pub jobs: Option<u32>,
    /// `true` if every document is tried, even where its provider is plainly unavailable.
    pub keep_going: bool,
    /// The settings for recording, replaying and caching calls.
    pub recording: RecordingRequest,
    /// The profile was allowed to run programs.
    pub allow_commands: bool,
    /// A table of prices before the usual ones.
    pub prices: Option<RecordedPath>,
    /// The settings for calls in batches; `None` for single calls only.
    pub batches: Option<BatchRequest>,
    /// The certificate whose promises are reported; `None` for the one that the profile names.
    pub certificate: Option<RecordedPath>,
    /// The form of results on standard output; `None` if no flag asked for one.
    pub format: Option<ResultFormat>,
    /// The folder of results.
    pub out: Option<RecordedPath>,
    /// The journal file; `None` for the one in the folder of results, or else in the state folder.
    pub journal: Option<RecordedPath>,
    /// The time that calls in flight have when the run is stopped.
    pub drain: Option<Millis>,
    /// `true` if no progress is shown on standard error.
    pub quiet: bool,
    /// Flags that held for the first process alone, such as `--report`.
    pub of_first_process: Vec<String>,
}

/// A profile with the settings laid over it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProfileSpec {
    /// Its name or path.
    pub name: String,
    /// Keys and values, such as `accept.overall=0.9`.
    pub settings: Vec<String>,
    /// Variables of prompts, `NAME=TEXT`.
    pub variables: Vec<String>,
    /// The provider of every stage.
    pub provider: Option<String>,
    /// The provider of every judge.
    pub judge: Option<String>,
    /// Settings of the provider, `KEY=VALUE`.
    pub provider_config: Vec<String>,
}

/// Recordings and caches of calls.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecordingRequest {
    /// The folder in which calls are recorded; `None` if they are not recorded.
    pub record: Option<RecordedPath>,
    /// Requests are recorded, too.
    pub record_requests: bool,
    /// The folder of the recording that answers every call; `None` if calls are not replayed.
    pub replay: Option<RecordedPath>,
    /// The cache in the state folder.
    pub cache: bool,
    /// The folder of the cache, instead of the one in the state folder; `None` if no other one was named.
    pub cache_dir: Option<RecordedPath>,
}

/// Calls in batches of a vendor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchRequest {
    /// The choice between single calls and batches.
    pub via: CallsVia,
    /// The time after which a batch is cancelled.
    pub wait: Millis,
    /// The number of calls below which they are made one by one.
    pub tail: u64,
    /// The longest pause between two polls of a batch.
    pub pause: Millis,
}

/// The way in which calls are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallsVia {
    /// Single calls, each answered at once.
    Online,
    /// Batches of the vendor, answered within a day and for a lower price.
    Batch,
}

/// The form in which results are written to standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultFormat {
    /// Text for people.
    Text,
    /// One indented JSON value: a list, if there are several results.
    Json,
    /// One JSON value per line.
    Jsonl,
}

/// A path as records keep it, including one that is not Unicode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedPath(pub PathBuf);

impl Serialize for RecordedPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&path_text(&self.0))
    }
}

impl<'de> Deserialize<'de> for RecordedPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| RecordedPath(path_of(&text)))
    }
}

impl From<&Path> for RecordedPath {
    fn from(path: &Path) -> Self {
        RecordedPath(path.to_path_buf())
    }
}

impl Deref for RecordedPath {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl RecordingRequest {
    /// The flags that ask for it.
    pub fn named(&self) -> Vec<&'static str> {
        let given = [
            (self.record.is_some(), "`--record`"),
            (self.replay.is_some(), "`--replay`"),
            (self.cache || self.cache_dir.is_some(), "`--cache`"),
        ];
        given.into_iter().filter_map(|(given, name)| given.then_some(name)).collect()
    }

    /// The folders that are read or written, each with its flag.
    pub fn folders(&self) -> Vec<(&'static str, &Path)> {
        let named =
            [("--record", &self.record), ("--replay", &self.replay), ("--cache-dir", &self.cache_dir)];
        named.into_iter().filter_map(|(flag, folder)| Some((flag, folder.as_deref()?))).collect()
    }

    /// Records in this folder in place of the one that a run's record names.
    pub fn record_in(&mut self, folder: PathBuf) {
        *self = RecordingRequest {
            record: Some(RecordedPath(folder)),
            record_requests: self.record_requests,
            ..RecordingRequest::default()
        };
    }
}

impl BatchRequest {
    /// Single calls, with the usual settings for the batches that were submitted before.
    pub fn online() -> Self {
        BatchRequest {
            via: CallsVia::Online,
            wait: Millis(24 * 60 * 60 * 1000),
            tail: 50,
            pause: Millis(5 * 60 * 1000),
        }
    }
}

impl RunRequest {
    /// A request that names nothing but a profile.
    pub fn of(profile: ProfileSpec) -> Self {
        RunRequest { profile, ..RunRequest::default() }
    }

    /// The request in the settings of a run's record; `None` if there is none that this release understands.
    pub fn of_settings(settings: &Value) -> Option<Self> {
        let mut request = settings.get(REQUEST)?.as_object()?.clone();
        let version = request.remove(VERSION)?;
        if version != CURRENT {
            return None;
        }
        let request = Self::deserialize(Value::Object(request)).ok()?;
        (!request.profile.name.is_empty()).then_some(request)
    }

    /// Adds the request to the settings of a run's record.
    pub fn into_settings(self, settings: &mut Map<String, Value>) {
        let mut request = Map::from_iter([(VERSION.to_owned(), CURRENT.into())]);
        if let Ok(Value::Object(members)) = serde_json::to_value(self) {
            request.extend(members);
        }
        settings.insert(REQUEST.to_owned(), Value::Object(request));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_request_is_kept_and_one_of_another_version_is_not_understood() {
        let mut request = RunRequest::of(ProfileSpec {
            name: "clinical".to_owned(),
            settings: vec!["accept.overall=0.9".to_owned()],
            ..ProfileSpec::default()
        });
        request.inputs.push(Path::new("reports").into());
        request.drain = Some(Millis(500));
        let mut settings = Map::new();
        request.clone().into_settings(&mut settings);
        let mut settings = Value::Object(settings);
        assert_eq!(RunRequest::of_settings(&settings), Some(request));
        settings["request"]["version"] = json!(2);
        assert_eq!(RunRequest::of_settings(&settings), None);
        settings["request"]["version"] = json!(1);
        settings["request"]["sudo"] = json!(true);
        assert_eq!(RunRequest::of_settings(&settings), None);
        assert_eq!(RunRequest::of_settings(&json!({"request": {"version": 1}})), None, "no profile");
        assert_eq!(RunRequest::of_settings(&json!({"command": ["run", "a.txt"]})), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_no_unicode_is_kept() {
        use std::os::unix::ffi::OsStrExt;
        let path = RecordedPath(Path::new(std::ffi::OsStr::from_bytes(b"a\xff%b")).to_path_buf());
        let text = serde_json::to_string(&path).unwrap();
        assert_eq!(serde_json::from_str::<RecordedPath>(&text).unwrap(), path);
    }
}
