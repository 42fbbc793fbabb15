//! Reports as pages of HTML: self-contained, without script, light and dark, to be read and printed.

use super::table::{Column, word};
use super::{Block, Fact, Item, List, Piece, Report, Row, Table, Tile, Tone, plot};
use crate::report::figures::thousands;
use crate::report::page::{STYLE, escape_html};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The most columns of a table in letters of the usual size.
const MOST_LARGE: usize = 9;

/// A text in an element or a quoted attribute; see [`escape_html`].
pub(super) fn safe(text: &str) -> PreEscaped<String> {
    PreEscaped(escape_html(text))
}

/// A text from outside, of which the direction of writing stays its own.
fn outside(text: &str) -> Markup {
    html! { bdi { (safe(text)) } }
}

/// The page of a report.
pub(super) fn html(report: &Report) -> String {
    let mut sections = report.blocks.chunk_by(|_, next| !matches!(next, Block::Section(_))).peekable();
    let before = sections.next_if(|blocks| !matches!(blocks.first(), Some(Block::Section(_))));
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (safe(&report.title)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (safe(&report.title)) }
                    @if !report.facts.is_empty() { (fact_list(&report.facts)) }
                }
                main {
                    @for (at, block) in before.unwrap_or_default().iter().enumerate() { (shown(block, 0, at)) }
                    @for (number, blocks) in (1..).zip(sections) {
                        section { @for (at, block) in blocks.iter().enumerate() { (shown(block, number, at)) } }
                    }
                }
            }
        }
    };
    page.into_string() + "\n"
}

/// A block, with its position for ids.
fn shown(block: &Block, section: usize, at: usize) -> Markup {
    match block {
        Block::Section(heading) => html! { h2 { (outside(heading)) } },
        Block::Group(heading) => html! { h3 { (outside(heading)) } },
        Block::Tiles(all) => tile_list(all),
        Block::Text(tone @ (Tone::Plain | Tone::Faint), text) => {
            html! { p class=(tone.class()) { (outside(text)) } }
        }
        Block::Text(tone @ (Tone::Good | Tone::Warn | Tone::Bad), text) => {
            html! { p class={ "promise " (tone.class()) } { (outside(text)) } }
        }
        Block::Note(text) => html! { p.soft { (safe(text)) } },
        Block::List(all) => list(all),
        Block::Table(all) => table(all),
        Block::Plot(all) => plot::figure(all, &format!("plot-{section}-{at}")),
    }
}

/// Facts.
#[must_use]
pub fn fact_list(facts: &[Fact]) -> Markup {
    html! {
        dl.facts {
            @for fact in facts { div { dt { (safe(fact.name)) } dd { (outside(&fact.value)) } } }
        }
    }
}

/// Numbers that are seen first.
#[must_use]
pub fn tile_list(tiles: &[Tile]) -> Markup {
    html! {
        section aria-label="At a glance" {
            ul.tiles {
                @for tile in tiles {
                    li class=(tile.tone.class()) {
                        span { (safe(tile.name)) }
                        strong { (safe(&tile.value)) }
                        span { (safe(&tile.note)) }
                    }
                }
            }
        }
    }
}

fn pieces(text: &[Piece]) -> Markup {
    html! {
        @for piece in text {
            @match piece {
                Piece::Words(text) => { (safe(text)) }
                Piece::Toned(tone, text) => { span class=(tone.class()) { (outside(text)) } }
                Piece::Outside(text) | Piece::Value(text) => { (outside(text)) }
            }
        }
    }
}

/// Items in their order, each with its parts below it.
fn items(all: &[Item], name: fn(&str) -> Markup) -> Markup {
    html! {
        @for item in all {
            li {
                @if !item.name.is_empty() { (name(&item.name)) }
                (pieces(&item.text))
                @if !item.parts.is_empty() {
                    ul { (items(&item.parts, |name| html! { code { (outside(name)) } })) }
                }
            }
        }
    }
}

fn list(list: &List) -> Markup {
    let named = list.items.iter().any(|item| !item.name.is_empty());
    let all = items(&list.items, |name| html! { strong { (outside(name)) } });
    let more = list.all.saturating_sub(list.items.len() as u64);
    html! {
        @if named { ol.first { (all) } } @else { ul { (all) } }
        @if more > 0 {
            p.soft { "and " (thousands(more)) " more, all of them in the JSON form (" code { "--format json" } ")" }
        }
    }
}

/// The colour of a part of a plot.
#[must_use]
pub fn swatch(class: &str) -> Markup {
    html! { svg.swatch viewBox="0 0 10 10" aria-hidden="true" { rect class=(class) width="10" height="10" {} } }
}

/// A table as wide as it needs, which scrolls where the page is narrower. Cells are those of the columns, in this order.
#[must_use]
pub fn page_table(caption: &str, columns: &[Column], rows: Vec<Vec<Markup>>) -> Markup {
    grid(caption, None, columns, rows.into_iter().map(|cells| (None, cells)))
}

fn table(table: &Table) -> Markup {
    let many = (table.columns.len() > MOST_LARGE).then_some("many");
    let mut columns = table.columns.clone();
    columns.extend(table.bars.map(word));
    let row = |row: &Row| {
        let tone = match row.tone {
            Tone::Good => Some("certified"),
            Tone::Warn => Some("major"),
            Tone::Bad => Some("critical"),
            Tone::Plain | Tone::Faint => None,
        };
        let bar = html! {
            svg.bar viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
                rect.track width="100" height="10" {}
                rect.fill width=(row.bar) height="10" {}
            }
        };
        let mut swatch = row.swatch.map(swatch);
        let cells = row
            .cells
            .iter()
            .map(|cell| html! { @if let Some(swatch) = swatch.take() { (swatch) } (outside(cell)) });
        (tone, cells.chain(table.bars.map(|_| bar)).collect())
    };
    let whole = html! {
        (grid(&table.caption, many, &columns, table.rows.iter().map(row)))
        @if table.more > 0 {
            p.soft { "and " (table.more) " more, in the JSON form" }
        }
    };
    if table.is_folded {
        html! { details { summary { "As a table" } (whole) } }
    } else {
        whole
    }
}

/// A table with its class, and rows with theirs.
fn grid<'r>(
    caption: &str,
    size: Option<&str>,
    columns: &[Column],
    rows: impl Iterator<Item = (Option<&'r str>, Vec<Markup>)>,
) -> Markup {
    let class = |column: &Column| column.is_number.then_some("number");
    html! {
        div.wide tabindex="0" role="region" aria-label=(safe(caption)) {
            table class=[size] {
                caption { (safe(caption)) }
                thead { tr { @for column in columns { th scope="col" class=[class(column)] { (safe(&column.name)) } } } }
                tbody {
                    @for (tone, cells) in rows {
                        tr class=[tone] {
                            @for (at, (column, cell)) in columns.iter().zip(cells).enumerate() {
                                @if at == 0 {
                                    th scope="row" class=[class(column)] data-of=(safe(&column.name)) { (cell) }
                                } @else {
                                    td class=[class(column)] data-of=(safe(&column.name)) { (cell) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
