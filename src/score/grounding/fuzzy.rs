//! Finding a phrase through scanning errors.
//!
//! Plain edit distance is no measure here: `asymptomatic` is one letter from `symptomatic`, `gastrostomy` one from
//! `gastrotomy`, `intraorbital` one from `infraorbital`. Only the errors that scanners and hurried typists make are
//! forgiven: shapes that look alike (`rn` for `m`), letters swapped, a doubled letter; never the first letter, never in
//! numbers, short words, or words that say whether something is there.

use super::MOST_REFUSED;
use super::fold::{LONGEST_WORD as LONGEST, Word, fold_eq};
use super::index::SourceIndex;
use super::probe::{Probe, number_at, unit_at};
use super::sequence::TokenMatch;
use super::token::{Token, TokenKind, letters};
use super::words::listed;
use crate::value::Fuel;

/// Shapes that scanning confuses, folded, either way round.
const ALIKE: &[(&str, &str)] = &[
    ("rn", "m"),
    ("cl", "d"),
    ("vv", "w"),
    ("ii", "u"),
    ("li", "h"),
    ("ri", "n"),
    ("0", "o"),
    ("1", "l"),
    ("1", "i"),
    ("l", "i"),
    ("5", "s"),
    ("c", "e"),
    ("u", "v"),
    ("v", "y"),
    ("g", "q"),
    ("8", "b"),
    ("6", "b"),
    ("9", "g"),
    ("j", "i"),
];

/// Words shorter than this must be right.
const SHORTEST_WORD: usize = 5;
/// Values with fewer letters are never found approximately.
const SHORTEST_VALUE: usize = 8;
/// What it costs to hold one word against another, in token comparisons.
const ALIGNING: u64 = 4;
/// How many tokens are passed over in the time of one comparison.
const SCANNED: usize = 4;
/// Costs are counted in halves of a letter.
const SHAPE: usize = 1;
const SLIP: usize = 2;

/// The cheapest way to read `b` as `a`, in half letters, within `budget`; the first letters must be the same.
fn cost(a: &str, b: &str, budget: usize) -> Option<usize> {
    let same_start = a.chars().next() == b.chars().next();
    if a == b {
        return Some(0);
    }
    if !same_start || a.len() > LONGEST || b.len() > LONGEST {
        return None;
    }
    // Nearly all words end here, before a table is made.
    if !may_go_on(a, b) {
        return None;
    }
    Costs { a, b, known: [[(0, 0); LONGEST + 1]; LONGEST + 1], looked_at: 0 }.least(0, 0, budget)
}

/// Costs of reading the rest of `b` as the rest of `a`, each found once: shapes can be taken together in many ways that
/// come to the same places.
struct Costs<'w> {
    a: &'w str,
    b: &'w str,
    /// By where the rests begin: one more than the budget that was tried and the cost within it, 0 for none.
    known: [[(u8, u8); LONGEST + 1]; LONGEST + 1],
    looked_at: usize,
}

impl Costs<'_> {
    /// Bytes: both are folded.
    fn least(&mut self, at: usize, bt: usize, budget: usize) -> Option<usize> {
        let (tried, cost) = self.known.get(at).and_then(|row| row.get(bt)).copied().unwrap_or_default();
        // The least cost is the same in every budget that allows it.
        if let Some(cost) = usize::from(cost).checked_sub(1) {
            return (cost <= budget).then_some(cost);
        }
        if usize::from(tried) > budget {
            return None;
        }
        self.looked_at += 1;
        let cost = self.find(at, bt, budget);
        if let Some(slot) = self.known.get_mut(at).and_then(|row| row.get_mut(bt)) {
            let more = |number: usize| u8::try_from(number.saturating_add(1)).unwrap_or(u8::MAX);
            *slot = (more(budget), cost.map_or(0, more));
        }
        cost
    }

    fn find(&mut self, at: usize, bt: usize, budget: usize) -> Option<usize> {
        let (whole_a, whole_b) = (self.a, self.b);
        let (a, b) = (whole_a.get(at..)?, whole_b.get(bt..)?);
        let same = same_bytes(a, b);
        let (rest_a, rest_b) = (a.get(same..)?, b.get(same..)?);
        if rest_a.is_empty() && rest_b.is_empty() {
            return Some(0);
        }
        let mut best: Option<usize> = None;
        let mut consider = |spent: usize, left_a: usize, left_b: usize| {
            let left = budget.checked_sub(spent);
            let rest = left.and_then(|left| self.least(whole_a.len() - left_a, whole_b.len() - left_b, left));
            if let Some(rest) = rest {
                best = Some(best.map_or(rest + spent, |known| known.min(rest + spent)));
            }
        };
        steps(a, b, same, &mut consider);
        best
    }
}

/// How many bytes two texts begin with alike, in whole characters.
fn same_bytes(a: &str, b: &str) -> usize {
    let same = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    (0..=same).rev().find(|i| a.is_char_boundary(*i) && b.is_char_boundary(*i)).unwrap_or(0)
}

/// Which letters shapes that look alike begin with, by the letter that the other begins with.
#[expect(clippy::indexing_slicing, reason = "what is out of bounds here does not compile")]
const ALIKE_FIRST: [u128; 128] = {
    let mut first = [0_u128; 128];
    let mut at = 0;
    while at < ALIKE.len() {
        let (x, y) = (ALIKE[at].0.as_bytes()[0], ALIKE[at].1.as_bytes()[0]);
        first[x as usize] |= 1 << y;
        first[y as usize] |= 1 << x;
        at += 1;
    }
    first
};

/// Whether an error that is forgiven may stand where two words begin to differ: quick, and true too often.
fn may_go_on(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let at = |word: &[u8], i: usize| word.get(i).copied().unwrap_or_default();
    let (x, y, before) = (at(a, same), at(b, same), at(a, same.saturating_sub(1)));
    !(x.is_ascii() && y.is_ascii())
        || ALIKE_FIRST.get(usize::from(x)).is_some_and(|others| others >> y & 1 == 1)
        || (x == at(b, same + 1) && y == at(a, same + 1))
        || x == before
        || y == before
}

/// Every error that can follow the `same` bytes that both begin with: its cost, and how many bytes are left of each.
fn steps(a: &str, b: &str, same: usize, consider: &mut impl FnMut(usize, usize, usize)) {
    let (Some(rest_a), Some(rest_b)) = (a.get(same..), b.get(same..)) else {
        return;
    };
    for (x, y) in ALIKE {
        for (x, y) in [(x, y), (y, x)] {
            if rest_a.starts_with(x) && rest_b.starts_with(y) {
                consider(SHAPE, rest_a.len() - x.len(), rest_b.len() - y.len());
            }
        }
    }
    let two = |text: &str| {
        let mut chars = text.chars();
        Some((chars.next()?, chars.next()?, chars.as_str().len()))
    };
    if let (Some((a1, a2, left_a)), Some((b1, b2, left_b))) = (two(rest_a), two(rest_b))
        && a1 == b2
        && a2 == b1
    {
        consider(SLIP, left_a, left_b);
    }
    let before = a.get(..same).unwrap_or_default().chars().next_back();
    for (longer, shorter, swapped) in [(rest_a, rest_b, false), (rest_b, rest_a, true)] {
        let mut chars = longer.chars();
        if chars.next().is_some_and(|c| Some(c) == before) {
            let (longer, shorter) = (chars.as_str().len(), shorter.len());
            let (left_a, left_b) = if swapped { (shorter, longer) } else { (longer, shorter) };
            consider(SLIP, left_a, left_b);
        }
    }
}

/// Looks for the value with at most `1 - bound` errors per letter. `accept` settles boundaries and negation.
pub(super) fn find(
    probe: &Probe<'_>,
    source: &SourceIndex,
    bound: f64,
    fuel: &Fuel,
    accept: impl Fn(TokenMatch) -> bool,
) -> Option<TokenMatch> {
    let total: usize = probe
        .tokens
        .iter()
        .filter(|token| token.kind == TokenKind::Word)
        .map(|token| letters(token.text(probe.text)))
        .sum();
    if total < SHORTEST_VALUE || !(0.0..1.0).contains(&bound) {
        return None;
    }
    let allowed = allowed_halves(total, bound);
    let longest = (0..probe.tokens.len()).max_by_key(|i| (letters(probe.word(*i)), usize::MAX - i))?;
    // A word that is there as it should be leads to the place; else every word that might be the longest one.
    let anchor = (0..probe.tokens.len())
        .filter(|i| letters(probe.word(*i)) >= SHORTEST_WORD)
        .map(|i| (count(probe, source, i), i))
        .filter(|(count, _)| *count > 0)
        .min()
        .map(|(_, i)| i);
    let first = Word::new(probe.word(longest)).and_then(|word| word.as_str().chars().next());
    let might_be_longest = |from: usize| {
        let (Some(token), Some(first)) = (source.token(from + longest), first) else { return false };
        let size = (token.end - token.start) as usize;
        let starts = |c: char| c == first || !c.is_ascii() || c.to_ascii_lowercase() == first;
        token.kind == TokenKind::Word
            && size.abs_diff(probe.word(longest).len()) <= allowed + 2
            && token.text(source.text()).starts_with(starts)
    };
    let (pivot, places) = rarest(probe, source, allowed, fuel)?;
    if !fuel.spend_on(places.iter().map(|places| places.len()).sum::<usize>() / SCANNED) {
        return None;
    }
    let (mut best, mut other, mut refused) = (None::<TokenMatch>, None::<TokenMatch>, 0);
    for place in places.into_iter().flatten() {
        let Some(from) = (*place as usize).checked_sub(pivot) else { continue };
        let anchored = anchor.is_some_and(|i| {
            source.token(from + i).map(|token| token.hash) == probe.token(i).map(|token| token.hash)
        });
        let is_before = |known: Option<TokenMatch>| known.is_none_or(|known| from < known.from);
        let is_better = if anchored { is_before(best) } else { best.is_none() && is_before(other) };
        if !is_better || !(anchored || might_be_longest(from)) {
            continue;
        }
        if let Some(found) = aligned(probe, source, from, allowed, fuel) {
            if accept(found) {
                *(if anchored { &mut best } else { &mut other }) = Some(found);
            } else {
                refused += 1;
            }
        }
        if fuel.is_spent() {
            return None;
        }
        if refused >= MOST_REFUSED {
            break;
        }
    }
    best.or(other)
}

/// How often token `i` of the value stands in the source.
fn count(probe: &Probe<'_>, source: &SourceIndex, i: usize) -> usize {
    probe.token(i).map_or(0, |token| source.occurrences(token.hash).len())
}

/// The token of the value that can stand in the fewest places, and those places. None when some token can stand nowhere.
fn rarest<'s>(
    probe: &Probe<'_>,
    source: &'s SourceIndex,
    allowed: usize,
    fuel: &Fuel,
) -> Option<(usize, Vec<&'s [u32]>)> {
    let (mut fewest, mut rarest, mut present, mut absent) = (usize::MAX, None, None, 0);
    for (i, token) in probe.tokens.iter().enumerate() {
        let count = count(probe, source, i);
        if is_exact(probe, i) {
            if count < fewest {
                (fewest, rarest) = (count, Some((i, vec![source.occurrences(token.hash)])));
            }
        } else if count == 0 {
            absent += 1;
        } else if present.is_none_or(|(fewest, _)| count < fewest) {
            present = Some((count, i));
        }
        // Each word that is not there as it should be costs something.
        if absent > allowed || fewest == 0 {
            return None;
        }
    }
    let absent = (0..probe.tokens.len()).filter(|i| count(probe, source, *i) == 0);
    for i in absent.chain(present.filter(|(count, _)| *count < fewest).map(|(_, i)| i)) {
        let places = near(probe, source, i, allowed, fuel)?;
        let count = places.iter().map(|places| places.len()).sum();
        if count < fewest {
            (fewest, rarest) = (count, Some((i, places)));
        }
        if fewest == 0 {
            return None;
        }
    }
    rarest
}

/// Whether token `i` of the value must stand as it is.
fn is_exact(probe: &Probe<'_>, i: usize) -> bool {
    let Some(token) = probe.token(i) else { return true };
    token.kind != TokenKind::Word
        || token.listed().class.is_some()
        || letters(probe.word(i)) < SHORTEST_WORD
        || Word::new(probe.word(i)).is_none_or(|word| word.as_str().chars().any(|c| c.is_ascii_digit()))
}

/// Where the source has a word that might be token `i` of the value.
fn near<'s>(
    probe: &Probe<'_>,
    source: &'s SourceIndex,
    i: usize,
    allowed: usize,
    fuel: &Fuel,
) -> Option<Vec<&'s [u32]>> {
    let word = Word::new(probe.word(i))?;
    let own = source.occurrences(probe.token(i)?.hash);
    let (mut looked_at, mut places) = (0, vec![own]);
    // A slip can double a character of four bytes.
    let slack = if word.as_str().is_ascii() { allowed } else { allowed * 2 };
    for (group, text) in source.spelt().like(word.as_str(), slack) {
        looked_at += 1;
        if text.is_none_or(|text| cost(word.as_str(), text, allowed).is_some()) {
            let here = source.group(group);
            if here.first() != own.first() {
                places.push(here);
            }
        }
    }
    fuel.spend_on(looked_at / SCANNED).then_some(places)
}

/// How many half letters may be wrong.
fn allowed_halves(letters: usize, bound: f64) -> usize {
    let letters = u32::try_from(letters).unwrap_or(u32::MAX);
    (1..=40_u32)
        .take_while(|halves| f64::from(*halves) <= f64::from(letters) * 2.0 * (1.0 - bound) + 1e-9)
        .count()
}

/// The value against the source's tokens from `from` on, one to one.
fn aligned(
    probe: &Probe<'_>,
    source: &SourceIndex,
    from: usize,
    allowed: usize,
    fuel: &Fuel,
) -> Option<TokenMatch> {
    let mut spent = 0;
    for (i, token) in probe.tokens.iter().enumerate() {
        if !fuel.spend(ALIGNING) {
            return None;
        }
        let here = source.token(from + i)?;
        if here.kind != token.kind
            || (i > 0 && source.gap_before(from + i).contains([';', '|', '!', '?', ':']))
        {
            return None;
        }
        spent += match token.kind {
            TokenKind::Number => usize::from(!same_number(probe, source, i, from + i)) * (allowed + 1),
            TokenKind::Symbol | TokenKind::Word => {
                word_cost(probe.word(i), here, source, allowed.saturating_sub(spent))?
            }
        };
        if spent > allowed {
            return None;
        }
    }
    Some(TokenMatch { from, to: from + probe.tokens.len(), numeric: false })
}

fn same_number(probe: &Probe<'_>, source: &SourceIndex, i: usize, j: usize) -> bool {
    let own = number_at(probe.text, probe.tokens, i, false);
    own.is_some()
        && own == number_at(source.text(), source.tokens(), j, source.decimal_comma())
        && unit_at(probe.text, probe.tokens, i) == unit_at(source.text(), source.tokens(), j)
}

fn word_cost(word: &str, here: Token, source: &SourceIndex, budget: usize) -> Option<usize> {
    let text = here.text(source.text());
    if fold_eq(word, text) {
        return Some(0);
    }
    let (own, other) = (Word::new(word)?, Word::new(text)?);
    let exact = letters(word) < SHORTEST_WORD || own.as_str().chars().any(|c| c.is_ascii_digit());
    if exact || listed(own.as_str()).is_some() || listed(other.as_str()).is_some() {
        return None;
    }
    cost(own.as_str(), other.as_str(), budget)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgives_what_scanners_do_and_nothing_else() {
        assert_eq!(cost("carcinoma", "carcinorna", 4), Some(SHAPE));
        assert_eq!(cost("adenocarcinoma", "adenocacrinoma", 4), Some(SLIP));
        assert_eq!(cost("papilloma", "papiloma", 4), Some(SLIP));
        for (a, b) in [
            ("symptomatic", "asymptomatic"),
            ("gastrostomy", "gastrotomy"),
            ("intraorbital", "infraorbital"),
            ("hypertension", "hypotension"),
            ("osteoblastic", "osteoclastic"),
            ("ureteroscopy", "urethroscopy"),
            ("dysphagia", "dysphasia"),
            ("prednisone", "prednisolone"),
        ] {
            assert_eq!(cost(a, b, 4), None, "{a} {b}");
        }
    }

    #[test]
    fn shapes_that_meet_again_are_looked_at_once() {
        let looked_at = |times: usize| {
            let (a, b) = (format!("x{}", "li".repeat(times)), format!("x{}", "il".repeat(times)));
            let mut costs = Costs { a: &a, b: &b, known: [[(0, 0); LONGEST + 1]; LONGEST + 1], looked_at: 0 };
            assert!(costs.least(0, 0, 40).is_some());
            costs.looked_at
        };
        let (few, more) = (looked_at(8), looked_at(16));
        assert!(more <= few * 5, "{few} {more}");
    }
}
