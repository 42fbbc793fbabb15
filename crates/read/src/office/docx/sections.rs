//! Sections of a Word document: which headers and footers its pages show.

use crate::office::office_unread::OfficeFault;
use crate::office::xml_cursor::XmlCursor;

/// The properties of a section (`sectPr`).
#[derive(Debug, Clone, Default)]
pub(super) struct SectionFormat {
    /// Identifiers of the parts that are its headers.
    pub(super) headers: Vec<PageEdge>,
    /// Identifiers of the parts that are its footers.
    pub(super) footers: Vec<PageEdge>,
    /// `true` if its first page has a header and footer of its own.
    pub(super) has_title_page: bool,
    /// `true` if it begins on the page on which the section before it ends.
    pub(super) is_continuous: bool,
}

/// A header or footer.
#[derive(Debug, Clone)]
pub(super) struct PageEdge {
    pub(super) id: String,
    pub(super) pages: EdgePages,
}

/// The pages that show a header or footer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EdgePages {
    First,
    Usual,
    Even,
}

/// Reads the properties of a section.
pub(super) fn section_format(xml: &mut XmlCursor<'_>) -> Result<SectionFormat, OfficeFault> {
    let mut format = SectionFormat::default();
    while let Some(tag) = xml.child()? {
        let edge = || {
            let pages = match tag.value("type").as_deref() {
                Some("first") => EdgePages::First,
                Some("even") => EdgePages::Even,
                _ => EdgePages::Usual,
            };
            tag.prefixed("r:id").or_else(|| tag.value("id")).map(|id| PageEdge { id, pages })
        };
        match tag.name() {
            "headerReference" => format.headers.extend(edge()),
            "footerReference" => format.footers.extend(edge()),
            "titlePg" => format.has_title_page = tag.is_on(),
            "type" => format.is_continuous = tag.value("val").is_some_and(|kind| kind == "continuous"),
            _ => {}
        }
        xml.skip()?;
    }
    format.headers.sort_by_key(|edge| edge.pages);
    format.footers.sort_by_key(|edge| edge.pages);
    Ok(format)
}

impl SectionFormat {
    /// The headers or footers that some page of this section shows.
    pub(super) fn shown(&self, edges: &[PageEdge], has_even_pages: bool) -> Vec<String> {
        let is_shown = |edge: &&PageEdge| match edge.pages {
            EdgePages::First => self.has_title_page,
            EdgePages::Usual => true,
            EdgePages::Even => has_even_pages,
        };
        edges.iter().filter(is_shown).map(|edge| edge.id.clone()).collect()
    }
}
