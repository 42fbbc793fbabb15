//! Sentences and their parts: the words around a value that may say something of it.

use super::assertion::mark;
use super::cues::Cues;
use super::tokens::{Class, Token, Tokens};
use crate::steps::step;
use std::ops::Range;

/// The reach of a sentence in each direction, in tokens.
const REACH: usize = 90;
/// The longest sentence that is read, in tokens.
pub(super) const LONGEST: usize = 2 * REACH;
/// The most words of a label.
pub(super) const LABEL: usize = 6;

/// The sentence of a value, as tokens, and the parts of it that speak of the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clause {
    /// The tokens of the value.
    pub(crate) value: Range<usize>,
    pub(crate) sentence: Range<usize>,
    /// The tokens of the part that holds the value.
    pub(crate) part: Vec<usize>,
    /// Those with the parts that complete it: a part that says nothing by itself belongs to those beside it.
    pub(crate) statement: Vec<usize>,
}

impl Clause {
    /// The clause around some tokens; `None` where there are none.
    pub(crate) fn around(tokens: &Tokens, value: Range<usize>) -> Option<Self> {
        let sentence = sentence(&tokens.all, &value);
        let parts = parts(&tokens.all, sentence.clone());
        let holds = |part: &Cut| part.at.iter().any(|at| value.contains(at));
        let own: Vec<usize> = (0..parts.len()).filter(|at| parts.get(*at).is_some_and(holds)).collect();
        let distance = |part: &Cut| part.at.iter().map(|at| at.abs_diff(value.start)).min();
        let nearest = || (0..parts.len()).min_by_key(|at| parts.get(*at).and_then(distance));
        let (mut first, mut last) = match (own.first(), own.last()) {
            (Some(first), Some(last)) => (*first, *last),
            _ => {
                let nearest = nearest()?;
                (nearest, nearest)
            }
        };
        let between = |first: usize, last: usize| -> Vec<usize> {
            let cuts = parts.get(first..=last).unwrap_or_default();
            cuts.iter().flat_map(|cut| &cut.at).copied().collect()
        };
        let part = between(first, last);
        let says = |at: usize| parts.get(at).is_some_and(Cut::says_something);
        if !(first..=last).any(says) {
            while first > 0 {
                first -= 1;
                if says(first) {
                    break;
                }
            }
            while last + 1 < parts.len() {
                last += 1;
                if says(last) {
                    break;
                }
            }
        }
        Some(Clause { value, sentence, part, statement: between(first, last) })
    }
}

fn sentence(all: &[Token], value: &Range<usize>) -> Range<usize> {
    let mut first = value.start;
    while first > 0 && value.start - first < REACH && !ends_sentence(all, first - 1) {
        first -= 1;
    }
    let mut last = value.end.saturating_sub(1);
    while last + 1 < all.len() && last < value.start + REACH && !ends_sentence(all, last) {
        last += 1;
    }
    first..(last + 1).min(all.len())
}

/// Returns whether a sentence ends with a token.
pub(super) fn ends_sentence(all: &[Token], at: usize) -> bool {
    step(1);
    let Some(token) = all.get(at) else { return true };
    let Some(next) = all.get(at + 1) else { return true };
    if begins_column(all, at + 1) {
        return true;
    }
    match token.class {
        Class::Gap => true,
        Class::Line => begins_item(all, at + 1) || ends_option(all, at) || has_columns(all, at),
        Class::Word => false,
        Class::Sign if token.is(".") => {
            let before = at.checked_sub(1).and_then(|at| all.get(at));
            let touches = next.start == token.end && !next.is(",") && next.class != Class::Line;
            let between_numbers = before.is_some_and(Token::is_number) && next.is_number();
            let shortened = before.is_some_and(|before| {
                before.does(Cues::ABBREVIATION)
                    || before.is_word() && before.folded.chars().count() == 1 && !before.is_number()
            });
            let in_leader = before.is_some_and(|before| before.is(".")) || next.is(".");
            !in_leader && !touches && !between_numbers && !shortened && !next.is_lowercase
        }
        // `?tumor` asks, and does not end what was before it.
        Class::Sign if token.is("?") => next.start > token.end,
        Class::Sign => token.is(";") || token.is("!") || token.is("|"),
    }
}

/// Returns whether a line begins with a mark of a list, a number of one, or a label.
fn begins_item(all: &[Token], at: usize) -> bool {
    let Some(first) = all.get(at) else { return true };
    let next = all.get(at + 1);
    let is_mark = first.class == Class::Sign
        && first.folded.starts_with(['-', '*', '•', '(', '[', '_', '☐', '☒', '☑', '□', '○', '●']);
    let is_number = first.is_number() && next.is_some_and(|next| next.is(".") || next.is(")"));
    let line = all
        .iter()
        .skip(at)
        .take(LABEL + 1)
        .take_while(|token| !matches!(token.class, Class::Line | Class::Gap));
    let is_cross = first.is("x") || first.is("xx");
    is_mark || is_cross || is_number || line.into_iter().any(|token| token.is(":")) || has_leader(all, at)
}

/// Returns whether a line that ends with a token is an option with a box before it.
fn ends_option(all: &[Token], end: usize) -> bool {
    let line = all.get(end.saturating_sub(REACH)..end).unwrap_or_default();
    let start =
        line.iter().rposition(|token| matches!(token.class, Class::Line | Class::Gap)).map_or(0, |at| at + 1);
    let first = end - (line.len() - start);
    (first..end.min(first + 2)).any(|at| begins_option(all, at))
        || all
            .get(first)
            .is_some_and(|token| token.is("x") || token.is("xx") || token.folded.starts_with("__"))
}

/// The blanks that set two columns apart, in bytes.
const COLUMN_GAP: usize = 3;

/// Returns whether a label begins with a token, set apart from what is before it in its line: `Name: A      Date: B`.
fn begins_column(all: &[Token], at: usize) -> bool {
    let is_apart = |two: &[Token]| match two {
        [one, other] => !one.is_end() && other.start.saturating_sub(one.end) >= COLUMN_GAP,
        _ => false,
    };
    let Some(from) = at.checked_sub(1).filter(|from| all.get(*from..=at).is_some_and(is_apart)) else {
        return false;
    };
    let label = all.get(from + 1..all.len().min(from + 2 + LABEL)).unwrap_or_default();
    let Some(colon) = label.iter().position(|token| token.is(":") || token.is_end()) else { return false };
    let words = label.get(..=colon).unwrap_or_default();
    colon > 0 && words.last().is_some_and(|token| token.is(":")) && !words.windows(2).any(is_apart)
}

/// Returns whether the line before or after an end of a line has columns.
fn has_columns(all: &[Token], end: usize) -> bool {
    let is_end = |token: &Token| matches!(token.class, Class::Line | Class::Gap);
    let is_gap = |two: &[Token]| match two {
        [one, other] => !is_end(one) && !is_end(other) && other.start - one.end >= COLUMN_GAP,
        _ => false,
    };
    let before = all.get(end.saturating_sub(REACH)..end).unwrap_or_default();
    let first = before.iter().rposition(is_end).map_or(0, |at| at + 1);
    let after = all.get(end + 1..all.len().min(end + 1 + REACH)).unwrap_or_default();
    let last = after.iter().position(is_end).unwrap_or(after.len());
    before.get(first..).unwrap_or_default().windows(2).any(is_gap)
        || after.get(..last).unwrap_or_default().windows(2).any(is_gap)
}

/// The most words of a line before a leader.
const BEFORE_LEADER: usize = 12;

/// Returns whether a line has a run of dots that leads from a label to its value.
fn has_leader(all: &[Token], at: usize) -> bool {
    let line = all.get(at..all.len().min(at + BEFORE_LEADER)).unwrap_or_default();
    let end =
        line.iter().position(|token| matches!(token.class, Class::Line | Class::Gap)).unwrap_or(line.len());
    line.get(..end).unwrap_or_default().windows(3).any(|dots| dots.iter().all(|token| token.is(".")))
}

/// Returns whether a token makes the part that holds it say something by itself.
fn says(token: &Token) -> bool {
    step(1);
    token.does(Cues::PREDICATE | Cues::DENIAL) || token.is(":")
}

/// Cuts a sentence at commas, at words of contrast, at `and` between two statements, and around statements in parentheses.
pub(super) fn parts(all: &[Token], sentence: Range<usize>) -> Vec<Cut> {
    let mut parts = SentenceParts::default();
    let mut parenthesis: Option<(usize, usize)> = None;
    let mut depth = 0usize;
    for at in sentence.clone() {
        let Some(token) = all.get(at) else { break };
        let is_behind = token.does(Cues::BOX_BEHIND);
        if !is_behind && begins_option(all, at)
            || is_behind && at > sentence.start && mark(all, at - 1).is_some()
        {
            parts.cut();
        }
        let ends_sign =
            token.is("/") && parts.open.says_something() && all.get(at + 1).is_some_and(has_letters);
        if ends_sign || token.is(",") && depth == 0 && !is_within_number(all, at) {
            parts.cut();
        } else if token.is("(") {
            depth += 1;
            if depth == 1 {
                if is_denial(all.get(at + 1..sentence.end).unwrap_or_default()) {
                    parts.cut();
                }
                parenthesis = Some((parts.done.len(), at));
            }
        } else if token.is(")") {
            depth = depth.saturating_sub(1);
            if let (0, Some((number, from))) = (depth, parenthesis)
                && number == parts.done.len()
            {
                let inner = parts.open.at.get(parts.open.at.partition_point(|at| *at < from)..);
                step(inner.map_or(0, <[usize]>::len));
                let answers = parts.open.last_says.is_some_and(|last| last >= from)
                    || inner
                        .unwrap_or_default()
                        .iter()
                        .filter_map(|at| all.get(*at))
                        .any(|token| token.is("yes") || token.is("-"));
                if answers && parts.open.first_says.is_none_or(|first| first >= from) {
                    parts.cut();
                }
            }
        } else if token.does(Cues::CONTRAST) {
            parts.cut();
            parts.open.push(at, token);
        } else if token.does(Cues::JOIN) && parts.open.says_something() {
            let after = all.get(at + 1..sentence.end.min(at + 9)).unwrap_or_default();
            if after.iter().take_while(|token| !token.is(",") && !token.does(Cues::JOIN)).any(says) {
                parts.cut();
            }
            parts.open.push(at, token);
        } else {
            parts.open.push(at, token);
        }
        if depth == 0 && ends_pair(all, at) {
            parts.cut();
        }
    }
    parts.cut();
    parts.done
}

/// Returns whether a sign ends with a token that belongs to the name before it, as in `CD20 + CD3 -` and `CD5(+) CD10(-)`.
fn ends_pair(all: &[Token], at: usize) -> bool {
    let is_sign = |token: &Token| token.is("+") || token.is("-") && token.does(Cues::DENIAL);
    let Some([before, token]) = at.checked_sub(1).and_then(|from| all.get(from..=at)) else { return false };
    let begins_name = all.get(at + 1).is_some_and(|next| has_letters(next) && next.start > token.end);
    let in_parentheses = token.is(")") && is_sign(before);
    begins_name && (in_parentheses || is_sign(token) && before.is_word() && !before.is_number())
}

/// Returns whether the parenthesis that begins with some tokens says that something is not so.
fn is_denial(inner: &[Token]) -> bool {
    let words = inner.iter().take_while(|token| !token.is(")")).filter(|token| token.is_word());
    let (mut count, mut denies) = (0, false);
    for word in words {
        step(1);
        count += 1;
        denies = denies || word.does(Cues::DENIAL);
        if denies && count >= 3 {
            return true;
        }
    }
    false
}

fn has_letters(token: &Token) -> bool {
    token.is_word() && token.folded.contains(char::is_alphabetic)
}

/// Returns whether a box of an option begins with a token, ticked or not.
fn begins_option(all: &[Token], at: usize) -> bool {
    step(1);
    let Some(token) = all.get(at) else { return false };
    let is = |ahead: usize, sign: &str| all.get(at + ahead).is_some_and(|token| token.is(sign));
    let is_box = |close: &str| is(1, close) || (is(1, "x") || is(1, "✓") || is(1, "•")) && is(2, close);
    match &*token.folded {
        "☐" | "□" | "○" | "☒" | "☑" | "●" => true,
        "[" => is_box("]"),
        "(" => is_box(")"),
        "{" => is_box("}"),
        "_" => is_box("_"),
        _ => false,
    }
}

/// The tokens of a part of a sentence.
#[derive(Debug, Default)]
pub(super) struct Cut {
    pub(super) at: Vec<usize>,
    /// The first and the last of those that make it say something.
    first_says: Option<usize>,
    last_says: Option<usize>,
}

impl Cut {
    fn push(&mut self, at: usize, token: &Token) {
        self.at.push(at);
        if says(token) {
            self.first_says.get_or_insert(at);
            self.last_says = Some(at);
        }
    }

    /// Returns whether it says something by itself.
    pub(super) fn says_something(&self) -> bool {
        self.first_says.is_some()
    }
}

#[derive(Default)]
struct SentenceParts {
    done: Vec<Cut>,
    open: Cut,
}

impl SentenceParts {
    fn cut(&mut self) {
        let part = std::mem::take(&mut self.open);
        if !part.at.is_empty() {
            self.done.push(part);
        }
    }
}

/// Returns whether a sign is between two digits that it touches.
fn is_within_number(all: &[Token], at: usize) -> bool {
    let (Some(before), Some(token), Some(after)) =
        (at.checked_sub(1).and_then(|at| all.get(at)), all.get(at), all.get(at + 1))
    else {
        return false;
    };
    before.is_number() && after.is_number() && before.end == token.start && token.end == after.start
}

#[cfg(test)]
mod tests {
    use super::Clause;
    use crate::clause::tokens::Tokens;

    /// The words of the statement around a phrase.
    fn statement(text: &str, phrase: &str) -> String {
        let tokens = Tokens::read(text, &crate::clause::CueWords::default());
        let start = text.find(phrase).unwrap_or_default();
        let clause = Clause::around(&tokens, tokens.over(start, start + phrase.len()));
        let words = clause.map(|clause| clause.statement).unwrap_or_default();
        let words = words.iter().filter_map(|at| tokens.all.get(*at)).filter(|token| token.is_word());
        words.map(|token| &*token.folded).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_statement_ends_where_another_begins() {
        let text = "Perineural invasion present, lymphovascular invasion not identified.";
        assert_eq!(statement(text, "Perineural"), "perineural invasion present");
        assert_eq!(statement(text, "not identified"), "lymphovascular invasion not identified");
        let text = "Adenocarcinoma with necrosis and no lymphovascular invasion.";
        assert_eq!(statement("ER(+), PR(-)", "PR"), "pr");
        assert_eq!(statement("Invasion (No) Necrosis (Yes)", "Yes"), "necrosis yes");
        assert_eq!(statement(text, "no"), "adenocarcinoma with necrosis and no lymphovascular invasion");
    }

    #[test]
    fn a_join_of_names_is_no_end() {
        let text = "The tumor is positive for ER and PR and negative for HER2.";
        assert_eq!(statement(text, "PR"), "the tumor is positive for er and pr");
        assert_eq!(statement(text, "HER2"), "and negative for her2");
    }

    #[test]
    fn a_list_is_one_statement() {
        let text = "There is no edema, fracture, or effusion. The heart is large.";
        assert_eq!(statement(text, "fracture"), "there is no edema fracture or effusion");
    }

    #[test]
    fn lines_that_begin_an_item_end_a_sentence() {
        let text = "Margins:\n  [ ] Involved\n  [x] Free\nNecrosis: none";
        assert_eq!(statement(text, "Free"), "x free");
        assert_eq!(statement(text, "none"), "necrosis none");
        assert_eq!(statement("Grade is 2. Size 3.5 cm, e.g. large", "3.5"), "size 3 5 cm e g large");
    }
}
