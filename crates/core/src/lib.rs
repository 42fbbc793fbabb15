//! The core of loopctl: it validates and scores a structured output against its document, and decides by a policy that was
//! written in YAML what comes next. It knows no clock, asks no one, opens no file, and is not
//! `async`: time, answers and a [`profile::Library`] of files are arguments.
//!
//! # From a profile to a plan
//!
//! [`profile::load`] reads a profile with everything that it extends; [`plan::Plan::compile`] compiles it with the rules,
//! schemas and scripts that it names. Both push what is wrong into [`diag::Problems`], each with its file, line and column,
//! and continue, so that one run shows every mistake.
//!
//! # From a candidate to an assessment
//!
//! A [`plan::DocumentContext`] is a plan beside one document. It assesses candidates: scores by dimension, and
//! [issues](score::Issue) with the field that each is about and the place in the document that speaks against it.
//!
//! ```
//! use loopctl_core::diag::{Problems, Style, render_human};
//! use loopctl_core::plan::{DocumentContext, Given, Plan};
//! use loopctl_core::profile::{Library, load};
//! use loopctl_core::score::Assessment;
//! use serde_json::json;
//!
//! let mut problems = Problems::new();
//! let loaded = load("clinical", &Library::embedded(), &[], &|_| None, &mut problems);
//! let plan = loaded.and_then(|loaded| Plan::compile(&loaded, &mut problems));
//! let plan = plan.ok_or_else(|| render_human(&problems, Style::Plain))?;
//!
//! let report = "FINAL DIAGNOSIS: Lung, lobectomy: adenocarcinoma, grade 2. Margins: negative.";
//! let document = DocumentContext::named(&plan, "pathology", Some(report));
//! let mut assessment = Assessment::default();
//! let candidate = json!({ "histology": "squamous cell carcinoma", "grade": "2" });
//! document.assess(&mut document.assessor(), &candidate, Given::default(), &mut assessment);
//! assert!(assessment.issues.iter().any(|issue| issue.field().as_deref() == Some("histology")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # From assessments to a decision
//!
//! [`policy::decide`] applies the policy to the assessments so far: accepted, one more correction, or stopped, and which
//! candidate is the best. [`engine::Run`] is the whole loop as a state machine around it: a driver tells it what happened
//! ([`engine::Input`]) and carries out what it asks for ([`engine::Output`]). Its events replay to the same state at every
//! cut. [`next::next`] is the same loop for callers who drive their own model and keep the history themselves.
//!
//! # Text and JSON
//!
//! [`repair`] reads JSON that is not quite JSON, and brings a value closer to its schema, each step with its reason.
//! [`value`] has the exact types: scores, amounts, numbers as they were written, paths. [`document`] has documents in memory,
//! and finds their types.
//!
//! # What is promised
//!
//! Before version 1 any item may change with a minor version. Modules that are hidden in this documentation are for the
//! other crates of the repository.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

// The base, under the paths that the modules below know it by.
#[doc(hidden)]
pub use loopctl_base::{all_default, decode_words, key, key_group, mapping, open_part, read_field, read_key};
pub use loopctl_base::{diag, value};
#[doc(hidden)]
pub use loopctl_base::{disk, library};

// Layer 1: what people declare.
#[doc(hidden)]
pub mod stop;
pub mod profile;
#[doc(hidden)]
pub mod script;
#[doc(hidden)]
pub mod rules;

// Layer 2: pure decisions.
pub mod score;
pub mod repair;
#[doc(hidden)]
pub mod feedback;
pub mod policy;
pub mod engine;

// Layer 3: a policy at hand, and the loop as data. No one is asked and nothing is written.
pub mod document;
pub mod plan;
#[doc(hidden)]
pub mod exchange;
pub mod result;
pub mod next;
