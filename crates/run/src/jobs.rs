//! The default number of documents that are run at the same time.

use crate::plan::Plan;
use crate::provider::{Recorder, RecorderMode};
use crate::{Candidates, Consultant, FallbackChain};

/// The number at a server without a limit of its own.
const USUAL: usize = 8;

/// Returns as many as the profile lets the providers be asked at once. One if a provider is not asked over the network, because
/// its programs share this machine's processors; and one if calls are recorded or replayed, because of two equal calls
/// the first is the first document's.
#[must_use]
pub fn usual_jobs(
    plan: &Plan,
    candidates: &Candidates,
    consultants: &[Consultant],
    tape: Option<&Recorder>,
) -> usize {
    if tape.is_some_and(|tape| tape.mode() != RecorderMode::Cache) {
        return 1;
    }
    let Candidates::Providers(stages) = candidates else { return 1 };
    let panel = consultants.iter().filter_map(|consultant| match consultant {
        Consultant::Judge(chain) | Consultant::Service(chain) => Some(chain),
        Consultant::Validator | Consultant::NotRun(_) => None,
    });
    let firsts = stages.iter().chain(panel).filter_map(|chain| FallbackChain::links(chain).first());
    let mut most = None;
    for provider in firsts {
        if provider.server().is_none() {
            return 1;
        }
        let limit = plan.profile.network.limits.get(provider.provider_label());
        let concurrency = limit.and_then(|limit| limit.concurrency);
        let allowed = concurrency.and_then(|count| usize::try_from(count).ok()).unwrap_or(USUAL);
        most = Some(most.map_or(allowed, |most: usize| most.min(allowed)));
    }
    most.unwrap_or(1).max(1)
}
