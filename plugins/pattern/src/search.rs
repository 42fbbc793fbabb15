//! Searches one document for one field: the matches of its patterns, and the one of them that is its value.

use std::ops::Range;

use serde_json::{Map, Number, Value};

use crate::assertions::{Accepts, PLAIN, Rank};
use crate::expression::{Captures, Expression};
use crate::focus::Keys;
use crate::patterns::{Field, FieldKind, FieldPattern, Take};
use crate::sections::{SectionSearch, within};
use crate::ticks;
use crate::values::FieldVocabulary;
use crate::verbatim::{stands_in, tidy};
use loopctl_plugin_sdk::markup::readable;

/// The most matches of one pattern that are inspected in one document.
pub const MAX_MATCHES: usize = 2_000;

/// The most matches of one pattern that are compared with each other in one part of a document.
const MAX_CHOICES: usize = 64;

/// A value, and the positions in the document at which it and its parts were read.
pub(crate) struct FoundValue {
    pub(crate) value: Value,
    /// JSON Pointers within the value.
    pub(crate) read: Vec<(String, Range<usize>)>,
    /// `true` if the document says several things that differ, and nothing decides.
    pub(crate) is_ambiguous: bool,
}

impl FoundValue {
    /// The quotes of what was read, by pointer within the fields.
    pub(crate) fn quotes<'a>(
        &self,
        field: &str,
        source: &'a str,
    ) -> impl Iterator<Item = (String, String)> + use<'_, 'a> {
        let field = segment(field);
        self.read.iter().filter_map(move |(at, range)| {
            let quote = source.get(range.clone()).map(begun).filter(|quote| !quote.is_empty())?;
            Some((format!("{field}{at}"), quote.to_owned()))
        })
    }
}

/// A passage without what ends the one before it: `. The margins are free`.
fn begun(passage: &str) -> &str {
    let mut passage = passage.trim();
    while let Some(rest) =
        passage.strip_prefix(['.', ',', ';', ':']).filter(|rest| rest.starts_with(char::is_whitespace))
    {
        passage = rest.trim_start();
    }
    passage
}

impl From<Value> for FoundValue {
    fn from(value: Value) -> Self {
        FoundValue { value, read: Vec::new(), is_ambiguous: false }
    }
}

/// A key as a segment of a JSON Pointer.
pub(crate) fn segment(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// The search for one field in one document.
pub(crate) struct Search<'a> {
    /// The name of the field.
    pub(crate) name: &'a str,
    pub(crate) field: &'a Field,
    pub(crate) source: &'a str,
    pub(crate) sections: &'a SectionSearch<'a>,
    pub(crate) tiers: Range<u32>,
    /// Only here, if not in all of it.
    pub(crate) within: Option<&'a [Range<usize>]>,
}

impl<'a> Search<'a> {
    /// The field's value by all patterns of the tiers; `other_than` is a value that was refused.
    pub(crate) fn all(&self, other_than: Option<&Value>) -> Option<FoundValue> {
        match self.field.kind {
            FieldKind::Whole => {
                (!self.source.trim().is_empty()).then(|| Value::String(self.source.to_owned()).into())
            }
            FieldKind::Text | FieldKind::Number => self.scalar(other_than),
            FieldKind::Object => self.object(&Map::new(), None),
            FieldKind::List => self.list(Vec::new()),
            FieldKind::Each => None,
        }
    }

    /// A single value that was refused: something else by the wider patterns, or the same if the document says it.
    pub(crate) fn again(&self, old: &Value) -> Option<FoundValue> {
        let wider = Search { tiers: 1..self.tiers.end, ..*self };
        let other = match self.field.kind {
            FieldKind::Object | FieldKind::List => self.all(None),
            FieldKind::Text | FieldKind::Number | FieldKind::Whole | FieldKind::Each => wider.all(Some(old)),
        };
        other.or_else(|| self.is_said(old).then(|| old.clone().into()))
    }

    pub(crate) fn again_object(&self, old: &Map<String, Value>, refused: &Keys) -> Option<FoundValue> {
        let mut kept = old.clone();
        let mut read = Vec::new();
        let mut asked = Map::new();
        for key in refused {
            if let Some(value) = kept.remove(key) {
                asked.insert(key.clone(), value);
            }
        }
        let wider = Search { tiers: 1..self.tiers.end, ..*self };
        for search in [&wider, self] {
            if let Some(FoundValue { value: Value::Object(found), read: places, .. }) =
                search.object(&kept, Some(&asked))
            {
                kept = found;
                read.extend(places);
            }
        }
        for (key, value) in asked {
            if !kept.contains_key(&key) && self.is_said(&value) {
                kept.insert(key, value);
            }
        }
        // The order of keys follows the base, so that a correction changes no more than it must.
        let mut out = Map::new();
        for key in old.keys() {
            if let Some(value) = kept.remove(key) {
                out.insert(key.clone(), value);
            }
        }
        out.extend(kept);
        (!out.is_empty()).then_some(FoundValue { value: Value::Object(out), read, is_ambiguous: false })
    }

    pub(crate) fn again_list(&self, old: &[Value], refused: &Keys) -> Option<FoundValue> {
        let kept = old
            .iter()
            .enumerate()
            .filter(|(at, item)| !refused.contains(&at.to_string()) || self.is_said(item))
            .map(|(_, item)| item.clone())
            .collect();
        self.list(kept)
    }

    /// Returns whether every text of a value is in the document. Numbers count when a pattern of the field reads them
    /// there.
    fn is_said(&self, value: &Value) -> bool {
        match value {
            Value::String(text) if text.trim().is_empty() => false,
            Value::String(text) => match self.within {
                None => self.stands_in(text.trim(), self.source),
                Some(stretches) => stretches
                    .iter()
                    .filter_map(|stretch| self.source.get(stretch.clone()))
                    .any(|own| self.stands_in(text.trim(), own)),
            },
            Value::Number(_) => {
                let mut said = false;
                self.each_match(|_, captures, _| {
                    said |= captures.name("value").and_then(|m| number(m.as_str())).as_ref() == Some(value);
                });
                said
            }
            Value::Array(items) => items.iter().all(|item| self.is_said(item)),
            Value::Object(map) => map.values().all(|item| self.is_said(item)),
            Value::Null | Value::Bool(_) => false,
        }
    }

    fn scalar(&self, other_than: Option<&Value>) -> Option<FoundValue> {
        if let Some(values) = &self.field.values {
            let chosen = self.chosen(values, other_than);
            if chosen.is_some() {
                return chosen;
            }
        }
        // Where nothing is affirmed, any match is taken.
        let found = self.first_of(other_than, true).or_else(|| self.first_of(other_than, false));
        found.map(|(value, range)| FoundValue {
            value,
            read: vec![(String::new(), range)],
            is_ambiguous: false,
        })
    }

    /// The value by the first pattern that has a match, and where it was read: of several matches the one in the most
    /// final part, up to those without a heading that is known, then the first or the last.
    fn first_of(&self, other_than: Option<&Value>, affirmed: bool) -> Option<(Value, Range<usize>)> {
        for pattern in self.patterns() {
            let mut best: Option<(Rank, Value, Range<usize>)> = None;
            let mut seen = 0;
            'places: for place in self.places(pattern) {
                let within = self.source.get(place.clone()).unwrap_or_default();
                let mut consider = |piece: &str, at: Range<usize>, read: Range<usize>| {
                    let from = at.start + place.start;
                    if ticks::is_unticked(self.source, from) {
                        return false;
                    }
                    let value = if self.field.kind == FieldKind::Number {
                        number(piece)
                    } else {
                        self.text(self.whole(piece, from), pattern)
                    };
                    let Some(value) = value.filter(|value| Some(value) != other_than) else { return false };
                    let rank = self.rank(piece, &(at.start + place.start..at.end + place.start), None);
                    let rank = Rank { finality: rank.finality.min(PLAIN), ..rank };
                    if affirmed && !rank.is_affirmed {
                        return false;
                    }
                    let is_first = pattern.take == Take::First;
                    if best.as_ref().is_none_or(|(known, ..)| rank > *known || rank == *known && !is_first) {
                        best = Some((rank, value, read.start + place.start..read.end + place.start));
                    }
                    seen += 1;
                    is_first && rank.is_settled && rank.finality >= PLAIN || seen >= MAX_MATCHES
                };
                let Some(regex) = &pattern.regex else {
                    if consider(within, 0..0, 0..within.len()) {
                        break;
                    }
                    continue;
                };
                for captures in regex.captures_iter(within).take(MAX_MATCHES) {
                    let (Some(piece), Some(all)) = (captures.name("value"), captures.whole()) else {
                        continue;
                    };
                    if consider(piece.as_str(), piece.range(), all.range()) {
                        break 'places;
                    }
                }
            }
            if let Some((_, value, range)) = best {
                return Some((value, range));
            }
        }
        None
    }

    /// The rank of a match among others of its pattern; `values` reads it, if anything does.
    fn rank(&self, piece: &str, at: &Range<usize>, values: Option<&FieldVocabulary>) -> Rank {
        self.sections.rank(
            at,
            Accepts {
                field: self.name,
                negated: values.is_some_and(FieldVocabulary::is_polarity),
                is_number: values.is_none() && !piece.contains(char::is_alphabetic),
                is_in_part: self.within.is_some(),
            },
        )
    }

    /// The value by a vocabulary: of all matches of the first pattern that finds one that is affirmed, in the most final part of the
    /// document, the first that says what most of them do not contradict: all say the same, or one says what the vocabulary
    /// prefers. Otherwise the document does not decide.
    fn chosen(&self, values: &FieldVocabulary, other_than: Option<&Value>) -> Option<FoundValue> {
        let found = |affirmed: bool| {
            self.patterns().find_map(|pattern| {
                let regex = pattern.regex.as_ref().filter(|_| pattern.take == Take::First)?;
                let mut matches: Vec<Match> = Vec::new();
                for place in self.places(pattern) {
                    if self.sections.is_preliminary(&place) && !matches.is_empty() {
                        break;
                    }
                    let within = self.source.get(place.clone()).unwrap_or_default();
                    for captures in regex.captures_iter(within).take(MAX_CHOICES) {
                        let (Some(piece), Some(all)) = (captures.name("value"), captures.whole()) else {
                            continue;
                        };
                        let at = piece.start() + place.start..piece.end() + place.start;
                        if ticks::is_unticked(self.source, at.start) {
                            continue;
                        }
                        let value = self.text(self.whole(piece.as_str(), at.start), pattern);
                        let Some(value) = value.filter(|value| Some(value) != other_than) else { continue };
                        let rank = self.rank(piece.as_str(), &at, Some(values));
                        if affirmed && !rank.is_affirmed {
                            continue;
                        }
                        let says = values.read(piece.as_str());
                        matches.push((value, all.start() + place.start..all.end() + place.start, says, rank));
                    }
                }
                chosen_of(matches, values)
            })
        };
        found(true).or_else(|| found(false))
    }

    /// Adds to `kept` the keys that it lacks; the first match of a key counts. `refused` values are skipped.
    fn object(&self, kept: &Map<String, Value>, refused: Option<&Map<String, Value>>) -> Option<FoundValue> {
        let mut out = kept.clone();
        let mut read = Vec::new();
        self.each_match(|pattern, captures, offset| {
            let key = captures.name("key").and_then(|key| self.key(key.as_str()));
            let value = captures.name("value").and_then(|value| self.text(value.as_str(), pattern));
            if let (Some(key), Some(value)) = (key, value)
                && !out.contains_key(&key)
                && refused.and_then(|refused| refused.get(&key)) != Some(&value)
            {
                if let Some(all) = captures.whole() {
                    read.push((segment(&key), all.start() + offset..all.end() + offset));
                }
                out.insert(key, value);
            }
        });
        (!out.is_empty()).then_some(FoundValue { value: Value::Object(out), read, is_ambiguous: false })
    }

    /// A captured piece on one line, as a reader sees it.
    fn tidy(&self, piece: &str) -> Option<String> {
        if self.field.has_markup { tidy(&readable(piece, &[])) } else { tidy(piece) }
    }

    /// A piece with what decides it, if that follows: `perirenal fat`, of `perirenal fat: negative`.
    fn whole<'p>(&self, piece: &'p str, from: usize) -> &'p str
    where
        'a: 'p,
    {
        let Some(verdict) = &self.field.verdict else { return piece };
        let rest = self.source.get(from + piece.len()..).unwrap_or_default();
        let line = ticks::line(rest);
        let found = verdict.captures_iter(line).next().and_then(|captures| captures.whole());
        let end = found.filter(|found| found.start() == 0).map_or(0, |found| found.end());
        self.source.get(from..from + piece.len() + end).unwrap_or(piece)
    }

    fn text(&self, piece: &str, pattern: &FieldPattern) -> Option<Value> {
        let piece = self.tidy(&ticks::ticked(piece)?)?;
        if pattern.reject.as_ref().is_some_and(|reject| reject.is_match(&piece)) {
            return None;
        }
        Some(Value::String(piece))
    }

    fn item(&self, regex: &Expression, captures: &Captures<'_>) -> Option<Value> {
        let mut out = Map::new();
        for name in regex.names() {
            if let Some(piece) = captures.name(name).and_then(|m| self.tidy(m.as_str())) {
                out.insert(name.to_owned(), Value::String(piece));
            }
        }
        (!out.is_empty()).then_some(Value::Object(out))
    }

    /// Returns whether a text is in a part of the document.
    fn stands_in(&self, text: &str, part: &str) -> bool {
        stands_in(text, part) || (self.field.has_markup && stands_in(text, &readable(part, &[])))
    }

    fn key(&self, captured: &str) -> Option<String> {
        let captured = self.tidy(captured)?;
        if self.field.keys.is_empty() {
            return Some(captured);
        }
        self.field.keys.iter().find(|(_, pattern)| pattern.is_match(&captured)).map(|(key, _)| key.clone())
    }

    /// Adds to `kept` one object per match, in document order. A stretch of text that one pattern has read is not read
    /// again by a later one.
    fn list(&self, kept: Vec<Value>) -> Option<FoundValue> {
        let tables = self.field.rows.as_ref().filter(|_| self.within.is_none());
        let tables = tables.map_or_else(Vec::new, |rows| rows.read(self.source, MAX_MATCHES));
        let (headed, others): (Vec<_>, Vec<_>) = tables.into_iter().partition(|row| row.is_headed);
        let mut read = ReadItems::default();
        headed.into_iter().for_each(|row| read.add(row.bytes, Value::Object(row.item)));
        // What strict patterns read is known better than by the looks of cells, and wider ones guess.
        self.read_items(0..1, &mut read);
        others.into_iter().for_each(|row| read.add(row.bytes, Value::Object(row.item)));
        self.read_items(1..u32::MAX, &mut read);
        let ReadItems(mut read) = read;
        read.sort_by_key(|(span, _)| span.start);
        let mut out = kept;
        let mut places = Vec::new();
        for (span, item) in read {
            if !out.contains(&item) {
                places.push((format!("/{}", out.len()), span));
                out.push(item);
            }
        }
        (!out.is_empty()).then_some(FoundValue {
            value: Value::Array(out),
            read: places,
            is_ambiguous: false,
        })
    }

    /// Reads the elements of a list by the patterns of some tiers.
    fn read_items(&self, tiers: Range<u32>, read: &mut ReadItems) {
        let tiers = tiers.start.max(self.tiers.start)..tiers.end.min(self.tiers.end);
        Search { tiers, ..*self }.each_match(|pattern, captures, offset| {
            let Some((regex, all)) = pattern.regex.as_ref().zip(captures.whole()) else { return };
            let span = all.start() + offset..all.end() + offset;
            let is_refused = || pattern.reject.as_ref().is_some_and(|reject| reject.is_match(all.as_str()));
            if read.is_free(&span)
                && !is_refused()
                && let Some(item) = self.item(regex, captures)
            {
                read.add(span, item);
            }
        });
    }

    fn patterns(&self) -> impl Iterator<Item = &'a FieldPattern> + use<'a> {
        let tiers = self.tiers.clone();
        self.field.patterns.iter().filter(move |pattern| tiers.contains(&pattern.tier))
    }

    /// The ranges that a pattern searches: the whole document or the sections that it names, or the head of
    /// those.
    fn places(&self, pattern: &'a FieldPattern) -> Vec<Range<usize>> {
        let mut places: Vec<Range<usize>> = match (&pattern.section, self.within) {
            (Some(title), None) => self.sections.under(title).to_vec(),
            (Some(title), Some(stretches)) => within(&self.sections.under(title), stretches),
            (None, None) => std::iter::once(0..self.source.len()).collect(),
            (None, Some(stretches)) => stretches.to_vec(),
        };
        if let Some(characters) = pattern.head {
            for place in &mut places {
                let text = self.source.get(place.clone()).unwrap_or_default();
                if let Some((length, _)) = text.char_indices().nth(characters) {
                    place.end = place.start + length;
                }
            }
        }
        let mut places = self.sections.final_first(places);
        if pattern.take == Take::Last {
            // Of several ranges, the last one that says something counts.
            places.sort_by_key(|place| (!self.sections.is_preliminary(place), place.start));
        }
        places
    }

    /// Every match, and the start of the text in which it was found.
    fn each_match(&self, mut see: impl FnMut(&FieldPattern, &Captures<'_>, usize)) {
        for pattern in self.patterns() {
            let Some(regex) = &pattern.regex else { continue };
            for place in self.places(pattern) {
                let offset = place.start;
                let within = self.source.get(place).unwrap_or_default();
                for captures in regex.captures_iter(within).take(MAX_MATCHES) {
                    see(pattern, &captures, offset);
                }
            }
        }
    }
}

/// The elements of a list with the stretches that they were read from, none of which meet.
#[derive(Default)]
struct ReadItems(Vec<(Range<usize>, Value)>);

impl ReadItems {
    fn is_free(&self, span: &Range<usize>) -> bool {
        !self.0.iter().any(|(other, _)| other.start < span.end && span.start < other.end)
    }

    fn add(&mut self, span: Range<usize>, item: Value) {
        if self.is_free(&span) {
            self.0.push((span, item));
        }
    }
}

/// A match: its value, where it was read, what that says in the field's vocabulary, and how much it counts.
type Match = (Value, Range<usize>, Option<usize>, Rank);

/// The match that counts: those in the most final part come before others that can be read.
fn chosen_of(mut matches: Vec<Match>, values: &FieldVocabulary) -> Option<FoundValue> {
    let most = matches.iter().filter(|(_, _, says, _)| says.is_some()).map(|(.., rank)| *rank).max();
    matches.retain(|(.., rank)| most.is_none_or(|most| *rank >= most));
    let (first, at, ..) = matches.first()?;
    let said = matches.iter().find_map(|(_, _, says, _)| *says);
    let differs = matches.iter().any(|(_, _, says, _)| says.is_some() && *says != said);
    let preferred = matches
        .iter()
        .find(|(_, _, says, _)| says.is_some() && *says == values.prefers())
        .filter(|_| differs);
    let (value, range) = preferred.map_or((first, at), |(value, range, ..)| (value, range));
    let is_ambiguous = differs && preferred.is_none();
    Some(FoundValue { value: value.clone(), read: vec![(String::new(), range.clone())], is_ambiguous })
}

/// A plain decimal number. A comma is a decimal comma only when one or two digits follow it (`12,5`). A negative one is
/// written as `-45.00` (with any dash that is used so), `(45.00)` or `45.00-`.
fn number(piece: &str) -> Option<Value> {
    let (is_negative, digits) = unsigned(piece.trim());
    let plain = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ','));
    if !plain {
        return None;
    }
    let decimal = match digits.split_once(',') {
        Some((whole, part)) if (1..=2).contains(&part.len()) => format!("{whole}.{part}"),
        Some(_) => return None,
        None => digits.to_owned(),
    };
    let decimal = if is_negative { format!("-{decimal}") } else { decimal };
    if let Ok(whole) = decimal.parse::<i64>() {
        return Some(Value::Number(whole.into()));
    }
    decimal.parse::<f64>().ok().and_then(Number::from_f64).map(Value::Number)
}

/// Returns whether a number is negative, and its digits.
fn unsigned(piece: &str) -> (bool, &str) {
    /// Hyphen and minus, the minus sign, an en dash, the full-width hyphen.
    const MINUS: [char; 4] = ['-', '\u{2212}', '\u{2013}', '\u{ff0d}'];
    let bracketed = piece.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).map(str::trim);
    // The minus sign is nothing else, so that a blank may follow it; a hyphen with one may be a bullet.
    let minus = piece.strip_prefix('\u{2212}').map(str::trim_start).or_else(|| piece.strip_prefix(MINUS));
    match bracketed.or(minus).or_else(|| piece.strip_suffix(MINUS)) {
        Some(digits) => (true, digits),
        None => (false, piece),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_keep_their_sign_however_it_is_written() {
        for (piece, value) in [
            ("45.00", json!(45.0)),
            ("-45.00", json!(-45.0)),
            ("\u{2212}45.00", json!(-45.0)),
            ("\u{2212} 45.00", json!(-45.0)),
            ("\u{2013}45.00", json!(-45.0)),
            ("\u{ff0d}45", json!(-45)),
            ("(45.00)", json!(-45.0)),
            ("( 45 )", json!(-45)),
            ("45.00-", json!(-45.0)),
            ("45,5\u{2212}", json!(-45.5)),
            (" -12,5 ", json!(-12.5)),
            ("-7", json!(-7)),
            ("0", json!(0)),
        ] {
            assert_eq!(number(piece), Some(value), "{piece}");
        }
        for piece in
            ["- 45", "--45", "(-45)", "-45-", "(45", "45)", "()", "-", "1-2", "1,234", "+-3", "", "4 5"]
        {
            assert_eq!(number(piece), None, "{piece}");
        }
    }
}
