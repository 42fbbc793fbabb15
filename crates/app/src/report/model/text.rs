//! Reports on terminals.

use super::{Block, Item, List, Piece, Report, Row, Table, Tone};
use crate::report::Paint;
use crate::report::figures::thousands;
use crate::report::page::{Fact, Tile};
use crate::value::prose::{cut, padded};
use crate::value::sanitize_line;

/// The width of a line, in characters, beyond which the last column of a table continues on the next line.
const WIDTH: usize = 100;
/// The most characters of a name that begins a line of a list, and of a value in it.
const LONGEST_NAME: usize = 60;
const LONGEST_VALUE: usize = 26;

/// The lines of a report.
pub(super) fn lines(report: &Report, paint: Paint) -> String {
    let mut lines = vec![paint.strong(&sanitize_line(&report.title))];
    lines.extend(report.facts.iter().map(fact));
    for blocks in report.blocks.chunk_by(|_, next| !matches!(next, Block::Section(_))) {
        // A section of plots and explanations is on pages alone.
        if blocks.iter().any(|block| !matches!(block, Block::Section(_) | Block::Note(_) | Block::Plot(_))) {
            section(blocks, paint, &mut lines);
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

fn section(blocks: &[Block], paint: Paint, lines: &mut Vec<String>) {
    for block in blocks {
        match block {
            Block::Section(heading) => {
                lines.push(String::new());
                lines.push(paint.strong(&sanitize_line(heading)));
            }
            Block::Group(heading) => lines.push(format!("  {}", paint.strong(&sanitize_line(heading)))),
            Block::Tiles(all) => tiles(all, paint, lines),
            Block::Text(tone, text) => lines.push(format!("  {}", toned(paint, *tone, &sanitize_line(text)))),
            Block::List(all) => list(all, paint, lines),
            Block::Table(all) => table(all, paint, lines),
            Block::Note(_) | Block::Plot(_) => {}
        }
    }
}

fn toned(paint: Paint, tone: Tone, text: &str) -> String {
    match tone {
        Tone::Plain => text.to_owned(),
        Tone::Good => paint.good(text),
        Tone::Warn => paint.warn(text),
        Tone::Bad => paint.bad(text),
        Tone::Faint => paint.faint(text),
    }
}

fn fact(fact: &Fact) -> String {
    format!("  {}: {}", fact.name, sanitize_line(&fact.value))
}

/// Tiles below one another: what is counted, the number, and a note about it.
fn tiles(tiles: &[Tile], paint: Paint, lines: &mut Vec<String>) {
    let cells = |tile: &Tile| vec![tile.name.to_owned(), sanitize_line(&tile.value)];
    let cells = padded(&tiles.iter().map(cells).collect::<Vec<_>>(), &[false, true]);
    lines.push(String::new());
    for (tile, cells) in tiles.iter().zip(cells) {
        let [name, value] = cells.as_slice() else { continue };
        // Pages keep a number and its unit on one line.
        let note = sanitize_line(&tile.note.replace('\u{a0}', " "));
        let line = format!("  {name}  {}  {note}", toned(paint, tile.tone, value));
        lines.push(line.trim_end().to_owned());
    }
}

fn list(list: &List, paint: Paint, lines: &mut Vec<String>) {
    if let Some(sentences) = &list.shorter {
        lines.extend(sentences.iter().map(|text| format!("  {}", sanitize_line(text))));
        return;
    }
    let (most, most_parts) = list.on_terminal;
    for item in list.items.iter().take(most) {
        lines.push(format!("    {}", said(item)));
        lines.extend(item.parts.iter().take(most_parts).map(|part| format!("      {}", said(part))));
        if let Some(more @ 1..) = item.parts.len().checked_sub(most_parts) {
            lines.push(format!("      and {more} more"));
        }
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
        lines.push(format!("    {}", paint.faint(&rest)));
    }
}

fn said(item: &Item) -> String {
    let pieces = item.text.iter().map(|piece| match piece {
        Piece::Words(text) | Piece::Outside(text) => sanitize_line(text),
        Piece::Value(text) => cut(&sanitize_line(text), LONGEST_VALUE),
    });
    std::iter::once(cut(&sanitize_line(&item.name), LONGEST_NAME)).chain(pieces).collect()
}

/// A table with the cells of a column below one another, each cut to what its column may take.
fn table(table: &Table, paint: Paint, lines: &mut Vec<String>) {
    if table.rows.is_empty() {
        return;
    }
    let shown: Vec<(usize, &str)> = (table.columns.iter().enumerate())
        .filter_map(|(at, column)| column.on_terminal.map(|name| (at, name)))
        .collect();
    let cells = |row: &Row| {
        let cell = |(at, _): &(usize, &str)| {
            let cell = row.cells.get(*at).map_or("", String::as_str);
            cut(&sanitize_line(cell), table.columns.get(*at).map_or(usize::MAX, |column| column.longest))
        };
        shown.iter().map(cell).collect::<Vec<_>>()
    };
    let rows: Vec<&Row> = table.rows.iter().take(table.most_on_terminal).collect();
    let mut all = vec![shown.iter().map(|(_, name)| sanitize_line(name)).collect()];
    all.extend(rows.iter().map(|row| cells(row)));
    let numbers: Vec<bool> =
        shown.iter().map(|(at, _)| table.columns.get(*at).is_some_and(|column| column.is_number)).collect();
    let is_last_words = numbers.last() == Some(&false);
    let mut all = padded(&all, &numbers).into_iter();
    let names = all.next().unwrap_or_default();
    lines.push(paint.faint(format!("  {}", names.join("  ")).trim_end()));
    for (row, cells) in rows.iter().zip(all) {
        let Some((last, before)) = cells.split_last() else { continue };
        let begin: String = before.iter().flat_map(|cell| [cell.as_str(), "  "]).collect();
        let room = WIDTH.saturating_sub(begin.chars().count() + 2).max(20);
        let parts = if is_last_words { wrapped(last.trim_end(), room) } else { vec![last.clone()] };
        let hanging = " ".repeat(begin.chars().count());
        for (at, part) in parts.iter().enumerate() {
            let line = format!("  {}{part}", if at == 0 { &begin } else { &hanging });
            lines.push(toned(paint, row.tone, line.trim_end()));
        }
    }
    let more = table.more + (table.rows.len() - rows.len());
    if more > 0 {
        lines.push(paint.faint(&format!("  and {more} more")));
    }
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
