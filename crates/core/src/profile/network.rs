//! The settings of requests of `http` plugins.

use super::call::Author;
use crate::diag::{Code, Problem, Problems};
use crate::value::Millis;
use crate::value::decode::{Decode, wrong_type};
use crate::value::shape::{Names, Null, Open, Shape, Word};
use crate::value::yaml::{Data, Node};
use crate::{decode_words, mapping};
use std::collections::BTreeMap;

/// The most bytes of an answer that cross the plugin boundary: `LC_MAX_OUTPUT` of `loopctl_plugin.h`.
const MOST_RESPONSE_BYTES: i64 = 16 << 20;
/// A run that waits longer than this between two attempts had better end.
const LONGEST_RETRY_WAIT: Millis = Millis(600_000);

mapping! {
    /// The settings of requests to models behind HTTP APIs, for all stages and judges of the profile.
    "network" is "set of network settings", expects "a mapping of network settings", all default;
    #[derive(Debug, Clone, PartialEq)]
    pub struct Network {
        /// The longest time for making a connection.
        #[key(some_time, default("10s"), examples(&["5s"]))]
        pub connect_timeout: Millis,
        /// The longest time from sending to the first byte of the answer, connecting included. Without it only the call's
        /// `deadline` counts, because most models answer when they have finished.
        #[key(some_time, examples(&["30s"]))]
        pub first_byte_timeout: Option<Millis>,
        /// The longest answer, in bytes: 1 to 16777216 (16 MiB). A longer one has failed.
        #[key(whole(1, MOST_RESPONSE_BYTES), default("16777216"), examples(&["1000000"]))]
        pub max_response_bytes: u64,
        /// The longest wait before a failed call is made again, at most `10m`. A server that asks for a longer one is not
        /// waited for: the failure is final.
        #[key(default("60s"), examples(&["2m"]))]
        pub max_retry_wait: Millis = retry_wait,
        /// The only hosts that plugins for HTTP APIs may reach, whatever their manifests and settings say. A native plugin is
        /// not bound by it. Without it: the hosts that manifests and configurations name.
        #[key(examples(&["[api.openai.com, '*.openai.azure.com', 'localhost:11434']"]))]
        pub egress: Option<Vec<HostPattern>>,
        /// The limits of each provider, by the name of a plugin or endpoint. All that use the same server with the same
        /// key share it. Without it there is no limit but the server's.
        #[key(shaped(limits), default("{}"), examples(&["{ openai: { concurrency: 4, requests_per_minute: 60, tokens_per_minute: 90000 } }"]))]
        pub limits: BTreeMap<String, Limits> = decode_limits,
        /// The rule by which a failing server is left alone for a while. `false`: never; `true`: as by default.
        #[key(shaped(|| Shape::AnyOf(vec![Shape::Bool, Shape::Mapping(Breaker::mapping())])), default("true"), examples(&["{ failures: 10, cool_down: 30s }", "false"]))]
        pub breaker: Option<Breaker> = decode_breaker,
        /// The number of calls of one server that may be made again, so that an outage does not multiply its load.
        #[key(default("{}"), examples(&["{ retries: 100, per_success: 0.2 }"]))]
        pub retry_budget: RetryBudget,
        /// The proxy for requests to other machines: that of the environment (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`,
        /// `NO_PROXY`), none (`none`), or a URL.
        #[key(default("environment"), examples(&["none", "http://proxy.example:3128"]))]
        pub proxy: Proxy,
        /// The use of a provider's batches, for less money and later results. Vendors keep the content of a batch
        /// longer than a call's, for days, and don't offer it with zero data retention.
        #[key(default("refused"), examples(&["allowed"]))]
        pub batch: BatchUse,
    }
}

/// The permission to use a provider's batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BatchUse {
    /// Documents go out in calls that are answered at once.
    Refused,
    /// Documents may be sent in batches, too.
    Allowed,
}

decode_words!(BatchUse, "use of batches", {
    "refused": "Documents go out in calls that are answered at once." => BatchUse::Refused,
    "allowed": "Documents may be sent in batches, too." => BatchUse::Allowed,
});

mapping! {
    /// The limits of one provider. Whatever is left out is not limited.
    "limits" is "set of limits", expects "a mapping such as `{ requests_per_minute: 60 }`";
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub struct Limits {
        /// The most calls at the same time.
        #[key(count, examples(&["4"]))]
        pub concurrency: Option<u32>,
        /// The most requests in a minute.
        #[key(count, examples(&["60"]))]
        pub requests_per_minute: Option<u32>,
        /// The most tokens in a minute, read and written.
        #[key(count, examples(&["90000"]))]
        pub tokens_per_minute: Option<u32>,
    }
}

mapping! {
    /// The rule by which a failing server is left alone. Afterwards one request decides whether it is asked again.
    "breaker" is "circuit breaker", expects "a mapping such as `{ failures: 10, cool_down: 30s }`", all default;
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Breaker {
        /// The number of failures in a row, if they are the server's, after which it is left alone.
        #[key(count, default("10"), examples(&["5"]))]
        pub failures: u32,
        /// The time for which it is left alone.
        #[key(some_time, default("30s"), examples(&["1m"]))]
        pub cool_down: Millis,
    }
}

mapping! {
    /// The number of calls of one server that may be made again. When it is spent, failures are final.
    "retry_budget" is "retry budget", expects "a mapping such as `{ retries: 100, per_success: 0.2 }`", all default;
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct RetryBudget {
        /// The number at first, and the most that is ever saved up.
        #[key(at_least(0), default("100"), examples(&["20"]))]
        pub retries: u32,
        /// The number that each successful call adds, from 0 to 1.
        #[key(number(0.0, 1.0), default("0.2"), examples(&["0.1"]))]
        pub per_success: f64,
    }
}

fn limits() -> Shape {
    Shape::Map(Open {
        key: "PROVIDER",
        names: Names::Any,
        doc: "What this plugin or endpoint is asked at most.",
        shape: Limits::shape,
        null: Null::Absent,
    })
}

/// The proxy of requests. Those to this very machine always go directly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proxy {
    /// The proxies in `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`.
    Environment,
    /// Nothing.
    Direct,
    /// This one.
    Named {
        /// Its URL.
        url: String,
        /// The author of the setting.
        by: Author,
    },
}

/// Hosts that may be reached: `api.example.com`, `*.example.com` (every host below it), with an optional `:port`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostPattern {
    host: String,
    below: bool,
    port: Option<u16>,
}

impl HostPattern {
    /// Reads a pattern; `None` when it is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        let (host, port) = match text.rsplit_once(':') {
            // The colons of an IPv6 address are in brackets.
            Some((host, port)) if !port.contains(']') => (host, Some(port.parse().ok()?)),
            _ => (text.as_str(), None),
        };
        let (host, below) = match host.strip_prefix("*.") {
            Some(host) => (host, true),
            None => (host, false),
        };
        let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let fits = match address {
            Some(address) => !below && address.parse::<std::net::Ipv6Addr>().is_ok(),
            None => {
                let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
                !host.is_empty() && !host.starts_with('.') && host.chars().all(plain)
            }
        };
        fits.then(|| Self { host: host.to_owned(), below, port })
    }

    /// Returns whether it means one port only.
    #[must_use]
    pub fn names_port(&self) -> bool {
        self.port.is_some()
    }

    /// Returns whether it means this host, which is in lower case, and port.
    #[must_use]
    pub fn admits(&self, host: &str, port: u16) -> bool {
        let named = if self.below {
            host.strip_suffix(self.host.as_str()).is_some_and(|start| start.len() > 1 && start.ends_with('.'))
        } else {
            host == self.host
        };
        named && self.port.is_none_or(|only| only == port)
    }
}

impl std::fmt::Display for HostPattern {
    /// As written in a profile.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let below = if self.below { "*." } else { "" };
        write!(f, "{below}{}", self.host)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

/// A duration, at most [`LONGEST_RETRY_WAIT`].
fn retry_wait(node: &Node, problems: &mut Problems) -> Option<Millis> {
    let wait = Millis::decode(node, problems)?;
    if wait <= LONGEST_RETRY_WAIT {
        return Some(wait);
    }
    let message = format!("expected a wait of at most {LONGEST_RETRY_WAIT}, found {wait}");
    problems.push(Problem::error(Code::OutOfRange, &node.span, message).help("write `10m` or less"));
    None
}

fn decode_limits(node: &Node, problems: &mut Problems) -> Option<BTreeMap<String, Limits>> {
    let Data::Map(entries) = &node.data else {
        return wrong_type(node, "a mapping from names of providers to their limits", problems);
    };
    let limits = entries
        .iter()
        .filter(|entry| !matches!(entry.value.data, Data::Null))
        .filter_map(|entry| Some((entry.key.replace('-', "_"), Limits::decode(&entry.value, problems)?)));
    Some(limits.collect())
}

fn decode_breaker(node: &Node, problems: &mut Problems) -> Option<Option<Breaker>> {
    match node.data {
        Data::Bool(false) => Some(None),
        Data::Bool(true) => Some(Some(Breaker::default())),
        _ => Breaker::read_mapping(node, problems).map(Some),
    }
}

/// The values of [`Proxy`] other than a URL.
const PROXY_WORDS: [Word; 2] = [
    Word { word: "environment", doc: "What `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` say." },
    Word { word: "none", doc: "Requests go straight to their servers." },
];

impl Decode for Proxy {
    const EXPECTED: &'static str = "`environment`, `none` or a URL such as `http://proxy.example:3128`";

    fn shape() -> Shape {
        Shape::AnyOf(vec![
            Shape::Words(PROXY_WORDS.to_vec()),
            Shape::text_like("a URL such as `http://proxy.example:3128`", "^https?://"),
        ])
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let text = String::decode(node, problems)?;
        match text.as_str() {
            "environment" => Some(Proxy::Environment),
            "none" => Some(Proxy::Direct),
            url if url.starts_with("http://") || url.starts_with("https://") => {
                Some(Proxy::Named { url: text, by: Author::of(&node.span) })
            }
            // The value may hold a password, and is not shown.
            _ => wrong_type(node, Self::EXPECTED, problems),
        }
    }
}

/// The pattern of the texts that [`HostPattern::parse`] reads, except that it allows invalid addresses.
const HOST: &str = r"^\s*((\*\.)?[A-Za-z0-9_-][A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?\s*$";

impl Decode for HostPattern {
    const EXPECTED: &'static str = "a host such as `api.example.com` or `*.example.com`";

    fn shape() -> Shape {
        Shape::text_like("a host such as `api.example.com`, `*.example.com` or `localhost:11434`", HOST)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let text = String::decode(node, problems)?;
        let pattern = HostPattern::parse(&text);
        if pattern.is_none() {
            let message = format!("expected {}, found `{text}`", Self::EXPECTED);
            let problem = Problem::error(Code::WrongType, &node.span, message);
            problems.push(problem.help("write the host alone, with `:PORT` if need be; no scheme, no path"));
        }
        pattern
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::SourceFile;
    use crate::value::yaml::parse;

    fn decoded(yaml: &str) -> (Option<Network>, String) {
        let mut problems = Problems::new();
        let node = parse(&SourceFile::new("p.yaml", yaml), &mut problems).unwrap();
        let network = Network::decode(&node, &mut problems);
        let messages: Vec<String> = problems
            .iter()
            .map(|p| format!("{} {}", p.message, p.help.clone().unwrap_or_default()))
            .collect();
        (network, messages.join("\n"))
    }

    #[test]
    fn every_setting_is_read() {
        let (network, problems) = decoded(
            "{ connect_timeout: 2s, first_byte_timeout: 20s, max_response_bytes: 1000, max_retry_wait: 5m,
               egress: [api.example.com, '*.example.org:8443'], limits: { open-ai: { concurrency: 2,
               requests_per_minute: 60, tokens_per_minute: 9000 } }, breaker: { failures: 3, cool_down: 1m },
               retry_budget: { retries: 5, per_success: 0.5 }, proxy: 'http://proxy.example:3128',
               batch: allowed }",
        );
        assert_eq!(problems, "");
        let network = network.unwrap();
        assert_eq!(network.limits["open_ai"].concurrency, Some(2));
        assert_eq!(network.breaker, Some(Breaker { failures: 3, cool_down: Millis(60_000) }));
        assert_eq!(network.retry_budget, RetryBudget { retries: 5, per_success: 0.5 });
        let (url, by) = ("http://proxy.example:3128".into(), Author::Profile);
        assert_eq!(network.proxy, Proxy::Named { url, by });
        assert_eq!((network.max_response_bytes, network.max_retry_wait), (1000, Millis(300_000)));
        assert_eq!(network.egress.unwrap().len(), 2);
        assert_eq!((network.batch, Network::default().batch), (BatchUse::Allowed, BatchUse::Refused));
        assert_eq!(decoded("{ breaker: false, proxy: none }").0.unwrap().breaker, None);
        assert_eq!(decoded("{}").0, Some(Network::default()));
    }

    #[test]
    fn what_makes_no_sense_is_reported() {
        for (yaml, part) in [
            ("{ egres: [] }", "did you mean `egress`?"),
            ("{ egress: ['https://api.example.com/v1'] }", "no scheme, no path"),
            ("{ connect_timeout: 0s }", "within no time"),
            ("{ max_response_bytes: 99999999 }", "from 1 to 16777216"),
            ("{ max_retry_wait: 1h }", "at most 600.0 s"),
            ("{ limits: { openai: { rpm: 3 } } }", "unknown key `rpm`"),
            ("{ limits: { openai: { concurrency: 0 } } }", "at least 1"),
            ("{ retry_budget: { per_success: 2 } }", "from 0 to 1"),
            ("{ batch: yes please }", "known: `refused`, `allowed`"),
            ("{ proxy: 'socks5://u:secret@x' }", "`environment`, `none` or a URL"),
        ] {
            let problems = decoded(yaml).1;
            assert!(problems.contains(part) && !problems.contains("secret"), "{yaml}: {problems}");
        }
    }

    #[test]
    fn patterns_mean_whole_hosts() {
        for (pattern, host, port, admitted) in [
            ("api.example.com", "api.example.com", 443, true),
            ("API.example.com", "api.example.com", 8443, true),
            ("api.example.com", "evil-api.example.com", 443, false),
            ("api.example.com:8443", "api.example.com", 443, false),
            ("*.example.com", "a.b.example.com", 443, true),
            ("*.example.com", "example.com", 443, false),
            ("*.example.com", ".example.com", 443, false),
            ("*.example.com", "evilexample.com", 443, false),
            ("127.0.0.1:80", "127.0.0.1", 80, true),
            ("[::1]:80", "[::1]", 80, true),
            ("[::1]", "[::1]", 81, true),
        ] {
            assert_eq!(HostPattern::parse(pattern).unwrap().admits(host, port), admitted, "{pattern} {host}");
        }
        for bad in ["", "*", "*.", "a/b", "https://a", "a:x", "*.[::1]", "[::1", "a b", ".a"] {
            assert_eq!(HostPattern::parse(bad), None, "{bad}");
        }
    }
}
