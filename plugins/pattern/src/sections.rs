//! The document's headings, and the text under each.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use loopctl_plugin_sdk::protocol::RequestAssertions;

use crate::assertions::{Accepts, PLAIN, Rank, asserted};
use crate::expression::Expression;
use crate::patterns::Patterns;

/// The most headings that are inspected in one document.
const MAX_HEADINGS: usize = 5_000;

/// The headings of one document, in its order.
pub(crate) struct SectionSearch<'s> {
    source: &'s str,
    headings: Vec<(Range<usize>, &'s str)>,
    /// Parts under headings of what is not final, with these headings, in document order.
    preliminary: Vec<Range<usize>>,
    /// The ranges under the headings that a pattern names, found once for all parts.
    under: RefCell<HashMap<String, Rc<[Range<usize>]>>>,
    /// The assertions in the document, if the host reports them.
    told: Option<&'s RequestAssertions>,
}

impl<'s> SectionSearch<'s> {
    pub(crate) fn find(patterns: &Patterns, source: &'s str, told: Option<&'s RequestAssertions>) -> Self {
        let mut headings = Vec::new();
        for regex in &patterns.headings {
            for found in regex.captures_iter(source).take(MAX_HEADINGS) {
                if let (Some(all), Some(title)) = (found.whole(), found.name("title")) {
                    // A full stop before a heading ends the sentence above it.
                    let start = all.start() + usize::from(all.as_str().starts_with('.'));
                    headings.push((start..all.end(), title.as_str().trim()));
                }
            }
        }
        headings.sort_by_key(|(range, _)| (range.start, range.end));
        // Two heading patterns may see the same heading; the first one that ends counts.
        let mut end = 0;
        headings.retain(|(range, _)| {
            let keep = range.start >= end;
            if keep {
                end = range.end;
            }
            keep
        });
        let is_preliminary =
            |title: &str| patterns.preliminary.as_ref().is_some_and(|one| one.is_match(title));
        let ends = headings.iter().skip(1).map(|(range, _)| range.start).chain([source.len()]);
        let parts = headings.iter().zip(ends).filter(|((_, title), _)| is_preliminary(title));
        let preliminary = parts.map(|((range, _), end)| range.start..end.max(range.end)).collect();
        Self { source, headings, preliminary, under: RefCell::default(), told }
    }

    /// Cuts ranges, which are in document order, where parts that are not final begin and end. First come the pieces
    /// outside of these parts, then those within: preliminary statements count only without any other.
    pub(crate) fn final_first(&self, places: Vec<Range<usize>>) -> Vec<Range<usize>> {
        if self.preliminary.is_empty() {
            return places;
        }
        let (mut settled, mut waiting) = (Vec::new(), Vec::new());
        for place in places {
            let mut from = place.start;
            for part in
                self.preliminary.iter().filter(|part| part.start < place.end && part.end > place.start)
            {
                let (start, end) = (part.start.max(from), part.end.min(place.end));
                if from < start {
                    settled.push(from..start);
                }
                waiting.push(start..end);
                from = end;
            }
            if from < place.end {
                settled.push(from..place.end);
            }
        }
        settled.append(&mut waiting);
        settled
    }

    /// Returns whether a range lies in a part that is not final.
    pub(crate) fn is_preliminary(&self, place: &Range<usize>) -> bool {
        self.preliminary.iter().any(|part| part.start <= place.start && place.end <= part.end)
    }

    /// The rank of the match of a value at `value` among others.
    pub(crate) fn rank(&self, value: &Range<usize>, accepts: Accepts<'_>) -> Rank {
        let told = self.told.map(|told| asserted(told, value, accepts));
        let (is_affirmed, finality) = told.unwrap_or((true, PLAIN));
        Rank { is_settled: !self.is_preliminary(value), is_affirmed, finality }
    }

    /// The ranges of text under the headings whose whole title matches, in document order.
    pub(crate) fn under(&self, title: &Expression) -> Rc<[Range<usize>]> {
        if let Some(known) = self.under.borrow().get(title.as_str()) {
            return Rc::clone(known);
        }
        let named = self.headings.iter().enumerate().filter(|(_, (_, text))| title.is_match(text));
        let found: Rc<[Range<usize>]> = named
            .map(|(at, (range, _))| {
                let end = self.headings.get(at + 1).map_or(self.source.len(), |(next, _)| next.start);
                range.end..end.max(range.end)
            })
            .collect();
        self.under.borrow_mut().insert(title.as_str().to_owned(), Rc::clone(&found));
        found
    }
}

/// The pieces of `places` that lie within `stretches`; both are in document order.
pub(crate) fn within(places: &[Range<usize>], stretches: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    for stretch in stretches {
        let from = places.partition_point(|place| place.end <= stretch.start);
        let here = places.get(from..).unwrap_or_default();
        let here = here.iter().take_while(|place| place.start < stretch.end);
        pieces.extend(here.map(|place| place.start.max(stretch.start)..place.end.min(stretch.end)));
    }
    pieces
}
