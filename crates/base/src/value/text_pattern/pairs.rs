//! Two characters that a text must hold side by side: their absence is determined for eight bytes at once.

use super::steps::{Step, Steps};
use regex_syntax::hir::ClassUnicode;

/// Most pairs that are looked for.
const MOST_PAIRS: usize = 4;
/// The letters of Latin alphabets, the common ones first. Of the forms in which a pattern may be found, the rarest pair
/// is looked for.
const COMMON: &[u8] = b"etaoinsrlcdumpfghbvykxwqzj";

/// Some bytes, so that many can be compared at once: those between two, after some bits are set in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bytes {
    set_bits: u8,
    first: u8,
    /// The distance of the last from the first.
    span: u8,
}

const ANY: Bytes = Bytes { set_bits: 0, first: 0, span: u8::MAX };

impl Bytes {
    /// At least those of ASCII that a set has; none if it has none.
    fn of(set: &ClassUnicode) -> Option<Self> {
        let mut ranges = set.ranges().iter().filter(|range| range.start().is_ascii()).map(|range| {
            let [first, last] = [range.start(), range.end()].map(|c| u8::try_from(c).unwrap_or(u8::MAX));
            (first, last)
        });
        let (first, last) = ranges.next()?;
        let one = Bytes { set_bits: 0, first, span: last - first };
        let is_same_letters = |(lower, last_lower): (u8, u8)| {
            [(first, lower), (last, last_lower)].iter().all(|(a, b)| a.to_ascii_lowercase() == *b)
        };
        Some(match (ranges.next(), ranges.next()) {
            (None, _) => one,
            (Some(lower), None) if is_same_letters(lower) => Bytes { set_bits: 0x20, first: lower.0, ..one },
            _ => ANY,
        })
    }

    /// The likelihood that a text has one, by a rough measure.
    fn commonness(self) -> usize {
        if self.span > 0 {
            return usize::from(self.span) + COMMON.len();
        }
        match self.first {
            b' ' => COMMON.len(),
            letter => COMMON.iter().rev().position(|c| *c == letter.to_ascii_lowercase()).unwrap_or_default(),
        }
    }
}

/// The number of bytes that are compared at once.
const WIDTH: usize = 8;
/// The highest bit of each, which no byte of ASCII has.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Like [`Bytes`], for each of several bytes of ASCII.
#[derive(Debug)]
struct Lanes {
    set_bits: u64,
    /// A summand that sets a byte's highest bit if it is not below the first.
    not_below: u64,
    /// A summand that sets a byte's highest bit if it is above the last.
    above: u64,
}

impl Lanes {
    fn of(bytes: Bytes) -> Self {
        let each = |byte: u8| u64::from_ne_bytes([byte; WIDTH]);
        let last = bytes.first.saturating_add(bytes.span).min(0x7F);
        Lanes {
            set_bits: each(bytes.set_bits),
            not_below: each(0x80 - bytes.first.min(0x7F)),
            above: each(0x7F - last),
        }
    }

    /// The highest bits of those bytes that are among these.
    fn have(&self, bytes: u64) -> u64 {
        let bytes = bytes | self.set_bits;
        // No sum is above 255, so that none carries into the next.
        bytes.wrapping_add(self.not_below) & !bytes.wrapping_add(self.above)
    }
}

/// Pairs of which an ASCII text has at least one if it has the pattern.
#[derive(Debug)]
pub(super) struct Pairs {
    pairs: Vec<[Lanes; 2]>,
    /// The most bytes that come before a pair in a text of ASCII, if they are counted.
    before: Option<usize>,
}

impl Pairs {
    /// Those of some rows. None if too many had to be looked for.
    pub(super) fn of<'r>(rows: impl Iterator<Item = &'r Steps>) -> Option<Self> {
        let (mut pairs, mut before) = (Vec::new(), Some(0));
        for row in rows {
            // What may be missing at the start and the end of a text is not looked for.
            let (first, last) = (row.at_start.unwrap_or(0), row.at_end.unwrap_or(row.steps.len() - 1));
            let steps = row.steps.get(first..=last)?;
            let bytes: Option<Vec<Bytes>> = steps.iter().map(|Step { set, .. }| Bytes::of(set)).collect();
            // A row with other letters is in no text of ASCII, and may begin anywhere before them.
            let Some(bytes) = bytes else {
                before = None;
                continue;
            };
            let of_row =
                || (first..).zip(bytes.windows(2).filter_map(|pair| <[Bytes; 2]>::try_from(pair).ok()));
            let commonness = |pair: &[Bytes; 2]| pair.map(Bytes::commonness).iter().sum::<usize>();
            let at = if let [only] = *bytes {
                // It may be the first or the last of the text.
                pairs.extend([[only, ANY], [ANY, only]]);
                first + 1
            } else if let Some((at, _)) = of_row().find(|(_, pair)| pairs.contains(pair)) {
                at
            } else {
                let (at, rarest) = of_row().min_by_key(|(_, pair)| commonness(pair))?;
                pairs.push(rarest);
                at
            };
            let is_counted = !row.steps.iter().take(at + 1).any(|step| step.again);
            before = if is_counted { before.map(|before: usize| before.max(at)) } else { None };
        }
        let pays = !pairs.is_empty() && pairs.len() <= MOST_PAIRS && !pairs.contains(&[ANY, ANY]);
        pays.then(|| Pairs { pairs: pairs.into_iter().map(|pair| pair.map(Lanes::of)).collect(), before })
    }

    /// The position at which the pattern may begin in a text; `None` if it certainly is not there.
    pub(super) fn begin(&self, text: &[u8]) -> Option<usize> {
        let last = match text.len() {
            0..=4 => return Some(0),
            5..=8 => return self.may_be_in_short(text).then_some(0),
            len => len - WIDTH - 1,
        };
        let mut at = 0;
        loop {
            let window = |at: usize| Some(u64::from_le_bytes(*text.get(at..)?.first_chunk()?));
            let (Some(these), Some(next)) = (window(at), window(at + 1)) else { return Some(0) };
            let found = self.found(these, next);
            if found != 0 {
                let pair = at + found.trailing_zeros() as usize / 8;
                return Some(self.before.map_or(0, |before| pair.saturating_sub(before)));
            }
            if at == last {
                return None;
            }
            at = last.min(at + WIDTH);
        }
    }

    /// Returns whether one may be in a text of five to eight bytes: the first four and the last.
    fn may_be_in_short(&self, text: &[u8]) -> bool {
        let half = |at: usize| Some(u64::from(u32::from_le_bytes(*text.get(at..)?.first_chunk()?)));
        let last = text.len().saturating_sub(WIDTH / 2);
        let both = |at: usize, last: usize| Some(half(at)? | half(last)? << 32);
        match (both(0, last.saturating_sub(1)), both(1, last)) {
            (Some(these), Some(next)) => self.found(these, next) != 0,
            _ => true,
        }
    }

    /// The highest bits of those bytes that with their next may be a pair.
    fn found(&self, these: u64, next: u64) -> u64 {
        let found = self.pairs.iter().fold(0, |all, [one, other]| all | (one.have(these) & other.have(next)));
        // Beyond ASCII, all may be.
        (found | these | next) & HIGH
    }
}
