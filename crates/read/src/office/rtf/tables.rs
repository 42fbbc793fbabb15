//! Tables of an RTF file: rows of cells, whose columns are given by their right edges.

use crate::office::flow_table::{FlowCell, FlowTable};

/// Edges that are nearer to each other are one, in twentieths of a point.
const GRID: i32 = 60;
/// The number that is added to edges, so that none is negative.
const SHIFT: i32 = 2_000;
/// The most cells of a row.
const MOST_CELLS: usize = 1_000;

/// The definition of a row, and what its cells hold so far.
#[derive(Debug, Default)]
pub(super) struct RtfRow {
    edges: Vec<RtfEdge>,
    /// The properties of the cell whose edge comes next.
    next: RtfEdge,
    cells: Vec<String>,
}

/// A cell's right edge and properties.
#[derive(Debug, Clone, Copy, Default)]
struct RtfEdge {
    right: i32,
    shade: Option<i32>,
    /// `true` if it is part of the cell before it or above it.
    is_covered: bool,
}

impl RtfRow {
    /// Begins a definition (`\trowd`).
    pub(super) fn define(&mut self) {
        self.edges.clear();
        self.next = RtfEdge::default();
    }

    /// Reads a property of a cell; `false` if the control word is none.
    pub(super) fn property(&mut self, word: &str, number: Option<i32>) -> bool {
        match word {
            "cellx" => {
                if self.edges.len() < MOST_CELLS {
                    self.edges.push(RtfEdge { right: number.unwrap_or_default(), ..self.next });
                }
                self.next = RtfEdge::default();
            }
            "clcbpat" => self.next.shade = number,
            "clmrg" | "clvmrg" => self.next.is_covered = true,
            _ => return false,
        }
        true
    }

    /// The colour behind the cell that is open.
    pub(super) fn shade(&self) -> Option<i32> {
        self.edges.get(self.cells.len())?.shade
    }

    /// Ends a cell.
    pub(super) fn end_cell(&mut self, text: String) {
        if self.cells.len() < MOST_CELLS {
            self.cells.push(text);
        }
    }

    /// Returns whether a cell has ended since the last row.
    pub(super) fn has_cells(&self) -> bool {
        !self.cells.is_empty()
    }

    /// Ends the row. Its definition holds for the next one, too.
    pub(super) fn end(&mut self, table: &mut FlowTable) {
        let mut left = 0;
        let mut cells = Vec::new();
        for (at, text) in std::mem::take(&mut self.cells).into_iter().enumerate() {
            let edge = self.edges.get(at).copied();
            let right = edge.map_or(left + GRID, |edge| edge.right.max(left));
            let (column, end) = (grid(left), grid(right));
            left = right;
            if edge.is_some_and(|edge| edge.is_covered) {
                continue;
            }
            cells.push(FlowCell { column, span: end.saturating_sub(column).max(1), text });
        }
        table.push(cells);
    }
}

fn grid(edge: i32) -> usize {
    usize::try_from(edge.saturating_add(SHIFT).saturating_add(GRID / 2) / GRID).unwrap_or_default()
}
