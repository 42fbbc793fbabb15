//! The text in a paragraph of an OpenDocument file.

use super::story::OpenStory;
use crate::office::flow_text::{FlowBlock, FlowText};
use crate::office::office_unread::OfficeFault;
use crate::office::text_look::TextLook;
use crate::office::xml_cursor::{XmlCursor, XmlNode, XmlTag};

/// The most blanks that an element means.
const MOST_BLANKS: usize = 400;

impl OpenStory<'_> {
    /// Reads the text in the element that is open.
    pub(super) fn inline(
        &mut self,
        xml: &mut XmlCursor<'_>,
        look: TextLook,
        text: &mut String,
    ) -> Result<(), OfficeFault> {
        while let Some(node) = xml.node()? {
            match node {
                XmlNode::Text(own) if look.is_seen_on(self.paper) => {
                    push_collapsed(&look.shown(&own), text);
                }
                XmlNode::Text(_) => {}
                XmlNode::Element(tag) => self.element(&tag, xml, look, text)?,
            }
        }
        Ok(())
    }

    fn element(
        &mut self,
        tag: &XmlTag<'_>,
        xml: &mut XmlCursor<'_>,
        look: TextLook,
        text: &mut String,
    ) -> Result<(), OfficeFault> {
        let is_hidden = tag.value("is-hidden").is_some_and(|hidden| hidden == "true");
        match tag.name() {
            "span" => {
                let look = self.styles.text(tag.value("style-name").as_deref(), look);
                return self.inline(xml, look, text);
            }
            "s" => {
                let blanks = tag.number("c").unwrap_or(1).min(MOST_BLANKS);
                text.extend(std::iter::repeat_n(' ', blanks));
            }
            "tab" => text.push('\t'),
            "line-break" => text.push('\n'),
            "note" => return self.note(xml, text),
            "frame" | "custom-shape" | "rect" | "g" | "ellipse" | "polygon" | "path" => {
                return self.boxes(tag, xml);
            }
            // Comments, changes, marks of places, entries of lists that were not chosen, reading aids.
            "annotation" | "annotation-end" | "change" | "change-start" | "change-end" | "label"
            | "ruby-text" | "script" | "tracked-changes" | "event-listeners" | "title" | "desc" => {}
            _ if is_hidden => {}
            _ => return self.inline(xml, look, text),
        }
        xml.skip()
    }

    /// Reads a note. Its text is written behind the document's.
    fn note(&mut self, xml: &mut XmlCursor<'_>, text: &mut String) -> Result<(), OfficeFault> {
        let mut mark = String::new();
        while let Some(tag) = xml.child()? {
            match tag.name() {
                "note-citation" => {
                    // In brackets, so that the number of a note is no digit of the value before it.
                    mark = format!("[{}]", xml.text()?.trim());
                    text.push_str(&mark);
                }
                "note-body" => {
                    let mut blocks = Vec::new();
                    let outer = std::mem::take(&mut self.boxes);
                    self.blocks(xml, &mut blocks)?;
                    self.boxes = outer;
                    let own = FlowText::of_cell(&blocks);
                    self.notes.push(FlowBlock::Note(format!("{mark} {}", own.trim())));
                }
                _ => xml.skip()?,
            }
        }
        Ok(())
    }
}

/// Appends text in which blanks and ends of lines are one blank, and none at the beginning.
fn push_collapsed(own: &str, text: &mut String) {
    for character in own.chars() {
        if !matches!(character, ' ' | '\t' | '\n' | '\r') {
            text.push(character);
        } else if !text.is_empty() && !text.ends_with([' ', '\n', '\t']) {
            text.push(' ');
        }
    }
}
