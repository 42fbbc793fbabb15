//! Tokens of clauses: words with their digits, signs, and ends of lines, each with its cues.

use super::cues::{CueWords, Cues, common};
use super::index::Index;
use crate::fold::fold_into;
use crate::steps::step;
use std::ops::Range;

/// A word, a sign, or the end of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    /// A word without accents in lower case; a sign as it is; nothing for the end of a line.
    pub(crate) folded: Box<str>,
    /// Bytes.
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) class: Class,
    pub(crate) cues: Cues,
    /// It begins with a small letter.
    pub(crate) is_lowercase: bool,
}

/// The class of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Word,
    Sign,
    /// The end of a line.
    Line,
    /// Ends of lines with nothing between them.
    Gap,
}

impl Token {
    pub(crate) fn is(&self, sign: &str) -> bool {
        *self.folded == *sign
    }

    /// Returns whether it is the end of a line.
    pub(crate) fn is_end(&self) -> bool {
        matches!(self.class, Class::Line | Class::Gap)
    }

    pub(crate) fn is_word(&self) -> bool {
        self.class == Class::Word
    }

    pub(crate) fn is_number(&self) -> bool {
        self.is_word() && self.folded.bytes().all(|byte| byte.is_ascii_digit())
    }

    pub(crate) fn does(&self, cues: Cues) -> bool {
        self.cues.any(cues)
    }
}

/// The tokens of a text, and the positions of its words.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    pub(crate) all: Vec<Token>,
    index: Index,
}

impl Tokens {
    /// Reads a text by the words of every document, and some of its own.
    pub(crate) fn read(text: &str, own: &CueWords) -> Self {
        let cues_of = |word: &str| own.beside(common(), word);
        let mut all: Vec<Token> = Vec::new();
        let mut at = 0;
        while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
            let end = at + c.len_utf8();
            if c == '\n' {
                let rest = text.get(end..).unwrap_or_default();
                let blank = rest.len() - rest.trim_start().len();
                let gap = rest.get(..blank).is_some_and(|blank| blank.contains('\n'));
                let (class, end) = if gap { (Class::Gap, end + blank) } else { (Class::Line, end) };
                all.push(Token {
                    folded: "".into(),
                    start: at,
                    end,
                    class,
                    cues: Cues::NONE,
                    is_lowercase: false,
                });
                at = end;
            } else if c.is_alphanumeric() {
                let (folded, end) = spaced(text, at).unwrap_or_else(|| word(text, at));
                all.push(Token {
                    cues: cues_of(&folded),
                    folded: folded.into(),
                    start: at,
                    end,
                    class: Class::Word,
                    is_lowercase: c.is_lowercase(),
                });
                at = end;
            } else if c.is_whitespace() {
                at = end;
            } else {
                let end = if c == '_' {
                    at + text.get(at..).map_or(1, |rest| rest.len() - rest.trim_start_matches('_').len())
                } else {
                    end
                };
                let folded = sign(text.get(at..end).unwrap_or_default(), c);
                all.push(Token {
                    cues: cues_of(&folded),
                    folded,
                    start: at,
                    end,
                    class: Class::Sign,
                    is_lowercase: false,
                });
                at = end;
            }
        }
        join_phrases(&mut all, own);
        let minus: Vec<usize> = (0..all.len()).filter(|at| is_minus(&all, *at)).collect();
        silence(&mut all);
        let numbering: Vec<usize> = (1..all.len())
            .filter(|at| match all.get(at - 1..at + 2) {
                Some([before, token, after]) => {
                    before.is_word() && token.does(Cues::NUMBERING) && after.is(":")
                }
                Some(_) | None => false,
            })
            .collect();
        for at in numbering {
            if let Some(token) = all.get_mut(at) {
                token.cues = Cues::NONE;
            }
        }
        for at in minus {
            if let Some(token) = all.get_mut(at) {
                token.cues = Cues::DENIAL | Cues::PREDICATE;
            }
        }
        let index = Index::read(&all);
        Tokens { all, index }
    }

    /// Returns whether a word of the text says the same as a word of a field's name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.index.has(name)
    }

    /// The tokens that are a word, as it is folded, in order.
    pub(crate) fn places(&self, word: &str) -> &[usize] {
        self.index.of(word)
    }

    /// The words of the text that say the same as a word of a field's name, in order.
    pub(crate) fn named(&self, name: &str) -> Vec<usize> {
        self.index.named(name)
    }

    /// The words of the text that are a word but for so many letters, in order.
    pub(crate) fn misspelt(&self, word: &str, letters: usize) -> Vec<usize> {
        self.index.misspelt(word, letters)
    }

    /// The ends of the first ticked boxes.
    pub(crate) fn ticked(&self) -> &[usize] {
        &self.index.ticked
    }

    /// The tokens that hold some bytes: at least one, if there is any.
    pub(crate) fn over(&self, start: usize, end: usize) -> std::ops::Range<usize> {
        let first = self.all.partition_point(|token| token.start <= start).saturating_sub(1);
        let last = self.all.partition_point(|token| token.start < end);
        first..last.max(first + 1).min(self.all.len())
    }
}

/// A word with the one that a hyphen joins to it: `BI-RADS` is `birads`, too.
pub(super) fn joined(all: &[Token], at: usize) -> Option<String> {
    match all.get(at..at + 3)? {
        [one, dash, other]
            if one.is_word()
                && dash.is("-")
                && other.is_word()
                && one.end == dash.start
                && dash.end == other.start =>
        {
            Some(format!("{}{}", one.folded, other.folded))
        }
        _ => None,
    }
}

/// The most words of a phrase, and the signs between them.
const PHRASE: usize = 8;

/// Gives the first word of a phrase what the phrase does, and the others nothing.
fn join_phrases(all: &mut [Token], own: &CueWords) {
    let mut at = 0;
    while at < all.len() {
        let words = |at: usize| {
            let next = all.get(at..all.len().min(at + 2 * PHRASE)).unwrap_or_default().iter();
            let in_line =
                next.take_while(|token| token.class != Class::Gap && !token.is(".") && !token.is(","));
            in_line
                .enumerate()
                .filter(|(_, token)| token.is_word())
                .map(move |(after, token)| (at + after, token))
        };
        let said = words(at + 1).map(|(_, token)| &*token.folded);
        let first = all.get(at).filter(|token| token.is_word());
        let phrase = |token: &Token| {
            own.phrase(&token.folded, said.clone()).or_else(|| common().phrase(&token.folded, said.clone()))
        };
        let Some((cues, count)) = first.and_then(phrase) else {
            at += 1;
            continue;
        };
        let others: Vec<usize> = words(at + 1).map(|(at, _)| at).take(count - 1).collect();
        if let Some(token) = all.get_mut(at) {
            token.cues = cues;
        }
        for other in &others {
            if let Some(token) = all.get_mut(*other) {
                token.cues = Cues::NONE;
            }
        }
        at = others.last().map_or(at + 1, |last| last + 1);
    }
}

/// Takes their part in a clause from the words of options that are not ticked: no one has said them.
fn silence(all: &mut [Token]) {
    let mut first = 0;
    while first < all.len() {
        let is_end = |token: &Token| matches!(token.class, Class::Line | Class::Gap);
        let line = all.get(first..).unwrap_or_default();
        let last = line.iter().position(is_end).map_or(all.len(), |at| first + at);
        if has_boxes_behind(all, first..last) {
            silence_before(all, first..last);
        } else {
            silence_behind(all, first..last);
        }
        first = last + 1;
    }
}

/// Returns whether the boxes of a line are behind their options: its first box has words before it, behind the line's
/// label, and its last one ends the line.
fn has_boxes_behind(all: &[Token], line: Range<usize>) -> bool {
    let mark = |at: usize| super::assertion::mark(all, at);
    let Some(last) = line.clone().next_back().filter(|at| mark(*at).is_some()) else { return false };
    let Some(first) = line.clone().find(|at| mark(*at).is_some()) else { return false };
    let begins = |at: usize| {
        (at.saturating_sub(BOX).max(line.start)..at)
            .rev()
            .find(|at| all.get(*at).is_some_and(|token| token.is_word() && !token.is("x") || token.is(":")))
    };
    let is_rule = |at: usize| all.get(at).is_some_and(|token| token.folded.starts_with('_'));
    let is_option = |at: usize| all.get(at).is_some_and(|token| !token.is(":"));
    first < last && is_rule(first) == is_rule(last) && begins(first).is_some_and(is_option)
}

/// The most tokens of a box.
const BOX: usize = 4;

/// Silences the options before each box of a line that is not ticked.
fn silence_before(all: &mut [Token], line: Range<usize>) {
    let label = line
        .clone()
        .find(|at| all.get(*at).is_some_and(|token| token.is(":")))
        .map_or(line.start, |at| at + 1);
    let mut open = label;
    for at in line.clone() {
        if let Some(ticked) = super::assertion::mark(all, at) {
            let option = all.get_mut(open..at).unwrap_or_default().iter_mut();
            option.filter(|token| !ticked && token.is_word()).for_each(|token| token.cues = Cues::NONE);
            open = at + 1;
        }
    }
    for token in all.get_mut(line).unwrap_or_default() {
        token.cues = token.cues | Cues::BOX_BEHIND;
    }
}

/// Silences the options behind each box of a line that is not ticked.
fn silence_behind(all: &mut [Token], line: Range<usize>) {
    let mut silent = false;
    for at in line {
        let ticked = super::assertion::mark(all, at);
        let Some(token) = all.get_mut(at) else { break };
        match (ticked, token.class) {
            (Some(ticked), _) => silent = !ticked,
            (None, Class::Line | Class::Gap) => silent = false,
            (None, Class::Word) if silent => token.cues = Cues::NONE,
            (None, Class::Word | Class::Sign) => {}
        }
    }
}

/// A minus behind a name, as in `CK20-`, `CK20 (-)` and `CK20: -`.
fn is_minus(all: &[Token], at: usize) -> bool {
    let Some(token) = all.get(at).filter(|token| token.is("-")) else { return false };
    let (before, after) = (at.checked_sub(1).and_then(|at| all.get(at)), all.get(at + 1));
    let touches = |token: &Token, next: &Token| token.end == next.start;
    let behind = before.is_some_and(|before| before.is_word() && touches(before, token))
        && !after.is_some_and(|after| after.is_word() && touches(token, after));
    let ends = after.is_none_or(|after| matches!(after.class, Class::Line | Class::Gap) || after.is(","));
    // `CD20 + CD3 - CD5 -`: signs behind codes, on a line that has a plus behind a word, too.
    let is_code = before.is_some_and(|before| before.is_word() && is_code(&before.folded));
    let pairs = is_code && after.is_some_and(Token::is_word) && has_plus(all, at);
    let enclosed = before.is_some_and(|before| before.is("(")) && after.is_some_and(|after| after.is(")"));
    behind || pairs || enclosed || before.is_some_and(|before| before.is(":") || before.is_word()) && ends
}

/// Returns whether a word has letters and ends with a digit.
fn is_code(word: &str) -> bool {
    word.contains(char::is_alphabetic) && word.ends_with(|c: char| c.is_ascii_digit())
}

/// The distance at which other signs of a list are looked for, in tokens.
const LIST: usize = 24;

/// Returns whether a plus is behind a word near a token of its line.
fn has_plus(all: &[Token], at: usize) -> bool {
    let is_end = |token: &Token| matches!(token.class, Class::Line | Class::Gap);
    let before = all.get(at.saturating_sub(LIST)..at).unwrap_or_default().iter().rev();
    let after = all.get(at..all.len().min(at + LIST)).unwrap_or_default().iter();
    let is_plus = |token: &Token| {
        step(1);
        token.is("+")
    };
    before.take_while(|token| !is_end(token)).any(is_plus)
        || after.take_while(|token| !is_end(token)).any(is_plus)
}

/// A sign in its plain form.
fn sign(written: &str, c: char) -> Box<str> {
    match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => "-".into(),
        '’' => "'".into(),
        _ => written.into(),
    }
}

/// The word that begins at a byte, folded, and its end: with an apostrophe within it, and past a hyphen at the end of a
/// line.
fn word(text: &str, from: usize) -> (String, usize) {
    let mut folded = String::new();
    let mut at = from;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let Some(c) = rest.chars().next() else { break };
        if c.is_alphanumeric() || crate::fold::is_mark(c) {
            if !crate::fold::is_mark(c) {
                fold_into(c, &mut folded);
            }
            at += c.len_utf8();
            continue;
        }
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        if matches!(c, '\'' | '’') && after.starts_with(char::is_alphanumeric) && !folded.contains('\'') {
            folded.push('\'');
            at += c.len_utf8();
            continue;
        }
        if c == '-'
            && let Some(next) = next_line(after)
            && next.starts_with(char::is_lowercase)
        {
            at = text.len() - next.len();
            continue;
        }
        break;
    }
    if folded.ends_with("'s") {
        folded.truncate(folded.len() - 2);
    }
    (folded, at)
}

/// The fewest letters of a word that is spaced out.
const SPACED: usize = 4;

/// The word that begins at a byte in letters with a blank between each: `n i c h t`.
fn spaced(text: &str, from: usize) -> Option<(String, usize)> {
    let rest = text.get(from..)?;
    let mut chars = rest.char_indices().peekable();
    let (mut folded, mut count, mut end) = (String::new(), 0, 0);
    while let Some((at, c)) = chars.next() {
        if !c.is_alphabetic() {
            break;
        }
        let blank = chars.next();
        let is_last = blank.is_none_or(|(_, blank)| !blank.is_alphanumeric());
        if !is_last {
            break;
        }
        fold_into(c, &mut folded);
        (count, end) = (count + 1, at + c.len_utf8());
        let continues = blank.is_some_and(|(_, blank)| blank == ' ');
        if !continues {
            break;
        }
    }
    (count >= SPACED).then_some((folded, from + end))
}

/// The text of the next line, if nothing is left of this one.
fn next_line(rest: &str) -> Option<&str> {
    let line = rest.trim_start_matches([' ', '\t', '\r']);
    Some(line.strip_prefix('\n')?.trim_start_matches([' ', '\t']))
}

#[cfg(test)]
mod tests {
    use super::{Class, CueWords, Tokens};

    #[test]
    fn words_keep_their_digits_and_lines_are_joined() {
        let read = Tokens::read("pT2, CK7 (−) is ab-\nsent.\n\nMother’s __ x", &CueWords::default());
        let folded: Vec<&str> = read.all.iter().map(|token| &*token.folded).collect();
        assert_eq!(folded, ["pt2", ",", "ck7", "(", "-", ")", "is", "absent", ".", "", "mother", "__", "x"]);
        assert!(read.all.iter().any(|token| token.class == Class::Gap));
        assert!(read.has("absence") && read.has("mothers") && !read.has("tumor"));
    }
}
