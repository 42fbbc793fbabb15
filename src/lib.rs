//! loopctl makes the output of language models trustworthy.
//!
//! It validates and scores a structured output, feeds back what is wrong, corrects, and stops by a policy that
//! a domain expert wrote in YAML.
//!
//! Other programs begin with `Loop` (feature `run`). Without default features there is the pure core, of which each part can
//! be used alone: [`score::Assessor`], [`engine::Run`], [`experiment::simulate`], [`next::next`], [`repair`]. `docs/rust.md` has
//! examples and says what is stable; `docs/design/` says how the parts are built. A module uses only those above it in this
//! list (`tests/it/layers.rs` keeps it so).

#![cfg_attr(
    not(feature = "cli"),
    expect(dead_code, reason = "some of what modules share is for modules that this build leaves out")
)]
#![cfg_attr(not(feature = "run"), expect(unused_imports, reason = "as above"))]

// Layer 0: base.
pub mod disk;
pub mod diag;
pub mod value;

// Layer 1: what people declare.
pub mod stop;
pub mod profile;
pub mod script;
pub mod rules;

// Layer 2: pure decisions. No clock, no IO, no randomness, no async.
pub mod score;
pub mod repair;
pub mod feedback;
pub mod policy;
pub mod engine;

// Layer 3: a policy at hand, and the loop as data. Nobody is asked and nothing is written.
pub mod ingest;
pub mod plan;
pub mod exchange;
pub mod result;
pub mod next;
pub mod rescore;
pub mod experiment;

// Layer 4: effects.
#[cfg(feature = "run")]
pub mod provider;
#[cfg(feature = "run")]
pub mod store;
#[cfg(feature = "run")]
pub mod run;
#[cfg(feature = "cli")]
pub mod watch;

// Layer 5: products.
#[cfg(feature = "cli")]
pub mod facts;
#[cfg(feature = "cli")]
pub mod reference;
#[cfg(feature = "cli")]
pub mod conformance;
#[cfg(feature = "cli")]
pub mod lint;
#[cfg(feature = "cli")]
pub mod explain;
#[cfg(feature = "cli")]
pub mod project;
#[cfg(feature = "cli")]
pub mod report;

// Layer 6: the command line.
#[cfg(feature = "cli")]
pub mod cli;

// What other programs begin with.
#[cfg(feature = "run")]
pub use run::{BuildError, Loop, LoopBuilder};
