//! Bounds how large a pattern can become when it is compiled, without compiling it.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind};
use regex_syntax::utf8::Utf8Sequences;

/// The number of letters that differ in the last byte of their UTF-8 alone.
const IN_LAST_BYTE: u32 = 64;
/// The most bytes that a state takes with its transitions.
const STATE: u64 = 64;

/// More than the pattern takes as an automaton, in bytes.
#[must_use]
pub fn most_bytes(pattern: &Hir) -> u64 {
    states(pattern).saturating_add(8).saturating_mul(STATE)
}

/// The parser bounds the depth.
fn states(pattern: &Hir) -> u64 {
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len() as u64,
        HirKind::Class(Class::Unicode(class)) => 2 + bytes_of(class),
        HirKind::Class(Class::Bytes(class)) => 1 + class.ranges().len() as u64,
        HirKind::Capture(capture) => states(&capture.sub).saturating_add(2),
        HirKind::Repetition(repetition) => {
            let times = u64::from(repetition.max.unwrap_or(repetition.min.saturating_add(1)));
            states(&repetition.sub).saturating_add(2).saturating_mul(times.max(1)).saturating_add(2)
        }
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().fold(2, |sum: u64, part| sum.saturating_add(states(part)).saturating_add(1))
        }
    }
}

/// The number of ranges of bytes that the letters of a class are in UTF-8. There are hundreds of classes such as
/// `\w`, each of hundreds of ranges, most of which differ in their last byte alone: only others are looked into.
fn bytes_of(class: &ClassUnicode) -> u64 {
    let of_range = |range: &ClassUnicodeRange| {
        let (start, end) = (range.start(), range.end());
        if start.len_utf8() == end.len_utf8()
            && u32::from(start) / IN_LAST_BYTE == u32::from(end) / IN_LAST_BYTE
        {
            start.len_utf8() as u64
        } else {
            Utf8Sequences::new(start, end).map(|sequence| sequence.len() as u64).sum()
        }
    };
    class.ranges().iter().map(of_range).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex_automata::meta::Regex;

    #[test]
    fn no_automaton_is_larger_than_was_told() {
        let odd = [
            "",
            "a",
            r"\w",
            r"\w{3,40}",
            r"(?i)[k-sß]+",
            ".",
            r"[^\p{L}\d]*?",
            r"(?:a|bc|\pN{2})+",
            r"(?s).{0,300}",
            "é|ß",
            r"\p{Han}",
            r"(?:(?:ab?){3}){4,}",
            r"\b(?P<a>x)$",
            r"(?-u:\xFF|[\x80-\xFE])",
            r"[\x{7F}-\x{10FFFF}]",
            r"\PL{9}",
            r"[\x{80}-\x{10FFFE}]{0,50}",
            r"[\x{7F1}-\x{10FFF1}]{0,50}?",
            r"(?:[^a]|\w{0,5}){0,20}",
        ];
        let patterns = odd.map(str::to_owned);
        let mut compared = 0;
        for pattern in patterns {
            let parsed =
                regex_syntax::ParserBuilder::new().utf8(false).case_insensitive(true).build().parse(&pattern);
            let Ok(parsed) = parsed else { continue };
            let limit = usize::try_from(most_bytes(&parsed)).unwrap();
            let built = Regex::builder()
                .configure(Regex::config().nfa_size_limit(Some(limit)))
                .build_from_hir(&parsed);
            assert!(built.is_ok(), "{pattern}: more than {limit}");
            compared += 1;
        }
        assert!(compared > 10, "{compared}");
    }
}
