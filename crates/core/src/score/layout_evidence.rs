//! Values held against the rows, columns and labels of a document, where no rubric has words for its type.

use super::source::Source;
use super::verdict::{Finding, Method, Support, Verdict};
use crate::value::Fuel;
use loopctl_ground::{FieldNames, Support as Printed, Verdict as Place};
use serde_json::Value;
use std::collections::HashMap;
use std::ops::Range;

/// The verdicts of a document's structure on each leaf of a candidate, by its path.
#[derive(Debug)]
pub(super) struct LayoutEvidence<'a> {
    source: &'a Source,
    places: HashMap<String, Place>,
}

impl<'a> LayoutEvidence<'a> {
    pub(super) fn read(candidate: &Value, source: &'a Source, names: &FieldNames) -> Self {
        let judged = loopctl_ground::judge(source.structure(), candidate, names);
        let places = judged.into_iter().map(|place| (place.pointer.clone(), place)).collect();
        LayoutEvidence { source, places }
    }

    /// The verdict on a leaf; none on a truth value, which no document prints.
    pub(super) fn verdict(
        &self,
        pointer: &str,
        value: &Value,
        quotes: &[String],
        fuel: &Fuel,
    ) -> Option<Verdict> {
        let place = self.places.get(pointer)?;
        let quoted = self.source.quote_places(quotes, fuel);
        if !quotes.is_empty() && quoted.is_empty() {
            return Some(Verdict::new(Support::Unsupported, Finding::QuoteNotFound));
        }
        let found = place.bytes.clone().map(|bytes| {
            let printed = self.source.text().get(bytes.clone()).unwrap_or_default();
            let method = Method::of(value, printed);
            Verdict::found(bytes, method)
        });
        let found = found.unwrap_or_else(|| Verdict::new(Support::Verified, Finding::Said));
        let holds = |quote: &&Range<usize>| {
            place.bytes.as_ref().is_some_and(|bytes| quote.start <= bytes.start && bytes.end <= quote.end)
        };
        Some(match place.support {
            Printed::Verified => found,
            // A paraphrase, whose quote a judge can read.
            Printed::Undecided | Printed::Unsupported | Printed::Contradicted
                if !quoted.is_empty() && !quoted.iter().any(|quote| holds(&quote)) =>
            {
                let quote = quoted.into_iter().next().unwrap_or_default();
                Verdict {
                    by_quote: true,
                    ..Verdict::found(quote, Method::Normalized).open(Finding::QuoteUndecided)
                }
            }
            Printed::Undecided => found.open(place.doubt.map_or(Finding::NotBound, Finding::Doubted)),
            Printed::Unsupported => Verdict::not_found(),
            Printed::Contradicted => {
                Verdict::contradicted(Finding::SaysAnother, place.bytes.clone().unwrap_or_default())
            }
        })
    }
}
