//! loopctl makes the output of language models trustworthy.
//!
//! It validates and scores a structured output, feeds back what is wrong, corrects, and stops by a policy that
//! a domain expert wrote in YAML.
//!
//! Other programs begin with `Loop` (feature `run`). Without default features there is the pure core, of which each part can
//! be used alone: [`plan::DocumentContext`], [`engine::Run`], [`experiment::simulate`], [`next::next`], [`repair`]. `docs/rust.md` has
//! examples and says what is stable; `docs/architecture.md` has the crates that the modules are from, and `docs/design/` explains
//! how they work.
//!
//! Modules marked `#[doc(hidden)]` are public for this repository's own command, tests and benches. They are not part of what the
//! library promises.

// Modules that reach the outside world say so below; tests may everywhere.
#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

// The base and the core, under the paths that the modules below know them by.
pub use loopctl_base::{diag, value};
pub use loopctl_core::{engine, next, plan, policy, profile, repair, result, score};
#[doc(hidden)]
pub use loopctl_core::{exchange, feedback, rules, script, stop};

#[cfg(feature = "cli")]
pub(crate) use loopctl_app::{
    calibration, checks, context, evaluation, execution, explanation, failure, journals, logging,
    named_input, next_answer, outline, plugin_project, plugins, profile_comparison, profiles, project,
    proofs, repairs, requests, resumption, review, run_export, run_reviews, scenarios, scoring, streams,
    sweep, trials, watch,
};
#[cfg(feature = "cli")]
#[doc(hidden)]
pub use loopctl_app::{explain, lint, reference, report};
#[cfg(feature = "cli")]
pub(crate) use loopctl_check as conformance;
#[doc(inline)]
pub use loopctl_experiment as experiment;
#[cfg(feature = "run")]
#[doc(inline)]
pub use loopctl_provider as provider;
#[doc(inline)]
pub use loopctl_read as ingest;
#[cfg(feature = "run")]
#[doc(inline)]
pub use loopctl_run as run;
#[cfg(feature = "run")]
pub use loopctl_run::store;
#[cfg(feature = "cli")]
pub(crate) use loopctl_serve as serve;
#[cfg(feature = "cli")]
pub(crate) use loopctl_telemetry as telemetry;

// The command line.
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
