//! Values that stand in the source as they are written, or nearly: but for spaces, case, accents and the spelling of
//! numbers.

use super::index::SourceIndex;
use super::probe::Probe;
use super::sequence::{TokenMatch, align};
use super::{MOST_REFUSED, Method, bytes_of, probe};
use crate::value::Fuel;
use std::ops::Range;

/// Token comparisons spent on one value before it counts as not found: far above any honest need, linear in the text.
fn work_limit(source: &SourceIndex) -> usize {
    source.tokens().len().saturating_mul(8).saturating_add(1 << 20)
}

/// The first acceptable place where the value stands exactly; else the first where it stands but for spelling.
pub(super) fn find(
    probe: &Probe<'_>,
    source: &SourceIndex,
    fuel: &Fuel,
    accept: impl Fn(TokenMatch) -> bool,
) -> Option<(Range<usize>, Method)> {
    let candidates = |i: usize| {
        probe
            .token(i)
            .map_or(0, |token| source.occurrences(token.hash).len() + source.joined(token.hash).len())
    };
    let anchors = (0..probe.tokens.len().min(16)).filter(|i| {
        let unit = *i > 0 && probe.unit(*i).is_some();
        !unit && !probe::is_times(probe.text, probe.tokens, *i)
    });
    let anchor = anchors.min_by_key(|i| candidates(*i))?;
    let hash = probe.token(anchor)?.hash;
    let limit = work_limit(source);
    let (mut work, mut refused, mut other) = (0, 0, None);
    let places =
        source.occurrences(hash).iter().copied().chain(source.joined(hash).iter().map(|join| join.1));
    let mut counted = 0;
    let shifts = if anchor == 0 { 0..1_usize } else { 0..3 };
    for place in places {
        if !fuel.spend_on(work - counted) {
            return None;
        }
        counted = work;
        // Words joined over a line break and repeated units before the anchor shift it a little.
        for shift in shifts.clone() {
            work += 1;
            let Some(from) = (place as usize).checked_sub(anchor + shift) else {
                break;
            };
            // Only an exact match is better than one that was found.
            if other.is_some() && !begins_exactly(probe, source, from) {
                continue;
            }
            if let Some(found) = align(probe, source, from, &mut work) {
                if !accept(found) {
                    refused += 1;
                    continue;
                }
                let bytes = bytes_of(found, source);
                if let Some(exact) = exactly(probe, source, &bytes) {
                    return Some((exact, Method::Exact));
                }
                let method = if found.numeric { Method::Numeric } else { Method::Normalized };
                other.get_or_insert((bytes, method));
            }
        }
        if work > limit || refused >= MOST_REFUSED {
            break;
        }
    }
    other
}

/// Whether the value stands exactly where token `from` begins, as far as it goes.
fn begins_exactly(probe: &Probe<'_>, source: &SourceIndex, from: usize) -> bool {
    let Some(here) = source.token(from) else { return false };
    exact_start(probe, here.start as usize)
        .and_then(|start| source.text().as_bytes().get(start..))
        .is_some_and(|rest| rest.starts_with(probe.text.trim().as_bytes()))
}

/// Where the value begins, with the punctuation before its first word, if that word is at `at`.
fn exact_start(probe: &Probe<'_>, at: usize) -> Option<usize> {
    let offset = probe.text.len() - probe.text.trim_start().len();
    at.checked_sub((probe.token(0)?.start as usize).checked_sub(offset)?)
}

/// The bytes of an exact match, with the punctuation around the value's words.
fn exactly(probe: &Probe<'_>, source: &SourceIndex, bytes: &Range<usize>) -> Option<Range<usize>> {
    let value = probe.text.trim();
    let start = exact_start(probe, bytes.start)?;
    let end = start.checked_add(value.len())?;
    // The number 12.5 is not exactly 12.50, but 90 is exactly in 90%.
    let rest = if end < bytes.end { source.text().get(end..bytes.end)? } else { "" };
    let whole = rest.trim_start_matches([' ', '%']).is_empty();
    (whole && source.text().get(start..end) == Some(value)).then_some(start..end)
}
