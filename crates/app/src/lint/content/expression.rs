//! Analysis of a regular expression without a text: whether it can match at all, and whether it matches everything.

use regex::Regex;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Look};
use std::collections::BTreeSet;

/// The flags by which an expression is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flags {
    /// Upper and lower case are the same.
    pub(super) ignore_case: bool,
    /// `^` and `$` are the ends of a line.
    pub(super) lines: bool,
}

/// Texts that have nothing in common. An expression that matches each of them matches anything.
const STRANGERS: [&str; 6] = ["", " ", "a", "Zz9", "é", "-;"];

/// Returns whether an expression finds something in every text, however short or strange.
pub(super) fn matches_everything(regex: &Regex) -> bool {
    STRANGERS.iter().all(|text| regex.is_match(text))
}

/// The kinds of characters that assertions such as `\b` and `$` tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CharClass {
    /// No character: the beginning or the end of the text.
    Edge,
    LineFeed,
    Return,
    AsciiWord,
    OtherWord,
    Other,
}

const KINDS: [CharClass; 6] = [
    CharClass::Edge,
    CharClass::LineFeed,
    CharClass::Return,
    CharClass::AsciiWord,
    CharClass::OtherWord,
    CharClass::Other,
];

/// A set of kinds.
type Kinds = u8;

const ANY: Kinds = 0b11_1111;

fn bit(kind: CharClass) -> Kinds {
    1 << kind as u8
}

fn set(kinds: impl Fn(CharClass) -> bool) -> Kinds {
    KINDS.into_iter().filter(|kind| kinds(*kind)).fold(0, |all, kind| all | bit(kind))
}

/// A state that a match may have reached: after a character of this kind, before one of these.
type State = (CharClass, Kinds);

/// The parsed expression; `None` if it is invalid, which is reported elsewhere.
pub(super) fn parsed(pattern: &str, flags: Flags) -> Option<Hir> {
    let mut parser = ParserBuilder::new();
    parser.case_insensitive(flags.ignore_case).multi_line(flags.lines).crlf(flags.lines);
    parser.build().parse(pattern).ok()
}

/// Returns whether an expression can match any text at all. `true` if it can't be decided.
pub(super) fn can_match(hir: &Hir) -> bool {
    let anywhere: BTreeSet<State> = KINDS.into_iter().map(|kind| (kind, ANY)).collect();
    !after(hir, &anywhere).is_empty()
}

/// The states in which a match of `hir` may end, from these.
fn after(hir: &Hir, from: &BTreeSet<State>) -> BTreeSet<State> {
    match hir.kind() {
        HirKind::Empty => from.clone(),
        HirKind::Literal(literal) => {
            let Ok(text) = std::str::from_utf8(&literal.0) else { return consumed(from, ANY) };
            text.chars().fold(from.clone(), |states, c| consumed(&states, bit(kind_of(c))))
        }
        HirKind::Class(class) => consumed(from, kinds_of(class)),
        HirKind::Look(check) => from.iter().filter_map(|state| asserted(*check, *state)).collect(),
        HirKind::Capture(capture) => after(&capture.sub, from),
        HirKind::Concat(parts) => parts.iter().fold(from.clone(), |states, part| after(part, &states)),
        HirKind::Alternation(parts) => parts.iter().flat_map(|part| after(part, from)).collect(),
        HirKind::Repetition(repetition) => {
            let mut states = from.clone();
            // From the third time on nothing changes that matters here.
            for _ in 0..repetition.min.min(3) {
                states = after(&repetition.sub, &states);
            }
            if repetition.max == Some(repetition.min) && repetition.min <= 3 {
                return states;
            }
            loop {
                let more = after(&repetition.sub, &states);
                let before = states.len();
                states.extend(more);
                if states.len() == before {
                    return states;
                }
            }
        }
    }
}

/// After one more character of one of these kinds.
fn consumed(from: &BTreeSet<State>, kinds: Kinds) -> BTreeSet<State> {
    let allowed = from.iter().fold(0, |all, (_, next)| all | next) & kinds & !bit(CharClass::Edge);
    KINDS.into_iter().filter(|kind| allowed & bit(*kind) != 0).map(|kind| (kind, ANY)).collect()
}

fn asserted(check: Look, (before, next): State) -> Option<State> {
    // Beyond ASCII, some assertions take a character for a word's and others don't.
    let is_word = |kind: CharClass, ascii: bool| {
        kind == CharClass::AsciiWord || (kind == CharClass::OtherWord && !ascii)
    };
    let narrowed = |kinds: Kinds| Some((before, next & kinds)).filter(|(_, next)| *next != 0);
    let line_start = matches!(before, CharClass::Edge | CharClass::LineFeed | CharClass::Return);
    let boundary = |ascii: bool, same: bool| {
        narrowed(set(|kind| (is_word(kind, ascii) == is_word(before, ascii)) == same))
    };
    match check {
        Look::Start => (before == CharClass::Edge).then_some((before, next)),
        Look::End => narrowed(bit(CharClass::Edge)),
        Look::StartLF | Look::StartCRLF => line_start.then_some((before, next)),
        Look::EndLF | Look::EndCRLF => {
            narrowed(set(|kind| matches!(kind, CharClass::Edge | CharClass::LineFeed | CharClass::Return)))
        }
        Look::WordAscii => boundary(true, false),
        Look::WordUnicode => boundary(false, false),
        Look::WordAsciiNegate => boundary(true, true),
        Look::WordUnicodeNegate => boundary(false, true),
        // The halves of a boundary, which are hardly ever written.
        _ => Some((before, next)),
    }
}

fn kind_of(c: char) -> CharClass {
    match c {
        '\n' => CharClass::LineFeed,
        '\r' => CharClass::Return,
        c if c.is_ascii_alphanumeric() || c == '_' => CharClass::AsciiWord,
        c if regex_syntax::is_word_character(c) => CharClass::OtherWord,
        _ => CharClass::Other,
    }
}

/// The kinds of characters in a class. A wide range is taken to hold all kinds beyond ASCII.
fn kinds_of(class: &Class) -> Kinds {
    match class {
        Class::Unicode(class) => class.ranges().iter().fold(0, |kinds, range| {
            let (start, end) = (range.start(), range.end());
            let ascii = (start..=end.min('\u{7f}')).fold(0, |all, c| all | bit(kind_of(c)));
            let beyond = match end {
                '\0'..='\u{7f}' => 0,
                _ if start == end => bit(kind_of(start)),
                _ => bit(CharClass::OtherWord) | bit(CharClass::Other),
            };
            kinds | ascii | beyond
        }),
        Class::Bytes(class) if class.ranges().is_empty() => 0,
        Class::Bytes(_) => ANY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn can(pattern: &str) -> bool {
        can_match(&parsed(pattern, Flags { ignore_case: false, lines: false }).unwrap())
    }

    #[test]
    fn contradictions_are_found() {
        for pattern in [
            "a^b",
            "$a",
            r"a\bb",
            r"[^\s\S]",
            "[a&&b]",
            r"x(?:^y|$z)",
            r"\b\B",
            r"(?:a$)+b",
            r"(?:a^){2}",
            r" \b ",
            r"\A\w\A",
        ] {
            assert!(!can(pattern), "{pattern}");
        }
        for pattern in [
            "",
            "a",
            "^a$",
            "(?m)a$\nb",
            r"a\b b",
            r"\bß\b",
            "(?:^a)?b",
            r"\B\B",
            "^$",
            "(?m)^$\n^$",
            r"é\B",
            "(?:a^)*",
            r"\bé",
            r"(?-u:\b)é",
            r"a$|b",
        ] {
            assert!(can(pattern), "{pattern}");
        }
        assert!(can_match(&parsed("a$\nb", Flags { ignore_case: true, lines: true }).unwrap()));
    }

    #[test]
    fn what_matches_everything_is_told_from_what_only_matches_the_empty_text() {
        let everything = |pattern| matches_everything(&Regex::new(pattern).unwrap());
        for pattern in ["", ".*", r"\d*", "positive|negative|", "(?:a|b)?", r"^\w*", "x{0,3}"] {
            assert!(everything(pattern), "{pattern}");
        }
        for pattern in ["^$", r"^\s*$", ".", r"\d", "^a?$", "(?:a|b)+"] {
            assert!(!everything(pattern), "{pattern}");
        }
    }

    proptest! {
        /// An expression that matches some text is never reported to match none.
        #[test]
        fn nothing_that_matches_is_called_impossible(
            pattern in r"(a|b|é| |\n|\^|\$|\\b|\\B|\\w|\\W|\.|\\s|(a|\^|\\b)\*|(\$|b)\?|\|){0,8}",
            text in r"[abé \n]{0,6}",
            lines: bool,
        ) {
            let built = regex::RegexBuilder::new(&pattern).multi_line(lines).crlf(lines).build();
            if let Ok(regex) = built
                && regex.is_match(&text)
            {
                let flags = Flags { ignore_case: false, lines };
                let hir = parsed(&pattern, flags).unwrap();
                prop_assert!(can_match(&hir), "{:?} matches {:?}", pattern, text);
            }
        }
    }
}
