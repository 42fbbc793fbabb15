//! The JSON of `LC_BATCH`: a vendor's batch API, step by step. The plugin stays a pure codec: it says what to send, is
//! shown what came back, and says what that means. The host sends, waits, remembers and retries.
//!
//! A step that needs the network goes in turns: the first has no response, and each answer is either another request
//! ([`BatchAnswer::Send`]) or the end ([`BatchAnswer::Done`]). What the plugin wants to remember from one turn to the next it
//! puts into `state`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{HttpRequest, HttpResponse};

/// The host's request to a plugin that speaks batches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum BatchStep {
    /// The limits of one batch: [`BatchLimits`], or `null` where the endpoint has no batches.
    Limits,
    /// One call as a line of a batch: [`BatchLine`].
    Line {
        /// Distinguishes the line from others: 1 to 64 of `A-Z a-z 0-9 _ -`.
        custom_id: String,
        /// The call as ENCODE gave it.
        request: HttpRequest,
    },
    /// Makes a batch of lines: a [`BatchAnswer`] that ends with its handle.
    Submit {
        /// The batch to submit.
        batch: NewBatch,
        /// The current turn of the step.
        #[serde(default)]
        turn: BatchTurn,
    },
    /// Looks for a batch whose handle was lost: a [`BatchAnswer`] that ends with a list of [`FoundBatch`].
    Find {
        /// The host's own id of the batch.
        own_id: String,
        /// It is not older than this, if the host knows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<BatchSince>,
        /// The current turn of the step.
        #[serde(default)]
        turn: BatchTurn,
    },
    /// The state of a batch: a [`BatchAnswer`] that ends with a [`BatchState`].
    Poll {
        /// The vendor's id of the batch.
        handle: String,
        /// The current turn of the step.
        #[serde(default)]
        turn: BatchTurn,
    },
    /// The location of the results: a [`BatchAnswer`] that ends with a list of HTTP requests, whose responses have a
    /// result in each line.
    Results {
        /// The vendor's id of the batch.
        handle: String,
        /// The current turn of the step.
        #[serde(default)]
        turn: BatchTurn,
    },
    /// The meaning of a line of the results: [`BatchResult`].
    Result {
        /// Without its line break.
        line: String,
    },
    /// Asks the vendor to end the batch: a [`BatchAnswer`] that ends with `null`.
    Cancel {
        /// The vendor's id of the batch.
        handle: String,
        /// The current turn of the step.
        #[serde(default)]
        turn: BatchTurn,
    },
    /// Has the vendor forget the batch with its files: a [`BatchAnswer`] that ends with `null`.
    Delete {
        /// The vendor's id of the batch.
        handle: String,
        /// The current turn of the step.
        #[serde(default)]
        turn: BatchTurn,
    },
}

/// One turn of a step of several.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BatchTurn {
    /// The state that the plugin put into its last answer; `null` at first.
    #[serde(default)]
    pub state: Value,
    /// The server's answer to that request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<HttpResponse>,
}

/// The plugin's answer in a step of several turns: `{"send": {…}}` or `{"done": …}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchAnswer<T> {
    /// The host is to send this and to come back with the response, whatever its status.
    Send(Box<BatchRequest>),
    /// The step is at its end.
    Done(T),
}

/// A request that a step needs sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BatchRequest {
    /// Its `body` is empty if the lines are sent with it.
    pub request: HttpRequest,
    /// The way in which the lines become the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upload: Option<BatchUpload>,
    /// `true` if the batch begins with this request. If its answer is lost, the host has the batch searched
    /// for.
    #[serde(default)]
    pub creates: bool,
    /// The time to wait before it is sent, in milliseconds.
    #[serde(default)]
    pub after_ms: u64,
    /// Comes back with the response.
    #[serde(default)]
    pub state: Value,
}

/// The way in which the lines of a batch become the body of a request: `prefix`, the lines with `separator` between
/// them, `suffix`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchUpload {
    /// Before the first line.
    #[serde(default)]
    pub prefix: String,
    /// Between two lines.
    #[serde(default)]
    pub separator: String,
    /// After the last line.
    #[serde(default)]
    pub suffix: String,
}

/// The limits of one batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchLimits {
    /// The most lines.
    pub max_lines: u64,
    /// The most bytes, including the text around the lines.
    pub max_bytes: u64,
    /// The hours after which the vendor gives up what isn't done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_hours: Option<u32>,
    /// The means by which a batch whose handle was lost is found.
    #[serde(default)]
    pub found_by: FoundBy,
}

/// The means by which a batch whose handle was lost is found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FoundBy {
    /// The vendor keeps the host's own id with the batch.
    OwnId,
    /// Only by the ids of lines in its results, so not before it has ended.
    #[default]
    CustomIds,
}

/// One call as a line of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchLine {
    /// JSON without line breaks.
    pub text: String,
    /// The model that is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The part of the API that is asked, in the plugin's own words. Lines of one batch have the same model and
    /// endpoint.
    #[serde(default)]
    pub endpoint: String,
}

/// A batch to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewBatch {
    /// The host's own id of it: 1 to 64 of `A-Z a-z 0-9 _ -`. It is never given to another.
    pub own_id: String,
    /// As [`BatchLine::model`] of its lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// As [`BatchLine::endpoint`] of its lines.
    #[serde(default)]
    pub endpoint: String,
    /// The number of its lines.
    #[serde(default)]
    pub lines: u64,
    /// The number of bytes of those.
    #[serde(default)]
    pub bytes: u64,
}

/// A point in time, in both forms that APIs use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchSince {
    /// Seconds since 1970.
    pub unix: i64,
    /// `2026-11-25T16:00:00Z`
    pub utc: String,
}

/// A batch that may be the one that is searched for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundBatch {
    /// The vendor's id of it.
    pub handle: String,
    /// `true` if the vendor says that it has the host's own id.
    #[serde(default)]
    pub sure: bool,
    /// The number of its lines, if the vendor gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
}

/// The state of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchState {
    /// The status: whether it is at its end, and how it got there.
    pub status: BatchStatus,
    /// Its lines, as far as they are counted.
    #[serde(default)]
    pub total: u64,
    /// Those that were answered.
    #[serde(default)]
    pub succeeded: u64,
    /// Those that failed, expired or were canceled.
    #[serde(default)]
    pub failed: u64,
    /// The reason why it failed as a whole. Never document text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// `true` if the same batch may succeed later.
    #[serde(default)]
    pub may_pass: bool,
}

/// The status of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchStatus {
    /// Not at its end.
    InProgress,
    /// At its end; there are results.
    Ended,
    /// The vendor ran out of time; there are results of what was done.
    Expired,
    /// It was ended on request; there are results of what was done.
    Canceled,
    /// It was refused or failed as a whole; there are no results.
    Failed,
}

impl BatchStatus {
    /// Returns whether nothing more comes.
    pub fn is_over(self) -> bool {
        self != Self::InProgress
    }

    /// Returns whether there are results to read.
    pub fn has_results(self) -> bool {
        matches!(self, Self::Ended | Self::Expired | Self::Canceled)
    }
}

/// The meaning of a line of the results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchResult {
    /// Of the line that it answers.
    pub custom_id: String,
    /// The outcome of the line.
    pub outcome: LineOutcome,
    /// The server's answer, as if to a single call: DECODE reads it like any other. A line that expired or was canceled
    /// has a status that may pass (503), one that was refused a status that doesn't (4xx).
    pub response: HttpResponse,
}

/// The outcome of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineOutcome {
    /// The model was asked, and its answer is there.
    Answered,
    /// The call failed.
    Errored,
    /// There was no time left for it.
    Expired,
    /// The batch was ended before its turn.
    Canceled,
}

/// Returns whether a text can be the id of a line or a batch: 1 to 64 of `A-Z a-z 0-9 _ -`.
pub fn is_batch_id(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}
