//! Whose value is it? The name of a field that a short or common value stands beside.
//!
//! Names come before their values, in the same clause, with little between: `ER (clone SP1): strongly positive`.
//! Names joined by `and`, commas or slashes share what follows. A value comes before its names only when it opens the
//! clause and nothing but small words follow: `negative for ER and PR`. What is not clear belongs to nobody.

use super::boundary::listed_at;
use super::index::SourceIndex;
use super::names::{Concept, Hit, Hits};
use super::number::Dimension;
use super::probe::{Probe, unit_at};
use super::sequence::{TokenMatch, has_blank_line};
use super::token::TokenKind;
use super::words::WordClass;
use smallvec::SmallVec;

/// How many tokens of a table row are gone back over to its first cell.
const ROW: usize = 64;
/// How far to look, in tokens.
const REACH: usize = 24;
/// How many names that are joined may share a value: no more is gone along a list of names.
const JOINED: usize = 64;
/// How many words that say something may stand between a name and its value.
const WORDS: usize = 6;

/// Names in the source and whose they are, seen from one field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names<'a> {
    /// All of them.
    pub(super) hits: &'a Hits,
    /// The field's own concepts.
    pub(super) own: &'a [Concept],
    /// Its ancestors': neither its own nor another's.
    pub(super) neutral: &'a [Concept],
}

/// A run of tokens that are names of fields.
#[derive(Clone, Copy, Debug)]
struct Group {
    from: usize,
    to: usize,
    own: bool,
}

impl Names<'_> {
    /// Names inside a match.
    fn inside(&self, found: TokenMatch) -> impl Iterator<Item = &Hit> {
        let first = self.hits.sorted().partition_point(|hit| (hit.start as usize) < found.from);
        self.hits
            .sorted()
            .get(first..)
            .unwrap_or_default()
            .iter()
            .take_while(move |hit| (hit.start as usize) < found.to)
            .filter(move |hit| hit.end.0 as usize <= found.to)
    }

    /// The field's own names that begin within some tokens.
    pub(super) fn own_within<'s>(
        &'s self,
        tokens: &std::ops::Range<usize>,
    ) -> impl Iterator<Item = std::ops::Range<usize>> + 's {
        let own = self.own.iter().enumerate();
        let different = own.filter(|(at, concept)| !self.own.iter().take(*at).any(|known| known == *concept));
        let mut lists: SmallVec<[&'s [Hit]; 4]> =
            different.map(|(_, concept)| self.hits.of(*concept, tokens)).collect();
        std::iter::from_fn(move || {
            let lists = lists.iter_mut().filter(|list| !list.is_empty());
            let next = lists.min_by_key(|list| list.first())?;
            let (hit, rest) = next.split_first()?;
            *next = rest;
            Some(hit.start as usize..hit.end.0 as usize)
        })
    }

    fn is_anothers(&self, hit: &Hit) -> bool {
        !self.own.contains(&hit.concept) && !self.neutral.contains(&hit.concept)
    }

    /// Whether the match itself holds a name of its own field and of no other: `poorly differentiated` says whose
    /// degree it is.
    fn within(&self, found: TokenMatch) -> bool {
        let (mut own, mut other) = (self.reaches_into(found), false);
        for hit in self.inside(found) {
            own |= self.own.contains(&hit.concept);
            other |= self.is_anothers(hit);
        }
        own && !other
    }

    /// Whether a name of the field begins before the match and ends in it: `grade II`, found in `Nottingham grade II`.
    fn reaches_into(&self, found: TokenMatch) -> bool {
        let upto = self.hits.sorted().partition_point(|hit| (hit.start as usize) < found.from);
        let near = self.hits.sorted().get(upto.saturating_sub(16)..upto).unwrap_or_default();
        near.iter().any(|hit| {
            let end = hit.end.0 as usize;
            end > found.from && end < found.to && self.own.contains(&hit.concept)
        })
    }

    /// The name that ends before token `end`: its first token, and whether it is the field's own.
    fn ending(&self, end: usize) -> Option<Group> {
        let upto = self.hits.sorted().partition_point(|hit| (hit.start as usize) < end);
        let near = self.hits.sorted().get(upto.saturating_sub(16)..upto)?;
        self.one(near.iter().filter(|hit| hit.end.0 as usize == end))
    }

    /// The name that starts at token `start`.
    fn starting(&self, start: usize) -> Option<Group> {
        let from = self.hits.sorted().partition_point(|hit| (hit.start as usize) < start);
        let near = self.hits.sorted().get(from..)?;
        self.one(near.iter().take_while(|hit| hit.start as usize == start))
    }

    fn one<'h>(&self, hits: impl Iterator<Item = &'h Hit>) -> Option<Group> {
        let mut group: Option<Group> = None;
        for hit in hits {
            let own = self.own.contains(&hit.concept);
            if !own && self.neutral.contains(&hit.concept) {
                continue;
            }
            let own = own || group.is_some_and(|group| group.own);
            group = Some(Group { from: hit.start as usize, to: hit.end.0 as usize, own });
        }
        group
    }

    /// Adds the names that are joined to `group` on its left.
    fn widen_left(&self, group: Group, source: &SourceIndex) -> Group {
        let mut wide = group;
        for _ in 0..JOINED {
            let mut end = wide.from;
            if !joins(source.gap_before(end)) {
                return wide;
            }
            if end > 0 && source.gap_before(end).trim().is_empty() && is_and(source, end - 1) {
                end -= 1;
                if !joins(source.gap_before(end)) {
                    return wide;
                }
            } else if source.gap_before(end).trim().is_empty() {
                // Side by side without anything to join them: two columns, or a name in two parts.
                return wide;
            }
            match self.ending(end) {
                Some(more) => wide = Group { from: more.from, own: wide.own || more.own, ..wide },
                None => return wide,
            }
        }
        wide
    }

    /// Adds the names that are joined to `group` on its right.
    fn widen_right(&self, group: Group, source: &SourceIndex) -> Group {
        let mut wide = group;
        for _ in 0..JOINED {
            let gap = source.gap_before(wide.to);
            if !joins(gap) {
                return wide;
            }
            let start = if is_and(source, wide.to) && joins(source.gap_after(wide.to)) {
                wide.to + 1
            } else {
                wide.to
            };
            match self.starting(start) {
                Some(more) if !has_own_value(more.to, source) => {
                    wide = Group { to: more.to, own: wide.own || more.own, ..wide }
                }
                _ => return wide,
            }
        }
        wide
    }
}

/// Whether a gap may stand between two names that share a value.
fn joins(gap: &str) -> bool {
    !gap.contains('\n')
        && gap
            .chars()
            .all(|c| c.is_whitespace() || matches!(c, ',' | '/' | '&' | '(' | ')' | '[' | ']' | '+'))
}

fn is_and(source: &SourceIndex, i: usize) -> bool {
    listed_at(source, i) == Some(WordClass::And)
}

/// Whether the name that ends before token `end` is followed by a value of its own.
fn has_own_value(end: usize, source: &SourceIndex) -> bool {
    let gap = source.gap_before(end).trim_start();
    if gap.starts_with([':', '=']) {
        return true;
    }
    let next = source.token(end);
    matches!(listed_at(source, end), Some(WordClass::Polarity | WordClass::Degree | WordClass::Not))
        || (next.is_some_and(|token| token.kind == TokenKind::Number) && !gap.contains([',', ';', '.', '\n']))
        || ["is", "are", "was", "were"].iter().any(|word| source.token_is(end, word))
}

/// What a gap means for the clause.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Break {
    None,
    Weak,
    Line,
    Strong,
}

pub(super) fn break_before(i: usize, source: &SourceIndex) -> Break {
    let gap = source.gap_before(i);
    if gap == " " {
        return Break::None;
    }
    let labels = gap.contains(':') && !gap.contains(['.', ';', '!', '?']);
    if has_blank_line(gap) && !labels {
        return Break::Strong;
    }
    if gap.contains([';', '!', '?', '\u{2022}']) {
        return Break::Strong;
    }
    if let Some(dot) = gap.find('.') {
        let goes_on =
            source.token(i).is_some_and(|token| token.text(source.text()).starts_with(char::is_lowercase));
        let spaced = gap.get(dot + 1..).is_none_or(|rest| {
            rest.is_empty() || rest.starts_with([' ', ',', '\n', '\r', '\t', ')', '"', '.'])
        });
        let leads_on = dot == 0
            && i.checked_sub(1)
                .and_then(|last| source.token(last))
                .is_some_and(|last| last.listed().leads_on);
        if spaced && !goes_on && !leads_on && !is_labelled_by_a_sentence(i, source) {
            return Break::Strong;
        }
        return Break::Weak;
    }
    if gap.contains('\n') {
        // `- ` or `* ` opens a line of a list: another statement.
        return Break::Line;
    }
    if gap.contains(',') || gap.contains(" - ") || gap.contains('\u{2013}') || gap.contains('\u{2014}') {
        return Break::Weak;
    }
    Break::None
}

/// Whether a sentence of one word is what the few words before it, which end with a full stop as well, are a label of: `ER. Positive.`
/// as scanned tables read.
fn is_labelled_by_a_sentence(i: usize, source: &SourceIndex) -> bool {
    let ends = |i: usize| source.gap_after(i).starts_with(['.', ';', '\n']);
    let is_alone =
        listed_at(source, i) == Some(WordClass::Polarity) && source.gap_after(i).starts_with(['.', ' ']);
    let is_ended = ends(i) || source.gap_after(i).trim_start().starts_with('(');
    let is_label = || {
        let mut last = i.checked_sub(1);
        (0..LABEL_WORDS).any(|_| {
            let Some(at) = last else { return true };
            last = at.checked_sub(1);
            last.is_none_or(ends)
        })
    };
    is_alone && is_ended && is_label()
}

/// Most words of a label that a full stop ends.
const LABEL_WORDS: usize = 3;

/// Whether a match of the value at `found` is evidence for this field.
pub(super) fn belongs(found: TokenMatch, probe: &Probe<'_>, source: &SourceIndex, names: &Names<'_>) -> bool {
    if names.within(found) || heads_row(found, source, names) {
        return true;
    }
    let right = look_right(found, source, names);
    if let Some(right) = right
        && begins_anew(found, source)
    {
        return right.own;
    }
    let left = look_left(found, probe, source, names);
    match (left, right) {
        (Left::Group { own, .. }, None) => own,
        (Left::Group { value_first: true, .. }, Some(right)) => right.own,
        (Left::Group { own, near, .. }, Some(right)) => own && (near || right.own),
        (Left::Nothing, Some(right)) => right.own,
        (Left::Unclear, _) | (Left::Nothing, None) => false,
    }
}

/// Whether a value begins a statement of its own after `and` or a comma, about what follows it: `positive for ER and negative for PR`.
fn begins_anew(found: TokenMatch, source: &SourceIndex) -> bool {
    let follows = listed_at(source, found.to) == Some(WordClass::Connector);
    let Some(before) = found.from.checked_sub(1) else { return false };
    let is_small =
        |at: usize| matches!(listed_at(source, at), Some(WordClass::Connector | WordClass::Degree));
    let before = if is_small(before) && !source.gap_before(found.from).contains(',') {
        before.saturating_sub(1)
    } else {
        before
    };
    let anew = is_and(source, before) || source.gap_after(before).contains(',');
    follows && anew
}

/// Whether the match is a whole cell of a table row (cells parted by `|` or tabs) whose first cell is a name of the field.
fn heads_row(found: TokenMatch, source: &SourceIndex, names: &Names<'_>) -> bool {
    let parts = |gap: &str| gap.contains(['|', '\t']);
    let Some(last) = found.to.checked_sub(1) else { return false };
    let after = source.gap_after(last);
    let ends = parts(after) || after.contains('\n') || source.token(found.to).is_none();
    if !ends || !parts(source.gap_before(found.from)) {
        return false;
    }
    let mut start = found.from;
    for _ in 0..ROW {
        if start == 0 || source.gap_before(start).contains('\n') {
            return names
                .starting(start)
                .is_some_and(|group| group.own && parts(source.gap_before(group.to)));
        }
        start -= 1;
    }
    false
}

/// What is before a value.
#[derive(Clone, Copy, Debug)]
enum Left {
    /// The nearest names. `near`: only small words between. `value_first`: the clause opens with a value.
    Group { own: bool, near: bool, value_first: bool },
    /// Names, but something between says that they may be another value's.
    Unclear,
    /// No name in this clause.
    Nothing,
}

/// What was passed on the way left from a value.
#[derive(Clone, Copy, Debug, Default)]
struct Passed {
    /// Words of any kind.
    steps: usize,
    /// Words that say something.
    words: usize,
    numbers: usize,
    polarity: bool,
    degree: bool,
    denial: bool,
    coded: bool,
    weak: usize,
    lines: usize,
    /// Words that say something, in the value's own segment.
    own_segment: usize,
    after_line: usize,
}

fn look_left(found: TokenMatch, probe: &Probe<'_>, source: &SourceIndex, names: &Names<'_>) -> Left {
    let mut passed = Passed::default();
    let mut depth = 0_usize;
    let mut cell = false;
    let mut at = found.from;
    for _ in 0..REACH {
        if at == 0 {
            return Left::Nothing;
        }
        let gap = source.gap_before(at);
        depth = (depth + gap.matches(')').count()).saturating_sub(gap.matches('(').count());
        cell |= at == found.from && (gap.contains([':', '=', '\t', '|']) || gap.contains("   "));
        match break_before(at, source) {
            Break::Strong => return Left::Nothing,
            Break::Line => passed.lines += 1,
            Break::Weak if depth == 0 => passed.weak += 1,
            Break::Weak | Break::None => {}
        }
        if let Some(group) = names.ending(at) {
            let group = names.widen_left(group, source);
            cell |= source.gap_before(at).contains([':', '=']);
            return judge(found, probe, source, &passed, group, cell);
        }
        at -= 1;
        // What is in parentheses is about the name or the value, not between them.
        if depth > 0 {
            continue;
        }
        note(&mut passed, source, at);
    }
    Left::Nothing
}

/// Notes the token at `at` as standing between the value and the name that is still to come.
fn note(passed: &mut Passed, source: &SourceIndex, at: usize) {
    let Some(token) = source.token(at) else {
        return;
    };
    passed.steps += usize::from(token.kind == TokenKind::Word);
    match token.kind {
        TokenKind::Number => passed.numbers += 1,
        TokenKind::Symbol => {}
        TokenKind::Word => match listed_at(source, at) {
            Some(WordClass::Polarity) => passed.polarity = true,
            Some(WordClass::Degree) => passed.degree = true,
            Some(WordClass::Not | WordClass::No | WordClass::NotBefore) => passed.denial = true,
            Some(WordClass::And) => passed.weak += 1,
            Some(WordClass::Connector | WordClass::Common) => {}
            None => {
                if token.listed().unit.is_some() {
                    return;
                }
                let text = token.text(source.text());
                passed.coded |=
                    text.chars().any(|c| c.is_ascii_digit()) && text.starts_with(char::is_alphabetic);
                passed.words += 1;
                passed.own_segment += usize::from(passed.weak == 0 && passed.lines == 0);
                passed.after_line += usize::from(passed.lines > 0);
            }
        },
    }
}

/// Decides about the nearest names before the value, given what is between.
fn judge(
    found: TokenMatch,
    probe: &Probe<'_>,
    source: &SourceIndex,
    passed: &Passed,
    group: Group,
    cell: bool,
) -> Left {
    let near = passed.words == 0 && !passed.coded;
    let crossed = passed.weak > 0 || passed.lines > 0;
    let is_number = probe.tokens.iter().all(|token| token.kind == TokenKind::Number);
    // Crossing into another segment, that segment's own words would be its subject.
    let other_subject = crossed && passed.own_segment > 0 || passed.lines > 1 || passed.after_line > 0;
    let own_polarity = probe.has(WordClass::Polarity);
    let contradicted = if is_number {
        passed.numbers > 0 || passed.denial
    } else {
        own_polarity && passed.polarity
            || probe.has(WordClass::Degree) && passed.degree && !own_polarity
            || passed.denial && !probe.has(WordClass::Not) && !probe.has(WordClass::No)
    };
    let too_far = if probe.is_bare_number() {
        bare_is_far(found, probe, source, passed, cell, crossed)
    } else {
        passed.words > WORDS
    };
    if other_subject || contradicted || passed.coded || too_far {
        return Left::Unclear;
    }
    Left::Group { own: group.own, near, value_first: opens_with_value(group.from, source) }
}

/// A bare number counts things or measures something else unless its name is right before it.
fn bare_is_far(
    found: TokenMatch,
    _probe: &Probe<'_>,
    source: &SourceIndex,
    passed: &Passed,
    cell: bool,
    crossed: bool,
) -> bool {
    let unit = unit_at(source.text(), source.tokens(), found.from);
    let measured = unit.is_some_and(|unit| unit.dimension != Dimension::Percent);
    if crossed && unit.is_none() && passed.lines == 0 || crossed && measured {
        return true;
    }
    if measured && !cell && passed.steps > 1 {
        return true;
    }
    passed.words > if cell { WORDS } else { 0 }
}

/// Whether the segment that holds the names opens with a value before any name: `positive ER, …`.
fn opens_with_value(from: usize, source: &SourceIndex) -> bool {
    let mut at = from;
    let mut opens = false;
    for _ in 0..REACH {
        if at == 0 || break_before(at, source) != Break::None {
            return opens;
        }
        at -= 1;
        match listed_at(source, at) {
            Some(WordClass::And) => return opens,
            Some(WordClass::Polarity) => opens = true,
            Some(WordClass::Connector | WordClass::Degree) => {}
            _ => opens = false,
        }
    }
    opens
}

/// The names right after a value, with only small words between, that have no value of their own.
fn look_right(found: TokenMatch, source: &SourceIndex, names: &Names<'_>) -> Option<Group> {
    for at in found.to..found.to + 4 {
        let broken = break_before(at, source) != Break::None;
        if broken || source.gap_before(at).contains(['(', ')']) || at >= source.tokens().len() {
            return None;
        }
        if let Some(group) = names.starting(at) {
            let group = names.widen_right(group, source);
            return (!has_own_value(group.to, source)).then_some(group);
        }
        if !matches!(listed_at(source, at), Some(WordClass::Connector)) {
            return None;
        }
    }
    None
}
