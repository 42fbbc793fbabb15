//! Fields of a Word document: their results are text, their instructions are not. Forms of old documents have their state
//! in the field.

use crate::office::office_unread::OfficeFault;
use crate::office::xml_cursor::{XmlCursor, XmlTag};

/// The fields that are open, one in another.
#[derive(Debug, Default)]
pub(super) struct WordFields {
    /// For each whether its instruction is not over.
    are_in_instruction: Vec<bool>,
}

impl WordFields {
    /// Returns whether text here is part of an instruction.
    pub(super) fn hide_text(&self) -> bool {
        self.are_in_instruction.contains(&true)
    }

    /// Reads a field's begin, middle or end (`fldChar`), and returns what is seen of a form's field.
    pub(super) fn step(
        &mut self,
        tag: &XmlTag<'_>,
        xml: &mut XmlCursor<'_>,
    ) -> Result<Option<String>, OfficeFault> {
        match tag.value("fldCharType").as_deref() {
            Some("begin") => self.are_in_instruction.push(true),
            Some("separate") => {
                if let Some(last) = self.are_in_instruction.last_mut() {
                    *last = false;
                }
            }
            _ => {
                self.are_in_instruction.pop();
            }
        }
        let mut seen = None;
        while let Some(tag) = xml.child()? {
            if tag.name() == "ffData" { seen = form_field(xml)? } else { xml.skip()? }
        }
        Ok(seen)
    }

    /// Ends instructions at the end of their paragraph: one without an end would hide the rest of the document.
    pub(super) fn end_paragraph(&mut self) {
        for is_in_instruction in &mut self.are_in_instruction {
            *is_in_instruction = false;
        }
    }
}

/// The box or the chosen entry of a form's field.
fn form_field(xml: &mut XmlCursor<'_>) -> Result<Option<String>, OfficeFault> {
    let mut seen = None;
    while let Some(tag) = xml.child()? {
        match tag.name() {
            "checkBox" => {
                let (mut default, mut checked) = (false, None);
                while let Some(tag) = xml.child()? {
                    match tag.name() {
                        "default" => default = tag.is_on(),
                        "checked" => checked = Some(tag.is_on()),
                        _ => {}
                    }
                    xml.skip()?;
                }
                seen = Some(if checked.unwrap_or(default) { "☒" } else { "☐" }.to_owned());
            }
            "ddList" => {
                let (mut default, mut chosen, mut entries) = (0, None, Vec::new());
                while let Some(tag) = xml.child()? {
                    match tag.name() {
                        "default" => default = tag.number("val").unwrap_or_default(),
                        "result" => chosen = tag.number::<usize>("val"),
                        "listEntry" => entries.push(tag.value("val").unwrap_or_default()),
                        _ => {}
                    }
                    xml.skip()?;
                }
                seen = entries.get(chosen.unwrap_or(default)).cloned();
            }
            _ => xml.skip()?,
        }
    }
    Ok(seen)
}
