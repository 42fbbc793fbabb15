//! How requests of `http` plugins are sent.

use super::call::Author;
use super::keys;
use crate::diag::{Code, Problem, Problems};
use crate::value::Millis;
use crate::value::decode::{Count, Decode, Fields, number_in, wrong_type};
use crate::value::shape::{Shape, Word};
use crate::value::yaml::{Data, Node};
use std::collections::BTreeMap;

/// The most bytes of an answer that cross the plugin boundary: `LC_MAX_OUTPUT` of `loopctl_plugin.h`.
const MOST_RESPONSE_BYTES: u64 = 16 << 20;
/// A run that waits longer than this between two attempts has better ended.
const LONGEST_RETRY_WAIT: Millis = Millis(600_000);

/// What a profile says about the network. It holds for every `http` plugin that the profile uses.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// Longest time for making a connection.
    pub connect_timeout: Millis,
    /// Longest time from sending a request to the first byte of its answer, connecting included. Only the call's deadline
    /// by default: most models answer when they have finished.
    pub first_byte_timeout: Option<Millis>,
    /// Longest answer, in bytes.
    pub max_response_bytes: u64,
    /// Longest wait before a failed call is made again. Who asks for a longer one is not waited for.
    pub max_retry_wait: Millis,
    /// The only hosts that may be reached; `None` for no such list.
    pub egress: Option<Vec<HostPattern>>,
    /// By the name of a plugin or endpoint.
    pub limits: BTreeMap<String, Limits>,
    /// When a server that fails is left alone; `None` for never.
    pub breaker: Option<Breaker>,
    /// How many calls may be made again.
    pub retry_budget: RetryBudget,
    /// Through what requests go to other machines.
    pub proxy: Proxy,
}

/// What one provider is asked at most. Shared by all stages and judges that use the same server with the same key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Calls at the same time.
    pub concurrency: Option<u32>,
    /// Requests in a minute.
    pub requests_per_minute: Option<u32>,
    /// Tokens in a minute, read and written.
    pub tokens_per_minute: Option<u32>,
}

/// When a server that fails is left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Breaker {
    /// After so many failures in a row that are the server's.
    pub failures: u32,
    /// For so long.
    pub cool_down: Millis,
}

/// How many calls of one server may be made again, so that an outage does not multiply its load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RetryBudget {
    /// So many at first, and never more saved up.
    pub retries: u32,
    /// What each call that succeeds adds: from 0 to 1.
    pub per_success: f64,
}

/// Through what requests go. Those to this very machine always go directly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proxy {
    /// What `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` say.
    Environment,
    /// Nothing.
    Direct,
    /// This one.
    Named {
        /// Its URL.
        url: String,
        /// Who named it.
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
            // The colons of an IPv6 address stand in brackets.
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

    /// Whether it means one port only.
    #[must_use]
    pub fn names_port(&self) -> bool {
        self.port.is_some()
    }

    /// Whether it means this host, which is in lower case, and port.
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
    /// As it is written in a profile.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let below = if self.below { "*." } else { "" };
        write!(f, "{below}{}", self.host)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

impl Default for Network {
    fn default() -> Self {
        Network {
            connect_timeout: Millis(10_000),
            first_byte_timeout: None,
            max_response_bytes: MOST_RESPONSE_BYTES,
            max_retry_wait: Millis(60_000),
            egress: None,
            limits: BTreeMap::new(),
            breaker: Some(Breaker::default()),
            retry_budget: RetryBudget::default(),
            proxy: Proxy::Environment,
        }
    }
}

impl Default for Breaker {
    fn default() -> Self {
        Breaker { failures: 10, cool_down: Millis(30_000) }
    }
}

impl Default for RetryBudget {
    /// As in the SDKs of AWS: a hundred retries, and one more for every five successes.
    fn default() -> Self {
        RetryBudget { retries: 100, per_success: 0.2 }
    }
}

impl Decode for Network {
    const EXPECTED: &'static str = "a mapping of network settings";

    fn shape() -> Shape {
        Shape::Mapping(&keys::NETWORK)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let usual = Network::default();
        let mut fields = Fields::open(node, &keys::NETWORK, problems)?;
        let network = Network {
            connect_timeout: duration(&mut fields, "connect_timeout", problems)
                .unwrap_or(usual.connect_timeout),
            first_byte_timeout: duration(&mut fields, "first_byte_timeout", problems),
            max_response_bytes: fields
                .node("max_response_bytes")
                .and_then(|node| whole_up_to(node, MOST_RESPONSE_BYTES, problems))
                .unwrap_or(usual.max_response_bytes),
            max_retry_wait: fields
                .node("max_retry_wait")
                .and_then(|node| retry_wait(node, problems))
                .unwrap_or(usual.max_retry_wait),
            egress: fields.optional("egress", problems),
            limits: fields.node("limits").and_then(|node| decode_limits(node, problems)).unwrap_or_default(),
            breaker: fields
                .node("breaker")
                .and_then(|node| decode_breaker(node, problems))
                .unwrap_or(usual.breaker),
            retry_budget: fields.or("retry_budget", usual.retry_budget, problems),
            proxy: fields.or("proxy", usual.proxy, problems),
        };
        fields.finish(problems);
        Some(network)
    }
}

/// A duration in which something can happen.
fn duration(fields: &mut Fields<'_>, key: &'static str, problems: &mut Problems) -> Option<Millis> {
    let duration = fields.optional::<Millis>(key, problems)?;
    if duration > Millis(0) {
        return Some(duration);
    }
    if let Some(span) = fields.key_span(key) {
        let problem = Problem::error(Code::OutOfRange, span, "within no time nothing can happen");
        problems.push(problem.help("write a duration such as `10s`"));
    }
    None
}

fn retry_wait(node: &Node, problems: &mut Problems) -> Option<Millis> {
    let wait = Millis::decode(node, problems)?;
    if wait <= LONGEST_RETRY_WAIT {
        return Some(wait);
    }
    let message = format!("expected a wait of at most {LONGEST_RETRY_WAIT}, found {wait}");
    problems.push(Problem::error(Code::OutOfRange, &node.span, message).help("write `10m` or less"));
    None
}

fn whole_up_to(node: &Node, most: u64, problems: &mut Problems) -> Option<u64> {
    let value = u64::decode(node, problems)?;
    if (1..=most).contains(&value) {
        return Some(value);
    }
    let message = format!("expected a whole number from 1 to {most}, found {value}");
    problems.push(Problem::error(Code::OutOfRange, &node.span, message));
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
        Data::Bool(false) => return Some(None),
        Data::Bool(true) => return Some(Some(Breaker::default())),
        _ => {}
    }
    let usual = Breaker::default();
    let mut fields = Fields::open(node, &keys::BREAKER, problems)?;
    let breaker = Breaker {
        failures: fields.or("failures", Count(usual.failures), problems).0,
        cool_down: duration(&mut fields, "cool_down", problems).unwrap_or(usual.cool_down),
    };
    fields.finish(problems);
    Some(Some(breaker))
}

impl Decode for Limits {
    const EXPECTED: &'static str = "a mapping such as `{ requests_per_minute: 60 }`";

    fn shape() -> Shape {
        Shape::Mapping(&keys::LIMITS)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let mut fields = Fields::open(node, &keys::LIMITS, problems)?;
        let mut count = |key, problems: &mut Problems| fields.optional::<Count>(key, problems).map(|c| c.0);
        let limits = Limits {
            concurrency: count("concurrency", problems),
            requests_per_minute: count("requests_per_minute", problems),
            tokens_per_minute: count("tokens_per_minute", problems),
        };
        fields.finish(problems);
        Some(limits)
    }
}

impl Decode for RetryBudget {
    const EXPECTED: &'static str = "a mapping such as `{ retries: 100, per_success: 0.2 }`";

    fn shape() -> Shape {
        Shape::Mapping(&keys::RETRY_BUDGET)
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let usual = RetryBudget::default();
        let mut fields = Fields::open(node, &keys::RETRY_BUDGET, problems)?;
        let retries = fields.or("retries", u64::from(usual.retries), problems);
        let budget = RetryBudget {
            retries: u32::try_from(retries).unwrap_or(u32::MAX),
            per_success: fields
                .node("per_success")
                .and_then(|node| number_in(node, 0.0, 1.0, problems))
                .unwrap_or(usual.per_success),
        };
        fields.finish(problems);
        Some(budget)
    }
}

/// What [`Proxy`] may be but for a URL.
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
            // What it is may hold a password, and is not shown.
            _ => wrong_type(node, Self::EXPECTED, problems),
        }
    }
}

/// What [`HostPattern::parse`] reads, but for addresses that are none.
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
               retry_budget: { retries: 5, per_success: 0.5 }, proxy: 'http://proxy.example:3128' }",
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
