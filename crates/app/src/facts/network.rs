//! The calls of servers, where a profile changes how they are made.

use super::fact::Facts;
use super::panel::number;
use crate::plan::Plan;
use crate::profile::{BatchUse, Network, Proxy};
use serde_json::json;

pub(super) fn add(plan: &Plan, facts: &mut Facts) {
    let network = &plan.profile.network;
    let usual = Network::default();
    let mut unusual = |key: &'static str, differs: bool, values: serde_json::Value| {
        if differs {
            facts.add(format!("network.{key}"), key, values);
        }
    };
    let limit = network.connect_timeout;
    unusual("connect_timeout", limit != usual.connect_timeout, json!({ "limit": limit.0 }));
    let limit = network.first_byte_timeout.map(|limit| limit.0);
    unusual("first_byte_timeout", limit.is_some(), json!({ "limit": limit }));
    let most = network.max_response_bytes;
    unusual("max_response_bytes", most != usual.max_response_bytes, json!({ "most": most }));
    let limit = network.max_retry_wait;
    unusual("max_retry_wait", limit != usual.max_retry_wait, json!({ "limit": limit.0 }));
    let hosts = network.egress.iter().flatten().map(ToString::to_string).collect::<Vec<_>>();
    unusual("egress", network.egress.is_some(), json!({ "hosts": hosts }));
    let breaker = network.breaker;
    let values = json!({
        "failures": breaker.map(|breaker| breaker.failures),
        "cool_down": breaker.map(|breaker| breaker.cool_down.0),
    });
    unusual("breaker", breaker != usual.breaker, values);
    let budget = network.retry_budget;
    let every = (budget.per_success > 0.0).then(|| number((100.0 / budget.per_success).round() / 100.0));
    let values = json!({ "retries": budget.retries, "every": every });
    unusual("retry_budget", budget != usual.retry_budget, values);
    // Its URL may hold a password.
    let values = json!({ "named": matches!(network.proxy, Proxy::Named { .. }) });
    unusual("proxy", network.proxy != Proxy::Environment, values);
    unusual("batch", network.batch == BatchUse::Allowed, json!({}));
    for (provider, limits) in &network.limits {
        let values = json!({
            "provider": provider,
            "concurrency": limits.concurrency,
            "requests": limits.requests_per_minute,
            "tokens": limits.tokens_per_minute,
        });
        facts.add(format!("network.limits.{provider}"), "rate_limits", values);
    }
}
