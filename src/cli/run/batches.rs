//! The arguments that say whether calls wait for a vendor's batch.

use super::duration;
use crate::failure::Failure;
use crate::profile::BatchUse;
use crate::requests::{BatchRequest, CallsVia};
use crate::run::BatchSettings;
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

/// The request of a run that asks for none: single calls.
pub(in crate::cli) fn online() -> BatchRequest {
    BatchRequest {
        via: CallsVia::Online,
        wait: Millis(24 * 60 * 60 * 1000),
        tail: 50,
        pause: Millis(5 * 60 * 1000),
    }
}

/// The settings of a run's calls.
pub(super) fn settings(request: Option<&BatchRequest>) -> BatchSettings {
    request.map_or_else(BatchSettings::default, |request| BatchSettings {
        used: request.via == CallsVia::Batch,
        wait: request.wait,
        tail: request.tail,
        longest_pause: request.pause.duration(),
    })
}

/// Checks that batches may be used with this profile, and with what else is asked for.
pub(super) fn check(allowed: BatchUse, refuses: &[&str]) -> Result<(), Failure> {
    if let Some(what) = refuses.first() {
        return Err(
            Failure::usage(format!("{what} doesn't go with `--via batch`")).help("leave one of them out")
        );
    }
    if allowed != BatchUse::Allowed {
        return Err(Failure::usage("the profile doesn't allow batches, and `--via batch` asks for them")
            .help("if documents may stay with the vendor for days, say `network: { batch: allowed }`, or add `--config network.batch=allowed`"));
    }
    Ok(())
}
