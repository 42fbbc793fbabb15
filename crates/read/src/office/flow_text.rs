//! The text of a document that flows: paragraphs, headings, lists, tables and notes, written one below the other.

use super::file_text::FileText;
use super::flow_table::FlowTable;
use super::office_unread::OfficeFault;
use super::{MarkedPart, PartRole, Structure};

/// The longest text of a document, in bytes.
const MOST_TEXT: usize = 32 << 20;
/// The distance between stops of tabulators, in characters.
const TAB: usize = 8;
/// The deepest level of an item that is indented.
const DEEPEST: usize = 8;

/// A part of a flowing document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FlowBlock {
    /// A heading.
    Heading {
        /// Its level, from 1.
        level: u8,
        /// Its text.
        text: String,
    },
    /// A paragraph, whose lines may hold tabulators.
    Paragraph(String),
    /// An item of a list.
    Item {
        /// Its level, from 0.
        level: usize,
        /// Its text, with its number or bullet.
        text: String,
    },
    /// A table.
    Table(FlowTable),
    /// A footnote or endnote, with its mark.
    Note(String),
    /// The end of a page.
    PageBreak,
}

/// The text so far.
#[derive(Debug, Default)]
pub(super) struct FlowText {
    text: String,
    parts: Vec<MarkedPart>,
    /// `true` from a page break to the next text.
    breaks: bool,
    /// `true` if text was left out, because there was too much.
    is_over: bool,
}

impl FlowText {
    /// Writes the parts of a document.
    pub(super) fn write(&mut self, blocks: &[FlowBlock]) {
        let mut rest = blocks;
        while let Some(first) = rest.first() {
            let same = rest.iter().take_while(|block| follows(first, block)).count().max(1);
            let (group, next) = rest.split_at_checked(same).unwrap_or((rest, &[]));
            self.write_group(first, group);
            rest = next;
            if self.text.len() > MOST_TEXT {
                self.is_over = true;
                return;
            }
        }
    }

    /// Writes a text whose lines are its own.
    pub(super) fn write_plain(&mut self, text: &str) {
        self.part(None, |to| {
            for line in text.trim_matches(['\r', '\n']).lines() {
                to.push_str(line.trim_end());
                to.push('\n');
            }
        });
        self.is_over |= self.text.len() > MOST_TEXT;
    }

    /// The text with its structure.
    pub(super) fn finish(self) -> Result<FileText, OfficeFault> {
        if self.is_over {
            return Err(OfficeFault::TooLong);
        }
        if self.text.trim().is_empty() {
            return Err(OfficeFault::NoText);
        }
        Ok(FileText { text: self.text, structure: Structure::new(self.parts), ..FileText::default() })
    }

    /// The lines of a cell with these parts.
    pub(super) fn of_cell(blocks: &[FlowBlock]) -> String {
        let mut own = FlowText::default();
        own.write(blocks);
        own.text.replace('\u{c}', "\n")
    }

    /// Writes blocks that are of one kind, without blank lines between them.
    fn write_group(&mut self, first: &FlowBlock, group: &[FlowBlock]) {
        match first {
            FlowBlock::PageBreak => self.breaks = !self.text.is_empty(),
            FlowBlock::Heading { level, text } => {
                self.part(Some(PartRole::Heading { level: *level }), |to| write_lines(text.trim(), 0, to));
            }
            FlowBlock::Item { .. } => self.part(Some(PartRole::List), |to| {
                for block in group {
                    if let FlowBlock::Item { level, text } = block {
                        write_lines(text, 2 * (*level).min(DEEPEST), to);
                    }
                }
            }),
            FlowBlock::Table(table) => {
                let most = MOST_TEXT.saturating_add(1);
                self.part(Some(PartRole::Table), |to| table.write(to, most));
            }
            FlowBlock::Note(text) => self.part(Some(PartRole::Note), |to| write_lines(text, 0, to)),
            FlowBlock::Paragraph(text) => match tabbed(group) {
                Some(rows) => self.part(None, |to| rows.write(to, MOST_TEXT.saturating_add(1))),
                None => self.part(None, |to| write_lines(text, 0, to)),
            },
        }
    }

    /// Writes a part, set apart from the one before it.
    fn part(&mut self, role: Option<PartRole>, write: impl FnOnce(&mut String)) {
        let before = self.text.len();
        if self.breaks {
            self.text.push('\u{c}');
        } else if before > 0 {
            self.text.push('\n');
        }
        let start = self.text.len();
        write(&mut self.text);
        if self.text.get(start..).is_none_or(|own| own.trim().is_empty()) {
            self.text.truncate(before);
            return;
        }
        self.breaks = false;
        let end = start + self.text.get(start..).map_or(0, |own| own.trim_end().len());
        self.parts.extend(role.map(|role| MarkedPart { text: start..end, role }));
    }
}

/// Returns whether a block is written with the first of its group.
fn follows(first: &FlowBlock, block: &FlowBlock) -> bool {
    match (first, block) {
        (FlowBlock::Item { .. }, FlowBlock::Item { .. }) => true,
        (FlowBlock::Paragraph(first), FlowBlock::Paragraph(text)) => {
            tabs(first) > 0 && tabs(first) == tabs(text) && !first.contains('\n') && !text.contains('\n')
        }
        _ => false,
    }
}

fn tabs(text: &str) -> usize {
    text.trim_end().matches('\t').count()
}

/// Neighbouring lines with as many tabulators each, as a table whose columns the tabulators set.
fn tabbed(group: &[FlowBlock]) -> Option<FlowTable> {
    if group.len() < 2 {
        return None;
    }
    let mut table = FlowTable::default();
    for block in group {
        let FlowBlock::Paragraph(text) = block else { return None };
        let cells = text.trim_end().split('\t').enumerate();
        let cell = |(column, text): (usize, &str)| super::flow_table::FlowCell {
            column,
            span: 1,
            text: text.trim().to_owned(),
        };
        table.push(cells.map(cell).collect());
    }
    Some(table)
}

/// Writes lines with an indent, and blanks in place of tabulators: at least two, up to the next stop.
fn write_lines(text: &str, indent: usize, to: &mut String) {
    for line in text.split('\n') {
        if line.trim().is_empty() {
            continue;
        }
        to.extend(std::iter::repeat_n(' ', indent));
        let mut column = indent;
        for (nth, piece) in line.trim_end().split('\t').enumerate() {
            if nth > 0 {
                let blanks = TAB - column % TAB;
                let blanks = if blanks < 2 { blanks + TAB } else { blanks };
                to.extend(std::iter::repeat_n(' ', blanks));
                column += blanks;
            }
            to.push_str(piece);
            column += piece.chars().count();
        }
        to.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paragraph(text: &str) -> FlowBlock {
        FlowBlock::Paragraph(text.to_owned())
    }

    #[test]
    fn parts_are_set_apart_and_marked() {
        let item = |level, text: &str| FlowBlock::Item { level, text: text.to_owned() };
        let blocks = [
            FlowBlock::PageBreak,
            FlowBlock::Heading { level: 2, text: "Findings".into() },
            paragraph("One.\nTwo."),
            paragraph("  "),
            item(0, "1. first"),
            item(1, "a) inner"),
            FlowBlock::PageBreak,
            FlowBlock::PageBreak,
            paragraph("Next page"),
            FlowBlock::Note("[1] a note".into()),
        ];
        let mut text = FlowText::default();
        text.write(&blocks);
        let read = text.finish().unwrap();
        let expected = "Findings\n\nOne.\nTwo.\n\n1. first\n  a) inner\n\u{c}Next page\n\n[1] a note\n";
        assert_eq!(read.text, expected);
        let parts: Vec<(&str, PartRole)> =
            read.structure.iter().map(|part| (&read.text[part.text.clone()], part.role)).collect();
        assert_eq!(
            parts,
            [
                ("Findings", PartRole::Heading { level: 2 }),
                ("1. first\n  a) inner", PartRole::List),
                ("[1] a note", PartRole::Note)
            ]
        );
    }

    #[test]
    fn neighbouring_lines_with_tabulators_are_columns() {
        let mut text = FlowText::default();
        text.write(&[
            paragraph("Item\tPrice"),
            paragraph("A long description\t9.50"),
            paragraph("Sum:\t\t1"),
        ]);
        assert_eq!(
            text.finish().unwrap().text,
            "Item                Price\nA long description  9.50\n\nSum:            1\n"
        );
    }

    #[test]
    fn a_document_without_text_is_not_read() {
        let mut text = FlowText::default();
        text.write(&[FlowBlock::PageBreak, paragraph("\u{a0}")]);
        assert_eq!(text.finish().unwrap_err(), OfficeFault::NoText);
    }
}
