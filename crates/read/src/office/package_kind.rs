//! Kinds of office packages, as their own lists of parts tell; names of files don't matter.

use super::office_package::OfficePackage;
use super::office_unread::{OfficeFault, OfficeFormat};
use super::xml_cursor::XmlCursor;

/// The kind of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PackageKind {
    /// A Word document, and its main part.
    Word(String),
    /// An Excel workbook, and its main part.
    Excel(String),
    /// An OpenDocument text.
    OpenText,
    /// An OpenDocument spreadsheet.
    OpenSheets,
    /// Something that has no reader.
    Unread(OfficeFormat),
}

impl PackageKind {
    /// The kind of a package.
    pub(super) fn of(package: &mut OfficePackage<'_>) -> Result<Self, OfficeFault> {
        if package.has("[Content_Types].xml") {
            let types = package.needed("[Content_Types].xml")?;
            return Ok(of_content_types(&types)?.unwrap_or(PackageKind::Unread(OfficeFormat::Archive)));
        }
        let declared = package.part("mimetype").unwrap_or_default().unwrap_or_default();
        let kind = declared.trim().strip_prefix("application/vnd.oasis.opendocument.").unwrap_or_default();
        let kind = kind.trim_end_matches("-template");
        Ok(match kind {
            "text" | "text-master" | "text-web" => PackageKind::OpenText,
            "spreadsheet" => PackageKind::OpenSheets,
            "presentation" | "graphics" => PackageKind::Unread(OfficeFormat::Slides),
            _ => PackageKind::Unread(OfficeFormat::Archive),
        })
    }
}

/// The kind of the first part that is the main one of a document.
fn of_content_types(types: &str) -> Result<Option<PackageKind>, OfficeFault> {
    let mut xml = XmlCursor::new(types);
    xml.root()?;
    while let Some(tag) = xml.child()? {
        let kind = tag.value("ContentType").zip(tag.value("PartName")).and_then(|(kind, part)| {
            let kind = kind.to_ascii_lowercase();
            let is = |words: &[&str]| words.iter().any(|word| kind.contains(word));
            if !is(&["main"]) {
                None
            } else if is(&["wordprocessingml", "ms-word"]) {
                Some(PackageKind::Word(part))
            } else if is(&["ms-excel.sheet.binary"]) {
                Some(PackageKind::Unread(OfficeFormat::BinaryExcel))
            } else if is(&["spreadsheetml", "ms-excel"]) {
                Some(PackageKind::Excel(part))
            } else if is(&["presentationml", "ms-powerpoint"]) {
                Some(PackageKind::Unread(OfficeFormat::Slides))
            } else {
                None
            }
        });
        xml.skip()?;
        if kind.is_some() {
            return Ok(kind);
        }
    }
    Ok(None)
}
