//! Flowing content, as files of markup have it: headings, paragraphs, lists, tables and notes, one after the other.

/// A block of flowing content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FlowBlock {
    Heading {
        level: u8,
        text: String,
    },
    /// Lines of text.
    Paragraph {
        text: String,
        /// `true` if an empty line is before and after it.
        is_apart: bool,
    },
    List(Vec<FlowItem>),
    Table(Vec<FlowRow>),
    Note(Vec<FlowBlock>),
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FlowItem {
    /// A bullet or number, with a blank after it.
    pub(super) marker: String,
    pub(super) blocks: Vec<FlowBlock>,
}

/// A row of a table.
pub(super) type FlowRow = Vec<FlowCell>;

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FlowCell {
    pub(super) blocks: Vec<FlowBlock>,
    /// The number of columns over which it reaches.
    pub(super) columns: usize,
    /// The number of rows over which it reaches.
    pub(super) rows: usize,
}

impl FlowBlock {
    /// A line of its own.
    pub(super) fn line(text: impl Into<String>) -> Self {
        FlowBlock::Paragraph { text: text.into(), is_apart: false }
    }

    /// A paragraph.
    pub(super) fn paragraph(text: impl Into<String>) -> Self {
        FlowBlock::Paragraph { text: text.into(), is_apart: true }
    }
}

impl FlowCell {
    /// A cell of one column and row.
    pub(super) fn new(blocks: Vec<FlowBlock>) -> Self {
        FlowCell { blocks, columns: 1, rows: 1 }
    }
}

/// A text of one line: white space is one blank each.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}
