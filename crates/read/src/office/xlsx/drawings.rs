//! Text boxes of a sheet.

use crate::office::office_package::OfficePackage;
use crate::office::office_unread::OfficeFault;
use crate::office::package_links::PackageLinks;
use crate::office::xml_cursor::XmlCursor;

/// The texts of a sheet's text boxes.
pub(super) fn of_sheet(package: &mut OfficePackage<'_>, sheet: &str) -> Result<Vec<String>, OfficeFault> {
    let links = PackageLinks::of(package, sheet)?;
    let Some(part) = links.by_type("drawing") else { return Ok(Vec::new()) };
    let Some(text) = package.part(part)? else { return Ok(Vec::new()) };
    let mut texts = Vec::new();
    let mut xml = XmlCursor::new(&text);
    xml.root()?;
    boxes(&mut xml, &mut texts)?;
    Ok(texts)
}

fn boxes(xml: &mut XmlCursor<'_>, texts: &mut Vec<String>) -> Result<(), OfficeFault> {
    while let Some(tag) = xml.child()? {
        match tag.name() {
            "txBody" => {
                let mut lines = String::new();
                while let Some(tag) = xml.child()? {
                    if tag.name() == "p" {
                        runs(xml, &mut lines)?;
                        lines.push('\n');
                    } else {
                        xml.skip()?;
                    }
                }
                texts.push(lines);
            }
            "Fallback" => xml.skip()?,
            _ => boxes(xml, texts)?,
        }
    }
    Ok(())
}

fn runs(xml: &mut XmlCursor<'_>, line: &mut String) -> Result<(), OfficeFault> {
    while let Some(tag) = xml.child()? {
        match tag.name() {
            "t" => line.push_str(&xml.text()?),
            "br" => {
                line.push('\n');
                xml.skip()?;
            }
            "r" | "fld" => runs(xml, line)?,
            _ => xml.skip()?,
        }
    }
    Ok(())
}
