//! Calls that wait for a vendor's batch.

use super::RunOptions;
use crate::failure::Failure;
use crate::profile::BatchUse;
use crate::requests::{BatchRequest, CallsVia, RunRequest};
use crate::run::BatchSettings;

/// The settings of a run's calls.
pub(super) fn batch_settings(request: Option<&BatchRequest>) -> BatchSettings {
    request.map_or_else(BatchSettings::default, |request| BatchSettings {
        used: request.via == CallsVia::Batch,
        wait: request.wait,
        tail: request.tail,
        longest_pause: request.pause.duration(),
    })
}

/// Checks that the batches of a request may be used with the profile, and with what else is asked for.
pub(super) fn check_batches(
    request: &RunRequest,
    options: &RunOptions,
    allowed: BatchUse,
) -> Result<(), Failure> {
    if !batch_settings(request.batches.as_ref()).used {
        return Ok(());
    }
    let mut refuses = request.recording.named();
    refuses.extend(options.watch.is_some().then_some("`--watch`"));
    // It is read once, and the document resumes when its answers are there.
    let has_stdin = request.inputs.iter().any(|path| path.as_os_str() == "-");
    refuses.extend(has_stdin.then_some("a document from standard input"));
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
