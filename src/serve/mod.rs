//! The service: documents come in over HTTP and are run as those of `loopctl run` are, pages show what happens, and people decide about
//! what needs review. Its state is the journal and a folder of uploads; no other service is needed.
//!
//! `access` says who may do what, and refuses what a browser was made to send. `api` is for programs, `pages` for people.

mod access;
mod admin;
mod api;
mod assets;
mod blocking;
mod pages;
mod profiles;
mod router;
mod runs;
mod settings;
mod state;
mod trends;
mod tuning;

pub(crate) use access::{NewAccess, Role, issue_token};
pub(crate) use profiles::{CompiledProfile, ProfileRequest, ProfileSource, RecordedProfile};
pub(crate) use settings::{AddressError, ServiceSettings};
pub(crate) use state::Service;
pub(crate) use tuning::{Knob, ProfileDetails, ProfileText, ProfileTuning, Refused, Trial};

use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;

/// Answers requests until `stop` says so, then finishes those that are under way.
///
/// # Errors
/// When the listener fails.
pub(crate) async fn serve(
    service: Arc<Service>,
    listener: TcpListener,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let watching = tokio::spawn(trends::watch(Arc::downgrade(&service)));
    let router = router::router(service).into_make_service_with_connect_info::<SocketAddr>();
    let served = axum::serve(listener, router).with_graceful_shutdown(stop).await;
    watching.abort();
    served
}
