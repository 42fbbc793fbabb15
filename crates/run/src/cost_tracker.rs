//! The reasons that the cost of a document is not known, each once.

use super::consultants::{Candidates, Consultant};
use super::fallback::FallbackChain;
use crate::plan::Plan;
use crate::profile::Criterion;
use crate::provider::protocol::{self, Completion, CompletionRequest};
use crate::provider::{CallFailure, CallProgress, Provider};
use crate::value::Usage;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Longest name of a model that is repeated in a reason, in characters: it may come from a server.
const LONGEST_NAME: usize = 100;

/// Keeps account while a document is worked on. Several calls may be in flight at once.
#[derive(Debug, Default)]
pub(super) struct CostTracker {
    ledger: Mutex<CallLedger>,
}

#[derive(Debug, Default)]
struct CallLedger {
    /// The reasons that costs are unknown.
    reasons: BTreeSet<String>,
    /// Calls that have not ended, by number.
    in_flight: BTreeMap<u64, InFlightCall>,
    begun: u64,
}

/// A call that has not ended.
#[derive(Debug)]
struct InFlightCall {
    /// Its usage if it never ends.
    usage: Usage,
    provider_label: String,
    progress: CallProgress,
}

/// The number of a call in flight.
#[derive(Debug)]
pub(super) struct InFlightId(u64);

impl CostTracker {
    fn ledger(&self) -> MutexGuard<'_, CallLedger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the beginning of a call.
    pub(super) fn begin(
        &self,
        provider: &Provider,
        request: &CompletionRequest,
        progress: &CallProgress,
    ) -> InFlightId {
        let usage = Usage::of_call(0, provider.cost_unfinished(request));
        let mut ledger = self.ledger();
        ledger.begun += 1;
        let number = ledger.begun;
        let provider_label = provider.provider_label().to_owned();
        ledger.in_flight.insert(number, InFlightCall { usage, provider_label, progress: progress.clone() });
        InFlightId(number)
    }

    /// Records the end of a call.
    pub(super) fn end(
        &self,
        call: &InFlightId,
        provider: &Provider,
        request: &CompletionRequest,
        outcome: &Result<Completion, CallFailure>,
    ) {
        let reason = unknown_because(provider, request, outcome);
        let mut ledger = self.ledger();
        ledger.in_flight.remove(&call.0);
        ledger.reasons.extend(reason);
    }

    /// The usage of calls that have not ended, and will not be waited for. Those that were not sent yet used nothing.
    pub(super) fn give_up(&self) -> Usage {
        let mut ledger = self.ledger();
        let mut sum = Usage::default();
        let in_flight = std::mem::take(&mut ledger.in_flight).into_values();
        for InFlightCall { usage, provider_label, .. } in in_flight.filter(|call| call.progress.is_sent()) {
            sum += usage;
            if usage.cost_usd().is_none() {
                ledger.reasons.insert(format!("a call of `{provider_label}` was given up before it ended"));
            }
        }
        sum
    }

    /// Closes the account of a document; returns the reasons as a warning, if there are any.
    pub(super) fn settle(&self) -> Option<String> {
        let ledger = std::mem::take(&mut *self.ledger());
        let all = ledger.reasons.into_iter().collect::<Vec<_>>().join("; ");
        (!all.is_empty()).then(|| format!("the cost is unknown: {all}"))
    }
}

/// The reason that the cost of a call is unknown, if it is.
fn unknown_because(
    provider: &Provider,
    request: &CompletionRequest,
    outcome: &Result<Completion, CallFailure>,
) -> Option<String> {
    let provider_label = provider.provider_label();
    match outcome {
        Ok(completion) if completion.usage.cost_usd.is_none() => {
            let model = completion.model.as_deref().or(provider.asked(request));
            Some(unpriced_because(provider, &completion.usage, model))
        }
        Err(failure) if failure.cost.is_none() => Some(match &failure.usage {
            Some(usage) => unpriced_because(provider, usage, provider.asked(request)),
            None => format!("a failed call of `{provider_label}` may have been answered all the same"),
        }),
        _ => None,
    }
}

/// The reason that the usage of an answer has no price.
fn unpriced_because(provider: &Provider, usage: &protocol::Usage, model: Option<&str>) -> String {
    let provider_label = provider.provider_label();
    if provider.knows_costs(model) != Some(true) && (usage.input_tokens > 0 || usage.output_tokens > 0) {
        return no_price(provider_label, model);
    }
    if !usage.partial && usage.input_tokens > 0 && usage.output_tokens > 0 {
        let model = model.unwrap_or_default().chars().take(LONGEST_NAME).collect::<String>();
        return format!(
            "model `{model}` of `{provider_label}` has no price for what is written to a cache; add `cache_write` and \
             `cache_write_1h` to its price"
        );
    }
    format!("`{provider_label}` did not say how many tokens a call used")
}

fn no_price(provider_label: &str, model: Option<&str>) -> String {
    match model {
        Some(model) => {
            let model: String = model.chars().take(LONGEST_NAME).collect();
            format!("model `{model}` of `{provider_label}` has no price; add it to `prices.yaml`")
        }
        None => format!(
            "`{provider_label}` does not say which model answered; name one, as in `{provider_label}:MODEL`"
        ),
    }
}

/// The reasons, known before the first call, that a budget of money can't be kept: one for each provider whose model
/// has no price. Empty if the profile has no such budget.
#[must_use]
pub fn unpriced(plan: &Plan, candidates: &Candidates, consultants: &[Consultant]) -> Vec<String> {
    let mut limited = plan.profile.budget.cost_usd.is_some();
    plan.policy.stop.visit(&mut |criterion| {
        limited |= matches!(criterion, Criterion::Budget(budget) if budget.cost_usd.is_some());
    });
    if !limited {
        return Vec::new();
    }
    let stages: &[FallbackChain] = match candidates {
        Candidates::Providers(chains) => chains,
        Candidates::Supplied => &[],
    };
    let stages = stages.iter().zip(plan.stages.iter().map(|planned| &planned.stage.call));
    let judges = consultants.iter().filter_map(|consultant| match consultant {
        Consultant::Judge(chain) => Some(chain),
        Consultant::Validator | Consultant::Service(_) | Consultant::NotRun(_) => None,
    });
    let judges = judges.zip(plan.judges.iter().map(|planned| &planned.judge.call));
    let mut without = BTreeSet::new();
    for (chain, call) in stages.chain(judges) {
        for provider in chain.links() {
            // As `Provider::asked` has it.
            let asked = provider.model().or(call.options.model.as_deref());
            if provider.knows_costs(asked) == Some(false) {
                let why = no_price(provider.provider_label(), asked);
                without.insert(format!("the budget `cost_usd` can't be kept: {why}"));
            }
            if provider.is_made_free(asked) {
                let (label, model) = (provider.provider_label(), asked.unwrap_or("every model"));
                without.insert(format!(
                    "the budget `cost_usd` can't be kept: by a price table, `{label}` asks nothing for `{model}`, and it charges by \
                     the table that ships with loopctl"
                ));
            }
        }
    }
    without.into_iter().collect()
}
