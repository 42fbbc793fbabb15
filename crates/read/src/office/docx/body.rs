//! Paragraphs and tables of a Word document.

use super::WordParts;
use super::fields::WordFields;
use super::look::shade;
use super::notes::NoteMarks;
use super::numbering::WordNumbering;
use super::sections::{SectionFormat, section_format};
use super::styles::{ParagraphFormat, paragraph_format};
use crate::office::flow_table::{FlowCell, FlowTable};
use crate::office::flow_text::{FlowBlock, FlowText};
use crate::office::ink::Backdrop;
use crate::office::office_unread::OfficeFault;
use crate::office::xml_cursor::XmlCursor;

/// The end of a page, in the text of a paragraph.
pub(super) const PAGE_END: char = '\u{c}';

/// A part of a Word document.
#[derive(Debug)]
pub(super) enum WordBlock {
    Flow(FlowBlock),
    /// The end of a section.
    SectionEnd(SectionFormat),
}

/// A text that flows: the body, a header or footer, a note, a text box.
pub(super) struct WordStory<'d> {
    pub(super) parts: &'d WordParts,
    pub(super) numbering: &'d mut WordNumbering,
    pub(super) fields: WordFields,
    /// The notes to which it refers.
    pub(super) marks: NoteMarks,
    /// The background of its text.
    pub(super) paper: Backdrop,
    /// Text boxes in the paragraph that is being read.
    pub(super) boxes: Vec<FlowBlock>,
    /// The text of paragraphs whose end was deleted.
    carried: String,
}

impl<'d> WordStory<'d> {
    pub(super) fn new(parts: &'d WordParts, numbering: &'d mut WordNumbering) -> Self {
        WordStory {
            parts,
            numbering,
            fields: WordFields::default(),
            marks: NoteMarks::default(),
            paper: parts.paper,
            boxes: Vec::new(),
            carried: String::new(),
        }
    }

    /// Reads the parts in the element that is open.
    pub(super) fn flow(&mut self, xml: &mut XmlCursor<'_>) -> Result<Vec<FlowBlock>, OfficeFault> {
        let mut blocks = Vec::new();
        self.blocks(xml, &mut blocks)?;
        let flow = blocks.into_iter().filter_map(|block| match block {
            WordBlock::Flow(block) => Some(block),
            WordBlock::SectionEnd(_) => None,
        });
        Ok(flow.collect())
    }

    /// Like [`WordStory::flow`], with the ends of sections.
    pub(super) fn blocks(
        &mut self,
        xml: &mut XmlCursor<'_>,
        blocks: &mut Vec<WordBlock>,
    ) -> Result<(), OfficeFault> {
        while let Some(tag) = xml.child()? {
            match tag.name() {
                "p" => self.paragraph(xml, blocks)?,
                "tbl" => {
                    let table = self.table(xml)?;
                    blocks.push(WordBlock::Flow(FlowBlock::Table(table)));
                }
                "sectPr" => blocks.push(WordBlock::SectionEnd(section_format(xml)?)),
                // What is on the screen of a program that knows all extensions.
                "Fallback" | "del" | "moveFrom" | "sdtPr" | "sdtEndPr" | "customXmlPr" => xml.skip()?,
                "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo" | "smartTag" | "AlternateContent"
                | "Choice" => self.blocks(xml, blocks)?,
                "oMathPara" | "oMath" => {
                    let mut text = String::new();
                    super::math::read(xml, &mut text)?;
                    blocks.push(WordBlock::Flow(FlowBlock::Paragraph(text)));
                }
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    fn paragraph(&mut self, xml: &mut XmlCursor<'_>, blocks: &mut Vec<WordBlock>) -> Result<(), OfficeFault> {
        let mut format = None;
        let mut section = None;
        let mut text = std::mem::take(&mut self.carried);
        while let Some(tag) = xml.child()? {
            if tag.name() == "pPr" {
                let (own, ended) = paragraph_format(xml)?;
                section = ended;
                format = Some(self.parts.styles.paragraph(own));
            } else {
                let format =
                    format.get_or_insert_with(|| self.parts.styles.paragraph(ParagraphFormat::default()));
                self.inline(&tag, xml, format, &mut text)?;
            }
        }
        self.fields.end_paragraph();
        let boxes = std::mem::take(&mut self.boxes);
        let format = format.unwrap_or_else(|| self.parts.styles.paragraph(ParagraphFormat::default()));
        if format.continues {
            self.carried = text;
        } else {
            if format.begins_page {
                blocks.push(WordBlock::Flow(FlowBlock::PageBreak));
            }
            self.push_paragraph(&format, &text, blocks);
        }
        blocks.extend(boxes.into_iter().map(WordBlock::Flow));
        blocks.extend(section.map(WordBlock::SectionEnd));
        Ok(())
    }

    /// Adds a paragraph: what is before the end of a page in it, and what is behind.
    fn push_paragraph(&mut self, format: &ParagraphFormat, text: &str, blocks: &mut Vec<WordBlock>) {
        let is_empty = text.trim().is_empty();
        let level = format.list_level.unwrap_or_default();
        let list = format.list.as_deref().filter(|id| *id != "0");
        let label = list.and_then(|id| self.numbering.next(id, level)).filter(|_| !is_empty);
        for (at, piece) in text.split(PAGE_END).enumerate() {
            if at > 0 {
                blocks.push(WordBlock::Flow(FlowBlock::PageBreak));
            }
            if piece.trim().is_empty() {
                continue;
            }
            let label = label.as_deref().filter(|label| at == 0 && !label.is_empty());
            let labelled =
                label.map_or_else(|| piece.to_owned(), |label| format!("{label} {}", piece.trim_start()));
            blocks.push(WordBlock::Flow(match (format.heading(), label) {
                (Some(level), _) => FlowBlock::Heading { level, text: labelled },
                (None, Some(_)) => FlowBlock::Item { level, text: labelled },
                (None, None) => FlowBlock::Paragraph(labelled),
            }));
        }
    }

    fn table(&mut self, xml: &mut XmlCursor<'_>) -> Result<FlowTable, OfficeFault> {
        let mut table = FlowTable::default();
        let paper = self.paper;
        self.rows(xml, &mut table)?;
        self.paper = paper;
        Ok(table)
    }

    fn rows(&mut self, xml: &mut XmlCursor<'_>, table: &mut FlowTable) -> Result<(), OfficeFault> {
        while let Some(tag) = xml.child()? {
            match tag.name() {
                "tblPr" => self.table_format(xml)?,
                "tr" => {
                    let mut row = WordRow::default();
                    self.cells(xml, &mut row)?;
                    if !row.is_hidden {
                        table.push(row.cells);
                    }
                }
                "del" | "moveFrom" | "Fallback" => xml.skip()?,
                "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo" | "AlternateContent" | "Choice" => {
                    self.rows(xml, table)?;
                }
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    fn table_format(&mut self, xml: &mut XmlCursor<'_>) -> Result<(), OfficeFault> {
        while let Some(tag) = xml.child()? {
            match tag.name() {
                // Which of its cells a style colours depends on their place.
                "tblStyle" if tag.value("val").is_some_and(|id| self.parts.styles.colours_cells(&id)) => {
                    self.paper = Backdrop::Unknown;
                }
                "shd" => self.paper = shade(&tag).map_or(self.paper, Backdrop::Plain),
                _ => {}
            }
            xml.skip()?;
        }
        Ok(())
    }

    fn cells(&mut self, xml: &mut XmlCursor<'_>, row: &mut WordRow) -> Result<(), OfficeFault> {
        while let Some(tag) = xml.child()? {
            match tag.name() {
                "trPr" => {
                    while let Some(tag) = xml.child()? {
                        match tag.name() {
                            "gridBefore" => row.column = tag.number("val").unwrap_or_default(),
                            "del" => row.is_hidden = true,
                            "hidden" => row.is_hidden |= tag.is_on(),
                            _ => {}
                        }
                        xml.skip()?;
                    }
                }
                "tc" => {
                    let cell = self.cell(xml, row.column)?;
                    row.column = row.column.saturating_add(cell.span);
                    row.cells.push(cell);
                }
                "del" | "moveFrom" | "Fallback" => xml.skip()?,
                "sdt" | "sdtContent" | "customXml" | "ins" | "moveTo" | "AlternateContent" | "Choice" => {
                    self.cells(xml, row)?;
                }
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    fn cell(&mut self, xml: &mut XmlCursor<'_>, column: usize) -> Result<FlowCell, OfficeFault> {
        let paper = self.paper;
        let (mut span, mut is_covered) = (1, false);
        let mut blocks = Vec::new();
        // The properties of a cell are its first element.
        while let Some(tag) = xml.child()? {
            match tag.name() {
                "tcPr" => {
                    while let Some(tag) = xml.child()? {
                        match tag.name() {
                            "gridSpan" => span = tag.number("val").unwrap_or(1).clamp(1, MOST_SPAN),
                            "vMerge" | "hMerge" => {
                                is_covered = tag.value("val").is_none_or(|val| val == "continue")
                            }
                            "cellDel" => is_covered = true,
                            "shd" => self.paper = shade(&tag).map_or(self.paper, Backdrop::Plain),
                            _ => {}
                        }
                        xml.skip()?;
                    }
                }
                "p" => self.paragraph(xml, &mut blocks)?,
                "tbl" => {
                    let table = self.table(xml)?;
                    blocks.push(WordBlock::Flow(FlowBlock::Table(table)));
                }
                "Fallback" | "del" | "moveFrom" => xml.skip()?,
                "sdt" | "customXml" | "ins" | "moveTo" | "AlternateContent" => {
                    self.blocks(xml, &mut blocks)?;
                }
                _ => xml.skip()?,
            }
        }
        self.paper = paper;
        let flow: Vec<FlowBlock> = blocks
            .into_iter()
            .filter_map(|block| match block {
                WordBlock::Flow(block) => Some(block),
                WordBlock::SectionEnd(_) => None,
            })
            .collect();
        let text = if is_covered { String::new() } else { FlowText::of_cell(&flow) };
        Ok(FlowCell { column, span, text })
    }
}

/// The most columns that a cell covers.
const MOST_SPAN: usize = 1_000;

/// A row that is being read.
#[derive(Debug, Default)]
struct WordRow {
    cells: Vec<FlowCell>,
    /// The column of the next cell.
    column: usize,
    is_hidden: bool,
}
