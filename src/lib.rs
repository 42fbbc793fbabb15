//! loopctl makes the output of language models trustworthy.
//!
//! It validates and scores a structured output, feeds back what is wrong, corrects, and stops by a policy that
//! a domain expert wrote in YAML.
//!
//! Other programs begin with `Loop` (feature `run`). Without default features there is the pure core, of which each part can
//! be used alone: [`plan::DocumentContext`], [`engine::Run`], [`experiment::simulate`], [`next::next`], [`repair`]. `docs/rust.md` has
//! examples and says what is stable; `docs/design/` says how the parts are built. A module uses only those above it in this
//! list (`tests/it/layers.rs` keeps it so).
//!
//! Modules marked `#[doc(hidden)]` are public for this package's own command, tests and benches. They are no part of what the
//! library promises.

#![cfg_attr(
    not(feature = "cli"),
    expect(
        dead_code,
        unused_imports,
        reason = "some of what modules share is for modules that this build leaves out"
    )
)]
// Modules that reach the outside world say so below; tests may everywhere.
#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

// Layer 0: base.
pub mod diag;
pub mod value;
#[expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "files are its matter")]
pub(crate) mod disk;

// Layer 1: what people declare.
#[doc(hidden)]
pub mod stop;
#[expect(clippy::disallowed_methods, reason = "looks profiles up")]
pub mod profile;
#[doc(hidden)]
pub mod script;
#[doc(hidden)]
pub mod rules;

// Layer 2: pure decisions. No clock, no IO, no randomness, no async.
pub mod score;
pub mod repair;
#[doc(hidden)]
pub mod feedback;
pub mod policy;
pub mod engine;

// Layer 3: a policy at hand, and the loop as data. No one is asked and nothing is written.
#[expect(clippy::disallowed_methods, reason = "reads documents")]
pub mod ingest;
pub mod plan;
#[doc(hidden)]
pub mod exchange;
pub mod result;
pub mod next;
pub(crate) mod rescore;
pub mod experiment;
#[cfg(feature = "cli")]
pub(crate) mod review;

// Layer 4: effects.
#[cfg(feature = "run")]
#[cfg_attr(
    feature = "telemetry",
    expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "clock, environment, a collector")
)]
pub(crate) mod telemetry;
#[cfg(feature = "run")]
#[expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "plugins, network, clock")]
pub mod provider;
#[cfg(feature = "run")]
#[expect(clippy::disallowed_methods, reason = "writes results")]
#[cfg_attr(feature = "journal", expect(clippy::disallowed_types, reason = "writes the journal"))]
pub mod store;
#[cfg(feature = "run")]
#[expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "clock and files")]
pub mod run;
#[cfg(feature = "cli")]
#[expect(clippy::disallowed_methods, reason = "looks at files")]
pub(crate) mod watch;

// Layer 5: products.
#[cfg(feature = "cli")]
pub(crate) mod facts;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod reference;
#[cfg(feature = "cli")]
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "runs plugins in processes of their own"
)]
pub(crate) mod conformance;
#[cfg(feature = "cli")]
#[expect(clippy::disallowed_methods, reason = "looks at the files of a project")]
#[doc(hidden)]
pub mod lint;
#[cfg(feature = "cli")]
#[expect(clippy::disallowed_methods, reason = "reads finished runs")]
#[doc(hidden)]
pub mod explain;
#[cfg(feature = "cli")]
#[expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "writes projects")]
pub(crate) mod project;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod report;
#[cfg(feature = "cli")]
pub(crate) mod export;

// Layer 6: the application, and the service.
#[cfg(feature = "cli")]
pub(crate) mod app;
#[cfg(feature = "cli")]
#[expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "requests, clock, files")]
pub(crate) mod serve;

// Layer 7: the command line.
#[cfg(feature = "cli")]
#[expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "arguments, environment, terminals")]
#[doc(hidden)]
pub mod cli;

// The entry point of other programs.
#[cfg(feature = "run")]
pub use run::{BuildError, Loop, LoopBuilder};

// The programs on the page are compiled, and those that need no plugin are run.
#[cfg(all(doctest, feature = "run"))]
#[doc = include_str!("../docs/rust.md")]
mod rust_page {}

// Macros that declare the contents of files.
pub(crate) use value::declare::{all_default, key, key_group, mapping, open_part, read_field, read_key};
pub(crate) use value::decode::decode_words;
