//! The text of an RTF file: paragraphs, items of lists, tables, notes.

use super::state::{RtfDestination, RtfTables};
use super::tables::RtfRow;
use crate::file_text::FileText;
use crate::office::flow_table::FlowTable;
use crate::office::flow_text::{FlowBlock, FlowText};
use crate::office::office_unread::OfficeFault;
use std::collections::HashSet;

/// The deepest level of an item.
const DEEPEST: usize = 8;
/// The end of a page, in the text of a paragraph.
const PAGE_END: char = '\u{c}';
/// The result of a box that says that its default holds.
const BY_DEFAULT: i32 = 25;

/// The text so far.
#[derive(Debug, Default)]
pub(super) struct RtfStory {
    flow: RtfFlow,
    /// Texts that another one interrupts: a note, a header, a text box.
    outer: Vec<RtfFlow>,
    notes: Vec<FlowBlock>,
    /// The number of the last note.
    note: usize,
    footers: Vec<FlowBlock>,
    /// The texts of headers and footers so far: each is written once.
    edges: HashSet<String>,
    form: FormBox,
}

/// A text that flows.
#[derive(Debug, Default)]
struct RtfFlow {
    blocks: Vec<FlowBlock>,
    /// The text of the paragraph that is open.
    open: String,
    /// The number or bullet of that paragraph.
    label: String,
    /// The text before the label that is being read.
    before_label: String,
    /// The lines of the cell that is open.
    cell: String,
    row: RtfRow,
    table: Option<FlowTable>,
    format: RtfParagraph,
}

/// The format of a paragraph.
#[derive(Debug, Clone, Copy, Default)]
struct RtfParagraph {
    is_in_table: bool,
    level: usize,
    heading: Option<u8>,
    shade: Option<i32>,
    begins_page: bool,
}

/// A form's field with a box.
#[derive(Debug, Default)]
struct FormBox {
    is_box: bool,
    default: i32,
    result: Option<i32>,
}

impl RtfFlow {
    fn end_paragraph(&mut self) {
        let text = std::mem::take(&mut self.open);
        let label = std::mem::take(&mut self.label);
        let label = label.trim();
        if self.format.is_in_table {
            if !label.is_empty() {
                self.cell.push_str(label);
                self.cell.push(' ');
            }
            self.cell.push_str(text.trim_matches(PAGE_END));
            self.cell.push('\n');
            return;
        }
        self.end_table();
        if self.format.begins_page {
            self.blocks.push(FlowBlock::PageBreak);
        }
        for (at, piece) in text.split(PAGE_END).enumerate() {
            if at > 0 {
                self.blocks.push(FlowBlock::PageBreak);
            }
            if piece.trim().is_empty() {
                continue;
            }
            let is_labelled = at == 0 && !label.is_empty();
            let text = if is_labelled { format!("{label} {}", piece.trim_start()) } else { piece.to_owned() };
            self.blocks.push(match self.format.heading {
                Some(level) => FlowBlock::Heading { level, text },
                None if is_labelled => FlowBlock::Item { level: self.format.level.min(DEEPEST), text },
                None => FlowBlock::Paragraph(text),
            });
        }
    }

    fn end_cell(&mut self) {
        let last = std::mem::take(&mut self.open);
        let label = std::mem::take(&mut self.label);
        let mut text = std::mem::take(&mut self.cell);
        if !label.trim().is_empty() {
            text.push_str(label.trim());
            text.push(' ');
        }
        text.push_str(last.trim_matches(PAGE_END));
        self.row.end_cell(text);
    }

    fn end_row(&mut self) {
        self.row.end(self.table.get_or_insert_default());
    }

    fn end_table(&mut self) {
        if self.row.has_cells() {
            self.end_row();
        }
        let lines = std::mem::take(&mut self.cell);
        self.blocks.extend(self.table.take().map(FlowBlock::Table));
        // Lines of a cell that never ended.
        if !lines.trim().is_empty() {
            self.blocks.push(FlowBlock::Paragraph(lines));
        }
    }

    /// The parts of the text, of which nothing is open any more.
    fn ended(mut self) -> Vec<FlowBlock> {
        if !self.open.trim().is_empty() {
            self.end_paragraph();
        }
        self.end_table();
        self.blocks
    }
}

impl RtfStory {
    /// The colour behind the paragraph or cell that is open.
    pub(super) fn shade(&self) -> Option<i32> {
        let format = &self.flow.format;
        format.shade.or_else(|| if format.is_in_table { self.flow.row.shade() } else { None })
    }

    /// Adds text that is seen.
    pub(super) fn text(&mut self, text: &str) {
        self.flow.open.push_str(text);
    }

    /// Begins a destination in another one.
    pub(super) fn begin(&mut self, destination: RtfDestination, outer: RtfDestination) {
        match destination {
            RtfDestination::Note => {
                self.note += 1;
                // In brackets, so that the number of a note is no digit of the value before it.
                let mark = format!("[{}]", self.note);
                self.flow.open.push_str(&mark);
                self.interrupt();
                self.flow.open = format!("{mark} ");
            }
            RtfDestination::Header | RtfDestination::Footer => self.interrupt(),
            RtfDestination::Body if outer == RtfDestination::Shape => self.interrupt(),
            RtfDestination::ListText => self.flow.before_label = std::mem::take(&mut self.flow.open),
            RtfDestination::FormField => self.form = FormBox::default(),
            RtfDestination::Body
            | RtfDestination::Nowhere
            | RtfDestination::Shape
            | RtfDestination::Picture
            | RtfDestination::Fonts
            | RtfDestination::Colors
            | RtfDestination::Styles => {}
        }
    }

    /// Ends a destination in another one.
    pub(super) fn end(&mut self, destination: RtfDestination, outer: RtfDestination) {
        match destination {
            RtfDestination::Note => {
                let own = self.resume();
                self.notes.push(FlowBlock::Note(FlowText::of_cell(&own)));
            }
            RtfDestination::Header => {
                let own = self.resume();
                if self.edges.insert(FlowText::of_cell(&own)) {
                    self.flow.blocks.extend(own);
                }
            }
            RtfDestination::Footer => {
                let own = self.resume();
                if self.edges.insert(FlowText::of_cell(&own)) {
                    self.footers.extend(own);
                }
            }
            RtfDestination::Body if outer == RtfDestination::Shape => {
                let own = self.resume();
                self.flow.blocks.extend(own);
            }
            RtfDestination::ListText => {
                let before = std::mem::take(&mut self.flow.before_label);
                self.flow.label = std::mem::replace(&mut self.flow.open, before);
            }
            RtfDestination::FormField => {
                let result = self.form.result.filter(|result| *result != BY_DEFAULT);
                if self.form.is_box {
                    let is_ticked = result.unwrap_or(self.form.default) != 0;
                    self.flow.open.push(if is_ticked { '☒' } else { '☐' });
                }
            }
            RtfDestination::Body
            | RtfDestination::Nowhere
            | RtfDestination::Shape
            | RtfDestination::Picture
            | RtfDestination::Fonts
            | RtfDestination::Colors
            | RtfDestination::Styles => {}
        }
    }

    fn interrupt(&mut self) {
        self.outer.push(std::mem::take(&mut self.flow));
    }

    /// Returns to the text that was interrupted, and returns the other one.
    fn resume(&mut self) -> Vec<FlowBlock> {
        match self.outer.pop() {
            Some(outer) => std::mem::replace(&mut self.flow, outer).ended(),
            None => Vec::new(),
        }
    }

    /// Reads a control word about paragraphs, cells or pages. A mark that was deleted ends no paragraph.
    pub(super) fn control(&mut self, word: &str, number: Option<i32>, is_deleted: bool, tables: &RtfTables) {
        let flow = &mut self.flow;
        let is_on = number != Some(0);
        match word {
            "par" if !is_deleted => flow.end_paragraph(),
            "pard" => flow.format = RtfParagraph::default(),
            "intbl" => flow.format.is_in_table = is_on,
            "s" => flow.format.heading = number.and_then(|style| tables.headings.get(&style)).copied(),
            "outlinelevel" => {
                let level = number.and_then(|level| u8::try_from(level).ok());
                flow.format.heading = level.filter(|level| *level < 9).map(|level| level + 1);
            }
            "ilvl" => flow.format.level = number.and_then(|n| n.try_into().ok()).unwrap_or(0),
            "cbpat" => flow.format.shade = number,
            "pagebb" => flow.format.begins_page = is_on,
            "page" => flow.open.push(PAGE_END),
            "column" => flow.open.push('\n'),
            "sect" => {
                if !flow.open.trim().is_empty() {
                    flow.end_paragraph();
                }
                flow.end_table();
                flow.blocks.push(FlowBlock::PageBreak);
            }
            // The section that begins here does so on the page of the one before it.
            "sbknone" => {
                if flow.blocks.last() == Some(&FlowBlock::PageBreak) {
                    flow.blocks.pop();
                }
            }
            "trowd" => flow.row.define(),
            "cell" => flow.end_cell(),
            "row" => flow.end_row(),
            "nestcell" => flow.open.push_str("  "),
            "nestrow" => flow.open.push('\n'),
            _ => {
                flow.row.property(word, number);
            }
        }
    }

    /// Reads a property of a form's field.
    pub(super) fn form_field(&mut self, word: &str, number: Option<i32>) {
        match word {
            "fftype" => self.form.is_box = number == Some(1),
            "ffres" => self.form.result = number,
            "ffdefres" => self.form.default = number.unwrap_or_default(),
            _ => {}
        }
    }

    /// The text, when the file has ended.
    pub(super) fn finish(mut self) -> Result<FileText, OfficeFault> {
        while !self.outer.is_empty() {
            let own = self.resume();
            self.flow.blocks.extend(own);
        }
        let mut text = FlowText::default();
        text.write(&self.flow.ended());
        text.write(&self.footers);
        text.write(&self.notes);
        text.finish()
    }
}
