//! Office packages that tests make.

use crate::PartRole;
use crate::file_kind::FileKind;
use crate::file_text::{FileText, Unread};
use crate::opened_file::OpenedFile;
use crate::reader_task::ReadingSettings;
use std::io::{Cursor, Write};
use std::sync::Arc;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// The bytes of a package with these parts.
pub(crate) fn package(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, text) in parts {
        writer.start_file(*name, options).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// The number of pictures that may hold text in a package with one more file.
pub(crate) fn pictures_with(package: Vec<u8>, name: &str, file: &[u8]) -> usize {
    let mut writer = ZipWriter::new_append(Cursor::new(package)).unwrap();
    writer.start_file(name, SimpleFileOptions::default()).unwrap();
    writer.write_all(file).unwrap();
    let read = read(writer.finish().unwrap().into_inner()).unwrap();
    read.structure.iter().filter(|part| part.role == PartRole::Picture).count()
}

/// A picture of so many pixels, as a PNG file.
pub(crate) fn png(width: u32, height: u32) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    image::GrayImage::new(width, height).write_to(&mut file, image::ImageFormat::Png).unwrap();
    file.into_inner()
}

/// The list of parts of a package whose main one is of this type.
pub(crate) fn content_types(part: &str, kind: &str) -> String {
    format!(
        r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="{part}" ContentType="application/vnd.openxmlformats-officedocument.{kind}.main+xml"/></Types>"#
    )
}

/// The links of a part, each with its identifier, type and target.
pub(crate) fn links(links: &[(&str, &str, &str)]) -> String {
    let link = |(id, kind, target): &(&str, &str, &str)| {
        format!(r#"<Relationship Id="{id}" Type="http://x/relationships/{kind}" Target="{target}"/>"#)
    };
    format!("<Relationships>{}</Relationships>", links.iter().map(link).collect::<String>())
}

/// Reads a file by its content.
pub(crate) fn read(bytes: Vec<u8>) -> Result<FileText, Unread> {
    let kind = FileKind::of(&bytes).unwrap();
    OpenedFile::open(kind, Arc::new(bytes), ReadingSettings::default())?.text()
}

/// The reason why a file has no text, and the advice.
pub(crate) fn refusal(bytes: Vec<u8>) -> String {
    let why = crate::Unreadable::from(read(bytes).unwrap_err());
    format!("{why}; {}", why.help())
}

/// Reads bytes that may be of any kind, or of none.
pub(crate) fn read_any(bytes: &[u8]) -> Option<FileText> {
    FileKind::of(bytes)?;
    read(bytes.to_vec()).ok()
}
