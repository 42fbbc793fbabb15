//! The service: documents come in over HTTP and are run as those of `loopctl run` are, pages show what happens, and people decide about
//! what needs review. Its state is the journal and a folder of uploads; no other service is needed.
//!
//! `access` says who may do what, and refuses what a browser was made to send. `api` is for programs, `pages` for people, `desk` for reviewers.

// The crates below, under the paths that the modules know them by.
use loopctl_core::{diag, disk, engine, next, plan, policy, profile, result, score, value};
use loopctl_read as ingest;

use loopctl_app::{
    context, explain, facts, failure, journals, lint, project, report, requests, review, shell, streams,
};
use loopctl_experiment as experiment;

use loopctl_provider as provider;
use loopctl_run as run;
use loopctl_run::store;
use loopctl_telemetry as telemetry;

mod access;
mod admin;
mod api;
mod assets;
mod blocking;
mod desk;
mod connections;
mod decided;
mod feed;
mod health;
mod jobs;
mod metrics;
mod pages;
mod profiles;
mod request_settings;
mod router;
mod runs;
mod service_paths;
mod settings;
mod shares;
mod slow_bodies;
mod start;
mod state;
mod trends;
mod tuning;
mod upkeep;

pub use access::{AccessRole, NewAccess, holder_name, issue_token, token_state};
pub use metrics::{CallMeasures, Metrics};
pub use profiles::ServedProfiles;
pub use service_paths::ServicePaths;
pub use settings::{ChosenBy, ServedJournal, ServiceSettings};
pub use start::{CheckedService, ServeRequest};
pub use state::Service;

use crate::store::StoreError;
use std::io;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// The signals by which the service is stopped.
pub struct ShutdownSignals {
    /// No other document is begun, no request is answered any more, and calls in flight are waited for.
    pub draining: watch::Receiver<bool>,
    /// Calls in flight are given up.
    pub giving_up: watch::Receiver<bool>,
}

/// The reason why the service ended early.
#[derive(Debug, thiserror::Error)]
enum ServeError {
    /// The journal can't be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The address can't be listened on any more.
    #[error("the service failed: {0}")]
    Listen(#[from] io::Error),
}

/// Resumes what an earlier process left, and answers requests until it is stopped. Then work in flight is brought to
/// the end of its call, and resumes when the service is back.
///
/// # Errors
/// When the journal can't be read, or the listener fails.
async fn serve(
    service: Arc<Service>,
    listener: TcpListener,
    stops: ShutdownSignals,
) -> Result<(), ServeError> {
    let left = Arc::clone(&service);
    // Its profiles are compiled meanwhile, and requests are answered.
    let taken_up = tokio::task::spawn_blocking(move || left.jobs.take_up());
    let reader = Arc::clone(&service);
    drop(tokio::task::spawn_blocking(move || reader.desk.warm(&reader.reading)));
    let ShutdownSignals { mut draining, mut giving_up } = stops;
    let told = Arc::clone(&service);
    let stopped = async move {
        let _ = draining.wait_for(|stop| *stop).await;
        told.jobs.stop();
    };
    let watching = tokio::spawn(trends::watch(Arc::downgrade(&service)));
    let upkeep = tokio::spawn(upkeep::watch(Arc::downgrade(&service)));
    let served = connections::serve(router::router(Arc::clone(&service)), listener, stopped).await;
    watching.abort();
    upkeep.abort();
    served?;
    let given_up = async { giving_up.wait_for(|stop| *stop).await.map(drop) };
    tokio::select! {
        () = service.jobs.ended() => {}
        _ = given_up => {
            service.jobs.give_up();
            service.jobs.ended().await;
        }
    }
    match taken_up.await {
        Ok(taken_up) => Ok(taken_up?),
        Err(_) => Ok(()),
    }
}
