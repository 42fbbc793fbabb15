//! Tables as text: a line for each line of a row, with blanks between cells, so that columns stay below each other.

/// The blanks between two columns.
const BETWEEN: usize = 2;
/// The widest a cell is written that has another one on its right: more is continued below.
const WIDEST: usize = 160;

/// The bytes of a text that count as much as a cell.
const BYTES_OF_CELL: usize = 32;

/// The cells as which a cell with this text counts: many cells may show one long text.
pub(super) fn cell_cost(text: &str) -> usize {
    1 + text.len() / BYTES_OF_CELL
}

/// A table whose rows are written below each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FlowTable {
    rows: Vec<Vec<FlowCell>>,
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FlowCell {
    /// The column in which it begins.
    pub(super) column: usize,
    /// The number of columns that it covers.
    pub(super) span: usize,
    /// Its text, of any number of lines.
    pub(super) text: String,
}

/// A row as it is written: the cells with text, each with its column, and its lines.
type WrittenRow<'t> = Vec<(usize, usize, Vec<&'t str>)>;

impl FlowTable {
    /// Adds a row. Its cells are in the order of their columns; without text it sets those around it apart.
    pub(super) fn push(&mut self, mut cells: Vec<FlowCell>) {
        cells.retain(|cell| !cell.text.trim().is_empty());
        self.rows.push(cells);
    }

    /// Writes the rows, until the text has so many bytes.
    pub(super) fn write(&self, text: &mut String, most: usize) {
        let columns = self.columns();
        let rows: Vec<WrittenRow<'_>> = self.rows.iter().map(|row| written(row, &columns)).collect();
        let starts = starts(&rows, columns.len());
        let (mut is_begun, mut is_gap) = (false, false);
        for row in &rows {
            if row.is_empty() {
                is_gap = is_begun;
                continue;
            }
            if is_gap {
                text.push('\n');
            }
            (is_begun, is_gap) = (true, false);
            let height = row.iter().map(|(.., lines)| lines.len()).max().unwrap_or_default();
            for line in 0..height {
                write_line(row, line, &starts, text);
                if text.len() > most {
                    return;
                }
            }
        }
    }

    /// The columns in which a cell with text begins, in order: the others are left out.
    fn columns(&self) -> Vec<usize> {
        let mut columns: Vec<usize> = self.rows.iter().flatten().map(|cell| cell.column).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }
}

fn written<'t>(row: &'t [FlowCell], columns: &[usize]) -> WrittenRow<'t> {
    let at = |column: usize| columns.partition_point(|one| *one < column);
    let cell = |(nth, cell): (usize, &'t FlowCell)| {
        let column = at(cell.column);
        let span = at(cell.column.saturating_add(cell.span)).saturating_sub(column).max(1);
        let is_last = nth + 1 == row.len();
        let lines = cell.text.lines().map(str::trim_end).filter(|line| !line.is_empty());
        let lines = if is_last { lines.collect() } else { lines.flat_map(wrapped).collect() };
        (column, span, lines)
    };
    row.iter().enumerate().map(cell).collect()
}

/// The parts of a line that are written below each other: of words, as far as they fit.
fn wrapped(line: &str) -> Vec<&str> {
    let (mut parts, mut rest) = (Vec::new(), line);
    while let Some((end, _)) = rest.char_indices().nth(WIDEST) {
        let cut = rest.get(..end).and_then(|head| head.rfind(' ')).filter(|at| *at > 0).unwrap_or(end);
        let (head, tail) = rest.split_at(cut);
        parts.push(head.trim_end());
        rest = tail.trim_start();
    }
    if !rest.is_empty() {
        parts.push(rest);
    }
    parts
}

fn width(line: &str) -> usize {
    line.chars().count()
}

/// The character at which each column begins: behind the widest cell before it that has another one on its right.
fn starts(rows: &[WrittenRow<'_>], columns: usize) -> Vec<usize> {
    let mut starts = vec![0; columns];
    // For each column the cells that end before it: where they begin, and how wide they are.
    let mut ending: Vec<Vec<(usize, usize)>> = vec![Vec::new(); columns];
    for row in rows {
        for (nth, (column, span, lines)) in row.iter().enumerate() {
            let Some((next, ..)) = row.get(nth + 1) else { continue };
            let widest = lines.iter().map(|line| width(line)).max().unwrap_or_default();
            if let Some(ending) = ending.get_mut((column + span).min(*next)) {
                ending.push((*column, widest));
            }
        }
    }
    for column in 1..columns {
        let cells = ending.get(column).into_iter().flatten();
        let ends = cells.map(|(from, wide)| starts.get(*from).copied().unwrap_or_default() + wide + BETWEEN);
        let least = starts.get(column - 1).copied().unwrap_or_default() + 1;
        let start = ends.max().unwrap_or_default().max(least);
        if let Some(own) = starts.get_mut(column) {
            *own = start;
        }
    }
    starts
}

fn write_line(row: &WrittenRow<'_>, line: usize, starts: &[usize], text: &mut String) {
    let mut written = 0;
    for (column, _, lines) in row {
        let Some(line) = lines.get(line) else { continue };
        let start = starts.get(*column).copied().unwrap_or_default();
        let least = if written == 0 { 0 } else { BETWEEN };
        let blanks = start.saturating_sub(written).max(least);
        text.extend(std::iter::repeat_n(' ', blanks));
        text.push_str(line);
        written += blanks + width(line);
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[&[(usize, usize, &str)]]) -> String {
        let mut table = FlowTable::default();
        for row in rows {
            let cell =
                |&(column, span, text): &(usize, usize, &str)| FlowCell { column, span, text: text.into() };
            table.push(row.iter().map(cell).collect());
        }
        let mut text = String::new();
        table.write(&mut text, usize::MAX);
        text
    }

    #[test]
    fn columns_stay_below_each_other_and_empty_ones_are_left_out() {
        let text = table(&[
            &[(0, 1, "Test"), (2, 1, "Result"), (5, 1, "Unit")],
            &[(0, 1, "Haemoglobin"), (2, 1, ""), (5, 1, "g/l")],
            &[],
            &[(2, 1, "6.1")],
        ]);
        insta::assert_snapshot!(text, @"
        Test         Result  Unit
        Haemoglobin          g/l

                     6.1
        ");
    }

    #[test]
    fn a_cell_over_several_columns_widens_none_of_them() {
        let text = table(&[
            &[(0, 3, "Results of the second of May"), (3, 1, "Signed")],
            &[(0, 1, "a"), (1, 1, "b"), (2, 1, "c"), (3, 1, "d")],
        ]);
        insta::assert_snapshot!(text, @"
        Results of the second of May  Signed
        a  b  c                       d
        ");
    }

    #[test]
    fn lines_of_a_cell_are_below_each_other_and_a_long_one_is_continued() {
        let text = table(&[&[(0, 1, "one\n\ntwo"), (1, 1, "x\ny\nz")]]);
        assert_eq!(text, "one  x\ntwo  y\n     z\n");
        let long = "word ".repeat(60);
        let lines: Vec<String> = table(&[&[(0, 1, &long), (1, 1, "x")]]).lines().map(str::to_owned).collect();
        assert_eq!((lines.len(), lines[0].ends_with("word  x")), (2, true), "{lines:?}");
        assert_eq!(table(&[&[(0, 1, "x"), (1, 1, &long)]]).lines().count(), 1);
    }
}
