//! Excel workbooks (`.xlsx`): each sheet that is shown as a heading and a table, its cells as they are shown.
//!
//! Formulas are not evaluated: a cell has the value that was saved with it. Links are not followed.

mod cells;
mod drawings;
mod formats;
mod shared;
#[cfg(test)]
mod tests;

use self::cells::SheetReader;
use self::formats::CellFormats;
use self::shared::SharedTexts;
use super::file_text::FileText;
use super::flow_text::{FlowBlock, FlowText};
use super::number_format::FirstDay;
use super::office_package::OfficePackage;
use super::office_unread::OfficeFault;
use super::package_links::PackageLinks;
use super::xml_cursor::XmlCursor;

/// The most cells with a value of a workbook.
const MOST_CELLS: usize = 2_000_000;

/// The parts of a workbook that the cells of all sheets refer to.
struct WorkbookParts {
    texts: SharedTexts,
    formats: CellFormats,
    first_day: FirstDay,
}

/// The sheets of a workbook that are shown, with the parts that hold them, and the day from which it counts.
#[derive(Default)]
struct WorkbookSheets {
    sheets: Vec<(String, String)>,
    first_day: FirstDay,
}

/// Reads an Excel workbook by its main part.
///
/// # Errors
/// When it is damaged, too long, or shows no text.
pub(super) fn read(package: &mut OfficePackage<'_>, main: &str) -> Result<FileText, OfficeFault> {
    let main = main.trim_start_matches('/');
    let links = PackageLinks::of(package, main)?;
    let book = sheets(&package.needed(main)?, &links)?;
    let mut part =
        |kind: &str| links.by_type(kind).map(|part| package.part(part)).transpose().map(Option::flatten);
    let texts = part("sharedStrings")?.map(|text| SharedTexts::read(&text)).transpose()?.unwrap_or_default();
    let formats = part("styles")?.map(|text| CellFormats::read(&text)).transpose()?.unwrap_or_default();
    let parts = WorkbookParts { texts, formats, first_day: book.first_day };
    let mut flow = FlowText::default();
    let mut has_text = false;
    let mut left = MOST_CELLS;
    for (name, part) in book.sheets {
        let Some(text) = package.part(&part)? else { continue };
        let mut sheet = SheetReader::new(&parts, left);
        let table = sheet.read(&text)?;
        left = sheet.left();
        let mut blocks = Vec::new();
        blocks.extend(table.map(FlowBlock::Table));
        for drawing in drawings::of_sheet(package, &part)? {
            blocks.push(FlowBlock::Paragraph(drawing));
        }
        if !blocks.is_empty() {
            has_text = true;
            flow.write(&[FlowBlock::PageBreak, FlowBlock::Heading { level: 1, text: name }]);
            flow.write(&blocks);
        }
    }
    // Names of empty sheets are no text of a document.
    if has_text { flow.finish() } else { Err(OfficeFault::NoText) }
}

fn sheets(text: &str, links: &PackageLinks) -> Result<WorkbookSheets, OfficeFault> {
    let mut book = WorkbookSheets::default();
    let mut xml = XmlCursor::new(text);
    xml.root()?;
    while let Some(tag) = xml.child()? {
        match tag.name() {
            "workbookPr" => {
                if tag.value("date1904").is_some_and(|is_on| !matches!(is_on.as_str(), "0" | "false")) {
                    book.first_day = FirstDay::Of1904;
                }
                xml.skip()?;
            }
            "sheets" => {
                while let Some(tag) = xml.child()? {
                    let is_shown = tag.value("state").is_none_or(|state| state == "visible");
                    let id = tag.prefixed("r:id").or_else(|| tag.value("id"));
                    let part = id.and_then(|id| links.by_id(&id).map(str::to_owned)).filter(|_| is_shown);
                    book.sheets.extend(part.map(|part| (tag.value("name").unwrap_or_default(), part)));
                    xml.skip()?;
                }
            }
            _ => xml.skip()?,
        }
    }
    Ok(book)
}
