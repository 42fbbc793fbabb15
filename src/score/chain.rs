//! Follows a chain of steps through a candidate.

use super::evaluate::Item;
use crate::rules::PathSpec;
use crate::value::{Fuel, Segment};
use serde_json::Value;

/// The position of the first step that leads nowhere; `None` when all of them lead on. What several values answer to
/// leads to the first of them.
pub(super) fn broken_step(
    chain: &PathSpec,
    steps: &[Value],
    candidate: &Value,
    fuel: &Fuel,
) -> Option<usize> {
    let mut here: Option<&Value> = None;
    for (position, step) in steps.iter().enumerate() {
        let wanted = match &chain.step {
            Some(member) => step.get(member),
            None => Some(step),
        };
        let Some(wanted) = wanted else { return Some(position) };
        let found = match here {
            None => first_step(chain, wanted, candidate, fuel),
            Some(above) => further_step(chain, wanted, above, fuel),
        };
        if found.is_none() {
            return Some(position);
        }
        here = found;
    }
    None
}

fn first_step<'v>(chain: &PathSpec, wanted: &Value, candidate: &'v Value, fuel: &Fuel) -> Option<&'v Value> {
    let mut found = None;
    chain.start.visit(candidate, fuel, &mut |_, value| {
        if found.is_none()
            && value.get(&chain.by).is_some_and(|named| Item::from(named).equals(wanted, false))
        {
            found = Some(value);
        }
    });
    found
}

fn further_step<'v>(chain: &PathSpec, wanted: &Value, above: &'v Value, fuel: &Fuel) -> Option<&'v Value> {
    let index = match wanted {
        Value::String(text) => text.parse::<usize>().ok(),
        Value::Number(number) => number.as_u64().and_then(|n| usize::try_from(n).ok()),
        _ => None,
    };
    let mut found = None;
    for path in &chain.below {
        path.visit(above, fuel, &mut |at, value| {
            if found.is_some() {
                return;
            }
            let answers = match value.get(&chain.name) {
                Some(named) => Item::from(named).equals(wanted, false),
                None => index.is_some() && at.last() == index.map(Segment::Index),
            };
            if answers {
                found = Some(value);
            }
        });
    }
    found
}
