//! Formats of cells (`styles.xml`): how numbers are shown, and whether text is seen on its background.

use crate::office::ink::{Backdrop, Ink, UNSEEN_POINTS};
use crate::office::number_format::NumberFormat;
use crate::office::office_unread::OfficeFault;
use crate::office::xml_cursor::{XmlCursor, XmlTag};
use std::collections::HashMap;

/// The formats of cells.
#[derive(Debug, Default)]
pub(super) struct CellFormats {
    formats: Vec<CellFormat>,
}

/// The format of a cell.
#[derive(Debug, Clone)]
pub(super) struct CellFormat {
    pub(super) number: NumberFormat,
    pub(super) ink: CellInk,
    pub(super) backdrop: Backdrop,
    pub(super) is_tiny: bool,
}

/// The colour of a text; `None` if it is not told here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CellInk(Option<Ink>);

impl CellInk {
    pub(super) fn is_seen_on(self, backdrop: Backdrop) -> bool {
        self.0.is_none_or(|ink| ink.is_seen_on(backdrop))
    }
}

impl Default for CellFormat {
    fn default() -> Self {
        CellFormat {
            number: NumberFormat::default(),
            ink: CellInk(None),
            backdrop: Backdrop::Plain(Ink::WHITE),
            is_tiny: false,
        }
    }
}

impl CellFormats {
    pub(super) fn read(text: &str) -> Result<Self, OfficeFault> {
        let mut numbers: HashMap<u32, NumberFormat> = HashMap::new();
        let mut fonts = Vec::new();
        let mut fills = Vec::new();
        let mut formats = Vec::new();
        let mut xml = XmlCursor::new(text);
        xml.root()?;
        while let Some(tag) = xml.child()? {
            match tag.name() {
                "numFmts" => {
                    while let Some(tag) = xml.child()? {
                        let code = tag.value("formatCode").unwrap_or_default();
                        numbers.extend(tag.number("numFmtId").map(|id| (id, NumberFormat::of(&code))));
                        xml.skip()?;
                    }
                }
                "fonts" => {
                    while xml.child()?.is_some() {
                        fonts.push(font(&mut xml)?);
                    }
                }
                "fills" => {
                    while xml.child()?.is_some() {
                        fills.push(fill(&mut xml)?);
                    }
                }
                "cellXfs" => {
                    while let Some(tag) = xml.child()? {
                        let at = |name: &str| tag.number::<usize>(name);
                        let id = tag.number("numFmtId").unwrap_or_default();
                        let number = numbers.get(&id).cloned().unwrap_or_else(|| NumberFormat::built_in(id));
                        let font = at("fontId").and_then(|at| fonts.get(at)).copied();
                        let (ink, is_tiny) = font.unwrap_or((CellInk(None), false));
                        let backdrop = at("fillId").and_then(|at| fills.get(at)).copied();
                        let backdrop = backdrop.unwrap_or(Backdrop::Plain(Ink::WHITE));
                        formats.push(CellFormat { number, ink, backdrop, is_tiny });
                        xml.skip()?;
                    }
                }
                _ => xml.skip()?,
            }
        }
        Ok(CellFormats { formats })
    }

    pub(super) fn get(&self, at: usize) -> Option<&CellFormat> {
        self.formats.get(at)
    }
}

fn font(xml: &mut XmlCursor<'_>) -> Result<(CellInk, bool), OfficeFault> {
    let (mut own, mut tiny) = (CellInk(None), false);
    while let Some(tag) = xml.child()? {
        match tag.name() {
            "color" => own = ink(&tag),
            "sz" => tiny = is_tiny(&tag),
            _ => {}
        }
        xml.skip()?;
    }
    Ok((own, tiny))
}

fn fill(xml: &mut XmlCursor<'_>) -> Result<Backdrop, OfficeFault> {
    let mut backdrop = Backdrop::Plain(Ink::WHITE);
    while let Some(tag) = xml.child()? {
        let kind = tag.value("patternType");
        match (tag.name(), kind.as_deref()) {
            ("patternFill", None | Some("none")) => xml.skip()?,
            ("patternFill", Some("solid")) => {
                backdrop = Backdrop::Unknown;
                while let Some(tag) = xml.child()? {
                    if tag.name() == "fgColor" {
                        backdrop = ink(&tag).0.map_or(Backdrop::Unknown, Backdrop::Plain);
                    }
                    xml.skip()?;
                }
            }
            _ => {
                backdrop = Backdrop::Unknown;
                xml.skip()?;
            }
        }
    }
    Ok(backdrop)
}

/// The colour that an element names. Of a theme's colours only those of paper and of text are told; others are as a theme
/// makes them.
pub(super) fn ink(tag: &XmlTag<'_>) -> CellInk {
    // Opacity comes first.
    let of_rgb = |rgb: String| Ink::of_hex(rgb.get(rgb.len().checked_sub(6)?..)?);
    let is_tinted = tag.value("tint").is_some_and(|tint| tint.parse() != Ok(0.0));
    let of_theme = |theme: String| (theme == "0" && !is_tinted).then_some(Ink::WHITE);
    let of_index = |index: String| matches!(index.as_str(), "1" | "9").then_some(Ink::WHITE);
    CellInk(
        tag.value("rgb")
            .and_then(of_rgb)
            .or_else(|| tag.value("theme").and_then(of_theme))
            .or_else(|| tag.value("indexed").and_then(of_index)),
    )
}

/// Returns whether an element sets a size that is not seen.
pub(super) fn is_tiny(tag: &XmlTag<'_>) -> bool {
    tag.number::<f64>("val").is_some_and(|points| points <= UNSEEN_POINTS)
}
