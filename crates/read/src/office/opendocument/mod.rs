//! OpenDocument texts (`.odt`) and spreadsheets (`.ods`): what their pages and sheets show.

mod inline;
mod lists;
mod sheets;
mod story;
mod styles;
mod tables;
#[cfg(test)]
mod tests;

use self::sheets::SheetStory;
use self::story::OpenStory;
use self::styles::OpenStyles;
use super::file_text::FileText;
use super::flow_text::{FlowBlock, FlowText};
use super::office_package::OfficePackage;
use super::office_unread::OfficeFault;
use super::xml_cursor::XmlCursor;
use std::collections::HashSet;

/// The parts of a document that its text is made of.
struct OpenParts {
    /// The text of `styles.xml`, with headers and footers.
    pages: String,
    /// The styles of headers and footers.
    page_styles: OpenStyles,
    content: String,
    styles: OpenStyles,
}

/// Reads an OpenDocument text.
///
/// # Errors
/// When it is damaged, too long, needs a password, or shows no text.
pub(super) fn read_text(package: &mut OfficePackage<'_>) -> Result<FileText, OfficeFault> {
    let parts = parts(package)?;
    let (headers, footers) = page_edges(&parts)?;
    let mut story = OpenStory::new(&parts.styles);
    let mut blocks = Vec::new();
    each_body(&parts.content, |xml| story.blocks(xml, &mut blocks))?;
    let mut flow = FlowText::default();
    flow.write(&headers);
    flow.write(&blocks);
    flow.write(&footers);
    flow.write(&story.into_notes());
    flow.finish()
}

/// Reads an OpenDocument spreadsheet.
///
/// # Errors
/// As [`read_text`].
pub(super) fn read_sheets(package: &mut OfficePackage<'_>) -> Result<FileText, OfficeFault> {
    let parts = parts(package)?;
    let mut story = SheetStory::new(&parts.styles);
    each_body(&parts.content, |xml| story.sheets(xml))?;
    let mut flow = FlowText::default();
    let mut has_text = false;
    for (name, table) in story.into_sheets() {
        has_text = true;
        flow.write(&[
            FlowBlock::PageBreak,
            FlowBlock::Heading { level: 1, text: name },
            FlowBlock::Table(table),
        ]);
    }
    // Names of empty sheets are no text of a document.
    if has_text { flow.finish() } else { Err(OfficeFault::NoText) }
}

fn parts(package: &mut OfficePackage<'_>) -> Result<OpenParts, OfficeFault> {
    let manifest = package.part("META-INF/manifest.xml")?.unwrap_or_default();
    if manifest.contains("encryption-data") {
        return Err(OfficeFault::Protected);
    }
    let pages = package.part("styles.xml")?.unwrap_or_default();
    let content = package.needed("content.xml")?;
    let mut page_styles = OpenStyles::default();
    if !pages.is_empty() {
        page_styles.read(&pages)?;
    }
    let mut styles = page_styles.clone();
    styles.read(&content)?;
    Ok(OpenParts { pages, page_styles, content, styles })
}

/// Visits the body of a document, within the element of its kind.
fn each_body(
    content: &str,
    mut visit: impl FnMut(&mut XmlCursor<'_>) -> Result<(), OfficeFault>,
) -> Result<(), OfficeFault> {
    let mut xml = XmlCursor::new(content);
    xml.root()?;
    while let Some(tag) = xml.child()? {
        if tag.name() != "body" {
            xml.skip()?;
            continue;
        }
        while let Some(tag) = xml.child()? {
            if matches!(tag.name(), "text" | "spreadsheet") { visit(&mut xml)? } else { xml.skip()? }
        }
    }
    Ok(())
}

/// The headers and footers that are shown.
fn page_edges(parts: &OpenParts) -> Result<(Vec<FlowBlock>, Vec<FlowBlock>), OfficeFault> {
    let (mut headers, mut footers) = (Vec::new(), Vec::new());
    let mut written = HashSet::new();
    if parts.pages.is_empty() {
        return Ok((headers, footers));
    }
    let mut xml = XmlCursor::new(&parts.pages);
    xml.root()?;
    while let Some(tag) = xml.child()? {
        if tag.name() != "master-styles" {
            xml.skip()?;
            continue;
        }
        while let Some(tag) = xml.child()? {
            let name = tag.value("name").unwrap_or_default();
            if tag.name() != "master-page" || !parts.styles.uses_page(&name) {
                xml.skip()?;
                continue;
            }
            while let Some(tag) = xml.child()? {
                let is_shown = tag.value("display").is_none_or(|display| display != "false");
                let edges = match tag.name() {
                    "header" | "header-first" | "header-left" if is_shown => &mut headers,
                    "footer" | "footer-first" | "footer-left" if is_shown => &mut footers,
                    _ => {
                        xml.skip()?;
                        continue;
                    }
                };
                let mut own = Vec::new();
                OpenStory::new(&parts.page_styles).blocks(&mut xml, &mut own)?;
                if written.insert(FlowText::of_cell(&own)) {
                    edges.extend(own);
                }
            }
        }
    }
    Ok((headers, footers))
}
