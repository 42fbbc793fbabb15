//! The document's headings, and the text under each.

use std::ops::Range;

use crate::patterns::Patterns;

/// Most headings that are looked at in one document.
const MAX_HEADINGS: usize = 5_000;

/// The headings of one document, in its order.
pub(crate) struct Sections<'s> {
    source: &'s str,
    headings: Vec<(Range<usize>, &'s str)>,
}

impl<'s> Sections<'s> {
    pub(crate) fn find(patterns: &Patterns, source: &'s str) -> Self {
        let mut headings = Vec::new();
        for regex in &patterns.headings {
            for found in regex.captures_iter(source).take(MAX_HEADINGS) {
                if let (Some(all), Some(title)) = (found.get(0), found.name("title")) {
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
        Self { source, headings }
    }

    /// The ranges of text under the headings whose whole title matches, in document order.
    pub(crate) fn under<'a>(&'a self, title: &'a regex::Regex) -> impl Iterator<Item = Range<usize>> + 'a {
        self.headings.iter().enumerate().filter(|(_, (_, text))| title.is_match(text)).map(
            |(at, (range, _))| {
                let end = self.headings.get(at + 1).map_or(self.source.len(), |(next, _)| next.start);
                range.end..end.max(range.end)
            },
        )
    }
}
