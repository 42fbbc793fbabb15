//! Texts that cells share (`sharedStrings.xml`), and those that are in a cell: runs, each with the look that it has of its own.

use super::formats::{CellInk, ink, is_tiny};
use crate::office::ink::Backdrop;
use crate::office::office_unread::OfficeFault;
use crate::office::xml_cursor::XmlCursor;

/// The texts that cells share.
#[derive(Debug, Default)]
pub(super) struct SharedTexts(Vec<CellText>);

/// A text of a cell: runs, and the colour of those that have one of their own.
#[derive(Debug, Default)]
pub(super) struct CellText(Vec<(Option<CellInk>, String)>);

impl SharedTexts {
    pub(super) fn read(text: &str) -> Result<Self, OfficeFault> {
        let mut texts = Vec::new();
        let mut xml = XmlCursor::new(text);
        xml.root()?;
        while let Some(tag) = xml.child()? {
            if tag.name() == "si" { texts.push(CellText::read(&mut xml)?) } else { xml.skip()? }
        }
        Ok(SharedTexts(texts))
    }

    pub(super) fn get(&self, at: usize) -> Option<&CellText> {
        self.0.get(at)
    }
}

impl CellText {
    /// Reads the text in the element that is open (`si`, `is`).
    pub(super) fn read(xml: &mut XmlCursor<'_>) -> Result<Self, OfficeFault> {
        let mut runs = Vec::new();
        while let Some(tag) = xml.child()? {
            match tag.name() {
                "t" => runs.push((None, xml.text()?)),
                "r" => runs.extend(run(xml)?),
                // Reading aids.
                _ => xml.skip()?,
            }
        }
        Ok(CellText(runs))
    }

    /// The text that is seen in a cell with text of this colour on this background.
    pub(super) fn seen(&self, own: CellInk, backdrop: Backdrop) -> String {
        let seen = self.0.iter().filter(|(ink, _)| ink.unwrap_or(own).is_seen_on(backdrop));
        seen.map(|(_, text)| text.as_str()).collect()
    }
}

fn run(xml: &mut XmlCursor<'_>) -> Result<Option<(Option<CellInk>, String)>, OfficeFault> {
    let (mut own, mut is_seen, mut text) = (None, true, String::new());
    while let Some(tag) = xml.child()? {
        match tag.name() {
            "rPr" => {
                while let Some(tag) = xml.child()? {
                    match tag.name() {
                        "color" => own = Some(ink(&tag)),
                        "sz" => is_seen = !is_tiny(&tag),
                        _ => {}
                    }
                    xml.skip()?;
                }
            }
            "t" => text.push_str(&xml.text()?),
            _ => xml.skip()?,
        }
    }
    Ok(is_seen.then_some((own, text)))
}
