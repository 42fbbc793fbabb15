//! Runs the loop over documents for a race, within its budget.

use super::super::loading::{CallArguments, context};
use crate::execution::read_prices;
use crate::experiment::sweep::Spending;
use crate::failure::Failure;
use crate::ingest::Document;
use crate::plan::Plan;
use crate::policy::StopReason;
use crate::profile::Budget;
use crate::provider::Prices;
use crate::result::DocumentResult;
use crate::run::Loop;
use crate::streams::Streams;
use std::sync::Arc;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

/// A policy that runs, and the maximum number of calls for a document.
pub(super) struct Runnable {
    of: Arc<Loop>,
    most_calls: u64,
}

/// Runs documents with policies, and keeps the budget.
pub(super) struct Runner {
    runtime: Runtime,
    prices: Prices,
    allow_commands: bool,
    /// Policies that run at the same time.
    jobs: usize,
    pub(super) spending: Spending,
    /// The number of times that a provider failed.
    pub(super) provider_errors: usize,
}

impl Runner {
    pub(super) fn new(
        budget: Budget,
        calls: &CallArguments,
        jobs: usize,
        output: &mut Streams,
    ) -> Result<Self, Failure> {
        let prices = read_prices(calls.prices.as_deref(), context(), output)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::broken(format!("can't start: {error}")))?;
        Ok(Runner {
            runtime,
            prices,
            allow_commands: calls.allow_commands,
            jobs,
            spending: Spending::new(budget),
            provider_errors: 0,
        })
    }

    /// Opens the providers of a policy.
    pub(super) fn open(&self, mut plan: Plan, most_calls: u64) -> Result<Runnable, Failure> {
        if let Some(name) = plan.unset_variables.first() {
            let message =
                format!("the prompt of the profile `{}` needs the variable `{name}`", plan.profile.name);
            return Err(Failure::usage(message)
                .help(format!("set it in the experiment: `config: {{ variables.{name}: TEXT }}`")));
        }
        // The experiment has a budget of its own.
        plan.profile.budget = Budget::default();
        let providers = context()
            .providers()
            .with_programs_allowed(self.allow_commands)
            .with_prices(self.prices.clone())
            .with_network(plan.profile.network.clone());
        let of = Loop::of_plan(plan, &providers, self.allow_commands)?;
        Ok(Runnable { of: Arc::new(of), most_calls })
    }

    /// The results of a document with each of some policies, in their order; `None` if the budget is not enough for all
    /// of them. `is_race` leaves half of it for judging.
    pub(super) fn run(
        &mut self,
        document: &Arc<Document>,
        policies: &[&Runnable],
        is_race: bool,
    ) -> Result<Option<Vec<DocumentResult>>, Failure> {
        let Runner { runtime, spending, jobs, provider_errors, .. } = self;
        let results = runtime.block_on(async {
            let mut results: Vec<Option<DocumentResult>> = policies.iter().map(|_| None).collect();
            let mut under_way = JoinSet::new();
            let mut begun = 0;
            loop {
                let next = policies.get(begun);
                let may_begin = next.is_some_and(|next| {
                    under_way.len() < *jobs
                        && !spending.is_unknown()
                        && spending.admits(next.most_calls, is_race)
                });
                if let Some(policy) = next.filter(|_| may_begin) {
                    let (at, most_calls, of) = (begun, policy.most_calls, Arc::clone(&policy.of));
                    let document = Arc::clone(document);
                    spending.begin(most_calls);
                    under_way
                        .spawn(async move { (at, most_calls, of.run_document(&document, None, None).await) });
                    begun += 1;
                    continue;
                }
                // Runs in flight may turn out cheaper than what was reserved for them.
                let Some(ended) = under_way.join_next().await else { break };
                let (at, most_calls, result) = ended
                    .map_err(|error| Failure::broken(format!("a document could not be run: {error}")))?;
                let result = result?;
                spending.end(most_calls, result.usage);
                *provider_errors += usize::from(result.stop_reason == StopReason::ProviderError);
                if let Some(place) = results.get_mut(at) {
                    *place = Some(result);
                }
            }
            Ok::<_, Failure>(results)
        })?;
        if spending.is_unknown() {
            return Err(Failure::broken(
                "the budget `cost_usd` can't be kept: the cost of a call is not known",
            )
            .help("add the model to `prices.yaml`, or limit `calls` instead"));
        }
        let results: Option<Vec<DocumentResult>> = results.into_iter().collect();
        if let Some(all) = &results
            && !all.is_empty()
            && all.iter().all(|result| result.stop_reason == StopReason::ProviderError)
        {
            let detail = all.first().and_then(|result| result.detail.clone()).unwrap_or_default();
            let message =
                format!("the provider failed with every policy: {}", crate::value::sanitize_line(&detail));
            return Err(Failure::broken(message).help("nothing can be chosen by what failed"));
        }
        Ok(results)
    }
}
