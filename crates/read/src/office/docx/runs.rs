//! The text in a paragraph of a Word document: runs, links, fields, insertions, formulas, text boxes.

use super::body::{PAGE_END, WordStory};
use super::look::run_format;
use super::styles::ParagraphFormat;
use crate::office::ink::{Backdrop, Ink};
use crate::office::office_unread::OfficeFault;
use crate::office::symbol_fonts::{SymbolFont, shown};
use crate::office::text_look::TextLook;
use crate::office::xml_cursor::{XmlCursor, XmlTag};

impl WordStory<'_> {
    /// Reads an element of a paragraph.
    pub(super) fn inline(
        &mut self,
        tag: &XmlTag<'_>,
        xml: &mut XmlCursor<'_>,
        paragraph: &ParagraphFormat,
        text: &mut String,
    ) -> Result<(), OfficeFault> {
        match tag.name() {
            "r" => self.run(xml, paragraph, text),
            "oMath" | "oMathPara" => super::math::read(xml, text),
            "hyperlink" | "ins" | "moveTo" | "smartTag" | "sdt" | "sdtContent" | "customXml"
            | "fldSimple" | "dir" | "bdo" | "AlternateContent" | "Choice" => self.runs(xml, paragraph, text),
            _ => xml.skip(),
        }
    }

    fn runs(
        &mut self,
        xml: &mut XmlCursor<'_>,
        paragraph: &ParagraphFormat,
        text: &mut String,
    ) -> Result<(), OfficeFault> {
        while let Some(tag) = xml.child()? {
            self.inline(&tag, xml, paragraph, text)?;
        }
        Ok(())
    }

    fn run(
        &mut self,
        xml: &mut XmlCursor<'_>,
        paragraph: &ParagraphFormat,
        text: &mut String,
    ) -> Result<(), OfficeFault> {
        let mut look = paragraph.run;
        while let Some(tag) = xml.child()? {
            if tag.name() == "rPr" {
                let format = run_format(xml)?;
                look = self.parts.styles.run(format.style.as_deref(), look).with(format.look);
            } else {
                self.run_part(&tag, xml, paragraph, look, text)?;
            }
        }
        Ok(())
    }

    fn run_part(
        &mut self,
        tag: &XmlTag<'_>,
        xml: &mut XmlCursor<'_>,
        paragraph: &ParagraphFormat,
        look: TextLook,
        text: &mut String,
    ) -> Result<(), OfficeFault> {
        let backdrop = paragraph.shade.map_or(self.paper, Backdrop::Plain);
        let is_seen = look.is_seen_on(backdrop) && !self.fields.hide_text();
        match tag.name() {
            "drawing" | "pict" | "object" => return self.drawing(xml),
            "AlternateContent" | "Choice" => {
                while let Some(tag) = xml.child()? {
                    self.run_part(&tag, xml, paragraph, look, text)?;
                }
                return Ok(());
            }
            // Without the reading aid above it.
            "ruby" => {
                while let Some(tag) = xml.child()? {
                    if tag.name() == "rubyBase" { self.runs(xml, paragraph, text)? } else { xml.skip()? }
                }
                return Ok(());
            }
            "fldChar" => {
                let seen = self.fields.step(tag, xml)?;
                text.push_str(&seen.filter(|_| look.is_seen_on(backdrop)).unwrap_or_default());
                return Ok(());
            }
            "t" if is_seen => {
                text.push_str(&look.shown(&xml.text()?));
                return Ok(());
            }
            "br" => text.push(match tag.value("type").as_deref() {
                Some("page") => PAGE_END,
                _ => '\n',
            }),
            "cr" => text.push('\n'),
            "tab" | "ptab" if is_seen => text.push('\t'),
            "noBreakHyphen" if is_seen => text.push('-'),
            "sym" if is_seen => text.extend(symbol(tag)),
            "footnoteReference" | "endnoteReference" if is_seen => {
                let is_end = tag.name() == "endnoteReference";
                let is_marked = tag.value("customMarkFollows").is_some_and(|own| own != "0");
                if let Some(id) = tag.value("id").filter(|_| !is_marked) {
                    text.push_str(&self.marks.next(is_end, id));
                }
            }
            _ => {}
        }
        xml.skip()
    }

    /// Reads the text boxes of a drawing. They are written behind the paragraph that holds it.
    fn drawing(&mut self, xml: &mut XmlCursor<'_>) -> Result<(), OfficeFault> {
        let (paper, mut is_filled) = (self.paper, false);
        while let Some(tag) = xml.child()? {
            match tag.name() {
                "txbxContent" => {
                    // A text box has paragraphs and fields of its own.
                    let outer = (std::mem::take(&mut self.boxes), std::mem::take(&mut self.fields));
                    let own = self.flow(xml)?;
                    self.boxes.splice(0..0, outer.0);
                    self.fields = outer.1;
                    self.boxes.extend(own);
                }
                "spPr" => {
                    let fill = fill(xml, paper)?;
                    is_filled = fill.is_some();
                    self.paper = fill.unwrap_or(paper);
                }
                "style" if !is_filled => {
                    while let Some(tag) = xml.child()? {
                        if tag.name() == "fillRef" && tag.value("idx").is_some_and(|nth| nth != "0") {
                            self.paper = Backdrop::Unknown;
                        }
                        xml.skip()?;
                    }
                }
                "shape" | "rect" | "roundrect" | "oval" => {
                    let is_filled =
                        tag.value("filled").is_none_or(|filled| !matches!(filled.as_str(), "f" | "false"));
                    let color = tag.value("fillcolor").filter(|_| is_filled);
                    self.paper = color.map_or(self.paper, |color| {
                        Ink::of_hex(&color).map_or(Backdrop::Unknown, Backdrop::Plain)
                    });
                    self.drawing(xml)?;
                }
                "Fallback" => xml.skip()?,
                _ => self.drawing(xml)?,
            }
        }
        self.paper = paper;
        Ok(())
    }
}

/// The background that the properties of a shape give it.
fn fill(xml: &mut XmlCursor<'_>, paper: Backdrop) -> Result<Option<Backdrop>, OfficeFault> {
    let mut fill = None;
    while let Some(tag) = xml.child()? {
        match tag.name() {
            "solidFill" => {
                fill = Some(Backdrop::Unknown);
                while let Some(tag) = xml.child()? {
                    let color = tag.value("val").filter(|_| tag.name() == "srgbClr");
                    if let Some(ink) = color.and_then(|color| Ink::of_hex(&color)) {
                        fill = Some(Backdrop::Plain(ink));
                    }
                    xml.skip()?;
                }
            }
            "noFill" => {
                fill = Some(paper);
                xml.skip()?;
            }
            "gradFill" | "blipFill" | "pattFill" | "grpFill" => {
                fill = Some(Backdrop::Unknown);
                xml.skip()?;
            }
            _ => xml.skip()?,
        }
    }
    Ok(fill)
}

/// The character of a symbol that is named by its font and code.
fn symbol(tag: &XmlTag<'_>) -> Option<char> {
    let code = u32::from_str_radix(&tag.value("char")?, 16).ok()?;
    let character = char::from_u32(code)?;
    let font = tag.value("font").and_then(|font| SymbolFont::of(&font));
    shown(&character.to_string(), font).chars().next()
}
