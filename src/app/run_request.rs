//! The request for a run, as the journal keeps it, so that the run can be resumed, reviewed and tried with other
//! policies.
//!
//! A journal may have been written by someone else: a request says what its run did, and permits nothing.

use crate::value::{Millis, path_of, path_text};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// The key of a run's settings under which its request is kept.
const REQUEST: &str = "request";
/// The key of a request for the version of its form, and the version that this release writes and reads.
const VERSION: &str = "version";
const CURRENT: u32 = 1;

/// A request for a run over documents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunRequest {
    /// The folder in which relative paths of the request begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) folder: Option<RecordedPath>,
    pub(crate) profile: ProfileSpec,
    /// The type of all documents, instead of classifying each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) document_type: Option<String>,
    /// Files, folders and patterns of documents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) inputs: Vec<RecordedPath>,
    /// Lists of documents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) from: Vec<RecordedPath>,
    /// The extraction to start from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) extraction: Option<RecordedPath>,
    /// The number of documents run at the same time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) jobs: Option<u32>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) keep_going: bool,
    #[serde(default, skip_serializing_if = "RecordingRequest::is_empty")]
    pub(crate) recording: RecordingRequest,
    /// The profile was allowed to run programs.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) allow_commands: bool,
    /// A table of prices before the usual ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) prices: Option<RecordedPath>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) batches: Option<BatchRequest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) certificate: Option<RecordedPath>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) format: Option<ResultFormat>,
    /// The folder of results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) out: Option<RecordedPath>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) journal: Option<RecordedPath>,
    /// The time that calls in flight have when the run is stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) drain: Option<Millis>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) quiet: bool,
    /// Flags that held for the first process alone, such as `--report`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) of_first_process: Vec<String>,
}

/// A profile with the settings laid over it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProfileSpec {
    /// Its name or path.
    pub(crate) name: String,
    /// Keys and values, such as `accept.overall=0.9`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) settings: Vec<String>,
    /// Variables of prompts, `NAME=TEXT`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) variables: Vec<String>,
    /// The provider of every stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) provider: Option<String>,
    /// The provider of every judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) judge: Option<String>,
    /// Settings of the provider, `KEY=VALUE`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) provider_config: Vec<String>,
}

/// Recordings and caches of calls.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordingRequest {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) record: Option<RecordedPath>,
    /// Requests are recorded, too.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) record_requests: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) replay: Option<RecordedPath>,
    /// The cache in the state folder.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) cache: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cache_dir: Option<RecordedPath>,
}

impl RecordingRequest {
    fn is_empty(&self) -> bool {
        *self == RecordingRequest::default()
    }
}

/// Calls in batches of a vendor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BatchRequest {
    pub(crate) via: CallsVia,
    /// The time after which a batch is cancelled.
    pub(crate) wait: Millis,
    /// The number of calls below which they are made one by one.
    pub(crate) tail: u64,
    /// The longest pause between two polls of a batch.
    pub(crate) pause: Millis,
}

/// The way in which calls are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CallsVia {
    Online,
    Batch,
}

/// The form in which results are written to standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ResultFormat {
    Text,
    Json,
    Jsonl,
}

/// A path as records keep it, including one that is not Unicode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordedPath(pub(crate) PathBuf);

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

impl RunRequest {
    /// A request that names nothing but a profile.
    pub(crate) fn of(profile: ProfileSpec) -> Self {
        RunRequest {
            folder: None,
            profile,
            document_type: None,
            inputs: Vec::new(),
            from: Vec::new(),
            extraction: None,
            jobs: None,
            keep_going: false,
            recording: RecordingRequest::default(),
            allow_commands: false,
            prices: None,
            batches: None,
            certificate: None,
            format: None,
            out: None,
            journal: None,
            drain: None,
            quiet: false,
            of_first_process: Vec::new(),
        }
    }

    /// The request in the settings of a run's record; `None` if there is none that this release understands.
    pub(crate) fn of_settings(settings: &Value) -> Option<Self> {
        let mut request = settings.get(REQUEST)?.as_object()?.clone();
        let version = request.remove(VERSION)?;
        if version != CURRENT {
            return None;
        }
        Self::deserialize(Value::Object(request)).ok()
    }

    /// Adds the request to the settings of a run's record.
    pub(crate) fn into_settings(self, settings: &mut Map<String, Value>) {
        let mut request = Map::from_iter([(VERSION.to_owned(), CURRENT.into())]);
        if let Ok(Value::Object(members)) = serde_json::to_value(self) {
            request.extend(members);
        }
        settings.insert(REQUEST.to_owned(), Value::Object(request));
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_false(flag: &bool) -> bool {
    !flag
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
