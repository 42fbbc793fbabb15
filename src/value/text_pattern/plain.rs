//! Patterns that need no automaton: those that begin at the start of a text and list words, digits and runs of them, as
//! `^(I|II|III|well|poorly)` and `^\d+ of \d+$` do. Compared character by character they are found several times faster, and are
//! ready at once.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look};

/// Most alternatives that a pattern may be written out in, and most pieces of one.
const MOST_ALTERNATIVES: usize = 16;
const MOST_PIECES: usize = 64;

/// A pattern that begins at the start of a text, as all texts that it may be.
#[derive(Debug, Clone)]
pub(super) struct PlainPattern {
    alternatives: Vec<Vec<Piece>>,
}

/// What comes next in a text.
#[derive(Debug, Clone)]
enum Piece {
    /// From `min` to `max` characters of a set. What follows can't be one of the set, unless `min` is `max`: so as many are taken
    /// as there are.
    Run { set: CharSet, min: u32, max: Option<u32> },
    /// This, to the letter; never empty.
    Text(Box<str>),
    /// The end of the text.
    End,
}

/// Some characters.
#[derive(Debug, Clone)]
struct CharSet {
    /// Those of ASCII, a bit for each.
    ascii: u128,
    all: ClassUnicode,
}

impl CharSet {
    fn of(all: ClassUnicode) -> Self {
        let ascii = (0..128_u8).filter(|byte| holds(&all, char::from(*byte)));
        CharSet { ascii: ascii.fold(0, |bits, byte| bits | 1 << byte), all }
    }

    fn only(c: char) -> Self {
        CharSet::of(ClassUnicode::new([ClassUnicodeRange::new(c, c)]))
    }

    fn has(&self, c: char) -> bool {
        match u8::try_from(c) {
            Ok(byte) if byte < 128 => self.ascii >> byte & 1 == 1,
            _ => holds(&self.all, c),
        }
    }

    /// How many characters a text begins with that are of the set, `most` at most, and where they end.
    fn run(&self, text: &str, most: u32) -> (u32, usize) {
        let (mut count, mut end) = (0, 0);
        // Most texts are ASCII as far as it matters, and need not be decoded.
        for byte in text.bytes() {
            if count == most || byte >= 128 || self.ascii >> byte & 1 == 0 {
                break;
            }
            count += 1;
            end += 1;
        }
        let rest = text.get(end..).unwrap_or_default();
        if count < most && !rest.starts_with(|c: char| c.is_ascii()) {
            for c in rest.chars() {
                if count == most || !self.has(c) {
                    break;
                }
                count += 1;
                end += c.len_utf8();
            }
        }
        (count, end)
    }

    fn shares_none_with(&self, other: &CharSet) -> bool {
        let mut both = self.all.clone();
        both.intersect(&other.all);
        both.ranges().is_empty()
    }
}

fn holds(class: &ClassUnicode, c: char) -> bool {
    let ranges = class.ranges();
    let next = ranges.partition_point(|range| range.end() < c);
    ranges.get(next).is_some_and(|range| range.start() <= c)
}

impl PlainPattern {
    /// The pattern, if it is so plain.
    pub(super) fn of(pattern: &Hir) -> Option<Self> {
        // What is not bound to the start is found faster by what the library looks for first.
        if !pattern.properties().look_set_prefix().contains(Look::Start) {
            return None;
        }
        let mut alternatives = vec![Vec::new()];
        append(pattern, true, &mut alternatives)?;
        let pattern = PlainPattern { alternatives };
        pattern.alternatives.iter().all(|pieces| is_decided(pieces)).then_some(pattern)
    }

    /// Whether a text begins as the pattern says.
    pub(super) fn is_match(&self, text: &str) -> bool {
        self.alternatives.iter().any(|pieces| fits(pieces, text))
    }
}

/// Appends what a pattern says to each alternative. None where that is not plain. `first` tells that nothing comes before it.
fn append(pattern: &Hir, first: bool, alternatives: &mut Vec<Vec<Piece>>) -> Option<()> {
    match pattern.kind() {
        HirKind::Empty => Some(()),
        HirKind::Look(Look::Start) if first => Some(()),
        HirKind::Look(Look::End) => each(alternatives, || Piece::End),
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            each(alternatives, || Piece::Text(text.into()))
        }
        HirKind::Class(Class::Unicode(class)) => {
            let set = CharSet::of(class.clone());
            each(alternatives, || Piece::Run { set: set.clone(), min: 1, max: Some(1) })
        }
        HirKind::Repetition(repetition) => {
            // Something that may be there once.
            if (repetition.min, repetition.max) == (0, Some(1)) {
                let mut without = alternatives.clone();
                append(&repetition.sub, false, alternatives)?;
                alternatives.append(&mut without);
                return (alternatives.len() <= MOST_ALTERNATIVES).then_some(());
            }
            let set = one_of(&repetition.sub)?;
            let (min, max) = (repetition.min, repetition.max);
            each(alternatives, || Piece::Run { set: set.clone(), min, max })
        }
        HirKind::Capture(capture) => append(&capture.sub, first, alternatives),
        HirKind::Concat(parts) => {
            // A look at the start stays first after another one.
            let mut first = first;
            for part in parts {
                append(part, first, alternatives)?;
                first = first && matches!(part.kind(), HirKind::Look(Look::Start));
            }
            Some(())
        }
        HirKind::Alternation(parts) => {
            let before = std::mem::take(alternatives);
            for part in parts {
                let mut those = before.clone();
                append(part, first, &mut those)?;
                alternatives.append(&mut those);
                if alternatives.len() > MOST_ALTERNATIVES {
                    return None;
                }
            }
            Some(())
        }
        HirKind::Class(Class::Bytes(_)) | HirKind::Look(_) => None,
    }
}

/// The set that a pattern takes one character of.
fn one_of(pattern: &Hir) -> Option<CharSet> {
    match pattern.kind() {
        HirKind::Class(Class::Unicode(class)) => Some(CharSet::of(class.clone())),
        HirKind::Literal(literal) => {
            let mut chars = std::str::from_utf8(&literal.0).ok()?.chars();
            chars.next().filter(|_| chars.next().is_none()).map(CharSet::only)
        }
        HirKind::Capture(capture) => one_of(&capture.sub),
        _ => None,
    }
}

fn each(alternatives: &mut [Vec<Piece>], piece: impl Fn() -> Piece) -> Option<()> {
    for pieces in alternatives {
        if pieces.len() >= MOST_PIECES {
            return None;
        }
        pieces.push(piece());
    }
    Some(())
}

/// Whether taking as many characters as there are is the only way.
fn is_decided(pieces: &[Piece]) -> bool {
    pieces.iter().enumerate().all(|(at, piece)| {
        let Piece::Run { set, min, max } = piece else { return true };
        if *max == Some(*min) {
            return true;
        }
        // What may be left out lets what comes after it follow, too.
        for next in pieces.get(at + 1..).unwrap_or_default() {
            match next {
                Piece::End => return true,
                Piece::Text(text) => return !text.starts_with(|c| set.has(c)),
                Piece::Run { set: next, min, .. } => {
                    if !set.shares_none_with(next) {
                        return false;
                    }
                    if *min > 0 {
                        return true;
                    }
                }
            }
        }
        true
    })
}

fn fits(pieces: &[Piece], text: &str) -> bool {
    let mut rest = text;
    for piece in pieces {
        match piece {
            Piece::End if rest.is_empty() => {}
            Piece::End => return false,
            Piece::Text(text) => match rest.strip_prefix(&**text) {
                Some(after) => rest = after,
                None => return false,
            },
            Piece::Run { set, min, max } => {
                let (count, end) = set.run(rest, max.unwrap_or(u32::MAX));
                if count < *min {
                    return false;
                }
                rest = rest.get(end..).unwrap_or_default();
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(pattern: &str) -> Option<PlainPattern> {
        PlainPattern::of(&regex_syntax::parse(pattern).unwrap())
    }

    #[test]
    fn what_experts_write_for_short_values_is_plain() {
        for pattern in [
            r"^(1|2|3|I|II|III|well|moderate|poorly)",
            r"(?i)^(MSI-?H|MSI-?L|MSS|stable|high|low)",
            r"^observation \d+ of \d+$",
            r"^\d{4}-\d{2}-\d{2}$",
            r"^[A-Z]{2,3}\d+$",
            r"^(?:a|b)?c*$",
        ] {
            assert!(plain(pattern).is_some(), "{pattern}");
        }
        // Not bound to the start; more than one way; what is between words.
        for pattern in [r"positive|negative", r"^\w+a", r"^(ab)*", r"^\d+\b", r"(?m)^a", r"^a*a$"] {
            assert!(plain(pattern).is_none(), "{pattern}");
        }
    }

    #[test]
    fn a_run_ends_where_its_most_is_reached() {
        let pattern = plain(r"^\d{1,2}$").unwrap();
        assert!(pattern.is_match("12") && !pattern.is_match("123") && !pattern.is_match(""));
        // As many digits as there may be are taken, although there are more.
        assert!(plain(r"^\d{1,2}").unwrap().is_match("123"));
    }

    /// Patterns of the pieces that are plain, and some that are not.
    fn patterns() -> impl Strategy<Value = String> {
        let atom = prop::sample::select(vec![
            "a", "b", "ab", "I", "II", "k", "ſ", "é", r"\d", "[a-c]", "[^a]", ".", r"\s", "-", "^", "$",
            r"\b", "1",
        ]);
        let count = prop::sample::select(vec!["", "", "", "?", "*", "+", "{2}", "{1,2}", "{0,3}", "+?"]);
        let repeated = (atom, count).prop_map(|(atom, count)| match atom {
            "^" | "$" | r"\b" => atom.to_owned(),
            _ => format!("(?:{atom}){count}"),
        });
        let row = prop::collection::vec(repeated, 0..4).prop_map(|parts| parts.concat());
        let either =
            prop::collection::vec(row.clone(), 1..4).prop_map(|rows| format!("({})", rows.join("|")));
        let parts = prop::collection::vec(prop_oneof![2 => row, 1 => either], 0..3);
        (prop::bool::ANY, parts, prop::bool::ANY).prop_map(|(ignore_case, parts, ends)| {
            let (flag, end) = (if ignore_case { "(?i)" } else { "" }, if ends { "$" } else { "" });
            format!("{flag}^{}{end}", parts.concat())
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn what_is_plain_matches_what_the_library_matches(
            pattern in patterns(),
            texts in prop::collection::vec("[abcABIkKſKé1٣ \n-]{0,6}", 1..12),
        ) {
            let Ok(regex) = regex::Regex::new(&pattern) else { return Ok(()) };
            if let Some(plain) = plain(&pattern) {
                for text in &texts {
                    prop_assert_eq!(plain.is_match(text), regex.is_match(text), "{} in {:?}", pattern, text);
                }
            }
        }
    }
}
