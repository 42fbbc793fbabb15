//! Reports as pages of HTML: self-contained, without script, light and dark, to be read and printed.

use super::table::Column;
use super::{Block, Item, List, Piece, Report, Row, Table, Tile, Tone, plot};
use crate::report::figures::thousands;
use crate::report::page::{STYLE, escape_html};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The most columns of a table in letters of the usual size.
const MOST_LARGE: usize = 9;

/// A text in an element or a quoted attribute; see [`escape_html`].
pub(super) fn safe(text: &str) -> PreEscaped<String> {
    PreEscaped(escape_html(text))
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
                    @if !report.facts.is_empty() {
                        dl.facts {
                            @for fact in &report.facts {
                                div { dt { (safe(fact.name)) } dd { bdi { (safe(&fact.value)) } } }
                            }
                        }
                    }
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
        Block::Section(heading) => html! { h2 { bdi { (safe(heading)) } } },
        Block::Group(heading) => html! { h3 { bdi { (safe(heading)) } } },
        Block::Tiles(all) => tiles(all),
        Block::Text(tone @ (Tone::Plain | Tone::Faint), text) => {
            html! { p class=(tone.class()) { bdi { (safe(text)) } } }
        }
        Block::Text(tone @ (Tone::Good | Tone::Warn | Tone::Bad), text) => {
            html! { p class={ "promise " (tone.class()) } { bdi { (safe(text)) } } }
        }
        Block::Note(text) => html! { p.soft { (safe(text)) } },
        Block::List(all) => list(all),
        Block::Table(all) => table(all),
        Block::Plot(all) => plot::figure(all, &format!("plot-{section}-{at}")),
    }
}

fn tiles(tiles: &[Tile]) -> Markup {
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
                Piece::Toned(tone, text) => { span class=(tone.class()) { bdi { (safe(text)) } } }
                Piece::Outside(text) | Piece::Value(text) => { bdi { (safe(text)) } }
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
                    ul { (items(&item.parts, |name| html! { code { bdi { (safe(name)) } } })) }
                }
            }
        }
    }
}

fn list(list: &List) -> Markup {
    let named = list.items.iter().any(|item| !item.name.is_empty());
    let all = items(&list.items, |name| html! { strong { bdi { (safe(name)) } } });
    let more = list.all.saturating_sub(list.items.len() as u64);
    html! {
        @if named { ol.first { (all) } } @else { ul { (all) } }
        @if more > 0 {
            p.soft { "and " (thousands(more)) " more, all of them in the JSON form (" code { "--format json" } ")" }
        }
    }
}

fn table(table: &Table) -> Markup {
    let class = |column: &Column| if column.is_number { "number" } else { "" };
    let many = (table.columns.len() > MOST_LARGE).then_some("many");
    let row = |row: &Row| {
        let tone = match row.tone {
            Tone::Good => Some("certified"),
            Tone::Warn => Some("major"),
            Tone::Bad => Some("critical"),
            Tone::Plain | Tone::Faint => None,
        };
        html! {
            tr class=[tone] {
                @for (at, (column, cell)) in table.columns.iter().zip(&row.cells).enumerate() {
                    @if at == 0 {
                        th scope="row" class=(class(column)) data-of=(safe(&column.name)) {
                            @if let Some(part) = row.swatch {
                                svg.swatch viewBox="0 0 10 10" aria-hidden="true" { rect class=(part) width="10" height="10" {} }
                            }
                            bdi { (safe(cell)) }
                        }
                    } @else {
                        td class=(class(column)) data-of=(safe(&column.name)) { bdi { (safe(cell)) } }
                    }
                }
                @if let Some(bars) = table.bars {
                    td data-of=(safe(bars)) {
                        svg.bar viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
                            rect.track width="100" height="10" {}
                            rect.fill width=(row.bar) height="10" {}
                        }
                    }
                }
            }
        }
    };
    let whole = html! {
        div.wide tabindex="0" role="region" aria-label=(safe(&table.caption)) {
            table class=[many] {
                caption { (safe(&table.caption)) }
                thead {
                    tr {
                        @for column in &table.columns { th scope="col" class=(class(column)) { (safe(&column.name)) } }
                        @if let Some(bars) = table.bars { th scope="col" { (safe(bars)) } }
                    }
                }
                tbody { @for of in &table.rows { (row(of)) } }
            }
        }
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
