//! The parts that several pages share, beside those of reports: steps through pages, text from outside, numbers.

use crate::report::{dollars, duration, thousands};
use crate::value::{Millis, is_wild};
use maud::{Markup, html};
use std::fmt::Write as _;

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
