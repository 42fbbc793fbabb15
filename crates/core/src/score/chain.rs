//! Follows a chain of steps through a candidate.

use crate::rules::PathSpec;
use crate::value::{Fuel, Item, Segment};

/// The position of the first step that leads nowhere; `None` when all of them lead on. A step that several values match
/// leads to the first of them.
pub(super) fn broken_step(
    chain: &PathSpec,
    steps: Item<'_>,
    candidate: Item<'_>,
    fuel: &Fuel,
) -> Option<usize> {
    let mut here: Option<Item<'_>> = None;
    for (position, step) in steps.elements().enumerate() {
        let wanted = match &chain.step {
            Some(member) => step.member(member),
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

fn first_step<'v>(chain: &PathSpec, wanted: Item<'_>, candidate: Item<'v>, fuel: &Fuel) -> Option<Item<'v>> {
    let mut found = None;
    chain.start.visit(candidate, fuel, &mut |_, value| {
        if found.is_none() && value.member(&chain.by).is_some_and(|named| named.equals(wanted, false)) {
            found = Some(value);
        }
    });
    found
}

fn further_step<'v>(chain: &PathSpec, wanted: Item<'_>, above: Item<'v>, fuel: &Fuel) -> Option<Item<'v>> {
    let index = match wanted {
        Item::Text(text) => text.parse::<usize>().ok(),
        Item::Number(number) => number.as_u64().and_then(|n| usize::try_from(n).ok()),
        _ => None,
    };
    let mut found = None;
    for path in &chain.below {
        path.visit(above, fuel, &mut |at, value| {
            if found.is_some() {
                return;
            }
            let answers = match value.member(&chain.name) {
                Some(named) => named.equals(wanted, false),
                None => index.is_some() && at.last() == index.map(Segment::Index),
            };
            if answers {
                found = Some(value);
            }
        });
    }
    found
}
