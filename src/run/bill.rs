//! Why the cost of a document is not known, each reason once.

use super::{Candidates, Consultant, Plan};
use crate::profile::{Call, Criterion};
use crate::provider::protocol::{Completion, CompletionRequest};
use crate::provider::{CallFailure, Provider};
use crate::value::Usage;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Longest name of a model that is repeated in a reason, in characters: it may come from a server.
const LONGEST_NAME: usize = 100;

/// Collects the reasons while a document is worked on.
#[derive(Debug, Default)]
pub(super) struct Bill {
    reasons: Mutex<BTreeSet<String>>,
}

impl Bill {
    /// Looks at how a call ended.
    pub(super) fn see(
        &self,
        provider: &Provider,
        request: &CompletionRequest,
        outcome: &Result<Completion, CallFailure>,
    ) {
        let seller = provider.seller();
        match outcome {
            Ok(completion) if completion.usage.cost_usd.is_none() => {
                let usage = &completion.usage;
                let model = completion.model.as_deref().or(provider.asked(request));
                self.add(if usage.input_tokens == 0 && usage.output_tokens == 0 {
                    format!("`{seller}` did not say how many tokens a call used")
                } else {
                    no_price(seller, model)
                });
            }
            Err(failure) if failure.cost.is_none() => {
                self.add(format!("a failed call of `{seller}` may have been answered all the same"));
            }
            _ => {}
        }
    }

    /// What a call used up that was given up while it was under way.
    pub(super) fn give_up(&self, provider: &Provider, request: &CompletionRequest) -> Usage {
        let cost = provider.cost_unfinished(request);
        if cost.is_none() {
            self.add(format!("a call of `{}` was given up before it ended", provider.seller()));
        }
        Usage::of_call(0, cost)
    }

    fn add(&self, reason: String) {
        self.reasons.lock().unwrap_or_else(PoisonError::into_inner).insert(reason);
    }

    /// The reasons so far, as a warning; they are forgotten.
    pub(super) fn settle(&self) -> Option<String> {
        let reasons = std::mem::take(&mut *self.reasons.lock().unwrap_or_else(PoisonError::into_inner));
        let all = reasons.into_iter().collect::<Vec<_>>().join("; ");
        (!all.is_empty()).then(|| format!("the cost is unknown: {all}"))
    }
}

fn no_price(seller: &str, model: Option<&str>) -> String {
    match model {
        Some(model) => {
            let model: String = model.chars().take(LONGEST_NAME).collect();
            format!("model `{model}` of `{seller}` has no price; add it to `prices.yaml`")
        }
        None => format!("`{seller}` does not say which model answered; name one, as in `{seller}:MODEL`"),
    }
}

/// What can be said before the first call about a budget of money that can't be kept: one reason for each provider
/// whose model has no price. Nothing where the profile has no such budget.
#[must_use]
pub fn unpriced(plan: &Plan, candidates: &Candidates, consultants: &[Consultant]) -> Vec<String> {
    let mut limited = false;
    plan.policy.stop.visit(&mut |criterion| {
        limited |= matches!(criterion, Criterion::Budget(budget) if budget.cost_usd.is_some());
    });
    if !limited {
        return Vec::new();
    }
    let stages: &[Provider] = match candidates {
        Candidates::Providers(providers) => providers,
        Candidates::Supplied => &[],
    };
    let stages = stages.iter().zip(plan.stages.iter().map(|planned| &planned.stage.call));
    let judges = consultants.iter().filter_map(|consultant| match consultant {
        Consultant::Judge(provider) => Some(provider.as_ref()),
        Consultant::Validator | Consultant::NotRun(_) => None,
    });
    let judges = judges.zip(plan.judges.iter().map(|planned| &planned.judge.call));
    let without = stages.chain(judges).filter_map(|(provider, call): (&Provider, &Call)| {
        let asked = call.options.model.as_deref().or(provider.model());
        (provider.knows_costs(asked) == Some(false))
            .then(|| format!("the budget `cost_usd` can't be kept: {}", no_price(provider.seller(), asked)))
    });
    without.collect::<BTreeSet<String>>().into_iter().collect()
}
