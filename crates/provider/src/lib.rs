//! Providers: what makes and corrects candidates. Each is a plugin, a shared library behind a small C boundary
//! (`plugins/abi`), found by name, checked before it is loaded, and contained while it runs.
//!
//! | file | its one job |
//! | --- | --- |
//! | `absent` | what a model could only leave out by writing null |
//! | `batch` | the vendors' batch APIs: many calls in one file, answered later, for less |
//! | `complete` | [`Provider`]: one request in, one completion or typed failure out, within a deadline |
//! | `elf` | notice a library that is cut short |
//! | `error` | what can be wrong with a plugin, and how a call fails |
//! | `inspect` | read a library's bytes, digest and manifest without running it |
//! | `locate` | find plugins, and parse a specification such as `openai:model` |
//! | `meter` | the cost of one call |
//! | `network` | the network on behalf of `http` plugins: where they may go, secrets, bounds |
//! | `bundled` | the shipped plugins, where they are linked in |
//! | `opened` | the instance that takes calls; opened again once when it has panicked |
//! | `patience` | a call's deadline |
//! | `plugin` | the boundary itself: loading, the host's side of the ABI, instances and calls |
//! | `prices` | [`Prices`]: the prices of models, from YAML tables |
//! | `progress` | how far a call has come |
//! | `quotation` | keeping the words of a document out of messages about a failed call |
//! | `registry` | [`Providers`]: list, inspect, trust, open |
//! | `reply` | turn a plugin's reply into a completion or a fault |
//! | `settings` | what is wrong with a plugin's settings, in words |
//! | `tape` | cassettes: exchanges kept in files, replayed, and the cache |
//! | `trace` | a span for each call |
//! | `without_network` | replaces `network` in a build that has none |
//! | `trust` | which libraries may run: the installation's own, and those in the lock file |
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
pub mod batch;
mod complete;
#[cfg(feature = "bundled")]
mod bundled;
mod elf;
pub mod error;
pub mod inspect;
pub mod locate;
mod meter;
#[cfg(feature = "network")]
pub mod network;
#[cfg(not(feature = "network"))]
#[path = "without_network.rs"]
pub mod network;
mod opened;
mod patience;
pub mod plugin;
mod prices;
mod progress;
mod quotation;
pub mod registry;
pub mod reply;
mod settings;
mod tape;
mod trace;
mod trust;

#[cfg(feature = "network")]
#[doc(hidden)]
pub use batch::{
    BatchCounts, BatchDownload, BatchFound, BatchGroup, BatchHandle, BatchLine, BatchSought, NotSubmitted,
    Taken, without_result,
};
pub use complete::{Called, PluginIdentity, Provider};
pub use error::{CallFailure, FailureKind, ProviderError};
pub use inspect::Inspected;
pub use locate::PluginPaths;
#[cfg(feature = "network")]
pub use network::SERVICE_HOSTS;
pub use plugin::{LOG_TARGET, Working};
pub use prices::PriceTable;
pub use prices::{LongPrompt, Price, Prices, Rates};
pub use progress::{AnswerStore, Progress};
pub use registry::{ProviderEntry, Providers};
pub use settings::setting_problems;
pub use tape::{Recorder, RecorderMode, Requests, TapeError};
pub use trust::{TrustState, Trusted};

pub use loopctl_plugin_sdk::{Linked, protocol};
