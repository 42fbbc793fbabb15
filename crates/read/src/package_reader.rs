//! Office packages, read by the reader of their kind.

use super::{docx, opendocument, xlsx};
use super::file_text::{FileText, Unread};
use super::office_package::OfficePackage;
use super::office_unread::{OfficeFault, OfficeFormat};
use super::package_kind::PackageKind;

/// Reads a ZIP archive that is an office document.
///
/// # Errors
/// When it is another archive, needs a password, is damaged, too long, or shows no text.
pub(super) fn read(bytes: &[u8]) -> Result<FileText, Unread> {
    let unknown = |fault: OfficeFault| fault.of(OfficeFormat::Archive);
    let mut package = OfficePackage::open(bytes).map_err(unknown)?;
    match PackageKind::of(&mut package).map_err(unknown)? {
        PackageKind::Word(main) => {
            docx::read(&mut package, &main).map_err(|fault| fault.of(OfficeFormat::Word))
        }
        PackageKind::Excel(main) => {
            xlsx::read(&mut package, &main).map_err(|fault| fault.of(OfficeFormat::Excel))
        }
        PackageKind::OpenText => {
            opendocument::read_text(&mut package).map_err(|fault| fault.of(OfficeFormat::OpenText))
        }
        PackageKind::OpenSheets => {
            opendocument::read_sheets(&mut package).map_err(|fault| fault.of(OfficeFormat::OpenSheets))
        }
        PackageKind::Unread(format) => Err(OfficeFault::NoReader.of(format)),
    }
}
