//! Phrases written out: the few wordings of one, or what all of them begin with.
//!
//! They are read as they are written: to parse a thousand phrases as regular expressions takes longer than all that is done with
//! them. What is written in a way that is not known here is left to the library.

use crate::rules::{GAP, is_gap, is_special};
use std::iter::Peekable;
use std::str::Chars;

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
/// How deep groups stand in each other at most.
const DEEPEST: usize = 40;

/// How far a phrase can be written out.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WrittenOut {
    /// All its wordings, the one that is looked for first before the others.
    Whole {
        texts: Texts,
        exact: bool,
        whole: bool,
    },
    /// What it may begin with.
    Beginnings(Texts),
    Not,
}

impl WrittenOut {
    pub(super) fn of(marked: &str) -> Self {
        if !marked.contains(is_special) {
            return match is_wording(marked) {
                true => WrittenOut::Whole { texts: Texts::ended(marked), exact: false, whole: false },
                false => WrittenOut::Not,
            };
        }
        let Bare { letters, exact, whole } = Bare::of(marked);
        let mut reading = Reading::of(letters, false);
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

/// A phrase without what stands around all of it.
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

/// The first letters that a phrase may begin with and the second that may follow each, any if none is given. Nothing of a phrase
/// that may begin with anything.
pub(super) fn leads(marked: &str) -> Option<Vec<(char, Option<char>)>> {
    let texts = if marked.contains(is_special) {
        Reading::of(Bare::of(marked).letters, true).all()?
    } else {
        Texts::ended(marked)
    };
    let lead_of = |text: &str| {
        let mut letters = text.chars().map(lead);
        letters.next().filter(|first| *first != GAP).map(|first| (first, letters.next()))
    };
    texts.iter().map(lead_of).collect()
}

/// What stands for a letter where a phrase begins: one for those that differ in case, and one for most outside of ASCII.
pub(super) fn lead(c: char) -> char {
    match c {
        '\u{17F}' => 's',
        '\u{212A}' => 'k',
        c if c == GAP || is_gap(c) => GAP,
        c if c.is_ascii() => c.to_ascii_lowercase(),
        _ => char::REPLACEMENT_CHARACTER,
    }
}

/// What each of some texts begins with, as far as it can be read in one way only: no space of which it is not known where it ends.
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

/// At most so many characters of it.
fn beginning(text: &str, longest: usize) -> &str {
    let mut gaps = 0;
    let end = text.char_indices().zip(0..).find(|((_, c), number)| {
        gaps = if *c == GAP { gaps + 1 } else { 0 };
        *number == longest || gaps > 1 || is_gap(*c)
    });
    end.map_or(text, |((at, _), _)| text.get(..at).unwrap_or_default())
}

/// What an expression matches, in the order in which it is tried; the beginnings, where that is too much.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Texts {
    /// All of them, one after the other.
    letters: String,
    /// Where each ends, and whether nothing follows it.
    ends: Vec<(usize, bool)>,
}

impl Texts {
    fn ended(text: &str) -> Self {
        Texts { letters: text.to_owned(), ends: vec![(text.len(), true)] }
    }

    /// What may begin with anything.
    fn anything() -> Self {
        Texts { letters: String::new(), ends: vec![(0, false)] }
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn push(&mut self, parts: &[&str], ended: bool) {
        self.letters.extend(parts.iter().copied());
        self.ends.push((self.letters.len(), ended));
    }

    fn extend(&mut self, other: &Texts) {
        other.all().for_each(|(text, ended)| self.push(&[text], ended));
    }

    /// Each, with whether nothing follows it.
    fn all(&self) -> impl Iterator<Item = (&str, bool)> {
        let mut from = 0;
        self.ends.iter().map(move |(to, ended)| {
            let text = self.letters.get(from..*to).unwrap_or_default();
            from = *to;
            (text, *ended)
        })
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.all().map(|(text, _)| text)
    }

    /// Whether something may follow one of them.
    fn go_on(&self) -> bool {
        self.ends.iter().any(|(_, ended)| *ended)
    }

    /// Every combination with `after`. These alone, as beginnings, if there would be more than `MOST_WORDINGS`.
    fn joined(self, after: &Texts) -> Texts {
        if matches!(&*after.ends, [(0, true)]) {
            return self;
        }
        let ended = self.ends.iter().filter(|(_, ended)| *ended).count();
        let fits = self.len() - ended + ended * after.len() <= MOST_WORDINGS;
        let mut joined = Texts::default();
        for (text, ended) in self.all() {
            if ended && fits && text.len() < LONGEST_WORDING {
                after.all().for_each(|(next, ended)| joined.push(&[text, next], ended));
            } else {
                joined.push(&[text], false);
            }
        }
        joined
    }

    /// The first two letters of each.
    fn leads(&self) -> Texts {
        let mut all: Vec<(&str, bool)> = self.all().collect();
        for (text, ended) in &mut all {
            let mut letters = text.char_indices().skip(1);
            if letters.next().is_some() {
                *text = letters.next().map_or(*text, |(at, _)| text.get(..at).unwrap_or_default());
                *ended = false;
            }
        }
        all.sort_unstable();
        all.dedup();
        let mut leads = Texts::default();
        all.into_iter().for_each(|(text, ended)| leads.push(&[text], ended));
        leads
    }

    /// So many of them in a row.
    fn repeated(&self, times: &Times) -> Texts {
        if self.iter().any(str::is_empty) {
            return Texts::anything();
        }
        let most = times.most.filter(|most| *most <= MOST_REPEATED);
        let least = times.least.min(MOST_REPEATED);
        let mut texts = if most.is_some() { Texts::ended("") } else { Texts::anything() };
        for number in (0..most.unwrap_or(least.max(1))).rev() {
            let more = self.clone().joined(&texts);
            let may_end = number >= least;
            texts = Texts::default();
            if may_end && !times.greedy {
                texts.push(&[""], true);
            }
            texts.extend(&more);
            if may_end && times.greedy {
                texts.push(&[""], true);
            }
        }
        texts
    }
}

/// How often something stands in a row.
struct Times {
    least: u32,
    most: Option<u32>,
    /// Whether as often as can be is tried first.
    greedy: bool,
}

/// A phrase, read from left to right. `None` is for what is not known here.
struct Reading<'p> {
    letters: Peekable<Chars<'p>>,
    depth: usize,
    /// Whether it asks what stands around it.
    looks: bool,
    /// Whether only the two letters count with which it begins.
    leads: bool,
}

impl<'p> Reading<'p> {
    fn of(phrase: &'p str, leads: bool) -> Self {
        Reading { letters: phrase.chars().peekable(), depth: 0, looks: false, leads }
    }

    /// All of it.
    fn all(&mut self) -> Option<Texts> {
        self.alternatives().filter(|_| self.letters.peek().is_none())
    }

    /// As much of some texts as counts.
    fn counting(&self, texts: Texts) -> Texts {
        if self.leads { texts.leads() } else { texts }
    }

    /// Alternatives up to a closing bracket.
    fn alternatives(&mut self) -> Option<Texts> {
        let mut all = self.sequence()?;
        while self.letters.next_if_eq(&'|').is_some() {
            let next = self.sequence()?;
            // Of too many some are kept, for it to be seen.
            if all.len() <= MOST_WORDINGS {
                all.extend(&next);
            }
        }
        Some(if all.len() > MOST_WORDINGS { Texts::anything() } else { self.counting(all) })
    }

    /// One alternative.
    fn sequence(&mut self) -> Option<Texts> {
        let mut texts = Texts::ended("");
        // Letters that stand once each.
        let mut plain = String::new();
        while let Some(letter) = self.letters.next_if(|c| !matches!(c, '|' | ')')) {
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
            // What follows beginnings is not written out.
            if texts.go_on() {
                texts = texts.joined(&Texts::ended(&std::mem::take(&mut plain)));
                texts = match times {
                    Some(times) => texts.joined(&own.repeated(&times)),
                    None => texts.joined(&own),
                };
                texts = self.counting(texts);
            }
        }
        texts = texts.joined(&Texts::ended(&plain));
        Some(self.counting(texts))
    }

    fn look(&mut self) -> Texts {
        self.looks = true;
        Texts::ended("")
    }

    /// What follows a backslash.
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
            // Flags mean what only the library knows.
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
        let mut is_wide = self.letters.next_if_eq(&'^').is_some();
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

    /// What says how often, if it stands here.
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
        // Twice as often is written by nobody.
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

/// What a sign after a backslash stands for.
fn escape(sign: char) -> Option<char> {
    match sign {
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        '<' | '>' => None,
        sign => (sign.is_ascii() && !sign.is_ascii_alphanumeric()).then_some(sign),
    }
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
        let begins = |phrase: &str| match WrittenOut::of(phrase) {
            WrittenOut::Beginnings(texts) => texts.iter().map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        let begun = begins(Phrase::new(r"(?:within|<) \d+ ?mm").marked());
        assert_eq!(begun, ["<\u{E000}", "within\u{E000}"]);
        assert_eq!(begins("x[^]a]y"), Vec::<String>::new());
        assert_eq!(begins(r"[]-]a"), Vec::<String>::new());
        assert_eq!(begins(r"[a\]][b-d&]+?\b"), ["]&", "]b", "]c", "]d", "a&", "ab", "ac", "ad"]);
        for phrase in [r"\d+ ?mm", "[a&&b]", "(?i)a", "a{2,1}", "a**", r"\x41", &"(".repeat(9999)] {
            assert_eq!(WrittenOut::of(phrase), WrittenOut::Not, "{phrase}");
        }
    }
}
