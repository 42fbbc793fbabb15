//! Footnotes and endnotes of a Word document, written behind its text with the marks by which the text refers to them.

use super::WordParts;
use super::body::WordStory;
use super::numbering::WordNumbering;
use crate::office::flow_text::{FlowBlock, FlowText};
use crate::office::list_numbers::NumberStyle;
use crate::office::office_unread::OfficeFault;
use crate::office::xml_cursor::XmlCursor;
use std::collections::HashMap;

/// The notes of a document.
#[derive(Debug, Default)]
pub(super) struct WordNotes {
    /// Texts by their kind (`true` for endnotes) and identifier.
    texts: HashMap<(bool, String), String>,
}

/// The notes to which a text refers, in order.
#[derive(Debug, Default)]
pub(super) struct NoteMarks {
    marks: Vec<NoteMark>,
    footnotes: u32,
    endnotes: u32,
}

#[derive(Debug)]
struct NoteMark {
    is_end: bool,
    id: String,
    mark: String,
}

impl NoteMarks {
    /// The mark of a note to which the text refers here.
    pub(super) fn next(&mut self, is_end: bool, id: String) -> String {
        let (count, style) = if is_end {
            (&mut self.endnotes, NumberStyle::LowerRoman)
        } else {
            (&mut self.footnotes, NumberStyle::Decimal)
        };
        *count += 1;
        // In brackets, so that the number of a note is no digit of the value before it.
        let mark = format!("[{}]", style.print(*count));
        self.marks.push(NoteMark { is_end, id, mark: mark.clone() });
        mark
    }
}

impl WordNotes {
    pub(super) fn add(&mut self, is_end: bool, notes: Vec<(String, String)>) {
        self.texts.extend(notes.into_iter().map(|(id, text)| ((is_end, id), text)));
    }

    /// The notes that have these marks.
    pub(super) fn marked(&self, marks: &NoteMarks) -> Vec<FlowBlock> {
        let text = |mark: &NoteMark| {
            let text = self.texts.get(&(mark.is_end, mark.id.clone()))?;
            Some(FlowBlock::Note(format!("{} {}", mark.mark, text.trim())))
        };
        marks.marks.iter().filter_map(text).collect()
    }
}

/// Reads the notes of a part (`footnotes.xml`, `endnotes.xml`): their identifiers and texts.
pub(super) fn read(
    text: &str,
    parts: &WordParts,
    numbering: &mut WordNumbering,
) -> Result<Vec<(String, String)>, OfficeFault> {
    let mut notes = Vec::new();
    let mut xml = XmlCursor::new(text);
    xml.root()?;
    while let Some(tag) = xml.child()? {
        // The lines between text and notes are notes, too.
        let is_note = tag.value("type").is_none_or(|kind| kind == "normal");
        match tag.value("id").filter(|_| is_note) {
            Some(id) => {
                let blocks = WordStory::new(parts, numbering).flow(&mut xml)?;
                notes.push((id, FlowText::of_cell(&blocks)));
            }
            None => xml.skip()?,
        }
    }
    Ok(notes)
}
