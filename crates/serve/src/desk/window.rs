//! The part of a document's fields, of its text and of its pages that a page of the desk shows.
//!
//! No person can work on a page with thousands of fields, and no browser shows it in time. So a long document opens on
//! its doubts, and the rest is on further pages.

use crate::review::PlacedText;
use serde::Deserialize;
use std::ops::Range;

/// The most fields that are shown on one page.
pub(super) const MOST_FIELDS: usize = 300;

/// The fields that are shown at a time of a document with more.
pub(super) const FIELDS: usize = 100;

/// The longest text that is shown whole, in bytes.
const LONGEST_TEXT: usize = 250_000;

/// Characters that are shown at a time of a longer one.
const PART: usize = 40_000;

/// The most pages of a document that are shown at once.
const MOST_PAGES: usize = 200;

/// The pages that are shown at a time of a document with more.
pub(super) const PAGES: usize = 100;

/// The query of a page's address. Members that are empty ask for nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct Window {
    /// The fields: `all`, `doubts`, or `differ`.
    view: String,
    /// The first of them that is shown, from 0.
    from: String,
    /// A character of the text that is shown.
    text: String,
    /// The number of a page of the document that is shown, from 1.
    sheet: String,
}

/// The selection of fields that are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum View {
    All,
    /// Those in doubt, decided or not.
    Doubts,
    /// Those that reviewers disagree on.
    Differ,
}

impl View {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            View::All => "all",
            View::Doubts => "doubts",
            View::Differ => "differ",
        }
    }
}

impl Window {
    /// The selection of fields. By default: those that reviewers differ about, for a user who settles that; the doubts
    /// of a document with very many fields; otherwise all.
    pub(super) fn view(&self, fields: usize, settles: bool) -> View {
        match self.view.as_str() {
            "all" => View::All,
            "doubts" => View::Doubts,
            "differ" => View::Differ,
            _ if settles => View::Differ,
            _ if fields > MOST_FIELDS => View::Doubts,
            _ => View::All,
        }
    }

    /// The range of fields that is shown, of `count`.
    pub(super) fn fields(&self, count: usize) -> Range<usize> {
        if count <= MOST_FIELDS {
            return 0..count;
        }
        let from = self.from.parse::<usize>().unwrap_or_default().min(count.saturating_sub(1));
        let from = from - from % FIELDS;
        from..count.min(from + FIELDS)
    }

    /// The part of a text that is shown, in characters: the one that is asked for, otherwise the one around a position.
    pub(super) fn text(&self, text: &str, place: Option<usize>) -> Range<usize> {
        let asked = self.text.parse::<usize>().ok();
        if text.len() <= LONGEST_TEXT {
            return 0..usize::MAX;
        }
        let count = text.chars().count();
        let at = asked.or(place).unwrap_or_default().min(count.saturating_sub(1));
        let from = asked.map_or_else(|| at.saturating_sub(PART / 4), |asked| asked.min(at));
        from..count.min(from + PART)
    }

    /// The pages that are shown of these, from 0: those around the one that is asked for, otherwise around `place`.
    pub(super) fn pages(&self, own: Range<usize>, place: Option<usize>) -> Range<usize> {
        if own.len() <= MOST_PAGES {
            return own;
        }
        let first = own.start + 1;
        let at = self.sheet.parse::<usize>().ok().or(place).unwrap_or(first).clamp(first, own.end) - 1;
        let from = at - (at - own.start) % PAGES;
        from..own.end.min(from + PAGES)
    }

    /// A window on the fields of a view, from one of them on.
    pub(super) fn of(view: View, from: usize) -> Self {
        Window { view: view.as_str().to_owned(), from: from.to_string(), ..Window::default() }
    }

    /// This window, at another page of the document.
    pub(super) fn at_page(&self, page: usize) -> Self {
        Window { sheet: page.to_string(), ..self.clone() }
    }

    /// This window, at another part of the text.
    pub(super) fn at_text(&self, character: usize) -> Self {
        Window { text: character.to_string(), ..self.clone() }
    }

    /// This window as members of a query; empty if it asks for nothing. Anything that is not a word or number of ours is
    /// left out.
    pub(super) fn query(&self) -> String {
        let is_plain = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let members =
            [("view", &self.view), ("from", &self.from), ("text", &self.text), ("sheet", &self.sheet)];
        let asked = members.iter().filter(|(_, value)| is_plain(value));
        asked.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("&")
    }
}

/// The part of a text between two characters.
pub(super) fn part<'t>(text: &'t str, characters: &Range<usize>) -> &'t str {
    if characters.end == usize::MAX && characters.start == 0 {
        return text;
    }
    PlacedText::of(text).part(characters.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_document_opens_on_its_doubts_and_is_turned_over() {
        let none = Window::default();
        assert_eq!((none.view(300, false), none.view(301, false)), (View::All, View::Doubts));
        assert_eq!(
            (none.view(5, true), none.fields(300), none.query()),
            (View::Differ, 0..300, String::new())
        );
        let next = Window::of(View::All, 3_950);
        assert_eq!((next.view(4_000, true), next.fields(3_984)), (View::All, 3_900..3_984));
        assert_eq!(next.at_text(7).query(), "view=all&from=3950&text=7");
        let made_up = Window {
            view: "<b>".to_owned(),
            from: "x".to_owned(),
            text: "-1".to_owned(),
            sheet: "-1".to_owned(),
        };
        assert_eq!((made_up.query(), made_up.fields(1_000)), ("from=x".to_owned(), 0..100));
    }

    #[test]
    fn a_short_text_is_whole_and_a_long_one_is_shown_round_its_place() {
        let long = "ä".repeat(300_000);
        let none = Window::default();
        assert_eq!(part("short", &none.text("short", Some(3))), "short");
        let shown = none.text(&long, Some(100_000));
        assert_eq!((shown.len(), shown.contains(&100_000)), (PART, true));
        assert_eq!(part(&long, &shown).chars().count(), PART);
        assert_eq!(none.at_text(299_999).text(&long, None), 299_999..300_000);
    }

    #[test]
    fn a_document_of_very_many_pages_is_shown_round_the_page_that_is_asked_for() {
        let none = Window::default();
        assert_eq!((none.pages(0..200, Some(150)), none.pages(0..0, None)), (0..200, 0..0));
        assert_eq!((none.pages(0..450, None), none.pages(0..450, Some(120))), (0..100, 100..200));
        let asked = none.at_page(450);
        assert_eq!((asked.pages(0..450, Some(1)), asked.query()), (400..450, "sheet=450".to_owned()));
        assert_eq!(none.at_page(9_999).pages(0..450, None), 400..450);
    }
}
