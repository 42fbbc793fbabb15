//! The driver: carries out what the engine asks for, on documents, with providers, journal and artifacts.
//!
//! The only crate that gives the engine the time of a clock. All of its orders come from [`crate::engine::Run`]; what happens is recorded
//! before it is acted on.

#![cfg_attr(
    not(all(feature = "journal", feature = "network")),
    expect(dead_code, reason = "some of it is for the journal or the network alone")
)]

// The crates below, under the paths that the modules know them by.
use loopctl_core::{diag, disk, engine, exchange, plan, policy, profile, repair, result, score, value};
use loopctl_read as ingest;

use loopctl_provider as provider;
use loopctl_telemetry as telemetry;

pub mod store;

mod answer;
#[cfg(feature = "journal")]
mod batch;
mod batch_end;
mod batches;
mod budget;
mod call;
mod clock;
mod consult;
mod consultants;
mod cost_tracker;
mod document;
mod document_log;
mod document_run;
mod embedded;
mod fallback;
mod host;
mod jobs;
mod run_observer;
mod off_thread;
mod open;
mod page_drawing;
mod prior_work;
mod projection;
mod provider_gone;
mod record;
mod session;
mod split_files;
mod stop_signals;
mod trace;
mod validator;

#[cfg(feature = "journal")]
#[doc(hidden)]
pub use batch::is_unrecognised;
#[cfg(feature = "journal")]
pub use batch::{Batch, Inputs, Steering};
pub use batch_end::BatchEnd;
pub use batches::{BatchAnswers, BatchNews, BatchSettings};
pub use clock::Time;
pub use consultants::{Candidates, Consultant};
#[doc(hidden)]
pub use cost_tracker::unpriced;
pub use embedded::{BuildError, Loop, LoopBuilder};
pub use fallback::FallbackChain;
pub use jobs::usual_jobs;
pub use open::OpenError;
#[doc(hidden)]
pub use open::{asked_of, open_panel, open_stages, plan_ids, plugins_of};
#[doc(hidden)]
pub use projection::{rebuilt, write_artifacts};
pub use run_observer::RunObserver;
pub use session::{RunStore, Session};
pub use split_files::{merge_rules, split_rules};
#[doc(hidden)]
pub use validator::ask_validator;
