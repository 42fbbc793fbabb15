//! The usage of provider calls, and how much of it is known.

use super::Usd;
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// The usage of provider calls. An unknown cost is not a cost of 0: it is counted separately.
///
/// As JSON it is `{"calls", "tokens", "cost_usd"}`. With calls of unknown cost `cost_usd` is `null`, and
/// `known_cost_usd` and `calls_of_unknown_cost` appear beside it. Records from before costs could be unknown read as
/// known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Record", into = "Record")]
pub struct Usage {
    /// Calls that were sent: answered, failed, or given up while in flight.
    pub calls: u64,
    /// Input and output tokens, as far as providers report them.
    pub tokens: u64,
    /// The total of the calls of known cost.
    pub known_cost_usd: Usd,
    /// The number of calls whose cost is not known.
    pub calls_of_unknown_cost: u64,
}

impl Usage {
    /// One call; `cost` is `None` when it is unknown.
    #[must_use]
    pub fn of_call(tokens: u64, cost: Option<Usd>) -> Self {
        Usage {
            calls: 1,
            tokens,
            known_cost_usd: cost.unwrap_or_default(),
            calls_of_unknown_cost: u64::from(cost.is_none()),
        }
    }

    /// The whole cost; `None` when that of any call is unknown.
    #[must_use]
    pub fn cost_usd(self) -> Option<Usd> {
        (self.calls_of_unknown_cost == 0).then_some(self.known_cost_usd)
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Usage) {
        self.calls = self.calls.saturating_add(other.calls);
        self.tokens = self.tokens.saturating_add(other.tokens);
        self.known_cost_usd = self.known_cost_usd + other.known_cost_usd;
        self.calls_of_unknown_cost = self.calls_of_unknown_cost.saturating_add(other.calls_of_unknown_cost);
    }
}

/// [`Usage`] as it is written.
#[derive(Serialize, Deserialize)]
struct Record {
    calls: u64,
    tokens: u64,
    cost_usd: Option<Usd>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    known_cost_usd: Option<Usd>,
    #[serde(default, skip_serializing_if = "is_zero")]
    calls_of_unknown_cost: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl From<Usage> for Record {
    fn from(usage: Usage) -> Self {
        let cost_usd = usage.cost_usd();
        Record {
            calls: usage.calls,
            tokens: usage.tokens,
            cost_usd,
            known_cost_usd: cost_usd.is_none().then_some(usage.known_cost_usd),
            calls_of_unknown_cost: usage.calls_of_unknown_cost,
        }
    }
}

impl From<Record> for Usage {
    fn from(record: Record) -> Self {
        let unknown = match (record.cost_usd, record.calls_of_unknown_cost) {
            (Some(_), counted) => counted,
            // A `null` alone applies to all its calls.
            (None, 0) => record.calls,
            (None, counted) => counted,
        };
        Usage {
            calls: record.calls,
            tokens: record.tokens,
            known_cost_usd: record.known_cost_usd.or(record.cost_usd).unwrap_or_default(),
            calls_of_unknown_cost: unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn usage() -> impl Strategy<Value = Usage> {
        (0..100_u64, proptest::option::of(0.0..1e6_f64))
            .prop_map(|(tokens, cost)| Usage::of_call(tokens, cost.and_then(Usd::new)))
    }

    proptest! {
        #[test]
        fn a_sum_is_its_parts_and_never_negative(calls in proptest::collection::vec(usage(), 0..30)) {
            let mut sum = Usage::default();
            calls.iter().for_each(|call| sum += *call);
            let known: f64 = calls.iter().filter_map(|call| call.cost_usd()).map(Usd::get).sum();
            prop_assert!((sum.known_cost_usd.get() - known).abs() <= 1e-9 * known.max(1.0));
            prop_assert!(sum.known_cost_usd.get() >= 0.0);
            let unknown = calls.iter().filter(|call| call.cost_usd().is_none()).count() as u64;
            prop_assert_eq!(sum.calls_of_unknown_cost, unknown);
            prop_assert_eq!(sum.cost_usd().is_none(), unknown > 0);
            prop_assert_eq!(sum.calls, calls.len() as u64);
            prop_assert_eq!(serde_json::from_str::<Usage>(&serde_json::to_string(&sum).unwrap()).unwrap(), sum);
        }
    }

    #[test]
    fn an_unknown_cost_is_written_as_null_and_never_as_0() {
        let mut usage = Usage::of_call(10, Usd::new(0.25));
        assert_eq!(json!(usage), json!({"calls": 1, "tokens": 10, "cost_usd": 0.25}));
        usage += Usage::of_call(5, None);
        let written = json!({"calls": 2, "tokens": 15, "cost_usd": null, "known_cost_usd": 0.25, "calls_of_unknown_cost": 1});
        assert_eq!(json!(usage), written);
    }

    #[test]
    fn what_older_versions_wrote_reads_as_known() {
        let usage: Usage = serde_json::from_value(json!({"calls": 2, "tokens": 7, "cost_usd": 0.5})).unwrap();
        assert_eq!(usage.cost_usd(), Usd::new(0.5));
        let usage: Usage =
            serde_json::from_value(json!({"calls": 2, "tokens": 7, "cost_usd": null})).unwrap();
        assert_eq!((usage.cost_usd(), usage.calls_of_unknown_cost), (None, 2));
    }
}
