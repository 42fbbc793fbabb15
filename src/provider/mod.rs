//! Providers: what makes and corrects candidates. Each is a plugin, a shared library behind a small C boundary
//! (`plugins/abi`), found by name, checked before it is loaded, and contained while it runs.
//!
//! | file | its one job |
//! | --- | --- |
//! | `locate` | where plugins are looked for, and what a specification such as `openai:model` means |
//! | `inspect` | read a library's bytes, digest and manifest without running it |
//! | `elf` | notice a library that is cut short |
//! | `trust` | which libraries may run: the installation's own, and those in the lock file |
//! | `plugin` | the boundary itself: loading, the host's side of the ABI, instances and calls |
//! | `network` | the network on behalf of `http` plugins: where they may go, secrets, bounds |
//! | `prices` | [`Prices`]: what models cost, from YAML tables |
//! | `meter` | what one call cost |
//! | `trace` | a span for each call |
//! | `absent` | what a model could only leave out by writing null |
//! | `quotation` | keeping the words of a document out of what is said of a failed call |
//! | `tape` | cassettes: exchanges kept in files, replayed, and the cache |
//! | `settings` | what is wrong with a plugin's settings, in words |
//! | `registry` | [`Providers`]: list, inspect, trust, open |
//! | `conformance` | drives a plugin through the whole contract, for those who write plugins |
//! | `opened` | the instance that takes calls; opened again once when it has panicked |
//! | `reply` | what a plugin's reply comes to |
//! | `progress` | how far a call has come |
//! | `complete` | [`Provider`]: one request in, one completion or typed failure out, within a deadline |
//!
//! Native plugins are trusted code. A call that fails, hangs, panics or answers nonsense is contained; a memory fault
//! can't be.

mod error;
mod locate;
mod inspect;
mod elf;
mod trust;
mod plugin;
mod network;
mod price_keys;
mod prices;
mod meter;
mod trace;
mod absent;
mod quotation;
mod tape;
mod opened;
mod reply;
mod progress;
mod complete;
mod registry;
mod settings;
pub mod conformance;

pub use complete::{Called, PluginIdentity, Provider};
pub use error::{CallFailure, FailureKind, ProviderError};
pub use inspect::Inspected;
pub use locate::PluginPaths;
pub use plugin::Working;
pub use price_keys::PRICES;
pub use prices::{LongPrompt, Price, Prices, Rates};
pub use progress::Progress;
pub use registry::{Listed, Providers};
pub use settings::{SettingProblem, setting_problems};
pub use tape::{Requests, Tape, TapeError, TapeMode};
pub use trust::{TrustState, Trusted};

pub use loopctl_plugin_sdk::protocol;
