//! Tokens of clauses: words with their digits, signs, and ends of lines, each with its cues.

use super::cues::{Cues, cues_of};
use super::index::Index;
use crate::fold::fold_into;

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

/// The tokens of a text, and where its words stand.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    pub(crate) all: Vec<Token>,
    index: Index,
}

impl Tokens {
    pub(crate) fn read(text: &str) -> Self {
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
                let (folded, end) = word(text, at);
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
        let index = Index::of(&all);
        Tokens { all, index }
    }

    /// If a word of the text says the same as a word of a field's name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.index.has(name)
    }

    /// The words of the text that say the same as a word of a field's name, in order.
    pub(crate) fn named(&self, name: &str) -> Vec<usize> {
        self.index.named(name)
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

/// Takes their part in a clause from the words of options that are not ticked: nobody has said them.
fn silence(all: &mut [Token]) {
    let mut silent = false;
    for at in 0..all.len() {
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
    let enclosed = before.is_some_and(|before| before.is("(")) && after.is_some_and(|after| after.is(")"));
    behind || enclosed || before.is_some_and(|before| before.is(":") || before.is_word()) && ends
}

/// A sign in its plain form.
fn sign(written: &str, c: char) -> Box<str> {
    match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => "-".into(),
        '’' => "'".into(),
        _ => written.into(),
    }
}

/// The word that begins at a byte, folded, and its end: with an apostrophe within it, and past a hyphen at the end of a line.
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

/// The text of the next line, if nothing is left of this one.
fn next_line(rest: &str) -> Option<&str> {
    let line = rest.trim_start_matches([' ', '\t', '\r']);
    Some(line.strip_prefix('\n')?.trim_start_matches([' ', '\t']))
}

#[cfg(test)]
mod tests {
    use super::{Class, Tokens};

    #[test]
    fn words_keep_their_digits_and_lines_are_joined() {
        let read = Tokens::read("pT2, CK7 (−) is ab-\nsent.\n\nMother’s __ x");
        let folded: Vec<&str> = read.all.iter().map(|token| &*token.folded).collect();
        assert_eq!(folded, ["pt2", ",", "ck7", "(", "-", ")", "is", "absent", ".", "", "mother", "__", "x"]);
        assert!(read.all.iter().any(|token| token.class == Class::Gap));
        assert!(read.has("absence") && read.has("mothers") && !read.has("tumor"));
    }
}
