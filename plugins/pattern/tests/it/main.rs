//! The provider's promises, tested through its public API.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::unreachable,
    reason = "helpers of tests may fail the test"
)]

mod assertions;
mod choice;
mod extraction;
mod finality;
mod honesty;
mod hostile;
mod provider;
mod shipped;
mod widening;
