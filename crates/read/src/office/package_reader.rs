//! Office packages, read by the reader of their kind.

use super::file_text::{FileText, Unread};
use super::office_package::OfficePackage;
use super::office_unread::{OfficeFault, OfficeFormat};
use super::package_kind::PackageKind;
use super::{docx, opendocument, xlsx};

/// Reads a ZIP archive that is an office document.
///
/// # Errors
/// When it is another archive, needs a password, is damaged, too long, or shows no text.
pub(crate) fn read(bytes: &[u8]) -> Result<FileText, Unread> {
    let unknown = |fault: OfficeFault| fault.of(OfficeFormat::Archive);
    let mut package = OfficePackage::open(bytes).map_err(unknown)?;
    let (format, read) = match PackageKind::of(&mut package).map_err(unknown)? {
        PackageKind::Word(main) => (OfficeFormat::Word, docx::read(&mut package, &main)),
        PackageKind::Excel(main) => (OfficeFormat::Excel, xlsx::read(&mut package, &main)),
        PackageKind::OpenText => (OfficeFormat::OpenText, opendocument::read_text(&mut package)),
        PackageKind::OpenSheets => (OfficeFormat::OpenSheets, opendocument::read_sheets(&mut package)),
        PackageKind::Unread(format) => return Err(OfficeFault::NoReader.of(format)),
    };
    let with_pictures = |read: FileText| {
        let pictures = package.pictures()?;
        Ok(FileText { structure: read.structure.with_pictures(pictures), ..read })
    };
    read.and_then(with_pictures).map_err(|fault: OfficeFault| fault.of(format))
}

#[cfg(test)]
mod tests {
    use crate::office::test_packages::{content_types, package, refusal};

    #[test]
    fn files_that_are_no_documents_are_refused_with_advice() {
        let of_type = |kind: &str| package(&[("[Content_Types].xml", &content_types("/x.xml", kind))]);
        let binary = content_types("/x.xml", "x").replace(
            "vnd.openxmlformats-officedocument.x.main+xml",
            "vnd.ms-excel.sheet.binary.macroEnabled.main",
        );
        // Entries of a directory are as long as 128 bytes.
        let compound = |name: &str| {
            let mut bytes = vec![0; 1024];
            bytes[..8].copy_from_slice(crate::office::compound_file::SIGNATURE);
            let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
            bytes[640..640 + name.len()].copy_from_slice(&name);
            bytes
        };
        let cases = [
            of_type("presentationml.presentation"),
            of_type("unknown"),
            // A name in the list of parts, and no such part.
            of_type("wordprocessingml.document"),
            package(&[("[Content_Types].xml", &binary)]),
            package(&[("a.txt", "text"), ("../../b.txt", "text")]),
            package(&[("mimetype", "application/vnd.oasis.opendocument.presentation")]),
            b"PK\x03\x04xx".to_vec(),
            compound("WordDocument"),
            compound("Workbook"),
            compound("EncryptedPackage"),
            compound("__properties_version1.0"),
            compound("Unknown"),
        ];
        insta::assert_snapshot!(cases.map(refusal).join("\n"));
    }
}
