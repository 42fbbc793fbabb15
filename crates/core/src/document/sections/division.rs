//! A text as documents: the division at places where documents may begin that explains most and cuts least.
//!
//! Each way to divide a text has a cost: that of every cut, and that of what speaks in a part for another type of
//! document than its own. A cut costs less where a place looks like a beginning, and where what follows repeats the
//! head, the first page or the headings of a document. The division with the least cost is chosen; a file that no cut
//! makes cheaper is whole.

use super::super::Classifier;
use super::CutReason;
use super::boundaries::Boundary;
use super::evidence::TypeEvidence;
use super::head::PartHead;
use super::labels::{LineLabel, labels_within};
use super::signs::SectionSigns;
use std::collections::HashMap;
use std::ops::Range;

/// The number of labels after a place that are compared with those before it.
const COMPARED_LABELS: usize = 6;
/// The number of bytes after a place in which they stand.
const LABEL_BYTES: usize = 4_000;

/// The cost of a cut at the edge of a page. One is the evidence that suffices for a type. The weights here were found on files joined
/// from documents, and on documents broken into pages (`examples/measure_sections.rs`).
const CUT: f64 = 4.9;
/// The cost that a cut within a page has beyond that.
const WITHIN_PAGE: f64 = 5.5;
/// The share that is added to each, so that a share of none is not all that counts.
const LEAST_SHARE: f64 = 0.05;

/// Parts of a file that are one document.
#[derive(Debug)]
pub(super) struct DividedPart {
    pub(super) text: Range<usize>,
    pub(super) title: Option<String>,
    pub(super) reasons: Vec<CutReason>,
}

/// The parts of a section that the text after it repeats.
#[derive(Debug, Clone, Copy, Default)]
struct Repetition {
    /// `true` if the head of a document is repeated with another value.
    other_head: bool,
    /// `true` if the head is that of the section, as on each page of a document.
    same_head: bool,
    /// `true` if pages are counted from 1 again.
    first_page: bool,
    /// `true` if the page or title that follows is of another type.
    other_type: bool,
    /// The number of headings that begin again in their order.
    headings: usize,
}

/// The cheapest way to divide the text up to a place.
#[derive(Debug, Clone, Copy)]
struct CutStep {
    cost: f64,
    from: usize,
    repetition: Repetition,
}

/// The documents of a text, given the places at which some may begin.
pub(super) fn divided(
    classifier: &Classifier,
    signs: &SectionSigns,
    text: &str,
    boundaries: &[Boundary],
    labels: &[LineLabel],
) -> Vec<DividedPart> {
    let start = Boundary::default();
    let first = boundaries.first().is_none_or(|boundary| has_words(text, 0..boundary.at));
    let places: Vec<&Boundary> = first.then_some(&start).into_iter().chain(boundaries).collect();
    let ends = places.iter().skip(1).map(|place| place.at).chain([text.len()]);
    let parts: Vec<Range<usize>> = places.iter().zip(ends).map(|(place, end)| place.at..end).collect();
    let evidence = TypeEvidence::of(classifier, text, &parts);
    let heads = heads(text, &places, signs);
    let place_costs: Vec<f64> = places.iter().map(|place| place_cost(place)).collect();
    let types = types(&evidence, &places);
    let letters: Vec<usize> = parts.iter().map(|part| letter_count(text, part)).collect();
    let mut steps: Vec<Option<CutStep>> = vec![None; places.len() + 1];
    if let Some(first) = steps.first_mut() {
        *first = Some(CutStep { cost: 0.0, from: 0, repetition: Repetition::default() });
    }
    for from in 0..places.len() {
        let Some(Some(before)) = steps.get(from).copied() else { continue };
        let mut own = evidence.section();
        let mut head = PartHead::default();
        let mut seen: HashMap<&str, usize> = HashMap::new();
        let mut length = 0;
        for (part, range) in parts.iter().enumerate().skip(from) {
            own.add(part);
            length += letters.get(part).copied().unwrap_or_default();
            if let Some(Some(next)) = heads.get(part) {
                head.continue_with(next.clone());
            }
            for label in labels_within(labels, range.clone()) {
                let number = seen.len();
                seen.entry(label.text.as_str()).or_insert(number);
            }
            let to = part + 1;
            let is_whole = from == 0 && to == places.len();
            if length < signs.least_characters() && !is_whole {
                continue;
            }
            let mut repetition = Repetition::default();
            let mut cost = before.cost + own.unexplained(signs);
            if let Some(place) = places.get(to) {
                let next = heads.get(to).and_then(Option::as_ref);
                if place.continues
                    || (place.dangling && !place.page)
                    || next.and_then(|next| next.page).is_some_and(|page| page > 1)
                {
                    continue;
                }
                repetition = Repetition {
                    first_page: next.is_some_and(|next| next.page == Some(1) && head.page.is_some()),
                    other_head: next.is_some_and(|next| next.contradicts(&head)),
                    same_head: next.is_some_and(|next| next.repeats(&head)) && place.title.is_none(),
                    other_type: types.get(to).and_then(Option::as_deref).is_some_and(|next| {
                        own.known_type().is_some_and(|own| own != next && !signs.is_held_by(next, own))
                    }),
                    headings: restarted(&seen, labels_within(labels, place.at..place.at + LABEL_BYTES)),
                };
                cost += place_costs.get(to).copied().unwrap_or_default() + repetition.cost();
            }
            if let Some(step) = steps.get_mut(to)
                && step.is_none_or(|known| cost < known.cost)
            {
                *step = Some(CutStep { cost, from, repetition });
            }
        }
    }
    parts_of(&places, &steps, text)
}

/// The cost of a cut at a place, by what is seen there.
fn place_cost(place: &Boundary) -> f64 {
    // At the edge of a page, and within one.
    let either = |edge: f64, within: f64| if place.page { edge } else { within };
    let signs = [
        (place.title.is_some(), 6.8),
        (place.head, 4.5),
        (place.opening, either(4.8, 6.0)),
        (place.ended, either(3.2, 2.0)),
        (place.heading, either(3.5, 1.2)),
        (place.apart, either(0.0, 5.0)),
        (place.other_size, 1.0),
        (place.opening && place.report_lines > 1, 4.1),
        (place.same_subject == Some(false), either(1.9, 1.5)),
        (place.same_subject == Some(true), either(-2.0, -1.8)),
        (place.print_differences == Some(3), 3.5),
        (place.print_differences == Some(0), -1.0),
        (place.unfinished, -2.2),
        // The last page of a form ends with labels that have no value.
        (place.dangling, -3.0),
        (place.running, -2.0),
    ];
    let look: f64 = signs.into_iter().filter_map(|(holds, worth)| holds.then_some(worth)).sum();
    CUT + either(0.0, WITHIN_PAGE) - look - words_worth(place)
}

/// The worth of the words that both sides of a place share; below 0 where there are as many as in one document. Two parts of a report share a
/// quarter to a half of their longer words, two reports of other types a tenth.
fn words_worth(place: &Boundary) -> f64 {
    let (worth, share_of_two) = if place.page { (6.0, 0.2) } else { (3.0, 0.19) };
    place
        .shared_words
        .map_or(0.0, |share| worth * ((share_of_two + LEAST_SHARE) / (share + LEAST_SHARE)).ln())
}

impl Repetition {
    /// The cost that it adds to that of a cut; below 0 if it speaks for one.
    fn cost(self) -> f64 {
        let headings = match self.headings {
            0 | 1 => 0.0,
            2 => 2.5,
            _ => 3.5,
        };
        let signs = [(self.other_head, 7.8), (self.first_page, 5.0), (self.other_type, 3.2)];
        let for_a_cut: f64 = signs.into_iter().filter_map(|(holds, worth)| holds.then_some(worth)).sum();
        (if self.same_head { 5.0 } else { 0.0 }) - for_a_cut - headings
    }
}

/// The number of headings of a document that begin again in their order, beginning with one of its first.
fn restarted(seen: &HashMap<&str, usize>, next: &[LineLabel]) -> usize {
    let mut count = 0;
    let mut last = None;
    for label in next.iter().take(COMPARED_LABELS) {
        let Some(number) = seen.get(label.text.as_str()).copied() else { continue };
        let follows = match last {
            None => number <= seen.len() / 3,
            Some(last) => number > last,
        };
        if follows {
            count += 1;
            last = Some(number);
        }
    }
    count
}

/// The head of each place at which more than a paragraph begins, of the text up to the next such place.
fn heads(text: &str, places: &[&Boundary], signs: &SectionSigns) -> Vec<Option<PartHead>> {
    let mut end = text.len();
    let mut found: Vec<Option<PartHead>> = Vec::with_capacity(places.len());
    for (number, place) in places.iter().enumerate().rev() {
        if number > 0 && !place.is_marked() {
            found.push(None);
            continue;
        }
        found.push(Some(PartHead::of(text.get(place.at..end).unwrap_or_default(), signs)));
        end = place.at;
    }
    found.reverse();
    found
}

/// The type of each page, and of the text after each title, up to the next such place; `None` where it is not known.
fn types(evidence: &TypeEvidence<'_>, places: &[&Boundary]) -> Vec<Option<String>> {
    let begins = |place: &&Boundary| place.page || place.title.is_some();
    let of_place = |(number, place): (usize, &&Boundary)| {
        let end =
            places.iter().skip(number + 1).position(begins).map_or(places.len(), |more| number + 1 + more);
        let mut own = evidence.section();
        if begins(place) {
            (number..end).for_each(|part| own.add(part));
        }
        own.known_type().map(str::to_owned)
    };
    places.iter().enumerate().map(of_place).collect()
}

fn parts_of(places: &[&Boundary], steps: &[Option<CutStep>], text: &str) -> Vec<DividedPart> {
    let mut parts = Vec::new();
    let (mut to, mut end) = (places.len(), text.len());
    while to > 0 {
        let Some(Some(step)) = steps.get(to) else { break };
        let Some(place) = places.get(step.from) else { break };
        let repetition = steps.get(step.from).copied().flatten().map(|step| step.repetition);
        parts.push(DividedPart {
            text: place.at..place.at + text.get(place.at..end).unwrap_or_default().trim_end().len(),
            title: place.title.clone(),
            reasons: if step.from == 0 { Vec::new() } else { reasons(place, repetition.unwrap_or_default()) },
        });
        (to, end) = (step.from, place.at);
    }
    parts.reverse();
    parts
}

fn reasons(place: &Boundary, repetition: Repetition) -> Vec<CutReason> {
    let reasons = [
        (place.page, CutReason::NewPage),
        (place.title.is_some(), CutReason::NewTitle),
        (place.opening, CutReason::Opening),
        (repetition.other_head, CutReason::OtherHead),
        (repetition.first_page, CutReason::FirstPage),
        (repetition.headings > 1, CutReason::HeadingsAgain),
        (words_worth(place) > 0.0, CutReason::OtherWords),
        (place.heading && place.title.is_none() && !place.opening, CutReason::NewHeading),
        (place.same_subject == Some(false), CutReason::OtherSubject),
        (place.other_size || place.print_differences == Some(3), CutReason::OtherPrint),
    ];
    reasons.into_iter().filter_map(|(holds, reason)| holds.then_some(reason)).collect()
}

fn has_words(text: &str, part: Range<usize>) -> bool {
    text.get(part).is_some_and(|part| part.contains(char::is_alphanumeric))
}

fn letter_count(text: &str, part: &Range<usize>) -> usize {
    text.get(part.clone()).unwrap_or_default().chars().filter(|c| !c.is_whitespace()).count()
}
