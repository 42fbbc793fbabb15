//! The parts that several pages share: tiles, tables that scroll, steps through pages.

use crate::report::{dollars, duration, percent, thousands};
use crate::value::{Millis, is_wild};
use maud::{Markup, html};
use std::fmt::Write as _;

/// A number that is seen first.
pub(crate) struct Tile {
    pub(crate) name: &'static str,
    pub(crate) value: String,
    pub(crate) note: String,
    pub(crate) class: &'static str,
}

/// The numbers that are seen first.
pub(crate) fn tiles(tiles: &[Tile]) -> Markup {
    html! {
        section aria-label="At a glance" {
            ul.tiles {
                @for tile in tiles {
                    li class=(tile.class) { span { (tile.name) } strong { (tile.value) } span { (tile.note) } }
                }
            }
        }
    }
}

/// A table that is as wide as it needs, and scrolls where the page is narrower. `head` has the names of its columns,
/// each with whether it holds numbers.
pub(crate) fn table(caption: &str, head: &[(&str, bool)], rows: &[Vec<Markup>]) -> Markup {
    html! {
        div.wide tabindex="0" role="region" aria-label=(caption) {
            table {
                caption { (caption) }
                thead { tr { @for (name, is_number) in head { th scope="col" class=[is_number.then_some("number")] { (name) } } } }
                tbody {
                    @for row in rows {
                        tr {
                            @for (at, (cell, (name, is_number))) in row.iter().zip(head).enumerate() {
                                @if at == 0 {
                                    th scope="row" data-of=(name) { (cell) }
                                } @else {
                                    td class=[is_number.then_some("number")] data-of=(name) { (cell) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Steps through pages of a list, from 1; nothing if there is one page. `address` is that of the list, with its query
/// so far.
pub(crate) fn pager(what: &str, address: &str, page: u64, pages: u64) -> Markup {
    let step = |to: u64| {
        let sign = if address.contains('?') { '&' } else { '?' };
        format!("{address}{sign}page={to}")
    };
    html! {
        @if pages > 1 {
            nav.pager aria-label=(format!("Pages of {what}")) {
                @if page > 1 { a href=(step(page - 1)) rel="prev" { "Previous" } } @else { span.soft { "Previous" } }
                span { "Page " (thousands(page)) " of " (thousands(pages)) }
                @if page < pages { a href=(step(page + 1)) rel="next" { "Next" } } @else { span.soft { "Next" } }
            }
        }
    }
}

/// The page of a list that is asked for, and the number of pages.
pub(crate) fn paged(count: u64, of_each: u64, asked: Option<u64>) -> (u64, u64) {
    let pages = count.div_ceil(of_each).max(1);
    (asked.unwrap_or(1).clamp(1, pages), pages)
}

/// Text from outside, in which characters that would reverse it are written out.
pub(crate) fn outside(text: &str) -> Markup {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c != '\n' && is_wild(c) {
            let _ = write!(shown, "\\u{:04x}", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    html! { bdi { (shown) } }
}

/// A text as a part of an address.
pub(crate) fn in_address(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// A score with three decimals, or a dash.
pub(crate) fn score(score: Option<f64>) -> String {
    score.map_or_else(|| "–".to_owned(), |score| format!("{score:.3}"))
}

/// A time as `2026-11-27 07:00`, UTC.
pub(crate) fn minute(rfc3339: &str) -> String {
    rfc3339.chars().take(16).map(|c| if c == 'T' { ' ' } else { c }).collect()
}

/// Money, of which some may not be known.
pub(crate) fn money(known: f64, calls: u64, calls_of_unknown_cost: u64) -> String {
    match calls_of_unknown_cost {
        0 => dollars(known),
        unknown if unknown >= calls => "unknown".to_owned(),
        unknown => format!("{} + {} unknown", dollars(known), thousands(unknown)),
    }
}

/// A time, or a dash.
pub(crate) fn time(elapsed_ms: Option<u64>) -> String {
    elapsed_ms.map_or_else(|| "–".to_owned(), |ms| duration(Millis(ms)))
}

/// A share in percent, or a dash if there is nothing.
pub(crate) fn share(part: u64, whole: u64) -> String {
    percent(part, whole)
}
