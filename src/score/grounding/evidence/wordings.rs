//! Phrases written out: the few wordings of one, or what all of them begin with.

use crate::rules::{GAP, is_gap, is_special};
use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

/// Most wordings or beginnings of one phrase, and most letters of which a phrase has one.
const MOST_WORDINGS: usize = 256;
const MOST_LETTERS: usize = 16;
/// How many beginnings are shortened to how many letters: what many phrases begin with they share.
const MANY_BEGINNINGS: usize = 64;
const SHORT_BEGINNING: usize = 4;
/// How often something is repeated at most in what is written out.
const MOST_REPEATED: u32 = 4;
/// Longest wording, in bytes.
const LONGEST_WORDING: usize = 120;

/// How far a phrase can be written out.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WrittenOut {
    /// All its wordings, the one that is looked for first before the others.
    Whole {
        texts: Vec<String>,
        exact: bool,
        whole: bool,
    },
    /// What it may begin with.
    Beginnings(Vec<String>),
    Not,
}

impl WrittenOut {
    pub(super) fn of(marked: &str) -> Self {
        if !marked.contains(is_special) {
            return match is_wording(marked) {
                true => WrittenOut::Whole { texts: vec![marked.to_owned()], exact: false, whole: false },
                false => WrittenOut::Not,
            };
        }
        let (inside, whole) = match marked.strip_prefix('^').and_then(|rest| rest.strip_suffix('$')) {
            Some(inside) => (inside, true),
            None => (marked, false),
        };
        let (inside, exact) = match inside.strip_prefix("(?-i:").and_then(|rest| rest.strip_suffix(')')) {
            Some(inside) => (inside, true),
            None => (inside, false),
        };
        let Some(parsed) = parsed(inside) else { return WrittenOut::Not };
        let texts = texts_of(&parsed);
        let bounded = parsed.properties().look_set().is_empty();
        if bounded && texts.iter().all(|text| text.ended && is_wording(&text.letters)) {
            return WrittenOut::Whole {
                texts: texts.into_iter().map(|text| text.letters).collect(),
                exact,
                whole,
            };
        }
        match beginnings(&texts) {
            Some(beginnings) => WrittenOut::Beginnings(beginnings),
            None => WrittenOut::Not,
        }
    }
}

/// What each of some texts begins with, as far as it can be read in one way only: no space of which it is not known where it ends.
fn beginnings(texts: &[Text]) -> Option<Vec<String>> {
    let longest = if texts.len() > MANY_BEGINNINGS { SHORT_BEGINNING } else { usize::MAX };
    let beginning = |text: &Text| {
        let mut gaps = 0;
        let plain = |c: &char| {
            gaps = if *c == GAP { gaps + 1 } else { 0 };
            gaps < 2 && !is_gap(*c)
        };
        text.letters.chars().take_while(plain).take(longest).collect::<String>()
    };
    let mut all: Vec<String> = texts.iter().map(beginning).collect();
    all.sort_unstable();
    all.dedup();
    let usable = !all.iter().any(|text| text.is_empty() || text.starts_with(GAP));
    usable.then_some(all)
}

/// A phrase without groups that set flags, which mean what only the library knows.
fn parsed(pattern: &str) -> Option<Hir> {
    if pattern.replace(r"\(", "").replace("(?:", "").contains("(?") {
        return None;
    }
    regex_syntax::Parser::new().parse(pattern).ok()
}

/// What a regular expression matches, or its beginning.
#[derive(Debug, Clone, Default)]
struct Text {
    letters: String,
    /// Whether nothing follows.
    ended: bool,
}

impl Text {
    fn ended(letters: impl Into<String>) -> Self {
        Text { letters: letters.into(), ended: true }
    }
}

/// What an expression matches, in the order in which it is tried; the beginnings, where that is too much. The parser bounds the
/// depth.
fn texts_of(hir: &Hir) -> Vec<Text> {
    let anything = || vec![Text::default()];
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => vec![Text::ended("")],
        HirKind::Literal(literal) => {
            str::from_utf8(&literal.0).map_or_else(|_| anything(), |text| vec![Text::ended(text)])
        }
        HirKind::Class(Class::Unicode(class)) => {
            let letters = class.ranges().iter().flat_map(|range| range.start()..=range.end());
            let letters: Vec<Text> = letters.take(MOST_LETTERS + 1).map(Text::ended).collect();
            if letters.len() > MOST_LETTERS { anything() } else { letters }
        }
        HirKind::Class(Class::Bytes(_)) => anything(),
        HirKind::Capture(capture) => texts_of(&capture.sub),
        HirKind::Repetition(repetition) => {
            let once = texts_of(&repetition.sub);
            if repetition.sub.properties().minimum_len() == Some(0) {
                return anything();
            }
            repeated(&once, repetition)
        }
        HirKind::Concat(parts) => {
            let mut texts = vec![Text::ended("")];
            for part in parts {
                // What follows beginnings is not read.
                if !texts.iter().any(|text| text.ended) {
                    break;
                }
                texts = joined(texts, &texts_of(part));
            }
            texts
        }
        HirKind::Alternation(parts) => {
            let all: Vec<Text> = parts.iter().flat_map(texts_of).take(MOST_WORDINGS + 1).collect();
            if all.len() > MOST_WORDINGS { anything() } else { all }
        }
    }
}

fn repeated(once: &[Text], repetition: &Repetition) -> Vec<Text> {
    let most = repetition.max.filter(|max| *max <= MOST_REPEATED);
    let mut texts = vec![Text { letters: String::new(), ended: most.is_some() }];
    let least = repetition.min.min(MOST_REPEATED);
    for times in (0..most.unwrap_or(least.max(1))).rev() {
        let more = joined(once.to_vec(), &texts);
        // What may be left out.
        let none = (times >= least).then(|| Text::ended(""));
        texts = match repetition.greedy {
            true => more.into_iter().chain(none).collect(),
            false => none.into_iter().chain(more).collect(),
        };
    }
    texts
}

/// Every combination of `before` and `after`. `before` alone, as beginnings, if there would be more than `MOST_WORDINGS`.
fn joined(before: Vec<Text>, after: &[Text]) -> Vec<Text> {
    let ended = before.iter().filter(|text| text.ended).count();
    let fits = before.len() - ended + ended * after.len() <= MOST_WORDINGS;
    let mut all = Vec::with_capacity(if fits { before.len() * after.len() } else { before.len() });
    for text in before {
        match (text.ended, fits && text.letters.len() < LONGEST_WORDING, after) {
            (false, ..) => all.push(text),
            (true, false, _) => all.push(Text { ended: false, ..text }),
            (true, true, [next]) => {
                let mut letters = text.letters;
                letters.push_str(&next.letters);
                all.push(Text { letters, ended: next.ended });
            }
            (true, true, _) => {
                for next in after {
                    let mut letters = String::with_capacity(text.letters.len() + next.letters.len());
                    letters.push_str(&text.letters);
                    letters.push_str(&next.letters);
                    all.push(Text { letters, ended: next.ended });
                }
            }
        }
    }
    all
}

/// Whether each space of a wording stands between letters, so that there is one way to read it in a text.
fn is_wording(text: &str) -> bool {
    let spaced = text.starts_with(GAP) || text.ends_with(GAP) || text.contains("\u{E000}\u{E000}");
    !text.is_empty() && !spaced && !text.contains(is_gap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Phrase;

    /// Few phrases wait for an automaton.
    #[test]
    fn most_phrases_are_written_out() {
        let whole =
            |phrase: &str| matches!(WrittenOut::of(Phrase::new(phrase).marked()), WrittenOut::Whole { .. });
        for phrase in
            ["free of", r"3 ?\+", "margins? (?:is|are) free of (?:the )?tumou?r", "(?-i:US)", "^yes$"]
        {
            assert!(whole(phrase), "{phrase}");
        }
        let begun = WrittenOut::of(Phrase::new(r"(?:within|<) \d+ ?mm").marked());
        assert_eq!(begun, WrittenOut::Beginnings(vec!["<\u{E000}".into(), "within\u{E000}".into()]));
        assert_eq!(WrittenOut::of(r"\d+ ?mm"), WrittenOut::Not);
    }
}
