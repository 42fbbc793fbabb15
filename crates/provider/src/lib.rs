//! Providers: what makes and corrects candidates. Each is a plugin, a shared library behind a small C boundary
//! (`plugins/abi`), found by name, checked before it is loaded, and contained while it runs.
//!
//! | file | its one job |
//! | --- | --- |
//! | `absent` | what a model could only leave out by writing null |
//! | `batch` | the vendors' batch APIs: many calls in one file, answered later, for less |
//! | `bundled` | the shipped plugins, where they are linked in |
//! | `call_meter` | the cost of one call |
//! | `complete` | [`Provider`]: one request in, one completion or typed failure out, within a deadline |
//! | `deadline` | a call's deadline |
//! | `elf` | notice a library that is cut short |
//! | `error` | what can be wrong with a plugin, and how a call fails |
//! | `inspect` | read a library's bytes, digest and manifest without running it |
//! | `locate` | find plugins, and parse a specification such as `openai:model` |
//! | `network` | the network on behalf of `http` plugins: where they may go, secrets, bounds |
//! | `opened_plugin` | the instance that takes calls; opened again once when it has panicked |
//! | `plugin` | the boundary itself: loading, the host's side of the ABI, instances and calls |
//! | `prices` | [`Prices`]: the prices of models, from YAML tables |
//! | `progress` | how far a call has come |
//! | `quotation` | keeping the words of a document out of messages about a failed call |
//! | `registry` | [`Providers`]: list, inspect, trust, open |
//! | `reply` | turn a plugin's reply into a completion or a fault |
//! | `settings` | what is wrong with a plugin's settings, in words |
//! | `tape` | cassettes: exchanges kept in files, replayed, and the cache |
//! | `trace` | a span for each call |
//! | `trust` | which libraries may run: the installation's own, and those in the lock file |
//! | `without_network` | replaces `network` in a build that has none |
//!
//! Native plugins are trusted code. A call that fails, hangs, panics or answers nonsense is contained; a memory fault
//! can't be.

#![cfg_attr(not(feature = "network"), expect(dead_code, reason = "some of it is for the network alone"))]

// The crates below, under the paths that the modules know them by.
use loopctl_base::mapping;
use loopctl_core::{diag, disk, profile, rules, value};
use loopctl_telemetry as telemetry;

mod absent;
#[cfg(feature = "network")]
#[doc(hidden)]
pub mod batch;
#[cfg(feature = "bundled")]
mod bundled;
mod call_meter;
mod complete;
mod deadline;
mod elf;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod inspect;
#[doc(hidden)]
pub mod locate;
#[cfg(feature = "network")]
#[doc(hidden)]
pub mod network;
#[cfg(not(feature = "network"))]
#[path = "without_network.rs"]
#[doc(hidden)]
pub mod network;
mod opened_plugin;
#[doc(hidden)]
pub mod plugin;
mod prices;
mod progress;
mod quotation;
#[doc(hidden)]
pub mod registry;
#[doc(hidden)]
pub mod reply;
mod settings;
mod tape;
mod trace;
mod trust;

#[cfg(feature = "network")]
#[doc(hidden)]
pub use batch::{
    BatchCounts, BatchDownload, BatchGroup, BatchHandle, BatchLine, BatchSearchOutcome, LostBatch,
    ResultDisposition, SubmitFailure, without_result,
};
pub use complete::{CallOutcome, PluginIdentity, Provider};
pub use error::{CallFailure, FailureKind, ProviderError};
pub use inspect::Inspected;
pub use locate::PluginPaths;
#[cfg(feature = "network")]
#[doc(hidden)]
pub use network::SERVICE_HOSTS;
#[doc(hidden)]
pub use plugin::LOG_TARGET;
pub use plugin::ProgramGuard;
#[doc(hidden)]
pub use prices::PriceTable;
pub use prices::{LongPrompt, Price, Prices, Rates};
#[doc(hidden)]
pub use progress::AnswerStore;
pub use progress::CallProgress;
pub use registry::{ProviderEntry, Providers};
#[doc(hidden)]
pub use settings::setting_problems;
#[doc(hidden)]
pub use tape::{Recorder, RecorderMode, Requests, TapeError};
pub use trust::{TrustOutcome, TrustState};

pub use loopctl_plugin_sdk::{Linked, protocol};
