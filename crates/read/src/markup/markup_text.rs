//! The text of flowing content, with its structure.

use super::aligned_rows::{self, AlignedPart};
use super::flow::{FlowBlock, FlowItem, FlowRow};
use super::{MarkedPart, PartRole, Structure};

/// The longest text, in bytes.
const MOST_TEXT: usize = 32 << 20;
/// The deepest indentation, in columns.
const MOST_INDENT: usize = 40;

/// Writes flowing content: a line for each paragraph, item and row. `None` if the text is longer than a document may be.
pub(super) fn write(blocks: &[FlowBlock]) -> Option<(String, Structure)> {
    let mut writer = FlowWriter::default();
    writer.blocks(blocks);
    let FlowWriter { text, parts, is_full, .. } = writer;
    (!is_full).then(|| (text, Structure::new(parts)))
}

/// The lines of some content, without its structure.
pub(super) fn lines(blocks: &[FlowBlock]) -> Vec<String> {
    let mut writer = FlowWriter::default();
    writer.blocks(blocks);
    writer.text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[derive(Debug, Default)]
struct FlowWriter {
    text: String,
    parts: Vec<MarkedPart>,
    indent: usize,
    /// The text before the next line in place of its indentation.
    marker: Option<String>,
    /// `true` if an empty line comes before the next one.
    is_apart: bool,
    is_full: bool,
}

impl FlowWriter {
    fn blocks(&mut self, blocks: &[FlowBlock]) {
        for block in blocks {
            match block {
                FlowBlock::Heading { level, text } => {
                    self.is_apart = true;
                    let from = self.line(text);
                    self.mark(from, PartRole::Heading { level: *level });
                }
                FlowBlock::Paragraph { text, is_apart } => {
                    self.is_apart |= is_apart;
                    for line in text.lines() {
                        self.line(line);
                    }
                    self.is_apart |= is_apart;
                }
                FlowBlock::List(items) => self.list(items),
                FlowBlock::Table(rows) => self.table(rows),
                FlowBlock::Note(blocks) => {
                    let from = self.begin();
                    self.blocks(blocks);
                    self.mark(from, PartRole::Note);
                }
            }
        }
    }

    fn list(&mut self, items: &[FlowItem]) {
        let from = self.begin();
        for item in items {
            let width = item.marker.chars().count();
            let indent = self.indent;
            self.indent = (indent + width).min(MOST_INDENT);
            // The marker of an item that begins with a list is before that of the list.
            let marker = format!("{}{}", self.marker.take().unwrap_or_default(), item.marker);
            self.marker = Some(marker);
            self.blocks(&item.blocks);
            self.marker = None;
            self.indent = indent;
        }
        self.mark(from, PartRole::List);
    }

    fn table(&mut self, rows: &[FlowRow]) {
        for part in aligned_rows::parts(rows) {
            match part {
                AlignedPart::Rows(lines) => {
                    self.is_apart = true;
                    let from = self.begin();
                    for line in lines {
                        self.line(&line);
                    }
                    self.mark(from, PartRole::Table);
                    self.is_apart = true;
                }
                AlignedPart::Blocks(blocks) => self.blocks(blocks),
            }
        }
    }

    /// Begins a part: its first byte, when the next line is written.
    fn begin(&mut self) -> usize {
        if self.is_apart && !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
        self.is_apart = false;
        self.text.len()
    }

    fn mark(&mut self, from: usize, role: PartRole) {
        let end = self.text.trim_end().len();
        if from < end {
            self.parts.push(MarkedPart { text: from..end, role });
        }
    }

    /// Writes a line, and returns where its text begins.
    fn line(&mut self, line: &str) -> usize {
        let line = line.trim_end();
        if line.is_empty() || self.is_full {
            return self.text.len();
        }
        self.begin();
        let marker = self.marker.take().unwrap_or_default();
        let blanks = self.indent.saturating_sub(marker.chars().count());
        self.text.extend(std::iter::repeat_n(' ', blanks));
        self.text.push_str(&marker);
        let from = self.text.len();
        self.text.push_str(line);
        self.text.push('\n');
        self.is_full = self.text.len() > MOST_TEXT;
        from
    }
}
