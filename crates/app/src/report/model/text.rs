//! Reports on terminals.

use super::{Block, Item, List, Piece, Report, Row, Table, Tile, Tone};
use crate::report::Paint;
use crate::report::figures::thousands;
use crate::value::prose::{cut, padded};
use crate::value::sanitize_line;

/// The width of a line, in characters, beyond which the last column of a table continues on the next line.
const WIDTH: usize = 100;
/// The width of a bar.
const BAR: u8 = 20;
/// The most characters of a value in a line of a list.
const LONGEST_VALUE: usize = 26;

/// The lines of a report.
pub(super) fn report(report: &Report, paint: Paint) -> String {
    let mut text = Text { lines: vec![paint.strong(&sanitize_line(&report.title))], indent: 2, paint };
    let facts = report.facts.iter().map(|fact| format!("  {}: {}", fact.name, sanitize_line(&fact.value)));
    text.lines.extend(facts);
    text.blocks(&report.blocks)
}

/// The lines of blocks without a title; those before the first heading begin at the left.
pub(in crate::report) fn lines(blocks: &[Block], paint: Paint) -> String {
    Text { lines: Vec::new(), indent: 0, paint }.blocks(blocks)
}

struct Text {
    lines: Vec<String>,
    indent: usize,
    paint: Paint,
}

impl Text {
    fn blocks(mut self, blocks: &[Block]) -> String {
        for blocks in blocks.chunk_by(|_, next| !matches!(next, Block::Section(_))) {
            if blocks.iter().any(is_on_terminal) {
                self.section(blocks);
            }
        }
        self.lines.push(String::new());
        self.lines.join("\n")
    }

    fn line(&mut self, indent: usize, line: &str) {
        self.lines.push(format!("{:indent$}{line}", "").trim_end().to_owned());
    }

    fn section(&mut self, blocks: &[Block]) {
        let mut list_indent = self.indent;
        for block in blocks {
            match block {
                Block::Section(heading) => {
                    if !self.lines.is_empty() {
                        self.lines.push(String::new());
                    }
                    self.lines.push(self.paint.strong(&sanitize_line(heading)));
                    self.indent = 2;
                }
                Block::Group(heading) => {
                    self.line(self.indent, &self.paint.strong(&sanitize_line(heading)));
                }
                Block::Tiles(all) => self.tiles(all),
                Block::Text(tone, text) => self.line(self.indent, &self.toned(*tone, &sanitize_line(text))),
                Block::List(all) => self.list(all, list_indent),
                Block::Table(all) => self.table(all),
                Block::Note(_) | Block::Plot(_) => {}
            }
            // A list is below its sentence or heading.
            let is_below = matches!(block, Block::Group(_) | Block::Text(..));
            list_indent = self.indent + if is_below { 2 } else { 0 };
        }
    }

    fn toned(&self, tone: Tone, text: &str) -> String {
        match tone {
            Tone::Plain => text.to_owned(),
            Tone::Good => self.paint.good(text),
            Tone::Warn => self.paint.warn(text),
            Tone::Bad => self.paint.bad(text),
            Tone::Faint => self.paint.faint(text),
        }
    }

    /// Tiles below one another: what is counted, the number, and a note about it.
    fn tiles(&mut self, tiles: &[Tile]) {
        let cells = |tile: &Tile| vec![tile.name.to_owned(), sanitize_line(&tile.value)];
        let cells = padded(&tiles.iter().map(cells).collect::<Vec<_>>(), &[false, true]);
        self.lines.push(String::new());
        for (tile, cells) in tiles.iter().zip(cells) {
            let [name, value] = cells.as_slice() else { continue };
            // Pages keep a number and its unit on one line.
            let note = sanitize_line(&tile.note.replace('\u{a0}', " "));
            self.line(self.indent, &format!("{name}  {}  {note}", self.toned(tile.tone, value)));
        }
    }

    fn list(&mut self, list: &List, indent: usize) {
        if let Some(sentences) = &list.shorter {
            sentences.iter().for_each(|text| self.line(indent, &sanitize_line(text)));
            return;
        }
        let (most, most_parts) = list.on_terminal;
        for item in list.items.iter().take(most) {
            self.item(item, Paint::strong, indent, most_parts);
        }
        let on_page = list.items.len();
        let more = list.all.saturating_sub(on_page.min(most) as u64);
        if more > 0 {
            let rest = if list.all > on_page as u64 {
                format!("; on the page of `--report`, the first {on_page} of each kind")
            } else {
                " and on the page of `--report`".to_owned()
            };
            let rest = format!("and {} more: all of them in the JSON form{rest}", thousands(more));
            self.line(indent, &self.paint.faint(&rest));
        }
    }

    /// An item, with its parts below it.
    fn item(&mut self, item: &Item, name: fn(Paint, &str) -> String, indent: usize, most_parts: usize) {
        let pieces = item.text.iter().map(|piece| match piece {
            Piece::Words(text) | Piece::Outside(text) => sanitize_line(text),
            Piece::Toned(tone, text) => self.toned(*tone, &sanitize_line(text)),
            Piece::Value(text) => cut(&sanitize_line(text), LONGEST_VALUE),
        });
        let name =
            Some(&item.name).filter(|name| !name.is_empty()).map(|of| name(self.paint, &sanitize_line(of)));
        let line: String = name.into_iter().chain(pieces).collect();
        self.line(indent, &line);
        for part in item.parts.iter().take(most_parts) {
            self.item(part, |_, name| name.to_owned(), indent + 2, most_parts);
        }
        if let Some(more @ 1..) = item.parts.len().checked_sub(most_parts) {
            self.line(indent + 2, &format!("and {more} more"));
        }
    }

    /// A table with the cells of a column below one another, each cut to what its column may take.
    fn table(&mut self, table: &Table) {
        let rows: Vec<&Row> = table.rows.iter().take(table.most_on_terminal).collect();
        if rows.is_empty() {
            return;
        }
        let shown = || table.columns.iter().enumerate().filter(|(_, column)| column.on_terminal.is_some());
        let cells = |row: &&Row| {
            let cell = |at| row.cells.get(at).map_or("", String::as_str);
            shown().map(|(at, column)| cut(&sanitize_line(cell(at)), column.longest)).collect()
        };
        let names = shown().filter_map(|(_, column)| column.on_terminal.as_deref()).map(sanitize_line);
        let all: Vec<Vec<String>> = std::iter::once(names.collect()).chain(rows.iter().map(cells)).collect();
        let numbers: Vec<bool> = shown().map(|(_, column)| column.is_number).collect();
        let is_last_words = numbers.last() == Some(&false);
        let mut all = padded(&all, &numbers);
        let width = |cells: &Vec<String>| cells.iter().map(|cell| cell.chars().count() + 2).sum::<usize>();
        if let Some(meaning) = table.bars
            && all.first().map_or(0, width) + usize::from(BAR) <= WIDTH
        {
            let bars = std::iter::once(meaning.to_lowercase()).chain(rows.iter().map(|row| bar(row)));
            all.iter_mut().zip(bars).for_each(|(cells, bar)| cells.push(bar));
        }
        let mut all = all.into_iter();
        let names = all.next().unwrap_or_default().join("  ");
        self.line(self.indent, &self.paint.faint(names.trim_end()));
        for (row, cells) in rows.iter().zip(all) {
            let Some((last, before)) = cells.split_last() else { continue };
            let begin: String = before.iter().flat_map(|cell| [cell.as_str(), "  "]).collect();
            let room = WIDTH.saturating_sub(begin.chars().count() + self.indent).max(20);
            let parts = if is_last_words { wrapped(last.trim_end(), room) } else { vec![last.clone()] };
            let hanging = " ".repeat(begin.chars().count());
            for (at, part) in parts.iter().enumerate() {
                let line = format!("{}{part}", if at == 0 { &begin } else { &hanging });
                self.line(self.indent, &self.toned(row.tone, line.trim_end()));
            }
        }
        let more = table.more + (table.rows.len() - rows.len());
        if more > 0 {
            self.line(self.indent, &self.paint.faint(&format!("and {more} more")));
        }
    }
}

/// Returns whether a block by itself is a reason for its section on a terminal: plots and explanations are on pages alone.
fn is_on_terminal(block: &Block) -> bool {
    match block {
        Block::Section(_) | Block::Group(_) | Block::Note(_) | Block::Plot(_) => false,
        Block::Tiles(_) | Block::Text(..) | Block::List(_) => true,
        Block::Table(table) => table.most_on_terminal > 0 && !table.is_empty(),
    }
}

/// The bar of a row: none for nothing, at least one character for anything.
fn bar(row: &Row) -> String {
    let step = 100.0 / f64::from(BAR);
    "█".repeat((0..BAR).filter(|at| f64::from(*at) * step < row.bar).count())
}

/// A text in lines of at most `room` characters, but for a word that is longer.
fn wrapped(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let Some(line) = lines.last_mut() else { continue };
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= room {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}
