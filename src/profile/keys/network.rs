//! The keys of `network`.

use super::super::network::{HostPattern, Limits, Proxy, RetryBudget};
use crate::value::Millis;
use crate::value::decode::{Count, Decode};
use crate::value::shape::{Key, Mapping, Names, Null, Open, Shape, some_time};

pub(in super::super) static NETWORK: Mapping = Mapping {
    name: "network",
    what: "set of network settings",
    doc: "How requests to models behind HTTP APIs are sent, for all stages and judges of the profile.",
    keys: &[&[
        Key::new("connect_timeout", some_time, "The longest time for making a connection.").default("10s").examples(&["5s"]),
        Key::new(
            "first_byte_timeout",
            some_time,
            "The longest time from sending to the first byte of the answer, connecting included. Without it only the \
             call's `deadline` counts, because most models answer when they have finished.",
        )
        .examples(&["30s"]),
        Key::new(
            "max_response_bytes",
            || Shape::whole(1, 16 << 20),
            "The longest answer, in bytes: 1 to 16777216 (16 MiB). A longer one has failed.",
        )
        .default("16777216")
        .examples(&["1000000"]),
        Key::new(
            "max_retry_wait",
            Millis::shape,
            "The longest wait before a failed call is made again, at most `10m`. A server that asks for a longer one is \
             not waited for: the failure is final.",
        )
        .default("60s")
        .examples(&["2m"]),
        Key::new(
            "egress",
            || Shape::list(HostPattern::shape()),
            "The only hosts that plugins for HTTP APIs may reach, whatever their manifests and settings say. A native \
             plugin is not bound by it. Without it: the hosts that manifests and configurations name.",
        )
        .examples(&["[api.openai.com, '*.openai.azure.com', 'localhost:11434']"]),
        Key::new(
            "limits",
            || {
                Shape::Map(Open {
                    key: "PROVIDER",
                    names: Names::Any,
                    doc: "What this plugin or endpoint is asked at most.",
                    shape: Limits::shape,
                    null: Null::Absent,
                })
            },
            "What each provider is asked at most, by the name of a plugin or endpoint. All that use the same server with \
             the same key share it. Without it there is no limit but the server's.",
        )
        .examples(&["{ openai: { concurrency: 4, requests_per_minute: 60, tokens_per_minute: 90000 } }"]),
        Key::new(
            "breaker",
            || Shape::AnyOf(vec![Shape::Bool, Shape::Mapping(&BREAKER)]),
            "When a server that keeps failing is left alone for a while. `false`: never; `true`: as by default.",
        )
        .examples(&["{ failures: 10, cool_down: 30s }", "false"]),
        Key::new(
            "retry_budget",
            RetryBudget::shape,
            "How many calls of one server may be made again, so that an outage does not multiply its load.",
        )
        .examples(&["{ retries: 100, per_success: 0.2 }"]),
        Key::new(
            "proxy",
            Proxy::shape,
            "Through what requests go to other machines: what the environment says (`HTTPS_PROXY`, `HTTP_PROXY`, \
             `ALL_PROXY`, `NO_PROXY`), nothing (`none`), or a URL.",
        )
        .default("environment")
        .examples(&["none", "http://proxy.example:3128"]),
    ]],
    open: None,
};

pub(in super::super) static BREAKER: Mapping = Mapping {
    name: "breaker",
    what: "circuit breaker",
    doc: "When a server that keeps failing is left alone. Afterwards one request decides whether it is asked again.",
    keys: &[&[
        Key::new("failures", Count::shape, "After so many failures in a row that are the server's.")
            .default("10")
            .examples(&["5"]),
        Key::new("cool_down", some_time, "For so long.").default("30s").examples(&["1m"]),
    ]],
    open: None,
};

pub(in super::super) static LIMITS: Mapping = Mapping {
    name: "limits",
    what: "set of limits",
    doc: "What one provider is asked at most. What is left out is not limited.",
    keys: &[&[
        Key::new("concurrency", Count::shape, "The most calls at the same time.").examples(&["4"]),
        Key::new("requests_per_minute", Count::shape, "The most requests in a minute.").examples(&["60"]),
        Key::new("tokens_per_minute", Count::shape, "The most tokens in a minute, read and written.")
            .examples(&["90000"]),
    ]],
    open: None,
};

pub(in super::super) static RETRY_BUDGET: Mapping = Mapping {
    name: "retry_budget",
    what: "retry budget",
    doc: "How many calls of one server may be made again. When it is spent, failures are final.",
    keys: &[&[
        Key::new("retries", u64::shape, "So many at first, and never more saved up.")
            .default("100")
            .examples(&["20"]),
        Key::new(
            "per_success",
            || Shape::number(0.0, 1.0),
            "What each call that succeeds adds, from 0 to 1.",
        )
        .default("0.2")
        .examples(&["0.1"]),
    ]],
    open: None,
};
