//! A pattern for texts of ASCII: `\w` matches a hundred thousand letters and `.` for all that can be written, of
//! which such a text has a hundred.

use regex_syntax::hir::{Capture, Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Look, Repetition};

/// The part of a pattern that applies in texts of ASCII. The parser bounds the depth.
pub(super) fn within_ascii(pattern: &Hir) -> Hir {
    let parts = |parts: &[Hir]| parts.iter().map(within_ascii).collect();
    match pattern.kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) if literal.0.is_ascii() => Hir::literal(literal.0.clone()),
        HirKind::Literal(_) => Hir::fail(),
        HirKind::Class(Class::Unicode(set)) => {
            let mut set = set.clone();
            set.intersect(&ClassUnicode::new([ClassUnicodeRange::new('\0', '\x7F')]));
            Hir::class(Class::Unicode(set))
        }
        HirKind::Class(set @ Class::Bytes(_)) => Hir::class(set.clone()),
        HirKind::Look(look) => Hir::look(match look {
            Look::WordUnicode => Look::WordAscii,
            Look::WordUnicodeNegate => Look::WordAsciiNegate,
            Look::WordStartUnicode => Look::WordStartAscii,
            Look::WordEndUnicode => Look::WordEndAscii,
            Look::WordStartHalfUnicode => Look::WordStartHalfAscii,
            Look::WordEndHalfUnicode => Look::WordEndHalfAscii,
            other => *other,
        }),
        HirKind::Repetition(Repetition { min, max, greedy, sub }) => {
            let sub = Box::new(within_ascii(sub));
            Hir::repetition(Repetition { min: *min, max: *max, greedy: *greedy, sub })
        }
        HirKind::Capture(Capture { index, name, sub }) => {
            Hir::capture(Capture { index: *index, name: name.clone(), sub: Box::new(within_ascii(sub)) })
        }
        HirKind::Concat(all) => Hir::concat(parts(all)),
        HirKind::Alternation(any) => Hir::alternation(parts(any)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use regex_automata::meta::Regex;

    proptest! {
        #[test]
        fn the_same_is_found_in_texts_of_ascii(
            parts in prop::collection::vec(prop::sample::select(vec![
                "a", "b", "é", "(?i)", "(?:", "(", ")", "|", "[–b]", "[^a]", ".", "*", "+?", "?", "{2}", "^", "$", r"\b",
                r"\B", r"\w", r"\b{start}", r"\b{end-half}", "k",
            ]), 0..9),
            text in "[abABk _1-]{0,12}",
        ) {
            let Ok(pattern) = regex_syntax::parse(&parts.concat()) else { return Ok(()) };
            let [any, ascii] = [&pattern, &within_ascii(&pattern)].map(|one| {
                let found = Regex::builder().build_from_hir(one).unwrap().captures_iter(&text).collect::<Vec<_>>();
                found.iter().map(|one| one.iter().collect::<Vec<_>>()).collect::<Vec<_>>()
            });
            prop_assert_eq!(any, ascii, "{}", parts.concat());
        }
    }
}
