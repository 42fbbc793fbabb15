//! Patterns that need no automaton of the library: short words, digits and runs of them, as in
//! `^(I|II|III|well|poorly)`, `^\d+ of \d+$`, `(?i)er|pr` and `\bfoo\b`. All forms in which they may be found are
//! compared at once, a bit for each character. In texts of a line that takes a fraction of the time, and they are ready
//! at once.

use super::pairs::Pairs;
use super::steps::{Row, Steps, rows};
use regex_syntax::hir::{ClassUnicode, Hir};

/// Most places that are compared at once.
const PLACES: usize = u64::BITS as usize;
/// Most times that a text is searched.
const MOST_TIMES: usize = 2;
/// The longest text that is searched, in bytes. In longer ones the library finds faster what it looks for first.
pub(super) const LONG: usize = 256;

/// A pattern as all texts that it may be found as.
#[derive(Debug)]
pub(super) struct PlainPattern {
    /// `true` if every text has it.
    in_any: bool,
    /// `true` if it is in an empty text.
    in_empty: bool,
    places: Vec<Places>,
    /// The least number of bytes that it has.
    shortest: usize,
    /// The pairs that a text of ASCII must have, unless that is determined at its start.
    pairs: Option<Pairs>,
}

impl PlainPattern {
    /// The pattern, if it is so plain.
    pub(super) fn of(pattern: &Hir) -> Option<Self> {
        let rows = rows(pattern)?;
        let shortest = pattern.properties().minimum_len().unwrap_or_default();
        let mut plain =
            PlainPattern { in_any: false, in_empty: false, places: Vec::new(), shortest, pairs: None };
        for row in &rows {
            match row {
                Row::Nothing => plain.in_any = true,
                Row::Empty => plain.in_empty = true,
                Row::Steps(row) if plain.places.last_mut().is_some_and(|places| places.add(row)) => {}
                Row::Steps(row) => {
                    let mut places = Places::default();
                    if plain.places.len() == MOST_TIMES || !places.add(row) {
                        return None;
                    }
                    plain.places.push(places);
                }
            }
        }
        if !plain.is_at_start() {
            plain.pairs = Pairs::of(rows.iter().filter_map(|row| match row {
                Row::Steps(steps) => Some(steps),
                Row::Nothing | Row::Empty => None,
            }));
        }
        Some(plain)
    }

    /// Returns whether it can be found only at the start of a text.
    fn is_at_start(&self) -> bool {
        self.places.iter().all(|places| places.anywhere == 0)
    }

    /// Returns whether searching a text takes no longer than with the library.
    pub(super) fn pays_for(&self, text: &str) -> bool {
        text.len() <= LONG || self.is_at_start()
    }

    /// Returns whether it is found in a text.
    pub(super) fn is_match(&self, text: &str) -> bool {
        if self.in_any || (self.in_empty && text.is_empty()) {
            return true;
        }
        if text.len() < self.shortest {
            return false;
        }
        let begin = match &self.pairs {
            None => 0,
            Some(pairs) => match pairs.begin(text.as_bytes()) {
                None => return false,
                Some(begin) => begin,
            },
        };
        self.places.iter().any(|one| one.is_match(text, begin))
    }
}

/// The places of some rows, a bit for each, the first of a row being the lowest. Below it is one that is left empty. A
/// place is reached by a character of its set where the one before was reached.
#[derive(Debug)]
struct Places {
    /// The places in whose sets each character of ASCII is.
    ascii: Box<[u64; 128]>,
    /// The sets with characters beyond ASCII, and their places.
    beyond: Vec<(ClassUnicode, u64)>,
    /// The places below those that the first character of a text may reach.
    at_start: u64,
    /// Those that any character may reach.
    anywhere: u64,
    /// Those that are reached again from themselves.
    again: u64,
    /// Those with which the pattern is found.
    found: u64,
    /// Those with which it is found at the end of a text.
    found_at_end: u64,
    count: usize,
}

impl Default for Places {
    fn default() -> Self {
        Places {
            ascii: Box::new([0; 128]),
            beyond: Vec::new(),
            at_start: 0,
            anywhere: 0,
            again: 0,
            found: 0,
            found_at_end: 0,
            count: 0,
        }
    }
}

impl Places {
    /// Adds a row if there is room for it.
    fn add(&mut self, row: &Steps) -> bool {
        let first = self.count + 1;
        let last = first + row.steps.len() - 1;
        if last >= PLACES {
            return false;
        }
        self.count = last + 1;
        for (place, step) in (first..).zip(&row.steps) {
            let bit = 1 << place;
            for range in step.set.ranges().iter().take_while(|range| range.start().is_ascii()) {
                let (start, end) = (range.start() as usize, range.end() as usize);
                for places in self.ascii.iter_mut().take(end + 1).skip(start) {
                    *places |= bit;
                }
            }
            match self.beyond.iter_mut().find(|(set, _)| *set == *step.set) {
                Some((_, places)) => *places |= bit,
                None if !step.set.is_ascii() => self.beyond.push(((*step.set).clone(), bit)),
                None => {}
            }
            if step.again {
                self.again |= bit;
            }
        }
        self.at_start |= row.at_start.map_or(0, |at| 1 << (first + at - 1));
        self.anywhere |= if row.anywhere { 1 << first } else { 0 };
        self.found |= if row.before_more { 1 << last } else { 0 };
        self.found_at_end |= row.at_end.map_or(0, |at| 1 << (first + at));
        true
    }

    /// Returns whether one is found in a text, if none begins before `begin`.
    fn is_match(&self, text: &str, begin: usize) -> bool {
        if self.again == 0 { self.find::<false>(text, begin) } else { self.find::<true>(text, begin) }
    }

    fn find<const AGAIN: bool>(&self, text: &str, begin: usize) -> bool {
        let mut reached = if begin == 0 { self.at_start } else { 0 };
        for (at, byte) in text.bytes().enumerate().skip(begin) {
            let Some(places) = self.ascii.get(usize::from(byte)) else {
                return self.is_match_beyond(reached, text.get(at..).unwrap_or_default());
            };
            // The place below the first of a row is never reached, so that nothing is carried.
            let mut next = (reached << 1).wrapping_add(self.anywhere);
            if AGAIN {
                next |= reached & self.again;
            }
            reached = next & places;
            if reached & self.found != 0 {
                return true;
            }
            if reached | self.anywhere == 0 {
                return false;
            }
        }
        reached & self.found_at_end != 0
    }

    /// Like [`Places::is_match`], from a character on that is not ASCII.
    fn is_match_beyond(&self, mut reached: u64, text: &str) -> bool {
        for c in text.chars() {
            reached = self.next(reached) & self.places(c);
            if reached & self.found != 0 {
                return true;
            }
            if reached | self.anywhere == 0 {
                return false;
            }
        }
        reached & self.found_at_end != 0
    }

    /// The places that the next character may reach.
    fn next(&self, reached: u64) -> u64 {
        (reached << 1) | self.anywhere | (reached & self.again)
    }

    /// The places in whose sets a character is.
    fn places(&self, c: char) -> u64 {
        if let Some(places) = self.ascii.get(c as usize) {
            return *places;
        }
        self.beyond.iter().filter(|(set, _)| holds(set, c)).fold(0, |all, (_, places)| all | places)
    }
}

fn holds(set: &ClassUnicode, c: char) -> bool {
    let ranges = set.ranges();
    let next = ranges.partition_point(|range| range.end() < c);
    ranges.get(next).is_some_and(|range| range.start() <= c)
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
            r"^\w+a",
            r"^a*a$",
            r"(?i)er|pr",
            r"(?i)positive|negative|\d+(\.\d+)?\s*%",
            r"\btumou?r\b",
            r"^\d+\b",
            r"cells\b|^$",
        ] {
            assert!(plain(pattern).is_some(), "{pattern}");
        }
        // Longer than there are places; repeated words; ends of lines; a bound between what may be in words or not.
        for pattern in [r"\d{4}[A-Z]{150}", r"^(ab)*", r"(?m)^a", r"a.\b.a", r"\w{1,40}", r"a\Bb", r"a$b"] {
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

    #[test]
    fn letters_beyond_ascii_are_found_wherever_they_begin() {
        let pattern = plain("abcé|xy|(?i:k)1").unwrap();
        for text in ["        abcé", "abcé        xy", "é       xy", "       \u{212A}1", "éééé\u{212A}1"]
        {
            assert!(pattern.is_match(text), "{text}");
        }
        assert!(!pattern.is_match("        abc") && !pattern.is_match("ééééabc\u{212A}"));
    }

    #[test]
    fn it_pays_for_short_texts_and_at_the_start_of_long_ones() {
        let long = "1".repeat(1_000_000);
        assert!(plain(r"^\d+%").unwrap().pays_for(&long));
        assert!(plain(r"\d+%").unwrap().pays_for("99%") && !plain(r"\d+%").unwrap().pays_for(&long));
    }

    /// Patterns of the pieces that are plain, and some that are not.
    fn patterns() -> impl Strategy<Value = String> {
        let atom = prop::sample::select(vec![
            "a", "b", "ab", "I", "II", "k", "ſ", "é", r"\d", "[a-c]", "[^a]", ".", r"\s", "-", "^", "$",
            r"\b", r"\b", "1", r"\w",
        ]);
        let count =
            prop::sample::select(vec!["", "", "", "?", "*", "+", "{2}", "{1,2}", "{0,3}", "{2,}", "+?"]);
        let repeated = (atom, count).prop_map(|(atom, count)| match atom {
            "^" | "$" | r"\b" => atom.to_owned(),
            _ => format!("(?:{atom}){count}"),
        });
        let row = prop::collection::vec(repeated, 0..4).prop_map(|parts| parts.concat());
        let either =
            prop::collection::vec(row.clone(), 1..4).prop_map(|rows| format!("({})", rows.join("|")));
        let parts = prop::collection::vec(prop_oneof![2 => row, 1 => either], 0..3);
        let edges =
            prop::sample::select(vec![("", ""), ("", ""), ("^", ""), ("", "$"), ("^", "$"), (r"\b", r"\b")]);
        (prop::bool::ANY, parts, edges).prop_map(|(ignore_case, parts, (start, end))| {
            let flag = if ignore_case { "(?i)" } else { "" };
            format!("{flag}{start}{}{end}", parts.concat())
        })
    }

    /// Texts of all lengths that are compared in their own way, with letters beyond ASCII or without.
    fn texts() -> impl Strategy<Value = Vec<String>> {
        let text = prop_oneof![
            "[abcABIkKſKé1٣ \n-]{0,6}",
            "[abcABIk1 \n-]{0,9}",
            "[abIk1 -]{9,40}",
            "[abké1 ]{9,24}",
            "[ak1 ]{8,16}[abéK]{1,4}"
        ];
        prop::collection::vec(text, 1..16)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

        #[test]
        fn what_is_plain_matches_what_the_library_matches(pattern in patterns(), texts in texts()) {
            let Ok(regex) = regex::Regex::new(&pattern) else { return Ok(()) };
            if let Some(plain) = plain(&pattern) {
                for text in &texts {
                    prop_assert_eq!(plain.is_match(text), regex.is_match(text), "{} in {:?}", pattern, text);
                }
            }
        }
    }

    /// More than is usual, unless `PROPTEST_CASES` says how many.
    fn cases() -> u32 {
        match std::env::var_os("PROPTEST_CASES") {
            Some(_) => ProptestConfig::default().cases,
            None => 2_000,
        }
    }
}
