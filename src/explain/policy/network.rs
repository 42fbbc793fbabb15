//! How calls of servers are made, where a profile says more than the usual.

use super::model::Section;
use super::words::{count, duration, list, name};
use crate::plan::Plan;
use crate::profile::{Limits, Network, Proxy};

pub(super) fn section(plan: &Plan) -> Section {
    let mut section = Section::new("network", "How servers are called");
    let network = &plan.profile.network;
    let usual = Network::default();
    if *network == usual {
        return section;
    }
    if network.connect_timeout != usual.connect_timeout {
        let text = format!("A connection has to be made within {}.", duration(network.connect_timeout));
        section.point("network.connect_timeout", text);
    }
    if let Some(limit) = network.first_byte_timeout {
        let text = format!("The answer has to begin within {}.", duration(limit));
        section.point("network.first_byte_timeout", text);
    }
    if network.max_response_bytes != usual.max_response_bytes {
        let text = format!("An answer has at most {}.", count(network.max_response_bytes, "byte"));
        section.point("network.max_response_bytes", text);
    }
    if network.max_retry_wait != usual.max_retry_wait {
        let text = format!(
            "A server that asks to be left alone for more than {} is not waited for.",
            duration(network.max_retry_wait)
        );
        section.point("network.max_retry_wait", text);
    }
    if let Some(hosts) = &network.egress {
        let hosts: Vec<String> = hosts.iter().map(|host| name(&host.to_string())).collect();
        let text = match hosts.as_slice() {
            [] => "No server may be reached.".to_owned(),
            hosts => format!("No other server is reached than {}.", list(hosts, "and")),
        };
        section.point("network.egress", text);
    }
    for (provider, limits) in &network.limits {
        let text = format!("{} gets {}.", name(provider), limit_words(limits));
        section.point(format!("network.limits.{provider}"), text);
    }
    if network.breaker != usual.breaker {
        let text = match network.breaker {
            Some(breaker) => format!(
                "A server that has failed {} in a row is left alone for {}.",
                super::words::times(u64::from(breaker.failures)),
                duration(breaker.cool_down)
            ),
            None => "A server that keeps failing is asked all the same.".to_owned(),
        };
        section.point("network.breaker", text);
    }
    if network.retry_budget != usual.retry_budget {
        let more = match network.retry_budget.per_success {
            share if share > 0.0 => {
                format!(", and one more for every {} calls that succeed", whole_or_share(1.0 / share))
            }
            _ => String::new(),
        };
        let most = count(u64::from(network.retry_budget.retries), "call");
        let text = format!("At most {most} of one server may be made again{more}.");
        section.point("network.retry_budget", text);
    }
    match &network.proxy {
        Proxy::Environment => {}
        Proxy::Direct => section.point("network.proxy", "Servers are called without a proxy."),
        // It may hold a password.
        Proxy::Named { .. } => {
            section.point("network.proxy", "Servers are called through the proxy that the profile names.")
        }
    }
    section
}

fn whole_or_share(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn limit_words(limits: &Limits) -> String {
    let said: Vec<String> = [
        limits.concurrency.map(|most| format!("at most {} at the same time", count(u64::from(most), "call"))),
        limits
            .requests_per_minute
            .map(|most| format!("at most {} in a minute", count(u64::from(most), "request"))),
        limits
            .tokens_per_minute
            .map(|most| format!("at most {} in a minute", count(u64::from(most), "token"))),
    ]
    .into_iter()
    .flatten()
    .collect();
    if said.is_empty() { "no limit".to_owned() } else { list(&said, "and") }
}
