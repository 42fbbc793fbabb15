//! A document, read once: rows, cells, words, numbers and dates, each with its place.

use crate::clause::{CueWords, Tokens};
use crate::date::{self, Date, Day};
use crate::fold::{is_mark, tokens};
use crate::number::{self, Number, value_key};
use crate::quantity::Quantities;
use crate::steps::step;
use crate::{layout, markup};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, LazyLock, OnceLock};

/// A document's structure. Columns are counted in characters; offsets are bytes of the text as given.
#[derive(Debug)]
pub struct Document {
    pub(crate) text: Box<str>,
    pub(crate) cells: Vec<TextCell>,
    /// The cells of each row.
    pub(crate) rows: Vec<std::ops::Range<usize>>,
    pub(crate) words: Vec<Word>,
    pub(crate) by_word: HashMap<Box<str>, Vec<u32>>,
    pub(crate) numbers: Vec<Number>,
    pub(crate) dates: Vec<Date>,
    /// Dates without a year, and months of a year.
    pub(crate) partial_dates: Vec<Date>,
    /// The numbers of a value, regardless of their sign; dates by day.
    pub(crate) by_value: HashMap<u64, Vec<u32>>,
    pub(crate) by_day: HashMap<Day, Vec<u32>>,
    /// Partial dates, by what they print.
    pub(crate) by_part: HashMap<Day, Vec<u32>>,
    /// All its words without anything between them, to see that a text is nowhere in any spelling.
    pub(crate) run: String,
    /// The byte of `run` at which each word begins.
    pub(crate) run_starts: Vec<u32>,
    /// The years of its dates.
    pub(crate) years: HashSet<i32>,
    /// Words by which its clauses are understood, beside those of every document.
    own_words: Arc<CueWords>,
    /// Its words and signs, as clauses are read; read when the first passage is.
    tokens: OnceLock<Tokens>,
    /// Its numbers with units; read when the first is asked for.
    quantities: OnceLock<Quantities>,
}

/// A piece of a row that is set apart from its neighbours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextCell {
    pub(crate) row: usize,
    /// Columns, the end excluded.
    pub(crate) from: u32,
    pub(crate) to: u32,
    /// Bytes.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Its words.
    pub(crate) words: std::ops::Range<usize>,
    /// The name that markup gives it: an element's or a member's.
    pub(crate) label: Option<Box<str>>,
}

impl TextCell {
    pub(crate) fn at(row: usize, column: u32, start: usize) -> Self {
        TextCell { row, from: column, to: column, start, end: start, words: 0..0, label: None }
    }
}

/// A word of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) folded: Box<str>,
    pub(crate) cell: usize,
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Takes rows and cells as a reader finds them.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    cells: Vec<TextCell>,
    rows: Vec<std::ops::Range<usize>>,
}

impl Builder {
    /// Begins a row, and gives its number.
    pub(crate) fn row(&mut self) -> usize {
        let from = self.cells.len();
        self.rows.push(from..from);
        self.rows.len() - 1
    }

    /// Adds a cell to the last row.
    pub(crate) fn cell(&mut self, cell: TextCell) {
        self.cells.push(cell);
        if let Some(row) = self.rows.last_mut() {
            row.end = self.cells.len();
        }
    }
}

impl Document {
    /// Reads a text.
    #[must_use]
    pub fn read(text: &str) -> Self {
        static NONE: LazyLock<Arc<CueWords>> = LazyLock::new(Arc::default);
        Self::read_with(text, &NONE)
    }

    /// Reads a text of which clauses are also understood by some words of its own.
    #[must_use]
    pub fn read_with(text: &str, words: &Arc<CueWords>) -> Self {
        let own_words = Arc::clone(words);
        let mut builder = Builder::default();
        if !markup::read(text, &mut builder) {
            layout::read(text, &mut builder);
        }
        let Builder { mut cells, rows } = builder;
        let (mut words, mut by_word) = (Vec::new(), HashMap::<Box<str>, Vec<u32>>::new());
        for (number, cell) in cells.iter_mut().enumerate() {
            let first = words.len();
            let own = text.get(cell.start..cell.end).unwrap_or_default();
            let (mut counted, mut column) = (0, cell.from);
            tokens(own, |token| {
                column += width(own.get(counted..token.start).unwrap_or_default());
                let from = column;
                column += width(own.get(token.start..token.end).unwrap_or_default());
                counted = token.end;
                let folded: Box<str> = token.folded.into();
                let at = u32::try_from(words.len()).unwrap_or(u32::MAX);
                by_word.entry(folded.clone()).or_default().push(at);
                let (start, end) = (cell.start + token.start, cell.start + token.end);
                words.push(Word { folded, cell: number, from, to: column, start, end });
            });
            cell.words = first..words.len();
        }
        let mut document = Document {
            text: text.into(),
            cells,
            rows,
            words,
            by_word,
            numbers: Vec::new(),
            dates: Vec::new(),
            partial_dates: Vec::new(),
            by_value: HashMap::new(),
            by_day: HashMap::new(),
            by_part: HashMap::new(),
            run: String::new(),
            run_starts: Vec::new(),
            years: HashSet::new(),
            own_words,
            tokens: OnceLock::new(),
            quantities: OnceLock::new(),
        };
        for word in &document.words {
            document.run_starts.push(u32::try_from(document.run.len()).unwrap_or(u32::MAX));
            document.run.push_str(&word.folded);
        }
        (document.dates, document.partial_dates) = date::read(&document);
        document.numbers = number::read(&document);
        for (at, number) in (0u32..).zip(&document.numbers) {
            document.by_value.entry(value_key(number.value)).or_default().push(at);
        }
        for (at, date) in (0u32..).zip(&document.dates) {
            document.by_day.entry(date.day).or_default().push(at);
            document.years.insert(date.day.0);
        }
        for (at, date) in (0u32..).zip(&document.partial_dates) {
            document.by_part.entry(date.day).or_default().push(at);
        }
        document
    }

    /// The text as it was given.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn quantities(&self) -> &Quantities {
        self.quantities.get_or_init(|| Quantities::read(self))
    }

    pub(crate) fn tokens(&self) -> &Tokens {
        self.tokens.get_or_init(|| Tokens::read(&self.text, &self.own_words))
    }

    pub(crate) fn slice(&self, start: usize, end: usize) -> &str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// The column of a byte within a cell.
    pub(crate) fn column(&self, cell: &TextCell, byte: usize) -> u32 {
        let words = self.words.get(cell.words.clone()).unwrap_or_default();
        let before =
            words.partition_point(|word| word.start <= byte).checked_sub(1).and_then(|at| words.get(at));
        match before {
            Some(word) => word.from + width(self.slice(word.start, byte)),
            None => cell.from + width(self.slice(cell.start, byte)),
        }
    }

    /// The cell of a row that lies over or under some columns, or nearest within two columns of them.
    pub(crate) fn cell_over(&self, row: usize, from: u32, to: u32) -> Option<&TextCell> {
        let cells = self.row_cells(row);
        let first = cells.partition_point(|cell| cell.to.saturating_add(2) <= from);
        cells.get(first).filter(|cell| cell.from < to.saturating_add(2))
    }

    pub(crate) fn row_cells(&self, row: usize) -> &[TextCell] {
        self.rows.get(row).and_then(|range| self.cells.get(range.clone())).unwrap_or_default()
    }

    /// The numbers of a row.
    pub(crate) fn numbers_of_row(&self, row: usize) -> impl Iterator<Item = &Number> {
        let cells = self.rows.get(row).cloned().unwrap_or_default();
        let from = self.numbers.partition_point(|number| number.cell < cells.start);
        let numbers = self.numbers.get(from..).unwrap_or_default();
        numbers.iter().take_while(move |number| number.cell < cells.end)
    }

    pub(crate) fn char_before(&self, byte: usize) -> Option<char> {
        self.text.get(..byte).and_then(|text| text.chars().next_back())
    }

    pub(crate) fn char_at(&self, byte: usize) -> Option<char> {
        self.text.get(byte..).and_then(|text| text.chars().next())
    }
}

pub(crate) fn width(text: &str) -> u32 {
    step(text.len());
    let wide = text.chars().filter(|c| c.is_ascii() || !is_mark(*c));
    u32::try_from(wide.count()).unwrap_or(u32::MAX)
}
