//! loopctl makes the output of language models trustworthy.
//!
//! It validates and scores a structured output, feeds back what is wrong, corrects, and stops by a policy that
//! a domain expert wrote in YAML. `docs/design/` says how its parts work; a room uses only those
//! above it in this list (`tests/it/layers.rs` keeps it so).

// Layer 0: base.
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

// Layer 3: effects.
pub mod ingest;
pub mod provider;
pub mod store;
pub mod run;

// Layer 4: products.
pub mod experiment;
pub mod lint;
pub mod explain;
pub mod project;
pub mod report;

// Layer 5: the command line.
pub mod cli;
