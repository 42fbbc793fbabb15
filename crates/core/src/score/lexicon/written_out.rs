//! Phrases written out: the few wordings of one, or the beginnings of all of them.
//!
//! They are read as written: parsing a thousand phrases as regular expressions takes longer than all their use. Syntax
//! that is not known here is left to the library.

use super::texts::{MOST_WORDINGS, Texts, Times};
use crate::rules::{GAP, is_gap, is_special};
use std::iter::Peekable;
use std::str::Chars;

/// Most letters of which a phrase has one.
const MOST_LETTERS: usize = 16;
/// Most beginnings that keep their length, and the number of letters to which more are shortened: many phrases share
/// their beginnings.
const MANY_BEGINNINGS: usize = 64;
const SHORT_BEGINNING: usize = 4;
/// Deepest nesting of groups.
const DEEPEST: usize = 40;

/// The extent to which a phrase can be written out.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WrittenOut {
    /// All its wordings, the one that is looked for first before the others.
    Whole {
        texts: Texts,
        exact: bool,
        whole: bool,
    },
    /// The texts that it may begin with.
    Beginnings(Texts),
    Not,
}

impl WrittenOut {
    /// The wordings of a phrase that begin with these letters, if any are given.
    pub(super) fn of(marked: &str, lead: Option<Lead>) -> Self {
        if !marked.contains(is_special) {
            return match is_wording(marked) {
                true => WrittenOut::Whole { texts: Texts::ended(marked), exact: false, whole: false },
                false => WrittenOut::Not,
            };
        }
        let Bare { letters, exact, whole } = Bare::of(marked);
        let mut reading = Reading::of(letters, lead.map_or(Wanted::All, Wanted::Led));
        let Some(texts) = reading.all() else { return WrittenOut::Not };
        if !reading.looks && texts.all().all(|(text, ended)| ended && is_wording(text)) {
            return WrittenOut::Whole { texts, exact, whole };
        }
        match beginnings(&texts) {
            Some(beginnings) => WrittenOut::Beginnings(beginnings),
            None => WrittenOut::Not,
        }
    }
}

/// A phrase without the anchors around all of it.
struct Bare<'p> {
    letters: &'p str,
    exact: bool,
    whole: bool,
}

impl<'p> Bare<'p> {
    fn of(marked: &'p str) -> Self {
        let (letters, whole) = match marked.strip_prefix('^').and_then(|rest| rest.strip_suffix('$')) {
            Some(inside) => (inside, true),
            None => (marked, false),
        };
        match letters.strip_prefix("(?-i:").and_then(|rest| rest.strip_suffix(')')) {
            Some(inside) => Bare { letters: inside, exact: true, whole },
            None => Bare { letters, exact: false, whole },
        }
    }
}

/// The first letter of a text and the one that follows, if only one may.
pub(super) type Lead = (char, Option<char>);

/// The first letters that a phrase may begin with and the second that may follow each, any if none is given. `None` for
/// a phrase that may begin with anything.
pub(super) fn leads(marked: &str) -> Option<Vec<Lead>> {
    let texts = if marked.contains(is_special) {
        Reading::of(Bare::of(marked).letters, Wanted::Leads).all()?
    } else {
        Texts::ended(marked)
    };
    let lead_of = |text: &str| {
        let mut letters = text.chars().map(lead);
        letters.next().filter(|first| *first != GAP).map(|first| (first, letters.next()))
    };
    texts.iter().map(lead_of).collect()
}

/// The character that represents a letter where a phrase begins: one for those that differ in case, and one for
/// most outside of ASCII.
pub(super) fn lead(c: char) -> char {
    match c {
        '\u{17F}' => 's',
        '\u{212A}' => 'k',
        c if c == GAP || is_gap(c) => GAP,
        c if c.is_ascii() => c.to_ascii_lowercase(),
        _ => char::REPLACEMENT_CHARACTER,
    }
}

/// The beginning of each of some texts, as far as it can be read in one way only: no space whose end is unknown.
fn beginnings(texts: &Texts) -> Option<Texts> {
    let longest = if texts.len() > MANY_BEGINNINGS { SHORT_BEGINNING } else { usize::MAX };
    let mut all: Vec<&str> = texts.iter().map(|text| beginning(text, longest)).collect();
    all.sort_unstable();
    all.dedup();
    let mut beginnings = Texts::default();
    for text in all {
        if text.is_empty() || text.starts_with(GAP) {
            return None;
        }
        beginnings.push(&[text], false);
    }
    Some(beginnings)
}

/// At most `longest` characters of it.
fn beginning(text: &str, longest: usize) -> &str {
    let mut gaps = 0;
    let end = text.char_indices().zip(0..).find(|((_, c), number)| {
        gaps = if *c == GAP { gaps + 1 } else { 0 };
        *number == longest || gaps > 1 || is_gap(*c)
    });
    end.map_or(text, |((at, _), _)| text.get(..at).unwrap_or_default())
}

/// A phrase, read from left to right. `None` is for unknown syntax.
struct Reading<'p> {
    letters: Peekable<Chars<'p>>,
    depth: usize,
    /// True if it inspects the characters around it.
    looks: bool,
    wanted: Wanted,
    /// True if what is read follows beginnings, which go no further.
    skips: bool,
}

/// The part of a phrase that is written out.
#[derive(Clone, Copy)]
enum Wanted {
    All,
    /// The two letters with which it begins.
    Leads,
    /// The texts that begin so.
    Led(Lead),
}

impl<'p> Reading<'p> {
    fn of(phrase: &'p str, wanted: Wanted) -> Self {
        Reading { letters: phrase.chars().peekable(), depth: 0, looks: false, wanted, skips: false }
    }

    /// All of it.
    fn all(&mut self) -> Option<Texts> {
        self.alternatives().filter(|_| self.letters.peek().is_none())
    }

    /// As much of some texts as is wanted.
    fn wanted(&self, texts: Texts) -> Texts {
        match self.wanted {
            Wanted::Leads => texts.leads(),
            Wanted::Led(lead) if self.depth == 0 => texts.led(lead),
            Wanted::Led(_) | Wanted::All => texts,
        }
    }

    /// Alternatives up to a closing bracket.
    fn alternatives(&mut self) -> Option<Texts> {
        let mut all = self.sequence()?;
        while self.letters.next_if_eq(&'|').is_some() {
            let next = self.sequence()?;
            // If there are too many, some are kept to make that visible.
            if !self.skips && all.len() <= MOST_WORDINGS {
                all.extend(&next);
            }
        }
        Some(if all.len() > MOST_WORDINGS { Texts::anything() } else { self.wanted(all) })
    }

    /// One alternative.
    fn sequence(&mut self) -> Option<Texts> {
        let mut texts = Texts::ended("");
        // Letters that appear once each.
        let mut plain = String::new();
        let skips = self.skips;
        while let Some(letter) = self.letters.next_if(|c| !matches!(c, '|' | ')')) {
            self.skips = skips || !texts.go_on();
            let own = match letter {
                '\\' => self.escaped()?,
                '(' => self.group()?,
                '[' => self.class()?,
                '.' => Texts::anything(),
                '^' | '$' => self.look(),
                '?' | '*' | '+' | '{' => return None,
                letter if !matches!(self.letters.peek(), Some('?' | '*' | '+' | '{')) => {
                    plain.push(letter);
                    continue;
                }
                letter => Texts::ended(letter.encode_utf8(&mut [0; 4])),
            };
            let times = self.times()?;
            if !self.skips {
                texts = texts.joined(&Texts::ended(&std::mem::take(&mut plain)));
                texts = match times {
                    Some(times) => texts.joined(&own.repeated(&times)),
                    None => texts.joined(&own),
                };
                texts = self.wanted(texts);
            }
        }
        self.skips = skips;
        if self.skips {
            return Some(texts);
        }
        texts = texts.joined(&Texts::ended(&plain));
        Some(self.wanted(texts))
    }

    fn look(&mut self) -> Texts {
        self.looks = true;
        Texts::ended("")
    }

    /// Reads what follows a backslash.
    fn escaped(&mut self) -> Option<Texts> {
        match self.letters.next()? {
            'd' | 'D' | 'w' | 'W' | 's' | 'S' => Some(Texts::anything()),
            'b' | 'B' if self.letters.peek() != Some(&'{') => Some(self.look()),
            sign => Some(Texts::ended(escape(sign)?.encode_utf8(&mut [0; 4]))),
        }
    }

    /// A group after its opening bracket.
    fn group(&mut self) -> Option<Texts> {
        if self.letters.next_if_eq(&'?').is_some() {
            // The meaning of flags is known only to the library.
            self.letters.next_if_eq(&':')?;
        }
        self.depth += 1;
        let inside = if self.depth > DEEPEST { return None } else { self.alternatives()? };
        self.depth -= 1;
        self.letters.next_if_eq(&')')?;
        Some(inside)
    }

    /// A class after its opening bracket: letters and ranges.
    fn class(&mut self) -> Option<Texts> {
        let mut is_wide = self.letters.next_if_eq(&'^').is_some() || self.skips;
        let mut all: Vec<char> = Vec::new();
        while self.letters.next_if_eq(&'-').is_some() {
            all.push('-');
        }
        let mut is_first = all.is_empty();
        loop {
            let first = match self.letters.next()? {
                ']' if !is_first => break,
                ']' | '[' => return None,
                // Two of them are between classes.
                sign @ ('&' | '~' | '-') if self.letters.peek() == Some(&sign) => return None,
                '\\' => match self.letters.next()? {
                    'd' | 'D' | 'w' | 'W' | 's' | 'S' => {
                        (is_wide, is_first) = (true, false);
                        continue;
                    }
                    sign => escape(sign)?,
                },
                letter => letter,
            };
            is_first = false;
            let mut ahead = self.letters.clone();
            let last = match (ahead.next(), ahead.next()) {
                (Some('-'), Some(']' | '-')) => first,
                (Some('-'), Some('\\' | '[')) => return None,
                (Some('-'), Some(last)) => {
                    self.letters = ahead;
                    last
                }
                _ => first,
            };
            is_wide |= all.len() > MOST_LETTERS;
            if !is_wide {
                all.extend((first..=last).take(MOST_LETTERS + 1));
            }
        }
        all.sort_unstable();
        all.dedup();
        if is_wide || all.len() > MOST_LETTERS {
            return Some(Texts::anything());
        }
        let mut texts = Texts::default();
        all.into_iter().for_each(|letter| texts.push(&[letter.encode_utf8(&mut [0; 4])], true));
        Some(texts)
    }

    /// Reads the quantifier, if there is one here.
    fn times(&mut self) -> Option<Option<Times>> {
        let (least, most) = match self.letters.peek() {
            Some('?') => (0, Some(1)),
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('{') => {
                self.letters.next();
                let least = self.number()?;
                let most = match self.letters.next_if_eq(&',') {
                    Some(_) if self.letters.peek() == Some(&'}') => None,
                    Some(_) => Some(self.number()?),
                    None => Some(least),
                };
                if self.letters.peek() != Some(&'}') || most.is_some_and(|most| most < least) {
                    return None;
                }
                (least, most)
            }
            _ => return Some(None),
        };
        self.letters.next();
        let greedy = self.letters.next_if_eq(&'?').is_none();
        // A double quantifier does not occur.
        let is_twice = matches!(self.letters.peek(), Some('?' | '*' | '+' | '{'));
        (!is_twice).then_some(Some(Times { least, most, greedy }))
    }

    fn number(&mut self) -> Option<u32> {
        let mut figures = String::new();
        while let Some(figure) = self.letters.next_if(char::is_ascii_digit) {
            figures.push(figure);
        }
        figures.parse().ok()
    }
}

/// The character that a sign after a backslash means.
fn escape(sign: char) -> Option<char> {
    match sign {
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        '<' | '>' => None,
        sign => (sign.is_ascii() && !sign.is_ascii_alphanumeric()).then_some(sign),
    }
}

/// Returns true if each space of a wording is between letters, so that there is one way to read it in a text.
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
        let whole = |phrase: &str| {
            matches!(WrittenOut::of(Phrase::new(phrase).marked(), None), WrittenOut::Whole { .. })
        };
        for phrase in
            ["free of", r"3 ?\+", "margins? (?:is|are) free of (?:the )?tumou?r", "(?-i:US)", "^yes$"]
        {
            assert!(whole(phrase), "{phrase}");
        }
        let begins = |phrase: &str| match WrittenOut::of(phrase, None) {
            WrittenOut::Beginnings(texts) => texts.iter().map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        let begun = begins(Phrase::new(r"(?:within|<) \d+ ?mm").marked());
        assert_eq!(begun, ["<\u{E000}", "within\u{E000}"]);
        assert_eq!(begins("x[^]a]y"), Vec::<String>::new());
        assert_eq!(begins(r"[]-]a"), Vec::<String>::new());
        assert_eq!(begins(r"[a\]][b-d&]+?\b"), ["]&", "]b", "]c", "]d", "a&", "ab", "ac", "ad"]);
        for phrase in [r"\d+ ?mm", "[a&&b]", "(?i)a", "a{2,1}", "a**", r"\x41", &"(".repeat(9999)] {
            assert_eq!(WrittenOut::of(phrase, None), WrittenOut::Not, "{phrase}");
        }
    }
}
