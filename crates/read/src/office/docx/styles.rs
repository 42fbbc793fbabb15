//! Styles of a Word document: the look, level and numbering that its paragraphs have by their style.

use super::look::{run_format, shade};
use crate::office::ink::Ink;
use crate::office::office_unread::OfficeFault;
use crate::office::text_look::TextLook;
use crate::office::xml_cursor::XmlCursor;
use std::collections::HashMap;

/// The most styles that are based on each other.
const MOST_BASES: usize = 30;
/// The level of text that is no heading.
const BODY_LEVEL: u8 = 9;

/// The styles of a document.
#[derive(Debug, Default)]
pub(super) struct WordStyles {
    base: TextLook,
    styles: HashMap<String, WordStyle>,
    /// The style of paragraphs that name none.
    normal: Option<String>,
}

/// The properties of a paragraph, as far as they are set.
#[derive(Debug, Clone, Default)]
pub(super) struct ParagraphFormat {
    pub(super) style: Option<String>,
    pub(super) run: TextLook,
    /// The level of its heading, from 0; [`BODY_LEVEL`] for text that is none.
    outline: Option<u8>,
    /// The list that it is in; `0` for none.
    pub(super) list: Option<String>,
    pub(super) list_level: Option<usize>,
    pub(super) shade: Option<Ink>,
    pub(super) begins_page: bool,
    /// `true` if its end was deleted: the next paragraph continues it.
    pub(super) continues: bool,
    is_initial: bool,
}

#[derive(Debug, Clone, Default)]
struct WordStyle {
    based_on: Option<String>,
    format: ParagraphFormat,
    /// `true` if it colours the cells of a table.
    colours_cells: bool,
}

impl WordStyles {
    /// Reads the styles of a document (`styles.xml`).
    pub(super) fn read(text: &str) -> Result<Self, OfficeFault> {
        let mut styles = WordStyles::default();
        let mut xml = XmlCursor::new(text);
        xml.root()?;
        while let Some(tag) = xml.child()? {
            match tag.name() {
                "docDefaults" => styles.defaults(&mut xml)?,
                "style" => {
                    let id = tag.value("styleId").unwrap_or_default();
                    let is_paragraphs = tag.value("type").is_none_or(|kind| kind == "paragraph");
                    if is_paragraphs && tag.value("default").is_some_and(|default| default != "0") {
                        styles.normal = Some(id.clone());
                    }
                    let style = style(&mut xml)?;
                    styles.styles.insert(id, style);
                }
                _ => xml.skip()?,
            }
        }
        Ok(styles)
    }

    fn defaults(&mut self, xml: &mut XmlCursor<'_>) -> Result<(), OfficeFault> {
        while let Some(tag) = xml.child()? {
            match tag.name() {
                "rPrDefault" => self.defaults(xml)?,
                "rPr" => self.base = run_format(xml)?.look,
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    /// A style and those that it is based on, from the first to itself.
    fn chain<'s>(&'s self, id: &str) -> Vec<&'s WordStyle> {
        let mut chain = Vec::new();
        let mut next = self.styles.get(id);
        while let Some(style) = next.filter(|_| chain.len() < MOST_BASES) {
            chain.push(style);
            next = style.based_on.as_deref().and_then(|base| self.styles.get(base));
        }
        chain.reverse();
        chain
    }

    /// The look of text in a style of characters, on top of another look.
    pub(super) fn run(&self, style: Option<&str>, look: TextLook) -> TextLook {
        let chain = style.map(|style| self.chain(style)).unwrap_or_default();
        chain.into_iter().fold(look, |look, style| look.with(style.format.run))
    }

    /// The properties of a paragraph: its own, and those of its style.
    pub(super) fn paragraph(&self, own: ParagraphFormat) -> ParagraphFormat {
        let style = own.style.as_deref().or(self.normal.as_deref());
        let mut format = ParagraphFormat { run: self.base, ..ParagraphFormat::default() };
        for style in style.map(|style| self.chain(style)).unwrap_or_default() {
            format = format.with(&style.format);
        }
        let mut format = format.with(&own);
        if format.outline.is_none() {
            format.outline = own.style.as_deref().and_then(heading_of_name);
        }
        format
    }

    /// Returns whether a style of tables colours cells.
    pub(super) fn colours_cells(&self, id: &str) -> bool {
        self.chain(id).iter().any(|style| style.colours_cells)
    }
}

impl ParagraphFormat {
    /// The level of its heading, from 1.
    pub(super) fn heading(&self) -> Option<u8> {
        self.outline.filter(|level| *level < BODY_LEVEL).map(|level| level + 1)
    }

    fn with(self, other: &Self) -> Self {
        ParagraphFormat {
            style: other.style.clone().or(self.style),
            run: self.run.with(other.run),
            outline: other.outline.or(self.outline),
            list: other.list.clone().or(self.list),
            list_level: other.list_level.or(self.list_level),
            shade: other.shade.or(self.shade),
            begins_page: self.begins_page || other.begins_page,
            continues: other.continues,
            is_initial: other.is_initial,
        }
    }
}

fn style(xml: &mut XmlCursor<'_>) -> Result<WordStyle, OfficeFault> {
    let mut style = WordStyle::default();
    let mut run = TextLook::default();
    while let Some(tag) = xml.child()? {
        match tag.name() {
            "name" => {
                let name = tag.value("val").unwrap_or_default();
                style.format.outline = style.format.outline.or_else(|| heading_of_name(&name));
                xml.skip()?;
            }
            "basedOn" => {
                style.based_on = tag.value("val");
                xml.skip()?;
            }
            "pPr" => {
                let outline = style.format.outline;
                style.format = paragraph_format(xml)?.0;
                style.format.outline = style.format.outline.or(outline);
            }
            "rPr" => run = run_format(xml)?.look,
            "tblPr" | "tcPr" | "tblStylePr" => style.colours_cells |= has_shade(xml)?,
            _ => xml.skip()?,
        }
    }
    style.format.run = style.format.run.with(run);
    // A style's own mark, and its own name, are no one else's.
    style.format.style = None;
    style.format.continues = false;
    Ok(style)
}

/// The level of the heading that a style of this name is for.
fn heading_of_name(name: &str) -> Option<u8> {
    let name = name.trim().to_ascii_lowercase();
    if name == "title" {
        return Some(0);
    }
    let level: u8 = name.strip_prefix("heading")?.trim().parse().ok()?;
    (1..=BODY_LEVEL).contains(&level).then(|| level - 1)
}

fn has_shade(xml: &mut XmlCursor<'_>) -> Result<bool, OfficeFault> {
    let mut found = false;
    while let Some(tag) = xml.child()? {
        if tag.name() == "shd" {
            found |= shade(&tag).is_some() || tag.value("themeFill").is_some();
            xml.skip()?;
        } else {
            found |= has_shade(xml)?;
        }
    }
    Ok(found)
}

/// Reads the properties of a paragraph (`pPr`), and those of the section that it ends.
pub(super) fn paragraph_format(
    xml: &mut XmlCursor<'_>,
) -> Result<(ParagraphFormat, Option<super::sections::SectionFormat>), OfficeFault> {
    let mut format = ParagraphFormat::default();
    let mut section = None;
    while let Some(tag) = xml.child()? {
        match tag.name() {
            "rPr" => {
                format.continues |= run_format(xml)?.is_deleted;
                continue;
            }
            "sectPr" => {
                section = Some(super::sections::section_format(xml)?);
                continue;
            }
            "numPr" => {
                while let Some(tag) = xml.child()? {
                    match tag.name() {
                        "numId" => format.list = tag.value("val"),
                        "ilvl" => format.list_level = tag.number("val"),
                        _ => {}
                    }
                    xml.skip()?;
                }
                continue;
            }
            "pStyle" => format.style = tag.value("val"),
            "outlineLvl" => format.outline = tag.number("val"),
            "pageBreakBefore" => format.begins_page = tag.is_on(),
            "shd" => format.shade = shade(&tag),
            // The first letter of the next paragraph, which is larger.
            "framePr" if tag.value("dropCap").is_some_and(|kind| kind != "none") => format.is_initial = true,
            _ => {}
        }
        xml.skip()?;
    }
    format.continues |= format.is_initial;
    Ok((format, section))
}
