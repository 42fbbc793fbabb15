//! The arguments that say whether calls wait for a vendor's batch.

use super::duration;
use crate::requests::{BatchRequest, CallsVia};
use crate::value::Millis;
use clap::{Args, ValueEnum};

/// The way in which calls are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Via {
    /// One by one, each answered at once
    Online,
    /// In batches of the vendor, answered within a day, for less
    Batch,
}

#[derive(Args)]
pub(super) struct BatchArguments {
    /// Make calls of providers that have batches one by one, or in batches: for half the price, answered within a day
    ///
    /// The profile must allow it (`network: { batch: allowed }`), because vendors keep what is in a batch for days. The
    /// run may be stopped while it waits, and resumed with `loopctl resume`.
    #[arg(long, value_name = "WAY", value_enum, default_value = "online")]
    via: Via,
    /// With --via batch, cancel a batch that is not over after this time, and make its remaining calls online
    #[arg(long, value_name = "TIME", default_value = "24h", value_parser = duration)]
    batch_wait: Millis,
    /// With --via batch, after the first one, make calls online when fewer than this are left
    #[arg(long, value_name = "N", default_value_t = 50)]
    batch_tail: u64,
    /// The longest pause between two polls of a batch
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = duration, hide = true)]
    batch_pause: Millis,
}

impl BatchArguments {
    /// The request that they make.
    pub(super) fn request(&self) -> BatchRequest {
        BatchRequest {
            via: self.via.into(),
            wait: self.batch_wait,
            tail: self.batch_tail,
            pause: self.batch_pause,
        }
    }
}

impl From<Via> for CallsVia {
    fn from(via: Via) -> Self {
        match via {
            Via::Online => CallsVia::Online,
            Via::Batch => CallsVia::Batch,
        }
    }
}
