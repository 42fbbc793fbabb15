//! The headers `RateLimit` and `RateLimit-Policy` of the IETF's draft
//! ([draft-ietf-httpapi-ratelimit-headers](https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/)):
//! `"default";r=0;t=2` (what remains, and the seconds until there is more) and `"default";q=100;w=60` (a quota and its
//! window). Its versions of before 2024 write `limit=100, remaining=0, reset=2` and `100;w=60`.

use std::time::Duration;

use super::retry_after::{Headers, seconds};

/// The most limits and parameters that are read, more than any server has.
const MOST: usize = 32;

/// One limit or policy: its name, and its parameters as they are written.
#[derive(Debug, Default, PartialEq, Eq)]
struct LimitItem<'a> {
    name: &'a str,
    parameters: Vec<(&'a str, &'a str)>,
}

impl LimitItem<'_> {
    fn number(&self, names: &[&str]) -> Option<f64> {
        let told =
            self.parameters.iter().find(|(name, _)| names.iter().any(|one| name.eq_ignore_ascii_case(one)));
        told.and_then(|(_, value)| value.parse().ok())
    }

    fn wait(&self) -> Option<Duration> {
        self.number(&["t", "reset"]).and_then(seconds)
    }
}

/// The time until every exhausted limit has room: the limit's own, else the window of its policy.
pub(super) fn exhausted(headers: &Headers) -> Option<Duration> {
    let policies = items(headers, "ratelimit-policy");
    let spent = items(headers, "ratelimit")
        .into_iter()
        .filter(|limit| limit.number(&["r", "remaining"]).is_some_and(|remaining| remaining <= 0.0));
    spent
        .filter_map(|limit| {
            let policy = || policies.iter().find(|policy| policy.name == limit.name).or(policies.first());
            limit.wait().or_else(|| window(policy()?))
        })
        .max()
}

/// The wait after a 429 that doesn't say which limit is exhausted: until the first has more, else the shortest window.
pub(super) fn unnamed_wait(headers: &Headers) -> Option<Duration> {
    let limits = items(headers, "ratelimit");
    let silent = |limit: &&LimitItem<'_>| limit.number(&["r", "remaining"]).is_none();
    let told = limits.iter().filter(silent).filter_map(LimitItem::wait).min();
    told.or_else(|| {
        let policies = items(headers, "ratelimit-policy");
        limits.is_empty().then(|| policies.iter().filter_map(window).min()).flatten()
    })
}

fn window(policy: &LimitItem<'_>) -> Option<Duration> {
    policy.number(&["w"]).and_then(seconds)
}

fn items<'a>(headers: &'a Headers, name: &str) -> Vec<LimitItem<'a>> {
    let Some(value) = headers.get(name) else { return Vec::new() };
    let mut items: Vec<LimitItem<'a>> = Vec::new();
    // The members of the older form describe one limit.
    let mut of_one = LimitItem::default();
    for member in split(value, ',').take(MOST) {
        let mut item = LimitItem::default();
        for part in split(member, ';').take(MOST) {
            match part.split_once('=').filter(|_| !part.starts_with('"')) {
                Some((key, value)) => item.parameters.push((key.trim(), value.trim().trim_matches('"'))),
                None => item.name = part.trim_matches('"'),
            }
        }
        if member.starts_with(|c: char| c.is_ascii_alphabetic()) && item.name.is_empty() {
            of_one.parameters.append(&mut item.parameters);
        } else if !item.parameters.is_empty() {
            items.push(item);
        }
    }
    if !of_one.parameters.is_empty() {
        items.push(of_one);
    }
    items
}

/// The parts between separators outside quotes.
fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(move |c: char| {
        let separates = c == separator && !quoted;
        let escapes = quoted && !escaped && c == '\\';
        if c == '"' && !escaped {
            quoted = !quoted;
        }
        escaped = escapes;
        separates
    })
    .map(str::trim)
    .filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(limit: &str, policy: &str) -> Headers {
        [("ratelimit", limit), ("ratelimit-policy", policy)]
            .into_iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    /// `RateLimit`, `RateLimit-Policy`; the wait of any answer, and that of a 429 that names no spent limit.
    #[test]
    fn both_forms_are_read() {
        let second = |seconds: f64| Some(Duration::from_secs_f64(seconds));
        for (limit, policy, spent, back) in [
            ("\"default\";r=0;t=2", "", second(2.0), None),
            ("\"default\";r=0;t=2", "\"default\";q=100;w=60", second(2.0), None),
            ("default;r=0;t=2", "", second(2.0), None),
            ("\"default\" ; r=0 ; t=2", "", second(2.0), None),
            ("\"default\";r=50;t=30", "\"default\";q=100;w=60", None, None),
            ("\"burst\";r=0;t=2, \"day\";r=0;t=40, \"hour\";r=7;t=900", "", second(40.0), None),
            ("\"a;b, c\";r=0;t=3", "", second(3.0), None),
            ("\"a\\\";r=9\";r=0;t=3", "", second(3.0), None),
            ("\"default\";r=0", "\"other\";q=1;w=9,\"default\";q=100;w=60", second(60.0), None),
            ("\"default\";r=0", "", None, None),
            ("\"default\";t=5", "", None, second(5.0)),
            ("\"default\";r=0;t=2;pk=:cGF0aWVudA==:", "", second(2.0), None),
            ("limit=100, remaining=0, reset=5", "100;w=60", second(5.0), None),
            ("limit=100, remaining=3, reset=5", "100;w=60", None, None),
            ("limit=100;remaining=0;reset=5", "", second(5.0), None),
            ("r=0;t=2", "", second(2.0), None),
            ("", "\"burst\";q=10;w=2,\"day\";q=1000;w=86400", None, second(2.0)),
            ("", "100;w=60", None, second(60.0)),
            ("\"default\";r=0;t=-2", "", None, None),
            ("\"default\";r=none;t=2", "", None, second(2.0)),
            ("\"", "\"", None, None),
            (";;,,=;", ",", None, None),
        ] {
            let headers = headers(limit, policy);
            assert_eq!((exhausted(&headers), unnamed_wait(&headers)), (spent, back), "{limit} / {policy}");
        }
    }
}
