//! Tables of an OpenDocument text.

use super::story::OpenStory;
use crate::office::flow_table::{FlowCell, FlowTable};
use crate::office::ink::Backdrop;
use crate::office::office_unread::OfficeFault;
use crate::office::xml_cursor::XmlCursor;

/// The most columns of a table.
const MOST_COLUMNS: usize = 16_384;

impl OpenStory<'_> {
    /// Reads the table that is open.
    pub(super) fn table(&mut self, xml: &mut XmlCursor<'_>) -> Result<FlowTable, OfficeFault> {
        let mut table = FlowTable::default();
        self.rows(xml, &mut table)?;
        Ok(table)
    }

    fn rows(&mut self, xml: &mut XmlCursor<'_>, table: &mut FlowTable) -> Result<(), OfficeFault> {
        while let Some(tag) = xml.child()? {
            match tag.name() {
                "table-row" => {
                    let cells = self.cells(xml)?;
                    table.push(cells);
                }
                "table-header-rows" | "table-rows" | "table-row-group" => self.rows(xml, table)?,
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    fn cells(&mut self, xml: &mut XmlCursor<'_>) -> Result<Vec<FlowCell>, OfficeFault> {
        let mut cells = Vec::new();
        let mut column = 0usize;
        while let Some(tag) = xml.child()? {
            let repeated = tag.number("number-columns-repeated").unwrap_or(1).clamp(1, MOST_COLUMNS);
            if tag.name() == "table-cell" {
                let paper = self.paper;
                let shade = self.styles.of("table-cell", tag.value("style-name").as_deref()).shade;
                self.paper = shade.map_or(paper, Backdrop::Plain);
                let span = tag.number("number-columns-spanned").unwrap_or(1).clamp(1, MOST_COLUMNS);
                let text = self.cell(xml)?;
                self.paper = paper;
                cells.push(FlowCell { column, span, text });
            } else {
                // One that another cell covers.
                xml.skip()?;
            }
            column = column.saturating_add(repeated);
        }
        Ok(cells)
    }
}
