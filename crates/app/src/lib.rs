//! The application: what the command line and the service share, without arguments, terminals and HTTP.
//!
//! - [`requests`], [`profiles`], [`context`]: what is asked of a run, as data; profiles as users and records select them; and
//!   the environment in which they are looked for.
//! - [`lint`], [`facts`], [`explain`]: what is wrong with a profile, what holds by it, and what it says in words.
//! - [`review`], [`rescore`]: what people decide, and recorded runs assessed again.
//! - [`report`], [`export`]: finished runs for people, and for other programs.
//! - [`failure`], [`streams`], [`logging`], [`named_input`], [`report_file`], [`plans`], [`journals`]: what answers to requests
//!   need: why one failed, its output, its log, files opened, profiles compiled, runs found.
//! - [`execution`]: a run carried out; [`watch`]: scored again when its profile is saved.
//! - [`evaluation`], [`calibration`], [`scoring`], [`repairs`], [`explanation`], [`trials`], [`profile_comparison`],
//!   [`proofs`], [`sweep`], [`scenarios`], [`checks`], [`resumption`], [`run_export`], [`run_reviews`], [`plugins`],
//!   [`outline`], [`next_answer`]: answers to requests.
//! - [`project`], [`plugin_project`], [`mod@reference`]: new projects, also of plugins, and the pages of the language's
//!   reference.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

use loopctl_core::{
    diag, disk, engine, exchange, feedback, next, plan, policy, profile, repair, result, rules, score,
    script, stop, value,
};
use loopctl_read as ingest;

use loopctl_experiment as experiment;
use loopctl_provider as provider;
use loopctl_run as run;
use loopctl_run::store;

pub mod rescore;
pub mod review;
pub mod facts;
pub mod reference;
#[expect(clippy::disallowed_methods, reason = "looks at the files of a project")]
pub mod lint;
#[expect(clippy::disallowed_methods, reason = "reads finished runs")]
pub mod explain;
pub mod report;
pub mod export;
pub mod requests;
pub mod context;
pub mod shell;
pub mod profiles;
pub mod failure;
pub mod streams;
#[expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "writes logs, and times spans")]
pub mod logging;
#[expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "writes projects")]
pub mod project;
#[expect(clippy::disallowed_methods, reason = "writes projects of plugins")]
pub mod plugin_project;
#[expect(clippy::disallowed_methods, reason = "reads standard input")]
pub mod named_input;
pub mod report_file;
#[expect(clippy::disallowed_methods, reason = "tells files from names of profiles")]
pub mod plans;
#[expect(clippy::disallowed_methods, reason = "finds journals")]
pub mod journals;
#[expect(clippy::disallowed_methods, reason = "permits what lies in the working directory")]
pub mod resumption;
#[expect(clippy::disallowed_methods, reason = "reads trajectories")]
pub mod trials;
pub mod profile_comparison;
#[expect(clippy::disallowed_methods, reason = "writes runs to files")]
pub mod proofs;
#[expect(clippy::disallowed_methods, reason = "tries policies on all processors")]
pub mod sweep;
pub mod scenarios;
#[expect(clippy::disallowed_methods, reason = "tells files from names of profiles")]
pub mod checks;
pub mod scoring;
#[expect(clippy::disallowed_methods, reason = "tells files from other words, and reads standard input")]
pub mod explanation;
pub mod repairs;
#[expect(clippy::disallowed_methods, reason = "reads labels and results, and writes certificates")]
pub mod calibration;
#[expect(clippy::disallowed_methods, reason = "looks at the files of documents")]
pub mod execution;
#[expect(clippy::disallowed_methods, reason = "reads labels and results")]
pub mod evaluation;
#[expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "writes exported runs")]
pub mod run_export;
pub mod run_reviews;
#[expect(clippy::disallowed_methods, reason = "tells paths from names of plugins")]
pub mod plugins;
pub mod outline;
pub mod next_answer;
#[expect(clippy::disallowed_methods, reason = "looks at files")]
pub mod watch;
