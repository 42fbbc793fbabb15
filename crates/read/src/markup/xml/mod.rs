//! XML: the text of an article (JATS), of a clinical document (CDA), or of any data.
//!
//! - `tree`: the file as a tree, within bounds; nothing is resolved.
//! - `jats_front`, `jats`: articles.
//! - `clinical`, `clinical_entries`: documents of HL7.
//! - `records`: data, as named lines and tables.

mod clinical;
mod clinical_entries;
mod jats;
mod jats_front;
mod name_words;
mod records;
mod running_text;
mod table_rows;
#[cfg(test)]
mod tests;
mod tree;

use super::file_text::{FileText, Unread};
use super::markup_text;
use super::markup_unread::MarkupFault;
use tree::{XmlElement, parse, unread};

/// Returns whether a text is XML: it begins as such, or with an element that ends with the text.
pub(crate) fn is_xml(text: &str) -> bool {
    let mut rest = text.trim_start_matches('\u{FEFF}').trim_start();
    while let Some(comment) = rest.strip_prefix("<!--") {
        let Some(end) = comment.find("-->") else { return false };
        rest = comment.get(end + 3..).unwrap_or_default().trim_start();
    }
    let Some(head) = rest.strip_prefix('<') else { return false };
    if is_declared(rest) {
        return true;
    }
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, ':' | '_' | '-' | '.');
    let name: &str = head.split(|c: char| !is_name(c)).next().unwrap_or_default();
    let end = rest.trim_end().strip_suffix('>').map(str::trim_end).and_then(|rest| rest.strip_suffix(name));
    name.starts_with(|c: char| c.is_alphabetic() || c == '_') && end.is_some_and(|rest| rest.ends_with("</"))
}

/// Returns whether a text says itself that it is XML.
fn is_declared(text: &str) -> bool {
    ["<?xml ", "<!DOCTYPE "].iter().any(|start| text.starts_with(start))
}

/// Reads a file. One that only looks like XML is read as it is.
pub(crate) fn read(text: &str) -> Result<FileText, Unread> {
    let text = text.trim_start_matches('\u{FEFF}');
    let file = match parse(text) {
        Ok(file) => file,
        Err(Unread::Markup { fault: MarkupFault::Malformed { .. } | MarkupFault::OwnEntities, .. })
            if !text.contains("<?xml ") && !text.contains("<!DOCTYPE ") =>
        {
            return Ok(FileText { text: text.to_owned(), ..FileText::default() });
        }
        Err(why) => return Err(why),
    };
    let root = file.elements().next().ok_or_else(|| unread(MarkupFault::NoText))?;
    let blocks = match root.name.as_str() {
        "article" if root.first(&["front"]).is_some() || root.first(&["front-stub"]).is_some() => {
            jats::read(root)
        }
        "pmc-articleset" => root.all("article").flat_map(jats::read).collect(),
        "ClinicalDocument" => clinical::read(root),
        "component" | "section" if holds_narrative(root) => clinical::read_sections(root),
        _ => records::read(file.elements()),
    };
    let (text, structure) = markup_text::write(&blocks).ok_or_else(|| unread(MarkupFault::TooLarge))?;
    if text.trim().is_empty() {
        return Err(unread(MarkupFault::NoText));
    }
    Ok(FileText { text, structure, ..FileText::default() })
}

/// Returns whether an element is a section of a clinical document, or holds one.
fn holds_narrative(element: &XmlElement) -> bool {
    let section = if element.name == "section" { Some(element) } else { element.first(&["section"]) };
    section.is_some_and(|section| {
        section.first(&["text"]).is_some()
            && (section.first(&["templateId"]).is_some() || section.first(&["code"]).is_some())
    })
}
