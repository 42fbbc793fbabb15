//! Conformance: drives a plugin through the contract of `loopctl_plugin.h`, for those who write plugins.
//!
//! | file | its one job |
//! | --- | --- |
//! | `check` | the definition of a check, and the list of them all |
//! | `report` | the outcome of each check |
//! | `examine` | the parent: what needs no plugin code, and a child process for each group of the rest |
//! | `part` | the child: runs checks, and notes each before it begins |
//! | `subject` | the plugin as checks see it: file, manifest, library, table, instances |
//! | `samples` | requests and responses to try it with |
//! | `verdict` | whether an answer is one that the contract knows |
//! | `manifest`, `load`, `open` | checks of every plugin |
//! | `encode`, `decode`, `http_request` | of plugins of kind `http` |
//! | `batch` | of those that speak their vendor's batch API |
//! | `direct` | of plugins of kind `direct` |
//!
//! A plugin that crashes or hangs takes a child process with it, and nothing else: the parent reports during which
//! check, and continues with the next.

// The crates below, under the paths that the modules know them by.
use loopctl_core::{disk, profile, value};

use loopctl_provider as provider;

mod batch;
mod check;
mod decode;
mod direct;
mod encode;
mod examine;
mod http_request;
mod load;
mod manifest;
mod open;
mod part;
mod report;
mod samples;
mod subject;
mod verdict;

pub use examine::{ChildTask, Conformance, kind_name};
pub use report::CheckOutcome;
pub use report::{CheckFinding, ConformanceReport};
