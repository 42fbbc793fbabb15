//! Runs the loop over documents for a race, within its budget.

use super::SweepRequest;
use super::open_experiment::OpenExperiment;
use crate::experiment::sweep::Spending;
use crate::failure::Failure;
use crate::ingest::{Document, DocumentReader};
use crate::plan::Plan;
use crate::plans::read_prices;
use crate::policy::StopReason;
use crate::profile::Budget;
use crate::provider::Providers;
use crate::result::DocumentResult;
use crate::run::Loop;
use crate::streams::Streams;
use crate::value::sanitize_line;
use std::sync::Arc;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

/// A policy that runs, and the maximum number of calls for a document.
#[derive(Clone)]
pub(super) struct Runnable {
    of: Arc<Loop>,
    most_calls: u64,
    /// The reader of documents, as its profile says.
    pub(super) reader: DocumentReader,
}

/// Runs documents with policies, and keeps the budget.
pub(super) struct Runner {
    runtime: Runtime,
    providers: Providers,
    allow_commands: bool,
    /// The reader of documents, without the settings of a profile.
    reader: DocumentReader,
    /// Policies that run at the same time.
    jobs: usize,
    pub(super) spending: Spending,
    /// The number of times that a provider failed.
    pub(super) provider_errors: usize,
}

impl Runner {
    pub(super) fn new(
        open: &OpenExperiment<'_>,
        request: &SweepRequest,
        output: &mut Streams,
    ) -> Result<Self, Failure> {
        let prices = read_prices(request.prices.as_deref(), open.context, output)?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::broken(format!("can't start: {error}")))?;
        let providers = open.context.providers();
        Ok(Runner {
            runtime,
            providers: providers.with_programs_allowed(request.allow_commands).with_prices(prices),
            allow_commands: request.allow_commands,
            reader: open.context.reader().clone(),
            jobs: request.jobs,
            spending: Spending::new(open.experiment.budget.unwrap_or_default()),
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
        let providers = self.providers.clone().with_network(plan.profile.network.clone());
        let reader = self.reader.clone().with_ingest(&plan.profile.ingest);
        let of = Loop::of_plan(plan, &providers, self.allow_commands)?;
        Ok(Runnable { of: Arc::new(of), most_calls, reader })
    }

    /// The results of a document with each of some policies, in their order, as that policy reads it; `None` if the budget is
    /// not enough for all of them. `is_race` leaves half of it for judging.
    pub(super) fn run(
        &mut self,
        document: &[Arc<Document>],
        policies: &[&Runnable],
        is_race: bool,
    ) -> Result<Option<Vec<DocumentResult>>, Failure> {
        let Runner { runtime, spending, jobs, provider_errors, .. } = self;
        let results = runtime.block_on(run_within(spending, *jobs, document, policies, is_race))?;
        let has_failed = |result: &DocumentResult| result.stop_reason == StopReason::ProviderError;
        *provider_errors += results.iter().flatten().filter(|result| has_failed(result)).count();
        if spending.is_unknown() {
            return Err(Failure::broken(
                "the budget `cost_usd` can't be kept: the cost of a call is not known",
            )
            .help("add the model to `prices.yaml`, or limit `calls` instead"));
        }
        let results: Option<Vec<DocumentResult>> = results.into_iter().collect();
        if let Some([first, others @ ..]) = results.as_deref()
            && has_failed(first)
            && others.iter().all(has_failed)
        {
            let detail = sanitize_line(first.detail.as_deref().unwrap_or_default());
            return Err(Failure::broken(format!("the provider failed with every policy: {detail}"))
                .help("nothing can be chosen by what failed"));
        }
        Ok(results)
    }
}

/// The results of a document with each policy, `jobs` at a time; `None` for those for which the budget is not enough.
async fn run_within(
    spending: &mut Spending,
    jobs: usize,
    document: &[Arc<Document>],
    policies: &[&Runnable],
    is_race: bool,
) -> Result<Vec<Option<DocumentResult>>, Failure> {
    let mut results: Vec<Option<DocumentResult>> = policies.iter().map(|_| None).collect();
    let mut in_flight = JoinSet::new();
    let mut waiting = policies.iter().zip(document).enumerate().peekable();
    loop {
        let may_begin = |policy: &Runnable| {
            in_flight.len() < jobs && !spending.is_unknown() && spending.admits(policy.most_calls, is_race)
        };
        if let Some((at, (policy, document))) = waiting.next_if(|(_, (policy, _))| may_begin(policy)) {
            let (Runnable { of, most_calls, .. }, document) = ((*policy).clone(), Arc::clone(document));
            spending.begin(most_calls);
            in_flight.spawn(async move { (at, most_calls, of.run_document(&document, None, None).await) });
            continue;
        }
        // Runs in flight may turn out cheaper than what was reserved for them.
        let Some(ended) = in_flight.join_next().await else { return Ok(results) };
        let (at, most_calls, result) =
            ended.map_err(|error| Failure::broken(format!("a document could not be run: {error}")))?;
        let result = result?;
        spending.end(most_calls, result.usage);
        if let Some(place) = results.get_mut(at) {
            *place = Some(result);
        }
    }
}
