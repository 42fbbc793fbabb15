//! One search for many phrases.
//!
//! Nearly all phrases are words with a choice here and there (`margins? free of (?:the )?tumou?r`). Such a phrase is written out
//! into its few wordings, and all wordings of a search stand in one sorted table: a text is read word by word, and each letter
//! narrows the part of the table that still fits. That costs next to nothing to prepare, unlike an automaton. What can't be
//! written out (`within \d+ ?mm`) is left to regular expressions, which are compiled when a text has what such a phrase begins
//! with. What is found is just what one regular expression of all phrases would find: of the phrases that begin first the one
//! that was given first.

use super::wordings::WrittenOut;
use crate::rules::{GAP, Phrase, is_gap};
use regex_automata::meta::Regex;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::{Anchored, Input, util::syntax};
use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};
use regex_syntax::try_is_word_character;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::OnceLock;

/// Largest automaton of one search, in bytes.
const MAX_AUTOMATON: usize = 64 << 20;
/// How far from its beginning a phrase is looked for that goes on without end, in bytes: it may begin anywhere in `IV IV IV …`.
const LONGEST_FOUND: usize = 500;

/// A search for phrases in any text.
#[derive(Debug)]
pub(super) struct PhraseSearch {
    /// In the order of their letters.
    wordings: Vec<Wording>,
    /// Where the wordings that begin with an ASCII character stand.
    first: Vec<Range<usize>>,
    cases: Cases,
    /// Phrases of which only the beginnings can be written out, by their numbers.
    begun: HashMap<usize, Automaton>,
    /// Phrases that may begin with anything.
    loose: Loose,
}

/// One way to write a phrase.
#[derive(Debug)]
struct Wording {
    letters: Vec<char>,
    /// The phrase, and the wording's place among its wordings: the first that fits is found.
    rank: (usize, usize),
    /// Its letters as they must be, where case counts.
    exact: Option<Vec<char>>,
    /// Whether it must be the whole text.
    whole: bool,
    /// Whether it is only how a phrase begins.
    begins: bool,
}

/// Phrases as one regular expression, compiled when a text is first searched.
#[derive(Debug, Default)]
struct Automaton {
    written: Vec<String>,
    for_any: OnceLock<Option<Regex>>,
    for_ascii: OnceLock<Option<Regex>>,
}

impl Automaton {
    fn find(&self, input: Input<'_>, ascii: bool) -> Option<regex_automata::Match> {
        let for_ascii = || self.for_ascii.get_or_init(|| automaton(&self.written, false)).as_ref();
        // What is written of other letters has no automaton for ASCII.
        let compiled = ascii.then(for_ascii).flatten();
        compiled.or_else(|| self.for_any.get_or_init(|| automaton(&self.written, true)).as_ref())?.find(input)
    }

    /// Where it stands in a text that has it just here.
    fn at(&self, text: &str, start: usize) -> Option<Range<usize>> {
        let mut end = text.len().min(start + LONGEST_FOUND);
        while !text.is_char_boundary(end) {
            end += 1;
        }
        // Whether a word ends there shows in the characters around.
        let seen = start.saturating_sub(1)..text.len().min(end + 1);
        let ascii = text.as_bytes().get(seen).is_some_and(<[u8]>::is_ascii);
        let found = self.find(Input::new(text).span(start..end).anchored(Anchored::Yes), ascii)?;
        Some(found.range())
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
    fn add(&mut self, number: usize, phrase: &Phrase) {
        self.numbers.push(number);
        self.automaton.written.push(phrase.regex());
    }

    fn find(&self, input: Input<'_>, ascii: bool) -> Option<Found> {
        if self.numbers.is_empty() {
            return None;
        }
        let found = self.automaton.find(input, ascii)?;
        let number = self.numbers.get(found.pattern().as_usize()).copied().unwrap_or(usize::MAX);
        Some(Found { phrase: number, bytes: found.range() })
    }
}

/// A phrase that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// The number of the phrase in the order in which they were given.
    pub(super) phrase: usize,
    pub(super) bytes: Range<usize>,
}

impl PhraseSearch {
    /// Of phrases that begin at one place the first wins.
    pub(super) fn new<'p>(phrases: impl IntoIterator<Item = &'p Phrase>) -> Self {
        Self::numbered(phrases.into_iter().enumerate())
    }

    /// The same for some of a list of phrases, each with its number there.
    pub(super) fn numbered<'p>(phrases: impl IntoIterator<Item = (usize, &'p Phrase)>) -> Self {
        let mut wordings = Vec::new();
        let (mut begun, mut loose) = (HashMap::new(), Loose::default());
        for (number, phrase) in phrases {
            let (texts, exact, whole, begins) = match WrittenOut::of(phrase.marked()) {
                WrittenOut::Whole { texts, exact, whole } => (texts, exact, whole, false),
                WrittenOut::Beginnings(texts) => {
                    begun.insert(number, Automaton { written: vec![phrase.regex()], ..Automaton::default() });
                    (texts, false, false, true)
                }
                WrittenOut::Not => {
                    loose.add(number, phrase);
                    continue;
                }
            };
            wordings.extend(texts.into_iter().enumerate().map(|(place, text)| Wording {
                letters: text.chars().collect(),
                rank: (number, place),
                exact: exact.then(|| text.chars().collect()),
                whole,
                begins,
            }));
        }
        let cases = Cases::of(wordings.iter().flat_map(|wording| &wording.letters));
        for letter in wordings.iter_mut().flat_map(|wording| &mut wording.letters) {
            *letter = cases.folded(*letter);
        }
        wordings.sort_by(|a, b| (&a.letters, a.rank).cmp(&(&b.letters, b.rank)));
        let begins = |c: char| {
            let from = wordings.partition_point(|wording| wording.letters.first() < Some(&c));
            from..wordings.partition_point(|wording| wording.letters.first() <= Some(&c))
        };
        let first = (0..128_u8).map(|byte| begins(char::from(byte))).collect();
        PhraseSearch { wordings, first, cases, begun, loose }
    }

    /// Every phrase in a text, in order; none within another.
    pub(super) fn find_iter<'t>(&'t self, text: &'t str) -> Finder<'t> {
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
        let loose = self.loose.find(Input::new(text).anchored(Anchored::Yes), text.is_ascii());
        first_of(self.worded_at(text, 0), loose)
    }

    /// The first phrase at or after a place that is found by its words.
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

    /// The phrase that begins just here, where no word goes on, if it is found by its words.
    fn worded_at(&self, text: &str, start: usize) -> Option<Found> {
        let mut letters = text.get(start..)?.char_indices().peekable();
        let (_, first) = *letters.peek()?;
        let mut fits = match usize::try_from(u32::from(self.cases.folded(first))).ok() {
            Some(code @ 0..128) => self.first.get(code)?.clone(),
            _ => 0..self.wordings.len(),
        };
        let mut best: Option<(&Wording, usize)> = None;
        let mut begun: Vec<usize> = Vec::new();
        for depth in 0_usize.. {
            let here = self.wordings.get(fits.clone()).unwrap_or_default();
            let (at, next) = letters.peek().map_or((text.len(), None), |(at, c)| (start + at, Some(*c)));
            let ended = here.iter().take_while(|wording| wording.letters.len() == depth);
            let word_ends = next.is_none_or(|c| !is_word(c));
            for wording in ended {
                if wording.begins {
                    begun.push(wording.rank.0);
                    continue;
                }
                let is_better = best.is_none_or(|(known, _)| wording.rank < known.rank);
                let stands = word_ends && (!wording.whole || (start == 0 && at == text.len()));
                if is_better && stands && is_exact(wording, text.get(start..at).unwrap_or_default()) {
                    best = Some((wording, at));
                }
            }
            let Some(c) = next else { break };
            let letter = if is_gap(c) { GAP } else { self.cases.folded(c) };
            let from = here.partition_point(|wording| wording.letters.get(depth) < Some(&letter));
            let to = here.partition_point(|wording| wording.letters.get(depth) <= Some(&letter));
            if from == to {
                break;
            }
            letters.next();
            // Only where a wording goes on: a text may be one long run of blanks.
            while letter == GAP && letters.next_if(|(_, c)| is_gap(*c)).is_some() {}
            fits = fits.start + from..fits.start + to;
        }
        let wording = best.map(|(wording, end)| Found { phrase: wording.rank.0, bytes: start..end });
        begun.sort_unstable();
        begun.dedup();
        let earlier =
            begun.into_iter().take_while(|number| wording.as_ref().is_none_or(|one| *number < one.phrase));
        let mut found = earlier.filter_map(|number| {
            Some(Found { phrase: number, bytes: self.begun.get(&number)?.at(text, start)? })
        });
        found.next().or(wording)
    }
}

/// Whether a text has the letters of a wording in which case counts.
fn is_exact(wording: &Wording, text: &str) -> bool {
    let Some(exact) = &wording.exact else { return true };
    let mut letters = text.chars().peekable();
    let same = exact.iter().all(|letter| match letter {
        &GAP => {
            let gap = letters.next_if(|c| is_gap(*c)).is_some();
            while letters.next_if(|c| is_gap(*c)).is_some() {}
            gap
        }
        letter => letters.next() == Some(*letter),
    });
    same && letters.next().is_none()
}

/// Of two that were found the one that begins first, then the one of the first phrase.
fn first_of(one: Option<Found>, other: Option<Found>) -> Option<Found> {
    match (one, other) {
        (Some(one), Some(other)) => {
            Some(if (one.bytes.start, one.phrase) <= (other.bytes.start, other.phrase) { one } else { other })
        }
        (one, other) => one.or(other),
    }
}

/// Whether it is a letter of a word, as regular expressions have it.
fn is_word(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphanumeric() || c == '_'
    } else {
        try_is_word_character(c).unwrap_or(false)
    }
}

/// What is found from a place on.
#[derive(Debug)]
enum Next {
    Unknown,
    Known(Option<Found>),
}

impl Next {
    /// What is found at or after `at`, looked for only if what was found before lies before it.
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
pub(super) struct Finder<'t> {
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
        let loose = self.loose.from(at, || search.loose.find(Input::new(text).span(at..text.len()), ascii));
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
                // To look for the letters that dozens of phrases begin with is no quicker than to look for the phrases.
                .auto_prefilter(false),
        )
        .build_many(patterns)
        .ok()
}

/// Which letters differ in case only, as regular expressions have it.
#[derive(Debug, Default)]
struct Cases {
    /// Letters outside ASCII with the one that stands for them, in order.
    folded: Vec<(char, char)>,
}

impl Cases {
    /// The cases of some letters. Others stand for themselves.
    fn of<'c>(letters: impl Iterator<Item = &'c char>) -> Self {
        let letters: BTreeSet<char> = letters.copied().filter(|c| !c.is_ascii()).collect();
        // The long s and the sign for kelvin.
        let mut folded = vec![('\u{17F}', 's'), ('\u{212A}', 'k')];
        for letter in letters {
            let mut class = ClassUnicode::new([ClassUnicodeRange::new(letter, letter)]);
            if class.try_case_fold_simple().is_err() {
                continue;
            }
            let all = || class.ranges().iter().flat_map(|range| range.start()..=range.end());
            let stands = all().min().unwrap_or(letter).to_ascii_lowercase();
            folded.extend(all().filter(|c| !c.is_ascii() && *c != stands).map(|c| (c, stands)));
        }
        folded.sort_unstable();
        folded.dedup();
        Cases { folded }
    }

    fn folded(&self, c: char) -> char {
        if c.is_ascii() {
            return c.to_ascii_lowercase();
        }
        match self.folded.binary_search_by_key(&c, |(letter, _)| *letter) {
            Ok(at) => self.folded.get(at).map_or(c, |(_, stands)| *stands),
            Err(_) => c,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Problems;
    use crate::profile::{Files, Library};
    use crate::rules::{decode_context, decode_vocabulary};
    use proptest::prelude::*;

    /// What one regular expression of all phrases finds.
    fn expected(phrases: &[Phrase], text: &str) -> Vec<Found> {
        let regex = automaton(&phrases.iter().map(Phrase::regex).collect::<Vec<_>>(), true).unwrap();
        let found =
            |found: regex_automata::Match| Found { phrase: found.pattern().as_usize(), bytes: found.range() };
        regex.find_iter(text).map(found).collect()
    }

    fn found(phrases: &[Phrase], text: &str) -> Vec<Found> {
        PhraseSearch::new(phrases).find_iter(text).collect()
    }

    /// What a search of the phrases finds at the start of a text that may begin with its first character.
    fn of_those_that_may_begin(phrases: &[Phrase], text: &str) -> Option<Found> {
        let first = text.chars().next()?;
        let some = phrases.iter().enumerate().filter(|(_, phrase)| phrase.may_begin_with(first));
        PhraseSearch::numbered(some).at_start(text)
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
                prop_assert_eq!(&search.at_start(&text), &start, "{:?}: {:?}", picked, text);
                prop_assert_eq!(of_those_that_may_begin(&phrases, &text), start, "{:?}: {:?}", picked, text);
            }
        }
    }

    /// This test does not end where the work grows with the square of the text.
    #[test]
    fn runs_of_blanks_and_of_beginnings_are_read_once() {
        let phrases = ["free of", "(?:IV |oral )*contrast", "x(?: y)+"].map(Phrase::new);
        for piece in [" ", "\u{2003}", "- ", "free ", "IV ", "x y ", "ſ_", "."] {
            let text = format!("{}contrast", piece.repeat(2_000_000 / piece.len()));
            assert!(found(&phrases, &text).len() <= text.len(), "{piece:?}");
        }
    }

    /// All phrases that ship, on a report and on themselves.
    #[test]
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
        let triggers = [&context.negated, &context.uncertain, &context.historical, &context.of_another];
        let phrases = triggers.iter().flat_map(|triggers| triggers.before.iter().chain(&triggers.after));
        sets.push(phrases.map(|phrase| Phrase::new(phrase)).collect());
        assert!(sets.len() > 40, "{}", sets.len());
        let report = include_str!("../../../../examples/reports/liver-resection.txt");
        let odd =
            "Gleason 3 + 4 = 7/10, pT2a (m) N0(sn) Mx; GRADE II OF III. within 0.5mm ER 90 % of tumour cells";
        for phrases in &sets {
            let words: Vec<String> =
                phrases.iter().map(|phrase| phrase.marked().replace(GAP, " \n")).collect();
            for text in [report, odd, &words.join(". ")] {
                assert_eq!(found(phrases, text), expected(phrases, text));
            }
            let all = PhraseSearch::new(phrases);
            let starts = odd.split_whitespace().chain(["mod. diff.", "2+", "G2", "(T1)", "NO", "pos (3+)"]);
            for text in starts.chain(words.iter().map(String::as_str)) {
                assert_eq!(of_those_that_may_begin(phrases, text), all.at_start(text), "{text}");
            }
        }
    }
}
