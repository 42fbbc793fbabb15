//! Word documents (`.docx`): what their pages show.
//!
//! [`body`] reads paragraphs and tables, [`runs`] the text in a paragraph; [`styles`] and [`numbering`] what they owe to
//! their style and list; [`notes`] and [`sections`] what is below and above.

mod body;
mod fields;
mod look;
mod math;
mod notes;
mod numbering;
mod runs;
mod sections;
mod styles;
#[cfg(test)]
mod tests;

use self::body::{WordBlock, WordStory};
use self::notes::WordNotes;
use self::numbering::WordNumbering;
use self::sections::SectionFormat;
use self::styles::WordStyles;
use super::file_text::FileText;
use super::flow_text::{FlowBlock, FlowText};
use super::ink::{Backdrop, Ink};
use super::office_package::OfficePackage;
use super::office_unread::OfficeFault;
use super::package_links::PackageLinks;
use super::xml_cursor::XmlCursor;
use std::collections::HashSet;

/// The parts of a document that its text is made of.
struct WordParts {
    styles: WordStyles,
    notes: WordNotes,
    /// The colour of its pages.
    paper: Backdrop,
}

/// Reads a Word document by its main part.
///
/// # Errors
/// When it is damaged, too long, or shows no text.
pub(super) fn read(package: &mut OfficePackage<'_>, main: &str) -> Result<FileText, OfficeFault> {
    let main = main.trim_start_matches('/');
    let links = PackageLinks::of(package, main)?;
    let mut part =
        |kind: &str| links.by_type(kind).map(|part| package.part(part)).transpose().map(Option::flatten);
    let styles = part("styles")?.map(|text| WordStyles::read(&text)).transpose()?.unwrap_or_default();
    let mut numbering =
        part("numbering")?.map(|text| WordNumbering::read(&text)).transpose()?.unwrap_or_default();
    let has_even_pages = part("settings")?.is_some_and(|text| text.contains("evenAndOddHeaders"));
    let (footnotes, endnotes) = (part("footnotes")?, part("endnotes")?);
    let mut parts = WordParts { styles, notes: WordNotes::default(), paper: Backdrop::Plain(Ink::WHITE) };
    for (is_end, text) in [(false, footnotes), (true, endnotes)] {
        let Some(text) = text else { continue };
        let read = notes::read(&text, &parts, &mut numbering)?;
        parts.notes.add(is_end, read);
    }
    let text = package.needed(main)?;
    let mut story = WordStory::new(&parts, &mut numbering);
    let mut xml = XmlCursor::new(&text);
    xml.root()?;
    let mut blocks = Vec::new();
    while let Some(tag) = xml.child()? {
        match tag.name() {
            "body" => story.blocks(&mut xml, &mut blocks)?,
            "background" => {
                story.paper =
                    tag.value("color").and_then(|color| Ink::of_hex(&color)).map_or(parts.paper, |color| {
                        // It is shown on screens that are set so, and not in print.
                        if color == Ink::WHITE { parts.paper } else { Backdrop::Unknown }
                    });
                xml.skip()?;
            }
            _ => xml.skip()?,
        }
    }
    let marks = std::mem::take(&mut story.marks);
    let mut edges = PageEdges { package, links: &links, parts: &parts, written: HashSet::new() };
    let mut flow = FlowText::default();
    for (at, (section, own)) in sections(blocks).into_iter().enumerate() {
        if at > 0 && !section.is_continuous {
            flow.write(&[FlowBlock::PageBreak]);
        }
        flow.write(&edges.read(&section.shown(&section.headers, has_even_pages), &mut numbering)?);
        flow.write(&own);
        flow.write(&edges.read(&section.shown(&section.footers, has_even_pages), &mut numbering)?);
    }
    flow.write(&parts.notes.marked(&marks));
    flow.finish()
}

/// The parts of each section of a document.
fn sections(blocks: Vec<WordBlock>) -> Vec<(SectionFormat, Vec<FlowBlock>)> {
    let mut sections = Vec::new();
    let mut own = Vec::new();
    for block in blocks {
        match block {
            WordBlock::Flow(block) => own.push(block),
            WordBlock::SectionEnd(section) => sections.push((section, std::mem::take(&mut own))),
        }
    }
    if !own.is_empty() {
        sections.push((SectionFormat::default(), own));
    }
    sections
}

/// Headers and footers, each of which is written once, however many pages show it.
struct PageEdges<'d, 'p> {
    package: &'d mut OfficePackage<'p>,
    links: &'d PackageLinks,
    parts: &'d WordParts,
    /// The texts that were written.
    written: HashSet<String>,
}

impl PageEdges<'_, '_> {
    fn read(&mut self, ids: &[String], numbering: &mut WordNumbering) -> Result<Vec<FlowBlock>, OfficeFault> {
        let mut all = Vec::new();
        for id in ids {
            let Some(part) = self.links.by_id(id) else { continue };
            let Some(text) = self.package.part(part)? else { continue };
            let mut xml = XmlCursor::new(&text);
            xml.root()?;
            let blocks = WordStory::new(self.parts, numbering).flow(&mut xml)?;
            if self.written.insert(FlowText::of_cell(&blocks)) {
                all.extend(blocks);
            }
        }
        Ok(all)
    }
}
