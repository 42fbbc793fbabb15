//! Formulas of a Word document as a line of text: `1/2`, `10^9`.

use crate::office::office_unread::OfficeFault;
use crate::office::xml_cursor::XmlCursor;

/// Reads the formula that is open.
pub(super) fn read(xml: &mut XmlCursor<'_>, text: &mut String) -> Result<(), OfficeFault> {
    while let Some(tag) = xml.child()? {
        match tag.name() {
            "t" => text.push_str(&xml.text()?),
            // The lower part of a fraction, and what is raised, are digits of another number.
            "den" => {
                text.push('/');
                read(xml, text)?;
            }
            "sup" => {
                text.push('^');
                read(xml, text)?;
            }
            "sub" => {
                text.push('_');
                read(xml, text)?;
            }
            "del" | "moveFrom" | "rPr" => xml.skip()?,
            _ => read(xml, text)?,
        }
    }
    Ok(())
}
