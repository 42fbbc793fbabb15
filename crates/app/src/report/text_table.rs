//! Tables on terminals.

use super::columns::{Column, aligned};
use super::paint::Paint;
use std::fmt::Write;

/// A table below a heading; nothing without rows. `more` is the number of rows that are left out.
pub(super) fn text_table(
    heading: &str,
    columns: &[Column],
    rows: &[Vec<String>],
    more: usize,
    paint: Paint,
) -> String {
    let mut out = String::new();
    if rows.is_empty() {
        return out;
    }
    let _ = writeln!(out, "\n{}", paint.strong(heading));
    let (names, lines) = aligned(columns, rows);
    if !names.is_empty() {
        let _ = writeln!(out, "{}", paint.faint(&format!("  {names}")));
    }
    for line in lines {
        let _ = writeln!(out, "{}", format!("  {line}").trim_end());
    }
    if more > 0 {
        let _ = writeln!(out, "{}", paint.faint(&format!("  and {more} more")));
    }
    out
}
