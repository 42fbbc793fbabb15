//! A choice of pages: `1-3, 7, last`.

use crate::diag::{Code, Problem, Problems};
use crate::value::decode::{Decode, wrong_type};
use crate::value::prose::{did_you_mean, list};
use crate::value::shape::{Shape, Text};
use crate::value::yaml::{Data, Node};
use std::fmt;

/// The greatest number of a page.
const GREATEST: u32 = 99_999;

/// The texts that are a choice of pages.
const PATTERN: &str = "^ *(all|(last|[1-9][0-9]{0,4}( *- *([1-9][0-9]{0,4}|last))?)( *, *(last|[1-9][0-9]{0,4}( *- *([1-9][0-9]{0,4}|last))?))*) *$";

/// The pages of a document that are chosen, whichever it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageSelection(Vec<PageRange>);

/// Pages from the first number to the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PageRange {
    from: PageNumber,
    to: PageNumber,
}

/// The number of a page, from 1, or the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PageNumber {
    Number(u32),
    Last,
}

impl PageSelection {
    /// All pages.
    #[must_use]
    pub fn all() -> Self {
        PageSelection(vec![PageRange { from: PageNumber::Number(1), to: PageNumber::Last }])
    }

    /// Returns whether it takes every page of every document.
    #[must_use]
    pub fn takes_all(&self) -> bool {
        self.0.contains(&PageRange { from: PageNumber::Number(1), to: PageNumber::Last })
    }

    /// The chosen ones of these pages, in their order.
    #[must_use]
    pub fn of(&self, pages: &[usize]) -> Vec<usize> {
        let last = pages.len();
        let is_chosen = |number: usize| self.0.iter().any(|range| range.has(number, last));
        (1..).zip(pages).filter(|(number, _)| is_chosen(*number)).map(|(_, page)| *page).collect()
    }

    /// The choice that a text makes.
    ///
    /// # Errors
    /// Describes the part that is none.
    fn parse(text: &str) -> Result<Self, SelectionFault> {
        if text.trim_matches(' ') == "all" {
            return Ok(Self::all());
        }
        text.split(',')
            .map(|part| PageRange::parse(part.trim_matches(' ')))
            .collect::<Result<_, _>>()
            .map(PageSelection)
    }
}

/// The reason why a part of a text is no choice of pages.
enum SelectionFault {
    /// It is neither a number nor a range.
    NoNumber(String),
    /// Its range ends before it begins.
    Backwards(u32, u32),
}

impl PageRange {
    fn parse(part: &str) -> Result<Self, SelectionFault> {
        let no_number = || SelectionFault::NoNumber(part.to_owned());
        let (from, to) = match part.split_once('-') {
            // A range from the last page is one page at most.
            Some((from, to)) => {
                let from = PageNumber::Number(number(from.trim_matches(' ')).ok_or_else(no_number)?);
                (from, PageNumber::parse(to.trim_matches(' ')).ok_or_else(no_number)?)
            }
            None => {
                let one = PageNumber::parse(part).ok_or_else(no_number)?;
                (one, one)
            }
        };
        match (from, to) {
            (PageNumber::Number(from), PageNumber::Number(to)) if from > to => {
                Err(SelectionFault::Backwards(from, to))
            }
            _ => Ok(PageRange { from, to }),
        }
    }

    /// Returns whether it has the page of this number, of a document with so many pages.
    fn has(self, number: usize, last: usize) -> bool {
        self.from.of(last) <= number && number <= self.to.of(last)
    }
}

impl PageNumber {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "last" => Some(PageNumber::Last),
            digits => number(digits).map(PageNumber::Number),
        }
    }

    fn of(self, last: usize) -> usize {
        match self {
            PageNumber::Number(number) => usize::try_from(number).unwrap_or(usize::MAX),
            PageNumber::Last => last,
        }
    }
}

fn number(digits: &str) -> Option<u32> {
    let is_number =
        digits.starts_with(|c| matches!(c, '1'..='9')) && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|number| is_number && *number <= GREATEST)
}

/// In words, after `pages` or `page`: `1 to 3, 7 and last`.
impl fmt::Display for PageSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.0.iter().map(PageRange::to_string).collect();
        f.write_str(&list(&parts, "and"))
    }
}

impl fmt::Display for PageRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.from == self.to {
            write!(f, "{}", self.from)
        } else {
            write!(f, "{} to {}", self.from, self.to)
        }
    }
}

impl fmt::Display for PageNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PageNumber::Number(number) => write!(f, "{number}"),
            PageNumber::Last => f.write_str("last"),
        }
    }
}

impl Decode for PageSelection {
    const EXPECTED: &'static str = "pages, such as `all`, `2` or `'1-3, 7, last'`";

    fn shape() -> Shape {
        let text = Text { what: "pages, such as `1-3, 7, last`", pattern: Some(PATTERN) };
        Shape::AnyOf(vec![Shape::Text(text), Shape::Whole { low: 1, high: Some(i64::from(GREATEST)) }])
    }

    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let text = match &node.data {
            Data::Text { text, .. } => text.clone(),
            Data::Int(number) => number.to_string(),
            _ => return wrong_type(node, Self::EXPECTED, problems),
        };
        let problem = match Self::parse(&text) {
            Ok(selection) => return Some(selection),
            Err(SelectionFault::NoNumber(part)) => {
                let problem = Problem::error(
                    Code::OutOfRange,
                    &node.span,
                    format!(
                        "expected a number of a page from 1 to {GREATEST}, a range or `last`, found `{part}`"
                    ),
                );
                problem.help(did_you_mean(
                    &part,
                    ["last", "all"],
                    "write `all`, or numbers, ranges and `last` with commas between them: `1-3, 7, last`",
                ))
            }
            Err(SelectionFault::Backwards(from, to)) => Problem::error(
                Code::OutOfRange,
                &node.span,
                format!("the pages {from}-{to} end before they begin"),
            )
            .help(format!("write `{to}-{from}`")),
        };
        problems.push(problem);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(text: &str, pages: usize) -> Vec<usize> {
        let all: Vec<usize> = (1..=pages).collect();
        let Ok(selection) = PageSelection::parse(text) else { panic!("{text}") };
        selection.of(&all)
    }

    #[test]
    fn pages_are_chosen_once_in_their_order_as_far_as_they_exist() {
        assert_eq!(chosen("1-3, 7, last", 9), [1, 2, 3, 7, 9]);
        assert_eq!(chosen("1-3, 7, last", 2), [1, 2]);
        assert_eq!(chosen("last, 2, 1-2", 3), [1, 2, 3]);
        assert_eq!(chosen("all", 3), [1, 2, 3]);
        assert_eq!(chosen("2-last", 1), [0_usize; 0]);
        assert_eq!(chosen("7-9", 3), [0_usize; 0]);
        assert_eq!(chosen(" 2 - last ,1", 3), [1, 2, 3]);
    }

    #[test]
    fn the_pages_of_a_section_count_from_its_first() {
        let selection = PageSelection::parse("1, last").ok().unwrap();
        assert_eq!(selection.of(&[4, 5, 6]), [4, 6]);
    }

    #[test]
    fn what_is_no_page_is_refused_and_the_pattern_agrees() {
        let pattern = regex::Regex::new(PATTERN).unwrap();
        for good in ["all", "1", "last", "1-3, 7, last", " 2 - last ,1", "99999"] {
            assert!(PageSelection::parse(good).is_ok() && pattern.is_match(good), "{good}");
        }
        for bad in ["", "0", "1,", "a", "last-3", "1-2-3", "-1", "100000", "1;2", "+1", "all, 1"] {
            assert!(PageSelection::parse(bad).is_err() && !pattern.is_match(bad), "{bad}");
        }
        assert!(matches!(PageSelection::parse("3-1"), Err(SelectionFault::Backwards(3, 1))));
    }

    #[test]
    fn a_choice_is_written_in_words() {
        let words = |text| PageSelection::parse(text).ok().unwrap().to_string();
        assert_eq!(words("1-3,7,last"), "1 to 3, 7 and last");
        assert_eq!(words("all"), "1 to last");
        assert!(PageSelection::all().takes_all() && !PageSelection::parse("1-3").ok().unwrap().takes_all());
    }
}
