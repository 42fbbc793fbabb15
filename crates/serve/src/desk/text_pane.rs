//! The text of a document with the positions of its fields marked.

use crate::value::is_wild;
use maud::{Markup, html};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// A position of a field in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextHighlight {
    /// Its first character, and one past its last.
    pub(super) start: usize,
    pub(super) end: usize,
    /// The number of the field on the page.
    pub(super) field: usize,
    /// `true` if it says another value than the field's.
    pub(super) is_rival: bool,
}

/// A part of the text that the same marks cover.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Segment<'t> {
    text: &'t str,
    evidence: Vec<usize>,
    rivals: Vec<usize>,
}

/// The text in parts that the same marks cover. Marks beyond its end are cut.
fn segments<'t>(text: &'t str, marks: &[TextHighlight]) -> Vec<Segment<'t>> {
    let ends: BTreeSet<usize> = marks.iter().flat_map(|mark| [mark.start, mark.end]).collect();
    let mut ends = ends.into_iter().peekable();
    // Where parts end, in characters and in bytes.
    let mut cuts = vec![(0, 0)];
    let mut count = 0;
    for (byte, _) in text.char_indices() {
        if ends.next_if(|end| *end <= count).is_some() && byte > 0 {
            cuts.push((count, byte));
        }
        count += 1;
    }
    cuts.push((count, text.len()));
    // Marks are added where they begin and removed where they end, so that a part sees only its own.
    let in_order = |of: fn(&TextHighlight) -> usize| {
        let mut order: Vec<usize> = (0..marks.len()).collect();
        order.sort_by_key(|number| marks.get(*number).map(of));
        order.into_iter().peekable()
    };
    let (mut starting, mut ending) = (in_order(|mark| mark.start), in_order(|mark| mark.end));
    let mut covering: BTreeSet<usize> = BTreeSet::new();
    let mut found = Vec::with_capacity(cuts.len());
    for ((start, from), (_, to)) in cuts.iter().zip(cuts.iter().skip(1)) {
        let begins = |number: &usize| marks.get(*number).is_some_and(|mark| mark.start <= *start);
        let is_over = |number: &usize| marks.get(*number).is_some_and(|mark| mark.end <= *start);
        while let Some(number) = starting.next_if(begins) {
            covering.insert(number);
        }
        while let Some(number) = ending.next_if(is_over) {
            covering.remove(&number);
        }
        let own = |is_rival: bool| {
            let own = covering.iter().filter_map(|number| marks.get(*number));
            let own = own.filter(|mark| mark.is_rival == is_rival && *start < mark.end);
            own.map(|mark| mark.field).collect::<Vec<usize>>()
        };
        if let Some(part) = text.get(*from..*to).filter(|part| !part.is_empty()) {
            found.push(Segment { text: part, evidence: own(false), rivals: own(true) });
        }
    }
    found
}

/// Extends marks that end within a word to its end, so that what is marked can be read.
fn to_ends_of_words(text: &str, marks: &[TextHighlight]) -> Vec<TextHighlight> {
    let ends: BTreeSet<usize> = marks.iter().map(|mark| mark.end).collect();
    let mut moved: BTreeMap<usize, usize> = BTreeMap::new();
    let mut within: Vec<usize> = Vec::new();
    let (mut before, mut count) = (' ', 0);
    for c in text.chars() {
        if !c.is_alphanumeric() {
            moved.extend(within.drain(..).map(|end| (end, count)));
        } else if before.is_alphanumeric() && ends.contains(&count) {
            within.push(count);
        }
        before = c;
        count += 1;
    }
    moved.extend(within.drain(..).map(|end| (end, count)));
    let reach = |mark: &TextHighlight| TextHighlight {
        end: moved.get(&mark.end).copied().unwrap_or(mark.end),
        ..*mark
    };
    marks.iter().map(reach).collect()
}

/// The text as it is on the page: text nodes, and marks round those that fields have.
pub(super) fn text_pane(text: &str, marks: &[TextHighlight]) -> Markup {
    let marks = to_ends_of_words(text, marks);
    html! {
        div.desk-text {
            @for segment in segments(text, &marks) {
                @if segment.evidence.is_empty() && segment.rivals.is_empty() {
                    (visible(segment.text))
                } @else {
                    mark tabindex="-1" data-evidence=(numbers(&segment.evidence)) data-rivals=(numbers(&segment.rivals)) { (visible(segment.text)) }
                }
            }
        }
    }
}

/// A text in which characters that would reverse it, or do something to the page, are written out.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    let is_hidden = |c: char| !matches!(c, '\n' | '\r' | '\t') && is_wild(c);
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) {
            let _ = write!(shown, "\\u{:04x}", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

fn numbers(fields: &[usize]) -> String {
    fields.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn mark(start: usize, end: usize, field: usize, is_rival: bool) -> TextHighlight {
        TextHighlight { start, end, field, is_rival }
    }

    #[test]
    fn overlapping_places_are_told_apart() {
        let marks = [mark(1, 4, 0, false), mark(3, 6, 1, false), mark(3, 4, 2, true), mark(9, 99, 3, false)];
        let shown: Vec<(&str, Vec<usize>, Vec<usize>)> = segments("häßliche Ä", &marks)
            .into_iter()
            .map(|segment| (segment.text, segment.evidence, segment.rivals))
            .collect();
        assert_eq!(
            shown,
            [
                ("h", vec![], vec![]),
                ("äß", vec![0], vec![]),
                ("l", vec![0, 1], vec![2]),
                ("ic", vec![1], vec![]),
                ("he ", vec![], vec![]),
                ("Ä", vec![3], vec![]),
            ]
        );
    }

    #[test]
    fn a_mark_reaches_to_the_end_of_its_word() {
        let ends = |end: usize| to_ends_of_words("grün, 12mm", &[mark(0, end, 0, false)]);
        let found = [0, 2, 4, 5, 8, 10, 99].map(|end| ends(end).first().map(|mark| mark.end));
        assert_eq!(found, [0, 4, 4, 5, 10, 10, 99].map(Some));
    }

    #[test]
    fn nothing_of_a_document_is_markup() {
        let page = text_pane("<script>alert(1)</script> & \"x\"", &[mark(0, 8, 0, false)]).into_string();
        assert!(page.contains("&lt;script&gt;") && !page.contains("<script"), "{page}");
        assert_eq!(visible("a\u{202e}b\tc"), "a\\u202eb\tc");
    }

    proptest! {
        #[test]
        fn the_text_is_whole(
            text in "[aä\u{1F600} \n<]{0,40}",
            places in prop::collection::vec((0_usize..50, 0_usize..50, 0_usize..4, any::<bool>()), 0..8),
        ) {
            let marks: Vec<TextHighlight> = places.into_iter().map(|(start, end, field, rival)| mark(start, end, field, rival)).collect();
            let parts = segments(&text, &marks);
            prop_assert_eq!(parts.iter().map(|part| part.text).collect::<String>(), text.as_str());
            let mut at = 0;
            for part in &parts {
                let covers = |mark: &&TextHighlight| mark.start <= at && at < mark.end;
                let of = |is_rival: bool| {
                    let own = marks.iter().filter(covers).filter(|mark| mark.is_rival == is_rival);
                    own.map(|mark| mark.field).collect::<Vec<usize>>()
                };
                prop_assert_eq!(&part.evidence, &of(false));
                prop_assert_eq!(&part.rivals, &of(true));
                at += part.text.chars().count();
            }
        }
    }
}
