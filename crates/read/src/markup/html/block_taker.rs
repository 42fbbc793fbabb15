//! Texts of a page, gathered into lines and blocks.

use super::super::flow::FlowBlock;

/// Takes texts and blocks in the order of a page.
#[derive(Debug, Default)]
pub(super) struct BlockTaker {
    blocks: Vec<FlowBlock>,
    /// The lines that are not a block yet.
    lines: String,
    /// White space came after the last word.
    is_blank: bool,
    /// The next text is set apart from the one before it on its line.
    is_gap: bool,
    /// The last text was the label of a form's field: before its value it ends with a colon.
    is_label: bool,
    /// The number of labels that are open.
    labels: usize,
    /// The term of a list of definitions that waits for its definition.
    pub(super) term: Option<String>,
}

impl BlockTaker {
    /// Adds text: white space is one blank each, unless it is kept.
    pub(super) fn text(&mut self, text: &str, is_kept: bool) {
        if is_kept {
            self.join();
            self.lines.push_str(&text.replace('\r', "").replace('\t', "        "));
            self.is_label = false;
            return;
        }
        // Only these are white space of a page; a blank that does not break is one, and stays.
        for c in text.chars() {
            if matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}') {
                self.is_blank = true;
                continue;
            }
            self.join();
            self.is_label = false;
            self.lines.push(if c == '\u{a0}' { ' ' } else { c });
        }
    }

    fn join(&mut self) {
        let begins = self.lines.is_empty() || self.lines.ends_with('\n');
        if !begins && self.is_gap {
            self.lines.push_str("  ");
        } else if !begins && self.is_blank && !self.lines.ends_with(' ') {
            self.lines.push(' ');
        }
        self.is_blank = false;
        self.is_gap = false;
    }

    /// Sets the next text apart from the one before it.
    pub(super) fn gap(&mut self) {
        self.is_gap = true;
    }

    /// Ends a line.
    pub(super) fn line_break(&mut self) {
        self.lines.push('\n');
        self.is_blank = false;
        self.is_gap = false;
    }

    /// Begins the label of a form's field, which may hold the field itself.
    pub(super) fn begin_label(&mut self) {
        self.labels += 1;
    }

    /// Ends the label of a form's field.
    pub(super) fn end_label(&mut self) {
        self.labels = self.labels.saturating_sub(1);
        self.is_label = true;
    }

    /// Adds the value of a form's field, after its label.
    pub(super) fn value(&mut self, value: &str) {
        let line = self.lines.trim_end();
        let is_open =
            (self.is_label || self.labels > 0) && !line.is_empty() && !line.ends_with([':', '?', '：']);
        if is_open {
            self.lines.truncate(line.len());
            self.lines.push(':');
        }
        self.is_blank = true;
        self.text(value, false);
        self.is_label = false;
    }

    /// Makes a block of the lines so far.
    pub(super) fn end_block(&mut self, is_apart: bool) {
        let lines = std::mem::take(&mut self.lines);
        self.is_blank = false;
        self.is_gap = false;
        if !lines.trim().is_empty() {
            self.blocks.push(FlowBlock::Paragraph { text: lines.trim_matches('\n').to_owned(), is_apart });
        }
    }

    /// Adds a block after the lines so far.
    pub(super) fn push(&mut self, block: FlowBlock) {
        self.end_block(false);
        self.blocks.push(block);
    }

    /// The blocks, when there is no more.
    pub(super) fn finish(mut self) -> Vec<FlowBlock> {
        self.end_block(false);
        self.end_term();
        self.blocks
    }

    /// Writes a term without a definition.
    pub(super) fn end_term(&mut self) {
        if let Some(term) = self.term.take() {
            self.push(FlowBlock::line(term));
        }
    }
}
