//! Rows of tables whose elements are those of HTML, as articles and clinical documents have them.

use super::super::flow::{FlowBlock, FlowCell, FlowRow};
use super::tree::XmlElement;

/// The most columns or rows that a cell spans.
const MOST_SPANNED: usize = 1_000;

/// The rows of a table, with what `content` finds in each cell.
pub(super) fn table_rows(table: &XmlElement, content: fn(&XmlElement) -> Vec<FlowBlock>) -> Vec<FlowRow> {
    let mut rows = Vec::new();
    for part in table.elements() {
        match part.name.as_str() {
            "tr" => rows.push(row(part, content)),
            "thead" | "tbody" | "tfoot" => rows.extend(part.all("tr").map(|part| row(part, content))),
            // Captions and columns hold no cells.
            _ => {}
        }
    }
    rows
}

fn row(row: &XmlElement, content: fn(&XmlElement) -> Vec<FlowBlock>) -> FlowRow {
    let cells = row.elements().filter(|cell| matches!(cell.name.as_str(), "td" | "th"));
    let cells = cells.map(|cell| {
        let span = |name: &str| {
            let spanned = cell.attribute(name).and_then(|span| span.parse::<usize>().ok());
            spanned.unwrap_or(1).clamp(1, MOST_SPANNED)
        };
        FlowCell { blocks: content(cell), columns: span("colspan"), rows: span("rowspan") }
    });
    cells.collect()
}
