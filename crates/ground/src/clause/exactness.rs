//! Exactness of a passage: it writes the whole value, or a limit, the end of a range, other digits, a code with other
//! letters.

use super::claim::{ParsedClaim, ShareNumber, fold};
use super::cues::{Cues, cues_of, is_same};
use super::passage::Doubt;
use super::sentence::Clause;
use super::tokens::{Class, Token, Tokens};
use std::ops::Range;

/// The distance before a number at which a word of a limit still reaches it, in tokens.
const LIMIT_BEFORE: usize = 4;
/// Texts with digits that are longer than this are compared by their words.
const SHORT: usize = 8;

/// Looks for what makes a passage write another value than the claimed one.
pub(super) fn doubt(text: &str, tokens: &Tokens, clause: &Clause, claim: &ParsedClaim) -> Option<Doubt> {
    let all = &tokens.all;
    if claim.is_date {
        return other_century(text, all, clause, claim);
    }
    if is_part_of_word(all, clause, claim) {
        return Some(Doubt::PartOfWord);
    }
    if is_label(all, clause, claim) {
        return Some(Doubt::NotAffirmed);
    }
    if makes_another(all, clause, claim) {
        return Some(Doubt::PartOfWord);
    }
    if (claim.is_number || claim.is_number_text) && claim.is_of_item && !is_nearest(all, clause, claim) {
        return Some(Doubt::NotNearest);
    }
    if !claim.has_digits() {
        return None;
    }
    if (claim.is_number || claim.is_number_text) && is_numbering(all, &clause.value) {
        return Some(Doubt::Numbering);
    }
    if !claim.is_code() && is_aside(all, clause, claim) {
        return Some(Doubt::NotNearest);
    }
    let is_exact = claim.is_number || !names_limit(&claim.text);
    if has_other_sign(all, clause, &claim.text) {
        return Some(Doubt::Limit);
    }
    if is_exact {
        let first = clause.sentence.start.max(clause.value.start.saturating_sub(LIMIT_BEFORE));
        let before = all.get(first..clause.value.start).unwrap_or_default();
        let is_limit = |token: &Token| token.does(Cues::LIMIT);
        let sign = before.iter().rev().take(2).any(|token| is_limit(token) && !token.is_word());
        if sign || before.iter().any(|token| is_limit(token) && token.is_word()) {
            return Some(Doubt::Limit);
        }
        if is_end_of_range(all, clause, &claim.text) {
            return Some(Doubt::RangeEnd);
        }
        if is_summand(all, clause, &claim.text) {
            return Some(Doubt::OtherDigits);
        }
    }
    if !claim.is_number && lacks_figure(text, all, clause, claim) {
        return Some(Doubt::OtherDigits);
    }
    other_code(text, all, clause, claim)
}

/// Returns whether a short word is joined to another by a hyphen: `II-III`, `Low-density`. Sides are not: `left-sided`.
fn is_part_of_word(all: &[Token], clause: &Clause, claim: &ParsedClaim) -> bool {
    let [word] = claim.words.as_slice() else { return false };
    if claim.has_digits()
        || word.chars().count() > SHORT
        || cues_of(word).any(Cues::SIDE)
        || claim.text.contains('-')
    {
        return false;
    }
    let joined = |one: Option<&Token>, other: Option<&Token>, third: Option<&Token>| {
        matches!((one, other, third), (Some(one), Some(dash), Some(third))
            if dash.is("-") && one.is_word() && third.is_word() && one.end == dash.start && dash.end == third.start)
    };
    let at = |back: usize| clause.value.start.checked_sub(back).and_then(|at| all.get(at));
    let last = clause.value.end;
    // `L` of `mmol/L`.
    let stroke = at(1).filter(|token| token.is("/") && word.chars().count() == 1);
    if stroke.is_some_and(|stroke| at(0).is_some_and(|own| own.start == stroke.end)) {
        return true;
    }
    joined(at(2), at(1), at(0))
        || joined(last.checked_sub(1).and_then(|at| all.get(at)), all.get(last), all.get(last + 1))
}

/// Returns whether no other number is between the name of an item and a number, outside of parentheses.
fn is_nearest(all: &[Token], clause: &Clause, claim: &ParsedClaim) -> bool {
    let is_name = |at: &usize| {
        all.get(*at)
            .is_some_and(|token| token.is_word() && claim.names.iter().any(|name| **name == *token.folded))
    };
    let Some(name) = (clause.sentence.start..clause.value.start).rev().find(is_name) else {
        // Not named before it in its sentence: rows and columns tell.
        return !(clause.value.end..clause.sentence.end).any(|at| is_name(&at));
    };
    let mut depth = 0usize;
    for token in all.get(name + 1..clause.value.start).unwrap_or_default() {
        if token.is("(") || token.is("[") {
            depth += 1;
        } else if token.is(")") || token.is("]") {
            depth = depth.saturating_sub(1);
        } else if depth == 0 && token.is_number() {
            return false;
        }
    }
    depth == 0
}

/// The most words of an aside before a figure in it, and of what it follows.
const ASIDE: usize = 8;

/// Returns whether a figure is in parentheses behind another figure, and they don't name its field: `1.1 (peak 2.3)`.
fn is_aside(all: &[Token], clause: &Clause, claim: &ParsedClaim) -> bool {
    let start = clause.value.start;
    let near = start.saturating_sub(ASIDE).max(clause.sentence.start);
    let ends = |at: &usize| all.get(*at).is_some_and(|token| token.is(")") || token.is("("));
    let Some(open) =
        (near..start).rev().find(ends).filter(|at| all.get(*at).is_some_and(|token| token.is("(")))
    else {
        return false;
    };
    let inner = all.get(open + 1..start).unwrap_or_default();
    let is_named = inner.iter().any(|token| claim.names.iter().any(|name| is_same(name, &token.folded)));
    let before = all.get(open.saturating_sub(ASIDE).max(clause.sentence.start)..open).unwrap_or_default();
    let own = before.iter().rev().take_while(|token| !token.is(",") && !token.is(":"));
    !is_named && own.into_iter().any(begins_with_digit)
}

/// Returns whether a text is the label of what follows, as `Perirenal fat` is in `Margins: Perirenal fat: negative`.
fn is_label(all: &[Token], clause: &Clause, claim: &ParsedClaim) -> bool {
    let is_text = !claim.is_figure() && claim.presence.is_none();
    let is_below = clause.sentence.clone().take_while(|at| *at < clause.value.start);
    let has_label = is_below.filter_map(|at| all.get(at)).any(|token| token.is(":"));
    is_text && !claim.is_item() && has_label && all.get(clause.value.end).is_some_and(|token| token.is(":"))
}

/// Returns whether a word right beside a text makes it another thing, as `in situ` does of `carcinoma`.
fn makes_another(all: &[Token], clause: &Clause, claim: &ParsedClaim) -> bool {
    if claim.is_figure() || claim.presence.is_some() {
        return false;
    }
    let is_joint = |token: &Token| token.is("-") || token.is(",") || token.class == Class::Line;
    let makes = |token: &Token, cues| token.does(cues) && !claim.owns(&token.folded);
    let before = all.get(clause.value.start.saturating_sub(2)..clause.value.start).unwrap_or_default();
    let after = all.get(clause.value.end..).unwrap_or_default().iter().take(2);
    let first = |token: &&Token| !is_joint(token);
    before.iter().rev().find(first).is_some_and(|token| makes(token, Cues::OTHER_BEFORE))
        || after.into_iter().find(first).is_some_and(|token| makes(token, Cues::OTHER_BEHIND))
}

/// Returns whether a number begins an entry of a list: `2. Right hydronephrosis`.
fn is_numbering(all: &[Token], value: &std::ops::Range<usize>) -> bool {
    let before = value.start.checked_sub(1).and_then(|at| all.get(at));
    let is_figure = value.len() == 1 && all.get(value.start).is_some_and(Token::is_number);
    let begins = is_figure
        && before.is_none_or(|token| {
            matches!(token.class, Class::Line | Class::Gap)
                || token.is(".")
                || token.is(",")
                || token.is(";")
                || token.is("#")
        });
    let is_end = |token: &Token| token.is(".") || token.is(")") || token.is(":");
    let next = all.get(value.end + 1);
    let leads = all.get(value.end).is_some_and(is_end)
        && next.is_some_and(|next| next.is_word() && !next.is_lowercase && !next.is_number());
    begins && (leads || before.is_some_and(|token| token.is("#")))
}

/// The first and last year that two digits are read as.
const YEARS: std::ops::Range<i64> = 1950..2050;

/// A year that the passage writes with two digits, and the value in another century.
fn other_century(text: &str, all: &[Token], clause: &Clause, claim: &ParsedClaim) -> Option<Doubt> {
    let year: i64 = claim.text.get(..4).and_then(|year| year.parse().ok())?;
    let printed = all.get(clause.value.clone()).unwrap_or_default();
    let (from, to) = (printed.first()?.start, printed.last()?.end);
    let is_whole = text.get(from..to).is_some_and(|printed| printed.contains(&year.to_string()));
    (!is_whole && !YEARS.contains(&year)).then_some(Doubt::OtherCentury)
}

/// Returns whether the statement lacks a figure of a short text or a presence, and writes figures itself: words may say
/// it otherwise.
fn lacks_figure(text: &str, all: &[Token], clause: &Clause, claim: &ParsedClaim) -> bool {
    let is_short = claim.text.chars().count() < SHORT || claim.presence.is_some();
    if !is_short
        || claim.is_number_text && claim.presence.is_some()
        || code(&without_blanks(&claim.text)).is_some()
    {
        return false;
    }
    let written = |first: Option<&usize>, last: Option<&usize>| {
        let (from, to) = (all.get(*first?)?.start, all.get(*last?)?.end);
        Some(fold(text.get(from..to)?))
    };
    let said = written(clause.statement.first(), clause.statement.last()).unwrap_or_default();
    let part = written(clause.part.first(), clause.part.last()).unwrap_or_default();
    let printed = all.get(clause.value.clone()).unwrap_or_default();
    let has_digits = printed.iter().any(|token| token.folded.contains(|c: char| c.is_ascii_digit()));
    let form = |figure: &str| figure.chars().next_back().filter(|c| !c.is_ascii_digit());
    let is_range = claim.text.contains('-');
    let lacks = |figure: &&str| !has_figure(&said, figure) || !is_range && ends_range(&said, figure);
    let is_score = |figure: &str| figure.len() <= 2;
    let rivals = |figure: &str| {
        let is_rival = |other: &&str| form(other) == form(figure) || is_score(other) && is_score(figure);
        figures(&part).iter().any(is_rival)
    };
    figures(&without_blanks(&claim.text)).into_iter().filter(lacks).any(|figure| has_digits || rivals(figure))
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Returns whether a value is itself a limit or a range.
fn names_limit(text: &str) -> bool {
    text.contains(['<', '>', '≤', '≥', '~', '-', '/'])
        || text
            .split(' ')
            .any(|word| matches!(word, "least" | "than" | "to") || cues_of(word).any(Cues::LIMIT))
}

/// The most words between the numbers of a share: `two of the nineteen`.
const WITHIN_SHARE: usize = 2;

/// The number of a share (`2/19`, `2 of 19`) that the value is; `None` if it is none of them.
pub(super) fn share(all: &[Token], clause: &Clause) -> Option<ShareNumber> {
    let leads = |token: Option<&Token>| token.is_some_and(|token| token.is("/") || token.does(Cues::OF_ALL));
    let is_number = |token: &Token| begins_with_digit(token) || token.does(Cues::COUNT);
    let Range { start, end } = clause.value;
    let after = all.get(end + 1..all.len().min(end + 2 + WITHIN_SHARE)).unwrap_or_default();
    if leads(all.get(end)) && after.iter().take(1 + WITHIN_SHARE).any(is_number) {
        return Some(ShareNumber::Part);
    }
    let first = start.saturating_sub(1 + WITHIN_SHARE);
    let at = (first..start).rev().find(|at| leads(all.get(*at)))?;
    let before = at.checked_sub(1).and_then(|at| all.get(at));
    before.is_some_and(is_number).then_some(ShareNumber::All)
}

/// Returns whether a number is one of several that are added up, as in `8 (PS 5 + IS 3)` and `4+4`.
fn is_summand(all: &[Token], clause: &Clause, value: &str) -> bool {
    if value.contains('+') {
        return false;
    }
    let is_number = |token: Option<&Token>| token.is_some_and(begins_with_digit);
    let before = |back: usize| clause.value.start.checked_sub(back).and_then(|at| all.get(at));
    let after = |ahead: usize| all.get(clause.value.end + ahead);
    let plus = |token: Option<&Token>| token.is_some_and(|token| token.is("+"));
    plus(before(1)) && is_number(before(2)) || plus(after(0)) && is_number(after(1))
}

/// Returns whether a value begins with the sign of a limit, and the passage has another sign before its digits, or none
/// and no word of a limit.
fn has_other_sign(all: &[Token], clause: &Clause, value: &str) -> bool {
    let form = |c: char| match c {
        '<' | '≤' => Some('<'),
        '>' | '≥' => Some('>'),
        _ => None,
    };
    let Some(sign) = value.trim_start().chars().next().and_then(form) else { return false };
    let digits = (clause.value.clone()).find(|at| all.get(*at).is_some_and(begins_with_digit));
    let Some(digits) = digits else { return false };
    let first = clause.sentence.start.max(digits.saturating_sub(LIMIT_BEFORE));
    let before = all.get(first..digits).unwrap_or_default();
    let printed = before.iter().rev().take(2).find_map(|token| token.folded.chars().next().and_then(form));
    match printed {
        Some(printed) => printed != sign,
        None => !before.iter().any(|token| token.does(Cues::LIMIT) && token.is_word()),
    }
}

fn is_dash(token: &Token) -> bool {
    token.is("-") || token.is("to") || token.is("bis")
}

fn begins_with_digit(token: &Token) -> bool {
    token.folded.starts_with(|c: char| c.is_ascii_digit())
}

fn ends_with_digit(token: &Token) -> bool {
    token.folded.ends_with(|c: char| c.is_ascii_digit())
}

fn is_end_of_range(all: &[Token], clause: &Clause, value: &str) -> bool {
    let before = |back: usize| clause.value.start.checked_sub(back).and_then(|at| all.get(at));
    let begins = before(1).is_some_and(is_dash)
        && before(2).is_some_and(|token| ends_with_digit(token) || token.is("%"));
    let mut after = all.get(clause.value.end..).unwrap_or_default();
    if let [percent, rest @ ..] = after
        && percent.is("%")
    {
        after = rest;
    }
    let ends = matches!(after, [dash, number, ..] if is_dash(dash) && begins_with_digit(number));
    let own = all.get(clause.value.clone()).unwrap_or_default();
    let is_within = |three: &[Token]| match three {
        [one, dash, other] => ends_with_digit(one) && is_dash(dash) && begins_with_digit(other),
        _ => false,
    };
    let holds = own.windows(3).any(is_within) && !value.contains(char::is_alphabetic);
    begins || ends || holds
}

/// The numbers of a text without blanks, with the sign or second number behind them.
fn figures(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let run = |mut at: usize| {
        while digit(at) {
            at += 1;
        }
        at
    };
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        if !digit(at) {
            at += 1;
            continue;
        }
        let mut end = run(at);
        if matches!(bytes.get(end), Some(b'.' | b',')) && digit(end + 1) {
            end = run(end + 1);
        }
        match bytes.get(end) {
            Some(b'+' | b'%') => end += 1,
            Some(b'/') if digit(end + 1) => end = run(end + 1),
            Some(_) | None => {}
        }
        found.extend(text.get(at..end));
        at = end;
    }
    found
}

/// Returns whether a text has a figure that is not part of a longer one.
fn has_figure(text: &str, figure: &str) -> bool {
    text.match_indices(figure).any(|(at, _)| {
        let mut before = text.get(..at).unwrap_or_default().chars().rev();
        let (last, second_last) = (before.next(), before.next());
        let mut after = text.get(at + figure.len()..).unwrap_or_default().chars();
        let (next, second) = (after.next(), after.next());
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let continues = is_digit(next) || next.is_some_and(char::is_alphabetic) && is_digit(second);
        let is_fraction = matches!(last, Some('.' | ',')) && is_digit(second_last);
        !is_digit(last) && !is_fraction && !continues
    })
}

/// Returns whether a text writes a figure only as the end of a range.
fn ends_range(text: &str, figure: &str) -> bool {
    let mut places = text.match_indices(figure).peekable();
    places.peek().is_some()
        && places.all(|(at, _)| {
            let mut before = text.get(..at).unwrap_or_default().chars().rev();
            before.next() == Some('-') && before.next().is_some_and(|c| c.is_ascii_digit())
        })
}

/// The letters before the first digit of a code, and what follows the digit.
pub(super) fn code(word: &str) -> Option<(&str, &str)> {
    let digit = word.find(|c: char| c.is_ascii_digit())?;
    let (letters, rest) = word.split_at(digit);
    (!letters.is_empty() && letters.chars().all(char::is_alphabetic))
        .then(|| (letters, rest.get(1..).unwrap_or_default()))
}

/// Another code: the same digits with other letters before them, or another ending.
fn other_code(text: &str, all: &[Token], clause: &Clause, claim: &ParsedClaim) -> Option<Doubt> {
    let compact = without_blanks(&claim.text);
    let (letters, ending) = code(&compact).filter(|(letters, _)| letters.chars().count() <= 4)?;
    let printed = all.get(clause.value.clone()).unwrap_or_default();
    let kind = letters.chars().next_back()?;
    let own =
        printed.iter().filter_map(|token| code(&token.folded)).find(|(other, _)| other.ends_with(kind))?;
    let plain = |letters: &str| {
        let silent = |c: &char| cues_of(&c.to_string()).any(Cues::SILENT);
        let first = letters.chars().next().filter(silent).filter(|_| letters.chars().count() > 1);
        first.and_then(|first| letters.strip_prefix(first)).unwrap_or(letters).to_owned()
    };
    if plain(letters) != plain(own.0) {
        return Some(Doubt::OtherCode);
    }
    let (from, to) = (printed.first()?.start, printed.last()?.end);
    let behind =
        text.get(to..).unwrap_or_default().char_indices().nth(6).map_or(text.len(), |(at, _)| to + at);
    let said = without_blanks(&fold(text.get(from..behind).unwrap_or_default()));
    if !ending.is_empty() && !said.contains(ending) {
        return Some(Doubt::OtherCode);
    }
    let before = all.get(clause.sentence.start..clause.value.start).unwrap_or_default();
    let is_own = |token: &Token| letters.starts_with(|first: char| token.folded.starts_with(first));
    let other_basis = before.iter().any(|token| token.does(Cues::BASIS) && !is_own(token));
    other_basis.then_some(Doubt::OtherCode)
}

#[cfg(test)]
mod tests {
    use super::{figures, has_figure};

    #[test]
    fn figures_are_compared_whole() {
        assert_eq!(figures("positive(3+,95%)1.5and3/8"), ["3+", "95%", "1.5", "3/8"]);
        assert!(has_figure("er:positive,90%", "90%") && has_figure("her2(1+)", "1+"));
        assert!(!has_figure("er:190%", "90%") && !has_figure("clone22c3", "22") && !has_figure("0.5", "5"));
    }
}
