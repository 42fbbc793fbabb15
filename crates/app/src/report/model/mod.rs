//! A report as data: each verb describes what it found once, as a title, facts and blocks, of which `text` makes the lines of a
//! terminal and `page` a page of HTML. Where a terminal shows less than a page, the block says so: a column that only pages
//! have, or the number of rows a terminal shows. Verbs that print a part at a time have `lines` of its blocks, without a title.
//!
//! Pages of the service have parts of these, too: `line_plot` has plots that only they have.
//!
//! The JSON form of a verb is not made from this: it is the verb's own record, of which the schema is published.

mod line_plot;
mod page;
mod plot;
mod table;
mod text;

pub use line_plot::{LinePlot, MOST_SERIES, Series};
pub use page::{fact_list, page_table, swatch, tile_list};
pub use plot::Parts;
pub(super) use plot::{Cross, Front, Histogram, Plot, RiskCurve};
pub use table::{Column, figure, figures, word, words};
pub(super) use table::{Row, Table};
pub(super) use text::lines;

/// The tone of a part of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// No tone.
    Plain,
    /// As it should be.
    Good,
    /// In need of a look.
    Warn,
    /// Not as it should be.
    Bad,
    /// Less important.
    Faint,
}

/// A report.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) title: String,
    /// Facts about its subject, below the title.
    pub(super) facts: Vec<Fact>,
    pub(super) blocks: Vec<Block>,
}

/// A fact below the title.
#[derive(Debug)]
pub struct Fact {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: String,
}

/// A number that is seen first.
#[derive(Debug)]
pub struct Tile {
    /// The meaning of the number.
    pub name: &'static str,
    /// The number, with its unit.
    pub value: String,
    /// A note about it; may be empty.
    pub note: String,
    /// The tone of the number.
    pub tone: Tone,
}

/// A part of a report.
#[derive(Debug)]
pub(super) enum Block {
    /// The heading of the blocks up to the next one.
    Section(String),
    /// A heading within a section.
    Group(String),
    /// Numbers that are seen first.
    Tiles(Vec<Tile>),
    /// Sentences.
    Text(Tone, String),
    /// An explanation, which only pages have.
    Note(String),
    List(List),
    Table(Table),
    /// A plot, which only pages have: a table has the same numbers.
    Plot(Plot),
}

/// A list, of which a terminal may show less.
#[derive(Debug)]
pub(super) struct List {
    items: Vec<Item>,
    /// The number of items that there are, of which a page may have less.
    all: u64,
    /// The sentences of a terminal instead of these; none where they are the same.
    shorter: Option<Vec<String>>,
    /// The most items, and the most parts of each, on a terminal.
    on_terminal: (usize, usize),
}

/// An item of a list.
#[derive(Debug)]
pub(super) struct Item {
    /// The name that it begins with; may be empty.
    pub(super) name: String,
    pub(super) text: Vec<Piece>,
    pub(super) parts: Vec<Item>,
}

/// A piece of the text of an item.
#[derive(Debug)]
pub(super) enum Piece {
    /// Our own words.
    Words(String),
    /// Words or text from outside that have a tone of their own.
    Toned(Tone, String),
    /// Text from outside: on pages its direction of writing stays its own.
    Outside(String),
    /// A value of a document, of which a terminal shows the beginning.
    Value(String),
}

impl Report {
    /// The report as lines for a terminal.
    pub(super) fn text(&self, paint: super::Paint) -> String {
        text::report(self, paint)
    }

    /// The report as a self-contained page of HTML.
    pub(super) fn html(&self) -> String {
        page::html(self)
    }
}

/// The facts that there are: those without a value are left out.
pub fn facts<const N: usize>(all: [(&'static str, String); N]) -> Vec<Fact> {
    let known = all.into_iter().filter(|(_, value)| !value.is_empty());
    known.map(|(name, value)| Fact { name, value }).collect()
}

/// A tile.
#[must_use]
pub fn tile(name: &'static str, value: impl Into<String>, note: impl Into<String>, tone: Tone) -> Tile {
    Tile { name, value: value.into(), note: note.into(), tone }
}

/// A piece of text in a tone.
pub(super) fn toned(tone: Tone, text: impl Into<String>) -> Piece {
    Piece::Toned(tone, text.into())
}

impl List {
    /// A list of sentences or other items.
    pub(super) fn of(items: impl IntoIterator<Item = impl Into<Item>>) -> Self {
        let items: Vec<Item> = items.into_iter().map(Into::into).collect();
        List { all: items.len() as u64, items, shorter: None, on_terminal: (usize::MAX, usize::MAX) }
    }

    /// The first of so many items; a terminal shows at most `items` of them, each with at most `parts` parts.
    pub(super) fn first(all: u64, first: Vec<Item>, (items, parts): (usize, usize)) -> Self {
        List { items: first, all, shorter: None, on_terminal: (items, parts) }
    }

    /// Like this list, with these sentences on a terminal.
    pub(super) fn shorter(self, sentences: Vec<String>) -> Self {
        List { shorter: Some(sentences), ..self }
    }
}

impl Item {
    pub(super) fn new(name: impl Into<String>, text: Vec<Piece>, parts: Vec<Item>) -> Self {
        Item { name: name.into(), text, parts }
    }
}

impl From<Vec<Piece>> for Item {
    fn from(text: Vec<Piece>) -> Self {
        Item::new("", text, Vec::new())
    }
}

impl From<String> for Item {
    /// A sentence.
    fn from(sentence: String) -> Self {
        Item::from(vec![Piece::Outside(sentence)])
    }
}

impl Tone {
    /// The class of the tone on pages.
    pub(super) fn class(self) -> &'static str {
        match self {
            Tone::Plain => "",
            Tone::Good => "passed",
            Tone::Warn => "review",
            Tone::Bad => "failed",
            Tone::Faint => "soft",
        }
    }
}
