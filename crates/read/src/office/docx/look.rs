//! Properties of the text in a Word document: its look and its style.

use crate::office::ink::Ink;
use crate::office::office_unread::OfficeFault;
use crate::office::symbol_fonts::SymbolFont;
use crate::office::text_look::TextLook;
use crate::office::xml_cursor::{XmlCursor, XmlTag};

/// The look of a text, the name of its style, and whether it was deleted.
#[derive(Debug, Default)]
pub(super) struct RunFormat {
    pub(super) look: TextLook,
    pub(super) style: Option<String>,
    /// `true` if what is formatted was deleted or moved away; of a paragraph's mark, that the next paragraph continues it.
    pub(super) is_deleted: bool,
}

/// Reads the properties of a run (`rPr`).
pub(super) fn run_format(xml: &mut XmlCursor<'_>) -> Result<RunFormat, OfficeFault> {
    let mut format = RunFormat::default();
    while let Some(tag) = xml.child()? {
        let value = || tag.value("val");
        match tag.name() {
            "rStyle" => format.style = value(),
            "vanish" => format.look.hidden = Some(tag.is_on()),
            "sz" => format.look.points = tag.number::<f64>("val").map(|halves| halves / 2.0),
            "color" => format.look.ink = value().map(|value| Ink::of_hex(&value)),
            "highlight" => format.look.shade = value().map(|value| Ink::of_name(&value)),
            "shd" => format.look.shade = Some(shade(&tag)),
            "rFonts" => {
                format.look.font =
                    tag.value("ascii").or_else(|| tag.value("hAnsi")).map(|name| SymbolFont::of(&name));
            }
            "vertAlign" => format.look.raised = value().map(|value| value == "superscript"),
            "del" | "moveFrom" => format.is_deleted = true,
            _ => {}
        }
        xml.skip()?;
    }
    Ok(format)
}

/// The colour with which a shading (`shd`) fills what is behind a text.
pub(super) fn shade(tag: &XmlTag<'_>) -> Option<Ink> {
    let is_solid = tag.value("val").is_some_and(|pattern| pattern == "solid");
    let name = if is_solid { "color" } else { "fill" };
    tag.value(name).and_then(|fill| Ink::of_hex(&fill))
}
