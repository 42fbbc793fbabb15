//! Providers through the public API: real shared libraries, good ones and bad ones, and a loopback server.

mod batches;
mod bed;
mod calls;
mod costs;
mod echo;
mod extraction_files;
pub(crate) mod http;
mod keys;
mod neighbours;
mod network;
mod tls;
mod trust;
mod unreliable_server;
