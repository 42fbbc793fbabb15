//! Words without which a text can't match a pattern. One that names a hundred words takes milliseconds to compile, and
//! few texts have any of them.

use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{Ast, RepetitionKind, RepetitionRange};

/// The words that a text must have for a pattern to match it.
#[derive(Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing that could be determined.
    Nothing,
    /// These characters of ASCII in a row, in any case.
    Word(String),
    /// Each of these.
    All(Vec<Needs>),
    /// One of these.
    Any(Vec<Needs>),
}

/// The longest text that is searched without a copy, in bytes.
const SHORT: usize = 256;

impl Needs {
    /// The needs of a pattern as it is written, which are known before flags and classes are looked up.
    #[must_use]
    pub fn of(written: &str) -> Self {
        Parser::new().parse(written).map_or(Needs::Nothing, |pattern| Needs::of_ast(&pattern))
    }

    /// Like [`Needs::of`], for a pattern that has been parsed.
    #[must_use]
    pub fn of_ast(pattern: &Ast) -> Self {
        needs(pattern)
    }

    /// Returns whether a text has all that is needed: if `false`, it certainly doesn't match the pattern.
    #[must_use]
    pub fn are_met_by(&self, text: &str) -> bool {
        if *self == Needs::Nothing {
            return true;
        }
        // A short text costs no copy: most values are short.
        if text.len() <= SHORT && text.is_ascii() {
            let holds = |word: &str| {
                text.as_bytes()
                    .windows(word.len().max(1))
                    .any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
            };
            return self.are_in(&holds);
        }
        let text =
            if text.is_ascii() { text.to_ascii_lowercase() } else { text.chars().map(folded).collect() };
        self.are_in(&|word: &str| text.contains(word))
    }

    fn are_in(&self, holds: &dyn Fn(&str) -> bool) -> bool {
        match self {
            Needs::Nothing => true,
            Needs::Word(word) => holds(word),
            Needs::All(all) => all.iter().all(|one| one.are_in(holds)),
            Needs::Any(any) => any.iter().any(|one| one.are_in(holds)),
        }
    }
}

/// The parser bounds the depth.
fn needs(pattern: &Ast) -> Needs {
    match pattern {
        Ast::Literal(literal) if literal.c.is_ascii() => Needs::Word(folded(literal.c).into()),
        Ast::Repetition(repetition) => match &repetition.op.kind {
            RepetitionKind::OneOrMore
            | RepetitionKind::Range(
                RepetitionRange::Exactly(1..)
                | RepetitionRange::AtLeast(1..)
                | RepetitionRange::Bounded(1.., _),
            ) => needs(&repetition.ast),
            _ => Needs::Nothing,
        },
        Ast::Group(group) => needs(&group.ast),
        Ast::Alternation(alternation) => {
            let any: Vec<Needs> = alternation.asts.iter().map(needs).collect();
            if any.contains(&Needs::Nothing) { Needs::Nothing } else { Needs::Any(any) }
        }
        Ast::Concat(concat) => {
            let (mut all, mut word) = (Vec::new(), String::new());
            for part in &concat.asts {
                match part {
                    Ast::Literal(literal) if literal.c.is_ascii() => word.push(folded(literal.c)),
                    // A part that takes no character doesn't split a word.
                    Ast::Empty(_) | Ast::Flags(_) | Ast::Assertion(_) => {}
                    _ => all.extend([Needs::Word(std::mem::take(&mut word)), needs(part)]),
                }
            }
            all.push(Needs::Word(word));
            all.retain(|one| *one != Needs::Nothing && *one != Needs::Word(String::new()));
            if all.is_empty() { Needs::Nothing } else { Needs::All(all) }
        }
        _ => Needs::Nothing,
    }
}

/// One character for those of ASCII that differ in case, and the signs that represent them.
fn folded(c: char) -> char {
    match c {
        '\u{17F}' => 's',
        '\u{212A}' => 'k',
        _ => c.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_without_the_words_is_told() {
        let needs = Needs::of(r"(?i)\b(?:final |surgical )?report (?:is )?(?:pending|to follow)\b");
        assert!(needs.are_met_by("The REPORT is Pending"));
        assert!(!needs.are_met_by("The report is final") && !needs.are_met_by("pending"));
        for pattern in ["", r"\d+", "a*", "(?:a|)", "[ab]", "é", "a{0,3}", "("] {
            assert_eq!(Needs::of(pattern), Needs::Nothing, "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn what_is_found_is_there(
            parts in prop::collection::vec(prop::sample::select(vec![
                "a", "ab", "S", "k", "é", "(?i)", "(?-i:", "(?:", ")", "|", "|", "[bs]", ".", "*", "+", "?", "{2}",
                "{0,2}", "^", "$", r"\b", "(?x) ", r"\.", r"\x6B",
            ]), 0..9),
            text in "[abAkKſsS é.]{0,12}",
        ) {
            let pattern = parts.concat();
            if regex::Regex::new(&pattern).is_ok_and(|regex| regex.is_match(&text)) {
                prop_assert!(Needs::of(&pattern).are_met_by(&text), "{} in {:?}", pattern, text);
            }
        }
    }
}
