//! One search for many phrases.
//!
//! Nearly all phrases are words with a choice here and there (`margins? free of (?:the )?tumou?r`). The first two
//! letters of each are known, and when a text has a word that begins with them, the phrases that do are written out
//! into their few wordings, in a sorted table: a text is read word by word, and each letter narrows the part of the
//! table that still fits. That costs next to nothing to prepare, unlike an automaton: with one regular expression for
//! all phrases instead, the first pathology report takes 115 ms instead of 20, and each later one 4.4 ms instead of
//! 1.0. Phrases that can't be written out (`within \d+ ?mm`) are left to regular expressions, which are compiled when a
//! text has the beginning of such a phrase. The matches are exactly those of one regular expression of all phrases: of
//! the phrases that begin first, the one that was given first.

use super::table::Table;
use super::written_out::{Lead, lead, leads};
use crate::rules::Phrase;
use crate::value::{BY_WORDS, Needs};
use regex_automata::meta::Regex;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::{Anchored, Input, util::syntax};
use regex_syntax::try_is_word_character;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Largest automaton of one search, in bytes.
const MAX_AUTOMATON: usize = 64 << 20;
/// The longest match of a phrase without an upper bound, in bytes: without a limit, `IV IV IV …` would be searched to
/// its end from each position.
const LONGEST_FOUND: usize = 500;

/// A search for phrases in any text.
#[derive(Debug, Default)]
pub(in crate::score) struct PhraseSearch {
    phrases: Vec<Sought>,
    /// Those that begin with some letters, of which the second may be any.
    begun: HashMap<Lead, Begun>,
    /// Phrases that may begin with anything.
    loose: Loose,
}

#[derive(Debug)]
struct Sought {
    phrase: Phrase,
    /// Used where it can't be written out.
    automaton: Automaton,
}

/// Phrases that begin with the same letters.
#[derive(Debug, Default)]
struct Begun {
    /// Their numbers, in order.
    numbers: Vec<usize>,
    /// All wordings of a text that begins so, written out when the first such text appears.
    table: OnceLock<Box<Table>>,
}

/// Phrases as one regular expression, compiled when a text is first searched.
#[derive(Debug, Default)]
struct Automaton {
    /// The requirements that a text must meet to have one of them, and the number of texts checked against them.
    needs: OnceLock<Vec<Needs>>,
    asked: AtomicU32,
    for_any: OnceLock<Option<Regex>>,
    for_ascii: OnceLock<Option<Regex>>,
}

impl Automaton {
    fn find(
        &self,
        written: impl Fn() -> Vec<String>,
        input: Input<'_>,
        ascii: bool,
    ) -> Option<regex_automata::Match> {
        let is_compiled = if ascii { self.for_ascii.get() } else { self.for_any.get() }.is_some();
        if !is_compiled && self.asked.fetch_add(1, Ordering::Relaxed) < BY_WORDS {
            let needs = self.needs.get_or_init(|| written().iter().map(|one| Needs::of(one)).collect());
            let text = input.haystack().get(input.get_range()).and_then(|text| str::from_utf8(text).ok());
            if text.is_some_and(|text| !needs.iter().any(|needs| needs.are_met_by(text))) {
                return None;
            }
        }
        let for_ascii = || self.for_ascii.get_or_init(|| automaton(&written(), false)).as_ref();
        // A phrase with other letters has no automaton for ASCII.
        let compiled = ascii.then(for_ascii).flatten();
        compiled.or_else(|| self.for_any.get_or_init(|| automaton(&written(), true)).as_ref())?.find(input)
    }
}

impl Sought {
    /// Its position, in bytes, in a text that has it at `start`.
    fn at(&self, text: &str, start: usize) -> Option<Range<usize>> {
        let mut end = text.len().min(start + LONGEST_FOUND);
        while !text.is_char_boundary(end) {
            end += 1;
        }
        // The characters around show whether a word ends there.
        let seen = start.saturating_sub(1)..text.len().min(end + 1);
        let ascii = text.as_bytes().get(seen).is_some_and(<[u8]>::is_ascii);
        let input = Input::new(text).span(start..end).anchored(Anchored::Yes);
        Some(self.automaton.find(|| vec![self.phrase.regex()], input, ascii)?.range())
    }
}

/// Phrases that may begin with anything.
#[derive(Debug, Default)]
struct Loose {
    /// The numbers of the phrases.
    numbers: Vec<usize>,
    automaton: Automaton,
}

impl Loose {
    fn find(&self, phrases: &[Sought], input: Input<'_>, ascii: bool) -> Option<Found> {
        if self.numbers.is_empty() {
            return None;
        }
        let written = || {
            let loose = self.numbers.iter().filter_map(|number| phrases.get(*number));
            loose.map(|sought| sought.phrase.regex()).collect()
        };
        let found = self.automaton.find(written, input, ascii)?;
        let number = self.numbers.get(found.pattern().as_usize()).copied().unwrap_or(usize::MAX);
        Some(Found { phrase: number, bytes: found.range() })
    }
}

/// A phrase that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::score) struct Found {
    /// The number of the phrase in the order in which they were given.
    pub(in crate::score) phrase: usize,
    pub(in crate::score) bytes: Range<usize>,
}

impl PhraseSearch {
    /// A search for phrases. If several begin at one position, the first wins.
    pub(in crate::score) fn new<'p>(phrases: impl IntoIterator<Item = &'p Phrase>) -> Self {
        let mut search = PhraseSearch::default();
        for (number, phrase) in phrases.into_iter().enumerate() {
            match leads(phrase.marked()) {
                Some(leads) => leads.into_iter().for_each(|lead| {
                    let numbers = &mut search.begun.entry(lead).or_default().numbers;
                    if numbers.last() != Some(&number) {
                        numbers.push(number);
                    }
                }),
                None => search.loose.numbers.push(number),
            }
            search.phrases.push(Sought { phrase: phrase.clone(), automaton: Automaton::default() });
        }
        search
    }

    /// Every phrase in a text, in order; none within another.
    pub(in crate::score) fn find_iter<'t>(&'t self, text: &'t str) -> Finder<'t> {
        Finder {
            search: self,
            text,
            ascii: text.is_ascii(),
            at: 0,
            worded: Next::Unknown,
            loose: Next::Unknown,
        }
    }

    /// The phrase with which a text begins.
    pub(super) fn at_start(&self, text: &str) -> Option<Found> {
        let loose = self.loose.find(&self.phrases, Input::new(text).anchored(Anchored::Yes), text.is_ascii());
        first_of(self.worded_at(text, 0), loose)
    }

    /// The first phrase at or after a position that is found by its words.
    fn next_worded(&self, text: &str, at: usize) -> Option<Found> {
        let rest = text.get(at..)?;
        let mut in_word = text.get(..at)?.chars().next_back().is_some_and(is_word);
        for (offset, c) in rest.char_indices() {
            if !in_word && let Some(found) = self.worded_at(text, at + offset) {
                return Some(found);
            }
            in_word = is_word(c);
        }
        None
    }

    /// The phrase that begins exactly here, where no word continues, if it is found by its words.
    fn worded_at(&self, text: &str, start: usize) -> Option<Found> {
        let mut letters = text.get(start..)?.chars().map(lead);
        let (first, second) = (letters.next()?, letters.next());
        let any = self.begun.get(&(first, None));
        let both = second.and_then(|second| self.begun.get(&(first, Some(second))));
        let begun = both.or(any)?;
        let table = begun.table.get_or_init(|| {
            let mut numbers = begun.numbers.clone();
            if both.is_some() {
                numbers.extend(any.iter().flat_map(|any| &any.numbers));
                numbers.sort_unstable();
                numbers.dedup();
            }
            let phrases = numbers.into_iter().filter_map(|number| Some((number, self.phrases.get(number)?)));
            let phrases = phrases.map(|(number, sought)| (number, &sought.phrase));
            Box::new(Table::new(phrases, (first, second.filter(|_| both.is_some()))))
        });
        let (wording, begun) = table.at(text, start);
        let earlier =
            begun.into_iter().take_while(|number| wording.as_ref().is_none_or(|one| *number < one.phrase));
        let mut found = earlier.filter_map(|number| {
            Some(Found { phrase: number, bytes: self.phrases.get(number)?.at(text, start)? })
        });
        found.next().or(wording)
    }
}

/// The match that begins first, then that of the first phrase.
fn first_of(one: Option<Found>, other: Option<Found>) -> Option<Found> {
    match (one, other) {
        (Some(one), Some(other)) => {
            Some(if (one.bytes.start, one.phrase) <= (other.bytes.start, other.phrase) { one } else { other })
        }
        (one, other) => one.or(other),
    }
}

/// Returns true if a character is a letter of a word, as regular expressions have it.
pub(super) fn is_word(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphanumeric() || c == '_'
    } else {
        try_is_word_character(c).unwrap_or(false)
    }
}

/// The next match from a position on.
#[derive(Debug)]
enum Next {
    Unknown,
    Known(Option<Found>),
}

impl Next {
    /// The match at or after `at`, looked for only if the one found before lies before it.
    fn from(&mut self, at: usize, find: impl FnOnce() -> Option<Found>) -> Option<Found> {
        let stale = match self {
            Next::Unknown => true,
            Next::Known(found) => found.as_ref().is_some_and(|found| found.bytes.start < at),
        };
        if stale {
            *self = Next::Known(find());
        }
        match self {
            Next::Known(found) => found.clone(),
            Next::Unknown => None,
        }
    }
}

/// The phrases of a text, one after the other.
#[derive(Debug)]
pub(in crate::score) struct Finder<'t> {
    search: &'t PhraseSearch,
    text: &'t str,
    ascii: bool,
    at: usize,
    worded: Next,
    loose: Next,
}

impl Iterator for Finder<'_> {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        let Finder { search, text, ascii, at, .. } = *self;
        let worded = self.worded.from(at, || search.next_worded(text, at));
        let loose = self
            .loose
            .from(at, || search.loose.find(&search.phrases, Input::new(text).span(at..text.len()), ascii));
        let found = first_of(worded, loose)?;
        self.at = if found.bytes.is_empty() {
            let next = text.get(found.bytes.end..)?.chars().next()?;
            found.bytes.end + next.len_utf8()
        } else {
            found.bytes.end
        };
        Some(found)
    }
}

/// One regular expression of all patterns, for texts of ASCII alone or for any.
fn automaton(patterns: &[String], any: bool) -> Option<Regex> {
    Regex::builder()
        .syntax(syntax::Config::new().case_insensitive(true).unicode(any).utf8(any))
        .configure(
            Regex::config()
                .nfa_size_limit(Some(MAX_AUTOMATON))
                .which_captures(WhichCaptures::Implicit)
                // Looking for the letters that dozens of phrases begin with is no quicker than looking for the phrases.
                .auto_prefilter(false),
        )
        .build_many(patterns)
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Problems;
    use crate::profile::{Files, Library};
    use crate::rules::{GAP, decode_context, decode_vocabulary};
    use proptest::prelude::*;

    /// The matches of one regular expression of all phrases.
    fn expected(phrases: &[Phrase], text: &str) -> Vec<Found> {
        let regex = automaton(&phrases.iter().map(Phrase::regex).collect::<Vec<_>>(), true).unwrap();
        let found =
            |found: regex_automata::Match| Found { phrase: found.pattern().as_usize(), bytes: found.range() };
        regex.find_iter(text).map(found).collect()
    }

    fn found(phrases: &[Phrase], text: &str) -> Vec<Found> {
        PhraseSearch::new(phrases).find_iter(text).collect()
    }

    const ODD: [&str; 34] = [
        "free of",
        "free",
        "not involved",
        "not",
        "no",
        "a b",
        "ab",
        r"3 ?\+",
        "3",
        r"within \d+ ?mm",
        r"\d+ mm",
        r"\+b",
        "(?-i:US)",
        "(?-i:[Hh]e|A b)",
        "^a$",
        "^a b$",
        "a(?:b|bc)?",
        "[ -]x",
        "x y?",
        "(?:a |b )*c",
        "(?i-u:k)|s",
        "ß",
        "İstanbul",
        "Größe",
        "(?:no|not) (?:b|a c)",
        "[^)]{1,3}c",
        "x  ?y",
        "b -a",
        "[ab]{0,2}c",
        "(?:a|ab){1,2}?c",
        "(?:a ?)*b",
        "x{2,}y",
        r"b\b",
        "(?:[abc]){5}",
    ];

    proptest! {
        /// The table and the expressions together find what one regular expression finds.
        #[test]
        fn the_same_is_found_as_by_one_regular_expression(
            picked in prop::sample::subsequence(ODD.to_vec(), 1..12),
            text in "[abcnoxytfUSseHkK\u{212A}\u{17F}ßẞİiGGröÖßE3+. _\\-\n1m)c]{0,40}",
            words in prop::collection::vec(prop::sample::select(vec![
                "free", "of", "not", "involved", "No", "a", "b", "ab", "abc", "3", "+", "within", "12", "mm", "US", "us",
                "he", "c", "x", "y", "GRÖSSE", "größe", "ſ", " ", "_", "-", "  ", ".", "(",
            ]), 0..20),
            spaced: bool,
        ) {
            let phrases: Vec<Phrase> = picked.iter().map(|phrase| Phrase::new(phrase)).collect();
            for text in [text, words.join(if spaced { " " } else { "" })] {
                prop_assert_eq!(found(&phrases, &text), expected(&phrases, &text), "{:?}: {:?}", picked, text);
                let search = PhraseSearch::new(&phrases);
                let start = expected(&phrases, &text).into_iter().next().filter(|one| one.bytes.start == 0);
                prop_assert_eq!(search.at_start(&text), start, "{:?}: {:?}", picked, text);
            }
        }
    }

    /// This test never ends if the work grows with the square of the text.
    #[test]
    fn runs_of_blanks_and_of_beginnings_are_read_once() {
        let phrases = ["free of", "(?:IV |oral )*contrast", "x(?: y)+"].map(Phrase::new);
        for piece in [" ", "\u{2003}", "- ", "free ", "IV ", "x y ", "ſ_", "."] {
            let text = format!("{}contrast", piece.repeat(2_000_000 / piece.len()));
            assert!(found(&phrases, &text).len() <= text.len(), "{piece:?}");
        }
    }

    /// All shipped phrases, on a report and on themselves.
    #[test]
    #[ignore = "long"]
    fn what_ships_is_found_as_by_one_regular_expression() {
        let library = Library::embedded();
        let mut problems = Problems::new();
        let mut sets: Vec<Vec<Phrase>> = Vec::new();
        for name in library.list("rules/vocabularies", ".yaml") {
            let file = library.read(&name).unwrap().unwrap();
            let Some(vocabulary) = decode_vocabulary(&file, &library, &mut problems) else { continue };
            sets.push(vocabulary.phrases().map(|(_, phrase)| phrase).collect());
        }
        let file = library.read("rules/context.yaml").unwrap().unwrap();
        let context = decode_context(&file, &library, &mut problems).unwrap();
        let headings = context.sections.iter().flat_map(|section| &section.headings);
        sets.push(headings.map(|heading| Phrase::new(heading)).collect());
        assert!(sets.len() > 40, "{}", sets.len());
        let report = include_str!("../../../../../examples/reports/liver-resection.txt");
        let odd =
            "Gleason 3 + 4 = 7/10, pT2a (m) N0(sn) Mx; GRADE II OF III. within 0.5mm ER 90 % of tumour cells";
        for phrases in &sets {
            let words: Vec<String> =
                phrases.iter().map(|phrase| phrase.marked().replace(GAP, " \n")).collect();
            for text in [report, odd, &words.join(". ")] {
                assert_eq!(found(phrases, text), expected(phrases, text));
            }
            for text in odd.split_whitespace().chain(words.iter().map(String::as_str)) {
                let start = expected(phrases, text).into_iter().next().filter(|one| one.bytes.start == 0);
                assert_eq!(PhraseSearch::new(phrases).at_start(text), start, "{text}");
            }
        }
    }
}
