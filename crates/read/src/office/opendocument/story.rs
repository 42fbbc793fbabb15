//! Paragraphs, headings and lists of an OpenDocument text.

use super::lists::OpenCounters;
use super::styles::OpenStyles;
use crate::office::flow_text::{FlowBlock, FlowText};
use crate::office::ink::{Backdrop, Ink};
use crate::office::office_unread::OfficeFault;
use crate::office::xml_cursor::{XmlCursor, XmlTag};
use std::collections::HashMap;

/// A text that flows: the body, a header or footer, a note, a text box, a cell.
pub(super) struct OpenStory<'d> {
    pub(super) styles: &'d OpenStyles,
    pub(super) paper: Backdrop,
    /// Text boxes in the paragraph that is being read.
    pub(super) boxes: Vec<FlowBlock>,
    pub(super) notes: Vec<FlowBlock>,
    /// The numbers that the last list of each style came to.
    counters: HashMap<String, OpenCounters>,
    /// The list that is open: its style, its level, and the number of its next item if it has none yet.
    list: Option<OpenItem>,
}

/// An item of a list whose first paragraph has not come.
#[derive(Debug, Clone, Default)]
struct OpenItem {
    style: Option<String>,
    level: usize,
    start: Option<u32>,
    /// `true` until its label was written.
    has_label: bool,
}

impl<'d> OpenStory<'d> {
    pub(super) fn new(styles: &'d OpenStyles) -> Self {
        OpenStory {
            styles,
            paper: Backdrop::Plain(Ink::WHITE),
            boxes: Vec::new(),
            notes: Vec::new(),
            counters: HashMap::new(),
            list: None,
        }
    }

    /// The notes to which the text refers.
    pub(super) fn into_notes(self) -> Vec<FlowBlock> {
        self.notes
    }

    /// Reads the parts in the element that is open.
    pub(super) fn blocks(
        &mut self,
        xml: &mut XmlCursor<'_>,
        blocks: &mut Vec<FlowBlock>,
    ) -> Result<(), OfficeFault> {
        while let Some(tag) = xml.child()? {
            self.block(&tag, xml, blocks)?;
        }
        Ok(())
    }

    pub(super) fn block(
        &mut self,
        tag: &XmlTag<'_>,
        xml: &mut XmlCursor<'_>,
        blocks: &mut Vec<FlowBlock>,
    ) -> Result<(), OfficeFault> {
        match tag.name() {
            "p" | "h" => self.paragraph(tag, xml, blocks),
            "list" => self.list(tag, xml, blocks),
            "table" => {
                let format = self.styles.of("table", tag.value("style-name").as_deref());
                if format.begins_page {
                    blocks.push(FlowBlock::PageBreak);
                }
                if format.is_hidden {
                    return xml.skip();
                }
                let list = self.list.take();
                let table = self.table(xml)?;
                self.list = list;
                blocks.push(FlowBlock::Table(table));
                Ok(())
            }
            "section" if tag.value("display").is_some_and(|display| display != "true") => xml.skip(),
            "section" | "index-body" | "index-title" | "table-of-content" | "illustration-index"
            | "table-index" | "object-index" | "user-index" | "alphabetical-index" | "bibliography"
            | "numbered-paragraph" => self.blocks(xml, blocks),
            "frame" | "custom-shape" | "rect" | "g" | "text-box" | "a" | "ellipse" | "polygon" | "path" => {
                self.boxes(tag, xml)?;
                blocks.append(&mut self.boxes);
                Ok(())
            }
            _ => xml.skip(),
        }
    }

    fn paragraph(
        &mut self,
        tag: &XmlTag<'_>,
        xml: &mut XmlCursor<'_>,
        blocks: &mut Vec<FlowBlock>,
    ) -> Result<(), OfficeFault> {
        let format = self.styles.of("paragraph", tag.value("style-name").as_deref());
        if format.begins_page {
            blocks.push(FlowBlock::PageBreak);
        }
        let paper = self.paper;
        self.paper = format.shade.map_or(paper, Backdrop::Plain);
        let mut text = String::new();
        self.inline(xml, format.look, &mut text)?;
        self.paper = paper;
        let is_title = self.styles.is_title(tag.value("style-name").as_deref());
        let level = if tag.name() == "h" {
            tag.number("outline-level").or(format.outline).or(Some(1))
        } else {
            is_title.then_some(1)
        };
        let boxes = std::mem::take(&mut self.boxes);
        if !text.trim().is_empty() {
            let label = self.label(format.list.as_deref());
            let item = self.list.as_ref().map(|item| item.level.saturating_sub(1));
            let text = label
                .as_ref()
                .map_or_else(|| text.trim_end().to_owned(), |label| format!("{label} {}", text.trim()));
            blocks.push(match (level, item, label) {
                (Some(level), ..) => FlowBlock::Heading { level, text },
                (None, Some(level), Some(_)) => FlowBlock::Item { level, text },
                (None, ..) => FlowBlock::Paragraph(text),
            });
        }
        blocks.extend(boxes);
        Ok(())
    }

    /// The number or bullet of the item whose first paragraph this is.
    fn label(&mut self, style: Option<&str>) -> Option<String> {
        let item = self.list.as_mut()?;
        if !std::mem::take(&mut item.has_label) {
            return None;
        }
        let style = item.style.as_deref().or(style)?;
        let counters = self.counters.entry(style.to_owned()).or_default();
        self.styles.list(style)?.next(item.level, item.start, counters)
    }

    fn list(
        &mut self,
        tag: &XmlTag<'_>,
        xml: &mut XmlCursor<'_>,
        blocks: &mut Vec<FlowBlock>,
    ) -> Result<(), OfficeFault> {
        let outer = self.list.take();
        let style = tag.value("style-name").or_else(|| outer.as_ref()?.style.clone());
        let level = outer.as_ref().map_or(0, |outer| outer.level) + 1;
        let continues = tag.value("continue-numbering").is_some_and(|continues| continues == "true")
            || tag.value("continue-list").is_some();
        if let Some(style) = style.as_ref().filter(|_| level == 1 && !continues) {
            self.counters.remove(style);
        }
        while let Some(tag) = xml.child()? {
            let has_label = tag.name() == "list-item";
            if !has_label && tag.name() != "list-header" {
                xml.skip()?;
                continue;
            }
            let start = tag.number("start-value");
            self.list = Some(OpenItem { style: style.clone(), level, start, has_label });
            self.blocks(xml, blocks)?;
        }
        self.list = outer;
        Ok(())
    }

    /// Reads the text boxes of a drawing. They are written behind the paragraph that holds it.
    pub(super) fn boxes(&mut self, tag: &XmlTag<'_>, xml: &mut XmlCursor<'_>) -> Result<(), OfficeFault> {
        let (paper, list) = (self.paper, self.list.take());
        if let Some(style) = tag.value("style-name") {
            let fill = self.styles.of("graphic", Some(&style)).shade;
            self.paper = fill.map_or(Backdrop::Unknown, Backdrop::Plain);
        }
        let outer = std::mem::take(&mut self.boxes);
        let mut own = Vec::new();
        self.blocks(xml, &mut own)?;
        self.boxes = outer;
        self.boxes.extend(own);
        (self.paper, self.list) = (paper, list);
        Ok(())
    }

    /// The lines of a cell.
    pub(super) fn cell(&mut self, xml: &mut XmlCursor<'_>) -> Result<String, OfficeFault> {
        let mut blocks = Vec::new();
        self.blocks(xml, &mut blocks)?;
        Ok(FlowText::of_cell(&blocks))
    }
}
