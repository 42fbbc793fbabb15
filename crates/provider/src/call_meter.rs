//! Meters the cost of one call of a provider: by the provider's own figure, else the price table, else it is unknown.

use std::sync::Arc;

use loopctl_plugin_sdk::protocol::{Completion, Manifest, PluginKind, Usage};
use serde_json::Value;

use super::error::CallError;
use super::{Price, Prices};
use crate::value::Usd;

/// The function that prices the usage of a call.
type PriceOf = fn(&Price, &Usage) -> Option<Usd>;

/// Puts a price on the calls of one open provider.
pub(super) struct CallMeter {
    prices: Arc<Prices>,
    /// The provider's name in the tables: the endpoint that the configuration names, else the plugin.
    provider_label: String,
    kind: PluginKind,
    /// `true` if it runs programs, which may call an API that charges without reporting it.
    runs_programs: bool,
}

impl CallMeter {
    pub(super) fn new(prices: Arc<Prices>, manifest: &Manifest, config: &Value) -> Self {
        let endpoint = config.get("endpoint").and_then(Value::as_str);
        Self {
            prices,
            provider_label: endpoint.unwrap_or(&manifest.name).to_owned(),
            kind: manifest.kind,
            runs_programs: manifest.runs_programs(),
        }
    }

    /// The name under which the price table knows the provider.
    pub(super) fn provider_label(&self) -> &str {
        &self.provider_label
    }

    /// The cost of an answered call; `None` when it is unknown. `asked` is the requested model.
    pub(super) fn cost(&self, completion: &Completion, asked: Option<&str>) -> Option<Usd> {
        self.cost_of_answer(completion, asked, Price::cost)
    }

    /// Like [`CallMeter::cost`], for a call that was a line of a batch.
    #[cfg(feature = "network")]
    pub(super) fn cost_in_batch(&self, completion: &Completion, asked: Option<&str>) -> Option<Usd> {
        self.cost_of_answer(completion, asked, Price::cost_in_batch)
    }

    /// The fraction of its price that a call costs as a line of a batch, if the table has one.
    #[cfg(feature = "network")]
    pub(super) fn batch_factor(&self, asked: Option<&str>) -> Option<f64> {
        self.prices.find(&self.provider_label, asked)?.batch
    }

    fn cost_of_answer(&self, completion: &Completion, asked: Option<&str>, of: PriceOf) -> Option<Usd> {
        let usage = &completion.usage;
        // An API's answer takes tokens to be asked for and to be written, even if a plugin leaves counts out.
        let partial = self.kind == PluginKind::Http && (usage.input_tokens == 0 || usage.output_tokens == 0);
        let usage = Usage { partial: usage.partial || partial, ..*usage };
        self.cost_of(&usage, completion.model.as_deref().or(asked), of)
    }

    fn cost_of(&self, usage: &Usage, model: Option<&str>, of: PriceOf) -> Option<Usd> {
        if let Some(told) = usage.cost_usd {
            return Usd::new(told);
        }
        let uncounted = usage.input_tokens == 0 && usage.output_tokens == 0;
        match self.prices.find(&self.provider_label, model) {
            Some(price) if price.is_free() => Some(Usd::default()),
            _ if usage.partial => None,
            // A provider that calls no API counts no tokens; an API that reports none is not therefore free.
            _ if uncounted => self.calls_no_api().then(Usd::default),
            found => found.and_then(|price| of(price, usage)),
        }
    }

    /// The cost of a failed call. A model may have answered and be paid for, unless the request never went out or was
    /// turned away.
    pub(super) fn cost_of_failure(&self, fault: &CallError, asked: Option<&str>) -> Option<Usd> {
        if let Some(usage) = &fault.usage {
            return self.cost_of(usage, asked, Price::cost);
        }
        // Or it has ended, and reported no tokens.
        let ended = self.calls_no_api() && fault.kind != super::FailureKind::Deadline;
        if fault.free || ended { Some(Usd::default()) } else { self.cost_unfinished(asked) }
    }

    /// The cost of a failed line of a batch: vendors charge for what a model wrote, and for nothing else.
    #[cfg(feature = "network")]
    pub(super) fn cost_of_failed_line(&self, fault: &CallError, asked: Option<&str>) -> Option<Usd> {
        match &fault.usage {
            Some(usage) => self.cost_of(usage, asked, Price::cost_in_batch),
            None => self.cost_of_failure(fault, asked),
        }
    }

    /// Returns whether a provider that reports no tokens used none.
    fn calls_no_api(&self) -> bool {
        self.kind == PluginKind::Direct && !self.runs_programs
    }

    /// The cost of a call that was given up: zero where the price is, else unknown (`None`).
    pub(super) fn cost_unfinished(&self, asked: Option<&str>) -> Option<Usd> {
        self.prices.find(&self.provider_label, asked).filter(|price| price.is_free()).map(|_| Usd::default())
    }

    /// Returns whether a table makes a call free, though the provider charges.
    pub(super) fn is_made_free(&self, asked: Option<&str>) -> bool {
        self.prices.makes_free(&self.provider_label, asked)
    }

    /// Returns whether the costs of calls that ask for this model will be known; `None` when that can't be known
    /// before.
    pub(super) fn knows(&self, asked: Option<&str>) -> Option<bool> {
        match (self.prices.find(&self.provider_label, asked), self.kind, asked) {
            (Some(_), ..) => Some(true),
            (None, PluginKind::Http, Some(_)) => Some(false),
            (None, ..) => None,
        }
    }
}
