//! Numbers in digits, cut out of a text: where one begins and ends, which sign it has, and what is not a number
//! although it has digits, such as `COVID-19`, `CD4`, a date, an address.

use super::numbers::{Bound, Number, Printed};
use super::spelled::{is_ordinal_ending, said_bound};
use super::style::{Meaning, Run, Separator};

/// Most characters of a text that are read: beyond 4 million nothing is found.
const MOST: usize = 4 << 20;

/// The numbers of a text, and whether it writes fractions with a comma. For a value that is looked up in another text,
/// `asked` says whether that text does.
pub(super) fn figures(text: &str, asked: Option<bool>) -> (Vec<Printed>, bool) {
    let text: Vec<char> = text.chars().take(MOST).collect();
    let found = Reader { text: &text }.runs();
    let shown = |comma: bool| found.iter().filter(|one| one.run.shows_comma() == Some(comma)).count();
    let decimal_comma = asked.unwrap_or_else(|| shown(true) > shown(false));
    let printed = found.iter().flat_map(|one| one.printed(decimal_comma, asked.is_some())).collect();
    (printed, decimal_comma)
}

/// The meaning of a dash before a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    None,
    Minus,
    /// A minus, or a dash between two numbers.
    Either,
}

/// A run of digits, with what surrounds it.
#[derive(Debug)]
struct Found {
    run: Run,
    sign: Sign,
    bound: Bound,
    /// Of the last number.
    is_percent: bool,
    /// The power of ten by which the last number is multiplied.
    power: i64,
}

impl Found {
    fn printed(&self, decimal_comma: bool, is_asked: bool) -> Vec<Printed> {
        let one = |(whole, fraction): &(String, String), first: bool, last: bool| {
            let number = Number::new(whole, fraction, if last { self.power } else { 0 });
            let readings = match self.sign {
                Sign::None => vec![number],
                _ if !first => vec![number],
                Sign::Minus => vec![number.negated()],
                Sign::Either => vec![number.clone(), number.negated()],
            };
            Printed {
                readings,
                bound: if first { self.bound } else { Bound::Exact },
                is_percent: last && self.is_percent,
            }
        };
        let several = |figures: &[(String, String)]| -> Vec<Printed> {
            let count = figures.len();
            figures.iter().enumerate().map(|(at, figure)| one(figure, at == 0, at + 1 == count)).collect()
        };
        match self.run.meaning(decimal_comma) {
            Meaning::None => Vec::new(),
            Meaning::One(figure) => several(&[figure]),
            Meaning::Several(figures) => several(&figures),
            Meaning::OneOrSeveral(figure, _) if is_asked => several(&[figure]),
            Meaning::OneOrSeveral(figure, figures) => {
                let mut printed = several(&figures);
                printed.extend(several(&[figure]));
                printed
            }
        }
    }
}

struct Reader<'t> {
    text: &'t [char],
}

impl Reader<'_> {
    fn at(&self, at: usize) -> Option<char> {
        self.text.get(at).copied()
    }

    fn before(&self, at: usize) -> Option<char> {
        at.checked_sub(1).and_then(|before| self.at(before))
    }

    fn is_digit(&self, at: usize) -> bool {
        self.at(at).is_some_and(|c| c.is_ascii_digit())
    }

    /// The end of the digits that begin at `at`.
    fn end_of_digits(&self, mut at: usize) -> usize {
        while self.is_digit(at) {
            at += 1;
        }
        at
    }

    fn text(&self, from: usize, to: usize) -> String {
        self.text.get(from..to).unwrap_or_default().iter().collect()
    }

    fn runs(&self) -> Vec<Found> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(first) = self.at(at) {
            let after_word = self.before(at).is_some_and(char::is_alphanumeric);
            if !after_word && self.is_address(at) {
                while self.at(at).is_some_and(|c| !c.is_whitespace()) {
                    at += 1;
                }
                continue;
            }
            let is_point = matches!(Separator::of(first), Some(Separator::Point | Separator::MiddlePoint));
            let leads = is_point && self.is_digit(at + 1) && self.before(at).is_none_or(opens);
            if !first.is_ascii_digit() && !leads {
                at += 1;
                continue;
            }
            let (run, end) = self.run(at);
            if let Some(after) = self.chain_end(at, end) {
                at = after;
                continue;
            }
            at = match self.found(at, end, run) {
                Some((one, after)) => {
                    found.push(one);
                    after
                }
                None => end.max(at + 1),
            };
        }
        found
    }

    /// Returns whether an address or a DOI begins here, whose digits are not numbers.
    fn is_address(&self, at: usize) -> bool {
        let begins = |with: &str| {
            with.chars()
                .enumerate()
                .all(|(n, c)| self.at(at + n).is_some_and(|own| own.eq_ignore_ascii_case(&c)))
        };
        match self.at(at) {
            Some('h' | 'H') => begins("http://") || begins("https://"),
            Some('w' | 'W') => begins("www."),
            Some('1') if begins("10.") => {
                let end = self.end_of_digits(at + 3);
                (4..=9).contains(&(end - at - 3)) && matches!(self.at(end), Some('/' | '.')) && {
                    let slash = (end..end + 12)
                        .find(|at| self.at(*at).is_none_or(|c| !c.is_ascii_digit() && c != '.'));
                    slash.is_some_and(|at| self.at(at) == Some('/'))
                }
            }
            _ => false,
        }
    }

    /// The digits and separators from `at`, and where they end.
    fn run(&self, at: usize) -> (Run, usize) {
        let mut run = Run::default();
        let mut end = self.end_of_digits(at);
        run.digits.push(self.text(at, end));
        while let Some(separator) = self.at(end).and_then(Separator::of) {
            let next = self.end_of_digits(end + 1);
            if next == end + 1 {
                break;
            }
            if separator.only_groups() {
                let first = run.digits.first().map_or("", String::as_str);
                let is_group = next - end == 4
                    && (1..=3).contains(&first.len())
                    && !first.starts_with('0')
                    && run.separators.iter().all(|before| *before == separator);
                if !is_group {
                    break;
                }
            }
            run.separators.push(separator);
            run.digits.push(self.text(end + 1, next));
            end = next;
        }
        (run, end)
    }

    /// The end of a chain of digits that is not a number: a date, a telephone number, an ORCID iD.
    fn chain_end(&self, start: usize, end: usize) -> Option<usize> {
        let sign = self.at(end).filter(|c| matches!(c, '-' | '/' | '.' | '‐' | '‑'))?;
        if !(start..end).all(|at| self.is_digit(at)) {
            return None;
        }
        let mut links = vec![end - start];
        let mut at = end;
        // Only a chain with hyphens is skipped whole, however long it is.
        let most = if matches!(sign, '/' | '.') { 4 } else { usize::MAX };
        while self.at(at) == Some(sign) && self.is_digit(at + 1) && links.len() < most {
            let next = self.end_of_digits(at + 1);
            links.push(next - at - 1);
            at = next;
        }
        let is_year = |length: Option<&usize>| length == Some(&4);
        let is_date = links.len() == 3 && (is_year(links.first()) || is_year(links.last()));
        let is_chain = links.len() >= 3 && matches!(sign, '-' | '‐' | '‑');
        (is_date || is_chain).then_some(at)
    }

    /// A run as a number, if it is one, and where it ends with its power.
    fn found(&self, start: usize, end: usize, run: Run) -> Option<(Found, usize)> {
        let (sign, begin) = self.sign(start)?;
        let (power, mut after) = self.power(end, &run);
        match self.at(after) {
            // `10²` is a hundred, `120³` has a note.
            Some(c) if is_raised(c) => {
                while self.at(after).is_some_and(is_raised) {
                    after += 1;
                }
            }
            Some(c) if c.is_alphabetic() => {
                // A unit may follow at once, `12mm`; a name may not: `5HT`, `3D`.
                let word: String =
                    self.text.iter().skip(after).take_while(|c| c.is_alphanumeric()).take(12).collect();
                let is_unit = c.is_lowercase() && word.chars().all(char::is_alphabetic);
                if !is_unit || is_ordinal_ending(&word) {
                    return None;
                }
            }
            Some('_') => return None,
            _ => {}
        }
        let next = if self.at(after).is_some_and(is_blank) { after + 1 } else { after };
        let is_percent = matches!(self.at(next), Some('%' | '٪' | '‰'))
            || self.text(next, next + 8).to_lowercase().starts_with("per cent")
            || self.text(next, next + 7).to_lowercase().starts_with("percent");
        Some((Found { run, sign, bound: self.bound(begin), is_percent, power }, after))
    }

    /// The sign before the number that starts at `start`, and where it begins with it; `None` if it is part of a name.
    fn sign(&self, start: usize) -> Option<(Sign, usize)> {
        let Some(before) = self.before(start) else { return Some((Sign::None, start)) };
        let dash = start - 1;
        if is_dash(before) {
            let left = self.before(dash);
            return match left {
                // COVID-19; a true minus sign is never a hyphen.
                Some(c) if c.is_alphabetic() => (before == '−').then_some((Sign::Minus, dash)),
                Some(c) if c.is_ascii_digit() || matches!(c, ')' | ']' | '%' | '.') || is_raised(c) => {
                    Some((Sign::None, start))
                }
                Some(c) if is_blank(c) && before != '−' => {
                    let further = dash.checked_sub(2).and_then(|at| self.at(at));
                    let is_after_number =
                        further.is_some_and(|c| c.is_ascii_digit() || matches!(c, '%' | ')' | ']'));
                    Some((if is_after_number { Sign::Either } else { Sign::Minus }, dash))
                }
                _ => Some((Sign::Minus, dash)),
            };
        }
        // A minus in an element of its own.
        if before == '\n' && self.before(dash) == Some('−') {
            return Some((Sign::Either, dash - 1));
        }
        // A minus that is set apart: `− 1.5`.
        if is_blank(before) && self.before(dash) == Some('−') {
            let further = dash.checked_sub(2).and_then(|at| self.at(at));
            let set_apart = further.is_some_and(is_blank)
                && dash.checked_sub(3).and_then(|at| self.at(at)).is_some_and(|c| c.is_ascii_digit());
            let is_range = set_apart || further.is_some_and(|c| c.is_ascii_digit());
            return Some((if is_range { Sign::Either } else { Sign::Minus }, dash - 1));
        }
        let is_part = before.is_alphanumeric() || matches!(before, '_' | '^' | '#');
        let continues = matches!(before, '.' | '/' | '@' | '\\')
            && self.before(dash).is_some_and(|c| c.is_alphabetic() || matches!(c, '.' | '/'));
        let is_point = Separator::of(before).is_some_and(|one| !one.only_groups())
            && self.before(dash).is_some_and(|c| c.is_ascii_digit())
            && before != ',';
        if is_part || continues || is_point { None } else { Some((Sign::None, start)) }
    }

    /// The bound before a number that begins at `begin`: `<`, `at least`.
    fn bound(&self, begin: usize) -> Bound {
        let mut at = begin;
        while self.before(at).is_some_and(|c| is_blank(c) || c == '\n' || c == '=') {
            at -= 1;
        }
        match self.before(at) {
            Some('<' | '≤' | '⩽' | '≦' | '\u{2aaf}') => Bound::Below,
            Some('>' | '≥' | '⩾' | '≧') => Bound::Above,
            Some(c) if c.is_alphabetic() => said_bound(&self.text(at.saturating_sub(20), at)),
            _ => Bound::Exact,
        }
    }

    /// The power of ten after a number, `e-5` or `× 10⁻⁵`, and where it ends.
    fn power(&self, end: usize, run: &Run) -> (i64, usize) {
        if matches!(self.at(end), Some('e' | 'E'))
            && let Some((power, after)) = self.exponent(end + 1)
        {
            return (power, after);
        }
        // `10⁵` alone.
        if run.separators.is_empty()
            && run.digits.first().is_some_and(|digits| digits == "10")
            && self.at(end).is_some_and(|c| is_raised(c) || c == '^')
            && let Some((power, after)) = self.raised_exponent(end)
        {
            return (power - 1, after);
        }
        let mut at = end;
        let skip = |at: usize| if self.at(at).is_some_and(is_blank) { at + 1 } else { at };
        at = skip(at);
        if !matches!(self.at(at), Some('×' | 'x' | 'X' | '*' | '·' | '⋅' | '∙' | '•')) {
            return (0, end);
        }
        at = skip(at + 1);
        if self.at(at) != Some('1') || self.at(at + 1) != Some('0') {
            return (0, end);
        }
        let power = self.raised_exponent(at + 2).or_else(|| {
            // What was raised may have come down: `10-5`, `10 −5`.
            let at = skip(at + 2);
            self.at(at).filter(|c| is_dash(*c)).and_then(|_| self.exponent(at))
        });
        power.unwrap_or((0, end))
    }

    /// A power that is raised or follows `^`.
    fn raised_exponent(&self, at: usize) -> Option<(i64, usize)> {
        if self.at(at) == Some('^') {
            return self.exponent(at + 1);
        }
        let end = (at..at + 5).take_while(|at| self.at(*at).is_some_and(is_raised)).count() + at;
        let written: String = self.text.get(at..end)?.iter().filter_map(|c| lowered(*c)).collect();
        Some((written.parse().ok()?, end))
    }

    /// Up to three digits with or without a sign, and nothing of a word after them.
    fn exponent(&self, at: usize) -> Option<(i64, usize)> {
        let sign = self.at(at).filter(|c| is_dash(*c) || *c == '+');
        let from = at + usize::from(sign.is_some());
        let end = self.end_of_digits(from);
        let is_short = (1..=3).contains(&(end - from)) && !self.at(end).is_some_and(char::is_alphanumeric);
        let power: i64 = self.text(from, end).parse().ok().filter(|_| is_short)?;
        Some((if sign.is_some_and(is_dash) { -power } else { power }, end))
    }
}

/// Returns whether a number that has nothing before its point can follow a character.
fn opens(c: char) -> bool {
    c.is_whitespace() || is_dash(c) || "([{<>=~≤≥⩽⩾±:;,/\"'“‘|+".contains(c)
}

fn is_dash(c: char) -> bool {
    matches!(c, '-' | '−' | '–' | '‐' | '‑' | '—')
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}' | '\u{2002}' | '\u{2003}' | '\u{2006}' | '\u{2007}')
}

fn is_raised(c: char) -> bool {
    lowered(c).is_some()
}

/// A raised sign as it appears on the line.
fn lowered(c: char) -> Option<char> {
    Some(match c {
        '⁰' => '0',
        '¹' => '1',
        '²' => '2',
        '³' => '3',
        '⁴' => '4',
        '⁵' => '5',
        '⁶' => '6',
        '⁷' => '7',
        '⁸' => '8',
        '⁹' => '9',
        '⁺' => '+',
        '⁻' => '-',
        _ => return None,
    })
}
